"""Compiled loops over the nodes of a tree that add up what tests cost."""

import numpy as np

from projection.jit import inline, jit


@inline
def _pay(node, indptr, indices, values, full, later, group, paid, trail, size):
    """Pay the tests of a node that are not paid yet; return their cost and the trail's length.

    ``paid`` holds the features, then the groups; ``trail`` lists its set entries in the order in
    which they were set.
    """
    cost = 0.0
    d = full.shape[0]
    for p in range(indptr[node], indptr[node + 1]):
        feature = indices[p]
        if paid[feature] or values[p] == 0.0:
            continue
        paid[feature] = True
        trail[size] = feature
        size += 1
        if group[feature] < 0:
            cost += full[feature]
        elif paid[d + group[feature]]:
            cost += later[feature]
        else:
            cost += full[feature]
            paid[d + group[feature]] = True
            trail[size] = d + group[feature]
            size += 1
    return cost, size


@inline
def _waits(node, indptr, indices, values, delayed):
    """Whether a node's test needs a feature whose value comes later."""
    for p in range(indptr[node], indptr[node + 1]):
        if values[p] != 0.0 and delayed[indices[p]]:
            return True
    return False


@inline
def _pay_below(top, left, right, indptr, indices, values, full, later, group, paid, trail, size,
               stack, depth):  # fmt: skip
    """Pay all tests of a subtree, parents first and left before right."""
    cost = 0.0
    stack[depth] = top
    height = depth + 1
    while height > depth:
        height -= 1
        node = stack[height]
        if left[node] < 0:
            continue
        more, size = _pay(
            node, indptr, indices, values, full, later, group, paid, trail, size
        )  # fmt: skip
        cost += more
        stack[height] = right[node]
        stack[height + 1] = left[node]
        height += 2
    return cost, size


@jit
def node_costs(root, left, right, indptr, indices, values, full, later, group, delayed):
    """What the tests of a case cost that ends at each node below a root.

    Parents come before children. Tests are paid once, at their first use. Where a delayed one is
    met all tests of the subtree below are paid, so that all its nodes cost the same.
    """
    n_nodes, d = left.shape[0], full.shape[0]
    n_groups = 0
    for j in range(d):
        n_groups = max(n_groups, group[j] + 1)
    cost = np.zeros(n_nodes)
    settled = np.zeros(n_nodes, np.bool_)
    paid = np.zeros(d + n_groups, np.bool_)
    trail = np.empty(d + n_groups, np.int32)
    # What was paid on the way to each open node: the trail's length when its parent was left.
    stack = np.empty(2 * n_nodes + 2, np.int32)
    before = np.empty(n_nodes + 1, np.int32)
    height, size = 1, 0
    stack[0] = root
    before[0] = 0
    while height > 0:
        height -= 1
        node = stack[height]
        while size > before[height]:
            size -= 1
            paid[trail[size]] = False
        if left[node] < 0:
            continue
        if _waits(node, indptr, indices, values, delayed):
            more, size = _pay_below(
                node, left, right, indptr, indices, values, full, later, group, paid, trail, size,
                stack, height,
            )  # fmt: skip
            cost[node] += more
            settled[node] = True
            continue
        more, size = _pay(node, indptr, indices, values, full, later, group, paid, trail, size)
        cost[left[node]] = cost[node] + more
        cost[right[node]] = cost[node] + more
        stack[height], stack[height + 1] = right[node], left[node]
        before[height] = size
        before[height + 1] = size
        height += 2
    for node in range(n_nodes):
        if settled[node] and left[node] >= 0:
            for child in (left[node], right[node]):
                cost[child] = cost[node]
                settled[child] = True
    return cost


@jit
def divided_costs(reach, left, right, indptr, indices, values, full, later, group, delayed):
    """What the tests cost of rows that reach several leaves, by their share of each node.

    All tests on all their paths are paid. ``reach`` has shape (n_rows, n_nodes).
    """
    n_nodes, d = left.shape[0], full.shape[0]
    n_groups = 0
    for j in range(d):
        n_groups = max(n_groups, group[j] + 1)
    cost = np.zeros(reach.shape[0])
    paid = np.zeros(d + n_groups, np.bool_)
    trail = np.empty(d + n_groups, np.int32)
    stack = np.empty(2 * n_nodes + 2, np.int32)
    for i in range(reach.shape[0]):
        paid[:] = False
        size = 0
        height = 1
        stack[0] = 0
        while height > 0:
            height -= 1
            node = stack[height]
            if left[node] < 0 or reach[i, node] == 0.0:
                continue
            if _waits(node, indptr, indices, values, delayed):
                more, size = _pay_below(
                    node, left, right, indptr, indices, values, full, later, group, paid, trail,
                    size, stack, height,
                )  # fmt: skip
                cost[i] += more
                continue
            more, size = _pay(
                node, indptr, indices, values, full, later, group, paid, trail, size
            )  # fmt: skip
            cost[i] += more
            stack[height], stack[height + 1] = right[node], left[node]
            height += 2
    return cost


@jit
def cost_of_all(full, later, group):
    """Cost of all tests, each once, in their order."""
    n_groups = 0
    for j in range(full.shape[0]):
        n_groups = max(n_groups, group[j] + 1)
    opened = np.zeros(n_groups, np.bool_)
    cost = 0.0
    for j in range(full.shape[0]):
        if group[j] >= 0 and opened[group[j]]:
            cost += later[j]
        else:
            cost += full[j]
        if group[j] >= 0:
            opened[group[j]] = True
    return cost


# Classes that tie within rounding go to the smallest code, as in trees.
TIE = 1e-12


@jit
def mean_costs(X, codes, weights, members, left, right, feature, threshold, counts, roots, begins,
               full, later, group, delayed, errors):  # fmt: skip
    """Mean cost of the rows that are no members, one tree of tests ``x_j <= c`` after the other.

    Parameters
    ----------
    members : (m, n) which rows not to price
    left, right, feature, threshold, counts : the trees' arrays; -1 is no child, no feature
    roots, begins : (m,), (m + 1,) root of each tree, from where its arrays begin
    errors : cost of each answer where each class is true
    """
    mean = np.empty(members.shape[0])
    for m in range(members.shape[0]):
        part = slice(begins[m], begins[m + 1])
        lefts, rights, tested = left[part], right[part], feature[part]
        cuts, mass = threshold[part], counts[part]
        n_nodes = lefts.shape[0]
        indptr, indices = np.zeros(n_nodes + 1, np.int32), np.zeros(n_nodes, np.int32)
        label = np.empty(n_nodes, np.int64)
        for node in range(n_nodes):
            indptr[node + 1] = indptr[node]
            if lefts[node] >= 0:
                indices[indptr[node]] = tested[node]
                indptr[node + 1] += 1
            label[node] = 0
            enough = mass[node].max() * (1.0 - TIE)
            while mass[node, label[node]] < enough:
                label[node] += 1
        values = np.ones(n_nodes)
        tests = node_costs(
            roots[m], lefts, rights, indptr, indices, values, full, later, group, delayed
        )
        total, weight = 0.0, 0.0
        for row in range(X.shape[0]):
            if members[m, row]:
                continue
            node = roots[m]
            while lefts[node] >= 0:
                node = lefts[node] if X[row, tested[node]] <= cuts[node] else rights[node]
            total += weights[row] * (tests[node] + errors[label[node], codes[row]])
            weight += weights[row]
        mean[m] = total / weight
    return mean
