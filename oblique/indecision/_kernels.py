"""Compiled loops over uncertain rows: clauses, the best threshold, and reaching leaves.

A row's value along a direction is normal with a mean and a deviation; a deviation of zero is
an exact value, answered by ``mean <= threshold`` as in `oblique._kernels`. On its way to a node
a row's value of one feature may be known to lie in an interval ``low < x <= high``; the
membership of the next clause on that feature is then conditional on it.
"""

import math

import numpy as np

from projection.jit import inline, jit, lean

TIE = 1e-12

# Of more candidates than this inside a row's window the membership is interpolated.
DIRECT = 64
# Knots in a standard deviation; the interpolation is off by 1.4e-5 of a row at most.
KNOTS = 4.0

# Runs of rows in a standard deviation; expanded about its centre a row is off by 2e-5 at most.
PER_RUN = 8.0
# Octaves of rows without a deviation, and of those that are summed at the candidates.
EXACT = 1 << 30
DIRECTLY = 1 << 29

# Candidates lie between rows of which at least this part of the node's largest part is there.
SEEN = 0.1

# Of an interval at least this probable the table is good enough.
NEAR = 1e-3

_INVERSE_ROOT_TWO = 0.7071067811865476
_INVERSE_ROOT_TWO_PI = 0.3989422804014327


# Distribution and density at knots in [-REACH, REACH]: interpolated (cubic, Hermite) they are off
# by 4e-10 at most, which is enough to compare thresholds, and many times quicker than erfc.
REACH = 8.0
_PER_UNIT = 64.0
_PLACES = np.arange(-REACH, REACH + 1.5 / _PER_UNIT, 1.0 / _PER_UNIT)
_DENSITY = np.exp(-0.5 * _PLACES**2) * _INVERSE_ROOT_TWO_PI
_DISTRIBUTION = np.array([0.5 * math.erfc(-z * _INVERSE_ROOT_TWO) for z in _PLACES])


@lean
def _phi(z):
    """Standard normal distribution, exact in relative terms in the lower tail."""
    return 0.5 * math.erfc(-z * _INVERSE_ROOT_TWO)


@lean
def _quick_phi(z):
    """Standard normal distribution from the table, for ``abs(z) <= REACH``."""
    at = (z + REACH) * _PER_UNIT
    i = int(at)
    u = at - i
    v = 1.0 - u
    value = (1.0 + 2.0 * u) * v * v * _DISTRIBUTION[i] + u * u * (1.0 + 2.0 * v) * (
        _DISTRIBUTION[i + 1]
    )
    return value + u * v * (v * _DENSITY[i] - u * _DENSITY[i + 1]) / _PER_UNIT


@lean
def _quick_density(z):
    """Standard normal density from the table; its slope is -z times itself."""
    at = (z + REACH) * _PER_UNIT
    i = int(at)
    u = at - i
    v = 1.0 - u
    low, high = _DENSITY[i], _DENSITY[i + 1]
    value = (1.0 + 2.0 * u) * v * v * low + u * u * (1.0 + 2.0 * v) * high
    slope = u * _PLACES[i + 1] * high - v * _PLACES[i] * low
    return value + u * v * slope / _PER_UNIT


@lean
def _between(low, high):
    """Probability of ``low < Z <= high``, without cancellation in the upper tail."""
    if high <= low:
        return 0.0
    if low > 0.0:
        return _phi(-low) - _phi(-high)
    return _phi(high) - _phi(low)


@inline
def _passes(mean, deviation, low, high, threshold):
    """Probability of ``x <= threshold`` given ``low < x <= high``."""
    if deviation <= 0.0:
        return 1.0 if mean <= threshold else 0.0
    if low == -np.inf and high == np.inf:
        return _phi((threshold - mean) / deviation)
    whole = _between((low - mean) / deviation, (high - mean) / deviation)
    if whole <= 0.0:
        return 1.0 if mean <= threshold else 0.0
    part = _between((low - mean) / deviation, (min(threshold, high) - mean) / deviation)
    return min(part / whole, 1.0)


@lean
def _xlogx(value):
    return value * math.log2(value) if value > 0.0 else 0.0


