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
                # Shares first: the square of a very large or small weight is no number.
                value += counts[k] * (counts[k] / weight)
            value = weight - value
    elif code == SUM_OF_VARIANCES:
        value = 0.0
        if weight > 0.0:
            first = 0.0
            for k in range(n_classes):
                first += counts[k] * rank[k]
                value += counts[k] * rank[k] * rank[k]
            value -= first * (first / weight)
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
            value = weight * (value / info) if info > 0.0 else 0.0
    return value


@jit
def class_ranks(counts, rank):
    """Number the classes 1, 2 ... by descending weight, ties by code (sum of variances).

    Weights that differ by rounding only are a tie.
    """
    n_classes = counts.shape[0]
    for k in range(n_classes):
        place = 1
        for other in range(n_classes):
            is_more = counts[other] * (1.0 - TIE) > counts[k]
            is_less = counts[k] * (1.0 - TIE) > counts[other]
            if is_more or (other < k and not is_less):
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


# ---------------------------------------------------------------- stable partition


@inline
def _partition(lines, start, stop, to_left, spare):
    """Move the rows that go left to the front of every line, order kept on both sides."""
    for j in range(lines.shape[0]):
        a = start
        b = 0
        for i in range(start, stop):
            # Written to both sides and kept on one: a branch on data would be guessed wrong.
            row = lines[j, i]
            goes_left = np.int64(to_left[row] > 0.0)
            lines[j, a] = row
            spare[b] = row
            a += goes_left
            b += 1 - goes_left
        for i in range(b):
            lines[j, a + i] = spare[i]


# ---------------------------------------------------------------- best cut of sorted columns


@inline
def _cut_threshold(mode, low, high, unsafe_left, unsafe, n_left, n):
    """Place the threshold in the gap between two neighbouring values."""
    threshold = 0.5 * low + 0.5 * high
    if mode == SAFE:
        # The whole gap goes to the side with the larger share of unsafe rows.
        share_left = unsafe_left / n_left
        share_right = (unsafe - unsafe_left) / (n - n_left)
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
def _share(share, row):
    """Part of a row that is at the node; an empty array stands for whole rows."""
    return share[row] if share.shape[0] > 0 else 1.0


@inline
def _general_cut(
    x, order, codes, weights, share, start, stop, total, code, rank, min_leaf, min_weight, best,
    tie, left, right, known,
):  # fmt: skip
    """Scan one column: any weights, missing values last, any criterion."""
    n_classes = total.shape[0]
    weight = 0.0
    for k in range(n_classes):
        known[k] = total[k]
        weight += total[k]
        left[k] = 0.0
    end = stop
    while end > start and x[order[end - 1]] != x[order[end - 1]]:
        end -= 1
        known[codes[order[end]]] -= weights[order[end]]
    n_known = weight
    if end < stop:
        n_known = 0.0
        for k in range(n_classes):
            known[k] = max(known[k], 0.0)
            n_known += known[k]
    size = float(end - start)
    if share.shape[0] > 0:
        size = 0.0
        for i in range(start, end):
            size += share[order[i]]
    # For a strictly concave impurity only cuts between groups of different class can be best
    # (Fayyad & Irani 1992), unless a limit on the sides forbids those.
    # With divided rows even a limit of one row does.
    is_limited = min_leaf > 1.0 or min_weight > 0.0 or share.shape[0] > 0
    only_boundaries = code in (ENTROPY, GINI) and not is_limited
    parent = _impurity(code, known, n_known, rank)
    where = -1
    n_left = 0.0
    passed = 0.0
    before = -2
    i = start
    while i < end:
        value = x[order[i]]
        pure = codes[order[i]]
        group = i
        while group < end and x[order[group]] == value:
            if codes[order[group]] != pure:
                pure = -1
            group += 1
        # A hair of slack: shares of rows are sums of fractions.
        is_cut = passed > min_leaf - 1e-9 and size - passed > min_leaf - 1e-9
        if i > start and is_cut and not (only_boundaries and pure >= 0 and pure == before):
            for k in range(n_classes):
                right[k] = max(known[k] - left[k], 0.0)
            n_right = n_known - n_left
            if n_right > 0.0 and min(n_left, n_right) >= min_weight:
                raw = _raw_gain(code, parent, left, right, n_left, n_right, weight, rank)
                if raw > best + tie:
                    best = raw
                    where = i
        before = pure
        while i < group:
            row = order[i]
            left[codes[row]] += weights[row]
            n_left += weights[row]
            passed += _share(share, row)
            i += 1
    return best, where


