"""Reduced-error pruning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from oblique.pruning import _kernels
from oblique.pruning.base import Pruner, PruningRows
from oblique.pruning.path import TIE

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.tree import Tree


class ReducedError(Pruner):
    """Make leaves, bottom up, wherever errors on the pruning rows do not rise.

    The result is the smallest of the pruned trees that err least on the pruning rows
    (Quinlan 1987).

    Parameters
    ----------
    holdout : float, default=1/3
        Share of the training rows that an estimator holds out, stratified.
    keep_root : bool, default=False
        Whether at least one test is kept.

    Notes
    -----
    Leaves keep the class of the rows that the tree was grown on. Weights and missing answers
    count as in `CostComplexity`. A node that no pruning row reaches becomes a leaf.
    """

    def __init__(self, holdout: float = 1.0 / 3.0, keep_root: bool = False):
        self.holdout = holdout
        self.keep_root = keep_root

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
        """Return the pruned tree; see `Pruner.prune`."""
        self.check_parameters()
        rows = PruningRows(tree, X, codes, sample_weight)
        cut = _kernels.cheaper_leaves(
            tree.children_left, tree.children_right, rows.errors(tree), TIE * rows.weight,
            bool(self.keep_root),
        )  # fmt: skip
        return tree.collapse(np.flatnonzero(cut)) if cut.any() else tree
