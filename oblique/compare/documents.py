"""Tables of a comparison in Markdown and in LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from oblique.compare.tables import Figure, Table

_LATEX_SIGNS = {
    "\\": r"\textbackslash{}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "±": r"$\pm$",
}  # fmt: skip


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
    r"""Write tables in LaTeX for ``\input`` into a paper that loads the package booktabs."""
    parts = ["% needs \\usepackage{booktabs}"]
    for table in tables:
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{_escape(table.title)}}}"]
        lines.append(rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}")
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
