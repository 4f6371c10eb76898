"""What C4.5 and its cost-sensitive relatives share: rate each column's best test, choose one."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines import _information
from baselines._checks import check_positive
from oblique._arrays import read_only
from oblique._kernels import xlogx_table
from oblique._suggest import unknown_name
from oblique.builder import TreeBuilder, axis_skeleton
from oblique.finders import Categories, SplitFinder
from oblique.induction import is_leaf, is_small
from oblique.split import CategorySplit, LinearSplit
from oblique.stopping import NO_GAIN

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.builder import Skeleton
    from oblique.node import Division, Node
    from oblique.split import Split
    from oblique.stopping import Limits

CATEGORIES = ("multiway", "single", "subsets")
THRESHOLDS = ("data", "midpoint")


class Rule(NamedTuple):
    """How tests compete.

    Attributes
    ----------
    measure : int
        A code of `baselines._information`.
    prices, discounted : ndarray of shape (d,)
        What a test's gain is divided by, and what once another test of its group is on the path.
    groups : ndarray of shape (d,), int32
        Number of each test's group, -1 for none.
    """

    measure: int
    prices: NDArray[np.float64]
    discounted: NDArray[np.float64]
    groups: NDArray[np.int32]

    @classmethod
    def free(cls, measure: int, d: int) -> Rule:
        """Rule in which prices play no part."""
        ones = read_only(np.ones(d))
        return cls(measure, ones, ones, read_only(np.full(d, -1, dtype=np.int32)))

    def prices_after(self, above: tuple[int, ...]) -> NDArray[np.float64]:
        """Prices once the tests of some columns are on the path."""
        paid = {int(self.groups[j]) for j in above} - {-1}
        if not paid:
            return self.prices
        return np.where(np.isin(self.groups, list(paid)), self.discounted, self.prices)


class _Candidates(NamedTuple):
    """The best test of each column at a node, in the order of the columns."""

    features: NDArray[np.intp]
    gains: NDArray[np.float64]
    infos: NDArray[np.float64]
    middles: NDArray[np.float64]
    counted: NDArray[np.bool_]
    divisions: dict[int, CategorySplit]


class _Chain(NamedTuple):
    """Values of a multiway test that are still to be told apart."""

    feature: int
    codes: tuple[int, ...]

    def split(self) -> CategorySplit:
        return CategorySplit(self.feature, self.codes[:1], self.codes[1:])

    def rest(self) -> _Chain | None:
        return _Chain(self.feature, self.codes[1:]) if len(self.codes) > 2 else None


class GainFinder(SplitFinder):
    """The test that is worth most of each column's best one.

    The best cut of a numeric column is the one of largest information gain. Of a column of
    categories it is what ``categories`` says. A subclass says how these compete.
    """

    categories: str
    min_leaf_weight: float
    mdl_correction: bool
    threshold: str

    @abstractmethod
    def _rule(self, d: int) -> Rule:
        """Say how the tests of d columns compete."""

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        if self.categories not in CATEGORIES:
            raise ValueError(unknown_name("categories", self.categories, CATEGORIES))
        if self.threshold not in THRESHOLDS:
            raise ValueError(unknown_name("threshold", self.threshold, THRESHOLDS))
        check_positive("min_leaf_weight", self.min_leaf_weight)
        if not isinstance(self.mdl_correction, bool | np.bool_):
            raise ValueError(f"mdl_correction={self.mdl_correction!r} must be True or False")

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return the test that is worth most, None when none gains.

        A single test has two outcomes: categories are divided as by ``"subsets"`` where
        ``"multiway"`` is asked for. Prices are those at the root of a tree.
        """
        self.check_parameters()
        sets = "subsets" if self.categories == "multiway" else self.categories
        found = self._best_test(node, self._rule(node.n_features), (), sets)
        return found.split() if isinstance(found, _Chain) else found

    def grow_at_once(self, root: Node, limits: Limits) -> Skeleton | None:
        """Grow the tree; in one compiled call where all columns are numeric and complete."""
        self.check_parameters()
        rule = self._rule(root.n_features)
        is_plain = limits.min_leaf <= 1 and not limits.min_weight and limits.min_gain <= NO_GAIN
        if root.table.has_missing or root.categorical.size or not is_plain:
            return self._grow(root, limits, rule)
        return self._grow_compiled(root, limits, rule)

    # ------------------------------------------------------------ growing

    def _grow_compiled(self, root: Node, limits: Limits, rule: Rule) -> Skeleton:
        table, store = root.table, root.store
        root.sort_columns()
        columns = read_only(table.columns)
        # Thresholds move to values of the whole table, also where some rows are held out.
        is_whole = root.n_rows == len(table.X)
        values = np.empty((0, 0)) if is_whole else np.sort(columns, axis=1)
        is_counted = bool((store.weights == 1.0).all())
        logs = xlogx_table(root.n_rows) if is_counted else np.empty(0)
        links, cuts, counts = _information.grow_by_worth(
            columns, read_only(store.lines), values, table.codes, store.weights,
            np.ones(len(table.X), dtype=np.bool_), root.n_rows, table.n_classes, table.numeric,
            logs, *rule, bool(self.mdl_correction), float(self.min_leaf_weight),
            self.threshold == "data", float(limits.max_depth), limits.min_split, False,
        )  # fmt: skip
        return axis_skeleton(links, cuts, counts)

    def _grow(self, root: Node, limits: Limits, rule: Rule) -> Skeleton:
        """Grow node by node, knowing the path: multiway tests and prices need it."""
        limits = _unless_asked_for(limits)
        builder = TreeBuilder(root.counts)
        stack: list[tuple[int, Node, tuple[int, ...], _Chain | None]] = [(0, root, (), None)]
        while stack:
            name, node, above, chain = stack.pop()
            # A chain parts all values, also where the rest is pure: each branch is a leaf.
            if node.depth >= limits.max_depth or (chain is None and is_leaf(node, limits)):
                continue
            found = chain or self._best_test(node, rule, above, self.categories)
            if found is None:
                continue
            split = found.split() if isinstance(found, _Chain) else found
            parts = node.divide(split)
            if parts is None or not (isinstance(found, _Chain) or _is_useful(parts, limits)):
                continue
            left = builder.add_test(name, parts)
            above = (*above, int(split.feature))
            rest = found.rest() if isinstance(found, _Chain) else None
            stack.append((left + 1, parts.right, above, rest))
            stack.append((left, parts.left, above, None))
        return builder.build()

    # ------------------------------------------------------------ one node

    def _best_test(
        self, node: Node, rule: Rule, above: tuple[int, ...], sets: str
    ) -> LinearSplit | CategorySplit | _Chain | None:
        if node.counts.sum() < 2.0 * self.min_leaf_weight - _information.HAIR:
            return None
        found = self._candidates(node, sets)
        prices = rule.prices_after(above)[found.features]
        best = _information.choose(rule.measure, found.gains, found.infos, prices, found.counted)
        if best < 0:
            return None
        feature = int(found.features[best])
        if feature in found.divisions:
            division = found.divisions[feature]
            if sets != "multiway":
                return division
            return _Chain(feature, tuple(division.codes.tolist()))
        return LinearSplit.axis(
            feature, self._moved(node, feature, float(found.middles[best])), node.n_features
        )

    def _moved(self, node: Node, feature: int, middle: float) -> float:
        if self.threshold == "midpoint":
            return middle
        values = node.table.columns[feature]
        return float(values[values <= middle].max())

    def _candidates(self, node: Node, sets: str) -> _Candidates:
        table, store = node.table, node.store
        node.sort_columns()
        numeric = node.numeric
        gains, infos, middles = _information.rate_columns(
            read_only(table.columns), store.lines, numeric, table.codes, store.weights,
            node.start, node.stop, node.counts, store.log_table, float(self.min_leaf_weight),
            bool(self.mdl_correction),
        )  # fmt: skip
        categorical = node.categorical
        rated = [self._rate_categories(node, j, sets) for j in categorical.tolist()]
        divisions = {split.feature: split for split, _, _ in rated if split is not None}
        features = np.concatenate([numeric, categorical]).astype(np.intp)
        order = np.argsort(features)
        sizes = np.array([np.nanmax(table.X[:, j], initial=-1.0) + 1.0 for j in categorical])
        few = sizes < 0.3 * table.weights.sum()
        counted = np.concatenate([np.ones(numeric.size, dtype=np.bool_), few])
        if not counted.any():
            counted[:] = True
        extra = np.array([[gain, info] for _, gain, info in rated]).reshape(-1, 2)
        return _Candidates(
            features[order],
            np.concatenate([gains, extra[:, 0]])[order],
            np.concatenate([infos, extra[:, 1]])[order],
            np.concatenate([middles, np.full(len(rated), np.nan)])[order],
            counted[order],
            divisions,
        )

    def _rate_categories(
        self, node: Node, feature: int, sets: str
    ) -> tuple[CategorySplit | None, float, float]:
        """Best division of a column of categories, its gain and its split information."""
        least = float(self.min_leaf_weight)
        codes, counts, _ = node.category_counts(feature)
        weight = float(node.counts.sum())
        if len(codes) < 2:
            return None, 0.0, 0.0
        if sets == "multiway":
            if np.count_nonzero(counts.sum(axis=1) >= least - _information.HAIR) < 2:
                return None, 0.0, 0.0
            whole = CategorySplit(feature, codes.tolist())
            return whole, *multiway_gain(counts, weight)
        if sets == "subsets":
            split = Categories().best_of_column(node, feature, min_weight=least)
            if split is None:
                return None, 0.0, 0.0
            left = np.isin(codes, split.categories)
            return split, *multiway_gain(_both(counts, left), weight)
        best: tuple[CategorySplit | None, float, float] = None, 0.0, 0.0
        for i in range(len(codes)):
            sides = _both(counts, np.arange(len(codes)) == i)
            if sides.sum(axis=1).min() < least - _information.HAIR:
                continue
            gain, info = multiway_gain(sides, weight)
            # Of one column's values the one of largest gain ratio, as Weka's binary splits.
            if gain * best[2] > best[1] * info * (1.0 + 1e-12) or best[0] is None:
                split = CategorySplit(feature, [int(codes[i])], np.delete(codes, i).tolist())
                best = split, gain, info
        return best


