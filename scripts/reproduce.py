"""Repeat the experiments of a paper, each figure beside the printed one, in one command.

``vadera``      Vadera (2005), Appendix A: LDT, OC1, AP, RLP and ICET on five public data sets
``murthy``      Murthy, Kasif and Salzberg (1994), Tables 1 and 2: OC1
``turney``      Turney (1995), section 4.1: ICET, EG2, CS-ID3, IDX and C4.5 by the cost of errors
``alvarez``     Alvarez (2004) and Alvarez and Bernard (2005): sensitivity and ranking
``indecision``  Kent and Menager (2022): indecision trees on the breast cancer data
``beyond``      the design of Vadera (2005) with what it did not have: other methods made safe,
                boosting, bagging, today's packages; what is not installed is left out

The result is printed and written as OUTPUT/PAPER.md, with its plots. With ``--store`` the cells of
``vadera`` and ``beyond`` are kept, so that a run can be stopped at any moment and goes on where it
was.
"""

from __future__ import annotations

import argparse
import importlib
import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1]))

PAPERS = ("vadera", "murthy", "turney", "alvarez", "indecision", "beyond")
STORED = ("vadera", "beyond")


class Tee(io.TextIOBase):
    """A stream that keeps what it passes on."""

    def __init__(self, stream: io.TextIOBase):
        self.stream = stream
        self.kept = io.StringIO()

    def write(self, text: str) -> int:
        """Pass on and keep."""
        self.stream.write(text)
        return self.kept.write(text)

    def flush(self) -> None:
        """Flush the stream passed on to."""
        self.stream.flush()


def run_vadera(options: argparse.Namespace) -> int:
    """Run the design and write the page."""
    from scripts.vadera.designs import Options
    from scripts.vadera.run import reproduce

    started = perf_counter()
    amount = Options(store=options.store, jobs=options.jobs)
    if options.quick:
        amount = amount._replace(
            repeats=5, icet_repeats=5, icet_trials=200, ratios=(0.1, 10.0, 10_000.0)
        )
    given = {
        "sets": options.sets and tuple(options.sets),
        "repeats": options.repeats,
        "icet_repeats": options.icet_repeats,
        "seed": options.seed,
    }
    amount = amount._replace(**{key: value for key, value in given.items() if value is not None})
    lines = reproduce(amount, options.output, with_readings=options.readings)
    _tell(lines, options.output / "vadera.md", started)
    return 0


def run_beyond(options: argparse.Namespace) -> int:
    """Run the design with other strategies and write the page."""
    from scripts.vadera.beyond import go_beyond
    from scripts.vadera.designs import Options

    started = perf_counter()
    amount = Options(
        repeats=options.repeats or (5 if options.quick else 50),
        store=options.store,
        jobs=options.jobs,
        seed=options.seed or 0,
    )
    if options.sets:
        amount = amount._replace(sets=tuple(options.sets))
    lines = go_beyond(amount, options.output, only=options.strategies)
    _tell(lines, options.output / "beyond.md", started)
    return 0


def _tell(lines: Sequence[str], path: Path, started: float) -> None:
    """Write a page, print it, and say how long it took."""
    page = "\n".join(lines) + "\n"
    path.write_text(page)
    print(page)
    print(f"{(perf_counter() - started) / 60:.1f} minutes; written to {path.parent}")


