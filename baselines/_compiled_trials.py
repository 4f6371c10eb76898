"""Trials of C4.5's tree on complete numbers: many trees in a handful of compiled calls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines import _information
from baselines._half_sample import Sample, Trials
from baselines.cost_criteria import MEASURES
from baselines.tree_grower import TreeGrower
from oblique._arrays import read_only
from oblique.costs import _kernels
from oblique.costs.test_cost import Prices, TestCost, tabulate
from oblique.pruning import _raising
from oblique.pruning.error_based import BOUNDS, C45_DEVIATIONS, C45_LEVELS, SLACK


class CompiledTrials(Trials):
    """The same costs as `Trials` finds with a `TreeGrower`, without Python in between.

    A call leaves the interpreter's lock alone nearly all of its time, so that threads run
    trials side by side. Parameters are those of `Trials`; the sample has no missing values and
    no categories.
    """

    grower: TreeGrower

    def __init__(
        self,
        grower: TreeGrower,
        sample: Sample,
        prices: Prices | None,
        errors: NDArray[np.float64],
        share: float,
        seed: int,
    ) -> None:
        super().__init__(grower, sample, prices, errors, share, seed)
        n, d = sample.X.shape
        self._columns = (
            read_only(sample.X), read_only(sample.codes),
            read_only(np.ones(n) if sample.weights is None else sample.weights),
        )  # fmt: skip
        self._payments = tabulate([TestCost(0.0)] * d) if prices is None else prices

    def costs(self, values: NDArray[np.float64], trials: NDArray[np.int64]) -> list[float]:
        """Average cost of a case of the other rows of each of some trials; see `Trials`."""
        grower, finder = self.grower, self.grower.finder
        members = self.members(trials)
        # As `priced_rule` and `limit_arguments` have them, all trials at once.
        prices = (values[:, :-2] + 1.0) ** values[:, -2:-1]
        levels = values[:, -1] / 100.0
        deviations = np.interp(levels, C45_LEVELS, C45_DEVIATIONS)
        links, cuts, counts, begins = _information.grow_many_by_worth(
            *grower.table, members, self._n_grown, self._sample.n_classes, grower.features,
            grower.logs, MEASURES[finder.measure], prices,
            bool(finder.mdl_correction), float(finder.min_leaf_weight),
            finder.threshold == "data", np.inf,
        )  # fmt: skip
        left, right, feature = np.ascontiguousarray(links.T)
        threshold = cuts[:, 0].copy()
        roots = _raising.raise_many_axis_subtrees(
            *self._columns, members, grower.order, levels, deviations, BOUNDS["c45"], SLACK,
            counts, left, right, feature, threshold, begins,
        )  # fmt: skip
        found = _kernels.mean_costs(
            *self._columns, members, left, right, feature, threshold, counts, roots, begins,
            *self._payments, read_only(self._errors),
        )  # fmt: skip
        costs: list[float] = found.tolist()
        return costs
