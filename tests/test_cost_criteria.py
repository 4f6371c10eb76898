"""EG2, CS-ID3 and IDX: golden values, plain choice, many trees of one table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from baselines import (
    C45Classifier,
    CostGain,
    CSID3Classifier,
    EG2Classifier,
    IDXClassifier,
    TreeGrower,
)
from baselines._information import choose
from baselines.cost_criteria import priced_rule, value_of_test
from oblique import ObliqueTreeClassifier, load, save
from oblique.costs import CostModel, TestCost, load_costs
from oblique.datasets import load_dataset
from oblique.finders import BestOf
from oblique.induction import grow
from tests.test_c45 import nested

CLASSIFIERS = (EG2Classifier, CSID3Classifier, IDXClassifier)


# ---------------------------------------------------------------- published values


def test_golden_values():
    assert value_of_test("icf", 1.0, 1.0) == 0.5
    assert value_of_test("icf", 0.5, 3.0, 0.5) == pytest.approx(0.207107, abs=5e-7)
    assert value_of_test("icf", 0.7, 123.0, 0.0) == pytest.approx(2**0.7 - 1)
    assert value_of_test("cs_id3", 0.5, 2.0) == 0.125
    assert value_of_test("idx", 0.5, 2.0) == 0.25


@given(
    st.lists(st.floats(0.01, 1.0), min_size=2, max_size=6),
    st.integers(0, 10**6),
    st.floats(0.0, 1.0),
)
@settings(deadline=None, max_examples=60)
def test_the_test_of_largest_value_is_chosen(gains, seed, omega):
    costs = np.random.default_rng(seed).uniform(0.5, 100.0, len(gains))
    for measure in ("icf", "cs_id3", "idx"):
        rule = priced_rule(measure, len(gains), costs, omega)
        infos, counted = np.ones(len(gains)), np.ones(len(gains), dtype=bool)
        best = choose(rule.measure, np.array(gains), infos, rule.prices, counted)
        values = [value_of_test(measure, g, c, omega) for g, c in zip(gains, costs, strict=True)]
        assert values[best] == pytest.approx(max(values))


def test_without_strength_costs_play_no_part():
    X, y = load_wine(return_X_y=True)
    grower = TreeGrower(X, y)
    by_gain = grower.grow(omega=0.0, costs=np.linspace(1, 500, 13), confidence=None)
    assert nested(by_gain) == nested(grower.grow(confidence=None))
    model = C45Classifier(measure="gain", mdl_correction=False, pruning=None).fit(X, y)
    assert nested(by_gain) == nested(model.tree_)


def test_dear_tests_are_avoided():
    X, y = load_wine(return_X_y=True)
    costs = np.ones(13)
    first = nested(TreeGrower(X, y).grow())[0]
    costs[first] = 10_000.0
    for measure in ("icf", "cs_id3", "idx"):
        tree = TreeGrower(X, y, measure=measure).grow(costs=costs)
        assert first not in tree.weight_indices


def test_discounts_hold_below_the_first_test_of_the_group():
    # Column 0 decides first; then column 1 (same group) is worth more than 2 once discounted.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 3)).astype(float)
    X[:, 2] = np.where(rng.random(400) < 0.05, 1 - X[:, 1], X[:, 1])
    y = ((X[:, 0] == 1) & (X[:, 1] == 1)).astype(np.int32)
    costs, groups = [0.1, 10.0, 5.0], [0, 0, -1]
    full = CostGain("idx", costs=costs)
    less = CostGain("idx", costs=costs, later=[0.1, 1.0, 5.0], groups=groups)
    trees = [grow(X, y, n_classes=2, finder=f, rng=rng) for f in (full, less)]
    second = [nested(tree)[3][0] for tree in trees]
    assert second == [2, 1]
    same = TreeGrower(X, y, measure="idx").grow(
        costs=costs, later=[0.1, 1.0, 5.0], groups=groups, confidence=None
    )
    assert nested(same)[3][0] == 1


# ---------------------------------------------------------------- many trees of one table


@given(
    st.integers(0, 10**6), st.booleans(), st.sampled_from(["icf", "cs_id3", "idx"]),
    st.floats(0.01, 1.0), st.floats(0.0, 1.0), st.booleans(),
)  # fmt: skip
@settings(deadline=None, max_examples=30)
def test_grower_is_the_loop_with_pruning(seed, weighted, measure, confidence, omega, grouped):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4)).round(1)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 0.7, 120) > 0).astype(np.int32)
    w = rng.random(120) + 0.5 if weighted else None
    costs = rng.uniform(0.1, 30, 4)
    prices = {"costs": costs, "omega": omega}
    if grouped:
        prices |= {"later": costs * 0.2, "groups": [0, 1, 0, -1]}
    rows = rng.permutation(120)[:70]
    grower = TreeGrower(X, y, sample_weight=w, measure=measure)
    tree = grower.grow(rows, **prices, confidence=confidence)
    again = grower.grow(rows[::-1], **prices, confidence=confidence)
    assert nested(tree) == nested(again)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grower, "is_plain", False)
        patch.setattr(CostGain, "_grow_compiled", CostGain._grow)
        slow = grower.grow(rows, **prices, confidence=confidence)
    np.testing.assert_array_equal(tree.threshold, slow.threshold)
    np.testing.assert_array_equal(tree.weight_indices, slow.weight_indices)
    np.testing.assert_allclose(tree.counts, slow.counts, rtol=1e-12)
    np.testing.assert_allclose(tree.missing_left, slow.missing_left, rtol=1e-12)
    np.testing.assert_array_equal(tree.labels, slow.labels)


def test_grower_takes_missing_values_and_categories():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=100), rng.integers(0, 3, 100)])
    y = ((X[:, 0] > 0) ^ (X[:, 1] == 2)).astype(int)
    X[rng.random(100) < 0.1, 0] = np.nan
    tree = TreeGrower(X, y, categorical=[False, True]).grow(np.arange(80), confidence=None)
    assert (tree.predict_codes(X) == y).mean() > 0.85


def test_grower_refuses_wrong_rows():
    X, y = load_wine(return_X_y=True)
    grower = TreeGrower(X, y)
    for rows, named in (
        ([0, 0, 1], "more than once"), ([178], "0 ... 177"), ([-1], "0 ... 177"),
        ([], "at least one"), ([0.5], "row numbers"), ([True] * 178, "row numbers"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=named):
            grower.grow(rows)
    with pytest.raises(ValueError, match="confidence"):
        grower.grow(confidence=25.0)
    with pytest.raises(ValueError, match="positive"):
        TreeGrower(X, y, sample_weight=np.r_[0.0, np.ones(177)])


# ---------------------------------------------------------------- classifiers


def test_classifiers_read_a_cost_model():
    data = load_dataset("pima")
    costs = load_costs("pima", errors=100)
    plain = C45Classifier(mdl_correction=False).fit(data.data, data.target)
    spent = costs.cost_of(plain, data.data, data.target)
    for cls in CLASSIFIERS:
        model = cls(costs).fit(data.data, data.target)
        named = cls("pima").fit(data.data, data.target)
        assert nested(model.tree_) == nested(named.tree_)
        # Glucose is the strongest test and the dearest but one.
        assert plain.tree_.split(0).feature == list(data.data.columns).index("glucose")
        assert model.tree_.split(0).feature != plain.tree_.split(0).feature
        assert costs.cost_of(model, data.data, data.target).average_tests < spent.average_tests


def test_costs_by_name_and_by_place():
    X, y = load_wine(return_X_y=True)
    names = [f"n{j}" for j in range(13)]
    costs = np.linspace(1, 30, 13)
    frame = pd.DataFrame(X, columns=names)
    for cls in CLASSIFIERS:
        by_place = cls(costs).fit(X, y).tree_
        by_name = cls(dict(zip(names, costs, strict=True))).fit(frame, y).tree_
        plain_names = cls({f"x{j}": c for j, c in enumerate(costs)}).fit(X, y).tree_
        assert nested(by_place) == nested(by_name) == nested(plain_names)
        assert nested(cls().fit(X, y).tree_) == nested(cls(np.ones(13)).fit(X, y).tree_)


def test_classifiers_use_discounts():
    tests = {"x0": TestCost(50, 1, group="blood"), "x1": TestCost(50, 1, group="blood"), "x2": 45}
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] * X[:, 1] + 0.1 * X[:, 2] > 0).astype(int)
    whole = {name: t.full if isinstance(t, TestCost) else t for name, t in tests.items()}
    first = IDXClassifier(tests, pruning=None).fit(X, y).tree_
    second = IDXClassifier(whole, pruning=None).fit(X, y).tree_
    assert nested(first) != nested(second)


@pytest.mark.parametrize(
    ("cls", "parameters", "named"),
    [
        (EG2Classifier, {"costs": [-1.0, 1.0]}, "negative"),
        (EG2Classifier, {"costs": [np.nan, 1.0]}, "finite"),
        (EG2Classifier, {"costs": [1.0]}, "1 tests, but there are 2"),
        (EG2Classifier, {"costs": {"x0": 1.0}}, "lack the features"),
        (EG2Classifier, {"costs": {"x0": 1.0, "x1": 1.0, "x7": 1.0}}, "x7"),
        (EG2Classifier, {"costs": "nowhere"}, "nowhere"),
        (EG2Classifier, {"omega": 1.5}, "omega"),
        (EG2Classifier, {"omega": None}, "omega"),
        (EG2Classifier, {"confidence": 0.0}, "confidence"),
        (EG2Classifier, {"confidence": 101}, "confidence"),
        (CSID3Classifier, {"costs": [0.0, 1.0]}, "divide by the cost"),
        (IDXClassifier, {"costs": [0.0, 1.0]}, "divide by the cost"),
        (IDXClassifier, {"categories": "no"}, "categories"),
    ],
)
def test_bad_parameters_are_named(cls, parameters, named):
    X, y = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 1, 0]
    with pytest.raises(ValueError, match=named):
        cls(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"costs": [1.0, -1.0]}, r"costs\[1\]=-1"),
        ({"costs": [1.0, 2.0], "later": [1.0, 3.0], "groups": [0, 0]}, "above the full cost"),
        ({"costs": [1.0, 2.0], "later": [1.0, 1.0]}, "need groups"),
        ({"costs": [1.0, 2.0, 3.0]}, "one cost a column"),
        ({"costs": "dear"}, "must be numbers"),
        ({"measure": "eg2"}, "measure"),
    ],
)
def test_bad_parameters_of_the_finder(parameters, named):
    X, y = np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 1, 0]
    with pytest.raises(ValueError, match=named):
        ObliqueTreeClassifier(finder=CostGain(**parameters)).fit(X, y)


def test_saving(tmp_path):
    X, y = load_wine(return_X_y=True)
    costs = CostModel([TestCost(9, 2, group="a"), TestCost(8, 1, group="a"), *[3.0] * 11])
    for cls in CLASSIFIERS:
        model = cls(costs).fit(X, y)
        save(model, tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert nested(again.fit(X, y).tree_) == nested(model.tree_)
    inner = ObliqueTreeClassifier(finder=BestOf(CostGain("idx", costs=[2.0] * 13))).fit(X, y)
    save(inner, tmp_path / "inner.json")
    assert load(tmp_path / "inner.json").finder.finders[0].measure == "idx"
