"""Fisher's linear discriminant as a split finder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from oblique._kernels import TIE
from oblique.finders._discriminant import discriminant
from oblique.finders.base import SplitFinder, best_cut_along
from oblique.split import LinearSplit
from oblique.stopping import is_whole

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node


class LinearDiscriminant(SplitFinder):
    """The plane of Fisher's linear discriminant on the node's numeric columns.

    With group means m0, m1, pooled covariance S (divisor n - 2) and group weights P0, P1 a row
    belongs to group 1 iff ``a . x <= c``, a = S^-1 (m0 - m1) and c = a . (m0 + m1) / 2 +
    ln(P1 / P0) (Vadera 2005, equations 1 and 2, after Morrison). Group 1 is the unsafe class
    where there is one. Columns are standardised first, so that the plane does not depend on
    their units; where S is singular it gets a ridge of 1e-6 of its mean variance.

    With more than two classes at the node, the classes are put into two groups: each class
    against the rest, and the two clusters of class means (as QUEST does, Loh & Shih 1997). The
    grouping whose plane has the largest gain is taken.

    Parameters
    ----------
    threshold : {"bayes", "criterion"}, default="bayes"
        "bayes" takes c as above. "criterion" takes the cut along ``a`` of largest gain, which
        helps where the groups are not normal with equal covariance.
    min_samples : "2d" or int, default="2d"
        Offer a plane only at nodes with more observations than this; "2d" is twice the number
        of numeric columns that are not constant in the training rows. It guards against planes
        that fit noise (Murthy et al. 1994).
    """

    def __init__(
        self,
        threshold: Literal["bayes", "criterion"] = "bayes",
        min_samples: Literal["2d"] | int = "2d",
    ):
        self.threshold = threshold
        self.min_samples = min_samples

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the discriminant plane, None when the node has none."""
        self.check_parameters()
        least = 2 * node.table.n_varying if self.min_samples == "2d" else self.min_samples
        if node.n_effective <= least or not node.numeric.size:
            return None
        best, best_gain = None, 0.0
        for group in groupings(node):
            split = self._plane(node, group)
            if node.n_present == 2:
                return split
            gain = 0.0 if split is None else node.gain(split)
            if gain > best_gain + TIE:
                best, best_gain = split, gain
        return best

    def _plane(self, node: Node, group: NDArray[np.int8]) -> LinearSplit | None:
        table, store = node.table, node.store
        found, a, c = discriminant(
            table.X, store.lines[0], node.start, node.stop, table.numeric, group, table.codes,
            store.weights, table.is_counted,
        )  # fmt: skip
        if not found:
            return None
        if self.threshold == "criterion":
            direction = np.zeros((1, node.n_features))
            direction[0, table.numeric] = a
            return best_cut_along(node, direction)
        if table.numeric.size == node.n_features and a.all():
            return LinearSplit.sparse(table.numeric, a, c, node.n_features)
        kept = np.flatnonzero(a)
        if not kept.size:
            return None
        return LinearSplit.sparse(table.numeric[kept], a[kept], c, node.n_features)

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        if self.threshold not in ("bayes", "criterion"):
            raise ValueError(f'threshold={self.threshold!r} must be "bayes" or "criterion"')
        least = self.min_samples
        if least != "2d" and not (is_whole(least) and least >= 0):
            raise ValueError(f'min_samples={self.min_samples!r} must be "2d" or an integer >= 0')


def groupings(node: Node) -> list[NDArray[np.int8]]:
    """Ways to put the classes at a node into two groups.

    Returns
    -------
    groups : list of ndarray of shape (n_classes,), int8
        0 or 1 for each class at the node, -1 for a class that is not there. Two classes give
        one grouping, group 1 the unsafe class or that of smaller code.
    """
    if node.n_present == 2:
        return [_two_classes(node.counts.tolist(), node.unsafe)]
    present = np.flatnonzero(node.counts > 0.0)
    sets = [frozenset([int(k)]) for k in present]
    clusters = _mean_clusters(node, present)
    if 1 < len(clusters) < present.size - 1:
        sets.append(clusters)
    return [_group(node, present, sorted(part)) for part in sets]


def _two_classes(counts: list[float], unsafe: int) -> NDArray[np.int8]:
    group = [0 if count > 0.0 else -1 for count in counts]
    group[unsafe if group[unsafe] == 0 and unsafe >= 0 else group.index(0)] = 1
    return np.array(group, dtype=np.int8)


def _group(node: Node, present: NDArray[np.intp], ones: list[int]) -> NDArray[np.int8]:
    group = np.full(node.counts.size, -1, dtype=np.int8)
    group[present] = 0
    group[ones] = 1
    return group


def _mean_clusters(node: Node, present: NDArray[np.intp]) -> frozenset[int]:
    """Classes of the cluster (2-means of standardised class means) that holds the first one."""
    means, mass = _standard_means(node, present), node.counts[present]
    # Start from the two sides of the direction in which the means spread most.
    axis = np.linalg.svd(means * np.sqrt(mass)[:, None], full_matrices=False)[2][0]
    side = means @ axis > 0.0
    for _ in range(20):
        if side.all() or not side.any():
            break
        centres = [np.average(means[side == s], axis=0, weights=mass[side == s]) for s in (0, 1)]
        far = [((means - centre) ** 2).sum(axis=1) for centre in centres]
        new = far[1] < far[0]
        if (new == side).all():
            break
        side = new
    return frozenset(int(k) for k in present[side == side[0]])


def _standard_means(node: Node, present: NDArray[np.intp]) -> NDArray[np.float64]:
    """Means of the classes in standardised columns, a missing value standing for the mean."""
    X, codes, weights = node.X[:, node.numeric], node.codes, node.weights
    known = ~np.isnan(X)
    X = np.where(known, X, 0.0)
    # Columns of values of any size are brought below one, so that no square overflows.
    largest = np.abs(X).max(axis=0)
    X /= np.where(largest > 0.0, largest, 1.0)
    shares = known * weights[:, None]
    X -= (X * shares).sum(axis=0) / np.maximum(shares.sum(axis=0), np.finfo(float).tiny)
    X *= known
    spread = np.sqrt(np.average(X**2, axis=0, weights=weights))
    # The spread of a constant column is rounding.
    X /= np.where(spread > 1e-14, spread, np.inf)
    return np.array(
        [np.average(X[codes == k], axis=0, weights=weights[codes == k]) for k in present]
    )
