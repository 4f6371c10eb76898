"""Compiled loops: exact projections onto halfspaces and the best-first search of a partition.

Everything is said in metric units relative to the case: a row of unit length ``w`` with the
value ``r = w . x - c`` at the case restricts the move ``z`` by ``sign * (r + w . z) <= 0``.
A cell is the list of its rows with a sign each (+1 left of the plane, -1 right of it). Rows may
be longer than a move: coordinates that must not move stand behind those that may.

The functions share one file because a cached kernel does not notice changes of a callee in
another file. They pass arrays one by one, and a matrix with the number of a row instead of the
row: every record or view handed on has its references counted in and out, which at a microsecond
a case is most of the time.
"""

import math

import numpy as np

from projection._checks import Flags, Floats, Integers
from projection.jit import embed, embed_sum, jit, lean

OPTIMAL, EMPTY, FAILED = 0, 1, 2

# A row counts as dependent on the active ones when the sine of its angle to them is below 1e-11.
DEPENDENT_SQUARED = 1e-22
# Violations below this share of the distance are rounding noise of the projection itself.
NOISE = 1e-13
# Cells thinner than this share of their distances from the origin have no interior.
THIN = 1e-12
EPSILON = 2.220446049250313e-16


# --- vectors -------------------------------------------------------------------------------


@embed_sum
def dot(matrix: Floats, row: int, vector: Floats) -> float:
    """Inner product of the start of a row with a vector."""
    total = 0.0
    for j in range(vector.shape[0]):
        total += matrix[row, j] * vector[j]
    return total


@embed_sum
def dot_rows(matrix: Floats, first: int, other: Floats, second: int, n: int) -> float:
    """Inner product of the first `n` numbers of two rows."""
    total = 0.0
    for j in range(n):
        total += matrix[first, j] * other[second, j]
    return total


@embed
def add_row(target: Floats, factor: float, matrix: Floats, row: int) -> None:
    """Add ``factor * matrix[row]`` to `target`."""
    for j in range(target.shape[0]):
        target[j] += factor * matrix[row, j]


@embed
def worst_row(
    normals: Floats, values: Floats, rows: Integers, signs: Floats, count: int, move: Floats
) -> float:
    """Largest violation of a cell's rows by a move (negative inside)."""
    worst = -np.inf
    for p in range(count):
        row = rows[p]
        worst = max(worst, signs[p] * (values[row] + dot(normals, row, move)))
    return worst


# --- norm 2: dual active set -----------------------------------------------------------------
#
# Workspace for k active rows:
#   position[i]       place of an active row in the cell's list
#   dual[MULTIPLIER]  multipliers; dual[ALONG]: coordinates of the entering normal in the basis;
#                     dual[CHANGE]: fall of each multiplier per unit of the entering one
#   basis[i]          orthonormal rows Q; basis[k] holds what the entering normal has beside them
#   triangle          R, with signed normal i = sum_l R[l, i] Q[l]

MULTIPLIER, ALONG, CHANGE = 0, 1, 2


def make_active_set(n_rows: int, n_features: int) -> tuple[Integers, Floats, Floats, Floats]:
    """Allocate (position, dual, basis, triangle) for cells of at most `n_rows` rows."""
    size = min(n_rows, n_features) + 2
    return (
        np.zeros(size, dtype=np.int64),
        np.zeros((3, size)),
        np.zeros((size, n_features)),
        np.zeros((size, size)),
    )


@embed
def most_violated(
    normals: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    move: Floats,
    length: float,
    k: int,
    position: Integers,
    tolerance: float,
) -> tuple[int, float]:
    """Place of the inactive row that a move of this length violates most, or -1; its excess.

    A row of unit length changes by at most the length of the move, which spares most products.
    """
    worst = -1
    largest = tolerance
    for p in range(count):
        row = rows[p]
        excess = signs[p] * values[row]
        if excess + length <= largest:
            continue
        if k > 0:
            excess += signs[p] * dot(normals, row, move)
        if excess > largest:
            inactive = True
            for i in range(k):
                if position[i] == p:
                    inactive = False
            if inactive:
                largest = excess
                worst = p
    return worst, largest


@embed
def split_normal(
    normals: Floats, row: int, sign: float, k: int, dual: Floats, basis: Floats
) -> float:
    """Split a signed normal along the basis; return the squared length of the rest.

    Two passes of Gram-Schmidt keep the basis orthogonal to working precision.
    """
    n = basis.shape[1]
    for j in range(n):
        basis[k, j] = sign * normals[row, j]
    for turn in range(2):
        for i in range(k):
            share = dot_rows(basis, i, basis, k, n)
            dual[ALONG, i] = share if turn == 0 else dual[ALONG, i] + share
            for j in range(n):
                basis[k, j] -= share * basis[i, j]
    return dot_rows(basis, k, basis, k, n)


@embed
def solve_triangle(k: int, dual: Floats, triangle: Floats) -> None:
    """Solve ``R change = along``."""
    for i in range(k - 1, -1, -1):
        total = dual[ALONG, i]
        for j in range(i + 1, k):
            total -= triangle[i, j] * dual[CHANGE, j]
        dual[CHANGE, i] = total / triangle[i, i]


@lean
def drop_active(
    out: int, k: int, position: Integers, dual: Floats, basis: Floats, triangle: Floats
) -> None:
    """Take active row number `out` away and restore the triangle by plane rotations."""
    for i in range(out, k - 1):
        position[i] = position[i + 1]
        dual[MULTIPLIER, i] = dual[MULTIPLIER, i + 1]
        for j in range(i + 2):
            triangle[j, i] = triangle[j, i + 1]
    for i in range(out, k - 1):
        length = math.hypot(triangle[i, i], triangle[i + 1, i])
        cosine = triangle[i, i] / length
        sine = triangle[i + 1, i] / length
        for j in range(i, k - 1):
            upper = triangle[i, j]
            lower = triangle[i + 1, j]
            triangle[i, j] = cosine * upper + sine * lower
            triangle[i + 1, j] = cosine * lower - sine * upper
        for j in range(basis.shape[1]):
            upper = basis[i, j]
            lower = basis[i + 1, j]
            basis[i, j] = cosine * upper + sine * lower
            basis[i + 1, j] = cosine * lower - sine * upper


