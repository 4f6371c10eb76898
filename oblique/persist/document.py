"""A tree as plain lists, numbers and strings, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oblique.persist.check import DTYPES, check_tree
from oblique.tree import ARRAYS, Tree

_NAMES = ("feature_names", "class_names")
KEYS = {*ARRAYS, *_NAMES, "n_features", "criterion", "tie_class", "category_names"}
OPTIONAL = frozenset({"error_costs"})


def tree_to_dict(tree: Tree) -> dict[str, Any]:
    """Return a tree as plain lists, numbers and strings, ready for JSON.

    Numbers are kept exactly; the threshold of a node without a linear test is None.

    Parameters
    ----------
    tree : Tree
    """
    document: dict[str, Any] = {
        "n_features": int(tree.n_features),
        "criterion": tree.criterion,
        "tie_class": int(tree.tie_class),
    }
    for name in _NAMES:
        names = getattr(tree, name)
        document[name] = None if names is None else list(names)
    if tree.category_names is None:
        document["category_names"] = None
    else:
        # Keys of JSON objects are strings.
        document["category_names"] = {
            str(feature): list(names) for feature, names in tree.category_names.items()
        }
    for name in ARRAYS:
        document[name] = getattr(tree, name).tolist()
    if tree.error_costs is not None:
        document["error_costs"] = tree.error_costs.tolist()
    document["threshold"] = [None if math.isnan(t) else t for t in document["threshold"]]
    return document


def tree_from_dict(document: Mapping[str, Any]) -> Tree:
    """Make a tree from `tree_to_dict`'s result, checked entry by entry.

    Parameters
    ----------
    document : mapping

    Raises
    ------
    ValueError
        Names the key, and the node where there is one, that is missing or does not fit.
    """
    check_keys("tree", document, KEYS, OPTIONAL)
    if not isinstance(document["criterion"], str):
        raise ValueError(f"criterion={document['criterion']!r} must be a string")
    parts: dict[str, Any] = {name: _array(name, document[name]) for name in ARRAYS}
    for name in _NAMES:
        parts[name] = _strings(name, document[name])
    for name in ("n_features", "tie_class"):
        if type(document[name]) is not int:
            raise ValueError(f"{name}={document[name]!r} must be an integer")
    if "error_costs" in document:
        parts["error_costs"] = _matrix("error_costs", document["error_costs"], "class")
    tree = Tree(
        **parts,
        n_features=document["n_features"],
        criterion=document["criterion"],
        tie_class=document["tie_class"],
        category_names=_category_names(document["category_names"]),
    )
    check_tree(tree)
    return tree


def check_keys(
    what: str, document: Any, keys: set[str], optional: frozenset[str] = frozenset()
) -> None:
    """Raise ValueError unless a document is a mapping with just these keys."""
    if not isinstance(document, Mapping):
        raise ValueError(f"{what} must be an object with keys, got {type(document).__name__}")
    missing = sorted(keys - set(document))
    if missing:
        raise ValueError(f"{what} lacks the key {', '.join(map(repr, missing))}")
    strange = sorted(map(str, set(document) - keys - optional))
    if strange:
        raise ValueError(f"{what} has the unknown key {', '.join(map(repr, strange))}")


def _array(name: str, values: Any) -> NDArray[Any]:
    if name == "counts":
        return _matrix(name, values, "node")
    return _line(name, values)


def _matrix(name: str, values: Any, of: str) -> NDArray[Any]:
    if not isinstance(values, list) or not values:
        raise ValueError(f"{name} must be a list of lists, one for each {of}")
    lines = [_line(f"{name} of {of} {i}", line, "counts") for i, line in enumerate(values)]
    sizes = {line.size for line in lines}
    if len(sizes) > 1:
        raise ValueError(f"{name} has lines of different lengths: {sorted(sizes)}")
    return np.stack(lines)


def _line(what: str, values: Any, name: str | None = None) -> NDArray[Any]:
    if not isinstance(values, list):
        raise ValueError(f"{what} must be a list, got {type(values).__name__}")
    dtype = DTYPES[name or what]
    if dtype is np.bool_:
        kinds: tuple[type, ...] = (bool,)
    elif dtype is np.int32:
        kinds = (int,)
    else:
        kinds = (float, int, type(None)) if what == "threshold" else (float, int)
    for position, value in enumerate(values):
        # The exact type: True is an int to isinstance.
        if type(value) not in kinds:
            needed = " or ".join(kind.__name__ for kind in kinds)
            raise ValueError(f"{what}, entry {position}: {value!r} must be {needed}")
        if type(value) is int and not -(2**31) <= value < 2**31 and dtype is np.int32:
            raise ValueError(f"{what}, entry {position}: {value!r} is out of range")
    try:
        filled = [math.nan if value is None else value for value in values]
        return np.array(filled, dtype=dtype)
    except OverflowError:
        raise ValueError(f"{what} holds an integer that is too large") from None


def _strings(name: str, values: Any) -> tuple[str, ...] | None:
    if values is None:
        return None
    if not isinstance(values, list):
        raise ValueError(f"{name} must be a list of strings or null, got {type(values).__name__}")
    return tuple(values)


def _category_names(names: Any) -> dict[int, tuple[str, ...]] | None:
    if names is None:
        return None
    if not isinstance(names, Mapping):
        raise ValueError("category_names must be an object or null")
    found = {}
    for feature, categories in names.items():
        if not (isinstance(feature, str) and feature.isascii() and feature.isdigit()):
            raise ValueError(f"category_names: {feature!r} is not the number of a feature")
        found[int(feature)] = _strings(f"category_names of {feature}", categories) or ()
    return found
