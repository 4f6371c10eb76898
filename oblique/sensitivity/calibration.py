"""Probabilities from one score a case: kernel densities of each class and Bayes' rule."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.neighbors import KernelDensity
from sklearn.utils.validation import check_is_fitted, column_or_1d

_FLOOR = 1e-6  # of the scores' largest size: bandwidth where all scores are equal
_RELATIVE_ERROR = 1e-6  # of a density


class DensityCalibration(BaseEstimator):
    """Posterior class probabilities of a one-dimensional score.

    A Gaussian kernel density is fitted to the scores of each class; Bayes' rule with the classes'
    shares makes probabilities of them. Fitted to distances and whether each case is an error, it
    gives the probability of an error at a distance.

    Parameters
    ----------
    bandwidth : {"silverman"} or float, default="silverman"
        Width of the kernel; Silverman's rule is .9 min(sd, IQR / 1.34) n^(-1/5) in each class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    priors_ : ndarray of shape (n_classes,)
    bandwidths_ : ndarray of shape (n_classes,)

    References
    ----------
    B. W. Silverman, "Density estimation for statistics and data analysis", 1986, eq 3.31.
    P. Smyth, A. Gray and U. Fayyad, "Retrofitting decision tree classifiers using kernel density
    estimation", ICML 1995 (densities within leaves).

    Examples
    --------
    >>> import numpy as np
    >>> model = DensityCalibration().fit([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0], [0, 0, 0, 1, 1, 1])
    >>> model.predict_proba([-3.0, 0.0, 3.0]).round(2)[:, 1]
    array([0. , 0.5, 1. ])
    """

    def __init__(self, bandwidth: Any = "silverman"):
        self.bandwidth = bandwidth

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a density to the scores of each class.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite; of two classes, for one score a case.
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,) or None
            Weights of the kernels and of the classes' shares; Silverman's rule takes none.

        Returns
        -------
        self
        """
        given = self._scores(scores)
        labels = column_or_1d(y)
        mass = np.ones(len(given)) if sample_weight is None else np.asarray(sample_weight, float)
        if len(labels) != len(given):
            raise ValueError(f"y has {len(labels)} labels for {len(given)} scores")
        if not self._is_bandwidth():
            raise ValueError(f'bandwidth={self.bandwidth!r} must be "silverman" or positive')
        used = mass > 0.0
        if mass.shape != given.shape or not used.any() or (mass < 0.0).any():
            raise ValueError(
                f"sample_weight must hold {len(given)} weights, none negative, not all zero"
            )
        given, mass = given[used], mass[used]
        self.classes_, codes = np.unique(labels[used], return_inverse=True)
        self.priors_ = np.bincount(codes, weights=mass) / mass.sum()
        floor = _FLOOR * max(float(np.abs(given).max()), np.finfo(float).tiny / _FLOOR)
        self._densities = []
        for k in range(len(self.classes_)):
            own = given[codes == k]
            width = silverman_bandwidth(own) if self.bandwidth == "silverman" else self.bandwidth
            density = KernelDensity(bandwidth=max(float(width), floor), rtol=_RELATIVE_ERROR)
            self._densities.append(density.fit(own[:, None], sample_weight=mass[codes == k]))
        self.bandwidths_ = np.array([density.bandwidth for density in self._densities])
        return self

    def predict_proba(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n, n_classes).

        So far from all scores that every density vanishes, the nearer class is certain: the
        ratio of densities is formed in logarithms.

        Parameters
        ----------
        scores : array-like of shape (n,)
        """
        check_is_fitted(self)
        given = self._scores(scores)[:, None]
        logs = np.stack([d.score_samples(given) for d in self._densities], axis=1)
        logs += np.log(self.priors_)
        vanished = ~np.isfinite(logs).any(axis=1)
        logs[vanished] = np.log(self.priors_)
        logs -= logs.max(axis=1, keepdims=True)
        shares = np.exp(logs)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _is_bandwidth(self) -> bool:
        if isinstance(self.bandwidth, str):
            return self.bandwidth == "silverman"
        return isinstance(self.bandwidth, Real) and 0.0 < float(self.bandwidth) < np.inf

    def _scores(self, scores: ArrayLike) -> NDArray[np.float64]:
        given = np.asarray(scores, dtype=np.float64)
        if given.ndim != 1 or not given.size:
            raise ValueError(
                f"scores must have shape (n,), one number a case, got {given.shape}; densities "
                "calibrate two classes"
            )
        if not np.isfinite(given).all():
            raise ValueError(
                f"scores hold {given[~np.isfinite(given)][0]}: leave out cases whose distance is "
                "infinite or not defined"
            )
        return given


def silverman_bandwidth(scores: NDArray[np.float64]) -> float:
    """Bandwidth .9 min(sd, IQR / 1.34) n^(-1/5) of a Gaussian kernel (Silverman 1986, eq 3.31).

    The standard deviation alone where the quartiles coincide; 0 for equal scores.
    """
    if len(scores) < 2:
        return 0.0
    deviation = float(scores.std(ddof=1))
    low, high = np.percentile(scores, [25.0, 75.0])
    spread = min(deviation, (high - low) / 1.34) if high > low else deviation
    return float(0.9 * spread * len(scores) ** -0.2)
