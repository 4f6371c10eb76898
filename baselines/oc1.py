"""OC1: oblique trees by coefficient perturbation, random restarts and random jumps.

S. K. Murthy, S. Kasif, S. Salzberg (1994). A system for induction of oblique decision trees.
Journal of Artificial Intelligence Research 2, 1-32.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from baselines import _perturbation
from baselines._checks import (
    check_choice,
    check_count,
    check_flag,
    check_jobs,
    check_min_samples_oblique,
    check_positive,
    check_probability,
)
from baselines._perturbation import Problem, Rules
from baselines._sample import Sample, take_large_sample
from oblique import _kernels
from oblique._kernels import TIE
from oblique._suggest import unknown_name
from oblique.classifier import TreeClassifier
from oblique.finders import AxisParallel, BestOf, Categories, SplitFinder
from oblique.pruning import CostComplexity, Pruner

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import LinearSplit, Split

ORDERS: Final = {
    "sequential": _perturbation.SEQUENTIAL,
    "best": _perturbation.BEST,
    "random": _perturbation.RANDOM,
}
# Criteria whose impurity in the paper is one over the gain.
_RECIPROCAL = ("entropy", "gain_ratio", "twoing")
# Below so many values at a node, threads cost more than they save.
_WORTH_THREADS = 20_000
_NO_LIMIT = 1 << 62
# Each start has a seed, all of which are drawn beforehand.
_MOST_STARTS = 10_000_000

_History = NDArray[np.float64]


class Search(NamedTuple):
    """What a search at one node found.

    Attributes
    ----------
    split : LinearSplit or None
    gain : float
        Gain of the split in units of the criterion.
    hyperplanes : int
        Hyperplanes tried: searches along a line, each of which proposes its best plane.
    history : ndarray of shape (m, 2)
        Hyperplanes tried and the least impurity so far, as the paper prints it (see
        `oblique.criteria.split_impurity`), at each improvement. The first line is the best
        axis-parallel test, if there is one, among the rows without a missing value.
    """

    split: LinearSplit | None
    gain: float
    hyperplanes: int
    history: _History


class OC1(SplitFinder):
    """Hill-climbing from many starting planes, one coefficient at a time.

    The first start is the best axis-parallel test, the others are random planes. From each,
    coefficients are set to their best values until nothing improves; then the plane jumps along
    a random direction if that improves it, and climbs on (Murthy, Kasif & Salzberg 1994,
    figures 3 and 4). The best plane is proposed if it is better than the best axis-parallel
    test. The best value of a coefficient is found exactly, whatever the signs in its column,
    for every criterion, any number of classes and any weights.

    Parameters
    ----------
    restarts : int, default=20
        Number of starts, the axis-parallel one included; 1 to 10 million.
    jumps : int, default=5
        How many random jumps in a row may fail before a start ends.
    order : {"sequential", "best", "random"}, default="sequential"
        Which coefficient moves next: one after the other, the one that improves most, or
        ``moves`` drawn at random (R-50 of the paper).
    moves : int, default=50
        Number of moves of a climb in random order.
    include_constant : bool, default=False
        Whether climbing moves the threshold too, as the weights; random jumps always do.
    stagnation_probability : float, default=1.0
        Chance that a move which leaves the impurity equal is made. It falls by a tenth of this
        each time and is restored by an improvement.
    in_place_moves : bool, default=False
        Whether such a move may leave every row on its side too and only turn the plane in the
        gap between rows, as in the paper. Twice the work for the same quality.
    exact_jumps : bool, default=True
        Whether the length of a random jump is the best one. False takes the length that would
        be best if all rows crossed the plane in one sense, as the released program does; fewer
        jumps then succeed, and trees are larger.
    axis_parallel_bias : float, default=1.0
        The oblique plane wins if its impurity times this is less than that of the best
        axis-parallel test.
    min_samples_oblique : "2d" or int, default="2d"
        Nodes with no more observations than this are divided axis-parallel; "2d" is twice the
        number of columns that vary at the node.
    scaling : {"standard", None}, default="standard"
        "standard" searches in columns of mean 0 and standard deviation 1 at the node, so that
        the result depends neither on units nor on the origin. None searches in the data's own
        units, from which random planes of weights in [-1, 1] suffer where columns differ.
    max_hyperplanes : int or None, default=None
        Hyperplanes tried at a node after which its search ends.
    max_seconds : float or None, default=None
        Seconds after which no new start is begun at a node; at least one is made. The tree
        then depends on the speed of the machine.
    n_jobs : int or None, default=None
        Threads among which large nodes divide their starts. The result does not depend on it.

    Notes
    -----
    Rows in which a numeric value is missing take no part in the search. Columns of categories
    are left to `oblique.finders.Categories`; combine both with `oblique.finders.BestOf`.
    """

    def __init__(
        self,
        restarts: int = 20,
        jumps: int = 5,
        *,
        order: Literal["sequential", "best", "random"] = "sequential",
        moves: int = 50,
        include_constant: bool = False,
        stagnation_probability: float = 1.0,
        in_place_moves: bool = False,
        exact_jumps: bool = True,
        axis_parallel_bias: float = 1.0,
        min_samples_oblique: Literal["2d"] | int = "2d",
        scaling: Literal["standard"] | None = "standard",
        max_hyperplanes: int | None = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ):
        self.restarts = restarts
        self.jumps = jumps
        self.order = order
        self.moves = moves
        self.include_constant = include_constant
        self.stagnation_probability = stagnation_probability
        self.in_place_moves = in_place_moves
        self.exact_jumps = exact_jumps
        self.axis_parallel_bias = axis_parallel_bias
        self.min_samples_oblique = min_samples_oblique
        self.scaling = scaling
        self.max_hyperplanes = max_hyperplanes
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return the best plane found or the best axis-parallel test, None without either."""
        return self.search(node, rng).split

    def propose(self, node: Node, rng: Generator) -> tuple[Split, float] | None:
        """Return the test and its gain."""
        found = self.search(node, rng)
        return None if found.split is None else (found.split, found.gain)

    def search(self, node: Node, rng: Generator) -> Search:
        """Search at one node, and say how the search went.

        Parameters
        ----------
        node : Node
        rng : numpy.random.Generator
        """
        self.check_parameters()
        axis = AxisParallel().find_split(node, rng)
        gain = 0.0 if axis is None else node.gain(axis)
        sample = take_large_sample(node, self.scaling, self.min_samples_oblique)
        if sample is None:
            lines = [] if axis is None else [(0.0, _printed(node, gain))]
            return Search(axis, gain, 0, np.array(lines).reshape(-1, 2))
        seeds = rng.integers(0, 1 << 63, size=self.restarts, dtype=np.int64).astype(np.uint64)
        first = np.empty(0) if axis is None else sample.plane_of(axis)
        plane, cost, tried, history = self._climb(sample, first, seeds)
        history = _in_print(sample.problem, node.criterion, history)
        oblique = sample.split_of(node, plane) if cost < np.inf else None
        oblique_gain = 0.0 if oblique is None else node.gain(oblique)
        if oblique is None or not self._is_better(node, oblique_gain, gain):
            return Search(axis, gain, tried, history)
        return Search(oblique, oblique_gain, tried, history)

    # ------------------------------------------------------------ parts of the search

    def _climb(
        self, sample: Sample, first: NDArray[np.float64], seeds: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float64], float, int, _History]:
        """Climb from all starts: best plane, its cost, hyperplanes tried, history of costs."""
        problem = sample.problem
        units = np.ones(sample.features.size + 1)
        if self.scaling is None:
            units[:-1] = sample.spread
            units /= units.max()
        most = _NO_LIMIT if self.max_hyperplanes is None else self.max_hyperplanes
        rules = Rules(
            ORDERS[self.order], self.moves, sample.features.size + self.include_constant,
            self.jumps, float(self.stagnation_probability), bool(self.in_place_moves),
            bool(self.exact_jumps), most,
        )  # fmt: skip
        if self.max_seconds is not None:
            return _join(self._until(problem, units, first, seeds, rules))
        n_threads = effective_n_jobs(self.n_jobs) if self.max_hyperplanes is None else 1
        if n_threads == 1 or problem.columns.size < _WORTH_THREADS:
            return _perturbation.search(problem, units, first, seeds, rules)
        parts = np.array_split(seeds, min(4 * n_threads, seeds.size))
        starts = [first] + [np.empty(0)] * (len(parts) - 1)
        found = Parallel(min(n_threads, len(parts)), prefer="threads")(
            delayed(_perturbation.search)(problem, units, start, part, rules)
            for start, part in zip(starts, parts, strict=True)
        )
        return _join(found)

    def _until(
        self,
        problem: Problem,
        units: NDArray[np.float64],
        first: NDArray[np.float64],
        seeds: NDArray[np.uint64],
        rules: Rules,
    ) -> list[Any]:
        """Make one start after the other until the time or the hyperplanes are used up."""
        assert self.max_seconds is not None
        end = time.perf_counter() + self.max_seconds
        found: list[Any] = []
        for i in range(seeds.size):
            start = first if i == 0 else first[:0]
            found.append(_perturbation.search(problem, units, start, seeds[i : i + 1], rules))
            rules = rules._replace(most_tries=rules.most_tries - found[-1][2])
            if rules.most_tries <= 0 or time.perf_counter() >= end:
                break
        return found

    def _is_better(self, node: Node, oblique_gain: float, axis_gain: float) -> bool:
        bias = self.axis_parallel_bias
        if node.criterion in _RECIPROCAL:
            return oblique_gain > bias * axis_gain + TIE
        impurity = float(_kernels.node_impurity(node.table.criterion_code, node.counts))
        return bias * (impurity - oblique_gain) < impurity - axis_gain - TIE

    # ------------------------------------------------------------ parameters

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        check_count(
            "restarts", self.restarts, least=1, most=_MOST_STARTS,
            note="; 1 is the axis-parallel start alone, which the paper's Table 2 prints as 0",
        )  # fmt: skip
        check_count("jumps", self.jumps, least=0)
        check_count("moves", self.moves, least=1)
        if not isinstance(self.order, str) or self.order not in ORDERS:
            raise ValueError(unknown_name("order", self.order, ORDERS))
        if self.scaling is not None:
            check_choice("scaling", self.scaling, ["standard"], or_else="None")
        check_flag("include_constant", self.include_constant)
        check_flag("in_place_moves", self.in_place_moves)
        check_flag("exact_jumps", self.exact_jumps)
        check_probability("stagnation_probability", self.stagnation_probability)
        check_positive("axis_parallel_bias", self.axis_parallel_bias)
        check_min_samples_oblique(self.min_samples_oblique)
        if self.max_hyperplanes is not None:
            check_count("max_hyperplanes", self.max_hyperplanes, least=1, or_else="None")
        if self.max_seconds is not None:
            check_positive("max_seconds", self.max_seconds, or_else="None")
        check_jobs(self.n_jobs)


