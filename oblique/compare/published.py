"""Published figures beside ours: Vadera (2005), Appendix A.

S. Vadera, "Inducing safer oblique trees without costs", Expert Systems 22(4), 2005,
pp. 206-221: Tables 3 and 4 and the appendix give the mean over 50 random splits of overall,
safe and unsafe accuracy, depth and time of LDT, OC1, AP (OC1's axis-parallel option) and RLP.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pandas import DataFrame

#: Strategy -> how the paper calls it, and whether its trees are pruned.
PUBLISHED_STRATEGIES = {
    "ldt": ("LDT", "unpruned"),
    "ldt_safe_pruned": ("LDT", "pruned"),
    "ap": ("AP", "unpruned"),
    "ap_pruned": ("AP", "pruned"),
    "oc1": ("OC1", "unpruned"),
    "oc1_pruned": ("OC1", "pruned"),
    "rlp": ("RLP", "unpruned"),
    "rlp_pruned": ("RLP", "pruned"),
}
#: Strategies whose agreement with the paper is measured: their method has no random search.
_CHECKED = ("ldt", "ldt_safe_pruned", "ap", "ap_pruned")
_ACCURACIES = ("accuracy", "safe_accuracy", "unsafe_accuracy")


class Published(NamedTuple):
    """One printed row; accuracies are shares between 0 and 1, each with its interval."""

    accuracy: float
    accuracy_ci: float
    safe_accuracy: float
    safe_accuracy_ci: float
    unsafe_accuracy: float
    unsafe_accuracy_ci: float
    depth: float
    depth_ci: float
    fit_seconds: float
    fit_seconds_ci: float


class Agreement(NamedTuple):
    """Mean absolute deviation of our means from the printed ones.

    Attributes
    ----------
    accuracy_points : float
        Over overall, safe and unsafe accuracy, in percentage points.
    depth : float
        In edges.
    rows : int
        Number of printed rows that were compared.
    """

    accuracy_points: float
    depth: float
    rows: int


def find_published(dataset: str, protocol: str, strategy: str) -> Published | None:
    """Return the printed row of a data set, protocol and strategy, or None."""
    if strategy not in PUBLISHED_STRATEGIES:
        return None
    system, pruning = PUBLISHED_STRATEGIES[strategy]
    return _read_rows().get((pruning, dataset, protocol, system))


def measure_agreement(summary: DataFrame, *, protocol: str = "50/50") -> Agreement | None:
    """Compare the means of the LDT and AP strategies with the printed ones.

    Parameters
    ----------
    summary : DataFrame
        As :func:`oblique.compare.summarize` returns it.
    protocol : str, default="50/50"

    Returns
    -------
    Agreement or None
        None if no row of the summary is printed.
    """
    points, depths = [], []
    for row in summary.to_dict("records"):
        if row["protocol"] != protocol or row["strategy"] not in _CHECKED or not row["cells"]:
            continue
        printed = find_published(row["dataset"], protocol, row["strategy"])
        if printed is not None:
            points += [100 * abs(row[name] - getattr(printed, name)) for name in _ACCURACIES]
            depths.append(abs(row["depth"] - printed.depth))
    if not depths:
        return None
    return Agreement(float(np.mean(points)), float(np.mean(depths)), len(depths))


@lru_cache(maxsize=1)
def _read_rows() -> dict[tuple[str, str, str, str], Published]:
    text = (files("oblique.compare") / "vadera_2005.csv").read_text()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    rows = {}
    for row in csv.reader(lines[1:]):
        figures = [float(figure) for figure in row[4:]]
        shares = [figure / 100 for figure in figures[:6]]
        rows[row[0], row[1], row[2], row[3]] = Published(*shares, *figures[6:])
    return rows
