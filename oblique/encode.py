"""From what users hand in to a float64 matrix in which categories are codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data


@dataclass(frozen=True)
class Columns:
    """Which columns are categorical and the categories each had in training.

    Attributes
    ----------
    n_features : int
    categories : dict of int to tuple
        Values of each categorical column, in the order of their codes.
    """

    n_features: int
    categories: dict[int, tuple[Any, ...]]

    @property
    def categorical(self) -> NDArray[np.bool_] | None:
        """Flags of the categorical columns, None when there are none."""
        if not self.categories:
            return None
        flags = np.zeros(self.n_features, dtype=np.bool_)
        flags[list(self.categories)] = True
        return flags

    @property
    def category_names(self) -> dict[int, tuple[str, ...]] | None:
        """Categories as texts."""
        if not self.categories:
            return None
        return {j: tuple(map(str, values)) for j, values in self.categories.items()}


def check_columns(columns: Any, n_features: int) -> None:
    """Raise ValueError unless this is a `Columns` of so many features."""
    if not isinstance(columns, Columns) or columns.n_features != n_features:
        raise ValueError(f"columns must be a Columns of {n_features} features, got {columns!r}")
    if not isinstance(columns.categories, dict):
        raise ValueError(f"categories must be a dictionary, got {columns.categories!r}")
    for feature, categories in columns.categories.items():
        if type(feature) is not int or not 0 <= feature < n_features:
            raise ValueError(f"categories: {feature!r} is not a column of {n_features}")
        if not isinstance(categories, tuple):
            raise ValueError(f"categories of column {feature} must be a tuple")
        strange = [value for value in categories if not isinstance(value, str | int | float)]
        if strange or len(set(categories)) < len(categories):
            raise ValueError(
                f"categories of column {feature} must be different texts or numbers, got "
                f"{categories!r}"
            )


def learn_columns(
    estimator: Any, X: Any, categorical_features: Any
) -> tuple[NDArray[np.float64], Columns]:
    """Check training data and encode them.

    Parameters
    ----------
    estimator : estimator
        Gets ``n_features_in_`` and, for a data frame, ``feature_names_in_``.
    X : array-like or data frame of shape (n, d)
        NaN (or None, or pandas' NA) is a missing value; infinity is refused.
    categorical_features : "from_dtype", None, or array-like
        "from_dtype": columns of a data frame with a category, object or string dtype. None:
        no column. Else indices, names or a mask of the categorical columns.

    Returns
    -------
    X : ndarray of shape (n, d)
        float64 in C order; may be the caller's own array, which is never written to.
    columns : Columns
    """
    if _is_plain(X) and isinstance(categorical_features, str):
        # All that validate_data would find in such an array are infinities, and it is slow
        # beside the growing of a small tree.
        _refuse_infinity(X)
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        return X, Columns(X.shape[1], {})
    which = _categorical_columns(X, categorical_features)
    if not which:
        rows = validate_data(
            estimator, X, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
        return rows, Columns(rows.shape[1], {})
    validate_data(estimator, X, skip_check_array=True)
    frame = _as_frame(X)
    if not len(frame):
        raise ValueError("X has 0 rows: at least 1 is needed to fit")
    categories = {j: _categories(frame.iloc[:, j]) for j in which}
    columns = Columns(frame.shape[1], categories)
    return _encode(frame, columns), columns


def encode_columns(estimator: Any, X: Any, columns: Columns) -> NDArray[np.float64]:
    """Check rows for prediction and encode them as in training.

    A category that training did not have becomes a missing value.
    """
    if not columns.categories:
        if _is_plain(X) and X.shape[1] == columns.n_features:
            if hasattr(estimator, "feature_names_in_"):
                validate_data(estimator, X, skip_check_array=True, reset=False)
            _refuse_infinity(X)
            return X
        return validate_data(
            estimator, X, reset=False, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
    validate_data(estimator, X, skip_check_array=True, reset=False)
    return _encode(_as_frame(X), columns)


def _is_plain(X: Any) -> bool:
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.flags.c_contiguous
        and X.size > 0
    )


def _refuse_infinity(X: NDArray[np.float64]) -> None:
    if np.isinf(X).any():
        row, column = np.argwhere(np.isinf(X))[0]
        raise ValueError(
            f"Input X contains infinity (row {row}, column {column}); replace it by a finite "
            "value, or by NaN if it stands for a missing one"
        )


def _as_frame(X: Any) -> Any:
    import pandas as pd

    if isinstance(X, pd.DataFrame):
        return X
    if hasattr(X, "__dataframe__"):
        return pd.api.interchange.from_dataframe(X)
    return pd.DataFrame(np.asarray(X, dtype=object))


def _categorical_columns(X: Any, wanted: Any) -> list[int]:
    """Indices of the categorical columns."""
    if wanted is None:
        return []
    if isinstance(wanted, str):
        if wanted != "from_dtype":
            raise ValueError(
                f'categorical_features={wanted!r} must be "from_dtype", None, or indices, names '
                "or a mask of columns"
            )
        if not hasattr(X, "dtypes") or not hasattr(X, "iloc"):
            return []
        return [j for j, dtype in enumerate(X.dtypes) if _holds_categories(dtype)]
    listed = np.asarray(wanted)
    shape = np.shape(X)
    n_features = shape[1] if len(shape) == 2 else 0
    if listed.dtype == np.bool_:
        if listed.shape != (n_features,):
            raise ValueError(
                f"categorical_features is a mask of shape {listed.shape}, but X has "
                f"{n_features} features"
            )
        return np.flatnonzero(listed).tolist()
    if listed.dtype.kind in "iu":
        bad = [int(j) for j in listed if not -n_features <= j < n_features]
        if bad:
            raise ValueError(
                f"categorical_features names columns {bad}, but X has {n_features} features"
            )
        return sorted({int(j) % n_features for j in listed})
    names = list(getattr(X, "columns", []))
    unknown = [name for name in listed.tolist() if name not in names]
    if unknown:
        raise ValueError(f"categorical_features names {unknown}, which are not columns of X")
    return sorted({names.index(name) for name in listed.tolist()})


def _holds_categories(dtype: Any) -> bool:
    import pandas as pd

    return isinstance(dtype, pd.CategoricalDtype | pd.StringDtype) or dtype.kind == "O"


def _categories(column: Any) -> tuple[Any, ...]:
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return tuple(column.cat.categories.tolist())
    values = column.dropna().unique().tolist()
    # Values of several types have no order of their own; their texts do.
    return tuple(sorted(values, key=lambda value: (str(type(value)), value)))


def _encode(frame: Any, columns: Columns) -> NDArray[np.float64]:
    import pandas as pd

    out = np.empty(frame.shape)
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        if j in columns.categories:
            codes = pd.Categorical(column, categories=list(columns.categories[j])).codes
            out[:, j] = np.where(codes < 0, np.nan, codes)
            continue
        try:
            out[:, j] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"column {frame.columns[j]!r} holds values that are not numbers ({error}); make "
                "it a category column or name it in categorical_features"
            ) from error
    _refuse_infinity(out)
    return out
