"""Columns of the training rows in three numbers each: smallest, largest, standard deviation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oblique._arrays import read_only
from projection.jit import jit

LOW, HIGH, DEVIATION = 0, 1, 2


def column_profile(
    rows: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the smallest and largest known value and the standard deviation of each column.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        NaN is a missing value.
    weights : ndarray of shape (n,) or None
        Positive weights, which the deviations follow.

    Returns
    -------
    profile : ndarray of shape (3, d)
        Rows `LOW`, `HIGH` and `DEVIATION` (of the sample: n - 1 in the denominator; 0 for a
        constant column); NaN for a column without a known value.
    """
    profile = np.empty((3, rows.shape[1]))
    _summarise(
        read_only(rows), read_only(np.ones(len(rows)) if weights is None else weights), profile
    )
    return profile


@jit
def _summarise(rows, weights, profile):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Fill a profile in three passes: extremes, means, squares."""
    n, d = rows.shape
    low, high, squares = profile
    known, mass, unit, centre = np.zeros(d), np.zeros(d), np.ones(d), np.zeros(d)
    low[:], high[:], squares[:] = np.inf, -np.inf, 0.0
    for i in range(n):
        for j in range(d):
            if not np.isnan(rows[i, j]):
                low[j], high[j] = min(low[j], rows[i, j]), max(high[j], rows[i, j])
                known[j] += 1.0
                mass[j] += weights[i]
    for j in range(d):
        # In units of the largest value, whose square may be too large.
        largest = max(abs(low[j]), abs(high[j]))
        if largest > 0.0:
            unit[j] = largest
    for i in range(n):
        for j in range(d):
            if not np.isnan(rows[i, j]):
                centre[j] += weights[i] / mass[j] * (rows[i, j] / unit[j])
    for i in range(n):
        for j in range(d):
            if not np.isnan(rows[i, j]):
                squares[j] += weights[i] / mass[j] * (rows[i, j] / unit[j] - centre[j]) ** 2
    for j in range(d):
        if known[j] == 0.0:
            profile[:, j] = np.nan
        elif low[j] == high[j]:
            squares[j] = 0.0
        else:
            squares[j] = np.sqrt(squares[j] * known[j] / (known[j] - 1.0)) * unit[j]
