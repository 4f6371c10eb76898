import json
import os
import threading

import pandas as pd
import pytest
from odd_classifiers import Majority

from oblique.compare import Design, ResultStore, Strategy
from oblique.compare.compact import compact
from oblique.compare.execute import RECORD_FORMAT, run_cell


def record_of(number, status="done"):
    cell = {
        "dataset": "d", "strategy": "s", "train_size": 0.5, "n_folds": None, "fold": None,
        "repeat": number, "seed": number,
    }  # fmt: skip
    scores = {"accuracy": number / 100, "recall": {"a": 1.0}}
    return {"key": f"{number:032x}", "cell": cell, "status": status, "scores": scores}


def test_what_is_written_is_read(tmp_path):
    store = ResultStore(tmp_path / "store")
    cell = Design(["pima"], [Strategy("m", Majority())], repeats=1).cells()[0]
    record = run_cell(cell)
    store.write(record)
    assert ResultStore(tmp_path / "store").read(cell.key) == record
    assert store.keys() == {cell.key}
    assert store.read("0" * 32) is None


def test_status_counts_planned_cells(tmp_path):
    store = ResultStore(tmp_path)
    cells = Design(["pima"], [Strategy("m", Majority())], repeats=5).cells()
    store.plan(cells)
    store.write(run_cell(cells[0]))
    failing = {"status": "failed", "error": {"type": "E", "message": "", "traceback": ""}}
    store.write({**run_cell(cells[1]), **failing})
    assert store.status() == (1, 1, 3)
    assert list(store.missing().values()) == [cell.label for cell in cells[2:]]
    assert [r["key"] for r in store.failed()] == [cells[1].key]


def test_a_newer_store_is_refused(tmp_path):
    ResultStore(tmp_path)
    (tmp_path / "store.json").write_text('{"format": 99}')
    with pytest.raises(ValueError, match=r"format 99; this version reads up to 1\. Upgrade"):
        ResultStore(tmp_path)


def test_other_folders_and_files_are_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="is no store and is not empty"):
        ResultStore(tmp_path)
    with pytest.raises(ValueError, match="is a file"):
        ResultStore(tmp_path / "notes.txt")


@pytest.mark.parametrize("text", ["", '{"key": "x', "[1]", "\x00"])
def test_a_damaged_file_is_named(tmp_path, text):
    store = ResultStore(tmp_path)
    (tmp_path / "cells" / "abc.json").write_text(text)
    with pytest.raises(ValueError, match=r"abc\.json is no record"):
        list(store.records())


@pytest.mark.parametrize("text", ["{}", '{"a": 1}', '{"key": "abc"}', None])
def test_an_alien_file_is_named(tmp_path, text):
    store = ResultStore(tmp_path)
    text = json.dumps(record_of(1)) if text is None else text
    (tmp_path / "cells" / "abc.json").write_text(text)
    with pytest.raises(ValueError, match=r"abc\.json is no record"):
        store.status()
    with pytest.raises(ValueError, match=r"abc\.json is no record"):
        store.read("abc")


def test_a_newer_record_is_refused(tmp_path):
    store = ResultStore(tmp_path)
    store.write({**record_of(1), "format": RECORD_FORMAT + 1})
    with pytest.raises(ValueError, match=r"format 2; this version reads up to 1"):
        list(store.records())


def test_a_torn_write_is_never_seen(tmp_path):
    store = ResultStore(tmp_path)
    (tmp_path / "cells" / "abc.123.deadbeef.tmp").write_text('{"key": "ab')
    assert store.keys() == set()
    assert list(ResultStore(tmp_path).records()) == []
    assert (tmp_path / "cells" / "abc.123.deadbeef.tmp").exists()  # perhaps still being written


def test_abandoned_files_are_swept(tmp_path):
    ResultStore(tmp_path)
    left = tmp_path / "cells" / "abc.123.deadbeef.tmp"
    left.write_text('{"key": "ab')
    os.utime(left, (0, 0))
    ResultStore(tmp_path)
    assert not left.exists()


def test_a_store_that_may_only_be_read_can_be_read(tmp_path, monkeypatch):
    ResultStore(tmp_path).write(record_of(1))
    left = tmp_path / "cells" / "x.tmp"
    left.write_text("half")
    os.utime(left, (0, 0))

    def refuse(self, missing_ok=False):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    assert ResultStore(tmp_path).status().done == 1


def test_a_failed_write_leaves_the_old_record(tmp_path, monkeypatch):
    store = ResultStore(tmp_path)
    store.write(record_of(1))

    def full(self, text):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(OSError, match="No space left"):
        store.write(record_of(1, "failed"))
    assert store.read(record_of(1)["key"])["status"] == "done"
    assert not list((tmp_path / "cells").glob("*.tmp"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="Permission denied"):
        ResultStore(tmp_path / "store")


def test_writers_and_readers_side_by_side(tmp_path):
    def write(numbers):
        store = ResultStore(tmp_path)
        for number in numbers:
            store.write(record_of(number))

    writers = [threading.Thread(target=write, args=(range(300),)) for _ in range(2)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        for record in ResultStore(tmp_path).records():
            assert record["cell"]["dataset"] == "d"
    assert len(ResultStore(tmp_path).keys()) == 300


def test_compact(tmp_path):
    records = [record_of(i) for i in range(5)]
    assert compact(records, tmp_path / "all.jsonl") == 5
    lines = (tmp_path / "all.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == records
    compact(records, tmp_path / "all.csv")
    assert pd.read_csv(tmp_path / "all.csv")["accuracy"].tolist() == [0, 0.01, 0.02, 0.03, 0.04]
    with pytest.raises(ValueError, match="must end in"):
        compact(records, tmp_path / "all.xlsx")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.csv", "all.jsonl"]


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow", reason="parquet files need pyarrow")
    compact([record_of(i) for i in range(5)], tmp_path / "all.parquet")
    assert len(pd.read_parquet(tmp_path / "all.parquet")) == 5


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder nobody may write")
def test_a_folder_that_cannot_be_made_is_an_error():
    with pytest.raises(OSError, match="/proc/oblique"):
        ResultStore("/proc/oblique-results")


@pytest.mark.parametrize(
    "change",
    [
        {"status": "strange"}, {"status": "failed"}, {"scores": None}, {"scores": {}}, {"cell": []},
        {"cell": {}},
    ],
)  # fmt: skip
def test_half_a_record_is_refused_by_its_name(tmp_path, change):
    store = ResultStore(tmp_path / "s")
    record = run_cell(Design(["iris"], ["cart"], repeats=1).cells()[0])
    store.write(record)
    assert store.read(record["key"]) == record
    store.write(record | change)
    with pytest.raises(ValueError, match=rf"{record['key']}\.json is no record"):
        store.read(record["key"])
