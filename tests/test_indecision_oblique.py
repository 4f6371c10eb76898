"""Oblique clauses under uncertainty: one clause, two, leaves, and growing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from oblique import IndecisionTreeClassifier, LinearSplit, ObliqueTreeClassifier, Tree
from oblique.finders import LinearDiscriminant
from oblique.indecision import (
    UncertainTable,
    class_probabilities,
    leaf_probabilities,
    node_probabilities,
)
from oblique.indecision import _reach as kernels

MEAN, JOINT = np.array([1.0, -1.0]), np.array([[1.0, 0.5], [0.5, 2.0]])


def path_tree(*planes):
    """Tests in a row: what passes one goes to the next, what fails is a leaf of its own."""
    node = {"counts": {"in": 1.0}}
    for i, (weights, threshold) in enumerate(reversed(planes)):
        named = {f"x{j}": w for j, w in enumerate(weights) if w}
        node = {
            "weights": named, "threshold": threshold, "left": node,
            "right": {"counts": {f"out{i}": 1.0}},
        }  # fmt: skip
    width = len(planes[0][0])
    return Tree.from_nested(node, feature_names=[f"x{j}" for j in range(width)])


def inside(tree, case, method):
    column = tree.class_names.index("in")
    return class_probabilities(tree, case, method)[0, column]


@pytest.mark.parametrize("method", ["exact", "moments", "clause"])
def test_one_clause_is_exact(method):
    """N((1, -1), [[1, .5], [.5, 2]]) and 2 x0 + x1 <= 3: variance 8, probability .7602499."""
    tree = path_tree(([2.0, 1.0], 3.0))
    correlated = UncertainTable([MEAN], covariance=[JOINT])
    assert inside(tree, correlated, method) == pytest.approx(0.7602499, abs=1e-7)
    plain = UncertainTable([[0.0, 0.0]], 1.0)
    assert inside(path_tree(([1.0, 1.0], 1.0)), plain, method) == pytest.approx(0.7602499, abs=1e-7)


@pytest.mark.parametrize("method", ["exact", "moments", "clause"])
def test_orthogonal_clauses_multiply(method):
    tree = path_tree(([1.0, 1.0], 1.0), ([1.0, -1.0], 1.0))
    case = UncertainTable([[0.0, 0.0]], 1.0)
    assert inside(tree, case, method) == pytest.approx(0.5779800, abs=1e-6)


def test_moments_after_a_clause():
    w, column = np.array([2.0, 1.0]), JOINT @ [2.0, 1.0]
    deviation = np.sqrt(w @ column)
    mean, joint = np.empty(2), np.empty((2, 2))
    alpha = (3.0 - w @ MEAN) / deviation
    for function in (kernels._truncate, kernels._truncate.py_func):
        function(MEAN, JOINT, column, alpha, deviation, 1.0, mean, joint)
        np.testing.assert_allclose(mean, [0.63877727, -1.43346727], atol=1e-8)
        expected = [[0.64375394, 0.07250473], [0.07250473, 1.48700567]]
        np.testing.assert_allclose(joint, expected, atol=1e-8)


def test_single_features_with_a_full_covariance():
    """Correlated features: the box is not the product of its intervals."""
    tree = path_tree(([1.0, 0.0], 0.0), ([0.0, 1.0], 0.0))
    case = UncertainTable([[0.0, 0.0]], covariance=[[[1.0, 0.5], [0.5, 1.0]]])
    # The quadrant of a correlation r is 1/4 + asin(r) / (2 pi).
    assert inside(tree, case, "exact") == pytest.approx(0.25 + np.arcsin(0.5) / 2 / np.pi, abs=1e-6)
    assert inside(tree, case, "clause") == pytest.approx(0.25)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6))
def test_exact_leaves_agree_with_samples(seed):
    """A million crisp cases pushed through an oblique tree, within six standard errors.

    Up to eight leaves are compared in each of six random trees: four standard errors would be
    passed by chance once in 330 runs, six once in ten million.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    y = (X @ [1.0, 2.0, -1.0] > 0).astype(int) + (X @ [1.0, -1.0, 0.0] > 0.5)
    model = ObliqueTreeClassifier(finder=LinearDiscriminant("criterion"), max_depth=3).fit(X, y)
    root = rng.normal(size=(3, 3))
    case = UncertainTable(rng.normal(size=(1, 3)) / 2, covariance=[root @ root.T / 4])
    exact = leaf_probabilities(model.tree_, case)[0]
    assert exact.sum() == pytest.approx(1.0)
    n = 1_000_000
    reached = model.tree_.apply(case.sample(n, rng)[0])
    share = np.bincount(reached, minlength=model.tree_.n_nodes)[model.tree_.leaves] / n
    error = np.sqrt(np.maximum(exact * (1.0 - exact), 1e-9) / n)
    assert (np.abs(share - exact) <= 6.0 * error + 1e-6).all()


