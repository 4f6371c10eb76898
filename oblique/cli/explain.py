"""``oblique explain``: why cases have their class and what would change it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from oblique.cli.table import (
    add_header_option,
    assignments,
    check_writable,
    number,
    print_columns,
    print_json,
    read_cases,
)

if TYPE_CHECKING:
    from pandas import DataFrame

    from oblique.sensitivity import Explanations

SUMMARY = "Explain the class of cases: distance, smallest move to another class, sensitive tests."
EXAMPLE = "  oblique explain model.json patients.csv --case 12 --freeze age --weight bmi=2"
_MOST_TEXTS = 5
_MOST_NUMBERS = 5  # of cases left out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``oblique explain``."""
    parser.add_argument("model", metavar="MODEL", help="file that oblique fit wrote")
    parser.add_argument(
        "data", metavar="CASES", help="file, or name of a data set, with the model's columns"
    )
    parser.add_argument(
        "--case", metavar="N", type=int, action="append", default=[],
        help="row of the file, counted from 1; may be given again (default: all rows, as a "
        "table where they are many)",
    )  # fmt: skip
    add_header_option(parser)
    parser.add_argument(
        "--known", metavar="FILE", help="cases with their class, for the error rate near a case"
    )
    parser.add_argument(
        "--target", metavar="COLUMN", help="column of --known with the class (default: the last)"
    )
    parser.add_argument(
        "--html", metavar="FILE",
        help="write a page, too, in which the cases, the metric and the limits can be changed",
    )  # fmt: skip
    add_metric_options(parser)
    limits = parser.add_argument_group("what may move")
    for option, text in (
        ("--freeze", "attribute that must not move"),
        ("--not-decreasing", "attribute that may only rise"),
        ("--not-increasing", "attribute that may only fall"),
        ("--integer", "attribute that moves to whole numbers (axis-parallel trees)"),
    ):
        limits.add_argument(option, metavar="NAME", action="append", default=[], help=text)
    limits.add_argument(
        "--range", metavar="NAME=LOW:HIGH", action="append", default=[],
        help="where the attribute must stay",
    )  # fmt: skip
    limits.add_argument(
        "--weight", metavar="NAME=W", action="append", default=[],
        help="moves of the attribute cost W times as much",
    )  # fmt: skip


def add_metric_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how moves are measured."""
    group = parser.add_argument_group("how moves are measured")
    group.add_argument(
        "--metric", choices=("minmax", "standard", "identity"), default="minmax",
        help="unit of each attribute: its range, its standard deviation, or 1",
    )  # fmt: skip
    group.add_argument(
        "--sample", metavar="FILE",
        help="rows that give ranges and deviations (default: the model's training rows)",
    )  # fmt: skip


def complete_cases(model: Any, cases: DataFrame, location: str) -> DataFrame:
    """Cases that have a distance; says on the standard error how many are left out.

    Parameters
    ----------
    model : fitted classifier
    cases : DataFrame
        Rows labelled by their numbers in the file, from 1.
    location : str
        The file, as the user wrote it.

    Raises
    ------
    ValueError
        If no case is complete.
    """
    from oblique.sensitivity import DecisionSurface

    complete = DecisionSurface(model, "identity").encode_complete(cases)[1]
    left_out = cases.index[~complete].tolist()
    if not left_out:
        return cases
    shown = ", ".join(map(str, left_out[:_MOST_NUMBERS]))
    more = ", ..." if len(left_out) > _MOST_NUMBERS else ""
    text = f"{location}: missing values in case {shown}{more}: without them there is no distance"
    if len(left_out) == len(cases):
        raise ValueError(f"{text}; fill them in first")
    print(f"{text}; {len(left_out)} of {len(cases)} cases are left out", file=sys.stderr)
    return cases[complete]


def execute(arguments: argparse.Namespace) -> int:
    """Print explanations."""
    from oblique import explain, load

    if arguments.html is not None:
        check_writable(arguments.html, "--html")
    model = load(arguments.model)
    cases = read_cases(model, arguments.data, arguments.header)
    cases.index = range(1, len(cases) + 1)
    picked = complete_cases(model, _pick(cases, arguments.case), arguments.data)
    sample = arguments.sample
    answers = explain(
        model,
        picked,
        sample=None if sample is None else read_cases(model, sample, arguments.header),
        known=_read_known(model, arguments),
        metric=arguments.metric,
        frozen=arguments.freeze,
        not_decreasing=arguments.not_decreasing,
        not_increasing=arguments.not_increasing,
        integer=arguments.integer,
        ranges=_ranges(arguments.range),
        weights=_weights(arguments.weight),
    )
    if arguments.html is not None:
        from oblique.sensitivity import write_page

        # Not on the standard output, which may be read as JSON.
        page = write_page(answers, arguments.html, title=f"Explanation of {arguments.data}")
        print(f"page written to {page}", file=sys.stderr)
    if arguments.json:
        print_json([answer.to_dict() for answer in answers])
    elif arguments.case or len(answers) <= _MOST_TEXTS:
        print("\n\n".join(map(str, answers)))
    else:
        _print_table(answers)
    return 0


def _pick(cases: DataFrame, numbers: list[int]) -> DataFrame:
    for row in numbers:
        if not 1 <= row <= len(cases):
            raise ValueError(f"--case {row}: rows are counted from 1 to {len(cases)}")
    return cases.loc[numbers] if numbers else cases


def _read_known(model: Any, arguments: argparse.Namespace) -> tuple[Any, Any] | None:
    if arguments.known is None:
        return None
    from oblique.datasets import load_dataset
    from oblique.sensitivity.model import view_model

    known = load_dataset(arguments.known, target=arguments.target, header=arguments.header)
    classes = view_model(model).classes.tolist()
    strange = [label for label in known.target.unique().tolist() if label not in classes]
    if strange:
        raise ValueError(
            f"--known {arguments.known}: {strange[0]!r} in column {str(known.target.name)!r} is no "
            f"class of the model ({', '.join(map(str, classes))}); --target names the class column"
        )
    return read_cases(model, arguments.known, arguments.header), known.target


def _ranges(texts: list[str]) -> dict[str, tuple[float, float]]:
    found = {}
    for name, value in assignments(texts, "--range", "age=18:90").items():
        low, sign, high = value.partition(":")
        if not sign:
            raise ValueError(f"--range {name}={value}: write NAME=LOW:HIGH, such as age=18:90")
        found[name] = (
            number(low, "--range") if low else float("-inf"),
            number(high, "--range") if high else float("inf"),
        )
    return found


def _weights(texts: list[str]) -> dict[str, float] | None:
    given = assignments(texts, "--weight", "age=2")
    return {name: number(value, "--weight") for name, value in given.items()} or None


def _print_table(answers: Explanations) -> None:
    """One line a case."""
    near = answers.near
    rows = [
        (label, predicted, f"{distance:.4g}", target, status)
        for label, predicted, distance, target, status in zip(
            answers.names, near.predicted_class, near.distance, near.target_class,
            near.status, strict=True,
        )
    ]  # fmt: skip
    print_columns(rows, headings=("case", "class", "distance", "other class", "status"))
    print(f"\n{len(answers)} cases; --case N explains one in full")
