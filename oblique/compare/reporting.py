"""A report of a comparison: one page to read, and tables to put into a paper."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from oblique.compare import plots
from oblique.compare.design_file import format_design
from oblique.compare.paired import PairedDifference, compare_pair
from oblique.compare.ranking import Ranking, rank_strategies
from oblique.compare.summary import summarize, tabulate
from oblique.compare.tables import MORE_COLUMNS, make_overviews, make_tables
from oblique.compare.text import (
    format_agreement,
    format_latex,
    format_markdown,
    format_pairs,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from oblique.compare.runner import Results

#: Measures that strategies are ranked by, and what a page calls them.
RANKED = {
    "accuracy": "overall accuracy",
    "unsafe_accuracy": "accuracy on the unsafe class",
    "leaves": "number of leaves",
}


class Picture(NamedTuple):
    """A figure of the report: the name of its file, its caption, as SVG and as PDF."""

    name: str
    caption: str
    svg: str
    pdf: bytes

    @property
    def uri(self) -> str:
        """The SVG as a data URI."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg.encode()).decode()


class Differences(NamedTuple):
    """Paired differences of all strategies from the first, for one measure and protocol."""

    title: str
    datasets: tuple[str, ...]
    rows: tuple[tuple[str, tuple[PairedDifference | None, ...]], ...]


def report(results: Results, directory: str | PathLike[str], *, command: str = "") -> Path:
    """Write a report of a comparison into a folder.

    ``report.html`` needs no network and no other file. Beside it: ``report.md``,
    ``tables.tex`` (LaTeX, with booktabs), ``summary.csv`` and ``cells.csv``, the pictures as
    ``figures/*.svg`` and ``figures/*.pdf``, and ``design.toml``, which runs the comparison again.

    Parameters
    ----------
    results : Results
        As :func:`oblique.compare.run` returns it.
    directory : str or path
        Made if missing; files of an earlier report are replaced.
    command : str, default=""
        How the comparison was started, if from the command line.

    Returns
    -------
    Path
        Of ``report.html``.

    Raises
    ------
    ValueError
        If the extra ``compare`` is not installed, or there are no results.
    OSError
        If the folder cannot be written.
    """
    check_extra()
    if not results.records:
        raise ValueError("there are no cells to report on")
    try:
        return _write_report(results, Path(directory), command)
    except OSError as error:
        told = f"the report {directory} cannot be written: {error.strerror}"
        raise OSError(error.errno, told) from error


