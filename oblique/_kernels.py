"""Compiled loops of growing and routing.

Kernels that call each other stand in one file, because a cached caller is not recompiled
when its callee in another file changes. Conventions: ``X (n, d)`` and ``weights (n,)`` are
float64, class codes and row numbers int32; a node is the range ``start:stop`` of every line
of ``lines``: line 0 holds its rows in canonical order and, where they are kept, line j + 1
the same rows in ascending order of column j.
A score is the sum of weight x value over the features with a weight, ascending: the same
sum in growing and in prediction. ``x != x`` finds a missing value.
"""

import math

import numpy as np

from projection.jit import inline, jit

ENTROPY, GINI, GAIN_RATIO, TWOING, MAX_MINORITY, SUM_MINORITY, SUM_OF_VARIANCES = range(7)
MIDPOINT, DATA_VALUE, SAFE = range(3)
LINEAR, CATEGORY = range(2)

# Two gains closer than this share of the node's weight are a tie.
TIE = 1e-12


# ---------------------------------------------------------------- criteria


@inline
def _xlogx(value):
    return value * math.log2(value) if value > 0.0 else 0.0


@jit
def xlogx_table(n):
    """Values of k log2 k for k = 0 ... n."""
    table = np.zeros(n + 1)
    for k in range(1, n + 1):
        table[k] = _xlogx(float(k))
    return table


@inline
def _impurity(code, counts, weight, rank):
    """Impurity times weight, so that the parts of a node add up."""
    n_classes = counts.shape[0]
    if code in (ENTROPY, GAIN_RATIO):
        value = _xlogx(weight)
        for k in range(n_classes):
            value -= _xlogx(counts[k])
    elif code in (GINI, TWOING):
        value = 0.0
        if weight > 0.0:
            for k in range(n_classes):
                value += counts[k] * counts[k]
            value = weight - value / weight
    elif code == SUM_OF_VARIANCES:
        value = 0.0
        if weight > 0.0:
            first = 0.0
            for k in range(n_classes):
                first += counts[k] * rank[k]
                value += counts[k] * rank[k] * rank[k]
            value -= first * first / weight
    else:
        value = 0.0
        for k in range(n_classes):
            value = max(value, counts[k])
        value = weight - value
    return value


@inline
def _raw_gain(code, parent, left, right, n_left, n_right, weight, rank):
    """Gain times the weight of the node; ``weight`` counts missing rows too."""
    if code == TWOING:
        spread = 0.0
        for k in range(left.shape[0]):
            spread += abs(left[k] / n_left - right[k] / n_right)
        known = n_left + n_right
        value = known * (n_left / known) * (n_right / known) * spread * spread
    else:
        i_left = _impurity(code, left, n_left, rank)
        i_right = _impurity(code, right, n_right, rank)
        if code == MAX_MINORITY:
            value = parent - max(i_left, i_right)
        else:
            value = parent - (i_left + i_right)
        if code == GAIN_RATIO:
            # Missing rows are one more outcome of the test (Quinlan 1993).
            info = _xlogx(weight) - _xlogx(n_left) - _xlogx(n_right)
            info -= _xlogx(weight - n_left - n_right)
            value = weight * value / info if info > 0.0 else 0.0
    return value


@jit
def class_ranks(counts, rank):
    """Number the classes 1, 2 ... by descending weight, ties by code (sum of variances)."""
    n_classes = counts.shape[0]
    for k in range(n_classes):
        place = 1
        for other in range(n_classes):
            if counts[other] > counts[k] or (counts[other] == counts[k] and other < k):
                place += 1
        rank[k] = place


@jit
def node_impurity(code, counts):
    """Impurity per unit of weight."""
    rank = np.empty(counts.shape[0])
    class_ranks(counts, rank)
    weight = counts.sum()
    return _impurity(code, counts, weight, rank) / weight if weight > 0.0 else 0.0


@jit
def counts_gain(code, left, right):
    """Gain per unit of weight of a split given by the class weights of its sides."""
    total = left + right
    rank = np.empty(total.shape[0])
    class_ranks(total, rank)
    n_left, n_right = left.sum(), right.sum()
    weight = n_left + n_right
    if n_left <= 0.0 or n_right <= 0.0:
        return 0.0
    parent = _impurity(code, total, weight, rank)
    return _raw_gain(code, parent, left, right, n_left, n_right, weight, rank) / weight


