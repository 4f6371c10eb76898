"""``oblique predict``: classify the rows of a table."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from oblique.cli.table import (
    add_header_option,
    add_suffix_option,
    check_paired,
    check_writable,
    pair_columns,
    print_json,
    read_cases,
)

if TYPE_CHECKING:
    from pandas import DataFrame

SUMMARY = "Classify the rows of a data set with a model from a file."
EXAMPLE = "  oblique predict model.json patients.csv -o predicted.csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``oblique predict``."""
    parser.add_argument("model", metavar="MODEL", help="file that oblique fit wrote")
    parser.add_argument(
        "data",
        metavar="DATA",
        help="file, or name of a data set, with the columns that the model was trained on; "
        "others, such as a known class, are passed over",
    )
    add_header_option(parser)
    add_suffix_option(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="CSV file to write (default: the terminal)"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Write the class and the class probabilities of every row."""
    from oblique import load

    if arguments.output:
        check_writable(arguments.output)
    model = load(arguments.model)
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"{arguments.model} holds a {type(model).__name__}, no classifier")
    predicted = _predict(model, _read(model, arguments))
    if arguments.json:
        print_json(predicted.to_dict("records"))
    else:
        predicted.to_csv(arguments.output or sys.stdout, index=False)
    return 0


def _read(model: Any, arguments: argparse.Namespace) -> Any:
    """Read the cases, uncertain ones where their deviations have a suffix."""
    if arguments.suffix is None:
        return read_cases(model, arguments.data, arguments.header)
    from oblique.datasets import read_table
    from oblique.indecision import IndecisionTreeClassifier

    if not isinstance(model, IndecisionTreeClassifier):
        raise ValueError(f"--suffix: {type(model).__name__} takes no standard deviations")
    table = read_table(arguments.data, header=arguments.header)
    features = getattr(model, "feature_names_in_", None)
    if features is None:
        raise ValueError(f"--suffix: {arguments.model} was trained on columns without names")
    cases = pair_columns(arguments.data, table, features, arguments.suffix)
    check_paired(arguments.data, list(map(str, table.columns)), features, arguments.suffix)
    return cases


def _predict(model: Any, data: Any) -> DataFrame:
    from pandas import DataFrame

    predicted = DataFrame({"row": range(1, len(data) + 1), "predicted": model.predict(data)})
    probabilities = model.predict_proba(data)
    for name, column in zip(model.classes_, probabilities.T, strict=True):
        predicted[f"probability_{name}"] = column
    return predicted
