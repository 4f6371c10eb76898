"""What the nodes of a growing tree share: the training rows, and the lines that order them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oblique import _kernels
from oblique._arrays import read_only
from oblique.criteria import criterion_code

NO_VALUES = read_only(np.empty(0))
# Writable like the tables that `xlogx_table` makes, so that loops are compiled for one kind.
NO_LOGS = np.empty(0)


class Table:
    """What all nodes of one tree share: the training rows and how they are judged.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        float64, C order; NaN is a missing value, categories are codes 0, 1, 2 ...
    codes : ndarray of shape (n,), int32
        Class codes 0 ... n_classes - 1.
    weights : ndarray of shape (n,) or None
        Positive weights. None: ones.
    n_classes : int
    criterion : str
    categorical : ndarray of shape (d,), bool, or None
        Which columns hold categories.
    unsafe : int
        Code of the unsafe class, -1 for none.
    min_leaf, min_weight : float
        Least number of rows, and least weight, of each side of a test.
    """

    __slots__ = (
        "X",
        "_columns",
        "_n_varying",
        "categorical",
        "codes",
        "criterion",
        "criterion_code",
        "has_missing",
        "is_counted",
        "log_table",
        "min_leaf",
        "min_weight",
        "n_classes",
        "numeric",
        "spare",
        "to_left",
        "unit_share",
        "unsafe",
        "weights",
    )  # fmt: skip

    def __init__(
        self,
        X: NDArray[np.float64],
        codes: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        n_classes: int,
        *,
        criterion: str = "entropy",
        categorical: NDArray[np.bool_] | None = None,
        unsafe: int = -1,
        min_leaf: float = 1.0,
        min_weight: float = 0.0,
    ):
        n, d = X.shape
        # Compiled code tells read-only arrays from others; one kind is enough to compile for.
        self.X = X = read_only(X)
        self.codes = read_only(codes)
        self.unit_share = NO_VALUES
        self.weights = read_only(np.ones(n) if weights is None else weights)
        self.n_classes = n_classes
        self.criterion = criterion
        self.criterion_code = criterion_code(criterion)
        self.categorical = categorical
        if categorical is None:
            self.numeric = read_only(np.arange(d, dtype=np.int32))
        else:
            self.numeric = read_only(np.flatnonzero(~categorical).astype(np.int32))
        self.unsafe = unsafe
        self.min_leaf = min_leaf
        self.min_weight = min_weight
        self.has_missing = bool(np.isnan(X).any())
        unit = weights is None or bool((weights == 1.0).all())
        # Weights that are whole numbers count repeated rows, as far as float64 can count.
        self.is_counted = unit or _are_whole(self.weights)
        fast = unit and not self.has_missing and self.criterion_code == _kernels.ENTROPY
        unlimited = max(min_leaf, min_weight) <= 1.0
        self.log_table = _kernels.xlogx_table(n) if fast and unlimited else NO_LOGS
        self._columns: NDArray[np.float64] | None = None
        self._n_varying = -1
        self.to_left = np.empty(n)
        self.spare = np.empty(n, dtype=np.int32)

    @property
    def is_limited(self) -> bool:
        """Whether a side of a test may be too small though it holds a row."""
        return self.min_leaf > 1.0 or self.min_weight > 0.0

    @property
    def n_varying(self) -> int:
        """Number of numeric columns that are not constant in the whole table."""
        if self._n_varying < 0:
            varies = np.fmin.reduce(self.X, axis=0) < np.fmax.reduce(self.X, axis=0)
            self._n_varying = int(varies[self.numeric].sum())
        return self._n_varying

    @property
    def columns(self) -> NDArray[np.float64]:
        """X transposed, (d, n), so that a scan of one column stays in the cache."""
        if self._columns is None:
            self._columns = np.ascontiguousarray(self.X.T)
        return self._columns


class Rows:
    """Lines of row numbers in which a node is a contiguous range, and the rows' weights.

    Line 0 holds the rows in canonical order. Once a node asks for sorted columns there are
    n_features more: line j + 1 holds the rows in ascending order of column j. Rows that a
    missing value divided live in lines of their own, with smaller weights.
    """

    __slots__ = ("lines", "log_table", "share", "weights")

    def __init__(
        self,
        lines: NDArray[np.int32],
        weights: NDArray[np.float64],
        share: NDArray[np.float64],
        log_table: NDArray[np.float64],
    ):
        self.lines = lines
        self.weights = weights
        self.share = share
        self.log_table = log_table


def _are_whole(weights: NDArray[np.float64]) -> bool:
    return bool((weights == np.floor(weights)).all() and weights.sum() < 2.0**53)
