"""Nodes and their division, missing values as in C4.5."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_checks import reference_gain, rough_table

from oblique import CategorySplit, LinearSplit
from oblique.criteria import CRITERIA
from oblique.finders import SafeAdjusted
from oblique.node import Node

NAN = float("nan")
seeds = st.integers(0, 2**32 - 1)


@st.composite
def divided(draw, missing=0.2):
    """Make a node and a test, oblique or of categories, that may leave a side empty."""
    rng = np.random.default_rng(draw(seeds))
    X, codes = rough_table(rng, draw(st.integers(2, 30)), 3, n_classes=3, missing=missing)
    weights = draw(
        st.sampled_from([None, rng.integers(1, 4, len(X)) / 1.0, rng.random(len(X)) + 0.1])
    )
    if draw(st.booleans()):
        weight = rng.normal(size=3) * (rng.random(3) < 0.6)
        weight[rng.integers(3)] = 1.0
        split = LinearSplit(weight, float(rng.normal()))
    else:
        codes_left = draw(st.sets(st.integers(0, 3), min_size=1, max_size=3))
        others = set(range(4)) - codes_left
        split = CategorySplit(2, codes_left, draw(st.sampled_from([None, others])))
    return X, codes, weights, split


def node_of(X, codes, weights=None, **options):
    return Node.from_data(X, codes, sample_weight=weights, unsafe=2, **options)


def answers(split, X):
    """1 left, 0 right, -1 without an answer: shares of missing rows lie strictly between."""
    half = split.membership(X)
    return np.where(half == 0.5, -1, half).astype(int)


# ---------------------------------------------------------------- what a node shows


def test_node_shows_its_rows_in_an_order_of_their_own():
    X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    node = Node.from_data(X, [0, 1, 1], sample_weight=[1.0, 2.0, 0.5], criterion="gini")
    np.testing.assert_array_equal(node.X, X[node.rows])
    np.testing.assert_array_equal(node.codes, np.array([0, 1, 1])[node.rows])
    np.testing.assert_array_equal(node.weights, np.array([1.0, 2.0, 0.5])[node.rows])
    assert node.counts.tolist() == [1.0, 2.5]
    assert (node.n_rows, node.size, node.n_present, node.depth) == (3, 3.0, 2, 0)
    assert node.criterion == "gini"
    assert node.numeric.tolist() == [0, 1]
    assert node.categorical.tolist() == []
    assert node.n_effective == 3.0


def test_whole_weights_count_as_repeated_rows():
    assert Node.from_data([[1.0], [2.0]], [0, 1], sample_weight=[3.0, 2.0]).n_effective == 5.0
    assert Node.from_data([[1.0], [2.0]], [0, 1], sample_weight=[3.5, 2.0]).n_effective == 2.0
    # Every float64 of this size is a whole number; none of them counts anything.
    assert Node.from_data([[1.0], [2.0]], [0, 1], sample_weight=[1e60, 1e61]).n_effective == 2.0


def test_categorical_columns_are_told_apart():
    node = Node.from_data(np.zeros((2, 3)), [0, 1], categorical=[False, True, False])
    assert node.numeric.tolist() == [0, 2]
    assert node.categorical.tolist() == [1]


@pytest.mark.parametrize(
    ("X", "y"), [([1.0], [0]), ([[1.0]], [0, 1]), (np.empty((0, 2)), []), ([[1.0]], [[0]])]
)
def test_shapes_that_do_not_fit_are_named(X, y):
    with pytest.raises(ValueError, match="X must have shape"):
        Node.from_data(X, y)


def test_finders_cannot_write_to_the_training_rows():
    node = Node.from_data([[1.0], [2.0]], [0, 1])
    for array in (node.table.X, node.table.codes, node.table.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9


def test_a_finder_that_returns_something_else_is_told_what_it_must_return():
    node = Node.from_data([[1.0], [2.0]], [0, 1])
    with pytest.raises(
        TypeError, match="must return a LinearSplit, a CategorySplit or None, got 3"
    ):
        node.divide(3)


# ---------------------------------------------------------------- gain


@settings(max_examples=60, deadline=None)
@given(divided())
@pytest.mark.parametrize("criterion", CRITERIA)
def test_gain_counts_for_the_known_weight(criterion, problem):
    X, codes, weights, split = problem
    ones = np.ones(len(X)) if weights is None else weights
    side = answers(split, X)
    left, right, total = (
        np.bincount(codes[pick], weights=ones[pick], minlength=3)
        for pick in (side == 1, side == 0, side >= -1)
    )
    node = node_of(X, codes, weights, criterion=criterion)
    expected = reference_gain(criterion, left, right, total)
    assert node.gain(split) == pytest.approx(expected, abs=1e-12)


def test_gain_ratio_counts_missing_rows_as_an_outcome():
    """Quinlan (1993, chapter 3): six known rows of eight, halves that are pure."""
    X = [[1.0]] * 3 + [[2.0]] * 3 + [[NAN]] * 2
    node = Node.from_data(X, [0, 0, 0, 1, 1, 1, 0, 1], criterion="gain_ratio")
    info = -2 * 3 / 8 * np.log2(3 / 8) - 2 / 8 * np.log2(2 / 8)
    assert node.gain(LinearSplit([1.0], 1.5)) == pytest.approx((6 / 8) / info)


# ---------------------------------------------------------------- division


@settings(max_examples=200, deadline=None)
@given(divided(), st.booleans())
def test_children_hold_what_the_answers_say(problem, is_sorted):
    X, codes, weights, split = problem
    ones = np.ones(len(X)) if weights is None else weights
    node = node_of(X, codes, weights)
    if is_sorted:
        node.sort_columns()
    whole = node.counts.copy()
    side = answers(split, X)
    gain = node.gain(split)
    parts = node.divide(split)
    if not (side == 1).any() or not (side == 0).any():
        assert parts is None
        return
    share = ones[side == 1].sum() / ones[side >= 0].sum()
    assert parts.missing_left == pytest.approx(share)
    assert parts.gain == gain
    np.testing.assert_allclose(parts.left.counts + parts.right.counts, whole, rtol=1e-12)
    np.testing.assert_array_equal(parts.sides, [parts.left.counts, parts.right.counts])
    for child, yes, part in ((parts.left, 1, share), (parts.right, 0, 1.0 - share)):
        fraction = np.where(side == yes, 1.0, np.where(side == -1, part, 0.0))
        expected = np.bincount(codes, weights=fraction * ones, minlength=3)
        np.testing.assert_allclose(child.counts, expected, rtol=1e-12)
        assert sorted(child.rows.tolist()) == np.flatnonzero(fraction).tolist()
        np.testing.assert_allclose(child.weights, (fraction * ones)[child.rows], rtol=1e-12)
        assert child.size == pytest.approx(fraction.sum())
        assert child.n_present == np.count_nonzero(expected)
        assert child.depth == 1
        if is_sorted:
            check_sorted(child)


def check_sorted(node):
    """Every line of sorted columns holds the node's rows, ascending, missing last."""
    for j, line in enumerate(node.sorted_columns):
        assert sorted(line.tolist()) == sorted(node.rows.tolist())
        values = node.table.X[line, j]
        np.testing.assert_array_equal(values, np.sort(values))


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from([0.0, 0.25]))
def test_divisions_of_divisions(seed, missing):
    """Weights shrink by the product of the shares, whichever child first asks to be sorted."""
    rng = np.random.default_rng(seed)
    X, codes = rough_table(rng, 40, 3, n_classes=3, missing=missing)
    stack = [(node_of(X, codes), np.ones(40))]
    while stack:
        node, weight = stack.pop()
        np.testing.assert_allclose(node.weights, weight[node.rows], rtol=1e-12)
        expected = np.bincount(codes, weights=weight, minlength=3)
        np.testing.assert_allclose(node.counts, expected, rtol=1e-11)
        if rng.random() < 0.4:
            check_sorted(node)
        if node.depth == 4:
            continue
        split = LinearSplit(rng.normal(size=3) * np.array([1.0, *(rng.random(2) < 0.5)]), 1.0)
        parts = node.divide(split)
        if parts is None:
            continue
        side = answers(split, X)
        share = weight[side == 1].sum() / weight[side >= 0].sum()
        left = np.where(side == -1, share, side)
        stack += [(parts.left, weight * left), (parts.right, weight * (1.0 - left))]


