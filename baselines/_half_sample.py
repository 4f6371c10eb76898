"""Trials of a genetic search: a tree grown on one part of the rows, priced on the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from baselines.cost_weighted import CostWeighted
from oblique.classifier import TreeClassifier
from oblique.costs.accounting import case_costs
from oblique.costs.test_cost import Prices
from oblique.finders.base import check_finder
from oblique.induction import grow
from oblique.pruning import ErrorBased, Pruner
from oblique.stopping import Stopping
from oblique.tree import Tree


class Biases(NamedTuple):
    """What a trial tells the tree.

    Attributes
    ----------
    costs : ndarray of shape (n_features,)
        Bias cost of each feature's test.
    omega : float
        Strength of the costs, in [0, 1].
    confidence : float
        CF of C4.5's pruning in percent.
    """

    costs: NDArray[np.float64]
    omega: float
    confidence: float


class Grower(Protocol):
    """Grows a tree on some rows of a table, as biases say."""

    def grow(
        self, rows: ArrayLike | None = None, *, costs: ArrayLike, omega: float, confidence: float
    ) -> Tree:
        """Return the pruned tree; ``confidence`` is a share."""


class Sample(NamedTuple):
    """Complete training data in the order in which sums are formed.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
    codes : ndarray of shape (n,), int32
    weights : ndarray of shape (n,) or None
    n_classes : int
    categorical : ndarray of shape (n_features,), bool, or None
    names : dict
        Names of features, classes and categories, for trees.
    """

    X: NDArray[np.float64]
    codes: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    n_classes: int
    categorical: NDArray[np.bool_] | None
    names: dict[str, Any]


class EstimatorGrower:
    """Grows trees as an estimator of ours would, its finder weighted by the biases.

    Parameters
    ----------
    estimator : TreeClassifier
        Not fitted. Error-based pruning, or none, becomes error-based pruning with the confidence
        of the biases; another pruner stays as it is.
    sample : Sample
    classes : ndarray of shape (n_classes,)
    seed : int
        Seed of finders that draw, together with the rows.
    """

    def __init__(
        self, estimator: TreeClassifier, sample: Sample, classes: NDArray[Any], seed: int
    ) -> None:
        self._estimator = clone(estimator)
        self._finder = self._estimator._finder()
        check_finder("the finder of tree", self._finder)
        self._pruner = self._estimator._pruner()
        if self._pruner is not None:
            self._pruner.check_parameters()
            if self._pruner.holdout > 0.0:
                raise ValueError(
                    f"tree prunes with {self._pruner!r}, which holds rows out; trials of half the "
                    "rows take pruning without a holdout, such as ErrorBased() or None"
                )
        self._sample = sample
        self._seed = seed
        self._unsafe = estimator._unsafe_code(classes, sample.codes, sample.weights)

    def grow(
        self, rows: ArrayLike | None = None, *, costs: ArrayLike, omega: float, confidence: float
    ) -> Tree:
        """Return the pruned tree; ``confidence`` is a share."""
        data, model = self._sample, self._estimator
        # In the order of the table, whatever the order of the rows.
        which = np.arange(len(data.X)) if rows is None else np.sort(np.asarray(rows))
        X, codes = data.X[which], data.codes[which]
        weights = None if data.weights is None else data.weights[which]
        rng = np.random.default_rng([self._seed, *which.tolist()])
        tree = grow(
            X, codes, n_classes=data.n_classes, finder=CostWeighted(self._finder, costs, omega),
            rng=rng, sample_weight=weights, criterion=model.criterion, stopping=self._stopping(),
            categorical=data.categorical, unsafe=self._unsafe,
            ties_to_unsafe=model._ties_to_unsafe(), names=data.names,
        )  # fmt: skip
        pruner = self._confident(confidence)
        return pruner.prune(
            tree, X, codes, sample_weight=weights, unsafe=self._unsafe, rng=rng
        )  # fmt: skip

    def _stopping(self) -> Stopping:
        model = self._estimator
        return Stopping(
            model.max_depth, model.min_samples_split, model.min_samples_leaf, model.min_gain,
            model.min_weight_fraction_leaf,
        )  # fmt: skip

    def _confident(self, confidence: float) -> Pruner:
        if self._pruner is None:
            return ErrorBased(confidence)
        if isinstance(self._pruner, ErrorBased):
            top = 1.0 if self._pruner.bound == "c45" else 0.5
            return clone(self._pruner).set_params(confidence=min(confidence, top))
        return self._pruner


class Trials:
    """What trees cost that are grown on random parts of a sample.

    The parts of a trial follow from the seed and its number, so that any process can run it.

    Parameters
    ----------
    grower : Grower
    sample : Sample
    prices : Prices or None
    errors : ndarray of shape (n_classes, n_classes)
    share : float
        Share of the rows that a tree is grown on.
    seed : int
    """

    def __init__(
        self,
        grower: Grower,
        sample: Sample,
        prices: Prices | None,
        errors: NDArray[np.float64],
        share: float,
        seed: int,
    ) -> None:
        n = len(sample.X)
        self.grower = grower
        self._sample = sample
        self._prices = prices
        self._errors = errors
        self._n_grown = min(max(round(share * n), 1), n - 1)
        self._seed = seed

    def divide(self, trial: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows that a trial grows its tree on, and rows that it is priced on."""
        mixed = np.random.default_rng([self._seed, trial]).permutation(len(self._sample.X))
        return mixed[: self._n_grown], mixed[self._n_grown :]

    def grow(self, biases: Biases, trial: int | None) -> Tree:
        """Tree of a trial; None: of all rows."""
        return self.grower.grow(
            None if trial is None else self.divide(trial)[0],
            costs=biases.costs, omega=biases.omega, confidence=biases.confidence / 100.0,
        )  # fmt: skip

    def cost(self, biases: Biases, trial: int) -> float:
        """Average cost of a case of a trial's other rows."""
        grown, others = self.divide(trial)
        tree = self.grower.grow(
            grown, costs=biases.costs, omega=biases.omega, confidence=biases.confidence / 100.0
        )
        data = self._sample
        tests, wrong = case_costs(
            tree, data.X[others], data.codes[others], self._prices, self._errors
        )
        total = tests + wrong
        if data.weights is None:
            return float(total.mean())
        weights = data.weights[others]
        return float(total @ weights / weights.sum())

    def costs(self, biases: Sequence[Biases], trials: Sequence[int]) -> list[float]:
        """Average costs of several trials."""
        return [self.cost(one, trial) for one, trial in zip(biases, trials, strict=True)]
