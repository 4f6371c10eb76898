"""From what users hand in to a float64 matrix in which categories are codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
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


def check_columns(columns: Any, n_features: int, names: Any = None) -> None:
    """Raise ValueError unless this is a `Columns` of so many features that a file can hold."""
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
            column = feature if names is None else repr(names[feature])
            bad = repr(strange[0]) if strange else repr(categories)
            raise ValueError(
                f"the categories of column {column} must be different texts or numbers, got {bad}; "
                "turn the column into texts before you fit, for example by astype(str)"
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
    wanted = _wanted_columns(categorical_features)
    if _is_plain(X) and (wanted is None or isinstance(wanted, str)):
        # All that validate_data would find in such an array are infinities, and it is slow
        # beside the growing of a small tree.
        _refuse_infinity(X)
        estimator.n_features_in_ = X.shape[1]
        vars(estimator).pop("feature_names_in_", None)
        return X, Columns(X.shape[1], {})
    frame = _as_frame(estimator, X, make=not (wanted is None or isinstance(wanted, str)))
    if frame is None:
        rows = _check_numbers(estimator, X, reset=True)
        return rows, Columns(rows.shape[1], {})
    names = frame.columns.tolist()
    if frame is X and all(type(name) is str for name in names):
        # As validate_data has it, which takes as long as ten nodes of a small tree.
        estimator.n_features_in_ = len(names)
        estimator.feature_names_in_ = np.array(names, dtype=object)
    else:
        validate_data(estimator, X, skip_check_array=True)
    which = _categorical_columns(frame, wanted)
    columns = Columns(frame.shape[1], {j: _categories(frame, j) for j in which})
    return _encode(frame, columns), columns


def encode_columns(estimator: Any, X: Any, columns: Columns) -> NDArray[np.float64]:
    """Check rows for prediction and encode them as in training.

    A category that training did not have becomes a missing value.
    """
    if _is_plain(X) and not columns.categories and X.shape[1] == columns.n_features:
        if hasattr(estimator, "feature_names_in_"):
            validate_data(estimator, X, skip_check_array=True, reset=False)
        _refuse_infinity(X)
        return X
    frame = _as_frame(estimator, X, make=bool(columns.categories))
    if frame is None:
        return _check_numbers(estimator, X, reset=False)
    validate_data(estimator, X, skip_check_array=True, reset=False)
    return _encode(frame, columns)


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


def _check_numbers(estimator: Any, X: Any, *, reset: bool) -> NDArray[np.float64]:
    """Read a table without categories."""
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind in tuple("mM") or isinstance(X, np.ma.MaskedArray):
        what = "times" if kind in tuple("mM") else "masked values"
        raise ValueError(f"X is an array of {what}: turn it into numbers, NaN where one is missing")
    try:
        return validate_data(
            estimator, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite="allow-nan"
        )
    except ValueError as error:
        if str(error).startswith(("could not convert", "setting an array element")):
            raise ValueError(
                f"X is not a table of numbers: {error}; name columns of categories in "
                "categorical_features, or hand in a data frame in which they have a category dtype"
            ) from error
        raise


# ---------------------------------------------------------------- data frames


def _as_frame(estimator: Any, X: Any, *, make: bool) -> Any:
    """Return a data frame as pandas' own; others only if ``make``, else None for them."""
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        frame = X
    elif hasattr(X, "to_pandas"):
        frame = X.to_pandas()
    elif make:
        import pandas as pd

        # Checks the shape, and leaves what stands in the cells to each column.
        cells = check_array(X, dtype=object, ensure_all_finite=False, estimator=estimator)
        frame = pd.DataFrame(cells)
    else:
        return None
    if not frame.shape[0] or not frame.shape[1]:
        raise ValueError(
            f"X has {frame.shape[0]} row(s) and {frame.shape[1]} feature(s); a minimum of 1 is "
            "required of both"
        )
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise ValueError(f"X has more than one column of name {twice!r}: rename all but one")
    return frame


