"""The small and accurate tree that is grown, improved and sized by cross-validation."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.model_selection import train_test_split
from sklearn.utils.estimator_checks import parametrize_with_checks

from baselines import TAOTreeClassifier
from baselines.tao_tree import choose_size, draw_folds, prefers_last, spaced_sizes
from oblique import DecisionSurface, export_text, load, save
from oblique.classifier import Growth
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel


@parametrize_with_checks([TAOTreeClassifier(random_state=0), TAOTreeClassifier(size="small")])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def halves(X, y):
    return train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)


@pytest.mark.parametrize(
    ("data", "least", "leaves"),
    [(load_iris, 0.92, 3), (load_wine, 0.94, 4), (load_breast_cancer, 0.955, 4)],
)
def test_small_and_accurate(data, least, leaves):
    X, X_test, y, y_test = halves(*data(return_X_y=True))
    model = TAOTreeClassifier(random_state=0).fit(X, y)
    small = TAOTreeClassifier(size="small", random_state=0).fit(X, y)
    assert model.score(X_test, y_test) > least
    assert small.tree_.n_leaves <= model.tree_.n_leaves <= leaves
    assert model.cv_errors_.shape == model.cv_leaves_.shape


def test_many_rows_need_a_larger_tree():
    X, y = make_classification(4000, 10, n_informative=6, n_clusters_per_class=3, random_state=0)
    X, X_test, y, y_test = halves(X, y)
    model = TAOTreeClassifier(random_state=0).fit(X, y)
    assert model.tree_.n_leaves > 4
    assert model.score(X_test, y_test) > 0.86
    # Improvement is worth several points, and makes the tree smaller.
    greedy = TAOTreeClassifier(sweeps_before=0, sweeps_after=0, random_state=0).fit(X, y)
    assert model.score(X_test, y_test) > greedy.score(X_test, y_test)


def test_noise_is_not_split():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.random(200) < 0.2
    model = TAOTreeClassifier(size="small", random_state=0).fit(X, y)
    assert model.tree_.n_leaves <= 2
    assert (model.predict(X) == y).mean() >= 0.79


def test_the_same_tree_in_any_order_and_with_any_units():
    X, y = load_wine(return_X_y=True)
    model = TAOTreeClassifier(random_state=3).fit(X, y)
    order = np.random.default_rng(1).permutation(len(X))
    other = TAOTreeClassifier(random_state=3).fit(X[order], y[order])
    assert np.array_equal(model.tree_.weight_values, other.tree_.weight_values)
    assert np.array_equal(model.cv_errors_, other.cv_errors_)
    scaled = TAOTreeClassifier(random_state=3).fit(X * 1024.0, y)
    assert np.array_equal(scaled.predict(X * 1024.0), model.predict(X))


def test_whole_weights_are_repeated_rows():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = TAOTreeClassifier(random_state=0).fit(X, y, w)
    repeated = TAOTreeClassifier(random_state=0).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert weighted.cv_errors_ == pytest.approx(repeated.cv_errors_)
    assert weighted.tree_.counts == pytest.approx(repeated.tree_.counts)


def test_data_frames_with_categories_and_missing_values():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    frame["kind"] = pd.Categorical(rng.choice(["u", "v", "w"], 300))
    y = np.where(frame["kind"] == "u", frame["a"] + frame["b"] > 0, frame["a"] - frame["b"] > 0)
    model = TAOTreeClassifier(random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.95
    assert list(model.feature_names_in_) == ["a", "b", "kind"]
    assert "kind" in export_text(model)
    frame.loc[::9, "a"] = np.nan
    frame.loc[::11, "kind"] = None
    assert TAOTreeClassifier(random_state=0).fit(frame, y).score(frame, y) > 0.85


def test_class_weights_move_the_boundary():
    X, y = load_dataset("pima").data, load_dataset("pima").target
    plain = TAOTreeClassifier(random_state=0).fit(X, y)
    heavy = TAOTreeClassifier(class_weight={1: 5.0}, random_state=0).fit(X, y)
    assert heavy.predict(X).mean() > plain.predict(X).mean() + 0.1


def test_saved_loaded_cloned_and_explained(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = TAOTreeClassifier(size="small", random_state=0).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(again.cv_errors_, model.cv_errors_)
    assert np.array_equal(clone(again).fit(X, y).predict(X), model.predict(X))
    near = DecisionSurface(model, metric="standard", X=X).nearest(X[:5])
    assert (model.predict(near.counterfactual) != model.predict(X[:5])).all()


def test_other_starts_and_the_greedy_path():
    X, y = load_wine(return_X_y=True)
    model = TAOTreeClassifier(finder=AxisParallel(), random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    assert not model.tree_.is_axis_parallel
    path = model.cost_complexity_pruning_path(X, y)
    assert path.n_leaves[-1] == 1
    with pytest.raises(ValueError, match="chooses its size in fit"):
        model.prune(X, y)


def test_choice_of_size():
    errors, leaves = np.array([0.20, 0.21, 0.22, 0.40]), np.array([9, 4, 2, 1])
    assert choose_size(errors, leaves, 1000.0, 0.0) == 0
    assert choose_size(errors, leaves, 1000.0, 1.0) == 1
    assert choose_size(errors, leaves, 100.0, 1.0) == 2
    # Equal errors: the smaller tree.
    assert choose_size(np.array([0.2, 0.2, 0.3]), np.array([5, 3, 1]), 100.0, 0.0) == 1


def test_a_regression_is_taken_where_it_is_no_worse():
    leaves = np.array([9, 4, 1, 2])
    assert prefers_last(np.array([0.20, 0.21, 0.40, 0.22]), leaves, 200.0)
    assert not prefers_last(np.array([0.20, 0.21, 0.40, 0.30]), leaves, 200.0)
    # Noise: no test is better than any.
    assert not prefers_last(np.array([0.30, 0.25, 0.20, 0.21]), leaves, 200.0)


def test_folds_are_stratified_and_keep_copies_together():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 2)), 3, axis=0)
    codes = np.repeat(np.arange(60) % 3, 3).astype(np.int32)
    fold = draw_folds(Growth(X, codes, None, {}), np.arange(180, dtype=np.int32), 5, rng)
    assert np.array_equal(np.sort(fold), np.repeat(np.arange(5), 36))
    assert (fold.reshape(60, 3) == fold[::3, None]).all()
    for k in range(3):
        assert np.bincount(fold[codes == k]).tolist() == [12] * 5


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"size": "tiny"}, "size='tiny'"),
        ({"sweeps_before": -1}, "sweeps_before=-1"),
        ({"sweeps_after": 1.5}, "sweeps_after=1.5"),
        ({"n_sizes": 0}, "n_sizes=0"),
        ({"n_folds": 1}, "n_folds=1"),
        ({"stump": None}, "stump=None"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"random_state": "a"}, "random_state='a'"),
    ],
)
def test_a_wrong_parameter_is_named(options, text):
    with pytest.raises(ValueError, match=text):
        TAOTreeClassifier(**options).fit([[0.0], [1.0]], [0, 1])


def test_sizes_are_spaced_by_ratio():
    path = np.array([60, 41, 30, 17, 12, 8, 5, 3, 2, 1])
    assert spaced_sizes(path, 4).tolist() == [60, 17, 5, 1]
    # One size is no choice of size: the whole tree.
    assert spaced_sizes(path, 1).tolist() == [60]
    assert spaced_sizes(np.array([1]), 7).tolist() == [1]
    assert spaced_sizes(np.array([3, 1]), 7).tolist() == [3, 1]


def test_a_test_that_matters_stays_where_folds_keep_it():
    """Halves of iris on which matching trees by the cost of a leaf lost the third class."""
    X, y = load_iris(return_X_y=True)
    for seed in range(12):
        rows = np.random.default_rng(seed).permutation(150)[:75]
        model = TAOTreeClassifier(random_state=seed).fit(X[rows], y[rows])
        assert model.score(X[rows], y[rows]) > 0.9
