"""One oblique tree with hard tests, grown, improved and cut to size: a method of this package.

Parts that others published are put together here: leave-one-out scored regressions propose the
tests (`LeaveOneOutLinear`), tree alternating optimization (`TreeAlternatingOptimization`;
Carreira-Perpiñán & Tavallali 2018) improves them, the weakest-link path (Breiman et al. 1984)
makes smaller trees, each of which is improved again, and cross-validation of the whole chain
chooses among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from baselines import _regression
from baselines._checks import check_count
from baselines._multinomial import MOST_CLASSES, ClassFunctions, Elimination, multinomials
from baselines._sample import scale_rows
from baselines.leave_one_out import STRENGTHS, LeaveOneOutLinear, base_rate, weigh
from baselines.tao import Memory, TreeAlternatingOptimization, simplified
from oblique import ObliqueTreeClassifier
from oblique.classifier import TreeClassifier
from oblique.finders import BestOf, Categories, SplitFinder
from oblique.holdout import order_by_value
from oblique.node import Node
from oblique.pruning import Pruner, pruning_path
from oblique.pruning.cost_complexity import within_standard_errors
from oblique.stopping import Stopping
from oblique.table import Table

if TYPE_CHECKING:
    from numpy.random import Generator
    from sklearn.utils import Bunch

    from oblique.classifier import Growth
    from oblique.split import LinearSplit
    from oblique.tree import Tree

SIZES = ("accuracy", "small")
# With more observations than this, three folds tell sizes apart as well as five.
_MANY = 2000


class TAOTreeClassifier(TreeClassifier):
    """Small and accurate oblique tree: grown, improved, pruned, improved again, sized by folds.

    1. A tree is grown from `LeaveOneOutLinear` and category tests.
    2. `TreeAlternatingOptimization` improves all of its tests.
    3. Of the weakest-link path of that tree, trees of a few sizes are improved again.
    4. Steps 1 to 3 are cross-validated, trees of about the same size together, which tells
       which size to take. With two classes, one logistic regression cut at even chances is a
       candidate, too, and is taken where it is within a standard error of the best.

    The method is this package's own; its parts are others', see the references.

    Parameters
    ----------
    size : {"accuracy", "small"}, default="accuracy"
        "accuracy" takes the tree of least cross-validated error, "small" the smallest one
        within a standard error of it.
    finder : SplitFinder or None, default=None
        Grows the tree. None: ``BestOf(LeaveOneOutLinear(), Categories())``.
    sweeps_before, sweeps_after : int, default=6
        Most sweeps of the improvement before the path and of each tree on it; 0: none.
    n_sizes : int, default=7
        Most trees of the path that are candidates, their sizes evenly spaced by ratio.
    n_folds : int or None, default=None
        None: 5, or 3 for more than 2000 observations.
    stump : bool, default=True
        Whether the logistic regression is a candidate.
    max_depth : int or None, default=10
    criterion, min_samples_split, min_samples_leaf, min_gain, min_weight_fraction_leaf, \
