"""What the classifiers of C4.5's family share: limits of the loop and pruning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from baselines._information import EPSILON
from baselines._multiway import depth_in_tests, prune_multiway
from oblique._suggest import unknown_name
from oblique.classifier import TreeClassifier
from oblique.pruning import ErrorBased, Pruner, ReducedError
from oblique.pruning._kernels import cheaper_leaves
from oblique.pruning.base import check_codes, check_rows, check_weights, node_errors
from oblique.pruning.error_based import limit_arguments
from oblique.stopping import Stopping

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.tree import Tree

# Multiway tests are pruned by functions that call themselves, once a level of tests.
_DEEP = 200

PRUNING = ("error_based", "reduced_error")


class GainTreeClassifier(TreeClassifier):
    """A tree grown by a `GainFinder` and pruned as C4.5 prunes.

    A subclass says which finder its parameters mean; those that all share are kept here.
    """

    bound: Literal["c45", "j48"] = "c45"

    criterion = "entropy"
    unsafe_class = None

    def __init__(
        self,
        *,
        categories: Literal["multiway", "single", "subsets"],
        min_leaf_weight: float,
        mdl_correction: bool,
        threshold: Literal["data", "midpoint"],
        pruning: Literal["error_based", "reduced_error"] | Pruner | None,
        confidence: float,
        raising: bool,
        collapse: bool,
        max_depth: int | None,
        class_weight: Any,
        categorical_features: Any,
        random_state: Any,
    ):
        self.categories = categories
        self.min_leaf_weight = min_leaf_weight
        self.mdl_correction = mdl_correction
        self.threshold = threshold
        self.pruning = pruning
        self.confidence = confidence
        self.raising = raising
        self.collapse = collapse
        self.max_depth = max_depth
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _stopping(self) -> Stopping:
        # Other limits are the finder's.
        return Stopping(self.max_depth)

    def _pruner(self) -> Pruner | None:
        for name in ("collapse", "raising"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name}={getattr(self, name)!r} must be True or False")
        pruner: Pruner | None = None
        if isinstance(self.pruning, Pruner):
            pruner = self.pruning
        elif self.pruning == "error_based":
            pruner = ErrorBased(self.confidence, raising=self.raising, bound=self.bound)
        elif self.pruning == "reduced_error":
            pruner = ReducedError()
        elif self.pruning is not None:
            message = unknown_name("pruning", self.pruning, PRUNING)
            raise ValueError(f"{message}; a Pruner and None are also taken")
        return C45Pruning(pruner, self.collapse, self.categories == "multiway")


class C45Pruning(Pruner):
    """Collapses a grown tree, then prunes it; multiway tests are kept or dropped as a whole.

    Only error-based pruning knows multiway tests; another pruner sees the nodes of their chains
    one by one.

    Parameters
    ----------
    pruner : Pruner or None
        What follows collapsing.
    collapse : bool
        Whether subtrees that err no less in training become leaves.
    multiway : bool
        Whether tests of categories stand as chains of one value against the rest.
    """

    def __init__(self, pruner: Pruner | None, collapse: bool, multiway: bool):
        self.pruner = pruner
        self.collapse = collapse
        self.multiway = multiway

    @property
    def holdout(self) -> float:  # type: ignore[override]
        """Share of the training rows that the pruner that follows wants."""
        return 0.0 if self.pruner is None else self.pruner.holdout

    def check_parameters(self) -> None:
        """Raise ValueError for a wrong parameter of the pruner that follows."""
        if self.pruner is not None:
            self.pruner.check_parameters()

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
        pruner = self.pruner
        if self.multiway and tree.category_codes.size and depth_in_tests(tree) <= _DEEP:
            limit, raising = None, False
            if isinstance(pruner, ErrorBased):
                limit, raising = limit_arguments(pruner.confidence, pruner.bound), pruner.raising
                pruner = None
            rows = check_rows(X, tree.n_features)
            tree = prune_multiway(
                tree, rows, check_codes(codes, len(rows), tree.n_classes),
                check_weights(sample_weight, len(rows)), collapse=self.collapse, limit=limit,
                raising=raising,
            )  # fmt: skip
        elif self.collapse:
            tree = collapsed(tree)
        if pruner is None:
            return tree
        return pruner.prune(tree, X, codes, sample_weight=sample_weight, unsafe=unsafe, rng=rng)


def collapsed(tree: Tree) -> Tree:
    """Return the tree without subtrees that err no less in training than a leaf (C4.5)."""
    cut = cheaper_leaves(
        tree.children_left, tree.children_right, node_errors(tree.counts, tree.labels), EPSILON,
        False,
    )  # fmt: skip
    return tree.collapse(np.flatnonzero(cut)) if cut.any() else tree
