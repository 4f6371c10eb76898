"""Arguments: the rules of a tree, condensed, and what each says about an uncertain case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from oblique.describe import Description, describe, format_number, readable_threshold
from oblique.indecision._checks import check_share
from oblique.indecision.predict import fit_to_tree
from oblique.indecision.reach import Method, leaf_probabilities
from oblique.indecision.table import UncertainTable
from oblique.split import CategorySplit
from oblique.tree import Tree


class Interval(NamedTuple):
    """A premise about numbers: ``low < weights . x <= high``.

    Attributes
    ----------
    weights : tuple of (int, float)
        Features with their weights; one feature of weight 1 where the tests are of it alone.
    low, high : float
        Infinite where nothing is asked.
    """

    weights: tuple[tuple[int, float], ...]
    low: float
    high: float


class Values(NamedTuple):
    """A premise about a discrete feature: its value is one of ``codes``.

    Attributes
    ----------
    feature : int
        Number of the column.
    codes : tuple of int
    """

    feature: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Argument:
    """A rule of a tree as an argument: premises, and a conclusion with its strength.

    Condensing the premises is printed in Kent & Menager (2022, section 2); support and
    strength as numbers are derived.

    Attributes
    ----------
    leaf : int
        Node number of the leaf it comes from.
    premises : tuple of Interval and Values
        At most one a direction or discrete feature, root first.
    distribution : tuple of float
        Probability of each class, the conclusion.
    conclusion : int
        Code of the class it speaks for.
    support : float
        Training weight that reaches the leaf.
    strength : float
        Probability of the conclusion, an entry of ``distribution``.
    """

    leaf: int
    premises: tuple[Interval | Values, ...]
    distribution: tuple[float, ...]
    conclusion: int
    support: float
    strength: float


class Relation(NamedTuple):
    """How one argument bears on another for a case (derived, not printed).

    Attributes
    ----------
    source, target : int
        Leaves of the two arguments.
    kind : {"attack", "support"}
        Arguments attack those of another conclusion and support those of their own.
    weight : float
        Probability that the source applies times its strength.
    defeats : bool
        Whether an attack weighs more than its target.
    """

    source: int
    target: int
    kind: Literal["attack", "support"]
    weight: float
    defeats: bool


@dataclass(frozen=True)
class ArgumentBase:
    """All arguments of a tree, and, for one case, with which probability each applies.

    Attributes
    ----------
    arguments : tuple of Argument
    reach : tuple of float or None
        Probability that each argument's premises hold for the case. None: no case.
    words : Description
        The names of features and classes.
    case : UncertainTable or None
        The case, of one row, its discrete values in the tree's order.
    """

    arguments: tuple[Argument, ...]
    reach: tuple[float, ...] | None
    words: Description
    case: UncertainTable | None = None

    @property
    def probabilities(self) -> tuple[float, ...]:
        """Probability of each class for the case: the arguments' conclusions by their reach."""
        if self.reach is None:
            raise ValueError("there is no case: call argue(model, cases[[i]]) with one")
        shares = np.array([argument.distribution for argument in self.arguments])
        return tuple((np.array(self.reach) @ shares).tolist())

    def relations(self, *, least: float = 1e-6) -> list[Relation]:
        """Attacks and supports among the arguments that apply with at least this probability.

        Parameters
        ----------
        least : float, default=1e-6
        """
        check_share("least", least)
        if self.reach is None:
            raise ValueError("relations are among the arguments of a case: give one to argue")
        weights = {
            argument: reach * argument.strength
            for argument, reach in zip(self.arguments, self.reach, strict=True)
            if reach >= least
        }
        return [
            Relation(
                a.leaf, b.leaf, "support" if a.conclusion == b.conclusion else "attack",
                weights[a], a.conclusion != b.conclusion and weights[a] > weights[b],
            )
            for a in weights for b in weights if a is not b
        ]  # fmt: skip

    def premise(self, premise: Interval | Values) -> str:
        """Spell a premise.

        Parameters
        ----------
        premise : Interval or Values
        """
        if isinstance(premise, Values):
            names = (self.words.tree.category_names or {}).get(premise.feature)
            shown = [str(c) if names is None else names[c] for c in premise.codes]
            return f"{self.words.features[premise.feature]} in {{{', '.join(shown)}}}"
        what = self.direction(premise.weights)
        low, high = self._end(premise.low), self._end(premise.high)
        if premise.low == -np.inf:
            return f"{what} {'<' if high[1] else '<='} {high[0]}"
        if premise.high == np.inf:
            return f"{what} {'>=' if low[1] else '>'} {low[0]}"
        return f"{low[0]} {'<=' if low[1] else '<'} {what} {'<' if high[1] else '<='} {high[0]}"

    def _end(self, value: float) -> tuple[str, bool]:
        shown, is_strict = readable_threshold(value)
        return format_number(shown, self.words.decimals), is_strict

    def direction(self, weights: tuple[tuple[int, float], ...]) -> str:
        """Spell a sum of features.

        Parameters
        ----------
        weights : tuple of (int, float)
            Features and their weights.
        """
        parts: list[str] = []
        for feature, weight in weights:
            size = "" if abs(weight) == 1.0 else f"{self.words.number(abs(weight))} "
            sign = ("-" if weight < 0 else "") if not parts else ("- " if weight < 0 else "+ ")
            parts.append(f"{sign}{size}{self.words.features[feature]}")
        return " ".join(parts)


