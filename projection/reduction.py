"""A projection in any diagonal metric, rewritten as the shortest vector of a polyhedron.

With ``z = (y - x) / scale`` the problem becomes ``min norm(z)`` subject to rows of unit length
``rows @ z <= heights``. Solvers work on this form only; `restore` maps their answer back and
judges it, so that a status never rests on a solver's own opinion.
"""

from typing import NamedTuple

import numpy as np

from projection._checks import Flags, Floats, Integers
from projection.metric import Metric, row_lengths
from projection.polyhedron import Polyhedron
from projection.result import Projection, Status

EPSILON = float(np.finfo(np.float64).eps)


class System(NamedTuple):
    """``min norm(z)`` subject to ``rows @ z <= heights`` (``==`` where `is_equality`)."""

    rows: Floats  # (m, n_features), Euclidean length 1
    heights: Floats  # (m,)
    is_equality: Flags  # (m,)
    lengths: Floats  # (m,) length of each row before it was divided by it
    source: Integers  # (m,) number of the row in Polyhedron.constraints
    contradiction: bool  # a row of zeros that no point satisfies
    violation: float  # largest violation at z = 0: a lower bound of the Euclidean distance
    size: float  # largest coordinate of the case, in metric units
    point: Floats  # the case, raw units
    metric: Metric
    n_constraints: int


class Halfspaces(NamedTuple):
    """The rows of a system with every equality written as two inequalities."""

    rows: Floats
    heights: Floats
    source: Integers  # row of the system
    sign: Floats  # -1 for the reversed copy of an equality


def reduce(point: Floats, polyhedron: Polyhedron, metric: Metric) -> System:
    """Shift the case to the origin, divide by the scales and make rows of unit length."""
    matrix, offsets, is_equality = polyhedron.constraints()
    scaled = matrix * metric.scale
    lengths = row_lengths(scaled)
    excess = matrix @ point - offsets
    missed = np.where(is_equality, np.abs(excess), excess)
    contradiction = bool((missed[lengths == 0] > 0).any())
    keep = (lengths > 0) & np.isfinite(offsets)
    violated = missed[keep] / lengths[keep]
    return System(
        rows=np.ascontiguousarray(scaled[keep] / lengths[keep, None]),
        heights=-excess[keep] / lengths[keep],
        is_equality=is_equality[keep],
        lengths=lengths[keep],
        source=np.flatnonzero(keep),
        contradiction=contradiction,
        violation=float(max(0.0, violated.max(initial=0.0))),
        size=float(np.abs(point / metric.scale).max(initial=0.0)),
        point=point,
        metric=metric,
        n_constraints=len(offsets),
    )


def as_halfspaces(system: System) -> Halfspaces:
    """Write each equality as two inequalities, the reversed copies last."""
    equal = np.flatnonzero(system.is_equality)
    m = len(system.rows)
    return Halfspaces(
        rows=np.vstack([system.rows, -system.rows[equal]]),
        heights=np.concatenate([system.heights, -system.heights[equal]]),
        source=np.concatenate([np.arange(m), equal]),
        sign=np.concatenate([np.ones(m), -np.ones(len(equal))]),
    )


def merge_multipliers(system: System, halfspaces: Halfspaces, values: Floats) -> Floats:
    """Multipliers of the system's rows from those of its halfspaces."""
    merged = np.zeros(len(system.rows))
    np.add.at(merged, halfspaces.source, halfspaces.sign * values)
    return merged


