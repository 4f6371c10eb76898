"""Results as text: for a terminal, in Markdown, in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from oblique.compare.paired import compare_pair
from oblique.compare.published import measure_agreement
from oblique.compare.summary import summarize, tabulate
from oblique.compare.tables import Figure, Table, make_tables

if TYPE_CHECKING:
    from pandas import DataFrame

    from oblique.compare.execute import Record

#: Strategies whose unsafe accuracies the paper's claim compares.
CLAIMED_PAIRS = (("ldt", "ap"), ("ldt_safe_pruned", "ap_pruned"))
_WIDTH = 14
_LATEX_SIGNS = {
    "\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "±": r"$\pm$",
}  # fmt: skip


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
        f"Against Vadera (2005), LDT and AP at 50/50, {found.rows} printed "
        f"{'row' if found.rows == 1 else 'rows'}: mean absolute "
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


def format_markdown(tables: Iterable[Table], findings: Iterable[str]) -> str:
    """Write tables in Markdown; the best means are bold, printed figures in rows of their own.

    Parameters
    ----------
    tables : iterable of Table
    findings : iterable of str
        Lines below the tables.
    """
    parts = ["# Comparison"]
    for table in tables:
        lines = [f"## {table.title}", ""]
        lines.append(_markdown_row(["strategy", *(c.heading for c in table.columns)]))
        lines.append(_markdown_row(["---", *["---:"] * len(table.columns)]))
        for row in table.rows:
            name = f"{row.strategy} ({row.failed} failed)" if row.failed else row.strategy
            cells = [f"**{f.text}**" if f.is_best else f.text for f in row.figures]
            lines.append(_markdown_row([name, *cells]))
            if _is_printed(row.figures):
                cells = [figure.printed or "-" for figure in row.figures]
                lines.append(_markdown_row(["*Vadera 2005*", *cells]))
        parts.append("\n".join(lines))
    told = "\n".join(f"    {line}" for line in findings)
    return "\n\n".join(filter(None, [*parts, told])) + "\n"


def format_latex(tables: Iterable[Table]) -> str:
    r"""Write tables in LaTeX for ``\input`` into a paper that loads the package booktabs.

    Each has a label, such as ``tab:pima-50-50``; small type and narrow gaps let seven columns
    stand in a text of 16 cm.
    """
    parts = ["% needs \\usepackage{booktabs}"]
    for table in tables:
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{_escape(table.title)}}}"]
        lines.append(rf"\label{{{_label(table)}}}")
        lines.append(r"\small\setlength{\tabcolsep}{3pt}")
        lines.append(rf"\begin{{tabular}}{{@{{}}l{'r' * len(table.columns)}@{{}}}}")
        lines.append(r"\toprule")
        lines.append(_latex_row(["", *(_escape(c.heading) for c in table.columns)]))
        lines.append(r"\midrule")
        for row in table.rows:
            lines.append(_latex_row([_escape(row.strategy), *map(_latex_figure, row.figures)]))
            if _is_printed(row.figures):
                printed = [_escape(figure.printed or "-") for figure in row.figures]
                lines.append(_latex_row([r"\quad printed", *printed]))
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


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


def _label(table: Table) -> str:
    """Name of a table that LaTeX takes: letters, digits and hyphens."""
    name = re.sub(r"[^A-Za-z0-9]+", "-", f"{table.dataset} {table.protocol}").strip("-")
    return f"tab:{name}"


def _is_printed(figures: Sequence[Figure]) -> bool:
    return any(figure.printed for figure in figures)


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_figure(figure: Figure) -> str:
    text = _escape(figure.text)
    return rf"\textbf{{{text}}}" if figure.is_best else text


def _escape(text: str) -> str:
    return "".join(_LATEX_SIGNS.get(sign, sign) for sign in text)
