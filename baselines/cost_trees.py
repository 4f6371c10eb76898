"""Tree classifiers that weigh what tests cost: EG2, CS-ID3 and IDX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from numpy.typing import ArrayLike

from baselines._gain_finder import GainFinder, Rule
from baselines._gain_tree import GainTreeClassifier
from baselines.cost_criteria import CostGain, priced_rule
from oblique.costs import CostModel, load_costs

if TYPE_CHECKING:
    from oblique.costs import TestCost
    from oblique.pruning import Pruner


class _CostTreeClassifier(GainTreeClassifier):
    """What the three classifiers share; a subclass names its measure."""

    _measure: Literal["icf", "cs_id3", "idx"]
    omega: float = 1.0

    def __init__(
        self,
        costs: CostModel | Mapping[str, TestCost | float] | Sequence[float] | str | None = None,
        *,
        categories: Literal["multiway", "single", "subsets"] = "multiway",
        min_leaf_weight: float = 2.0,
        mdl_correction: bool = False,
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
        self.costs = costs

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow and, unless ``pruning`` is None, prune a tree; see `oblique.LDTClassifier.fit`.

        Raises
        ------
        ValueError
            Where costs do not fit the columns of X.
        """
        columns = getattr(X, "columns", None)
        self._column_names = None if columns is None else [str(name) for name in columns]
        super().fit(X, y, sample_weight)
        del self._column_names
        return self

    def _finder(self) -> CostGain:
        return _Priced(
            self._measure, self._cost_model(), self._column_names, omega=self.omega,
            categories=self.categories, min_leaf_weight=self.min_leaf_weight,
            mdl_correction=self.mdl_correction, threshold=self.threshold,
        )  # fmt: skip

    def _cost_model(self) -> CostModel:
        if isinstance(self.costs, CostModel):
            return self.costs
        return load_costs(self.costs) if isinstance(self.costs, str) else CostModel(self.costs)


class EG2Classifier(_CostTreeClassifier):
    """EG2: C4.5's tree by information gain for the cost of a test (Nunez 1991).

    A test of gain I bits and cost C is worth ``(2^I - 1) / (C + 1)^omega``. Growing and pruning
    are C4.5's otherwise, as in the experiments of Turney (1995).

    Parameters
    ----------
    costs : CostModel, mapping, sequence, str or None, default=None
        What tests cost: of each feature by name (``x0``, ``x1`` ... in arrays) or in the order
        of the columns; a text is a name of `oblique.costs.load_costs`. Once a test of a group
        is on the path, the others of the group count at their discount. None: 1 each. Costs of
        errors play no part.
    omega : float, default=1.0
        Strength of the costs, in [0, 1]; with 0 they play no part.
    categories, min_leaf_weight, mdl_correction, threshold
        As in `baselines.C45`; thresholds are not corrected by default, which came later.
    pruning, confidence, raising, collapse, max_depth, class_weight, categorical_features, \
random_state
        As in `baselines.C45Classifier`.

    Attributes
    ----------
    tree_, classes_, unsafe_class_, n_features_in_, feature_names_in_
        As in `oblique.ObliqueTreeClassifier`.

    References
    ----------
    M. Nunez (1991). The use of background knowledge in decision tree induction. Machine
    Learning 6, 231-250.

    Examples
    --------
    >>> from baselines import EG2Classifier
    >>> from oblique.datasets import load_dataset
    >>> data = load_dataset("pima")
    >>> EG2Classifier("pima").fit(data.data, data.target).tree_.split(0).feature
    5
    """

    _measure = "icf"

    def __init__(
        self,
        costs: CostModel | Mapping[str, TestCost | float] | Sequence[float] | str | None = None,
        *,
        omega: float = 1.0,
        categories: Literal["multiway", "single", "subsets"] = "multiway",
        min_leaf_weight: float = 2.0,
        mdl_correction: bool = False,
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
            costs, categories=categories, min_leaf_weight=min_leaf_weight,
            mdl_correction=mdl_correction, threshold=threshold, pruning=pruning,
            confidence=confidence, raising=raising, collapse=collapse, max_depth=max_depth,
            class_weight=class_weight, categorical_features=categorical_features,
            random_state=random_state,
        )  # fmt: skip
        self.omega = omega


class CSID3Classifier(_CostTreeClassifier):
    """CS-ID3: C4.5's tree by ``I^2 / C``, I bits of gain at cost C (Tan & Schlimmer 1990).

    Parameters
    ----------
    costs, categories, min_leaf_weight, mdl_correction, threshold, pruning, confidence, raising, \
collapse, max_depth, class_weight, categorical_features, random_state
        As in `EG2Classifier`; every cost must be above zero.

    Attributes
    ----------
    tree_, classes_, unsafe_class_, n_features_in_, feature_names_in_
        As in `oblique.ObliqueTreeClassifier`.

    References
    ----------
    M. Tan, J. Schlimmer (1990). Two case studies in cost-sensitive concept acquisition. AAAI-90,
    854-860.
    """

    _measure = "cs_id3"


class IDXClassifier(_CostTreeClassifier):
    """IDX: C4.5's tree by ``I / C``, I bits of gain at cost C (Norton 1989).

    Parameters
    ----------
    costs, categories, min_leaf_weight, mdl_correction, threshold, pruning, confidence, raising, \
collapse, max_depth, class_weight, categorical_features, random_state
        As in `EG2Classifier`; every cost must be above zero.

    Attributes
    ----------
    tree_, classes_, unsafe_class_, n_features_in_, feature_names_in_
        As in `oblique.ObliqueTreeClassifier`.

    References
    ----------
    S. W. Norton (1989). Generating better decision trees. IJCAI-89, 800-805.
    """

    _measure = "idx"


class _Priced(CostGain):
    """`CostGain` by the costs of a model, looked up once the columns are known."""

    def __init__(
        self,
        measure: Literal["icf", "cs_id3", "idx"],
        model: CostModel,
        names: Sequence[str] | None,
        **parameters: Any,
    ):
        super().__init__(measure, **parameters)
        self.model = model
        self.names = names

    def _rule(self, d: int) -> Rule:
        names = self.names or [f"x{j}" for j in range(d)]
        prices = self.model.prices(names)
        if prices is None:
            return priced_rule(self.measure, d, omega=self.omega)
        return priced_rule(self.measure, d, prices.full, self.omega, prices.later, prices.group)

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range; costs are checked with the rows."""
        GainFinder.check_parameters(self)
        priced_rule(self.measure, 1, omega=self.omega)
