import json

import pytest
from odd_classifiers import Deaf, Killed, Majority, Raising, Sleeping
from sklearn.tree import DecisionTreeClassifier

import oblique.compare.local
from oblique.compare import Design, ResultStore, Strategy, run, summarize
from oblique.compare.local import cells_in_flight
from oblique.compare.text import format_results

CART = Strategy("cart", DecisionTreeClassifier())
MAJORITY = Strategy("majority", Majority())


def scores(results):
    return [json.dumps([r["key"], r.get("scores")]) for r in results.records]


def test_processes_change_no_score():
    design = Design(["pima", "bupa"], [CART, MAJORITY], repeats=3)
    alone = run(design, progress=False)
    together = run(design, n_jobs=2, progress=False)
    assert scores(alone) == scores(together)
    assert [r["key"] for r in alone.records] == [cell.key for cell in design.cells()]
    assert not alone.failed


def test_only_missing_cells_are_run(tmp_path, monkeypatch):
    small = Design(["pima"], [CART], repeats=2)
    first = run(small, store=tmp_path, progress=False)
    ran = []
    original = oblique.compare.local.run_cell

    def spy(cell, **options):
        ran.append(cell.label)
        return original(cell, **options)

    monkeypatch.setattr(oblique.compare.local, "run_cell", spy)
    large = run(Design(["pima"], [CART, MAJORITY], repeats=3), store=tmp_path, progress=False)
    assert ran == ["pima majority 50/50 #1", "pima majority 50/50 #2", "pima cart 50/50 #3",
                   "pima majority 50/50 #3"]  # fmt: skip
    assert set(scores(first)) < set(scores(large))


def test_failed_cells_are_kept_and_run_again_on_request(tmp_path):
    design = Design(["pima"], [Strategy("raising", Raising()), MAJORITY], repeats=2)
    results = run(design, store=tmp_path, progress=False)
    assert len(results.failed) == 2
    again = run(design, store=tmp_path, progress=False)
    assert [r["environment"] for r in again.failed] == [r["environment"] for r in results.failed]
    assert ResultStore(tmp_path).status() == (2, 2, 0)
    rerun = run(design, store=tmp_path, rerun_failed=True, progress=False)
    assert len(rerun.failed) == 2


def test_shards_are_the_whole(tmp_path):
    design = Design(["pima"], [CART, MAJORITY], repeats=3)
    parts = [run(design, store=tmp_path, shard=(i, 3), progress=False) for i in (1, 2)]
    assert [len(part.records) for part in parts] == [2, 2]
    assert ResultStore(tmp_path).status() == (4, 0, 2)
    run(design, store=tmp_path, shard=(3, 3), progress=False)
    assert ResultStore(tmp_path).status() == (6, 0, 0)


def test_a_shard_may_be_empty():
    results = run(Design(["pima"], [CART], repeats=2), shard=(3, 3), progress=False)
    assert results.records == ()
    assert summarize(results.records).empty
    assert format_results(results.records) == ""


def test_predictions_are_added_on_request(tmp_path):
    design = Design(["bupa"], [CART], repeats=1)
    bare = run(design, store=tmp_path, progress=False)
    full = run(design, store=tmp_path, keep_predictions=True, progress=False)
    assert "predictions" not in bare.records[0]
    assert len(full.records[0]["predictions"]["rows"]) == full.records[0]["scores"]["n_test"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_time_limit(n_jobs, tmp_path):
    slept = tmp_path / "slept"
    sleeping = Strategy("sleeping", Sleeping(30, str(slept)))
    design = Design(["pima"], [sleeping, MAJORITY], repeats=1)
    results = run(design, n_jobs=n_jobs, time_limit=1.0, progress=False)
    assert not slept.exists()
    assert [r["status"] for r in results.records] == ["failed", "done"]
    assert results.failed[0]["error"]["type"] == "TimeLimitExceeded"


def test_a_worker_that_heeds_no_signal_is_ended():
    design = Design(["pima"], [Strategy("deaf", Deaf()), MAJORITY], repeats=2)
    results = run(design, n_jobs=2, time_limit=1.0, progress=False)
    assert [r["status"] for r in results.records] == ["failed", "done"] * 2
    for record in results.failed:
        assert record["error"]["type"] == "WorkerDied"
        assert "time limit of 1 s" in record["error"]["message"]
        assert "odd_classifiers.py" in record["error"]["traceback"]


def test_a_killed_worker_costs_its_cell_only(tmp_path):
    design = Design(["pima"], [Strategy("killed", Killed()), MAJORITY, CART], repeats=2)
    results = run(design, store=tmp_path, n_jobs=2, progress=False)
    assert [r["status"] for r in results.records] == ["failed", "done", "done"] * 2
    assert all("SIGKILL" in r["error"]["traceback"] for r in results.failed)
    assert ResultStore(tmp_path).status() == (4, 2, 0)


def test_a_full_disk_ends_the_run_with_the_reason(tmp_path, monkeypatch):
    store = ResultStore(tmp_path)

    def full(record):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "write", full)
    with pytest.raises(OSError, match="No space left"):
        run(Design(["pima"], [MAJORITY]), store=store, n_jobs=2, progress=False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_jobs": 0}, "n_jobs"),
        ({"shard": (0, 3)}, "shard"),
        ({"shard": (4, 3)}, "shard"),
        ({"time_limit": 0}, "time_limit"),
        ({"time_limit": float("inf")}, "leave it out for no limit"),
    ],
)
def test_bad_arguments(options, said):
    with pytest.raises(ValueError, match=said):
        run(Design(["pima"], [MAJORITY]), **options)


def test_progress_lines(capsys, monkeypatch):
    monkeypatch.setattr("oblique.compare.progress._LINE_SECONDS", 0.1)
    design = Design(["pima"], [Strategy("sleeping", Sleeping(0.5)), Strategy("r", Raising())],
                    repeats=1)  # fmt: skip
    run(design)
    told = capsys.readouterr().err.splitlines()
    assert "pima sleeping 50/50 #1" in told[1]
    assert told[-1].startswith("2/2 cells")
    assert "1 failed" in told[-1]


def test_progress_bar_in_a_terminal():
    import os
    import pty
    import subprocess
    import sys
    from pathlib import Path

    program = (
        "from odd_classifiers import Sleeping\n"
        "from oblique.compare import Design, Strategy, run\n"
        "run(Design(['pima'], [Strategy('sleeping', Sleeping(0.4))], repeats=6))\n"
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program], stderr=theirs, cwd=Path(__file__).parent
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # what Linux says when the other end is closed
        pass
    assert process.wait(timeout=60) == 0
    text = shown.decode()
    assert "6/6" in text
    assert "cells/s" in text
    assert "pima sleeping 50/50 #" in text


def test_the_oldest_cell_in_flight_comes_first(tmp_path):
    import os

    for name, age in (("b", 10), ("a", 5)):
        (tmp_path / f"{name}.running").touch()
        os.utime(tmp_path / f"{name}.running", (1000 - age, 1000 - age))
    assert cells_in_flight(tmp_path) == ["b", "a"]
