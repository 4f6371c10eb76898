"""Phase I: whether a polyhedron is empty, flat, or holds a ball."""

from typing import NamedTuple

import numpy as np

from projection._checks import Floats
from projection.exceptions import ProjectionError
from projection.metric import row_lengths
from projection.polyhedron import Polyhedron


class Interior(NamedTuple):
    """Answer of `find_interior`.

    Attributes
    ----------
    kind : {"full", "flat", "empty"}
        Whether a ball fits inside, only points without interior exist, or nothing at all.
    center : array of shape (n_features,)
        Centre of a large inscribed ball (a point of the set when flat; NaN when empty).
    radius : float
        Its radius, at most the size of the offsets; 0 when flat, negative when empty
        (how far every point misses its worst constraint).
    """

    kind: str
    center: Floats
    radius: float


def find_interior(polyhedron: Polyhedron, *, tol: float = 1e-9) -> Interior:
    """Solve ``max t`` subject to ``a_i . y + t |a_i| <= b_i`` (Chebyshev centre, phase I).

    Parameters
    ----------
    polyhedron : Polyhedron
    tol : float, default=1e-9
        Radii within `tol` times the size of the offsets count as zero.

    Notes
    -----
    With equalities the set is flat at best; the radius then speaks of the inequalities alone
    and `kind` is "flat".

    References
    ----------
    S. Boyd, L. Vandenberghe (2004). Convex Optimization. Cambridge University Press, sections
    4.3.1 (Chebyshev centre) and 11.4 (phase I).
    """
    matrix, offsets, is_equality = polyhedron.constraints()
    keep = np.isfinite(offsets)
    matrix, offsets, is_equality = matrix[keep], offsets[keep], is_equality[keep]
    norms = row_lengths(matrix)
    void = norms == 0
    if (np.where(is_equality, np.abs(offsets), -offsets)[void] > 0).any():
        return _empty(polyhedron, -np.inf)
    rows = matrix[~void] / norms[~void, None]
    heights = offsets[~void] / norms[~void]
    equal = is_equality[~void]
    size = float(np.abs(heights).max(initial=0.0)) or 1.0
    center, radius = _largest_ball(rows, heights / size, equal)
    if radius < -tol:
        return _empty(polyhedron, radius * size)
    if radius <= tol or equal.any():
        return Interior("flat", center * size, 0.0)
    return Interior("full", center * size, radius * size)


def _largest_ball(rows: Floats, heights: Floats, equal: np.ndarray) -> tuple[Floats, float]:
    """Centre and radius (at most 1, negative when the rows contradict each other)."""
    from scipy.optimize import linprog  # slow to import, rarely needed

    n_features = rows.shape[1]
    # equalities are relaxed like pairs of inequalities, so that a miss has a size as well
    both = np.vstack([rows, -rows[equal]])
    right = np.concatenate([heights, -heights[equal]])
    answer = linprog(
        np.append(np.zeros(n_features), -1.0),
        A_ub=np.column_stack([both, np.ones(len(both))]),
        b_ub=right,
        bounds=[(None, None)] * n_features + [(None, 1.0)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if answer.status != 0:
        raise ProjectionError(f"the linear program of phase I failed: {answer.message}")
    return answer.x[:-1], float(answer.x[-1])


def _empty(polyhedron: Polyhedron, radius: float) -> Interior:
    return Interior("empty", np.full(polyhedron.n_features, np.nan), radius)
