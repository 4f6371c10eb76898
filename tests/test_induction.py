"""The induction loop: what it refuses, when it stops, missing values, compiled whole trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tree_checks import (
    NodeByNode,
    assert_same_structure,
    assert_same_tree,
    bundled,
    grow_on,
    reference_gain,
    rough_table,
)

from oblique import CategorySplit, LinearSplit
from oblique.criteria import CRITERIA, gain
from oblique.finders import AxisParallel, BestOf, Categories, FixedSplit, SplitFinder
from oblique.node import Node
from oblique.stopping import Stopping

NAN = float("nan")
seeds = st.integers(0, 2**32 - 1)

# ---------------------------------------------------------------- what the loop refuses


def grow_fixed(split, X=None, codes=(0, 1, 0, 1), **options):
    X = np.array([[0.0], [1.0], [2.0], [3.0]]) if X is None else np.array(X, dtype=float)
    return grow_on(X, np.array(codes, np.int32), FixedSplit(split), **options)


@pytest.mark.parametrize(
    "split",
    [
        None,
        LinearSplit([1.0], -1.0),  # nothing goes left
        LinearSplit([1.0], 3.0),  # nothing goes right
        CategorySplit(0, [7], [8]),  # no row has an answer
        CategorySplit(0, [0, 1, 2, 3]),
    ],
)
def test_empty_side_makes_a_leaf(split):
    tree = grow_fixed(split)
    assert tree.n_nodes == 1
    assert tree.counts.tolist() == [[2.0, 2.0]]


@pytest.mark.parametrize("criterion", [name for name in CRITERIA if name != "max_minority"])
def test_split_without_gain_is_refused(criterion):
    """Both sides have the class shares of the node.

    Max minority rates the worse side only, so that it gains wherever it divides the minority.
    """
    assert grow_fixed(LinearSplit([1.0], 1.5), criterion=criterion).n_nodes == 1


def test_gain_is_taken_from_the_rows_and_not_from_the_finder():
    class Boasting(FixedSplit):
        def propose(self, node, rng):
            return self.split, 99.0

    boast = Boasting(LinearSplit([1.0], 1.5))
    tree = grow_on(np.arange(4.0)[:, None], np.array([0, 1, 0, 1], np.int32), BestOf(boast))
    assert tree.n_nodes == 1


def test_same_test_again_ends_below_itself():
    tree = grow_fixed(LinearSplit([1.0], 1.5), codes=(0, 0, 1, 0))
    assert tree.n_nodes == 3
    assert tree.counts.tolist() == [[3.0, 1.0], [2.0, 0.0], [1.0, 1.0]]


def test_identical_rows_of_different_classes_end_in_a_leaf():
    X = np.zeros((6, 3))
    tree = grow_on(X, np.array([0, 1, 1, 0, 1, 2], np.int32), BestOf(AxisParallel(), Categories()))
    assert tree.n_nodes == 1
    assert tree.counts.tolist() == [[2.0, 3.0, 1.0]]
    assert tree.labels.tolist() == [1]


def test_one_class_and_one_row_are_leaves():
    assert grow_on(np.arange(4.0)[:, None], np.zeros(4, np.int32), AxisParallel()).n_nodes == 1
    assert grow_on(np.ones((1, 1)), np.zeros(1, np.int32), AxisParallel(), n_classes=2).n_nodes == 1


def test_finder_that_returns_nonsense_is_named():
    class Wrong(SplitFinder):
        def find_split(self, node, rng):
            return "x0 <= 3"

    with pytest.raises(TypeError, match="must return a LinearSplit, a CategorySplit or None"):
        grow_on(np.arange(4.0)[:, None], np.array([0, 1, 0, 1], np.int32), Wrong())


def test_sum_minority_cannot_start_where_gini_can():
    """50, 24 and 26 rows of classes 1, 2, 1 along a line (Murthy et al. 1994, section 3.3)."""
    X, codes = np.arange(100.0)[:, None], np.repeat([0, 1, 0], [50, 24, 26]).astype(np.int32)
    assert grow_on(X, codes, AxisParallel(), criterion="sum_minority").n_nodes == 1
    for criterion in ("gini", "entropy", "twoing", "sum_of_variances"):
        tree = grow_on(X, codes, AxisParallel(), criterion=criterion)
        assert tree.n_leaves == 3
        assert (tree.impurity[tree.leaves] == 0.0).all()


def test_table_of_a_printed_tree():
    """Vadera (2005, table 1, diabetes): 200 and 75 right, 50 safe and 59 unsafe cases wrong."""
    returned = np.repeat([0.0, 1.0, 0.0, 1.0], [200, 50, 59, 75])
    actual = np.repeat([0, 0, 1, 1], [200, 50, 59, 75]).astype(np.int32)
    tree = grow_fixed(LinearSplit([1.0], 0.5), returned[:, None], actual)
    assert tree.counts.tolist() == [[250.0, 134.0], [200.0, 59.0], [50.0, 75.0]]
    predicted = tree.predict_codes(returned[:, None])
    assert round((predicted == actual).mean(), 4) == 0.7161
    cost = np.where(actual == 1, 4, 1)
    assert round(((predicted != actual) * cost).mean(), 4) == 0.7448
    # Always unsafe: 134 right of 384 (the paper prints 125) at a cost of 250.
    assert round((actual == 1).mean(), 4) == 0.3490
    assert round(((actual != 1) * cost).mean(), 4) == 0.6510


# ---------------------------------------------------------------- when it stops


@settings(max_examples=40, deadline=None)
@given(
    seeds,
    st.one_of(st.none(), st.integers(0, 5)),
    st.one_of(st.integers(2, 20), st.sampled_from([0.1, 0.5])),
    st.one_of(st.integers(1, 10), st.sampled_from([0.05, 0.2])),
    st.sampled_from([0.0, 0.02, 0.3]),
)
def test_limits_are_kept(seed, max_depth, min_split, min_leaf, min_gain):
    X, codes = rough_table(np.random.default_rng(seed), 60, 3, n_classes=3)
    stopping = Stopping(max_depth, min_split, min_leaf, min_gain)
    tree = grow_on(X, codes, AxisParallel(), stopping=stopping, criterion="gini")
    sizes = tree.counts.sum(axis=1)
    inner = np.flatnonzero(tree.children_left >= 0)
    assert max_depth is None or tree.max_depth <= max_depth
    least_split = min_split if isinstance(min_split, int) else min_split * 60
    least_leaf = min_leaf if isinstance(min_leaf, int) else min_leaf * 60
    assert (sizes[inner] >= least_split - 1e-9).all()
    assert inner.size == 0 or (sizes[tree.leaves] >= least_leaf - 1e-9).all()
    for node in inner:
        sides = tree.counts[tree.children_left[node]], tree.counts[tree.children_right[node]]
        assert gain("gini", *sides) > min_gain
    # A leaf that could be divided within the limits would have been.
    leaves = tree.apply(X)
    for leaf in tree.leaves:
        rows = leaves == leaf
        here = Node.from_data(X[rows], codes[rows], criterion="gini", min_leaf=least_leaf)
        allowed = tree.depths[leaf] != max_depth and rows.sum() >= least_split
        split = AxisParallel().find_split(here, np.random.default_rng(0)) if allowed else None
        assert split is None or here.gain(split) <= min_gain + 1e-12


def test_shares_are_rounded_up_but_not_for_rounding_errors():
    limits = Stopping(min_samples_leaf=0.07, min_samples_split=0.29).resolve(100, 100.0)
    assert (limits.min_leaf, limits.min_split) == (7, 29)
    limits = Stopping(min_samples_leaf=0.07, min_samples_split=0.001).resolve(101, 101.0)
    assert (limits.min_leaf, limits.min_split) == (8, 2)


@pytest.mark.parametrize("name", ["max_depth", "min_samples_split", "min_samples_leaf"])
def test_limits_of_any_size(name):
    X, codes = rough_table(np.random.default_rng(0), 40, 2)
    tree = grow_on(X, codes, AxisParallel(), stopping=Stopping(**{name: 10**400}))
    assert (tree.n_leaves > 1) == (name == "max_depth")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_depth": -1}, "max_depth=-1"),
        ({"max_depth": 2.0}, r"max_depth=2.0"),
        ({"max_depth": True}, "max_depth=True"),
        ({"min_samples_split": 1}, "min_samples_split=1"),
        ({"min_samples_split": 1.5}, "min_samples_split=1.5"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"min_samples_leaf": 0.0}, "min_samples_leaf=0.0"),
        ({"min_samples_leaf": NAN}, "min_samples_leaf=nan"),
        ({"min_gain": -0.1}, "min_gain=-0.1"),
        ({"min_gain": NAN}, "min_gain=nan"),
    ],
)
def test_bad_limits_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        Stopping(**options)


def test_depth_is_limited_by_memory_only():
    """Every cut takes one row off, so that the tree is as deep as the rows are many."""
    n = 1500
    codes = (np.arange(n) % 2).astype(np.int32)
    tree = grow_on(np.arange(float(n))[:, None], codes, ChopOne())
    assert tree.max_depth == n - 1
    np.testing.assert_array_equal(tree.predict_codes(np.arange(float(n))[:, None]), codes)


class ChopOne(SplitFinder):
    def find_split(self, node, rng):
        return LinearSplit.axis(0, float(node.X.min()), 1)


# ---------------------------------------------------------------- whole trees at once


@settings(max_examples=25, deadline=None)
@given(
    seeds, st.sampled_from(["none", "whole", "real"]), st.sampled_from(["midpoint", "data", "safe"])
)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_tree_at_once_is_the_loops_tree(criterion, seed, kind, threshold):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 5))
    X, codes = rough_table(rng, int(rng.integers(2, 80)), 3, n_classes=n_classes, levels=9)
    weights = {
        "none": None,
        "whole": rng.integers(1, 5, size=len(X)).astype(float),
        "real": rng.random(len(X)) + 0.1,
    }[kind]
    stopping = Stopping(
        max_depth=[None, 1, 4][rng.integers(3)], min_samples_leaf=int(rng.integers(1, 5)),
        min_samples_split=int(rng.integers(2, 12)), min_gain=[0.0, 0.05][rng.integers(2)],
    )  # fmt: skip
    options = {
        "weights": weights, "criterion": criterion, "unsafe": 1, "n_classes": n_classes,
        "stopping": stopping, "categorical": [None, np.arange(3) == 2][rng.integers(2)],
    }  # fmt: skip
    finder = AxisParallel(threshold)
    at_once = grow_on(X, codes, finder, **options)
    by_node = grow_on(X, codes, NodeByNode(finder), **options)
    if kind == "real":
        # Sums of real weights are formed in another order.
        assert_same_structure(at_once, by_node)
        np.testing.assert_array_equal(at_once.threshold, by_node.threshold)
        np.testing.assert_allclose(at_once.missing_left, by_node.missing_left, rtol=1e-12)
    else:
        assert_same_tree(at_once, by_node)


@pytest.mark.parametrize("name", ["pima", "wdbc", "housing"])
@pytest.mark.parametrize("criterion", ["entropy", "gini", "twoing"])
def test_tree_at_once_on_real_data(name, criterion):
    X, codes = bundled(name)
    first = grow_on(X, codes, AxisParallel(), criterion=criterion)
    assert first.n_leaves > 10
    assert_same_tree(first, grow_on(X, codes, NodeByNode(AxisParallel()), criterion=criterion))


# ---------------------------------------------------------------- missing values, slowly


def slow_tree(X, codes, weights, share, criterion, categorical, total_classes):
    """C4.5's treatment of missing values (Quinlan 1993, chapter 3) by recursion over all rows.

    ``weights`` and ``share`` hold each row's weight at the node and which part of it is there.
    """
    counts = np.bincount(codes, weights=weights, minlength=total_classes)
    leaf = {"counts": counts}
    if np.count_nonzero(counts) < 2 or share.sum() < 2 - 1e-9:
        return leaf
    here = share > 0.0
    best, test = 1e-12, None
    for j in np.flatnonzero(~categorical):
        known = here & ~np.isnan(X[:, j])
        values = np.unique(X[known, j])
        for low, high in zip(values, values[1:]):  # noqa: B905, RUF007
            middle = 0.5 * low + 0.5 * high
            value = slow_gain(X[:, j] <= middle, known, codes, weights, share, counts, criterion)
            if value > best + 1e-12:
                best, test = value, (j, middle)
    for j in np.flatnonzero(categorical):
        known = here & ~np.isnan(X[:, j])
        values = np.unique(X[known, j])
        for code in values if len(values) > 2 else values[:1]:
            value = slow_gain(X[:, j] == code, known, codes, weights, share, counts, criterion)
            if value > best + 1e-12:
                others = set(values) - {code}
                # The set with the smallest code goes left.
                best, test = value, (j, *sorted([{code}, others], key=min))
    if test is None:
        return leaf
    left = answers(test, X)
    known = here & ~np.isnan(left)
    fraction = weights[known & (left == 1)].sum() / weights[known].sum()
    part = np.where(np.isnan(left), fraction, left)
    return {
        **leaf, "test": test, "fraction": fraction,
        "left": slow_tree(
            X, codes, weights * part, share * part, criterion, categorical, total_classes
        ),
        "right": slow_tree(
            X, codes, weights * (1 - part), share * (1 - part), criterion, categorical,
            total_classes,
        ),
    }  # fmt: skip


def slow_gain(is_left, known, codes, weights, share, counts, criterion):
    sides = known & is_left, known & ~is_left
    if min(share[side].sum() for side in sides) < 1 - 1e-9:
        return 0.0
    left, right = (
        np.bincount(codes[side], weights=weights[side], minlength=len(counts)) for side in sides
    )
    return reference_gain(criterion, left, right, counts)


def answers(test, X):
    """1 left, 0 right, NaN where the value is missing or was not seen at the node."""
    x = X[:, test[0]]
    if len(test) == 2:
        return np.where(np.isnan(x), NAN, x <= test[1])
    known = np.isin(x, list(test[1] | test[2]))
    return np.where(known, np.isin(x, list(test[1])), NAN)


def slow_distribution(node, row):
    if "test" not in node:
        return node["counts"] / node["counts"].sum()
    left = answers(node["test"], row[None])[0]
    part = node["fraction"] if np.isnan(left) else left
    total = 0.0
    if part > 0.0:
        total = total + part * slow_distribution(node["left"], row)
    if part < 1.0:
        total = total + (1 - part) * slow_distribution(node["right"], row)
    return total


def assert_is(tree, node, slow):
    np.testing.assert_allclose(tree.counts[node], slow["counts"], rtol=1e-9, atol=1e-12)
    split = tree.split(node)
    assert (split is None) == ("test" not in slow)
    if split is None:
        return
    assert split.missing_left == pytest.approx(slow["fraction"])
    assert tree.missing_left[node] == split.missing_left
    if isinstance(split, CategorySplit):
        assert (split.feature, set(split.categories), set(split.others)) == slow["test"]
    else:
        assert (split.feature, split.threshold) == slow["test"]
    assert_is(tree, tree.children_left[node], slow["left"])
    assert_is(tree, tree.children_right[node], slow["right"])


@settings(max_examples=40, deadline=None)
@given(seeds, st.booleans(), st.sampled_from(["none", "real"]))
@example(2114, False, "none")  # parts of rows that sum to the two rows that a test needs
@pytest.mark.parametrize("criterion", ["entropy", "gini", "gain_ratio", "twoing"])
def test_missing_values_divide_rows_as_in_c45(criterion, seed, with_categories, kind):
    rng = np.random.default_rng(seed)
    X, codes = rough_table(rng, int(rng.integers(3, 30)), 3, n_classes=3, missing=0.2)
    weights = None if kind == "none" else rng.random(len(X)) + 0.1
    categorical = np.array([False, False, with_categories])
    finder = AxisParallel()
    if with_categories:
        finder = BestOf(finder, Categories("single"))
    tree = grow_on(
        X, codes, finder, weights=weights, criterion=criterion, categorical=categorical, n_classes=3
    )
    ones = np.ones(len(X))
    slow = slow_tree(
        X, codes, ones if weights is None else weights, ones, criterion, categorical, 3
    )
    assert_is(tree, 0, slow)
    rows, _ = rough_table(rng, 40, 3, missing=0.3)
    rows[::3, 2] = 9.0  # as a category, one that was never seen
    expected = [slow_distribution(slow, row) for row in rows]
    np.testing.assert_allclose(tree.distribution(rows), expected, rtol=1e-9, atol=1e-12)
    # Every row is as it is alone.
    for row, share in zip(rows, tree.distribution(rows), strict=True):
        np.testing.assert_array_equal(tree.distribution(row[None])[0], share)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_column_without_any_value_changes_nothing(criterion):
    X, codes = rough_table(np.random.default_rng(4), 60, 2, n_classes=3)
    wider = np.column_stack([np.full(60, NAN), X])
    first = grow_on(X, codes, AxisParallel(), criterion=criterion)
    second = grow_on(wider, codes, AxisParallel(), criterion=criterion)
    np.testing.assert_array_equal(second.weight_indices, first.weight_indices + 1)
    np.testing.assert_array_equal(second.threshold, first.threshold)
    np.testing.assert_allclose(second.counts, first.counts)


def test_missing_value_in_a_constant_column_is_no_test():
    X = np.array([[1.0, 0.0], [NAN, 1.0], [1.0, 2.0], [NAN, 3.0]])
    tree = grow_on(X, np.array([0, 1, 0, 1], np.int32), AxisParallel())
    assert 0 not in tree.weight_indices
    assert (tree.impurity[tree.leaves] == 0.0).all()


def test_worked_division_of_a_row():
    """One of four known rows goes left, so a quarter of the fifth does."""
    X = np.array([[0.0], [1.0], [1.0], [1.0], [NAN]])
    tree = grow_on(X, np.array([0, 1, 1, 1, 0], np.int32), AxisParallel())
    assert tree.missing_left[0] == 0.25
    np.testing.assert_allclose(tree.counts, [[2.0, 3.0], [1.25, 0.0], [0.75, 3.0]])
    np.testing.assert_allclose(tree.distribution([[NAN]]), [[0.25 + 0.75 * 0.2, 0.75 * 0.8]])
    assert tree.apply([[NAN]]).tolist() == [2]
    assert tree.decision_path([[NAN]]).toarray().tolist() == [[1.0, 0.25, 0.75]]
