"""Regressions whose scores of a row do not know that row, beside brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge

from baselines import LeaveOneOutLinear, _regression
from baselines.leave_one_out import base_rate
from oblique import ObliqueTreeClassifier, load, save
from oblique.criteria import gain
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel, BestOf, Categories, SafeAdjusted
from oblique.node import Node


def scaled(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, d))
    Z = (Z - Z.mean(0)) / Z.std(0)
    return Z, np.ascontiguousarray(np.vstack([Z.T, -np.ones(n)])), rng


@pytest.mark.parametrize("is_weighted", [False, True])
def test_ridge_scores_are_those_of_fits_without_the_row(is_weighted):
    Z, columns, rng = scaled()
    w = rng.random(40) + 0.5 if is_weighted else np.ones(40)
    centre = np.average(Z, axis=0, weights=w)
    Z = Z - centre
    columns[:-1] = Z.T
    targets = np.sign(rng.normal(size=(2, 40)))
    penalty = 0.1
    planes, scores = _regression.ridge(columns, targets, w, w, np.array([penalty]))
    for t, plane, score in zip(targets, planes, scores, strict=True):
        whole = Ridge(penalty * w.sum()).fit(Z, t, w)
        assert plane[:-1] == pytest.approx(whole.coef_)
        assert plane @ columns == pytest.approx(whole.predict(Z))
        for i in range(40):
            kept = np.arange(40) != i
            # The penalty and the centre stay those of all rows.
            mean = np.average(Z[kept], axis=0, weights=w[kept])
            part = Ridge(penalty * w.sum()).fit(Z[kept], t[kept], w[kept])
            assert score[i] == pytest.approx(part.predict(Z[[i]])[0], abs=1e-9), mean


def test_each_target_has_the_penalty_of_least_error():
    _, columns, rng = scaled(60, 8)
    w = np.ones(60)
    targets = np.stack([np.sign(columns[0]), rng.choice([-1.0, 1.0], 60)])
    penalties = np.array([0.003, 0.3, 30.0])
    planes, scores = _regression.ridge(columns, targets, w, w, penalties)
    for a in range(2):
        alone = [_regression.ridge(columns, targets[[a]], w, w, penalties[[p]]) for p in range(3)]
        errors = [((targets[a] - found[1][0]) ** 2).sum() for found in alone]
        best = alone[int(np.argmin(errors))]
        assert planes[a] == pytest.approx(best[0][0])
        assert scores[a] == pytest.approx(best[1][0])
    # A random target wants the strongest penalty.
    assert np.abs(planes[1, :-1]).max() < np.abs(planes[0, :-1]).max() / 3


@pytest.mark.parametrize("C", [0.03, 1.0, 30.0])
def test_logistic_plane_is_that_of_scikit_learn(C):
    Z, columns, rng = scaled(200, 4)
    sides = (Z[:, 0] + rng.normal(size=200) > 0.5).astype(np.int32)
    w = rng.random(200) + 0.5
    plane, scores, which, deviance = _regression.logistic(
        columns, sides, w, w, np.array([C]), base_rate(columns, sides, w)
    )
    model = LogisticRegression(C=C, tol=1e-10, max_iter=1000).fit(Z, sides, w)
    assert which == 0
    assert plane[:-1] == pytest.approx(model.coef_[0], rel=0.02, abs=0.01)
    assert -plane[-1] == pytest.approx(model.intercept_[0], rel=0.05, abs=0.02)
    exact = np.empty(200)
    for i in range(0, 200, 10):
        kept = np.arange(200) != i
        part = LogisticRegression(C=C, tol=1e-10, max_iter=1000)
        exact[i] = part.fit(Z[kept], sides[kept], w[kept]).decision_function(Z[[i]])[0]
    assert scores[::10] == pytest.approx(exact[::10], abs=0.05)
    assert deviance == pytest.approx(
        (w * np.logaddexp(0.0, np.where(sides > 0, -scores, scores))).sum()
    )


def test_separable_sides_and_rare_sides_do_not_overflow():
    Z, columns, _ = scaled(50, 2)
    for sides in (Z[:, 0] > 0, np.arange(50) == 7):
        sides = sides.astype(np.int32)
        plane, scores, _, deviance = _regression.logistic(
            columns, sides, np.ones(50), np.ones(50), np.array([0.1, 1e6, 1e12]),
            base_rate(columns, sides, np.ones(50)),
        )  # fmt: skip
        assert np.isfinite(plane).all()
        assert np.isfinite(scores).all()
        assert np.isfinite(deviance)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5), st.booleans(), st.integers(1, 4), st.booleans())
def test_best_cuts_beside_brute_force(seed, n_classes, is_counted, least, is_aimed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    scores = np.round(rng.normal(size=(3, n)), 1)
    codes = rng.integers(0, n_classes, n).astype(np.int32)
    codes[:n_classes] = np.arange(n_classes)[:n]
    weights = rng.integers(1, 4, n).astype(float) if is_counted else rng.random(n) + 0.1
    sizes = weights if is_counted else np.ones(n)
    table = np.array([0.0, *(k * np.log2(k) for k in range(1, 100))]) if is_counted else np.empty(0)
    orders = np.argsort(scores, axis=1, kind="stable")
    targets = rng.choice([-1.0, 0.0, 1.0], size=(3 if is_aimed else 0, n))
    gains, thresholds = _regression.best_cuts(
        scores, orders, targets, codes, weights, sizes, float(least), table
    )
    for a, (line, found, threshold) in enumerate(zip(scores, gains, thresholds, strict=True)):
        best = -1.0
        for cut in np.unique(line)[:-1]:
            left = line <= cut
            above = True
            if is_aimed:
                aims = [np.average(targets[a][s], weights=weights[s]) for s in (left, ~left)]
                above = aims[1] > aims[0] + 1e-12
            if above and min(sizes[left].sum(), sizes[~left].sum()) >= least:
                sides = [np.bincount(codes[s], weights[s], n_classes) for s in (left, ~left)]
                best = max(best, gain("entropy", *sides))
        assert found == pytest.approx(best, abs=1e-10)
        if best >= 0.0:
            left = line <= threshold
            sides = [np.bincount(codes[s], weights[s], n_classes) for s in (left, ~left)]
            assert gain("entropy", *sides) == pytest.approx(found, abs=1e-10)


# ---------------------------------------------------------------- the finder


def test_noise_gains_less_than_from_fitted_scores():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 25)), np.tile([0, 1], 30)
    node = Node.from_data(X, y)
    options = {"axis_parallel": False, "subclasses": False}
    fitted = LeaveOneOutLinear(leave_one_out=False, **options).propose(node, None)
    honest = LeaveOneOutLinear(**options).propose(node, None)
    assert fitted[1] > 0.4
    assert honest is None or honest[1] < 0.2


def test_one_class_inside_the_other_is_cut_off():
    """Clusters inside the classes find planes where the classes' means are equal."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8)) * 0.3
    y = np.repeat([0, 1], 200)
    X[:200] += np.repeat([-1.0, 1.0], 100)[:, None]
    node = Node.from_data(X, y)
    options = {"axis_parallel": False}
    with_clusters = LeaveOneOutLinear(**options).propose(node, None)
    without = LeaveOneOutLinear(subclasses=False, **options).propose(node, None)
    assert with_clusters[1] > 0.3
    assert without is None or without[1] < 0.8 * with_clusters[1]


