"""Compiled search for a better plane: one step along a line, and climbs made of such steps.

A plane is the vector ``p (d + 1,)`` of weights and threshold; row i has the value
``v_i = p[0] x_i0 + ... - p[d]`` and goes left where ``v_i <= 0``. Moving the plane along a
direction changes v at the rate of a slope: ``v + step * slope``. One weight has its column as
slope, the threshold has -1, a random jump a random mixture of all. Which step is best is
therefore one question, answered exactly by `best_step` for every criterion.

The cost of a cut is the raw impurity of both sides (weight times impurity), or minus the raw
gain for the criteria that rate splits only; smaller is better.

Kernels that call each other stand in one file, because a cached caller is not recompiled when
its callee in another file changes. Scratch space is packed in few arrays and most helpers are
inlined: handing many arrays from kernel to kernel costs more than a step on a small node, and
every level of calls is optimised once more by the compiler.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oblique._kernels import (
    ENTROPY,
    GAIN_RATIO,
    GINI,
    MAX_MINORITY,
    SUM_MINORITY,
    SUM_OF_VARIANCES,
    TWOING,
)
from projection.jit import jit, paste

SEQUENTIAL, BEST, RANDOM = range(3)

# Two costs closer than this share of the node's weight are equal.
TIE = 1e-9
# Rows whose keys, numbers in (-1, 1), are closer than this cross together: in exact arithmetic
# they may be equal.
GAP = 1e-12
# A row that would cross only beyond this key never does: its slope is zero but for rounding.
FAR = 1.0 - 1e-12
_EMPTY = 1e-12
_TINY = 1e-300
_BLOCK = 512
# Costs of all cuts are tabulated where there are at most so many.
_MOST_CUTS = 1 << 16
# With more classes than this, the corners of a bin's box are too many to look at.
_MOST_CORNERS = 6
_MOST_LINES = 1024
_MOST_BINS = 4096


class Problem(NamedTuple):
    """Rows of a node as the search sees them: K is the number of classes that are present."""

    columns: NDArray[np.float64]  # (d + 1, n): scaled columns, the last one is -1 throughout
    codes: NDArray[np.int32]  # (n,): 0 ... K - 1
    weights: NDArray[np.float64]  # (n,)
    classes: NDArray[np.float64]  # (2, K): class weights; class numbers of the sum of variances
    log_table: NDArray[np.float64]  # k log2 k where class weights are whole numbers, else empty
    cost_table: NDArray[np.float64]  # cost by class weights on the left as one number, or empty
    strides: NDArray[np.int32]  # (n,): what a row adds to that number
    criterion: int
    weight: float  # of all rows
    undivided: float  # raw impurity of the node itself
    least: float  # weight that each side of a cut must have
    steepness: float  # no cost changes faster than this per unit of weight that crosses


class Room(NamedTuple):
    """Scratch space of `best_step`; lines are named by the constants below."""

    by_row: NDArray[np.float64]  # (3 + K, n)
    row_numbers: NDArray[np.int32]  # (2, n + 1)
    by_bin: NDArray[np.float64]  # (5 + 4 K, bins)
    marks: NDArray[np.int32]  # (5, bins + 2)


# Lines of by_row. Class weights on the left behind each sorted row begin at _INSIDE.
_KEY, _COST, _SPARE, _INSIDE = range(4)
# Lines of row_numbers: rows in the order of keys; the bin or the histogram's cell of each row.
_ROW, _CELL = range(2)
# Lines of by_bin: weight that crosses in a bin; cost of the cut in front of it; least possible
# cost inside; cost of a corner of its box. At _HISTOGRAM begin 2 K lines with the weight by
# direction and class, K with the class weights on the left in front of the bin, and K with
# those at a corner of its box.
_CROSSING, _EDGE_COST, _BOUND, _CORNER_COST, _BIN_SPARE, _HISTOGRAM = range(6)
# Lines of marks: number of rows; whether there is a cut in front of a bin; whether a better cut
# may be inside; whether the rows are sorted; list of some bins.
_COUNT, _IS_EDGE, _IS_OPEN, _IS_PICKED, _LISTED = range(5)


# ---------------------------------------------------------------- posing the problem


@jit
def pose(columns, codes, weights, criterion, is_counted, least):
    """Make the problem of some rows.

    Parameters
    ----------
    columns : (d + 1, n) values, the last line -1
    codes : (n,) class codes of which every one is present
    weights : (n,) positive weights
    criterion : code of the criterion
    is_counted : whether all weights are whole numbers, so that costs can be tabulated
    least : weight that each side of a cut must have
    """
    n_classes = codes.max() + 1
    classes = np.zeros((2, n_classes))
    total, rank = classes[0], classes[1]
    for i in range(codes.shape[0]):
        total[codes[i]] += weights[i]
    weight = total.sum()
    for k in range(n_classes):
        rank[k] = 1.0
        for other in range(n_classes):
            if total[other] > total[k] or (total[other] == total[k] and other < k):
                rank[k] += 1.0
    log_table = np.empty(0)
    if criterion in (ENTROPY, GAIN_RATIO) and is_counted and weight < 1e7:
        log_table = np.zeros(int(weight) + 1)
        for k in range(1, log_table.shape[0]):
            log_table[k] = k * math.log2(k)
    undivided = _raw_impurity(criterion, classes, weight)
    size = 1.0
    for k in range(n_classes):
        size *= total[k] + 1.0
    cost_table = np.empty(int(size) if is_counted and size <= _MOST_CUTS else 0)
    strides = np.zeros(codes.shape[0], np.int32)
    if cost_table.shape[0] > 0:
        _tabulate(cost_table, criterion, classes, weight, log_table, undivided, least)
        for i in range(codes.shape[0]):
            stride = 1
            for k in range(codes[i] + 1, n_classes):
                stride *= int(total[k]) + 1
            strides[i] = stride * int(weights[i])
    steepness = _steepness(criterion, weight, weights.min(), n_classes)
    return Problem(
        columns, codes, weights, classes, log_table, cost_table, strides, criterion, weight,
        undivided, least, steepness,
    )  # fmt: skip


@paste
def _raw_impurity(criterion, classes, weight):
    """Weight times impurity of an undivided node."""
    total, rank = classes[0], classes[1]
    value = 0.0
    if criterion in (ENTROPY, GAIN_RATIO):
        value = _xlogx(weight)
        for k in range(total.shape[0]):
            value -= _xlogx(total[k])
    elif criterion in (GINI, TWOING):
        for k in range(total.shape[0]):
            value += total[k] * total[k]
        value = weight - value / weight
    elif criterion == SUM_OF_VARIANCES:
        first = 0.0
        for k in range(total.shape[0]):
            first += total[k] * rank[k]
            value += total[k] * rank[k] * rank[k]
        value -= first * first / weight
    else:
        value = weight - total.max()
    return value


@paste
def _steepness(criterion, weight, least, n_classes):
    """Bound of the change of cost per unit of weight that changes sides."""
    bound = 1.0  # the minority measures
    if criterion == ENTROPY:
        # The first row of a class costs most: log2(weight of the side / its own weight).
        bound = math.log2(weight / least) + 1.5
    elif criterion == GAIN_RATIO:
        bound = np.inf
    elif criterion == GINI:
        bound = 2.0
    elif criterion == TWOING:
        bound = 12.0
    elif criterion == SUM_OF_VARIANCES:
        bound = (n_classes - 1.0) ** 2
    return bound


@paste
def _tabulate(table, criterion, classes, weight, log_table, undivided, least):
    """Fill a table with the costs of all cuts, the last class running fastest."""
    total = classes[0]
    n_classes = total.shape[0]
    run = int(total[n_classes - 1]) + 1
    left = np.zeros((n_classes, run))
    spare = np.empty(run)
    for a in range(run):
        left[n_classes - 1, a] = a
    for begin in range(0, table.shape[0], run):
        part = table[begin : begin + run]
        cut_costs(criterion, left, run, classes, weight, log_table, undivided, part, spare)
        for a in range(run):
            if spare[a] < least or weight - spare[a] < least:
                part[a] = np.inf
        # Count on: the class before the last one runs next.
        k = n_classes - 2
        while k >= 0:
            above = left[k, 0] + 1.0 if left[k, 0] < total[k] else 0.0
            for a in range(run):
                left[k, a] = above
            if above > 0.0:
                break
            k -= 1


@jit
def make_room(problem):
    """Allocate the scratch space of a problem."""
    n = problem.codes.shape[0]
    n_classes = problem.classes.shape[1]
    n_bins = 16
    if problem.cost_table.shape[0] > 0:
        while n_bins < 2 * n:
            n_bins *= 2
    else:
        # Bins cost time for each class, and rows of bins that are sorted cost more.
        in_bin = 7 * n_classes if n_classes <= _MOST_CORNERS else 14
        while n_bins < _MOST_BINS and n_bins * in_bin < n:
            n_bins *= 2
    return Room(
        np.empty((_INSIDE + n_classes, n)),
        np.empty((2, n + 1), np.int32),
        np.empty((_HISTOGRAM + 4 * n_classes, n_bins)),
        np.empty((5, n_bins + 2), np.int32),
    )


# ---------------------------------------------------------------- the cost of a cut


@paste
def _xlogx(value):
    return value * math.log2(value) if value > 0.0 else 0.0


@jit
def cut_costs(criterion, left, n_cuts, classes, weight, log_table, undivided, out, n_left):
    """Costs of many cuts at once.

    Loops run over the cuts inside, so that the compiler computes several at a time.

    Parameters
    ----------
    left : (K, at least n_cuts) class weights on the left of each cut
    classes : as in `Problem`
    out : (n_cuts,) gets the costs, infinite where a side is empty
    n_left : (n_cuts,) gets the weights on the left
    """
    total, rank = classes[0], classes[1]
    n_left[:n_cuts] = 0.0
    for k in range(total.shape[0]):
        for b in range(n_cuts):
            n_left[b] += left[k, b]
    if criterion == GINI:
        _gini_costs(left, n_cuts, total, weight, out, n_left)
    elif criterion == TWOING:
        _twoing_costs(left, n_cuts, total, weight, out, n_left)
    elif criterion == SUM_OF_VARIANCES:
        _variance_costs(left, n_cuts, total, weight, rank, out, n_left)
    elif criterion in (MAX_MINORITY, SUM_MINORITY):
        _minority_costs(criterion, left, n_cuts, total, weight, out, n_left)
    else:
        _entropy_costs(left, n_cuts, total, weight, log_table, out, n_left)
        if criterion == GAIN_RATIO:
            for b in range(n_cuts):
                info = _xlogx(weight) - _xlogx(n_left[b]) - _xlogx(weight - n_left[b])
                out[b] = weight * (out[b] - undivided) / info
    empty = _EMPTY * weight
    for b in range(n_cuts):
        if n_left[b] <= empty or weight - n_left[b] <= empty:
            out[b] = np.inf


@paste
def _gini_costs(left, n_cuts, total, weight, out, n_left):
    out[:n_cuts] = 0.0
    for k in range(total.shape[0]):
        for b in range(n_cuts):
            right = total[k] - left[k, b]
            out[b] += left[k, b] * left[k, b] * (weight - n_left[b]) + right * right * n_left[b]
    for b in range(n_cuts):
        out[b] = weight - out[b] / (n_left[b] * (weight - n_left[b]))


@paste
def _twoing_costs(left, n_cuts, total, weight, out, n_left):
    out[:n_cuts] = 0.0
    for k in range(total.shape[0]):
        for b in range(n_cuts):
            # The difference of the class's shares, times both weights.
            out[b] += abs(left[k, b] * weight - total[k] * n_left[b])
    for b in range(n_cuts):
        out[b] = -out[b] * out[b] / (n_left[b] * (weight - n_left[b]) * weight)


@paste
def _variance_costs(left, n_cuts, total, weight, rank, out, n_left):
    first = 0.0
    second = 0.0
    out[:n_cuts] = 0.0
    for k in range(total.shape[0]):
        first += total[k] * rank[k]
        second += total[k] * rank[k] * rank[k]
        for b in range(n_cuts):
            out[b] += left[k, b] * rank[k]
    for b in range(n_cuts):
        rest = first - out[b]
        out[b] = second - out[b] * out[b] / n_left[b] - rest * rest / (weight - n_left[b])


@paste
def _minority_costs(criterion, left, n_cuts, total, weight, out, n_left):
    for b in range(n_cuts):
        most_left = 0.0
        most_right = 0.0
        for k in range(total.shape[0]):
            most_left = max(most_left, left[k, b])
            most_right = max(most_right, total[k] - left[k, b])
        if criterion == MAX_MINORITY:
            out[b] = max(n_left[b] - most_left, weight - n_left[b] - most_right)
        else:
            out[b] = weight - most_left - most_right


@paste
def _entropy_costs(left, n_cuts, total, weight, log_table, out, n_left):
    if log_table.shape[0] > 0:
        for b in range(n_cuts):
            out[b] = log_table[int(n_left[b])] + log_table[int(weight - n_left[b])]
        for k in range(total.shape[0]):
            for b in range(n_cuts):
                out[b] -= log_table[int(left[k, b])] + log_table[int(total[k] - left[k, b])]
    else:
        for b in range(n_cuts):
            out[b] = _xlogx(n_left[b]) + _xlogx(weight - n_left[b])
        for k in range(total.shape[0]):
            for b in range(n_cuts):
                out[b] -= _xlogx(left[k, b]) + _xlogx(total[k] - left[k, b])


@paste
def _costs_of(problem, left, n_cuts, out, n_left):
    cut_costs(
        problem.criterion, left, n_cuts, problem.classes, problem.weight, problem.log_table,
        problem.undivided, out, n_left,
    )  # fmt: skip


# ---------------------------------------------------------------- the best step along a line


@jit
def best_step(problem, room, values, slopes, ceiling):
    """Find the step along a line whose cut costs least.

    Row i crosses the plane at ``step = -values[i] / slopes[i]``, to the right where its slope
    is positive. Candidates are the midpoints between neighbouring different crossings, as in
    Murthy, Kasif & Salzberg (1994, section 2.2).

    Crossings are compared by the key ``t = -v sgn(s) / (scale abs(s) + abs(v))`` in (-1, 1),
    which grows with the step and cannot overflow.

    Parameters
    ----------
    problem : Problem
    room : Room
    values, slopes : (n,)
    ceiling : float
        Cuts that cost more are of no interest, and may be found or not.

    Returns
    -------
    (cost, step)
        Infinity and 0 where no cut costs at most ``ceiling``. Which of several cuts that cost
        the same is found depends on the rows' content only.
    """
    scale = _typical_ratio(values, slopes)
    cost, low, high = np.inf, -1, -1
    if scale > 0.0:
        if problem.cost_table.shape[0] > 0:
            cost, low, high = _walk_all(problem, room, values, slopes, scale)
        else:
            cost, low, high = _screen(problem, room, values, slopes, scale, ceiling)
    step = 0.0
    if low >= 0:
        step = -0.5 * (values[low] / slopes[low]) - 0.5 * (values[high] / slopes[high])
    return cost, step


@paste
def _typical_ratio(values, slopes):
    """Scale of the keys: mean absolute value over mean absolute slope, 0 without a slope.

    Any positive number is right; this one spreads the keys. A sample of rows will do.
    """
    n = values.shape[0]
    stride = max(1, n // 32)
    while True:
        value_sum = 0.0
        slope_sum = 0.0
        for i in range(0, n, stride):
            value_sum += abs(values[i])
            slope_sum += abs(slopes[i])
        if stride == 1 or (value_sum > 0.0 and slope_sum > 0.0):
            break
        stride = 1
    ratio = 0.0
    if slope_sum > 0.0:
        ratio = value_sum / slope_sum if value_sum > 0.0 else 1.0
    return ratio


@paste
def _key(value, slope, scale):
    return (-value if slope > 0.0 else value) / (scale * abs(slope) + abs(value) + _TINY)


# ------------------------------------------- few rows: sort them all, look costs up in the table


@paste
def _walk_all(problem, room, values, slopes, scale):
    """Walk through all cuts in the order of crossings; costs come from the table.

    Returns (cost, row that crosses last before the cut, first behind it), rows -1 for none.
    """
    keys, costs, rows = room.by_row[_KEY], room.by_row[_COST], room.row_numbers[_ROW]
    table, changes = problem.cost_table, room.by_row[_INSIDE]
    n_crossing, at = _sort_by_bins(problem, room, values, slopes, scale)
    n_cuts = n_crossing - 1
    for a in range(n_cuts):
        # Unsigned, because indices that may be negative are looked at once more.
        i = np.uint64(rows[a])
        at += int(changes[i])
        cost = table[np.uint64(at)]
        costs[a] = cost if keys[a + 1] - keys[a] > GAP else np.inf
    best = _least(costs, n_cuts)
    low, high = -1, -1
    if best < np.inf:
        # The first of the cheapest cuts.
        limit = best + TIE * problem.weight
        a = 0
        while costs[a] > limit:
            a += 1
        best, low, high = costs[a], int(rows[a]), int(rows[a + 1])
    return best, low, high


@paste
def _least(costs, n):
    """Least of the first n numbers, infinity of none."""
    # Four chains, because one comparison must wait for the one before it.
    first, second, third, fourth = np.inf, np.inf, np.inf, np.inf
    for a in range(0, n - 3, 4):
        first = costs[a] if costs[a] < first else first
        second = costs[a + 1] if costs[a + 1] < second else second
        third = costs[a + 2] if costs[a + 2] < third else third
        fourth = costs[a + 3] if costs[a + 3] < fourth else fourth
    for a in range(n - n % 4, n):
        first = costs[a] if costs[a] < first else first
    return min(min(first, second), min(third, fourth))


@paste
def _sort_by_bins(problem, room, values, slopes, scale):
    """Sort the rows that cross by their key, equal ones in the order of rows.

    Returns their number, and the place in the table of the cut before the first crossing. How
    each row changes that place when it crosses is left in the first line of _INSIDE.
    """
    keys, unsorted, changes = room.by_row[_KEY], room.by_row[_SPARE], room.by_row[_INSIDE]
    rows, cells, counts = room.row_numbers[_ROW], room.row_numbers[_CELL], room.marks[_COUNT]
    strides = problem.strides
    n = values.shape[0]
    n_bins = counts.shape[0] - 2
    half = 0.5 * n_bins
    at = 0
    for i in range(n):
        value, slope = values[i], slopes[i]
        key = _key(value, slope, scale)
        stays = slope == 0.0 or not abs(key) < FAR
        is_left = value <= 0.0 if stays else slope > 0.0
        at += strides[i] if is_left else 0
        # Here and not in the walk, where the sign would be a branch that is guessed wrong.
        changes[i] = strides[i] if slope < 0.0 else -strides[i]
        unsorted[i] = key
        cells[i] = n_bins if stays else int((key + 1.0) * half)
    counts[:] = 0
    # Unsigned, because indices that may be negative are looked at once more.
    for i in range(n):
        counts[np.uint64(cells[i]) + np.uint64(1)] += 1
    for b in range(n_bins):
        counts[b + 1] += counts[b]
    n_crossing = counts[n_bins]
    for i in range(n):
        b = np.uint64(cells[i])
        place = np.uint64(counts[b])
        keys[place] = unsorted[i]
        rows[place] = i
        counts[b] += 1
    # Rows are in the order of bins now, so short moves finish the sort.
    for i in range(1, n_crossing):
        key, row = keys[i], rows[i]
        j = i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1], rows[j + 1] = keys[j], rows[j]
            j -= 1
        keys[j + 1], rows[j + 1] = key, row
    return n_crossing, at


# ------------------------------------------- many rows: a histogram says which bins to sort


@paste
def _screen(problem, room, values, slopes, scale, ceiling):
    """Find the best cut without sorting all rows.

    A histogram of the keys gives the exact cost at the edges of its bins and a lower bound
    inside each bin; only bins that may hold a better cut are sorted, and those around the best
    edge. Returns as `_walk_all`.
    """
    tie = TIE * problem.weight
    _fill_histogram(problem, room, values, slopes, scale)
    _cost_edges(problem, room)
    best, low, high = np.inf, -1, -1
    while True:
        edge = _best_edge(room, ceiling + tie, tie)
        best, limit = np.inf, ceiling + tie
        if edge >= 0:
            best = room.by_bin[_EDGE_COST, edge]
            limit = best - tie
        n_open = _open_bins(problem, room, limit)
        if edge < 0 and n_open == 0:
            break
        n_picked = _pick_rows(room, values, slopes, scale, edge)
        low, high, is_cut = _rows_around(room, n_picked, edge)
        if is_cut:
            if n_open > 0:
                best, low, high = _look_inside(
                    problem, room, slopes, n_picked, best, limit, low, high
                )
            break
        room.marks[_IS_EDGE, edge] = 0
    return best, low, high


@paste
def _fill_histogram(problem, room, values, slopes, scale):
    """Sum weights by bin, direction of crossing and class.

    Lines of the histogram: K for rows that leave the left side, K for rows that enter it. The
    last bin takes the rows that never cross: in the first K lines those that stay left.
    """
    codes, weights, cells = problem.codes, problem.weights, room.row_numbers[_CELL]
    n_classes, n_bins = problem.classes.shape[1], room.by_bin.shape[1]
    flat = room.by_bin[_HISTOGRAM:].reshape(-1)
    flat[: 2 * n_classes * n_bins] = 0.0
    n = values.shape[0]
    # In blocks, so that the cells are still in the nearest cache when they are counted.
    for begin in range(0, n, _BLOCK):
        end = min(begin + _BLOCK, n)
        block, block_weights = cells[begin:end], weights[begin:end]
        _find_cells(
            values[begin:end], slopes[begin:end], codes[begin:end], scale, n_bins, n_classes, block
        )
        for i in range(block.shape[0]):
            flat[np.uint64(block[i])] += block_weights[i]


@paste
def _find_cells(values, slopes, codes, scale, n_bins, n_classes, cells):
    half = 0.5 * (n_bins - 1)
    for i in range(values.shape[0]):
        value, slope = values[i], slopes[i]
        key = _key(value, slope, scale)
        stays = slope == 0.0 or not abs(key) < FAR
        b = n_bins - 1 if stays else int((key + 1.0) * half)
        second = value > 0.0 if stays else slope < 0.0
        line = codes[i] + n_classes if second else codes[i]
        cells[i] = line * n_bins + b


@paste
def _cost_edges(problem, room):
    """Class weights and costs at the edges of bins: cut b is in front of bin b."""
    n_classes, n_bins = problem.classes.shape[1], room.by_bin.shape[1]
    histogram = room.by_bin[_HISTOGRAM:]
    left = room.by_bin[_HISTOGRAM + 2 * n_classes :]
    crossing, is_edge = room.by_bin[_CROSSING], room.marks[_IS_EDGE]
    crossing[:] = 0.0
    for line in range(2 * n_classes):
        for b in range(n_bins - 1):
            crossing[b] += histogram[line, b]
    for k in range(n_classes):
        start = histogram[k, n_bins - 1]
        for b in range(n_bins - 1):
            start += histogram[k, b]
        left[k, 0] = start
        for b in range(n_bins - 1):
            change = histogram[n_classes + k, b] - histogram[k, b]
            left[k, b + 1] = max(left[k, b] + change, 0.0)
    n_left = room.by_bin[_BIN_SPARE]
    _costs_of(problem, left, n_bins, room.by_bin[_EDGE_COST], n_left)
    is_edge[0] = 0
    last = 0
    for b in range(n_bins - 1):
        large = n_left[b + 1] >= problem.least and problem.weight - n_left[b + 1] >= problem.least
        is_edge[b + 1] = crossing[b] > 0.0 and large
        if crossing[b] > 0.0:
            last = b
    is_edge[last + 1] = 0


@paste
def _best_edge(room, limit, tie):
    """First of the cheapest cuts at the edges of bins, -1 where none costs less than ``limit``."""
    costs, is_edge = room.by_bin[_EDGE_COST], room.marks[_IS_EDGE]
    edge = -1
    for b in range(costs.shape[0]):
        if is_edge[b] and costs[b] < limit:
            limit = costs[b] - tie
            edge = b
    return edge


@paste
def _open_bins(problem, room, limit):
    """Mark the bins inside which a cut may cost less than ``limit``; return how many."""
    costs, crossing, bounds = (
        room.by_bin[_EDGE_COST], room.by_bin[_CROSSING], room.by_bin[_BOUND]
    )  # fmt: skip
    is_open, listed = room.marks[_IS_OPEN], room.marks[_LISTED]
    criterion, steepness = problem.criterion, problem.steepness
    # Costs near an empty side.
    rates_splits = criterion in (TWOING, GAIN_RATIO)
    one_sided = 0.0 if rates_splits else problem.undivided
    n_listed = np.int64(0)
    is_open[:] = 0
    for b in range(costs.shape[0] - 1):
        before = costs[b] if costs[b] < np.inf else one_sided
        behind = costs[b + 1] if costs[b + 1] < np.inf else one_sided
        # Twice the cost where the steepest ways from both ends meet.
        reach = before + behind - steepness * crossing[b]
        listed[n_listed] = b
        n_listed += crossing[b] > 0.0 and not reach > 2.0 * limit
    n_open = 0
    if n_listed > 0:
        if criterion in (MAX_MINORITY, SUM_MINORITY):
            _minority_bounds(problem, room, n_listed)
        elif problem.classes.shape[1] <= _MOST_CORNERS:
            _corner_bounds(problem, room, n_listed, one_sided)
        else:
            bounds[:n_listed] = -np.inf
        for a in range(n_listed):
            is_open[listed[a]] = bounds[a] < limit
            n_open += bounds[a] < limit
    return n_open


@paste
def _corner_bounds(problem, room, n_listed, one_sided):
    """Lower bound of the costs inside each listed bin, from its box of class weights.

    The costs are concave in the class weights on the left, the gain ratio quasi-concave, so
    that no cut in a box costs less than the box's best corner.
    """
    n_classes = problem.classes.shape[1]
    histogram = room.by_bin[_HISTOGRAM:]
    left = room.by_bin[_HISTOGRAM + 2 * n_classes :]
    corners = room.by_bin[_HISTOGRAM + 3 * n_classes :]
    costs, bounds, listed = (
        room.by_bin[_CORNER_COST], room.by_bin[_BOUND], room.marks[_LISTED]
    )  # fmt: skip
    bounds[:n_listed] = one_sided
    for corner in range(1 << n_classes):
        for k in range(n_classes):
            enters = (corner >> k) & 1
            for a in range(n_listed):
                b = listed[a]
                if enters:
                    corners[k, a] = left[k, b] + histogram[n_classes + k, b]
                else:
                    corners[k, a] = max(left[k, b] - histogram[k, b], 0.0)
        _costs_of(problem, corners, n_listed, costs, room.by_bin[_BIN_SPARE])
        for a in range(n_listed):
            bounds[a] = min(bounds[a], costs[a])


@paste
def _minority_bounds(problem, room, n_listed):
    """Lower bound of the costs inside each listed bin: no side's minority can be smaller."""
    total, n_classes = problem.classes[0], problem.classes.shape[1]
    histogram = room.by_bin[_HISTOGRAM:]
    left = room.by_bin[_HISTOGRAM + 2 * n_classes :]
    for a in range(n_listed):
        b = room.marks[_LISTED, a]
        minority_left = 0.0
        minority_right = 0.0
        most_left = 0.0
        most_right = 0.0
        for k in range(n_classes):
            least_left = max(left[k, b] - histogram[k, b], 0.0)
            least_right = max(total[k] - left[k, b] - histogram[n_classes + k, b], 0.0)
            minority_left += least_left
            minority_right += least_right
            most_left = max(most_left, least_left)
            most_right = max(most_right, least_right)
        minority_left -= most_left
        minority_right -= most_right
        bound = minority_left + minority_right
        if problem.criterion == MAX_MINORITY:
            bound = max(minority_left, minority_right)
        room.by_bin[_BOUND, a] = bound


