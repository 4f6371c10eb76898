"""Measure speed and memory as ratios against a peer in the same run.

Each line is one figure with its target. Exit code 0: all targets met, 1: not all, 2: bad
arguments. Sections run alone: ``python scripts/benchmark.py spine``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from pathlib import Path

# One thread in every library, set before any of them is loaded.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
sys.path.insert(0, str(Path(__file__).parents[1]))


def sections() -> list[str]:
    """Names of the sections, one module each."""
    folder = Path(__file__).parent / "benchmarks"
    names = {path.stem for path in folder.glob("*.py")} - {"__init__", "record"}
    return sorted(names, key=lambda name: (name != "spine", name))


def main(arguments: list[str] | None = None) -> int:
    """Run the sections asked for and print their records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("section", nargs="*", help=f"any of {', '.join(sections())}; all if none")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the records there")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.section) - set(sections()))
    if unknown:
        parser.error(f"unknown section {', '.join(unknown)}; known: {', '.join(sections())}")
    records = []
    for name in options.section or sections():
        for record in importlib.import_module(f"scripts.benchmarks.{name}").measure():
            records.append(record)
            value = "not measured" if record.value is None else f"{record.value:.3f}"
            mark = "ok  " if record.ok else "MISS"
            print(
                f"{mark} {record.section:10s} {record.case:52s} {value:>12s} "
                f"{record.sense} {record.target:g}   {record.detail}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps([r.to_dict() for r in records], indent=1) + "\n")
    return 0 if all(record.ok for record in records) else 1


if __name__ == "__main__":
    sys.exit(main())
