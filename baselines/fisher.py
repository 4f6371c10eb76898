"""Fisher's discriminant for pairs of classes and superclasses, as in FACT, QUEST and CRUISE.

W.-Y. Loh, Y.-S. Shih (1997). Split selection methods for classification trees. Statistica
Sinica 7, 815-840 (QUEST): classes are put into two superclasses by 2-means of their means, and
the cut along the discriminant is that of a quadratic discriminant.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from baselines._checks import check_count
from baselines._groups import check_groups, group_classes
from baselines._sample import scale_rows
from oblique._kernels import TIE, row_scores
from oblique.finders import SplitFinder, best_cut_along
from oblique.finders._discriminant import discriminant
from oblique.split import LinearSplit

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node

THRESHOLDS = ("criterion", "quadratic", "bayes")


class Fisher(SplitFinder):
    """The best of Fisher's linear discriminants of several groupings of the classes.

    Parameters
    ----------
    groups : {"superclasses", "pairs", "rest"}, default="superclasses"
        The two clusters of class means (QUEST), every pair of classes, or each class against
        the rest.
    threshold : {"criterion", "quadratic", "bayes"}, default="criterion"
        The cut along the discriminant of largest gain; where normal densities of the two
        groups, with variances of their own, times their weights are equal (QUEST); or where
        those with a common variance are.
    min_samples : int, default=2
        Nodes with fewer observations are offered no plane.

    Notes
    -----
    `oblique.finders.LinearDiscriminant` is the discriminant of LDT. Columns are standardised;
    a singular covariance gets a ridge. A missing value stands for the column's mean.
    """

    def __init__(
        self,
        *,
        groups: Literal["superclasses", "pairs", "rest"] = "superclasses",
        threshold: Literal["criterion", "quadratic", "bayes"] = "criterion",
        min_samples: int = 2,
    ):
        self.groups = groups
        self.threshold = threshold
        self.min_samples = min_samples

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the plane of largest gain, None where no plane gains."""
        self.check_parameters()
        scaled = scale_rows(node, "standard")
        if node.n_effective < self.min_samples or scaled is None:
            return None
        targets = group_classes(self.groups, scaled.columns[:-1], scaled.codes, scaled.weights)
        present = np.unique(node.table.codes[scaled.rows])
        best, best_gain = None, 0.0
        for target in targets:
            split = self._plane(node, present, target)
            gain = 0.0 if split is None else node.gain(split)
            if gain > best_gain + TIE:
                best, best_gain = split, gain
        return best

    def _plane(
        self, node: Node, present: NDArray[np.int32], target: NDArray[np.int8]
    ) -> LinearSplit | None:
        table, store = node.table, node.store
        group = np.full(node.counts.size, -1, dtype=np.int8)
        group[present[target > 0]] = 1
        group[present[target < 0]] = 0
        found, weights, threshold = discriminant(
            table.X, store.lines[0], node.start, node.stop, table.numeric, group, table.codes,
            store.weights, table.is_counted,
        )  # fmt: skip
        kept = np.flatnonzero(weights)
        if not found or not kept.size:
            return None
        if self.threshold == "criterion":
            direction = np.zeros((1, node.n_features))
            direction[0, table.numeric] = weights
            return best_cut_along(node, direction)
        indices, values = table.numeric[kept], weights[kept]
        if self.threshold == "quadratic":
            threshold = _quadratic_threshold(node, group, indices, values, threshold)
        return LinearSplit.sparse(indices, values, float(threshold), node.n_features)

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        check_groups(self.groups)
        if self.threshold not in THRESHOLDS:
            known = ", ".join(map(repr, THRESHOLDS))
            raise ValueError(f"threshold={self.threshold!r} must be one of {known}")
        check_count("min_samples", self.min_samples, least=2)


def _quadratic_threshold(
    node: Node,
    group: NDArray[np.int8],
    indices: NDArray[np.int32],
    values: NDArray[np.float64],
    bayes: float,
) -> float:
    """Where weighted normal densities of the two groups' scores cross, between their means."""
    scores = row_scores(node.table.X, node.rows, indices, values)
    side = group[node.codes]
    known = ~np.isnan(scores)
    mean, spread, mass = np.empty(2), np.empty(2), np.empty(2)
    for g in (0, 1):
        own = known & (side == g)
        w, s = node.weights[own], scores[own]
        if not s.size:
            return bayes
        mass[g], mean[g] = w.sum(), np.average(s, weights=w)
        spread[g] = math.sqrt(np.average((s - mean[g]) ** 2, weights=w))
    if not (spread > 1e-12 * abs(mean[1] - mean[0])).all():
        return bayes
    return crossing_of_normals(mean, spread, mass, bayes)


def crossing_of_normals(
    mean: NDArray[np.float64],
    spread: NDArray[np.float64],
    mass: NDArray[np.float64],
    otherwise: float,
) -> float:
    """Point between two means where two normal densities, times their weights, are equal.

    Parameters
    ----------
    mean, spread, mass : ndarray of shape (2,)
        Means, standard deviations and weights.
    otherwise : float
        Returned where there is no such point between the means.
    """
    # In units of the distance between the means, from the first one.
    unit = mean[1] - mean[0]
    a, b = (spread / unit) ** 2
    constant = math.log(mass[0] / mass[1]) - 0.5 * math.log(a / b)
    # log density 0 - log density 1 = constant - t^2 / (2 a) + (t - 1)^2 / (2 b) = 0
    roots = np.roots([0.5 / b - 0.5 / a, -1.0 / b, 0.5 / b + constant])
    inside = [r.real for r in roots if abs(r.imag) < 1e-12 and 0.0 < r.real < 1.0]
    return float(mean[0] + inside[0] * unit) if len(inside) == 1 else otherwise
