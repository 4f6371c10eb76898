"""Areas under the left part of ROC curves, and their paired comparison over samples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm
from sklearn.metrics import roc_curve

#: False positive rates at which partial areas are compared: 0 to .5 in steps of .001.
GRID = np.arange(501) / 1000.0


def partial_areas(
    is_positive: ArrayLike, score: ArrayLike, grid: NDArray[np.float64] = GRID
) -> NDArray[np.float64]:
    """Area under the ROC curve from a false positive rate of 0 to each point of a grid.

    Parameters
    ----------
    is_positive : array-like of bool, shape (n,)
        Both kinds must be there.
    score : array-like of shape (n,)
        Larger means more surely positive; cases of equal score make a slope in the curve.
    grid : ndarray
        False positive rates between 0 and 1, ascending.

    Returns
    -------
    areas : ndarray, shape of the grid

    References
    ----------
    I. Alvarez and S. Bernard, "Ranking cases with decision trees: a geometric method that
    preserves intelligibility", IJCAI 2005.

    Examples
    --------
    >>> partial_areas([True, False, True, False], [0.9, 0.8, 0.7, 0.1], np.array([0.5, 1.0]))
    array([0.25, 0.75])
    """
    truth, grid = np.asarray(is_positive, dtype=bool), np.asarray(grid, dtype=float)
    if truth.all() or not truth.any():
        raise ValueError("is_positive must hold both kinds of cases; a ROC curve needs both")
    if grid.size and not (grid.min() >= 0.0 and grid.max() <= 1.0):
        raise ValueError("grid holds rates outside 0 to 1")
    x, y, _ = roc_curve(truth, score, drop_intermediate=False)
    done = np.concatenate([[0.0], np.cumsum(np.diff(x) * (y[1:] + y[:-1]) / 2.0)])
    # The last point at or before each grid point: after a vertical step its upper end.
    place = np.searchsorted(x, grid, side="right") - 1
    after = np.minimum(place + 1, len(x) - 1)
    width = grid - x[place]
    run = x[after] - x[place]
    slope = np.divide(y[after] - y[place], run, out=np.zeros_like(run), where=run > 0.0)
    return np.asarray(done[place] + width * (y[place] + slope * width / 2.0))


class AreaComparison(NamedTuple):
    """Paired comparison of two scores over samples.

    Attributes
    ----------
    difference : float
        Mean difference of the whole areas under the curves, first minus second.
    low, high : float
        Its 95 % interval, by the normal distribution of the mean over the samples.
    n_samples : int
    better_up_to : float
        Largest false positive rate x such that, with the confidence asked for, the first area
        is not smaller at any rate up to x; 0.5 at most.
    """

    difference: float
    low: float
    high: float
    n_samples: int
    better_up_to: float


def compare_areas(
    first: ArrayLike,
    second: ArrayLike,
    first_auc: ArrayLike,
    second_auc: ArrayLike,
    *,
    grid: NDArray[np.float64] = GRID,
    confidence: float = 0.95,
) -> AreaComparison:
    """Compare two scores by their partial areas on the same samples.

    Parameters
    ----------
    first, second : array-like of shape (n_samples, n_grid)
        `partial_areas` of each sample.
    first_auc, second_auc : array-like of shape (n_samples,)
        Whole areas of the same samples.
    grid : ndarray of shape (n_grid,)
    confidence : float, default=0.95
        One-sided, for ``better_up_to``.

    Returns
    -------
    comparison : AreaComparison

    Notes
    -----
    Samples drawn from one data set overlap, so that intervals are too narrow; they are those of
    the paper.

    References
    ----------
    I. Alvarez and S. Bernard, "Ranking cases with decision trees: a geometric method that
    preserves intelligibility", IJCAI 2005, tables 3 to 5.
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence!r} must lie between 0 and 1, such as 0.95")
    gain = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    whole = np.asarray(first_auc, dtype=float) - np.asarray(second_auc, dtype=float)
    if gain.ndim != 2 or gain.shape != (len(whole), len(grid)) or len(whole) < 2:
        raise ValueError(
            f"areas of shape {gain.shape} and {whole.shape}: expected (n_samples, {len(grid)}) "
            "and (n_samples,), with two samples at least"
        )
    n = len(whole)
    error = gain.std(axis=0, ddof=1) / np.sqrt(n)
    holds = gain.mean(axis=0) - norm.ppf(confidence) * error >= -1e-15
    until = len(grid) if holds.all() else int(np.argmin(holds))
    half = norm.ppf(0.975) * whole.std(ddof=1) / np.sqrt(n)
    return AreaComparison(
        float(whole.mean()), float(whole.mean() - half), float(whole.mean() + half), n,
        float(grid[until - 1]) if until else 0.0,
    )  # fmt: skip
