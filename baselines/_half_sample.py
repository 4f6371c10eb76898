"""Trials of a genetic search: a tree grown on one part of the rows, priced on the other."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from baselines._gain_finder import GainFinder
from baselines._trial_kernels import draw_members
from baselines.cost_criteria import CostGain
from baselines.cost_weighted import CostWeighted
from oblique.classifier import TreeClassifier
from oblique.costs.accounting import case_costs
from oblique.costs.test_cost import Prices
from oblique.finders.base import SplitFinder, check_finder
from oblique.induction import grow
from oblique.pruning import ErrorBased, Pruner
from oblique.tree import Tree

# What C4.5's finder and those that weigh costs have in common.
_SHARED = ("categories", "min_leaf_weight", "mdl_correction", "threshold")


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

    @classmethod
    def read(cls, values: NDArray[np.float64]) -> Biases:
        """Take apart the values of a string: costs, then omega, then confidence."""
        return cls(values[:-2], float(values[-2]), float(values[-1]))


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
        Not fitted. Pruning that has a confidence takes that of the biases; where there is no
        pruning it is error-based; another pruner stays as it is.
    sample : Sample
    classes : ndarray of shape (n_classes,)
    seed : int
        Seed of finders that draw, together with the rows.

    Raises
    ------
    ValueError, TypeError
        For wrong parameters of the estimator, and for a pruner that holds rows out.
    """

    def __init__(
        self, estimator: TreeClassifier, sample: Sample, classes: NDArray[Any], seed: int
    ) -> None:
        self._estimator = clone(estimator)
        self._finder = self._estimator._finder()
        check_finder("the finder of tree", self._finder)
        self._stopping = estimator._stopping()
        pruner = self._estimator._pruner()
        if pruner is not None:
            pruner.check_parameters()
            if pruner.holdout > 0.0:
                raise ValueError(
                    f"tree prunes with {pruner!r}, which holds rows out; trials of half the rows "
                    "take pruning without a holdout, such as ErrorBased() or None"
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
            X, codes, n_classes=data.n_classes, finder=_weighted(self._finder, costs, omega),
            rng=rng, sample_weight=weights, criterion=model.criterion, stopping=self._stopping,
            categorical=data.categorical, unsafe=self._unsafe,
            ties_to_unsafe=model._ties_to_unsafe(), names=data.names,
        )  # fmt: skip
        pruner = _confident(model, confidence)
        return pruner.prune(tree, X, codes, sample_weight=weights, unsafe=self._unsafe, rng=rng)


def _weighted(finder: SplitFinder, costs: ArrayLike, omega: float) -> SplitFinder:
    """Return the finder with its tests weighed by their costs."""
    if isinstance(finder, CostGain):
        return clone(finder).set_params(costs=costs, omega=omega, later=None, groups=None)
    if isinstance(finder, GainFinder):
        shared = {name: getattr(finder, name) for name in _SHARED}
        return CostGain("icf", costs=costs, omega=omega, **shared)
    return CostWeighted(finder, costs, omega)


def _confident(model: TreeClassifier, confidence: float) -> Pruner:
    """Return the model's pruner with another confidence, as far as its bound allows that."""
    if "confidence" in model.get_params(deep=False):
        top = 1.0 if getattr(model, "bound", "c45") == "c45" else 0.5
        model = clone(model).set_params(confidence=min(confidence, top))
    pruner = model._pruner()
    if pruner is None:
        return ErrorBased(confidence)
    if isinstance(pruner, ErrorBased):
        top = 1.0 if pruner.bound == "c45" else 0.5
        return clone(pruner).set_params(confidence=min(confidence, top))
    return pruner


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

    def members(self, trials: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows each of some trials grows its tree on, shape (n_trials, n)."""
        return draw_members(self._seed, trials, len(self._sample.X), self._n_grown)

    def grow(self, biases: Biases, trial: int | None) -> Tree:
        """Tree of a trial; None: of all rows."""
        rows = None if trial is None else np.flatnonzero(self.members(np.array([trial]))[0])
        return self._grow_on(rows, biases)

    def _grow_on(self, rows: NDArray[np.intp] | None, biases: Biases) -> Tree:
        return self.grower.grow(
            rows, costs=biases.costs, omega=biases.omega, confidence=biases.confidence / 100.0
        )

    def costs(self, values: NDArray[np.float64], trials: NDArray[np.int64]) -> list[float]:
        """Average cost of a case of the other rows of each of some trials.

        Parameters
        ----------
        values : ndarray of shape (n_trials, n_features + 2)
            Biases of each trial, as `Biases.read` takes them apart.
        trials : ndarray of shape (n_trials,)
            Their numbers.
        """
        members = self.members(trials)
        return [
            self._cost(Biases.read(line), member)
            for line, member in zip(values, members, strict=True)
        ]

    def _cost(self, biases: Biases, member: NDArray[np.bool_]) -> float:
        tree = self._grow_on(np.flatnonzero(member), biases)
        others, data = np.flatnonzero(~member), self._sample
        tests, wrong = case_costs(
            tree, data.X[others], data.codes[others], self._prices, self._errors
        )
        total = tests + wrong
        if data.weights is None:
            return float(total.mean())
        weights = data.weights[others]
        return float(total @ weights / weights.sum())
