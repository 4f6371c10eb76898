"""C4.5 release 8, and Weka's J48, as binary trees.

J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.
J. R. Quinlan (1996). Improved use of continuous attributes in C4.5. Journal of Artificial
Intelligence Research 4, 77-90: the correction for thresholds of release 8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from baselines._gain_finder import GainFinder, Rule
from baselines._gain_tree import GainTreeClassifier
from baselines._information import GAIN, GAIN_RATIO
from oblique._suggest import unknown_name

if TYPE_CHECKING:
    from oblique.pruning import Pruner

MEASURES = {"gain_ratio": GAIN_RATIO, "gain": GAIN}
PRESETS = ("c45", "j48")


class C45(GainFinder):
    """The test that C4.5 release 8 would choose.

    Of each numeric column the cut of largest information gain is taken, of those that leave
    both sides at least ``min_leaf_weight`` and a tenth of the node's weight per class (but 25
    at most). Of the columns' tests whose gain is at least the average, the one of largest gain
    ratio wins, the first of equal ones. Missing values take part by their known share.

    Parameters
    ----------
    measure : {"gain_ratio", "gain"}, default="gain_ratio"
        "gain" is C4.5's option ``-g``: information gain alone.
    categories : {"multiway", "single", "subsets"}, default="multiway"
        How a column of categories is divided: "multiway" into one branch a value, which stands
        in the binary tree as a chain of tests of one value against the rest; "single" into the
        value of largest gain ratio and the others (Weka's option ``-B``); "subsets" into the
        two sets of largest gain (C4.5's option ``-s`` may form more than two).
    min_leaf_weight : float, default=2
        At least two branches must hold this weight; a node of less than twice is a leaf.
    mdl_correction : bool, default=True
        Whether log2 of the number of possible cuts, over the weight, is taken off the gain of a
        cut (Quinlan 1996).
    threshold : {"data", "midpoint"}, default="data"
        Where the threshold lies: "data" is the greatest value of the whole table that is not
        above the midpoint.

    Notes
    -----
    C4.5 does not cut between values that differ by less than 1e-5; here that would depend on
    the unit of the column, so every two distinct values may be parted.
    """

    def __init__(
        self,
        measure: Literal["gain_ratio", "gain"] = "gain_ratio",
        *,
        categories: Literal["multiway", "single", "subsets"] = "multiway",
        min_leaf_weight: float = 2.0,
        mdl_correction: bool = True,
        threshold: Literal["data", "midpoint"] = "data",
    ):
        self.measure = measure
        self.categories = categories
        self.min_leaf_weight = min_leaf_weight
        self.mdl_correction = mdl_correction
        self.threshold = threshold

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        if not isinstance(self.measure, str) or self.measure not in MEASURES:
            raise ValueError(unknown_name("measure", self.measure, MEASURES))

    def _rule(self, d: int) -> Rule:
        return Rule.free(MEASURES[self.measure], d)


class C45Classifier(GainTreeClassifier):
    """C4.5 release 8, or Weka's J48.

    Grown by gain ratio, collapsed where a subtree does not err less in training, then pruned by
    estimated errors with subtree raising.

    Parameters
    ----------
    preset : {"c45", "j48"}, default="c45"
        How errors are estimated: "c45" with C4.5's coarse table of normal deviates, "j48" with
        exact ones. Trees are grown alike.
    measure, categories, min_leaf_weight, mdl_correction, threshold
        As in `C45`.
    pruning : {"error_based", "reduced_error"}, Pruner or None, default="error_based"
        "reduced_error" holds a third of the rows out (J48's option ``-R``); None keeps the
        collapsed tree (``-U``).
    confidence : float, default=0.25
        CF, the probability that a leaf's true error rate is above its estimate; less prunes
        more. In (0, 1] for "c45", (0, 0.5] for "j48". As a share: C4.5's ``-c 25`` is 0.25.
    raising : bool, default=True
        Whether a node may be replaced by its larger child.
    collapse : bool, default=True
        Whether subtrees that err no less in training become leaves before pruning.
    max_depth : int or None, default=None
        Most tests on a path; those of a chain count.
    class_weight, categorical_features, random_state
        As in `oblique.ObliqueTreeClassifier`; only "reduced_error" draws.

    Attributes
    ----------
    tree_, classes_, unsafe_class_, n_features_in_, feature_names_in_
        As in `oblique.ObliqueTreeClassifier`.

    References
    ----------
    J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from baselines import C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> C45Classifier().fit(X, y).tree_.n_leaves
    5
    """

    def __init__(
        self,
        *,
        preset: Literal["c45", "j48"] = "c45",
        measure: Literal["gain_ratio", "gain"] = "gain_ratio",
        categories: Literal["multiway", "single", "subsets"] = "multiway",
        min_leaf_weight: float = 2.0,
        mdl_correction: bool = True,
        threshold: Literal["data", "midpoint"] = "data",
        pruning: Literal["error_based", "reduced_error"] | Pruner | None = "error_based",
        confidence: float = 0.25,
        raising: bool = True,
        collapse: bool = True,
        max_depth: int | None = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        random_state: Any = None,
    ):
        super().__init__(
            categories=categories, min_leaf_weight=min_leaf_weight, mdl_correction=mdl_correction,
            threshold=threshold, pruning=pruning, confidence=confidence, raising=raising,
            collapse=collapse, max_depth=max_depth, class_weight=class_weight,
            categorical_features=categorical_features, random_state=random_state,
        )  # fmt: skip
        self.preset = preset
        self.measure = measure

    @property
    def bound(self) -> Literal["c45", "j48"]:  # type: ignore[override]
        """Limit of the error rate, see `oblique.pruning.ErrorBased`."""
        if self.preset not in PRESETS:
            raise ValueError(unknown_name("preset", self.preset, PRESETS))
        return self.preset

    def _finder(self) -> C45:
        return C45(**{name: getattr(self, name) for name in C45().get_params()})
