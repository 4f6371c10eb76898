"""Trees that scikit-learn has fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique.tree import Tree


def tree_from_sklearn(estimator: Any) -> Tree:
    """Adapt a fitted scikit-learn decision tree classifier.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or ExtraTreeClassifier
        Fitted, with one output. For a forest adapt its ``estimators_`` one by one.

    Returns
    -------
    tree : Tree
        With scikit-learn's node numbers. Rows of float64 reach exactly the leaves they reach
        there (see `float64_thresholds`); a missing value goes wholly to the side that
        scikit-learn chose.

    Raises
    ------
    TypeError
        For anything but a classification tree.
    sklearn.exceptions.NotFittedError
        When it is not fitted.
    ValueError
        For several outputs.
    """
    _check_sklearn(estimator)
    tree = estimator.tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    names = getattr(estimator, "feature_names_in_", None)
    indptr = np.zeros(tree.node_count + 1, dtype=np.int32)
    np.cumsum(tree.children_left >= 0, out=indptr[1:])
    goes_left = np.asarray(tree.missing_go_to_left, dtype=np.float64)
    is_inner = tree.children_left >= 0
    no_codes = np.zeros(tree.node_count, dtype=np.int32)
    shares = tree.value[:, 0, :]
    return Tree(
        children_left=tree.children_left.astype(np.int32),
        children_right=tree.children_right.astype(np.int32),
        threshold=np.where(is_inner, float64_thresholds(tree.threshold), np.nan),
        weight_indptr=indptr,
        weight_indices=tree.feature[inner].astype(np.int32),
        weight_values=np.ones(inner.size),
        category_indptr=np.zeros(tree.node_count + 1, dtype=np.int32),
        category_codes=np.empty(0, dtype=np.int32),
        category_left=no_codes,
        category_open=no_codes.astype(np.bool_),
        missing_left=np.where(is_inner, goes_left, 0.5),
        counts=_class_weights(shares, tree.weighted_n_node_samples),
        impurity=np.array(tree.impurity, dtype=np.float64),
        labels=shares.argmax(axis=1).astype(np.int32),
        n_features=int(tree.n_features),
        criterion="gini" if estimator.criterion == "gini" else "entropy",
        feature_names=None if names is None else tuple(map(str, names)),
        class_names=tuple(map(str, estimator.classes_.tolist())),
    )


def _check_sklearn(estimator: Any) -> None:
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(estimator, DecisionTreeClassifier):
        name = type(estimator).__name__
        hint = "; adapt the trees of its estimators_" if hasattr(estimator, "estimators_") else ""
        raise TypeError(
            "estimator must be scikit-learn's DecisionTreeClassifier or ExtraTreeClassifier, "
            f"got {name}{hint}"
        )
    check_is_fitted(estimator)
    if estimator.n_outputs_ != 1:
        raise ValueError(
            f"estimator has {estimator.n_outputs_} outputs: fit one tree for each of them"
        )


def _class_weights(shares: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of the classes; shares of whole numbers come back as those numbers."""
    weights = shares * totals[:, None]
    whole = np.rint(weights)
    is_near = np.abs(weights - whole) <= 1e-12 * totals[:, None]
    return np.where(is_near, whole, weights)


def float64_thresholds(threshold: ArrayLike) -> NDArray[np.float64]:
    """Thresholds t' such that ``x <= t'`` in float64 equals ``float32(x) <= t``.

    scikit-learn rounds a row to float32 before it compares. With f the largest float32 not
    above t, the values that round to f or less end halfway to the next float32; halfway
    itself rounds to the one whose last bit is zero.

    Parameters
    ----------
    threshold : array-like of float64

    Returns
    -------
    moved : ndarray of float64
        Finite also where a threshold is infinite ("every value that is not missing").
    """
    t = np.asarray(threshold, dtype=np.float64)
    with np.errstate(over="ignore", under="ignore"):
        below = t.astype(np.float32)
        above_t = below.astype(np.float64) > t
        below = np.where(above_t, np.nextafter(below, np.float32(-np.inf)), below)
        above = np.nextafter(below, np.float32(np.inf))
    # Rounding treats the value beyond the largest float32 as if it were 2 ** 128.
    edge = 2.0**128
    halfway = (
        np.clip(below, -edge, edge, dtype=np.float64)
        + np.clip(above, -edge, edge, dtype=np.float64)
    ) / 2.0
    is_even = below.view(np.uint32) % 2 == 0
    moved = np.where(is_even, halfway, np.nextafter(halfway, -np.inf))
    return np.where(t == np.inf, np.finfo(np.float64).max, moved)
