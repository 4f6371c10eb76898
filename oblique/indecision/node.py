"""The node of a tree over uncertain rows: a node whose rows stand in both children."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oblique import _kernels as crisp
from oblique._arrays import read_only
from oblique.indecision import _kernels
from oblique.node import HAIR, Division, Node
from oblique.row_order import canonical_rows
from oblique.split import CategorySplit, LinearSplit
from oblique.table import Rows, Table

if TYPE_CHECKING:
    from oblique.indecision.table import UncertainTable
    from oblique.split import Split

Floats = NDArray[np.float64]

# Criteria whose gain the search for thresholds knows.
CRITERIA = {"entropy": 0, "gini": 1}

# A node with at most one in so many of a table's rows gets a table of its own.
_SPARSE = 2

_NO_JOINT = read_only(np.empty((0, 0, 0)))


class UncertainRows(Table):
    """What all nodes of one tree over uncertain rows share.

    Attributes
    ----------
    std : ndarray of shape (n, d)
    deviations : ndarray of shape (d, n)
        The same, transposed.
    joint : ndarray of shape (n, d, d), or (0, 0, 0) for independent features
    probabilities : dict of int to ndarray of shape (n, n_values)
    by_feature : bool
        Whether clauses on one feature of a path are taken together.
    floor : float
        Least part of a row that is followed.
    least_rest : float
        A node whose rows of all classes but the commonest are fewer is pure.
    """

    __slots__ = (
        "by_feature", "deviations", "floor", "joint", "least_rest", "probabilities", "std",
        "window",
    )  # fmt: skip

    def __init__(
        self,
        cases: UncertainTable,
        codes: NDArray[np.int32],
        weights: Floats | None,
        n_classes: int,
        *,
        by_feature: bool,
        floor: float,
        least_rest: float,
        **shared: Any,
    ):
        super().__init__(cases.means, codes, weights, n_classes, **shared)
        self.std = read_only(cases.std)
        self.deviations = read_only(np.ascontiguousarray(cases.std.T))
        self.joint = _NO_JOINT if cases.covariance is None else read_only(cases.covariance)
        self.probabilities = cases.probabilities
        self.by_feature = by_feature
        self.floor = floor
        self.least_rest = least_rest
        self.window = _window(floor)

    def take(self, rows: NDArray[np.int32]) -> UncertainRows:
        """Return a table of the listed rows only, judged as this one judges."""
        part = object.__new__(UncertainRows)
        for name in (*Table.__slots__, *UncertainRows.__slots__):
            setattr(part, name, getattr(self, name))
        part.X, part.std = read_only(self.X[rows]), read_only(self.std[rows])
        part.deviations = read_only(np.ascontiguousarray(part.std.T))
        part.codes, part.weights = read_only(self.codes[rows]), read_only(self.weights[rows])
        part.joint = read_only(self.joint[rows]) if self.joint.size else self.joint
        part.probabilities = {j: share[rows] for j, share in self.probabilities.items()}
        # What a finder asks about the whole table stays true.
        part._n_varying = self.n_varying
        part._columns = None
        part.to_left = np.empty(rows.size)
        part.spare = np.empty(rows.size, dtype=np.int32)
        return part


def _window(floor: float) -> float:
    """Deviations beyond which a row's part is below the floor, at most 8."""
    from scipy.special import ndtri

    return float(min(8.0, -ndtri(max(floor, 1e-16))))


