"""The indecision tree as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from oblique._suggest import unknown_name
from oblique.classifier import TreeClassifier, make_generator
from oblique.encode import Columns
from oblique.finders import AxisParallel, BestOf, Categories, SplitFinder
from oblique.finders.base import check_finder
from oblique.holdout import hold_out, order_by_value
from oblique.indecision._checks import is_number
from oblique.indecision.cases import encode_cases, learn_cases, learn_labels
from oblique.indecision.clauses import NumericClauses, ObliqueClauses
from oblique.indecision.node import CRITERIA, UncertainNode, UncertainRows, order_rows
from oblique.indecision.predict import mix_leaves
from oblique.indecision.reach import Method, check_method, node_probabilities
from oblique.indecision.table import UncertainTable
from oblique.induction import grow, grow_node_by_node
from oblique.profile import HIGH, LOW, column_profile
from oblique.pruning import Pruner
from oblique.stopping import Limits, Stopping
from oblique.weight import check_row_weights, combine_weights

Floats = NDArray[np.float64]


class IndecisionTreeClassifier(TreeClassifier):
    """Decision tree for cases whose measurements are distributions (Kent & Menager 2022).

    As printed (sections 2 and 3): entropy, information gain and the best clause are those of
    weighted rows, a row goes down both branches of a clause with the clause's probability, and
    the answer is the mean of the leaves' class distributions by the probability of reaching
    them. Derived, for the paper's later sections were not at hand: the candidates are middles
    of means, ``independence="feature"``, the row-weight floor, stopping by effective rows, and
    everything oblique.

    Parameters
    ----------
    independence : {"feature", "clause"}, default="feature"
        "clause", as printed, multiplies the probabilities of all clauses on a path, also of two
        clauses on one feature. "feature" (derived) takes the clauses on one feature together as
        an interval, which is exact for independent features.
    directions : SplitFinder or None, default=None
        A linear finder, such as `oblique.finders.LinearDiscriminant`, whose directions are
        tried beside single features. In growing, oblique clauses multiply with all others.
    refine : bool, default=False
        Whether a threshold is searched on between the candidates, see `NumericClauses`.
    leaf_probability : {"exact", "moments", "clause"} or None, default=None
        How the probability of reaching a leaf is found in prediction, see
        `oblique.indecision.node_probabilities`. None: "clause" with ``independence="clause"``,
        else "exact".
    assumed_noise : float, default=0.0
        Standard deviation of values handed in without one (``X_std=None``), in training and
        prediction, as a share of the feature's range in training.
    weight_floor : float, default=1e-4
        A part of a training row smaller than this joins the row's larger part when a node is
        divided. A division so misplaces less than this share of each row; prediction has no
        floor. It keeps memory and time near linear in the rows.
    min_samples_rest : float, default=0.5
        A node whose rows of all classes but the commonest sum to fewer is a leaf. It stops the
        tree from chasing the tails of distant rows.
    criterion : {"entropy", "gini"}, default="entropy"
    pruning : Pruner or None, default=None
        Held-out rows are judged at their means.
    max_depth, min_samples_split, min_samples_leaf, min_gain, min_weight_fraction_leaf
        As in `ObliqueTreeClassifier`; rows count by the part that is at a node, so that growing
        ends although rows never run out.
    unsafe_class, class_weight, categorical_features, random_state
        As in `ObliqueTreeClassifier`.

    Attributes
    ----------
    tree_, classes_, unsafe_class_, n_features_in_, feature_names_in_
        As in `ObliqueTreeClassifier`.

    Notes
    -----
    Where every value is exact the tree is that of ``ObliqueTreeClassifier(finder=BestOf(
    AxisParallel(), Categories()))``, and as quick to grow.

    References
    ----------
    J. Kent, D. Menager (2022). Indecision trees: learning argument-based reasoning under
    quantified uncertainty. arXiv 2206.12252.

    Examples
    --------
    >>> import numpy as np
    >>> from oblique import IndecisionTreeClassifier
    >>> X, y = np.array([[13.0], [16.0], [22.0], [24.0]]), ["b", "b", "c", "c"]
    >>> model = IndecisionTreeClassifier().fit(X, y, X_std=np.full((4, 1), 0.5))
    >>> model.predict_proba([[20.0]], X_std=[[1.0]]).round(3)
    array([[0.159, 0.841]])
    """

    def __init__(
        self,
        *,
        independence: Literal["feature", "clause"] = "feature",
        directions: SplitFinder | None = None,
        refine: bool = False,
        leaf_probability: Method | None = None,
        assumed_noise: float = 0.0,
        weight_floor: float = 1e-4,
        min_samples_rest: float = 0.5,
        criterion: Literal["entropy", "gini"] = "entropy",
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
        self.independence = independence
        self.directions = directions
        self.refine = refine
        self.leaf_probability = leaf_probability
        self.assumed_noise = assumed_noise
        self.weight_floor = weight_floor
        self.min_samples_rest = min_samples_rest
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
        finders: list[SplitFinder] = [NumericClauses(self.refine), Categories()]
        if self.directions is not None:
            check_finder("directions", self.directions)
            finders.append(ObliqueClauses(self.directions, self.refine))
        return BestOf(*finders)

    def _pruner(self) -> Pruner | None:
        if self.pruning is not None and not isinstance(self.pruning, Pruner):
            raise TypeError(
                f"pruning={self.pruning!r} must be a Pruner, such as CostComplexity(), or None"
            )
        return self.pruning

    def _method(self) -> Method:
        if self.leaf_probability is not None:
            check_method(self.leaf_probability, "leaf_probability")
            return self.leaf_probability
        return "clause" if self.independence == "clause" else "exact"

    def _check_parameters(self) -> tuple[SplitFinder, Pruner | None, Stopping]:
        """Raise ValueError or TypeError for a wrong parameter before the data are looked at."""
        finder, pruner = self._finder(), self._pruner()
        finder.check_parameters()
        if pruner is not None:
            pruner.check_parameters()
        if self.independence not in ("feature", "clause"):
            raise ValueError(unknown_name("independence", self.independence, ("feature", "clause")))
        if not isinstance(self.criterion, str) or self.criterion not in CRITERIA:
            raise ValueError(unknown_name("criterion", self.criterion, CRITERIA))
        self._method()
        for name, most in (
            ("weight_floor", 0.1),
            ("min_samples_rest", np.inf),
            ("assumed_noise", 1e6),
        ):
            value = getattr(self, name)
            if not is_number(value) or not 0.0 <= value <= most:
                raise ValueError(f"{name}={value!r} must be a number from 0 to {most:g}")
        stopping = Stopping(
            self.max_depth, self.min_samples_split, self.min_samples_leaf, self.min_gain,
            self.min_weight_fraction_leaf,
        )  # fmt: skip
        return finder, pruner, stopping

    # ------------------------------------------------------------ fitting

    def fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, X_std: Any = None
    ) -> Self:
        """Grow, and where asked prune, a tree.

        Parameters
        ----------
        X : array-like, data frame or UncertainTable of shape (n, d)
            Means; NaN is a missing value.
        y : array-like of shape (n,), or (n, n_classes)
            Labels, or each row's distribution over the classes (a data frame names them).
        sample_weight : array-like of shape (n,) or None
        X_std : array-like of shape (n, d) or None, default=None
            Standard deviations in the units of ``X``, 0 for exact values. None: all exact, or
            those of an UncertainTable.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For bad parameters or data; see also `UncertainTable`.
        """
        finder, pruner, stopping = self._check_parameters()
        rng = make_generator(self.random_state)
        cases, columns = learn_cases(self, X, X_std, self.categorical_features)
        if X_std is None and not isinstance(X, UncertainTable):
            cases = self._with_assumed_noise(cases, column_profile(cases.means))
        classes, codes, rows, parts = learn_labels(y, len(cases))
        weights = self._weights(sample_weight, classes, codes, rows, parts, len(cases))
        if weights is not None:
            kept = np.flatnonzero(weights > 0.0)
            rows, codes, weights = rows[kept], codes[kept], weights[kept]
            parts = None if parts is None else parts[kept]
        if rows.size != len(cases) or parts is not None:
            cases = cases[rows]
        unsafe = self._unsafe_code(classes, codes, weights)
        order = order_rows(cases, codes, weights)
        held = order[:0]
        if pruner is not None and pruner.holdout > 0.0:
            order = order_by_value(order, cases.means, codes, weights)
            order, held = hold_out(order, codes, pruner.holdout, rng)
        names = self._names(classes, columns)
        shared: dict[str, Any] = {
            "criterion": self.criterion, "categorical": columns.categorical, "unsafe": unsafe,
        }  # fmt: skip
        if cases.is_certain and parts is None and self.directions is None:
            tree = grow(
                cases.means, codes, n_classes=len(classes), finder=_crisp_finder(columns), rng=rng,
                sample_weight=weights, rows=order, stopping=stopping, names=names,
                ties_to_unsafe=self._ties_to_unsafe(), **shared,
            )  # fmt: skip
        else:
            share = np.ones(len(cases)) if parts is None else parts
            root, limits = self._make_root(
                cases, codes, weights, share, order, stopping, len(classes), shared
            )
            tree = grow_node_by_node(root, limits, finder, rng).clothe(
                criterion=self.criterion, n_features=cases.shape[1],
                tie_class=unsafe if self._ties_to_unsafe() else -1, **names,
            )  # fmt: skip
        if pruner is not None:
            use = held if held.size else order
            tree = pruner.prune(
                tree, cases.means[use], codes[use], unsafe=unsafe, rng=rng,
                sample_weight=None if weights is None else weights[use],
            )  # fmt: skip
        self.classes_ = classes
        self.unsafe_class_ = classes[unsafe]
        self._columns = columns
        self._profile = column_profile(cases.means, weights)
        self.tree_ = tree
        return self

    def _make_root(
        self,
        cases: UncertainTable,
        codes: NDArray[np.int32],
        weights: Floats | None,
        share: Floats,
        order: NDArray[np.int32],
        stopping: Stopping,
        n_classes: int,
        shared: dict[str, Any],
    ) -> tuple[UncertainNode, Limits]:
        """Make the root over uncertain rows, and the limits of the tree in numbers."""
        weight = float(order.size if weights is None else weights[order].sum())
        limits = stopping.resolve(round(float(share[order].sum())), weight)
        table = UncertainRows(
            cases, codes, weights, n_classes, by_feature=self.independence == "feature",
            floor=float(self.weight_floor), least_rest=float(self.min_samples_rest),
            min_leaf=limits.min_leaf, min_weight=limits.min_weight, **shared,
        )  # fmt: skip
        return UncertainNode.make_root(table, order, share), limits

    def _weights(
        self,
        sample_weight: ArrayLike | None,
        classes: NDArray[Any],
        codes: NDArray[np.int32],
        rows: NDArray[np.intp],
        parts: Floats | None,
        n_rows: int,
    ) -> Floats | None:
        """Weight of each entry: of its row, its class, and its part of the row's label."""
        if parts is None:
            return combine_weights(sample_weight, self.class_weight, classes, codes)
        given = check_row_weights(1.0 if sample_weight is None else sample_weight, n_rows)
        return combine_weights(given[rows] * parts, self.class_weight, classes, codes)

    # ------------------------------------------------------------ prediction

    def predict(self, X: Any, X_std: Any = None) -> NDArray[Any]:
        """Return the most probable class of each case, shape (n,).

        Parameters
        ----------
        X, X_std
            As in `fit`; exact cases take the path of their values.
        """
        check_is_fitted(self)
        cases = self._cases(X, X_std)
        if cases.is_certain:
            return self.classes_[self.tree_.predict_codes(cases.means)]
        shares = mix_leaves(self.tree_, cases, self._method())
        return self.classes_[self.tree_.labels_of(shares)]

    def predict_proba(self, X: Any, X_std: Any = None) -> Floats:
        """Return the probability of each class, shape (n, n_classes).

        The mean of the leaves' class distributions by the probability of reaching each (Kent &
        Menager 2022, section 3, as printed).

        Parameters
        ----------
        X, X_std
            As in `fit`.
        """
        check_is_fitted(self)
        cases = self._cases(X, X_std)
        if cases.is_certain:
            return self.tree_.distribution(cases.means)
        return mix_leaves(self.tree_, cases, self._method())

    def predict_log_proba(self, X: Any, X_std: Any = None) -> Floats:
        """Return the logarithm of `predict_proba`.

        Parameters
        ----------
        X, X_std
            As in `fit`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X, X_std))

    def score(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, X_std: Any = None
    ) -> float:
        """Return the share of cases whose most probable class is their label."""
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(y, self.predict(X, X_std), sample_weight=sample_weight))

    def apply(self, X: Any, X_std: Any = None) -> NDArray[np.int64]:
        """Return the node number of the leaf that each case reaches most probably.

        Parameters
        ----------
        X, X_std
            As in `fit`.
        """
        check_is_fitted(self)
        cases = self._cases(X, X_std)
        if cases.is_certain:
            return self.tree_.apply(cases.means)
        leaves = self.tree_.leaves
        reach = node_probabilities(self.tree_, cases, self._method())[:, leaves]
        return leaves[reach.argmax(axis=1)].astype(np.int64)

    def decision_path(self, X: Any, X_std: Any = None) -> Any:
        """Return a sparse (n, n_nodes) array: the probability that each case visits each node.

        Parameters
        ----------
        X, X_std
            As in `fit`.
        """
        import scipy.sparse

        check_is_fitted(self)
        cases = self._cases(X, X_std)
        if cases.is_certain:
            return self.tree_.decision_path(cases.means)
        return scipy.sparse.csr_array(node_probabilities(self.tree_, cases, self._method()))

    def _cases(self, X: Any, X_std: Any) -> UncertainTable:
        cases = encode_cases(self, X, X_std, self._columns)
        if X_std is None and not isinstance(X, UncertainTable):
            return self._with_assumed_noise(cases, self._profile)
        return cases

    def _with_assumed_noise(self, cases: UncertainTable, profile: Floats) -> UncertainTable:
        if not self.assumed_noise:
            return cases
        spans = np.nan_to_num(profile[HIGH] - profile[LOW])
        spans[list(cases.probabilities)] = 0.0
        return cases.with_std(np.broadcast_to(spans * self.assumed_noise, cases.shape))


def _crisp_finder(columns: Columns) -> SplitFinder:
    """Finder of the hard tree that is the limit of exact values."""
    if columns.categorical is None:
        return AxisParallel()
    return BestOf(AxisParallel(), Categories())
