"""The one induction loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oblique.builder import Skeleton, TreeBuilder
from oblique.node import HAIR, Division, Node
from oblique.stopping import Limits, Stopping
from oblique.table import Table
from oblique.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator

    from oblique.finders.base import SplitFinder


def grow(
    X: NDArray[np.float64],
    codes: NDArray[np.int32],
    *,
    n_classes: int,
    finder: SplitFinder,
    rng: Generator,
    sample_weight: NDArray[np.float64] | None = None,
    rows: NDArray[np.int32] | None = None,
    criterion: str = "entropy",
    stopping: Stopping | None = None,
    categorical: NDArray[np.bool_] | None = None,
    unsafe: int = -1,
    ties_to_unsafe: bool = False,
    names: Mapping[str, Any] | None = None,
) -> Tree:
    """Grow a tree: the node is divided by its finder's test until nothing is left to gain.

    The loop is iterative, so depth is bounded by memory only. It recomputes the gain of each
    test from the rows that really go left and right, and makes a leaf where a side is empty
    or the gain is not larger than ``stopping.min_gain``.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        float64 in C order. NaN is a missing value; categorical columns hold codes 0, 1 ...
    codes : ndarray of shape (n,), int32
        Class codes 0 ... n_classes - 1.
    n_classes : int
    finder : SplitFinder
    rng : numpy.random.Generator
        Handed to the finder at each node, nodes in depth-first order, left before right.
    sample_weight : ndarray of shape (n,) or None
        Positive weights. None: ones.
    rows : ndarray of int32 or None
        Rows to grow on, in the order in which sums are formed. None: all, in given order.
    criterion : str, default="entropy"
        A key of `oblique.criteria.CRITERIA`.
    stopping : Stopping or None
        None: grow until nodes are pure.
    categorical : ndarray of shape (d,), bool, or None
        Which columns are categorical.
    unsafe : int, default=-1
        Code of the unsafe class for finders that favour safety; -1: none.
    ties_to_unsafe : bool, default=False
        Label of a leaf where classes tie: the unsafe class, or the class of smallest code.
    names : mapping or None
        ``feature_names``, ``class_names`` and ``category_names`` of the tree.

    Returns
    -------
    tree : Tree
        Nodes in depth-first order, left before right.
    """
    finder.check_parameters()
    if rows is None:
        rows = np.arange(len(X), dtype=np.int32)
    weight = float(rows.size if sample_weight is None else sample_weight[rows].sum())
    limits = (stopping or Stopping()).resolve(rows.size, weight)
    table = Table(
        X, codes, sample_weight, n_classes, criterion=criterion, categorical=categorical,
        unsafe=unsafe, min_leaf=limits.min_leaf, min_weight=limits.min_weight,
    )  # fmt: skip
    root = Node.from_table(table, rows)
    skeleton = finder.grow_at_once(root, limits) or grow_node_by_node(root, limits, finder, rng)
    return skeleton.clothe(
        criterion=criterion, n_features=X.shape[1], tie_class=unsafe if ties_to_unsafe else -1,
        **(names or {}),
    )  # fmt: skip


def grow_node_by_node(root: Node, limits: Limits, finder: SplitFinder, rng: Generator) -> Skeleton:
    """Divide a node, and its parts, until every part is a leaf.

    Any kind of node will do: how rows are divided is the node's business.

    Parameters
    ----------
    root : Node
    limits : Limits
    finder : SplitFinder
    rng : numpy.random.Generator

    Returns
    -------
    Skeleton
    """
    builder = TreeBuilder(root.counts)
    stack = [] if is_leaf(root, limits) else [(0, root)]
    while stack:
        name, node = stack.pop()
        split = finder.find_split(node, rng)
        parts = None if split is None else node.divide(split)
        if parts is None or parts.gain <= limits.min_gain or is_small(parts, limits):
            continue
        left = builder.add_test(name, parts)
        if not is_leaf(parts.right, limits):
            stack.append((left + 1, parts.right))
        if not is_leaf(parts.left, limits):
            stack.append((left, parts.left))
    return builder.build()


def is_leaf(node: Node, limits: Limits) -> bool:
    """Whether no test is sought at a node.

    Parameters
    ----------
    node : Node
    limits : Limits
    """
    has_few_rows = node.size < limits.min_split - HAIR
    return node.n_present < 2 or has_few_rows or node.depth >= limits.max_depth


def is_small(parts: Division, limits: Limits) -> bool:
    """Whether a side is smaller than the limits allow.

    Parameters
    ----------
    parts : Division
    limits : Limits
    """
    if min(parts.left.size, parts.right.size) < limits.min_leaf - HAIR:
        return True
    return limits.min_weight > 0.0 and parts.sides.sum(axis=1).min() < limits.min_weight
