"""What a column of text cells holds: numbers, or words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

#: Spellings of a missing cell.
MISSING = ("", "?", "NA", "N/A", "NaN", "nan")

# float() would take 1_0 and the digits of other scripts for numbers
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)", re.ASCII | re.I)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)


def is_number(cell: str) -> bool:
    """Tell whether a cell spells a number, blanks around it allowed."""
    return _NUMBER.fullmatch(cell.strip()) is not None


def tidy_column(column: pd.Series, label: str) -> pd.Series:
    """Leave numbers as they are; make words a categorical column with missing cells as NaN."""
    if column.dtype.kind in "iuf":
        return column
    if column.dtype.kind == "b":
        return column.astype("category")
    # spaces before a separator hide a number or a missing cell from pandas
    words = column.astype("object").map(
        lambda cell: cell.strip() if isinstance(cell, str) else cell
    )
    words = words.mask(words.isin(MISSING))
    present = [str(cell) for cell in words.dropna()]
    if all(map(is_number, present)):
        return _to_numbers(words, present)
    commas = [cell for cell in present if _DECIMAL_COMMA.fullmatch(cell)]
    if commas and all(map(is_number, set(present) - set(commas))):
        raise ValueError(
            f"{label}: column {column.name!r} holds numbers with a decimal comma, such as "
            f"{commas[0]!r}; write them with a point"
        )
    return words.astype("category")


def _to_numbers(words: pd.Series, present: list[str]) -> pd.Series:
    numbers = words.map(float).astype("float64")
    whole = len(present) == len(words) and all(map(_INTEGER.fullmatch, present))
    return numbers.astype("int64") if whole and numbers.abs().max() < 2**53 else numbers