class OC1Classifier(TreeClassifier):
    """Tree of OC1 (Murthy, Kasif & Salzberg 1994).

    Defaults are those of the released program (20 starts, 5 jumps, twoing, cost-complexity
    pruning on a tenth of the rows without standard errors) but for ``scaling``: the program
    searches in the data's own units, which ``scaling=None, in_place_moves=True`` repeats.
    Vadera (2005) compares with that and ``criterion="entropy"``, unpruned and pruned.
    `baselines.strategies` has these presets. Columns of categories, which the original cannot
    read, are tested by set membership.

    Parameters
    ----------
    criterion : str, default="twoing"
        Any criterion of `oblique.criteria.gain`.
    pruning : {"cost_complexity"}, Pruner or None, default="cost_complexity"
        "cost_complexity" is `oblique.pruning.CostComplexity()`; None keeps the whole tree.
    restarts, jumps, order, moves, include_constant, stagnation_probability, \
in_place_moves, exact_jumps, axis_parallel_bias, min_samples_oblique, scaling, \
max_hyperplanes, max_seconds, n_jobs
        As in `OC1`.
    max_depth, min_samples_split, min_samples_leaf, min_gain, min_weight_fraction_leaf, \
unsafe_class, class_weight, \
categorical_features, random_state
        As in `oblique.ObliqueTreeClassifier`.

    Attributes
    ----------
    tree_, classes_, unsafe_class_, n_features_in_, feature_names_in_
        As in `oblique.ObliqueTreeClassifier`.
    hyperplanes_ : int
        Hyperplanes tried in growing the whole tree.
    history_ : list of ndarray of shape (m, 2)
        For each node that was searched, in the order of growing: hyperplanes tried there, and
        the least impurity so far, see `Search`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from baselines import OC1Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> OC1Classifier(random_state=0).fit(X, y).tree_.n_leaves
    3
    """

    _fitted_attributes = (*TreeClassifier._fitted_attributes, "hyperplanes_", "history_")

    def __init__(
        self,
        *,
        criterion: str = "twoing",
        pruning: Literal["cost_complexity"] | Pruner | None = "cost_complexity",
        restarts: int = 20,
        jumps: int = 5,
        order: Literal["sequential", "best", "random"] = "sequential",
        moves: int = 50,
        include_constant: bool = False,
        stagnation_probability: float = 1.0,
        in_place_moves: bool = False,
        exact_jumps: bool = True,
        axis_parallel_bias: float = 1.0,
        min_samples_oblique: Literal["2d"] | int = "2d",
        scaling: Literal["standard"] | None = "standard",
        max_hyperplanes: int | None = None,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_gain: float = 0.0,
        min_weight_fraction_leaf: float = 0.0,
        unsafe_class: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
    ):
        self.criterion = criterion
        self.pruning = pruning
        self.restarts = restarts
        self.jumps = jumps
        self.order = order
        self.moves = moves
        self.include_constant = include_constant
        self.stagnation_probability = stagnation_probability
        self.in_place_moves = in_place_moves
        self.exact_jumps = exact_jumps
        self.axis_parallel_bias = axis_parallel_bias
        self.min_samples_oblique = min_samples_oblique
        self.scaling = scaling
        self.max_hyperplanes = max_hyperplanes
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.unsafe_class = unsafe_class
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow and, unless ``pruning`` is None, prune a tree; see `oblique.LDTClassifier.fit`."""
        self._searches: list[Search] = []
        super().fit(X, y, sample_weight)
        self.hyperplanes_ = int(sum(found.hyperplanes for found in self._searches))
        self.history_ = [found.history for found in self._searches]
        del self._searches
        return self

    def _check_fitted(self) -> None:
        super()._check_fitted()
        if type(self.hyperplanes_) is not int or self.hyperplanes_ < 0:
            raise ValueError(f"hyperplanes_={self.hyperplanes_!r} must be an integer of at least 0")
        if not isinstance(self.history_, list) or not all(map(_is_history, self.history_)):
            raise ValueError("history_ must be a list of arrays of numbers of shape (m, 2)")

    def _finder(self) -> SplitFinder:
        names = OC1().get_params()
        finder = OC1(**{name: getattr(self, name) for name in names})
        finder.check_parameters()
        return BestOf(_Recorded(finder, self._searches), Categories())

    def _pruner(self) -> Pruner | None:
        if self.pruning == "cost_complexity":
            return CostComplexity()
        if self.pruning is not None and not isinstance(self.pruning, Pruner):
            raise ValueError(
                f'pruning={self.pruning!r} must be "cost_complexity", a Pruner or None'
            )
        return self.pruning


class _Recorded(SplitFinder):
    """OC1 that writes down how each search went; what it proposes does not depend on that."""

    def __init__(self, finder: OC1, searches: list[Search]):
        self.finder = finder
        self.searches = searches

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        found = self.finder.search(node, rng)
        self.searches.append(found)
        return found.split

    def propose(self, node: Node, rng: Generator) -> tuple[Split, float] | None:
        split = self.find_split(node, rng)
        return None if split is None else (split, self.searches[-1].gain)


def _is_history(lines: object) -> bool:
    return (
        isinstance(lines, np.ndarray)
        and lines.dtype == np.float64
        and lines.ndim == 2
        and lines.shape[1] == 2
    )


def _join(found: list[Any]) -> tuple[NDArray[np.float64], float, int, _History]:
    """Make one result of several searches, as if one search had made all starts."""
    best_plane, best, tried = found[0][0], np.inf, 0
    lines = []
    for plane, cost, hyperplanes, history in found:
        # Of equally good planes the first, as in one search.
        if cost < best:
            best_plane = plane
        for count, value in history:
            if value < best:
                best = value
                lines.append((tried + count, value))
        tried += hyperplanes
    return best_plane, best, tried, np.array(lines).reshape(-1, 2)


def _in_print(problem: Problem, criterion: str, history: _History) -> _History:
    """Turn costs into impurities as the paper prints them."""
    costs = history[:, 1]
    if criterion == "gini":
        costs = costs / problem.weight
    elif criterion in _RECIPROCAL:
        undivided = problem.undivided if criterion == "entropy" else 0.0
        # A plane that gains nothing has an infinite impurity.
        with np.errstate(divide="ignore"):
            costs = problem.weight / np.maximum(undivided - costs, 0.0)
    return np.column_stack([history[:, 0], costs])


def _printed(node: Node, gain: float) -> float:
    """Impurity, as the paper prints it, of a test that gains so much."""
    if node.criterion in _RECIPROCAL:
        return 1.0 / gain if gain > 0.0 else np.inf
    weight = 1.0 if node.criterion == "gini" else float(node.counts.sum())
    impurity = float(_kernels.node_impurity(node.table.criterion_code, node.counts))
    return weight * (impurity - gain)
