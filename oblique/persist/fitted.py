"""Whether the fitted attributes of an estimator fit together."""

from __future__ import annotations

from typing import Any

import numpy as np

from oblique.tree import Tree

# Attributes that only some fitted estimators of a class have.
OPTIONAL = frozenset({"feature_names_in_"})


def check_fitted(estimator: Any) -> None:
    """Check that the fitted attributes fit together, those known here and the class's own."""
    fitted = vars(estimator)
    tree, classes = fitted.get("tree_"), fitted.get("classes_")
    n_features, names = fitted.get("n_features_in_"), fitted.get("feature_names_in_")
    if "tree_" in fitted and not isinstance(tree, Tree):
        raise ValueError(f"tree_ must be a tree, got {type(tree).__name__}")
    if "classes_" in fitted and (not isinstance(classes, np.ndarray) or classes.ndim != 1):
        raise ValueError("classes_ must be an array of one dimension")
    if "n_features_in_" in fitted and (type(n_features) is not int or n_features < 0):
        raise ValueError(f"n_features_in_={n_features!r} must be an integer of at least 0")
    if tree is not None and classes is not None and tree.n_classes != len(classes):
        raise ValueError(f"classes_ has {len(classes)} classes, tree_ {tree.n_classes}")
    if tree is not None and n_features is not None and tree.n_features != n_features:
        raise ValueError(f"n_features_in_ is {n_features}, tree_ has {tree.n_features} features")
    if names is not None and (not isinstance(names, np.ndarray) or names.shape != (n_features,)):
        raise ValueError(f"feature_names_in_ must be an array of {n_features} names")
    if names is not None and len({name for name in names if isinstance(name, str)}) < len(names):
        raise ValueError(f"feature_names_in_ must hold different texts, got {names.tolist()}")
    if hasattr(estimator, "_check_fitted"):
        estimator._check_fitted()
