"""What trees cost: Turney's figures, the rules of payment against a plain walk, bad input."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import KINDS, random_cases, random_tree
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from oblique import CostModel, LDTClassifier, ObliqueTreeClassifier, Tree
from oblique.costs import TestCost, list_costs, load_costs, read_costs, read_errors
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel
from oblique.persist import registry
from oblique.persist.values import decode, encode

# ---------------------------------------------------------------- published figures


@pytest.mark.parametrize(
    ("name", "total"),
    [("pima", 44.29), ("thyroid", 69.81), ("heart", 323.97), ("bupa", 30.54), ("hepatitis", 42.98)],
)
def test_cost_of_all_tests_of_the_published_tables(name, total):
    assert load_costs(name).cost_of_all_tests == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize(
    ("error", "standard"), [(50, 61.7379), (100, 79.1858), (500, 218.7692), (1000, 393.2483)]
)
def test_standard_cost_of_pima(error, standard):
    target = load_dataset("pima").target
    assert load_costs("pima", error).standard_cost(target) == pytest.approx(standard, abs=5e-5)


def test_standard_cost_of_thyroid_and_heart():
    thyroid = np.repeat([1, 2, 3], [166, 368, 6666])
    expected = 69.81 + 100 * (1 - 6666 / 7200)
    assert load_costs("thyroid", 100).standard_cost(thyroid) == pytest.approx(expected)
    heart = load_dataset("heart_cleveland").target
    expected = 323.97 + 100 * 139 / 303
    assert load_costs("heart", 100).standard_cost(heart) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["pima", "heart_cleveland", "bupa_drinks", "hepatitis_filled"])
def test_tables_fit_their_data_sets(name):
    data = load_dataset(name)
    tree = ObliqueTreeClassifier(finder=AxisParallel(), max_depth=3).fit(data.data, data.target)
    spent = load_costs(name, 100).cost_of(tree, data.data, data.target)
    assert 0 < spent.average_tests <= load_costs(name).cost_of_all_tests + 1e-9


def test_shared_part_is_the_same_for_all_tests_of_a_group():
    shared = {}
    for name in list_costs():
        for test in load_costs(name).tests.values():
            if test.group is not None:
                shared.setdefault(test.group, set()).add(round(test.full - test.later, 2))
            assert test.evidence
    assert shared == {"A": {2.10}, "B": {101.90}, "C": {86.30}}


# ---------------------------------------------------------------- rules of payment

LEAF = {"counts": {"no": 3, "yes": 1}}
WORKED = {
    "weights": {"alpha": 1.0},
    "threshold": 0.0,
    "left": LEAF,
    "right": {
        "weights": {"delta": 1.0},
        "threshold": 0.0,
        "left": LEAF,
        "right": {"weights": {"epsilon": 1.0}, "threshold": 0.0, "left": LEAF, "right": LEAF},
    },
}
PRICES = CostModel(
    {
        "alpha": 5.0,
        "delta": TestCost(7.0, 5.0, group="g", delayed=True),
        "epsilon": TestCost(10.0, 8.0, group="g", delayed=True),
    },
    errors=50.0,
)


def test_delayed_test_orders_all_tests_below_it():
    """Turney's example: a case that ends under the delayed test pays for what follows, too."""
    tree = Tree.from_nested(WORKED)
    X = np.array([[-1.0, 0, 0], [1.0, -1.0, 0], [1.0, 1.0, 1.0]])
    spent = PRICES.cost_of(tree, X, ["no", "yes", "yes"])
    np.testing.assert_array_equal(spent.tests, [5.0, 20.0, 20.0])
    np.testing.assert_array_equal(spent.errors, [0.0, 50.0, 50.0])
    np.testing.assert_array_equal(spent.total, [5.0, 70.0, 70.0])
    assert spent.average == pytest.approx(145 / 3)


def test_immediate_tests_are_paid_as_they_are_met():
    plain = CostModel({"alpha": 5, "delta": TestCost(7, 5, "g"), "epsilon": TestCost(10, 8, "g")})
    X = np.array([[-1.0, 0, 0], [1.0, -1.0, 0], [1.0, 1.0, 1.0]])
    spent = plain.cost_of(Tree.from_nested(WORKED), X, ["no", "no", "no"])
    np.testing.assert_array_equal(spent.tests, [5.0, 12.0, 20.0])


