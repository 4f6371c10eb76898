"""Costs of tests and errors as measures of a comparison."""

import json
import re

import numpy as np
import pytest
from odd_classifiers import ForeignTree, Majority, OneColumn
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from baselines import CostWeighted, EG2Classifier, ICETClassifier
from oblique import LDTClassifier, ObliqueTreeClassifier, load
from oblique.cli import main
from oblique.compare import Design, Source, Strategy, run, run_cell, summarize
from oblique.compare.design_file import DesignFileError, format_design, read_design
from oblique.compare.execute import prepare_estimator
from oblique.compare.seeding import derive_seed
from oblique.compare.splitting import split_rows
from oblique.costs import CostModel, load_costs
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel
from oblique.indecision import NoisyMeasurements

ERRORS = {"0": 50, "1": 400}
STUMP = "sklearn.tree:DecisionTreeClassifier"


def scores_of(estimator, costs, dataset="pima"):
    (cell,) = Design([dataset], [Strategy("tried", estimator)], repeats=1,
                     costs={dataset: costs}).cells()  # fmt: skip
    record = run_cell(cell)
    assert record["status"] == "done", record["error"]
    return cell, record["scores"]


@pytest.mark.parametrize("estimator", [LDTClassifier(), DecisionTreeClassifier(max_depth=4)])
def test_a_tree_pays_for_the_tests_on_its_paths(estimator):
    costs = load_costs("pima", ERRORS)
    cell, scores = scores_of(estimator, costs)
    pima = load_dataset("pima")
    labels = pima.target.to_numpy()
    train, test = split_rows(labels, cell.split, seed=cell.seed)
    model = prepare_estimator(
        estimator, unsafe_class=1, seed=derive_seed(cell.seed, purpose="model")
    )
    model.fit(pima.data.iloc[train], labels[train])
    paid = costs.cost_of(model, pima.data.iloc[test], labels[test])
    assert scores["cost_of_tests"] == pytest.approx(paid.average_tests)
    assert scores["cost_of_errors"] == pytest.approx(paid.average_errors)
    assert scores["cost"] == pytest.approx(paid.average)
    assert scores["cost_percent"] == pytest.approx(100 * paid.average / costs.standard_cost(labels))
    missed = 50 * 250 * (1 - scores["recall"]["0"]) + 400 * 134 * (1 - scores["recall"]["1"])
    assert scores["cost_of_errors"] == pytest.approx(missed / 384)


@pytest.mark.parametrize(
    "estimator",
    [
        Majority(),
        ForeignTree(),
        OneColumn(),
        make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=1)),
        NoisyMeasurements(ObliqueTreeClassifier(finder=AxisParallel(), max_depth=1), test=0.1),
    ],
)
def test_what_is_no_tree_over_the_features_pays_for_all_of_them(estimator):
    _, scores = scores_of(estimator, load_costs("pima", ERRORS))
    assert scores["cost_of_tests"] == pytest.approx(44.29)


def test_a_search_for_a_tree_pays_as_the_tree():
    costs = load_costs("pima")
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    search = GridSearchCV(tree, {"max_depth": [1]}, cv=2)
    assert scores_of(search, costs)[1]["cost"] == scores_of(tree, costs)[1]["cost"]


def test_classifiers_that_weigh_costs_are_told_those_of_the_data_set():
    costs, own = load_costs("pima", ERRORS), load_costs("pima", 1.0)
    for estimator in (ICETClassifier(), EG2Classifier()):
        prepared = prepare_estimator(estimator, unsafe_class=1, seed=0, costs=costs)
        assert prepared.costs == costs
        assert estimator.costs is None
    piped = make_pipeline(StandardScaler(), EG2Classifier())
    told = prepare_estimator(piped, unsafe_class=1, seed=0, costs=costs)
    assert told[-1].costs == costs
    chosen = prepare_estimator(ICETClassifier(own), unsafe_class=1, seed=0, costs=costs)
    assert chosen.costs == own
    # A finder takes numbers, one a column.
    finder = ObliqueTreeClassifier(finder=CostWeighted(AxisParallel()))
    assert prepare_estimator(finder, unsafe_class=1, seed=0, costs=costs).finder.costs is None
    searched = scores_of(ICETClassifier(n_trials=60, population_size=20), costs)[1]
    plain = scores_of(ObliqueTreeClassifier(finder=AxisParallel()), costs)[1]
    assert searched["cost"] < plain["cost"]


