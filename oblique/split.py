"""The two kinds of test at an inner node, and the one question both answer: membership."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique._kernels import category_membership, linear_membership

_ONE = np.ones(1)
_ONE.setflags(write=False)


@functools.lru_cache(maxsize=4096)
def _single(feature: int) -> NDArray[np.int32]:
    index = np.array([feature], dtype=np.int32)
    index.setflags(write=False)
    return index


class LinearSplit:
    """The test ``weights . x <= threshold``; rows that pass it go left.

    An axis-parallel test is the case of one non-zero weight. The value is immutable.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        Finite weights, at least one of them not zero.
    threshold : float
        Finite threshold in the units of ``weights . x``.
    missing_left : float, default=0.5
        Share of a row that goes left when a feature with a weight is missing in it. The
        induction loop sets it to the share of the node's known weight that goes left
        (Quinlan 1993, C4.5, chapter 3).

    Attributes
    ----------
    indices : ndarray of shape (n_nonzero,), int32
        Features with a weight, ascending.
    values : ndarray of shape (n_nonzero,), float64
        Their weights. Scores are summed in this order everywhere, so that batch and
        single-row prediction agree to the last bit.

    Examples
    --------
    >>> split = LinearSplit([1.0, 2.0], 3.0)
    >>> split.membership([[1.0, 1.0], [2.0, 1.0]])
    array([1., 0.])
    """

    __slots__ = ("indices", "missing_left", "n_features", "threshold", "values")

    indices: NDArray[np.int32]
    values: NDArray[np.float64]
    threshold: float
    n_features: int
    missing_left: float

    def __init__(self, weights: ArrayLike, threshold: float, *, missing_left: float = 0.5):
        dense = np.asarray(weights, dtype=np.float64)
        if dense.ndim != 1:
            raise ValueError(f"weights must have shape (n_features,), got shape {dense.shape}")
        if not (np.isfinite(dense).all() and np.isfinite(threshold)):
            raise ValueError("weights and threshold must be finite, got NaN or infinity")
        indices = np.flatnonzero(dense).astype(np.int32)
        if not indices.size:
            raise ValueError("weights are all zero: the test would be the same for every row")
        _store(self, indices, dense[indices], float(threshold), dense.size, missing_left)

    @classmethod
    def axis(cls, feature: int, threshold: float, n_features: int) -> LinearSplit:
        """Make the test ``x[feature] <= threshold`` (no check of its arguments).

        Parameters
        ----------
        feature : int
            Number of the column.
        threshold : float
        n_features : int
            Number of columns of X.
        """
        split = cls.__new__(cls)
        _store(split, _single(feature), _ONE, threshold, n_features, 0.5)
        return split

    @classmethod
    def sparse(
        cls,
        indices: NDArray[np.int32],
        values: NDArray[np.float64],
        threshold: float,
        n_features: int,
        missing_left: float = 0.5,
    ) -> LinearSplit:
        """Make a test from its non-zero weights, features ascending (no check).

        Parameters
        ----------
        indices : ndarray of shape (k,), int32
            Columns with a weight, ascending.
        values : ndarray of shape (k,)
            Their weights.
        threshold : float
        n_features : int
            Number of columns of X.
        missing_left : float, default=0.5
            Share of a row without an answer that goes left.
        """
        split = cls.__new__(cls)
        _store(split, indices, values, threshold, n_features, missing_left)
        return split

    @property
    def weights(self) -> NDArray[np.float64]:
        """Dense weights of shape (n_features,)."""
        dense = np.zeros(self.n_features)
        dense[self.indices] = self.values
        return dense

    @property
    def feature(self) -> int:
        """The tested feature of an axis-parallel test, -1 for an oblique one."""
        return int(self.indices[0]) if self.indices.size == 1 else -1

    def membership(self, X: ArrayLike) -> NDArray[np.float64]:
        """Share of each row that goes left: 1 or 0, ``missing_left`` where a value is missing.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        share : ndarray of shape (n,)
        """
        rows = np.ascontiguousarray(X, dtype=np.float64)
        return linear_membership(rows, self.indices, self.values, self.threshold, self.missing_left)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"LinearSplit is immutable: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            LinearSplit.sparse,
            (self.indices, self.values, self.threshold, self.n_features, self.missing_left),
        )

    def _key(self) -> tuple[Any, ...]:
        return (
            tuple(self.indices.tolist()),
            tuple(self.values.tolist()),
            self.threshold,
            self.n_features,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinearSplit) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        terms = " ".join(
            f"{value:+.4g}*x{index}"
            for index, value in zip(self.indices.tolist(), self.values.tolist(), strict=True)
        )
        return f"LinearSplit({terms} <= {self.threshold:.6g})"


def _store(
    split: LinearSplit,
    indices: NDArray[np.int32],
    values: NDArray[np.float64],
    threshold: float,
    n_features: int,
    missing_left: float,
) -> None:
    put = object.__setattr__
    indices.setflags(write=False)
    values.setflags(write=False)
    put(split, "indices", indices)
    put(split, "values", values)
    put(split, "threshold", threshold)
    put(split, "n_features", n_features)
    put(split, "missing_left", missing_left)


class CategorySplit:
    """The test ``x[feature] in categories``; rows that pass it go left.

    Parameters
    ----------
    feature : int
        Index of a categorical feature, whose values are the codes 0, 1, 2 ...
    categories : iterable of int
        Codes that go left.
    others : iterable of int or None, default=None
        Codes that go right. Every code that is in neither set was not seen at the node and
        is treated as a missing value. None: all other codes go right.
    missing_left : float, default=0.5
        Share of a row that goes left when its value is missing or was not seen.
    """

    __slots__ = ("categories", "feature", "missing_left", "others")

    feature: int
    categories: tuple[int, ...]
    others: tuple[int, ...] | None
    missing_left: float

    def __init__(
        self,
        feature: int,
        categories: Iterable[int],
        others: Iterable[int] | None = None,
        *,
        missing_left: float = 0.5,
    ):
        left = tuple(sorted({int(code) for code in categories}))
        right = None if others is None else tuple(sorted({int(code) for code in others}))
        if not left or right == ():
            raise ValueError("categories and others must each name at least one category")
        if right is not None and set(left) & set(right):
            both = sorted(set(left) & set(right))
            raise ValueError(f"categories {both} are in categories and in others")
        put = object.__setattr__
        put(self, "feature", int(feature))
        put(self, "categories", left)
        put(self, "others", right)
        put(self, "missing_left", float(missing_left))

    @property
    def codes(self) -> NDArray[np.int32]:
        """Codes that go left, then those that go right."""
        return np.array(self.categories + (self.others or ()), dtype=np.int32)

    def membership(self, X: ArrayLike) -> NDArray[np.float64]:
        """Share of each row that goes left.

        Parameters
        ----------
        X : array-like of shape (n, n_features)

        Returns
        -------
        share : ndarray of shape (n,)
        """
        rows = np.ascontiguousarray(X, dtype=np.float64)
        return category_membership(
            rows,
            self.feature,
            self.codes,
            len(self.categories),
            self.others is None,
            self.missing_left,
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"CategorySplit is immutable: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            _category_split,
            (self.feature, self.categories, self.others, self.missing_left),
        )

    def _key(self) -> tuple[Any, ...]:
        return (self.feature, self.categories, self.others)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CategorySplit) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"CategorySplit(x{self.feature} in {set(self.categories)})"


def _category_split(
    feature: int,
    categories: tuple[int, ...],
    others: tuple[int, ...] | None,
    missing_left: float,
) -> CategorySplit:
    return CategorySplit(feature, categories, others, missing_left=missing_left)


Split: TypeAlias = LinearSplit | CategorySplit
