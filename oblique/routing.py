"""How rows go through a finished tree: to one leaf, or by shares to several."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oblique import _routing

if TYPE_CHECKING:
    from oblique.tree import Tree


class Routed(NamedTuple):
    """Where rows end.

    Attributes
    ----------
    leaf : ndarray of shape (n,), int64
        Leaf of each row; -1 - node for a row whose answer at that node is missing.
    divided : ndarray of shape (n_divided,), int32
        Numbers of those rows, ascending: a share of each reaches several leaves.
    """

    leaf: NDArray[np.int64]
    divided: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Routing:
    """The arrays of a tree as compiled loops read them, and what the loops answer.

    Rows are float64 in C order, with the columns of the tree.

    Attributes
    ----------
    tests : tuple of ndarray
        Children, tests and categories of `Tree`, in the order of the arguments of
        `oblique._routing.apply_tree`.
    missing_left : ndarray of shape (n_nodes,)
        Share of a divided row that goes left.
    """

    tests: tuple[NDArray[Any], ...]
    missing_left: NDArray[np.float64]

    @classmethod
    def of(cls, tree: Tree) -> Routing:
        """Take the arrays of a tree."""
        tests = (
            tree.children_left, tree.children_right, tree.weight_indptr, tree.weight_indices,
            tree.weight_values, tree.threshold, tree.category_indptr, tree.category_codes,
            tree.category_left, tree.category_open,
        )  # fmt: skip
        return cls(tests, tree.missing_left)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """``tests`` and ``missing_left``, as loops over divided rows take them."""
        return (*self.tests, self.missing_left)

    @cached_property
    def axis_arrays(self) -> tuple[NDArray[Any], ...] | None:
        """Column, threshold and children (n_nodes, 2) of each node, for the quick route.

        None unless all tests are ``x_j <= c``.
        """
        left, right, indptr, indices, values, threshold, _, codes, *_ = self.tests
        if codes.size or (np.diff(indptr) > 1).any() or not (values == 1.0).all():
            return None
        feature = np.full(len(left), -1, dtype=np.int32)
        feature[left >= 0] = indices
        return feature, threshold, np.stack([left, right], axis=1)

    def route(self, rows: NDArray[np.float64]) -> Routed:
        """Send rows down to their leaves."""
        axis = self.axis_arrays
        if axis is not None:
            leaf = _routing.apply_axis_tree(rows, *axis)
        else:
            leaf = _routing.apply_tree(rows, *self.tests)
        return Routed(leaf, np.flatnonzero(leaf < 0).astype(np.int32))

    def main_leaves(self, rows: NDArray[np.float64], which: NDArray[np.int32]) -> NDArray[np.int64]:
        """Leaf that each row of ``which`` reaches with the largest share, the first of equals."""
        return _routing.main_leaves(rows, which, *self.arrays)

    def reach(self, rows: NDArray[np.float64], which: NDArray[np.int32]) -> NDArray[np.float64]:
        """Share of each row of ``which`` that reaches each node, (n_which, n_nodes)."""
        return _routing.reach_rows(rows, which, *self.arrays)

    def mix(
        self,
        rows: NDArray[np.float64],
        which: NDArray[np.int32],
        shares: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Mean of the leaves' lines of ``shares`` (n_nodes, k) by the share that reaches each."""
        return _routing.share_rows(rows, which, *self.arrays, shares)

    def add_counts(
        self,
        rows: NDArray[np.float64],
        which: NDArray[np.int32],
        codes: NDArray[np.int32],
        weights: NDArray[np.float64],
        counts: NDArray[np.float64],
    ) -> None:
        """Add the weights of the rows of ``which`` to ``counts`` (n_nodes, n_classes)."""
        _routing.count_divided_rows(rows, which, *self.arrays, codes, weights, counts)
