"""Trees written down by hand, as nested mappings."""

from __future__ import annotations

import contextlib
import math
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oblique import _kernels
from oblique._suggest import unknown_name
from oblique.builder import pack_splits
from oblique.criteria import criterion_code
from oblique.split import CategorySplit, LinearSplit, Split
from oblique.tree import Tree

_LINEAR_KEYS = {"weights", "threshold", "left", "right", "counts", "missing_left"}
_CATEGORY_KEYS = {"feature", "categories", "others", "left", "right", "counts", "missing_left"}


class _Item(NamedTuple):
    """A node of a nested tree: its mapping and how it hangs below its parent."""

    content: Mapping[str, Any]
    parent: int
    side: str


class _NestedTree:
    """Nodes of a nested tree in depth-first order, left before right."""

    def __init__(self, nested: Any):
        self.items: list[_Item] = []
        self.children: list[list[int]] = []
        # Ids of the mappings above a node find a mapping that contains itself.
        open_ids: set[int] = set()
        stack: list[tuple[Any, int, str]] = [(nested, -1, "")]
        while stack:
            content, parent, side = stack.pop()
            if side == "close":
                open_ids.remove(id(content))
                continue
            name = self._add(content, parent, side)
            with self.at(name):
                if id(content) in open_ids:
                    raise ValueError("the node contains itself")
                is_inner = _check_keys(content)
            if is_inner:
                open_ids.add(id(content))
                stack.append((content, name, "close"))
                stack.append((content["right"], name, "right"))
                stack.append((content["left"], name, "left"))

    def _add(self, content: Any, parent: int, side: str) -> int:
        name = len(self.items)
        self.items.append(_Item(content, parent, side))
        self.children.append([])
        if parent >= 0:
            self.children[parent].append(name)
        return name

    @contextlib.contextmanager
    def at(self, name: int) -> Iterator[Mapping[str, Any]]:
        """Hand out a node's mapping; errors get the node's path, such as ``root.left``."""
        try:
            yield self.items[name].content
        except ValueError as error:
            # Spelled only here: paths of a deep tree are long.
            steps = []
            while name > 0:
                steps.append(self.items[name].side)
                name = self.items[name].parent
            raise ValueError(f"{'.'.join(['root', *reversed(steps)])}: {error}") from None

    @property
    def inner(self) -> list[int]:
        return [name for name, below in enumerate(self.children) if below]


def _check_keys(content: Any) -> bool:
    """Check what a node's mapping holds; return whether it is an inner node."""
    if not isinstance(content, Mapping):
        raise ValueError(f"a node must be a mapping, got {_short(content)}")
    is_category = "feature" in content or "categories" in content
    is_inner = is_category or any(key in content for key in _LINEAR_KEYS - {"counts"})
    keys = _CATEGORY_KEYS if is_category else _LINEAR_KEYS if is_inner else {"counts"}
    for key in content:
        if key not in keys:
            raise ValueError(unknown_name("key", key, keys))
    needed = keys - {"counts", "others", "missing_left"} if is_inner else keys
    lacking = sorted(needed - set(content))
    if lacking:
        kind = "an inner node" if is_inner else "a leaf"
        raise ValueError(f"{kind} lacks {', '.join(map(repr, lacking))}")
    return is_inner


