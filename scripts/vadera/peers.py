"""Trees of other packages as scikit-learn classifiers; a package is imported only to fit.

So a strategy can be named, and its results read from a store, where its package is not installed.
"""

from __future__ import annotations

import importlib
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame
from sklearn.base import BaseEstimator, ClassifierMixin

_LABEL = "__label"


class TreeSize(NamedTuple):
    """What a comparison measures of a tree, under scikit-learn's names."""

    n_leaves: int
    max_depth: int


class Peer(ClassifierMixin, BaseEstimator):
    """A classifier of another package, for columns of numbers.

    Attributes
    ----------
    classes_ : ndarray
    model_ : object
        The other package's own.
    tree_ : TreeSize
        Only for single trees.
    """

    package: ClassVar[str]

    def __init__(self, random_state: int | None = None):
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit on numbered classes, which every package takes."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model_ = self._train(np.asarray(X, dtype=np.float64), codes)
        size = self._size()
        if size is not None:
            self.tree_ = size
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, a column for each of ``classes_``."""
        return np.asarray(self.model_.predict_proba(np.asarray(X, dtype=np.float64)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes as the other package predicts them."""
        codes = np.asarray(self.model_.predict(np.asarray(X, dtype=np.float64)), dtype=np.intp)
        return self.classes_[codes]

    def _train(self, X: NDArray[np.float64], codes: NDArray[np.intp]) -> Any:
        raise NotImplementedError

    def _size(self) -> TreeSize | None:
        return None


class TreepleTree(Peer):
    """treeple's single oblique tree (sparse random combinations of columns), its defaults."""

    package = "treeple"

    def _train(self, X: NDArray[np.float64], codes: NDArray[np.intp]) -> Any:
        from treeple.tree import ObliqueDecisionTreeClassifier

        return ObliqueDecisionTreeClassifier(random_state=self.random_state).fit(X, codes)

    def _size(self) -> TreeSize:
        tree = self.model_.tree_
        return TreeSize(int(tree.n_leaves), int(tree.max_depth))


class StreeTree(Peer):
    """stree's tree of support vector machines on normalised columns, else its defaults."""

    package = "stree"

    def _train(self, X: NDArray[np.float64], codes: NDArray[np.intp]) -> Any:
        from stree import Stree

        return Stree(normalize=True, random_state=self.random_state).fit(X, codes)

    def _size(self) -> TreeSize:
        _, leaves = self.model_.nodes_leaves()
        # stree counts levels, not edges.
        return TreeSize(int(leaves), int(self.model_.get_depth()) - 1)


class _Ydf(Peer):
    """A learner of ydf (Yggdrasil Decision Forests), on one thread."""

    package = "ydf"

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities, a column for each of ``classes_``."""
        answer = np.asarray(self.model_.predict(_frame(X)), dtype=np.float64)
        # With two classes ydf answers the probability of the second one alone.
        table = np.column_stack([1.0 - answer, answer]) if answer.ndim == 1 else answer
        order = [self.model_.label_classes().index(str(k)) for k in range(len(self.classes_))]
        return table[:, order]

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of largest probability."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _train(self, X: NDArray[np.float64], codes: NDArray[np.intp]) -> Any:
        frame = _frame(X).assign(**{_LABEL: codes})
        learner = self._learner({"label": _LABEL, "num_threads": 1, **self._seed()})
        return learner.train(frame, verbose=0)

    def _learner(self, given: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _seed(self) -> dict[str, int]:
        # ydf's seed is an int32.
        return {} if self.random_state is None else {"random_seed": self.random_state % 2**31}


class YdfTree(_Ydf):
    """One tree of ydf.

    Parameters
    ----------
    oblique : bool, default=True
        Sparse oblique tests (SPORF), or tests of one column.
    pruned : bool, default=False
        ydf's CART, pruned on a tenth of the rows; else the one tree of a random forest that
        sees all rows and all columns.
    """

    def __init__(self, oblique: bool = True, pruned: bool = False, random_state: int | None = None):
        super().__init__(random_state)
        self.oblique = oblique
        self.pruned = pruned

    def _learner(self, given: dict[str, Any]) -> Any:
        import ydf

        axis = "SPARSE_OBLIQUE" if self.oblique else "AXIS_ALIGNED"
        if self.pruned:
            return ydf.CartLearner(split_axis=axis, **given)
        return ydf.RandomForestLearner(
            num_trees=1, split_axis=axis, bootstrap_training_dataset=False,
            num_candidate_attributes_ratio=1.0, compute_oob_performances=False, **given,
        )  # fmt: skip

    def _size(self) -> TreeSize:
        leaves, deepest, left = 0, 0, [(self.model_.get_tree(0).root, 0)]
        while left:
            node, depth = left.pop()
            if node.is_leaf:
                leaves, deepest = leaves + 1, max(deepest, depth)
            else:
                left += [(node.pos_child, depth + 1), (node.neg_child, depth + 1)]
        return TreeSize(leaves, deepest)


class YdfBoosted(_Ydf):
    """ydf's gradient boosted trees with sparse oblique tests, else its defaults."""

    def _learner(self, given: dict[str, Any]) -> Any:
        import ydf

        return ydf.GradientBoostedTreesLearner(split_axis="SPARSE_OBLIQUE", **given)


def why_missing(package: str) -> str | None:
    """Say why a package cannot be used here; None where it can."""
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name == package:
            return f"{package} is not installed"
        return f"{package} cannot be imported ({error})"
    # A package compiled for another version of scikit-learn may raise anything.
    except Exception as error:
        reason = " ".join(str(error).split())
        return f"{package} cannot be imported ({type(error).__name__}: {reason})"
    return None


def find_version(package: str) -> str | None:
    """Version of an installed package; None if there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _frame(X: Any) -> DataFrame:
    rows = np.asarray(X, dtype=np.float64)
    return DataFrame(rows, columns=[f"x{j}" for j in range(rows.shape[1])])
