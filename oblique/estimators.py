"""The tree classifiers that are offered to users."""

from __future__ import annotations

from typing import Any, Literal

from oblique.classifier import TreeClassifier
from oblique.finders import AxisParallel, BestOf, Categories, LinearDiscriminant, SafeAdjusted
from oblique.finders.base import SplitFinder
from oblique.finders.safe import MODES
from oblique.pruning import Pruner, SafePruning


class ObliqueTreeClassifier(TreeClassifier):
    """Decision tree with tests ``w . x <= c`` from any split finder.

    Parameters
    ----------
    finder : SplitFinder or None, default=None
        Proposes the test of each node. None: the best of a linear discriminant with threshold
        by the criterion, an axis-parallel test and a category test.
    criterion : str, default="entropy"
        "entropy", "gini", "gain_ratio", "twoing", "max_minority", "sum_minority" or
        "sum_of_variances", see `oblique.criteria.gain`.
    pruning : Pruner or None, default=None
        For example `oblique.pruning.CostComplexity`, which holds out a part of the rows.
    max_depth, min_samples_split, min_samples_leaf, min_gain, min_weight_fraction_leaf
        When to stop, see `oblique.stopping.Stopping`. By default nodes are divided until they
        are pure or no test gains.
    unsafe_class : label or None, default=None
        Class whose cases must not be missed, for safe finders and pruners. None: the rarest
        class. If it is given, leaves in which classes tie are labelled with it.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of each class's rows.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        Columns of categories: those of a data frame with a category, object or string dtype;
        none; or indices, names or a mask. A category that training did not have counts as a
        missing value in prediction.
    random_state : int, RandomState or None, default=None
        Seed of finders that draw and of the rows held out for pruning. The same data in any
        order of rows and the same seed give the same tree.

    Attributes
    ----------
    tree_ : Tree
    classes_ : ndarray of shape (n_classes,)
    unsafe_class_ : label
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only for data frames with text column names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from oblique import ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ObliqueTreeClassifier(max_depth=2).fit(X, y)
    >>> model.tree_.n_leaves
    3
    """

    def __init__(
        self,
        *,
        finder: SplitFinder | None = None,
        criterion: str = "entropy",
        pruning: Pruner | None = None,
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
        self.finder = finder
        self.criterion = criterion
        self.pruning = pruning
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
        if self.finder is None:
            return BestOf(LinearDiscriminant("criterion"), AxisParallel(), Categories())
        return self.finder

    def _pruner(self) -> Pruner | None:
        if self.pruning is not None and not isinstance(self.pruning, Pruner):
            raise TypeError(
                f"pruning={self.pruning!r} must be a Pruner, such as CostComplexity(), or None"
            )
        return self.pruning


class LDTClassifier(TreeClassifier):
    """Linear discriminant tree that errs on the safe side (Vadera 2005).

    At each node the best by information gain of three tests is taken: Fisher's linear
    discriminant, which is then adjusted so that it does not take safe cases for unsafe ones at
    depth, an axis-parallel test whose threshold gives the gap to the unsafe side, and a category
    test.
    The paper's name is LDT; no costs are needed, only which class is unsafe.

    Parameters
    ----------
    unsafe_class : label or None, default=None
        Class whose cases must not be missed. None: the rarest class.
    adjustment : {"literal", "pure", "iterate"} or None, default="literal"
        How the plane is adjusted, see `oblique.finders.SafeAdjusted`. None: not at all.
    select_by : {"plain", "adjusted"}, default="plain"
        Whether the plane competes with the gain that it has before adjustment, which fits the
        printed tables best, or with its own, as the paper's figure 5 is written.
    pruning : {"safe"}, Pruner or None, default=None
        "safe" is `oblique.pruning.SafePruning()`.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_gain, \
min_weight_fraction_leaf, class_weight, categorical_features, random_state
        As in `ObliqueTreeClassifier`.

    Attributes
    ----------
    tree_, classes_, unsafe_class_, n_features_in_, feature_names_in_
        As in `ObliqueTreeClassifier`.

    References
    ----------
    S. Vadera (2005). Inducing safer oblique trees without costs. Expert Systems 22(4), 206-221.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from oblique import LDTClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LDTClassifier(unsafe_class=0).fit(X, y)
    >>> model.score(X, y)
    1.0
    """

    def __init__(
        self,
        *,
        unsafe_class: Any = None,
        adjustment: Literal["literal", "pure", "iterate"] | None = "literal",
        select_by: Literal["plain", "adjusted"] = "plain",
        pruning: Literal["safe"] | Pruner | None = None,
        criterion: str = "entropy",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_gain: float = 0.0,
        min_weight_fraction_leaf: float = 0.0,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
    ):
        self.unsafe_class = unsafe_class
        self.adjustment = adjustment
        self.select_by = select_by
        self.pruning = pruning
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_gain = min_gain
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.random_state = random_state

    def _finder(self) -> SplitFinder:
        plane: SplitFinder = LinearDiscriminant()
        if self.adjustment is not None:
            if self.adjustment not in MODES:
                raise ValueError(
                    f"adjustment={self.adjustment!r} must be {', '.join(map(repr, MODES))} or None"
                )
            plane = SafeAdjusted(plane, mode=self.adjustment, select_by=self.select_by)
        return BestOf(plane, AxisParallel(threshold="safe"), Categories())

    def _pruner(self) -> Pruner | None:
        if isinstance(self.pruning, str) and self.pruning == "safe":
            return SafePruning()
        if self.pruning is not None and not isinstance(self.pruning, Pruner):
            raise ValueError(f'pruning={self.pruning!r} must be "safe", a Pruner or None')
        return self.pruning

    def _ties_to_unsafe(self) -> bool:
        return True
