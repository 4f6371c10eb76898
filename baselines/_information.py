"""Compiled growing of trees that weigh information gain against split information or cost.

The conventions are those of `oblique._kernels`: a node is the range ``start:stop`` of every
line of ``lines``; line 0 holds its rows in canonical order, line j + 1 the same rows in
ascending order of column j, missing values last.
"""

import math

import numpy as np

from projection.jit import inline, jit

GAIN_RATIO, GAIN, ICF, CS_ID3, IDX = range(5)

# Two gains closer than this share of the node's weight are a tie.
TIE = 1e-12

# C4.5's Epsilon: slack below the average gain, least split information, slack of collapsing.
EPSILON = 1e-3

# Slack for a weight that is a sum of fractions.
HAIR = 1e-9


@inline
def _xlogx(value):
    return value * math.log2(value) if value > 0.0 else 0.0


# ---------------------------------------------------------------- what a test is worth


@inline
def _worth(measure, gain, info, price):
    """Value of a test; the larger the better."""
    if measure == GAIN_RATIO:
        return gain / info if info > EPSILON else 0.0
    if measure == GAIN:
        return gain
    if measure == ICF:
        return (2.0**gain - 1.0) / price
    if measure == CS_ID3:
        return gain * gain / price
    return gain / price


@jit
def worth(measure, gain, info, price):
    """Value of a test of some gain and split information, in bits, at a price."""
    return _worth(measure, gain, info, price)


@jit
def choose(measure, gains, infos, prices, counted):
    """Choose a test from each one's gain and split information.

    Gain ratio looks only at tests whose gain is at least the average one, of the tests that
    are ``counted`` and gain at all (Quinlan 1993, section 2.2).

    Returns
    -------
    Index of the best, the first of equal ones; -1 when no test gains.
    """
    average = 0.0
    n = 0
    for j in range(gains.shape[0]):
        if gains[j] > TIE and counted[j]:
            average += gains[j]
            n += 1
    least = average / n - EPSILON if n > 0 else 0.0
    best = -1
    most = 0.0
    for j in range(gains.shape[0]):
        if gains[j] > TIE and not (measure == GAIN_RATIO and gains[j] < least):
            value = _worth(measure, gains[j], infos[j], prices[j])
            if value > most * (1.0 + TIE):
                best = j
                most = value
    return best


# ---------------------------------------------------------------- best cut of each column


@inline
def _least_side(known, n_classes, min_leaf):
    """Least weight of each side of a cut (Quinlan's MinSplit)."""
    return max(min(0.1 * known / n_classes, 25.0), min_leaf)


@inline
def _counted_cut(x, order, codes, start, stop, total, table, least, left):
    """Best cut of a column with weights of one and no missing value.

    Gains are convex between changes of class (Fayyad & Irani 1992), so that of the cuts that
    may be made only those, the first and the last can be best; ``tries`` counts all.

    Returns
    -------
    (gain times weight, first position on the right side or -1, tries)
    """
    n = stop - start
    n_classes = total.shape[0]
    parent = table[n]
    for k in range(n_classes):
        left[k] = 0
        parent -= table[total[k]]
    best = 0.0
    where = -1
    tries = 0
    before = -2
    i = start
    last = stop - least
    while i <= last:
        value = x[order[i]]
        pure = codes[order[i]]
        group = i + 1
        while group < stop and x[order[group]] == value:
            if codes[order[group]] != pure:
                pure = -1
            group += 1
        if i - start >= least:
            tries += 1
            is_last = group > last or group >= stop
            if tries == 1 or is_last or pure < 0 or pure != before:
                n_left = i - start
                children = table[n_left] + table[n - n_left]
                for k in range(n_classes):
                    children -= table[left[k]] + table[total[k] - left[k]]
                if parent - children > best + TIE * n:
                    best = parent - children
                    where = i
        before = pure
        while i < group:
            left[codes[order[i]]] += 1
            i += 1
    return best, where, tries


