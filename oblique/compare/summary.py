"""Means over the cells of a data set, protocol and strategy, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from oblique.compare.splitting import TrainTest

if TYPE_CHECKING:
    from pandas import DataFrame

    from oblique.compare.execute import Record

MEASURES = (
    "accuracy",
    "safe_accuracy",
    "unsafe_accuracy",
    "balanced_accuracy",
    "roc_auc",
    "log_loss",
    "brier",
    "cost",
    "cost_of_tests",
    "cost_of_errors",
    "cost_percent",
    "depth",
    "leaves",
    "test_size",
    "fit_seconds",
    "predict_seconds",
    "memory_bytes",
)
_SAME_IN_A_GROUP = (
    "checksum",
    "parameters",
    "unsafe_class",
    "unsafe_cost",
    "costs",
    "scoring_version",
)
GROUP_COLUMNS = ("dataset", "protocol", "strategy")


def tabulate(records: Iterable[Record]) -> DataFrame:
    """Return one row a cell: what was run, whether it worked and everything measured.

    Parameters
    ----------
    records : iterable of dict
        Such as ``results.records`` or ``store.records()``.

    Returns
    -------
    DataFrame
        ``dataset``, ``protocol``, ``strategy``, ``repeat``, ``fold``, ``status``, then the
        measures (missing in failed cells) and ``recall_CLASS`` for every class.
    """
    from pandas import DataFrame

    return DataFrame([_flatten(record) for record in records])


def summarize(records: Iterable[Record], *, level: float = 0.95) -> DataFrame:
    """Average the cells of each data set, protocol and strategy.

    Parameters
    ----------
    records : iterable of dict
        Such as ``results.records`` or ``store.records()``. Failed cells count in ``failed``
        and in no mean.
    level : float, default=0.95
        Level of the intervals.

    Returns
    -------
    DataFrame
        One row a group in the order of appearance: ``dataset``, ``protocol``, ``strategy``,
        ``cells`` and ``failed``, and for every measure its mean and, as ``MEASURE_ci``, half
        the width of its t interval. As the cells of a data set share rows, such an interval
        tells the scatter between splits and is no test between strategies.

    Raises
    ------
    ValueError
        If records of one name are of different data or parameters, as a store may hold them
        after a design was changed: their mean would be that of nothing.
    """
    from pandas import DataFrame

    kept = list(records)
    _refuse_mixture(kept)
    table = tabulate(kept)
    if table.empty:
        return DataFrame(columns=[*GROUP_COLUMNS, "cells", "failed", *MEASURES])
    rows = []
    for names, group in table.groupby(list(GROUP_COLUMNS), sort=False):
        row: dict[str, Any] = dict(zip(GROUP_COLUMNS, names, strict=True))
        done = group[group["status"] == "done"]
        row |= {"cells": len(done), "failed": len(group) - len(done)}
        for measure in MEASURES:
            values = done.get(measure, [])
            row[measure], row[measure + "_ci"] = mean_interval(values, level=level)
        rows.append(row)
    return DataFrame(rows)


def mean_interval(values: ArrayLike, *, level: float = 0.95) -> tuple[float, float]:
    """Return the mean and half the width of its t interval.

    Missing values are left out. The mean of nothing is NaN, and so is the width of fewer
    than two values.
    """
    from scipy.special import stdtrit

    known = np.asarray(values, dtype=np.float64)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return (float(known[0]) if len(known) else np.nan), np.nan
    t = stdtrit(len(known) - 1, (1 + level) / 2)
    return float(known.mean()), float(t * known.std(ddof=1) / np.sqrt(len(known)))


def _refuse_mixture(records: Iterable[Record]) -> None:
    known: dict[tuple[str, ...], dict[str, Any]] = {}
    for record in records:
        cell = record["cell"]
        names = tuple(str(cell[name]) for name in ("dataset", "strategy", "train_size", "n_folds"))
        told = {name: cell.get(name) for name in _SAME_IN_A_GROUP}
        if known.setdefault(names, told) != told:
            differing = [name for name in told if told[name] != known[names][name]]
            raise ValueError(
                f"records of {cell['strategy']!r} on {cell['dataset']!r} differ in "
                f"{', '.join(differing)}; summarise one design at a time: run(design, store=...) "
                "returns the records of that design alone"
            )


def _flatten(record: Record) -> dict[str, Any]:
    cell = record["cell"]
    split = TrainTest(*(cell[name] for name in TrainTest._fields))
    scores: Mapping[str, Any] = record.get("scores", {})
    measured = {**scores, **record.get("resources", {})}
    recall = measured.pop("recall", {})
    return {
        "dataset": cell["dataset"],
        "protocol": split.protocol,
        "strategy": cell["strategy"],
        "repeat": split.repeat,
        "fold": split.fold,
        "seed": cell["seed"],
        "status": record["status"],
        **measured,
        **{f"recall_{name}": value for name, value in recall.items()},
        "key": record["key"],
    }