@paste
def _pick_rows(room, values, slopes, scale, edge):
    """Sort the rows of the open bins and of the two around an edge; returns their number."""
    keys, rows, cells = room.by_row[_KEY], room.row_numbers[_ROW], room.row_numbers[_CELL]
    picked, n_bins = room.marks[_IS_PICKED], room.by_bin.shape[1]
    picked[:] = room.marks[_IS_OPEN]
    if edge >= 0:
        picked[edge - 1] = 1
        behind = edge
        while room.by_bin[_CROSSING, behind] == 0.0:
            behind += 1
        picked[behind] = 1
    # Unsigned, because indices that may be negative are looked at once more.
    mask, count = np.uint64(n_bins - 1), np.uint64(0)
    for i in range(values.shape[0]):
        # Always stored, sometimes kept: a branch here would be guessed wrong too often.
        rows[count] = i
        count += np.uint64(picked[np.uint64(cells[i]) & mask])
    n_picked = np.int64(count)
    for a in range(n_picked):
        keys[a] = _key(values[rows[a]], slopes[rows[a]], scale)
    _sort_pairs(keys, rows, n_picked)
    return n_picked


@paste
def _rows_around(room, n_picked, edge):
    """Sorted rows next to an edge, and whether their keys are apart; (-1, -1, True) for none."""
    keys, rows, cells = room.by_row[_KEY], room.row_numbers[_ROW], room.row_numbers[_CELL]
    mask = room.by_bin.shape[1] - 1
    low, high, is_cut = -1, -1, True
    if edge >= 0:
        # The first row behind the edge, by bisection.
        begin, end = 0, n_picked
        while begin < end:
            middle = (begin + end) >> 1
            if (cells[rows[middle]] & mask) < edge:
                begin = middle + 1
            else:
                end = middle
        low, high = int(rows[begin - 1]), int(rows[begin])
        is_cut = keys[begin] - keys[begin - 1] > GAP
    return low, high, is_cut


