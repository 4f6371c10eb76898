"""Collapsing and error-based pruning of multiway tests, which stand in a tree as chains.

A chain tells one value after the other apart. C4.5 keeps or drops such a test as a whole, and
raises the largest of all its branches; pruning the chain's nodes one by one would merge values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from baselines._information import EPSILON
from oblique.builder import TreeBuilder
from oblique.pruning import _raising
from oblique.pruning.error_based import SLACK
from oblique.split import CategorySplit, LinearSplit

if TYPE_CHECKING:
    from oblique.split import Split
    from oblique.tree import Tree

# Level, deviate and code of the bound, as `oblique.pruning.error_based.limit_arguments` says.
Limit = tuple[float, float, int]


class _Unit:
    """A leaf, a cut with two branches, or a test with one branch a value."""

    __slots__ = ("branches", "codes", "counts", "known", "split")

    def __init__(self, counts: NDArray[np.float64]):
        self.counts = counts
        self.split: Split | None = None
        self.codes: list[int] = []
        self.branches: list[_Unit] = []
        # Weight of the cases with a known answer in each branch.
        self.known: NDArray[np.float64] = np.empty(0)

    def become(self, other: _Unit) -> None:
        """Take another unit's test and branches."""
        self.split, self.codes = other.split, other.codes
        self.branches, self.known = other.branches, other.known

    def errors(self) -> float:
        """Weight that the unit, as a leaf, gets wrong."""
        return float(np.delete(self.counts, int(self.counts.argmax())).sum())

    def answers(self, X: NDArray[np.float64]) -> NDArray[np.intp]:
        """Branch of each row, -1 for a missing answer."""
        if isinstance(self.split, LinearSplit):
            x = X[:, self.split.feature]
            return np.where(np.isnan(x), -1, np.where(x <= self.split.threshold, 0, 1))
        assert self.split is not None
        x = X[:, self.split.feature]
        which = np.full(len(x), -1)
        for i, code in enumerate(self.codes):
            # The last branch of a chain that a limit of depth cut short holds several values.
            which[x == code] = min(i, len(self.branches) - 1)
        return which


class _Rows:
    """Training rows, and the limit by which errors are estimated."""

    def __init__(
        self,
        X: NDArray[np.float64],
        codes: NDArray[np.int32],
        n_classes: int,
        limit: Limit | None,
        raising: bool,
    ):
        self.X = X
        self.codes = codes
        self.n_classes = n_classes
        self.limit = limit
        self.raising = raising

    def count(self, rows: NDArray[np.intp], w: NDArray[np.float64]) -> NDArray[np.float64]:
        return _sums(self.codes[rows], w, self.n_classes)

    def share_out(
        self, unit: _Unit, rows: NDArray[np.intp], w: NDArray[np.float64]
    ) -> tuple[list[tuple[NDArray[np.intp], NDArray[np.float64]]], NDArray[np.float64]]:
        """Rows and weights of each branch, and the known weight of each."""
        which = unit.answers(self.X[rows])
        n = len(unit.branches)
        known = _sums(which[which >= 0], w[which >= 0], n)
        shares = known / known.sum() if known.sum() > 0.0 else np.full(n, 1.0 / n)
        parts = []
        for i in range(n):
            weight = np.where(which == i, w, np.where(which < 0, shares[i] * w, 0.0))
            parts.append((rows[weight > 0.0], weight[weight > 0.0]))
        return parts, known

    def leaf_estimate(self, counts: NDArray[np.float64]) -> float:
        assert self.limit is not None
        errors = float(np.delete(counts, int(counts.argmax())).sum())
        return errors + float(_raising.extra_errors(float(counts.sum()), errors, *self.limit))

    def estimate(self, unit: _Unit, rows: NDArray[np.intp], w: NDArray[np.float64]) -> float:
        """Estimated errors of other rows below a unit, which stays as it is."""
        if not unit.branches:
            return self.leaf_estimate(self.count(rows, w))
        parts, _ = self.share_out(unit, rows, w)
        return sum(
            self.estimate(branch, *part)
            for branch, part in zip(unit.branches, parts, strict=True)
            if part[0].size
        )

    def prune(self, unit: _Unit, rows: NDArray[np.intp], w: NDArray[np.float64]) -> float:
        """Prune below a unit, bottom up, and return its estimated errors."""
        unit.counts = self.count(rows, w)
        leaf = self.leaf_estimate(unit.counts)
        if not unit.branches:
            return leaf
        parts, unit.known = self.share_out(unit, rows, w)
        below = sum(
            self.prune(branch, *part)
            for branch, part in zip(unit.branches, parts, strict=True)
            if part[0].size
        )
        sizes = np.array([part[1].sum() for part in parts])
        equals = np.flatnonzero(sizes >= sizes.max() * (1.0 - _raising.HAIR))
        largest = unit.branches[equals[-1]]
        raised = self.estimate(largest, rows, w) if self.raising else np.inf
        if leaf <= raised + SLACK and leaf <= below + SLACK:
            unit.become(_Unit(unit.counts))
            return leaf
        if raised <= below + SLACK:
            unit.become(largest)
            return self.prune(unit, rows, w)
        return below


