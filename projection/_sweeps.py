"""Compiled sweeps over halfspaces: Hildreth, Dykstra, alternating projections.

Rows have unit length and are seen from the case: a move ``z`` must satisfy ``rows @ z <= heights``
(``==`` where `is_equality`).
"""

from projection._checks import Flags, Floats
from projection.jit import jit


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
