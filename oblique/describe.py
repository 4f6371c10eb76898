"""How a tree reads: its tests, classes and numbers as text, its classes as colours.

What `oblique.export` and `oblique.plot` share.
"""

from __future__ import annotations

import colorsys
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from oblique.profile import DEVIATION
from oblique.split import CategorySplit, LinearSplit
from oblique.tree import Tree

# Okabe & Ito (2008), Color universal design: eight colours that colour-blind readers can tell
# apart; black is left out, for text stands on them.
_PALETTE = ("#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#F0E442", "#0072B2", "#D55E00")


class Condition(NamedTuple):
    """A branch's condition: terms that are added up, or one feature, and what they must meet."""

    terms: list[str]
    relation: str

    def __str__(self) -> str:
        return " ".join([*self.terms, self.relation])


@dataclass(frozen=True, kw_only=True)
class Description:
    """A tree, the names that its features and classes go by, and how much is printed."""

    tree: Tree
    features: tuple[str, ...]
    classes: tuple[str, ...]
    spread: NDArray[np.float64]
    max_weights: int
    decimals: int

    def number(self, value: float) -> str:
        """Spell a number: see `format_number`."""
        return format_number(value, self.decimals)

    def condition(self, node: int, *, left: bool = True) -> Condition:
        """Describe the test of an inner node, or its negation for the right branch."""
        split = self.tree.split(node)
        if isinstance(split, CategorySplit):
            return self._category_condition(split, left)
        if split is None:
            raise ValueError(f"node {node} is a leaf: it has no test")
        signs = ("<=", "<") if left else (">", ">=")
        threshold, is_strict = readable_threshold(split.threshold)
        return Condition(self._terms(split), f"{signs[is_strict]} {self.number(threshold)}")

    def _terms(self, split: LinearSplit) -> list[str]:
        size = np.abs(split.values) * self.spread[split.indices]
        # A stable sort: of equally large weights the first feature comes first.
        order = np.argsort(-size, kind="stable")
        terms: list[str] = []
        for position in order[: self.max_weights].tolist():
            value, name = split.values[position], self.features[split.indices[position]]
            factor = "" if abs(value) == 1.0 else f"{self.number(abs(value))} "
            sign = ("-" if value < 0 else "") if not terms else ("- " if value < 0 else "+ ")
            terms.append(f"{sign}{factor}{name}")
        hidden = order.size - len(terms)
        return [*terms, f"+ {hidden} more"] if hidden else terms

    def _category_condition(self, split: CategorySplit, left: bool) -> Condition:
        if left or split.others is None:
            codes, relation = split.categories, "in" if left else "not in"
        else:
            codes, relation = split.others, "in"
        names = (self.tree.category_names or {}).get(split.feature)
        shown = [str(code) if names is None else _plain(names[code]) for code in codes]
        shown = shown[: self.max_weights]
        if len(codes) > len(shown):
            shown.append(f"+ {len(codes) - len(shown)} more")
        return Condition([self.features[split.feature]], f"{relation} {{{', '.join(shown)}}}")

    def label(self, node: int) -> str:
        """Name of the class of a node."""
        return self.classes[self.tree.labels[node]]

    def counts(self, node: int) -> str:
        """Training weights of a node, in the order of the classes."""
        return ", ".join(self.number(value) for value in self.tree.counts[node].tolist())

    def box(self, node: int, *, is_cut: bool = False, counts: bool = True) -> list[str]:
        """Lines of a node drawn as a box: its test or class, and its counts.

        Parameters
        ----------
        node : int
        is_cut : bool
            Whether what is below the node is not drawn.
        counts : bool
            Whether counts are shown.
        """
        if self.tree.children_left[node] < 0:
            lines = [f"class: {self.label(node)}"]
        elif is_cut:
            lines = [f"... {self.leaves_below[node]} leaves"]
        else:
            # A term a line; what the sum must meet stands after the last one.
            (*terms, last), relation = self.condition(node)
            lines = [*terms, f"{last} {relation}"]
        return [*lines, f"({self.counts(node)})"] if counts else lines

    @functools.cached_property
    def leaves_below(self) -> NDArray[np.int64]:
        """Number of leaves below each node; a leaf counts itself."""
        total = (self.tree.children_left < 0).astype(np.int64)
        for node in range(self.tree.n_nodes - 1, 0, -1):
            total[self.tree.parents[node]] += total[node]
        return total

    def depth_limit(self, max_depth: int | None) -> int:
        """Depth below which nothing is shown."""
        if max_depth is None:
            return self.tree.max_depth
        if not isinstance(max_depth, int) or max_depth < 0:
            raise ValueError(f"max_depth={max_depth!r} must be None or an integer of at least 0")
        return max_depth

    def color(self, node: int) -> str:
        """Colour of a node as #rrggbb: its class, the paler the more mixed it is."""
        counts = self.tree.counts[node]
        n_classes, total = counts.size, counts.sum()
        share = counts[self.tree.labels[node]] / total if total > 0.0 else 0.0
        least = 1.0 / n_classes
        purity = 1.0 if n_classes == 1 else max(0.0, (share - least) / (1.0 - least))
        base = class_color(int(self.tree.labels[node]), n_classes)
        # Even a pure node stays pale enough for black text.
        mixed = [round(255 - (255 - part) * 0.75 * purity) for part in base]
        return "#{:02x}{:02x}{:02x}".format(*mixed)