# ---------------------------------------------------------------- canonical order of rows


@jit
def row_hashes(bits, codes, weights):
    """Hash each row's content, so that sorting by it forgets the order the rows came in.

    ``bits`` is the view of X as int64. Both zeros and all NaN payloads count as one value.
    """
    n, d = bits.shape
    hashes = np.empty(n, np.uint64)
    sign = np.int64(-9223372036854775807 - 1)
    magnitude = np.int64(0x7FFFFFFFFFFFFFFF)
    infinity = np.int64(0x7FF0000000000000)
    for i in range(n):
        state = np.uint64(1469598103934665603)
        for j in range(d + 2):
            if j < d:
                word = bits[i, j]
                if word == sign:
                    word = np.int64(0)
                elif (word & magnitude) > infinity:
                    word = infinity + np.int64(1)
            elif j == d:
                word = np.int64(codes[i])
            else:
                word = weights[i]
            # The finaliser of splitmix64 mixes every bit of the word into the state.
            z = state ^ (np.uint64(word) + np.uint64(0x9E3779B97F4A7C15))
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state = z ^ (z >> np.uint64(31))
        hashes[i] = state
    return hashes


# ---------------------------------------------------------------- stable partition


@inline
def _partition(lines, start, stop, to_left, spare):
    """Move the rows that go left to the front of every line, order kept on both sides."""
    for j in range(lines.shape[0]):
        a = start
        b = 0
        for i in range(start, stop):
            row = lines[j, i]
            if to_left[row] > 0.0:
                lines[j, a] = row
                a += 1
            else:
                spare[b] = row
                b += 1
        for i in range(b):
            lines[j, a + i] = spare[i]


# ---------------------------------------------------------------- best cut of sorted columns


@inline
def _cut_threshold(mode, low, high, unsafe_left, unsafe, n_left, n):
    """Place the threshold in the gap between two neighbouring values."""
    threshold = 0.5 * low + 0.5 * high
    if mode == SAFE:
        # The whole gap goes to the side with the larger share of unsafe rows.
        share_left = unsafe_left * (n - n_left)
        share_right = (unsafe - unsafe_left) * n_left
        if share_left < share_right * (1.0 - TIE):
            threshold = low
        elif share_right < share_left * (1.0 - TIE):
            threshold = np.nextafter(high, -np.inf)
    elif mode == DATA_VALUE:
        threshold = low
    if not (low <= threshold < high):
        threshold = low
    return threshold


@inline
def _entropy_cut(x, order, codes, start, stop, total, table, parent, best, tie, left):
    """Scan one column: whole-number weights of one, no missing value, entropy.

    Only boundaries between groups of different class can be best (Fayyad & Irani 1992).
    Returns the best raw gain above ``best`` and the position of its first row on the right.
    """
    n_classes = total.shape[0]
    n = stop - start
    left[:] = 0
    where = -1
    value = x[order[start]]
    pure = codes[order[start]]
    i = start
    while i < stop and x[order[i]] == value:
        k = codes[order[i]]
        if k != pure:
            pure = -1
        left[k] += 1
        i += 1
    while i < stop:
        value = x[order[i]]
        before = pure
        pure = codes[order[i]]
        group = i
        while group < stop and x[order[group]] == value:
            if codes[order[group]] != pure:
                pure = -1
            group += 1
        if pure < 0 or pure != before:
            n_left = i - start
            children = table[n_left] + table[n - n_left]
            for k in range(n_classes):
                children -= table[left[k]] + table[total[k] - left[k]]
            if parent - children > best + tie:
                best = parent - children
                where = i
        while i < group:
            left[codes[order[i]]] += 1
            i += 1
    return best, where


