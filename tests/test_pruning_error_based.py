"""Error-based pruning against published figures and a plain, recursive version."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine

from oblique import ObliqueTreeClassifier
from oblique.builder import TreeBuilder
from oblique.finders import AxisParallel, BestOf, Categories
from oblique.induction import grow
from oblique.node import Node
from oblique.pruning import (
    CostComplexity,
    ErrorBased,
    ReducedError,
    SafePruning,
    _raising,
    estimated_errors,
    extra_errors,
)
from oblique.pruning.error_based import limit_arguments
from oblique.split import CategorySplit, LinearSplit
from oblique.tree import Tree


def tree_of_rows(X, codes, nested) -> Tree:
    """Tree of (test, left, right) triples, None for leaves, filled with rows."""
    root = Node.from_data(X, codes)
    builder = TreeBuilder(root.counts)
    stack = [(0, root, nested)]
    while stack:
        name, node, part = stack.pop()
        if part is None:
            continue
        (feature, threshold), left, right = part
        division = node.divide(LinearSplit.axis(feature, threshold, X.shape[1]))
        first = builder.add_test(name, division)
        stack += [(first, division.left, left), (first + 1, division.right, right)]
    return builder.build().clothe(criterion="entropy", n_features=X.shape[1])


# ---------------------------------------------------------------- published figures

# (cases, errors), extra errors at 25 % by C4.5 release 8 and by J48, exact limit of the rate
LIMITS = [
    (6, 0, 1.237797, 1.237797, 0.206299),
    (9, 0, 1.284804, 1.284804, 0.142756),
    (1, 0, 0.75, 0.75, 0.75),
    (15, 0, 1.324163, 1.324163, 0.088278),
    (16, 1, 1.506894, 1.475715, 0.159611),
    (168, 7, 2.581545, 2.521422, 0.057184),
    (14, 5, 1.794993, 1.761120, 0.483513),
    (100, 10, 2.814705, 2.749611, 0.128211),
    (2, 1, 0.796241, 0.791493, 0.866025),
    (30, 3, 1.902428, 1.861330, 0.164360),
    (10, 0.5, 1.367556, 1.353528, None),
    (5, 5, 0.0, 0.0, 1.0),
    (1, 1, 0.0, 0.0, 1.0),
]


@pytest.mark.parametrize(("n", "errors", "c45", "j48", "rate"), LIMITS)
def test_extra_errors_of_known_programs(n, errors, c45, j48, rate):
    assert extra_errors(n, errors) == pytest.approx(c45, abs=5e-7)
    assert extra_errors(n, errors, bound="j48") == pytest.approx(j48, abs=5e-7)
    if rate is not None:
        exact = extra_errors(n, errors, bound="exact")
        assert (exact + errors) / n == pytest.approx(rate, abs=5e-7)


@given(st.floats(0.01, 3000), st.floats(0, 1), st.floats(0.001, 0.5))
@settings(deadline=None, max_examples=200)
def test_exact_limit_is_clopper_and_pearsons(n, share, confidence):
    errors = share * n * 0.999
    limit = beta.ppf(1 - confidence, errors + 1, n - errors)
    ours = (extra_errors(n, errors, confidence=confidence, bound="exact") + errors) / n
    assert ours == pytest.approx(limit, rel=1e-7)


@pytest.mark.parametrize(
    ("confidence", "deviate"),
    [(0.01, 2.33), (0.05, 1.65), (0.1, 1.28), (0.25, 0.6925), (0.5, 0.25 * 5 / 6), (1.0, 0.0)],
)
def test_deviates_of_the_table(confidence, deviate):
    assert limit_arguments(confidence, "c45")[1] == pytest.approx(deviate, abs=1e-12)


def test_example_of_quinlans_book():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [6, 9, 1], axis=0)
    codes = np.repeat([0, 0, 1], [6, 9, 1])
    tree = tree_of_rows(X, codes, ((0, 0.5), None, ((1, 0.5), None, None)))
    estimate = estimated_errors(tree)
    assert estimate[tree.leaves].sum() == pytest.approx(3.272601, abs=1e-6)
    assert estimate[0] == pytest.approx(2.506894, abs=1e-6)
    # (His three branches have no heavier subtree to raise; this binary form has one.)
    assert ErrorBased(raising=False).prune(tree).n_leaves == 1


# Trees of C4.5 release 8 on scikit-learn's copies: its pruned tree, errors, estimate in percent
IRIS = ((3, 0.6), None, ((3, 1.7), ((2, 4.9), None, ((3, 1.5), None, None)), None))
WINE = ((6, 1.57), ((9, 3.8), None, None), ((12, 720.0), None, ((9, 3.4), None, None)))


@pytest.mark.parametrize(
    ("load", "nested", "errors", "percent"),
    [
        (load_iris, IRIS, 3, 6.5),
        (load_wine, WINE, 2, 5.1),
    ],
)
def test_trees_that_c45_printed_stay_and_are_estimated_alike(load, nested, errors, percent):
    X, y = load(return_X_y=True)
    tree = tree_of_rows(X, y, nested)
    assert (tree.predict_codes(X) != y).sum() == errors
    pruned = ErrorBased().prune(tree, X, y)
    np.testing.assert_array_equal(pruned.counts, tree.counts)
    estimate = estimated_errors(pruned)[pruned.leaves].sum()
    assert 100 * estimate / len(y) == pytest.approx(percent, abs=0.05)


def test_estimate_of_the_golf_tree():
    # Five pure leaves of 2, 3, 4, 3 and 2 cases; C4.5 prints 38.5 %.
    estimate = extra_errors([2, 3, 4, 3, 2], 0).sum()
    assert 100 * estimate / 14 == pytest.approx(38.5, abs=0.05)


# ---------------------------------------------------------------- a plain version


class Plain:
    """The procedure written down recursively, with lists of rows."""

    def __init__(self, tree, X, codes, weights, limit):
        self.tree, self.X, self.codes, self.limit = tree, X, codes, limit
        self.root = self.work(0, np.arange(len(X)), weights)

    def counts(self, rows, weights):
        return np.bincount(self.codes[rows], weights, self.tree.n_classes)

    def leaf(self, rows, weights):
        counts = np.sort(self.counts(rows, weights))
        wrong = counts[:-1].sum()
        return wrong + _raising.extra_errors(counts.sum(), wrong, *self.limit)

    def sides(self, t, rows, weights):
        split = self.tree.split(t)
        if isinstance(split, CategorySplit):
            split = CategorySplit(split.feature, split.categories, split.others)
        else:
            split = LinearSplit(split.weights, split.threshold)
        left = split.membership(self.X[rows])
        known = left != 0.5
        fraction = self.tree.missing_left[t]
        if known.any():
            fraction = (weights * left)[known].sum() / weights[known].sum()
        left[~known] = fraction
        return [(rows[s > 0], (weights * s)[s > 0]) for s in (left, 1 - left)]

    def estimate(self, node, rows, weights):
        if isinstance(node, np.ndarray):
            return self.leaf(rows, weights)
        parts = zip(node[1:], self.sides(node[0], rows, weights), strict=True)
        return sum(self.estimate(child, *part) for child, part in parts if part[0].size)

    def work(self, t, rows, weights):
        """Pruned tree below a node of the tree: class weights, or (test, left, right)."""
        if not isinstance(t, tuple):
            left, right = self.tree.children_left[t], self.tree.children_right[t]
            if left < 0:
                return self.counts(rows, weights)
            t = (t, left, right)
        sides = self.sides(t[0], rows, weights)
        for child, other in ((1, 0), (2, 1)):
            if not sides[1 - other][0].size:
                return self.again(t[child], rows, weights)
        left, right = (self.again(c, *part) for c, part in zip(t[1:], sides, strict=True))
        below = self.estimate(left, *sides[0]) + self.estimate(right, *sides[1])
        heavier = sides[0][1].sum() > sides[1][1].sum() + 1e-9
        largest = left if heavier else right
        branch, leaf = self.estimate(largest, rows, weights), self.leaf(rows, weights)
        if leaf <= branch + 0.1 and leaf <= below + 0.1:
            return self.counts(rows, weights)
        if branch <= below + 0.1:
            return self.again(largest, rows, weights)
        return t[0], left, right

    def again(self, node, rows, weights):
        return (
            self.counts(rows, weights)
            if isinstance(node, np.ndarray)
            else self.work(node, rows, weights)
        )


def nested_counts(tree, t=0):
    if tree.children_left[t] < 0:
        return tree.counts[t]
    left, right = tree.children_left[t], tree.children_right[t]
    return tree.split(t), nested_counts(tree, left), nested_counts(tree, right)


def assert_same(ours, plain, tree):
    assert isinstance(ours, tuple) == isinstance(plain, tuple)
    if isinstance(ours, tuple):
        assert ours[0] == tree.split(plain[0])
        assert_same(ours[1], plain[1], tree)
        assert_same(ours[2], plain[2], tree)
    else:
        np.testing.assert_allclose(ours, plain, atol=1e-9)


@st.composite
def grown(draw, missing):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_classes = draw(st.integers(5, 120)), draw(st.integers(2, 3))
    X = rng.integers(0, draw(st.sampled_from([3, 8, 1000])), size=(n, 3)).astype(float)
    X[:, 2] = rng.integers(0, 4, n)
    codes = ((X[:, 0] > X[:, 0].mean()) + rng.integers(0, n_classes, n)) % n_classes
    codes = codes.astype(np.int32)
    weights = rng.integers(1, 3, n).astype(float) if draw(st.booleans()) else None
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    tree = grow(
        X, codes, n_classes=n_classes, finder=BestOf([AxisParallel(), Categories()]), rng=rng,
        sample_weight=weights, categorical=np.array([False, False, True]),
    )  # fmt: skip
    return tree, X, codes, weights


@given(
    st.booleans().flatmap(grown),
    st.sampled_from([0.02, 0.25, 0.45]),
    st.sampled_from(["c45", "j48", "exact"]),
)
@settings(deadline=None, max_examples=150)
def test_pruning_is_the_plain_procedure(problem, confidence, bound):
    tree, X, codes, weights = problem
    pruner = ErrorBased(confidence, bound=bound)
    pruned = pruner.prune(tree, X, codes, sample_weight=weights)
    ones = np.ones(len(X)) if weights is None else weights
    plain = Plain(tree, X, codes, ones, limit_arguments(confidence, bound))
    assert_same(nested_counts(pruned), plain.root, tree)
    np.testing.assert_allclose(pruned.counts[0], tree.counts[0])
    np.testing.assert_allclose(pruned.counts, pruned.recount(X, codes, ones), atol=1e-9)


def test_a_subtree_is_raised():
    # The root's test is of no use; below its right side x1 separates the classes.
    rng = np.random.default_rng(3)
    X = np.column_stack([np.r_[np.zeros(4), np.ones(96)], rng.integers(0, 2, 100)])
    codes = X[:, 1].astype(int)
    nested = ((0, 0.5), None, ((1, 0.5), None, None))
    tree = tree_of_rows(X, codes, nested)
    pruned = ErrorBased().prune(tree, X, codes)
    assert pruned.n_leaves == 2
    assert pruned.split(0) == LinearSplit([0.0, 1.0], 0.5)
    np.testing.assert_array_equal(pruned.counts[0], tree.counts[0])
    assert ErrorBased(raising=False).prune(tree).n_leaves == 3


def test_of_equal_children_the_right_one_is_raised():
    X = np.array([[i % 2, i // 2 % 2] for i in range(40)], dtype=float)
    codes = X[:, 1].astype(int)
    nested = ((0, 0.5), ((1, 0.4), None, None), ((1, 0.6), None, None))
    pruned = ErrorBased().prune(tree_of_rows(X, codes, nested), X, codes)
    assert pruned.split(0) == LinearSplit([0.0, 1.0], 0.6)


def test_children_that_are_equal_but_for_rounding_are_equal():
    # Ten tenths sum to less than one.
    X = np.array([[0, 0], [0, 1]] + [[1, 0], [1, 1]] * 10, dtype=float)
    codes, weights = X[:, 1].astype(int), np.repeat([1.0, 0.1], [2, 20])
    node = Node.from_data(X, codes, sample_weight=weights)
    division = node.divide(LinearSplit.axis(0, 0.5, 2))
    builder = TreeBuilder(node.counts)
    first = builder.add_test(0, division)
    builder.add_test(first, division.left.divide(LinearSplit.axis(1, 0.4, 2)))
    builder.add_test(first + 1, division.right.divide(LinearSplit.axis(1, 0.6, 2)))
    tree = builder.build().clothe(criterion="entropy", n_features=2)
    assert division.left.counts.sum() > division.right.counts.sum()
    pruned = ErrorBased().prune(tree, X, codes, sample_weight=weights)
    assert pruned.split(0) == LinearSplit([0.0, 1.0], 0.6)


def test_a_raised_test_divides_rows_that_lack_its_value():
    # Only the root's test keeps the first row, whose x1 is missing, from the test of x1.
    X = np.column_stack([np.r_[np.zeros(4), np.ones(96)], np.arange(100) % 3 == 0]).astype(float)
    codes = X[:, 1].astype(int)
    X[0, 1] = np.nan
    pruned = ErrorBased().prune(tree_of_rows(X, codes, ((0, 0.5), None, ((1, 0.5), None, None))),
                                X, codes)  # fmt: skip
    assert pruned.split(0) == LinearSplit([0.0, 1.0], 0.5)
    share = 66 / 99
    assert pruned.missing_left[0] == pytest.approx(share)
    np.testing.assert_allclose(pruned.counts, [[66, 34], [66, share], [0, 33 + 1 - share]])


def test_deep_trees_and_order_of_rows():
    n = 2001
    X = np.arange(n, dtype=float)[:, None]
    codes = (np.arange(n) % 2).astype(np.int32)
    nested = None
    for i in reversed(range(n - 1)):
        nested = ((0, i + 0.5), None, nested)
    tree = tree_of_rows(X, codes, nested)
    assert tree.max_depth == n - 1
    first = ErrorBased().prune(tree, X, codes)
    order = np.random.default_rng(0).permutation(n)
    second = ErrorBased().prune(tree, X[order], codes[order])
    np.testing.assert_array_equal(first.children_left, second.children_left)


def test_rows_of_weight_zero_do_not_count():
    X, y = load_iris(return_X_y=True)
    weights = np.r_[np.ones(100), np.zeros(50)]
    tree = grow(X[:100], y[:100].astype(np.int32), n_classes=3, finder=AxisParallel(),
                rng=np.random.default_rng(0))  # fmt: skip
    with_zeros = ErrorBased().prune(tree, X, y, sample_weight=weights)
    without = ErrorBased().prune(tree, X[:100], y[:100])
    np.testing.assert_array_equal(with_zeros.counts, without.counts)


def test_kernels_say_the_same_uncompiled():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    codes = rng.integers(0, 2, 60).astype(np.int32)
    tree = grow(X, codes, n_classes=2, finder=AxisParallel(), rng=rng)
    results = []
    for kernel in (_raising.raise_subtrees, _raising.raise_subtrees.py_func):
        left, right = tree.children_left.copy(), tree.children_right.copy()
        counts, missing = tree.counts.copy(), tree.missing_left.copy()
        kernel(
            X, codes, np.ones(60), 0.25, 0.6925, 0, 0.1, counts, left, right,
            *tree.routing.tests[2:], missing,
        )  # fmt: skip
        results.append((left, right, counts, missing))
    for compiled, plain in zip(*results, strict=True):
        np.testing.assert_array_equal(compiled, plain)
    for x, a, b in ((0.3, 2.0, 5.5), (0.9, 0.5, 0.5), (0.0, 1.0, 1.0), (1.0, 1.0, 1.0)):
        assert _raising.beta_share.py_func(x, a, b) == pytest.approx(beta.cdf(x, a, b), rel=1e-9)
    for bound in range(3):
        for n, errors in ((10.0, 0.5), (10.0, 3.0), (0.0, 0.0), (4.0, 4.0)):
            args = (n, errors, 0.25, 0.6925, bound)
            assert _raising.extra_errors.py_func(*args) == _raising.extra_errors(*args)


# ---------------------------------------------------------------- in an estimator, bad input


@pytest.mark.parametrize(
    "pruner",
    [CostComplexity(), SafePruning(), ReducedError(), ErrorBased(), ErrorBased(raising=False)],
)
def test_estimators_prune(pruner):
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    X = X + rng.normal(size=X.shape) * X.std(axis=0)
    model = ObliqueTreeClassifier(pruning=pruner, unsafe_class=2, random_state=0)
    order = rng.permutation(len(y))
    weights = rng.integers(0, 3, len(y)).astype(float)
    model.fit(X, y, sample_weight=weights)
    again = clone(model).fit(X[order], y[order], sample_weight=weights[order])
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    whole = clone(model).set_params(pruning=None).fit(X, y, sample_weight=weights)
    assert 1 < model.tree_.n_leaves <= whole.tree_.n_leaves


def small():
    X, codes = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 1, 1])
    return tree_of_rows(X, codes, ((0, 0.5), None, None)), X, codes


def test_raising_needs_the_training_rows():
    tree, X, codes = small()
    with pytest.raises(ValueError, match="set raising=False"):
        ErrorBased().prune(tree, None, None)
    with pytest.raises(ValueError, match=r"their class weights are \[1.0, 3.0\]"):
        ErrorBased().prune(tree, X, np.array([0, 1, 1, 1]))
    with pytest.raises(ValueError, match=r"X must have shape \(n, 1\)"):
        ErrorBased().prune(tree, np.zeros((4, 2)), codes)
    with pytest.raises(ValueError, match="codes must be integers"):
        ErrorBased().prune(tree, X, codes + 0.5)
    with pytest.raises(ValueError, match="sample_weight"):
        ErrorBased().prune(tree, X, codes, sample_weight=-np.ones(4))


@pytest.mark.parametrize(
    ("confidence", "bound"),
    [(0.0, "c45"), (1.1, "c45"), (0.6, "j48"), (0.6, "exact"), (np.nan, "c45"), ("1", "c45")],
)
def test_bad_confidence(confidence, bound):
    tree, X, codes = small()
    with pytest.raises(ValueError, match="confidence="):
        ErrorBased(confidence, bound=bound).prune(tree, X, codes)


def test_bad_names_and_numbers():
    tree, X, codes = small()
    with pytest.raises(ValueError, match=r"bound='c4\.5' is not known; did you mean 'c45'"):
        ErrorBased(bound="c4.5").prune(tree, X, codes)
    with pytest.raises(ValueError, match="0 <= errors <= n"):
        extra_errors(3, 4)


def test_a_single_leaf_stays():
    X, codes = np.zeros((3, 1)), np.array([0, 1, 1])
    tree = tree_of_rows(X, codes, None)
    assert ErrorBased().prune(tree, X, codes) is tree
