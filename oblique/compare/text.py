"""Results as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from oblique.compare.paired import compare_pair
from oblique.compare.published import measure_agreement
from oblique.compare.summary import summarize, tabulate
from oblique.compare.tables import Table, make_tables

if TYPE_CHECKING:
    from pandas import DataFrame

    from oblique.compare.execute import Record

#: Strategies whose unsafe accuracies the paper's claim compares.
CLAIMED_PAIRS = (("ldt", "ap"), ("ldt_safe_pruned", "ap_pruned"))
_WIDTH = 14


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
    parts = [_format_table(table) for table in make_tables(kept)]
    findings = [*format_agreement(summarize(kept)), *format_pairs(tabulate(kept))]
    return "\n\n".join([*parts, *filter(None, ["\n".join(findings)])])


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
    for first, second in CLAIMED_PAIRS:
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
            interval = f" ± {ci:.1f}  [± {corrected:.1f}]" if difference.n > 1 else ""
            lines.append(f"  {name:<{width}}{mean:+6.1f}{interval}")
    return lines


def _format_table(table: Table) -> str:
    width = max(_WIDTH, *(len(row.strategy) + 1 for row in table.rows))
    head = _format_line("", [column.heading for column in table.columns], width)
    lines = [table.title, head, "-" * len(head)]
    for row in table.rows:
        note = f"   ({row.failed} failed)" if row.failed else ""
        lines.append(_format_line(row.strategy, [f.text for f in row.figures], width) + note)
        if any(figure.printed for figure in row.figures):
            printed = [figure.printed or "-" for figure in row.figures]
            lines.append(_format_line("  Vadera 2005", printed, width))
    return "\n".join(lines)


def _format_line(name: str, cells: Iterable[str], width: int) -> str:
    return f"{name:<{width}}" + "".join(f"{cell:>{_WIDTH}}" for cell in cells)