@inline
def _search(
    columns, lines, features, codes, weights, share, start, stop, total, table, code, min_leaf,
    min_weight, whole, work,
):  # fmt: skip
    """Best column, first position on its right side and raw gain; the column is -1 for none.

    ``table`` holds k log2 k for the quick scan of entropy with unit weights and no missing
    value, or is empty. ``whole`` (2, K) int64 and ``work`` (4, K) are scratch.
    """
    n_classes = total.shape[0]
    best = 0.0
    feature = np.int64(-1)
    where = -1
    if table.shape[0] > 0:
        n = stop - start
        parent = table[n]
        for k in range(n_classes):
            whole[0, k] = int(total[k])
            parent -= table[whole[0, k]]
        for j in features:
            best, at = _entropy_cut(
                columns[j], lines[j + 1], codes, start, stop, whole[0], table, parent, best,
                TIE * n, whole[1],
            )  # fmt: skip
            if at >= 0:
                feature, where = np.int64(j), at
    else:
        weight = 0.0
        for k in range(n_classes):
            weight += total[k]
        class_ranks(total, work[3])
        for j in features:
            best, at = _general_cut(
                columns[j], lines[j + 1], codes, weights, share, start, stop, total, code,
                work[3], min_leaf, min_weight, best, TIE * weight, work[0], work[1], work[2],
            )  # fmt: skip
            if at >= 0:
                feature, where = np.int64(j), at
    return feature, where, best


@inline
def _place(x, line, codes, weights, start, stop, where, mode, unsafe):
    """Threshold of the cut in front of position ``where`` of a sorted column."""
    unsafe_left = 0.0
    unsafe_known = 0.0
    n_left = 0.0
    n_known = 0.0
    if mode == SAFE:
        for i in range(start, stop):
            row = line[i]
            if x[row] == x[row]:
                is_unsafe = codes[row] == unsafe
                n_known += weights[row]
                unsafe_known += weights[row] * is_unsafe
                if i < where:
                    n_left += weights[row]
                    unsafe_left += weights[row] * is_unsafe
    return _cut_threshold(
        mode, x[line[where - 1]], x[line[where]], unsafe_left, unsafe_known, n_left, n_known
    )


@jit
def best_axis_cut(
    columns, lines, features, codes, weights, share, start, stop, total, table, code, min_leaf,
    min_weight, mode, unsafe,
):  # fmt: skip
    """Find the best cut ``column <= threshold`` of a node over the listed columns.

    Parameters
    ----------
    columns : (c, n) values, one line a column
    lines : (c + 1, m), line j + 1 the rows sorted by column j, missing values last
    features : columns to look at, ascending; the first of equally good ones wins, and in a
        column the smallest threshold
    table : k log2 k for k = 0 ... n where the quick scan of entropy applies, else empty

    Returns
    -------
    (column, threshold, gain per unit of weight); the column is -1 when no cut gains.
    """
    n_classes = total.shape[0]
    whole = np.zeros((2, n_classes), np.int64)
    work = np.zeros((4, n_classes))
    feature, where, best = _search(
        columns, lines, features, codes, weights, share, start, stop, total, table, code,
        min_leaf, min_weight, whole, work,
    )  # fmt: skip
    if feature < 0:
        return feature, 0.0, 0.0
    threshold = _place(
        columns[feature], lines[feature + 1], codes, weights, start, stop, where, mode, unsafe
    )
    weight = 0.0
    for k in range(n_classes):
        weight += total[k]
    return feature, threshold, best / weight


@inline
def _longer(table):
    """Twice as many lines."""
    n, width = table.shape
    longer = np.empty((2 * n, width), table.dtype)
    for i in range(n):
        for j in range(width):
            longer[i, j] = table[i, j]
    return longer


