"""Hildreth's dual coordinate ascent."""

import numpy as np

from projection import _sweeps as kernels
from projection._checks import Floats
from projection.metric import Metric
from projection.polyhedron import Polyhedron
from projection.reduction import reduce, settle_early
from projection.result import Projection
from projection.solvers._finish import finish_sweeps


def hildreth(
    point: Floats, polyhedron: Polyhedron, metric: Metric, *, tol: float, max_iter: int
) -> Projection:
    """Project by Hildreth's dual coordinate ascent, norm 2.

    The same iterates as `dykstra` for halfspaces, with one number a constraint instead of a
    vector. Linear convergence whose rate depends on the angles between the hyperplanes.

    References
    ----------
    C. Hildreth, "A quadratic programming procedure", Naval Research Logistics Quarterly 4, 1957.
    """
    system = reduce(point, polyhedron, metric)
    if (early := settle_early(system, tol=tol, solver="hildreth")) is not None:
        return early
    move = np.zeros(len(point))
    multipliers = np.zeros(len(system.rows))
    # the unit of length is the largest violation, a lower bound of the distance
    sweeps = kernels.sweep_hildreth(
        system.rows,
        system.heights / system.violation,
        system.is_equality,
        0.01 * tol,
        max_iter,
        move,
        multipliers,
    )
    return finish_sweeps(system, polyhedron, move, multipliers, sweeps, tol, "hildreth")
