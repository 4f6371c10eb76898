"""Compiled loops that send rows through a finished tree, and that rename its nodes.

The sums of a test stand here again as they do in `oblique._kernels`, so that no kernel calls
one of another file; both add weight x value in ascending order of features.
"""

import numpy as np

from projection.jit import jit, lean


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


# Rows that walk down an axis-parallel tree side by side: while one waits for memory the others
# go on.
BLOCK = 8


@jit
def apply_axis_tree(X, feature, threshold, children):
    """Leaf of each row of a tree of one-weight tests with weight one; children (n, 2).

    Rows with a missing value get -1 - node, as in `apply_tree`.
    """
    n = X.shape[0]
    leaf = np.empty(n, np.int64)
    nodes = np.empty(BLOCK, np.int64)
    for begin in range(0, n, BLOCK):
        width = min(BLOCK, n - begin)
        for b in range(width):
            nodes[b] = 0
        moving = True
        while moving:
            moving = False
            for b in range(width):
                node = nodes[b]
                if node >= 0 and feature[node] >= 0:
                    value = X[begin + b, feature[node]]
                    # No branch on the answer: it could not be predicted.
                    child = np.int64(children[node, 1 - int(value <= threshold[node])])
                    nodes[b] = child if value == value else -1 - node
                    moving = True
        for b in range(width):
            leaf[begin + b] = nodes[b]
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
def main_leaves(X, rows, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
                cat_left, cat_open, missing_left):  # fmt: skip
    """Leaf that each listed row reaches with the largest share, the first of equal ones."""
    out = np.empty(rows.shape[0], np.int64)
    reach = np.empty(left.shape[0])
    for i in range(rows.shape[0]):
        reach_tree(
            X, rows[i], left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
            cat_left, cat_open, missing_left, reach,
        )  # fmt: skip
        best = -1
        for node in range(left.shape[0]):
            if left[node] < 0 and (best < 0 or reach[node] > reach[best]):
                best = node
        out[i] = best
    return out


@jit
def share_rows(X, rows, left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
               cat_left, cat_open, missing_left, shares):  # fmt: skip
    """Class shares of the listed rows: their leaves' shares, by the part that reaches each.

    Summed row by row: a matrix product would depend in the last bit on the number of rows.
    """
    out = np.zeros((rows.shape[0], shares.shape[1]))
    reach = np.empty(left.shape[0])
    for i in range(rows.shape[0]):
        reach_tree(
            X, rows[i], left, right, indptr, indices, values, threshold, cat_ptr, cat_codes,
            cat_left, cat_open, missing_left, reach,
        )  # fmt: skip
        for node in range(left.shape[0]):
            if left[node] < 0 and reach[node] > 0.0:
                for k in range(shares.shape[1]):
                    out[i, k] += reach[node] * shares[node, k]
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
def node_depths(parents):
    """Depth of each node; parents come before their children."""
    depth = np.zeros(parents.shape[0], np.int32)
    for node in range(1, parents.shape[0]):
        depth[node] = depth[parents[node]] + 1
    return depth


@jit
def paths_from_root(nodes, parents, depths):
    """Nodes on the way from the root to each listed one, as compressed rows, ascending."""
    indptr = np.zeros(nodes.shape[0] + 1, np.int64)
    for i in range(nodes.shape[0]):
        indptr[i + 1] = indptr[i] + depths[nodes[i]] + 1
    path = np.empty(indptr[-1], np.int64)
    for i in range(nodes.shape[0]):
        node = nodes[i]
        for p in range(indptr[i + 1] - 1, indptr[i] - 1, -1):
            path[p] = node
            node = parents[node]
    return indptr, path


@jit
def below_nodes(parents, cut):
    """Whether a node has an ancestor among the marked nodes."""
    below = np.zeros(parents.shape[0], np.bool_)
    for node in range(1, parents.shape[0]):
        above = parents[node]
        below[node] = below[above] or cut[above]
    return below
