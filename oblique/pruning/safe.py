"""Safe pruning: errors on the unsafe class decide."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from oblique.pruning.base import Pruner, PruningRows, check_factor
from oblique.pruning.cost_complexity import within_standard_errors
from oblique.pruning.path import TIE, pruning_path, unsafe_errors

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.tree import Tree


class SafePruning(Pruner):
    """Cut where errors on the unsafe class rise least, then choose the safest tree.

    The sequence comes from the training counts in the tree (``pruning_path(kind="safe")``;
    Vadera 2005). Of its trees the one wins that misses the least of the unsafe class among
    the pruning rows; of equally safe ones the largest, which is the reading that agrees with
    the published tables.

    Parameters
    ----------
    holdout : float, default=0.1
        Share of the training rows that an estimator holds out, stratified.
    keep_root : bool, default=True
        Whether at least one test is kept. A single leaf of the unsafe class misses nothing
        unsafe and would win wherever that class is the more frequent one.
    max_accuracy_loss : float or None, default=None
        Only trees are eligible whose error rate over all pruning rows is within this many
        standard errors of the least in the sequence. None: safety alone decides.

    Notes
    -----
    Where the unsafe class has no weight among the pruning rows, every tree is equally safe:
    the tree is returned as it is, with a warning. Weights and missing answers count as in
    `CostComplexity`.
    """

    def __init__(
        self,
        holdout: float = 0.1,
        keep_root: bool = True,
        max_accuracy_loss: float | None = None,
    ):
        self.holdout = holdout
        self.keep_root = keep_root
        self.max_accuracy_loss = max_accuracy_loss

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        if self.max_accuracy_loss is not None:
            check_factor("max_accuracy_loss", self.max_accuracy_loss)

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
        path = pruning_path(tree, "safe", unsafe=unsafe, keep_root=self.keep_root)
        rows = PruningRows(tree, X, codes, sample_weight)
        weight = float(rows.counts[0, unsafe])
        if weight == 0.0:
            warnings.warn(
                f"the unsafe class (code {unsafe}) is not among the pruning rows, so the tree is "
                "not pruned: give a larger holdout, or prune on rows of every class",
                UserWarning,
                stacklevel=2,
            )
            return tree
        missed = path.total(unsafe_errors(rows.counts, tree.labels, unsafe)) / weight
        if self.max_accuracy_loss is not None:
            errors = path.total(rows.errors(tree)) / rows.weight
            good = within_standard_errors(errors, self.max_accuracy_loss, rows.n_effective)
            missed[~good] = np.inf
        return path.tree_at(int(np.flatnonzero(missed <= missed.min() + TIE)[0]))