def test_missing_value_in_a_column_that_is_otherwise_constant():
    node = Node.from_data([[1.0], [1.0], [NAN]], [0, 1, 1])
    assert node.divide(LinearSplit([1.0], 1.0)) is None
    assert node.divide(LinearSplit([1.0], 0.0)) is None
    assert node.gain(LinearSplit([1.0], 1.0)) == 0.0


def test_rows_without_any_answer_do_not_divide():
    node = Node.from_data([[NAN], [NAN]], [0, 1])
    assert node.divide(LinearSplit([1.0], 0.0)) is None
    assert node.divide(CategorySplit(0, [0], [1])) is None


def test_overflowing_scores_keep_their_side():
    node = Node.from_data([[1e300], [-1e300]], [0, 1])
    parts = node.divide(LinearSplit([1e200], 0.0))
    assert parts.left.codes.tolist() == [1]
    assert parts.right.codes.tolist() == [0]


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (LinearSplit([1.0, 0.0], 0.0), "is a test of 2 features, X has 3"),
        (LinearSplit([0.0, 0.0, 0.0, 1.0], 0.0), "is a test of 4 features, X has 3"),
        (CategorySplit(3, [1]), "tests feature 3, X has features 0 to 2"),
        (CategorySplit(-1, [1]), "tests feature -1, X has features 0 to 2"),
    ],
)
def test_tests_of_other_features_are_refused(split, message):
    node = node_of(np.arange(12.0).reshape(4, 3), [0, 1, 2, 2])
    for ask in (node.gain, node.divide):
        with pytest.raises(ValueError, match=message):
            ask(split)
    if isinstance(split, LinearSplit):
        with pytest.raises(ValueError, match=message):
            SafeAdjusted().adjust(node, split)
