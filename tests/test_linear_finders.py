"""Finders that take their planes from linear models and projections."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from baselines import (
    HHCART,
    Fisher,
    LinearSVM,
    Logistic,
    PrincipalAxes,
    Ridge,
    SparseRandom,
)
from baselines._groups import group_classes, superclasses
from baselines._projection import best_of_directions
from baselines._sample import in_data_units, scale_rows
from baselines.fisher import crossing_of_normals
from baselines.hhcart import householder
from oblique import ObliqueTreeClassifier, _kernels, load, save
from oblique.criteria import CRITERIA
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel, BestOf, SafeAdjusted, best_cut_along
from oblique.node import Node

FINDERS = {
    "HHCART(A)": HHCART(),
    "HHCART(D)": HHCART(eigenvectors="dominant"),
    "svm": LinearSVM(),
    "svm criterion": LinearSVM(threshold="criterion", groups="rest"),
    "svm hinge": LinearSVM(loss="hinge", groups="superclasses"),
    "logistic": Logistic(),
    "lasso": Logistic(l1_ratio=1.0, threshold="model", groups="pairs"),
    "some features": Logistic(max_features="sqrt"),
    "ridge": Ridge(),
    "ridge model": Ridge(alpha=1.0, threshold="model", groups="superclasses"),
    "QUEST": Fisher(threshold="quadratic"),
    "fisher pairs": Fisher(groups="pairs"),
    "fisher rest": Fisher(groups="rest", threshold="bayes"),
    "sparse": SparseRandom(),
    "forest-rc": SparseRandom(n_projections=10, density=3, distribution="uniform", scaling=None),
    "axes": PrincipalAxes(),
    "rotation": PrincipalAxes(group_size=3, n_axes=5),
}


@pytest.fixture(params=FINDERS)
def finder(request):
    return clone(FINDERS[request.param])


def numbers(name):
    data = load_dataset(name)
    return np.array(data.data, dtype=float), np.array(data.target)


def fit(finder, X, y, sample_weight=None, **options):
    model = ObliqueTreeClassifier(finder=finder, random_state=0, **options)
    return model.fit(X, y, sample_weight)


def root_of(finder, X, y, **options):
    return finder.find_split(Node.from_data(X, y, **options), np.random.default_rng(0))


# ---------------------------------------------------------------- what holds for every finder


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_learns_several_classes(finder, name):
    X, y = numbers(name)
    model = fit(BestOf(finder, AxisParallel()), X, y)
    assert model.score(X, y) > 0.95
    assert (np.diff(model.tree_.weight_indptr) > 1).any()


def test_the_same_tree_for_rows_in_any_order(finder):
    X, y = numbers("wine")
    order = np.random.default_rng(1).permutation(len(X))
    tree, other = fit(finder, X, y).tree_, fit(finder, X[order], y[order]).tree_
    assert np.array_equal(tree.weight_values, other.weight_values)
    assert np.array_equal(tree.threshold, other.threshold, equal_nan=True)


@pytest.mark.parametrize("factor", [1e-12, 1e-100, 1e120])
def test_units_do_not_matter(finder, factor):
    X, y = numbers("iris")
    model = fit(finder, X, y, max_depth=3)
    scaled = fit(finder, X * factor, y, max_depth=3)
    assert (scaled.predict(X * factor) == model.predict(X)).mean() > 0.97


def test_whole_weights_are_repeated_rows(finder):
    X, y = numbers("iris")
    weights = np.random.default_rng(0).integers(1, 4, len(X))
    weighted = fit(finder, X, y, weights, max_depth=2)
    repeated = fit(finder, np.repeat(X, weights, axis=0), np.repeat(y, weights), max_depth=2)
    assert (weighted.predict(X) == repeated.predict(X)).mean() > 0.98


def test_rows_of_weight_zero_and_the_size_of_weights_do_not_matter(finder):
    X, y = numbers("wine")
    weights = np.random.default_rng(0).random(len(X)) + 0.25
    weights[::5] = 0.0
    kept = weights > 0.0
    model = fit(finder, X, y, weights, max_depth=3)
    assert np.array_equal(
        fit(finder, X[kept], y[kept], weights[kept], max_depth=3).predict(X), model.predict(X)
    )
    large = fit(finder, X, y, weights * 2.0**40, max_depth=3)
    assert (large.predict(X) == model.predict(X)).mean() > 0.97


def test_missing_values_take_no_part(finder):
    X, y = numbers("iris")
    complete = root_of(finder, X, y)
    extra = np.full((10, 4), np.nan)
    extra[:, 0] = 5.0
    split = root_of(finder, np.vstack([X, extra]), np.append(y, np.zeros(10, int)))
    if isinstance(finder, Fisher):
        # A missing value stands for the column's mean, as in LDT.
        assert split is not None
        return
    assert set(split.indices) == set(complete.indices)
    assert split.values == pytest.approx(complete.values, rel=1e-3)
    X[::4, 1] = np.nan
    assert fit(BestOf(finder, AxisParallel()), X, y).score(X, y) > 0.9


def test_awkward_columns(finder):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    columns = [
        np.full(120, 7.0), X[:, 0], X[:, 0] + X[:, 1], 1e15 + rng.normal(size=120),
        1e-200 * rng.normal(size=120), 1e200 * rng.normal(size=120), np.arange(120.0) == 3,
    ]  # fmt: skip
    table = np.c_[X, np.array(columns).T]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fit(BestOf(finder, AxisParallel()), table, y)
    assert np.isfinite(model.tree_.weight_values).all()
    assert 4 not in model.tree_.weight_indices
    assert model.score(table, y) == 1.0


@pytest.mark.parametrize("shape", [(2, 1), (3, 2), (4, 7), (30, 1)])
def test_few_rows_and_few_columns(finder, shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape)
    y = np.arange(shape[0]) % 2
    assert fit(BestOf(finder, AxisParallel()), X, y).score(X, y) == 1.0
    assert fit(finder, X, np.zeros(shape[0])).tree_.n_leaves == 1
    assert fit(finder, np.ones(shape), y).tree_.n_leaves == 1


def test_rows_that_are_equal_but_for_the_class(finder):
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 3)), 4, axis=0)
    y = np.tile([0, 1, 0, 1], 5)
    assert fit(finder, X, y).tree_.n_leaves >= 1


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_and_limits_on_leaves(finder, criterion):
    X, y = numbers("iris")
    weights = np.random.default_rng(0).random(150) + 0.5
    model = fit(
        BestOf(finder, AxisParallel()), X, y, weights, criterion=criterion, min_samples_leaf=7
    )
    leaf = model.apply(X)
    assert np.bincount(leaf)[np.unique(leaf)].min() >= 7
    assert model.score(X, y) > 0.9


def test_a_safe_variant(finder):
    X, y = numbers("breast_cancer_complete")
    y = (y == y.max()).astype(int)
    model = fit(BestOf(SafeAdjusted(finder), AxisParallel("safe")), X, y, unsafe_class=1)
    assert model.score(X, y) > 0.95


def test_saved_and_loaded(finder, tmp_path):
    X, y = numbers("iris")
    model = fit(BestOf(finder, AxisParallel()), X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert repr(again.finder) == repr(model.finder)
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(again.fit(X, y).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("finder", "text"),
    [
        (HHCART(eigenvectors="some"), "eigenvectors='some'"),
        (HHCART(scaling="range"), "scaling='range'"),
        (LinearSVM(C=0), "C=0 must be"),
        (LinearSVM(groups="all"), "groups='all'"),
        (LinearSVM(loss="log"), "loss='log'"),
        (LinearSVM(threshold="best"), "threshold='best'"),
        (LinearSVM(max_iter=0), "max_iter=0"),
        (Logistic(l1_ratio=2.0), "l1_ratio=2.0"),
        (Logistic(max_features=0), "max_features=0"),
        (Logistic(max_features="log"), "max_features='log'"),
        (Logistic(min_samples=1), "min_samples=1"),
        (Ridge(alpha="best"), "alpha='best'"),
        (Ridge(alphas=()), r"alphas=\(\)"),
        (Ridge(alphas=(1.0, -1.0)), "a value of alphas=-1.0"),
        (Fisher(threshold="mean"), "threshold='mean'"),
        (SparseRandom(n_projections=0), "n_projections=0"),
        (SparseRandom(density=0.0), "density=0.0"),
        (SparseRandom(distribution="normal"), "distribution='normal'"),
        (PrincipalAxes(n_axes=0), "n_axes=0"),
        (PrincipalAxes(group_size=1), "group_size=1"),
    ],
)
def test_a_wrong_parameter_is_named(finder, text):
    with pytest.raises(ValueError, match=text):
        fit(finder, [[0.0], [1.0]], [0, 1])


# ---------------------------------------------------------------- the quick search


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(list(CRITERIA)), st.booleans(), st.integers(2, 4))
def test_the_quick_search_finds_the_best_cut(seed, criterion, is_coarse, n_classes):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(4, 150)), 3))
    X = np.round(X) if is_coarse else X
    y = rng.integers(0, n_classes, len(X))
    node = Node.from_data(X, y, criterion=criterion)
    scaled = scale_rows(node, None, least_columns=3)
    if scaled is None:
        return
    directions = rng.integers(-2, 3, size=(8, 3)).astype(float)
    found = best_of_directions(node, scaled, directions)
    # Scaled columns have units that are powers of two.
    expected = best_cut_along(node, directions / scaled.spread)
    gains = [0.0 if split is None else node.gain(split) for split in (found, expected)]
    assert gains[0] == pytest.approx(gains[1], abs=1e-8)


# ---------------------------------------------------------------- the methods themselves


@pytest.mark.parametrize("d", [1, 2, 5])
def test_householder_reflects_a_vector_onto_the_first_axis(d):
    rng = np.random.default_rng(d)
    for _ in range(5):
        vector = rng.normal(size=d)
        vector /= np.linalg.norm(vector)
        H = householder(vector)
        if d == 1:
            assert H is None
            continue
        first = np.eye(d)[0]
        turned = vector if vector[np.abs(vector).argmax()] > 0 else -vector
        assert H @ turned == pytest.approx(first)
        assert pytest.approx(H.T) == H
        assert np.allclose(H @ H, np.eye(d))


def stretched_classes():
    """Two classes stretched along (1, 1) and set apart along (1, -1)."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    along, across = 5.0 * rng.normal(size=200), 0.1 * rng.normal(size=200) + 2 * y - 1
    return np.c_[along + across, along - across], y