class UncertainNode(Node):
    """A node whose rows are distributions.

    Finders of crisp data see the rows' means and the weights with which they are here.
    """

    __slots__ = ("bounds", "remaining")

    table: UncertainRows
    # (2, d): the interval low < x <= high that the path has left of each feature.
    bounds: Floats
    # Which values the path has left of the discrete features it tested, as shares in [0, 1].
    remaining: dict[int, Floats]

    @classmethod
    def make_root(
        cls, table: UncertainRows, rows: NDArray[np.int32], share: Floats
    ) -> UncertainNode:
        """Make the root; ``share`` is the part of each row that is there."""
        store = Rows(rows[None].copy(), table.weights, read_only(share), np.empty(0))
        counts = crisp.class_counts(rows, table.codes, table.weights, table.n_classes)
        size = float(share[rows].sum())
        root = cls(table, store, 0, rows.size, counts, 0, 0, size, False)
        root.bounds = np.tile([[-np.inf], [np.inf]], (1, table.X.shape[1]))
        root.remaining = {}
        root.n_present = root._count_present()
        return root

    def sort_columns(self) -> None:
        """Sort the node's rows by every column, unless they are; few rows get their own table."""
        if self.n_rows * _SPARSE <= len(self.table.X):
            self._move_out()
        super().sort_columns()

    def _move_out(self) -> None:
        """Copy the node's rows into a table of their own.

        A node reads its rows in another order for each column. Scattered over the whole table
        they miss the processor's caches, the more the larger the table is.
        """
        table, store, rows = self.table, self.store, self.rows
        lines = store.lines if self._sorted else store.lines[:1]
        lines = _kernels.renumber(lines, self.start, self.stop, len(table.X))
        weights, share = store.weights[rows], store.share[rows]
        self.table = table.take(rows)
        self.store = Rows(lines, read_only(weights), read_only(share), store.log_table)
        self.start, self.stop = 0, rows.size

    def _count_present(self) -> int:
        """Number of classes; 1 where what is not of the commonest class is a mere residue."""
        rows = self.rows
        sizes = np.bincount(
            self.table.codes[rows], weights=self.store.share[rows], minlength=self.counts.size
        )
        rest = sizes.sum() - sizes.max()
        return 1 if rest < self.table.least_rest else int(np.count_nonzero(self.counts))

    # ------------------------------------------------------------ clauses

    def membership(self, split: Split) -> Floats:
        """Part of each of the node's rows that passes a test, -1 where the value is missing."""
        self.check_split(split)
        if isinstance(split, CategorySplit):
            return self._category_membership(split)
        mean, deviation = self.scores(split.indices, split.values)
        low, high = self.interval(split)
        return _kernels.clause_membership(
            mean, deviation, low, high, split.threshold, self.table.floor, self.shares
        )

    def scores(self, indices: NDArray[np.int32], values: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the node's rows along a direction."""
        table = self.table
        return _kernels.scores_and_deviations(
            table.X, table.std, table.joint, self.rows, indices, values
        )

    def interval(self, split: LinearSplit) -> tuple[float, float]:
        """What the path has left of a direction: unbounded but for single features."""
        if not self.table.by_feature or split.indices.size != 1:
            return -np.inf, np.inf
        ends = self.bounds[:, split.indices[0]] * split.values[0]
        return float(ends.min()), float(ends.max())

    def _category_membership(self, split: CategorySplit) -> Floats:
        table, rows = self.table, self.rows
        share = table.probabilities[split.feature][rows]
        if self.table.by_feature and split.feature in self.remaining:
            share = share * self.remaining[split.feature]
        goes_left, known = category_sides(split, share.shape[1])
        total = share @ known
        part = np.divide(share @ goes_left, total, out=np.full(total.size, -1.0), where=total > 0.0)
        part = np.where(part >= 0.0, np.minimum(part, 1.0), part)
        small = np.minimum(part, 1.0 - part) * self.shares < table.floor
        return np.where((part >= 0.0) & small, np.round(part), part)

    def category_counts(self, feature: int) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Values that the node's rows may have, their class weights and numbers of rows."""
        share = self.table.probabilities[feature][self.rows]
        if self.table.by_feature and feature in self.remaining:
            share = share * self.remaining[feature]
        total = share.sum(axis=1, keepdims=True)
        share = np.divide(share, total, out=np.zeros_like(share), where=total > 0.0)
        counts = np.zeros((share.shape[1], self.counts.size))
        for k in range(self.counts.size):
            mine = self.codes == k
            counts[:, k] = self.weights[mine] @ share[mine]
        sizes = self.shares @ share
        seen = np.flatnonzero(counts.sum(axis=1) > 0.0)
        return seen, counts[seen], sizes[seen]

    # ------------------------------------------------------------ gain and division

    def gain(self, split: Split) -> float:
        """Gain of a test under uncertainty, 0 when a side would be smaller than allowed."""
        sides = np.empty((4, self.counts.size))
        *_, left, known = self._tally(split, sides)
        if left <= 0.0 or left >= known:
            return 0.0
        return float(crisp.known_gain(self.table.criterion_code, sides[2], sides[3], self.counts))

    def _tally(self, split: Split, sides: Floats) -> tuple[int, int, float, float]:
        """Fill ``sides`` and the table's ``to_left``; no known weight where a side is small."""
        table = self.table
        left, known, n_left, n_right, least = _kernels.tally(
            self.rows, self.membership(split), table.codes, self.store.weights, self.store.share,
            table.to_left, sides,
        )  # fmt: skip
        weight = sides[:2].sum(axis=1).min()
        if least < table.min_leaf - HAIR or weight < table.min_weight:
            return n_left, n_right, 0.0, 0.0
        return n_left, n_right, left, known

    def divide(self, split: Split) -> Division | None:
        """Divide the node by a test; a row may stand in both children."""
        sides = np.empty((4, self.counts.size))
        n_left, n_right, left, known = self._tally(split, sides)
        if not n_left or not n_right or not 0.0 < left < known:
            return None
        gain = crisp.known_gain(self.table.criterion_code, sides[2], sides[3], self.counts)
        children = [self._child(split, side, sides[1 - side].copy()) for side in (1, 0)]
        return Division(split, children[0], children[1], sides[:2], gain, left / known)

    def _child(self, split: Split, side: int, counts: Floats) -> UncertainNode:
        table, store = self.table, self.store
        lines = store.lines if self._sorted else store.lines[:1]
        parts = crisp.side_lines(lines, self.start, self.stop, table.to_left, side)
        # Only the entries of the side's rows are ever written or read.
        weights, share = np.empty(len(table.X)), np.empty(len(table.X))
        size = crisp.side_weights(
            parts[0], table.to_left, side, store.weights, store.share, weights, share
        )
        rows = Rows(parts, read_only(weights), read_only(share), store.log_table)
        child = UncertainNode(
            table, rows, 0, parts.shape[1], counts, self.depth + 1, 0, size, self._sorted
        )
        child.bounds, child.remaining = self.bounds, self.remaining
        if isinstance(split, CategorySplit):
            n_values = table.probabilities[split.feature].shape[1]
            goes_left, known = category_sides(split, n_values)
            kept = goes_left if side == 1 else known - goes_left
            before = self.remaining.get(split.feature, np.ones(n_values))
            child.remaining = {**self.remaining, split.feature: before * kept}
        elif split.indices.size == 1:
            child.bounds = self._narrow(split, side == 1)
        child.n_present = child._count_present()
        return child

    def _narrow(self, split: LinearSplit, is_left: bool) -> Floats:
        """Interval of the tested feature beyond a test of it alone."""
        bounds, feature, factor = self.bounds.copy(), split.indices[0], split.values[0]
        end = split.threshold / factor
        # A negative factor turns ``<=`` into ``>=``.
        if is_left == (factor > 0.0):
            bounds[1, feature] = min(bounds[1, feature], end)
        else:
            bounds[0, feature] = max(bounds[0, feature], end)
        return bounds


def category_sides(split: CategorySplit, n_values: int) -> tuple[Floats, Floats]:
    """Which values go left, and which have an answer, as ones and zeros."""
    goes_left, known = np.zeros(n_values), np.zeros(n_values)
    goes_left[[v for v in split.categories if v < n_values]] = 1.0
    if split.others is None:
        known[:] = 1.0
    else:
        known[[v for v in (*split.categories, *split.others) if v < n_values]] = 1.0
    return goes_left, known


def order_rows(
    cases: UncertainTable, codes: NDArray[np.int32], weights: Floats | None
) -> NDArray[np.int32]:
    """Row numbers in an order that depends on the rows' content only, deviations included."""
    if cases.is_certain:
        # As for the hard tree, whose rows these are.
        return canonical_rows(cases.means, codes, weights)
    parts = [cases.means, cases.std, *cases.probabilities.values()]
    if cases.covariance is not None:
        parts.append(cases.covariance.reshape(len(cases), -1))
    return canonical_rows(np.ascontiguousarray(np.hstack(parts)), codes, weights)
