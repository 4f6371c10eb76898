"""Tests at inner nodes: membership, values that cannot be changed, bad arguments."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oblique import CategorySplit, LinearSplit

NAN = float("nan")


def test_rows_on_the_plane_go_left():
    split = LinearSplit([1.0, 2.0], 3.0)
    assert split.membership([[1.0, 1.0], [1.0, np.nextafter(1.0, 2.0)], [0.0, 0.0]]).tolist() == [
        1.0, 0.0, 1.0,
    ]  # fmt: skip


def test_missing_value_divides_a_row_only_where_the_feature_has_a_weight():
    split = LinearSplit([1.0, 0.0, 2.0], 3.0, missing_left=0.25)
    rows = [[NAN, 0.0, 0.0], [0.0, NAN, 0.0], [5.0, NAN, 0.0], [0.0, 0.0, NAN]]
    assert split.membership(rows).tolist() == [0.25, 1.0, 0.0, 0.25]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_membership_is_the_sum_in_ascending_order_of_features(seed):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(20, 4)), rng.normal(size=4) * (rng.random(4) < 0.7)
    weights[rng.integers(4)] = 1.5
    # Thresholds on data rows: any other order of summation would send some rows wrong.
    for row in X:
        threshold = sum(w * x for w, x in zip(weights.tolist(), row.tolist(), strict=True) if w)
        expected = [
            float(sum(w * x for w, x in zip(weights.tolist(), r, strict=True) if w) <= threshold)
            for r in X.tolist()
        ]
        assert LinearSplit(weights, threshold).membership(X).tolist() == expected


def test_weights_of_zero_are_not_stored():
    split = LinearSplit([0.0, -2.0, 0.0, 1.0], 0.5)
    assert split.indices.tolist() == [1, 3]
    assert split.values.tolist() == [-2.0, 1.0]
    assert split.weights.tolist() == [0.0, -2.0, 0.0, 1.0]
    assert split.feature == -1


def test_axis_parallel_split_is_the_one_weight_case():
    split = LinearSplit.axis(2, 1.5, 4)
    assert split == LinearSplit([0.0, 0.0, 1.0, 0.0], 1.5)
    assert hash(split) == hash(LinearSplit([0.0, 0.0, 1.0, 0.0], 1.5))
    assert split.feature == 2
    assert split != LinearSplit([0.0, 0.0, 1.0], 1.5)
    assert split != LinearSplit([0.0, 0.0, 2.0, 0.0], 1.5)


@pytest.mark.parametrize(
    ("weights", "threshold", "message"),
    [
        ([0.0, 0.0], 1.0, "weights are all zero"),
        ([1.0, NAN], 1.0, "must be finite"),
        ([1.0, float("inf")], 1.0, "must be finite"),
        ([1.0], NAN, "must be finite"),
        ([[1.0]], 1.0, r"shape \(n_features,\)"),
        (1.0, 1.0, r"shape \(n_features,\)"),
    ],
)
def test_bad_linear_splits_are_named(weights, threshold, message):
    with pytest.raises(ValueError, match=message):
        LinearSplit(weights, threshold)


@pytest.mark.parametrize(
    "split",
    [
        LinearSplit([1.0, 0.0, -2.0], 0.5, missing_left=0.25),
        LinearSplit.axis(1, 2.0, 3),
        CategorySplit(1, [0, 2], [1, 3], missing_left=0.75),
        CategorySplit(0, [1]),
    ],
)
def test_splits_are_values(split):
    for twin in (pickle.loads(pickle.dumps(split)), copy.deepcopy(split), copy.copy(split)):
        assert twin == split
        assert hash(twin) == hash(split)
        assert twin.missing_left == split.missing_left
        assert_immutable(twin)
    assert_immutable(split)
    assert split != "something else"


def assert_immutable(split):
    for name in type(split).__slots__:
        with pytest.raises(AttributeError, match="immutable"):
            setattr(split, name, getattr(split, name))
    for array in (getattr(split, "indices", None), getattr(split, "values", None)):
        if array is not None:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7


def test_a_split_does_not_follow_later_changes_of_its_arguments():
    weights = np.array([1.0, 2.0])
    split = LinearSplit(weights, 0.0)
    weights[:] = 0.0
    assert split.weights.tolist() == [1.0, 2.0]


def test_category_membership():
    rows = np.array([[9.0, 0.0], [9.0, 1.0], [9.0, 2.0], [9.0, 5.0], [9.0, NAN], [9.0, 0.5]])
    closed = CategorySplit(1, [2, 0], [1], missing_left=0.3)
    assert closed.membership(rows).tolist() == [1.0, 0.0, 1.0, 0.3, 0.3, 0.3]
    opened = CategorySplit(1, [2, 0], missing_left=0.3)
    assert opened.membership(rows).tolist() == [1.0, 0.0, 1.0, 0.0, 0.3, 0.0]


def test_categories_are_sorted_and_counted_once():
    split = CategorySplit(0, [3, 1, 1], [2, 0, 2])
    assert split.categories == (1, 3)
    assert split.others == (0, 2)
    assert split.codes.tolist() == [1, 3, 0, 2]
    assert split == CategorySplit(0, [1, 3], [0, 2])
    assert split != CategorySplit(0, [1, 3])


@pytest.mark.parametrize(
    ("categories", "others", "message"),
    [
        ([], [1], "at least one category"),
        ([1], [], "at least one category"),
        ([1, 2], [2, 3], r"categories \[2\] are in categories and in others"),
    ],
)
def test_bad_category_splits_are_named(categories, others, message):
    with pytest.raises(ValueError, match=message):
        CategorySplit(0, categories, others)


def test_splits_print_what_they_test():
    assert repr(LinearSplit([1.0, -2.5], 3.0)) == "LinearSplit(+1*x0 -2.5*x1 <= 3)"
    assert repr(CategorySplit(3, [1])) == "CategorySplit(x3 in {1})"
