"""Whether the arrays of a tree fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oblique.criteria import criterion_code
from oblique.tree import ARRAYS, Tree

DTYPES: dict[str, type[np.generic]] = {
    "children_left": np.int32,
    "children_right": np.int32,
    "threshold": np.float64,
    "weight_indptr": np.int32,
    "weight_indices": np.int32,
    "weight_values": np.float64,
    "category_indptr": np.int32,
    "category_codes": np.int32,
    "category_left": np.int32,
    "category_open": np.bool_,
    "missing_left": np.float64,
    "counts": np.float64,
    "impurity": np.float64,
    "labels": np.int32,
}
_ENTRIES = {"weight_indices", "weight_values", "category_codes"}
_POINTERS = {"weight_indptr", "category_indptr"}


def check_tree(tree: Tree) -> None:
    """Check a tree entry by entry.

    Afterwards no array can lead outside another one, every node is reached from the root by
    one path, and every test has an answer.

    Parameters
    ----------
    tree : Tree

    Raises
    ------
    ValueError
        Names the array, the node and the value that do not fit.
    """
    _check_shapes(tree)
    _check_children(tree)
    for pointer, entries in (
        ("weight_indptr", tree.weight_indices.size),
        ("category_indptr", tree.category_codes.size),
    ):
        _check_pointers(pointer, getattr(tree, pointer), entries)
    _check_linear_tests(tree)
    _check_category_tests(tree)
    _check_values(tree)
    _check_names(tree)


def _check_shapes(tree: Tree) -> None:
    _check_whole("n_features", tree.n_features, 0, np.iinfo(np.int32).max)
    n = len(tree.children_left)
    for name in ARRAYS:
        array = getattr(tree, name)
        if not isinstance(array, np.ndarray) or array.dtype != DTYPES[name]:
            found = getattr(array, "dtype", type(array).__name__)
            raise ValueError(f"{name} must be an array of {DTYPES[name].__name__}, got {found}")
        if array.ndim != (2 if name == "counts" else 1):
            raise ValueError(f"{name} has {array.ndim} dimensions")
        if name in _ENTRIES:
            continue
        needed = n + 1 if name in _POINTERS else n
        if len(array) != needed:
            raise ValueError(f"{name} has {len(array)} entries, {n} nodes need {needed}")
    if n == 0:
        raise ValueError("children_left is empty: a tree has at least a root")
    if tree.weight_values.size != tree.weight_indices.size:
        raise ValueError(
            f"weight_values has {tree.weight_values.size} entries, weight_indices "
            f"{tree.weight_indices.size}"
        )
    if tree.counts.shape[1] == 0:
        raise ValueError("counts has no classes")


def _check_children(tree: Tree) -> None:
    n = tree.n_nodes
    left, right = tree.children_left, tree.children_right
    number = np.arange(n)
    for name, child, other in (
        ("children_left", left, right),
        ("children_right", right, left),
    ):
        _refuse(name, child, (child < -1) | (child >= n), f"is not a node: there are {n}")
        _refuse(name, child, (child < 0) != (other < 0), "leaves the node with one child")
        _refuse(name, child, (child >= 0) & (child <= number), "does not come after its parent")
    inner = left >= 0
    above = np.bincount(np.concatenate([left[inner], right[inner]]), minlength=n)
    for name, child in (("children_left", left), ("children_right", right)):
        _refuse(name, child, inner & (above[child] > 1), "is a child twice")
    lost = np.flatnonzero(above[1:] == 0) + 1
    if lost.size:
        raise ValueError(f"node {lost[0]} has no parent in children_left or children_right")


def _check_pointers(name: str, pointers: NDArray[np.int32], entries: int) -> None:
    if pointers[0] != 0 or pointers[-1] != entries:
        raise ValueError(
            f"{name} must start at 0 and end at {entries}, the number of entries, got "
            f"{pointers[0]} and {pointers[-1]}"
        )
    _refuse(name, pointers[:-1], np.diff(pointers) < 0, "is larger than the next one")


def _check_linear_tests(tree: Tree) -> None:
    inner = tree.children_left >= 0
    sizes = np.diff(tree.weight_indptr)
    message = "weights, where an inner node has at least one and a leaf none"
    _refuse("weight_indptr", sizes, inner != (sizes > 0), message)
    owner = np.repeat(np.arange(tree.n_nodes), sizes)
    indices, values = tree.weight_indices, tree.weight_values
    outside = (indices < 0) | (indices >= tree.n_features)
    message = f"is not a feature: there are {tree.n_features}"
    _refuse("weight_indices", indices, outside, message, owner=owner)
    falls = np.zeros(indices.size, dtype=np.bool_)
    falls[1:] = (np.diff(indices) <= 0) & (np.diff(owner) == 0)
    _refuse("weight_indices", indices, falls, "is not above the one before it", owner=owner)
    unfit = ~np.isfinite(values) | (values == 0.0)
    _refuse("weight_values", values, unfit, "is not a finite number other than 0", owner=owner)
    linear = inner & (np.diff(tree.category_indptr) == 0)
    limit = tree.threshold
    _refuse("threshold", limit, linear & ~np.isfinite(limit), "is not finite")
    _refuse("threshold", limit, ~linear & ~np.isnan(limit), "is set, but there is no linear test")


def _check_category_tests(tree: Tree) -> None:
    sizes = np.diff(tree.category_indptr)
    some = sizes > 0
    leaf = tree.children_left < 0
    _refuse("category_indptr", sizes, some & leaf, "category codes, where a leaf has none")
    n_weights = np.diff(tree.weight_indptr)
    message = "weights, where a category test has one"
    _refuse("weight_indptr", n_weights, some & (n_weights != 1), message)
    tested = np.flatnonzero(some)
    weight = tree.weight_values[tree.weight_indptr[tested]]
    message = "is not 1, the weight of a category test"
    _refuse("weight_values", weight, weight != 1.0, message, owner=tested)
    n_left, is_open = tree.category_left, tree.category_open
    wrong = np.where(is_open, n_left != sizes, n_left >= sizes) | (n_left < 1)
    message = "does not divide the node's codes into left and right"
    _refuse("category_left", n_left, some & wrong, message)
    _refuse("category_left", n_left, ~some & (n_left != 0), "is set, but there are no codes")
    _refuse("category_open", is_open, ~some & is_open, "is set, but there are no codes")
    codes, owner = tree.category_codes, np.repeat(np.arange(tree.n_nodes), sizes)
    _refuse("category_codes", codes, codes < 0, "is negative", owner=owner)
    order = np.lexsort((codes, owner))
    again = np.zeros(codes.size, dtype=np.bool_)
    again[order[1:]] = (np.diff(codes[order]) == 0) & (np.diff(owner[order]) == 0)
    _refuse("category_codes", codes, again, "is listed twice", owner=owner)


def _check_values(tree: Tree) -> None:
    share, labels = tree.missing_left, tree.labels
    _refuse("missing_left", share, ~((share >= 0.0) & (share <= 1.0)), "is not between 0 and 1")
    _refuse("impurity", tree.impurity, ~np.isfinite(tree.impurity), "is not finite")
    n_classes = tree.n_classes
    message = f"is not a class: there are {n_classes}"
    _refuse("labels", labels, (labels < 0) | (labels >= n_classes), message)
    owner = np.repeat(np.arange(tree.n_nodes), n_classes)
    counts = tree.counts.ravel()
    wrong = ~np.isfinite(counts) | (counts < 0.0)
    _refuse("counts", counts, wrong, "is not a finite number of at least 0", owner=owner)
    costs = tree.error_costs
    if costs is not None and (
        costs.shape != (n_classes, n_classes) or not (np.isfinite(costs) & (costs >= 0.0)).all()
    ):
        raise ValueError(
            f"error_costs must be {n_classes} x {n_classes} finite numbers of at least 0"
        )


def _check_names(tree: Tree) -> None:
    _check_whole("tie_class", tree.tie_class, -1, tree.n_classes - 1)
    criterion_code(tree.criterion)
    for name, what, needed in (
        ("feature_names", "features", tree.n_features),
        ("class_names", "classes", tree.n_classes),
    ):
        names = getattr(tree, name)
        if names is None:
            continue
        _check_strings(name, names)
        if len(names) != needed:
            raise ValueError(f"{name} has {len(names)} names for {needed} {what}")
    known: dict[Any, Any] = dict(tree.category_names or {})
    for feature, names in known.items():
        _check_whole("category_names: feature", feature, 0, tree.n_features - 1)
        _check_strings(f"category_names of feature {feature}", names)
        _check_codes_have_names(tree, feature, len(names))


def _check_codes_have_names(tree: Tree, feature: int, n_names: int) -> None:
    sizes = np.diff(tree.category_indptr)
    tested = np.full(tree.n_nodes, -1)
    nodes = np.flatnonzero(sizes)
    tested[nodes] = tree.weight_indices[tree.weight_indptr[nodes]]
    codes, owner = tree.category_codes, np.repeat(np.arange(tree.n_nodes), sizes)
    nameless = (tested[owner] == feature) & (codes >= n_names)
    _refuse("category_codes", codes, nameless, "has no name in category_names", owner=owner)


def _check_whole(name: str, value: Any, least: int, most: int) -> None:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        raise ValueError(f"{name}={value!r} must be an integer from {least} to {most}")


def _check_strings(name: str, names: Any) -> None:
    if not isinstance(names, tuple):
        raise ValueError(f"{name} must be a tuple of strings, got {type(names).__name__}")
    for entry in names:
        if not isinstance(entry, str):
            raise ValueError(f"{name} holds {entry!r}, which is not a string")


def _refuse(
    name: str,
    values: NDArray[Any],
    wrong: NDArray[np.bool_],
    message: str,
    *,
    owner: NDArray[np.intp] | None = None,
) -> None:
    """Raise for the first wrong entry, with the node that owns it."""
    found = np.flatnonzero(wrong)
    if found.size:
        node = found[0] if owner is None else owner[found[0]]
        value = values[found[0]].item()
        raise ValueError(f"{name} of node {node}: {value!r} {message}")