def tree_from_nested(
    nested: Mapping[str, Any],
    *,
    feature_names: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
) -> Tree:
    """Make a tree by hand, as printed in a paper.

    Parameters
    ----------
    nested : mapping
        A leaf is ``{"counts": {"0": 98, "1": 1}}``; classes that are not listed count 0. An
        inner node is ``{"weights": {"glucose": 1.0}, "threshold": 137.5, "left": node,
        "right": node}`` or ``{"feature": "colour", "categories": ["red"], "left": node,
        "right": node}``, where ``"others": ["green"]`` may list what goes right (the default
        is everything else). Categories are names, or the codes themselves where they are
        integers; names are coded 0, 1 ... as they appear. An inner node may have "counts"
        (default: the sum of its children's) and "missing_left", the share of a row without
        an answer that goes left (default: the left child's share of the counts).
    feature_names : sequence of str or None, default=None
        Order of the features. None: as they appear, root first.
    classes : sequence of str or None, default=None
        Order of the classes. None: sorted, as numbers where all are numbers.

    Returns
    -------
    tree : Tree
        Nodes in depth-first order, left before right.

    Raises
    ------
    ValueError
        Names the node (as a path such as ``root.left``) and what is wrong there.

    Examples
    --------
    >>> tree = tree_from_nested(
    ...     {"weights": {"glucose": 1.0}, "threshold": 137.5,
    ...      "left": {"counts": {"0": 98, "1": 1}}, "right": {"counts": {"1": 7}}})
    >>> tree.predict_codes([[137.5], [140.0]]).tolist()
    [0, 1]
    """
    outline = _NestedTree(nested)
    features = _feature_numbers(outline, feature_names)
    class_codes = _class_codes(outline, classes)
    categories = _category_codes(outline)
    counts = _counts(outline, class_codes)
    left, right = _child_arrays(outline)
    missing_left = _missing_left(outline, counts)
    splits = [
        _split(outline, name, features, categories.get(name), float(missing_left[name]))
        for name in outline.inner
    ]
    impurity, labels = _kernels.describe_nodes(criterion_code("entropy"), counts, -1)
    inner = np.array(outline.inner, dtype=np.intp)
    tests: dict[str, Any] = pack_splits(inner, splits, len(left))
    tree = Tree(
        children_left=left,
        children_right=right,
        missing_left=missing_left,
        counts=counts,
        impurity=impurity,
        labels=labels,
        n_features=len(features),
        feature_names=tuple(features),
        class_names=tuple(class_codes),
        category_names=_category_names(outline, features, categories),
        **tests,
    )
    return tree.check()


def _feature_numbers(outline: _NestedTree, given: Sequence[str] | None) -> dict[str, int]:
    numbers = _numbered("feature_names", () if given is None else given)
    for name in outline.inner:
        with outline.at(name) as content:
            for feature in _tested(content):
                if given is None:
                    numbers.setdefault(feature, len(numbers))
                elif feature not in numbers:
                    raise ValueError(unknown_name("feature", feature, numbers))
    return numbers


def _tested(content: Mapping[str, Any]) -> list[str]:
    if "feature" in content:
        return [str(content["feature"])]
    if not isinstance(content["weights"], Mapping):
        found = _short(content["weights"])
        raise ValueError(f"weights must map feature names to numbers, got {found}")
    return [str(feature) for feature in content["weights"]]


def _class_codes(outline: _NestedTree, given: Sequence[str] | None) -> dict[str, int]:
    codes = _numbered("classes", () if given is None else given)
    found: dict[str, None] = {}
    for name in range(len(outline.items)):
        with outline.at(name) as content:
            if "counts" not in content:
                continue
            counts = content["counts"]
            if not isinstance(counts, Mapping) or not counts:
                raise ValueError(f"counts must map classes to numbers, got {_short(counts)}")
            for label in map(str, counts):
                if given is not None and label not in codes:
                    raise ValueError(unknown_name("class", label, codes))
                found[label] = None
    return codes if given is not None else _numbered("classes", _sort_labels(list(found)))


def _sort_labels(labels: list[str]) -> list[str]:
    try:
        return sorted(labels, key=lambda label: (float(label), label))
    except ValueError:
        return sorted(labels)


