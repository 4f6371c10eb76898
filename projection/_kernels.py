"""Compiled loops: projections onto halfspaces and the best-first search of a partition.

Everything is said in metric units relative to the case: a row of unit length ``w`` with the
value ``r = w . x - c`` at the case restricts the move ``z`` by ``sign * (r + w . z) <= 0``.
A cell is the list of its rows with a sign each (+1 left of the plane, -1 right of it).

They share one file because a cached kernel does not notice changes of a callee elsewhere.
"""

import math
from typing import NamedTuple

import numpy as np

from projection._checks import Flags, Floats, Integers
from projection.jit import jit

OPTIMAL, EMPTY, FAILED = 0, 1, 2

# A row counts as dependent on the active ones when the sine of its angle to them is below 1e-11.
DEPENDENT_SQUARED = 1e-22
# Violations below this share of the distance are rounding noise of the projection itself.
NOISE = 1e-13


# --- vectors -------------------------------------------------------------------------------


@jit
def dot(a: Floats, b: Floats) -> float:
    """Inner product, summed in index order."""
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@jit
def add_multiple(target: Floats, factor: float, vector: Floats) -> None:
    """Add ``factor * vector`` to `target`."""
    for j in range(target.shape[0]):
        target[j] += factor * vector[j]


# --- norm 2: dual active set -----------------------------------------------------------------


class ActiveSet(NamedTuple):
    """Workspace of the dual active-set method; the first k rows of each array are in use."""

    position: Integers  # place of each active row in the cell's list
    multiplier: Floats
    basis: Floats  # orthonormal rows Q
    triangle: Floats  # R, with signed normal i = sum_l R[l, i] Q[l]
    along: Floats  # coordinates of the entering normal in the basis
    change: Floats  # fall of each multiplier per unit of the entering one
    rest: Floats  # part of the entering normal outside the basis


def make_active_set(n_rows: int, n_features: int) -> ActiveSet:
    """Allocate a workspace for cells of at most `n_rows` rows."""
    size = min(n_rows, n_features) + 2
    return ActiveSet(
        np.zeros(size, dtype=np.int64),
        np.zeros(size),
        np.zeros((size, n_features)),
        np.zeros((size, size)),
        np.zeros(size),
        np.zeros(size),
        np.zeros(n_features),
    )


@jit
def most_violated(
    normals: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    move: Floats,
    k: int,
    work: ActiveSet,
    tolerance: float,
) -> int:
    """Place of the inactive row that `move` violates most, or -1."""
    worst = -1
    largest = tolerance
    for p in range(count):
        row = rows[p]
        excess = values[row]
        if k > 0:
            excess += dot(normals[row], move)
        excess *= signs[p]
        if excess > largest:
            inactive = True
            for i in range(k):
                if work.position[i] == p:
                    inactive = False
            if inactive:
                largest = excess
                worst = p
    return worst


@jit
def split_normal(normal: Floats, sign: float, k: int, work: ActiveSet) -> float:
    """Split a signed normal along the basis; return the squared length of the rest.

    Two passes of Gram-Schmidt keep the basis orthogonal to working precision.
    """
    for j in range(normal.shape[0]):
        work.rest[j] = sign * normal[j]
    for i in range(k):
        work.along[i] = 0.0
    if k > 0:
        for _ in range(2):
            for i in range(k):
                share = dot(work.basis[i], work.rest)
                work.along[i] += share
                add_multiple(work.rest, -share, work.basis[i])
    return dot(work.rest, work.rest)


@jit
def solve_triangle(right: Floats, k: int, work: ActiveSet) -> None:
    """Solve ``R change = right`` for the first k unknowns."""
    for i in range(k - 1, -1, -1):
        total = right[i]
        for j in range(i + 1, k):
            total -= work.triangle[i, j] * work.change[j]
        work.change[i] = total / work.triangle[i, i]


