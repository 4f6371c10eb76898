"""From the tests of a growing tree to the frozen arrays of `Tree`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oblique import _kernels, _routing
from oblique.criteria import criterion_code
from oblique.split import CategorySplit, LinearSplit
from oblique.tree import Tree

if TYPE_CHECKING:
    from oblique.node import Division
    from oblique.split import Split


class TreeBuilder:
    """Collects tests while a tree grows; the i-th one makes the nodes 2 i + 1 and 2 i + 2."""

    __slots__ = ("_counts", "_missing_left", "_nodes", "_splits")

    def __init__(self, root_counts: NDArray[np.float64]):
        self._counts = [root_counts[None]]
        self._nodes: list[int] = []
        self._splits: list[Split] = []
        self._missing_left: list[float] = []

    def add_test(self, node: int, parts: Division) -> int:
        """Give a node its test and two children; return the left one, the right one is next."""
        return self.add_split(node, parts.split, parts.sides, parts.missing_left)

    def add_split(
        self, node: int, split: Split, sides: NDArray[np.float64], missing_left: float
    ) -> int:
        """`add_test` of a test whose sides have been counted, (2, n_classes)."""
        self._nodes.append(node)
        self._splits.append(split)
        self._missing_left.append(missing_left)
        self._counts.append(sides)
        return 2 * len(self._nodes) - 1

    def build(self) -> Skeleton:
        """Return the structure, nodes renamed depth-first."""
        tested = np.array(self._nodes, dtype=np.int32)
        old, left, right, inner, which = _routing.depth_first(tested)
        missing_left = np.full(len(old), 0.5)
        missing_left[inner] = np.array(self._missing_left)[which]
        tests = pack_splits(inner, [self._splits[i] for i in which.tolist()], len(old))
        return Skeleton(left, right, np.concatenate(self._counts)[old], missing_left, tests)


class Skeleton(NamedTuple):
    """A grown tree before its nodes are described: structure, class weights and tests."""

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    counts: NDArray[np.float64]
    missing_left: NDArray[np.float64]
    tests: dict[str, Any]

    def clothe(self, *, criterion: str, n_features: int, tie_class: int = -1, **names: Any) -> Tree:
        """Make the tree: impurity and label of each node, names of features and classes."""
        code = criterion_code(criterion)
        impurity, labels = _kernels.describe_nodes(code, self.counts, tie_class)
        return Tree(
            children_left=self.left,
            children_right=self.right,
            missing_left=self.missing_left,
            counts=self.counts,
            impurity=impurity,
            labels=labels,
            n_features=n_features,
            criterion=criterion,
            tie_class=tie_class,
            **names,
            **self.tests,
        )


def axis_skeleton(
    links: NDArray[np.int32], cuts: NDArray[np.float64], counts: NDArray[np.float64]
) -> Skeleton:
    """Make a skeleton from what `grow_axis_parallel` returns."""
    n_nodes = len(links)
    features = links[:, 2][links[:, 2] >= 0]
    indptr = np.zeros(n_nodes + 1, dtype=np.int32)
    np.cumsum(links[:, 2] >= 0, out=indptr[1:])
    tests = {
        "threshold": cuts[:, 0].copy(),
        "weight_indptr": indptr,
        "weight_indices": features,
        "weight_values": np.ones(features.size),
        **_pack_categories(n_nodes, ()),
    }
    left, right = links[:, 0].copy(), links[:, 1].copy()
    return Skeleton(left, right, counts.copy(), cuts[:, 1].copy(), tests)


def pack_splits(nodes: NDArray[np.intp], splits: Sequence[Split], n_nodes: int) -> dict[str, Any]:
    """Store tests of some nodes, ascending, as the arrays of `Tree`."""
    linear = [split for split in splits if type(split) is LinearSplit]
    if len(linear) == len(splits):
        indices = [split.indices for split in linear]
        values = [split.values for split in linear]
        limits = [split.threshold for split in linear]
        categories = []
    else:
        pairs = [
            (split.indices, split.values, split.threshold)
            if isinstance(split, LinearSplit)
            else (np.array([split.feature], dtype=np.int32), np.ones(1), np.nan)
            for split in splits
        ]
        indices, values, limits = (list(column) for column in zip(*pairs, strict=True))
        categories = [
            (int(node), split)
            for node, split in zip(nodes, splits, strict=True)
            if isinstance(split, CategorySplit)
        ]
    threshold = np.full(n_nodes, np.nan)
    threshold[nodes] = limits
    sizes = np.zeros(n_nodes + 1, dtype=np.int32)
    sizes[nodes + 1] = [part.size for part in indices]
    return {
        "threshold": threshold,
        "weight_indptr": np.cumsum(sizes, dtype=np.int32),
        "weight_indices": np.concatenate(indices) if indices else np.empty(0, dtype=np.int32),
        "weight_values": np.concatenate(values) if values else np.empty(0),
        **_pack_categories(n_nodes, categories),
    }


def _pack_categories(
    n_nodes: int, categories: Sequence[tuple[int, CategorySplit]]
) -> dict[str, NDArray[Any]]:
    sizes = np.zeros(n_nodes + 1, dtype=np.int32)
    left = np.zeros(n_nodes, dtype=np.int32)
    is_open = np.zeros(n_nodes, dtype=np.bool_)
    codes = [np.empty(0, dtype=np.int32)]
    for node, split in categories:
        sizes[node + 1] = split.codes.size
        left[node] = len(split.categories)
        is_open[node] = split.others is None
        codes.append(split.codes)
    return {
        "category_indptr": np.cumsum(sizes, dtype=np.int32),
        "category_codes": np.concatenate(codes),
        "category_left": left,
        "category_open": is_open,
    }