def restore(
    system: System,
    move: Floats,
    multipliers: Floats | None,
    *,
    tol: float,
    iterations: int,
    solver: str,
    converged: bool = True,
) -> Projection:
    """Map a move and the multipliers of the unit rows back, and judge both.

    Parameters
    ----------
    multipliers : array of shape (m,) or None
        Without them nearness cannot be certified and the status is at best "feasible".
    converged : bool
        False turns a failed check into "max_iter" instead of "inaccurate".
    """
    with np.errstate(over="ignore"):
        distance = float(np.linalg.norm(move, ord=system.metric.norm))
    primal = _primal_residual(system, move, distance)
    dual, gap = np.nan, np.nan
    if multipliers is not None and np.isfinite(distance):
        dual, gap = _dual_residual_and_gap(system, move, multipliers, distance)
    full = np.zeros(system.n_constraints)
    active = np.empty(0, dtype=np.intp)
    if multipliers is not None:
        full[system.source] = multipliers / system.lengths
        size = np.abs(multipliers)
        active = system.source[size > 1e-12 * size.max(initial=0.0)]
    failed: Status = "inaccurate" if converged else "max_iter"
    status: Status = failed
    if np.isfinite(distance) and primal <= tol and multipliers is None:
        status = "feasible"
    elif np.isfinite(distance) and max(primal, dual, gap) <= tol:
        status = "optimal"
    return Projection(
        point=system.point + system.metric.scale * move,
        distance=distance,
        active=active,
        multipliers=full,
        status=status,
        primal_residual=primal,
        dual_residual=dual,
        gap=gap,
        iterations=iterations,
        solver=solver,
    )


def settle_early(system: System, *, tol: float, solver: str) -> Projection | None:
    """Return the answer that needs no solver: the case lies inside, or a row is contradictory."""
    if system.contradiction:
        return nothing(system, iterations=0, solver=solver)
    # a violation within the rounding of the case's own coordinates is none
    if system.violation > 8.0 * EPSILON * system.size:
        return None
    move, multipliers = np.zeros(len(system.point)), np.zeros(len(system.rows))
    return restore(system, move, multipliers, tol=tol, iterations=0, solver=solver)


def nothing(system: System, *, iterations: int, solver: str) -> Projection:
    """Return the answer for an empty polyhedron."""
    n_features = len(system.point)
    return Projection(
        point=np.full(n_features, np.nan),
        distance=np.inf,
        active=np.empty(0, dtype=np.intp),
        multipliers=np.zeros(system.n_constraints),
        status="empty",
        primal_residual=np.inf,
        dual_residual=0.0,
        gap=0.0,
        iterations=iterations,
        solver=solver,
    )


def _primal_residual(system: System, move: Floats, distance: float) -> float:
    """Largest violation relative to the numbers whose rounding it carries."""
    excess = system.rows @ move - system.heights
    excess = np.where(system.is_equality, np.abs(excess), excess)
    worst = float(max(0.0, excess.max(initial=0.0)))
    size = system.size + distance
    return worst / size if worst > 0 else 0.0


def _dual_residual_and_gap(
    system: System, move: Floats, multipliers: Floats, distance: float
) -> tuple[float, float]:
    """Stationarity and duality gap (weak duality proves nearness without trusting a solver).

    Norm 2: ``z + G'u = 0`` and ``u'(h - Gz) + |z + G'u|^2 / 2 = 0``. Norms inf and 1:
    ``|G'u| <= 1`` in the dual norm and ``|z| + u'h = 0``.
    """
    pull = system.rows.T @ multipliers
    wrong_sign = float(max(0.0, -multipliers[~system.is_equality].min(initial=0.0)))
    slack = system.heights - system.rows @ move
    if distance == 0.0:
        return 0.0, 0.0  # nothing is shorter than no move
    if system.metric.norm == 2.0:
        stationarity = float(np.abs(move + pull).max())
        gap = multipliers @ slack + 0.5 * np.sum((move + pull) ** 2)
        return max(stationarity, wrong_sign) / distance, abs(float(gap)) / distance**2
    dual_norm = 1.0 if system.metric.norm == np.inf else np.inf
    excess = float(np.linalg.norm(pull, ord=dual_norm)) - 1.0
    gap = distance + multipliers @ system.heights
    return max(0.0, excess, wrong_sign), abs(float(gap)) / distance
