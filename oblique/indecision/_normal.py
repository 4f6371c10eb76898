"""Probability of an interval under a normal distribution, for one number."""

from __future__ import annotations

import math


def interval_probability(mean: float, deviation: float, low: float, high: float) -> float:
    """P(low < x <= high); an exact value answers 0 or 1, NaN stays NaN."""
    if deviation <= 0.0:
        return float(low < mean <= high) if mean == mean else math.nan
    a, b = (low - mean) / deviation, (high - mean) / deviation
    if a > 0.0:
        # In the upper tail by its mirror image, so that nothing cancels.
        a, b = -b, -a
    root = math.sqrt(2.0)
    return max(0.0, (math.erfc(-b / root) - math.erfc(-a / root)) / 2.0)
