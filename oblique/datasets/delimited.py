"""CSV files and the header-less `.data` files of UCI."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .column import MISSING, is_number, tidy_column

if TYPE_CHECKING:
    import pandas as pd

_QUOTED = re.compile(r'"[^"]*"')
_SAMPLE_ROWS = 20


class Record(NamedTuple):
    """One row of a file: the line where it ends, counted from 1, and its fields."""

    line: int
    fields: list[str]


class Scan(NamedTuple):
    """What a first pass over a file finds: its first rows and the number of rows."""

    first: Record
    sample: list[Record]
    rows: int


def parse_delimited(
    text: str,
    label: str,
    *,
    header: bool | None = None,
    assume_header: bool = True,
    separator: str | None = None,
) -> pd.DataFrame:
    """Read a delimited table.

    Parameters
    ----------
    text : str
        Content of the file.
    label : str
        How messages name the file.
    header : bool, optional
        Whether the first line holds the column names. Without names the columns are called
        x1, x2, ...
    assume_header : bool, default=True
        What to take for granted when `header` is None, unless the first line speaks against it:
        numbers among the names, or a word above a column of numbers, are refused.
    separator : str, optional
        Character between fields; by default the one of comma, semicolon and tab that the first
        line holds most often, else white space.

    Returns
    -------
    pandas.DataFrame
        Numeric columns where every cell is a number or missing, categorical columns elsewhere.

    Raises
    ------
    ValueError
        With its line number: a row with another number of fields than the first one, a quote
        that does not end. Also: doubled or empty column names, no rows, a first line that
        speaks against `assume_header`.
    """
    if separator is not None and len(separator) != 1:
        raise ValueError(f"separator must be one character or None, not {separator!r}")
    separator = separator or _guess_separator(text)
    if separator == " ":
        text = _single_spaces(text)
    first, sample, rows = _scan(text, separator, label)
    if header is None:
        (_refuse_numbers if assume_header else _refuse_names)(first, sample, label)
        header = assume_header
    if header and not sample:
        raise ValueError(f"{label} has one line only: a header without rows, or no header")
    names = (
        _column_names(first, label)
        if header
        else [f"x{number + 1}" for number in range(len(first.fields))]
    )
    frame = _read_frame(text, label, names, separator, skip=first.line if header else 0)
    if len(frame) != rows - header:
        raise ValueError(
            f"{label} has {rows - header} rows, but pandas reads {len(frame)}; is there a line "
            "that holds nothing but quotes?"
        )
    return frame


def _guess_separator(text: str) -> str:
    first = _QUOTED.sub("", next(line for line in io.StringIO(text) if line.strip()))
    best = max(",;\t", key=first.count)
    return best if best in first else " "


def _single_spaces(text: str) -> str:
    """Turn runs of white space into one space, so that a space is a plain separator."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def _records(text: str, separator: str, label: str) -> Iterator[Record]:
    """Yield the rows of a file, blank lines left out."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True
    )
    start = 1
    try:
        for fields in reader:
            start = reader.line_num + 1
            if len(fields) > 1 or (fields and fields[0].strip(" \t")):
                yield Record(reader.line_num, fields)
    except csv.Error as error:
        raise ValueError(f"{label}, line {start}: {error}") from error


def _scan(text: str, separator: str, label: str) -> Scan:
    """Check that all rows are equally long.

    pandas fills short rows with missing cells without a word, hence this pass of our own.
    """
    records = _records(text, separator, label)
    first = next(records, None)
    if first is None:
        raise ValueError(f"{label} has no rows")
    if len(first.fields) == 1:
        raise ValueError(
            f"{label}, line {first.line}: one column only, {first.fields[0]!r}; a table has "
            f"features and a class, so the separator may be another one than {separator!r}"
        )
    sample: list[Record] = []
    rows = 1
    for record in records:
        if len(record.fields) != len(first.fields):
            raise ValueError(
                f"{label}, line {record.line}: {len(record.fields)} fields, but line "
                f"{first.line} has {len(first.fields)} (separator {separator!r})"
            )
        rows += 1
        if len(sample) < _SAMPLE_ROWS:
            sample.append(record)
    return Scan(first, sample, rows)


def _refuse_numbers(first: Record, sample: list[Record], label: str) -> None:
    """Ask rather than lose a row: numbers are rarely column names."""
    numbers = [field for field in first.fields if is_number(field)]
    if numbers:
        raise ValueError(
            f"{label}, line {first.line}: {numbers[0]!r} is a number, so this line may be data "
            "and not the column names; put a line of names above it, let the file's name end in "
            ".data, or say header=False (--no-header on the command line); header=True if these "
            "are names"
        )


def _refuse_names(first: Record, sample: list[Record], label: str) -> None:
    """Ask rather than learn from names: a word above a column of numbers is rarely data."""
    for number, field in enumerate(first.fields):
        below = [record.fields[number].strip() for record in sample]
        numbers = [cell for cell in below if cell not in MISSING]
        word = field.strip() not in MISSING and not is_number(field)
        if word and len(numbers) > 1 and all(map(is_number, numbers)):
            raise ValueError(
                f"{label}, line {first.line}: {field!r} stands above a column of numbers, so "
                "this line may hold the column names; say header=True, or remove it"
            )


def _column_names(first: Record, label: str) -> list[str]:
    names = [field.strip() for field in first.fields]
    empty = [number + 1 for number, name in enumerate(names) if not name]
    if empty:
        raise ValueError(
            f"{label}, line {first.line}: column {empty[0]} of {len(names)} has no name; name "
            "it, or remove it if it only counts the rows"
        )
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        places = [number + 1 for number, name in enumerate(names) if name == doubled[0]]
        raise ValueError(
            f"{label}, line {first.line}: the column name {doubled[0]!r} stands at the places "
            f"{places}; names must differ"
        )
    return names


def _read_frame(text: str, label: str, names: list[str], separator: str, skip: int) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            header=None,
            names=names,
            skiprows=skip,
            index_col=False,
            skipinitialspace=True,
            na_values=list(MISSING),
            keep_default_na=False,
            low_memory=False,
            **_exact_floats(pd.__version__),
        )
    except ValueError as error:  # ParserError and EmptyDataError are ValueErrors
        raise ValueError(f"{label}: {error}") from error
    return pd.DataFrame({name: tidy_column(frame[name], label) for name in names})


def _exact_floats(version: str) -> dict[str, str]:
    """Ask older pandas for the nearest double; from 3.1 on it is the default."""
    major, minor = version.split(".")[:2]
    return {"float_precision": "round_trip"} if (int(major), int(minor)) < (3, 1) else {}
