"""ARFF files (Weka's attribute-relation file format)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# liac-arff cuts the fraction off a value of an integer attribute without a word
_INTEGER = re.compile(r"(?i)^(\s*@attribute\s.*\s)integer\s*$")
_NO_VALUES = re.compile(r"\{\s*\}\s*$")
_TYPE_NOT_READ = re.compile(r"""(?i)@attribute\s+('[^']*'|"[^"]*"|\S+)\s+(date|relational)\b""")


def parse_arff(text: str, label: str) -> pd.DataFrame:
    """Read a dense ARFF file.

    Numeric attributes become numeric columns; nominal and string attributes become categorical
    columns, the nominal ones with their declared values as categories.

    Parameters
    ----------
    text : str
        Content of the file.
    label : str
        How messages name the file.

    Returns
    -------
    pandas.DataFrame

    Raises
    ------
    ValueError
        With the line number: bad syntax, a value that its attribute does not declare, a sparse
        row, a date or relational attribute. Also: no ``@data``, no rows.
    """
    import arff
    import pandas as pd

    lines = text.split("\n")
    start = _check_header(lines, label)
    _refuse_sparse(lines, start, label)
    dense = [_INTEGER.sub(r"\1numeric", line) for line in lines[:start]] + lines[start:]
    try:
        # lines, since liac-arff drops the blank lines at the start of a text and then miscounts
        content = arff.load(iter(dense))
    except arff.ArffException as error:
        raise ValueError(f"{label}, line {error.line}: {error}") from error
    if not content["data"]:
        raise ValueError(f"{label} has no rows after @data")
    columns = {}
    cells_by_column = zip(*content["data"], strict=True)
    for (name, kind), cells in zip(content["attributes"], cells_by_column, strict=True):
        if isinstance(kind, list):
            columns[name] = pd.Series(pd.Categorical(cells, categories=kind))
        elif kind == "STRING":
            columns[name] = pd.Series(pd.Categorical(cells))
        else:
            columns[name] = pd.Series(cells, dtype="float64")
    return pd.DataFrame(columns)


def _check_header(lines: list[str], label: str) -> int:
    """Return the place of ``@data``; liac-arff passes over header lines that it does not know."""
    for number, line in enumerate(lines, start=1):
        words = line.split(maxsplit=1)
        keyword = words[0].lower() if words else "%"
        if keyword == "@data":
            return number
        if not keyword.startswith("%") and keyword not in {"@relation", "@attribute"}:
            raise ValueError(
                f"{label}, line {number}: expected @relation, @attribute or @data, not "
                f"{line.strip()!r}"
            )
        if keyword == "@attribute" and _NO_VALUES.search(line):
            raise ValueError(f"{label}, line {number}: the attribute declares no value")
        found = _TYPE_NOT_READ.match(line.strip())
        if found:
            raise ValueError(
                f"{label}, line {number}: attribute {found[1]} is of type {found[2].lower()}, "
                "which is not read; write it as numbers, such as days since a date, or remove it"
            )
    raise ValueError(f"{label} has no line @data")


def _refuse_sparse(lines: list[str], start: int, label: str) -> None:
    for number, line in enumerate(lines[start:], start=start + 1):
        row = line.strip()
        if row.startswith("{"):
            raise ValueError(
                f"{label}, line {number}: sparse ARFF rows are not read; write the file densely "
                "(Weka: the filter SparseToNonSparse)"
            )
        if row and not row.startswith("%"):
            return
