"""Projections for the norms inf and 1: linear programs."""

import numpy as np

from projection._checks import Floats
from projection.metric import Metric
from projection.polyhedron import Polyhedron
from projection.reduction import (
    Halfspaces,
    as_halfspaces,
    merge_multipliers,
    nothing,
    reduce,
    restore,
    settle_early,
)
from projection.result import Projection

NAME = "linear_program"
INFEASIBLE = 2  # scipy's status code
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def linear_program(
    point: Floats, polyhedron: Polyhedron, metric: Metric, *, tol: float, max_iter: int
) -> Projection:
    """Project in the norm inf or 1 by HiGHS; only the distance is unique.

    References
    ----------
    Q. Huangfu and J. A. J. Hall, "Parallelizing the dual revised simplex method", Mathematical
    Programming Computation 10, 2018 (HiGHS, through `scipy.optimize.linprog`).
    """
    from scipy.optimize import linprog  # slow to import, not needed for norm 2

    system = reduce(point, polyhedron, metric)
    if (early := settle_early(system, tol=tol, solver=NAME)) is not None:
        return early
    halfspaces = as_halfspaces(system)
    # the unit of length is the largest violation: the solver's tolerances are absolute
    halfspaces = halfspaces._replace(heights=halfspaces.heights / system.violation)
    build = _largest_move if metric.norm == np.inf else _summed_move
    cost, matrix, right, bounds = build(halfspaces)
    answer = linprog(
        cost,
        A_ub=matrix,
        b_ub=right,
        bounds=bounds,
        method="highs",
        options={**TIGHT, "maxiter": max_iter},
    )
    if answer.status == INFEASIBLE:
        return nothing(system, iterations=answer.nit, solver=NAME)
    if answer.x is None:
        move, multipliers = np.zeros(len(point)), np.zeros(len(system.rows))
    else:
        move = system.violation * _read_move(answer.x, len(point), metric.norm)
        values = -answer.ineqlin.marginals[: len(halfspaces.rows)]
        multipliers = merge_multipliers(system, halfspaces, values)
    return restore(
        system,
        move,
        multipliers,
        tol=tol,
        iterations=answer.nit,
        solver=NAME,
        converged=answer.status == 0,
    )


Program = tuple[Floats, Floats, Floats, list[tuple[float | None, float | None]]]


def _largest_move(halfspaces: Halfspaces) -> Program:
    """Variables ``z, t``: min t subject to the rows and ``-t <= z_j <= t``."""
    m, n = halfspaces.rows.shape
    unit, ones = np.eye(n), np.ones((n, 1))
    matrix = np.block([[halfspaces.rows, np.zeros((m, 1))], [unit, -ones], [-unit, -ones]])
    right = np.concatenate([halfspaces.heights, np.zeros(2 * n)])
    return np.append(np.zeros(n), 1.0), matrix, right, [(None, None)] * n + [(0.0, None)]


def _summed_move(halfspaces: Halfspaces) -> Program:
    """Variables ``p, q >= 0`` with ``z = p - q``: min sum(p + q) subject to the rows."""
    n = halfspaces.rows.shape[1]
    matrix = np.hstack([halfspaces.rows, -halfspaces.rows])
    return np.ones(2 * n), matrix, halfspaces.heights, [(0.0, None)] * (2 * n)


def _read_move(solution: Floats, n_features: int, norm: float) -> Floats:
    """Move from the variables of either program."""
    if norm == np.inf:
        return solution[:n_features]
    return solution[:n_features] - solution[n_features:]
