"""The strategies that this package offers to comparisons, each an unfitted classifier.

The entry-point group ``oblique.strategies`` names these functions; another package adds its
own methods by filling the same group in its ``pyproject.toml``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.tree import DecisionTreeClassifier

from oblique.estimators import LDTClassifier, ObliqueTreeClassifier
from oblique.finders import AxisParallel
from oblique.indecision import IndecisionTreeClassifier
from oblique.pruning import CostComplexity

if TYPE_CHECKING:
    from pandas import DataFrame


def ldt() -> LDTClassifier:
    """LDT, unpruned: discriminants moved to the safe side (Vadera 2005)."""
    return LDTClassifier()


def ldt_safe_pruned() -> LDTClassifier:
    """LDT with the pruning that keeps the unsafe class safe (Vadera 2005)."""
    return LDTClassifier(pruning="safe")


def ap() -> ObliqueTreeClassifier:
    """Axis-parallel tree grown by information gain, unpruned (AP of Vadera 2005)."""
    return ObliqueTreeClassifier(finder=AxisParallel(), criterion="entropy")


def ap_pruned() -> ObliqueTreeClassifier:
    """Axis-parallel tree, cost-complexity pruned on a tenth of the rows (AP of Vadera 2005)."""
    return ObliqueTreeClassifier(
        finder=AxisParallel(), criterion="entropy", pruning=CostComplexity()
    )


def indecision() -> IndecisionTreeClassifier:
    """Indecision tree that takes 2 % of each range for uncertain (Kent & Menager 2022)."""
    return IndecisionTreeClassifier(assumed_noise=0.02)


def cart() -> Pipeline:
    """CART of scikit-learn with its defaults; a category becomes an indicator column."""
    return make_pipeline(IndicatorColumns(), DecisionTreeClassifier())


class IndicatorColumns(TransformerMixin, BaseEstimator):
    """Turn every column of categories into one column of 0 and 1 for each category.

    For classifiers that read numbers only. Tables without categories pass as they are, which
    costs no time. A category that fit has not seen is 0 in all columns; so is a missing one.

    Attributes
    ----------
    columns_ : list of str
        Names of the columns that `transform` returns.
    """

    def fit(self, X: DataFrame, y: Any = None) -> Self:
        """Learn the categories."""
        self.columns_ = list(_expand(X).columns)
        return self

    def transform(self, X: DataFrame) -> DataFrame:
        """Return the table with indicators in place of categories."""
        expanded = _expand(X)
        if list(expanded.columns) == self.columns_:
            return expanded
        return expanded.reindex(columns=self.columns_, fill_value=0)


def _expand(X: DataFrame) -> DataFrame:
    import pandas as pd

    names = list(X.select_dtypes(include=["category", "object", "string"]).columns)
    return pd.get_dummies(X, columns=names, dtype=float) if names else X
