"""Ranking cases by distance, calibrating the distance, comparing ROC curves, populations."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_sensitivity_pima import NAMES, PRINTED

from oblique import (
    DecisionSurface,
    GeometricRanking,
    LDTClassifier,
    ObliqueTreeClassifier,
    Tree,
    load,
    save,
)
from oblique.datasets import load_dataset
from oblique.sensitivity import (
    DensityCalibration,
    compare_areas,
    count_sensitive_tests,
    distance_histogram,
    error_proximity,
    leaf_probabilities,
    partial_areas,
    rank_cases,
    share_within,
    share_within_percent,
    trace_summary,
)
from oblique.sensitivity.calibration import silverman_bandwidth

ESTIMATORS = [
    GeometricRanking(),
    GeometricRanking(LDTClassifier(max_depth=3, random_state=0)),
    GeometricRanking(DecisionTreeClassifier(max_depth=3, random_state=0)),
    GeometricRanking(scope="local", leaf_estimate="m"),
    GeometricRanking(calibration="sigmoid", cv=2),
    GeometricRanking(calibration="density", cv=2),
]


def expected_failures(estimator):
    checks = {}
    if estimator.scope == "local":
        reason = "the score only orders: its zero does not part the classes (Alvarez & Bernard)"
        checks |= {"check_classifiers_classes": reason, "check_classifiers_train": reason}
    if estimator.calibration is not None:
        checks["check_classifiers_train"] = (
            "predict stays the tree's, as the ranking leaves it; a probability may say otherwise"
        )
    if estimator.calibration == "density":
        checks["check_sample_weight_equivalence_on_dense_data"] = (
            "folds and Silverman's rule count rows, not weights"
        )
    return checks


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.fixture(scope="module")
def bupa():
    data = load_dataset("bupa")
    return data.data, (data.target == 2).to_numpy()


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def test_the_score_is_the_signed_distance(bupa):
    X, y = bupa
    model = GeometricRanking(LDTClassifier(max_depth=4, random_state=0)).fit(X, y)
    score = model.decision_function(X)
    expected = DecisionSurface(model.estimator_, X=X).score(X, True)
    np.testing.assert_allclose(score, expected, rtol=0, atol=1e-300)
    assert ((score > 0) == model.predict(X)).all()


def test_the_score_is_one_lipschitz(bupa):
    X, y = bupa
    model = GeometricRanking(LDTClassifier(max_depth=4, random_state=0)).fit(X, y)
    rows = X.to_numpy(dtype=float)
    score = model.decision_function(X)
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, len(rows), (2, 500))
    moved = model.surface_.metric.distance(rows[i], rows[j])
    assert (np.abs(score[i] - score[j]) <= moved + 1e-12).all()


def test_local_scores_order_by_leaf_estimate_first(bupa):
    X, y = bupa
    tree = ObliqueTreeClassifier(max_depth=3, random_state=0)
    model = GeometricRanking(tree, scope="local").fit(X, y)
    leaves = model.estimator_.apply(X)
    estimate = leaf_probabilities(model.estimator_, X, y)[leaves, 1]
    distance = model.surface_.score(X, True)
    order = np.lexsort((distance, estimate))
    score = model.decision_function(X)
    assert (np.diff(score[order]) >= 0).all()
    ties = (np.diff(estimate[order]) == 0) & (np.diff(distance[order]) == 0)
    assert (np.diff(score[order])[~ties] > 0).all()


def test_scores_of_many_classes(iris):
    X, y = iris
    model = GeometricRanking(LDTClassifier(random_state=0)).fit(X, y)
    score = model.decision_function(X)
    assert score.shape == (150, 3)
    assert (score.argmax(axis=1) == model.predict(X)).all()
    assert ((score > 0).sum(axis=1) == 1).all()
    nearest = model.surface_.nearest(X).distance
    np.testing.assert_allclose(score.max(axis=1), nearest, atol=1e-300)
    local = GeometricRanking(LDTClassifier(random_state=0), scope="local").fit(X, y)
    auc = roc_auc_score(y == 2, local.decision_function(X)[:, 2])
    assert auc > 0.98


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic", "density"])
@pytest.mark.parametrize("which", ["bupa", "iris"])
def test_probabilities(calibration, which, request):
    X, y = request.getfixturevalue(which)
    tree = LDTClassifier(max_depth=3, random_state=0)
    model = GeometricRanking(tree, calibration=calibration, cv=3).fit(X, y)
    probability = model.predict_proba(X)
    assert probability.shape == (len(X), len(model.classes_))
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    if calibration == "sigmoid" and which == "bupa":
        # Platt's probability rises with the distance.
        order = np.argsort(model.decision_function(X))
        assert (np.diff(probability[order, 1]) >= 0).all()


def test_sigmoid_is_that_of_scikit_learn(bupa):
    X, y = bupa
    tree = LDTClassifier(max_depth=3, random_state=0)
    ours = GeometricRanking(tree, calibration="sigmoid", cv=3).fit(X, y)
    theirs = CalibratedClassifierCV(GeometricRanking(tree), cv=3, ensemble=False).fit(X, y)
    np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))


def test_without_calibration_probabilities_are_the_trees(bupa):
    X, y = bupa
    model = GeometricRanking(LDTClassifier(max_depth=3, random_state=0)).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))


def test_one_class():
    model = GeometricRanking(calibration="sigmoid").fit(np.zeros((6, 2)), ["a"] * 6)
    assert model.predict_proba(np.zeros((2, 2))).tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scope": "leaf"}, "scope"),
        ({"leaf_estimate": "beta"}, "leaf_estimate"),
        ({"calibration": "platt"}, "calibration"),
        ({"calibration": "density", "scope": "local"}, "too few rows"),
        ({"scope": "local", "leaf_estimate": "m", "m": -1.0}, "must be positive"),
        ({"metric": "euclid"}, "metric"),
    ],
)
def test_bad_parameters(bupa, options, message):
    with pytest.raises(ValueError, match=message):
        GeometricRanking(**options).fit(*bupa)


def test_only_classification_trees_are_ranked(bupa):
    with pytest.raises(TypeError, match="no single classification tree"):
        GeometricRanking(DecisionTreeRegressor(max_depth=2)).fit(*bupa)


def test_cases_on_the_border_rank_by_class():
    """Both lie at distance 0 of the other class; the test asks for a <= 1."""
    tree = Tree.from_nested(
        {"weights": {"a": 1.0}, "threshold": 1.0, "left": {"counts": {"yes": 3}},
         "right": {"weights": {"b": 1.0}, "threshold": 5.0, "left": {"counts": {"no": 3}},
                   "right": {"counts": {"yes": 1}}}},
        feature_names=("a", "b"), classes=("no", "yes"),
    )  # fmt: skip
    X = np.array([[2.0, 5.0], [1.0, 0.0]])
    ranking = rank_cases(tree, X, "yes", metric="identity")
    assert (ranking["score"] == 0.0).all()
    assert ranking["predicted"].tolist() == ["yes", "no"]
    assert ranking["rank"].tolist() == [1, 2]


@pytest.mark.parametrize("scope", ["global", "local"])
def test_cases_with_an_unknown_category_come_last(scope):
    X = pd.DataFrame({"a": np.arange(40.0) % 7, "c": pd.Categorical(list("uvwx") * 10)})
    y = X["c"].isin(["u", "v"]) | (X["a"] > 5)
    model = LDTClassifier(random_state=0).fit(X, y)
    cases = X.iloc[:6].astype({"c": object})
    cases.loc[2, "c"] = "new"
    ranking = rank_cases(model, cases, True, scope=scope)
    assert ranking["row"].iloc[-1] == 2
    assert ranking.iloc[-1][["score", "estimate"]].isna().all()
    assert ranking.iloc[:-1].notna().all(axis=None)


def test_missing_values_are_refused(bupa):
    X, y = bupa
    X = X.copy()
    X.iloc[3, 2] = np.nan
    with pytest.raises(ValueError, match="row 3, column sgpt"):
        GeometricRanking().fit(X, y)


# ---------------------------------------------------------------- leaves


def test_leaf_estimates():
    X = np.array([[0.0]] * 4 + [[1.0]] * 6)
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 1])
    model = ObliqueTreeClassifier(max_depth=1).fit(X, y)
    left, right = model.apply([[0.0], [1.0]])
    raw = leaf_probabilities(model, X, y, method="raw")
    assert raw[left].tolist() == [0.75, 0.25]
    laplace = leaf_probabilities(model, X, y)
    assert laplace[left].tolist() == [4 / 6, 2 / 6]
    assert laplace[right].tolist() == [1 / 8, 7 / 8]
    smoothed = leaf_probabilities(model, X, y, method="m", m=2.0)
    assert smoothed[left] == pytest.approx([(3 + 0.6) / 6, (1 + 1.4) / 6])
    standard = leaf_probabilities(model, X, y, method="m")
    assert standard[left] == pytest.approx([(3 + 10) / (4 + 10 / 0.3), (1 + 10) / (4 + 10 / 0.7)])
    assert np.isnan(raw[0]).all()
    weighted = leaf_probabilities(model, X, y, sample_weight=np.full(10, 2.0))
    assert weighted[left].tolist() == [7 / 10, 3 / 10]


def test_leaf_estimates_refuse_unknown_classes(bupa):
    X, y = bupa
    model = ObliqueTreeClassifier(max_depth=1).fit(X, y)
    with pytest.raises(ValueError, match="no class of the model"):
        leaf_probabilities(model, X, np.full(len(X), 7))


# ---------------------------------------------------------------- densities


def test_density_of_two_normal_classes():
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.normal(-1, 1, 4000), rng.normal(1, 1, 4000)])
    model = DensityCalibration().fit(scores, np.repeat([0, 1], 4000))
    at = np.linspace(-2, 2, 9)
    truth = 1 / (1 + np.exp(-2 * at))
    np.testing.assert_allclose(model.predict_proba(at)[:, 1], truth, atol=0.04)


def test_density_follows_weights_and_shares():
    scores, y = [-1.0, 1.0, -1.0, 1.0], [0, 0, 1, 1]
    model = DensityCalibration(bandwidth=1.0).fit(scores, y, sample_weight=[3, 3, 1, 1])
    np.testing.assert_allclose(model.predict_proba([0.0, 9.0]), [[0.75, 0.25]] * 2)


def test_densities_far_away_and_without_width():
    model = DensityCalibration().fit([0.0, 0.0, 0.0, 1.0, 1.0], [0, 0, 0, 1, 1])
    probability = model.predict_proba([0.0, 1.0, 1e9, -1e300])
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    assert probability[:3].argmax(axis=1).tolist() == [0, 1, 1]


def test_silverman():
    scores = np.array([0.0, 1.0, 2.0, 3.0, 10.0])
    iqr = 2.0
    assert silverman_bandwidth(scores) == pytest.approx(0.9 * iqr / 1.34 * 5**-0.2)
    assert silverman_bandwidth(np.ones(5)) == 0.0


@pytest.mark.parametrize(
    ("scores", "y", "options", "message"),
    [
        ([[1.0, 2.0]], [0], {}, "one number a case"),
        ([np.inf, 1.0], [0, 1], {}, "scores hold inf"),
        ([0.0, 1.0], [0], {}, "1 labels for 2 scores"),
        ([0.0, 1.0], [0, 1], {"bandwidth": -1.0}, "bandwidth"),
        ([0.0, 1.0], [0, 1], {"bandwidth": "scott"}, "bandwidth"),
        ([0.0, 1.0], [0, 1], {"bandwidth": None}, "bandwidth"),
    ],
)
def test_bad_scores(scores, y, options, message):
    with pytest.raises(ValueError, match=message):
        DensityCalibration(**options).fit(scores, y)


# ---------------------------------------------------------------- ROC


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 6))
def test_partial_areas_add_up_pairs(seed, n, n_levels):
    """The area up to x is a sum over the negatives that come first, ties counted half."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([[True, False], rng.random(n) < 0.5])
    score = rng.integers(0, n_levels, len(truth)).astype(float)
    whole = partial_areas(truth, score, np.array([0.0, 1.0]))
    assert whole[0] == 0.0
    assert whole[1] == pytest.approx(roc_auc_score(truth, score))
    grid = np.linspace(0, 1, 17)
    areas = partial_areas(truth, score, grid)
    assert (np.diff(areas) >= -1e-15).all()
    assert (areas <= grid + 1e-12).all()
    # An oracle by many small steps along the curve.
    from sklearn.metrics import roc_curve

    x, y, _ = roc_curve(truth, score)
    fine = np.linspace(0, 1, 40_001)
    middle = (fine[1:] + fine[:-1]) / 2
    height = np.interp(middle, x, y)
    summed = np.concatenate([[0.0], np.cumsum(height) * (fine[1] - fine[0])])
    np.testing.assert_allclose(areas, np.interp(grid, fine, summed), atol=2e-4)


