"""How a strategy stands beside LDT, and which strategies no other one beats on both classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pandas import DataFrame

from oblique.compare.paired import PairedDifference, compare_pair, describe_differences

from .designs import Measured


class Row(NamedTuple):
    """A strategy minus LDT on one data set and share of rows."""

    unsafe: PairedDifference
    overall: PairedDifference


class Standing(NamedTuple):
    """A strategy minus LDT, as means over the data sets at one share, and row by row.

    Attributes
    ----------
    unsafe, safe, overall : PairedDifference
        Of accuracies, means over the data sets.
    rows : dict
        (data set, protocol) -> Row, for all shares.
    """

    unsafe: PairedDifference
    safe: PairedDifference
    overall: PairedDifference
    rows: dict[tuple[str, str], Row]

    @property
    def verdict(self) -> str:
        """What the paired intervals of the means say."""
        return judge(self.unsafe, self.overall)

    def count(self, verdict: str, *, corrected: bool = False) -> int:
        """How many rows have a verdict."""
        return sum(judge(*row, corrected=corrected) == verdict for row in self.rows.values())


SAFER = "safer, no less accurate"
SAFER_BUT = "safer, less accurate"
LESS_SAFE = "less safe, no more accurate"
LESS_SAFE_BUT = "less safe, more accurate"
VERDICTS = (
    SAFER, SAFER_BUT, "as safe, more accurate", "no difference", "as safe, less accurate",
    LESS_SAFE_BUT, LESS_SAFE,
)  # fmt: skip


def judge(unsafe: PairedDifference, overall: PairedDifference, *, corrected: bool = False) -> str:
    """Say which differences have an interval without zero; one of `VERDICTS`.

    Parameters
    ----------
    unsafe, overall : PairedDifference
    corrected : bool, default=False
        Take the interval for other data, not that for other splits of the same rows.
    """
    safety, accuracy = (
        _sign(each, each.corrected_ci if corrected else each.ci) for each in (unsafe, overall)
    )
    if safety > 0:
        return SAFER if accuracy >= 0 else SAFER_BUT
    if safety < 0:
        return LESS_SAFE if accuracy <= 0 else LESS_SAFE_BUT
    return ("no difference", "as safe, more accurate", "as safe, less accurate")[accuracy]


def find_standing(measured: Measured, name: str, reference: str, protocol: str) -> Standing:
    """Hold a strategy against a reference on the same splits."""
    cells = measured.cells
    unsafe = compare_pair(cells, name, reference, "unsafe_accuracy")
    overall = compare_pair(cells, name, reference, "accuracy")
    means = (
        compare_over_sets(cells, name, reference, measure, protocol)
        for measure in ("unsafe_accuracy", "safe_accuracy", "accuracy")
    )
    return Standing(*means, rows={key: Row(unsafe[key], overall[key]) for key in unsafe})


def compare_over_sets(
    cells: DataFrame, first: str, second: str, measure: str, protocol: str
) -> PairedDifference:
    """Difference of two strategies, split by split the mean over the data sets.

    The sets are independent of each other, so the variances of their differences add up, with
    and without the correction for shared rows.
    """
    of_pair = cells[(cells["protocol"] == protocol) & cells["strategy"].isin([first, second])]
    wide = of_pair.pivot_table(
        index="repeat", columns=["strategy", "dataset"], values=measure, aggfunc="first"
    )
    differences = (wide[first] - wide[second]).mean(axis=1).to_numpy()
    ratio = float((of_pair["n_test"] / of_pair["n_train"]).mean())
    return describe_differences(differences, ratio)


def non_dominated(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Names of the points that no other point equals on one axis and exceeds on the other.

    They come in descending order of the first number.
    """
    best = float("-inf")
    front = []
    for name, (first, second) in sorted(points.items(), key=lambda p: (-p[1][0], -p[1][1])):
        if second > best or (front and points[front[-1]] == (first, second)):
            front.append(name)
            best = second
    return front


def accuracies(means: DataFrame, protocol: str) -> dict[str, dict[str, tuple[float, float]]]:
    """Safe and unsafe accuracy in percent: data set, or "mean of sets" -> strategy -> point."""
    rows = means[means["protocol"] == protocol]
    tables = {str(name): group for name, group in rows.groupby("dataset", sort=False)}
    found = {
        name: dict(zip(t["strategy"], 100 * t[list(_AXES)].to_numpy(), strict=True))
        for name, t in tables.items()
    }
    mean = 100 * rows.groupby("strategy", sort=False)[list(_AXES)].mean()
    found["mean of sets"] = dict(zip(mean.index, mean.to_numpy(), strict=True))
    return {
        panel: {strategy: (float(p[0]), float(p[1])) for strategy, p in points.items()}
        for panel, points in found.items()
    }


_AXES = ("safe_accuracy", "unsafe_accuracy")


def _sign(difference: PairedDifference, width: float) -> int:
    """1 or -1 where the interval lies on one side of zero, else 0."""
    return int(difference.mean > width) - int(difference.mean < -width)