def _write_report(results: Results, folder: Path, command: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    summary, table = summarize(results.records), tabulate(results.records)
    tables = make_tables(results.records)
    findings = [*format_agreement(summary), *format_pairs(table)]
    pictures, rankings = _draw(summary), _rank(table)
    _write_pictures(folder / "figures", pictures, rankings)
    (folder / "report.md").write_text(format_markdown(tables, findings), encoding="utf-8")
    (folder / "tables.tex").write_text(format_latex(tables), encoding="utf-8")
    (folder / "design.toml").write_text(format_design(results.design), encoding="utf-8")
    summary.to_csv(folder / "summary.csv", index=False)
    table.to_csv(folder / "cells.csv", index=False)
    page = folder / "report.html"
    page.write_text(
        _render(
            results,
            command=command,
            tables=tables,
            findings=_group(findings),
            overviews=make_overviews(summary),
            pictures=pictures,
            rankings=rankings,
            differences=_differences(table),
        ),
        encoding="utf-8",
    )
    return page


def _write_pictures(
    folder: Path,
    pictures: dict[str, list[Picture]],
    rankings: list[tuple[str, Ranking, Picture | None]],
) -> None:
    folder.mkdir(exist_ok=True)
    diagrams = [diagram for _, _, diagram in rankings if diagram is not None]
    for picture in itertools.chain(*pictures.values(), diagrams):
        (folder / f"{picture.name}.svg").write_text(picture.svg, encoding="utf-8")
        (folder / f"{picture.name}.pdf").write_bytes(picture.pdf)


def check_extra() -> None:
    """Raise ValueError, with the remedy, if a package that reports need is missing."""
    try:
        import jinja2  # noqa: F401
        import matplotlib  # noqa: F401
        import scikit_posthocs  # noqa: F401
    except ImportError as error:
        raise ValueError(
            f"a report needs the package {error.name}: pip install oblique-trees[compare]"
        ) from None


def _render(results: Results, **parts: Any) -> str:
    import jinja2

    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["p_value"] = _write_p
    template = environment.from_string(
        (files("oblique.compare") / "report.html.jinja").read_text(encoding="utf-8")
    )
    return template.render(
        results=results,
        design=format_design(results.design),
        has_printed=any(f.printed for t in parts["tables"] for row in t.rows for f in row.figures),
        more_tables=make_tables(results.records, MORE_COLUMNS),
        environments=_environments(results),
        **parts,
    )


def _draw(summary: DataFrame) -> dict[str, list[Picture]]:
    """Return the pictures of each protocol."""
    return {
        str(protocol): _draw_protocol(group, str(protocol))
        for protocol, group in summary.groupby("protocol", sort=False)
    }


def _draw_protocol(summary: DataFrame, protocol: str) -> list[Picture]:
    if summary["accuracy"].isna().all():
        return []
    caption = (
        "Accuracy overall, on the safe and on the unsafe class, with 95 % intervals. "
        "The axis need not start at 0."
    )
    pictures = [_picture("accuracy", protocol, caption, plots.draw_accuracies(summary))]
    for measure, text in (("leaves", "leaves"), ("fit_seconds", "fit time, s")):
        if summary[measure].notna().any():
            figure = plots.draw_trade_off(summary, measure, text)
            caption = f"Overall accuracy against {text}."
            pictures.append(_picture(f"accuracy-{measure}", protocol, caption, figure))
    return pictures


def _picture(name: str, protocol: str, caption: str, figure: Figure) -> Picture:
    """Write a figure both ways, under a name that files and LaTeX take."""
    name = f"{name}-{protocol}".replace("/", "-").replace("_", "-").replace(".", "-")
    return Picture(name, caption, plots.to_svg(figure), plots.to_pdf(figure))


def _rank(table: DataFrame) -> list[tuple[str, Ranking, Picture | None]]:
    """Return name, ranking and its diagram, None where there is nothing to draw."""
    colours = plots.colour_strategies(table["strategy"].unique())
    found = []
    for protocol in table["protocol"].unique():
        for measure, name in RANKED.items():
            ranking = rank_strategies(table, measure, protocol=protocol)
            if ranking is not None:
                diagram = None
                if ranking.is_different:
                    caption = (
                        f"Average ranks by {name}, best left. A bar joins strategies that "
                        f"Nemenyi's test does not tell apart at the level {ranking.alpha}."
                    )
                    figure = plots.draw_critical_difference(ranking, colours)
                    diagram = _picture(f"ranks-{measure}", protocol, caption, figure)
                found.append((name, ranking, diagram))
    return found


def _differences(table: DataFrame) -> list[Differences]:
    reference, *others = table["strategy"].unique()
    found = []
    for protocol in table["protocol"].unique():
        rows_of = table[table["protocol"] == protocol]
        datasets = tuple(rows_of["dataset"].unique())
        for measure in ("accuracy", "unsafe_accuracy"):
            rows = []
            for other in others:
                pairs = compare_pair(rows_of, other, reference, measure)
                rows.append((other, tuple(pairs.get((d, protocol)) for d in datasets)))
            if any(pair for _, pairs_of in rows for pair in pairs_of):
                title = f"{RANKED[measure]} minus that of {reference}, {protocol}, points"
                found.append(Differences(title, datasets, tuple(rows)))
    return found


def _environments(results: Results) -> list[dict[str, Any]]:
    """Return the different environments that the cells were run in."""
    distinct = {repr(record["environment"]): record["environment"] for record in results.records}
    return list(distinct.values())


def _group(findings: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Put indented lines under the line before them."""
    grouped: list[tuple[str, list[str]]] = []
    for line in findings:
        if line.startswith(" "):
            grouped[-1][1].append(line[2:])
        else:
            grouped.append((line, []))
    return grouped


def _write_p(p_value: float) -> str:
    if p_value != p_value:
        return "not applicable"
    return "< 0.001" if p_value < 0.001 else f"= {p_value:.3f}"
