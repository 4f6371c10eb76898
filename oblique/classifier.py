"""What the tree classifiers share: checking data, growing, pruning."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from oblique.criteria import criterion_code
from oblique.encode import encode_columns, learn_columns
from oblique.finders.base import SplitFinder, check_finder
from oblique.holdout import hold_out, order_by_value
from oblique.induction import grow
from oblique.predictor import TreePredictor
from oblique.profile import column_profile
from oblique.pruning import Pruner, pruning_path
from oblique.row_order import canonical_rows
from oblique.stopping import Stopping, is_whole
from oblique.target import encode_labels
from oblique.weight import combine_weights, drop_zero_weights

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.tree import Tree


class Growth(NamedTuple):
    """Everything that the induction loop is handed but the rows to grow on.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    codes : ndarray of shape (n,), int32
    weights : ndarray of shape (n,) or None
    options : dict
        Keyword arguments of `oblique.induction.grow`.
    """

    X: NDArray[np.float64]
    codes: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    options: dict[str, Any]

    def grow(self, rows: NDArray[np.int32], rng: Generator, **changes: Any) -> Tree:
        """Grow a tree on some rows, with some of the options changed."""
        return grow(
            self.X, self.codes, rows=rows, rng=rng, sample_weight=self.weights,
            **{**self.options, **changes},
        )  # fmt: skip


class TreeClassifier(TreePredictor):
    """What the tree classifiers share: checking data, growing, pruning.

    A subclass says which finder, pruner and unsafe class its parameters mean.
    """

    # Parameters of the loop that every subclass stores.
    pruning: Any
    criterion: str
    max_depth: int | None
    min_samples_split: int | float
    min_samples_leaf: int | float
    min_gain: float
    min_weight_fraction_leaf: float
    unsafe_class: Any
    class_weight: Any
    categorical_features: Any
    random_state: Any

    # What a model file holds of a fitted estimator, see `oblique.persist`.
    _fitted_attributes = (*TreePredictor._fitted_attributes, "unsafe_class_")

    def _check_fitted(self) -> None:
        """Raise ValueError where fitted attributes do not fit, or a file cannot hold them."""
        super()._check_fitted()
        if self.unsafe_class_ not in self.classes_.tolist():
            raise ValueError(f"unsafe_class_={self.unsafe_class_!r} is not one of classes_")

    @abstractmethod
    def _finder(self) -> SplitFinder:
        """Split finder that the parameters stand for."""

    @abstractmethod
    def _pruner(self) -> Pruner | None:
        """Pruner that the parameters stand for."""

    def _stopping(self) -> Stopping:
        """Limits of the loop that the parameters stand for."""
        return Stopping(
            self.max_depth, self.min_samples_split, self.min_samples_leaf, self.min_gain,
            self.min_weight_fraction_leaf,
        )  # fmt: skip

    def _ties_to_unsafe(self) -> bool:
        return self.unsafe_class is not None

    # ------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow, and where asked prune, a tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            NaN is a missing value. See ``categorical_features`` for columns of categories.
        y : array-like of shape (n,)
            Class labels of any kind.
        sample_weight : array-like of shape (n,) or None
            Weights, not negative. Rows of weight zero are left out; whole-number weights count
            repeated rows.

        Returns
        -------
        self
        """
        # Parameters first: a wrong one should not wait for the data.
        finder, pruner = self._finder(), self._pruner()
        check_finder("finder", finder)
        if pruner is not None:
            pruner.check_parameters()
        stopping = self._stopping()
        criterion_code(self.criterion)
        rng = make_generator(self.random_state)
        rows, columns = learn_columns(self, X, self.categorical_features)
        classes, codes = encode_labels(y, len(rows))
        weights = combine_weights(sample_weight, self.class_weight, classes, codes)
        if weights is not None:
            rows, codes, weights = drop_zero_weights(rows, codes, weights)
        unsafe = self._unsafe_code(classes, codes, weights)
        growth = Growth(
            rows, codes, weights,
            {
                "n_classes": len(classes), "finder": finder, "criterion": self.criterion,
                "stopping": stopping, "categorical": columns.categorical, "unsafe": unsafe,
                "ties_to_unsafe": self._ties_to_unsafe(), "names": self._names(classes, columns),
            },
        )  # fmt: skip
        self.tree_ = self._train(growth, canonical_rows(rows, codes, weights), pruner, rng)
        self.classes_ = classes
        self.unsafe_class_ = classes[unsafe]
        self._columns = columns
        self._profile = column_profile(rows, weights)
        return self

    def _train(
        self, growth: Growth, order: NDArray[np.int32], pruner: Pruner | None, rng: Generator
    ) -> Tree:
        """Make the tree of some rows, given in an order that depends on their content only."""
        if pruner is None:
            return growth.grow(order, rng)
        held = order[:0]
        if pruner.holdout > 0.0:
            order = order_by_value(order, growth.X, growth.codes, growth.weights)
            order, held = hold_out(order, growth.codes, pruner.holdout, rng)
        tree = growth.grow(order, rng)
        use = held if held.size else order
        weights = growth.weights
        return pruner.prune(
            tree, growth.X[use], growth.codes[use], unsafe=growth.options["unsafe"], rng=rng,
            sample_weight=None if weights is None else weights[use],
        )  # fmt: skip

    def prune(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Prune the fitted tree with rows that it was not grown on.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`; labels must be among ``classes_``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the estimator has no ``pruning``.
        """
        check_is_fitted(self)
        pruner = self._pruner()
        if pruner is None or self.pruning is None:
            raise ValueError("pruning=None: set pruning before you call prune")
        return self._prune_with(pruner, X, y, sample_weight)

    def _prune_with(
        self, pruner: Pruner, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Prune the fitted tree with a pruner that need not be the estimator's own."""
        check_is_fitted(self)
        pruner.check_parameters()
        rng = make_generator(self.random_state)
        rows = encode_columns(self, X, self._columns)
        given, codes = encode_labels(y, len(rows))
        unknown = [label for label in given.tolist() if label not in self.classes_.tolist()]
        if unknown:
            raise ValueError(
                f"y holds labels {unknown} that were not seen in fit; the classes are "
                f"{self.classes_.tolist()}"
            )
        codes = np.searchsorted(self.classes_, given)[codes].astype(np.int32)
        weights = combine_weights(sample_weight, self.class_weight, self.classes_, codes)
        unsafe = int(np.flatnonzero(self.classes_ == self.unsafe_class_)[0])
        self.tree_ = pruner.prune(
            self.tree_, rows, codes, sample_weight=weights, unsafe=unsafe, rng=rng
        )
        return self

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Bunch:
        """Grow a whole tree and return the sequence of trees that weakest links make of it.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. The estimator itself stays as it is, and ``pruning`` is left out.

        Returns
        -------
        path : Bunch
            ``ccp_alphas``, the cost of each step for a leaf saved, ascending from 0;
            ``impurities``, the impurity in the leaves of each step's tree, as a mean over the
            training weight; ``errors`` and ``n_leaves`` of the same trees, the share of the
            training weight that they misclassify and their sizes.

        Notes
        -----
        The cost is impurity in the tree's criterion, as in scikit-learn, and the last tree is
        the root alone. `oblique.pruning.CostComplexity` weighs errors instead, as Breiman et
        al. (1984) do: its sequence is ``pruning_path(model.tree_)``.
        """
        whole = clone(self).set_params(pruning=None).fit(X, y, sample_weight)
        path = pruning_path(whole.tree_, risk="impurity", keep_root=False)
        return Bunch(
            ccp_alphas=path.alphas, impurities=path.risks, errors=path.errors,
            n_leaves=path.n_leaves,
        )  # fmt: skip

    def _unsafe_code(
        self,
        classes: NDArray[Any],
        codes: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
    ) -> int:
        """Code of the unsafe class: as named, or the rarest, the last one of equals."""
        if self.unsafe_class is not None:
            names = classes.tolist()
            if self.unsafe_class not in names:
                raise ValueError(
                    f"unsafe_class={self.unsafe_class!r} is not a class of y; the classes are "
                    f"{names}"
                )
            return names.index(self.unsafe_class)
        mass = np.bincount(codes, weights=weights, minlength=len(classes))
        mass = np.where(mass > 0.0, mass, np.inf)
        return int(len(mass) - 1 - mass[::-1].argmin())


def make_generator(random_state: Any) -> np.random.Generator:
    """Return the generator that ``random_state`` stands for."""
    if random_state is None or is_whole(random_state):
        if random_state is None or random_state >= 0:
            return np.random.default_rng(random_state)
    elif isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    raise ValueError(
        f"random_state={random_state!r} must be None, an integer >= 0 or a numpy RandomState"
    )
