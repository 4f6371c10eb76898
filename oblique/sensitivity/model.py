"""One view of everything that holds a tree: ours, scikit-learn's, or a tree made by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from oblique.encode import encode_columns
from oblique.tree import Tree
from projection import Partition

if TYPE_CHECKING:
    import pandas as pd

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class TreeModel:
    """A tree, how cases become rows of numbers for it, and how it classifies them.

    Attributes
    ----------
    tree : Tree
    classes : ndarray of shape (n_classes,)
        Labels by class code.
    feature_names : tuple of str
        Names of the columns, ``x0, x1, ...`` when there are none.
    encode : function of X
        Rows of float64; categories become codes.
    predict_codes : function of rows
        Class codes, by the model's own prediction.
    categories : mapping of int to tuple
        Values of each categorical column, in the order of their codes.
    profile : ndarray of shape (3, n_features) or None
        What the model remembers of its training rows, see `oblique.profile`.
    """

    tree: Tree
    classes: NDArray[Any]
    feature_names: tuple[str, ...]
    encode: Callable[[Any], Rows]
    predict_codes: Callable[[Rows], NDArray[np.int64]]
    categories: Mapping[int, tuple[Any, ...]]
    profile: Rows | None = None

    def decode(self, rows: Rows) -> pd.DataFrame:
        """Data frame of encoded rows, categories by their values."""
        import pandas as pd  # slow to import, and only frames need it

        columns: dict[str, Any] = dict(zip(self.feature_names, rows.T, strict=True))
        for j, values in self.categories.items():
            codes = np.where(np.isnan(rows[:, j]), -1.0, rows[:, j]).astype(np.int64)
            columns[self.feature_names[j]] = pd.Categorical.from_codes(codes, list(values))
        return pd.DataFrame(columns)


def view_model(model: Any) -> TreeModel:
    """Return the view of a `Tree`, a fitted classifier of ours, or one of scikit-learn.

    Raises
    ------
    TypeError
        If there is no single classification tree in `model`.
    """
    if isinstance(model, Tree):
        names = model.class_names
        return TreeModel(
            model,
            np.arange(model.n_classes) if names is None else np.array(names),
            _names(model, model),
            partial(_plain_rows, tree=model),
            partial(_tree_codes, model),
            model.category_names or {},
        )
    if hasattr(model, "fit"):
        check_is_fitted(model)
    tree = getattr(model, "tree_", None)
    # A classifier that wraps another may show its tree, but reads cases in its own way.
    if isinstance(tree, Tree) and hasattr(model, "_columns"):
        return TreeModel(
            tree,
            model.classes_,
            _names(model, tree),
            partial(_encoded_rows, model),
            partial(_tree_codes, tree),
            model._columns.categories,
            getattr(model, "_profile", None),
        )
    if tree is not None and hasattr(model, "classes_") and hasattr(tree, "node_count"):
        return _view_sklearn(model)
    raise TypeError(
        f"model={model!r:.60} holds no single classification tree: give a Tree, a fitted "
        "classifier of this package, or a fitted scikit-learn tree classifier (of a pipeline or "
        "a search the tree in it, model[-1] or model.best_estimator_)"
    )


def _view_sklearn(model: Any) -> TreeModel:
    """View of a scikit-learn tree, which compares float32 values when it predicts."""
    tree = Tree.from_sklearn(model)
    return TreeModel(
        tree,
        model.classes_,
        _names(model, tree),
        partial(_sklearn_rows, model),
        partial(_sklearn_codes, model),
        {},
    )


# Functions of a view are named ones, so that it can be pickled.


def _tree_codes(tree: Tree, rows: Rows) -> NDArray[np.int64]:
    return tree.predict_codes(rows).astype(np.int64)


def _encoded_rows(model: Any, X: Any) -> Rows:
    return encode_columns(model, X, model._columns)


def _sklearn_rows(model: Any, X: Any) -> Rows:
    return np.asarray(
        validate_data(model, X, reset=False, dtype=np.float64, order="C", ensure_all_finite=False)
    )


def _sklearn_codes(model: Any, rows: Rows) -> NDArray[np.int64]:
    leaves = model.tree_.apply(rows.astype(np.float32))
    return np.asarray(model.tree_.value[leaves, 0, :].argmax(axis=1), dtype=np.int64)


def _names(model: Any, tree: Tree) -> tuple[str, ...]:
    names = getattr(model, "feature_names_in_", tree.feature_names)
    if names is None:
        return tuple(f"x{j}" for j in range(tree.n_features))
    return tuple(map(str, names))


def _plain_rows(X: Any, tree: Tree) -> Rows:
    """Rows of numbers for a tree without an estimator; data frames are read by column name."""
    if hasattr(X, "columns") and tree.feature_names is not None:
        missing = [name for name in tree.feature_names if name not in set(X.columns)]
        if missing:
            raise ValueError(f"X lacks the columns {missing} that the tree tests")
        X = X[list(tree.feature_names)]
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != tree.n_features:
        raise ValueError(
            f"X must have shape (n, {tree.n_features}), one column a feature of the tree, got "
            f"{rows.shape}"
        )
    return rows


def partition_of(tree: Tree) -> Partition:
    """Read the tests of a tree as a partition of the space."""
    tested = np.flatnonzero(np.diff(tree.category_indptr))
    stored = np.repeat(np.arange(tree.n_nodes), np.diff(tree.weight_indptr))
    linear = ~np.isin(stored, tested)
    sizes = np.diff(tree.weight_indptr).astype(np.int64)
    sizes[tested] = 0
    sets = _category_sets(tree, tested) if len(tested) else {}
    return Partition(
        tree.children_left.astype(np.int64),
        tree.children_right.astype(np.int64),
        np.concatenate([[0], np.cumsum(sizes)]),
        tree.weight_indices[linear].astype(np.int64),
        tree.weight_values[linear],
        np.nan_to_num(tree.threshold),
        tree.n_features,
        **sets,
    )


def _category_sets(tree: Tree, tested: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
    """Sets of codes of the tests on categories: which go left, which go right."""
    names = tree.category_names or {}
    largest = max([int(tree.category_codes.max())] + [len(known) - 1 for known in names.values()])
    left = np.zeros((len(tested), largest + 1), dtype=np.bool_)
    right = np.zeros_like(left)
    feature = tree.weight_indices[tree.weight_indptr[tested]].astype(np.int64)
    for i, node in enumerate(tested):
        codes = tree.category_codes[tree.category_indptr[node] : tree.category_indptr[node + 1]]
        n_left = tree.category_left[node]
        left[i, codes[:n_left]] = True
        right[i, codes[n_left:]] = True
        if tree.category_open[node]:
            n_known = max(len(names.get(int(feature[i]), ())), int(codes.max()) + 1)
            right[i, :n_known] = ~left[i, :n_known]
    number = np.full(tree.n_nodes, -1, dtype=np.int64)
    number[tested] = np.arange(len(tested))
    return {"category_set": number, "set_feature": feature, "members": left, "members_right": right}