@embed
def append_active(
    squared_rest: float, k: int, dual: Floats, basis: Floats, triangle: Floats
) -> None:
    """Make the split normal the last row of the basis."""
    length = math.sqrt(squared_rest)
    for j in range(basis.shape[1]):
        basis[k, j] /= length
    for i in range(k):
        triangle[i, k] = dual[ALONG, i]
    triangle[k, k] = length


@embed
def enter_row(
    normals: Floats,
    row: int,
    value: float,
    sign: float,
    place: int,
    excess: float,
    move: Floats,
    squared: float,
    k: int,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
) -> tuple[int, float]:
    """Raise the multiplier of a violated row until it holds.

    One major step of Goldfarb and Idnani (1983) for the identity Hessian: full steps move the
    point, partial steps drop the row whose multiplier reaches zero first. Returns the new number
    of active rows, -1 if the cell is empty, and the squared length of the move.
    """
    pressure = 0.0
    while True:
        squared_rest = split_normal(normals, row, sign, k, dual, basis)
        solve_triangle(k, dual, triangle)
        partial = np.inf
        out = -1
        for i in range(k):
            fall = dual[CHANGE, i]
            if fall > 1e-14 and dual[MULTIPLIER, i] < partial * fall:
                partial = dual[MULTIPLIER, i] / fall
                out = i
        full = np.inf
        if squared_rest >= DEPENDENT_SQUARED and k < move.shape[0]:
            full = excess / squared_rest
        step = min(partial, full)
        if step == np.inf:
            return -1, np.inf
        if full < np.inf:
            add_row(move, -step, basis, k)
            squared += step * squared_rest * (step + 2.0 * pressure)
        for i in range(k):
            dual[MULTIPLIER, i] -= step * dual[CHANGE, i]
        pressure += step
        if full <= partial:
            append_active(squared_rest, k, dual, basis, triangle)
            position[k] = place
            dual[MULTIPLIER, k] = pressure
            return k + 1, squared
        drop_active(out, k, position, dual, basis, triangle)
        k -= 1
        excess = sign * (value + dot(normals, row, move))


@embed
def polish(
    values: Floats,
    rows: Integers,
    signs: Floats,
    move: Floats,
    k: int,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
) -> float:
    """Recompute move and multipliers from the active rows alone; return the squared length."""
    squared = 0.0
    for j in range(move.shape[0]):
        move[j] = 0.0
    for i in range(k):
        place = position[i]
        total = -signs[place] * values[rows[place]]
        for j in range(i):
            total -= triangle[j, i] * dual[ALONG, j]
        dual[ALONG, i] = total / triangle[i, i]
        add_row(move, dual[ALONG, i], basis, i)
        squared += dual[ALONG, i] * dual[ALONG, i]
    solve_triangle(k, dual, triangle)
    for i in range(k):
        dual[MULTIPLIER, i] = -dual[CHANGE, i]
    return squared


@embed
def enter_first_row(
    normals: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    move: Floats,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
    tolerance: float,
) -> tuple[int, float]:
    """Move onto the plane of the most violated row, which takes no inner products with others.

    Returns the number of active rows, -1 if the cell is empty, and the squared length of the move.
    """
    first, excess = -1, tolerance
    for p in range(count):
        here = signs[p] * values[rows[p]]
        if here > excess:
            first, excess = p, here
    n = move.shape[0]
    if first < 0:
        for j in range(n):
            move[j] = 0.0
        return 0, 0.0
    row = rows[first]
    squared_rest = dot_rows(normals, row, normals, row, n)
    if squared_rest < DEPENDENT_SQUARED:
        return -1, np.inf
    step, length = excess / squared_rest, math.sqrt(squared_rest)
    for j in range(n):
        basis[0, j] = signs[first] / length * normals[row, j]
        move[j] = -step * signs[first] * normals[row, j]
    triangle[0, 0], position[0], dual[MULTIPLIER, 0] = length, first, step
    return 1, step * excess


@embed
def project_rows(
    normals: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    move: Floats,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
    tolerance: float,
) -> tuple[int, int, float]:
    """Shortest move into a cell: (verdict, number of active rows, squared length).

    Finite and exact up to rounding. `move` and the first k entries of `position` and
    `dual[MULTIPLIER]` receive the answer.
    """
    k, squared = enter_first_row(
        normals, values, rows, signs, count, move, position, dual, basis, triangle, tolerance
    )
    if k <= 0:
        return OPTIMAL if k == 0 else EMPTY, 0, squared
    for _ in range(20 * (count + 5)):
        length = math.sqrt(squared)
        noise = max(tolerance, NOISE * length)
        place, excess = most_violated(
            normals, values, rows, signs, count, move, length, k, position, noise
        )
        if place < 0:
            if k > 1:
                squared = polish(values, rows, signs, move, k, position, dual, basis, triangle)
            return OPTIMAL, k, squared
        row = rows[place]
        k, squared = enter_row(
            normals, row, values[row], signs[place], place, excess, move, squared, k,
            position, dual, basis, triangle,
        )  # fmt: skip
        if k < 0:
            return EMPTY, 0, np.inf
    return FAILED, k, squared


@lean
def project_apart(
    normals: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    move: Floats,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
    tolerance: float,
) -> tuple[int, int, float]:
    """`project_rows` for callers to whom a call is cheap: it is compiled once for all of them."""
    return project_rows(
        normals, values, rows, signs, count, move, position, dual, basis, triangle, tolerance
    )