def run_script(paper: str, options: argparse.Namespace) -> int:
    """Run the script of another paper and keep what it prints."""
    quick = ["--quick"] if options.quick else []
    jobs = ["--jobs", str(options.jobs)]
    plot = ["--plot", str(options.output / f"{paper}.png")]
    script, arguments = {
        "murthy": ("oc1_tables", [*quick, *jobs]),
        "turney": ("icet_costs", [*quick, *jobs, *plot]),
        "alvarez": ("alvarez_tables", [*quick, *jobs]),
        "indecision": ("indecision_wdbc", [*(["--repeats", "2"] if options.quick else []), *plot]),
    }[paper]
    options.output.mkdir(parents=True, exist_ok=True)
    module = importlib.import_module(f"scripts.{script}")
    tee = Tee(sys.stdout)
    with redirect_stdout(tee):
        code = module.main(arguments)
    title = module.__doc__.splitlines()[0]
    # Only the tables of murthy and alvarez are Markdown.
    text = tee.kept.getvalue()
    body = text if "| ---" in text else f"```text\n{text}```\n"
    (options.output / f"{paper}.md").write_text(f"# {title}\n\n{body}")
    return int(code)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read and check the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: python scripts/reproduce.py vadera --quick --store results --jobs 2",
    )
    parser.add_argument("paper", choices=PAPERS)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions: 5 splits, not 50")
    parser.add_argument("--jobs", type=int, default=1, help="processes; -1: one a core")
    parser.add_argument(
        "--output", type=Path, default=Path("reproduced"), metavar="DIR",
        help="where the page and its plots go (default: reproduced)",
    )  # fmt: skip
    both = parser.add_argument_group("only vadera and beyond")
    both.add_argument("--store", type=Path, metavar="DIR", help="where finished cells are kept")
    both.add_argument("--sets", nargs="+", metavar="NAME", help="some of the five data sets")
    both.add_argument("--repeats", type=int, metavar="N", help="splits (50, or 5 if --quick)")
    both.add_argument("--seed", type=int, metavar="N", help="other splits of the same rows (0)")
    beyond = parser.add_argument_group("only beyond")
    beyond.add_argument(
        "--strategies", nargs="+", metavar="NAME",
        help="run these and LDT; take the others from the store",
    )  # fmt: skip
    only = parser.add_argument_group("only vadera")
    only.add_argument("--readings", action="store_true", help="try other readings of the paper")
    only.add_argument(
        "--icet-repeats",
        type=int,
        metavar="N",
        help="splits for ICET (50, or 5 if --quick); 0: none",
    )
    options = parser.parse_args(arguments)
    _check(parser, options)
    return options


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    from oblique.datasets import PAPER_SETS

    for names, papers in (
        (("store", "sets", "repeats", "seed"), STORED),
        (("readings", "icet_repeats"), ("vadera",)),
        (("strategies",), ("beyond",)),
    ):
        for name in names:
            if getattr(options, name) and options.paper not in papers:
                option = f"--{name.replace('_', '-')}"
                parser.error(f"{option} is an option of {' and '.join(papers)} only")
    for name in options.sets or ():
        if name not in PAPER_SETS:
            parser.error(f"--sets: {name!r} is not printed; take from {', '.join(PAPER_SETS)}")
    if options.repeats is not None and options.repeats < 2:
        parser.error(f"--repeats {options.repeats}: an interval needs at least 2 splits")
    if options.icet_repeats is not None and options.icet_repeats < 0:
        parser.error(f"--icet-repeats {options.icet_repeats} must not be below 0")
    if options.seed is not None and options.seed < 0:
        parser.error(f"--seed {options.seed} must not be below 0")
    if options.strategies:
        from scripts.vadera.rivals import list_rivals

        names = [each.name for each in list_rivals()]
        for name in options.strategies:
            if name not in names:
                parser.error(f"--strategies: {name!r} is unknown; take from {', '.join(names)}")
    if options.jobs == 0:
        parser.error("--jobs 0: name a number of processes, or -1 for one a core")
    if options.output.is_file():
        parser.error(f"--output {options.output} is a file; name a folder")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one paper; 0 if all went well, 1 if cells failed or a check did."""
    options = parse(arguments)
    if options.paper not in STORED:
        return run_script(options.paper, options)
    try:
        return run_vadera(options) if options.paper == "vadera" else run_beyond(options)
    except (RuntimeError, ValueError, OSError) as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