def _wanted_columns(wanted: Any) -> str | NDArray[Any] | None:
    """Check ``categorical_features`` as far as it can be without data."""
    if wanted is None or (isinstance(wanted, str) and wanted == "from_dtype"):
        return wanted
    listed = np.asarray(wanted)
    if not isinstance(wanted, str) and listed.ndim == 1:
        if not listed.size:
            return None
        if listed.dtype.kind in "biuUOT":
            return listed
    raise ValueError(
        f'categorical_features={wanted!r} must be "from_dtype", None, or a list of indices, of '
        "names or of truth values for the columns"
    )


def _categorical_columns(frame: Any, wanted: str | NDArray[Any] | None) -> list[int]:
    """Indices of the categorical columns."""
    if wanted is None:
        return []
    if isinstance(wanted, str):
        return [j for j, dtype in enumerate(frame.dtypes) if _holds_categories(dtype)]
    n_features = frame.shape[1]
    if wanted.dtype.kind == "b":
        if wanted.shape != (n_features,):
            raise ValueError(
                f"categorical_features is a mask of {wanted.size} values, but X has "
                f"{n_features} features"
            )
        return np.flatnonzero(wanted).tolist()
    if wanted.dtype.kind in "iu":
        bad = [int(j) for j in wanted if not -n_features <= j < n_features]
        if bad:
            raise ValueError(
                f"categorical_features names columns {bad}, but X has {n_features} features, "
                f"0 to {n_features - 1}"
            )
        return sorted({int(j) % n_features for j in wanted})
    places = {name: j for j, name in enumerate(frame.columns)}
    unknown = [name for name in wanted.tolist() if name not in places]
    if unknown:
        raise ValueError(f"categorical_features names {unknown}, which are not columns of X")
    return sorted({places[name] for name in wanted.tolist()})


def _holds_categories(dtype: Any) -> bool:
    import pandas as pd

    return isinstance(dtype, pd.CategoricalDtype | pd.StringDtype) or dtype.kind == "O"


def _categories(frame: Any, j: int) -> tuple[Any, ...]:
    import pandas as pd

    column = frame.iloc[:, j]
    if isinstance(column.dtype, pd.CategoricalDtype):
        return tuple(column.cat.categories.tolist())
    try:
        values = column.dropna().unique().tolist()
    except TypeError as error:
        raise ValueError(
            f"column {frame.columns[j]!r} holds values that cannot be categories ({error})"
        ) from error
    # Values of several types have no order of their own; their texts do.
    return tuple(sorted(values, key=lambda value: (str(type(value)), value)))


def _encode(frame: Any, columns: Columns) -> NDArray[np.float64]:
    if not columns.categories and all(_is_plain_number(dtype) for dtype in frame.dtypes):
        out = np.ascontiguousarray(frame.to_numpy(), dtype=np.float64)
    else:
        out = np.empty(frame.shape)
        for j in range(frame.shape[1]):
            if j in columns.categories:
                out[:, j] = _codes(frame.iloc[:, j], columns.categories[j])
            else:
                out[:, j] = _numbers(frame, j)
    _refuse_infinity(out)
    return out


def _is_plain_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "biuf"


def _codes(column: Any, categories: tuple[Any, ...]) -> NDArray[np.float64]:
    """Place of each value among the categories, NaN for others."""
    import pandas as pd

    known = pd.Index(categories, dtype=object)
    if isinstance(column.dtype, pd.CategoricalDtype):
        # Look up each category once, then every row; code -1 stands for a missing value.
        place = known.get_indexer(column.cat.categories.astype(object))
        codes = np.append(place, -1)[column.cat.codes]
    else:
        codes = known.get_indexer(column.astype(object))
    return np.where(codes < 0, np.nan, codes)


def _numbers(frame: Any, j: int) -> NDArray[np.float64]:
    column = frame.iloc[:, j]
    if column.dtype.kind in "mMc":
        raise ValueError(
            f"column {frame.columns[j]!r} has dtype {column.dtype}: turn it into a number that "
            "has a meaning for the task"
        )
    try:
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"column {frame.columns[j]!r} holds values that are not numbers ({error}); make it a "
            "category column or name it in categorical_features"
        ) from error