@jit
def project_one(
    normals: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    move: Floats,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
    tolerance: float,
) -> tuple[int, int, float]:
    """`project_rows` for a caller in Python."""
    count = rows.shape[0]
    return project_apart(
        normals, values, rows, signs, count, move, position, dual, basis, triangle, tolerance
    )


# --- norms inf and 1: dual simplex on a small tableau --------------------------------------------
#
# basic_i = table[i, last] + sum_j table[i, j] * nonbasic_j with all nonbasic variables at zero.
# Variables 0 .. n-1 belong to the coordinates, n + p is the slack of the cell's row number p. Row 0
# is the objective, so its coefficients are the reduced costs, which stay non-negative throughout.
#   norm inf: coordinate variable u_j with move_j = flip_j * (t - u_j), 0 <= u_j <= 2 t; row 0 is t.
#   norm 1:   coordinate variable p_j with move_j = flip_j * p_j, p_j >= 0; its opposite has the
#             reduced cost 2 - cost_j.
# planes[row] = (weights ..., offset, reach): reach is one over the dual norm of the weights.

SMALLEST_PIVOT = 1e-11
OFFSET, REACH = -2, -1


@lean
def fill_for_largest(
    normals: Floats,
    values: Floats,
    scale: float,
    rows: Integers,
    signs: Floats,
    count: int,
    first: int,
    table: Floats,
    basic: Integers,
    nonbasic: Integers,
    flip: Floats,
) -> None:
    """Write the tableau of norm inf in which row `first`, of reach `scale`, has entered."""
    n = flip.shape[0]
    last = table.shape[1] - 1
    for j in range(n):
        slope = signs[first] * normals[rows[first], j]
        flip[j] = -1.0 if slope > 0.0 else 1.0
        table[0, j] = abs(slope) * scale
        nonbasic[j] = j
    table[0, n] = scale
    nonbasic[n] = n + first
    table[0, last] = signs[first] * values[rows[first]] * scale
    used = 1
    for p in range(count):
        if p == first:
            continue
        total = signs[p] * dot(normals, rows[p], flip)
        for j in range(n):
            table[used, j] = signs[p] * normals[rows[p], j] * flip[j] - total * table[0, j]
        table[used, n] = -total * scale
        table[used, last] = -signs[p] * values[rows[p]] - total * table[0, last]
        basic[used] = n + p
        used += 1


@lean
def fill_for_sum(
    normals: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    table: Floats,
    basic: Integers,
    nonbasic: Integers,
    flip: Floats,
) -> None:
    """Write the tableau of norm 1 at the case itself (column n stays empty)."""
    n = flip.shape[0]
    last = table.shape[1] - 1
    for j in range(n):
        flip[j] = 1.0
        table[0, j] = 1.0
        nonbasic[j] = j
    table[0, last] = 0.0
    for p in range(count):
        for j in range(n):
            table[p + 1, j] = -signs[p] * normals[rows[p], j]
        table[p + 1, last] = -signs[p] * values[rows[p]]
        basic[p + 1] = n + p


@embed
def leaving_row(
    n_rows: int, largest: bool, noise: float, table: Floats, basic: Integers, flip: Floats
) -> int:
    """Row with the most negative value, or 0 when none is negative.

    For norm inf a coordinate above its bound 2t is first replaced by its complement 2t - u.
    """
    last = table.shape[1] - 1
    out = 0
    lowest = -noise
    for i in range(1, n_rows):
        is_coordinate = largest and basic[i] < flip.shape[0]
        if is_coordinate and table[i, last] > 2.0 * table[0, last] + noise:
            for j in range(last + 1):
                table[i, j] = 2.0 * table[0, j] - table[i, j]
            flip[basic[i]] *= -1.0
        if table[i, last] < lowest:
            lowest = table[i, last]
            out = i
    return out


@embed
def entering_column(
    out: int,
    n_columns: int,
    largest: bool,
    own_opposite: bool,
    table: Floats,
    nonbasic: Integers,
    n: int,
) -> int:
    """Column of the ratio test; -1 if none fits, -2 if the row's own opposite is cheapest.

    A fitting column with a negative entry (norm 1 only) is for the caller to turn round. The last
    row of the table holds the ratios: divided first and compared after, they are quick to find.
    """
    ratios = table.shape[0] - 1
    for j in range(n_columns):
        slope, cost = table[out, j], table[0, j]
        if slope < 0.0 and not largest and nonbasic[j] < n:
            slope, cost = -slope, 2.0 - cost
        cost = cost if cost > 0.0 else 0.0
        table[ratios, j] = cost / slope if slope > SMALLEST_PIVOT else np.inf
    lowest, chosen = np.inf, -1
    for j in range(n_columns):
        if table[ratios, j] < lowest:
            lowest, chosen = table[ratios, j], j
    if own_opposite and not lowest < 2.0 - 1e-12:
        return -2
    if chosen < 0:
        return -1
    # among equal ratios the largest pivot is the safest
    for j in range(n_columns):
        tie = table[ratios, j] <= lowest + 1e-12
        if tie and abs(table[out, j]) > abs(table[out, chosen]):
            chosen = j
    return chosen


@lean
def turn_column(column: int, n_rows: int, table: Floats) -> None:
    """Let a nonbasic coordinate of norm 1 move the other way."""
    table[0, column] = 2.0 - table[0, column]
    for i in range(1, n_rows):
        table[i, column] *= -1.0


@lean
def turn_row(out: int, n_columns: int, table: Floats) -> None:
    """Replace a negative basic coordinate of norm 1 by its opposite."""
    last = table.shape[1] - 1
    for j in range(n_columns):
        table[0, j] -= 2.0 * table[out, j]
        table[out, j] *= -1.0
    table[0, last] -= 2.0 * table[out, last]
    table[out, last] *= -1.0


