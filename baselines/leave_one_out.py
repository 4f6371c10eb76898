"""A direction judged by rows that it was not fitted to: a method of this package.

Directions of ridge and logistic regressions separate the rows they were fitted to better than
others, the more so the fewer rows a node has. Here every row is scored by the regression without
that row, and both the cut and its gain are those of these scores. Leave-one-out scores of ridge
regression are exact (Allen 1974, the PRESS statistic); those of logistic regression come from
one Newton step (Rad & Maleki 2020, Journal of the Royal Statistical Society B 82, 965-996).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines import _regression
from baselines._checks import check_count
from baselines._groups import class_means, one_against_rest, pairs, superclasses, two_means
from baselines._sample import ScaledRows, scale_rows
from baselines.regression import check_grid
from oblique import _kernels
from oblique.finders import AxisParallel, SplitFinder
from oblique.stopping import NO_GAIN

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import LinearSplit

PENALTIES = (0.003, 0.03, 0.3, 3.0)
STRENGTHS = (0.003, 0.03, 0.3, 3.0, 30.0)
# So many of the best candidates are tried where rounding empties a side.
_TRIES = 5
_NO_TABLE = np.empty(0)


class LeaveOneOutLinear(SplitFinder):
    """The best cut along regressions whose scores of a row do not know that row.

    Ridge regressions are fitted to many questions at once: each class against the rest, every
    pair of classes, clusters of class means and, with up to three classes, clusters inside the
    classes. The best of them are refined by logistic regressions of the classes that lie
    mostly on one side against the others. Axis-parallel cuts compete with their plain gain.
    The search draws nothing.

    Parameters
    ----------
    penalties : tuple of float, default=(0.003, 0.03, 0.3, 3.0)
        Penalties of ridge regression per unit of weight, of which each question has the one of
        least leave-one-out error.
    strengths : tuple of float, default=(0.003, 0.03, 0.3, 3.0, 30.0)
        Inverse penalties C of logistic regression, chosen likewise.
    n_logistic : int, default=2
        How many of the best ridge cuts are refined; 0: none.
    subclasses : bool, default=True
        Whether clusters inside the classes are questions, too.
    axis_parallel : bool, default=True
        Whether axis-parallel cuts compete.
    leave_one_out : bool, default=True
        False: scores of the fitted rows, as other finders have them.
    min_samples_leaf : int, default=2
        Least number of rows of each side of a cut, or weight where weights are whole numbers.

    Notes
    -----
    The gain is information gain whatever the tree's criterion. Columns are standardised at the
    node; rows in which a numeric value is missing take no part, and a node without complete
    rows is divided axis-parallel.
    """

    def __init__(
        self,
        *,
        penalties: tuple[float, ...] = PENALTIES,
        strengths: tuple[float, ...] = STRENGTHS,
        n_logistic: int = 2,
        subclasses: bool = True,
        axis_parallel: bool = True,
        leave_one_out: bool = True,
        min_samples_leaf: int = 2,
    ):
        self.penalties = penalties
        self.strengths = strengths
        self.n_logistic = n_logistic
        self.subclasses = subclasses
        self.axis_parallel = axis_parallel
        self.leave_one_out = leave_one_out
        self.min_samples_leaf = min_samples_leaf

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the test of largest leave-one-out gain, None where none gains."""
        found = self.propose(node, rng)
        return None if found is None else found[0]

    def propose(self, node: Node, rng: Generator) -> tuple[LinearSplit, float] | None:
        """Return the test and its leave-one-out gain."""
        self.check_parameters()
        scaled = scale_rows(node, "standard")
        if scaled is None:
            split = AxisParallel().find_split(node, rng)
            return None if split is None else (split, node.gain(split))
        search = _Search(self, node, scaled)
        for gain, plane in search.candidates()[:_TRIES]:
            if gain <= NO_GAIN:
                break
            split = scaled.split_of(node, plane, keep_threshold=True)
            if split is not None and node.gain(split) > NO_GAIN:
                return split, gain
        return None

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        check_grid("penalties", self.penalties)
        check_grid("strengths", self.strengths)
        check_count("n_logistic", self.n_logistic, least=0)
        check_count("min_samples_leaf", self.min_samples_leaf, least=1)
        for name in ("subclasses", "axis_parallel", "leave_one_out"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name}={getattr(self, name)!r} must be True or False")