@paste
def _look_inside(problem, room, slopes, n_picked, best, limit, low, high):
    """Look among the sorted rows for a cut inside a bin that costs less than ``limit``.

    Returns as `_walk_all`, what came in where there is none.
    """
    keys, costs, n_left = room.by_row[_KEY], room.by_row[_COST], room.by_row[_SPARE]
    rows, cells, codes = room.row_numbers[_ROW], room.row_numbers[_CELL], problem.codes
    n_classes = problem.classes.shape[1]
    inside = room.by_row[_INSIDE:]
    left = room.by_bin[_HISTOGRAM + 2 * n_classes :]
    mask = room.by_bin.shape[1] - 1
    bin_before = -1
    for a in range(n_picked):
        i = rows[a]
        b = cells[i] & mask
        for k in range(n_classes):
            inside[k, a] = inside[k, a - 1] if b == bin_before else left[k, b]
        change = -problem.weights[i] if slopes[i] > 0.0 else problem.weights[i]
        inside[codes[i], a] = max(inside[codes[i], a] + change, 0.0)
        bin_before = b
    _costs_of(problem, inside, n_picked, costs, n_left)
    for a in range(n_picked - 1):
        if costs[a] < limit and keys[a + 1] - keys[a] > GAP:
            i, after = rows[a], rows[a + 1]
            large = min(n_left[a], problem.weight - n_left[a]) >= problem.least
            if large and (cells[i] & mask) == (cells[after] & mask):
                best, low, high = costs[a], int(i), int(after)
                limit = costs[a] - TIE * problem.weight
    return best, low, high


