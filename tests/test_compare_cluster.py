"""A comparison on a real dask cluster: a scheduler and two workers, each a process."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from odd_classifiers import Deaf, Killed, Majority, Raising, Sleeping
from sklearn.tree import DecisionTreeClassifier

from oblique.compare import Design, Strategy, run

distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    contact = folder / "scheduler.json"
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent),
        # A cell that ends its worker is not sent to three more.
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
    }
    common = ["--scheduler-file", str(contact), "--no-dashboard"]
    commands = [
        ["dask_scheduler", "--port", "0", "--host", "127.0.0.1", *common],
        *[["dask_worker", "--nthreads", "1", "--nworkers", "1", *common,
           "--local-directory", str(folder)]] * 2,
    ]  # fmt: skip
    processes = []
    for module, *options in commands:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *options]
        processes.append(
            subprocess.Popen(
                command,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        deadline = time.monotonic() + 60
        while not contact.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
    yield json.loads(contact.read_text())["address"]
    for process in processes:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)


def scores(results):
    return [json.dumps([r["key"], r["status"], r.get("scores")]) for r in results.records]


def test_the_cluster_gives_the_same_records(address, tmp_path):
    strategies = [
        Strategy("cart", DecisionTreeClassifier()),
        Strategy("majority", Majority()),
        Strategy("raising", Raising()),
    ]
    design = Design(["pima", "bupa"], strategies, repeats=4)
    far = run(design, dask_address=address, store=tmp_path, progress=False)
    near = run(design, n_jobs=2, progress=False)
    assert scores(far) == scores(near)
    assert len(far.failed) == 8


def test_time_limit_on_the_cluster(address):
    design = Design(["pima"], [Strategy("sleeping", Sleeping(3)), Strategy("m", Majority())],
                    repeats=1)  # fmt: skip
    results = run(design, dask_address=address, time_limit=1.0, progress=False)
    assert [r["status"] for r in results.records] == ["failed", "done"]
    assert results.failed[0]["error"]["type"] == "TimeLimitExceeded"


def test_a_cell_that_kills_its_workers_is_recorded(address):
    design = Design(["pima"], [Strategy("killed", Killed()), Strategy("m", Majority())],
                    repeats=1)  # fmt: skip
    results = run(design, dask_address=address, progress=False)
    assert [r["status"] for r in results.records] == ["failed", "done"]
    assert results.failed[0]["error"]["type"] == "WorkerDied"


def test_a_worker_that_heeds_no_signal_is_ended(address):
    design = Design(["pima"], [Strategy("deaf", Deaf()), Strategy("m", Majority())], repeats=1)
    results = run(design, dask_address=address, time_limit=1.0, progress=False)
    assert [r["status"] for r in results.records] == ["failed", "done"]
    assert results.failed[0]["error"]["type"] == "WorkerDied"


def test_no_scheduler(monkeypatch):
    design = Design(["pima"], [Strategy("m", Majority())], repeats=1)
    # Dask itself would go on asking for long.
    monkeypatch.setattr(distributed, "Client", None)
    with pytest.raises(OSError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:9"):
        run(design, dask_address="tcp://127.0.0.1:9", progress=False)