@jit
def drop_active(out: int, k: int, work: ActiveSet) -> None:
    """Take active row number `out` away and restore the triangle by plane rotations."""
    for i in range(out, k - 1):
        work.position[i] = work.position[i + 1]
        work.multiplier[i] = work.multiplier[i + 1]
        for j in range(i + 2):
            work.triangle[j, i] = work.triangle[j, i + 1]
    for i in range(out, k - 1):
        a = work.triangle[i, i]
        b = work.triangle[i + 1, i]
        length = math.hypot(a, b)
        cosine = a / length
        sine = b / length
        for j in range(i, k - 1):
            upper = work.triangle[i, j]
            lower = work.triangle[i + 1, j]
            work.triangle[i, j] = cosine * upper + sine * lower
            work.triangle[i + 1, j] = cosine * lower - sine * upper
        for j in range(work.basis.shape[1]):
            upper = work.basis[i, j]
            lower = work.basis[i + 1, j]
            work.basis[i, j] = cosine * upper + sine * lower
            work.basis[i + 1, j] = cosine * lower - sine * upper


@jit
def append_active(
    place: int, pressure: float, squared_rest: float, k: int, work: ActiveSet
) -> None:
    """Make the split normal the last active row."""
    length = math.sqrt(squared_rest)
    for j in range(work.rest.shape[0]):
        work.basis[k, j] = work.rest[j] / length
    for i in range(k):
        work.triangle[i, k] = work.along[i]
    work.triangle[k, k] = length
    work.position[k] = place
    work.multiplier[k] = pressure


@jit
def enter_row(
    normals: Floats,
    values: Floats,
    row: int,
    sign: float,
    place: int,
    move: Floats,
    k: int,
    work: ActiveSet,
) -> int:
    """Raise the multiplier of a violated row until it holds; return the new k, or -1 if empty.

    One major step of Goldfarb and Idnani (1983) for the identity Hessian: full steps move the
    point, partial steps drop the row whose multiplier reaches zero first.
    """
    pressure = 0.0
    while True:
        squared_rest = split_normal(normals[row], sign, k, work)
        solve_triangle(work.along, k, work)
        dependent = squared_rest < DEPENDENT_SQUARED or k >= normals.shape[1]
        partial = np.inf
        out = -1
        for i in range(k):
            if work.change[i] > 1e-14 and work.multiplier[i] < partial * work.change[i]:
                partial = work.multiplier[i] / work.change[i]
                out = i
        full = np.inf
        if not dependent:
            full = sign * (values[row] + dot(normals[row], move)) / squared_rest
        step = min(partial, full)
        if step == np.inf:
            return -1
        if not dependent:
            add_multiple(move, -step, work.rest)
        for i in range(k):
            work.multiplier[i] -= step * work.change[i]
        pressure += step
        if full <= partial:
            append_active(place, pressure, squared_rest, k, work)
            return k + 1
        drop_active(out, k, work)
        k -= 1


@jit
def polish(
    values: Floats, rows: Integers, signs: Floats, move: Floats, k: int, work: ActiveSet
) -> float:
    """Recompute move and multipliers from the active rows alone; return the squared length."""
    squared = 0.0
    for j in range(move.shape[0]):
        move[j] = 0.0
    for i in range(k):
        place = work.position[i]
        total = -signs[place] * values[rows[place]]
        for j in range(i):
            total -= work.triangle[j, i] * work.along[j]
        work.along[i] = total / work.triangle[i, i]
        add_multiple(move, work.along[i], work.basis[i])
        squared += work.along[i] * work.along[i]
    solve_triangle(work.along, k, work)
    for i in range(k):
        work.multiplier[i] = -work.change[i]
    return squared