@inline
def _weighed_cut(x, order, codes, weights, start, end, known, n_known, least, left):
    """Best cut of a column with any weights; ``end`` is where missing values begin.

    Returns
    -------
    (gain times weight, first position on the right side or -1, tries, weight on the left)
    """
    n_classes = known.shape[0]
    parent = _xlogx(n_known)
    for k in range(n_classes):
        left[k] = 0.0
        parent -= _xlogx(known[k])
    best = 0.0
    where = -1
    tries = 0
    n_left = 0.0
    left_of_best = 0.0
    for i in range(start, end):
        row = order[i]
        if i > start and x[row] > x[order[i - 1]] and n_left >= least - HAIR:
            n_right = n_known - n_left
            if n_right < least - HAIR:
                break
            tries += 1
            children = _xlogx(n_left) + _xlogx(n_right)
            for k in range(n_classes):
                children -= _xlogx(left[k]) + _xlogx(known[k] - left[k])
            if parent - children > best + TIE * n_known:
                best = parent - children
                where = i
                left_of_best = n_left
        left[codes[row]] += weights[row]
        n_left += weights[row]
    return best, where, tries, left_of_best


@inline
def _rate_columns(
    columns, lines, features, codes, weights, start, stop, total, table, min_leaf, mdl, whole,
    work, gains, infos, wheres,
):  # fmt: skip
    """Gain, split information and place of the best cut of each listed column."""
    n_classes = total.shape[0]
    weight = 0.0
    for k in range(n_classes):
        weight += total[k]
        whole[0, k] = int(total[k])
    for p in range(features.shape[0]):
        j = features[p]
        x, order = columns[j], lines[j + 1]
        n_known = weight
        if table.shape[0] > 0:
            least = _least_side(weight, n_classes, min_leaf)
            raw, where, tries = _counted_cut(
                x, order, codes, start, stop, whole[0], table, math.ceil(least - HAIR), whole[1]
            )
            n_left = float(where - start)
        else:
            end = stop
            for k in range(n_classes):
                work[0, k] = total[k]
            while end > start and x[order[end - 1]] != x[order[end - 1]]:
                end -= 1
                work[0, codes[order[end]]] -= weights[order[end]]
            if end < stop:
                n_known = 0.0
                for k in range(n_classes):
                    work[0, k] = max(work[0, k], 0.0)
                    n_known += work[0, k]
            least = _least_side(n_known, n_classes, min_leaf)
            raw, where, tries, n_left = _weighed_cut(
                x, order, codes, weights, start, end, work[0], n_known, least, work[1]
            )
        gains[p], infos[p], wheres[p] = 0.0, 0.0, where
        if where >= 0:
            gains[p] = (raw - (math.log2(tries) if mdl else 0.0)) / weight
            info = _xlogx(weight) - _xlogx(n_left) - _xlogx(n_known - n_left)
            infos[p] = (info - _xlogx(weight - n_known)) / weight


@jit
def rate_columns(
    columns, lines, features, codes, weights, start, stop, total, table, min_leaf, mdl
):  # fmt: skip
    """Rate the best cut of each numeric column at a node.

    Gains count for the share of known weight; split information counts missing rows as one
    more outcome. With ``mdl``, log2 of the number of cuts tried is taken off (Quinlan 1996).

    Parameters
    ----------
    table : k log2 k for k = 0 ... n where all weights are one and no value is missing, or empty
    min_leaf : least weight of a side

    Returns
    -------
    (gain, split information, first position on the right side or -1) of each column, then the
    midpoint of the gap and the value below it
    """
    n = features.shape[0]
    whole = np.zeros((2, total.shape[0]), np.int64)
    work = np.zeros((2, total.shape[0]))
    gains, infos, wheres = np.zeros(n), np.zeros(n), np.zeros(n, np.int64)
    middles = np.full(n, np.nan)
    _rate_columns(
        columns, lines, features, codes, weights, start, stop, total, table, min_leaf, mdl, whole,
        work, gains, infos, wheres,
    )  # fmt: skip
    for p in range(n):
        if wheres[p] >= 0:
            j = features[p]
            order = lines[j + 1]
            middles[p] = _middle(columns[j, order[wheres[p] - 1]], columns[j, order[wheres[p]]])
    return gains, infos, middles


@inline
def _middle(low, high):
    middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


