"""Options that say what tests and errors cost."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def add_error_costs_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--error-costs``."""
    parser.add_argument(
        "--error-costs",
        nargs="+",
        metavar="COST",
        help="what errors cost: one number, CLASS=COST for each class, or a file with a matrix",
    )


def parse_costs(given: Sequence[str] | None, names: Sequence[str]) -> dict[str, str]:
    """Return the costs of ``--costs`` by the name of their data set."""
    from oblique._suggest import unknown_name

    found: dict[str, str] = {}
    for text in given or ():
        name, sign, costs = text.partition("=")
        if sign and name not in names:
            raise ValueError(f"--costs {text}: {unknown_name('data set', name, names)}")
        found |= {name: costs} if sign else dict.fromkeys(names, text)
    return found


def parse_errors(given: Sequence[str] | None) -> Any:
    """Return the costs of ``--error-costs``: a number, a mapping of classes, a path, or None."""
    if given is None:
        return None
    pairs = [text.rpartition("=") for text in given]
    try:
        if len(given) == 1 and not pairs[0][1]:
            text = given[0]
            return text if Path(text).suffix in (".csv", ".gz") else float(text)
        if not all(name for name, _, _ in pairs):
            raise ValueError
        return {name: float(cost) for name, _, cost in pairs}
    except ValueError:
        raise ValueError(
            f"--error-costs {' '.join(given)}: give one number, CLASS=COST for each class, or the "
            "path of a CSV file"
        ) from None
