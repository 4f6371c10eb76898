"""How far the thresholds of a tree may move before a case changes its class."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from oblique.tree import Tree
from projection import Metric
from projection.jit import jit

Units = Literal["metric", "normal", "raw"]


def threshold_sensitivity(
    tree: Tree,
    rows: NDArray[np.float64],
    own: NDArray[np.int64],
    metric: Metric,
    units: Units,
) -> NDArray[np.float64]:
    """Smallest largest move of thresholds that gives each row another class.

    A row reaches a leaf when every test on its path agrees, and thresholds of different nodes
    are independent: each test that disagrees must move by its own distance, the others need not.
    The answer is therefore exact, ``min over leaves of max over violated tests of |h|``. Leaves
    that no row can reach now count: moving thresholds may open them.

    Parameters
    ----------
    tree : Tree
    rows : ndarray of shape (n, n_features)
    own : ndarray of shape (n,)
        Class code of each row.
    metric : Metric
        For ``units="metric"``.
    units : {"metric", "normal", "raw"}
        Unit of a move: along the unit normal after the metric's scales, along the unit normal in
        raw units, or the threshold's own number.

    Returns
    -------
    ndarray of shape (n,)
        inf where no leaf of another class can be reached by moving thresholds (tests on
        categories have none).

    References
    ----------
    I. Alvarez, "Explaining the result of a decision tree to the end-user", ECAI 2004, remark 3
    (theorems 4 and 5 print the inequality the other way round).
    """
    lengths = _lengths(tree, metric, units)
    answer = np.empty(len(rows))
    only = _only_class(tree)
    is_category = np.diff(tree.category_indptr) > 0
    _smallest_largest_move(
        tree.children_left, tree.children_right, tree.weight_indptr, tree.weight_indices,
        tree.weight_values, tree.threshold, lengths, is_category, _category_sides(tree, rows),
        only, rows, own, answer,
    )  # fmt: skip
    return answer


def _lengths(tree: Tree, metric: Metric, units: Units) -> NDArray[np.float64]:
    """Length of each test's normal in the units of a move."""
    if units not in ("metric", "normal", "raw"):
        raise ValueError(f'units={units!r} must be "metric", "normal" or "raw"')
    if units == "raw":
        return np.ones(tree.n_nodes)
    scale = metric.scale[tree.weight_indices] if units == "metric" else 1.0
    node = np.repeat(np.arange(tree.n_nodes), np.diff(tree.weight_indptr))
    values = tree.weight_values * scale
    largest = np.zeros(tree.n_nodes)
    np.maximum.at(largest, node, np.abs(values))
    # by powers of two, which change no digit: squares neither overflow nor vanish
    _, exponent = np.frexp(largest)
    squares = np.bincount(node, np.ldexp(values, -exponent[node]) ** 2, minlength=tree.n_nodes)
    return np.asarray(np.ldexp(np.sqrt(squares), exponent))


def _only_class(tree: Tree) -> NDArray[np.int64]:
    """Class code of nodes whose leaves agree, -1 for the others."""
    only = tree.labels.astype(np.int64)
    for node in range(tree.n_nodes - 1, -1, -1):
        left, right = tree.children_left[node], tree.children_right[node]
        if left >= 0:
            only[node] = only[left] if only[left] == only[right] else -1
    return only


def _category_sides(tree: Tree, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of each row that goes left at the tests on categories, (n_tests, n)."""
    nodes = np.flatnonzero(np.diff(tree.category_indptr))
    sides = np.zeros((len(nodes), len(rows)))
    for i, node in enumerate(nodes):
        split = tree.split(int(node))
        assert split is not None
        sides[i] = split.membership(rows)
    return sides


@jit
def _smallest_largest_move(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    values: NDArray[np.float64],
    threshold: NDArray[np.float64],
    lengths: NDArray[np.float64],
    is_category: NDArray[np.bool_],
    sides: NDArray[np.float64],
    only: NDArray[np.int64],
    rows: NDArray[np.float64],
    own: NDArray[np.int64],
    answer: NDArray[np.float64],
) -> None:
    """Depth-first minimax over the leaves of another class, pruned by the best so far."""
    stack = np.empty(left.shape[0], np.int64)
    cost = np.empty(left.shape[0])
    number = np.cumsum(is_category) - 1
    for i in range(rows.shape[0]):
        best = np.inf
        stack[0], cost[0], size = 0, 0.0, 1
        while size > 0:
            size -= 1
            node, so_far = stack[size], cost[size]
            if so_far >= best or only[node] == own[i]:
                continue
            if left[node] < 0:
                best = so_far
                continue
            if is_category[node]:
                goes_left = sides[number[node], i] > 0.5
                beyond = np.inf
            else:
                score = 0.0
                for p in range(indptr[node], indptr[node + 1]):
                    score += rows[i, indices[p]] * values[p]
                goes_left = score <= threshold[node]
                beyond = max(so_far, abs(score - threshold[node]) / lengths[node])
            near, far = (left[node], right[node]) if goes_left else (right[node], left[node])
            # the near child is taken first: it gives good answers early
            if beyond < best:
                stack[size], cost[size] = far, beyond
                size += 1
            stack[size], cost[size] = near, so_far
            size += 1
        answer[i] = best
