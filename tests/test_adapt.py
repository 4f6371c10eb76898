"""Trees made by hand and trees of scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from oblique.adapt import float64_thresholds, tree_from_nested, tree_from_sklearn
from oblique.split import CategorySplit, LinearSplit
from oblique.tree import Tree

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


# ---------------------------------------------------------------- by hand


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


# ---------------------------------------------------------------- thresholds


@settings(max_examples=500)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_moved_threshold_is_the_last_value_that_passes(t):
    moved = float64_thresholds(t)
    with np.errstate(over="ignore", under="ignore"):
        # Back to float64 before comparing, as scikit-learn does.
        assert np.float64(moved.astype(np.float32)) <= t
        assert np.float64(np.nextafter(moved, np.inf).astype(np.float32)) > t


def test_moved_thresholds_at_the_edges_of_float32():
    largest = float(np.finfo(np.float32).max)
    for t in (0.0, -0.0, 2.0**-149, -(2.0**-149), 2.0**-150, 1e-300, largest, -largest, -1e39):
        test_moved_threshold_is_the_last_value_that_passes.hypothesis.inner_test(t)
    assert float64_thresholds(np.inf) == np.finfo(np.float64).max


# ---------------------------------------------------------------- scikit-learn


def rows_beside(thresholds, features, X, rng):
    """Rows with values at, and a hair beside, thresholds in float32 and in float64."""
    picks = rng.integers(len(thresholds), size=len(X))
    values = thresholds[picks]
    steps = rng.integers(-3, 4, size=len(X))
    single = values.astype(np.float32)
    for _ in range(3):
        single = np.where(steps > 0, np.nextafter(single, np.float32(np.inf)), single)
        steps = steps - np.sign(steps)
    halfway = (single.astype(np.float64) + np.nextafter(single, np.float32(-np.inf))) / 2
    forms = np.stack(
        [values, single, halfway, np.nextafter(halfway, np.inf), np.nextafter(halfway, -np.inf)]
    )
    rows = X.copy()
    rows[np.arange(len(X)), features[picks]] = forms[
        rng.integers(5, size=len(X)), np.arange(len(X))
    ]
    return rows


@pytest.mark.parametrize("make", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e30])
def test_rows_reach_the_same_leaves_as_in_scikit_learn(make, criterion, scale):
    rng = np.random.default_rng(0)
    X, y = make_classification(600, 6, n_informative=4, n_classes=3, random_state=1)
    X *= scale
    theirs = make(criterion=criterion, random_state=0).fit(X, y)
    ours = tree_from_sklearn(theirs)
    inner = theirs.tree_.children_left >= 0
    beside = rows_beside(
        theirs.tree_.threshold[inner], theirs.tree_.feature[inner], np.tile(X, (20, 1)), rng
    )
    for rows in (X, beside):
        np.testing.assert_array_equal(ours.apply(rows), theirs.apply(rows))
        np.testing.assert_array_equal(
            theirs.classes_[ours.predict_codes(rows)], theirs.predict(rows)
        )
        np.testing.assert_allclose(ours.distribution(rows), theirs.predict_proba(rows), atol=1e-15)
    assert ours.check() is ours
    assert ours.max_depth == theirs.get_depth()
    assert ours.criterion == ("gini" if criterion == "gini" else "entropy")


@pytest.mark.parametrize("right", [0.2, 0.3])
def test_the_moved_threshold_matters(right):
    theirs = DecisionTreeClassifier().fit([[0.1], [right]], [0, 1])
    ours = tree_from_sklearn(theirs)
    threshold, moved = theirs.tree_.threshold[0], ours.threshold[0]
    assert moved != threshold
    # A value that the threshold itself would send to the wrong side.
    value = max(threshold, moved)
    assert theirs.apply([[value]]) == ours.apply([[value]]) == (1 if moved > threshold else 2)


@pytest.mark.parametrize("make", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_missing_values_go_where_scikit_learn_sends_them(make):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 3] = np.where(rng.random(400) < 0.5, np.nan, X[:, 3])
    y = (np.isnan(X[:, 3]) | (X[:, 0] > 0)).astype(int)
    theirs = make(random_state=0).fit(X, y)
    ours = tree_from_sklearn(theirs).check()
    fresh = rng.normal(size=(2000, 4))
    fresh[rng.random(fresh.shape) < 0.4] = np.nan
    for rows in (X, fresh):
        np.testing.assert_array_equal(ours.apply(rows), theirs.apply(rows))
        np.testing.assert_array_equal(ours.predict_codes(rows), theirs.predict(rows))


def test_a_test_for_missing_values_alone():
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    theirs = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    assert np.isinf(theirs.tree_.threshold[0])
    ours = tree_from_sklearn(theirs).check()
    rows = np.array([[-1e30], [3e38], [np.nan]])
    np.testing.assert_array_equal(ours.apply(rows), theirs.apply(rows))


def test_counts_are_training_weights():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, names)
    ours = tree_from_sklearn(theirs)
    assert ours.counts[0].tolist() == [50, 50, 50]
    np.testing.assert_array_equal(ours.counts, np.rint(ours.counts))
    assert ours.feature_names == tuple(X.columns)
    assert ours.class_names == ("setosa", "versicolor", "virginica")
    codes = y.to_numpy(dtype=np.int32)
    np.testing.assert_array_equal(ours.recount(X.to_numpy(), codes), ours.counts)

    weights = np.random.default_rng(0).random(150)
    weighted = DecisionTreeClassifier(random_state=0).fit(X, names, sample_weight=weights)
    expected = [weights[y == k].sum() for k in range(3)]
    np.testing.assert_allclose(tree_from_sklearn(weighted).counts[0], expected, rtol=1e-12)


@pytest.mark.parametrize("limits", [{"max_leaf_nodes": 9}, {"ccp_alpha": 0.01}, {"max_depth": 0}])
def test_other_orders_of_growing(limits):
    if limits == {"max_depth": 0}:
        limits = {"min_samples_split": 1000}
    X, y = make_classification(500, 5, random_state=2)
    theirs = DecisionTreeClassifier(random_state=0, **limits).fit(X, y)
    ours = tree_from_sklearn(theirs).check()
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))


def test_other_models_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotFittedError):
        tree_from_sklearn(DecisionTreeClassifier())
    with pytest.raises(TypeError, match="got DecisionTreeRegressor"):
        tree_from_sklearn(DecisionTreeRegressor().fit(X, y))
    with pytest.raises(TypeError, match="RandomForestClassifier; adapt the trees of its"):
        tree_from_sklearn(RandomForestClassifier(3).fit(X, y))
    with pytest.raises(ValueError, match="estimator has 2 outputs"):
        tree_from_sklearn(DecisionTreeClassifier().fit(X, np.stack([y, y], axis=1)))
