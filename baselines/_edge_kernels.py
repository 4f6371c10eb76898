"""Compiled parts of edge descent: walks from a point to a vertex and on to the lowest one."""

import math
from typing import NamedTuple

import numpy as np

from projection.jit import jit, lean

# Below this slope along a direction of unit length the loss does not fall.
FLAT = 1e-14
# A row does not bend along a unit direction with which its product is smaller.
STILL = 1e-10
# A margin below this is zero up to rounding.
AT_BEND = 1e-10
ROWS_PER_BLOCK = 2048
STEPS_PER_FACTOR = 64
# States of rows: the hinge costs, costs nothing, or bends at the vertex.
PAYS, FREE, BENDS = 1.0, -1.0, 0.0


class Model(NamedTuple):
    """Rows whose hinges bend, and the pull of those that are taken for straight."""

    A: np.ndarray  # (p, n): row i of the data is A[:, i]
    cost: np.ndarray
    rest: np.ndarray  # row i bends where a_i . v = rest[i]
    pull: np.ndarray  # (p,): sum of cost_i a_i over straight rows that pay
    is_whole: bool  # no row is taken for straight


class Walk(NamedTuple):
    """Where the rows stand, and space for a line search."""

    status: np.ndarray
    margin: np.ndarray  # rest[i] - a_i . v
    product: np.ndarray
    length: np.ndarray
    drop: np.ndarray
    row: np.ndarray
    gradient: np.ndarray  # (p,): sum of cost_i a_i over rows that pay, minus F's gradient


class Basis(NamedTuple):
    """The vertex: ``matrix[k] . v = height[k]`` for all places k."""

    rows: np.ndarray  # row that bends at place k, -1: a direction not yet walked in
    matrix: np.ndarray
    height: np.ndarray
    inverse: np.ndarray


@jit
def minimise(model, basis, v, factor, is_begun, is_last):
    """Minimise a model from v, or from the basis if one is there already.

    Returns (states of the rows, number of steps, whether the loss is bounded).
    """
    p, n = model.A.shape
    walk = Walk(
        np.zeros(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.int64),
        np.empty(p),
    )  # fmt: skip
    steps, is_bounded = 0, True
    if not is_begun:
        steps, is_bounded = _slide(model, walk, basis, v, factor)
    plain = Model(model.A, model.cost, np.ones(n), model.pull, model.is_whole)
    for last in range(1 + is_last):
        # Back, at last, to the bends as they are: nearly always the same rows bend at the end.
        current = plain if last == 1 else model
        if is_bounded:
            for k in range(p):
                if basis.rows[k] >= 0:
                    basis.height[k] = current.rest[basis.rows[k]]
            more, is_bounded = _descend(current, walk, basis, v)
            steps += more
    return walk.status, steps, is_bounded


@jit
def _slide(model, walk, basis, v, factor):
    """Walk from v to a vertex: steepest descent within the rows that bend already.

    Steepness is measured in the metric of ``factor``, the moments of the rows. Where the loss
    is flat before p rows bend, directions fill the basis. Returns (steps, whether the loss of
    the model is bounded).
    """
    p = v.shape[0]
    Q = np.zeros((p, p))
    edge = np.empty(p)
    for k in range(p):
        basis.rows[k] = -1
    margins(model.A, v, model.rest, walk.margin)
    for i in range(walk.margin.shape[0]):
        walk.status[i] = PAYS if walk.margin[i] > 0.0 else FREE
    sum_paying(model.A, model.cost, walk.status, walk.product, walk.gradient)
    for j in range(p):
        walk.gradient[j] += model.pull[j]
    used, reach = 0, np.inf
    while used < p:
        for j in range(p):
            edge[j] = walk.gradient[j]
        _whiten(factor, edge)
        _remove(Q, used, edge)
        _unwhiten(factor, edge)
        norm = math.sqrt(_dot(edge, edge))
        slope = _dot(edge, walk.gradient)
        if not slope > FLAT * norm:
            break
        for j in range(p):
            edge[j] /= norm
        new, far = _step(model, walk, v, edge, slope / norm, reach)
        if new < 0:
            if np.isinf(far):
                return used, False
            # What is left of the slope is rounding: nothing bends along it.
            break
        reach = 4.0 * far if far > 0.0 else np.inf
        _take(model, walk, basis, used, new)
        for j in range(p):
            edge[j] = model.A[j, new]
        _whiten(factor, edge)
        _append(Q, used, edge)
        used += 1
    steps = used
    column = 0
    while used < p:
        for j in range(p):
            edge[j] = 1.0 if j == column else 0.0
        column += 1
        if _append(Q, used, edge):
            for j in range(p):
                basis.matrix[used, j] = 0.0
                for k in range(j + 1):
                    basis.matrix[used, j] += factor[k, j] * Q[used, k]
            used += 1
    for k in range(steps, p):
        basis.height[k] = _dot(basis.matrix[k], v)
    return steps, True


