"""Diagonal metrics: every attribute is divided by its scale, then a norm measures the move."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from projection._checks import Floats, as_floats, require_finite, require_length
from projection.exceptions import InputError

NORMS = (1.0, 2.0, float("inf"))
LARGEST = 1e150
"""Largest coordinate, in metric units, whose square and sums of squares are finite."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Distance ``norm((y - x) / scale)``, a dilatation of the attributes followed by a norm.

    Parameters
    ----------
    scale : array of shape (n_features,)
        Length that counts as one unit of each attribute; positive and finite. A cost weight
        ``w`` on an attribute is a scale divided by ``w`` (see `reweighted`).
    norm : {2, inf, 1}, default=2
        Euclidean, largest or summed move.

    Raises
    ------
    InputError
        If a scale is not positive and finite, or the norm is none of the three.

    References
    ----------
    I. Alvarez, "Explaining the result of a decision tree to the end-user", ECAI 2004, and
    "Sensitivity analysis of the result in binary decision trees", ECML 2004: min-max, standard
    and accuracy-scaled min-max metrics.
    """

    scale: Floats
    norm: float = 2.0

    def __post_init__(self) -> None:
        scale = as_floats(self.scale, "scale", 1)
        require_finite(scale, "scale")
        if (scale <= 0).any():
            worst = int(np.argmax(scale <= 0))
            raise InputError(
                f"scale must be positive, got {scale[worst]} for attribute {worst}; "
                "give a constant attribute the scale 1"
            )
        object.__setattr__(self, "scale", scale)
        object.__setattr__(self, "norm", check_norm(self.norm))

    @classmethod
    def identity(cls, n_features: int, *, norm: float = 2.0) -> "Metric":
        """Raw units: every scale is 1.

        Parameters
        ----------
        n_features : int
        norm : {2, inf, 1}, default=2
            How the moves of the attributes add up.
        """
        return cls(np.ones(n_features), norm)

    @classmethod
    def minmax(cls, X: Any, *, norm: float = 2.0) -> "Metric":
        """Scale by the range of each column of `X`; a constant column gets the scale 1.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Finite rows, at least one.
        norm : {2, inf, 1}, default=2
            How the moves of the attributes add up.
        """
        sample = _sample(X)
        return cls(_or_one(sample.max(axis=0) - sample.min(axis=0)), norm)

    @classmethod
    def standard(cls, X: Any, *, norm: float = 2.0, ddof: int = 1) -> "Metric":
        """Scale by the standard deviation of each column of `X`; constant columns get 1.

        The papers do not say which estimate they use; `ddof` defaults to the unbiased one.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Finite rows, at least one.
        norm : {2, inf, 1}, default=2
            How the moves of the attributes add up.
        ddof : int, default=1
            Taken off the number of rows, as in `numpy.std`.
        """
        sample = _sample(X)
        if len(sample) <= ddof:
            raise InputError(f"X has {len(sample)} row(s), a standard deviation needs {ddof + 1}")
        constant = sample.max(axis=0) == sample.min(axis=0)
        return cls(np.where(constant, 1.0, _or_one(sample.std(axis=0, ddof=ddof))), norm)

    @classmethod
    def from_accuracy(cls, X: Any, accuracy: Any, *, norm: float = 2.0) -> "Metric":
        """Min-max metric divided by the relative accuracy of each attribute.

        `accuracy[i]` is the error of attribute i as a fraction of its range, so that one unit
        is one error: ``y = (x - min) / (max - min) / accuracy`` (Alvarez's modified min-max).

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Finite rows, at least one.
        accuracy : array-like of shape (n_features,)
        norm : {2, inf, 1}, default=2
            How the moves of the attributes add up.
        """
        ranges = cls.minmax(X).scale
        share = as_floats(accuracy, "accuracy", 1)
        require_length(share, "accuracy", len(ranges), "one per column of X")
        return cls(ranges * share, norm)

    @property
    def n_features(self) -> int:
        """Number of attributes that the metric measures."""
        return len(self.scale)

    def with_norm(self, norm: float) -> "Metric":
        """Return the same dilatation under another norm.

        Parameters
        ----------
        norm : {2, inf, 1}
        """
        return Metric(self.scale, norm)

    def reweighted(self, weights: Any) -> "Metric":
        """Multiply the cost of moving attribute i by ``weights[i]`` (positive).

        Parameters
        ----------
        weights : array-like of shape (n_features,)

        Returns
        -------
        metric : Metric
        """
        factor = as_floats(weights, "weights", 1)
        require_length(factor, "weights", self.n_features, "one per attribute of the metric")
        require_finite(factor, "weights")
        if (factor <= 0).any():
            worst = int(np.argmax(factor <= 0))
            raise InputError(
                f"weights must be positive, got {factor[worst]} for attribute {worst}; "
                "freeze an attribute that must not move"
            )
        return Metric(self.scale / factor, self.norm)

    def length(self, moves: Any) -> Any:
        """Length of each move (last axis: attributes) in this metric.

        Parameters
        ----------
        moves : array-like of shape (..., n_features)

        Returns
        -------
        length : float or ndarray of shape (...)
        """
        scaled = np.asarray(moves, dtype=np.float64) / self.scale
        return np.linalg.norm(scaled, ord=self.norm, axis=-1)

    def distance(self, x: Any, y: Any) -> Any:
        """Distance between `x` and `y`, row by row.

        Parameters
        ----------
        x, y : array-like of shape (..., n_features)

        Returns
        -------
        distance : float or ndarray of shape (...)
        """
        return self.length(np.asarray(y, dtype=np.float64) - np.asarray(x, dtype=np.float64))


def row_lengths(rows: Floats, norm: float = 2.0) -> Floats:
    """Length of each row; squares of very large or small entries neither overflow nor vanish.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
    norm : {2, inf, 1}, default=2

    Returns
    -------
    length : ndarray of shape (n,)
    """
    _, exponent = np.frexp(np.abs(rows).max(axis=1, initial=0.0))
    # powers of two change no digit of the answer
    lengths = np.linalg.norm(np.ldexp(rows, -exponent[:, None]), ord=norm, axis=1)
    return np.asarray(np.ldexp(lengths, exponent))


def check_norm(norm: Any) -> float:
    """Return the norm as a float, or raise with the three that exist."""
    try:
        value = float(norm)
    except (TypeError, ValueError):
        value = float("nan")
    if value not in NORMS:
        raise InputError(f"norm must be 2, inf or 1, got {norm!r}")
    return value


def _sample(X: Any) -> Floats:
    """Return the rows of `X`, at least one."""
    sample = as_floats(X, "X", 2)
    require_finite(sample, "X")
    if len(sample) == 0:
        raise InputError("X has no rows; a metric made from data needs at least one")
    return sample


def _or_one(scale: Floats) -> Floats:
    """Replace scales of zero (constant columns) by one."""
    return np.where(scale > 0, scale, 1.0)
