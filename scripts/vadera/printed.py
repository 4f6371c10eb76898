"""Ours beside every printed row, a verdict for each figure, and how far off we are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from pandas import DataFrame

from oblique.compare.published import PUBLISHED_STRATEGIES, find_published

ACCURACIES = ("accuracy", "safe_accuracy", "unsafe_accuracy")
MEASURES = (*ACCURACIES, "depth")
TITLES = {
    "accuracy": "overall %", "safe_accuracy": "safe %", "unsafe_accuracy": "unsafe %",
    "depth": "depth",
}  # fmt: skip
#: What counts as near: percentage points of an accuracy, edges of depth.
NEAR = {"accuracy": 3.0, "safe_accuracy": 3.0, "unsafe_accuracy": 3.0, "depth": 1.0}
#: The set whose printed accuracies no filling of its missing cells reaches.
UNREACHED = "hepatitis_filled"
INSIDE = "in both"
SYSTEMS = ("LDT", "OC1", "AP", "RLP")


class Figure(NamedTuple):
    """A mean of ours and the printed one, with the halves of their 95 % intervals."""

    dataset: str
    protocol: str
    strategy: str
    measure: str
    ours: float
    ours_ci: float
    printed: float
    printed_ci: float

    @property
    def off(self) -> float:
        """Ours minus printed, in points or edges."""
        return self.ours - self.printed

    @property
    def verdict(self) -> str:
        """Whether each mean lies in the other's interval; else the difference."""
        # Printed figures are rounded to a tenth.
        if abs(self.off) <= min(self.ours_ci, self.printed_ci) + 0.05:
            return INSIDE
        unit = "edge" if self.measure == "depth" else "points"
        near = NEAR[self.measure]
        place = f"within {near:g} {unit}" if abs(self.off) <= near else "off"
        return f"{place} ({self.off:+.1f})"


def compare(means: DataFrame) -> list[Figure]:
    """Every figure that is printed for the rows of a summary.

    Parameters
    ----------
    means : DataFrame
        As `oblique.compare.summarize` returns it.
    """
    return [figure for row in means.to_dict("records") for figure in compare_row(row)]


def compare_row(row: dict[str, Any], base: str | None = None) -> Iterator[Figure]:
    """Yield the figures of one row of a summary, beside those printed for a strategy."""
    strategy = base or row["strategy"]
    printed = find_published(row["dataset"], row["protocol"], strategy)
    if printed is None:
        return
    for measure in MEASURES:
        factor = 1.0 if measure == "depth" else 100.0
        theirs = getattr(printed, measure), getattr(printed, f"{measure}_ci")
        ours = row[measure], row[f"{measure}_ci"]
        yield Figure(
            row["dataset"], row["protocol"], row["strategy"], measure,
            *(factor * value for value in (*ours, *theirs)),
        )  # fmt: skip


def deviation(figures: list[Figure], measures: tuple[str, ...]) -> float:
    """Mean absolute difference from print over some measures."""
    return float(np.mean([abs(each.off) for each in figures if each.measure in measures]))


def share_within(figures: list[Figure]) -> tuple[int, int]:
    """How many accuracies lie within 3 points of print, of how many."""
    shares = [each for each in figures if each.measure in ACCURACIES]
    return sum(abs(each.off) <= NEAR[each.measure] for each in shares), len(shares)


def write_rows(figures: list[Figure]) -> Iterator[str]:
    """Yield a table for each data set and pruning, a line a split and strategy."""
    for dataset in dict.fromkeys(each.dataset for each in figures):
        for pruning in ("unpruned", "pruned"):
            rows = [
                each for each in figures
                if each.dataset == dataset and PUBLISHED_STRATEGIES[each.strategy][1] == pruning
            ]  # fmt: skip
            yield f"\n### {dataset}, {pruning}\n"
            cells = "".join(f" {TITLES[m]} | printed | verdict |" for m in MEASURES)
            yield f"| split | strategy |{cells}"
            yield "| --- | --- |" + " ---: | ---: | --- |" * len(MEASURES)
            names = dict.fromkeys((each.protocol, each.strategy) for each in rows)
            for protocol, strategy in sorted(names, key=_printed_order):
                found = [e for e in rows if (e.protocol, e.strategy) == (protocol, strategy)]
                cells = "".join(
                    f" {e.ours:.1f} ± {e.ours_ci:.1f} | {e.printed:.1f} ± {e.printed_ci:.1f} "
                    f"| {e.verdict} |"
                    for e in found
                )
                yield f"| {protocol} | {PUBLISHED_STRATEGIES[strategy][0]} |{cells}"


def _printed_order(name: tuple[str, str]) -> tuple[str, int]:
    protocol, strategy = name
    return protocol, SYSTEMS.index(PUBLISHED_STRATEGIES[strategy][0])


def write_deviations(figures: list[Figure]) -> Iterator[str]:
    """Yield mean absolute deviations from print for each strategy, and for each data set."""
    yield (
        "| of | accuracies, points | without hepatitis | depth, edges | in both intervals "
        "| accuracies within 3 | without hepatitis |"
    )
    yield "| --- |" + " ---: |" * 6
    for strategy in dict.fromkeys(each.strategy for each in figures):
        system, pruning = PUBLISHED_STRATEGIES[strategy]
        of_strategy = [each for each in figures if each.strategy == strategy]
        yield _deviation_line(f"{system} {pruning}", of_strategy)
    for system in SYSTEMS:
        both = [each for each in figures if PUBLISHED_STRATEGIES[each.strategy][0] == system]
        if both:
            yield _deviation_line(f"**{system}**", both)
    for dataset in dict.fromkeys(each.dataset for each in figures):
        yield _deviation_line(dataset, [each for each in figures if each.dataset == dataset])
    yield _deviation_line("**all**", figures)


def _deviation_line(name: str, figures: list[Figure]) -> str:
    inside = sum(each.verdict == INSIDE for each in figures)
    others = [each for each in figures if each.dataset != UNREACHED]
    edges = deviation(figures, ("depth",))
    without = f"{deviation(others, ACCURACIES):.2f}" if others else "-"
    return (
        f"| {name} | {deviation(figures, ACCURACIES):.2f} | {without} | {edges:.2f} "
        f"| {inside} of {len(figures)} | {_write_share(figures)} | {_write_share(others)} |"
    )


def _write_share(figures: list[Figure]) -> str:
    near, shares = share_within(figures)
    return f"{near} of {shares} ({100 * near / shares:.0f} %)" if shares else "-"