@pytest.mark.parametrize("finder", [HHCART(eigenvectors="dominant", scaling=None), HHCART()])
def test_hhcart_cuts_along_stretched_classes(finder):
    X, y = stretched_classes()
    split = root_of(finder, X, y, criterion="gini")
    assert Node.from_data(X, y, criterion="gini").gain(split) == pytest.approx(0.5)
    assert split.values[1] / split.values[0] == pytest.approx(-1.0, abs=0.05)


def test_hhcart_with_directions_of_brute_force():
    X, y = numbers("iris")
    X = X[:, 1:]
    node = Node.from_data(X, y, criterion="gini")
    candidates = [np.eye(3)]
    for k in range(3):
        for vector in np.linalg.eigh(np.cov(X[y == k].T))[1].T:
            H = householder(vector)
            candidates.append(np.eye(3) if H is None else H)
    best = node.gain(best_cut_along(node, np.concatenate(candidates)))
    found = HHCART(scaling=None).find_split(node, np.random.default_rng(0))
    assert node.gain(found) == pytest.approx(best)


def test_fisher_of_spheres_is_the_difference_of_means():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20_000)
    X = rng.normal(size=(40_000, 3)) + np.outer(y, [1.0, 2.0, -1.0])
    for threshold in ("criterion", "quadratic", "bayes"):
        split = root_of(Fisher(threshold=threshold), X, y)
        assert split.values / split.values[0] == pytest.approx([1.0, 2.0, -1.0], abs=0.1)
        assert split.threshold / split.values[0] == pytest.approx(3.0, abs=0.5)