unsafe_class, class_weight, categorical_features, random_state
        As in `oblique.ObliqueTreeClassifier`; ``random_state`` draws the folds.

    Attributes
    ----------
    tree_, classes_, unsafe_class_, n_features_in_, feature_names_in_
        As in `oblique.ObliqueTreeClassifier`.
    cv_errors_ : ndarray of shape (n_candidates,)
        Cross-validated share of the weight that each candidate misclassifies.
    cv_leaves_ : ndarray of shape (n_candidates,), int64
        Leaves of the candidates fitted to all rows.

    References
    ----------
    M. A. Carreira-Perpiñán, P. Tavallali (2018). Alternating optimization of decision trees,
    with application to learning sparse oblique trees. NeurIPS 31.

    L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone (1984). Classification and Regression
    Trees, chapter 3.

    Examples
    --------
    >>> from baselines import TAOTreeClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> TAOTreeClassifier(random_state=0).fit(X, y).tree_.n_leaves
    3
    """

    _fitted_attributes = (*TreeClassifier._fitted_attributes, "cv_errors_", "cv_leaves_")

    def __init__(
        self,
        *,
        size: Literal["accuracy", "small"] = "accuracy",
        finder: SplitFinder | None = None,
        sweeps_before: int = 6,
        sweeps_after: int = 6,
        n_sizes: int = 7,
        n_folds: int | None = None,
        stump: bool = True,
        criterion: str = "entropy",
        max_depth: int | None = 10,
        min_samples_split: int | float = 4,
        min_samples_leaf: int | float = 1,
        min_gain: float = 0.0,
        min_weight_fraction_leaf: float = 0.0,
        unsafe_class: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
    ):
        self.size = size
        self.finder = finder
        self.sweeps_before = sweeps_before
        self.sweeps_after = sweeps_after
        self.n_sizes = n_sizes
        self.n_folds = n_folds
        self.stump = stump
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.unsafe_class = unsafe_class
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _finder(self) -> SplitFinder:
        self._check_own_parameters()
        if self.finder is None:
            return BestOf(LeaveOneOutLinear(), Categories())
        return self.finder

    def _pruner(self) -> Pruner | None:
        return None

    def _check_own_parameters(self) -> None:
        if self.size not in SIZES:
            raise ValueError(f'size={self.size!r} must be "accuracy" or "small"')
        check_count("sweeps_before", self.sweeps_before, least=0)
        check_count("sweeps_after", self.sweeps_after, least=0)
        check_count("n_sizes", self.n_sizes, least=1)
        if self.n_folds is not None:
            check_count("n_folds", self.n_folds, least=2, or_else="None")
        if not isinstance(self.stump, bool | np.bool_):
            raise ValueError(f"stump={self.stump!r} must be True or False")

    def prune(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Not available: the size is chosen in `fit`.

        Raises
        ------
        ValueError
        """
        raise ValueError("a TAOTreeClassifier chooses its size in fit, see its parameter size")

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Return the path of the tree before it is improved.

        See `oblique.ObliqueTreeClassifier.cost_complexity_pruning_path`.
        """
        parameters = self.get_params(deep=False)
        known = ObliqueTreeClassifier().get_params(deep=False)
        shared = {name: value for name, value in parameters.items() if name in known}
        greedy = ObliqueTreeClassifier(**{**shared, "finder": self._finder()})
        return greedy.cost_complexity_pruning_path(X, y, sample_weight)

    # ------------------------------------------------------------ training

    def _train(
        self, growth: Growth, order: NDArray[np.int32], pruner: Pruner | None, rng: Generator
    ) -> Tree:
        # Matrices here are small: more threads would wait for each other.
        with threadpool_limits(1, user_api="blas"):
            return self._choose(growth, order, rng)

    def _choose(self, growth: Growth, order: NDArray[np.int32], rng: Generator) -> Tree:
        counted = growth.weights is None or bool((growth.weights == np.floor(growth.weights)).all())
        weights = np.ones(len(growth.X)) if growth.weights is None else growth.weights
        n = float(weights[order].sum()) if counted else float(order.size)
        whole = self._path(growth, order, rng)
        sizes = spaced_sizes(whole.path.n_leaves, self.n_sizes)
        candidates = whole.trees(sizes)
        n_classes = np.unique(growth.codes[order]).size
        stumps = self._stumps(growth, order, n_classes, rng)
        wrong, wrong_stumps = np.zeros(len(candidates)), np.zeros(len(stumps))
        deviances = np.zeros(len(stumps))
        n_folds = self.n_folds or (3 if n > _MANY else 5)
        fold = draw_folds(growth, order, n_folds, rng)
        for f in np.unique(fold):
            learn, test = order[fold != f], order[fold == f]
            if not learn.size:
                # All rows are alike.
                continue
            trees = self._path(growth, learn, rng).trees(sizes)
            X, codes, w = growth.X[test], growth.codes[test], weights[test]
            wrong += [w[tree.predict_codes(X) != codes].sum() for tree in trees]
            for i, stump in enumerate(self._stumps(growth, learn, n_classes, rng)):
                wrong_stumps[i] += w[stump.tree.predict_codes(X) != codes].sum()
                if stump.functions is not None:
                    deviances[i] += stump.functions.deviance(X, codes, w)
        if stumps:
            best = int(deviances.argmin())
            candidates.append(stumps[best].tree)
            wrong = np.append(wrong, wrong_stumps[best])
        errors = wrong / weights[order].sum()
        leaves = np.array([tree.n_leaves for tree in candidates])
        self.cv_errors_, self.cv_leaves_ = errors, leaves
        factor = 1.0 if self.size == "small" else 0.0
        if stumps and prefers_last(errors, leaves, n):
            return candidates[-1]
        return candidates[choose_size(errors, leaves, n, factor)]

    def _path(self, growth: Growth, rows: NDArray[np.int32], rng: Generator) -> _Path:
        memory: Memory = {}
        weights = np.ones(rows.size) if growth.weights is None else growth.weights[rows]
        sample = growth.X[rows], growth.codes[rows], weights
        tree = growth.grow(rows, rng)
        if self.sweeps_before:
            before = TreeAlternatingOptimization(max_sweeps=self.sweeps_before, simplify=True)
            tree = before.alternate(tree, *sample, memory)
        after = TreeAlternatingOptimization(max_sweeps=self.sweeps_after, simplify=True)
        return _Path(pruning_path(tree, keep_root=False), after, sample, memory)

    def _stumps(
        self, growth: Growth, rows: NDArray[np.int32], n_classes: int, rng: Generator
    ) -> list[_Stump]:
        """Logistic regressions of some rows as trees: a cut, or comparisons for each strength."""
        if not self.stump or not 2 <= n_classes <= MOST_CLASSES:
            return []
        if n_classes == 2:
            # Its strength is chosen by leave-one-out deviance.
            once = Stopping(max_depth=1)
            return [_Stump(growth.grow(rows, rng, finder=_LogisticCut(), stopping=once), None)]
        options = growth.options
        table = Table(
            growth.X, growth.codes, growth.weights, options["n_classes"],
            categorical=options["categorical"],
        )  # fmt: skip
        # As for the cut, limits on rows are left out: whole weights are repeated rows.
        only_depth = Stopping(max_depth=self.max_depth)
        stumps = []
        for functions in multinomials(Node.from_table(table, rows), STRENGTHS):
            tree = growth.grow(rows, rng, finder=Elimination(functions), stopping=only_depth)
            stumps.append(_Stump(simplified(tree), functions))
        return stumps


class _Stump(NamedTuple):
    """A logistic regression as a tree; its functions where their strength is yet to be chosen."""

    tree: Tree
    functions: ClassFunctions | None


class _Path(NamedTuple):
    """The weakest-link path of a tree, and how each tree on it is improved."""

    path: Any
    method: TreeAlternatingOptimization
    sample: tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]
    memory: Memory

    def trees(self, sizes: NDArray[np.int64]) -> list[Tree]:
        """Improved trees whose sizes, before they are improved, are nearest to those asked for."""
        leaves = np.log(self.path.n_leaves)
        steps = [int(np.abs(leaves - size).argmin()) for size in np.log(sizes)]
        made = {}
        for step in sorted(set(steps)):
            made[step] = self.path.tree_at(step)
            if self.method.max_sweeps:
                made[step] = self.method.alternate(made[step], *self.sample, self.memory)
        return [made[step] for step in steps]


def spaced_sizes(leaves: NDArray[np.int64], n_sizes: int) -> NDArray[np.int64]:
    """Sizes that a path has, evenly spaced by ratio, descending.

    Trees of other rows are matched by size: a cost of a leaf at which this path has just lost
    a test that matters may leave it in theirs.

    Parameters
    ----------
    leaves : ndarray of shape (n_steps,), int64
        Sizes of the trees of the path, descending to 1.
    n_sizes : int
        Most sizes.
    """
    # From the whole tree down, so that a single size is that of the whole tree.
    wanted = np.geomspace(float(leaves[0]), 1.0, n_sizes)
    steps = [int(np.abs(np.log(leaves) - np.log(size)).argmin()) for size in wanted]
    return leaves[np.unique(steps)]


def draw_folds(
    growth: Growth, order: NDArray[np.int32], n_folds: int, rng: Generator
) -> NDArray[np.int64]:
    """Fold of each row, stratified; rows that are alike share one, so copies tell nothing.

    Parameters
    ----------
    growth : Growth
    order : ndarray of int32
        Rows in canonical order.
    n_folds : int
    rng : numpy.random.Generator
    """
    X, codes = growth.X, growth.codes
    by_value = order_by_value(order, X, codes, growth.weights)
    values, classes = X[by_value], codes[by_value]
    alike = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    first = np.append(True, ~(alike.all(axis=1) & (classes[1:] == classes[:-1])))
    group = np.cumsum(first) - 1
    class_of_group = classes[first]
    fold_of_group = np.empty(class_of_group.size, dtype=np.int64)
    begin = 0
    for k in np.unique(class_of_group):
        members = rng.permutation(np.flatnonzero(class_of_group == k))
        fold_of_group[members] = (begin + np.arange(members.size)) % n_folds
        begin += members.size
    fold = np.empty(len(X), dtype=np.int64)
    fold[by_value] = fold_of_group[group]
    return fold[order]


def choose_size(
    errors: NDArray[np.float64], leaves: NDArray[np.int64], n: float, factor: float
) -> int:
    """Choose the smallest candidate within some standard errors of the least error.

    Parameters
    ----------
    errors, leaves : ndarray of shape (n_candidates,)
        Error rates and sizes.
    n : float
        Observations that the rates are of.
    factor : float
        Number of standard errors.
    """
    good = np.flatnonzero(within_standard_errors(errors, factor, n))
    return int(good[np.lexsort((errors[good], leaves[good]))[0]])


def prefers_last(errors: NDArray[np.float64], leaves: NDArray[np.int64], n: float) -> bool:
    """Whether the last candidate, the logistic regression, is taken without a contest.

    It is where it is within a standard error of the best one, and better than no test: on small
    samples that difference is mostly the luck of the folds, and a single regression is what
    varies least.
    """
    constant = errors[:-1][leaves[:-1] == 1]
    is_near = bool(within_standard_errors(errors, 1.0, n)[-1])
    return is_near and not (constant <= errors[-1]).any()


class _LogisticCut(SplitFinder):
    """A logistic regression of two classes, cut at even chances."""

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        scaled = scale_rows(node, "standard")
        if scaled is None or scaled.n_classes != 2:
            return None
        table = node.table
        counted = table.is_counted and node.store.share is table.unit_share
        weighing = weigh(scaled.weights, is_counted=counted)
        columns, sides = scaled.columns, scaled.codes
        plane, _, _, _ = _regression.logistic(
            columns, sides, weighing.weights, weighing.removed, np.array(STRENGTHS),
            base_rate(columns, sides, weighing.weights),
        )  # fmt: skip
        return scaled.split_of(node, plane, keep_threshold=True)
