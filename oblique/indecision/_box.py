"""Probability of a box under a joint normal distribution.

Two numbers take Owen's function, three one integral more. Four and more take Genz's random
points, of which no number is enough where some numbers nearly determine the others, as the
clauses of a path may do: all points can miss a sliver of the box.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Tolerance of an integral over four and more numbers, and random points for each of them.
_TOLERANCE, _POINTS = 1e-5, 100_000
_SEED = 0

# Beyond so many deviations a normal tail is below 1e-9.
_TAIL = 6.0
# Stands for zero where a ratio of two zeros would have no sign.
_TINY = 1e-300
# Least deviation, and least slope, that is told from zero.
_FLAT = 1e-12
_NODES, _SHARES = np.polynomial.legendre.leggauss(20)


def box_probability(mean: Floats, joint: Floats, low: Floats, high: Floats) -> float:
    """P(low < x <= high) for a normal x with positive deviations.

    Parameters
    ----------
    mean : ndarray of shape (m,)
    joint : ndarray of shape (m, m)
        Covariance, which may be singular.
    low, high : ndarray of shape (m,)
        Infinite where there is no limit.

    Returns
    -------
    probability : float
        Up to three numbers it is exact to 1e-8.
    """
    if mean.size > 3:
        return _by_random_points(mean, joint, low, high)
    deviation = np.sqrt(np.diag(joint))
    a, b = (low - mean) / deviation, (high - mean) / deviation
    r = np.clip(joint / np.outer(deviation, deviation), -1.0, 1.0)
    found = _rectangle(a, b, r[0, 1]) if mean.size == 2 else _three(a, b, r)
    return float(np.clip(found, 0.0, 1.0))


def _quadrant(h: Any, k: Any, r: float) -> Floats:
    """P(x <= h, y <= k) of standard normal numbers of correlation r, for arrays (Owen 1956)."""
    from scipy.special import ndtr, owens_t

    h, k = np.where(h == 0.0, _TINY, h), np.where(k == 0.0, _TINY, k)
    root = max(np.sqrt((1.0 - r) * (1.0 + r)), 1e-15)
    with np.errstate(over="ignore", invalid="ignore"):
        of_h, of_k = owens_t(h, (k / h - r) / root), owens_t(k, (h / k - r) / root)
    inside = 0.5 * (ndtr(h) + ndtr(k)) - of_h - of_k - 0.5 * ((h < 0.0) != (k < 0.0))
    # Of one limit only the other one is left, and minus infinity lets nothing through.
    alone = np.where(np.maximum(h, k) == np.inf, ndtr(np.minimum(h, k)), 0.0)
    return np.where(np.isinf(h) | np.isinf(k), alone, inside)


def _rectangle(low: Any, high: Any, r: float) -> Floats:
    """P(low < (x, y) <= high); the limits are pairs of numbers or of arrays."""
    return (
        _quadrant(high[0], high[1], r) - _quadrant(low[0], high[1], r)
        - _quadrant(high[0], low[1], r) + _quadrant(low[0], low[1], r)
    )  # fmt: skip


def _three(low: Floats, high: Floats, r: Floats) -> float:
    """P(low < x <= high) of three standard normal numbers: an integral over one of them.

    Given one number, the other two are normal, so the integrand is a rectangle's probability.
    It is smooth but for steps where a limit is passed, or the nearer of two limits changes.
    Gauss's rule is applied between those, and to the steps themselves.
    """
    # The number that says least about the others makes the softest steps.
    pivot = int(np.argmin([np.delete(np.abs(r[i]), i).max() for i in range(3)]))
    others = [i for i in range(3) if i != pivot]
    slope = r[others, pivot]
    left = np.maximum(np.sqrt((1.0 - slope) * (1.0 + slope)), _FLAT)
    rest = np.clip((r[others[0], others[1]] - slope.prod()) / left.prod(), -1.0, 1.0)
    begin, end = max(low[pivot], -9.0), min(high[pivot], 9.0)
    if not begin < end:
        return 0.0
    edges = _edges(low[others], high[others], slope, left, float(rest), begin, end)
    half = 0.5 * np.diff(edges)[:, None]
    z = (0.5 * (edges[1:] + edges[:-1])[:, None] + half * _NODES).ravel()
    density = (half * _SHARES).ravel() * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    below = [(low[j] - s * z) / d for j, s, d in zip(others, slope, left, strict=True)]
    above = [(high[j] - s * z) / d for j, s, d in zip(others, slope, left, strict=True)]
    return float(density @ _rectangle(below, above, float(rest)))


def _edges(
    low: Floats, high: Floats, slope: Floats, left: Floats, rest: float, begin: float, end: float
) -> Floats:
    """Ends of the intervals between which the integrand of `_three` is smooth."""
    steps = []  # place and width
    limits = [[x for x in (low[j], high[j]) if np.isfinite(x)] for j in range(2)]
    for j in range(2):
        steps += [(x / slope[j], left[j] / slope[j]) for x in limits[j] if abs(slope[j]) > _FLAT]
    width = max(np.sqrt((1.0 - rest) * (1.0 + rest)), _FLAT)
    for (x, y), sign in itertools.product(itertools.product(*limits), (-1.0, 1.0)):
        # Both limits, in deviations, are as far from the rest of their numbers.
        change = slope[0] / left[0] + sign * slope[1] / left[1]
        if abs(change) > _FLAT:
            steps.append(((x / left[0] + sign * y / left[1]) / change, width / change))
    found = [begin, end, *np.arange(np.ceil(begin), end)]
    for place, reach in steps:
        found += [place, place - _TAIL * abs(reach), place + _TAIL * abs(reach)]
    return np.unique(np.clip(found, begin, end))


def _by_random_points(mean: Floats, joint: Floats, low: Floats, high: Floats) -> float:
    """Genz's integration, in scipy; its points are the same in every call where scipy lets us."""
    from scipy.stats import multivariate_normal

    seeded = {"rng": np.random.default_rng(_SEED)} if _takes_rng() else {}
    found = multivariate_normal.cdf(
        high, mean, joint, allow_singular=True, lower_limit=low, maxpts=_POINTS * high.size,
        abseps=_TOLERANCE, releps=0.0, **seeded,
    )  # fmt: skip
    return float(np.clip(found, 0.0, 1.0))


def _takes_rng() -> bool:
    import inspect

    from scipy.stats import multivariate_normal

    return "rng" in inspect.signature(multivariate_normal.cdf).parameters
