"""Dual active set: exact and finite, the default for norm 2."""

import numpy as np

from projection import _kernels as kernels
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

NAME = "active_set"


def active_set(
    point: Floats, polyhedron: Polyhedron, metric: Metric, *, tol: float, max_iter: int
) -> Projection:
    """Project by the dual active-set method of Goldfarb and Idnani, norm 2.

    Starts at the case and adds the most violated constraint until none is left; emptiness is
    detected in finitely many steps. `max_iter` is not needed: the kernel has its own limit.

    References
    ----------
    D. Goldfarb and A. Idnani, "A numerically stable dual method for solving strictly convex
    quadratic programs", Mathematical Programming 27, 1983.
    """
    system = reduce(point, polyhedron, metric)
    if (early := settle_early(system, tol=tol, solver=NAME)) is not None:
        return early
    halfspaces = as_halfspaces(system)
    m, n_features = halfspaces.rows.shape
    move = np.zeros(n_features)
    position, dual, basis, triangle = kernels.make_active_set(m, n_features)
    noise = 8 * np.finfo(float).eps * float(np.abs(point / metric.scale).max())
    verdict, k, _ = kernels.project_one(
        halfspaces.rows,
        -halfspaces.heights,
        np.arange(m),
        np.ones(m),
        move,
        position,
        dual,
        basis,
        triangle,
        noise,
    )
    if verdict == kernels.EMPTY:
        return nothing(system, iterations=0, solver=NAME)
    values = np.zeros(m)
    values[position[:k]] = dual[kernels.MULTIPLIER, :k]
    multipliers = merge_multipliers(system, halfspaces, values)
    return restore(system, move, multipliers, tol=tol, iterations=k, solver=NAME)
