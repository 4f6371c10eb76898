"""Compiled clustering."""

import numpy as np

from projection.jit import jit


@jit
def two_means(points, mass, side):
    """Move points between two clusters until each is nearest to its own mean.

    Parameters
    ----------
    points : (n, d)
    mass : (n,) positive weights
    side : (n,) of bool, the clusters to begin with, both with members

    Returns
    -------
    (n,) of bool; a cluster that lost all its points ends the search
    """
    n, d = points.shape
    side = side.copy()
    centre = np.empty((2, d))
    weight = np.empty(2)
    for _ in range(20):
        centre[:] = 0.0
        weight[:] = 0.0
        for i in range(n):
            s = 1 if side[i] else 0
            weight[s] += mass[i]
            for j in range(d):
                centre[s, j] += mass[i] * points[i, j]
        if weight[0] <= 0.0 or weight[1] <= 0.0:
            break
        for s in range(2):
            for j in range(d):
                centre[s, j] /= weight[s]
        changed = False
        for i in range(n):
            near = 0.0
            for j in range(d):
                a = points[i, j] - centre[0, j]
                b = points[i, j] - centre[1, j]
                near += b * b - a * a
            if (near < 0.0) != side[i]:
                side[i] = near < 0.0
                changed = True
        if not changed:
            break
    return side