@inline
def _greatest_below(values, limit):
    """Greatest of some ascending values that is not above a limit."""
    low, high = 0, values.shape[0]
    while low < high:
        middle = (low + high) // 2
        # Missing values stand last; no comparison with them holds.
        if values[middle] <= limit:
            low = middle + 1
        else:
            high = middle
    return values[low - 1]


# ---------------------------------------------------------------- whole trees


@inline
def _take_members(columns, lines, codes, weights, member, n_members):
    """Copy the part of a sorted table that belongs to some rows.

    Returns
    -------
    (columns, lines, codes, weights) of the members alone, numbered in canonical order
    """
    d, n = columns.shape[0], lines.shape[1]
    name = np.empty(columns.shape[1], np.int32)
    parts = np.empty((d, n_members))
    orders = np.empty((d + 1, n_members), np.int32)
    some_codes = np.empty(n_members, np.int32)
    some_weights = np.empty(n_members)
    at = 0
    for i in range(n):
        row = lines[0, i]
        if member[row]:
            name[row] = at
            orders[0, at] = at
            some_codes[at] = codes[row]
            some_weights[at] = weights[row]
            at += 1
    for j in range(d):
        at = 0
        for i in range(n):
            row = lines[j + 1, i]
            if member[row]:
                orders[j + 1, at] = name[row]
                parts[j, name[row]] = columns[j, row]
                at += 1
    return parts, orders, some_codes, some_weights


@inline
def _sorted_values(columns, lines):
    """Each column's values in ascending order."""
    d, n = columns.shape[0], lines.shape[1]
    values = np.empty((d, n))
    for j in range(d):
        for i in range(n):
            values[j, i] = columns[j, lines[j + 1, i]]
    return values


@inline
def _partition(lines, start, stop, goes_left, spare):
    """Move the rows that go left to the front of every line, order kept on both sides."""
    for j in range(lines.shape[0]):
        a = start
        b = 0
        for i in range(start, stop):
            row = lines[j, i]
            if goes_left[row]:
                lines[j, a] = row
                a += 1
            else:
                spare[b] = row
                b += 1
        for i in range(b):
            lines[j, a + i] = spare[i]


@inline
def _longer(table):
    """Twice as many lines."""
    n, width = table.shape
    longer = np.empty((2 * n, width), table.dtype)
    for i in range(n):
        for j in range(width):
            longer[i, j] = table[i, j]
    return longer


@inline
def _prices_now(node, links, parents, prices, discounted, groups, features, out):
    """Price of each test at a node: discounted once a test of its group is on the path."""
    for p in range(features.shape[0]):
        out[p] = prices[p]
    above = parents[node, 0]
    while above >= 0:
        group = groups[links[above, 2]]
        if group >= 0:
            for p in range(features.shape[0]):
                if groups[p] == group:
                    out[p] = discounted[p]
        above = parents[above, 0]


