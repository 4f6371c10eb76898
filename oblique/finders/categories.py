"""Tests on categorical columns: a set of categories goes left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from oblique import _kernels
from oblique.finders.base import SplitFinder
from oblique.node import HAIR
from oblique.split import CategorySplit
from oblique.stopping import is_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    from oblique.node import Node


class Categories(SplitFinder):
    """The best division of one categorical column's values into two sets.

    Sets are formed in the order of the categories' share of one class. For two classes that
    order holds the best division for every concave criterion (Breiman et al. 1984, theorem
    4.5). For more classes the order by each class and by the first principal component of the
    class shares are tried (Coppersmith, Hong & Hosking 1999), and up to ``max_exhaustive``
    categories every division. A category that is not seen at the node counts as missing there.

    Parameters
    ----------
    sets : {"subsets", "single"}, default="subsets"
        "single" only sets one category against the others.
    max_exhaustive : int, default=8
        With more than two classes, try all divisions of up to this many categories.
    """

    is_plain = True

    def __init__(self, sets: Literal["subsets", "single"] = "subsets", *, max_exhaustive: int = 8):
        self.sets = sets
        self.max_exhaustive = max_exhaustive

    def find_split(self, node: Node, rng: Generator) -> CategorySplit | None:
        """Return the best category test, None without categorical columns or gain."""
        self.check_parameters()
        best, best_gain = None, 0.0
        for feature in node.categorical.tolist():
            best, best_gain = self._better(node, feature, 0.0, best, best_gain)
        return best

    def best_of_column(
        self, node: Node, feature: int, *, min_weight: float = 0.0
    ) -> CategorySplit | None:
        """Return the best test of one column, None without gain.

        Parameters
        ----------
        node : Node
        feature : int
        min_weight : float, default=0.0
            Least weight of each side.
        """
        self.check_parameters()
        return self._better(node, feature, min_weight, None, 0.0)[0]

    def _better(
        self,
        node: Node,
        feature: int,
        min_weight: float,
        best: CategorySplit | None,
        best_gain: float,
    ) -> tuple[CategorySplit | None, float]:
        codes, counts, sizes = node.category_counts(feature)
        for left in self._divisions(counts):
            if _is_small(node, counts, sizes, left, min_weight):
                continue
            gain = _kernels.known_gain(
                node.table.criterion_code, counts[left].sum(axis=0),
                counts[~left].sum(axis=0), node.counts,
            )  # fmt: skip
            if gain > best_gain + _kernels.TIE:
                # The set with the smallest code goes left, whatever the order of trial.
                first = left if left[0] else ~left
                best = CategorySplit(feature, codes[first].tolist(), codes[~first].tolist())
                best_gain = gain
        return best, best_gain

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        if self.sets not in ("subsets", "single"):
            raise ValueError(f'sets={self.sets!r} must be "subsets" or "single"')
        if not is_whole(self.max_exhaustive) or self.max_exhaustive < 0:
            raise ValueError(f"max_exhaustive={self.max_exhaustive!r} must be an integer >= 0")

    def _divisions(self, counts: NDArray[np.float64]) -> Iterator[NDArray[np.bool_]]:
        n_categories = len(counts)
        if n_categories < 2:
            return
        if self.sets == "single":
            for i in range(n_categories if n_categories > 2 else 1):
                yield np.arange(n_categories) == i
            return
        present = counts[:, counts.sum(axis=0) > 0.0]
        if present.shape[1] > 2 and n_categories <= self.max_exhaustive:
            # The first category stays left: the mirror image is the same division.
            for bits in range(2 ** (n_categories - 1) - 1):
                yield np.array([True, *(bool(bits >> i & 1) for i in range(n_categories - 1))])
            return
        shares = present / present.sum(axis=1, keepdims=True)
        for key in _order_keys(shares, present.sum(axis=1)):
            order = np.argsort(key, kind="stable")
            left = np.zeros(n_categories, dtype=np.bool_)
            for category in order[:-1]:
                left[category] = True
                yield left.copy()


def _order_keys(
    shares: NDArray[np.float64], mass: NDArray[np.float64]
) -> Iterator[NDArray[np.float64]]:
    if shares.shape[1] <= 2:
        yield shares[:, -1]
        return
    centred = shares - np.average(shares, axis=0, weights=mass)
    yield centred @ np.linalg.svd(centred * np.sqrt(mass)[:, None], full_matrices=False)[2][0]
    yield from shares.T


def _is_small(
    node: Node,
    counts: NDArray[np.float64],
    sizes: NDArray[np.float64],
    left: NDArray[np.bool_],
    min_weight: float,
) -> bool:
    """Whether a side holds fewer rows, or less weight, than the limits allow."""
    table = node.table
    # A finder's own least weight stands for the least number of rows, one, which divided rows
    # may miss.
    least_rows = 0.0 if min_weight > 0.0 and table.min_leaf <= 1.0 else table.min_leaf
    min_weight = max(min_weight - HAIR, table.min_weight)
    if table.min_leaf <= 1.0 and min_weight <= 0.0 and not table.has_missing:
        return False
    rows = sizes[left].sum(), sizes[~left].sum()
    weights = counts[left].sum(), counts[~left].sum()
    return min(rows) < least_rows - HAIR or min(weights) < min_weight
