"""What several commands share: options for reading tables, and printing them."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

    from oblique.datasets import Dataset
    from oblique.indecision import UncertainTable


def add_data_options(parser: argparse._ActionsContainer) -> None:
    """Add the options that say how a data file is to be read."""
    parser.add_argument(
        "--target", metavar="COLUMN", help="column of a file with the class (default: the last)"
    )
    parser.add_argument(
        "--unsafe", metavar="CLASS", help="class whose misses are dangerous (default: as known)"
    )
    add_header_option(parser)


def add_header_option(parser: argparse._ActionsContainer) -> None:
    """Add ``--no-header``; ``arguments.header`` is then False, else None."""
    parser.add_argument(
        "--no-header",
        dest="header",
        action="store_const",
        const=False,
        help="the first line of a CSV file is data; its columns are then called x1, x2, ...",
    )


def read_data(arguments: argparse.Namespace) -> Dataset:
    """Load ``arguments.data``, a name or a path, as the options of `add_data_options` say."""
    from oblique.datasets import load_dataset

    return load_dataset(
        arguments.data,
        target=arguments.target,
        unsafe_class=arguments.unsafe,
        header=arguments.header,
    )


def read_cases(model: Any, location: str, header: bool | None) -> DataFrame:
    """Read cases from a file or a data set: the columns that the model knows, in its order."""
    from oblique.datasets import list_datasets, load_dataset, read_table

    named = location in list_datasets()
    if named:
        table = load_dataset(location, header=header).data
    else:
        table = read_table(location, header=header)
    if not hasattr(model, "feature_names_in_"):
        return table
    missing = [name for name in model.feature_names_in_ if name not in table]
    if missing:
        raise ValueError(
            f"{location} lacks {len(missing)} columns that the model was trained on: "
            f"{', '.join(missing)}"
        )
    return table[list(model.feature_names_in_)]


def add_suffix_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--suffix`` to a command that takes uncertain cases on request."""
    parser.add_argument(
        "--suffix",
        help="columns that end so, such as _std, hold the standard deviations of those without it; "
        "for strategies that take them, such as indecision",
    )


def check_paired(location: str, names: Sequence[str], features: Sequence[str], suffix: str) -> None:
    """Raise ValueError where no feature is uncertain: a suffix that was asked for is misspelt."""
    if any("=" in name for name in names):
        return  # columns of probabilities
    if not any(feature + suffix in names for feature in features):
        raise ValueError(
            f"--suffix {suffix}: {location} has no column of standard deviations, such as "
            f"{features[0] + suffix!r}"
        )


def pair_columns(
    location: str, table: DataFrame, features: Sequence[str], suffix: str, separator: str = "="
) -> UncertainTable:
    """Make uncertain cases of a table: the features of a model, in its order, paired by name."""
    from oblique.indecision import UncertainTable

    names = list(map(str, table.columns))
    kept: list[str] = []
    for feature in features:
        if feature + suffix in features:
            raise ValueError(
                f"the model was trained on the column {feature + suffix!r} as a feature, so it is "
                "no standard deviation: fit with --suffix, or give another one"
            )
        own = [name for name in names if name == feature or name.startswith(feature + separator)]
        if not own:
            raise ValueError(
                f"{location} lacks the column {feature!r} that the model was trained on"
            )
        kept += [*own, *(name for name in names if name == feature + suffix)]
    return UncertainTable.from_frame(
        table.set_axis(names, axis=1)[kept], suffix=suffix, separator=separator
    )


def add_seed_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--seed``."""
    parser.add_argument("--seed", type=int, default=0, help="base of all random choices")


def check_writable(path: str, option: str = "--output") -> None:
    """Find out that a file cannot be written before hours of work rather than after.

    Raises
    ------
    ValueError
        If it is a folder, or its own folder is missing or may not be written.
    """
    if Path(path).is_dir():
        raise ValueError(f"{option} {path}: this is a folder; name a file")
    folder = Path(path).resolve().parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(f"{option} {path}: the folder {folder} is missing or cannot be written")


def print_json(value: Any) -> None:
    """Print a value as JSON; what is no number becomes null."""
    print(json.dumps(plain(value), indent=2))


def plain(value: Any) -> Any:
    """Turn numpy scalars and NaN into what JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and value != value else value


def print_columns(rows: Sequence[Sequence[Any]], *, headings: Sequence[str]) -> None:
    """Print rows of text in aligned columns."""
    texts = [list(headings), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in texts) for i in range(len(headings))]
    for row in texts:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def assignments(texts: Sequence[str], option: str, example: str) -> dict[str, str]:
    """Read ``NAME=VALUE`` arguments of an option that may be given many times."""
    found = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign or not name or not value:
            raise ValueError(f"{option} {text}: write NAME=VALUE, such as {option} {example}")
        found[name] = value
    return found


def number(text: str, option: str) -> float:
    """Read a number given to an option."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option}: {text!r} is no number") from None
