"""Axis-parallel tests ``x_j <= c``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from oblique._kernels import grow_axis_parallel
from oblique._suggest import unknown_name
from oblique.builder import axis_skeleton
from oblique.finders.base import THRESHOLDS, SplitFinder, best_cut
from oblique.split import LinearSplit

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.builder import Skeleton
    from oblique.node import Node
    from oblique.split import Split
    from oblique.stopping import Limits


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

    is_plain = True

    def __init__(self, threshold: Literal["midpoint", "data", "safe"] = "midpoint"):
        self.threshold = threshold

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the best axis-parallel test, None when no cut gains."""
        best = self._search(node)
        return None if best is None else best[0]

    def propose(self, node: Node, rng: Generator) -> tuple[Split, float] | None:
        """Return the best axis-parallel test and its gain."""
        if self._searches_otherwise:
            return super().propose(node, rng)
        best = self._search(node)
        if best is not None and node.table.has_missing:
            # The search counts known values only; limits on the sides count divided rows, too.
            return best[0], node.gain(best[0])
        return best

    @property
    def _searches_otherwise(self) -> bool:
        """Whether a subclass has a `find_split` of its own, which no short cut may pass over."""
        return type(self).find_split is not AxisParallel.find_split

    def _search(self, node: Node) -> tuple[LinearSplit, float] | None:
        self.check_parameters()
        node.sort_columns()
        feature, threshold, gain = best_cut(
            node, node.table.columns, node.store.lines, node.table.numeric, self.threshold
        )
        if feature < 0:
            return None
        return LinearSplit.axis(feature, threshold, node.n_features), gain

    def grow_at_once(self, root: Node, limits: Limits) -> Skeleton | None:
        """Grow the tree in one compiled call where all rows are complete."""
        self.check_parameters()
        table, store = root.table, root.store
        if table.has_missing or self._searches_otherwise:
            return None
        root.sort_columns()
        links, cuts, counts = grow_axis_parallel(
            table.columns, store.lines, table.numeric, table.codes, store.weights, store.share,
            root.counts, store.log_table, table.criterion_code, THRESHOLDS[self.threshold],
            table.unsafe, table.to_left, table.spare, *limits,
        )  # fmt: skip
        return axis_skeleton(links, cuts, counts)

    def check_parameters(self) -> None:
        """Raise ValueError for an unknown threshold."""
        if not isinstance(self.threshold, str) or self.threshold not in THRESHOLDS:
            raise ValueError(unknown_name("threshold", self.threshold, THRESHOLDS))