@jit
def grow_axis_parallel(
    columns, lines, features, codes, weights, share, total, table, code, mode, unsafe, to_left,
    spare, max_depth, min_split, min_leaf, min_weight, min_gain,
):  # fmt: skip
    """Grow a whole axis-parallel tree on complete rows, as the induction loop would.

    Returns
    -------
    Of each node, depth-first and left before right: (left child or -1, right child or -1,
    column or -1), (threshold, share of the weight that goes left), class weights
    """
    n_classes = total.shape[0]
    whole = np.zeros((2, n_classes), np.int64)
    work = np.zeros((4, n_classes))
    links = np.empty((64, 3), np.int32)  # left child, right child, column
    cuts = np.empty((64, 2))  # threshold, share left
    counts = np.empty((64, n_classes))
    stack = np.empty((64, 5), np.int64)  # start, stop, depth, parent, 0 or 1 for its child
    pending = np.empty((64, n_classes))
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, lines.shape[1], 0, -1
    for k in range(n_classes):
        pending[0, k] = total[k]
    top = 1
    node = -1
    while top > 0:
        top -= 1
        node += 1
        if node == links.shape[0]:
            links, cuts, counts = _longer(links), _longer(cuts), _longer(counts)
        if top + 2 > stack.shape[0]:
            stack, pending = _longer(stack), _longer(pending)
        start, stop, depth, parent = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        if parent >= 0:
            links[parent, stack[top, 4]] = node
        links[node, 0], links[node, 1], links[node, 2] = -1, -1, -1
        cuts[node, 0], cuts[node, 1] = np.nan, 0.5
        weight = 0.0
        present = 0
        for k in range(n_classes):
            counts[node, k] = pending[top, k]
            weight += counts[node, k]
            present += counts[node, k] > 0.0
        if present < 2 or stop - start < min_split or depth >= max_depth:
            continue
        feature, where, best = _search(
            columns, lines, features, codes, weights, share, start, stop, counts[node], table,
            code, min_leaf, min_weight, whole, work,
        )  # fmt: skip
        if feature < 0 or best <= min_gain * weight or min(where - start, stop - where) < min_leaf:
            continue
        links[node, 2] = feature
        cuts[node, 0] = _place(
            columns[feature], lines[feature + 1], codes, weights, start, stop, where, mode, unsafe
        )
        for k in range(n_classes):
            pending[top, k] = 0.0
            pending[top + 1, k] = 0.0
        weight_left = 0.0
        for i in range(start, stop):
            row = lines[feature + 1, i]
            to_left[row] = 1.0 if i < where else 0.0
            pending[top + (i < where), codes[row]] += weights[row]
            weight_left += weights[row] * to_left[row]
        cuts[node, 1] = weight_left / weight
        _partition(lines, start, stop, to_left, spare)
        # The left child is on top, so that it comes next.
        for side in range(2):
            at = top + 1 - side
            stack[at, 0] = where if side == 1 else start
            stack[at, 1] = stop if side == 1 else where
            stack[at, 2], stack[at, 3], stack[at, 4] = depth + 1, node, side
        top += 2
    n_nodes = node + 1
    return links[:n_nodes], cuts[:n_nodes], counts[:n_nodes]


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


@jit
def to_data_units(weights, spread, kept, values):
    """Weights of scaled columns as weights of the data, the largest of them near one.

    Spreads count relative to the smallest, so that no unit of the data overflows. Weights that
    vanish beside the largest are left out; where one overflows nevertheless, all of them are.

    Parameters
    ----------
    weights, spread : (d,)
    kept : (d,) gets the positions of the weights that are kept
    values : (d,) gets their values

    Returns
    -------
    how many are kept
    """
    least = np.inf
    for j in range(weights.shape[0]):
        if weights[j] != 0.0:
            least = min(least, spread[j])
    largest = 1e-300
    for j in range(weights.shape[0]):
        values[j] = weights[j] / (spread[j] / least) if weights[j] != 0.0 else 0.0
        if not np.isfinite(values[j]):
            return 0
        largest = max(largest, abs(values[j]))
    unit = 2.0 ** math.floor(math.log2(largest))
    q = 0
    for j in range(weights.shape[0]):
        value = values[j] / unit
        if value != 0.0:
            kept[q], values[q] = j, value
            q += 1
    return q


@inline
def _plane_threshold(plane, kept, values, centre, spread):
    """Threshold of a plane (d + 1,) for its weights in the data's units; they may overflow."""
    largest = np.abs(values).argmax()
    j = kept[largest]
    # All weights were divided by the same power of two.
    out = plane[-1] * (values[largest] / (plane[j] / spread[j]))
    for q in range(kept.shape[0]):
        out += values[q] * centre[kept[q]]
    return out


