"""Least-distance programming through non-negative least squares."""

import numpy as np

from projection._checks import Flags, Floats
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
    otherwise ``z = -r[:n] / r[n]``; the active rows then give it to full precision.

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
    move, values = _solve_active(halfspaces.rows, heights, solution > 0)
    multipliers = merge_multipliers(system, halfspaces, system.violation * values)
    iterations = int((solution > 0).sum())
    return restore(
        system,
        system.violation * move,
        multipliers,
        tol=tol,
        iterations=iterations,
        solver=NAME,
    )


def _solve_active(rows: Floats, heights: Floats, active: Flags) -> tuple[Floats, Floats]:
    """Move and multipliers from the active rows.

    The formula ``z = -r[:n] / r[n]`` loses half of the digits when the distance is large beside
    the violations (``r[n]`` is the small difference ``1 / (1 + |z|^2)``); which rows are active
    is known all the same.
    """
    move: Floats = np.linalg.lstsq(rows[active], heights[active])[0].astype(np.float64)
    values = np.zeros(len(rows))
    values[active] = np.linalg.lstsq(rows[active].T, -move)[0]
    return move, values