def _numbered(what: str, names: Sequence[str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for name in map(str, names):
        if name in numbers:
            raise ValueError(f"{what} holds {name!r} twice")
        numbers[name] = len(numbers)
    return numbers


def _category_codes(outline: _NestedTree) -> dict[int, dict[Any, int]]:
    """Codes of each category test's feature, by node; nodes of one feature share them."""
    by_feature: dict[str, dict[Any, int]] = {}
    weighed: set[str] = set()
    by_node: dict[int, dict[Any, int]] = {}
    for name in outline.inner:
        with outline.at(name) as content:
            if "feature" not in content:
                weighed.update(_tested(content))
                continue
            codes = by_node[name] = by_feature.setdefault(str(content["feature"]), {})
            for category in _listed(content):
                _number_category(codes, category)
    both = sorted(weighed & set(by_feature))
    if both:
        raise ValueError(f"feature {both[0]!r} has both weights and category tests")
    return by_node


def _listed(content: Mapping[str, Any]) -> list[Any]:
    """Categories of a test, those that go left first."""
    listed: list[Any] = []
    for key in ("categories", "others"):
        entries: Any = content.get(key, ())
        if isinstance(entries, str | Mapping) or not isinstance(entries, Iterable):
            raise ValueError(f"{key} must list categories, got {_short(entries)}")
        listed.extend(entries)
    return listed


def _number_category(codes: dict[Any, int], category: Any) -> None:
    is_code = isinstance(category, int | np.integer) and not isinstance(category, bool)
    if is_code and category < 0:
        raise ValueError(f"category code {category} is negative")
    if not is_code and not isinstance(category, str):
        raise ValueError(f"category {category!r} must be a name or a code")
    if codes and isinstance(next(iter(codes)), str) == is_code:
        raise ValueError("a feature's categories must be all names or all codes")
    codes.setdefault(category, int(category) if is_code else len(codes))


def _category_names(
    outline: _NestedTree, features: dict[str, int], categories: dict[int, dict[Any, int]]
) -> dict[int, tuple[str, ...]] | None:
    names = {
        features[str(outline.items[name].content["feature"])]: tuple(codes)
        for name, codes in categories.items()
        if all(isinstance(category, str) for category in codes)
    }
    return names or None


def _counts(outline: _NestedTree, codes: dict[str, int]) -> NDArray[np.float64]:
    counts = np.zeros((len(outline.items), len(codes)))
    for name in reversed(range(len(outline.items))):
        with outline.at(name) as content:
            for label, value in content.get("counts", {}).items():
                what = f"the count of class {str(label)!r}"
                counts[name, codes[str(label)]] += _number(value, what, least=0.0)
            if "counts" not in content:
                counts[name] = counts[outline.children[name]].sum(axis=0)
            if not counts[name].any():
                raise ValueError("counts are all zero, so the node has no class")
    return counts


def _child_arrays(outline: _NestedTree) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    pairs = [below or [-1, -1] for below in outline.children]
    array = np.array(pairs, dtype=np.int32)
    return array[:, 0].copy(), array[:, 1].copy()


def _missing_left(outline: _NestedTree, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = np.full(len(counts), 0.5)
    totals = counts.sum(axis=1)
    for name in outline.inner:
        below = outline.children[name]
        with outline.at(name) as content:
            if "missing_left" in content:
                given = content["missing_left"]
                shares[name] = _number(given, "missing_left", least=0.0, most=1.0)
            else:
                shares[name] = totals[below[0]] / totals[below].sum()
    return shares


def _split(
    outline: _NestedTree,
    name: int,
    features: dict[str, int],
    categories: dict[Any, int] | None,
    missing_left: float,
) -> Split:
    with outline.at(name) as content:
        if categories is not None:
            others = content.get("others")
            return CategorySplit(
                features[str(content["feature"])],
                [categories[category] for category in content["categories"]],
                None if others is None else [categories[category] for category in others],
                missing_left=missing_left,
            )
        weights = {
            features[str(feature)]: _number(value, f"the weight of {str(feature)!r}")
            for feature, value in content["weights"].items()
        }
        indices = sorted(feature for feature, value in weights.items() if value != 0.0)
        if not indices:
            raise ValueError("weights are all zero: the test would be the same for every row")
        return LinearSplit.sparse(
            np.array(indices, dtype=np.int32),
            np.array([weights[feature] for feature in indices]),
            _number(content["threshold"], "threshold"),
            len(features),
            missing_left,
        )


def _number(value: Any, what: str, least: float = -math.inf, most: float = math.inf) -> float:
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise ValueError(f"{what} must be a number, got {_short(value)}")
    number = float(value)
    if not math.isfinite(number) or not least <= number <= most:
        bounds = "" if least == -math.inf else f" of at least {least:g}"
        bounds += "" if most == math.inf else f" and at most {most:g}"
        raise ValueError(f"{what} must be a finite number{bounds}, got {value!r}")
    return number


def _short(value: Any) -> str:
    # reprlib stops at six levels: a nested tree may be deeper than repr can go.
    return reprlib.repr(value)
