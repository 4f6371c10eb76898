"""CART-LC: linear combinations of CART, a deterministic hill-climb with elimination.

L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone (1984). Classification and Regression
Trees, section 5.2; described again by Murthy, Kasif & Salzberg (1994), Journal of Artificial
Intelligence Research 2, 1-32, figure 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from baselines._checks import (
    check_choice,
    check_count,
    check_min_samples_oblique,
    check_positive,
    check_probability,
)
from baselines._perturbation import climb_in_cycles, costs_without
from baselines._sample import Sample, take_large_sample
from oblique._kernels import GAIN_RATIO, TIE, TWOING
from oblique.finders import AxisParallel, SplitFinder

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import Split


# Criteria that rate splits only: an undivided node costs nothing.
RATES_SPLITS = (TWOING, GAIN_RATIO)


class CartLC(SplitFinder):
    """The best axis-parallel test, turned coefficient by coefficient, without weak variables.

    Each cycle moves every coefficient once, about the best of three pivots, and then the
    threshold; cycles end when they bring no more. Variables whose removal loses little are
    then eliminated, and the others climb once more. The search draws nothing. Unlike the
    original, a move that would make the plane worse is not made, so no cycle loses.

    Parameters
    ----------
    elimination : float, default=0.2
        The least important variable is removed while its removal loses less than this times
        what removal of the most important one loses. 0 keeps all.
    scaling : {"quartiles", None}, default="quartiles"
        "quartiles" centres columns at the median and divides them by the interquartile range;
        columns without one take no part. None: the data's own units, as in the program of
        Murthy et al.
    tolerance : float, default=1e-4
        Change of impurity in a cycle, per unit of weight, at which the climb ends.
    max_cycles : int, default=100
        Most cycles.
    min_samples_oblique : "2d" or int, default="2d"
        Nodes with no more observations than this are divided axis-parallel; "2d" is twice the
        number of columns that vary at the node.

    Notes
    -----
    Rows in which a numeric value is missing take no part in the search. Columns of categories
    are left to `oblique.finders.Categories`; combine both with `oblique.finders.BestOf`.
    """

    def __init__(
        self,
        *,
        elimination: float = 0.2,
        scaling: Literal["quartiles"] | None = "quartiles",
        tolerance: float = 1e-4,
        max_cycles: int = 100,
        min_samples_oblique: Literal["2d"] | int = "2d",
    ):
        self.elimination = elimination
        self.scaling = scaling
        self.tolerance = tolerance
        self.max_cycles = max_cycles
        self.min_samples_oblique = min_samples_oblique

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return the plane or the best axis-parallel test, None without either."""
        self.check_parameters()
        axis = AxisParallel().find_split(node, rng)
        if axis is None:
            return None
        sample = take_large_sample(node, self.scaling, self.min_samples_oblique)
        if sample is None or axis.feature not in sample.features:
            return axis
        plane = sample.plane_of(axis)
        self._climb(sample, plane, np.arange(sample.features.size))
        left = self._eliminate(sample, plane)
        if left.size < np.count_nonzero(plane[:-1]):
            plane[:-1][np.isin(np.arange(sample.features.size), left, invert=True)] = 0.0
            plane[-1] = self._best_threshold(sample, plane)
            self._climb(sample, plane, left)
        oblique = sample.split_of(node, plane)
        if oblique is None or node.gain(oblique) <= node.gain(axis) + TIE:
            return axis
        return oblique

    def _climb(self, sample: Sample, plane: NDArray[np.float64], movable: NDArray[np.intp]) -> None:
        climb_in_cycles(sample.problem, plane, movable, float(self.tolerance), self.max_cycles)

    def _eliminate(self, sample: Sample, plane: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the variables that stay when weak ones are removed one by one."""
        plane = plane.copy()
        left = np.flatnonzero(plane[:-1])
        if self.elimination == 0.0:
            return left
        cost = costs_without(sample.problem, plane, np.array([-1]))[0, 0]
        while left.size > 1:
            found = costs_without(sample.problem, plane, left)
            # Without its best variable a plane may divide nothing, which loses everything.
            costs = np.minimum(found[:, 0], self._undivided(sample))
            weakest = int(costs.argmin())
            if not costs[weakest] - cost < self.elimination * (costs.max() - cost):
                break
            plane[left[weakest]] = 0.0
            left = np.delete(left, weakest)
            cost = costs[weakest]
        return left

    @staticmethod
    def _undivided(sample: Sample) -> float:
        return 0.0 if sample.problem.criterion in RATES_SPLITS else sample.problem.undivided

    @staticmethod
    def _best_threshold(sample: Sample, plane: NDArray[np.float64]) -> float:
        return float(costs_without(sample.problem, plane, np.array([-1]))[0, 1])

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        check_probability("elimination", self.elimination)
        if self.scaling is not None:
            check_choice("scaling", self.scaling, ["quartiles"], or_else="None")
        check_positive("tolerance", self.tolerance)
        check_count("max_cycles", self.max_cycles, least=1)
        check_min_samples_oblique(self.min_samples_oblique)