def multiway_gain(branches: NDArray[np.float64], weight: float) -> tuple[float, float]:
    """Information gain and split information of a test, in bits (Quinlan 1993, section 2.2).

    Parameters
    ----------
    branches : ndarray of shape (n_branches, n_classes)
        Class weights of the cases with a known answer.
    weight : float
        Weight of all cases at the node.

    Returns
    -------
    (gain, split information)
        The gain counts for the share of known weight; the split information counts unknown
        answers as one more outcome.
    """
    sizes, classes = branches.sum(axis=1), branches.sum(axis=0)
    known = float(sizes.sum())
    before = _xlogx(np.array([known])) - _xlogx(classes)
    after = _xlogx(sizes) - _xlogx(branches)
    unknown = max(weight - known, 0.0)
    info = _xlogx(np.array([weight])) - _xlogx(sizes) - _xlogx(np.array([unknown]))
    return (before - after) / weight, info / weight


def _xlogx(values: NDArray[np.float64]) -> float:
    some = values[values > 0.0]
    return float((some * np.log2(some)).sum())


def _both(counts: NDArray[np.float64], left: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.stack([counts[left].sum(axis=0), counts[~left].sum(axis=0)])


def _unless_asked_for(limits: Limits) -> Limits:
    """Drop the least limits on rows.

    They ask that no side is empty. Of rows that missing values have divided, less than one may
    stand on a side that has all the weight the finder asks for.
    """
    return limits._replace(
        min_split=limits.min_split if limits.min_split > 2 else 0,
        min_leaf=limits.min_leaf if limits.min_leaf > 1 else 0,
    )


def _is_useful(parts: Division, limits: Limits) -> bool:
    return parts.gain > limits.min_gain and not is_small(parts, limits)