def describe(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_weights: int = 5,
    decimals: int = 3,
    spread: ArrayLike | None = None,
) -> Description:
    """Gather what is needed to print a tree.

    Parameters
    ----------
    model : estimator or Tree
        A fitted tree classifier of this package or of scikit-learn, or a tree.
    feature_names, class_names : sequence of str or None
        None: the model's own; without any, x0, x1 ... and 0, 1 ...
    max_weights : int
        Largest number of weights, or of categories, that is printed of a test.
    decimals : int
        See `format_number`.
    spread : array-like of shape (n_features,) or None
        Typical size of a difference in each feature, such as its standard deviation: weights
        are ranked by abs(weight) times spread. None: as the model learnt it, else ones.

    Raises
    ------
    TypeError
        When the model is no tree.
    ValueError
        When a number of names does not fit.
    """
    tree = tree_of(model)
    for name, value, least in (("max_weights", max_weights, 1), ("decimals", decimals, 0)):
        if not isinstance(value, int) or value < least:
            raise ValueError(f"{name}={value!r} must be an integer of at least {least}")
    if spread is None:
        profile = getattr(model, "_profile", None)
        spread = None if profile is None else profile[DEVIATION]
    scale = np.ones(tree.n_features) if spread is None else np.asarray(spread, dtype=np.float64)
    if scale.shape != (tree.n_features,):
        raise ValueError(f"spread must have shape ({tree.n_features},), got {scale.shape}")
    return Description(
        tree=tree,
        features=_names("feature_names", feature_names, tree.feature_names, "x", tree.n_features),
        classes=_names("class_names", class_names, tree.class_names, "", tree.n_classes),
        spread=scale,
        max_weights=max_weights,
        decimals=decimals,
    )


def tree_of(model: Any) -> Tree:
    """Return the tree of a fitted model: ours, scikit-learn's, or a tree itself."""
    if isinstance(model, Tree):
        return model
    if hasattr(model, "fit") and not hasattr(model, "estimators_") and not hasattr(model, "steps"):
        check_is_fitted(model)
    tree = getattr(model, "tree_", None)
    if isinstance(tree, Tree):
        return tree
    if tree is not None:
        return Tree.from_sklearn(model)
    hint = ""
    if hasattr(model, "steps"):
        hint = "; hand in the pipeline's last step"
    elif hasattr(model, "estimators_"):
        hint = "; hand in one of its estimators_"
    elif hasattr(model, "best_estimator_"):
        hint = "; hand in its best_estimator_"
    raise TypeError(
        f"model must be a fitted tree classifier or a Tree, got {type(model).__name__}{hint}"
    )


def _names(
    what: str,
    given: Sequence[str] | None,
    own: tuple[str, ...] | None,
    prefix: str,
    needed: int,
) -> tuple[str, ...]:
    if given is None:
        if own is None:
            return tuple(f"{prefix}{i}" for i in range(needed))
        return tuple(map(_plain, own))
    if isinstance(given, str) or len(given) != needed:
        raise ValueError(f"{what} must hold {needed} names, got {given!r}")
    return tuple(_plain(str(name)) for name in given)


def _plain(name: str) -> str:
    """Replace line breaks and control characters, which would break lines, by spaces."""
    return "".join(char if char.isprintable() else " " for char in name)


def format_number(value: float, decimals: int) -> str:
    """Spell a number with so many decimals, or, below one, so many significant digits.

    Trailing zeros are left out; very large numbers are written with an exponent.

    Examples
    --------
    >>> [format_number(value, 3) for value in (137.5, 2.0 / 3000.0, 1e12, -0.0)]
    ['137.5', '0.000667', '1e+12', '0']
    """
    size = abs(value)
    if not math.isfinite(value) or (size != 0.0 and not 1e-6 <= size < 1e9):
        return f"{value:.{max(1, decimals)}g}"
    digits = decimals
    if 0.0 < size < 1.0:
        digits = max(1, decimals) - 1 - math.floor(math.log10(size))
    text = f"{value:.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def readable_threshold(threshold: float) -> tuple[float, bool]:
    """Threshold to print, and whether the test is then ``<`` instead of ``<=``.

    A test that excludes a value v is stored as ``<= t`` with t the float64 just below v. Where
    v is a short number and t is not, ``< v`` says the same and can be read.

    Examples
    --------
    >>> readable_threshold(6.999999999999999)
    (7.0, True)
    >>> readable_threshold(6.9)
    (6.9, False)
    """
    above = math.nextafter(threshold, math.inf)
    if math.isfinite(above) and _n_digits(above) + 4 <= _n_digits(threshold):
        return above, True
    # The smallest float64 below zero has short digits itself.
    return (0.0, True) if above == 0.0 else (threshold, False)


def _n_digits(value: float) -> int:
    mantissa = repr(abs(value)).partition("e")[0]
    return len(mantissa.replace(".", "").strip("0"))


def class_color(code: int, n_classes: int) -> tuple[int, int, int]:
    """Red, green and blue (0 ... 255) of a class."""
    if n_classes <= len(_PALETTE):
        text = _PALETTE[code]
        return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
    red, green, blue = colorsys.hls_to_rgb(code / n_classes, 0.55, 0.7)
    return round(255 * red), round(255 * green), round(255 * blue)