@embed
def pivot(out: int, column: int, n_rows: int, table: Floats) -> None:
    """Exchange a basic and a nonbasic variable."""
    n_columns = table.shape[1]
    inverse = 1.0 / table[out, column]
    for j in range(n_columns):
        table[out, j] *= -inverse
    table[out, column] = inverse
    for i in range(n_rows):
        slope = table[i, column]
        if i == out or slope == 0.0:
            continue
        table[i, column] = 0.0
        for j in range(n_columns):
            table[i, j] += slope * table[out, j]


@lean
def read_move(
    n_rows: int, largest: bool, move: Floats, table: Floats, basic: Integers, flip: Floats
) -> None:
    """Move of the final tableau."""
    n = flip.shape[0]
    last = table.shape[1] - 1
    for j in range(n):
        move[j] = flip[j] * table[0, last] if largest else 0.0
    for i in range(1, n_rows):
        j = basic[i]
        if j < n:
            held = table[0, last] - table[i, last] if largest else table[i, last]
            move[j] = flip[j] * held


@lean
def run_simplex(
    n_rows: int,
    largest: bool,
    limit: int,
    tolerance: float,
    table: Floats,
    basic: Integers,
    nonbasic: Integers,
    flip: Floats,
) -> int:
    """Pivot until every value is non-negative: the verdict."""
    n = flip.shape[0]
    last = table.shape[1] - 1
    n_columns = n + 1 if largest else n
    for _ in range(limit):
        noise = max(tolerance, NOISE * table[0, last])
        out = leaving_row(n_rows, largest, noise, table, basic, flip)
        if out == 0:
            return OPTIMAL
        own_opposite = not largest and basic[out] < n
        column = entering_column(out, n_columns, largest, own_opposite, table, nonbasic, n)
        if column == -1:
            return EMPTY
        if column == -2:
            turn_row(out, n_columns, table)
            flip[basic[out]] *= -1.0
            continue
        if table[out, column] < 0.0:
            turn_column(column, n_rows, table)
            flip[nonbasic[column]] *= -1.0
        pivot(out, column, n_rows, table)
        basic[out], nonbasic[column] = nonbasic[column], basic[out]
    return FAILED


@embed
def farthest_beyond(
    planes: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    move: Floats,
    tolerance: float,
    picked: Integers,
    n_picked: int,
) -> int:
    """Place of the row beyond which a move lies farthest, those picked apart, or -1 if of none."""
    worst, largest = -1, tolerance
    for p in range(count):
        excess = signs[p] * (values[rows[p]] + dot(planes, rows[p], move))
        if excess > largest:
            is_new = True
            for i in range(n_picked):
                is_new = is_new and picked[i] != rows[p]
            if is_new:
                worst, largest = p, excess
    return worst


@lean
def move_by_simplex(
    planes: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    largest: bool,
    move: Floats,
    picked: Integers,
    picked_signs: Floats,
    table: Floats,
    basic: Integers,
    nonbasic: Integers,
    flip: Floats,
    tolerance: float,
) -> tuple[int, float]:
    """Shortest move into a cell in the norm inf (`largest`) or 1: (verdict, length).

    Solved for one row, then for more, the worst violated added each time: few rows bind, and the
    tableau holds only those. A final check against all rows guards against drift; what fails it
    is for the caller to solve elsewhere.
    """
    place = -1
    bound = 0.0
    for p in range(count):
        excess = signs[p] * values[rows[p]]
        if excess > tolerance and excess * planes[rows[p], REACH] > bound:
            bound = excess * planes[rows[p], REACH]
            place = p
    for j in range(move.shape[0]):
        move[j] = 0.0
    if place < 0:
        return OPTIMAL, 0.0
    if bound == np.inf:
        return EMPTY, np.inf
    scale = planes[rows[place], REACH]
    length = bound
    n_picked = 0
    while place >= 0:
        picked[n_picked], picked_signs[n_picked] = rows[place], signs[place]
        n_picked += 1
        if largest and n_picked == 1:
            for j in range(move.shape[0]):
                move[j] = -bound if signs[place] * planes[rows[place], j] > 0.0 else bound
        else:
            if largest:
                fill_for_largest(
                    planes, values, scale, picked, picked_signs, n_picked, 0,
                    table, basic, nonbasic, flip,
                )  # fmt: skip
            else:
                fill_for_sum(
                    planes, values, picked, picked_signs, n_picked, table, basic, nonbasic, flip
                )
            n_rows = n_picked if largest else n_picked + 1
            limit = 20 * (n_picked + move.shape[0])
            verdict = run_simplex(n_rows, largest, limit, tolerance, table, basic, nonbasic, flip)
            if verdict != OPTIMAL:
                return verdict, np.inf
            length = table[0, table.shape[1] - 1]
            read_move(n_rows, largest, move, table, basic, flip)
        noise = max(tolerance, NOISE * length)
        place = farthest_beyond(planes, values, rows, signs, count, move, noise, picked, n_picked)
    if worst_row(planes, values, rows, signs, count, move) > 100 * max(tolerance, NOISE * length):
        return FAILED, length
    return OPTIMAL, length


# --- queue of a best-first search ----------------------------------------------------------------
#
# A binary heap by `bounds`; entries[i] = (node, state, whether the bound is the node's own
# projection).


