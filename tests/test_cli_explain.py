"""``oblique explain`` and ``oblique rank``: answers, and errors that name what is wrong."""

import json

import numpy as np
import pandas as pd
import pytest

from oblique import LDTClassifier, explain, save
from oblique.cli import main
from oblique.datasets import load_dataset
from oblique.sensitivity import rank_cases


@pytest.fixture(scope="module")
def bupa():
    return load_dataset("bupa")


@pytest.fixture(scope="module")
def model(bupa):
    return LDTClassifier(max_depth=4, random_state=0).fit(bupa.data, bupa.target)


@pytest.fixture(scope="module")
def path(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "model.json"
    save(model, path)
    return str(path)


def test_one_case_is_what_python_says(path, model, bupa, capsys):
    assert main(["explain", path, "bupa", "--case", "3", "--freeze", "sgpt"]) == 0
    X = bupa.data.set_axis(range(1, len(bupa.data) + 1))
    (answer,) = explain(model, X.loc[[3]], frozen=["sgpt"])
    assert capsys.readouterr().out == f"{answer}\n"
    assert "Case 3" in str(answer)


def test_all_options(path, capsys):
    code = main(
        ["explain", path, "bupa", "--case", "1", "--case", "9", "--metric", "standard",
         "--sample", "bupa", "--known", "bupa", "--not-decreasing", "drinks",
         "--not-increasing", "mcv", "--range", "sgot=:100", "--weight", "sgpt=2.5", "--json"]
    )  # fmt: skip
    assert code == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["case"], second["case"]) == (1, 9)
    assert first["limits"] == [
        "drinks may not fall", "mcv may not rise", "sgot stays between -inf and 100",
        "moves of sgpt cost 2.5 times as much",
    ]  # fmt: skip
    assert first["error_rate"]["n_cases"] == 34
    assert first["share_of_maximum"] <= 1


def test_many_cases_make_a_table(path, capsys):
    assert main(["explain", path, "bupa"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["case", "class", "distance", "other", "class", "status"]
    assert len([line for line in lines[1:] if line.endswith("found")]) == 345


@pytest.mark.parametrize("scope", ["global", "local"])
def test_ranking_is_what_python_says(path, model, bupa, capsys, scope):
    arguments = ["rank", path, "bupa", "--positive", "2", "--scope", scope, "--json"]
    assert main([*arguments, "--top", "20"]) == 0
    shown = pd.DataFrame(json.loads(capsys.readouterr().out))
    expected = rank_cases(model, bupa.data, 2, scope=scope).head(20)
    assert (shown["case"] - 1).tolist() == expected["row"].tolist()
    np.testing.assert_allclose(shown["score"], expected["score"])
    keys = ["score"] if scope == "global" else ["estimate", "score"]
    assert expected.sort_values(keys, ascending=False, kind="stable").index.is_monotonic_increasing


def test_ranking_to_a_file(path, tmp_path):
    out = tmp_path / "ranking.csv"
    assert main(["rank", path, "bupa", "--positive", "1", "-o", str(out)]) == 0
    table = pd.read_csv(out)
    assert sorted(table["case"]) == list(range(1, 346))
    assert table["rank"].is_monotonic_increasing


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "bupa", "--case", "0"], "counted from 1 to 345"),
        (["explain", "bupa", "--freeze", "beer"], "frozen='beer' is not known"),
        (["explain", "bupa", "--weight", "drinks"], "write NAME=VALUE"),
        (["explain", "bupa", "--weight", "drinks=x"], "'x' is no number"),
        (["explain", "bupa", "--weight", "drinks=0"], "weights must be positive"),
        (["explain", "bupa", "--range", "drinks=3"], "write NAME=LOW:HIGH"),
        (["explain", "bupa", "--integer", "drinks"], "axis-parallel trees only"),
        (["explain", "pima"], "lacks 6 columns"),
        (["explain", "nowhere.csv"], "nowhere.csv"),
        (["rank", "bupa", "--positive", "3"], "classes are 1, 2"),
        (["rank", "bupa", "--positive", "2", "--top", "0"], "at least one case"),
    ],
)
def test_bad_input(path, arguments, message, capsys):
    command, data, *options = arguments
    assert main([command, path, data, *options]) == 2
    assert message in capsys.readouterr().err


def test_known_cases_without_the_class_column(path, bupa, tmp_path, capsys):
    file = str(tmp_path / "cases.csv")
    bupa.data[:30].to_csv(file, index=False)
    assert main(["explain", path, "bupa", "--case", "1", "--known", file]) == 2
    message = capsys.readouterr().err
    assert "in column 'drinks' is no class of the model (1, 2)" in message
    assert "--target names" in message


def test_incomplete_cases_are_left_out_and_named(path, bupa, tmp_path, capsys):
    X = bupa.data[:9].astype(float)
    X.iloc[4, 1] = np.nan
    file = str(tmp_path / "cases.csv")
    X.to_csv(file, index=False)
    assert main(["explain", path, file]) == 0
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()[1:9]] == list("12346789")
    assert "missing values in case 5: " in err
    assert "1 of 9 cases" in err
    assert main(["rank", path, file, "--positive", "2", "--json"]) == 0
    out, err = capsys.readouterr()
    assert sorted(entry["case"] for entry in json.loads(out)) == [1, 2, 3, 4, 6, 7, 8, 9]
    assert "missing values in case 5: " in err
    assert main(["explain", path, file, "--case", "5"]) == 2
    assert "missing values in case 5: " in capsys.readouterr().err
