"""Repeat the experiments of a paper, each figure beside the printed one, in one command.

``vadera``      Vadera (2005), Appendix A: LDT, OC1, AP, RLP and ICET on five public data sets
``murthy``      Murthy, Kasif and Salzberg (1994), Tables 1 and 2: OC1
``turney``      Turney (1995), section 4.1: ICET, EG2, CS-ID3, IDX and C4.5 by the cost of errors
``alvarez``     Alvarez (2004) and Alvarez and Bernard (2005): sensitivity and ranking
``indecision``  Kent and Menager (2022): indecision trees on the breast cancer data

The result is printed and written as OUTPUT/PAPER.md, with its plots. With ``--store`` the cells of
``vadera`` are kept, so that a run can be stopped at any moment and goes on where it was.
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

PAPERS = ("vadera", "murthy", "turney", "alvarez", "indecision")


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
    }
    amount = amount._replace(**{key: value for key, value in given.items() if value is not None})
    lines = reproduce(amount, options.output, with_readings=options.readings)
    page = "\n".join(lines) + "\n"
    (options.output / "vadera.md").write_text(page)
    print(page)
    print(f"{(perf_counter() - started) / 60:.1f} minutes; written to {options.output}")
    return 0


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
    only = parser.add_argument_group("only vadera")
    only.add_argument("--store", type=Path, metavar="DIR", help="where finished cells are kept")
    only.add_argument("--readings", action="store_true", help="try other readings of the paper")
    only.add_argument("--sets", nargs="+", metavar="NAME", help="some of the five data sets")
    only.add_argument("--repeats", type=int, metavar="N", help="splits (50, or 5 if --quick)")
    only.add_argument(
        "--icet-repeats",
        type=int,
        metavar="N",
        help="splits for ICET (10, or 2 if --quick); 0: none",
    )
    options = parser.parse_args(arguments)
    _check(parser, options)
    return options


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    from oblique.datasets import PAPER_SETS

    if options.paper != "vadera":
        for name in ("store", "readings", "sets", "repeats", "icet_repeats"):
            if getattr(options, name):
                parser.error(f"--{name.replace('_', '-')} is an option of vadera only")
    for name in options.sets or ():
        if name not in PAPER_SETS:
            parser.error(f"--sets: {name!r} is not printed; take from {', '.join(PAPER_SETS)}")
    if options.repeats is not None and options.repeats < 2:
        parser.error(f"--repeats {options.repeats}: an interval needs at least 2 splits")
    if options.icet_repeats is not None and options.icet_repeats < 0:
        parser.error(f"--icet-repeats {options.icet_repeats} must not be below 0")
    if options.jobs == 0:
        parser.error("--jobs 0: name a number of processes, or -1 for one a core")
    if options.output.is_file():
        parser.error(f"--output {options.output} is a file; name a folder")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one paper; 0 if all went well, 1 if cells failed or a check did."""
    options = parse(arguments)
    if options.paper != "vadera":
        return run_script(options.paper, options)
    try:
        return run_vadera(options)
    except (RuntimeError, ValueError, OSError) as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