@inline
def _variance(std, joint, row, indices, values):
    """Variance of a row along a direction; an empty ``joint`` stands for independence."""
    out = 0.0
    if joint.shape[0] == 0:
        for p in range(indices.shape[0]):
            part = values[p] * std[row, indices[p]]
            out += part * part
    else:
        for p in range(indices.shape[0]):
            for q in range(indices.shape[0]):
                out += values[p] * values[q] * joint[row, indices[p], indices[q]]
    return max(out, 0.0)


@inline
def _mean(X, row, indices, values):
    """Score by the sum that growing and prediction of crisp rows use."""
    if indices.shape[0] == 1:
        return X[row, indices[0]] * values[0]
    score = 0.0
    for p in range(indices.shape[0]):
        score += X[row, indices[p]] * values[p]
    return score


@jit
def scores_and_deviations(X, std, joint, rows, indices, values):
    """Mean and standard deviation of the listed rows along a direction."""
    mean = np.empty(rows.shape[0])
    deviation = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        mean[i] = _mean(X, rows[i], indices, values)
        if indices.shape[0] == 1 and joint.shape[0] == 0:
            deviation[i] = abs(values[0]) * std[rows[i], indices[0]]
        else:
            deviation[i] = math.sqrt(_variance(std, joint, rows[i], indices, values))
    return mean, deviation


@jit
def clause_membership(mean, deviation, low, high, threshold, floor, share):
    """Membership of rows in ``x <= threshold``; -1 where the value is missing.

    A part of a row smaller than ``floor`` joins the row's larger part.
    """
    out = np.empty(mean.shape[0])
    for i in range(mean.shape[0]):
        if mean[i] != mean[i]:
            out[i] = -1.0
            continue
        part = _passes(mean[i], deviation[i], low, high, threshold)
        if 0.0 < part < 1.0 and min(part, 1.0 - part) * share[i] < floor:
            part = 1.0 if part >= 0.5 else 0.0
        out[i] = part
    return out


@jit
def tally(rows, membership, codes, weights, share, to_left, sides):
    """Sum the class weights of both sides; a missing answer is divided as the known weight is.

    ``sides`` (4, K) gets left, right, and their parts with a known answer, ``to_left`` the
    membership of every row.

    Returns
    -------
    (known weight left, known weight, rows with a part left, rows with a part right, least of
    the two sides' sizes in rows)
    """
    n_classes = sides.shape[1]
    sides[:] = 0.0
    n_missing = 0
    for i in range(rows.shape[0]):
        row = rows[i]
        part = membership[i]
        to_left[row] = part
        if part < 0.0:
            n_missing += 1
        else:
            sides[2, codes[row]] += weights[row] * part
            sides[3, codes[row]] += weights[row] * (1.0 - part)
    left = 0.0
    known = 0.0
    for k in range(n_classes):
        left += sides[2, k]
        known += sides[2, k] + sides[3, k]
        sides[0, k] = sides[2, k]
        sides[1, k] = sides[3, k]
    fraction = left / known if known > 0.0 else 0.5
    n_left = 0
    n_right = 0
    size_left = 0.0
    size = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        if to_left[row] < 0.0:
            to_left[row] = fraction
            sides[0, codes[row]] += fraction * weights[row]
            sides[1, codes[row]] += (1.0 - fraction) * weights[row]
        n_left += to_left[row] > 0.0
        n_right += to_left[row] < 1.0
        size_left += share[row] * to_left[row]
        size += share[row]
    return left, known, n_left, n_right, min(size_left, size - size_left)


@jit
def renumber(lines, start, stop, n):
    """Lines of a node in a table of its own rows, whose numbers are their places in line 0."""
    place = np.empty(n, np.int32)
    out = np.empty((lines.shape[0], stop - start), np.int32)
    for i in range(start, stop):
        place[lines[0, i]] = i - start
    for line in range(lines.shape[0]):
        for i in range(start, stop):
            out[line, i - start] = place[lines[line, i]]
    return out


# ---------------------------------------------------------------- the best threshold


