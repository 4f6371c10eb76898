"""Trees of scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from oblique.adapt import float64_thresholds, tree_from_sklearn

# ---------------------------------------------------------------- thresholds


@settings(max_examples=500, deadline=None)
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
