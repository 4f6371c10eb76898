"""Tables of a comparison as values, for a terminal, a page or a paper to lay out.

Their layout is that of Vadera (2005), Tables 3 and 4: a strategy a row; overall, safe and
unsafe accuracy, depth and time in columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oblique.compare.published import find_published
from oblique.compare.ranking import LOWER_IS_BETTER, share_ties
from oblique.compare.summary import summarize

if TYPE_CHECKING:
    from pandas import DataFrame

    from oblique.compare.execute import Record


class Column(NamedTuple):
    """A column: its heading, the measure in it, and how a figure is written."""

    heading: str
    measure: str
    write: Callable[[float], str]


class Figure(NamedTuple):
    """A figure of a table.

    Attributes
    ----------
    text : str
        The mean, with half its 95 % interval where that is known.
    value : float
        The mean as a number, to sort by; NaN if there is none.
    is_best : bool
        Whether no other strategy of the table has a better mean, as means are written.
    printed : str
        The published figure that belongs beside it; empty if there is none.
    """

    text: str
    value: float
    is_best: bool
    printed: str


class Row(NamedTuple):
    """The figures of a strategy, and how many of its cells failed."""

    strategy: str
    figures: tuple[Figure, ...]
    failed: int


class Table(NamedTuple):
    """All strategies on one data set under one protocol."""

    dataset: str
    protocol: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]


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


#: The paper's columns, and the cost where there is one.
MAIN_COLUMNS = (
    Column("overall %", "accuracy", write_percent),
    Column("safe %", "safe_accuracy", write_percent),
    Column("unsafe %", "unsafe_accuracy", write_percent),
    Column("cost", "cost", lambda v: f"{v:.4g}"),
    Column("depth", "depth", write_count),
    Column("leaves", "leaves", write_count),
    Column("fit time", "fit_seconds", write_seconds),
)
#: Everything else that is measured.
MORE_COLUMNS = (
    Column("balanced %", "balanced_accuracy", write_percent),
    Column("ROC AUC", "roc_auc", lambda v: f"{v:.3f}"),
    Column("log loss", "log_loss", lambda v: f"{v:.3f}"),
    Column("Brier", "brier", lambda v: f"{v:.3f}"),
    Column("cost of tests", "cost_of_tests", lambda v: f"{v:.4g}"),
    Column("cost of errors", "cost_of_errors", lambda v: f"{v:.4g}"),
    Column("cost, % of standard", "cost_percent", lambda v: f"{v:.1f}"),
    Column("features a test", "test_size", write_count),
    Column("predict time", "predict_seconds", write_seconds),
    Column("peak memory, MB", "memory_bytes", lambda v: f"{v / 1e6:.1f}"),
)


def make_tables(records: Iterable[Record], columns: Iterable[Column] = MAIN_COLUMNS) -> list[Table]:
    """Make one table for each data set and protocol.

    Parameters
    ----------
    records : iterable of dict
        Such as ``results.records``.
    columns : iterable of Column
        Those that no cell has a value for are left out.
    """
    kept = list(records)
    if not kept:
        return []
    summary = summarize(kept)
    return [
        _make_table(dataset, protocol, group, _title(dataset, protocol, kept), columns)
        for (dataset, protocol), group in summary.groupby(["dataset", "protocol"], sort=False)
    ]


#: Measures that are shown for all data sets side by side.
OVERVIEWS = (
    ("overall accuracy, %", Column("", "accuracy", write_percent)),
    ("accuracy on the unsafe class, %", Column("", "unsafe_accuracy", write_percent)),
    ("cost", Column("", "cost", lambda v: f"{v:.4g}")),
)


def make_overviews(summary: DataFrame) -> list[Table]:
    """Make one table for each protocol and main measure, a data set a column.

    The last column is the average rank among the strategies that finished all data sets.

    Parameters
    ----------
    summary : DataFrame
        As :func:`oblique.compare.summarize` returns it.
    """
    tables = []
    for protocol, group in summary.groupby("protocol", sort=False):
        for title, column in OVERVIEWS:
            means = group.pivot(index="strategy", columns="dataset", values=column.measure)
            means = means.reindex(group["strategy"].unique())[group["dataset"].unique()]
            known = means.dropna(axis="columns", how="all")
            if known.shape[1] > 1:
                tables.append(_make_overview(f"{title}, {protocol}", protocol, known, column))
    return tables


def _make_overview(title: str, protocol: str, means: DataFrame, column: Column) -> Table:
    ascending = column.measure in LOWER_IS_BETTER
    complete = share_ties(means.dropna().T).T
    shown = means.assign(rank=complete.rank(ascending=ascending).mean(axis="columns"))
    best = means.min() if ascending else means.max()
    best["rank"] = shown["rank"].min()
    writers = [column.write] * means.shape[1] + [lambda v: f"{v:.2f}"]
    rows = tuple(
        Row(
            str(strategy),
            tuple(
                Figure(
                    "-" if np.isnan(v) else write(v), float(v), _is_like(v, best[name], write), ""
                )
                for (name, v), write in zip(values.items(), writers, strict=True)
            ),
            0,
        )
        for strategy, values in shown.iterrows()
    )
    headings = [*map(str, means.columns), "average rank"]
    columns = tuple(column._replace(heading=heading) for heading in headings)
    return Table("", protocol, title, columns, rows)


def _make_table(
    dataset: str, protocol: str, group: DataFrame, title: str, columns: Iterable[Column]
) -> Table:
    known = tuple(c for c in columns if group[c.measure].notna().any())
    best = {
        c.measure: group[c.measure].min()
        if c.measure in LOWER_IS_BETTER
        else group[c.measure].max()
        for c in known
    }
    rows = []
    for row in group.to_dict("records"):
        printed = find_published(dataset, protocol, row["strategy"])
        beside = {} if printed is None else printed._asdict()
        figures = tuple(
            Figure(
                text=_write(column, row),
                value=float(row[column.measure]),
                is_best=_is_like(row[column.measure], best[column.measure], column.write),
                printed=_write(column, beside) if column.measure in beside else "",
            )
            for column in known
        )
        rows.append(Row(row["strategy"], figures, int(row["failed"])))
    return Table(dataset, protocol, title, known, tuple(rows))


def _is_like(mean: float, best: float, write: Callable[[float], str]) -> bool:
    """Whether a mean reads as the best one does; figures that look equal are marked alike."""
    return not np.isnan(mean) and write(mean) == write(best)


def _title(dataset: str, protocol: str, records: list[Record]) -> str:
    cells = [r for r in records if r["cell"]["dataset"] == dataset]
    # A record without a name is an old one, or that of a worker which died.
    names = (r["unsafe_name"] for r in cells if r.get("unsafe_name") is not None)
    unsafe = next(names, cells[0]["cell"]["unsafe_class"])
    sizes = [r["scores"]["n_train"] + r["scores"]["n_test"] for r in cells if "scores" in r]
    title = f"{dataset}, {protocol}"
    title += f", {sizes[0]} rows" if sizes else ""
    return title + ("" if unsafe is None else f", unsafe class {unsafe}")


def _write(column: Column, row: dict[str, Any]) -> str:
    mean, ci = row.get(column.measure), row.get(column.measure + "_ci")
    if mean is None or np.isnan(mean):
        return "-"
    # The scatter of times says more of the machine than of the method.
    if ci is None or np.isnan(ci) or column.measure.endswith(("_seconds", "_bytes")):
        return column.write(mean)
    return f"{column.write(mean)} ± {column.write(ci)}"
