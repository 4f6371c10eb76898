"""Any classifier on measurements to which noise of known size is added."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from oblique.classifier import make_generator
from oblique.indecision._checks import is_number

if TYPE_CHECKING:
    from oblique.compare import Strategy


class NoisyMeasurements(ClassifierMixin, BaseEstimator):
    """Adds normal noise to the numeric columns before a classifier sees them.

    A classifier whose ``fit`` takes ``X_std`` is told the standard deviations.

    Parameters
    ----------
    estimator : classifier
    train, test : float, default=0.0
        Standard deviation of the noise in fitting and in prediction, as a share of each
        feature's range in the training rows before noise.
    random_state : int, RandomState or None, default=None
        The same rows get the same noise in every call of one fitted object.

    Attributes
    ----------
    estimator_ : classifier
        The fitted one; its ``tree_`` is found here, too, also that of a pipeline's last step.
    """

    def __init__(
        self, estimator: Any, train: float = 0.0, test: float = 0.0, random_state: Any = None
    ):
        self.estimator = estimator
        self.train = train
        self.test = test
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier on noisy rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        y : array-like of shape (n,)
        """
        _check_shares(train=self.train, test=self.test)
        seeds = make_generator(self.random_state).integers(2**63, size=2)
        self._test_seed = int(seeds[1])
        frame = _as_frame(X)
        numbers = frame.select_dtypes("number")
        self._ranges = (numbers.max() - numbers.min()).fillna(0.0)
        noisy, told = self._add(frame, self.train, int(seeds[0]))
        self.estimator_ = clone(self.estimator).fit(noisy, y, **told)
        self.classes_ = self.estimator_.classes_
        self.__dict__.pop("tree_", None)  # of an earlier fit
        fitted = self.estimator_
        while hasattr(fitted, "steps"):  # the last of a pipeline holds the tree
            fitted = fitted.steps[-1][1]
        if hasattr(fitted, "tree_"):
            self.tree_ = fitted.tree_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, noise added.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        """
        check_is_fitted(self, "estimator_")
        noisy, told = self._add(_as_frame(X), self.test, self._test_seed)
        return self.estimator_.predict(noisy, **told)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, noise added.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)

        Returns
        -------
        probabilities : ndarray of shape (n, n_classes)
        """
        check_is_fitted(self, "estimator_")
        noisy, told = self._add(_as_frame(X), self.test, self._test_seed)
        return self.estimator_.predict_proba(noisy, **told)

    def _add(self, frame: Any, size: float, seed: int) -> tuple[Any, dict[str, Any]]:
        """Return noisy rows and, where the classifier takes it, their standard deviations."""
        if not size:
            return frame, {}
        noisy = frame.copy()
        columns = list(self._ranges.index)
        lacking = [name for name in columns if name not in frame.columns]
        if lacking:
            raise ValueError(f"X lacks the columns {lacking} of the training data")
        spread = self._ranges.to_numpy(dtype=np.float64) * size
        noise = np.random.default_rng(seed).normal(size=(len(frame), len(columns))) * spread
        noisy[columns] = noisy[columns].to_numpy(dtype=np.float64) + noise
        if "X_std" not in inspect.signature(self.estimator.fit).parameters:
            return noisy, {}
        std = np.zeros(frame.shape)
        std[:, [frame.columns.get_loc(name) for name in columns]] = spread
        return noisy, {"X_std": std}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _as_frame(X: Any) -> Any:
    import pandas as pd

    return X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))


def _check_shares(**given: Any) -> None:
    for name, size in given.items():
        if not is_number(size) or not 0.0 <= size < np.inf:
            raise ValueError(f"{name}={size!r}: noise must be a share of the range, at least 0")


def add_noise(
    strategies: Iterable[str | Strategy], *, train: float = 0.0, test: float = 0.0
) -> list[Strategy]:
    """Return strategies of a comparison that see noisy measurements, under their names.

    Parameters
    ----------
    strategies : iterable of str or Strategy
    train, test : float, default=0.0
        See `NoisyMeasurements`.

    Raises
    ------
    ValueError
        If a share is negative or not finite, or a strategy is unknown or has noise already.
    """
    _check_shares(train=train, test=test)
    if isinstance(strategies, str):
        raise ValueError(f"strategies={strategies!r} must be a list: give [{strategies!r}]")
    from oblique.compare import load_strategy

    loaded = [load_strategy(s) if isinstance(s, str) else s for s in strategies]
    for strategy in loaded:
        if isinstance(strategy.estimator, NoisyMeasurements):
            raise ValueError(f"strategy {strategy.name!r} has noise already; say it once")
    # A report lists descriptions: noise must not stand in its design alone.
    told = f"Noise of {100 * train:g} % of each range in training, {100 * test:g} % in the test."
    return [
        replace(
            s,
            estimator=NoisyMeasurements(s.estimator, train, test),
            description=f"{s.description} {told}".strip(),
        )
        for s in loaded
    ]