def test_roc_needs_both_kinds():
    with pytest.raises(ValueError, match="both kinds"):
        partial_areas([True, True], [0.0, 1.0])


def test_comparison_of_areas():
    rng = np.random.default_rng(1)
    grid = np.arange(11) / 20
    base = np.tile(grid**2, (30, 1))
    noise = rng.normal(0, 0.001, (30, 1))
    gain = np.where(grid <= 0.3, 0.01, -0.01) * (grid > 0)
    better = compare_areas(
        base + gain + noise * (grid > 0), base, np.full(30, 0.9), np.full(30, 0.8), grid=grid
    )
    assert better.better_up_to == pytest.approx(0.3)
    assert better.difference == pytest.approx(0.1)
    assert better.low == pytest.approx(0.1)
    with pytest.raises(ValueError, match="two samples at least"):
        compare_areas(base[:1], base[:1], [0.5], [0.5], grid=grid)
    with pytest.raises(ValueError, match="confidence=95"):
        compare_areas(base[:2], base[:2], [0.5] * 2, [0.5] * 2, grid=grid, confidence=95)


# ---------------------------------------------------------------- populations


@pytest.fixture(scope="module")
def printed():
    tree = Tree.from_nested(PRINTED, feature_names=NAMES, classes=("0", "1"))
    dataset = load_dataset("pima")
    X = dataset.data[["glucose", "diastolic_bp", "bmi", "pedigree", "age"]].fillna(0.0)
    X.columns = list(NAMES)
    return tree, X, (dataset.target == dataset.unsafe_class).to_numpy()


