"""Explanations of single cases: the Pima example of Alvarez's papers, limits, texts, hard data."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
from test_sensitivity_pima import LEAVES, NAMES, PRINTED, leaf_with

from oblique import DecisionSurface, LDTClassifier, ObliqueTreeClassifier, Tree, explain
from oblique.datasets import load_dataset


@pytest.fixture(scope="module")
def tree():
    return Tree.from_nested(PRINTED, feature_names=NAMES, classes=("0", "1"))


@pytest.fixture(scope="module")
def pima():
    picked = ["glucose", "diastolic_bp", "bmi", "pedigree", "age"]
    X = load_dataset("pima").data[picked].fillna(0.0)
    X.columns = list(NAMES)
    return X


@pytest.fixture(scope="module")
def target():
    dataset = load_dataset("pima")
    return (dataset.target == dataset.unsafe_class).astype(int).astype(str)


@pytest.fixture(scope="module")
def answers(tree, pima, target):
    return explain(tree, pima.iloc[[38, 98]], sample=pima, known=(pima, target))


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return LDTClassifier(random_state=0).fit(X, y), X, y


def test_class_leaf_and_trace(tree, answers):
    first = answers[0]
    assert (first.case, first.predicted_class) == (38, "0")
    assert first.leaf == leaf_with(tree, [111, 14])
    assert [test.text for test in first.trace] == [
        "glucose <= 137.5", "bmi > 26.3", "age <= 28.5", "glucose <= 127.5",
    ]  # fmt: skip
    assert first.trace[0].margin == pytest.approx(47.5 / 199)
    assert first.class_shares == {"0": pytest.approx(111 / 125), "1": pytest.approx(14 / 125)}


def test_moves_of_tables_3_and_4(answers):
    """Percent of the value, of the range and of the deviation."""
    expected = [
        ((5.00, 2.26, 14.07), (8.55, 1.84, 12.98), (5.56, 2.5, 12.76)),
        ((1.61, 0.754, 4.69), (53.37, 8.11, 57.3), (23.91, 9.17, 46.8)),
    ]
    for answer, percents in zip(answers, expected, strict=True):
        found = {m.feature: m for m in answer.moves}
        moves = dict(zip(("glucose", "pedigree", "age"), percents, strict=True))
        assert found.keys() == moves.keys()
        for name, (of_value, of_range, of_deviation) in moves.items():
            assert found[name].percent_of_value == pytest.approx(of_value, abs=0.006)
            assert found[name].percent_of_range == pytest.approx(of_range, abs=0.006)
            assert found[name].percent_of_deviation == pytest.approx(of_deviation, abs=0.05)
    assert [m.feature for m in answers[0].moves] == ["age", "glucose", "pedigree"]


def test_distance_against_deviations_and_the_largest(tree, pima, answers):
    """Table 2: the vector of standard errors is .35 long in min-max, root 5 in standard units."""
    assert answers.deviation_length == pytest.approx(0.35103, abs=5e-6)
    assert answers[0].share_of_deviation == pytest.approx(0.038386 / 0.35103, abs=1e-5)
    standard = explain(tree, pima.iloc[[38]], sample=pima, metric="standard")
    assert standard.deviation_length == pytest.approx(np.sqrt(5.0))
    largest = explain(tree, pima, sample=pima)
    assert max(e.share_of_maximum for e in largest[::50]) <= 1.0
    assert largest.distance.max() == largest.maximum


def test_distance_by_leaf_of_table_5(tree, answers):
    for which, answer in enumerate(answers):
        found = {entry.leaf: entry for entry in answer.distance_by_leaf}
        assert len(found) == 4
        for counts, distances in LEAVES.values():
            entry = found[leaf_with(tree, counts)]
            assert entry.distance == pytest.approx(distances[which], abs=1e-6)
            assert entry.label == "1"
    assert answers[0].distance_by_leaf[0].tests == [
        "age <= 28.5", "glucose <= 94.5", "pedigree <= 0.546",
    ]  # fmt: skip
    assert answers[0].distance_by_class == {"0": 0.0, "1": pytest.approx(0.038386, abs=1e-6)}


def test_errors_near(tree, pima, target, answers):
    rate = answers[0].error_rate
    assert rate.n_cases == 77
    predicted = np.array(["0", "1"])[tree.predict_codes(pima.to_numpy())]
    everything = explain(tree, pima, sample=pima)
    gap = np.abs(everything.distance - answers.distance[0])
    closest = np.argsort(gap)[:77]
    assert rate.farthest - rate.nearest <= 2 * gap[closest].max() + 1e-12
    inside = (everything.distance >= rate.nearest) & (everything.distance <= rate.farthest)
    wrong = (predicted != target.to_numpy())[inside]
    assert abs(wrong.mean() - rate.rate) < 0.03
    assert rate.low < rate.rate < rate.high


def test_a_frozen_attribute(tree, pima, answers):
    frozen = explain(tree, pima.iloc[[38, 98]], sample=pima, frozen=["pedigree"])
    assert [e.distance for e in frozen] == pytest.approx([0.188442, 0.173367], abs=1e-6)
    first = frozen[0]
    assert first.limits == ("pedigree is frozen",)
    assert [t.text for t in first.sensitive_tests] == ["glucose <= 127.5"]
    assert first.unconstrained.distance == answers[0].distance
    assert "Without the limits" in str(first)
    assert "pedigree is frozen" in str(first)


def test_limits_that_change_nothing_say_so(tree, pima):
    (only,) = explain(tree, pima.iloc[[38]], sample=pima, not_decreasing=["age"])
    assert "The limits change nothing." in str(only)


def test_a_weight_turns_to_another_leaf(tree, pima):
    (only,) = explain(tree, pima.iloc[[98]], sample=pima, weights={"age": 2})
    assert only.target_leaf == leaf_with(tree, LEAVES["C4"][0])
    assert only.unconstrained.target_leaf == leaf_with(tree, LEAVES["C3"][0])
    assert only.limits == ("moves of age cost 2 times as much",)


@pytest.mark.parametrize("kind", ["ldt", "axis", "sklearn"])
def test_every_kind_of_tree(kind, iris):
    model, X, y = iris
    if kind == "axis":
        model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    elif kind == "sklearn":
        model = DecisionTreeClassifier(random_state=0).fit(X, y)
    answers = explain(model, X, sample=X, known=(X, y))
    assert len(answers) == len(X)
    frame = answers.to_frame()
    assert frame["distance"].tolist() == answers.distance.tolist()
    for answer in answers[::30]:
        assert answer.predicted_class == model.predict(X.loc[[answer.case]])[0]
        moved = pd.DataFrame([answer.counterfactual])[list(X.columns)]
        assert model.predict(moved)[0] == answer.target_class != answer.predicted_class
        nearest = min(d for k, d in answer.distance_by_class.items() if k != answer.predicted_class)
        assert nearest == pytest.approx(answer.distance)
        assert answer.distance_by_leaf[0].distance == pytest.approx(answer.distance)
        assert all(e.label != answer.predicted_class for e in answer.distance_by_leaf)
        json.dumps(answer.to_dict(), allow_nan=False)
        for text in (str(answer), answer._repr_html_()):
            assert str(answer.target_class) in text


def test_distances_by_leaf_of_many_cases_are_those_of_each(iris):
    model, X, _ = iris
    surface = DecisionSurface(model)
    many = pd.concat([X] * 40, ignore_index=True)  # more than one part
    together = surface.distances_by_leaf(many)
    alone = np.vstack([surface.distances_by_leaf(X.iloc[[i]]) for i in range(len(X))])
    np.testing.assert_array_equal(together, np.tile(alone, (40, 1)))


def test_the_model_remembers_the_scales(iris):
    model, X, _ = iris
    answer = explain(model, X.iloc[:1])[0]
    assert answer.share_of_maximum is None
    assert answer.distance == explain(model, X.iloc[:1], sample=X)[0].distance


def test_incomplete_rows_of_the_sample_and_of_known_cases_are_left_out(iris):
    model, X, y = iris
    holes = X.astype(float)
    holes.iloc[::3, 1] = np.nan
    answer = explain(model, X.iloc[:1], sample=holes, known=(holes, y))[0]
    complete = holes.dropna()
    expected = explain(model, X.iloc[:1], sample=holes, known=(complete, y[complete.index]))[0]
    assert answer.error_rate == expected.error_rate
    assert 0 < answer.share_of_maximum <= 1


def test_categories_by_name():
    X = pd.DataFrame(
        {
            "colour": pd.Categorical(["red", "red", "blue", "green", "blue", "green"] * 5),
            "size": np.arange(30.0),
        }
    )
    y = np.where(X["colour"] == "red", "yes", "no")
    model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    answer = explain(model, X.iloc[:1])[0]
    assert answer.values["colour"] == "red"
    (move,) = answer.moves
    assert (move.feature, move.value) == ("colour", "red")
    assert move.to in ("blue", "green")
    assert np.isnan(move.percent_of_range)
    assert "colour" in str(answer)
    json.dumps(answer.to_dict(), allow_nan=False)


def test_one_class_has_nothing_beyond():
    model = ObliqueTreeClassifier().fit(np.zeros((4, 2)), ["a"] * 4)
    answer = explain(model, np.ones((1, 2)))[0]
    assert (answer.status, answer.target_class, answer.moves) == ("unreachable", None, [])
    assert "No region of another class" in str(answer)
    assert json.loads(json.dumps(answer.to_dict(), allow_nan=False))["distance"] is None


def test_texts_are_escaped_in_html():
    X = pd.DataFrame({"<b>a": np.arange(10.0)})
    model = ObliqueTreeClassifier().fit(X, np.where(X["<b>a"] > 4, "<i>", "ok"))
    page = explain(model, X.iloc[:1])[0]._repr_html_()
    assert "<b>a" not in page
    assert "&lt;b&gt;a" in page


def test_cases_are_counted_from_both_ends(answers):
    assert answers[-1].case == 98
    with pytest.raises(IndexError, match="case 2 of 2"):
        answers[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"known": (np.zeros((2, 4)), [0])}, "give one class a row"),
        ({"known": (np.zeros((1, 4)), ["x"])}, "which the model does not know"),
        ({"known": np.zeros((1, 4))}, "must be a pair"),
        ({"frozen": ["nothing"]}, "frozen"),
        ({"ranges": {"petal width (cm)": (1,)}}, "is no range"),
        ({"weights": {"petal width (cm)": "two"}}, "must hold numbers"),
        ({"weights": {"petal width (cm)": -1}}, "weights must be positive"),
        ({"metric": "euclid"}, "metric"),
    ],
)
def test_bad_input(iris, options, message):
    model, X, _ = iris
    with pytest.raises(ValueError, match=message):
        explain(model, X.iloc[:1], **options)


def test_an_unknown_category_beside_the_way_of_the_case():
    """A test that the case does not meet asks for a category that is not known."""
    X = pd.DataFrame(
        {"a": [0.0, 0.2, 1.0, 1.1, 1.2, 1.3] * 5, "c": pd.Categorical(list("uvuvuv") * 5)}
    )
    y = np.where(X["a"] < 0.5, 0, np.where(X["c"] == "u", 1, 2))
    model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    case = pd.DataFrame({"a": [0.1], "c": pd.Categorical([None], categories=["u", "v"])})
    (answer,) = explain(model, case)
    assert answer.values["c"] is None
    assert [move.feature for move in answer.moves] in (["a"], ["a", "c"], ["c", "a"])
    assert all(move.value != move.to for move in answer.moves)
    assert all(test.margin == test.margin for test in answer.trace)
    assert "tests that hold" in str(answer).lower()


def test_an_unknown_category_on_the_way_of_the_case():
    """No single leaf and no distance: the text says so and names neither."""
    X = pd.DataFrame({"a": np.arange(40.0), "c": pd.Categorical(list("uuvv") * 10)})
    model = LDTClassifier(random_state=0).fit(X, X["c"] == "u")
    (answer,) = explain(model, pd.DataFrame({"a": [9.0], "c": ["new"]}), frozen=["a"])
    assert answer.status == "unrouted"
    for text in (str(answer), answer._repr_html_()):
        assert "does not know the category of c" in text
        assert "The limits change nothing" in text
        assert "nan" not in text.lower()
        assert "in leaf" not in text


def test_strict_tests_read_as_such():
    """A case with the value of a threshold that the test excludes."""
    below = float(np.nextafter(7.0, -np.inf))
    tree = Tree.from_nested(
        {"weights": {"age": 1.0}, "threshold": below, "left": {"counts": {"0": 3, "1": 1}},
         "right": {"counts": {"0": 1, "1": 3}}},
        feature_names=("age",), classes=("0", "1"),
    )  # fmt: skip
    low, high = explain(tree, [[6.0], [7.0]], metric="identity")
    assert low.trace[0].text == low.sensitive_tests[0].text == "age < 7"
    assert high.trace[0].text == "age >= 7"


def test_a_case_on_the_border_is_told_so():
    tree = Tree.from_nested(
        {"weights": {"age": 1.0}, "threshold": 7.0, "left": {"counts": {"0": 3, "1": 1}},
         "right": {"counts": {"0": 1, "1": 3}}},
        feature_names=("age",), classes=("0", "1"),
    )  # fmt: skip
    (answer,) = explain(tree, [[7.0]], metric="identity", weights={"age": 2})
    assert (answer.distance, answer.moves) == (0.0, [])
    for text in (str(answer), answer._repr_html_()):
        assert "lies on the border of class 1 (leaf 2)" in text
        assert "The limits change nothing." in text


def test_labels_of_several_levels(iris):
    model, X, _ = iris
    labelled = X.iloc[:2].set_index(pd.MultiIndex.from_tuples([(1, "a"), (1, "b")]))
    assert explain(model, labelled).to_frame().index.tolist() == [(1, "a"), (1, "b")]


def test_what_is_no_table_is_refused_as_in_predict(iris):
    with pytest.raises(ValueError, match="Expected 2D array"):
        explain(iris[0], None)


def test_no_line_ends_between_a_weight_and_its_attribute():
    names = tuple(f"attribute_{letter}" for letter in "abcdefghi")
    tree = Tree.from_nested(
        {"weights": {name: 1.5 + j for j, name in enumerate(names)}, "threshold": 7.0,
         "left": {"counts": {"0": 3}}, "right": {"counts": {"1": 3}}},
        feature_names=names, classes=("0", "1"),
    )  # fmt: skip
    (answer,) = explain(tree, np.zeros((1, 9)), metric="identity")
    lines = str(answer).splitlines()
    because = lines[1 : lines.index("")]
    assert len(because) > 1
    assert not any(line[-1].isdigit() for line in because[:-1])
    assert " ".join(line.strip() for line in because) == f"because {answer.trace[0].text}"
