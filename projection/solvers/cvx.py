"""Reference answers from a general convex solver, every norm."""

import warnings

import numpy as np

from projection._checks import Floats
from projection.metric import Metric
from projection.polyhedron import Polyhedron
from projection.reduction import nothing, reduce, restore, settle_early
from projection.result import Projection

NAME = "cvx"


def cvx(
    point: Floats, polyhedron: Polyhedron, metric: Metric, *, tol: float, max_iter: int
) -> Projection:
    """Project by cvxpy with Clarabel (an interior-point method): the independent reference.

    References
    ----------
    S. Diamond and S. Boyd, "CVXPY: a Python-embedded modeling language for convex optimization",
    JMLR 17, 2016; P. J. Goulart and Y. Chen, "Clarabel: an interior-point solver for conic
    programs with quadratic objectives", 2024.
    """
    import cvxpy as cp  # heavy: only who asks for the reference pays for it

    system = reduce(point, polyhedron, metric)
    if (early := settle_early(system, tol=tol, solver=NAME)) is not None:
        return early
    equal = system.is_equality
    heights = system.heights / system.violation
    z = cp.Variable(len(point))
    constraints = [system.rows[~equal] @ z <= heights[~equal]]
    if equal.any():
        constraints.append(system.rows[equal] @ z == heights[equal])
    objective = 0.5 * cp.sum_squares(z) if metric.norm == 2 else cp.norm(z, metric.norm)
    problem = cp.Problem(cp.Minimize(objective), constraints)
    limits = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
    with warnings.catch_warnings():
        # an inaccurate end is judged by our own residuals, not by a warning
        warnings.simplefilter("ignore", UserWarning)
        try:
            problem.solve(solver=cp.CLARABEL, max_iter=max_iter, **limits)
        except cp.error.SolverError:
            # it gave up, as it may on flat polyhedra: that is a status
            zero = np.zeros(len(point))
            return restore(system, zero, None, tol=tol, iterations=0, solver=NAME, converged=True)
    iterations = int(problem.solver_stats.num_iters or 0)
    if problem.status in (cp.INFEASIBLE, cp.INFEASIBLE_INACCURATE):
        return nothing(system, iterations=iterations, solver=NAME)
    multipliers = np.zeros(len(system.rows))
    move = np.zeros(len(point))
    if z.value is not None:
        unit = system.violation if metric.norm == 2 else 1.0
        move = system.violation * z.value
        multipliers[~equal] = unit * constraints[0].dual_value
        if equal.any():
            multipliers[equal] = unit * constraints[1].dual_value
    converged = problem.status == cp.OPTIMAL
    return restore(
        system, move, multipliers, tol=tol, iterations=iterations, solver=NAME, converged=converged
    )