@jit
def _sort_pairs(keys, rows, n):
    """Sort the first n keys and their rows with them."""
    ends = np.empty((64, 2), np.int64)
    ends[0] = (0, n)
    top = 1
    while top > 0:
        top -= 1
        begin, end = ends[top]
        while end - begin > 24:
            first, middle, last = keys[begin], keys[(begin + end) >> 1], keys[end - 1]
            pivot = max(min(first, middle), min(max(first, middle), last))
            i, j = begin, end - 1
            while i <= j:
                while keys[i] < pivot:
                    i += 1
                while keys[j] > pivot:
                    j -= 1
                if i <= j:
                    keys[i], keys[j] = keys[j], keys[i]
                    rows[i], rows[j] = rows[j], rows[i]
                    i += 1
                    j -= 1
            # The longer part waits, so the stack never holds more than log2(n) parts.
            if j + 1 - begin < end - i:
                ends[top] = (i, end)
                end = j + 1
            else:
                ends[top] = (begin, j + 1)
                begin = i
            top += 1
        for i in range(begin + 1, end):
            key, row = keys[i], rows[i]
            j = i - 1
            while j >= begin and keys[j] > key:
                keys[j + 1], rows[j + 1] = keys[j], rows[j]
                j -= 1
            keys[j + 1], rows[j + 1] = key, row