@pytest.mark.parametrize("mass", [(1.0, 1.0), (3.0, 1.0)])
def test_densities_are_equal_at_the_quadratic_threshold(mass):
    mean, spread = np.array([4.0, -1.0]), np.array([0.5, 1.5])
    at = crossing_of_normals(mean, spread, np.array(mass), np.nan)
    assert -1.0 < at < 4.0
    density = np.array(mass) * norm.pdf(at, mean, spread)
    assert density[0] == pytest.approx(density[1])


def test_fisher_pairs_look_at_two_classes_only():
    X, y = numbers("wine")
    node = Node.from_data(X, y)
    best = 0.0
    for a, b in ((0, 1), (0, 2), (1, 2)):
        pair = np.isin(y, (a, b))
        within = sum(np.cov(X[y == k].T) * (np.sum(y == k) - 1) for k in (a, b))
        apart = X[y == a].mean(0) - X[y == b].mean(0)
        direction = np.linalg.solve(within / (pair.sum() - 2), apart)
        best = max(best, node.gain(best_cut_along(node, direction[None])))
    found = Fisher(groups="pairs").find_split(node, None)
    assert node.gain(found) == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize(
    ("finder", "model"),
    [
        (LinearSVM(), LinearSVC(dual=False)),
        (LinearSVM(loss="hinge"), SVC(kernel="linear")),
        (Logistic(threshold="model"), LogisticRegression()),
        (Ridge(threshold="model"), RidgeCV(384 * np.array([0.003, 0.03, 0.3, 3.0]))),
    ],
)
def test_planes_are_those_of_scikit_learn(finder, model):
    X, y = numbers("pima")
    X, y = X[:384], y[:384]
    Z = (X - X.mean(0)) / X.std(0)
    target = y if not isinstance(finder, Ridge) else 2 * y - 1
    score = model.fit(Z, target)
    sides = Z @ np.ravel(score.coef_) + np.ravel(score.intercept_) > 0
    split = root_of(finder, X, y)
    assert np.isin((split.membership(X) == 1.0).mean(), [sides.mean(), 1 - sides.mean()])
    angle = split.values * X.std(0)
    assert abs(np.corrcoef(angle, np.ravel(score.coef_))[0, 1]) == pytest.approx(1.0, abs=1e-3)