@inline
def _grow(
    columns, lines, values, features, codes, weights, total, table, measure, prices, discounted,
    groups, mdl, min_leaf, at_data, max_depth, min_split,
):  # fmt: skip
    """Grow a tree on all rows of a table; writes to ``lines``. See `grow_by_worth`."""
    n_classes = total.shape[0]
    d = features.shape[0]
    n_rows = lines.shape[1]
    whole = np.zeros((2, n_classes), np.int64)
    work = np.zeros((2, n_classes))
    gains, infos, wheres = np.zeros(d), np.zeros(d), np.zeros(d, np.int64)
    counted = np.ones(d, np.bool_)
    price = prices.copy()
    has_groups = False
    for j in range(d):
        has_groups = has_groups or groups[j] >= 0
    goes_left = np.zeros(columns.shape[1], np.bool_)
    spare = np.empty(n_rows, np.int32)
    links = np.empty((64, 3), np.int32)  # left child, right child, column
    parents = np.empty((64, 1), np.int64)
    cuts = np.empty((64, 2))  # threshold, share left
    counts = np.empty((64, n_classes))
    stack = np.empty((64, 5), np.int64)  # start, stop, depth, parent, 0 or 1 for its child
    pending = np.empty((64, n_classes))
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, n_rows, 0, -1
    for k in range(n_classes):
        pending[0, k] = total[k]
    top = 1
    node = -1
    while top > 0:
        top -= 1
        node += 1
        if node == links.shape[0]:
            links, cuts = _longer(links), _longer(cuts)
            counts, parents = _longer(counts), _longer(parents)
        if top + 2 > stack.shape[0]:
            stack, pending = _longer(stack), _longer(pending)
        start, stop, depth, parent = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        if parent >= 0:
            links[parent, stack[top, 4]] = node
        links[node, 0], links[node, 1], links[node, 2] = -1, -1, -1
        parents[node, 0] = parent
        cuts[node, 0], cuts[node, 1] = np.nan, 0.5
        weight = 0.0
        present = 0
        for k in range(n_classes):
            counts[node, k] = pending[top, k]
            weight += counts[node, k]
            present += counts[node, k] > 0.0
        is_small = weight < 2.0 * min_leaf - HAIR or stop - start < min_split
        if present < 2 or is_small or depth >= max_depth:
            continue
        _rate_columns(
            columns, lines, features, codes, weights, start, stop, counts[node], table, min_leaf,
            mdl, whole, work, gains, infos, wheres,
        )  # fmt: skip
        if has_groups:
            _prices_now(node, links, parents, prices, discounted, groups, features, price)
        best = choose(measure, gains, infos, price, counted)
        if best < 0:
            continue
        feature, where = features[best], wheres[best]
        x, line = columns[feature], lines[feature + 1]
        links[node, 2] = feature
        cuts[node, 0] = _middle(x[line[where - 1]], x[line[where]])
        if at_data:
            cuts[node, 0] = _greatest_below(values[feature], cuts[node, 0])
        for k in range(n_classes):
            pending[top, k] = 0.0
            pending[top + 1, k] = 0.0
        for i in range(start, stop):
            goes_left[line[i]] = i < where
        _partition(lines, start, stop, goes_left, spare)
        # Sums are formed in canonical order, as the loop forms them.
        weight_left, weight_right = 0.0, 0.0
        for i in range(start, stop):
            row = lines[0, i]
            pending[top + (i < where), codes[row]] += weights[row]
        for k in range(n_classes):
            weight_left += pending[top + 1, k]
            weight_right += pending[top, k]
        cuts[node, 1] = weight_left / (weight_left + weight_right)
        # The left child is on top, so that it comes next.
        for side in range(2):
            at = top + 1 - side
            stack[at, 0] = where if side == 1 else start
            stack[at, 1] = stop if side == 1 else where
            stack[at, 2], stack[at, 3], stack[at, 4] = depth + 1, node, side
        top += 2
    n_nodes = node + 1
    return links[:n_nodes], cuts[:n_nodes], counts[:n_nodes]


# ---------------------------------------------------------------- nodes of a grown tree


@inline
def _collapse(links, counts):
    """Make leaves, bottom up, of nodes whose subtree errs no less in training (C4.5)."""
    n = links.shape[0]
    below = np.empty(n)
    for t in range(n - 1, -1, -1):
        most = 0
        for k in range(counts.shape[1]):
            most = k if counts[t, k] > counts[t, most] else most
        errors = 0.0
        for k in range(counts.shape[1]):
            errors += 0.0 if k == most else counts[t, k]
        below[t] = errors
        if links[t, 0] >= 0:
            both = below[links[t, 0]] + below[links[t, 1]]
            if both >= errors - EPSILON:
                links[t, 0], links[t, 1], links[t, 2] = -1, -1, -1
            else:
                below[t] = both


@inline
def _live_nodes(root, links, cuts, counts):
    n, n_classes = counts.shape
    new_links = np.empty((n, 3), np.int32)
    new_cuts = np.empty((n, 2))
    new_counts = np.empty((n, n_classes))
    stack = np.empty((n + 1, 3), np.int64)
    stack[0, 0], stack[0, 1] = root, -1
    top = 1
    node = -1
    while top > 0:
        top -= 1
        node += 1
        old, parent = stack[top, 0], stack[top, 1]
        if parent >= 0:
            new_links[parent, stack[top, 2]] = node
        new_links[node, 0], new_links[node, 1], new_links[node, 2] = -1, -1, -1
        new_cuts[node, 0], new_cuts[node, 1] = np.nan, 0.5
        for k in range(n_classes):
            new_counts[node, k] = counts[old, k]
        if links[old, 0] >= 0:
            new_links[node, 2] = links[old, 2]
            new_cuts[node, 0] = cuts[old, 0]
            new_cuts[node, 1] = counts[links[old, 0]].sum() / counts[old].sum()
            for side in range(2):
                stack[top, 0], stack[top, 1] = links[old, 1 - side], node
                stack[top, 2] = 1 - side
                top += 1
    return new_links[: node + 1], new_cuts[: node + 1], new_counts[: node + 1]