def test_costs_are_part_of_what_a_cell_is():
    def key(**options):
        return Design(["pima"], [STUMP], repeats=1, **options).cells()[0].key

    keys = [
        key(), key(costs={"pima": "pima"}), key(costs={"pima": CostModel(None, 2.0)}),
        key(unsafe_cost=2.0),
    ]  # fmt: skip
    assert len(set(keys)) == 4
    assert key(costs={"pima": load_costs("pima")}) == keys[1]


def test_data_sets_with_and_without_costs_stand_side_by_side():
    design = Design(["pima", "iris"], [STUMP], repeats=2, costs={"pima": "pima"})
    summary = summarize(run(design, progress=False).records).set_index("dataset")
    assert summary.loc["pima", "cost"] > 0
    assert np.isnan(summary.loc["iris", "cost"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"costs": {"pimaa": "pima"}}, "data set='pimaa' is not known"),
        ({"costs": {"pima": "pimaa"}}, "costs='pimaa' is not known"),
        ({"costs": {"pima": "absent.csv"}}, "there is no file 'absent.csv'"),
        ({"costs": {"pima": "heart"}}, "costs of data set 'pima': costs of tests"),
        ({"costs": {"pima": CostModel(None, {"a": 1, "b": 2})}}, "costs of errors: class='0'"),
        ({"costs": {"pima": 3}}, "must be a CostModel, the name"),
        ({"costs": {"pima": "pima"}, "unsafe_cost": 3}, "'pima' has costs of its own"),
    ],
)
def test_costs_that_do_not_fit(options, said):
    with pytest.raises((ValueError, OSError), match=said):
        Design(["pima"], [STUMP], **options).cells()


def test_costs_must_be_a_mapping():
    with pytest.raises(TypeError, match="must map names of data sets"):
        Design(["pima"], [STUMP], costs="pima")


def test_errors_beside_a_whole_model():
    source = Source("pima", "pima", costs=load_costs("pima"), errors=3.0)
    with pytest.raises(ValueError, match="with_errors"):
        Design([source], [STUMP]).cells()


DESIGN = f"""\
datasets = [
    "pima",
    "own",
]
strategies = ["{STUMP}"]
repeats = 1

[data.pima]
costs = "pima"
errors = {{ 0 = 50, 1 = 400 }}

[data.own]
path = "own.csv"
costs = "prices.csv"
errors = "errors.csv"
"""


@pytest.fixture
def folder(tmp_path):
    rows = "".join(f"{i},{i % 7},{'ab'[i > 20]}\n" for i in range(40))
    (tmp_path / "own.csv").write_text("x,y,class\n" + rows)
    (tmp_path / "prices.csv").write_text("test,full_cost\nx,2\ny,1\n")
    (tmp_path / "errors.csv").write_text("answer,a,b\na,0,9\nb,3,0\n")
    return tmp_path


def test_a_design_file_with_costs(folder):
    (folder / "d.toml").write_text(DESIGN)
    design = read_design(folder / "d.toml")
    cells = design.cells()
    assert cells[0].costs == load_costs("pima", ERRORS)
    assert cells[1].costs.error_matrix(["a", "b"]).tolist() == [[0, 9], [3, 0]]
    (folder / "again.toml").write_text(format_design(design))
    assert [c.key for c in read_design(folder / "again.toml").cells()] == [c.key for c in cells]


def test_a_written_design_finds_its_costs_from_another_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    own = Source("own", "own.csv", costs="prices.csv", errors="errors.csv")
    text = format_design(Design([own], [STUMP], repeats=1))
    monkeypatch.chdir("/")
    assert f'costs = "{folder / "prices.csv"}"' in text
    assert f'errors = "{folder / "errors.csv"}"' in text