@inline
def _general_cut(
    x, order, codes, weights, share, start, stop, total, code, rank, min_leaf, best, tie, left,
    right, known,
):  # fmt: skip
    """Scan one column: any weights, missing values last, any criterion, every cut."""
    n_classes = total.shape[0]
    weight = 0.0
    for k in range(n_classes):
        known[k] = total[k]
        weight += total[k]
    end = stop
    size = 0.0
    for i in range(start, stop):
        size += share[order[i]]
    while end > start and x[order[end - 1]] != x[order[end - 1]]:
        end -= 1
        known[codes[order[end]]] -= weights[order[end]]
        size -= share[order[end]]
    n_known = weight
    if end < stop:
        n_known = 0.0
        for k in range(n_classes):
            if known[k] < 0.0:
                known[k] = 0.0
            n_known += known[k]
    parent = _impurity(code, known, n_known, rank)
    where = -1
    n_left = 0.0
    passed = 0.0
    left[:] = 0.0
    i = start
    while i < end:
        value = x[order[i]]
        while i < end and x[order[i]] == value:
            row = order[i]
            left[codes[row]] += weights[row]
            n_left += weights[row]
            passed += share[row]
            i += 1
        if i == end:
            break
        # A hair of slack: shares of rows are sums of fractions.
        if passed < min_leaf - 1e-9 or size - passed < min_leaf - 1e-9:
            continue
        for k in range(n_classes):
            right[k] = max(known[k] - left[k], 0.0)
        n_right = n_known - n_left
        if n_right <= 0.0:
            break
        raw = _raw_gain(code, parent, left, right, n_left, n_right, weight, rank)
        if raw > best + tie:
            best = raw
            where = i
    return best, where


@inline
def _search_entropy(columns, lines, features, codes, start, stop, total, table):
    """Best column, first position on its right side and raw gain."""
    n_classes = total.shape[0]
    n = stop - start
    counts = np.zeros((2, n_classes), np.int64)
    whole, left = counts[0], counts[1]
    parent = table[n]
    for k in range(n_classes):
        whole[k] = int(total[k])
        parent -= table[whole[k]]
    best = 0.0
    feature = np.int64(-1)
    where = -1
    for j in features:
        best, at = _entropy_cut(
            columns[j], lines[j + 1], codes, start, stop, whole, table, parent, best, TIE * n, left
        )
        if at >= 0:
            feature, where = np.int64(j), at
    return feature, where, best


@inline
def _place_entropy(columns, lines, codes, start, stop, where, feature, total, mode, unsafe):
    """Threshold of the cut in front of position ``where``."""
    unsafe_left = 0.0
    unsafe_all = 0.0
    if unsafe >= 0 and mode == SAFE:
        unsafe_all = total[unsafe]
        for i in range(start, where):
            unsafe_left += codes[lines[feature + 1, i]] == unsafe
    low = columns[feature, lines[feature + 1, where - 1]]
    high = columns[feature, lines[feature + 1, where]]
    return _cut_threshold(
        mode, low, high, unsafe_left, unsafe_all, float(where - start), float(stop - start)
    )


@jit
def best_entropy_cut(columns, lines, features, codes, start, stop, total, table, mode, unsafe):
    """Do what `best_axis_cut` does for entropy, unit weights and no missing value.

    ``table`` holds k log2 k for k = 0 ... n.
    """
    feature, where, best = _search_entropy(
        columns, lines, features, codes, start, stop, total, table
    )
    if feature < 0:
        return feature, 0.0, 0.0
    threshold = _place_entropy(
        columns, lines, codes, start, stop, where, feature, total, mode, unsafe
    )
    return feature, threshold, best / (stop - start)


@jit
def divide_at_best_entropy_cut(
    columns, lines, features, codes, start, stop, total, table, mode, unsafe, to_left, spare,
    sides,
):  # fmt: skip
    """Find the best cut and divide the node by it, in one call.

    Returns
    -------
    (column or -1, threshold, gain, rows left, classes present left, classes present right)
    """
    feature, where, best = _search_entropy(
        columns, lines, features, codes, start, stop, total, table
    )
    if feature < 0:
        return feature, 0.0, 0.0, 0, 0, 0
    threshold = _place_entropy(
        columns, lines, codes, start, stop, where, feature, total, mode, unsafe
    )
    n_classes = total.shape[0]
    for k in range(n_classes):
        sides[0, k] = 0.0
    for i in range(start, stop):
        row = lines[feature + 1, i]
        if i < where:
            to_left[row] = 1.0
            sides[0, codes[row]] += 1.0
        else:
            to_left[row] = 0.0
    present_left = 0
    present_right = 0
    for k in range(n_classes):
        sides[1, k] = total[k] - sides[0, k]
        present_left += sides[0, k] > 0.0
        present_right += sides[1, k] > 0.0
    _partition(lines, start, stop, to_left, spare)
    gain = best / (stop - start)
    return feature, threshold, gain, where - start, present_left, present_right


