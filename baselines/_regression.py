"""Compiled loops of regressions that are judged row by row without the row itself.

Columns are those of `ScaledRows`: (d + 1, n), the last line -1, so that a plane ``p (d + 1,)``
has the scores ``p @ columns`` and rows with a score of at most zero go left.
"""

import math

import numpy as np

from projection.jit import inline, jit

# Share of a row's own weight in its fitted value; a row that decides it alone has one.
_MOST_LEVERAGE = 0.999
# A free intercept, but never a singular matrix.
_FREE = 1e-6
# Newton's method ends where the likelihood falls by less than this share.
_SETTLED = 1e-3


@jit
def ridge(columns, targets, weights, removed, penalties):
    """Ridge regressions on many targets, each with the penalty of least leave-one-out error.

    One eigendecomposition serves all targets and penalties; the score of a row without itself
    is ``t - (t - s) / (1 - r h)`` with its leverage h per unit of weight.

    Parameters
    ----------
    columns : (d + 1, n) standardised columns
    targets : (q, n)
    weights : (n,)
    removed : (n,) weight that is taken away when a row is left out
    penalties : (m,) penalties per unit of weight, positive

    Returns
    -------
    planes (q, d + 1), scores of the rows without themselves (q, n)
    """
    d = columns.shape[0] - 1
    q, n = targets.shape
    Z = columns[:d]
    weight = weights.sum()
    values, vectors = np.linalg.eigh(np.dot(Z * weights, Z.T))
    P = np.dot(vectors.T, Z)
    mean = np.empty(q)
    pull = np.empty((q, n))
    for a in range(q):
        total = 0.0
        for i in range(n):
            total += weights[i] * targets[a, i]
        mean[a] = total / weight
        for i in range(n):
            pull[a, i] = weights[i] * (targets[a, i] - mean[a])
    G = np.dot(pull, P.T)
    least = np.full(q, np.inf)
    chosen = np.empty((q, d))
    scores = np.empty((q, n))
    share = np.empty(n)
    B = np.empty((q, d))
    without = np.empty(n)
    for penalty in penalties:
        for i in range(n):
            share[i] = 1.0 / weight
        for j in range(d):
            inverse = 1.0 / (max(values[j], 0.0) + penalty * weight)
            for i in range(n):
                share[i] += P[j, i] * P[j, i] * inverse
            for a in range(q):
                B[a, j] = G[a, j] * inverse
        for i in range(n):
            share[i] = 1.0 / (1.0 - min(removed[i] * share[i], _MOST_LEVERAGE))
        S = np.dot(B, P)
        for a in range(q):
            error = 0.0
            for i in range(n):
                gap = (targets[a, i] - mean[a] - S[a, i]) * share[i]
                error += weights[i] * gap * gap
                without[i] = targets[a, i] - gap
            if error < least[a]:
                least[a] = error
                chosen[a] = B[a]
                scores[a] = without
    planes = np.empty((q, d + 1))
    planes[:, :d] = np.dot(chosen, vectors.T)
    planes[:, d] = -mean
    return planes, scores


@inline
def _likelihood(plane, scores, sides, weights, ridge_of, chance):
    """Penalised minus log likelihood; ``chance`` gets the chances of side 1."""
    value = 0.0
    for i in range(sides.shape[0]):
        score = scores[i]
        # exp of a negative number only, so that nothing overflows.
        power = math.exp(-abs(score))
        chance[i] = 1.0 / (1.0 + power) if score > 0.0 else power / (1.0 + power)
        wrong = -score if sides[i] > 0 else score
        value += weights[i] * (max(wrong, 0.0) + math.log1p(power))
    for j in range(plane.shape[0]):
        value += 0.5 * ridge_of[j] * plane[j] * plane[j]
    return value


@inline
def _hessian(columns, weights, chance, curvature, scaled):
    """Second derivatives of the likelihood; the last two, (n,) and (d + 1, n), are scratch."""
    d, n = columns.shape
    for i in range(n):
        curvature[i] = max(weights[i] * chance[i] * (1.0 - chance[i]), 1e-9)
    for j in range(d):
        for i in range(n):
            scaled[j, i] = columns[j, i] * curvature[i]
    return np.dot(scaled, columns.T)


