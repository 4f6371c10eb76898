"""Compiled steps of turning a plane of scaled columns into one of the data's units."""

import math

import numpy as np

from projection.jit import jit


@jit
def to_data_units(weights, spread):
    """Weights of scaled columns as weights of the data, the largest of them near one.

    Spreads count relative to the smallest, so that no unit of the data overflows. Weights that
    vanish beside the largest are left out; where one overflows nevertheless, all of them are.

    Parameters
    ----------
    weights, spread : (d,)

    Returns
    -------
    (positions of the weights that are kept, their values)
    """
    least = np.inf
    for j in range(weights.shape[0]):
        if weights[j] != 0.0:
            least = min(least, spread[j])
    kept = np.empty(weights.shape[0], np.int32)
    values = np.empty(weights.shape[0])
    largest = 1e-300
    for j in range(weights.shape[0]):
        values[j] = weights[j] / (spread[j] / least) if weights[j] != 0.0 else 0.0
        if not np.isfinite(values[j]):
            return kept[:0], values[:0]
        largest = max(largest, abs(values[j]))
    unit = 2.0 ** math.floor(math.log2(largest))
    q = 0
    for j in range(weights.shape[0]):
        value = values[j] / unit
        if value != 0.0:
            kept[q], values[q] = j, value
            q += 1
    return kept[:q], values[:q]


@jit
def threshold(plane, kept, values, centre, spread):
    """Threshold of a plane (d + 1,) for its weights in the data's units; they may overflow."""
    largest = np.abs(values).argmax()
    j = kept[largest]
    # All weights were divided by the same power of two.
    out = plane[-1] * (values[largest] / (plane[j] / spread[j]))
    for q in range(kept.shape[0]):
        out += values[q] * centre[kept[q]]
    return out


@jit
def between(sides, scores):
    """Largest score of the rows on the left (``side <= 0``) and smallest of those on the right.

    Both are NaN where a score is, and infinite where a side has no rows.
    """
    low, high = -np.inf, np.inf
    for i in range(sides.shape[0]):
        if scores[i] != scores[i]:
            return np.nan, np.nan
        if sides[i] <= 0.0:
            low = max(low, scores[i])
        else:
            high = min(high, scores[i])
    return low, high
