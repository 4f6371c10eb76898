"""From what users hand in to the uncertain cases of an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from oblique.encode import Columns, encode_columns, learn_columns
from oblique.indecision._checks import (
    align_columns,
    as_numbers,
    check_distributions,
    check_std,
    names_of_columns,
)
from oblique.indecision._reading import certain_probabilities
from oblique.indecision.table import UncertainTable
from oblique.target import encode_labels

Floats = NDArray[np.float64]


def learn_cases(
    estimator: Any, X: Any, X_std: Any, categorical_features: Any
) -> tuple[UncertainTable, Columns]:
    """Check training data; sets ``n_features_in_`` and, where there are names, those."""
    if isinstance(X, UncertainTable):
        _refuse_std(X_std)
        columns = Columns(X.shape[1], X.values)
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        if X.feature_names is not None:
            estimator.feature_names_in_ = np.array(X.feature_names, dtype=object)
        return X, columns
    rows, columns = learn_columns(estimator, X, categorical_features)
    return _join(X, rows, X_std, columns), columns


def encode_cases(estimator: Any, X: Any, X_std: Any, columns: Columns) -> UncertainTable:
    """Check cases for prediction; values of discrete features as in training."""
    if not isinstance(X, UncertainTable):
        return _join(X, encode_columns(estimator, X, columns), X_std, columns)
    _refuse_std(X_std)
    if X.feature_names is not None and hasattr(estimator, "feature_names_in_"):
        import pandas as pd

        # scikit-learn compares the names, and has the words for what does not fit.
        names = pd.DataFrame(columns=list(X.feature_names), index=range(1), dtype=float)
        validate_data(estimator, names, skip_check_array=True, reset=False)
    if X.shape[1] != columns.n_features:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{columns.n_features} features as input"
        )
    return align(X, columns.categories)


def align(
    cases: UncertainTable, categories: dict[int, tuple[Any, ...]], *, as_text: bool = False
) -> UncertainTable:
    """Bring the values of discrete features into the order of a tree's codes.

    Probability on values that the tree does not know has no answer at its tests, as a missing
    value has none.
    """
    if cases.values == categories:
        return cases
    if set(cases.values) != set(categories):
        raise ValueError(
            f"features {sorted(cases.values)} of the cases are discrete, in training "
            f"{sorted(categories)} were"
        )
    part = cases[:]
    shares = {}
    for j, known in categories.items():
        values = map(str, cases.values[j]) if as_text else cases.values[j]
        place = {value: v for v, value in enumerate(values)}
        columns = [place.get(value, -1) for value in known]
        padded = np.hstack([cases.probabilities[j], np.zeros((len(cases), 1))])
        shares[j] = np.ascontiguousarray(padded[:, columns])
    object.__setattr__(part, "probabilities", shares)
    object.__setattr__(part, "values", dict(categories))
    return part


def _join(X: Any, rows: Floats, X_std: Any, columns: Columns) -> UncertainTable:
    """Make cases of encoded rows and their standard deviations."""
    X_std = align_columns("X_std", X_std, "X", X)
    std = check_std("X_std", X_std, rows, names_of_columns(X))
    probabilities = {
        j: certain_probabilities(rows[:, j], len(values))
        for j, values in columns.categories.items()
    }
    # A column in which training saw no value has none to choose from.
    probabilities = {
        j: share if share.shape[1] else np.zeros((len(rows), 1)) + np.nan
        for j, share in probabilities.items()
    }
    wrong = [j for j in probabilities if std[:, j].any()]
    if wrong:
        raise ValueError(
            f"X_std of column {wrong[0]}, which holds categories, must be 0: give probabilities of "
            "its values in an UncertainTable instead"
        )
    values = {j: columns.categories[j] or ("",) for j in probabilities}
    return UncertainTable(rows, std, probabilities=probabilities, values=values)


def _refuse_std(X_std: Any) -> None:
    if X_std is not None:
        raise ValueError("X_std must be None where X is an UncertainTable, which holds deviations")


def learn_labels(
    y: Any, n_rows: int
) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[np.intp], Floats | None]:
    """Read labels, or a distribution over the classes for each row.

    Parameters
    ----------
    y : array-like of shape (n_rows,), or (n_rows, n_classes)
        A table holds probabilities, in a data frame under the names of the classes, else of
        the classes 0, 1 ...

    Returns
    -------
    classes : ndarray
    codes : ndarray of int32
        One entry a row and class of positive probability.
    rows : ndarray of int
        Which row an entry belongs to.
    parts : ndarray or None
        The entry's probability; None where every row has one label.
    """
    # Only the shape is read: mixed labels keep their types.
    shape = () if y is None else np.asarray(y, dtype=object).shape
    if len(shape) != 2 or shape[1] < 2:
        labels, label_codes = encode_labels(y, n_rows)
        return labels, label_codes, np.arange(n_rows), None
    table = as_numbers("y of two dimensions, a table of class probabilities,", y)
    if len(table) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(table)}: they must be as many")
    shares = check_distributions("y", table, missing_allowed=False)
    names = _class_names(y) if hasattr(y, "columns") else np.arange(shape[1])
    order = np.argsort(names)
    shares = shares[:, order]
    rows, codes = np.nonzero(shares > 0.0)
    return names[order], codes.astype(np.int32), rows, shares[rows, codes]


def _class_names(y: Any) -> NDArray[Any]:
    """Return the columns of a data frame of class probabilities, which name the classes."""
    columns = list(y.columns)
    names = np.array(columns)
    if len(set(columns)) < len(columns) or names.tolist() != columns:
        raise ValueError(
            f"the columns of y must be different class names of one type, got {columns!r}"
        )
    return names