@jit
def project_rows(
    normals: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    move: Floats,
    work: ActiveSet,
    tolerance: float,
) -> tuple[int, int, float]:
    """Shortest move into a cell: (verdict, number of active rows, squared length).

    Finite and exact up to rounding. `move` and the first k entries of `work.position` and
    `work.multiplier` receive the answer.
    """
    k = 0
    for j in range(move.shape[0]):
        move[j] = 0.0
    squared = 0.0
    for _ in range(20 * (count + 5)):
        noise = max(tolerance, NOISE * math.sqrt(squared))
        place = most_violated(normals, values, rows, signs, count, move, k, work, noise)
        if place < 0:
            if k > 0:
                squared = polish(values, rows, signs, move, k, work)
            return OPTIMAL, k, squared
        k = enter_row(normals, values, rows[place], signs[place], place, move, k, work)
        if k < 0:
            return EMPTY, 0, np.inf
        squared = dot(move, move)
    return FAILED, k, squared


# --- norm 2: methods of sweeps -----------------------------------------------------------------


@jit
def largest_excess(rows: Floats, heights: Floats, is_equality: Flags, move: Floats) -> float:
    """Largest violation of the rows by `move`."""
    worst = 0.0
    for i in range(rows.shape[0]):
        excess = dot(rows[i], move) - heights[i]
        if is_equality[i]:
            excess = abs(excess)
        worst = max(worst, excess)
    return worst


@jit
def sweep_hildreth(
    rows: Floats,
    heights: Floats,
    is_equality: Flags,
    tolerance: float,
    max_iter: int,
    move: Floats,
    multipliers: Floats,
) -> int:
    """Hildreth's dual coordinate ascent; return the sweeps made, negative if not converged.

    A change below the tolerance alone is no proof, so violation is checked as well.
    """
    for sweep in range(max_iter):
        change = 0.0
        for i in range(rows.shape[0]):
            raised = multipliers[i] + dot(rows[i], move) - heights[i]
            if raised < 0.0 and not is_equality[i]:
                raised = 0.0
            difference = raised - multipliers[i]
            if difference != 0.0:
                add_multiple(move, -difference, rows[i])
                multipliers[i] = raised
                change = max(change, abs(difference))
        still = change <= tolerance
        if still and largest_excess(rows, heights, is_equality, move) <= tolerance:
            return sweep + 1
    return -max_iter


@jit
def sweep_dykstra(
    rows: Floats,
    heights: Floats,
    is_equality: Flags,
    tolerance: float,
    max_iter: int,
    move: Floats,
    corrections: Floats,
) -> int:
    """Dykstra's algorithm with one correction vector a set; return the sweeps as above.

    Each set is projected onto after its last correction has been given back.
    """
    for sweep in range(max_iter):
        change = 0.0
        for i in range(rows.shape[0]):
            add_multiple(move, 1.0, corrections[i])
            excess = dot(rows[i], move) - heights[i]
            if excess < 0.0 and not is_equality[i]:
                excess = 0.0
            add_multiple(move, -excess, rows[i])
            for j in range(move.shape[0]):
                corrected = excess * rows[i, j]
                change = max(change, abs(corrected - corrections[i, j]))
                corrections[i, j] = corrected
        still = change <= tolerance
        if still and largest_excess(rows, heights, is_equality, move) <= tolerance:
            return sweep + 1
    return -max_iter


@jit
def sweep_alternating(
    rows: Floats,
    heights: Floats,
    is_equality: Flags,
    tolerance: float,
    max_iter: int,
    averaged: bool,
    move: Floats,
    total: Floats,
) -> int:
    """Alternating projections, cyclic or averaged; return the sweeps as above."""
    m = rows.shape[0]
    for sweep in range(max_iter):
        if largest_excess(rows, heights, is_equality, move) <= tolerance:
            return sweep + 1
        for j in range(move.shape[0]):
            total[j] = 0.0
        for i in range(m):
            excess = dot(rows[i], move) - heights[i]
            if excess < 0.0 and not is_equality[i]:
                excess = 0.0
            if averaged:
                add_multiple(total, -excess / m, rows[i])
            else:
                add_multiple(move, -excess, rows[i])
        add_multiple(move, 1.0, total)
    return -max_iter