@jit
def _descend(model, walk, basis, v):
    """Walk along edges until none leads down; (steps, whether the model's loss is bounded)."""
    p = v.shape[0]
    edge = np.empty(p)
    reach = np.inf
    limit = 500 + 100 * p
    for step in range(limit):
        if step % STEPS_PER_FACTOR == 0 and not _restart(model, walk, basis, v):
            return step, True
        place, sign, slope = _steepest_edge(model, walk, basis, edge)
        if place < 0:
            return step, True
        new, far = _step(model, walk, v, edge, slope, reach)
        if new < 0:
            return step, not np.isinf(far)
        reach = 4.0 * far if far > 0.0 else np.inf
        old = basis.rows[place]
        if old >= 0:
            walk.status[old] = FREE if sign > 0.0 else PAYS
            if sign < 0.0:
                _add(walk.gradient, model.A, old, model.cost[old])
        _take(model, walk, basis, place, new)
        _exchange(basis, place)
    return limit, True


@jit
def _step(model, walk, v, edge, slope, reach):
    """Move v along a unit direction to the bend at which the loss stops falling.

    Returns (row of that bend, distance). Row -1: there is none; the distance is then infinite
    if the loss of the model falls for ever.
    """
    _products(model.A, edge, walk.product)
    q, total = _bends(model, walk, reach)
    if total < slope and reach < np.inf:
        q, total = _bends(model, walk, np.inf)
    if q == 0 or (total < slope and not model.is_whole):
        return -1, 0.0 if model.is_whole else np.inf
    last = _select(walk.length, walk.drop, walk.row, q, slope)
    far = walk.length[last]
    for j in range(v.shape[0]):
        v[j] += far * edge[j]
    for i in range(walk.margin.shape[0]):
        walk.margin[i] -= far * walk.product[i]
    for k in range(last):
        i = walk.row[k]
        walk.status[i] = -walk.status[i]
        _add(walk.gradient, model.A, i, walk.status[i] * model.cost[i])
    return walk.row[last], far


@lean
def _take(model, walk, basis, place, new):
    """Put a row that has come to its bend into the basis."""
    if walk.status[new] == PAYS:
        _add(walk.gradient, model.A, new, -model.cost[new])
    walk.status[new] = BENDS
    walk.margin[new] = 0.0
    basis.rows[place] = new
    basis.height[place] = model.rest[new]
    for j in range(model.A.shape[0]):
        basis.matrix[place, j] = model.A[j, new]


@lean
def _steepest_edge(model, walk, basis, edge):
    """Choose the row to let go: the edge of unit length along which the loss falls fastest.

    Writes the edge; returns (place or -1, +1 where the row will cost nothing and -1 where it
    will pay, slope).
    """
    p = edge.shape[0]
    inverse = basis.inverse
    best, place, sign, unit = FLAT, -1, 1.0, 1.0
    for k in range(p):
        multiplier, square = 0.0, 0.0
        for j in range(p):
            multiplier -= inverse[j, k] * walk.gradient[j]
            square += inverse[j, k] * inverse[j, k]
        norm = math.sqrt(square)
        most = model.cost[basis.rows[k]] if basis.rows[k] >= 0 else 0.0
        slope = max(-multiplier, multiplier - most)
        if slope > best * norm:
            best, place, unit = slope / norm, k, norm
            sign = 1.0 if multiplier < 0.0 else -1.0
    if place >= 0:
        for j in range(p):
            edge[j] = sign * inverse[j, place] / unit
    return place, sign, best


@lean
def _bends(model, walk, reach):
    """List the rows that bend within ``reach``; returns (how many, what slope they take away)."""
    q, total = 0, 0.0
    for i in range(walk.margin.shape[0]):
        speed = walk.status[i] * walk.product[i]
        ahead = walk.status[i] * walk.margin[i]
        if speed > STILL and ahead <= reach * speed:
            walk.length[q] = max(ahead / speed, 0.0)
            walk.drop[q] = model.cost[i] * speed
            total += walk.drop[q]
            walk.row[q] = i
            q += 1
    return q, total


