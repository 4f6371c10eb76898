"""How much each feature brings to a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oblique import _kernels
from oblique.criteria import criterion_code

if TYPE_CHECKING:
    from oblique.tree import Tree


def feature_importances(tree: Tree, spread: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the share of the total gain that each feature brings.

    The gain of a test is weighted by the training weight of its node. That of an oblique test
    is shared among its features by abs(weight) times spread.

    Parameters
    ----------
    tree : Tree
    spread : ndarray of shape (n_features,) or None
        Standard deviation of each column. None: ones, enough for tests of one feature.

    Returns
    -------
    importances : ndarray of shape (n_features,)
        They sum to one, or are all zero for a tree without gain.
    """
    left, right = tree.children_left, tree.children_right
    code = criterion_code(tree.criterion)
    gains = np.zeros(tree.n_nodes)
    for node in np.flatnonzero(left >= 0):
        sides = tree.counts[left[node]], tree.counts[right[node]]
        # Rounding can leave a test that gains nothing below zero.
        gain = max(0.0, _kernels.counts_gain(code, *sides))
        gains[node] = gain * tree.counts[node].sum()
    if spread is None:
        spread = np.ones(tree.n_features)
    parts = np.abs(tree.weights).multiply(spread[None, :]).tocsr()
    totals = np.asarray(parts.sum(axis=1)).ravel()
    scale = np.divide(gains, totals, out=np.zeros(tree.n_nodes), where=totals > 0.0)
    importance = np.asarray(parts.T @ scale).ravel()
    total = importance.sum()
    return importance / total if total > 0.0 else importance