@jit
def logistic(columns, sides, weights, removed, strengths, start):
    """Logistic regression whose penalty is chosen by the deviance of rows without themselves.

    Newton's method from weak to strong weights (C ascending), each start being the plane
    before. Scores of rows without themselves are approximated by one step: ``f + r h (m - t) /
    (1 - r h v)`` (Rad & Maleki 2020). The search ends when the deviance is 15 % above its least.

    Parameters
    ----------
    columns : (d + 1, n) standardised columns
    sides : (n,) 0 or 1
    weights, removed : (n,) as in `ridge`
    strengths : (m,) inverse penalties C, ascending
    start : (d + 1,) plane to start from

    Returns
    -------
    plane (d + 1,), scores of the rows without themselves (n,), which strength, deviance
    """
    d, n = columns.shape
    plane = start.copy()
    offer = np.empty(d)
    ridge_of = np.empty(d)
    chance = np.empty(n)
    scaled = np.empty((d, n))
    without = np.empty(n)
    by_row = np.empty(n)
    curvature = np.empty(n)
    best_plane, best_scores = plane.copy(), np.empty(n)
    best, which = np.inf, -1
    scores = np.dot(plane, columns)
    bare = np.zeros((d, d))
    is_stale = True
    for c in range(strengths.shape[0]):
        ridge_of[:] = 1.0 / strengths[c]
        ridge_of[d - 1] = _FREE
        value = _likelihood(plane, scores, sides, weights, ridge_of, chance)
        for _ in range(25):
            if is_stale:
                bare = _hessian(columns, weights, chance, curvature, scaled)
                is_stale = False
            H = bare.copy()
            for j in range(d):
                H[j, j] += ridge_of[j]
            for i in range(n):
                by_row[i] = weights[i] * (chance[i] - (1.0 if sides[i] > 0 else 0.0))
            step = np.linalg.solve(H, np.dot(columns, by_row) + ridge_of * plane)
            length, new = 1.0, value
            moved = np.dot(step, columns)
            new_scores = scores
            limit = value + 1e-12 * (1.0 + abs(value))
            for _half in range(8):
                offer[:] = plane - length * step
                new_scores = scores - length * moved
                new = _likelihood(offer, new_scores, sides, weights, ridge_of, chance)
                if new <= limit:
                    break
                length *= 0.5
            if not new <= limit:
                # No step helps: chances are those of the plane as it is.
                _likelihood(plane, scores, sides, weights, ridge_of, chance)
                break
            fall = value - new
            plane[:] = offer
            scores = new_scores
            value = new
            # A small step leaves the second derivatives as they are, for the next penalty too.
            if fall < _SETTLED * max(1.0, value):
                break
            is_stale = True
        if is_stale:
            bare = _hessian(columns, weights, chance, curvature, scaled)
            is_stale = False
        H = bare.copy()
        for j in range(d):
            H[j, j] += ridge_of[j]
        inverse = np.dot(np.linalg.inv(H), columns)
        deviance = 0.0
        by_row[:] = 0.0
        for j in range(d):
            for i in range(n):
                by_row[i] += inverse[j, i] * columns[j, i]
        for i in range(n):
            h = removed[i] * by_row[i]
            m = chance[i]
            t = 1.0 if sides[i] > 0 else 0.0
            f = scores[i] + h * (m - t) / (1.0 - min(h * m * (1.0 - m), _MOST_LEVERAGE))
            without[i] = f
            wrong = -f if sides[i] > 0 else f
            deviance += weights[i] * (max(wrong, 0.0) + math.log1p(math.exp(-abs(f))))
        if deviance < best:
            best, which = deviance, c
            best_plane[:] = plane
            best_scores[:] = without
        elif not deviance <= 1.15 * best:
            break
    return best_plane, best_scores, which, best


@inline
def _xlogx(value, table):
    if table.shape[0] > 0:
        return table[int(value)]
    return value * math.log2(value) if value > 1e-300 else 0.0


