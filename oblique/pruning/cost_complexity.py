"""Cost-complexity pruning, the choice made on rows that were held out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique.pruning.base import Pruner, PruningRows, check_factor
from oblique.pruning.path import TIE, pruning_path

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.tree import Tree


class CostComplexity(Pruner):
    """Cut weakest links, then choose the tree that errs least on the pruning rows.

    The sequence comes from the training counts in the tree (`pruning_path`; all equally weak
    links are cut together). Of its trees the smallest wins whose error on the pruning rows is
    at most ``e + se_rule * sqrt(e (1 - e) / n)``, where e is the least error and n the number
    of pruning rows (Breiman et al. 1984, section 3.4.3; Murthy, Kasif & Salzberg 1994).

    Parameters
    ----------
    holdout : float, default=0.1
        Share of the training rows that an estimator holds out, stratified.
    se_rule : float, default=0.0
        Number of standard errors; 0: the smallest of the trees that err least, 1: the rule of
        CART.
    keep_root : bool, default=True
        Whether at least one test is kept.

    Notes
    -----
    Weights of pruning rows count in the error; n is their sum where all are whole numbers,
    else the number of rows. A row with a missing answer errs by the share of it that reaches
    leaves of other classes.
    """

    def __init__(self, holdout: float = 0.1, se_rule: float = 0.0, keep_root: bool = True):
        self.holdout = holdout
        self.se_rule = se_rule
        self.keep_root = keep_root

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        check_factor("se_rule", self.se_rule)

    def prune(
        self,
        tree: Tree,
        X: ArrayLike,
        codes: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        unsafe: int = -1,
        rng: Generator | None = None,
    ) -> Tree:
        """Return the chosen tree of the sequence; see `Pruner.prune`."""
        self.check_parameters()
        rows = PruningRows(tree, X, codes, sample_weight)
        path = pruning_path(tree, keep_root=self.keep_root)
        errors = path.total(rows.errors(tree)) / rows.weight
        good = within_standard_errors(errors, self.se_rule, rows.n_effective)
        return path.tree_at(int(np.flatnonzero(good)[-1]))


def within_standard_errors(
    errors: NDArray[np.float64], factor: float, n: float
) -> NDArray[np.bool_]:
    """Which error rates are within some standard errors of the least one."""
    least = min(max(float(errors.min()), 0.0), 1.0)
    return errors <= least + factor * math.sqrt(least * (1.0 - least) / n) + TIE
