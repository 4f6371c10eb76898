"""Records on disk: one JSON file a cell, so that a run can be killed and resumed.

A record is written to a temporary name in the same folder and renamed, which is atomic: a
reader meets a whole record or none, also when a run is killed or two runs share the store.
One file a cell needs no lock and no server, and works on the shared file systems of clusters.
"""

import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from oblique.compare.cell import Cell
from oblique.compare.execute import RECORD_FORMAT, Record
from oblique.compare.identity import hash_json

STORE_FORMAT = 1
_ABANDONED_SECONDS = 3600.0


class Status(NamedTuple):
    """How many cells of a store are done, failed, and planned but missing."""

    done: int
    failed: int
    missing: int


class ResultStore:
    """A folder with one record for each cell that was run.

    Parameters
    ----------
    path : str or path
        Folder; made if missing.

    Raises
    ------
    ValueError
        If the path is a file, holds something else, or was written by a newer version.
    OSError
        If the folder cannot be made or written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._cells = self.path / "cells"
        self._plans = self.path / "plans"
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"store {self.path} is a file; name a folder")
        if (self.path / "store.json").exists():
            self._check_format()
        elif self.path.exists() and self._holds_other_files():
            raise ValueError(
                f"{self.path} is no store and is not empty; name a new folder or an earlier store"
            )
        try:
            self._cells.mkdir(parents=True, exist_ok=True)
            self._plans.mkdir(exist_ok=True)
            if not (self.path / "store.json").exists():
                _write_whole(self.path / "store.json", {"format": STORE_FORMAT})
        except OSError as error:
            told = f"the store {self.path} cannot be written: {error.strerror}"
            raise OSError(error.errno, told) from error
        self._sweep()

    def write(self, record: Record) -> None:
        """Keep a record; one of the same key is replaced.

        Parameters
        ----------
        record : dict
            As `run_cell` returned it, with the cell's ``key``.

        Raises
        ------
        OSError
            If the disk is full or read-only; the store keeps what it had.
        """
        try:
            _write_whole(self._cells / f"{record['key']}.json", record)
        except OSError as error:
            told = (
                f"the store {self.path} cannot be written: {error.strerror}; the cells that it "
                "holds stay, and the same run goes on from there"
            )
            raise OSError(error.errno, told) from error

    def read(self, key: str) -> Record | None:
        """Return the record of a cell, or None if there is none.

        Parameters
        ----------
        key : str
            Hash of the cell.

        Raises
        ------
        ValueError
            If the file is no record of this cell; it is named.
        """
        try:
            text = (self._cells / f"{key}.json").read_bytes()
        except FileNotFoundError:
            return None
        return _check_record(_parse(text, f"{key}.json"), key)

    def keys(self) -> set[str]:
        """Return the keys of all records."""
        with os.scandir(self._cells) as entries:
            return {e.name.removesuffix(".json") for e in entries if _is_record(e.name)}

    def records(self) -> Iterator[Record]:
        """Yield all records in the order of their keys.

        Raises
        ------
        ValueError
            If a file is no record; it is named.
        """
        for key in sorted(self.keys()):
            record = self.read(key)
            if record is not None:
                yield record

    def plan(self, cells: Sequence[Cell]) -> None:
        """Note which cells a run is going to fill in, so that missing ones can be told.

        Parameters
        ----------
        cells : sequence of Cell
        """
        labels = {cell.key: cell.label for cell in cells}
        _write_whole(self._plans / f"{hash_json(sorted(labels))}.json", {"cells": labels})

    def missing(self) -> dict[str, str]:
        """Return key and label of every planned cell without a record."""
        planned: dict[str, str] = {}
        for path in sorted(self._plans.glob("*.json")):
            planned |= _parse(path.read_bytes(), path.name)["cells"]
        present = self.keys()
        return {key: label for key, label in planned.items() if key not in present}

    def failed(self) -> list[Record]:
        """Return the records of failed cells, by key."""
        return [record for record in self.records() if record["status"] == "failed"]

    def status(self) -> Status:
        """Count the cells."""
        failed = len(self.failed())
        return Status(len(self.keys()) - failed, failed, len(self.missing()))

    def _holds_other_files(self) -> bool:
        """Tell a foreign folder from a store that another process is just making."""
        own = {self._cells.name, self._plans.name, "store.json"}
        return any(p.name not in own and p.suffix != ".tmp" for p in self.path.iterdir())

    def _check_format(self) -> None:
        path = self.path / "store.json"
        described = _parse(path.read_bytes(), "store.json")
        written = described.get("format")
        if not isinstance(written, int):
            raise ValueError(f"{path} does not say the format of the store")
        if written > STORE_FORMAT:
            raise ValueError(
                f"store {self.path} has format {written}; this version reads up to "
                f"{STORE_FORMAT}. Upgrade oblique-trees, or use another store"
            )

    def _sweep(self) -> None:
        """Remove what killed writers left behind, but nothing that is being written now."""
        for left in self._cells.glob("*.tmp"):
            try:
                if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                    left.unlink()
            except OSError:  # gone already, or in a store that may only be read
                continue


def _is_record(name: str) -> bool:
    return name.endswith(".json")


def _write_whole(path: Path, value: dict[str, Any]) -> None:
    """Write a file so that it appears under its name only when it is complete."""
    text = json.dumps(value, separators=(",", ":"))
    temporary = path.with_name(f"{path.stem}.{os.getpid()}.{uuid4().hex[:8]}.tmp")
    try:
        temporary.write_text(text)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error


def _parse(text: bytes, name: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{name} is no record: {error}. Remove the file to run it again") from None
    if not isinstance(value, dict):
        raise ValueError(f"{name} is no record: it holds a {type(value).__name__}")
    return value


def _is_whole(record: Record) -> bool:
    """Whether a record says what it is about and how it ended, with a result or an error."""
    part = {"done": "scores", "failed": "error"}.get(str(record.get("status")))
    held, cell = record.get(part or ""), record.get("cell")
    needed = {"accuracy"} if part == "scores" else {"type", "message"}
    return (
        isinstance(cell, dict)
        and {"dataset", "strategy", "repeat"} <= cell.keys()
        and isinstance(held, dict)
        and needed <= held.keys()
    )


def _check_record(record: Record, key: str) -> Record:
    """Refuse a file that somebody else put between the records, or a newer version wrote."""
    written = record.get("format")
    if isinstance(written, int) and written > RECORD_FORMAT:
        raise ValueError(
            f"{key}.json has format {written}; this version reads up to {RECORD_FORMAT}. Upgrade "
            "oblique-trees, or use another store"
        )
    if record.get("key") != key or not _is_whole(record):
        raise ValueError(
            f"{key}.json is no record of a cell of this name. Remove the file; a cell whose "
            "record is missing runs again"
        )
    return record
