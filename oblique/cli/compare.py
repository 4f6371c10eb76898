"""``oblique compare``: strategies on data sets, on the same splits."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oblique.cli.prices import add_error_costs_option, parse_costs, parse_errors
from oblique.cli.table import add_data_options, check_writable, plain

if TYPE_CHECKING:
    from oblique.compare import Design, Results

SUMMARY = "Compare strategies on data sets by repeated stratified splits."
EXAMPLE = """\
  oblique compare
  oblique compare --data pima my.csv --strategies ldt cart sklearn.svm:SVC --repeats 100 \\
      --store results --output cells.csv"""

STRATEGIES = ("ldt", "ldt_safe_pruned", "ap", "ap_pruned", "cart")
REPEATS = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``oblique compare``."""
    design = parser.add_argument_group("what is compared")
    design.add_argument(
        "--design", metavar="FILE", help="TOML file with all of the design, instead of options"
    )
    design.add_argument(
        "--data", nargs="+", metavar="DATA", help="data sets (default: the five of Vadera 2005)"
    )
    design.add_argument(
        "--strategies", nargs="+", metavar="NAME", help=f"default: {' '.join(STRATEGIES)}"
    )
    design.add_argument(
        "--train-sizes", nargs="+", type=float, metavar="SHARE", help="default: 0.5"
    )
    design.add_argument("--folds", type=int, metavar="K", help="cross-validate in K folds instead")
    design.add_argument("--repeats", type=int, metavar="N", help=f"default: {REPEATS}")
    design.add_argument("--seed", type=int, help="base of all random choices (default: 0)")
    design.add_argument(
        "--unsafe-cost",
        type=float,
        metavar="COST",
        help="tell the cost, too, when missing an unsafe row costs so much and a safe one 1",
    )
    design.add_argument(
        "--costs",
        nargs="+",
        metavar="COSTS",
        help="tell the cost of tests and errors: a published table or a file for all data sets, or "
        "DATA=COSTS for each",
    )
    add_error_costs_option(design)
    for part in ("train", "test"):
        design.add_argument(
            f"--noise-{part}",
            type=float,
            default=0.0,
            metavar="SHARE",
            help=f"add normal noise to the {part}ing measurements, with this share of each "
            "feature's range as standard deviation; strategies that take X_std are told",
        )
    add_data_options(design)
    running = parser.add_argument_group("how it runs")
    running.add_argument(
        "--jobs", type=int, default=-1, metavar="N", help="processes (default: one a core)"
    )
    running.add_argument("--store", metavar="DIR", help="keep every cell here; resume from here")
    running.add_argument(
        "--rerun-failed", action="store_true", help="run the store's failed cells again"
    )
    running.add_argument(
        "--time-limit", type=float, metavar="SECONDS", help="give a cell up after so long"
    )
    running.add_argument(
        "--shard", type=_parse_shard, metavar="I/N", help="run the I-th of N parts of the cells"
    )
    running.add_argument(
        "--dask", metavar="ADDRESS", help="run on the workers of this dask scheduler"
    )
    running.add_argument("--quiet", action="store_true", help="show no progress")
    written = parser.add_argument_group("what is written")
    written.add_argument(
        "--output", metavar="FILE", help="every cell, as .csv or .json by the file's ending"
    )
    written.add_argument("--report", metavar="DIR", help="write a report to read and to cite")
    written.add_argument(
        "--keep-predictions", action="store_true", help="keep predictions of every test row"
    )


def execute(arguments: argparse.Namespace) -> int:
    """Run the comparison, print its tables and write what was asked for."""
    from oblique.compare import run
    from oblique.compare.reporting import check_extra

    if arguments.output:
        if Path(arguments.output).suffix not in (".csv", ".json"):
            raise ValueError(f"--output {arguments.output}: the name must end in .csv or .json")
        check_writable(arguments.output)
    design = _make_design(arguments)
    if arguments.report:
        check_extra()
        # A folder that cannot be made is told before hours of work rather than after.
        try:
            Path(arguments.report).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"--report {arguments.report}: the folder cannot be made: {error.strerror}"
            ) from None
    try:
        with _ending_in_good_order():
            results = run(
                design,
                store=arguments.store,
                n_jobs=arguments.jobs,
                shard=arguments.shard,
                rerun_failed=arguments.rerun_failed,
                time_limit=arguments.time_limit,
                keep_predictions=arguments.keep_predictions,
                dask_address=arguments.dask,
                progress=not arguments.quiet,
            )
            return _tell(results, arguments)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_what_is_kept(arguments.store)) from None


