"""Tree alternating optimization: the loss never rises, the structure stays."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.tree import DecisionTreeClassifier

from baselines import OC1Classifier, TreeAlternatingOptimization
from baselines.tao import simplified
from oblique import LDTClassifier, ObliqueTreeClassifier, Tree, load, save
from oblique.finders import AxisParallel, BestOf, Categories

TAO = TreeAlternatingOptimization


def loss(tree, X, codes, weights):
    return weights[tree.predict_codes(X) != codes].sum()


def random_case(seed, n_classes, *, with_missing=False, with_categories=False):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(12, 120)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-5, 6, d)
    if rng.random() < 0.3:
        X = np.round(X)
    size = np.abs(X).max() or 1.0
    y = (X @ rng.normal(size=d) / size * 4 + rng.normal(size=n) * 0.5).round()
    y = (y.astype(int) % n_classes).astype(int)
    if with_categories:
        X[:, 0] = rng.integers(0, 4, n)
    if with_missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    weights = rng.integers(1, 4, n) if rng.random() < 0.5 else rng.random(n) + 0.1
    return X, y, weights.astype(float)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 100_000), st.integers(2, 4), st.booleans(), st.booleans(),
    st.sampled_from(["l2", "l2", "l2", "l1"]),
)  # fmt: skip
def test_the_training_loss_never_rises(seed, n_classes, missing, categories, penalty):
    X, y, w = random_case(seed, n_classes, with_missing=missing, with_categories=categories)
    model = ObliqueTreeClassifier(
        finder=BestOf(AxisParallel(), Categories()), max_depth=4,
        categorical_features=[0] if categories else None, random_state=0,
    ).fit(X, y, w)  # fmt: skip
    codes = np.searchsorted(model.classes_, y)
    last = loss(model.tree_, X, codes, w)
    for sweeps in (0, 1, 2, 6):
        method = TAO(max_sweeps=sweeps, penalty=penalty)
        tree = method.prune(model.tree_, X, codes, sample_weight=w).check()
        now = loss(tree, X, codes, w)
        assert now <= last * (1 + 1e-12) + 1e-12
        assert np.array_equal(tree.children_left, model.tree_.children_left)
        assert np.array_equal(tree.children_right, model.tree_.children_right)
        assert tree.counts == pytest.approx(tree.recount(X, codes.astype(np.int32), w))
        last = now
        short = method.set_params(simplify=True).prune(model.tree_, X, codes, sample_weight=w)
        assert loss(short.check(), X, codes, w) <= now * (1 + 1e-12) + 1e-12
        assert short.n_leaves <= tree.n_leaves
        if not missing:
            assert np.array_equal(simplified(tree).predict_codes(X), tree.predict_codes(X))
            assert (short.counts.sum(axis=1) > 0).all()


def test_an_axis_parallel_cut_becomes_a_line():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    for depth in (1, 2):
        model = ObliqueTreeClassifier(finder=AxisParallel(), max_depth=depth).fit(X, y)
        better = TAO().improve(model, X, y)
        assert model.score(X, y) < 0.95
        assert better.score(X, y) > 0.98
        assert not better.tree_.is_axis_parallel


def test_tests_that_change_nothing_are_taken_out():
    """Both sides of the right child predict 1, and no row reaches the left child's left side."""
    nested = {
        "weights": {"a": 1.0}, "threshold": 0.0,
        "left": {
            "weights": {"b": 1.0}, "threshold": -99.0,
            "left": {"counts": {"0": 0, "1": 1}}, "right": {"counts": {"0": 5, "1": 0}},
        },
        "right": {
            "weights": {"b": 1.0}, "threshold": 0.0,
            "left": {"counts": {"0": 1, "1": 3}}, "right": {"counts": {"0": 0, "1": 2}},
        },
    }  # fmt: skip
    tree = Tree.from_nested(nested)
    counts = tree.counts.copy()
    counts[[0, 1, 2], 1] -= 1.0
    tree = simplified(tree.replace(counts=counts)).check()
    assert tree.n_leaves == 2
    assert tree.counts.tolist() == [[6, 5], [5, 0], [1, 5]]
    dead = {**nested, "right": {"counts": {"0": 0, "1": 9}}}
    tree = Tree.from_nested(dead)
    counts = tree.counts.copy()
    counts[tree.labels == 1] = 0.0
    assert simplified(tree.replace(counts=counts)).n_leaves == 1


def test_two_moons_beside_brute_force():
    """With one test the best loss of any line is known; TAO comes near it from a bad start."""
    X, y = make_moons(120, noise=0.15, random_state=0)
    model = ObliqueTreeClassifier(finder=AxisParallel(), max_depth=1).fit(X, y)
    better = TAO().improve(model, X, y)
    wrong = np.inf
    for angle in np.linspace(0, np.pi, 721):
        scores = X @ [np.cos(angle), np.sin(angle)]
        left = np.cumsum(2 * y[np.argsort(scores)] - 1)
        wrong = min(wrong, y.sum() - left.max(), (1 - y).sum() + left.min())
    found = np.sum(better.predict(X) != y)
    assert wrong <= found <= wrong + 6
    assert found <= np.sum(model.predict(X) != y)