@jit
def best_axis_cut(
    columns, lines, features, codes, weights, share, start, stop, total, code, min_leaf, mode,
    unsafe,
):  # fmt: skip
    """Find the best cut ``column <= threshold`` of a node over the listed columns.

    Parameters
    ----------
    columns : (c, n) values, one line a column
    lines : (c + 1, m), line j + 1 the rows sorted by column j, missing values last
    features : columns to look at, ascending; the first of equally good ones wins, and in a
        column the smallest threshold

    Returns
    -------
    (column, threshold, gain per unit of weight); the column is -1 when no cut gains.
    """
    n_classes = total.shape[0]
    work = np.zeros((4, n_classes))
    left, right, known, rank = work[0], work[1], work[2], work[3]
    weight = 0.0
    for k in range(n_classes):
        weight += total[k]
    class_ranks(total, rank)
    best = 0.0
    feature = -1
    where = -1
    for j in features:
        best, at = _general_cut(
            columns[j], lines[j + 1], codes, weights, share, start, stop, total, code, rank,
            min_leaf, best, TIE * weight, left, right, known,
        )  # fmt: skip
        if at >= 0:
            feature, where = j, at
    if feature < 0:
        return feature, 0.0, 0.0
    x, line = columns[feature], lines[feature + 1]
    n_left = 0.0
    unsafe_left = 0.0
    for i in range(start, where):
        n_left += weights[line[i]]
        if codes[line[i]] == unsafe:
            unsafe_left += weights[line[i]]
    n_known = n_left
    unsafe_known = unsafe_left
    for i in range(where, stop):
        if x[line[i]] == x[line[i]]:
            n_known += weights[line[i]]
            if codes[line[i]] == unsafe:
                unsafe_known += weights[line[i]]
    threshold = _cut_threshold(
        mode, x[line[where - 1]], x[line[where]], unsafe_left, unsafe_known, n_left, n_known
    )
    return feature, threshold, best / weight


# ---------------------------------------------------------------- membership and division


@inline
def _score(X, row, indices, values):
    if indices.shape[0] == 1:
        # Times one is exact, so an axis-parallel test compares the value itself.
        return X[row, indices[0]] * values[0]
    score = 0.0
    for p in range(indices.shape[0]):
        score += X[row, indices[p]] * values[p]
    return score


@inline
def _category_side(code, codes, begin, n_left, open_right):
    """1 left, 0 right, -1 missing or not seen; the node's codes start at ``begin``."""
    if code != code:
        return -1
    for p in range(begin, codes.shape[0]):
        if codes[p] == code:
            return 1 if p < begin + n_left else 0
    return 0 if open_right else -1


@jit
def row_scores(X, rows, indices, values):
    """Scores of the listed rows by the sum that prediction uses."""
    scores = np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        scores[i] = _score(X, rows[i], indices, values)
    return scores


@jit
def linear_membership(X, indices, values, threshold, missing_left):
    """Share of each row that passes ``score <= threshold``."""
    out = np.empty(X.shape[0])
    for i in range(X.shape[0]):
        score = _score(X, i, indices, values)
        if score != score:
            out[i] = missing_left
        else:
            out[i] = 1.0 if score <= threshold else 0.0
    return out


@jit
def category_membership(X, feature, codes, n_left, open_right, missing_left):
    """Share of each row whose category is among the first ``n_left`` codes."""
    out = np.empty(X.shape[0])
    for i in range(X.shape[0]):
        side = _category_side(X[i, feature], codes, 0, n_left, open_right)
        out[i] = missing_left if side < 0 else float(side)
    return out


