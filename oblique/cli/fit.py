"""``oblique fit``: train a classifier on a table and keep it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from oblique.cli.prices import add_error_costs_option, parse_errors
from oblique.cli.table import (
    add_data_options,
    add_seed_option,
    add_suffix_option,
    check_paired,
    check_writable,
    print_json,
    read_data,
)

if TYPE_CHECKING:
    from pandas import DataFrame

SUMMARY = "Train a strategy on a data set and write the model to a file."
EXAMPLE = """\
  oblique fit pima --strategy ldt -o model.json
  oblique fit pima --strategy icet --costs pima --error-costs 0=50 1=400 -o cheap.json
  oblique fit measured.csv --strategy indecision --suffix _std -o model.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``oblique fit``."""
    parser.add_argument("data", metavar="DATA", help="name of a data set, or path of a file")
    parser.add_argument(
        "--strategy", default="ldt", help="installed strategy or module:attribute (default: ldt)"
    )
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help="file to write")
    parser.add_argument(
        "--costs",
        metavar="COSTS",
        help="what tests cost, for strategies that weigh it: a published table or a file",
    )
    add_error_costs_option(parser)
    add_data_options(parser)
    add_suffix_option(parser)
    add_seed_option(parser)


def execute(arguments: argparse.Namespace) -> int:
    """Train on all rows, write the model and say how large it is."""
    from oblique import save
    from oblique.compare.compilation import watch_compilations
    from oblique.compare.execute import prepare_estimator
    from oblique.compare.measure import measure_tree
    from oblique.compare.pricing import check_costs, read_cost_model, score_costs
    from oblique.compare.strategy import load_strategy
    from oblique.compare.timing import time_fit

    check_writable(arguments.output)
    dataset = read_data(arguments)
    costs = read_cost_model(arguments.costs, parse_errors(arguments.error_costs))
    if costs is not None:
        check_costs(costs, dataset)
    strategy = load_strategy(arguments.strategy)
    model = prepare_estimator(
        strategy.estimator, unsafe_class=dataset.unsafe_class, seed=arguments.seed, costs=costs
    )
    cases = dataset.data
    if arguments.suffix is not None:
        cases = _pair(cases, strategy.name, model, arguments)
    with watch_compilations(_tell_of_compilation(), lambda: None):
        model, used = time_fit(model, cases, dataset.target)
    save(model, arguments.output)
    told: dict[str, Any] = {
        "data": dataset.name,
        "strategy": strategy.name,
        "model": arguments.output,
        "rows": len(dataset.data),
        **measure_tree(model),
        "training_accuracy": float(model.score(cases, dataset.target)),
        "fit_seconds": used.seconds,
    }
    if costs is not None:
        actual = dataset.target.to_numpy()
        answers = model.predict(dataset.data)
        told |= score_costs(costs, model, dataset.data, actual, answers, actual)
    if arguments.json:
        print_json(told)
    else:
        leaves, size = told["leaves"], ""
        if leaves is not None:
            size = f"{leaves} {'leaf' if leaves == 1 else 'leaves'}, depth {told['depth']}, "
        paid = "" if costs is None else f", {told['cost']:.4g} spent on each"
        print(
            f"{strategy.name} on {told['rows']} rows of {dataset.name}: {size}"
            f"{told['training_accuracy']:.1%} right on them{paid}; written to {arguments.output}"
        )
    return 0


def _pair(data: DataFrame, strategy: str, model: Any, arguments: argparse.Namespace) -> Any:
    """Make uncertain cases of a table, for a classifier that takes them."""
    import inspect

    from oblique.indecision import UncertainTable

    if "X_std" not in inspect.signature(model.fit).parameters:
        raise ValueError(f"--suffix: strategy {strategy!r} takes no standard deviations")
    if arguments.costs or arguments.error_costs:
        raise ValueError("--suffix excludes --costs and --error-costs: costs are of exact cases")
    cases = UncertainTable.from_frame(data, suffix=arguments.suffix)
    names = list(map(str, data.columns))
    check_paired(arguments.data, names, names, arguments.suffix)
    return cases


def _tell_of_compilation() -> Callable[[], None]:
    """Return a function that says once that kernels are compiled, however often it is called."""
    told: list[bool] = []

    def tell() -> None:
        if not told:
            print("compiling kernels; they are kept on disk", file=sys.stderr, flush=True)
        told.append(True)

    return tell