@embed
def push(
    bounds: Floats, entries: Integers, size: int, bound: float, node: int, state: int, exact: int
) -> int:
    """Insert an entry; return the new size."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if bounds[parent] <= bound:
            break
        bounds[i] = bounds[parent]
        for c in range(3):
            entries[i, c] = entries[parent, c]
        i = parent
    bounds[i] = bound
    entries[i, 0] = node
    entries[i, 1] = state
    entries[i, 2] = exact
    return size + 1


@embed
def pop(bounds: Floats, entries: Integers, size: int) -> int:
    """Remove the first entry (read it before); return the new size."""
    size -= 1
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and bounds[child + 1] < bounds[child]:
            child += 1
        if bounds[size] <= bounds[child]:
            break
        bounds[i] = bounds[child]
        for c in range(3):
            entries[i, c] = entries[child, c]
        i = child
    bounds[i] = bounds[size]
    for c in range(3):
        entries[i, c] = entries[size, c]
    return size


# --- best-first search of a partition ------------------------------------------------------------
#
# nodes[v] = (left, right, parent, side, row, set): side is +1 for a left child and -1 for a right
# one; set is -1 for a linear test. A test on categories has two rows, which say that a change must
# be paid for: the first counts for a case inside the set, the second for a case outside.

LEFT, RIGHT, PARENT, SIDE, ROW, SET = 0, 1, 2, 3, 4, 5


@embed
def evaluate(
    nodes: Integers,
    planes: Floats,
    values: Floats,
    chosen: Integers,
    node: int,
    X: Floats,
    case: int,
) -> int:
    """Row of a node, its value at the case computed on first use.

    chosen[node] = (row, case for which it and its value hold).
    """
    if chosen[node, 1] == case:
        return chosen[node, 0]
    row = nodes[node, ROW]
    values[row] = dot_rows(planes, row, X, case, X.shape[1]) - planes[row, OFFSET]
    chosen[node, 0] = row
    chosen[node, 1] = case
    return row


@lean
def choose_category_rows(
    nodes: Integers,
    set_column: Integers,
    members: Flags,
    change_cost: Floats,
    codes: Integers,
    case: int,
    values: Floats,
    chosen: Integers,
) -> None:
    """Choose and value the row of every test on categories."""
    for node in range(nodes.shape[0]):
        tested = nodes[node, SET]
        if tested < 0:
            continue
        column = set_column[tested]
        row = nodes[node, ROW]
        if codes[column] >= 0 and members[tested, codes[column]]:
            values[row] = -change_cost[column]
        else:
            row += 1
            values[row] = change_cost[column]
        chosen[node, 0] = row
        chosen[node, 1] = case


@lean
def value_limits(
    planes: Floats,
    first_row: int,
    from_case: Flags,
    x: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
) -> None:
    """List and value the rows that restrict every move, the last ones of `planes`."""
    for i in range(from_case.shape[0]):
        row = first_row + i
        rows[i] = row
        signs[i] = 1.0
        values[row] = 0.0
        if not from_case[i]:
            values[row] = dot(planes, row, x) - planes[row, OFFSET]


@embed
def list_rows(
    nodes: Integers, chosen: Integers, node: int, count: int, rows: Integers, signs: Floats
) -> int:
    """Write rows and signs of a node's cell from place `count` on; return their number."""
    while nodes[node, PARENT] >= 0:
        parent = nodes[node, PARENT]
        rows[count] = chosen[parent, 0]
        signs[count] = nodes[node, SIDE]
        count += 1
        node = parent
    return count


@embed
def walk(
    nodes: Integers,
    planes: Floats,
    values: Floats,
    chosen: Integers,
    move: Floats,
    useful: Flags,
    wanted: int,
    X: Floats,
    case: int,
    norm: int | None,
    node: int,
    state: int,
    bound: float,
    path: Integers,
    far_bounds: Floats,
) -> tuple[int, int]:
    """Follow a projection down: (number of far children noted, useful leaf reached or -1).

    The near child holds the same projection, so its bound is exact for nothing. Lower bounds of
    the far child: the distance of the case from the plane, if the projection is on the same side
    of it, which is certain without a product when the plane is farther than the projection;
    otherwise, for norm 2, ``bound + here ** 2``, as the angle at a projection is obtuse.
    """
    count = 0
    while nodes[node, LEFT] >= 0:
        row = evaluate(nodes, planes, values, chosen, node, X, case)
        here = values[row]
        far_away = abs(here) * planes[row, REACH]
        if norm is None:
            far_away *= far_away
        if far_away <= bound and state > 0:
            at_case = here
            here += dot(planes, row, move)
            if norm is None:
                far_away = bound + here * here
            elif (at_case > 0.0) != (here > 0.0):
                far_away = bound
        near, far = nodes[node, LEFT], nodes[node, RIGHT]
        if here > 0.0:
            near, far = far, near
        if useful[wanted, far] and far_away < np.inf:
            path[count] = far
            far_bounds[count] = max(far_away, bound)
            count += 1
        if not useful[wanted, near]:
            return count, -1
        node = near
    return count, node


@lean
def limits_leave_room(
    nodes: Integers,
    planes: Floats,
    n_limits: int,
    values: Floats,
    chosen: Integers,
    leaf: int,
    step: float,
    tolerance: float,
    inset: Floats,
    rows: Integers,
    signs: Floats,
    move: Floats,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
) -> bool:
    """Whether the limits allow a point of a cell that is not on the border of a strict test.

    A cell is open towards the planes it lies right of. Where the limits let a case touch it
    there but not enter, no point of it can be reached, so such planes are moved inwards.
    """
    count, node = n_limits, leaf
    for p in range(n_limits):
        inset[rows[p]] = values[rows[p]]
    while nodes[node, PARENT] >= 0:
        parent = nodes[node, PARENT]
        row = chosen[parent, 0]
        rows[count] = row
        signs[count] = nodes[node, SIDE]
        inset[row] = values[row]
        # no move changes the side of a row without a free weight: any value beyond it is inside
        is_settled = planes[row, REACH] == np.inf and values[row] > tolerance
        if signs[count] < 0.0 and nodes[parent, SET] < 0 and not is_settled:
            inset[row] -= step
        count += 1
        node = parent
    verdict, _, _ = project_apart(
        planes, inset, rows, signs, count, move, position, dual, basis, triangle, tolerance
    )
    return verdict != EMPTY


# Cases that walk down to their own cells side by side: while one waits for memory the others go on.
# lanes[b] = (node that a case has come to, -1 once no wanted cell is below; number of tests passed)
LANES = 12
PLACE, PASSED = 0, 1


