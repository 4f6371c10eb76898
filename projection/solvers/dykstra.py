"""Dykstra's algorithm."""

import numpy as np

from projection import _sweeps as kernels
from projection._checks import Floats
from projection.metric import Metric
from projection.polyhedron import Polyhedron
from projection.reduction import reduce, settle_early
from projection.result import Projection
from projection.solvers._finish import finish_sweeps


def dykstra(
    point: Floats, polyhedron: Polyhedron, metric: Metric, *, tol: float, max_iter: int
) -> Projection:
    """Project by Dykstra's algorithm, norm 2.

    References
    ----------
    J. P. Boyle and R. L. Dykstra, "A method for finding projections onto the intersection of
    convex sets in Hilbert spaces", 1986; H. H. Bauschke and J. M. Borwein, "On projection
    algorithms for solving convex feasibility problems", SIAM Review 38, 1996.
    """
    system = reduce(point, polyhedron, metric)
    if (early := settle_early(system, tol=tol, solver="dykstra")) is not None:
        return early
    move = np.zeros(len(point))
    corrections = np.zeros_like(system.rows)
    sweeps = kernels.sweep_dykstra(
        system.rows,
        system.heights / system.violation,
        system.is_equality,
        0.01 * tol,
        max_iter,
        move,
        corrections,
    )
    # a correction is the multiplier times the unit normal of its halfspace
    multipliers = np.einsum("ij,ij->i", corrections, system.rows)
    return finish_sweeps(system, polyhedron, move, multipliers, sweeps, tol, "dykstra")