def fit(X, y, w=None, finder=None, **options):
    finder = LeaveOneOutLinear() if finder is None else finder
    return ObliqueTreeClassifier(finder=finder, random_state=0, **options).fit(X, y, w)


def numbers(name):
    data = load_dataset(name)
    return np.array(data.data, dtype=float), np.array(data.target)


@pytest.mark.parametrize("name", ["iris", "wine", "pima"])
def test_trees_do_not_depend_on_order_units_or_repeated_rows(name):
    X, y = numbers(name)
    X, y = X[:300], y[:300]
    model = fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = fit(X[order], y[order])
    assert np.array_equal(shuffled.tree_.weight_values, model.tree_.weight_values)
    w = np.random.default_rng(0).integers(1, 4, len(X))
    weighted, repeated = fit(X, y, w), fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert (weighted.predict(X) == repeated.predict(X)).mean() > 0.98
    for factor in (1e-120, 2.0**40):
        scaled_tree = fit(X * factor, y)
        assert (scaled_tree.predict(X * factor) == model.predict(X)).mean() > 0.99


def test_hostile_columns_and_missing_values():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.digitize(X[:, 0] - X[:, 1], [-0.5, 0.5])
    table = np.c_[X, np.full(150, 3.0), X[:, 0], 1e15 + X[:, 2], 1e-200 * X[:, 1], y * 1e-14 + 1]
    assert fit(table, y).score(table, y) > 0.97
    gaps = X.copy()
    gaps[rng.random(X.shape) < 0.2] = np.nan
    assert fit(gaps, y).score(gaps, y) > 0.8
    everywhere = X.copy()
    everywhere[:, 2] = np.nan
    assert fit(everywhere, y).tree_.n_leaves > 1
    for n in (1, 2, 3, 4):
        assert fit(X[:n], np.arange(n) % 2).score(X[:n], np.arange(n) % 2) >= 0.5


def test_safe_saved_and_cloned(tmp_path):
    X, y = numbers("wine")
    finder = BestOf(
        SafeAdjusted(LeaveOneOutLinear(n_logistic=1)), AxisParallel("safe"), Categories()
    )
    model = fit(X, y, finder=clone(finder), unsafe_class=2)
    assert model.score(X, y) > 0.97
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert repr(again.finder) == repr(finder)
    assert np.array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"penalties": ()}, r"penalties=\(\)"),
        ({"strengths": (0.0,)}, "a value of strengths=0.0"),
        ({"n_logistic": -1}, "n_logistic=-1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"subclasses": 1}, "subclasses=1"),
    ],
)
def test_a_wrong_parameter_is_named(options, text):
    with pytest.raises(ValueError, match=text):
        fit([[0.0], [1.0]], [0, 1], finder=LeaveOneOutLinear(**options))
