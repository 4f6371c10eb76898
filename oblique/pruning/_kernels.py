"""Compiled passes over a tree's nodes; parents come before their children in every array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from projection.jit import jit

Ints = NDArray[np.int32]
Steps = NDArray[np.int64]
Floats = NDArray[np.float64]

# ---------------------------------------------------------------- weakest links


@jit
def _renew_link(
    t: int, left: Ints, right: Ints, cost: Floats, keep_root: bool, below: Floats, leaves: Steps,
    link: Floats, weakest: Floats,
) -> None:  # fmt: skip
    """Sum a node's subtree from its children and find the weakest link in it."""
    a, b = left[t], right[t]
    below[t] = below[a] + below[b]
    leaves[t] = leaves[a] + leaves[b]
    link[t] = (cost[t] - below[t]) / (leaves[t] - 1)
    if t == 0 and keep_root:
        link[t] = np.inf
    weakest[t] = min(link[t], weakest[a], weakest[b])


@jit
def _cut_link(
    t: int, left: Ints, right: Ints, parents: Ints, cost: Floats, keep_root: bool, below: Floats,
    leaves: Steps, link: Floats, weakest: Floats,
) -> None:  # fmt: skip
    """Make a leaf of a node and renew the nodes above it."""
    below[t] = cost[t]
    leaves[t] = 1
    link[t] = np.inf
    weakest[t] = np.inf
    above = parents[t]
    while above >= 0:
        _renew_link(above, left, right, cost, keep_root, below, leaves, link, weakest)
        above = parents[above]


@jit
def weakest_links(
    left: Ints, right: Ints, parents: Ints, cost: Floats, keep_root: bool, tie: float
) -> tuple[Steps, Floats]:
    """Cost-complexity sequence: cut all weakest links at once until none is left.

    Each node keeps the weakest link of its subtree, so that a cut costs one walk to the root:
    O(nodes x depth) in all.

    Parameters
    ----------
    cost : (n,) cost of each node as a leaf
    keep_root : whether the root may not become a leaf
    tie : links closer than this to the weakest are cut with it

    Returns
    -------
    (cut, alphas); cut[t] is the step at which node t becomes a leaf, 0 for leaves and n for
    never; alphas[s] is the weakest link of step s, not divided by the weight of the root.
    """
    n = left.shape[0]
    below = cost.copy()
    leaves = np.ones(n, np.int64)
    link = np.full(n, np.inf)
    weakest = np.full(n, np.inf)
    cut = np.full(n, n, np.int64)
    stack = np.empty(n, np.int64)
    alphas = np.zeros(n)
    for t in range(n - 1, -1, -1):
        if left[t] < 0:
            cut[t] = 0
        else:
            _renew_link(t, left, right, cost, keep_root, below, leaves, link, weakest)
    step = 0
    while weakest[0] < np.inf:
        step += 1
        # Summing again can round a later link below an earlier one.
        alphas[step] = weakest[0] if step == 1 else max(weakest[0], alphas[step - 1])
        limit = weakest[0] + tie
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            t = stack[top]
            if link[t] <= limit:
                cut[t] = step
                _cut_link(t, left, right, parents, cost, keep_root, below, leaves, link, weakest)
            elif weakest[t] <= limit:
                stack[top], stack[top + 1] = right[t], left[t]
                top += 2
    return cut, alphas[: step + 1]


# ---------------------------------------------------------------- safest links


@jit
def _is_safer(a: int, b: int, rise: Floats, depth: Ints, ties: Floats) -> bool:
    """Whether cutting node a comes strictly before cutting node b; -1 is no node."""
    if a < 0 or b < 0:
        return a >= 0
    for k in range(2):
        if abs(rise[k, a] - rise[k, b]) > ties[k]:
            return bool(rise[k, a] < rise[k, b])
    return bool(depth[a] > depth[b])


@jit
def _renew_safest(
    t: int, left: Ints, right: Ints, depth: Ints, cost: Floats, below: Floats, rise: Floats,
    ties: Floats, keep_root: bool, first: Steps,
) -> None:  # fmt: skip
    """Sum a node's subtree from its children and find the node of it to cut first."""
    a, b = left[t], right[t]
    for k in range(2):
        below[k, t] = below[k, a] + below[k, b]
        rise[k, t] = cost[k, t] - below[k, t]
    first[t] = first[a]
    if _is_safer(first[b], first[t], rise, depth, ties):
        first[t] = first[b]
    may_cut = t > 0 or not keep_root
    if may_cut and _is_safer(t, first[t], rise, depth, ties):
        first[t] = t


@jit
def safest_links(
    left: Ints, right: Ints, parents: Ints, depth: Ints, cost: Floats, keep_root: bool,
    ties: Floats,
) -> tuple[Steps, Floats]:  # fmt: skip
    """Safe sequence: cut the subtree whose unsafe errors rise least, one a step.

    Ties go to the least rise of all errors, then to the deepest node, then to the leftmost.

    Parameters
    ----------
    cost : (2, n) unsafe errors, and all errors, of each node as a leaf
    ties : (2,) rises closer than this tie

    Returns
    -------
    (cut, alphas) as `weakest_links`; alphas are rises of unsafe errors.
    """
    n = left.shape[0]
    below = cost.copy()
    rise = np.zeros((2, n))
    first = np.full(n, -1, np.int64)
    cut = np.full(n, n, np.int64)
    alphas = np.zeros(n)
    for t in range(n - 1, -1, -1):
        if left[t] < 0:
            cut[t] = 0
        else:
            _renew_safest(t, left, right, depth, cost, below, rise, ties, keep_root, first)
    step = 0
    while first[0] >= 0:
        step += 1
        t = first[0]
        alphas[step] = rise[0, t]
        cut[t] = step
        first[t] = -1
        for k in range(2):
            below[k, t] = cost[k, t]
        above = parents[t]
        while above >= 0:
            _renew_safest(above, left, right, depth, cost, below, rise, ties, keep_root, first)
            above = parents[above]
    return cut, alphas[: step + 1]


# ---------------------------------------------------------------- other passes


@jit
def steps_gone(parents: Ints, cut: Steps, never: int) -> Steps:
    """Step at which each node disappears below a node that was cut, ``never`` for none."""
    gone = np.full(parents.shape[0], never, np.int64)
    for t in range(1, parents.shape[0]):
        gone[t] = min(gone[parents[t]], cut[parents[t]])
    return gone


@jit
def cheaper_leaves(
    left: Ints, right: Ints, cost: Floats, slack: float, keep_root: bool
) -> NDArray[np.bool_]:
    """Mark, bottom up, each node that costs as a leaf no more than its pruned subtree.

    Parameters
    ----------
    cost : (n,) cost of each node as a leaf
    slack : how much more it may cost
    """
    below = cost.copy()
    cut = np.zeros(left.shape[0], np.bool_)
    for t in range(left.shape[0] - 1, -1, -1):
        if left[t] < 0:
            continue
        below[t] = below[left[t]] + below[right[t]]
        if cost[t] <= below[t] + slack and not (t == 0 and keep_root):
            cut[t] = True
            below[t] = cost[t]
    return cut