@inline
def _between(X, rows, indices, values, heights):
    """Largest score of the rows on the left (``height <= 0``) and smallest of those on the right.

    Scores are those of prediction. Both are NaN where a score is, and infinite where a side has
    no rows.
    """
    low, high = -np.inf, np.inf
    for i in range(rows.shape[0]):
        score = _score(X, rows[i], indices, values)
        if score != score:
            return np.nan, np.nan
        if heights[i] <= 0.0:
            low = max(low, score)
        else:
            high = min(high, score)
    return low, high


@inline
def _place_plane(
    X, rows, plane, heights, features, centre, spread, keep_threshold, indices, values
):  # fmt: skip
    """`place_plane`, for kernels."""
    q = to_data_units(plane[:-1], spread, indices, values)
    if q == 0:
        return 0, np.nan
    own = np.nan
    if keep_threshold:
        own = _plane_threshold(plane, indices[:q], values[:q], centre, spread)
    for p in range(q):
        indices[p] = features[indices[p]]
    low, high = _between(X, rows, indices[:q], values[:q], heights)
    if low == -np.inf or high == np.inf:
        return 0, np.nan
    if not low < high:
        return q, np.nan
    threshold = own
    if not low <= threshold < high:
        threshold = 0.5 * low + 0.5 * high
    if not low <= threshold < high:
        threshold = low
    return q, threshold


@jit
def place_plane(
    X, rows, plane, heights, features, centre, spread, keep_threshold, indices, values
):  # fmt: skip
    """Turn a plane of scaled columns into a test of the data that divides the rows alike.

    Parameters
    ----------
    X : (n, n_features)
    rows : (m,) rows that the plane divides
    plane : (d + 1,) weights of the scaled columns, and the threshold
    heights : (m,) the rows' scores less the threshold; those of at most 0 go left
    features, centre, spread : (d,) columns of X that were scaled, and how
    keep_threshold : whether the plane's own threshold is wanted where it divides the rows alike
    indices : (d,) gets the features with a weight
    values : (d,) gets their weights

    Returns
    -------
    (how many features have a weight, threshold); 0 features where the plane divides nothing,
    and the threshold is NaN where rounding mixes the sides
    """
    return _place_plane(
        X, rows, plane, heights, features, centre, spread, keep_threshold, indices, values
    )


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
def known_gain(code, left, right, total):
    """Gain per unit of weight of a test from the class weights of the rows with an answer.

    ``total`` holds the class weights of the node, rows without an answer included.
    """
    sides = np.empty((4, total.shape[0]))
    sides[2] = left
    sides[3] = right
    return _known_gain(code, sides, total, left.sum(), left.sum() + right.sum())


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
def place_and_assess(
    X, rows, plane, heights, features, centre, spread, keep_threshold, indices, values, codes,
    weights, total, code,
):  # fmt: skip
    """`place_plane`, and the gain of the test at a node all of whose rows are listed.

    Parameters beyond those of `place_plane`: class codes (n,) and weights (n,) of all rows,
    class weights of the node (K,), code of the criterion.

    Returns
    -------
    (how many features have a weight, threshold, gain as `assess` would have it)
    """
    q, threshold = _place_plane(
        X, rows, plane, heights, features, centre, spread, keep_threshold, indices, values
    )
    if q == 0 or threshold != threshold:
        return q, threshold, 0.0
    sides = np.zeros((4, total.shape[0]))
    for i in range(rows.shape[0]):
        sides[2 + (heights[i] > 0.0), codes[rows[i]]] += weights[rows[i]]
    left, right = 0.0, 0.0
    for k in range(total.shape[0]):
        left += sides[2, k]
        right += sides[3, k]
    return q, threshold, _known_gain(code, sides, total, left, left + right)


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
        new_share[row] = _share(share, row) * part
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
    if mass[0] <= 0.0 or mass[1] <= 0.0:
        return False
    return risky[1] / mass[1] > risky[0] / mass[0] * (1.0 + TIE)


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
    no safe row is misclassified, -3 when every variant has an empty side or gains nothing
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
    # A gain of nothing is rounding on either side of zero: no better than an empty side.
    if best <= TIE:
        return -3, 0.0, threshold
    return which, value, cut if which < 0 else tilted


# ---------------------------------------------------------------- nodes of a finished tree


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
