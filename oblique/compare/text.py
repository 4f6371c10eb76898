"""Tables for a terminal, in the layout of Vadera (2005), Tables 3 and 4."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oblique.compare.paired import compare_pair
from oblique.compare.published import find_published, measure_agreement
from oblique.compare.summary import summarize, tabulate

if TYPE_CHECKING:
    from pandas import DataFrame

    from oblique.compare.execute import Record

_PAIRS = (("ldt", "ap"), ("ldt_safe_pruned", "ap_pruned"))
_CELL = 12


class Column(NamedTuple):
    """A column of a table: heading, measure, and how a figure is written."""

    heading: str
    measure: str
    write: Callable[[float], str]


def write_percent(share: float) -> str:
    """Write a share as a percentage with one decimal."""
    return f"{100 * share:.1f}"


def write_count(number: float) -> str:
    """Write a mean count with one decimal."""
    return f"{number:.1f}"


def write_seconds(seconds: float) -> str:
    """Write a duration with a unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.2g} us"


COLUMNS = (
    Column("overall %", "accuracy", write_percent),
    Column("safe %", "safe_accuracy", write_percent),
    Column("unsafe %", "unsafe_accuracy", write_percent),
    Column("depth", "depth", write_count),
    Column("leaves", "leaves", write_count),
    Column("fit time", "fit_seconds", write_seconds),
)


def format_results(records: Iterable[Record]) -> str:
    """Write one table for each data set and protocol, then what they say together.

    Every figure is a mean over the finished cells, with half its 95 % interval. Where Vadera
    (2005) prints the same row, it stands below ours.

    Parameters
    ----------
    records : iterable of dict
        Such as ``results.records``.
    """
    kept = list(records)
    summary, table = summarize(kept), tabulate(kept)
    parts = []
    for names, group in summary.groupby(["dataset", "protocol"], sort=False):
        parts.append(_format_group(names, group, kept))
    parts.append("\n".join([*format_agreement(summary), *format_pairs(table)]))
    return "\n\n".join(filter(None, parts))


def format_agreement(summary: DataFrame) -> list[str]:
    """Write how far our means at 50/50 lie from the printed ones."""
    found = measure_agreement(summary)
    if found is None:
        return []
    return [
        f"Against Vadera (2005), LDT and AP at 50/50, {found.rows} printed rows: mean absolute "
        f"deviation {found.accuracy_points:.2f} points over overall, safe and unsafe accuracy, "
        f"{found.depth:.2f} edges in depth."
    ]


def format_pairs(table: DataFrame) -> list[str]:
    """Write whether LDT's unsafe accuracy is above AP's on every set, with the differences."""
    lines = []
    for first, second in _PAIRS:
        found = compare_pair(table, first, second, "unsafe_accuracy")
        if not found:
            continue
        above = sum(pair.mean > 0 for pair in found.values())
        clear = sum(pair.mean - pair.ci > 0 for pair in found.values())
        where = "on every set" if above == len(found) else f"on {above} of {len(found)} sets"
        lines.append(
            f"Unsafe accuracy of {first} above that of {second} {where}; "
            f"paired 95 % interval above 0 on {clear} of {len(found)} (points; in brackets "
            "corrected for overlapping splits, Nadeau and Bengio 2003):"
        )
        width = max(len(dataset + protocol) for dataset, protocol in found) + 3
        for (dataset, protocol), difference in found.items():
            mean, ci, corrected = (100 * value for value in difference[1:4])
            name = f"{dataset} {protocol}"
            lines.append(f"  {name:<{width}}{mean:+6.1f} ± {ci:.1f}  [± {corrected:.1f}]")
    return lines


def _format_group(names: tuple[str, str], group: DataFrame, records: list[Record]) -> str:
    dataset, protocol = names
    cells = [r for r in records if r["cell"]["dataset"] == dataset]
    unsafe = cells[0]["cell"]["unsafe_class"]
    sizes = [r["scores"]["n_train"] + r["scores"]["n_test"] for r in cells if "scores" in r]
    title = f"{dataset}, {protocol}"
    title += f", {sizes[0]} rows" if sizes else ""
    title += "" if unsafe is None else f", unsafe class {unsafe}"
    width = max(14, *(len(name) + 1 for name in group["strategy"]))
    columns = [c for c in COLUMNS if c.measure in group and group[c.measure].notna().any()]
    head = " " * width + "".join(f"{c.heading:>{_CELL + 2}}" for c in columns)
    lines = [title, head, "-" * len(head)]
    for row in group.to_dict("records"):
        lines.append(_format_row(row["strategy"], row, columns, width) + _failures(row))
        printed = find_published(dataset, protocol, row["strategy"])
        if printed is not None:
            lines.append(_format_row("  Vadera 2005", printed._asdict(), columns, width))
    return "\n".join(lines)


def _format_row(name: str, row: dict[str, Any], columns: list[Column], width: int) -> str:
    cells = (_format_figure(column, row) for column in columns)
    return f"{name:<{width}}" + "".join(f"{cell:>{_CELL + 2}}" for cell in cells).rstrip()


def _format_figure(column: Column, row: dict[str, Any]) -> str:
    mean, ci = row.get(column.measure, np.nan), row.get(column.measure + "_ci", np.nan)
    if mean is None or np.isnan(mean):
        return "-"
    if column.measure == "fit_seconds" or np.isnan(ci):
        return column.write(mean)
    return f"{column.write(mean)} ± {column.write(ci)}"


def _failures(row: dict[str, Any]) -> str:
    return f"   ({row['failed']} failed)" if row["failed"] else ""