@lean
def _impurity(code, counts, weight):
    """Entropy (0) or Gini (1) times weight, so that the parts of a node add up."""
    n_classes = counts.shape[0]
    if code == 0:
        value = _xlogx(weight)
        for k in range(n_classes):
            value -= _xlogx(counts[k])
        return value
    value = weight
    for k in range(n_classes):
        value -= counts[k] * (counts[k] / weight) if weight > 0.0 else 0.0
    return value


@lean
def _first_at_least(values, n, wanted, near):
    """Place of the first of ``n`` ascending values that is not below ``wanted``.

    The search spreads from the place ``near``, by doubled steps: the rows come in order, so the
    place of a row is near that of the row before.
    """
    begin = 0
    end = n
    step = 1
    if near < n and values[near] < wanted:
        begin = near + 1
        while begin + step < n and values[begin + step] < wanted:
            begin += step + 1
            step *= 2
        end = min(begin + step, n)
    else:
        end = min(near, n)
        while end - step >= 0 and values[end - step] >= wanted:
            end -= step
            step *= 2
        begin = max(end - step, 0)
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < wanted:
            begin = middle + 1
        else:
            end = middle
    return begin


@lean
def _truncation(mean, deviation, low, high):
    """Offset a and factor f with which ``(Phi - a) f`` is the membership given the interval."""
    a = (low - mean) / deviation
    b = (high - mean) / deviation
    if a < -REACH and b > REACH:
        return 0.0, 1.0
    if a < REACH and b > -REACH:
        below = _quick_phi(a) if a > -REACH else 0.0
        whole = (_quick_phi(b) if b < REACH else 1.0) - below
        # The table is good enough unless the interval is far from the row.
        if whole > NEAR:
            return below, 1.0 / whole
    whole = _between(a, b)
    return _phi(a), 1.0 / whole if whole > 0.0 else 0.0


@lean
def _collect(mean, deviation, order, codes, weights, shares, mu, s, cls, w, part):
    """Copy what is known of a column's rows in the order of their means, missing ones left out.

    The passes that follow then read memory from front to back. Returns the number of rows, and
    the largest part of any row, missing ones included.
    """
    n = 0
    most = 0.0
    for i in range(order.shape[0]):
        row = order[i]
        most = max(most, shares[row])
        if mean[row] == mean[row]:
            mu[n] = mean[row]
            s[n] = deviation[row]
            cls[n] = codes[row]
            w[n] = weights[row]
            part[n] = shares[row]
            n += 1
    return n, most


@lean
def _candidates(mu, cls, part, m, most, low, high, out):
    """Middles of neighbouring distinct means unless both are of one and the same class.

    Rows of which next to nothing is at the node are passed over.
    """
    n = 0
    least = SEEN * most
    before = -2
    last = 0.0
    i = 0
    while i < m:
        value = mu[i]
        pure = -2
        while i < m and mu[i] == value:
            if part[i] >= least:
                if pure == -2:
                    pure = cls[i]
                elif cls[i] != pure:
                    pure = -1
            i += 1
        if pure == -2:
            continue
        if before > -2 and (pure < 0 or pure != before):
            middle = 0.5 * last + 0.5 * value
            if not (last <= middle < value):
                middle = last
            if low < middle < high:
                out[n] = middle
                n += 1
        before = pure
        last = value
    return n


@lean
def _place_knots(candidates, n, step, knots):
    """Ends of the cells of a grid that hold candidates, ascending."""
    n_knots = 0
    last = -np.inf
    for c in range(n):
        cell = math.floor(candidates[c] / step)
        start = cell * step
        if n_knots == 0 or start > last:
            if n_knots == 0 or start > knots[n_knots - 1]:
                knots[n_knots] = start
                n_knots += 1
            knots[n_knots] = (cell + 1.0) * step
            n_knots += 1
            last = start
    return n_knots