def test_tables_5_and_6(printed):
    tree, X, _ = printed
    distance = DecisionSurface(tree, X=X).nearest(X).distance
    shares = 100 * share_within(distance)
    np.testing.assert_allclose(shares, [7.7, 11.5, 30.3, 55.5, 91.7], atol=0.05)
    percents = [1 / np.sqrt(5), 2 / np.sqrt(5), 1, 2, 5, 10]
    shares = 100 * share_within_percent(tree, X, percents, sample=X)
    np.testing.assert_allclose(shares, [3.0, 7.8, 7.9, 11.7, 31.5, 59.0], atol=0.05)


def test_table_1(printed):
    tree, X, _ = printed
    (row,) = trace_summary(tree, X, sample=X).to_dict("records")
    assert (row["leaves"], row["depth"], row["attributes"]) == (11, 7, 5)
    assert row["trace_mean"] == pytest.approx(3.151, abs=5e-4)
    assert row["trace_median"] == 4
    assert row["sensitive_mean"] == pytest.approx(1.633, abs=5e-4)
    assert row["sensitive_median"] == 1


@pytest.mark.parametrize("make", [ObliqueTreeClassifier, LDTClassifier])
def test_counts_are_those_of_the_single_cases(bupa, make):
    X, y = bupa
    model = make(max_depth=5, random_state=0).fit(X, y)
    near = DecisionSurface(model, X=X).nearest(X)
    counts = count_sensitive_tests(near)
    one_by_one = [len(near.sensitive_tests(i)) for i in range(len(X))]
    assert (counts == one_by_one).mean() > 0.98  # cases on a border are counted either way
    assert counts[near.distance > 1e-6].min() >= 1


