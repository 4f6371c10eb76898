"""From the labels that users hand in to class codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets


def encode_labels(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the classes, ascending, and the code of each row's label.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Numbers, texts or truth values.
    n_rows : int

    Raises
    ------
    ValueError
        For labels that are missing, of mixed types, not classes, or not one a row.
    """
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    # Whole numbers and flags in one column are always class labels; the rest is looked at,
    # which takes longer than a small tree grows.
    dtype = getattr(y, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iub" and getattr(y, "ndim", 0) == 1:
        labels = np.asarray(y)
    else:
        labels = column_or_1d(y, warn=True)
        if labels.dtype.kind == "O":
            labels = _plain_labels(labels)
        check_classification_targets(labels)
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(labels)}: they must be as many")
    if labels.dtype.kind in "iu" and labels.size and 0 <= labels.min() <= labels.max() < 1000:
        # Counting small numbers is quicker than sorting them.
        seen = np.bincount(labels) > 0
        classes = np.flatnonzero(seen).astype(labels.dtype)
        return classes, (np.cumsum(seen, dtype=np.int32) - 1)[labels]
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def _plain_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Check the labels of an object array; numbers in it become an array of numbers."""
    import pandas as pd

    missing = np.flatnonzero(pd.isna(labels))
    if missing.size:
        row = missing[0]
        raise ValueError(
            f"y has no label in row {row} ({labels[row]!r}): leave out the rows that have none"
        )
    values = labels.tolist()
    kinds = sorted({type(value).__name__ for value in values})
    are_texts = [isinstance(value, str) for value in values]
    if all(are_texts):
        return labels
    if any(are_texts):
        raise ValueError(f"y mixes labels of types {', '.join(kinds)}: make all of them texts")
    numbers = np.array(values)
    if numbers.shape != labels.shape or numbers.dtype.kind not in "biuf":
        raise ValueError(f"y holds labels of type {', '.join(kinds)}: use numbers or texts")
    return numbers
