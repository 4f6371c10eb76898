"""Methods that visit the constraints in sweeps: Dykstra, Hildreth, alternating projections."""

import numpy as np

from projection import _sweeps as kernels
from projection._checks import Floats
from projection.interior import find_interior
from projection.metric import Metric
from projection.polyhedron import Polyhedron
from projection.reduction import System, nothing, reduce, restore, settle_early
from projection.result import Projection


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
    return _finish(system, polyhedron, move, multipliers, sweeps, tol, "hildreth")


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
    return _finish(system, polyhedron, move, multipliers, sweeps, tol, "dykstra")


def alternating(
    point: Floats, polyhedron: Polyhedron, metric: Metric, *, tol: float, max_iter: int
) -> Projection:
    """Find *some* point of the polyhedron by cyclic alternating projections (POCS).

    The limit lies in the polyhedron but is not its nearest point in general and depends on the
    order of the constraints: the best status is "feasible".
    """
    return _alternate(point, polyhedron, metric, tol, max_iter, averaged=False)


def averaged(
    point: Floats, polyhedron: Polyhedron, metric: Metric, *, tol: float, max_iter: int
) -> Projection:
    """Find *some* point of the polyhedron by averaged projections (Cimmino), status "feasible"."""
    return _alternate(point, polyhedron, metric, tol, max_iter, averaged=True)


def _alternate(
    point: Floats,
    polyhedron: Polyhedron,
    metric: Metric,
    tol: float,
    max_iter: int,
    *,
    averaged: bool,
) -> Projection:
    """Run either scheme of alternating projections."""
    name = "averaged" if averaged else "alternating"
    system = reduce(point, polyhedron, metric)
    if (early := settle_early(system, tol=tol, solver=name)) is not None:
        return early
    move = np.zeros(len(point))
    sweeps = kernels.sweep_alternating(
        system.rows,
        system.heights / system.violation,
        system.is_equality,
        0.5 * tol,
        max_iter,
        averaged,
        move,
        np.zeros(len(point)),
    )
    return _finish(system, polyhedron, move, None, sweeps, tol, name)


def _finish(
    system: System,
    polyhedron: Polyhedron,
    move: Floats,
    multipliers: Floats | None,
    sweeps: int,
    tol: float,
    name: str,
) -> Projection:
    """Undo the unit of length; a run without convergence is asked whether the set is empty."""
    if sweeps < 0 and find_interior(polyhedron).kind == "empty":
        return nothing(system, iterations=-sweeps, solver=name)
    return restore(
        system,
        system.violation * move,
        None if multipliers is None else system.violation * multipliers,
        tol=tol,
        iterations=abs(sweeps),
        solver=name,
        converged=sweeps > 0,
    )