def test_case_without_a_value_pays_for_all_its_paths():
    X = np.array([[np.nan, 0, 0]])
    plain = CostModel({"alpha": 5, "delta": TestCost(7, 5, "g"), "epsilon": TestCost(10, 8, "g")})
    assert plain.cost_of(Tree.from_nested(WORKED), X, ["no"]).tests == 12.0
    assert PRICES.cost_of(Tree.from_nested(WORKED), X, ["no"]).tests == 20.0


def random_prices(rng, names):
    tests = {}
    for name in names:
        full, group = float(rng.integers(0, 50)), rng.choice(["", "a", "b"])
        discount = float(rng.integers(0, full + 1)) if group else None
        tests[name] = TestCost(full, discount, group or None, bool(rng.random() < 0.3))
    return tests


def walk(tree, node, visited, tests, paid, groups):
    """Cost of the tests below a node for a case that visits some nodes, written plainly."""

    def pay(at):
        cost = 0.0
        for j in np.flatnonzero(tree.split(at).weights):
            test = tests[f"x{j}"]
            if j not in paid:
                paid.add(j)
                cost += test.later if test.group in groups else test.full
                groups.update({test.group} - {None})
        return cost

    def order(at):
        if tree.children_left[at] < 0:
            return 0.0
        return pay(at) + order(tree.children_left[at]) + order(tree.children_right[at])

    if tree.children_left[node] < 0 or node not in visited:
        return 0.0
    if any(tests[f"x{j}"].delayed for j in np.flatnonzero(tree.split(node).weights)):
        return order(node)
    cost = pay(node)
    for child in (tree.children_left[node], tree.children_right[node]):
        cost += walk(tree, child, visited, tests, paid, groups)
    return cost


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 15), st.sampled_from(KINDS), st.booleans())
def test_costs_equal_a_plain_walk(seed, n_leaves, kind, missing):
    rng = np.random.default_rng(seed)
    tree, scale = random_tree(rng, 5, n_leaves, kind)
    tests = random_prices(rng, [f"x{j}" for j in range(5)])
    matrix = rng.integers(0, 100, size=(3, 3)).astype(float)
    costs = CostModel(tests, matrix)
    X = random_cases(rng, 20, 5, kind, scale)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, 3, size=20)
    spent = costs.cost_of(tree, X, y)
    paths = tree.decision_path(X)
    for i in range(20):
        visited = set(
            paths.indices[paths.indptr[i] : paths.indptr[i + 1]][
                paths.data[paths.indptr[i] : paths.indptr[i + 1]] > 0
            ].tolist()
        )
        assert spent.tests[i] == pytest.approx(walk(tree, 0, visited, tests, set(), set()))
    np.testing.assert_array_equal(spent.errors, matrix[tree.predict_codes(X), y])
    assert spent.average == pytest.approx(spent.total.mean())


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_scikit_learns_trees_cost_what_ours_would(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 3, size=80)
    X[rng.random(X.shape) < 0.05] = np.nan
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    costs = CostModel(list(random_prices(rng, "abcd").values()), errors={0: 1, 1: 5, 2: 20})
    spent = costs.cost_of(model, X, y)
    again = costs.cost_of(Tree.from_sklearn(model), X, y)
    np.testing.assert_array_equal(spent.tests, again.tests)
    wrong = model.predict(X) != y
    np.testing.assert_array_equal(spent.errors, wrong * np.array([1.0, 5.0, 20.0])[y])


def test_single_leaf_pays_for_errors_only():
    data = load_dataset("pima")
    leaf = ObliqueTreeClassifier(min_samples_split=10_000)
    spent = load_costs("pima", 100).cost_of(
        leaf.fit(data.data, data.target), data.data, data.target
    )
    assert not spent.tests.any()
    assert spent.average == pytest.approx(100 * 268 / 768)


def test_oblique_tests_pay_for_every_feature_with_a_weight():
    tree = Tree.from_nested(
        {"weights": {"a": 2.0, "c": -0.1}, "threshold": 0.0, "left": LEAF, "right": LEAF},
        feature_names=["a", "b", "c"],
    )
    costs = CostModel({"a": 1, "b": 10, "c": 100})
    assert costs.cost_of(tree, np.zeros((1, 3)), ["no"]).tests == 101.0


def test_weights_count_in_averages():
    tree = Tree.from_nested(WORKED)
    X = np.array([[-1.0, 0, 0], [1.0, -1.0, 0]])
    spent = PRICES.cost_of(tree, X, ["no", "yes"], sample_weight=[3, 1])
    assert spent.average == pytest.approx((3 * 5 + 70) / 4)
    twice = PRICES.cost_of(tree, X[[0, 0, 0, 1]], ["no", "no", "no", "yes"])
    assert spent.average == pytest.approx(twice.average)


