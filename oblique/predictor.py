"""What everything with a fitted tree shares: predictions and questions about the tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from oblique.encode import Columns, check_columns, encode_columns
from oblique.importance import feature_importances
from oblique.profile import DEVIATION
from oblique.tree import Tree


class TreePredictor(ClassifierMixin, BaseEstimator):
    """A classifier whose predictions are those of one tree.

    Its ``fit`` sets ``tree_``, ``classes_``, ``n_features_in_``, ``_columns`` and ``_profile``.
    """

    tree_: Tree
    classes_: NDArray[Any]
    n_features_in_: int
    _columns: Columns
    # What the training rows looked like, see `oblique.profile`.
    _profile: NDArray[np.float64]

    # What a model file holds of a fitted estimator, see `oblique.persist`.
    _fitted_attributes: tuple[str, ...] = (
        "tree_", "classes_", "n_features_in_", "_columns", "_profile",
    )  # fmt: skip

    def _check_fitted(self) -> None:
        """Raise ValueError where fitted attributes do not fit, or a file cannot hold them."""
        names = getattr(self, "feature_names_in_", None)
        check_columns(self._columns, self.tree_.n_features, names)
        shape = (3, self.tree_.n_features)
        if getattr(self._profile, "shape", None) != shape:
            raise ValueError(f"_profile must be an array of shape {shape}")

    def _names(self, classes: NDArray[Any], columns: Columns) -> dict[str, Any]:
        features = getattr(self, "feature_names_in_", None)
        return {
            "feature_names": None if features is None else tuple(features.tolist()),
            "class_names": tuple(map(str, classes.tolist())),
            "category_names": columns.category_names,
        }

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, shape (n,)."""
        check_is_fitted(self)
        rows = encode_columns(self, X, self._columns)
        return self.classes_[self.tree_.predict_codes(rows)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return each row's class shares in its leaf, shape (n, n_classes).

        A row whose test cannot be answered goes down both branches, with the shares that the
        known training weight had at the node (Quinlan 1993, chapter 3).
        """
        check_is_fitted(self)
        return self.tree_.distribution(encode_columns(self, X, self._columns))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the node number of each row's leaf, shape (n,)."""
        check_is_fitted(self)
        return self.tree_.apply(encode_columns(self, X, self._columns))

    def decision_path(self, X: Any) -> Any:
        """Return a sparse (n, n_nodes) array: the share of each row that visits each node."""
        check_is_fitted(self)
        return self.tree_.decision_path(encode_columns(self, X, self._columns))

    def get_depth(self) -> int:
        """Return the largest number of tests on a path."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of the total gain that each feature brings, shape (n_features,).

        A test's gain is weighted by the training weight of its node. An oblique test's gain is
        shared among its features by abs(weight) times the feature's standard deviation in
        training.
        """
        check_is_fitted(self)
        spread = None if self.tree_.is_axis_parallel else self._profile[DEVIATION]
        return feature_importances(self.tree_, spread)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
