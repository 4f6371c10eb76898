"""Cost tables: the published ones by name, and your own from files."""

from __future__ import annotations

import os
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oblique._suggest import unknown_name
from oblique.costs.model import CostModel
from oblique.costs.test_cost import TestCost

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

#: Data sets of `oblique.datasets` that have the features of a published table.
TABLE_OF = {
    "pima": "pima",
    "heart_cleveland": "heart",
    "heart_complete": "heart",
    "hepatitis": "hepatitis",
    "hepatitis_filled": "hepatitis",
    "bupa_drinks": "bupa",
}
_REQUIRED = ("test", "full_cost")
_OPTIONAL = ("discount_cost", "group", "delay", "evidence")
_DELAYS = {"immediate": False, "delayed": True}


def list_costs() -> list[str]:
    """Names of the published tables that `load_costs` knows."""
    folder = files("oblique.costs") / "csv"
    return sorted(entry.name.removesuffix(".csv") for entry in folder.iterdir() if _is_table(entry))


def load_costs(name: str, errors: Any = 1.0, classes: Sequence[Any] | None = None) -> CostModel:
    """Costs of tests as published by Turney (1995), in Canadian dollars of 1992.

    Parameters
    ----------
    name : str
        "bupa", "heart", "hepatitis", "pima" or "thyroid", or a data set of `oblique.datasets`
        that has the features of one of them.
    errors, classes
        Costs of errors, as for `CostModel`; the tables have none.

    Returns
    -------
    CostModel
        Each test's ``evidence`` says how well its price is documented, in letters that
        ``oblique/costs/csv/SOURCES.md`` explains.

    Raises
    ------
    ValueError
        For an unknown name.

    Examples
    --------
    >>> from oblique.costs import load_costs
    >>> load_costs("pima").cost_of_all_tests
    44.29
    """
    table = TABLE_OF.get(name, name)
    known = list_costs()
    if table not in known:
        raise ValueError(unknown_name("costs", name, {*known, *TABLE_OF}))
    raw = (files("oblique.costs") / "csv" / f"{table}.csv").read_bytes()
    from oblique.datasets.delimited import parse_delimited
    from oblique.datasets.text import decode_text

    label = f"{table}.csv"
    return CostModel(
        _read_tests(parse_delimited(decode_text(raw, label), label), label), errors, classes
    )


def read_costs(
    path: str | os.PathLike[str], errors: Any = 1.0, classes: Sequence[Any] | None = None
) -> CostModel:
    """Read costs of tests from a CSV file.

    Parameters
    ----------
    path : path-like
        A line a test. Columns ``test`` (name of the feature) and ``full_cost``; where wanted
        ``discount_cost``, ``group`` (empty: none), ``delay`` ("immediate" or "delayed") and
        ``evidence``.
    errors : float, mapping, matrix or path-like, default=1.0
        Costs of errors, as for `CostModel`; a path is read by `read_errors`.
    classes : sequence of labels or None, default=None
        As for `CostModel`.

    Raises
    ------
    ValueError
        Names the line and the column that do not fit.
    FileNotFoundError
        No such file.
    """
    from oblique.datasets import read_table

    frame = read_table(_existing(path, "costs"), header=True)
    tests = _read_tests(frame, os.fspath(path))
    if isinstance(errors, str | os.PathLike):
        errors = read_errors(errors)
    return CostModel(tests, errors, classes)


def read_errors(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a matrix of error costs from a CSV file.

    Parameters
    ----------
    path : path-like
        The first line names the true classes (its first cell is free); every other line starts
        with the class that is answered.

    Returns
    -------
    pandas.DataFrame
        For ``errors`` of `CostModel`: index and columns are names of classes.
    """
    from oblique.costs.model import spelling
    from oblique.datasets.delimited import parse_delimited
    from oblique.datasets.text import decode_text

    label = os.fspath(path)
    text = decode_text(_existing(path, "errors").read_bytes(), label)
    # pandas and R leave the cell above the names of the lines empty.
    frame = parse_delimited(re.sub(r'^(?:"")?(?=[,;\t])', "answer", text), label, header=True)
    answers = frame.iloc[:, 0]
    matrix = frame.iloc[:, 1:]
    words = [name for name in matrix if matrix[name].dtype.kind not in "iuf"]
    if words or answers.isna().any() or matrix.isna().to_numpy().any():
        where = f"column {words[0]!r}" if words else "a cell"
        raise ValueError(
            f"{label}: {where} holds no number; a line is the class answered and its "
            "cost under each true class"
        )
    return matrix.set_axis([spelling(label) for label in answers], axis=0)


def _existing(path: str | os.PathLike[str], what: str) -> Path:
    found = Path(path)
    if not found.is_file():
        raise FileNotFoundError(f"{what}: there is no file {os.fspath(path)!r}")
    return found


def _is_table(entry: Any) -> bool:
    return bool(entry.name.endswith(".csv"))


def _read_tests(frame: pd.DataFrame, label: str) -> dict[str, TestCost]:
    columns = [str(name) for name in frame.columns]
    lacking = [name for name in _REQUIRED if name not in columns]
    if lacking:
        raise ValueError(
            f"{label} lacks the column {lacking[0]!r}; it needs {', '.join(_REQUIRED)} and may "
            f"have {', '.join(_OPTIONAL)}"
        )
    strange = [name for name in columns if name not in _REQUIRED + _OPTIONAL]
    if strange:
        raise ValueError(f"{label}: {unknown_name('column', strange[0], _REQUIRED + _OPTIONAL)}")
    tests: dict[str, TestCost] = {}
    cells = frame.astype(object).where(frame.notna(), None).to_dict("records")
    for line, cell in enumerate(cells, start=2):
        name = str(cell["test"])
        try:
            if cell["test"] is None:
                raise ValueError("the name of the test is missing")
            if name in tests:
                raise ValueError("the test stands there twice")
            tests[name] = _read_line(cell)
        except ValueError as error:
            raise ValueError(f"{label}, line {line}, test {name!r}: {error}") from None
    return tests


def _read_line(cell: dict[str, Any]) -> TestCost:
    group, delay = cell.get("group"), cell.get("delay") or "immediate"
    if delay not in _DELAYS:
        raise ValueError(f"delay {delay!r} must be 'immediate' or 'delayed'")
    return TestCost(
        cell["full_cost"],
        cell.get("discount_cost"),
        None if group is None else str(group),
        _DELAYS[delay],
        str(cell.get("evidence") or ""),
    )
