"""The node that a split finder looks at, and its division into two children."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique import _kernels
from oblique._arrays import read_only
from oblique._kernels import CATEGORY, LINEAR
from oblique.row_order import canonical_rows
from oblique.split import CategorySplit, LinearSplit
from oblique.table import NO_LOGS, NO_VALUES, Rows, Table

if TYPE_CHECKING:
    from oblique.split import Split

# Slack for a number of rows that is a sum of fractions.
HAIR = 1e-9


class Division(NamedTuple):
    """A test, the two children it makes of a node, and its gain."""

    split: Split
    left: Node
    right: Node
    sides: NDArray[np.float64]
    gain: float
    missing_left: float


class Node:
    """Read-only view of the rows at one node, as a split finder sees it.

    Make one by hand with `Node.from_data`, to try a finder without growing a tree.
    """

    __slots__ = (
        "_sorted", "counts", "depth", "n_present", "size", "start", "stop", "store", "table",
    )  # fmt: skip

    def __init__(
        self,
        table: Table,
        store: Rows,
        start: int,
        stop: int,
        counts: NDArray[np.float64],
        depth: int,
        n_present: int,
        size: float,
        is_sorted: bool,
    ):
        self.table = table
        self.store = store
        self.start = start
        self.stop = stop
        self.counts = counts
        self.depth = depth
        self.n_present = n_present
        self.size = size
        self._sorted = is_sorted

    @classmethod
    def from_table(cls, table: Table, rows: NDArray[np.int32]) -> Node:
        """Make the root of a tree over the listed rows."""
        store = Rows(rows[None].copy(), table.weights, table.unit_share, table.log_table)
        counts = _kernels.class_counts(rows, table.codes, table.weights, table.n_classes)
        present = int(np.count_nonzero(counts))
        return cls(table, store, 0, rows.size, counts, 0, present, float(rows.size), False)

    @classmethod
    def from_data(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        criterion: str = "entropy",
        categorical: ArrayLike | None = None,
        unsafe: int = -1,
        min_leaf: float = 1.0,
    ) -> Node:
        """Make a node from arrays.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
            Class codes 0, 1, 2 ...
        sample_weight : array-like of shape (n,) or None
        criterion : str, default="entropy"
        categorical : array-like of shape (d,) of bool, or None
        unsafe : int, default=-1
            Code of the unsafe class.
        min_leaf : float, default=1
            Least number of rows of each side of a test.
        """
        data = np.ascontiguousarray(X, dtype=np.float64)
        codes = np.ascontiguousarray(y, dtype=np.int32)
        if data.ndim != 2 or codes.shape != (len(data),) or not len(data):
            raise ValueError(
                f"X must have shape (n, d) and y shape (n,) with n > 0, got {data.shape} and "
                f"{codes.shape}"
            )
        weights = None
        if sample_weight is not None:
            weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
        flags = None if categorical is None else np.asarray(categorical, dtype=np.bool_)
        n_classes = max(int(codes.max()) + 1, unsafe + 1)
        table = Table(
            data, codes, weights, n_classes, criterion=criterion, categorical=flags,
            unsafe=unsafe, min_leaf=min_leaf,
        )  # fmt: skip
        return cls.from_table(table, canonical_rows(data, codes, weights))

    # ------------------------------------------------------------ what a finder may ask

    @property
    def rows(self) -> NDArray[np.int32]:
        """Row numbers of the node in an order that does not depend on how data were given."""
        return self.store.lines[0, self.start : self.stop]

    @property
    def n_rows(self) -> int:
        """Number of rows, a divided row counted whole."""
        return self.stop - self.start

    @property
    def X(self) -> NDArray[np.float64]:
        """Values of the node's rows, (n_rows, d); a copy."""
        return self.table.X[self.rows]

    @property
    def codes(self) -> NDArray[np.int32]:
        """Class codes of the node's rows, (n_rows,)."""
        return self.table.codes[self.rows]

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights of the node's rows, (n_rows,)."""
        return self.store.weights[self.rows]

    @property
    def shares(self) -> NDArray[np.float64]:
        """Part of each of the node's rows that is at the node, (n_rows,): 1 for whole rows."""
        share = self.store.share
        return share[self.rows] if share.size else np.ones(self.n_rows)

    @property
    def criterion(self) -> str:
        """Name of the split criterion."""
        return self.table.criterion

    @property
    def impurity(self) -> float:
        """Impurity of the node by its criterion, per unit of weight."""
        return float(_kernels.node_impurity(self.table.criterion_code, self.counts))

    @property
    def unsafe(self) -> int:
        """Code of the unsafe class, -1 for none."""
        return self.table.unsafe

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.table.X.shape[1])

    @property
    def numeric(self) -> NDArray[np.int32]:
        """Columns that hold numbers, ascending."""
        return self.table.numeric

    @property
    def categorical(self) -> NDArray[np.int32]:
        """Columns that hold category codes, ascending."""
        flags = self.table.categorical
        empty = np.empty(0, dtype=np.int32)
        return empty if flags is None else np.flatnonzero(flags).astype(np.int32)

    @property
    def n_effective(self) -> float:
        """Number of observations: the weight where weights are whole numbers, else the rows."""
        n = float(self.counts.sum()) if self.table.is_counted else self.size
        # Parts of rows may sum to a whole number but for rounding.
        whole = float(round(n))
        return whole if abs(n - whole) < HAIR else n

    @property
    def sorted_columns(self) -> NDArray[np.int32]:
        """Rows of the node in ascending order of every column, (d, n_rows), missing last.

        Sorted once where a finder first asks, then kept sorted by every division below.
        """
        if not self._sorted:
            self.sort_columns()
        return self.store.lines[1:, self.start : self.stop]

    def category_counts(
        self, feature: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Codes of a feature that are seen at the node, their class weights, numbers of rows.

        Returns
        -------
        codes : ndarray of shape (n_seen,), ascending
        counts : ndarray of shape (n_seen, n_classes)
        sizes : ndarray of shape (n_seen,)
        """
        table = self.table
        values = table.X[self.rows, feature]
        known = ~np.isnan(values)
        if not known.any():
            return np.empty(0, dtype=np.int64), np.empty((0, table.n_classes)), np.empty(0)
        n_categories = int(np.nanmax(values)) + 1
        counts = _kernels.category_counts(
            table.X, feature, self.store.lines[0], self.start, self.stop, table.codes,
            self.store.weights, n_categories, table.n_classes,
        )  # fmt: skip
        sizes = np.bincount(values[known].astype(np.intp), self.shares[known]).astype(np.float64)
        seen = np.flatnonzero(counts.sum(axis=1) > 0.0)
        return seen, counts[seen], sizes[seen]

    def gain(self, split: Split) -> float:
        """Gain of a test at this node in units of the criterion.

        It is 0 when a side is empty, or smaller than the tree's limits allow: such a test must
        not displace one that can be used.
        """
        table, store = self.table, self.store
        gain = _kernels.assess(
            table.X, store.lines[0], self.start, self.stop, *self._test(split), table.codes,
            store.weights, table.to_left, self.counts, table.criterion_code,
        )  # fmt: skip
        return 0.0 if gain > 0.0 and self._has_small_side() else float(gain)

    def check_split(self, split: Split) -> None:
        """Raise ValueError for a test of other features than the node's.

        Compiled loops do not check indices: such a test would read beyond the table.
        """
        d = self.n_features
        if type(split) is LinearSplit:
            if split.n_features != d:
                raise ValueError(f"{split!r} is a test of {split.n_features} features, X has {d}")
        elif isinstance(split, CategorySplit) and not 0 <= split.feature < d:
            raise ValueError(
                f"{split!r} tests feature {split.feature}, X has features 0 to {d - 1}"
            )

    def _test(self, split: Split) -> tuple[Any, ...]:
        """Spell a split as the arguments of compiled loops."""
        self.check_split(split)
        if type(split) is LinearSplit:
            return LINEAR, split.indices, split.values, split.threshold, 0, False
        if isinstance(split, CategorySplit):
            head = np.array([split.feature], dtype=np.int32)
            codes = read_only(np.concatenate([head, split.codes]))
            return (
                CATEGORY, codes, NO_VALUES, 0.0, len(split.categories), split.others is None
            )  # fmt: skip
        raise TypeError(
            f"a split finder must return a LinearSplit, a CategorySplit or None, got {split!r}"
        )

    def _has_small_side(self) -> bool:
        """Whether the test that was just assessed leaves a side smaller than the limits."""
        table = self.table
        if not (table.is_limited or table.has_missing):
            return False
        left = table.to_left[self.rows]
        sides = np.stack([left, 1.0 - left])
        size = (sides @ self.shares).min()
        weight = (sides @ self.weights).min()
        return bool(size < table.min_leaf - HAIR or weight < table.min_weight)

    # ------------------------------------------------------------ division

    def divide(self, split: Split) -> Division | None:
        """Divide the node by a test; None when one side would be empty."""
        table, store = self.table, self.store
        sides = np.empty((4, table.n_classes))
        lines = store.lines if self._sorted else store.lines[:1]
        n_left, n_missing, fraction, gain, left_present, right_present = _kernels.divide(
            table.X, lines, self.start, self.stop, *self._test(split), table.codes, store.weights,
            table.to_left, table.spare, self.counts, sides, table.criterion_code,
        )  # fmt: skip
        n_right = self.stop - self.start - n_missing - n_left
        if n_left == 0 or n_right == 0:
            return None
        if n_missing or store.share is not table.unit_share:
            left, right = self._share_out(sides, left_present, right_present)
            return Division(split, left, right, sides[:2], gain, fraction)
        cut, depth, is_sorted = self.start + n_left, self.depth + 1, self._sorted
        return Division(
            split,
            Node(table, store, self.start, cut, sides[0], depth, left_present, n_left, is_sorted),
            Node(table, store, cut, self.stop, sides[1], depth, right_present, n_right, is_sorted),
            sides[:2],
            gain,
            fraction,
        )

    def _share_out(
        self, sides: NDArray[np.float64], left_present: int, right_present: int
    ) -> list[Node]:
        """Give each child rows of its own, where some rows stand in both."""
        table, store = self.table, self.store
        children = []
        for side, counts, present in ((1, sides[0], left_present), (0, sides[1], right_present)):
            lines = store.lines if self._sorted else store.lines[:1]
            parts = _kernels.side_lines(lines, self.start, self.stop, table.to_left, side)
            # Only the entries of the side's rows are ever written or read.
            weights, share = np.empty(len(table.X)), np.empty(len(table.X))
            size = _kernels.side_weights(
                parts[0], table.to_left, side, store.weights, store.share, weights, share
            )
            child = Rows(parts, read_only(weights), read_only(share), NO_LOGS)
            children.append(
                Node(table, child, 0, parts.shape[1], counts, self.depth + 1, present, size,
                     self._sorted)
            )  # fmt: skip
        return children

    def sort_columns(self) -> None:
        """Sort the node's rows by every column, unless they are."""
        if self._sorted:
            return
        store, columns = self.store, self.table.columns
        d = columns.shape[0]
        if len(store.lines) == 1:
            lines = np.empty((d + 1, store.lines.shape[1]), dtype=np.int32)
            lines[0] = store.lines[0]
            store.lines = lines
        rows = self.rows
        # With whole-number weights, sums do not depend on the order of equal values.
        exact = self.table.is_counted and not self.table.has_missing
        kind: Literal["quicksort", "stable"] = "quicksort" if exact else "stable"
        block = max(1, (1 << 17) // max(1, rows.size))
        for begin in range(0, d, block):
            values = columns[begin : begin + block][:, rows]
            picks = np.argsort(values, axis=1, kind=kind)
            store.lines[begin + 1 : begin + block + 1, self.start : self.stop] = rows[picks]
        self._sorted = True