def prune_multiway(
    tree: Tree,
    X: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    *,
    collapse: bool,
    limit: Limit | None,
    raising: bool = True,
) -> Tree:
    """Collapse a tree with chains and prune it by estimated errors.

    Parameters
    ----------
    tree : Tree
        Grown with ``categories="multiway"``.
    X, codes, weights : ndarray
        The rows it was grown on.
    collapse : bool
        Whether subtrees that err no less in training become leaves first.
    limit : (float, float, int) or None
        As `oblique.pruning.error_based.limit_arguments` returns it. None: do not prune.
    raising : bool, default=True
        Whether a test may be replaced by its largest branch.
    """
    root = _read(tree, 0)
    if collapse:
        _collapse(root)
    if limit is not None:
        rows = _Rows(X, codes, tree.n_classes, limit, raising)
        rows.prune(root, np.arange(len(X)), weights)
    return _write(tree, root)


def depth_in_tests(tree: Tree) -> int:
    """Most tests on a path, a chain counted once."""
    depth = np.zeros(tree.n_nodes, dtype=np.intp)
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        left, right = tree.children_left[node], tree.children_right[node]
        depth[left] = depth[node] + 1
        depth[right] = depth[node] + (not _goes_on(tree, node))
    return int(depth.max())


def _goes_on(tree: Tree, node: int) -> bool:
    """Whether a node's right child is the next link of its chain."""
    right = int(tree.children_right[node])
    begin, end = tree.category_indptr[[node, node + 1]]
    codes = tree.category_codes
    link = codes[slice(*tree.category_indptr[[right, right + 1]])]
    return end - begin > 2 and bool(np.array_equal(codes[begin + 1 : end], link))


def _read(tree: Tree, node: int) -> _Unit:
    unit = _Unit(tree.counts[node].copy())
    unit.split = tree.split(node)
    if unit.split is None:
        return unit
    shares = [unit.split.missing_left]
    unit.branches = [_read(tree, int(tree.children_left[node]))]
    if isinstance(unit.split, CategorySplit):
        unit.codes = unit.split.codes.tolist()
        while _goes_on(tree, node):
            node = int(tree.children_right[node])
            shares.append(float(tree.missing_left[node]))
            unit.branches.append(_read(tree, int(tree.children_left[node])))
    unit.branches.append(_read(tree, int(tree.children_right[node])))
    unit.known = _known_shares(shares)
    return unit


def _known_shares(shares: list[float]) -> NDArray[np.float64]:
    """Share of each branch, from the shares that each link of the chain takes off."""
    known, rest = [], 1.0
    for share in shares:
        known.append(rest * share)
        rest *= 1.0 - share
    return np.array([*known, rest])


def _collapse(unit: _Unit) -> float:
    """Make leaves, bottom up, where a subtree errs no less; return the errors below."""
    errors = unit.errors()
    if not unit.branches:
        return errors
    below = sum(_collapse(branch) for branch in unit.branches)
    if below >= errors - EPSILON:
        unit.become(_Unit(unit.counts))
        return errors
    return below


def _write(tree: Tree, root: _Unit) -> Tree:
    builder = TreeBuilder(root.counts)
    stack = [(0, root)]
    while stack:
        name, unit = stack.pop()
        if unit.split is None:
            continue
        last = len(unit.branches) - 1
        for i in range(last):
            sides = np.stack(
                [unit.branches[i].counts, sum(b.counts for b in unit.branches[i + 1 :])]
            )
            split = unit.split
            if isinstance(split, CategorySplit):
                split = CategorySplit(split.feature, unit.codes[i : i + 1], unit.codes[i + 1 :])
            rest = float(unit.known[i:].sum())
            share = float(unit.known[i]) / rest if rest > 0.0 else 0.5
            left = builder.add_split(name, split, sides, share)
            stack.append((left, unit.branches[i]))
            name = left + 1
        stack.append((name, unit.branches[last]))
    return builder.build().clothe(
        criterion=tree.criterion, n_features=tree.n_features, tie_class=tree.tie_class,
        feature_names=tree.feature_names, class_names=tree.class_names,
        category_names=tree.category_names,
    )  # fmt: skip


def _sums(which: NDArray[np.integer], w: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    return np.asarray(np.bincount(which, w, n), dtype=np.float64)
