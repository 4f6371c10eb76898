"""Trees written down by hand."""

import math

import numpy as np
import pytest

from oblique import CategorySplit, LinearSplit, Tree
from oblique.nested import tree_from_nested

DIABETES = {
    "weights": {"glucose": 1.0},
    "threshold": 137.5,
    "left": {"counts": {"0": 98, "1": 1}},
    "right": {
        "weights": {"bmi": 2.0, "glucose": -0.5, "age": 0.0},
        "threshold": 3.0,
        "left": {"counts": {"1": 20}},
        "right": {"counts": {"0": 4, "1": 6}},
    },
}


def test_nested_tree_has_the_nodes_as_written():
    tree = Tree.from_nested(DIABETES)
    assert tree.feature_names == ("glucose", "bmi", "age")
    assert tree.class_names == ("0", "1")
    assert tree.children_left.tolist() == [1, -1, 3, -1, -1]
    assert tree.children_right.tolist() == [2, -1, 4, -1, -1]
    assert tree.counts.tolist() == [[102, 27], [98, 1], [4, 26], [0, 20], [4, 6]]
    assert tree.labels.tolist() == [0, 0, 1, 1, 1]
    assert tree.split(0) == LinearSplit([1.0, 0.0, 0.0], 137.5)
    assert tree.split(2) == LinearSplit([-0.5, 2.0, 0.0], 3.0)
    assert tree.missing_left[0] == 99 / 129
    X = [[137.5, 0, 0], [np.nextafter(137.5, 200), 0, 0], [140.0, 36.5, 1], [140.0, 36.6, 1]]
    assert tree.apply(X).tolist() == [1, 3, 3, 4]


def test_nested_tree_takes_the_given_orders():
    names, classes = ["age", "bmi", "unused", "glucose"], ["2", "1", "0"]
    tree = Tree.from_nested(DIABETES, feature_names=names, classes=classes)
    assert tree.n_features == 4
    assert tree.split(2).weights.tolist() == [0.0, 2.0, 0.0, -0.5]
    assert tree.counts[1].tolist() == [0, 1, 98]


def test_classes_that_are_numbers_are_sorted_as_numbers():
    assert Tree.from_nested({"counts": {10: 1, 9: 2}}).class_names == ("9", "10")
    assert Tree.from_nested({"counts": {"b": 1, "a": 2}}).class_names == ("a", "b")


def test_single_leaf():
    tree = Tree.from_nested({"counts": {"a": 3}}, feature_names=["x"])
    assert tree.n_nodes == 1
    assert tree.predict_codes([[5.0]]).tolist() == [0]


def test_counts_of_inner_nodes_may_be_given():
    nested = {**DIABETES, "counts": {"0": 500, "1": 268}}
    assert Tree.from_nested(nested).counts[0].tolist() == [500, 268]


def test_category_tests_by_name_and_by_code():
    leaves = {"left": {"counts": {"a": 1}}, "right": {"counts": {"b": 1}}}
    colour = {"feature": "colour", "categories": ["red", "blue"], **leaves}
    tree = Tree.from_nested(colour)
    assert tree.category_names == {0: ("red", "blue")}
    assert tree.split(0) == CategorySplit(0, [0, 1])
    assert tree.apply([[0.0], [1.0], [2.0]]).tolist() == [1, 1, 2]

    closed = Tree.from_nested({"feature": "c", "categories": [3], "others": [1], **leaves})
    assert closed.category_names is None
    assert closed.split(0) == CategorySplit(0, [3], [1])


def test_names_of_one_feature_share_their_codes():
    below = {
        "feature": "colour",
        "categories": ["green"],
        "others": ["blue"],
        "left": {"counts": {"a": 1}},
        "right": {"counts": {"b": 1}},
    }
    nested = {"feature": "colour", "categories": ["red"], "left": {"counts": {"a": 1}}}
    tree = Tree.from_nested({**nested, "right": below})
    assert tree.category_names == {0: ("red", "green", "blue")}
    assert tree.split(2) == CategorySplit(0, [1], [2])


