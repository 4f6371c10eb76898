"""All records of a store in one file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from oblique.compare.summary import tabulate

if TYPE_CHECKING:
    from oblique.compare.execute import Record


def compact(records: Iterable[Record], path: str | os.PathLike[str]) -> int:
    """Write records to one file and return their number.

    Parameters
    ----------
    records : iterable of dict
        Such as ``store.records()``.
    path : str or path
        ``.jsonl``: whole records, one a line; ``.csv`` and ``.parquet``: one row a cell with
        what :func:`oblique.compare.tabulate` keeps. The file appears when it is complete.

    Raises
    ------
    ValueError
        If the ending is none of these, or ``.parquet`` is wanted without pyarrow.
    """
    final = Path(path)
    if final.suffix not in (".jsonl", ".csv", ".parquet"):
        raise ValueError(f"{final} must end in .jsonl, .csv or .parquet")
    kept = list(records)
    temporary = final.with_name(f".{final.stem}.{os.getpid()}{final.suffix}")
    try:
        if final.suffix == ".jsonl":
            temporary.write_text("".join(json.dumps(record) + "\n" for record in kept))
        elif final.suffix == ".csv":
            tabulate(kept).to_csv(temporary, index=False)
        else:
            _write_parquet(kept, temporary)
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)
    return len(kept)


def _write_parquet(records: list[Record], path: Path) -> None:
    try:
        tabulate(records).to_parquet(path, index=False)
    except ImportError:
        raise ValueError(
            "a .parquet file needs pyarrow: pip install pyarrow; .csv and .jsonl need nothing"
        ) from None