def test_class_probabilities_agree_with_samples():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    y = ((X @ [1.0, 1.0] > 0.3) & (X @ [1.0, -2.0] < 1.0)).astype(int)
    model = IndecisionTreeClassifier(
        directions=LinearDiscriminant(min_samples=2), min_samples_leaf=10
    ).fit(X, y, X_std=np.full(X.shape, 0.3))
    assert not model.tree_.is_axis_parallel
    case = UncertainTable([[0.2, -0.1]], [[0.4, 0.8]])
    shares = model.tree_.distribution(case.sample(1_000_000, rng)[0])
    error = shares.std(axis=0) / 1000.0
    assert (np.abs(model.predict_proba(case)[0] - shares.mean(axis=0)) <= 3.0 * error + 1e-5).all()


def test_cheap_methods_are_near():
    """Moment matching halves the error of multiplying clauses, and more."""
    data = load_breast_cancer()
    X, std = data.data[:, :10], data.data[:, 10:20]
    model = ObliqueTreeClassifier(finder=LinearDiscriminant("criterion"), max_depth=3)
    model.fit(X, data.target)
    cases = UncertainTable(X[:150], std[:150])
    exact = class_probabilities(model, cases)
    errors = {
        method: np.abs(class_probabilities(model, cases, method) - exact).mean()
        for method in ("moments", "clause")
    }
    assert errors["moments"] < 0.5 * errors["clause"]
    assert errors["moments"] < 0.01


def test_cases_do_not_depend_on_their_neighbours():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(100, 3))
    model = ObliqueTreeClassifier(max_depth=3).fit(X, (X.sum(axis=1) > 0) ^ (X[:, 0] > 1))
    cases = UncertainTable(X[:20], 0.3)
    for method in ("exact", "moments", "clause"):
        together = node_probabilities(model.tree_, cases, method)
        alone = np.vstack([node_probabilities(model.tree_, cases[[i]], method) for i in range(20)])
        np.testing.assert_array_equal(together, alone)


def test_missing_values_in_oblique_leaves():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 2))
    model = ObliqueTreeClassifier(max_depth=3).fit(X, X.sum(axis=1) > 0.2 * X[:, 0] ** 2)
    blank = UncertainTable([[np.nan, 0.3]], 0.5)
    for method in ("exact", "moments", "clause"):
        shares = class_probabilities(model, blank, method)
        assert np.isfinite(shares).all()
        assert shares.sum() == pytest.approx(1.0)


def test_directions_need_a_finder():
    with pytest.raises(TypeError, match="directions='lda' must be a SplitFinder"):
        IndecisionTreeClassifier(directions="lda").fit([[0.0], [1.0]], [0, 1])


def test_oblique_clauses_on_exact_values_find_the_plane():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(200, 2))
    y = X @ [1.0, 2.0] > 0.1
    model = IndecisionTreeClassifier(directions=LinearDiscriminant()).fit(X, y)
    assert model.tree_.split(0).indices.size == 2
    assert model.score(X, y) == 1.0
    assert isinstance(model.tree_.split(0), LinearSplit)


@pytest.mark.parametrize("method", ["exact", "moments", "clause"])
def test_sizes_that_cannot_be_squared_are_named(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    hard = ObliqueTreeClassifier(finder=LinearDiscriminant(), max_depth=2)
    hard.fit(X, X[:, 0] + X[:, 1] > 0.0)
    assert not hard.tree_.is_axis_parallel
    assert np.isfinite(class_probabilities(hard, UncertainTable(X[:1], 1e150), method)).all()
    for case in (UncertainTable(X[:1], [[1.0, 1e200]]), UncertainTable([[np.nan, 1e200]])):
        with pytest.raises(ValueError, match=r"feature 1: .*1e\+200 is above 1e\+150"):
            class_probabilities(hard, case, method)