@lean
def _interpolate(candidates, n, step, knots, n_knots, height, slope, passed):
    """Add sums known at the knots to the candidates between them (cubic, Hermite)."""
    at = 0
    for c in range(n):
        while at + 2 < n_knots and knots[at + 1] <= candidates[c]:
            at += 1
        width = knots[at + 1] - knots[at]
        u = (candidates[c] - knots[at]) / width
        v = 1.0 - u
        for k in range(passed.shape[1]):
            value = (1.0 + 2.0 * u) * v * v * height[at, k]
            value += u * u * (1.0 + 2.0 * v) * height[at + 1, k]
            value += u * v * width * (v * slope[at, k] - u * slope[at + 1, k])
            passed[c, k] += value


@lean
def _join_run(run, k, d, low_part, scale, weight, share):
    """Add a row to the sums of its run: moments about the centre, offset, and weight."""
    last = run.shape[1] - 1
    for side in range(2):
        at = k if side == 0 else last
        whole = weight if side == 0 else share
        amount = whole * scale
        run[0, at] += amount
        run[1, at] += amount * d
        run[2, at] += 0.5 * amount * d * d
        run[3, at] += amount * low_part
        run[4, at] += whole


@lean
def _close_run(run, centre, deviation, reach, places, n, near, passed, slope, jump):
    """Add a run of rows to the sums at the places inside its window; beyond it as a jump.

    The rows' distributions are expanded about the run's centre to second order. ``slope`` of
    no lines: no derivatives are wanted. Returns the window's first place.
    """
    begin = _first_at_least(places, n, centre - reach, near)
    end = begin
    top = centre + reach
    while end < n and places[end] < top:
        p = end
        z = (places[p] - centre) / deviation
        value = _quick_phi(z)
        dense = _quick_density(z)
        for k in range(run.shape[1]):
            if run[0, k] != 0.0:
                passed[p, k] += run[0, k] * value - run[3, k] - dense * (run[1, k] + run[2, k] * z)
                if slope.shape[0] > 0:
                    rise = run[0, k] + run[1, k] * z + run[2, k] * (z * z - 1.0)
                    slope[p, k] += dense / deviation * rise
        end += 1
    for k in range(run.shape[1]):
        jump[end, k] += run[4, k]
        for moment in range(5):
            run[moment, k] = 0.0
    return begin


@lean
def _add_runs(mu, s, octave, level, cls, w, part, m, low, high, window, places, n, passed, slope,
              jump, run):  # fmt: skip
    """Add the rows of one octave: rows near each other and of one deviation as one run."""
    bounded = low > -np.inf or high < np.inf
    centre = 0.0
    deviation = 0.0
    near = 0
    for i in range(m):
        if octave[i] != level:
            continue
        if s[i] != deviation or mu[i] > centre + 0.5 * deviation / PER_RUN:
            if deviation > 0.0:
                near = _close_run(
                    run, centre, deviation, window * deviation, places, n, near, passed, slope, jump
                )
            deviation = s[i]
            centre = mu[i] + 0.5 * deviation / PER_RUN
        low_part = 0.0
        scale = 1.0
        if bounded:
            low_part, scale = _truncation(mu[i], deviation, low, high)
        _join_run(run, cls[i], (mu[i] - centre) / deviation, low_part, scale, w[i], part[i])
    if deviation > 0.0:
        _close_run(run, centre, deviation, window * deviation, places, n, near, passed, slope, jump)


@lean
def _settle(passed, jump, n):
    """Add to each place what lies wholly below it."""
    for k in range(passed.shape[1]):
        total = 0.0
        for c in range(n):
            total += jump[c, k]
            passed[c, k] += total