def test_in_an_estimator_and_on_fitted_models():
    X, y = load_wine(return_X_y=True)
    plain = ObliqueTreeClassifier(finder=AxisParallel(), max_depth=3).fit(X, y)
    within = ObliqueTreeClassifier(finder=AxisParallel(), max_depth=3, pruning=TAO()).fit(X, y)
    assert within.score(X, y) >= plain.score(X, y)
    after = TAO().improve(plain, X, y)
    assert np.array_equal(after.tree_.weight_values, within.tree_.weight_values)
    assert plain.tree_.is_axis_parallel
    assert not after.tree_.is_axis_parallel
    assert after.feature_importances_.sum() == pytest.approx(1.0)
    for model in (OC1Classifier(random_state=0), LDTClassifier(pruning="safe", random_state=0)):
        model.fit(X, y)
        assert TAO().improve(model, X, y).score(X, y) >= model.score(X, y)


def test_a_tree_that_another_program_grew():
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    tree = Tree.from_sklearn(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    better = TAO().prune(tree, X, y)
    assert loss(better, X, y, np.ones(150)) < loss(tree, X, y, np.ones(150))
    leaf = tree.collapse([0])
    assert TAO().prune(leaf, X, y).n_nodes == 1


def test_rows_in_any_order_and_repeated_rows():
    X, y = load_wine(return_X_y=True)
    model = ObliqueTreeClassifier(finder=AxisParallel(), max_depth=3).fit(X, y)
    tree = TAO().prune(model.tree_, X, y)
    order = np.random.default_rng(0).permutation(len(X))
    other = TAO().prune(model.tree_, X[order], y[order])
    assert np.array_equal(tree.weight_values, other.weight_values)
    assert np.array_equal(tree.threshold, other.threshold, equal_nan=True)
    w = np.random.default_rng(1).integers(0, 4, len(X))
    heavy = TAO().prune(model.tree_, X, y, sample_weight=w)
    repeated = TAO().prune(model.tree_, np.repeat(X, w, axis=0), np.repeat(y, w))
    assert heavy.counts == pytest.approx(repeated.counts)
    assert heavy.weight_values == pytest.approx(repeated.weight_values, rel=1e-5)


@pytest.mark.parametrize("factor", [1e-150, 1e-9, 1e120])
def test_units_do_not_matter(factor):
    X, y = load_wine(return_X_y=True)
    model = ObliqueTreeClassifier(max_depth=3).fit(X, y)
    scaled = ObliqueTreeClassifier(max_depth=3).fit(X * factor, y)
    plain, other = TAO().improve(model, X, y), TAO().improve(scaled, X * factor, y)
    assert np.array_equal(plain.predict(X), other.predict(X * factor))


def test_an_l1_penalty_uses_fewer_features():
    X, y = load_wine(return_X_y=True)
    model = ObliqueTreeClassifier(finder=AxisParallel(), max_depth=2).fit(X, y)
    full = TAO().prune(model.tree_, X, y)
    sparse = TAO(penalty="l1", C=0.1).prune(model.tree_, X, y)
    assert sparse.weight_values.size < full.weight_values.size


def test_heavy_rows_are_put_right():
    """Over several samples: a logistic regression need not be best in each of them."""
    lost = np.zeros(2)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 2))
        y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
        w = np.where(rng.random(200) < 0.2, 50.0, 1.0)
        model = ObliqueTreeClassifier(finder=AxisParallel(), max_depth=2).fit(X, y)
        trees = TAO().improve(model, X, y).tree_, TAO().improve(model, X, y, w).tree_
        lost += [loss(tree, X, y, w) for tree in trees]
    assert lost[1] < lost[0]


def test_category_tests_stay():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 300)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    frame["colour"] = pd.Categorical(colour)
    y = np.where(colour == "red", frame["a"] + frame["b"] > 0, frame["a"] - frame["b"] > 0)
    model = ObliqueTreeClassifier(finder=BestOf(Categories(), AxisParallel()), max_depth=3)
    model.fit(frame, y)
    root = model.tree_.split(0)
    better = TAO().improve(model, frame, y)
    kinds = [type(model.tree_.split(t)) for t in range(model.tree_.n_nodes)]
    assert kinds == [type(better.tree_.split(t)) for t in range(better.tree_.n_nodes)]
    assert better.tree_.split(0) == root or root.feature != 2
    assert better.score(frame, y) > model.score(frame, y)


def test_saved_and_loaded_cloned_and_printed(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = ObliqueTreeClassifier(pruning=TAO(penalty="l1", C=2.0, max_sweeps=3)).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert repr(again.pruning) == repr(model.pruning) == repr(clone(model.pruning))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("method", "text"),
    [
        (TAO(penalty="l0"), "penalty='l0'"),
        (TAO(C=-1.0), "C=-1.0"),
        (TAO(strengths=()), r"strengths=\(\)"),
        (TAO(strengths=(1.0, 0.0)), "a value of strengths=0.0"),
        (TAO(max_sweeps=-1), "max_sweeps=-1"),
        (TAO(simplify="yes"), "simplify='yes'"),
    ],
)
def test_a_wrong_parameter_is_named(method, text):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=text):
        ObliqueTreeClassifier(pruning=method).fit(X, y)


def test_rows_that_do_not_fit_the_tree():
    X, y = load_iris(return_X_y=True)
    model = ObliqueTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match="shape"):
        TAO().prune(model.tree_, X[:, :2], y)
    with pytest.raises(ValueError, match="codes must be"):
        TAO().prune(model.tree_, X, y + 1)
    with pytest.raises(ValueError, match="not seen in fit"):
        TAO().improve(model, X, y + 1)


@pytest.mark.parametrize("model", [None, DecisionTreeClassifier(), TAO()])
def test_what_is_no_tree_is_named(model):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match=r"must be a tree estimator .* Tree\.from_sklearn"):
        TAO().improve(model, X, y)
    with pytest.raises(TypeError, match=r"must be a Tree, such as model\.tree_"):
        TAO().prune(model, X, y)
