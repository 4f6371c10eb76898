import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from oblique import load
from oblique.cli import COMMANDS, main
from oblique.datasets import load_dataset

QUICK = ["--repeats", "2", "--jobs", "1", "--quiet"]
TREE = "sklearn.tree:DecisionTreeClassifier"


def run_program(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "oblique.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"example:\n  oblique {command}" in capsys.readouterr().out


@pytest.mark.parametrize("command", [[], *([c] for c in COMMANDS)])
def test_help_comes_at_once_as_it_imports_the_standard_library_only(command):
    # What the interpreter loads by itself, for an editable install say, does not count.
    program = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import contextlib, oblique.cli\n"
        "with contextlib.suppress(SystemExit):\n"
        f"    oblique.cli.main({[*command, '--help']})\n"
        "names = {m.partition('.')[0] for m in set(sys.modules) - before}\n"
        "print(sorted(names - sys.stdlib_module_names), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.startswith("usage: oblique")
    assert done.stderr.strip() == "['oblique']"


def test_compare_prints_tables(capsys):
    assert main(["compare", "--data", "pima", "--strategies", "ap", TREE, *QUICK]) == 0
    said = capsys.readouterr().out
    assert "pima, 50/50, 768 rows, unsafe class diabetes" in said
    assert "Vadera 2005" in said
    assert TREE in said


def test_compare_writes_json(capsys):
    assert main(["compare", "--data", "bupa", "--strategies", TREE, "--json", *QUICK]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["cells"] == 2
    assert 0.4 < row["accuracy"] < 0.9


def test_compare_costs(capsys):
    arguments = ["compare", "--data", "pima", "--strategies", "ap", "--json", *QUICK]
    assert main([*arguments, "--unsafe-cost", "4"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    missed = (250 * (1 - row["safe_accuracy"]) + 4 * 134 * (1 - row["unsafe_accuracy"])) / 384
    assert row["cost"] == pytest.approx(missed)


def test_compare_writes_cells(tmp_path, capsys):
    arguments = ["compare", "--data", "bupa", "--strategies", TREE, *QUICK]
    assert main([*arguments, "--output", str(tmp_path / "cells.csv")]) == 0
    assert len(pd.read_csv(tmp_path / "cells.csv")) == 2
    assert main([*arguments, "--output", str(tmp_path / "cells.json"), "--keep-predictions"]) == 0
    records = json.loads((tmp_path / "cells.json").read_text())
    assert all(r["status"] == "done" and r["predictions"] for r in records)


def test_compare_own_file(tmp_path, capsys):
    rows = "".join(f"{'ill' if i % 3 else 'well'},{i}\n" for i in range(60))
    (tmp_path / "wards.csv").write_text("outcome,age\n" + rows)
    code = main(
        ["compare", "--data", str(tmp_path / "wards.csv"), "--target", "outcome", "--unsafe",
         "ill", "--strategies", "ldt", "--folds", "3", *QUICK]
    )  # fmt: skip
    assert code == 0
    assert "wards, 3-fold, 60 rows, unsafe class ill" in capsys.readouterr().out


def test_failed_cells_are_told_by_exit_code(capsys):
    code = main(
        ["compare", "--data", "bupa", "--strategies", "odd_classifiers:raising", TREE, *QUICK]
    )
    assert code == 1
    captured = capsys.readouterr()
    assert "2 of 4 cells failed" in captured.err
    assert "odd_classifiers:raising on bupa, 2 cells: RuntimeError: no tree today" in captured.err
    assert TREE in captured.out


def test_design_file(tmp_path, capsys):
    design = tmp_path / "design.toml"
    design.write_text(f'datasets = ["bupa"]\nstrategies = ["{TREE}"]\nrepeats = 2\n')
    assert main(["compare", "--design", str(design), "--jobs", "1", "--quiet"]) == 0
    assert "bupa, 50/50" in capsys.readouterr().out
    assert main(["compare", "--design", str(design), "--repeats", "3"]) == 2
    assert "leave the other options of it out" in capsys.readouterr().err
    design.write_text('datasets = ["bupa"]\nstrategys = ["ap"]\n')
    assert main(["compare", "--design", str(design)]) == 2
    assert "design.toml, line 2: key='strategys' is not known" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--data", "pimaa"], "'pima'"),
        (["--data", "no/such.csv"], "no/such.csv"),
        (["--strategies", "lddt"], "'ldt'"),
        (["--strategies", "nowhere:x"], "cannot import 'nowhere'"),
        (["--train-sizes", "1.5"], "train_sizes must lie between 0 and 1, got 1.5"),
        (["--repeats", "0"], "repeats must be"),
        (["--jobs", "0"], "n_jobs"),
        (["--output", "cells.xls"], "must end in .csv or .json"),
        (["--output", "no/such/folder/cells.csv"], "is missing"),
        (["--data", "pima", "--unsafe", "purple"], "'purple'"),
        (["--time-limit", "-1"], "time_limit"),
        (["--shard", "3/2"], "shard"),
        (["--folds", "3", "--train-sizes", "0.5"], "exclude each other"),
        (["--data", "hepatitis", "--folds", "40"], "class '1' has 32 rows"),
        (["--design", "absent.toml"], "there is no design file absent.toml"),
        (["--design", "absent.toml", "--no-header"], "--design holds the whole design"),
        (["--data", "pima", "--no-header"], "header belongs to files"),
        (["--dask", "127.0.0.1:9"], "no dask scheduler answers at 127.0.0.1:9"),
        (["--dask", "tcp://127.0.0.1:port"], "is no address of a dask scheduler"),
    ],
)
def test_bad_input(arguments, said, capsys):
    assert main(["compare", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("oblique compare: error: ")
    assert said in error


def test_places_that_cannot_be_written_are_told_before_work(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("oblique.compare.run", lambda *_, **__: pytest.fail("work has begun"))
    (tmp_path / "cells.csv").mkdir()
    (tmp_path / "file").touch()
    assert main(["compare", "--output", str(tmp_path / "cells.csv")]) == 2
    assert "this is a folder; name a file" in capsys.readouterr().err
    assert main(["compare", "--report", str(tmp_path / "file" / "page")]) == 2
    assert str(tmp_path / "file") in capsys.readouterr().err


def test_one_split_has_no_interval(capsys):
    code = main(["compare", "--data", "pima", "--strategies", "ldt", "ap", "--repeats", "1",
                 "--jobs", "1", "--quiet"])  # fmt: skip
    assert code == 0
    out = capsys.readouterr().out
    assert "pima 50/50" in out
    assert "nan" not in out


@pytest.mark.parametrize("arguments", [["--shard", "x"], ["--nonsense"], ["--seed", "x"]])
def test_bad_options(arguments):
    with pytest.raises(SystemExit) as ended:
        main(["compare", *arguments])
    assert ended.value.code == 2


def test_traceback_on_request():
    with pytest.raises(ValueError, match="pimaa"):
        main(["compare", "--data", "pimaa", "--traceback"])


def test_store_commands(tmp_path, capsys):
    store = str(tmp_path / "store")
    strategies = ["--strategies", "odd_classifiers:raising", TREE]
    main(["compare", "--data", "bupa", *strategies, "--shard", "1/2", "--store", store, *QUICK])
    main(["compare", "--data", "bupa", *strategies, "--shard", "2/2", "--store", store, *QUICK])
    capsys.readouterr()
    assert main(["store", "status", store]) == 0
    assert capsys.readouterr().out == "2 done, 2 failed, 0 missing\n"
    assert main(["store", "status", store, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"done": 2, "failed": 2, "missing": 0}
    assert main(["store", "failed", store]) == 0
    assert "no tree today" in capsys.readouterr().out
    assert main(["store", "missing", store]) == 0
    assert capsys.readouterr().out == "nothing is missing\n"
    assert main(["store", "compact", store, "-o", str(tmp_path / "all.jsonl")]) == 0
    assert len((tmp_path / "all.jsonl").read_text().splitlines()) == 4
    assert main(["store", "compact", store]) == 2
    assert main(["store", "status", str(tmp_path / "absent")]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["store", "status", str(tmp_path / "empty")]) == 2
    assert not list((tmp_path / "empty").iterdir())


def test_fit_and_predict(tmp_path, capsys):
    model, data = tmp_path / "model.json", tmp_path / "rows.csv"
    pima = load_dataset("pima")
    assert main(["fit", "pima", "--strategy", "ldt_safe_pruned", "-o", str(model)]) == 0
    assert "ldt_safe_pruned on 768 rows of pima" in capsys.readouterr().out
    fitted = load(model)
    assert fitted.unsafe_class == 1
    # Columns in another order and one too many: names decide.
    rows = pima.data[pima.data.columns[::-1]].assign(ward="east").head(20)
    rows.to_csv(data, index=False)
    assert main(["predict", str(model), str(data), "-o", str(tmp_path / "p.csv")]) == 0
    predicted = pd.read_csv(tmp_path / "p.csv")
    assert predicted["predicted"].tolist() == fitted.predict(pima.data.head(20)).tolist()
    shares = predicted[["probability_0", "probability_1"]].to_numpy()
    assert (shares == fitted.predict_proba(pima.data.head(20))).all()
    assert main(["predict", str(model), str(data), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[3]["row"] == 4
    rows.drop(columns=["age"]).to_csv(data, index=False)
    assert main(["predict", str(model), str(data)]) == 2
    assert "lacks 1 columns that the model was trained on: age" in capsys.readouterr().err


def test_show(tmp_path, capsys):
    model = str(tmp_path / "model.json")
    main(["fit", "pima", "--strategy", "ldt", "-o", model])
    capsys.readouterr()
    assert main(["show", model, "--depth", "2"]) == 0
    text = capsys.readouterr().out
    assert "glucose" in text
    assert len(text.splitlines()) < 20
    assert main(["show", model, "--dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph")
    assert main(["show", model, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_features"] == 8
    assert main(["show", str(tmp_path / "absent.json")]) == 2
    (tmp_path / "bad.json").write_text("{}")
    assert main(["show", str(tmp_path / "bad.json")]) == 2
    assert "bad.json" in capsys.readouterr().err


def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m oblique.cli datasets | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""


def test_fit_tells_what_it_made(tmp_path, capsys):
    model = str(tmp_path / "model.json")
    assert main(["fit", "iris", "--strategy", "ap", "-o", model, "--json", "--seed", "3"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["training_accuracy"]) == (150, 1.0)
    assert told["leaves"] == load(model).tree_.n_leaves


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fit", "pimaa", "-o", "m.json"], "'pima'"),
        (["fit", "pima", "--unsafe", "7", "-o", "m.json"], "7"),
        (["fit", "pima", "-o", "no/such/folder/m.json"], "no/such/folder"),
        (["predict", "absent.json", "pima"], "there is no model file absent.json"),
        (["show", "absent.json"], "there is no model file absent.json"),
        (["show", "."], ". is a folder, not a model file"),
        (["fit", "absent.csv", "-o", "m.json"], "there is no file absent.csv"),
        (["fit", "pima", "--strategy", "sklearn.svm:SVC", "-o", "m.json"], "SVC"),
    ],
)
def test_bad_input_of_fit_and_predict(arguments, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_report_that_cannot_be_written_is_told_before_the_work(tmp_path, capsys):
    pytest.importorskip("scikit_posthocs", reason="needs the extra 'compare'")
    (tmp_path / "taken").write_text("")
    report = ["--report", str(tmp_path / "taken")]
    assert main(["compare", "--data", "iris", "--strategies", TREE, *QUICK, *report]) == 2
    assert "taken: the folder cannot be made: File exists" in capsys.readouterr().err


def test_files_without_a_header(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plain.csv").write_text("".join(f"{i},{i % 7},{'ab'[i > 20]}\n" for i in range(40)))
    assert main(["fit", "plain.csv", "-o", "m.json"]) == 2
    assert "--no-header" in capsys.readouterr().err
    assert main(["fit", "plain.csv", "--no-header", "-o", "m.json"]) == 0
    capsys.readouterr()
    assert main(["predict", "m.json", "plain.csv", "--no-header"]) == 0
    assert capsys.readouterr().out.count("\n") == 41
    assert main(["predict", "m.json", "absent.csv"]) == 2
    assert "there is no file absent.csv" in capsys.readouterr().err
    tree = ["--strategies", TREE]
    assert main(["compare", "--data", "plain.csv", "--no-header", *tree, *QUICK]) == 0
    Path("d.toml").write_text(
        f'datasets = ["plain"]\nstrategies = ["{TREE}"]\nrepeats = 1\n'
        '[data.plain]\npath = "plain.csv"\nheader = false\n'
    )
    assert main(["compare", "--design", "d.toml", "--jobs", "1", "--quiet"]) == 0
    assert "plain, 50/50, 40 rows" in capsys.readouterr().out


def test_strategies_and_datasets(capsys):
    assert main(["strategies"]) == 0
    assert ["ldt_safe_pruned", "oblique-trees"] in [
        line.split()[:2] for line in capsys.readouterr().out.splitlines()
    ]
    assert main(["strategies", "--json"]) == 0
    assert {"ldt", "cart"} <= {row["name"] for row in json.loads(capsys.readouterr().out)}
    assert main(["datasets", "--json"]) == 0
    pima = next(r for r in json.loads(capsys.readouterr().out) if r["name"] == "pima")
    assert (pima["rows"], pima["features"], pima["unsafe_class"]) == (768, 8, "diabetes")
    assert main(["datasets"]) == 0
    assert "pima" in capsys.readouterr().out


def test_program():
    done = run_program("compare", "--data", "bupa", "--strategies", TREE, "--repeats", "4")
    assert done.returncode == 0
    assert "bupa, 50/50, 345 rows" in done.stdout
    assert "4/4 cells" in done.stderr
    assert run_program("compare", "--data", "pimaa").returncode == 2


def test_a_strategy_in_a_file_of_this_folder(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.pipeline import make_pipeline\n"
        "from sklearn.preprocessing import StandardScaler\n"
        "class Scaler(StandardScaler):\n"
        "    pass\n"
        "scaled = make_pipeline(Scaler(), LogisticRegression())\n"
    )
    # -P: as the installed program, which has its own folder on the path, not this one.
    done = subprocess.run(
        [sys.executable, "-P", "-m", "oblique.cli", "compare", "--data", "wine", "--repeats", "2",
         "--strategies", "mine:scaled", "--jobs", "2"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "mine:scaled" in done.stdout


def test_a_folder_that_was_removed_does_not_stop_a_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    try:
        assert main(["strategies"]) == 0
    finally:
        monkeypatch.undo()
    assert "ldt_safe_pruned" in capsys.readouterr().out