def test_a_design_with_costs_from_python_says_so():
    text = format_design(Design(["pima"], [STUMP], costs={"pima": CostModel(None, 2.0)}))
    assert '[data."pima"]\n# costs was given from Python' in text


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('"pima",', '"pima",\n    "irris",', 3, "no data set and no file called 'irris'"),
        ('costs = "pima"', 'costs = "bupa"', 9, "costs of data set 'pima': costs of tests"),
        ('costs = "pima"', 'costs = "pimma"', 9, "costs='pimma' is not known"),
        ('costs = "pima"', "costs = 3", 9, "costs must be a text"),
        ("{ 0 = 50, 1 = 400 }", "{ no = 50, yes = 400 }", 10, "costs of errors: class='0'"),
        ("{ 0 = 50, 1 = 400 }", "true", 10, "errors must be a number, a table"),
        ("{ 0 = 50, 1 = 400 }", "{ 0 = 50, 1 = true }", 10, "errors: error cost of '1' True"),
        ("{ 0 = 50, 1 = 400 }", "-1", 10, "errors -1 must be"),
        ('errors = "errors.csv"', 'errors = "absent.csv"', 15, "there is no file 'absent.csv'"),
        ('errors = "errors.csv"', 'unsafe_class = "c"', 15, "'c'"),
        ("repeats = 1\n", 'repeats = 1\n[data.iris]\nunsafe_class = "x"\n', 7, "iris"),
    ],
)
def test_mistakes_in_a_design_file_are_told_with_their_line(folder, old, new, line, said):
    (folder / "d.toml").write_text(DESIGN.replace(old, new))
    with pytest.raises(DesignFileError, match=rf"line {line}: .*{said}"):
        read_design(folder / "d.toml")


QUICK = ["--strategies", STUMP, "--repeats", "2", "--jobs", "1", "--quiet"]


def test_costs_on_the_command_line(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    prices = ["--costs", "pima=pima", "own=prices.csv"]
    assert main(["compare", "--data", "pima", "own.csv", *prices, *QUICK, "--json"]) == 0
    rows = {row["dataset"]: row for row in json.loads(capsys.readouterr().out)}
    assert 0 < rows["own"]["cost_of_tests"] <= 3
    weighed = ["--costs", "pima", "--error-costs", "0=50", "1=400"]
    assert main(["compare", "--data", "pima", *weighed, *QUICK]) == 0
    assert "cost" in capsys.readouterr().out
    only_errors = ["--error-costs", "errors.csv"]
    assert main(["compare", "--data", "own.csv", *only_errors, *QUICK, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["cost_of_tests"] == 0
    # An `a` answered for a `b` costs 9, the other error 3.
    wrong = 1 - row["accuracy"]
    assert 3 * wrong <= row["cost_of_errors"] <= 9 * wrong


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--costs", "nowhere=pima"], "data set='nowhere' is not known"),
        (["--costs", "pimma"], "costs='pimma' is not known"),
        (["--costs", "pima", "--unsafe-cost", "3"], "costs of its own"),
        (["--error-costs", "much"], "give one number, CLASS=COST"),
        (["--error-costs", "0=1", "3"], "give one number, CLASS=COST"),
        (["--error-costs", "0=-1", "1=2"], "-1"),
        (["--error-costs", "absent.csv"], "absent.csv"),
        (["--costs", "heart"], "costs of data set 'pima'"),
    ],
)
def test_bad_costs_on_the_command_line(arguments, said, capsys):
    assert main(["compare", "--data", "pima", *arguments, *QUICK]) == 2
    assert said in capsys.readouterr().err


def test_fit_hands_the_costs_to_the_strategy(tmp_path, capsys):
    pima, path = load_dataset("pima"), tmp_path / "model.json"
    options = ["--costs", "pima", "--error-costs", "0=50", "1=400"]
    assert main(["fit", "pima", "--strategy", "eg2", *options, "-o", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    costs = load_costs("pima", ERRORS)
    expected = EG2Classifier(costs).fit(pima.data, pima.target)
    model = load(path)
    np.testing.assert_array_equal(model.tree_.threshold, expected.tree_.threshold)
    assert model.costs == costs
    assert told["cost"] == pytest.approx(costs.cost_of(expected, pima.data, pima.target).average)


def test_fit_says_what_is_spent(tmp_path, capsys):
    arguments = ["fit", "pima", "--strategy", "ap", "-o", str(tmp_path / "model.json")]
    assert main([*arguments, "--error-costs", "10"]) == 0
    assert "0 spent on each" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--costs", "pina"], "did you mean 'pima'"),
        (["--costs", "heart"], "feature='sex' is not known"),
        (["--error-costs", "0=50", "2=400"], "class='1' is not known"),
        (["--error-costs", "-5"], "errors -5.0 must be"),
        (["--error-costs", "much"], "give one number"),
    ],
)
def test_fit_refuses_costs_that_do_not_fit(options, message, tmp_path, capsys):
    path = tmp_path / "model.json"
    assert main(["fit", "pima", "--strategy", "eg2", *options, "-o", str(path)]) != 0
    assert re.search(message, capsys.readouterr().err)
    assert not path.exists()