# ---------------------------------------------------------------- climbs from many starts


class Rules(NamedTuple):
    """How a start climbs; the parameters of `baselines.oc1.OC1`."""

    order: int
    moves: int  # in random order
    n_movable: int  # d, or d + 1 to move the threshold too
    jumps: int
    stagnation: float
    in_place: bool  # whether a stagnant move may leave every row on its side
    exact_jumps: bool  # whether the sign of a row's slope counts in a jump
    most_tries: int  # hyperplanes tried, after which the search ends


class Climb(NamedTuple):
    """One start under way; arrays, because it changes."""

    planes: NDArray[np.float64]  # (3, d + 1): the plane, the direction of a jump, the best plane
    values: NDArray[np.float64]  # of all rows, slopes in a jump; for `_one_sense` two more
    costs: NDArray[np.float64]  # (3,): cost now, of the best plane; chance of a stagnant move
    tries: NDArray[np.int64]  # (2,): hyperplanes tried, lines of the history
    history: NDArray[np.float64]  # (_MOST_LINES, 2)
    state: NDArray[np.uint64]  # (1,): of the generator


@jit
def search(problem, units, first, seeds, rules):
    """Climb from many starts and keep the best plane.

    Parameters
    ----------
    problem : Problem
    units : (d + 1,) what one unit of a random weight is in each column
    first : (d + 1,) plane of the first start, or empty: all starts are random
    seeds : (starts,) uint64
        A start's result depends on its own seed only.
    rules : Rules

    Returns
    -------
    (plane, cost, hyperplanes tried, history)
        Cost infinity where no plane was found that divides the rows. Lines of the history are
        (hyperplanes tried, cost) at each improvement of the best plane; the last line is the
        final one even where there were more than fit.
    """
    n, size = problem.codes.shape[0], units.shape[0]
    room = make_room(problem)
    climb = Climb(
        np.zeros((3, size)), np.empty((2 if rules.exact_jumps else 4, n)), np.full(3, np.inf),
        np.zeros(2, np.int64),
        np.empty((_MOST_LINES, 2)), np.empty(1, np.uint64),
    )  # fmt: skip
    for start in range(seeds.shape[0]):
        climb.state[0] = seeds[start]
        for j in range(size):
            is_first = start == 0 and first.shape[0] > 0
            climb.planes[0, j] = first[j] if is_first else units[j] * _uniform(climb.state)
        _place(problem, room, climb)
        _keep_best(climb)
        failures = -1
        while True:
            if failures < 0:
                _climb(problem, room, climb, rules)
                failures = 0
            if failures >= rules.jumps or climb.tries[0] >= rules.most_tries:
                break
            failures = -1 if _jump(problem, room, climb, units, rules) else failures + 1
        if climb.tries[0] >= rules.most_tries:
            break
    return climb.planes[2], climb.costs[1], climb.tries[0], climb.history[: climb.tries[1]].copy()