@inline
def _tally(
    X, rows, start, stop, kind, indices, values, threshold, n_left, open_right, codes, weights,
    to_left, sides,
):  # fmt: skip
    """Send each row to a side and sum the class weights of the sides.

    ``sides`` (4, K) gets left, right, and the part of each with a known answer; a missing
    answer is divided as the known weight is.

    Returns (rows known to go left, rows without an answer, known weight left, known weight).
    """
    n_classes = sides.shape[1]
    for k in range(n_classes):
        sides[2, k] = 0.0
        sides[3, k] = 0.0
    n_missing = 0
    count = 0
    for i in range(start, stop):
        row = rows[i]
        if kind == LINEAR:
            score = _score(X, row, indices, values)
            side = -1 if score != score else (1 if score <= threshold else 0)
        else:
            side = _category_side(X[row, indices[0]], indices, 1, n_left, open_right)
        if side < 0:
            n_missing += 1
            to_left[row] = -1.0
        else:
            to_left[row] = float(side)
            sides[3 - side, codes[row]] += weights[row]
            count += side
    weight_left = 0.0
    weight_right = 0.0
    for k in range(n_classes):
        weight_left += sides[2, k]
        weight_right += sides[3, k]
        sides[0, k] = sides[2, k]
        sides[1, k] = sides[3, k]
    if n_missing > 0:
        known = weight_left + weight_right
        fraction = weight_left / known if known > 0.0 else 0.5
        for i in range(start, stop):
            row = rows[i]
            if to_left[row] < 0.0:
                to_left[row] = fraction
                sides[0, codes[row]] += fraction * weights[row]
                sides[1, codes[row]] += (1.0 - fraction) * weights[row]
    return count, n_missing, weight_left, weight_left + weight_right


@inline
def _known_gain(code, sides, total, weight_left, known):
    n_classes = total.shape[0]
    if weight_left <= 0.0 or known <= weight_left:
        return 0.0
    weight = 0.0
    for k in range(n_classes):
        weight += total[k]
    rank = total
    both = sides[2]
    if code == SUM_OF_VARIANCES or known != weight:
        rank = np.empty(n_classes)
        class_ranks(total, rank)
        both = np.empty(n_classes)
        for k in range(n_classes):
            both[k] = sides[2, k] + sides[3, k]
        parent = _impurity(code, both, known, rank)
    else:
        parent = _impurity(code, total, known, rank)
    raw = _raw_gain(
        code, parent, sides[2], sides[3], weight_left, known - weight_left, weight, rank
    )
    return raw / weight


@jit
def assess(
    X, rows, start, stop, kind, indices, values, threshold, n_left, open_right, codes, weights,
    to_left, total, code,
):  # fmt: skip
    """Gain of a test at a node, without dividing it."""
    sides = np.empty((4, total.shape[0]))
    _, _, weight_left, known = _tally(
        X, rows, start, stop, kind, indices, values, threshold, n_left, open_right, codes,
        weights, to_left, sides,
    )  # fmt: skip
    return _known_gain(code, sides, total, weight_left, known)


@jit
def divide(
    X, lines, start, stop, kind, indices, values, threshold, n_left, open_right, codes, weights,
    to_left, spare, total, sides, code,
):  # fmt: skip
    """Apply a test to a node.

    Sums the class weights of the sides and the gain and, where every row has a known answer
    and both sides hold rows, partitions all lines, order kept.

    Returns
    -------
    (rows left, rows without an answer, share of known weight that goes left, gain,
    classes present left, classes present right)
    """
    count, n_missing, weight_left, known = _tally(
        X, lines[0], start, stop, kind, indices, values, threshold, n_left, open_right, codes,
        weights, to_left, sides,
    )  # fmt: skip
    gain = _known_gain(code, sides, total, weight_left, known)
    if n_missing == 0 and 0 < count < stop - start:
        _partition(lines, start, stop, to_left, spare)
    present_left = 0
    present_right = 0
    for k in range(total.shape[0]):
        present_left += sides[0, k] > 0.0
        present_right += sides[1, k] > 0.0
    fraction = weight_left / known if known > 0.0 else 0.5
    return count, n_missing, fraction, gain, present_left, present_right


@jit
def side_lines(lines, start, stop, to_left, side):
    """Rows of a range that have a part on one side (1 left, 0 right), line by line."""
    n = 0
    for i in range(start, stop):
        part = to_left[lines[0, i]]
        n += part > 0.0 if side == 1 else part < 1.0
    out = np.empty((lines.shape[0], n), np.int32)
    for j in range(lines.shape[0]):
        at = 0
        for i in range(start, stop):
            part = to_left[lines[j, i]]
            if part > 0.0 if side == 1 else part < 1.0:
                out[j, at] = lines[j, i]
                at += 1
    return out


