"""Compiled loops of error-based pruning.

The sums of a test stand here again as they do in `oblique._routing`, so that no kernel calls
one of another file.
"""

import math

import numpy as np

from projection.jit import inline, jit, lean

C45_BOUND, J48_BOUND, EXACT_BOUND = range(3)

# Weights that differ by less than this share may be equal sums of fractions.
HAIR = 1e-9


@lean
def _category_side(code, codes, begin, end, n_left, open_right):
    """1 left, 0 right, -1 missing or not seen, by a node's codes ``begin:end``."""
    if code != code:
        return -1
    for p in range(begin, end):
        if codes[p] == code:
            return 1 if p < begin + n_left else 0
    return 0 if open_right else -1


@lean
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
        X[i, indices[begin]], cat_codes, c_begin, c_end, cat_left[node], cat_open[node]
    )
    if side < 0:
        return -1
    return left[node] if side == 1 else right[node]


@jit
def _wide_extra_errors(n, errors, deviation, bound):
    """Upper confidence limit minus errors by the normal approximation, for errors >= 1."""
    if errors + 0.5 >= n:
        return 0.67 * (n - errors) if bound == C45_BOUND else max(n - errors, 0.0)
    c = deviation * deviation
    e = errors + 0.5
    limit = (e + 0.5 * c + math.sqrt(c * (e * (1.0 - e / n) + 0.25 * c))) / (n + c)
    return n * limit - errors


