"""``oblique store``: what a folder of results holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from oblique.cli.table import print_json

if TYPE_CHECKING:
    from oblique.compare import ResultStore

SUMMARY = "Tell what a store holds and lacks, or write all of it to one file."
EXAMPLE = """\
  oblique store status results
  oblique store compact results -o cells.parquet"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``oblique store``."""
    parser.add_argument(
        "action",
        choices=("status", "missing", "failed", "compact"),
        help="count cells; list planned cells without a record; list failed ones with "
        "tracebacks; or write all records to one file",
    )
    parser.add_argument("store", metavar="DIR", help="folder given to oblique compare --store")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="for compact: name ending in .jsonl, .csv, .parquet"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Do with the store what was asked."""
    from oblique.compare import ResultStore
    from oblique.compare.compact import compact

    # Looking at a folder by mistake must not make a store of it.
    if not (Path(arguments.store) / "store.json").is_file():
        raise ValueError(
            f"there is no store {arguments.store}; oblique compare --store DIR makes one"
        )
    store = ResultStore(arguments.store)
    if arguments.action == "compact":
        if not arguments.output:
            raise ValueError("compact needs --output FILE, ending in .jsonl, .csv or .parquet")
        written = compact(store.records(), arguments.output)
        print(f"{written} cells written to {arguments.output}")
    elif arguments.action == "status":
        _tell_status(store, arguments.json)
    elif arguments.action == "missing":
        _tell_missing(store, arguments.json)
    else:
        _tell_failed(store, arguments.json)
    return 0


def _tell_status(store: ResultStore, as_json: bool) -> None:
    status = store.status()
    if as_json:
        print_json(status._asdict())
    else:
        print(f"{status.done} done, {status.failed} failed, {status.missing} missing")


def _tell_missing(store: ResultStore, as_json: bool) -> None:
    missing = store.missing()
    if as_json:
        print_json([{"key": key, "cell": label} for key, label in missing.items()])
    else:
        print("\n".join(missing.values()) or "nothing is missing")


def _tell_failed(store: ResultStore, as_json: bool) -> None:
    failed = store.failed()
    if as_json:
        print_json(failed)
        return
    for record in failed:
        cell = record["cell"]
        print(f"{cell['strategy']} on {cell['dataset']}, repeat {cell['repeat'] + 1}:")
        print(record["error"]["traceback"].rstrip() + "\n")
    if failed:
        print(f"{len(failed)} cells failed; oblique compare --rerun-failed runs them again")
    else:
        print("nothing failed")