def test_an_l1_penalty_drops_features():
    X, y = numbers("breast_cancer_complete")
    full = root_of(Logistic(), X, y)
    sparse = root_of(Logistic(C=0.02, l1_ratio=1.0), X, y)
    mixed = root_of(Logistic(C=0.02, l1_ratio=0.5), X, y)
    assert sparse.indices.size < full.indices.size
    assert mixed.indices.size <= full.indices.size


def test_number_of_weights_of_sparse_directions():
    finder = SparseRandom(n_projections=4000, density=2.0)
    drawn = finder._draw(20, np.random.default_rng(0))
    sizes = np.count_nonzero(drawn, axis=1)
    # Binomial(20, 1/10), the empty ones given one weight.
    assert sizes.min() == 1
    assert sizes.mean() == pytest.approx(2.0 + 0.9**20, abs=0.1)
    assert set(np.unique(drawn)) == {-1.0, 0.0, 1.0}
    assert SparseRandom(exponent=2.0)._draw(7, np.random.default_rng(0)).shape == (49, 7)
    assert SparseRandom(exponent=2.0)._draw(99, np.random.default_rng(0)).shape == (6000, 99)


def test_principal_axes_of_a_stretched_cloud():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2)) * [5.0, 0.2] @ np.array([[0.8, 0.6], [-0.6, 0.8]])
    y = (X @ [-0.6, 0.8] > 0).astype(int)
    split = root_of(PrincipalAxes(scaling=None), X, y)
    assert split.values[1] / split.values[0] == pytest.approx(-4 / 3, rel=0.05)
    assert fit(PrincipalAxes(scaling=None), X, y).score(X, y) > 0.99
    first = root_of(PrincipalAxes(scaling=None, n_axes=1), X, y)
    assert first is None or first.values[1] / first.values[0] == pytest.approx(0.75, rel=0.05)


