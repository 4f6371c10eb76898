"""Alternating projections, cyclic (POCS) and averaged (Cimmino): feasibility only."""

import numpy as np

from projection import _sweeps as kernels
from projection._checks import Floats
from projection.metric import Metric
from projection.polyhedron import Polyhedron
from projection.reduction import reduce, settle_early
from projection.result import Projection
from projection.solvers._finish import finish_sweeps


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
    return finish_sweeps(system, polyhedron, move, None, sweeps, tol, name)
