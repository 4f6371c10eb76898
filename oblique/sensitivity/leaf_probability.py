"""Class probabilities of leaves, smoothed for leaves with few rows."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique._suggest import unknown_name
from oblique.sensitivity.model import view_model

LeafEstimate = Literal["laplace", "m", "raw"]
ESTIMATES = ("laplace", "m", "raw")
_PRIOR_MASS = 10.0
_TINY = 1e-300


def leaf_probabilities(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    method: LeafEstimate = "laplace",
    m: float | None = None,
) -> NDArray[np.float64]:
    """Estimate the class probabilities of every leaf from rows.

    Parameters
    ----------
    model : Tree or fitted classifier
    X : array-like or data frame of shape (n, n_features)
        Rows, usually those of the training.
    y : array-like of shape (n,)
        Their classes.
    sample_weight : array-like of shape (n,) or None
    method : {"laplace", "m", "raw"}
        With k of the n rows of a leaf in the class and C classes: (k + 1) / (n + C); the
        m-estimate (k + m p) / (n + m) with the class's share p of all rows; or k / n.
    m : float or None
        None: 10 / p for each class, as Zadrozny and Elkan (2001) advise (m p = 10). The
        probabilities of a leaf then do not sum to one; they are meant to rank.

    Returns
    -------
    probabilities : ndarray of shape (n_nodes, n_classes)
        NaN for inner nodes. A leaf without rows has k = n = 0; the raw estimate is then the
        tree's own.

    References
    ----------
    B. Cestnik, "Estimating probabilities: a crucial task in machine learning", ECAI 1990.
    """
    view = view_model(model)
    tree = view.tree
    leaves = tree.apply(view.encode(X))
    n_classes = len(view.classes)
    labels = np.asarray(y)
    mass = np.ones(len(leaves)) if sample_weight is None else np.asarray(sample_weight, float)
    for name, given in (("y", labels), ("sample_weight", mass)):
        if given.shape != leaves.shape:
            raise ValueError(
                f"{name} has shape {given.shape}, expected {leaves.shape}, one entry a row"
            )
    codes = np.searchsorted(view.classes, labels).clip(max=n_classes - 1)
    unknown = (view.classes[codes] != labels) & (mass > 0.0)
    if unknown.any():
        raise ValueError(
            f"y holds {labels[unknown][0]!r}, which is no class of the model; the classes are "
            f"{view.classes.tolist()}"
        )
    cells = leaves * n_classes + codes
    sums = np.bincount(cells, weights=mass, minlength=tree.n_nodes * n_classes)
    k: NDArray[np.float64] = sums.astype(np.float64).reshape(tree.n_nodes, n_classes)
    if method == "raw":
        k = np.where(k.sum(axis=1, keepdims=True) > 0.0, k, tree.counts)
    estimate = smooth_counts(k, method=method, m=m, totals=k[tree.leaves].sum(axis=0))
    estimate[tree.children_left >= 0] = np.nan
    return estimate


def smooth_counts(
    k: NDArray[np.float64],
    *,
    method: LeafEstimate = "laplace",
    m: float | None = None,
    totals: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Class probabilities from the class counts of nodes, see `leaf_probabilities`.

    Parameters
    ----------
    k : ndarray of shape (n_nodes, n_classes)
    method, m
        As in `leaf_probabilities`.
    totals : ndarray of shape (n_classes,) or None
        Counts of all rows, which give the classes' shares; None: those of the first node.
    """
    if method not in ESTIMATES:
        raise ValueError(unknown_name("method", str(method), ESTIMATES))
    if m is not None and not m > 0.0:
        raise ValueError(f"m={m!r} must be positive, or None for 10 over the class's share")
    n = k.sum(axis=1, keepdims=True)
    if method == "laplace":
        return np.asarray((k + 1.0) / (n + k.shape[1]))
    if method == "raw":
        return np.asarray(k / np.maximum(n, _TINY))
    totals = k[0] if totals is None else totals
    prior = np.maximum(totals / max(totals.sum(), _TINY), _TINY)
    strength = np.full(k.shape[1], m) if m is not None else _PRIOR_MASS / prior
    return np.asarray((k + strength * prior) / (n + strength))
