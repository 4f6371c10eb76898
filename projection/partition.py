"""Binary space partitions as flat arrays: what a tree is to geometry."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from projection._checks import Flags, Floats, Integers, as_floats, require_finite
from projection.exceptions import InputError
from projection.polyhedron import Polyhedron


def _absent() -> Any:
    """Stand for an array that was not given; it is replaced by an empty one at once."""
    return None


@dataclass(frozen=True)
class Partition:
    """A space cut by tests, one inner node each; its leaves are the cells.

    A linear test sends ``weights . x <= threshold`` to the left child. A test on categories
    sends the codes of its set to the left.

    Parameters
    ----------
    children_left, children_right : arrays of int, shape (n_nodes,)
        Numbers of the children, -1 twice at a leaf; node 0 is the root.
    weight_indptr, weight_indices, weight_values : arrays
        Weights of all nodes in compressed rows; a leaf and a test on categories have none.
    threshold : array of shape (n_nodes,)
        Ignored at leaves and at tests on categories.
    n_features : int
    category_set : array of int, shape (n_nodes,), optional
        Number of the set that a node tests, -1 for a linear test.
    set_feature : array of int, shape (n_sets,), optional
        Attribute that each set belongs to; such attributes hold codes 0, 1, ...
    members : array of bool, shape (n_sets, n_codes), optional
        Codes of each set, which go left.
    members_right : array of bool, shape (n_sets, n_codes), optional
        Codes that go right; all others when omitted.

    Raises
    ------
    InputError
        If the arrays do not describe a tree.
    """

    children_left: Integers
    children_right: Integers
    weight_indptr: Integers
    weight_indices: Integers
    weight_values: Floats
    threshold: Floats
    n_features: int
    category_set: Integers = field(default_factory=_absent, kw_only=True)
    set_feature: Integers = field(default_factory=_absent, kw_only=True)
    members: Flags = field(default_factory=_absent, kw_only=True)
    members_right: Flags = field(default_factory=_absent, kw_only=True)

    def __post_init__(self) -> None:
        self._convert()
        self._check_shapes()
        self._check_weights()
        self._check_sets()
        _ = self.parent  # walks the tree and so checks it

    def _convert(self) -> None:
        """Store every array with its type; absent sets become empty ones."""
        for name in ("children_left", "children_right", "weight_indptr", "weight_indices"):
            object.__setattr__(self, name, _as_integers(getattr(self, name), name))
        for name in ("weight_values", "threshold"):
            object.__setattr__(self, name, as_floats(getattr(self, name), name, 1))
        absent = self.category_set is None
        if absent != (self.set_feature is None) or absent != (self.members is None):
            raise InputError("category_set, set_feature and members belong together")
        nothing = np.full(len(self.children_left), -1)
        sets = nothing if absent else self.category_set
        features = np.empty(0, dtype=np.int64) if absent else self.set_feature
        members = np.zeros((0, 1), dtype=bool) if absent else self.members
        object.__setattr__(self, "category_set", _as_integers(sets, "category_set"))
        object.__setattr__(self, "set_feature", _as_integers(features, "set_feature"))
        members = np.ascontiguousarray(members, dtype=np.bool_)
        others = ~members if self.members_right is None else self.members_right
        object.__setattr__(self, "members", members)
        object.__setattr__(self, "members_right", np.ascontiguousarray(others, dtype=np.bool_))

    def _check_shapes(self) -> None:
        n = len(self.children_left)
        if n == 0:
            raise InputError("children_left is empty; a partition has at least its root")
        for name in ("children_right", "threshold", "category_set"):
            if len(getattr(self, name)) != n:
                raise InputError(f"{name} has {len(getattr(self, name))} entries, expected {n}")
        if len(self.weight_indptr) != n + 1:
            raise InputError(
                f"weight_indptr has {len(self.weight_indptr)} entries, expected {n + 1}"
            )

    def _check_weights(self) -> None:
        ends = self.weight_indptr
        stored = len(self.weight_values)
        if ends[0] != 0 or ends[-1] != stored or (np.diff(ends) < 0).any():
            raise InputError(f"weight_indptr must rise from 0 to {stored} (number of weights)")
        if len(self.weight_indices) != stored:
            raise InputError(f"weight_indices has {len(self.weight_indices)} entries, not {stored}")
        if stored and not (0 <= self.weight_indices.min() <= self.weight_indices.max()):
            raise InputError("weight_indices must not be negative")
        if stored and self.weight_indices.max() >= self.n_features:
            raise InputError(f"weight_indices must be below n_features = {self.n_features}")
        require_finite(self.weight_values, "weight_values")
        require_finite(self.threshold[self.is_linear], "threshold of an inner node")

    def _check_sets(self) -> None:
        n_sets = len(self.set_feature)
        if self.members.ndim != 2 or len(self.members) != n_sets:
            raise InputError(f"members must have {n_sets} rows, got shape {self.members.shape}")
        if self.members_right.shape != self.members.shape:
            raise InputError(f"members_right must have the shape of members, {self.members.shape}")
        if self.category_set.max() >= n_sets:
            raise InputError(f"category_set must be below {n_sets}, the number of sets")
        if n_sets and not 0 <= self.set_feature.min() <= self.set_feature.max() < self.n_features:
            raise InputError(f"set_feature must be in 0 .. {self.n_features - 1}")
        if np.isin(self.weight_indices, self.set_feature).any():
            raise InputError("an attribute is tested by categories or by a weight, not by both")

    @property
    def n_nodes(self) -> int:
        """Number of inner nodes and cells."""
        return len(self.children_left)

    @property
    def is_leaf(self) -> Flags:
        """Which nodes are cells."""
        return self.children_left < 0

    @property
    def is_linear(self) -> Flags:
        """Which nodes hold a linear test."""
        return ~self.is_leaf & (self.category_set < 0)

    @cached_property
    def parent(self) -> Integers:
        """Parent of each node, -1 for the root."""
        parent = np.full(self.n_nodes, -1, dtype=np.int64)
        seen = 1
        for node in range(self.n_nodes):
            left, right = self.children_left[node], self.children_right[node]
            if left < 0 and right < 0:
                continue
            for child in (left, right):
                if not 0 < child < self.n_nodes or parent[child] >= 0 or left == right:
                    raise InputError(f"children of node {node} are ({left}, {right}): not a tree")
                parent[child] = node
                seen += 1
        if seen != self.n_nodes or len(_topdown(self)) != self.n_nodes:
            raise InputError("children do not form one tree: some node is not below the root")
        return parent

    @cached_property
    def order(self) -> Integers:
        """Nodes with every parent before its children."""
        return np.array(_topdown(self), dtype=np.int64)

    @cached_property
    def is_axis_parallel(self) -> bool:
        """Whether every linear test weighs exactly one attribute."""
        return bool((np.diff(self.weight_indptr)[self.is_linear] == 1).all()) and bool(
            (self.weight_values != 0).all()
        )

    @cached_property
    def category_features(self) -> Integers:
        """Attributes that are tested by categories."""
        return np.unique(self.set_feature)

    def dense_weights(self, nodes: Any) -> Floats:
        """Weights of some nodes as a matrix (len(nodes), n_features).

        Parameters
        ----------
        nodes : sequence of int
        """
        matrix = np.zeros((len(nodes), self.n_features))
        for i, node in enumerate(nodes):
            part = slice(self.weight_indptr[node], self.weight_indptr[node + 1])
            np.add.at(matrix[i], self.weight_indices[part], self.weight_values[part])
        return matrix

    def path(self, node: int) -> tuple[Integers, Floats]:
        """Ancestors of a node from the root down, and +1 (left) or -1 (right) for each.

        Parameters
        ----------
        node : int

        Returns
        -------
        nodes : ndarray of shape (depth,), int64
        sides : ndarray of shape (depth,)
        """
        nodes, sides = [], []
        while self.parent[node] >= 0:
            above = int(self.parent[node])
            nodes.append(above)
            sides.append(1.0 if self.children_left[above] == node else -1.0)
            node = above
        return np.array(nodes[::-1], dtype=np.int64), np.array(sides[::-1])

    def region(self, node: int) -> Polyhedron:
        """Closure of the cell of a node; tests on categories are left out.

        Parameters
        ----------
        node : int
        """
        nodes, sides = self.path(node)
        linear = self.category_set[nodes] < 0
        nodes, sides = nodes[linear], sides[linear]
        weights = self.dense_weights(nodes)
        return Polyhedron(sides[:, None] * weights, sides * self.threshold[nodes])

    def allowed_codes(self, node: int) -> dict[int, Flags]:
        """Codes of each attribute tested by categories on the path of a node.

        Parameters
        ----------
        node : int

        Returns
        -------
        allowed : dict of int to ndarray of bool
            By attribute, one entry a code.
        """
        allowed: dict[int, Flags] = {}
        for above, side in zip(*self.path(node), strict=True):
            tested = self.category_set[above]
            if tested >= 0:
                codes = self.members[tested] if side > 0 else self.members_right[tested]
                feature = int(self.set_feature[tested])
                allowed[feature] = allowed.get(feature, np.ones_like(codes)) & codes
        return allowed

    def spread(self, leaf_flags: Flags) -> Flags:
        """For each row of flags, mark every node above a marked leaf as well.

        Parameters
        ----------
        leaf_flags : ndarray of shape (n_nodes,) or (k, n_nodes), bool

        Returns
        -------
        marks : ndarray of shape (k, n_nodes), bool
        """
        marks = np.ascontiguousarray(np.atleast_2d(leaf_flags), dtype=np.bool_).copy()
        marks[:, ~self.is_leaf] = False
        for node in self.order[::-1]:
            if self.children_left[node] >= 0:
                marks[:, node] = (
                    marks[:, self.children_left[node]] | marks[:, self.children_right[node]]
                )
        return marks


def _topdown(partition: Partition) -> list[int]:
    """Nodes reachable from the root, parents first (the caller checks that all are)."""
    found = [0]
    for node in found:
        if len(found) > partition.n_nodes:
            break
        if partition.children_left[node] >= 0:
            found += [int(partition.children_left[node]), int(partition.children_right[node])]
    return found


def _as_integers(value: Any, name: str) -> Integers:
    """One-dimensional array of int64."""
    array = np.asarray(value)
    if array.ndim != 1 or not (np.issubdtype(array.dtype, np.integer) or array.size == 0):
        raise InputError(f"{name} must be a one-dimensional array of integers")
    return np.ascontiguousarray(array, dtype=np.int64)