def test_histogram_and_proximity(printed):
    tree, X, y = printed
    distance = DecisionSurface(tree, X=X).nearest(X).distance
    wrong = tree.predict_codes(X.to_numpy()) != y
    table = distance_histogram(distance, wrong, bins=10)
    assert table["errors"].sum() == 165
    assert table["successes"].sum() == 603
    assert table["error_rate"].iloc[0] == pytest.approx(
        table["errors"].iloc[0] / (table["errors"] + table["successes"]).iloc[0]
    )
    near = error_proximity(distance, wrong)
    hits, errors = distance[~wrong], distance[wrong]
    expected = (hits.mean() - errors.mean()) / np.sqrt(
        hits.var(ddof=1) / len(hits) + errors.var(ddof=1) / len(errors)
    )
    assert near.statistic == pytest.approx(expected)
    assert near.statistic > 2
    assert (near.n_success, near.n_error) == (603, 165)
    assert np.isnan(error_proximity([0.1, 0.2], [False, False]).statistic)
    with pytest.raises(ValueError, match="one a distance"):
        distance_histogram(distance, wrong[:-1])
    with pytest.raises(ValueError, match="one a distance"):
        error_proximity(distance, [True])  # would be spread over all cases


@pytest.mark.parametrize("scope", ["global", "local"])
def test_it_is_saved(bupa, scope, tmp_path):
    X, y = bupa
    model = GeometricRanking(LDTClassifier(max_depth=3, random_state=0), scope=scope).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    calibrated = GeometricRanking(calibration="sigmoid", cv=2).fit(X, y)
    with pytest.raises(ValueError, match="cannot hold calibration='sigmoid'"):
        save(calibrated, tmp_path / "calibrated.json")


def test_it_clones_and_tunes(bupa):
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(
        GeometricRanking(ObliqueTreeClassifier(random_state=0)),
        {"estimator__max_depth": [2, 3], "scope": ["global", "local"]},
        scoring="roc_auc",
        cv=3,
    ).fit(*bupa)
    assert search.best_score_ > 0.5
    assert clone(search.best_estimator_).get_params()["scope"] in ("global", "local")