@jit
def side_weights(rows, to_left, side, weights, share, new_weights, new_share):
    """Weights and row shares of the rows on one side. Returns the sum of shares."""
    size = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        part = to_left[row] if side == 1 else 1.0 - to_left[row]
        new_weights[row] = weights[row] * part
        new_share[row] = share[row] * part
        size += new_share[row]
    return size


# ---------------------------------------------------------------- class weights


@jit
def class_counts(rows, codes, weights, n_classes):
    """Sum of weights of each class."""
    counts = np.zeros(n_classes)
    for i in range(rows.shape[0]):
        counts[codes[rows[i]]] += weights[rows[i]]
    return counts


@jit
def category_counts(X, feature, rows, start, stop, codes, weights, n_categories, n_classes):
    """Class weights of each category of a feature at a node, (n_categories, n_classes)."""
    counts = np.zeros((n_categories, n_classes))
    for i in range(start, stop):
        value = X[rows[i], feature]
        if value == value:
            counts[int(value), codes[rows[i]]] += weights[rows[i]]
    return counts


# ---------------------------------------------------------------- linear discriminant


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
    count = np.zeros(2)
    mass = np.zeros(2)
    for i in range(start, stop):
        row = rows[i]
        side = group[codes[row]]
        if side < 0:
            continue
        count[side] += 1.0
        mass[side] += weights[row]
        for q in range(used):
            value = X[row, features[which[q]]] * scale[which[q]]
            if value == value:
                mean[q] += weights[row] * value
                known[q] += weights[row]
    if count[0] < 2.0 or count[1] < 2.0:
        return False, a, 0.0
    total = mass[0] + mass[1]
    observations = total if is_counted else count[0] + count[1]
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


# ---------------------------------------------------------------- safe adjustment


@inline
def _variant_gain(
    scores, X, rows, feature, change, threshold, codes, weights, left, total, known, code, rank
):
    """Gain and safe weight in the unsafe region after one coefficient changed by ``change``."""
    n_classes = total.shape[0]
    n_known = 0.0
    weight = 0.0
    for k in range(n_classes):
        left[0, k] = 0.0
        n_known += known[k]
        weight += total[k]
    n_left = 0.0
    for i in range(rows.shape[0]):
        score = scores[i]
        if change != 0.0:
            score += change * X[rows[i], feature]
        if score <= threshold:
            left[0, codes[rows[i]]] += weights[rows[i]]
            n_left += weights[rows[i]]
    n_right = 0.0
    for k in range(n_classes):
        left[1, k] = max(known[k] - left[0, k], 0.0)
        n_right += left[1, k]
    if n_left <= 0.0 or n_right <= TIE * n_known:
        return -1.0
    parent = _impurity(code, known, n_known, rank)
    return _raw_gain(code, parent, left[0], left[1], n_left, n_right, weight, rank) / weight


@jit
def is_right_less_safe(X, rows, indices, values, threshold, codes, weights, unsafe):
    """Whether the side ``score > threshold`` has the larger share of the unsafe class."""
    mass = np.zeros(2)
    risky = np.zeros(2)
    for i in range(rows.shape[0]):
        score = _score(X, rows[i], indices, values)
        if score == score:
            side = 0 if score <= threshold else 1
            mass[side] += weights[rows[i]]
            if codes[rows[i]] == unsafe:
                risky[side] += weights[rows[i]]
    return mass[0] > 0.0 and risky[1] * mass[0] > risky[0] * mass[1] * (1.0 + TIE)


