"""Axis-parallel tests ``x_j <= c``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from oblique._suggest import unknown_name
from oblique.finders.base import THRESHOLDS, SplitFinder, best_cut
from oblique.split import LinearSplit

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Division, Node


class AxisParallel(SplitFinder):
    """The best cut of one numeric column, by the node's criterion.

    Cuts lie between neighbouring distinct values. Of equally good cuts the column of smallest
    index wins and, within it, the smallest value: only such ties depend on the order of
    columns, none on the order of rows. Missing values take part as in C4.5: the gain counts
    for the share of known weight (Quinlan 1993, chapter 3).

    Parameters
    ----------
    threshold : {"midpoint", "data", "safe"}, default="midpoint"
        Where the threshold lies between the two neighbouring values. "data" takes the lower
        value. "safe" gives the whole gap to the side with the larger share of the unsafe
        class, so that a case in the gap counts as unsafe (Vadera 2005, section 3); with equal
        shares or no unsafe class it is the midpoint.
    """

    def __init__(self, threshold: Literal["midpoint", "data", "safe"] = "midpoint"):
        self.threshold = threshold

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the best axis-parallel test, None when no cut gains."""
        self._check()
        node.sort_columns()
        feature, threshold, _ = best_cut(
            node, node.table.columns, node.store.lines, node.table.numeric, self.threshold
        )
        return LinearSplit.axis(feature, threshold, node.n_features) if feature >= 0 else None

    def divide(self, node: Node, rng: Generator) -> Division | None:
        """Find the best test and divide the node by it."""
        if not node.store.log_table.size:
            return super().divide(node, rng)
        self._check()
        return node.divide_at_best_cut(THRESHOLDS[self.threshold])

    def _check(self) -> None:
        if self.threshold not in THRESHOLDS:
            raise ValueError(unknown_name("threshold", self.threshold, THRESHOLDS))
