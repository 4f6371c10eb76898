"""Split finders for uncertain rows: numeric clauses, and oblique ones along any direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oblique._arrays import read_only
from oblique._kernels import TIE
from oblique.finders.base import SplitFinder, check_finder
from oblique.indecision import _kernels
from oblique.indecision._checks import check_flag
from oblique.indecision.node import CRITERIA, UncertainNode
from oblique.split import LinearSplit

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import Split

Floats = NDArray[np.float64]

_GOLDEN = (5.0**0.5 - 1.0) / 2.0
_STEPS = 30


class NumericClauses(SplitFinder):
    """The best clause ``x_j <= t`` by gain under uncertainty.

    As printed (Kent & Menager 2022, section 2), t is the middle of two consecutive distinct
    values, here means, that are not both of one and the same class. Derived, not printed: the
    values are of rows of which at least a tenth of the node's largest part is there; rows weigh
    with the probability of being at the node and pass with Phi((t - mean) / std); beyond a few
    deviations they count 0 or 1, so that sums over rows stay sums over sorted rows.

    Parameters
    ----------
    refine : bool, default=False
        Search on by golden section between the neighbouring candidates, since the gain is
        smooth in t and its maximum need not be at a middle. Derived, not printed.
    """

    def __init__(self, refine: bool = False):
        self.refine = refine

    def check_parameters(self) -> None:
        """Raise ValueError for a wrong parameter."""
        check_flag("refine", self.refine)

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the best clause, None when none gains."""
        table, store = _uncertain(node).table, node.store
        node.sort_columns()
        lows, highs = node.bounds  # type: ignore[attr-defined]
        feature, threshold, below, above, _ = _kernels.best_thresholds(
            table.columns, table.deviations, store.lines, table.numeric, table.codes,
            store.weights, store.share, node.start, node.stop, lows, highs,
            CRITERIA[table.criterion], table.window, table.min_leaf, table.min_weight,
            table.n_classes,
        )  # fmt: skip
        if feature < 0:
            return None

        def at(t: float) -> LinearSplit:
            return LinearSplit.axis(feature, t, node.n_features)

        return refined(node, at, threshold, below, above) if self.refine else at(threshold)


class ObliqueClauses(SplitFinder):
    """Clauses ``w . x <= t`` along the directions of any linear finder (derived, not printed).

    The finder sees the rows' means and the weights with which they are at the node; the
    threshold along its direction is set anew by gain under uncertainty, where w . x is normal
    with mean w . mu and variance w' Sigma w.

    Parameters
    ----------
    finder : SplitFinder
        Such as `oblique.finders.LinearDiscriminant`. A test of categories is passed on.
    refine : bool, default=False
        As in `NumericClauses`.
    """

    def __init__(self, finder: SplitFinder, refine: bool = False):
        self.finder = finder
        self.refine = refine

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError for a wrong parameter, also of the wrapped finder."""
        check_finder("finder", self.finder)
        check_flag("refine", self.refine)

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return the best clause along the finder's direction, None when none gains."""
        table = _uncertain(node).table
        plane = self.finder.find_split(node, rng)
        if not isinstance(plane, LinearSplit):
            return plane
        mean, deviation = node.scores(plane.indices, plane.values)  # type: ignore[attr-defined]
        lines = np.empty((2, mean.size), dtype=np.int32)
        lines[1] = np.argsort(mean, kind="stable")
        low, high = node.interval(plane)  # type: ignore[attr-defined]
        ends = np.array([[low], [high]])
        found, threshold, below, above, _ = _kernels.best_thresholds(
            mean[None], read_only(deviation[None]), lines, read_only(np.zeros(1, dtype=np.int32)),
            read_only(node.codes), read_only(node.weights), read_only(node.shares), 0, mean.size,
            ends[0], ends[1], CRITERIA[table.criterion], table.window, table.min_leaf,
            table.min_weight, table.n_classes,
        )  # fmt: skip
        if found < 0:
            return None

        def at(t: float) -> LinearSplit:
            return LinearSplit.sparse(plane.indices, plane.values, t, node.n_features)

        return refined(node, at, threshold, below, above) if self.refine else at(threshold)


def refined(
    node: Node, at: Callable[[float], LinearSplit], threshold: float, below: float, above: float
) -> LinearSplit:
    """Golden-section search for the best threshold between two neighbours of a good one."""
    best, best_gain = at(threshold), node.gain(at(threshold))
    a, b = below, above
    x, y = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
    gain_x, gain_y = node.gain(at(x)), node.gain(at(y))
    for _ in range(_STEPS):
        for t, gain in ((x, gain_x), (y, gain_y)):
            if gain > best_gain + TIE:
                best, best_gain = at(t), gain
        if gain_x >= gain_y:
            b, y, gain_y = y, x, gain_x
            x = b - _GOLDEN * (b - a)
            gain_x = node.gain(at(x))
        else:
            a, x, gain_x = x, y, gain_y
            y = a + _GOLDEN * (b - a)
            gain_y = node.gain(at(y))
    return best


def _uncertain(node: Node) -> UncertainNode:
    if not isinstance(node, UncertainNode):
        raise TypeError("clauses under uncertainty are found for IndecisionTreeClassifier only")
    return node