def test_score_is_percent_of_the_standard_cost():
    data = load_dataset("pima")
    costs = load_costs("pima", 100)
    model = LDTClassifier(unsafe_class=1).fit(data.data, data.target)
    average = costs.cost_of(model, data.data, data.target).average
    expected = 100 * average / costs.standard_cost(data.target)
    assert costs.score(model, data.data, data.target) == pytest.approx(expected)
    assert costs.score(model, data.data, data.target, standard=average) == pytest.approx(100)


# ---------------------------------------------------------------- costs of errors


def test_matrix_is_read_by_answer_and_class():
    matrix = [[0, 7], [3, 0]]
    np.testing.assert_array_equal(CostModel(errors=matrix).error_matrix([0, 1]), matrix)
    named = CostModel(errors=matrix, classes=["yes", "no"])
    np.testing.assert_array_equal(named.error_matrix(["no", "yes"]), [[0, 3], [7, 0]])
    frame = pd.DataFrame(matrix, index=["b", "a"], columns=["a", "b"])
    # The line is the answer: answering b where a is true costs 0, b where b is true 7.
    np.testing.assert_array_equal(
        CostModel(errors=frame).error_matrix(["a", "b"]), [[3, 0], [0, 7]]
    )
    by_class = CostModel(errors={"safe": 1, "unsafe": 50}).error_matrix(["safe", "unsafe"])
    np.testing.assert_array_equal(by_class, [[0, 50], [1, 0]])


def test_classes_are_matched_by_spelling():
    costs = CostModel(errors=[[0, 7], [3, 0]], classes=["0", "1"])
    for labels in ([0, 1], [0.0, 1.0], np.array([0, 1]), ["0", "1"]):
        np.testing.assert_array_equal(costs.error_matrix(labels), [[0, 7], [3, 0]])


def test_cases_of_a_class_that_training_did_not_have():
    X = np.arange(8.0).reshape(-1, 1)
    model = DecisionTreeClassifier().fit(X[:4], ["a", "a", "b", "b"])
    spent = CostModel(errors={"a": 1, "b": 2, "c": 9}).cost_of(model, X[:4], ["a", "b", "b", "c"])
    np.testing.assert_array_equal(spent.errors, [0, 2, 0, 9])


# ---------------------------------------------------------------- files

TABLE = "test,full_cost,discount_cost,group,delay\nglucose,17.61,15.51,A,delayed\nage,1,,,\n"


def test_read_costs(tmp_path):
    (tmp_path / "costs.csv").write_text(TABLE)
    (tmp_path / "errors.csv").write_text("answer,0,1\n0,0,400\n1,50,0\n")
    costs = read_costs(tmp_path / "costs.csv", tmp_path / "errors.csv")
    assert costs.tests == {
        "glucose": TestCost(17.61, 15.51, "A", True), "age": TestCost(1.0)
    }  # fmt: skip
    np.testing.assert_array_equal(costs.error_matrix([0, 1]), [[0, 400], [50, 0]])
    assert list(read_errors(tmp_path / "errors.csv").index) == ["0", "1"]


