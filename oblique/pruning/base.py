"""What every pruner is, and the rows it may be handed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.tree import Tree


class Pruner(BaseEstimator, ABC):
    """Makes a grown tree smaller.

    A pruner is a scikit-learn object: its constructor only stores parameters, so that it can
    be cloned, printed and tuned (``pruning__se_rule``).

    Attributes
    ----------
    holdout : float
        Share of the training rows that an estimator holds out, grows without, and hands to
        `prune`. 0: it grows on all rows and hands in the same rows.
    """

    holdout: float

    @abstractmethod
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
        """Return the pruned tree; the one handed in is not changed.

        Parameters
        ----------
        tree : Tree
        X : array-like of shape (n, n_features)
            Pruning rows, encoded as the tree's training rows were.
        codes : array-like of shape (n,)
            Their class codes 0 ... n_classes - 1.
        sample_weight : array-like of shape (n,) or None
            Weights that are not negative. None: ones.
        unsafe : int, default=-1
            Code of the unsafe class, -1 for none.
        rng : numpy.random.Generator or None
            Source of randomness for pruners that draw; those of this package do not.
        """

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range, before any work starts."""
        if not is_number(self.holdout) or not 0.0 <= self.holdout < 1.0:
            raise ValueError(
                f"holdout={self.holdout!r} must be a number in [0, 1): the share of the "
                "training rows that is kept for pruning, 0 to hold out none"
            )


class PruningRows:
    """Checked pruning rows.

    Parameters
    ----------
    tree : Tree
    X, codes, sample_weight : array-like
        As in `Pruner.prune`.

    Attributes
    ----------
    counts : ndarray of shape (n_nodes, n_classes)
        Class weights of the rows at each node. A row with a missing answer is divided between
        both children as in prediction, so errors counted from here are expected errors.
    weight : float
        Sum of weights.
    n_effective : float
        Number of observations: the weight where all weights are whole numbers (they repeat
        rows), else the number of rows of positive weight.
    """

    __slots__ = ("counts", "n_effective", "weight")

    def __init__(self, tree: Tree, X: ArrayLike, codes: ArrayLike, sample_weight: ArrayLike | None):
        rows = check_rows(X, tree.n_features)
        labels = check_codes(codes, len(rows), tree.n_classes)
        weights = check_weights(sample_weight, len(rows))
        self.counts = tree.recount(rows, labels, weights)
        self.weight = float(weights.sum())
        whole = bool((weights == np.floor(weights)).all())
        self.n_effective = self.weight if whole else float(np.count_nonzero(weights))

    def errors(self, tree: Tree) -> NDArray[np.float64]:
        """Weight of the rows that each node, as a leaf, gets wrong, (n_nodes,)."""
        return node_errors(self.counts, tree.labels)


def check_rows(X: ArrayLike, n_features: int) -> NDArray[np.float64]:
    """Return pruning rows as float64 in C order, checked."""
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != n_features:
        raise ValueError(
            f"X must have shape (n, {n_features}), as the tree's training rows, got {rows.shape}"
        )
    return rows


def check_codes(codes: ArrayLike, n_rows: int, n_classes: int) -> NDArray[np.int32]:
    """Return class codes as int32, checked."""
    given = np.asarray(codes)
    if given.shape != (n_rows,):
        raise ValueError(
            f"codes must hold one class code a row, shape ({n_rows},), got {given.shape}"
        )
    if not n_rows:
        raise ValueError(
            "there are no rows to prune on: hand some in, or give a larger holdout to the pruner"
        )
    if given.dtype.kind not in "iu":
        raise ValueError(f"codes must be integers, got dtype {given.dtype}")
    if given.min() < 0 or given.max() >= n_classes:
        raise ValueError(
            f"codes must be 0 ... {n_classes - 1}, the tree's class codes, got "
            f"{given.min()} ... {given.max()}"
        )
    return given.astype(np.int32)


def check_weights(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    """Return weights as float64, ones for None, checked."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), got {weights.shape}")
    if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.any()):
        raise ValueError(
            "sample_weight must be finite, not negative, and positive for at least one row"
        )
    return weights


def node_errors(counts: NDArray[np.float64], labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Weight that each node, as a leaf, gets wrong, (n_nodes,)."""
    wrong = counts.copy()
    # Summing the wrong classes, not subtracting from the total, keeps pure nodes at 0.
    wrong[np.arange(len(labels)), labels] = 0.0
    return wrong.sum(axis=1)


def check_factor(name: str, value: object) -> None:
    """Raise ValueError unless a number of standard errors is finite and not negative."""
    if not is_number(value) or not 0.0 <= float(value) < np.inf:  # type: ignore[arg-type]
        raise ValueError(
            f"{name}={value!r} must be a finite number >= 0, a number of standard errors"
        )


def is_number(value: object) -> bool:
    """Whether a parameter is a real number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