def test_groups():
    X, y = numbers("wine")
    scaled = scale_rows(Node.from_data(X, y), "standard")
    args = scaled.columns[:-1], scaled.codes, scaled.weights
    assert group_classes("rest", *args).tolist() == [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    assert group_classes("pairs", *args).tolist() == [[1, -1, 0], [1, 0, -1], [0, 1, -1]]
    assert np.abs(group_classes("superclasses", *args)).tolist() == [[1, 1, 1]]
    means = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0], [5.1, 1.0]])
    assert superclasses(means, np.ones(4), 1).tolist() == [[1, 1, -1, -1]]


@parametrize_with_checks(
    [
        ObliqueTreeClassifier(finder=LinearSVM()),
        ObliqueTreeClassifier(finder=SparseRandom(), random_state=0),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_weights_in_the_units_of_the_data():
    weights = np.array([3.0, 0.0, -1.0, 1e-300])
    kept, values = in_data_units(weights, np.array([2.0, 1e-9, 1.0, 1e300]))
    # 1.5 and -1 already have their largest in [1, 2); what vanishes beside them is left out.
    assert kept.tolist() == [0, 2]
    assert values.tolist() == [1.5, -1.0]
    for unusable in ([np.nan, 1.0], [np.inf, 1.0]):
        kept, values = in_data_units(np.array(unusable), np.ones(2))
        assert kept.size == values.size == 0


@settings(deadline=None)  # the kernel may have to be compiled
@given(st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(allow_infinity=False)), max_size=8))
def test_threshold_lies_between_the_scores_of_both_sides(pairs):
    heights, scores = np.array(pairs, dtype=np.float64).reshape(-1, 2).T.copy()
    indices, values = np.empty(1, np.int32), np.empty(1)
    rows = np.arange(scores.size, dtype=np.int32)
    first, zero, one = np.zeros(1, np.int32), np.zeros(1), np.ones(1)
    q, threshold = _kernels.place_plane(
        scores[:, None], rows, np.array([1.0, 0.0]), heights, first, zero, one, False, indices,
        values,
    )  # fmt: skip
    left, right = scores[heights <= 0.0], scores[heights > 0.0]
    if np.isnan(scores).any():
        assert q == 1
        assert np.isnan(threshold)
    elif not left.size or not right.size:
        assert q == 0
    else:
        assert (q, indices[0], values[0]) == (1, 0, 1.0)
        is_mixed = not left.max() < right.min()
        assert np.isnan(threshold) == is_mixed
        assert is_mixed or left.max() <= threshold < right.min()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("case", ["plain", "weighted", "missing", "limited"])
def test_gain_of_a_placed_plane_is_the_nodes(criterion, case):
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(120, 3)), 1)
    y = rng.integers(0, 3, 120)
    if case == "missing":
        X[rng.random(X.shape) < 0.05] = np.nan
    node = Node.from_data(
        X, y, sample_weight=rng.uniform(0.1, 3.0, 120) if case == "weighted" else None,
        criterion=criterion, min_leaf=30.0 if case == "limited" else 1.0,
    )  # fmt: skip
    scaled = scale_rows(node, "standard")
    gains = []
    for _ in range(20):
        split, gain = scaled.proposal_of(node, rng.normal(size=4) * [1.0, 1.0, 1.0, 0.2])
        assert gain == node.gain(split)
        gains.append(gain)
    assert len(set(gains)) > 2
    # A plane beyond all rows divides nothing.
    assert scaled.proposal_of(node, np.array([1.0, 0.0, 0.0, 99.0])) is None