@inline
def _sum_passed(mu, s, octave, cls, w, part, m, low, high, window, candidates, n, passed):
    """Weight of each class, and the size in rows, that passes each candidate.

    Rows whose window holds few candidates are summed there, the others, in octaves of their
    deviation, at the knots of a grid. Beyond the window a row counts 0 or 1.
    """
    width = passed.shape[1]
    passed[: n + 1] = 0.0
    jump = np.zeros((n + 1, width))
    run = np.zeros((5, width))
    least = EXACT
    most = -EXACT
    begin = 0
    for i in range(m):
        if s[i] <= 0.0:
            begin = _first_at_least(candidates, n, mu[i], begin)
            octave[i] = EXACT
            jump[begin, cls[i]] += w[i]
            jump[begin, width - 1] += part[i]
            continue
        octave[i] = DIRECTLY
        if n <= DIRECT:
            continue
        begin = _first_at_least(candidates, n, mu[i] - window * s[i], begin)
        if begin + DIRECT < n and candidates[begin + DIRECT] < mu[i] + window * s[i]:
            octave[i] = math.frexp(s[i])[1]
            least = min(least, octave[i])
            most = max(most, octave[i])
    none = np.empty((0, width))
    _add_runs(
        mu, s, octave, DIRECTLY, cls, w, part, m, low, high, window, candidates, n, passed, none,
        jump, run,
    )  # fmt: skip
    _settle(passed, jump, n)
    for level in range(least, most + 1):
        step = math.ldexp(0.5, level) / KNOTS
        if not (octave[:m] == level).any():
            continue
        knots = np.empty(2 * n + 2)
        n_knots = _place_knots(candidates, n, step, knots)
        height = np.zeros((n_knots + 1, width))
        slope = np.zeros((n_knots + 1, width))
        leap = np.zeros((n_knots + 1, width))
        _add_runs(
            mu, s, octave, level, cls, w, part, m, low, high, window, knots, n_knots, height,
            slope, leap, run,
        )  # fmt: skip
        _settle(height, leap, n_knots)
        _interpolate(candidates, n, step, knots, n_knots, height, slope, passed)


@inline
def _best_candidate(code, passed, n, total, size, min_leaf, min_weight, best, tie):
    """Best of the candidates: (its place or -1, raw gain)."""
    n_classes = total.shape[0]
    known = 0.0
    for k in range(n_classes):
        known += total[k]
    parent = _impurity(code, total, known)
    right = np.empty(n_classes)
    left = np.empty(n_classes)
    where = -1
    for c in range(n):
        if min(passed[c, n_classes], size - passed[c, n_classes]) < min_leaf - 1e-9:
            continue
        n_left = 0.0
        for k in range(n_classes):
            left[k] = min(max(passed[c, k], 0.0), total[k])
            n_left += left[k]
            right[k] = total[k] - left[k]
        n_right = known - n_left
        if not (n_left > 0.0 and n_right > 0.0 and min(n_left, n_right) >= min_weight):
            continue
        raw = parent - _impurity(code, left, n_left) - _impurity(code, right, n_right)
        if raw > best + tie:
            best = raw
            where = c
    return where, best


@jit
def best_thresholds(columns, deviations, lines, features, codes, weights, share, start, stop,
                    lows, highs, code, window, min_leaf, min_weight, n_classes):  # fmt: skip
    m = stop - start
    candidates = np.empty(m + 1)
    passed = np.empty((m + 1, n_classes + 1))
    mu = np.empty(m)
    s = np.empty(m)
    cls = np.empty(m, np.int32)
    w = np.empty(m)
    part = np.empty(m)
    octave = np.empty(m, np.int64)
    best = 0.0
    feature = -1
    threshold = 0.0
    below = 0.0
    above = 0.0
    for j in features:
        n_known, most = _collect(
            columns[j], deviations[j], lines[j + 1, start:stop], codes, weights, share, mu, s,
            cls, w, part,
        )  # fmt: skip
        n = _candidates(mu, cls, part, n_known, most, lows[j], highs[j], candidates)
        if n == 0:
            continue
        total = np.zeros(n_classes)
        size = 0.0
        for i in range(n_known):
            total[cls[i]] += w[i]
            size += part[i]
        weight = 0.0
        for k in range(n_classes):
            weight += total[k]
        _sum_passed(
            mu, s, octave, cls, w, part, n_known, lows[j], highs[j], window, candidates, n, passed
        )
        where, best = _best_candidate(
            code, passed, n, total, size, min_leaf, min_weight, best, TIE * weight
        )
        if where >= 0:
            feature = j
            threshold = candidates[where]
            below = candidates[where - 1] if where > 0 else mu[0]
            above = candidates[where + 1] if where + 1 < n else mu[n_known - 1]
    return feature, threshold, below, above, best