class Weighing(NamedTuple):
    """What the weights of some rows mean.

    Whole numbers count repeated rows: leaving a row out takes one copy away. Other weights are
    brought to a mean of one, and leaving a row out takes away all of it.
    """

    weights: NDArray[np.float64]
    removed: NDArray[np.float64]
    sizes: NDArray[np.float64]
    is_counted: bool


def weigh(weights: NDArray[np.float64], *, is_counted: bool) -> Weighing:
    """Say what the weights of some rows mean.

    Parameters
    ----------
    weights : ndarray of shape (n,)
    is_counted : bool
        Whether all are whole numbers that count repeated rows.
    """
    ones = np.ones(weights.size)
    if is_counted:
        return Weighing(weights, ones, weights, True)
    shares = weights / weights.mean()
    return Weighing(shares, shares, ones, False)


class _Search:
    """The search at one node."""

    def __init__(self, finder: LeaveOneOutLinear, node: Node, scaled: ScaledRows):
        self.finder = finder
        self.scaled = scaled
        table = node.table
        is_counted = table.is_counted and node.store.share is table.unit_share
        self.weighing = weigh(scaled.weights, is_counted=is_counted)
        weights = self.weighing.weights
        small = is_counted and weights.sum() < 1e6
        self.log_table = _kernels.xlogx_table(int(weights.sum())) if small else _NO_TABLE
        self.least = max(float(finder.min_samples_leaf), table.min_leaf)
        self.n_classes = scaled.n_classes
        self.found: list[tuple[float, NDArray[np.float64]]] = []

    def candidates(self) -> list[tuple[float, NDArray[np.float64]]]:
        """Planes with their gains, the best one first."""
        targets, n_plain = self._targets()
        planes, scores = self._ridge(targets)
        d = len(self.scaled.columns) - 1
        lines = np.concatenate([scores, self.scaled.columns[:d]])
        gains, thresholds = self._cuts(lines, targets)
        planes[:, -1] += thresholds[: len(planes)]
        order = np.argsort(-gains[: len(planes)], kind="stable")
        ridge = [(gains[a], planes[a]) for a in order]
        if self.finder.axis_parallel:
            self._keep_axis(gains[len(planes) :], thresholds[len(planes) :])
        self.found += ridge
        if self.finder.n_logistic:
            self._refine([planes[a] for a in order], targets[order], order < n_plain)
        return sorted(self.found, key=lambda pair: -pair[0])

    def _keep_axis(self, gains: NDArray[np.float64], thresholds: NDArray[np.float64]) -> None:
        j = int(gains.argmax())
        plane = np.zeros(gains.size + 1)
        plane[j], plane[-1] = 1.0, thresholds[j]
        self.found.append((float(gains[j]), plane))

    def _ridge(
        self, targets: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        columns = self.scaled.columns
        planes, scores = _regression.ridge(
            columns, targets, self.weighing.weights, self.weighing.removed,
            np.array(self.finder.penalties, dtype=np.float64),
        )  # fmt: skip
        if not self.finder.leave_one_out:
            scores = planes @ columns
        return planes, scores

    def _cuts(
        self, lines: NDArray[np.float64], targets: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # With whole-number weights, sums do not depend on the order of equal values.
        kind: Literal["quicksort", "stable"] = "quicksort" if self.weighing.is_counted else "stable"
        orders = np.argsort(lines, axis=1, kind=kind)
        return _regression.best_cuts(
            lines, orders, targets, self.scaled.codes, self.weighing.weights, self.weighing.sizes,
            self.least, self.log_table,
        )  # fmt: skip

    # ------------------------------------------------------------ questions

    def _targets(self) -> tuple[NDArray[np.float64], int]:
        """Targets of the rows, (q, n), and how many of them are questions of whole classes."""
        scaled, k = self.scaled, self.n_classes
        if k == 2:
            sides = np.array([[1, -1]], dtype=np.int8)
        else:
            means, mass = class_means(scaled.columns[:-1], scaled.codes, scaled.weights)
            sides = np.concatenate(
                [one_against_rest(k), pairs(k), superclasses(means, mass, 3), _halves(k)]
            )
            sides = np.unique(sides * sides[:, :1] + (sides[:, :1] == 0) * sides, axis=0)
        targets = np.ascontiguousarray(sides[:, scaled.codes], dtype=np.float64)
        if self.finder.subclasses and k <= 3 and self.weighing.sizes.sum() >= 20.0:
            targets = np.concatenate([targets, self._subclass_targets()])
        return targets, len(sides)

    def _subclass_targets(self) -> NDArray[np.float64]:
        """Clusters inside the classes against the rest and each other, clusters of all rows."""
        rows, codes, sizes = self.scaled.columns[:-1].T, self.scaled.codes, self.weighing.sizes
        weights = self.weighing.weights
        parts = []
        for k in range(self.n_classes):
            own = codes == k
            if sizes[own].sum() < 10.0:
                continue
            side = np.zeros(codes.size, dtype=np.bool_)
            side[own] = _clusters(rows[own], weights[own])
            parts += [m for m in (side, own & ~side) if sizes[m].sum() >= 3.0]
        flags = [part.astype(np.float64) for part in parts]
        lines = [2.0 * flag - 1.0 for flag in flags]
        lines += [a - b for a, b in combinations(flags, 2)]
        everything = _clusters(rows, weights)
        if everything.any() and not everything.all():
            lines.append(2.0 * everything - 1.0)
        return np.array(lines).reshape(-1, codes.size)

    # ------------------------------------------------------------ logistic refinement

    def _refine(
        self,
        planes: list[NDArray[np.float64]],
        targets: NDArray[np.float64],
        is_plain: NDArray[np.bool_],
    ) -> None:
        """Fit logistic regressions to what the best ridge cuts tell apart."""
        codes = self.scaled.codes
        seen: set[bytes] = set()
        if self.n_classes == 2:
            self._logistic((codes == 0).astype(np.int32))
        for a in range(min(self.finder.n_logistic, len(planes))):
            if self.n_classes == 2:
                if not is_plain[a]:
                    self._logistic((targets[a] > 0.0).astype(np.int32))
                continue
            plane = planes[a]
            for _ in range(2):
                group = self._classes_above(plane)
                key = (group == group[0]).tobytes()
                if group.all() or not group.any() or key in seen:
                    break
                seen.add(key)
                plane = self._logistic(group[codes].astype(np.int32))

    def _classes_above(self, plane: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which classes lie mostly above a plane, (K,); the farthest one where all or none do."""
        above = plane @ self.scaled.columns > 0.0
        weights = self.weighing.weights
        share = np.bincount(self.scaled.codes, weights * above) / np.bincount(
            self.scaled.codes, weights
        )
        for group in (share > 0.5, share >= np.median(share), share == share.max()):
            if group.any() and not group.all():
                return group
        return share > 0.5

    def _logistic(self, sides: NDArray[np.int32]) -> NDArray[np.float64]:
        """Add the cut of a logistic regression to the candidates; return its plane."""
        columns = self.scaled.columns
        if sides.min() == sides.max():
            return np.zeros(len(columns))
        weights = self.weighing.weights
        plane, scores, _, _ = _regression.logistic(
            columns, sides, weights, self.weighing.removed,
            np.array(self.finder.strengths, dtype=np.float64), base_rate(columns, sides, weights),
        )  # fmt: skip
        if not self.finder.leave_one_out:
            scores = plane @ columns
        gains, thresholds = self._cuts(scores[None], sides[None].astype(np.float64))
        plane[-1] += thresholds[0]
        self.found.append((float(gains[0]), plane))
        return plane


def base_rate(
    columns: NDArray[np.float64], sides: NDArray[np.int32], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Plane (d + 1,) of the constant chance that a logistic regression starts from."""
    chance = min(max(float(weights @ sides) / float(weights.sum()), 1e-3), 1.0 - 1e-3)
    plane = np.zeros(len(columns))
    plane[-1] = -np.log(chance / (1.0 - chance))
    return plane


def _halves(n_classes: int) -> NDArray[np.int8]:
    """All divisions of four or five classes with two or more on each side."""
    if n_classes not in (4, 5):
        return np.empty((0, n_classes), dtype=np.int8)
    found = []
    for pair in combinations(range(n_classes), 2):
        line = -np.ones(n_classes, dtype=np.int8)
        line[list(pair)] = 1
        found.append(line)
    return np.array(found)


def _clusters(rows: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Two clusters of rows (2-means from the halves along the axis of largest variance)."""
    centred = rows - np.average(rows, axis=0, weights=weights)
    axis = np.linalg.eigh((centred.T * weights) @ centred)[1][:, -1]
    if axis[np.abs(axis).argmax()] < 0.0:
        axis = -axis
    return two_means(rows, weights, centred @ axis > 0.0)