@paste
def _uniform(state):
    """Draw from [-1, 1) with the generator splitmix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return 2.0 * (float(z >> np.uint64(11)) * 2.0**-53) - 1.0


@jit
def _keep_best(climb):
    """Copy the plane if it is the best so far, and write that down."""
    # Without a tolerance, the best of several searches is that of one long search.
    if climb.costs[0] < climb.costs[1]:
        climb.costs[1] = climb.costs[0]
        climb.planes[2] = climb.planes[0]
        line = min(climb.tries[1], climb.history.shape[0] - 1)
        climb.history[line, 0] = climb.tries[0]
        climb.history[line, 1] = climb.costs[0]
        climb.tries[1] = line + 1


@paste
def _place(problem, room, climb):
    """Compute the values of all rows and the cost of the plane."""
    columns, values = problem.columns, climb.values[0]
    values[:] = 0.0
    for j in range(columns.shape[0]):
        weight, column = climb.planes[0, j], columns[j]
        for i in range(values.shape[0]):
            values[i] += weight * column[i]
    climb.costs[0] = _cost_at(problem, room, values)


@jit
def _cost_at(problem, room, values):
    """Cost of the plane at which all rows have these values."""
    left = room.by_bin[_HISTOGRAM:]
    left[:, 0] = 0.0
    for i in range(values.shape[0]):
        if values[i] <= 0.0:
            left[problem.codes[i], 0] += problem.weights[i]
    n_left = room.by_bin[_BIN_SPARE]
    _costs_of(problem, left, np.int64(1), room.by_bin[_EDGE_COST], n_left)
    large = min(n_left[0], problem.weight - n_left[0]) >= problem.least
    return room.by_bin[_EDGE_COST, 0] if large else np.inf


@paste
def _climb(problem, room, climb, rules):
    """Move one coefficient at a time until that brings nothing (Murthy et al., figure 3).

    A move that leaves the cost equal is made with a probability that falls by a tenth of
    ``stagnation`` each time and is restored by an improvement.
    """
    climb.costs[2] = rules.stagnation
    made = 0
    idle = 0
    while climb.tries[0] < rules.most_tries:
        if rules.order == BEST:
            if not _perturb_best(problem, room, climb, rules):
                break
            continue
        if rules.order == RANDOM:
            if made == rules.moves:
                break
            m = int((_uniform(climb.state) + 1.0) * 0.5 * rules.n_movable)
        else:
            # When every coefficient has been tried since the last move, a pass changed nothing.
            if idle == rules.n_movable:
                break
            m = made % rules.n_movable
        climb.tries[0] += 1
        cost, step = best_step(problem, room, climb.values[0], problem.columns[m], climb.costs[0])
        idle = 0 if _accept(problem, climb, m, cost, step, rules) else idle + 1
        made += 1


@paste
def _perturb_best(problem, room, climb, rules):
    """Move the coefficient whose best value improves most; return whether one was moved."""
    best, step, which = np.inf, 0.0, np.int64(-1)
    for m in range(rules.n_movable):
        if climb.tries[0] >= rules.most_tries:
            break
        climb.tries[0] += 1
        ceiling = min(best, climb.costs[0])
        cost, offer = best_step(problem, room, climb.values[0], problem.columns[m], ceiling)
        if cost < best - TIE * problem.weight:
            best, step, which = cost, offer, m
    moved = False
    if which >= 0:
        moved = _accept(problem, climb, which, best, step, rules)
    return moved


@jit
def _accept(problem, climb, m, cost, step, rules):
    """Make a move if it improves, or by chance if it changes nothing but sides."""
    tie = TIE * problem.weight
    values, slopes = climb.values[0], problem.columns[m]
    accepted = cost < climb.costs[0] - tie
    if accepted:
        climb.costs[2] = rules.stagnation
    elif cost <= climb.costs[0] + tie and climb.costs[2] > 0.0:
        crosses = rules.in_place
        for i in range(values.shape[0]):
            crosses |= (values[i] <= 0.0) != (values[i] + step * slopes[i] <= 0.0)
        accepted = crosses and 0.5 * (_uniform(climb.state) + 1.0) < climb.costs[2]
        if accepted:
            climb.costs[2] -= 0.1 * rules.stagnation
    if accepted:
        climb.planes[0, m] += step
        climb.costs[0] = cost
        _move(climb, slopes, step)
        _keep_best(climb)
    return accepted


@paste
def _move(climb, slopes, step):
    """Follow the values of all rows; shrink a plane whose numbers get out of hand."""
    values, plane = climb.values[0], climb.planes[0]
    for i in range(values.shape[0]):
        values[i] += step * slopes[i]
    largest = 0.0
    for j in range(plane.shape[0]):
        largest = max(largest, abs(plane[j]))
    if largest > 1e100:
        # By a power of two, so that no sign changes.
        shrink = 2.0 ** -math.floor(math.log2(largest))
        for j in range(plane.shape[0]):
            plane[j] *= shrink
        for i in range(values.shape[0]):
            values[i] *= shrink


@paste
def _jump(problem, room, climb, units, rules):
    """Try the best step along a random direction; return whether it improved."""
    columns, values, slopes = problem.columns, climb.values[0], climb.values[1]
    plane, direction = climb.planes[0], climb.planes[1]
    slopes[:] = 0.0
    for j in range(units.shape[0]):
        weight, column = units[j] * _uniform(climb.state), columns[j]
        direction[j] = weight
        for i in range(slopes.shape[0]):
            slopes[i] += weight * column[i]
    climb.tries[0] += 1
    tie = TIE * problem.weight
    if rules.exact_jumps:
        cost, step = best_step(problem, room, values, slopes, climb.costs[0] - 2.0 * tie)
    else:
        cost, step = _one_sense(problem, room, climb)
    improves = cost < climb.costs[0] - tie
    if improves:
        for j in range(units.shape[0]):
            plane[j] += step * direction[j]
        climb.costs[0] = cost
        _move(climb, slopes, step)
        _keep_best(climb)
    return improves


@jit
def _one_sense(problem, room, climb):
    """Step that would be best if all rows crossed in one sense, and what it costs in truth.

    The released program of Murthy et al. looks for its jumps so; the signs of the slopes it
    ensures for single columns only.
    """
    values, slopes, folded, steep = climb.values
    for i in range(values.shape[0]):
        sign = -1.0 if slopes[i] < 0.0 else 1.0
        folded[i] = sign * values[i]
        steep[i] = sign * slopes[i]
    cost, step = best_step(problem, room, folded, steep, np.inf)
    if cost < np.inf:
        for i in range(values.shape[0]):
            folded[i] = values[i] + step * slopes[i]
        cost = _cost_at(problem, room, folded)
    return cost, step


# ---------------------------------------------------------------- cycles of CART-LC


@jit
def climb_in_cycles(problem, plane, movable, tolerance, max_cycles):
    """Improve a plane by cycles through its coefficients (Breiman et al. 1984, section 5.2).

    For each movable coefficient i and each g in {-1/4, 0, 1/4}, the best d of
    ``v - d (x_i + g) <= 0`` is found; the best of the three is taken unless it is worse than
    the plane as it is. A cycle ends with the best threshold for its weights.

    Parameters
    ----------
    problem : Problem
    plane : (d + 1,) changed in place
    movable : (m,) numbers of coefficients
    tolerance : change of cost in a cycle, per unit of weight, at which the climb ends
    max_cycles : most cycles

    Returns
    -------
    (cost, steps tried)
    """
    columns = problem.columns
    size = plane.shape[0]
    room = make_room(problem)
    climb = Climb(
        np.zeros((3, size)), np.empty((2, problem.codes.shape[0])), np.full(3, np.inf),
        np.zeros(2, np.int64), np.empty((1, 2)), np.empty(1, np.uint64),
    )  # fmt: skip
    climb.planes[0] = plane
    _place(problem, room, climb)
    for _ in range(max_cycles):
        before = climb.costs[0]
        for i in movable:
            _move_about_pivots(problem, room, climb, i)
        climb.tries[0] += 1
        cost, step = best_step(problem, room, climb.values[0], columns[size - 1], climb.costs[0])
        if cost <= climb.costs[0] + TIE * problem.weight:
            climb.planes[0, size - 1] += step
            climb.costs[0] = min(cost, climb.costs[0])
            _move(climb, columns[size - 1], step)
        if not before - climb.costs[0] > tolerance * problem.weight:
            break
    plane[:] = climb.planes[0]
    return climb.costs[0], climb.tries[0]


@paste
def _move_about_pivots(problem, room, climb, i):
    """Turn the plane by coefficient i about the best of three pivots, unless that is worse."""
    values, slopes, column = climb.values[0], climb.values[1], problem.columns[i]
    tie = TIE * problem.weight
    best = np.inf
    step, pivot = 0.0, 0.0
    for g in (-0.25, 0.0, 0.25):
        for a in range(slopes.shape[0]):
            slopes[a] = -column[a] - g
        climb.tries[0] += 1
        cost, offer = best_step(problem, room, values, slopes, climb.costs[0])
        if cost < best - tie:
            best, step, pivot = cost, offer, g
    # Without a limit to costs a table may offer worse planes too.
    if best <= climb.costs[0] + tie:
        for a in range(slopes.shape[0]):
            slopes[a] = -column[a] - pivot
        climb.planes[0, i] -= step
        climb.planes[0, climb.planes.shape[1] - 1] += step * pivot
        climb.costs[0] = min(best, climb.costs[0])
        _move(climb, slopes, step)


@jit
def costs_without(problem, plane, members):
    """Least cost without each of some weights in turn, over all thresholds.

    Returns
    -------
    (m, 2) cost and threshold for each member; infinite costs where nothing is divided
    """
    columns = problem.columns
    n, d = problem.codes.shape[0], plane.shape[0] - 1
    room = make_room(problem)
    values = np.empty(n)
    found = np.empty((members.shape[0], 2))
    for a in range(members.shape[0]):
        values[:] = 0.0
        for j in range(d):
            if j != members[a] and plane[j] != 0.0:
                weight, column = plane[j], columns[j]
                for i in range(n):
                    values[i] += weight * column[i]
        found[a] = best_step(problem, room, values, columns[d], np.inf)
    return found


@jit
def best_projection(problem, indptr, indices, values):
    """Find the best cut along any of some directions.

    Parameters
    ----------
    problem : Problem
    indptr, indices, values : directions as compressed rows over the columns

    Returns
    -------
    (direction, threshold, cost)
        Of directions that cost the same the first one; -1 where no cut costs less than the
        undivided node.
    """
    columns = problem.columns
    n = problem.codes.shape[0]
    slopes = columns[columns.shape[0] - 1]
    room = make_room(problem)
    scores = np.empty(n)
    tie = TIE * problem.weight
    # Criteria that rate splits only have costs below zero.
    best = problem.undivided if problem.criterion not in (TWOING, GAIN_RATIO) else 0.0
    winner, threshold = -1, 0.0
    for a in range(indptr.shape[0] - 1):
        scores[:] = 0.0
        for p in range(indptr[a], indptr[a + 1]):
            column, value = columns[indices[p]], values[p]
            for i in range(n):
                scores[i] += value * column[i]
        cost, step = best_step(problem, room, scores, slopes, best - tie)
        if cost < best - tie:
            winner, threshold, best = a, step, cost
    return winner, threshold, best
