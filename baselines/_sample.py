"""The rows of a node as searches for planes want them, and the way back to a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines import _gather
from baselines._perturbation import Problem, pose
from oblique._kernels import place_and_assess, place_plane, to_data_units
from oblique.finders import best_cut_along
from oblique.split import LinearSplit

if TYPE_CHECKING:
    from oblique.node import Node

SCALINGS: Final[dict[str | None, int]] = {
    None: _gather.POWER_OF_TWO,
    "standard": _gather.STANDARD,
    "quartiles": _gather.QUARTILES,
    "range": _gather.RANGE,
    "centred": _gather.CENTRED,
}


# Mean weight of a row up to which costs are tabulated by weight.
_MOST_WEIGHT = 1000.0


class ScaledRows(NamedTuple):
    """Complete rows of a node in scaled columns.

    Attributes
    ----------
    columns : ndarray of shape (d + 1, n)
        Column j is ``(X[:, features[j]] - centre[j]) / spread[j]``; the last line is -1.
    features : ndarray of shape (d,), int32
        Numeric columns that vary, ascending.
    centre, spread : ndarray of shape (d,)
    codes : ndarray of shape (n,), int32
        Class codes 0 ... K - 1 of the K classes that are present.
    weights : ndarray of shape (n,)
    rows : ndarray of shape (n,), int32
        Row numbers.
    classes : ndarray of shape (K,), int32
        The tree's codes of the classes that are present, ascending.
    """

    columns: NDArray[np.float64]
    features: NDArray[np.int32]
    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    codes: NDArray[np.int32]
    weights: NDArray[np.float64]
    rows: NDArray[np.int32]
    classes: NDArray[np.int32]

    @property
    def n_classes(self) -> int:
        """Number of classes that are present."""
        return self.classes.size

    @property
    def class_weights(self) -> NDArray[np.float64]:
        """Weight of each class that is present, (K,)."""
        return np.bincount(self.codes, weights=self.weights).astype(np.float64)

    def in_one_unit(self) -> ScaledRows:
        """Return columns that are scaled by one number, the same for all of them."""
        unit = self.spread.max()
        columns = self.columns.copy()
        columns[:-1] *= (self.spread / unit)[:, None]
        return self._replace(columns=columns, spread=np.full(self.spread.size, unit))

    def direction_of(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return weights of scaled columns as features and their weights in the data's units."""
        kept, values = in_data_units(weights, self.spread)
        return self.features[kept], values

    def split_of(
        self, node: Node, plane: NDArray[np.float64], *, keep_threshold: bool = False
    ) -> LinearSplit | None:
        """Return the plane (d + 1,) as a test of the node's data, None if it divides nothing.

        The threshold lies midway between the scores, as prediction sums them, of the nearest
        rows of both sides. With ``keep_threshold`` it is the plane's own, unless rounding would
        then send rows to the wrong side.
        """
        offer = self.proposal_of(node, plane, keep_threshold=keep_threshold)
        return None if offer is None else offer[0]

    def proposal_of(
        self, node: Node, plane: NDArray[np.float64], *, keep_threshold: bool = False
    ) -> tuple[LinearSplit, float] | None:
        """Return the test of `split_of` and its gain, as `Node.gain` has it."""
        table, d = node.table, self.features.size
        indices, weights = np.empty(d, np.int32), np.empty(d)
        q, threshold, gain = place_and_assess(
            table.X, self.rows, plane, plane.dot(self.columns), self.features, self.centre,
            self.spread, keep_threshold, indices, weights, table.codes, node.store.weights,
            node.counts, table.criterion_code,
        )  # fmt: skip
        if not q:
            return None
        indices, weights = indices[:q], weights[:q]
        if threshold != threshold:
            # Rounding has mixed the sides: find the best cut among the scores themselves.
            direction = np.zeros((1, node.n_features))
            direction[0, indices] = weights
            split = best_cut_along(node, direction)
            return None if split is None else (split, node.gain(split))
        split = LinearSplit.sparse(indices, weights, threshold, node.n_features)
        # Rows with a missing value, and limits of the sides, are the node's business.
        is_all = not (table.has_missing or table.is_limited)
        return split, gain if is_all else node.gain(split)

    def place(
        self, X: NDArray[np.float64], plane: NDArray[np.float64], *, keep_threshold: bool = False
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], float]:
        """Return a plane as features, weights and threshold in the data's units.

        There are no features where the plane divides nothing, and the threshold is NaN where
        rounding mixes the sides. Parameters are those of `split_of`.
        """
        d = self.features.size
        indices, weights = np.empty(d, np.int32), np.empty(d)
        q, threshold = place_plane(
            X, self.rows, plane, plane.dot(self.columns), self.features, self.centre, self.spread,
            keep_threshold, indices, weights,
        )  # fmt: skip
        return indices[:q], weights[:q], threshold


