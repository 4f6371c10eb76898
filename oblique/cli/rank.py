"""``oblique rank``: order cases by how surely they belong to a class."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from oblique.cli.explain import add_metric_options, complete_cases
from oblique.cli.table import add_header_option, check_writable, print_json, read_cases

SUMMARY = "Rank cases by their signed distance to the decision surface."
EXAMPLE = "  oblique rank model.json patients.csv --positive 1 --top 20"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``oblique rank``."""
    parser.add_argument("model", metavar="MODEL", help="file that oblique fit wrote")
    parser.add_argument(
        "data", metavar="CASES", help="file, or name of a data set, with the model's columns"
    )
    parser.add_argument(
        "--positive", metavar="CLASS", required=True, help="class whose surest cases come first"
    )
    parser.add_argument(
        "--scope", choices=("global", "local"), default="global",
        help="all cases by distance, or leaves by their estimated probability and cases by "
        "distance within leaves",
    )  # fmt: skip
    parser.add_argument(
        "--estimate", choices=("laplace", "m", "raw"), default="laplace",
        help="estimate that orders the leaves of a local ranking",
    )  # fmt: skip
    parser.add_argument("--top", metavar="N", type=int, help="the first N cases only")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="CSV file to write (default: the terminal)"
    )
    add_header_option(parser)
    add_metric_options(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Write the cases, surest first."""
    from oblique import load
    from oblique.sensitivity import rank_cases

    if arguments.output:
        check_writable(arguments.output)
    if arguments.top is not None and arguments.top < 1:
        raise ValueError(f"--top {arguments.top}: at least one case")
    model = load(arguments.model)
    sample = arguments.sample
    cases = read_cases(model, arguments.data, arguments.header)
    cases.index = range(1, len(cases) + 1)
    cases = complete_cases(model, cases, arguments.data)
    ranking = rank_cases(
        model,
        cases,
        _class_of(model, arguments.positive),
        scope=arguments.scope,
        leaf_estimate=arguments.estimate,
        metric=arguments.metric,
        sample=None if sample is None else read_cases(model, sample, arguments.header),
    )
    ranking.insert(1, "case", cases.index[ranking.pop("row")])
    ranking = ranking.head(arguments.top)
    if arguments.json:
        print_json(ranking.to_dict("records"))
    else:
        ranking.to_csv(arguments.output or sys.stdout, index=False)
    return 0


def _class_of(model: Any, text: str) -> Any:
    """Class whose name is `text`."""
    from oblique.sensitivity.model import view_model

    classes = view_model(model).classes.tolist()
    for label in classes:
        if str(label) == text:
            return label
    raise ValueError(f"--positive {text}: the model's classes are {', '.join(map(str, classes))}")
