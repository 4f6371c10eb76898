"""Reproducible estimators, and estimators as parts of scikit-learn's machinery."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pytest
from estimator_data import mixed_table, noisy
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tree_checks import assert_same_structure, assert_same_tree, bundled

import oblique.finders
from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.finders import (
    AxisParallel,
    BestOf,
    Categories,
    LinearDiscriminant,
    SafeAdjusted,
    SplitFinder,
)
from oblique.pruning import CostComplexity, SafePruning

X, Y = load_iris(return_X_y=True)


# ---------------------------------------------------------------- reproducibility


class RandomDirection(SplitFinder):
    """The best cut along a few random directions."""

    def __init__(self, n_directions=5):
        self.n_directions = n_directions

    def find_split(self, node, rng):
        from oblique.finders import best_cut_along

        return best_cut_along(node, rng.normal(size=(self.n_directions, node.n_features)))


@pytest.mark.parametrize("pruning", [None, CostComplexity()])
def test_same_seed_same_tree(pruning):
    table, labels = noisy()
    model = ObliqueTreeClassifier(finder=RandomDirection(), pruning=pruning, random_state=3)
    first = model.fit(table, labels).tree_
    p = np.random.default_rng(0).permutation(len(labels))
    assert_same_tree(model.fit(table, labels).tree_, first)
    assert_same_tree(model.fit(table[p], labels[p]).tree_, first)
    assert_same_tree(model.set_params(random_state=np.int64(3)).fit(table, labels).tree_, first)
    other = model.set_params(random_state=4).fit(table, labels).tree_
    assert not np.array_equal(other.weight_values, first.weight_values)


def test_random_state_object_is_drawn_from():
    table, labels = noisy()
    model = ObliqueTreeClassifier(finder=RandomDirection())
    state = np.random.RandomState(0)
    first = model.set_params(random_state=state).fit(table, labels).tree_
    second = model.fit(table, labels).tree_
    assert not np.array_equal(first.weight_values, second.weight_values)
    state = np.random.RandomState(0)
    assert_same_tree(model.set_params(random_state=state).fit(table, labels).tree_, first)


def test_global_random_state_is_left_alone():
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    ObliqueTreeClassifier(finder=RandomDirection(), pruning=CostComplexity()).fit(X, Y)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_number_of_jobs_does_not_matter():
    table, labels = bundled("pima")
    for model in (
        LDTClassifier(pruning="safe", random_state=0),
        ObliqueTreeClassifier(finder=RandomDirection(), random_state=0),
    ):
        alone = cross_val_score(model, table, labels, cv=4)
        assert (cross_val_score(model, table, labels, cv=4, n_jobs=2) == alone).all()


def fit_and_predict(table, labels, weights):
    assert not table.flags.writeable
    model = LDTClassifier(pruning="safe", random_state=0).fit(table, labels, weights)
    return model.tree_, model.predict_proba(table)


def test_read_only_memory_maps_in_other_processes():
    table, labels = bundled("pima")
    weights = np.random.default_rng(0).random(len(labels))
    job = joblib.delayed(fit_and_predict)(table, labels, weights)
    # Arrays beyond max_nbytes reach the workers as read-only memory maps.
    results = joblib.Parallel(n_jobs=2, max_nbytes=100)([job, job])
    model = LDTClassifier(pruning="safe", random_state=0).fit(table, labels, weights)
    for tree, shares in results:
        assert_same_tree(tree, model.tree_)
        assert (shares == model.predict_proba(table)).all()


# ---------------------------------------------------------------- scikit-learn's machinery


@pytest.mark.parametrize("data", [(X, Y), mixed_table()], ids=["numbers", "categories"])
@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, LDTClassifier])
def test_pickle(kind, data):
    table, labels = data
    model = kind(pruning=CostComplexity(), random_state=0).fit(table, labels)
    again = pickle.loads(pickle.dumps(model))
    assert_same_tree(again.tree_, model.tree_)
    assert (again.predict_proba(table) == model.predict_proba(table)).all()
    assert (again.feature_importances_ == model.feature_importances_).all()
    # What comes back can be fitted again.
    assert_same_tree(again.fit(table, labels).tree_, model.tree_)


def test_parameters_of_parts():
    finder = BestOf(SafeAdjusted(LinearDiscriminant(min_samples=5)), AxisParallel())
    model = ObliqueTreeClassifier(finder=finder, pruning=CostComplexity())
    params = model.get_params()
    assert params["finder__0__finder__min_samples"] == 5
    assert params["finder__1__threshold"] == "midpoint"
    assert params["pruning__se_rule"] == 0.0
    copy = clone(model)
    copy.set_params(
        finder__1__threshold="safe", finder__0__mode="pure", finder__0__finder__min_samples=9,
        pruning__se_rule=1.0,
    )  # fmt: skip
    assert copy.finder.finders[1].threshold == "safe"
    assert copy.finder.finders[0].mode == "pure"
    assert copy.finder.finders[0].finder.min_samples == 9
    assert copy.pruning.se_rule == 1.0
    # The original and its parts are as they were.
    assert model.get_params()["finder__1__threshold"] == "midpoint"
    assert finder.finders[0].finder.min_samples == 5
    copy.set_params(finder__1=Categories())
    assert isinstance(copy.finder.finders[1], Categories)
    with pytest.raises(ValueError, match="'2' is not a parameter of BestOf: use finders, or 0 to"):
        copy.set_params(finder__2=Categories())
    with pytest.raises(ValueError, match="Invalid parameter"):
        copy.set_params(finder__1__depth=3)


def test_clone_is_not_fitted_and_shares_no_part():
    model = LDTClassifier(pruning=SafePruning(), unsafe_class=1, random_state=0).fit(X, Y)
    copy = clone(model)
    assert not hasattr(copy, "tree_")
    assert copy.pruning is not model.pruning
    assert_same_tree(copy.fit(X, Y).tree_, clone(copy).fit(X, Y).tree_)


def test_fitting_leaves_parameters_alone():
    for model in (
        LDTClassifier(pruning="safe"),
        ObliqueTreeClassifier(finder=BestOf(AxisParallel(), Categories())),
    ):
        before = str(model.get_params())
        assert str(model.fit(X, Y).get_params()) == before


def test_printing():
    model = ObliqueTreeClassifier(finder=BestOf(AxisParallel(), Categories()), max_depth=3)
    assert "AxisParallel" in repr(model)
    assert "max_depth=3" in repr(model)
    assert repr(BestOf(AxisParallel("safe"))) == "BestOf(AxisParallel(threshold='safe'))"
    # What is printed can be pasted, also where scikit-learn prints a part of a model.
    names = {**vars(oblique), **vars(oblique.finders)}
    model.set_params(finder__0__threshold="safe")
    pasted = eval(repr(model), names)
    assert (repr(pasted), str(pasted.get_params())) == (repr(model), str(model.get_params()))
    assert "ObliqueTreeClassifier" in model._repr_html_()
    assert "tree" in model.fit(X, Y)._repr_html_()


def test_grid_search_over_a_part():
    table, labels = bundled("bupa")
    model = ObliqueTreeClassifier(
        finder=BestOf(AxisParallel(), LinearDiscriminant()), pruning=CostComplexity(),
        random_state=0,
    )  # fmt: skip
    grid = {
        "finder__0__threshold": ["midpoint", "safe"],
        "finder__1": [LinearDiscriminant(), SafeAdjusted()],
        "pruning__se_rule": [0.0, 1.0],
        "min_samples_leaf": np.array([1, 5]),
    }
    search = GridSearchCV(model, grid, cv=3).fit(table, labels)
    assert len(search.cv_results_["params"]) == 16
    assert len(set(search.cv_results_["mean_test_score"])) > 2
    best = clone(model).set_params(**search.best_params_).fit(table, labels)
    assert_same_tree(search.best_estimator_.tree_, best.tree_)


def test_pipeline():
    table, labels = bundled("pima")
    pipe = make_pipeline(StandardScaler(), LDTClassifier()).set_output(transform="pandas")
    pipe.fit(table, labels, ldtclassifier__sample_weight=np.ones(len(labels)))
    assert pipe.score(table, labels) > 0.9
    assert pipe[-1].feature_names_in_[0] == "x0"
    # Axis-parallel tests do not mind how columns are shifted and scaled.
    plain = ObliqueTreeClassifier(finder=AxisParallel())
    scaled = make_pipeline(StandardScaler(), clone(plain)).fit(table, labels)
    assert_same_structure(scaled[-1].tree_, plain.fit(table, labels).tree_)


def test_calibration():
    table, labels = bundled("pima")
    model = ObliqueTreeClassifier(max_depth=4)
    calibrated = CalibratedClassifierCV(model, cv=3).fit(table, labels)
    assert calibrated.score(table, labels) > 0.7
    np.testing.assert_allclose(calibrated.predict_proba(table).sum(axis=1), 1.0)


def test_permutation_importance():
    table, labels = noisy()
    model = ObliqueTreeClassifier(max_depth=3).fit(table, labels)
    result = permutation_importance(model, table, labels, n_repeats=5, random_state=0)
    assert result.importances_mean.argmax() == 0
    assert result.importances_mean[:2].min() > result.importances_mean[2:].max()