@jit
def best_cuts(scores, orders, targets, codes, weights, sizes, least, table):
    """Find the cut of largest information gain in each line of scores.

    Sums change by one class a row, so a cut costs the same for any number of classes. Where a
    line has targets, those above the cut must be larger on the mean: the score of a row without
    itself lies farther from its own class, and of mere noise tells the classes apart the wrong
    way round.

    Parameters
    ----------
    scores : (q, n)
    orders : (q, n) rows in ascending order of each line
    targets : (at most q, n) targets of the first lines
    codes : (n,) 0 ... K - 1
    weights : (n,)
    sizes : (n,) how many observations a row counts for
    least : observations that each side must have
    table : k log2 k where weights are whole numbers, else empty

    Returns
    -------
    gains per unit of weight (q,), -1 where there is no cut; thresholds (q,)
    """
    q, n = scores.shape
    n_classes = codes.max() + 1
    total = np.zeros(n_classes)
    left = np.empty(n_classes)
    right = np.empty(n_classes)
    weight, size = 0.0, 0.0
    for i in range(n):
        total[codes[i]] += weights[i]
        weight += weights[i]
        size += sizes[i]
    sum_right = 0.0
    for k in range(n_classes):
        sum_right += _xlogx(total[k], table)
    parent = _xlogx(weight, table) - sum_right
    gains = np.full(q, -1.0)
    thresholds = np.zeros(q)
    tie = 1e-12 * weight
    for a in range(q):
        line, order = scores[a], orders[a]
        for k in range(n_classes):
            left[k] = 0.0
            right[k] = total[k]
        in_left, in_right = 0.0, sum_right
        n_left, passed, best = 0.0, 0.0, -np.inf
        is_aimed = a < targets.shape[0]
        aim, aim_left = 0.0, 0.0
        if is_aimed:
            for i in range(n):
                aim += weights[i] * targets[a, i]
        for p in range(n - 1):
            i = order[p]
            k, w = codes[i], weights[i]
            in_left -= _xlogx(left[k], table)
            in_right -= _xlogx(right[k], table)
            left[k] += w
            right[k] = max(right[k] - w, 0.0)
            in_left += _xlogx(left[k], table)
            in_right += _xlogx(right[k], table)
            n_left += w
            passed += sizes[i]
            if is_aimed:
                aim_left += w * targets[a, i]
            low, high = line[i], line[order[p + 1]]
            if not low < high or passed < least or size - passed < least:
                continue
            n_right = max(weight - n_left, 0.0)
            if is_aimed and not aim_left * n_right < (aim - aim_left) * n_left:
                continue
            gain = parent - (_xlogx(n_left, table) - in_left + _xlogx(n_right, table) - in_right)
            if gain > best + tie:
                best = gain
                middle = 0.5 * low + 0.5 * high
                thresholds[a] = middle if low <= middle < high else low
        if best > -np.inf:
            gains[a] = best / weight
    return gains, thresholds


# ---------------------------------------------------------------- trees with dense weights


@inline
def _leaf_of(X, row, node, left, right, planes, thresholds):
    while left[node] >= 0:
        score = 0.0
        for j in range(planes.shape[1]):
            # A weight of zero adds nothing to the sum that prediction forms.
            if planes[node, j] != 0.0:
                score += X[row, j] * planes[node, j]
        node = left[node] if score <= thresholds[node] else right[node]
    return node


@jit
def divide_rows(X, rows, plane, threshold):
    """Rows that go left and those that go right, order kept."""
    is_left = np.empty(rows.shape[0], np.bool_)
    count = 0
    for i in range(rows.shape[0]):
        score = 0.0
        for j in range(plane.shape[0]):
            if plane[j] != 0.0:
                score += X[rows[i], j] * plane[j]
        is_left[i] = score <= threshold
        count += is_left[i]
    out = np.empty((rows.shape[0],), np.int32)
    a, b = 0, count
    for i in range(rows.shape[0]):
        if is_left[i]:
            out[a] = rows[i]
            a += 1
        else:
            out[b] = rows[i]
            b += 1
    return out, count


@jit
def rows_that_matter(
    X, rows, codes, labels, left, right, planes, thresholds, node, sides
):  # fmt: skip
    """Rows of a node of which exactly one child predicts the class.

    ``sides`` (n,) gets 1 for those that should go right, 0 for left.
    """
    out = np.empty(rows.shape[0], np.int32)
    count = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        a = _leaf_of(X, row, left[node], left, right, planes, thresholds)
        b = _leaf_of(X, row, right[node], left, right, planes, thresholds)
        is_left, is_right = labels[a] == codes[row], labels[b] == codes[row]
        if is_left != is_right:
            sides[row] = 1 if is_right else 0
            out[count] = row
            count += 1
    return out[:count]


@jit
def weight_astray(X, rows, sides, weights, plane, threshold):
    """Weight of the rows that a plane sends to the wrong side."""
    wrong = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        score = 0.0
        for j in range(plane.shape[0]):
            if plane[j] != 0.0:
                score += X[row, j] * plane[j]
        if (score <= threshold) != (sides[row] == 0):
            wrong += weights[row]
    return wrong
