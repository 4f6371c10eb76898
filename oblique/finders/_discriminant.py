"""Compiled loops of Fisher's linear discriminant."""

import math

import numpy as np

from projection.jit import inline, jit


@inline
def _column_scale(X, rows, start, stop, feature):
    """Power of two that brings a column near one, 0 for a column that is constant."""
    low = np.inf
    high = -np.inf
    for i in range(start, stop):
        value = X[rows[i], feature]
        if value < low:
            low = value
        if value > high:
            high = value
    if not low < high:
        return 0.0
    _, exponent = math.frexp(max(abs(low), abs(high)))
    return math.ldexp(1.0, -exponent)


@jit
def _cholesky_solve(S, b, floor):
    """Solve S x = b in place; False when a pivot falls below ``floor``."""
    n = b.shape[0]
    for j in range(n):
        pivot = S[j, j]
        for k in range(j):
            pivot -= S[j, k] * S[j, k]
        if not pivot > floor:
            return False
        pivot = math.sqrt(pivot)
        S[j, j] = pivot
        for i in range(j + 1, n):
            value = S[i, j]
            for k in range(j):
                value -= S[i, k] * S[j, k]
            S[i, j] = value / pivot
    for i in range(n):
        for k in range(i):
            b[i] -= S[i, k] * b[k]
        b[i] /= S[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= S[k, i] * b[k]
        b[i] /= S[i, i]
    return True


@jit
def _solve_regularised(S, b):
    """Solve S x = b for a covariance in place of b.

    Where S is singular to rounding it gets a ridge of 1e-6 times its mean variance.
    """
    n = b.shape[0]
    trace = 0.0
    singular = False
    for j in range(n):
        trace += S[j, j]
        # Columns have total variance one here: a smaller part within classes is rounding.
        singular = singular or S[j, j] < 1e-14
    if not singular:
        scale = np.empty(n)
        for j in range(n):
            scale[j] = 1.0 / math.sqrt(S[j, j])
        correlation = np.empty((n, n))
        solution = np.empty(n)
        for i in range(n):
            solution[i] = b[i] * scale[i]
            for j in range(n):
                correlation[i, j] = S[i, j] * scale[i] * scale[j]
        if _cholesky_solve(correlation, solution, 1e-11):
            for i in range(n):
                b[i] = solution[i] * scale[i]
            return True
    ridge = 1e-6 * trace / n if trace > 0.0 else 1e-6
    for j in range(n):
        S[j, j] += ridge
    return _cholesky_solve(S, b, 0.0)


@jit
def discriminant(X, rows, start, stop, features, group, codes, weights, is_counted):
    """Fisher's linear discriminant of two groups of classes with pooled covariance.

    ``group[k]`` is 0 or 1 for the two groups, -1 for a class left out. With means m0, m1,
    pooled covariance S and group weights P0, P1 the rule is: group 1 iff a . x <= c, where
    a = S^-1 (m0 - m1) and c = a . (m0 + m1) / 2 + ln(P1 / P0). A missing value stands for
    the column's mean.

    Returns
    -------
    (found, a over ``features``, c)
    """
    n_features = features.shape[0]
    a = np.zeros(n_features)
    scale = np.empty(n_features)
    used = 0
    which = np.empty(n_features, np.int64)
    for p in range(n_features):
        scale[p] = _column_scale(X, rows, start, stop, features[p])
        if scale[p] > 0.0:
            which[used] = p
            used += 1
    if used == 0:
        return False, a, 0.0
    which = which[:used]

    mean = np.zeros(used)
    spread = np.zeros(used)
    known = np.zeros(used)
    count = np.zeros(2)  # observations: a whole-number weight counts repeated rows
    mass = np.zeros(2)
    for i in range(start, stop):
        row = rows[i]
        side = group[codes[row]]
        if side < 0:
            continue
        count[side] += weights[row] if is_counted else 1.0
        mass[side] += weights[row]
        for q in range(used):
            value = X[row, features[which[q]]] * scale[which[q]]
            if value == value:
                mean[q] += weights[row] * value
                known[q] += weights[row]
    if count[0] < 2.0 or count[1] < 2.0:
        return False, a, 0.0
    total = mass[0] + mass[1]
    observations = count[0] + count[1]
    if observations <= 2.0:
        return False, a, 0.0
    for q in range(used):
        mean[q] /= known[q] if known[q] > 0.0 else 1.0
    for i in range(start, stop):
        row = rows[i]
        if group[codes[row]] < 0:
            continue
        for q in range(used):
            z = X[row, features[which[q]]] * scale[which[q]] - mean[q]
            if z == z:
                spread[q] += weights[row] * z * z
    for q in range(used):
        spread[q] = math.sqrt(spread[q] / total)
        if not spread[q] > 0.0:
            # Constant among the rows of the two groups.
            spread[q] = np.inf

    centre = np.zeros((2, used))
    for i in range(start, stop):
        row = rows[i]
        side = group[codes[row]]
        if side < 0:
            continue
        for q in range(used):
            z = (X[row, features[which[q]]] * scale[which[q]] - mean[q]) / spread[q]
            if z == z:
                centre[side, q] += weights[row] * z
    for q in range(used):
        centre[0, q] /= mass[0]
        centre[1, q] /= mass[1]
    S = np.zeros((used, used))
    z = np.empty(used)
    for i in range(start, stop):
        row = rows[i]
        side = group[codes[row]]
        if side < 0:
            continue
        for q in range(used):
            value = (X[row, features[which[q]]] * scale[which[q]] - mean[q]) / spread[q]
            z[q] = (value if value == value else 0.0) - centre[side, q]
        for p in range(used):
            part = weights[row] * z[p]
            for q in range(p + 1):
                S[p, q] += part * z[q]
    divisor = total * (observations - 2.0) / observations
    for p in range(used):
        if spread[p] == np.inf:
            S[p, p] = divisor
        for q in range(p + 1):
            S[p, q] /= divisor
            S[q, p] = S[p, q]

    solution = centre[0] - centre[1]
    if not _solve_regularised(S, solution):
        return False, a, 0.0
    distance = 0.0
    c = math.log(mass[1] / mass[0])
    for q in range(used):
        distance += solution[q] * (centre[0, q] - centre[1, q])
        c += solution[q] * (0.5 * (centre[0, q] + centre[1, q]) + mean[q] / spread[q])
        a[which[q]] = solution[q] / spread[q] * scale[which[q]]
    # Equal means: the squared Mahalanobis distance is rounding only.
    found = distance > 1e-20 and abs(c) < np.inf
    for p in range(n_features):
        found = found and abs(a[p]) < np.inf
    return found, a, c
