"""LDT combined with methods that the paper did not have: bagging, and TAO after safe pruning."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier

from baselines import TreeAlternatingOptimization
from oblique import LDTClassifier


class BaggedLDT(ClassifierMixin, BaseEstimator):
    """scikit-learn's bagging of LDT, whose trees know the unsafe class.

    ``BaggingClassifier`` hands its trees the numbers of the classes in place of the classes, so
    a tree's own ``unsafe_class`` must be such a number. Handed the label itself, a class "1" of 1
    and 2 would be taken for class number 1, which is label 2.

    Parameters
    ----------
    n_estimators : int, default=50
    pruning : {"safe"} or None, default=None
        Of every tree.
    unsafe_class : label or None, default=None
        A class of y; None: the rarest class of each tree's own rows.
    random_state : int or None, default=None
    """

    def __init__(
        self,
        n_estimators: int = 50,
        pruning: str | None = None,
        unsafe_class: Any = None,
        random_state: int | None = None,
    ):
        self.n_estimators = n_estimators
        self.pruning = pruning
        self.unsafe_class = unsafe_class
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit one tree to each bootstrap sample."""
        self.classes_ = np.unique(y)
        number = None
        if self.unsafe_class is not None:
            number = self.classes_.tolist().index(self.unsafe_class)
        tree = LDTClassifier(unsafe_class=number, pruning=self.pruning)
        self.model_ = BaggingClassifier(
            tree, n_estimators=self.n_estimators, random_state=self.random_state
        ).fit(X, y)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of largest mean probability over the trees."""
        return np.asarray(self.model_.predict(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Mean of the trees' probabilities."""
        return np.asarray(self.model_.predict_proba(X))


class PrunedThenImprovedLDT(ClassifierMixin, BaseEstimator):
    """Safe-pruned LDT whose tests tree alternating optimization then fits anew.

    Pruning holds out a tenth of the rows; the improvement sees them all.

    Parameters
    ----------
    unsafe_class : label or None, default=None
    random_state : int or None, default=None
    """

    def __init__(self, unsafe_class: Any = None, random_state: int | None = None):
        self.unsafe_class = unsafe_class
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Grow, prune, improve."""
        pruned = LDTClassifier(
            unsafe_class=self.unsafe_class, pruning="safe", random_state=self.random_state
        ).fit(X, y)
        self.model_ = TreeAlternatingOptimization(simplify=True).improve(pruned, X, y)
        self.classes_ = self.model_.classes_
        self.tree_ = self.model_.tree_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of the leaf that a row reaches."""
        return np.asarray(self.model_.predict(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Shares of the classes in the leaf that a row reaches."""
        return np.asarray(self.model_.predict_proba(X))