@lean
def _select(length, drop, row, n, slope):
    """Find the bend at which drops add up to the slope; nearer ones are put before it."""
    low, high, passed = 0, n, 0.0
    while high - low > 1:
        a, b, c = length[low], length[(low + high) >> 1], length[high - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high - 1
        while i <= j:
            while length[i] < pivot:
                i += 1
            while length[j] > pivot:
                j -= 1
            if i <= j:
                length[i], length[j] = length[j], length[i]
                drop[i], drop[j] = drop[j], drop[i]
                row[i], row[j] = row[j], row[i]
                i += 1
                j -= 1
        nearer = 0.0
        for k in range(low, j + 1):
            nearer += drop[k]
        if passed + nearer >= slope:
            high = j + 1
            continue
        passed += nearer
        if i - j == 2:
            passed += drop[j + 1]
            if passed >= slope:
                return j + 1
        if i >= high:
            return high - 1
        low = i
    return low


@jit
def _restart(model, walk, basis, v):
    """Work everything out anew from the basis; False where its rows are not independent."""
    p = v.shape[0]
    if not _invert(basis.matrix, basis.inverse):
        return False
    for j in range(p):
        v[j] = _dot(basis.inverse[j], basis.height)
    margins(model.A, v, model.rest, walk.margin)
    for i in range(walk.margin.shape[0]):
        # A row at its bend keeps the state that the walk gave it.
        if abs(walk.margin[i]) > AT_BEND or walk.status[i] == BENDS:
            walk.status[i] = PAYS if walk.margin[i] > 0.0 else FREE
    for i in basis.rows:
        if i >= 0:
            walk.status[i] = BENDS
            walk.margin[i] = 0.0
    sum_paying(model.A, model.cost, walk.status, walk.product, walk.gradient)
    for j in range(p):
        walk.gradient[j] += model.pull[j]
    return True


@jit
def dual_value(A, cost, status, basis):
    """Value of the dual program at the multipliers of the basis, brought into their bounds.

    What the sum of rows then misses to zero is charged at a weight of one for each column.
    """
    p, n = A.shape
    value = 0.0
    for i in range(n):
        if status[i] == PAYS:
            value += cost[i]
    gradient = np.empty(p)
    sum_paying(A, cost, status, np.empty(n), gradient)
    missing = gradient.copy()
    for k in range(p):
        i = basis.rows[k]
        if i >= 0:
            u = 0.0
            for j in range(p):
                u -= basis.inverse[j, k] * gradient[j]
            u = min(max(u, 0.0), cost[i])
            value += u
            _add(missing, A, i, u)
    for j in range(p):
        value -= abs(missing[j])
    return value


# ---------------------------------------------------------------- rows


@lean
def _products(A, v, out):
    """Write ``a_i . v`` for all rows, block by block so that the sums stay in the cache."""
    p, n = A.shape
    for start in range(0, n, ROWS_PER_BLOCK):
        stop = min(n, start + ROWS_PER_BLOCK)
        for i in range(start, stop):
            out[i] = 0.0
        for j in range(0, p - p % 4, 4):
            a, b, c, d = v[j], v[j + 1], v[j + 2], v[j + 3]
            for i in range(start, stop):
                out[i] += (A[j, i] * a + A[j + 1, i] * b) + (A[j + 2, i] * c + A[j + 3, i] * d)
        for j in range(p - p % 4, p):
            a = v[j]
            for i in range(start, stop):
                out[i] += A[j, i] * a


@lean
def margins(A, v, rest, margin):
    _products(A, v, margin)
    for i in range(margin.shape[0]):
        margin[i] = rest[i] - margin[i]


@lean
def sum_paying(A, cost, status, work, gradient):
    """Sum ``cost_i a_i`` over the rows that pay, in four sums."""
    p, n = A.shape
    for i in range(n):
        work[i] = cost[i] if status[i] == PAYS else 0.0
    whole = n - n % 4
    for j in range(p):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for i in range(0, whole, 4):
            a += work[i] * A[j, i]
            b += work[i + 1] * A[j, i + 1]
            c += work[i + 2] * A[j, i + 2]
            d += work[i + 3] * A[j, i + 3]
        for i in range(whole, n):
            a += work[i] * A[j, i]
        gradient[j] = (a + b) + (c + d)


@lean
def loss(A, cost, v):
    p, n = A.shape
    loss = 0.0
    for i in range(n):
        product = 0.0
        for j in range(p):
            product += A[j, i] * v[j]
        loss += cost[i] * max(0.0, 1.0 - product)
    return loss


@jit
def every(A, stride):
    """Every so many-th row, as columns of a new array."""
    if stride == 1:
        return A
    p, n = A.shape
    part = np.empty((p, (n + stride - 1) // stride))
    for j in range(p):
        for i in range(part.shape[1]):
            part[j, i] = A[j, i * stride]
    return part


@jit
def nudged(n, most, seed):
    """Ones plus pseudo-random parts of ``most``, by a linear congruential generator."""
    rest = np.empty(n)
    state = np.uint64(seed + 1)
    for i in range(n):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        rest[i] = 1.0 + most * (np.float64(state >> np.uint64(11)) / 9007199254740992.0)
    return rest


# ---------------------------------------------------------------- small matrices


@jit
def least_squares(A, cost):
    """Least squares discriminant, and the Cholesky factor of the rows' moments.

    Returns (columns that do not depend on earlier ones, transposed factor over these, v over
    these).
    """
    p, n = A.shape
    moments = np.empty((p, p))
    goal = np.empty(p)
    all_pay = np.ones(n)
    weighted, work = np.empty(n), np.empty(n)
    sum_paying(A, cost, all_pay, work, goal)
    for j in range(p):
        for i in range(n):
            weighted[i] = cost[i] * A[j, i]
        sum_paying(A[: j + 1], weighted, all_pay, work, moments[j])
    kept = np.empty(p, np.int64)
    factor = np.zeros((p, p))
    used = 0
    for j in range(p):
        left = moments[j, j]
        for k in range(used):
            value = moments[j, kept[k]]
            for c in range(k):
                value -= factor[c, used] * factor[c, k]
            factor[k, used] = value / factor[k, k]
            left -= factor[k, used] ** 2
        if left > 1e-12 * moments[j, j]:
            factor[used, used] = math.sqrt(left)
            kept[used] = j
            used += 1
    kept, factor = kept[:used].copy(), factor[:used, :used].copy()
    v = goal[kept]
    _whiten(factor, v)
    _unwhiten(factor, v)
    return kept, factor, v


@lean
def _whiten(factor, x):
    """Solve ``factor.T y = x`` in place."""
    for k in range(x.shape[0]):
        for c in range(k):
            x[k] -= factor[c, k] * x[c]
        x[k] /= factor[k, k]


@lean
def _unwhiten(factor, x):
    """Solve ``factor y = x`` in place."""
    p = x.shape[0]
    for k in range(p - 1, -1, -1):
        for c in range(k + 1, p):
            x[k] -= factor[k, c] * x[c]
        x[k] /= factor[k, k]


@lean
def _dot(x, y):
    value = 0.0
    for j in range(x.shape[0]):
        value += x[j] * y[j]
    return value


@lean
def _add(gradient, A, i, factor):
    for j in range(gradient.shape[0]):
        gradient[j] += factor * A[j, i]


@lean
def _remove(Q, used, x):
    """Take away, twice for exactness, the parts of x along orthonormal lines of Q."""
    for _ in range(2):
        for k in range(used):
            part = _dot(Q[k], x)
            for j in range(x.shape[0]):
                x[j] -= part * Q[k, j]


@lean
def _append(Q, used, x):
    """Make x the next orthonormal line of Q; False where too little of it is left."""
    before = _dot(x, x)
    _remove(Q, used, x)
    after = _dot(x, x)
    norm = math.sqrt(after)
    for j in range(x.shape[0]):
        Q[used, j] = x[j] / norm
    return after > 0.25 / x.shape[0] * before


@jit
def _exchange(basis, place):
    """Update the inverse after the matrix has got another line at a place."""
    inverse = basis.inverse
    p = inverse.shape[0]
    along = np.zeros(p)
    for j in range(p):
        for k in range(p):
            along[k] += basis.matrix[place, j] * inverse[j, k]
    for j in range(p):
        factor = inverse[j, place] / along[place]
        for k in range(p):
            if k != place:
                inverse[j, k] -= factor * along[k]
        inverse[j, place] = factor


@jit
def _invert(matrix, inverse):
    """Invert by Gauss and Jordan with row exchanges; False for a singular matrix."""
    p = matrix.shape[0]
    work = matrix.copy()
    for j in range(p):
        for k in range(p):
            inverse[j, k] = 1.0 if j == k else 0.0
    for k in range(p):
        top = k
        for j in range(k + 1, p):
            if abs(work[j, k]) > abs(work[top, k]):
                top = j
        if not abs(work[top, k]) > 1e-300:
            return False
        for c in range(p):
            work[k, c], work[top, c] = work[top, c], work[k, c]
            inverse[k, c], inverse[top, c] = inverse[top, c], inverse[k, c]
        pivot = work[k, k]
        for c in range(p):
            work[k, c] /= pivot
            inverse[k, c] /= pivot
        for j in range(p):
            factor = work[j, k]
            if j != k and factor != 0.0:
                for c in range(p):
                    work[j, c] -= factor * work[k, c]
                    inverse[j, c] -= factor * inverse[k, c]
    return True