@jit
def best_safe_variant(
    X, rows, indices, values, threshold, codes, weights, unsafe, total, code, must_be_pure
):
    """Change one number of a plane so that the deepest misclassified safe row lies on it.

    The unsafe region is ``score <= threshold``. Of changing the threshold or one weight, the
    variant of largest gain is taken; the threshold first, then weights in order.

    Returns
    -------
    (which, new value, threshold); which is -1 for the threshold, p for ``values[p]``, -2 when
    no safe row is misclassified, -3 when every variant has an empty side
    """
    n = rows.shape[0]
    n_classes = total.shape[0]
    scores = np.empty(n)
    known = np.zeros(n_classes)
    left = np.empty((2, n_classes))
    rank = np.empty(n_classes)
    class_ranks(total, rank)
    deepest = -1
    for i in range(n):
        scores[i] = _score(X, rows[i], indices, values)
        if scores[i] == scores[i]:
            known[codes[rows[i]]] += weights[rows[i]]
            is_wrong = codes[rows[i]] != unsafe and scores[i] <= threshold
            if is_wrong and (deepest < 0 or scores[i] < scores[deepest]):
                deepest = i
    if deepest < 0:
        return -2, 0.0, threshold
    row = rows[deepest]
    reach = abs(threshold)
    for p in range(indices.shape[0]):
        reach += abs(values[p] * X[row, indices[p]])

    # A row on the plane is safe, so the threshold lies just below its score.
    cut = np.nextafter(scores[deepest], -np.inf)
    best = _variant_gain(
        scores, X, rows, 0, 0.0, cut, codes, weights, left, total, known, code, rank
    )
    which, value = -1, cut
    # Scores of rows on a tilted plane differ from the threshold by rounding only.
    tilted = threshold - 1e-9 * reach
    for p in range(indices.shape[0]):
        j = indices[p]
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(X[rows[i], j]))
        if not abs(X[row, j]) > 1e-12 * largest:
            continue
        change = (threshold - scores[deepest]) / X[row, j]
        if not abs(values[p] + change) < np.inf or values[p] + change == 0.0:
            continue
        gain = _variant_gain(
            scores, X, rows, j, change, tilted, codes, weights, left, total, known, code, rank
        )
        if must_be_pure:
            safe = 0.0
            for k in range(n_classes):
                if k != unsafe:
                    safe += left[0, k]
            if safe > 0.0:
                continue
        if gain > best + TIE:
            best, which, value = gain, p, values[p] + change
    if best < 0.0:
        return -3, 0.0, threshold
    return which, value, cut if which < 0 else tilted


# ---------------------------------------------------------------- routing


@inline
def _next_child(X, i, node, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
                cat_left, cat_open):  # fmt: skip
    """Child that a row goes to, or -1 when its answer is missing."""
    begin, end = indptr[node], indptr[node + 1]
    c_begin, c_end = cat_ptr[node], cat_ptr[node + 1]
    if c_begin == c_end:
        score = 0.0
        if end - begin == 1:
            score = X[i, indices[begin]] * values[begin]
        else:
            for p in range(begin, end):
                score += X[i, indices[p]] * values[p]
        if score <= threshold[node]:
            return left[node]
        return right[node] if score == score else -1
    side = _category_side(
        X[i, indices[begin]], cat_codes[c_begin:c_end], 0, cat_left[node], cat_open[node]
    )
    if side < 0:
        return -1
    return left[node] if side == 1 else right[node]


@jit
def apply_tree(X, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes, cat_left,
               cat_open):  # fmt: skip
    """Leaf of each row, or -1 - node where the answer at that node is missing."""
    n = X.shape[0]
    leaf = np.empty(n, np.int64)
    for i in range(n):
        node = 0
        while left[node] >= 0:
            child = _next_child(
                X, i, node, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
                cat_left, cat_open,
            )  # fmt: skip
            if child < 0:
                node = -1 - node
                break
            node = child
        leaf[i] = node
    return leaf


@jit
def apply_axis_tree(X, feature, threshold, children):
    """Leaf of each row of a tree of one-weight tests with weight one; children (n, 2).

    Rows with a missing value get -1 - node, as in `apply_tree`.
    """
    n = X.shape[0]
    leaf = np.empty(n, np.int64)
    for i in range(n):
        node = np.int64(0)
        while feature[node] >= 0:
            value = X[i, feature[node]]
            if value != value:
                node = -1 - node
                break
            node = np.int64(children[node, 1 - int(value <= threshold[node])])
        leaf[i] = node
    return leaf


@jit
def reach_tree(X, i, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
               cat_left, cat_open, missing_left, reach):  # fmt: skip
    """Share of row i that reaches each node; parents come before their children."""
    reach[:] = 0.0
    reach[0] = 1.0
    for node in range(left.shape[0]):
        if left[node] < 0 or reach[node] == 0.0:
            continue
        child = _next_child(
            X, i, node, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
            cat_left, cat_open,
        )  # fmt: skip
        if child >= 0:
            reach[child] = reach[node]
        else:
            reach[left[node]] = reach[node] * missing_left[node]
            reach[right[node]] = reach[node] * (1.0 - missing_left[node])


