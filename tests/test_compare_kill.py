"""A run that is killed and resumed ends like one that was left alone."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oblique.compare import Design, ResultStore, run

STRATEGIES = ["sklearn.tree:DecisionTreeClassifier", "odd_classifiers:unhurried"]
REPEATS = 20
N_CELLS = 2 * len(STRATEGIES) * REPEATS
COMMAND = [
    sys.executable, "-m", "oblique.cli", "compare", "--data", "bupa", "new_thyroid",
    "--repeats", str(REPEATS), "--jobs", "2", "--strategies", *STRATEGIES,
]  # fmt: skip
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}


def start(store, *before, **environment):
    return subprocess.Popen(
        [*before, *COMMAND, "--store", str(store)],
        env=ENVIRONMENT | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        # Started in the background, a test run may have Ctrl-C switched off and pass that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for_cells(store, number, process):
    folder = store / "cells"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if folder.is_dir() and sum(p.suffix == ".json" for p in folder.iterdir()) >= number:
            return
        time.sleep(0.01)
    pytest.fail(f"no {number} cells: {process.communicate(timeout=10)}")


def test_killed_three_times_and_resumed(tmp_path):
    store, rng = tmp_path / "store", random.Random(3)
    for low, high in ((5, 20), (25, 45), (50, 70)):
        process = start(store)
        wait_for_cells(store, rng.randint(low, high), process)
        time.sleep(rng.uniform(0, 0.05))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)
        assert process.returncode == -signal.SIGKILL
        assert all(record["status"] == "done" for record in ResultStore(store).records())
    assert ResultStore(store).status().missing > 0
    process = start(store)
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert ResultStore(store).status() == (N_CELLS, 0, 0)

    untouched = run(Design(["bupa", "new_thyroid"], STRATEGIES, repeats=REPEATS), progress=False)
    resumed = {r["key"]: json.dumps(r["scores"]) for r in ResultStore(store).records()}
    assert resumed == {r["key"]: json.dumps(r["scores"]) for r in untouched.records}


def test_two_runs_share_a_store(tmp_path):
    store = tmp_path / "store"
    processes = [start(store), start(store)]
    for process in processes:
        process.communicate(timeout=180)
    assert [process.returncode for process in processes] == [0, 0]
    assert ResultStore(store).status() == (N_CELLS, 0, 0)


@pytest.mark.parametrize(
    ("send", "number"),
    [
        (os.killpg, signal.SIGINT),  # Ctrl-C
        (os.kill, signal.SIGTERM),  # kill
        (os.killpg, signal.SIGTERM),  # a job that is cancelled
        (os.kill, signal.SIGHUP),  # a terminal that is closed; joblib's tracker is loud then
    ],
)
def test_interrupt_tells_what_is_kept(tmp_path, send, number):
    store, temporary = tmp_path / "store", tmp_path / "temporary"
    temporary.mkdir()
    process = start(store, TMPDIR=str(temporary))
    wait_for_cells(store, 5, process)
    send(process.pid, number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.splitlines()[-1] == (
        f"oblique compare: interrupted; finished cells are in {store}; the same command goes on "
        "from there"
    )
    assert "Traceback" not in said
    assert all(record["status"] == "done" for record in ResultStore(store).records())
    assert not list(temporary.glob("oblique-*"))


def test_nohup_outlives_the_terminal(tmp_path):
    store = tmp_path / "store"
    process = start(store, "nohup")
    wait_for_cells(store, 5, process)
    os.killpg(process.pid, signal.SIGHUP)
    reached = len(ResultStore(store).keys())
    wait_for_cells(store, reached + 5, process)
    process.terminate()
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted; finished cells are in" in said
    assert all(record["status"] == "done" for record in ResultStore(store).records())
