"""Cost-sensitive answers of any classifier."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from baselines import MetaCostClassifier, MinimumCostClassifier
from oblique import CostModel, load, save
from oblique.answers import cheapest_answers
from oblique.classifier import make_generator
from oblique.compare.execute import prepare_estimator
from oblique.datasets import load_dataset

UNEVEN = CostModel(errors={0: 50, 1: 400})
BOTH = (MinimumCostClassifier, MetaCostClassifier)


def failures(estimator):
    # Nearly Gaussian classes change no label, whichever rows are drawn.
    if isinstance(estimator, MinimumCostClassifier) or estimator.estimator is not None:
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "bootstrap samples are drawn: of a row of weight three otherwise than of three copies"
        )
    }


@parametrize_with_checks(
    [
        MinimumCostClassifier(),
        MinimumCostClassifier(GaussianNB()),
        MetaCostClassifier(n_estimators=5, random_state=0),
        MetaCostClassifier(GaussianNB(), n_estimators=5),
    ],
    expected_failed_checks=failures,
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_no_answer_is_expected_to_cost_less(seed, k):
    rng = np.random.default_rng(seed)
    shares, errors = rng.dirichlet(np.ones(k), size=20), rng.integers(0, 20, (k, k)).astype(float)
    given_answers = cheapest_answers(shares, errors)
    for p, answer in zip(shares, given_answers, strict=True):
        of_each = [sum(errors[i, j] * p[j] for j in range(k)) for i in range(k)]
        assert of_each[answer] == pytest.approx(min(of_each), abs=1e-9)


def test_two_classes_have_a_threshold():
    pima = load_dataset("pima")
    model = MinimumCostClassifier(GaussianNB(), UNEVEN).fit(pima.data, pima.target)
    moved = FixedThresholdClassifier(
        GaussianNB(), threshold=50 / 450, pos_label=1, response_method="predict_proba"
    ).fit(pima.data, pima.target)
    np.testing.assert_array_equal(model.predict(pima.data), moved.predict(pima.data))


@pytest.mark.parametrize("kind", BOTH)
def test_costs_go_down_on_rows_held_out(kind):
    pima = load_dataset("pima")
    train, test = np.arange(0, 768, 2), np.arange(1, 768, 2)
    matrix = UNEVEN.error_matrix([0, 1])

    def paid(model):
        model.fit(pima.data.iloc[train], pima.target.iloc[train])
        return matrix[model.predict(pima.data.iloc[test]), pima.target.iloc[test]].mean()

    model = kind(GaussianNB(), UNEVEN)
    if kind is MetaCostClassifier:
        model.set_params(n_estimators=10, random_state=0)
    assert paid(model) < 0.8 * paid(GaussianNB())


def test_metacost_is_bagging_then_relabelling():
    X, y = load_wine(return_X_y=True)
    costs = CostModel(errors=[[0, 1, 9], [2, 0, 1], [1, 5, 0]])
    model = MetaCostClassifier(GaussianNB(), costs, n_estimators=7, random_state=3).fit(X, y)
    again = clone(model).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    seed = int(make_generator(3).integers(2**31))
    bag = BaggingClassifier(GaussianNB(), n_estimators=7, random_state=seed).fit(X, y)
    answers = (bag.predict_proba(X) @ costs.error_matrix([0, 1, 2]).T).argmin(axis=1)
    assert model.changed_ == np.mean(answers != y) > 0
    by_hand = GaussianNB().fit(X, answers)
    np.testing.assert_array_equal(model.predict_proba(X), by_hand.predict_proba(X))


def test_a_class_that_no_row_has_any_longer():
    pima = load_dataset("pima")
    costs = CostModel(errors={0: 0.001, 1: 1e6})
    model = MetaCostClassifier(costs=costs, n_estimators=5, random_state=0)
    model.fit(pima.data, pima.target)
    assert set(model.predict(pima.data)) <= {0, 1}
    assert model.predict_proba(pima.data).shape == (768, 2)
    assert model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("kind", BOTH)
def test_saved_and_loaded(kind, tmp_path):
    pima = load_dataset("pima")
    model = kind(costs=UNEVEN)
    if kind is MetaCostClassifier:
        model.set_params(n_estimators=3, random_state=0)
    model.fit(pima.data, pima.target)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(pima.data), model.predict(pima.data))
    np.testing.assert_array_equal(again.predict_proba(pima.data), model.predict_proba(pima.data))
    assert again.costs == UNEVEN


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda fitted: fitted.pop("tree_"), "lacks the key 'tree_'"),
        (lambda fitted: fitted.update(__class__=1), "unknown key '__class__'"),
        (lambda fitted: fitted.update(tree_=None), "tree_ must be a tree"),
        (lambda fitted: fitted.update(n_features_in_=7), "n_features_in_"),
    ],
)
def test_a_spoilt_file_is_refused(spoil, message, tmp_path):
    path = tmp_path / "model.json"
    save(MinimumCostClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]), path)
    document = json.loads(path.read_text())
    spoil(document["model"]["fitted"]["estimator_"]["fitted"])
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=message):
        load(path)


def test_a_comparison_hands_in_the_costs():
    prepared = prepare_estimator(MinimumCostClassifier(), unsafe_class=1, seed=0, costs=UNEVEN)
    assert prepared.costs == UNEVEN


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"costs": "pima"}, TypeError, "costs="),
        ({"costs": CostModel(errors=np.ones((3, 3)))}, ValueError, r"\(3, 3\)"),
        ({"costs": CostModel(errors={0: 1, 2: 1})}, ValueError, "class='1'"),
        ({"estimator": LinearSVC()}, TypeError, "predict_proba"),
    ],
)
def test_bad_parameters(kind, parameters, error, message):
    pima = load_dataset("pima")
    with pytest.raises(error, match=message):
        kind(**parameters).fit(pima.data, pima.target)


@pytest.mark.parametrize("n_estimators", [0, -1, 2.5, "many"])
def test_bagged_copies(n_estimators):
    with pytest.raises((ValueError, TypeError), match="n_estimators="):
        MetaCostClassifier(n_estimators=n_estimators).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("n_jobs", [0, "two"])
def test_jobs(n_jobs):
    with pytest.raises(ValueError, match="n_jobs="):
        MetaCostClassifier(n_jobs=n_jobs).fit([[0.0], [1.0]], [0, 1])