@embed
def walk_lanes(
    nodes: Integers,
    planes: Floats,
    X: Floats,
    first: int,
    useful: Flags,
    target: Integers,
    lanes: Integers,
    walked: Integers,
    heres: Floats,
) -> None:
    """Walk the cases from `first` on down to their cells, noting tests passed and values there."""
    width = min(lanes.shape[0], X.shape[0] - first)
    for b in range(width):
        lanes[b, PLACE] = 0 if useful[target[first + b], 0] else -1
        lanes[b, PASSED] = 0
    moving = True
    while moving:
        moving = False
        for b in range(width):
            node, passed = lanes[b, PLACE], lanes[b, PASSED]
            if node >= 0 and nodes[node, LEFT] >= 0:
                row = nodes[node, ROW]
                here = dot_rows(planes, row, X, first + b, X.shape[1]) - planes[row, OFFSET]
                walked[b, passed], heres[b, passed] = node, here
                near = nodes[node, RIGHT] if here > 0.0 else nodes[node, LEFT]
                lanes[b, PLACE] = near if useful[target[first + b], near] else -1
                lanes[b, PASSED] = passed + 1
                moving = True


@embed
def push_walked(
    nodes: Integers,
    planes: Floats,
    values: Floats,
    chosen: Integers,
    lanes: Integers,
    lane: int,
    walked: Integers,
    heres: Floats,
    useful: Flags,
    wanted: int,
    case: int,
    norm: int | None,
    bounds: Floats,
    entries: Integers,
) -> int:
    """Queue the far children of the tests that a case passed: the size of the queue."""
    size = 0
    for p in range(lanes[lane, PASSED]):
        node, here = walked[lane, p], heres[lane, p]
        row = nodes[node, ROW]
        values[row] = here
        chosen[node, 0], chosen[node, 1] = row, case
        far = nodes[node, LEFT] if here > 0.0 else nodes[node, RIGHT]
        bound = abs(here) * planes[row, REACH]
        if norm is None:
            bound *= bound
        if useful[wanted, far] and bound < np.inf:
            size = push(bounds, entries, size, bound, far, 0, 0)
    return size


@embed
def search_case(
    nodes: Integers,
    planes: Floats,
    n_limits: int,
    values: Floats,
    inset: Floats,
    chosen: Integers,
    moves: Floats,
    rows: Integers,
    signs: Floats,
    path: Integers,
    far_bounds: Floats,
    bounds: Floats,
    entries: Integers,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
    picked: Integers,
    picked_signs: Floats,
    table: Floats,
    basic: Integers,
    nonbasic: Integers,
    flip: Floats,
    lanes: Integers,
    walked: Integers,
    heres: Floats,
    useful: Flags,
    wanted: int,
    largest_offset: float,
    X: Floats,
    case: int,
    norm: int | None,
) -> tuple[int, float, int, int, int]:
    """Nearest useful leaf of one case: (leaf, bound, state, projections, failures).

    Bounds are exact or lower and the queue is ordered, so the first useful leaf reached is the
    nearest. Norm 2 counts squared distances; norm 0 stands for inf.
    """
    limited = n_limits > 0 or X.shape[1] > moves.shape[1]
    tolerance = 0.0
    for j in range(X.shape[1]):
        tolerance = max(tolerance, 8.0 * EPSILON * abs(X[case, j]))
    states, size, failures = 1, 0, 0
    if lanes.shape[0] > 0:
        lane = case % lanes.shape[0]
        if lanes[lane, PLACE] >= 0:
            return lanes[lane, PLACE], 0.0, 0, 0, 0
        size = push_walked(
            nodes, planes, values, chosen, lanes, lane, walked, heres, useful, wanted, case, norm,
            bounds, entries,
        )  # fmt: skip
    elif useful[wanted, 0]:
        size = push(bounds, entries, size, 0.0, 0, 0, int(n_limits == 0))
    while size > 0:
        bound, node, state, exact = bounds[0], entries[0, 0], entries[0, 1], entries[0, 2]
        size = pop(bounds, entries, size)
        if not exact:
            count = list_rows(nodes, chosen, node, n_limits, rows, signs)
            move = moves[states]
            if norm is None:
                verdict, _, bound = project_rows(
                    planes, values, rows, signs, count, move,
                    position, dual, basis, triangle, tolerance,
                )  # fmt: skip
            else:
                verdict, bound = move_by_simplex(
                    planes, values, rows, signs, count, norm == 0, move, picked, picked_signs,
                    table, basic, nonbasic, flip, tolerance,
                )  # fmt: skip
            failures += int(verdict == FAILED)
            if verdict != OPTIMAL:
                continue
            state = states
            states += 1
            if size > 0 and bound > bounds[0]:
                size = push(bounds, entries, size, bound, node, state, 1)
                continue
        noted, leaf = walk(
            nodes, planes, values, chosen, moves[state], useful, wanted, X, case, norm, node, state,
            bound, path, far_bounds,
        )  # fmt: skip
        if leaf >= 0:
            if not limited:
                return leaf, bound, state, states - 1, failures
            length = max(tolerance / EPSILON, math.sqrt(bound) if norm is None else bound)
            step = THIN * (length if length > 0.0 else largest_offset)
            if limits_leave_room(
                nodes, planes, n_limits, values, chosen, leaf, step, tolerance, inset, rows, signs,
                moves[states], position, dual, basis, triangle,
            ):  # fmt: skip
                return leaf, bound, state, states - 1, failures
        for i in range(noted):
            size = push(bounds, entries, size, far_bounds[i], path[i], state, 0)
    return -1, np.inf, 0, states - 1, failures


