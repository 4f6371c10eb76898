"""A report of a comparison: one page to read, and tables to put into a paper."""

from __future__ import annotations

import base64
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
    from pandas import DataFrame

    from oblique.compare.runner import Results

#: Measures that strategies are ranked by, and what a page calls them.
RANKED = {
    "accuracy": "overall accuracy",
    "unsafe_accuracy": "accuracy on the unsafe class",
    "leaves": "number of leaves",
}


class Picture(NamedTuple):
    """A figure of the page: its caption and its SVG as a data URI."""

    caption: str
    uri: str


class Differences(NamedTuple):
    """Paired differences of all strategies from the first, for one measure and protocol."""

    title: str
    datasets: tuple[str, ...]
    rows: tuple[tuple[str, tuple[PairedDifference | None, ...]], ...]


def report(results: Results, directory: str | PathLike[str], *, command: str = "") -> Path:
    """Write a report of a comparison into a folder.

    ``report.html`` needs no network and no other file. Beside it: ``report.md``,
    ``tables.tex`` (LaTeX, with booktabs), ``summary.csv`` and ``cells.csv``, and
    ``design.toml``, which runs the comparison again.

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
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    summary, table = summarize(results.records), tabulate(results.records)
    tables = make_tables(results.records)
    findings = [*format_agreement(summary), *format_pairs(table)]
    (folder / "report.md").write_text(format_markdown(tables, findings))
    (folder / "tables.tex").write_text(format_latex(tables))
    (folder / "design.toml").write_text(format_design(results.design))
    summary.to_csv(folder / "summary.csv", index=False)
    table.to_csv(folder / "cells.csv", index=False)
    page = folder / "report.html"
    page.write_text(_render(results, summary, table, findings, command))
    return page


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


def _render(
    results: Results, summary: DataFrame, table: DataFrame, findings: list[str], command: str
) -> str:
    import jinja2

    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["p_value"] = _write_p
    template = environment.from_string(
        (files("oblique.compare") / "report.html.jinja").read_text(encoding="utf-8")
    )
    protocols = list(summary["protocol"].unique())
    tables = make_tables(results.records)
    return template.render(
        results=results,
        command=command,
        design=format_design(results.design),
        tables=tables,
        has_printed=any(f.printed for t in tables for row in t.rows for f in row.figures),
        more_tables=make_tables(results.records, MORE_COLUMNS),
        findings=_group(findings),
        overviews=make_overviews(summary),
        pictures={p: _draw(summary[summary["protocol"] == p]) for p in protocols},
        rankings=_rank(table, protocols),
        differences=_differences(table, protocols),
        environments=_environments(results),
    )


def _draw(summary: DataFrame) -> list[Picture]:
    if summary["accuracy"].isna().all():
        return []
    pictures = [
        Picture(
            "Accuracy overall, on the safe and on the unsafe class, with 95 % intervals. "
            "The axis need not start at 0.",
            _data_uri(plots.draw_accuracies(summary)),
        )
    ]
    for measure, text in (("leaves", "leaves"), ("fit_seconds", "fit time, s")):
        if summary[measure].notna().any():
            picture = plots.draw_trade_off(summary, measure, text)
            pictures.append(Picture(f"Overall accuracy against {text}.", _data_uri(picture)))
    return pictures


def _rank(table: DataFrame, protocols: list[str]) -> list[tuple[str, Ranking, str]]:
    """Return name, ranking and the diagram's data URI, empty where there is nothing to draw."""
    found = []
    for protocol in protocols:
        for measure, name in RANKED.items():
            ranking = rank_strategies(table, measure, protocol=protocol)
            if ranking is not None:
                diagram = ""
                if ranking.is_different:
                    diagram = _data_uri(plots.draw_critical_difference(ranking))
                found.append((name, ranking, diagram))
    return found


def _differences(table: DataFrame, protocols: list[str]) -> list[Differences]:
    reference, *others = table["strategy"].unique()
    found = []
    for protocol in protocols:
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


def _data_uri(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