@jit
def reach_rows(X, rows, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
               cat_left, cat_open, missing_left):  # fmt: skip
    """`reach_tree` for the listed rows, (n_rows, n_nodes)."""
    out = np.empty((rows.shape[0], left.shape[0]))
    for i in range(rows.shape[0]):
        reach_tree(
            X, rows[i], left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
            cat_left, cat_open, missing_left, out[i],
        )  # fmt: skip
    return out


@jit
def count_divided_rows(X, rows, left, right, indptr, indices, values, threshold, cat_ptr,
                       cat_codes, cat_left, cat_open, missing_left, codes, weights,
                       counts):  # fmt: skip
    """Add the listed rows' weights to the class weights of the nodes, by the share reached."""
    reach = np.empty(left.shape[0])
    for i in rows:
        reach_tree(
            X, i, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
            cat_left, cat_open, missing_left, reach,
        )  # fmt: skip
        for node in range(reach.shape[0]):
            counts[node, codes[i]] += weights[i] * reach[node]


@jit
def climb_counts(parents, counts):
    """Add each node's class weights to its parent's; parents come before their children."""
    for node in range(parents.shape[0] - 1, 0, -1):
        for k in range(counts.shape[1]):
            counts[parents[node], k] += counts[node, k]


# ---------------------------------------------------------------- making a tree


@jit
def depth_first(tested):
    """Rename nodes depth-first, left before right.

    ``tested[i]`` is the node that the i-th test divided into nodes 2 i + 1 and 2 i + 2.

    Returns
    -------
    old name of each new node, its new children (-1 at leaves), and, for each inner node in
    ascending order, its new name and which test it has
    """
    n_tests = tested.shape[0]
    n = 2 * n_tests + 1
    test = np.full(n, -1, np.int32)
    for i in range(n_tests):
        test[tested[i]] = i
    old = np.empty(n, np.int32)
    left = np.full(n, -1, np.int32)
    right = np.full(n, -1, np.int32)
    inner = np.empty(n_tests, np.int64)
    which = np.empty(n_tests, np.int64)
    stack = np.empty((2, n + 1), np.int32)
    stack[0, 0], stack[1, 0] = 0, -1
    top = 1
    count = 0
    n_inner = 0
    while top > 0:
        top -= 1
        name, above = stack[0, top], stack[1, top]
        old[count] = name
        if above >= 0:
            if left[above] < 0:
                left[above] = count
            else:
                right[above] = count
        if test[name] >= 0:
            inner[n_inner] = count
            which[n_inner] = test[name]
            n_inner += 1
            stack[0, top], stack[1, top] = 2 * test[name] + 2, count
            stack[0, top + 1], stack[1, top + 1] = 2 * test[name] + 1, count
            top += 2
        count += 1
    return old, left, right, inner, which


@jit
def describe_nodes(code, counts, tie_class):
    """Impurity and label of each node.

    Classes that tie within rounding go to ``tie_class``, or to the smallest code where that
    is -1 or not among them.
    """
    n, n_classes = counts.shape
    impurity = np.empty(n)
    label = np.empty(n, np.int32)
    rank = np.empty(n_classes)
    for i in range(n):
        if code == SUM_OF_VARIANCES:
            class_ranks(counts[i], rank)
        weight = 0.0
        most = 0.0
        for k in range(n_classes):
            weight += counts[i, k]
            most = max(most, counts[i, k])
        impurity[i] = _impurity(code, counts[i], weight, rank) / weight if weight > 0.0 else 0.0
        enough = most * (1.0 - TIE)
        if tie_class >= 0 and counts[i, tie_class] >= enough:
            label[i] = tie_class
        else:
            k = 0
            while counts[i, k] < enough:
                k += 1
            label[i] = k
    return impurity, label


@jit
def node_depths(parents):
    """Depth of each node; parents come before their children."""
    depth = np.zeros(parents.shape[0], np.int32)
    for node in range(1, parents.shape[0]):
        depth[node] = depth[parents[node]] + 1
    return depth


@jit
def below_nodes(parents, cut):
    """Whether a node has an ancestor among the marked nodes."""
    below = np.zeros(parents.shape[0], np.bool_)
    for node in range(1, parents.shape[0]):
        above = parents[node]
        below[node] = below[above] or cut[above]
    return below