@lean
def search_cases(
    nodes: Integers,
    planes: Floats,
    set_column: Integers,
    members: Flags,
    change_cost: Floats,
    from_case: Flags,
    values: Floats,
    inset: Floats,
    chosen: Integers,
    states: Floats,
    rows: Integers,
    signs: Floats,
    path: Integers,
    far_bounds: Floats,
    bounds: Floats,
    entries: Integers,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
    picked: Integers,
    picked_signs: Floats,
    table: Floats,
    basic: Integers,
    nonbasic: Integers,
    flip: Floats,
    lanes: Integers,
    walked: Integers,
    heres: Floats,
    largest_offset: float,
    X: Floats,
    codes: Integers,
    useful: Flags,
    target: Integers,
    norm: int | None,
    leaf: Integers,
    distance: Floats,
    moves: Floats,
    work: Integers,
) -> None:
    """The loop of `search_batch`, apart from it so that no case pays for counting references."""
    n_limits, n_lanes = from_case.shape[0], lanes.shape[0]
    for i in range(X.shape[0]):
        if n_lanes > 0 and i % n_lanes == 0:
            walk_lanes(nodes, planes, X, i, useful, target, lanes, walked, heres)
        if set_column.shape[0] > 0:
            choose_category_rows(
                nodes, set_column, members, change_cost, codes[i], i, values, chosen
            )
        if n_limits > 0:
            first = planes.shape[0] - n_limits
            value_limits(planes, first, from_case, X[i], values, rows, signs)
        found, bound, state, work[i, 0], work[i, 1] = search_case(
            nodes, planes, n_limits, values, inset, chosen, states, rows, signs, path, far_bounds,
            bounds, entries, position, dual, basis, triangle, picked, picked_signs, table, basic,
            nonbasic, flip, lanes, walked, heres, useful, target[i], largest_offset, X, i, norm,
        )  # fmt: skip
        leaf[i] = found
        distance[i] = math.sqrt(bound) if norm is None else bound
        for j in range(moves.shape[1]):
            moves[i, j] = states[state, j] if found >= 0 else 0.0


@jit
def search_batch(
    nodes: Integers,
    planes: Floats,
    set_column: Integers,
    members: Flags,
    change_cost: Floats,
    from_case: Flags,
    max_depth: int,
    n_free: int,
    X: Floats,
    codes: Integers,
    useful: Flags,
    target: Integers,
    norm: int | None,
    leaf: Integers,
    distance: Floats,
    moves: Floats,
    work: Integers,
) -> None:
    """Nearest leaf of every case; row `target[i]` of `useful` marks the subtrees that count.

    work[i] = (exact projections, failed projections).
    """
    n_nodes, n_limits = nodes.shape[0], from_case.shape[0]
    n_rows = max_depth + n_limits
    size = min(n_rows, n_free) + 2
    states = np.empty((n_nodes + 2, n_free))
    states[0] = 0.0
    values, inset = np.empty(planes.shape[0]), np.empty(planes.shape[0])
    chosen = np.full((n_nodes, 2), -1, dtype=np.int64)
    rows, signs = np.empty(n_rows, dtype=np.int64), np.empty(n_rows)
    path, far_bounds = np.empty(max_depth, dtype=np.int64), np.empty(max_depth)
    bounds, entries = np.empty(2 * n_nodes + 2), np.empty((2 * n_nodes + 2, 3), dtype=np.int64)
    position, dual = np.empty(size, dtype=np.int64), np.empty((3, size))
    basis, triangle = np.empty((size, n_free)), np.empty((size, size))
    picked, picked_signs = np.empty(n_rows, dtype=np.int64), np.empty(n_rows)
    table = np.zeros((n_rows + 2, n_free + 2))
    basic, nonbasic = np.empty(n_rows + 1, dtype=np.int64), np.empty(n_free + 1, dtype=np.int64)
    flip = np.empty(n_free)
    largest_offset = 0.0
    if n_limits > 0 or X.shape[1] > n_free:
        # a range may be as wide as one likes, which says nothing about the size of cells
        for row in range(planes.shape[0] - n_limits):
            largest_offset = max(largest_offset, abs(planes[row, OFFSET]))
    # planes through the origin only: any step will do
    largest_offset = largest_offset if largest_offset > 0.0 else 1.0
    plain = n_limits == 0 and X.shape[1] == n_free and set_column.shape[0] == 0
    n_lanes = LANES if plain else 0
    lanes = np.empty((n_lanes, 2), dtype=np.int64)
    walked, heres = np.empty((n_lanes, max_depth), dtype=np.int64), np.empty((n_lanes, max_depth))
    search_cases(
        nodes, planes, set_column, members, change_cost, from_case, values, inset, chosen, states,
        rows, signs, path, far_bounds, bounds, entries, position, dual, basis, triangle, picked,
        picked_signs, table, basic, nonbasic, flip, lanes, walked, heres, largest_offset, X, codes,
        useful, target, norm, leaf, distance, moves, work,
    )  # fmt: skip


# --- single cells of a partition ------------------------------------------------------------------


@jit
def mark_interiors(nodes: Integers, planes: Floats, max_depth: int, room: Flags) -> None:
    """Mark the leaves that hold a ball (tests on categories are not looked at).

    A leaf is projected on from the origin with all its planes moved inwards; the step is above
    the noise of the projection and, at 1e-12 of the offsets, below any width that matters.
    """
    n = planes.shape[1] - 2
    size = min(max_depth, n) + 2
    rows, signs = np.empty(max_depth, dtype=np.int64), np.empty(max_depth)
    position, dual = np.empty(size, dtype=np.int64), np.empty((3, size))
    basis, triangle = np.empty((size, n)), np.empty((size, size))
    values, move = np.empty(planes.shape[0]), np.empty(n)
    for leaf in range(nodes.shape[0]):
        if nodes[leaf, LEFT] >= 0:
            continue
        count, node, largest = 0, leaf, 0.0
        while nodes[node, PARENT] >= 0:
            parent = nodes[node, PARENT]
            if nodes[parent, SET] < 0:
                rows[count] = nodes[parent, ROW]
                signs[count] = nodes[node, SIDE]
                largest = max(largest, abs(planes[rows[count], OFFSET]))
                count += 1
            node = parent
        # planes through the origin only: the cell is a cone and any step will do
        step = THIN * largest if largest > 0.0 else 1.0
        for _ in range(2):
            for p in range(count):
                values[rows[p]] = signs[p] * step - planes[rows[p], OFFSET]
            verdict, _, squared = project_apart(
                planes, values, rows, signs, count, move, position, dual, basis, triangle, 0.0
            )
            room[leaf] = verdict == OPTIMAL
            if verdict != OPTIMAL:
                break
            step = max(step, 10.0 * NOISE * math.sqrt(squared))