@jit
def grow_by_worth(
    columns, lines, values, codes, weights, member, n_members, n_classes, features, logs, measure,
    prices, discounted, groups, mdl, min_leaf, at_data, max_depth, min_split, may_collapse,
):  # fmt: skip
    """Grow a whole tree on some complete numeric rows of a sorted table.

    Parameters
    ----------
    values : (d, m) ascending values that thresholds are moved to, where ``at_data``; none (0, 0):
        those of the rows
    member : (n,) which rows, ``n_members`` of those in ``lines``
    features : all columns, ascending
    logs : k log2 k for k = 0 ... n where all weights are one, or empty
    measure, prices, discounted : what tests are worth, and for how much; (d,)
    groups : (d,) number of the group of tests that share a price, -1 for none
    min_leaf : least weight of a side
    min_split : least number of rows at a node with a test
    may_collapse : whether subtrees that err no less in training become leaves

    Returns
    -------
    Of each node, depth-first and left before right: (left child or -1, right child or -1,
    column or -1), (threshold, share of the weight that goes left), class weights
    """
    parts, orders, some_codes, some_weights = _take_members(
        columns, lines, codes, weights, member, n_members
    )
    if values.shape[0] == 0 and at_data:
        values = _sorted_values(parts, orders)
    total = np.zeros(n_classes)
    for i in range(n_members):
        total[some_codes[i]] += some_weights[i]
    links, cuts, counts = _grow(
        parts, orders, values, features, some_codes, some_weights, total, logs, measure, prices,
        discounted, groups, mdl, min_leaf, at_data, max_depth, min_split,
    )  # fmt: skip
    if not may_collapse:
        return links, cuts, counts
    _collapse(links, counts)
    return _live_nodes(0, links, cuts, counts)


@jit
def live_nodes(root, links, cuts, counts):
    """Keep the nodes below a root, numbered depth-first and left before right."""
    return _live_nodes(root, links, cuts, counts)


@jit
def grow_many_by_worth(
    columns, lines, codes, weights, members, n_members, n_classes, features, logs, measure, prices,
    mdl, min_leaf, at_data, max_depth,
):  # fmt: skip
    """`grow_by_worth`, collapsed, for several choices of rows with prices of their own, no groups.

    Parameters
    ----------
    members : (m, n) which rows, ``n_members`` in each line
    prices : (m, d)

    Returns
    -------
    links, cuts, counts as of one tree, one tree after the other; the (m + 1) places where they
    begin
    """
    no_values = np.empty((0, 0))
    groups = np.full(features.shape[0], -1, np.int32)
    all_links, all_cuts = np.empty((256, 3), np.int32), np.empty((256, 2))
    all_counts = np.empty((256, n_classes))
    begins = np.zeros(members.shape[0] + 1, np.int64)
    for m in range(members.shape[0]):
        links, cuts, counts = grow_by_worth(
            columns, lines, no_values, codes, weights, members[m], n_members, n_classes, features,
            logs, measure, prices[m], prices[m], groups, mdl, min_leaf, at_data, max_depth, 2,
            True,
        )  # fmt: skip
        begin, size = begins[m], links.shape[0]
        begins[m + 1] = begin + size
        while begin + size > all_links.shape[0]:
            all_links, all_cuts = _longer(all_links), _longer(all_cuts)
            all_counts = _longer(all_counts)
        all_links[begin : begin + size] = links
        all_cuts[begin : begin + size] = cuts
        all_counts[begin : begin + size] = counts
    n = begins[-1]
    return all_links[:n], all_cuts[:n], all_counts[:n], begins