def in_data_units(
    weights: NDArray[np.float64], spread: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return weights of scaled columns as positions and weights of the data.

    See `oblique._kernels.to_data_units`.
    """
    kept, values = np.empty(weights.size, np.int32), np.empty(weights.size)
    q = to_data_units(weights, spread, kept, values)
    return kept[:q], values[:q]


class Sample(NamedTuple):
    """Complete rows of a node in scaled columns, posed as a search for a step."""

    problem: Problem
    scaled: ScaledRows

    @property
    def features(self) -> NDArray[np.int32]:
        """Numeric columns that vary, ascending, (d,)."""
        return self.scaled.features

    @property
    def spread(self) -> NDArray[np.float64]:
        """Units of the scaled columns, (d,)."""
        return self.scaled.spread

    @property
    def rows(self) -> NDArray[np.int32]:
        """Row numbers, (n,)."""
        return self.scaled.rows

    def plane_of(self, split: LinearSplit) -> NDArray[np.float64]:
        """Return an axis-parallel test as the plane (d + 1,) of scaled columns."""
        plane = np.zeros(self.features.size + 1)
        j = int(np.searchsorted(self.features, split.feature))
        plane[j] = 1.0
        plane[-1] = (split.threshold - self.scaled.centre[j]) / self.spread[j]
        return plane

    def split_of(self, node: Node, plane: NDArray[np.float64]) -> LinearSplit | None:
        """Return the plane as a test of the node's data, see `ScaledRows.split_of`."""
        return self.scaled.split_of(node, plane)


def scale_rows(
    node: Node,
    scaling: str | None,
    *,
    features: NDArray[np.int32] | None = None,
    least_columns: int = 1,
) -> ScaledRows | None:
    """Take the rows of a node in which no value of the features is missing.

    Features without a known value at the node are left out first.

    Parameters
    ----------
    node : Node
    scaling : {None, "standard", "quartiles", "range", "centred"}
        None: columns as they are, but for a power of two; mean 0 and standard deviation 1;
        median 0 and interquartile range 1; least value 0 and range 1; mean 0.
    features : ndarray of int32 or None
        Numeric columns to take, ascending. None: all.
    least_columns : int, default=1

    Returns
    -------
    scaled : ScaledRows or None
        None where fewer than ``least_columns`` columns vary or one class is left.
    """
    table, rows = node.table, node.rows
    features = table.numeric if features is None else features
    if table.has_missing:
        known = ~np.isnan(table.X[rows][:, features])
        has_values = known.any(axis=0)
        rows, features = rows[known[:, has_values].all(axis=1)], features[has_values]
    if rows.size < 2 or features.size < least_columns:
        return None
    scaled = gathered(
        table.X, rows, features, table.codes, node.store.weights, scaling, node.counts.size
    )
    if scaled.features.size < least_columns or scaled.classes.size < 2:
        return None
    return scaled


def gathered(
    X: NDArray[np.float64],
    rows: NDArray[np.int32],
    features: NDArray[np.int32],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    scaling: str | None,
    n_classes: int,
) -> ScaledRows:
    """Scale the listed rows, in which no value of the features is missing.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    rows, features : ndarray of int32
        What to take.
    codes : ndarray of shape (n,), int32
    weights : ndarray of shape (n,)
    scaling : str or None
        As in `scale_rows`.
    n_classes : int
        Number of classes that codes may name.
    """
    m, q = rows.size, features.size
    columns, kept, scale = np.empty((q + 1, m)), np.empty(q, np.int32), np.empty((2, q))
    own_codes, own_weights = np.empty(m, np.int32), np.empty(m)
    classes = np.empty(n_classes, np.int32)
    d, present = _gather.gather(
        X, rows, features, codes, weights, SCALINGS[scaling], columns, kept, scale, own_codes,
        own_weights, classes,
    )  # fmt: skip
    return ScaledRows(
        columns[: d + 1], kept[:d], scale[0, :d], scale[1, :d], own_codes, own_weights, rows,
        classes[:present],
    )  # fmt: skip


def rows_to_project(
    node: Node, scaling: str | None, *, least_columns: int = 1
) -> ScaledRows | None:
    """Take the rows of a node as projections want them, see `scale_rows`.

    Without a scaling, all columns are in one unit, as the data are.
    """
    scaled = scale_rows(node, scaling, least_columns=least_columns)
    return scaled.in_one_unit() if scaled is not None and scaling is None else scaled


def take_sample(node: Node, scaling: str | None, *, least_columns: int = 2) -> Sample | None:
    """Pose the search for a step on the rows in which no numeric value is missing.

    Parameters are those of `scale_rows`.

    Returns
    -------
    sample : Sample or None
        None where fewer than two columns vary or one class is left: no oblique test is better
        than an axis-parallel one.
    """
    scaled = scale_rows(node, scaling, least_columns=least_columns)
    if scaled is None:
        return None
    return Sample(pose_rows(node, scaled), scaled)


def pose_rows(node: Node, scaled: ScaledRows) -> Problem:
    """Pose the search for a step on scaled rows."""
    table = node.table
    is_unit = bool((scaled.weights == 1.0).all())
    is_counted = table.is_counted and node.store.share is table.unit_share
    # A table by weight costs more than it saves where a few rows weigh much.
    is_counted &= scaled.weights.sum() <= _MOST_WEIGHT * scaled.rows.size
    # Where weights are not ones, the loop's own check has the last word on the number of rows.
    # Always a float, so that the search is compiled once.
    least = float(max(table.min_leaf if is_unit else 0.0, table.min_weight))
    return pose(
        scaled.columns, scaled.codes, scaled.weights, table.criterion_code, is_counted, least
    )


def take_large_sample(node: Node, scaling: str | None, least: Literal["2d"] | int) -> Sample | None:
    """Pose the search for a step, unless the node is too small for an oblique test.

    Parameters
    ----------
    node, scaling
        As in `scale_rows`.
    least : "2d" or int
        None is returned for so many observations or fewer; "2d" is twice the number of columns
        that vary. Observations are the weight where weights are whole numbers, else the rows.
    """
    sample = take_sample(node, scaling)
    if sample is None:
        return None
    n = sample.problem.weight if node.table.is_counted else float(sample.rows.size)
    return sample if n > (2 * sample.features.size if least == "2d" else least) else None