@contextmanager
def _ending_in_good_order() -> Iterator[None]:
    """Let what ends a job, or its terminal, end a run as Ctrl-C does: workers, folders, last line.

    A signal that is ignored, as under ``nohup``, stays so.
    """

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    changed = [n for n in numbers if signal.getsignal(n) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        changed = []  # Python lets only the main thread have a say in signals
    for number in changed:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _tell(results: Results, arguments: argparse.Namespace) -> int:
    """Print the tables, write what was asked for, and return the exit code."""
    from oblique.compare import report, summarize

    if arguments.json:
        print(json.dumps(plain(summarize(results.records).to_dict("records")), indent=2))
    else:
        _print_tables(results)
    if arguments.output:
        _write_cells(results, arguments.output)
    if arguments.report and results.records:
        page = report(results, arguments.report, command=arguments.command_line)
        print(f"report written to {page}", file=sys.stderr)
    return _tell_failures(results)


def _make_design(arguments: argparse.Namespace) -> Design:
    from oblique.compare import Design
    from oblique.compare.source import make_source
    from oblique.datasets import PAPER_SETS

    given = {
        "strategies": arguments.strategies,
        "train_sizes": arguments.train_sizes,
        "n_folds": arguments.folds,
        "repeats": arguments.repeats,
        "seed": arguments.seed,
        "unsafe_cost": arguments.unsafe_cost,
    }
    if arguments.folds is not None and arguments.train_sizes is not None:
        raise ValueError("--folds and --train-sizes exclude each other; give one of them")
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    reading = {
        "target": arguments.target, "unsafe_class": arguments.unsafe, "header": arguments.header,
    }  # fmt: skip
    priced = arguments.costs or arguments.error_costs
    if arguments.design is not None:
        read = any(given is not None for given in reading.values())
        if options or arguments.data or priced or read or _noise(arguments):
            raise ValueError("--design holds the whole design; leave the other options of it out")
        from oblique.compare.design_file import read_design

        return read_design(arguments.design)
    sources = [make_source(location) for location in arguments.data or PAPER_SETS]
    names = [source.name for source in sources]
    costs, errors = parse_costs(arguments.costs, names), parse_errors(arguments.error_costs)
    sources = [
        replace(source, costs=costs.get(source.name), errors=errors, **reading)
        for source in sources
    ]
    options = {"strategies": STRATEGIES, "repeats": REPEATS, **options}
    if _noise(arguments):
        from oblique.indecision import add_noise

        options["strategies"] = add_noise(options["strategies"], **_noise(arguments))
    return Design(datasets=sources, **options)


def _noise(arguments: argparse.Namespace) -> dict[str, float]:
    """Noise that was asked for, empty for none."""
    noise = {"train": arguments.noise_train, "test": arguments.noise_test}
    return noise if any(noise.values()) else {}


def _parse_shard(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    try:
        return int(part), int(parts)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not I/N, such as 2/8") from None


def _print_tables(results: Results) -> None:
    from oblique.compare.text import format_results

    if not results.records:
        print("this part of the design has no cells", file=sys.stderr)
        return
    print(format_results(results.records))


def _write_cells(results: Results, path: str) -> None:
    from oblique.compare import tabulate

    if path.endswith(".csv"):
        tabulate(results.records).to_csv(path, index=False)
    else:
        Path(path).write_text(json.dumps(plain(list(results.records)), indent=1))
    print(f"{len(results.records)} cells written to {path}", file=sys.stderr)


def _tell_failures(results: Results) -> int:
    if not results.failed:
        return 0
    print(f"{len(results.failed)} of {len(results.records)} cells failed:", file=sys.stderr)
    for failure in results.failures:
        where = f"{failure.strategy} on {failure.dataset}"
        print(f"  {where}, {failure.cells} cells: {failure.reason}", file=sys.stderr)
    return 1


def _what_is_kept(store: str | None) -> str:
    if store is None:
        return "nothing was kept; with --store DIR a run can be resumed"
    return f"finished cells are in {store}; the same command goes on from there"