def test_depth_is_not_limited_by_recursion():
    nested = {"counts": {"a": 1}}
    depth = 10_000
    for i in range(depth):
        nested = {
            "weights": {"x": 1.0},
            "threshold": float(i),
            "left": {"counts": {"b": 1}},
            "right": nested,
        }
    tree = Tree.from_nested(nested)
    assert tree.max_depth == depth
    assert tree.apply([[depth + 1.0]]).tolist() == [2 * depth]


LEAF = {"counts": {"a": 1}}
TEST = {"weights": {"x": 1.0}, "threshold": 0.0, "left": LEAF, "right": LEAF}


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ([], "root: a node must be a mapping"),
        ({}, "root: a leaf lacks 'counts'"),
        ({**TEST, "left": None}, r"root\.left: a node must be a mapping, got None"),
        (
            {**TEST, "left": {**TEST, "right": 3}},
            r"root\.left\.right: a node must be a mapping, got 3",
        ),
        (
            {"weights": {"x": 1.0}, "left": LEAF, "right": LEAF},
            "root: an inner node lacks 'threshold'",
        ),
        ({**TEST, "treshold": 1}, "root: key='treshold' is not known; did you mean 'threshold'"),
        ({**TEST, "right": {"counts": {"a": -1}}}, r"root\.right: the count .* at least 0, got -1"),
        ({**TEST, "right": {"counts": {"a": "1"}}}, r"root\.right: the count .* got '1'"),
        ({**TEST, "right": {"counts": {"a": True}}}, r"root\.right: the count .* got True"),
        ({**TEST, "right": {"counts": {"a": 0}}}, r"root\.right: counts are all zero"),
        ({**TEST, "right": {"counts": {}}}, r"root\.right: counts must map"),
        ({**TEST, "weights": {"x": 0.0}}, "root: weights are all zero"),
        ({**TEST, "weights": {"x": math.nan}}, "root: the weight of 'x' must be a finite"),
        ({**TEST, "weights": [1.0]}, "root: weights must map"),
        ({**TEST, "threshold": math.inf}, "root: threshold must be a finite"),
        ({**TEST, "threshold": None}, "root: threshold must be a number, got None"),
        ({**TEST, "missing_left": 1.5}, "root: missing_left must be .* at most 1"),
        (
            {"feature": "x", "categories": "red", "left": LEAF, "right": LEAF},
            "root: categories must list categories, got 'red'",
        ),
        (
            {"feature": "x", "categories": [], "left": LEAF, "right": LEAF},
            "root: categories and others must each name",
        ),
        (
            {"feature": "x", "categories": ["a"], "others": ["a"], "left": LEAF, "right": LEAF},
            "root: categories .* are in categories and in others",
        ),
        (
            {"feature": "x", "categories": ["a", 1], "left": LEAF, "right": LEAF},
            "root: a feature's categories must be all names or all codes",
        ),
        (
            {"feature": "x", "categories": [-1], "left": LEAF, "right": LEAF},
            "root: category code -1 is negative",
        ),
        (
            {**TEST, "left": {"feature": "x", "categories": [1], "left": LEAF, "right": LEAF}},
            "feature 'x' has both weights and category tests",
        ),
    ],
)
def test_errors_name_the_node(nested, message):
    with pytest.raises(ValueError, match=message):
        tree_from_nested(nested)


def test_unknown_features_and_classes_are_named():
    with pytest.raises(ValueError, match="root: feature='glucose' is not known; did you mean"):
        Tree.from_nested(DIABETES, feature_names=["glucos", "bmi", "age"])
    with pytest.raises(ValueError, match=r"root\.left: class='1' is not known"):
        Tree.from_nested(DIABETES, classes=["0", "2"])
    with pytest.raises(ValueError, match="feature_names holds 'age' twice"):
        Tree.from_nested(DIABETES, feature_names=["age", "age"])


def test_a_node_that_contains_itself_is_refused():
    nested = dict(TEST)
    nested["right"] = {**TEST, "left": nested}
    with pytest.raises(ValueError, match=r"root\.right\.left: the node contains itself"):
        tree_from_nested(nested)


def test_a_mapping_may_stand_in_two_places():
    assert tree_from_nested({**TEST, "left": TEST, "right": TEST}).n_leaves == 4
