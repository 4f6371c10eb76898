"""The rows of a node as searches for planes want them, and the way back to a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines import _gather
from baselines._perturbation import Problem, pose
from oblique._kernels import row_scores
from oblique.finders import best_cut_along
from oblique.split import LinearSplit

if TYPE_CHECKING:
    from oblique.node import Node

SCALINGS: Final[dict[str | None, int]] = {
    None: _gather.POWER_OF_TWO,
    "standard": _gather.STANDARD,
    "quartiles": _gather.QUARTILES,
}


class Sample(NamedTuple):
    """Complete rows of a node in scaled columns.

    Attributes
    ----------
    problem : Problem
    features : ndarray of shape (d,), int32
        Numeric columns that vary, ascending; column j of the problem is
        ``(X[:, features[j]] - centre[j]) / spread[j]``.
    centre, spread : ndarray of shape (d,)
    rows : ndarray of shape (n,), int32
        Row numbers.
    """

    problem: Problem
    features: NDArray[np.int32]
    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    rows: NDArray[np.int32]

    def plane_of(self, split: LinearSplit) -> NDArray[np.float64]:
        """Return an axis-parallel test as the plane (d + 1,) of scaled columns."""
        plane = np.zeros(self.features.size + 1)
        j = int(np.searchsorted(self.features, split.feature))
        plane[j] = 1.0
        plane[-1] = (split.threshold - self.centre[j]) / self.spread[j]
        return plane

    def split_of(self, node: Node, plane: NDArray[np.float64]) -> LinearSplit | None:
        """Return the plane (d + 1,) as a test of the node's data, None if it divides nothing.

        The threshold lies midway between the scores, as prediction sums them, of the nearest
        rows of both sides.
        """
        kept = np.flatnonzero(plane[:-1])
        with np.errstate(over="ignore", under="ignore"):
            # The largest weight is put near one, so that no unit of the data overflows.
            weights = plane[kept] / self.spread[kept]
            weights /= 2.0 ** np.floor(np.log2(np.abs(weights).max(initial=1e-300)))
        usable = np.isfinite(weights) & (weights != 0.0)
        indices, weights = self.features[kept[usable]], weights[usable]
        if not indices.size:
            return None
        scores = row_scores(node.table.X, self.rows, indices, weights)
        is_left = plane @ self.problem.columns <= 0.0
        if is_left.all() or not is_left.any():
            return None
        low, high = scores[is_left].max(), scores[~is_left].min()
        if not low < high:
            # Rounding has mixed the sides: find the best cut among the scores themselves.
            direction = np.zeros((1, node.n_features))
            direction[0, indices] = weights
            return best_cut_along(node, direction)
        threshold = 0.5 * low + 0.5 * high
        if not low <= threshold < high:
            threshold = low
        return LinearSplit.sparse(indices, weights, float(threshold), node.n_features)


def take_sample(node: Node, scaling: str | None) -> Sample | None:
    """Take the rows of a node in which no numeric value is missing.

    Parameters
    ----------
    node : Node
    scaling : {None, "standard", "quartiles"}
        None: columns as they are, but for a power of two; mean 0 and standard deviation 1;
        median 0 and interquartile range 1.

    Returns
    -------
    sample : Sample or None
        None where fewer than two columns vary or one class is left: no oblique test is better
        than an axis-parallel one.
    """
    table = node.table
    rows = node.rows
    if table.has_missing:
        rows = rows[~np.isnan(table.X[rows][:, table.numeric]).any(axis=1)]
    if rows.size < 2 or table.numeric.size < 2:
        return None
    columns, features, centre, spread, codes, weights = _gather.gather(
        table.X, rows, table.numeric, table.codes, node.store.weights, SCALINGS[scaling],
        node.counts.size,
    )  # fmt: skip
    if features.size < 2 or codes.max() == 0:
        return None
    is_unit = node.store.weights is table.unit_share
    is_counted = table.is_counted and node.store.share is table.unit_share
    # Where weights are not ones, the loop's own check has the last word on the number of rows.
    least = max(table.min_leaf if is_unit else 0.0, table.min_weight)
    problem = pose(columns, codes, weights, table.criterion_code, is_counted, least)
    return Sample(problem, features, centre, spread, rows)


def n_observations(sample: Sample, node: Node) -> float:
    """Number of observations: the weight where weights are whole numbers, else the rows."""
    return sample.problem.weight if node.table.is_counted else float(sample.rows.size)