@pytest.mark.parametrize("first", ["", '""', "answer"])
def test_the_first_cell_of_a_matrix_is_free(tmp_path, first):
    (tmp_path / "errors.csv").write_text(f'{first},"a","b"\na,0,400\nb,50,0\n')
    read = read_errors(tmp_path / "errors.csv")
    assert read.to_dict() == {"a": {"a": 0, "b": 50}, "b": {"a": 400, "b": 0}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("17.61", "-17.61"), r"line 2, test 'glucose': full cost -17.61 must be a finite number"),
        (("15.51", "18.51"), "line 2, test 'glucose': discount cost 18.51 is above the full cost"),
        (("17.61", "much"), "line 2, test 'glucose': full cost 'much' must be a finite number"),
        ((",delayed", ",late"), "line 2, test 'glucose': delay 'late' must be 'immediate'"),
        ((",A,", ",,"), "line 2, test 'glucose': discount cost 15.51 without a group"),
        (("age,1", ",1"), "line 3, test 'None': the name of the test is missing"),
        (("age,1", "glucose,1"), "line 3, test 'glucose': the test stands there twice"),
        (("full_cost", "price"), "lacks the column 'full_cost'"),
        ((",group", ",grop"), "column='grop' is not known; did you mean 'group'"),
    ],
)
def test_faults_of_a_file_are_named(tmp_path, change, message):
    path = tmp_path / "costs.csv"
    path.write_text(TABLE.replace(*change))
    with pytest.raises(ValueError, match=message):
        read_costs(path)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_costs(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="costs='pina' is not known; did you mean 'pima'"):
        load_costs("pina")
    (tmp_path / "errors.csv").write_text("answer,0,1\n0,0,much\n1,50,0\n")
    with pytest.raises(ValueError, match="column '1' holds no number"):
        read_errors(tmp_path / "errors.csv")


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"a": -1},), "cost of test 'a': full cost -1 must be a finite number"),
        (({"a": float("inf")},), "cost of test 'a': full cost inf"),
        (({"a": True},), "cost of test 'a': full cost True"),
        (([1, "x"],), "cost of test number 1: full cost 'x'"),
        (("pima",), "tests='pima' must map names"),
        ((None, -1), "errors -1 must be a finite number"),
        ((None, [[0, 1, 2], [1, 0, 2]]), r"errors has shape \(2, 3\); it must be square"),
        ((None, [[0, -1], [1, 0]]), r"errors\[0, 1\] -1.0 must be a finite number"),
        ((None, [["a", 1], [1, 0]]), "is not a matrix of numbers"),
        ((None, np.eye(2), ["a", "b", "c"]), r"shape \(2, 2\), but classes names 3"),
        ((None, np.eye(2), ["a", "a"]), "classes names 'a' more than once"),
        ((None, {"a": 1}, ["b"]), "classes names the classes"),
        ((None, 5.0, ["a", "b"]), "errors is a single cost"),
        ((None, {}), "names no class"),
        ((None, [[1, 2], [3]]), "is not a matrix of numbers"),
        ((None, np.eye(2), "ab"), "classes='ab' must list the classes"),
        ((None, np.eye(2), 2), "classes=2 must list the classes"),
    ],
)
def test_costs_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        CostModel(*arguments)


def test_costs_that_do_not_fit_the_model():
    data = load_dataset("pima")
    model = LDTClassifier(unsafe_class=1, max_depth=2).fit(data.data, data.target)

    def refuse(costs, message, y=data.target):
        with pytest.raises(ValueError, match=message):
            costs.cost_of(model, data.data, y)

    refuse(CostModel({"glucos": 1}), "feature='glucos' is not known; did you mean 'glucose'")
    refuse(CostModel({"glucose": 1}), r"lack the features \['times_pregnant', 'diastolic_bp'")
    refuse(CostModel([1, 2]), "costs list 2 tests, but there are 8 features")
    refuse(CostModel(errors=np.zeros((3, 3))), r"shape \(3, 3\), but there are 2 classes")
    refuse(CostModel(errors={"no": 1, "yes": 2}), "costs of errors: class='0' is not known")
    refuse(CostModel(), r"y has shape \(2,\), but X has 768 rows", y=[0, 1])
    forest = RandomForestClassifier(2).fit(data.data, data.target)
    with pytest.raises(TypeError, match="holds no single classification tree"):
        CostModel().cost_of(forest, data.data, data.target)
    with pytest.raises(ValueError, match="must be above zero"):
        CostModel(errors=0.0).score(model, data.data, data.target)
    with pytest.raises(ValueError, match="standard='a' must be above zero"):
        CostModel().score(model, data.data, data.target, standard="a")
    for wrong in (-np.ones(768), np.zeros(768), np.full(768, np.nan), np.ones(5)):
        with pytest.raises(ValueError, match="sample_weight must"):
            CostModel().cost_of(model, data.data, data.target, wrong)
        with pytest.raises(ValueError, match="sample_weight must"):
            CostModel().standard_cost(data.target, wrong)
    with pytest.raises(ValueError, match="y is empty"):
        CostModel().standard_cost([])
    with pytest.raises(ValueError, match="NaN"):
        CostModel().standard_cost([np.nan, 1.0])
    with pytest.raises(ValueError, match="feature='bp' is not known"):
        load_costs("pima").for_features(["bp"])


# ---------------------------------------------------------------- keeping


def test_costs_can_be_kept_in_a_model_file():
    costs = load_costs("heart", {"0": 1, "1": 5})
    assert {"CostModel", "TestCost"} <= set(registry.OWN)
    again = decode(encode(costs, "costs"), "costs")
    assert again == costs
    assert copy.deepcopy(costs) == costs
    free = CostModel([1, TestCost(3, 2, "g")], [[0, 1], [2, 0]])
    assert decode(encode(free, "costs"), "costs") == free


def test_features_can_be_left_out():
    costs = load_costs("pima").for_features(["insulin", "age"])
    assert list(costs.tests) == ["insulin", "age"]
    assert costs.cost_of_all_tests == pytest.approx(23.78)
