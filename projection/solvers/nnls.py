"""Least-distance programming through non-negative least squares."""

import numpy as np

from projection._checks import Floats
from projection.metric import Metric
from projection.polyhedron import Polyhedron
from projection.reduction import (
    as_halfspaces,
    merge_multipliers,
    nothing,
    reduce,
    restore,
    settle_early,
)
from projection.result import Projection

NAME = "nnls"


def nnls(
    point: Floats, polyhedron: Polyhedron, metric: Metric, *, tol: float, max_iter: int
) -> Projection:
    """Project by the least-distance method of Lawson and Hanson (scipy's NNLS), norm 2.

    With ``G = -rows`` and ``h = -heights`` solve ``min |E u - f|``, ``u >= 0`` for
    ``E = [G'; h']``, ``f = (0, ..., 0, 1)``: a residual of zero means that the set is empty,
    otherwise ``z = -r[:n] / r[n]``.

    References
    ----------
    C. L. Lawson and R. J. Hanson, "Solving Least Squares Problems", 1974, chapter 23.
    """
    from scipy.optimize import nnls as solve_nnls  # slow to import, rarely needed

    system = reduce(point, polyhedron, metric)
    if (early := settle_early(system, tol=tol, solver=NAME)) is not None:
        return early
    halfspaces = as_halfspaces(system)
    heights = halfspaces.heights / system.violation
    stacked = np.vstack([-halfspaces.rows.T, -heights])
    target = np.zeros(len(stacked))
    target[-1] = 1.0
    solution, length = solve_nnls(stacked, target, maxiter=max(max_iter, 3 * len(heights)))
    residual = stacked @ solution - target
    if length <= 1e-10 or residual[-1] >= 0.0:
        return nothing(system, iterations=int((solution > 0).sum()), solver=NAME)
    move = -system.violation * residual[:-1] / residual[-1]
    values = -system.violation * solution / residual[-1]
    multipliers = merge_multipliers(system, halfspaces, values)
    iterations = int((solution > 0).sum())
    return restore(system, move, multipliers, tol=tol, iterations=iterations, solver=NAME)