@jit
def beta_share(x, a, b):
    """Regularised incomplete beta function by its continued fraction (DLMF 8.17.22)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    swap = x > (a + 1.0) / (a + b + 2.0)
    if swap:
        x, a, b = 1.0 - x, b, a
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(front + a * math.log(x) + b * math.log1p(-x)) / a
    # Lentz's method; zero denominators are moved to a tiny number.
    tiny = 1e-300
    f, c, d = 1.0, 1.0, 0.0
    for i in range(1000):
        m = i // 2
        if i == 0:
            term = 1.0
        elif i % 2 == 0:
            term = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        d = 1.0 + term * d
        d = 1.0 / (d if abs(d) > tiny else tiny)
        c = 1.0 + term / c
        c = c if abs(c) > tiny else tiny
        f *= c * d
        if abs(1.0 - c * d) < 1e-14:
            break
    share = front * (f - 1.0)
    return 1.0 - share if swap else share


@jit
def extra_errors(n, errors, confidence, deviation, bound):
    """Errors that a leaf with n cases is expected to make beyond those it makes in training."""
    if n <= 0.0:
        return 0.0
    if bound == EXACT_BOUND:
        if n - errors <= 1e-9 * n:
            return 0.0
        low, high = 0.0, 1.0
        for _ in range(54):
            middle = 0.5 * (low + high)
            if beta_share(middle, errors + 1.0, n - errors) < 1.0 - confidence:
                low = middle
            else:
                high = middle
        return n * high - errors
    if errors >= 0.9999:
        return _wide_extra_errors(n, errors, deviation, bound)
    none = n * (1.0 - confidence ** (1.0 / n))
    if errors < 1e-6:
        return none
    return none + errors * (_wide_extra_errors(n, 1.0, deviation, bound) - none)


@jit
def extra_errors_each(n, errors, confidence, deviation, bound):
    """`extra_errors` of each pair of entries."""
    extra = np.empty(n.shape[0])
    for i in range(n.shape[0]):
        extra[i] = extra_errors(n[i], errors[i], confidence, deviation, bound)
    return extra


@jit
def _leaf_estimate(counts, confidence, deviation, bound):
    """Estimated errors of a leaf with these class weights."""
    total = 0.0
    most = 0
    for k in range(counts.shape[0]):
        total += counts[k]
        most = k if counts[k] > counts[most] else most
    errors = 0.0
    for k in range(counts.shape[0]):
        # Sum the other classes: pure leaves err exactly never.
        errors += 0.0 if k == most else counts[k]
    return errors + extra_errors(total, errors, confidence, deviation, bound)


@jit
def _count_range(codes, start, stop, rows, weights, counts):
    """Class weights of a range of the buffers."""
    counts[:] = 0.0
    for i in range(start, stop):
        counts[codes[rows[i]]] += weights[i]


@jit
def _with_room(array, size):
    """Return the array, or a larger copy where it holds fewer than ``size`` entries."""
    if size <= array.shape[0]:
        return array
    larger = np.empty(2 * size, array.dtype)
    larger[: array.shape[0]] = array
    return larger


@jit
def _copy_to_sides(X, t, start, stop, top, rows, weights, answer, left, right, indptr, indices,
                   values, threshold, cat_ptr, cat_codes, cat_left, cat_open,
                   missing_left):  # fmt: skip
    """Copy the rows of a node behind ``top``, those that go left first.

    A row with a missing answer goes to both sides, by the known weight on each.

    Returns
    -------
    (end of the left rows, end of the right rows, share that missing answers send left, number
    of missing answers)
    """
    n_missing = 0
    known = 0.0
    known_left = 0.0
    for i in range(start, stop):
        child = _next_child(
            X, rows[i], t, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
            cat_left, cat_open,
        )  # fmt: skip
        answer[i - start] = -1 if child < 0 else int(child == left[t])
        if child >= 0:
            known += weights[i]
            known_left += weights[i] if child == left[t] else 0.0
        else:
            n_missing += 1
    fraction = known_left / known if known > 0.0 else missing_left[t]
    middle = top
    for side in range(1, -1, -1):
        part = fraction if side == 1 else 1.0 - fraction
        for i in range(start, stop):
            a = answer[i - start]
            if a == side or (a < 0 and part > 0.0):
                rows[top] = rows[i]
                weights[top] = weights[i] * part if a < 0 else weights[i]
                top += 1
        if side == 1:
            middle = top
    return middle, top, fraction, n_missing


@inline
def _is_heavier(first, second):
    """Whether the first class weights have the larger sum, beyond rounding."""
    total = first.sum()
    return total > second.sum() + HAIR * total


@jit
def _branch_estimate(X, codes, root, start, stop, rows, weights, answer, stack, counts,
                     confidence, deviation, bound, left, right, indptr, indices, values,
                     threshold, cat_ptr, cat_codes, cat_left, cat_open, missing_left):  # fmt: skip
    """Estimated errors of the rows ``start:stop`` in the subtree below ``root``.

    Returns the estimate and the buffers of rows and weights, which may have been enlarged.
    """
    total = 0.0
    stack[0, 0], stack[1, 0], stack[2, 0] = root, start, stop
    n_open = 1
    # Right rows lie last and are done first: nothing is written over rows of an open node.
    while n_open > 0:
        n_open -= 1
        t, a, b = stack[0, n_open], stack[1, n_open], stack[2, n_open]
        if left[t] < 0:
            _count_range(codes, a, b, rows, weights, counts)
            total += _leaf_estimate(counts, confidence, deviation, bound)
            continue
        rows = _with_room(rows, b + 2 * (b - a))
        weights = _with_room(weights, b + 2 * (b - a))
        middle, end, _, _ = _copy_to_sides(
            X, t, a, b, b, rows, weights, answer, left, right, indptr, indices, values, threshold,
            cat_ptr, cat_codes, cat_left, cat_open, missing_left,
        )  # fmt: skip
        if b < middle:
            stack[0, n_open], stack[1, n_open], stack[2, n_open] = left[t], b, middle
            n_open += 1
        if middle < end:
            stack[0, n_open], stack[1, n_open], stack[2, n_open] = right[t], middle, end
            n_open += 1
    return total, rows, weights


@jit
def _estimate_with_more(X, codes, root, start, stop, rows, weights, more, touched, counts, estimate,
                        confidence, deviation, bound, left, right, indptr, indices, values,
                        threshold, cat_ptr, cat_codes, cat_left, cat_open):  # fmt: skip
    """Estimated errors below ``root`` when it receives the rows ``start:stop`` as well.

    Only leaves that get more rows change. NaN where one of the rows has a missing answer: the
    shares of others would then change too.
    """
    total = estimate[root]
    n_touched = 0
    for i in range(start, stop):
        t = root
        while left[t] >= 0:
            child = _next_child(
                X, rows[i], t, left, right, indptr, indices, values, threshold, cat_ptr,
                cat_codes, cat_left, cat_open,
            )  # fmt: skip
            if child < 0:
                total = np.nan
                break
            t = child
        if total != total:
            break
        if more[t].sum() == 0.0:
            touched[n_touched] = t
            n_touched += 1
            more[t] = counts[t]
        more[t, codes[rows[i]]] += weights[i]
    for i in range(n_touched):
        t = touched[i]
        total += _leaf_estimate(more[t], confidence, deviation, bound) - estimate[t]
        more[t] = 0.0
    return total


@jit
def raise_subtrees(X, codes, sample_weight, confidence, deviation, bound, slack, counts, left,
                   right, indptr, indices, values, threshold, cat_ptr, cat_codes, cat_left,
                   cat_open, missing_left):  # fmt: skip
    """Error-based pruning with subtree raising (Quinlan 1993, chapter 4), bottom up.

    A node becomes a leaf, or is replaced by its child of larger weight, where that does not
    raise the estimated errors by more than ``slack``; a child that took its parent's place is
    pruned again with all of the parent's rows. Writes the new children, class weights and
    shares of missing answers into ``left``, ``right``, ``counts`` and ``missing_left``.
    Nodes that were replaced or dropped have no children left in these arrays.

    Returns
    -------
    (root, estimated errors of the tree)
    """
    n, n_nodes = X.shape[0], left.shape[0]
    rows = np.arange(n).astype(np.int32)
    weights = sample_weight.copy()
    answer = np.empty(n, np.int8)
    more = np.zeros_like(counts)
    scratch = np.empty(counts.shape[1])
    stack = np.empty((3, n_nodes + 1), np.int64)
    estimate = np.zeros(n_nodes)
    n_missing = 0
    # A frame is a node at work: how much of it is done (1: its right child is at work, 2: its
    # left one, 3: all), where its rows are, and where those of its children.
    node = np.zeros(n_nodes + 1, np.int64)
    done = np.zeros(n_nodes + 1, np.int64)
    first = np.zeros(n_nodes + 1, np.int64)
    last = np.zeros(n_nodes + 1, np.int64)
    middle = np.zeros(n_nodes + 1, np.int64)
    end = np.zeros(n_nodes + 1, np.int64)
    f = 0
    last[0] = n
    while f >= 0:
        t, a, b = node[f], first[f], last[f]
        if done[f] == 0:
            _count_range(codes, a, b, rows, weights, counts[t])
            if left[t] < 0:
                estimate[t] = _leaf_estimate(counts[t], confidence, deviation, bound)
                done[f] = 3
                continue
            rows = _with_room(rows, b + 2 * (b - a))
            weights = _with_room(weights, b + 2 * (b - a))
            middle[f], end[f], missing_left[t], missing = _copy_to_sides(
                X, t, a, b, b, rows, weights, answer, left, right, indptr, indices, values,
                threshold, cat_ptr, cat_codes, cat_left, cat_open, missing_left,
            )  # fmt: skip
            n_missing += missing
            if middle[f] == b or middle[f] == end[f]:
                node[f] = right[t] if middle[f] == b else left[t]
                left[t], right[t] = -1, -1
                continue
            # Right rows lie last and go first: left rows are not written over.
            done[f] = 1
            f += 1
            node[f], done[f], first[f], last[f] = right[t], 0, middle[f - 1], end[f - 1]
        elif done[f] == 1:
            done[f] = 2
            f += 1
            node[f], done[f], first[f], last[f] = left[t], 0, b, middle[f - 1]
        elif done[f] == 2:
            done[f] = 3
            below = estimate[left[t]] + estimate[right[t]]
            is_left = _is_heavier(counts[left[t]], counts[right[t]])
            largest = left[t] if is_left else right[t]
            branch = np.nan
            if n_missing == 0:
                _copy_to_sides(
                    X, t, a, b, b, rows, weights, answer, left, right, indptr, indices, values,
                    threshold, cat_ptr, cat_codes, cat_left, cat_open, missing_left,
                )  # fmt: skip
                begin, stop = (middle[f], end[f]) if is_left else (b, middle[f])
                branch = _estimate_with_more(
                    X, codes, largest, begin, stop, rows, weights, more, stack[0], counts,
                    estimate, confidence, deviation, bound, left, right, indptr, indices, values,
                    threshold, cat_ptr, cat_codes, cat_left, cat_open,
                )  # fmt: skip
            if branch != branch:
                branch, rows, weights = _branch_estimate(
                    X, codes, largest, a, b, rows, weights, answer, stack, scratch, confidence,
                    deviation, bound, left, right, indptr, indices, values, threshold, cat_ptr,
                    cat_codes, cat_left, cat_open, missing_left,
                )  # fmt: skip
            leaf = _leaf_estimate(counts[t], confidence, deviation, bound)
            estimate[t] = below
            if leaf <= branch + slack and leaf <= below + slack:
                left[t], right[t] = -1, -1
                estimate[t] = leaf
            elif branch <= below + slack:
                left[t], right[t] = -1, -1
                node[f] = largest
                done[f] = 0
        else:
            f -= 1
            if f >= 0 and done[f] == 1:
                right[node[f]] = t
            elif f >= 0:
                left[node[f]] = t
    return node[0], estimate[node[0]]


# ---------------------------------------------------------------- tests x_j <= c, complete rows


@inline
def _share_out(X, codes, weights, t, order, spare, first, last, left, right, feature, threshold,
               counts):  # fmt: skip
    """Partition the rows of a node between its children and count them; returns rows left."""
    a, b = left[t], right[t]
    j, limit = feature[t], threshold[t]
    counts[a] = 0.0
    counts[b] = 0.0
    at = first[t]
    n_right = 0
    for i in range(first[t], last[t]):
        row = order[i]
        if X[row, j] <= limit:
            order[at] = row
            at += 1
            counts[a, codes[row]] += weights[row]
        else:
            spare[n_right] = row
            n_right += 1
            counts[b, codes[row]] += weights[row]
    for i in range(n_right):
        order[at + i] = spare[i]
    first[a], last[a], first[b], last[b] = first[t], at, at, last[t]
    return at - first[t]


@inline
def _axis_branch_estimate(X, codes, weights, root, start, stop, order, more, touched, counts,
                          estimate, left, right, feature, threshold, confidence, deviation,
                          bound):  # fmt: skip
    """Estimated errors below ``root`` when it receives the rows ``start:stop`` as well."""
    total = estimate[root]
    n_touched = 0
    for i in range(start, stop):
        row = order[i]
        t = root
        while left[t] >= 0:
            t = left[t] if X[row, feature[t]] <= threshold[t] else right[t]
        if more[t, 0] < 0.0:
            touched[n_touched] = t
            n_touched += 1
            for k in range(counts.shape[1]):
                more[t, k] = counts[t, k]
        more[t, codes[row]] += weights[row]
    for i in range(n_touched):
        t = touched[i]
        total += _leaf_estimate(more[t], confidence, deviation, bound) - estimate[t]
        more[t, 0] = -1.0
    return total


@jit
def raise_axis_subtrees(X, codes, weights, confidence, deviation, bound, slack, counts, left,
                        right, feature, threshold):  # fmt: skip
    """`raise_subtrees` for tests ``x_j <= c``, complete rows and nodes numbered depth-first.

    Here a node's rows are a range of one array, so that only rows of the smaller child are
    moved to try a node without its test. Writes the new children and class weights into
    ``left``, ``right`` and ``counts``.

    Returns
    -------
    (root, estimated errors of the tree); the root is -1, and the arrays are spoilt, where a
    row lacks a value of a column that is tested, a side is empty or nodes are numbered otherwise
    """
    n, n_nodes = X.shape[0], left.shape[0]
    order = np.arange(n).astype(np.int32)
    spare = np.empty(n, np.int32)
    first = np.zeros(n_nodes, np.int64)
    last = np.zeros(n_nodes, np.int64)
    end = np.empty(n_nodes, np.int64)
    parent = np.full(n_nodes, -1, np.int64)
    for t in range(n_nodes - 1, -1, -1):
        end[t] = t + 1
        if left[t] >= 0:
            end[t] = end[right[t]]
            parent[left[t]] = t
            parent[right[t]] = t
            if left[t] != t + 1 or right[t] != end[left[t]]:
                return -1, 0.0
    # A raised test is asked of rows that it was not grown on, so all rows need its value.
    tested = np.zeros(X.shape[1], np.bool_)
    for t in range(n_nodes):
        if left[t] >= 0:
            tested[feature[t]] = True
    for i in range(n):
        for j in range(X.shape[1]):
            if tested[j] and X[i, j] != X[i, j]:
                return -1, 0.0
    last[0] = n
    _count_range(codes, 0, n, order, weights, counts[0])
    for t in range(n_nodes):
        if left[t] >= 0:
            n_left = _share_out(
                X, codes, weights, t, order, spare, first, last, left, right, feature, threshold,
                counts,
            )  # fmt: skip
            if n_left == 0 or n_left == last[t] - first[t]:
                return -1, 0.0
    more = np.full_like(counts, -1.0)
    touched = np.empty(n_nodes, np.int64)
    estimate = np.zeros(n_nodes)
    alive = np.ones(n_nodes, np.bool_)
    root = 0
    at = n_nodes
    while at > 0:
        at -= 1
        t = at
        if not alive[t]:
            continue
        leaf = _leaf_estimate(counts[t], confidence, deviation, bound)
        if left[t] < 0:
            estimate[t] = leaf
            continue
        below = estimate[left[t]] + estimate[right[t]]
        is_left = _is_heavier(counts[left[t]], counts[right[t]])
        largest, other = (left[t], right[t]) if is_left else (right[t], left[t])
        branch = _axis_branch_estimate(
            X, codes, weights, largest, first[other], last[other], order, more, touched, counts,
            estimate, left, right, feature, threshold, confidence, deviation, bound,
        )  # fmt: skip
        estimate[t] = below
        if leaf <= branch + slack and leaf <= below + slack:
            left[t], right[t] = -1, -1
            alive[t + 1 : end[t]] = False
            estimate[t] = leaf
        elif branch <= below + slack:
            alive[t : end[t]] = False
            above = parent[t]
            parent[largest] = above
            if above < 0:
                root = largest
            elif left[above] == t:
                left[above] = largest
            else:
                right[above] = largest
            first[largest], last[largest] = first[t], last[t]
            counts[largest] = counts[t]
            # The subtree, as pruned so far, takes the rows and is pruned again.
            touched[0] = largest
            n_open = 1
            while n_open > 0:
                n_open -= 1
                u = touched[n_open]
                alive[u] = True
                if left[u] >= 0:
                    _share_out(
                        X, codes, weights, u, order, spare, first, last, left, right, feature,
                        threshold, counts,
                    )  # fmt: skip
                    touched[n_open], touched[n_open + 1] = left[u], right[u]
                    n_open += 2
            left[t], right[t] = -1, -1
            at = end[largest]
    return root, estimate[root]


@jit
def raise_many_axis_subtrees(X, codes, weights, members, order, confidence, deviation, bound,
                             slack, counts, left, right, feature, threshold, begins):  # fmt: skip
    """`raise_axis_subtrees` for several trees, each grown on some of the rows.

    Parameters
    ----------
    members : (m, n) which rows
    order : (n,) order in which their sums are formed
    confidence, deviation : (m,)
    counts, left, right, feature, threshold : the trees' arrays, one after the other
    begins : (m + 1,) where each begins

    Returns
    -------
    root of each tree, counted from where it begins
    """
    n, d = X.shape
    roots = np.empty(members.shape[0], np.int64)
    rows, row_codes = np.empty((n, d)), np.empty(n, codes.dtype)
    row_weights = np.empty(n)
    for m in range(members.shape[0]):
        size = 0
        for row in order:
            if members[m, row]:
                rows[size] = X[row]
                row_codes[size] = codes[row]
                row_weights[size] = weights[row]
                size += 1
        part = slice(begins[m], begins[m + 1])
        roots[m] = raise_axis_subtrees(
            rows[:size], row_codes[:size], row_weights[:size], confidence[m], deviation[m], bound,
            slack, counts[part], left[part], right[part], feature[part], threshold[part],
        )[0]  # fmt: skip
    return roots
