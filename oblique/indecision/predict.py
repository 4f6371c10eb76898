"""Classes of uncertain cases by any tree, hard or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oblique.indecision.cases import align
from oblique.indecision.reach import Method, check_cases, node_probabilities
from oblique.indecision.table import UncertainTable
from oblique.tree import Tree

Floats = NDArray[np.float64]

# Probabilities of nodes stand in a dense block of at most so many numbers at a time.
_DENSE = 1 << 22


def class_probabilities(model: Any, cases: UncertainTable, method: Method = "exact") -> Floats:
    """Probability of each class for uncertain cases, by any fitted tree.

    Parameters
    ----------
    model : Tree or estimator
        A tree, or a fitted tree classifier of this package or of scikit-learn.
    cases : UncertainTable
        With the model's features in its order.
    method : {"exact", "moments", "clause"}, default="exact"
        How the probability of reaching a leaf is found, see `node_probabilities`.

    Returns
    -------
    probability : ndarray of shape (n, n_classes)
        The mean of the leaves' class distributions by the probability of reaching each.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    >>> class_probabilities(model, UncertainTable(X[:1], 1.0)).round(3)
    array([[0.726, 0.195, 0.079]])
    """
    return mix_leaves(*fit_to_tree(model, cases), method)


def mix_leaves(tree: Tree, cases: UncertainTable, method: Method) -> Floats:
    """`class_probabilities` of cases whose values are in the tree's order."""
    shares = tree.class_shares
    out = np.zeros((len(cases), tree.n_classes))
    block = max(1, _DENSE // tree.n_nodes)
    for begin in range(0, len(cases), block):
        part = slice(begin, begin + block)
        reach = node_probabilities(tree, cases[part], method)
        # Leaf by leaf: a matrix product would depend on the number of rows in the last bit.
        for leaf in tree.leaves.tolist():
            out[part] += reach[:, leaf, None] * shares[leaf]
    return out


def fit_to_tree(model: Any, cases: Any) -> tuple[Tree, UncertainTable]:
    """Return a model's tree, and cases with the values of discrete features in its order."""
    from oblique.describe import tree_of

    check_cases(cases)
    tree = tree_of(model)
    columns = getattr(model, "_columns", None)
    if columns is not None:
        return tree, align(cases, columns.categories)
    # A bare tree knows the values as texts.
    return tree, align(cases, dict(tree.category_names or {}), as_text=True)