def argue(
    model: Any,
    case: UncertainTable | None = None,
    *,
    method: Method = "exact",
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> ArgumentBase:
    """Turn a fitted tree into arguments, and weigh them for an uncertain case.

    Parameters
    ----------
    model : Tree or estimator
        A tree, or a fitted tree classifier of this package or of scikit-learn.
    case : UncertainTable or None, default=None
        One row. None: the arguments alone.
    method : {"exact", "moments", "clause"}, default="exact"
        See `node_probabilities`. With "exact" the probabilities that the arguments apply are
        those of their condensed premises.
    feature_names, class_names : sequence of str or None

    Returns
    -------
    base : ArgumentBase
        One argument a leaf, left to right. A leaf whose premises contradict each other has
        none.

    Examples
    --------
    >>> from oblique import Tree
    >>> tree = Tree.from_nested({"weights": {"height": 1.0}, "threshold": 24.0,
    ...     "left": {"counts": {"C": 40, "R": 60}}, "right": {"counts": {"C": 5}}})
    >>> base = argue(tree, UncertainTable([[22.0]], 2.5))
    >>> [round(reach, 2) for reach in base.reach]
    [0.79, 0.21]
    """
    words = describe(model, feature_names=feature_names, class_names=class_names)
    tree = words.tree
    found = [_make_argument(tree, leaf) for leaf in tree.leaves.tolist()]
    arguments = tuple(argument for argument in found if argument is not None)
    if case is None:
        return ArgumentBase(arguments, None, words)
    _, known = fit_to_tree(model, case)
    if len(known) != 1:
        raise ValueError(f"case must be one row, got {len(known)}: take one by cases[[i]]")
    reach = leaf_probabilities(tree, known, method)[0]
    kept = [at for at, argument in enumerate(found) if argument is not None]
    return ArgumentBase(arguments, tuple(reach[kept].tolist()), words, known)


def _make_argument(tree: Tree, leaf: int) -> Argument | None:
    premises = condense(tree, leaf)
    if premises is None:
        return None
    counts, label = tree.counts[leaf], int(tree.labels[leaf])
    shares = tuple(tree.class_shares[leaf].tolist())
    return Argument(leaf, premises, shares, label, float(counts.sum()), shares[label])


def condense(tree: Tree, leaf: int) -> tuple[Interval | Values, ...] | None:
    """Tightest bounds of each direction and the values left of each discrete feature.

    Returns
    -------
    premises : tuple, or None where nothing can meet them
    """
    intervals: dict[tuple[tuple[int, float], ...], tuple[float, float]] = {}
    order: list[Any] = []
    for node, went_left in tree.path(leaf):
        split = tree.split(node)
        if split is None:
            continue
        if isinstance(split, CategorySplit):
            key: Any = split.feature
        else:
            # Of a direction and its opposite the one whose first weight is positive.
            sign = 1.0 if split.values[0] > 0.0 else -1.0
            scale = abs(float(split.values[0])) if split.indices.size == 1 else 1.0
            values = (split.values * sign / scale).tolist()
            key = tuple(zip(split.indices.tolist(), values, strict=True))
            end = split.threshold * sign / scale
            if sign < 0.0:
                # Turned about, the end itself is on the other side.
                end = float(np.nextafter(end, -np.inf))
            low, high = intervals.get(key, (-np.inf, np.inf))
            if went_left == (sign > 0.0):
                intervals[key] = low, min(high, end)
            else:
                intervals[key] = max(low, end), high
        if key not in order:
            order.append(key)
    if any(low >= high for low, high in intervals.values()):
        return None
    values_left = tree.region(leaf).categories
    if not all(values_left.values()):
        return None
    return tuple(
        Values(key, values_left[key]) if isinstance(key, int) else Interval(key, *intervals[key])
        for key in order
    )


def check_base(base: Any) -> None:
    """Raise TypeError unless given what `argue` returns."""
    if not isinstance(base, ArgumentBase):
        raise TypeError(f"base must be what argue(model, case) returns, got {type(base).__name__}")
