"""Exact solver of the linear program behind robust linear discriminants: edge descent.

It minimises ``F(v) = sum_i cost_i max(0, 1 - a_i . v)``, which is piecewise linear and convex.
A vertex is given by p rows whose hinges bend there (the *basis*). Where a multiplier of the
basis lies outside ``[0, cost]`` its row is let go, and ``v`` moves along the edge so freed, past
as many bends as the slope allows. In terms of the dual program, ``max sum u`` over ``sum u_i a_i
= 0`` and ``0 <= u <= cost``, this is the bounded dual simplex method with long steps. Three
things make it fast: the first vertex is reached by steepest descent within the rows that bend
already; large problems start from the answer of a sample; and hinges that are far from their
bend are taken for straight until the answer shows otherwise.

R. Fourer (1994). Notes on the dual simplex method. Northwestern University.
I. Maros (2003). A generalized dual phase-2 simplex algorithm. European Journal of Operational
Research 149, 1-16.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines import _edge_kernels
from baselines._edge_kernels import AT_BEND, FREE, PAYS, Basis, Model

# Bends are put apart by up to this much, so that no two rows bend at the same place.
NUDGE = 1e-7
# Gap, as a part of the largest possible loss, with which an answer is final.
GAP = 1e-12
ATTEMPTS = 4
# Loss, as a part of the largest possible one, at which the rows may be separable.
ALMOST_NONE = 1e-8
# Problems of more rows start from the answer of every fourth row.
SMALL = 1200
COARSER = 4
# One part in so many of the rows of a large problem bends at first.
BAND = 5

Floats = NDArray[np.float64]


class Descent(NamedTuple):
    """The lowest point found, and what proves that none is lower.

    Attributes
    ----------
    v : ndarray of shape (p,)
    loss : float
        ``F(v)``.
    bound : float
        Value of the dual program at multipliers that meet its constraints up to rounding: no
        loss is smaller. ``loss - bound`` is the gap.
    steps : int
    """

    v: Floats
    loss: float
    bound: float
    steps: int


def edge_descent(A: Floats, cost: Floats) -> Descent:
    """Minimise the sum of ``cost_i max(0, 1 - a_i . v)``.

    Parameters
    ----------
    A : ndarray of shape (p, n)
        C-contiguous and writable; row i of the data is column ``A[:, i]``. Columns of the data
        that depend on earlier ones, but for a millionth, get no weight.
    cost : ndarray of shape (n,)
        Positive, writable.
    """
    p, n = A.shape
    coarsest = 1
    while n > SMALL * coarsest:
        coarsest *= COARSER
    sample = _edge_kernels.every(A, coarsest)
    kept, factor, start = _edge_kernels.least_squares(sample, cost[::coarsest].copy())
    if coarsest > 1 and kept.size < p:
        # Columns may depend on each other in the sample only.
        kept, factor, start = _edge_kernels.least_squares(A, cost)
    rows = A if kept.size == p else A[kept]
    most = float(cost.sum())
    best = Descent(np.zeros(p), most, most if not kept.size else -np.inf, 0)
    for attempt in range(ATTEMPTS if kept.size else 0):
        # A walk that ended in trouble is begun again with bends farther apart.
        rest = _edge_kernels.nudged(n, NUDGE * 8.0**attempt, attempt)
        v = start.copy()
        bound, steps = _from_coarse_to_fine(rows, cost, rest, factor, v, coarsest)
        loss = float(_edge_kernels.loss(rows, cost, v))
        if 0.0 < loss <= ALMOST_NONE * most and (shortest := float((v @ rows).min())) > 0.5:
            # Rows that all but meet their demand meet it with slightly larger weights.
            v /= shortest
            loss = float(_edge_kernels.loss(rows, cost, v))
        best = best._replace(bound=max(best.bound, bound), steps=best.steps + steps)
        if loss < best.loss:
            whole = np.zeros(p)
            whole[kept] = v
            best = best._replace(v=whole, loss=loss)
        if best.loss - best.bound <= GAP * most:
            break
    return best


def _from_coarse_to_fine(
    A: Floats, cost: Floats, rest: Floats, factor: Floats, v: Floats, stride: int
) -> tuple[float, int]:
    """Minimise from v in place; the answer of a sample is where the next larger one starts."""
    steps = 0
    while stride > 1:
        part, costs = _edge_kernels.every(A, stride), cost[::stride].copy()
        steps += _sift(part, costs, rest[::stride].copy(), factor, v, is_last=False)[1]
        stride //= COARSER
    bound, more = _sift(A, cost, rest, factor, v, is_last=True)
    return bound, steps + more


def _sift(
    A: Floats, cost: Floats, rest: Floats, factor: Floats, v: Floats, *, is_last: bool
) -> tuple[float, int]:
    """Minimise from v in place; at first only rows near their bends may bend.

    A straight hinge is a lower bound of the hinge itself. So the answer is right once no
    straight row has passed its bend; rows that have are let bend, and the walk goes on.
    Returns (lower bound, number of steps).
    """
    p, n = A.shape
    inside = np.ones(n, np.bool_)
    status = np.empty(n)
    margin = np.empty(n)
    if n > 2 * SMALL:
        _edge_kernels.margins(A, v, rest, margin)
        inside = _near(margin, max(SMALL, n // BAND))
    basis = Basis(np.full(p, -1), np.empty((p, p)), np.empty(p), np.empty((p, p)))
    steps, is_begun = 0, False
    start = v.copy()
    while True:
        where = np.flatnonzero(inside)
        model = Model(A, cost, rest, np.zeros(p), True)
        if where.size < n:
            status = np.where(margin > 0.0, PAYS, FREE)
            status[where] = FREE
            _edge_kernels.sum_paying(A, cost, status, np.empty(n), model.pull)
            part = np.take(A, where, axis=1)
            model = Model(part, cost[where], rest[where], model.pull, False)
        own, more, is_bounded = _edge_kernels.minimise(model, basis, v, factor, is_begun, is_last)
        steps += more
        if not is_bounded and where.size < n:
            # The straight rows pull for ever: more rows must bend.
            v[:] = start
            inside, is_begun = _near(margin, 2 * where.size), False
            continue
        status[where] = own
        is_real = basis.rows >= 0
        bending = where[basis.rows[is_real]]
        if where.size < n:
            _edge_kernels.margins(A, v, np.ones(n) if is_last else rest, margin)
            passed = ~inside & (status * margin < -AT_BEND)
            if passed.any():
                inside |= passed
                basis.rows[is_real] = np.searchsorted(np.flatnonzero(inside), bending)
                # The other straight rows stay on their side.
                margin[~inside] = status[~inside]
                is_begun = True
                continue
        basis.rows[is_real] = bending
        return (_edge_kernels.dual_value(A, cost, status, basis) if is_last else -np.inf), steps


def _near(margin: Floats, count: int) -> NDArray[np.bool_]:
    """Flag about ``count`` rows of smallest margin, all rows where that is the most of them."""
    if 2 * count >= margin.size:
        return np.ones(margin.size, np.bool_)
    sizes = np.abs(margin)
    sample = np.sort(sizes[:: max(1, margin.size // 2000)])
    return sizes <= sample[sample.size * count // margin.size]