@jit
def cell_of_case(
    nodes: Integers,
    planes: Floats,
    set_column: Integers,
    members: Flags,
    change_cost: Floats,
    from_case: Flags,
    max_depth: int,
    x: Floats,
    codes: Integers,
    leaf: int,
) -> tuple[Integers, Floats, Floats]:
    """Rows, signs and values at the case of one cell and the limits."""
    n_limits = from_case.shape[0]
    values = np.empty(planes.shape[0])
    chosen = np.full((nodes.shape[0], 2), -1, dtype=np.int64)
    rows = np.empty(max_depth + n_limits, dtype=np.int64)
    signs = np.empty(max_depth + n_limits)
    choose_category_rows(nodes, set_column, members, change_cost, codes, 0, values, chosen)
    value_limits(planes, planes.shape[0] - n_limits, from_case, x, values, rows, signs)
    node = leaf
    while nodes[node, PARENT] >= 0:
        node = nodes[node, PARENT]
        if chosen[node, 1] < 0:
            row = nodes[node, ROW]
            values[row] = dot(planes, row, x) - planes[row, OFFSET]
            chosen[node, 0], chosen[node, 1] = row, 0
    count = list_rows(nodes, chosen, leaf, n_limits, rows, signs)
    return rows[:count].copy(), signs[:count].copy(), values[rows[:count]]


@jit
def step_where_limits_let(
    planes: Floats,
    values: Floats,
    rows: Integers,
    signs: Floats,
    count: int,
    n_limits: int,
    step: float,
    move: Floats,
    position: Integers,
    dual: Floats,
    basis: Floats,
    triangle: Floats,
) -> int:
    """Step away from all open sides, and from those closed sides that the limits let go of.

    A plane that the limits hold is not to be missed by more than it is. Others may be missed by
    rounding, which a step mends; the one that is missed most comes first.
    """
    inwards = values[rows[:count]]
    untried = np.zeros(count, dtype=np.bool_)
    for p in range(n_limits, count):
        if signs[p] > 0.0:
            untried[p] = True
            values[rows[p]] = min(inwards[p] - step, 0.0)
    verdict, _, _ = project_apart(
        planes, values, rows, signs, count, move, position, dual, basis, triangle, 0.0
    )
    if verdict != OPTIMAL:
        # Rounding alone can leave no move along a plane: it gives way by a step.
        for p in range(n_limits, count):
            if signs[p] > 0.0:
                values[rows[p]] = inwards[p] - 2.0 * step
        verdict, _, _ = project_apart(
            planes, values, rows, signs, count, move, position, dual, basis, triangle, 0.0
        )
        return int(verdict)
    is_last = True
    while untried.any():
        most = -1
        for p in range(n_limits, count):
            if untried[p] and (most < 0 or inwards[p] > inwards[most]):
                most = p
        untried[most] = False
        held = values[rows[most]]
        values[rows[most]] = inwards[most]
        found, _, _ = project_apart(
            planes, values, rows, signs, count, move, position, dual, basis, triangle, 0.0
        )
        is_last = found == OPTIMAL
        if not is_last:
            values[rows[most]] = held
    if not is_last:
        verdict, _, _ = project_apart(
            planes, values, rows, signs, count, move, position, dual, basis, triangle, 0.0
        )
    return int(verdict)


@jit
def step_into_cells(
    nodes: Integers,
    planes: Floats,
    from_case: Flags,
    max_depth: int,
    points: Floats,
    moves: Floats,
    leaf: Integers,
    steps: Floats,
    inside: Flags,
) -> None:
    """Shortest further move to a point `steps[i]` inside every plane of its cell, norm 2.

    `points` are the cases plus `moves` in metric units; both `moves` is updated and `inside` says
    whether such a point exists. Limits are kept but not stepped away from; where they hold a case
    on the closed side of a plane, only the open sides are stepped away from.
    """
    n_free, n_limits = moves.shape[1], from_case.shape[0]
    n_rows = max_depth + n_limits
    size = min(n_rows, n_free) + 2
    rows, signs = np.empty(n_rows, dtype=np.int64), np.empty(n_rows)
    position, dual = np.empty(size, dtype=np.int64), np.empty((3, size))
    basis, triangle = np.empty((size, n_free)), np.empty((size, size))
    values, further = np.empty(planes.shape[0]), np.empty(n_free)
    for i in range(points.shape[0]):
        count, node = 0, leaf[i]
        for row in range(planes.shape[0] - n_limits, planes.shape[0]):
            rows[count] = row
            signs[count] = 1.0
            values[row] = dot(planes, row, points[i]) - planes[row, OFFSET]
            if from_case[count]:
                values[row] = dot(planes, row, moves[i])
            count += 1
        while nodes[node, PARENT] >= 0:
            parent = nodes[node, PARENT]
            if nodes[parent, SET] < 0:
                row = nodes[parent, ROW]
                rows[count] = row
                signs[count] = nodes[node, SIDE]
                values[row] = dot(planes, row, points[i]) - planes[row, OFFSET]
                values[row] += signs[count] * steps[i]
                count += 1
            node = parent
        verdict, _, _ = project_apart(
            planes, values, rows, signs, count, further, position, dual, basis, triangle, 0.0
        )
        if verdict != OPTIMAL:
            verdict = step_where_limits_let(
                planes, values, rows, signs, count, n_limits, steps[i], further, position, dual,
                basis, triangle,
            )  # fmt: skip
        inside[i] = verdict == OPTIMAL
        if inside[i]:
            for j in range(n_free):
                moves[i, j] += further[j]
