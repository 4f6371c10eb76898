"""The value that loading returns: a table, its classes, and where they come from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_MISSING = "\x00"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set for classification.

    Attributes
    ----------
    name : str
        Short name, as given to :func:`load_dataset`, or the file's name without its ending.
    data : pandas.DataFrame of shape (n, d)
        Features. Numbers are numeric columns with NaN where a cell is missing; everything else
        is a categorical column.
    target : pandas.Series of shape (n,)
        Class labels, without missing values.
    unsafe_class : label or None
        The class whose misclassification is the dangerous one (Vadera 2005), a label of
        `target`; None when no class is.
    class_names : mapping of label to str
        What each label of `target` means.
    description, source, licence : str
        What the rows are, where they come from and on what terms.
    checksum : str
        SHA-256 over names, kinds and values of all columns, in hexadecimal. It depends on the
        content only, not on the platform, the file format or the integer width.
    """

    name: str
    data: pd.DataFrame = field(repr=False)
    target: pd.Series = field(repr=False)
    unsafe_class: Any
    class_names: Mapping[Any, str]
    description: str = field(repr=False)
    source: str = field(repr=False)
    licence: str
    checksum: str

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of `data`."""
        return [str(name) for name in self.data.columns]

    @property
    def classes(self) -> list[Any]:
        """The distinct labels of `target`, in increasing order."""
        return sorted_labels(self.target)


def make_dataset(
    name: str,
    frame: pd.DataFrame,
    *,
    target: str,
    unsafe_class: Any = None,
    class_names: Mapping[Any, str] | None = None,
    description: str = "",
    source: str = "",
    licence: str = "unknown",
) -> Dataset:
    """Split a checked table into features and class.

    Parameters
    ----------
    name : str
        Name of the data set, used in messages too.
    frame : pandas.DataFrame
        Features and class in one table.
    target : str
        Column that holds the class.
    unsafe_class : label, optional
        A label of the target, its spelling (``"1"`` for 1) or its name in `class_names`.
    class_names : mapping of label to str, optional
        Meaning of the labels; by default their spelling.
    description, source, licence : str
        Kept as they are.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        No such column, no row, no feature, a missing label, or an unknown unsafe class.
    """
    if target not in frame.columns:
        columns = ", ".join(map(str, frame.columns))
        raise ValueError(f"target {target!r} is not a column of {name}; its columns are: {columns}")
    if len(frame) == 0:
        raise ValueError(f"{name} has no rows")
    if frame.shape[1] < 2:
        raise ValueError(f"{name} has only the target column {target!r} and no feature")
    labels, data = frame[target], frame.drop(columns=target)
    absent = np.flatnonzero(labels.isna().to_numpy())
    if len(absent):
        raise ValueError(
            f"target {target!r} of {name} is missing in {len(absent)} of {len(labels)} rows, "
            f"first in row {absent[0] + 1}; remove these rows or name another target"
        )
    if labels.dtype == "category":
        # a class label is a plain value: only features are told apart by their type
        labels = labels.astype(labels.cat.categories.dtype)
    known = sorted_labels(labels)
    names = dict(class_names or {label: str(label) for label in known})
    return Dataset(
        name=name,
        data=data,
        target=labels,
        unsafe_class=None if unsafe_class is None else match_label(unsafe_class, names, name),
        class_names=names,
        description=description,
        source=source,
        licence=licence,
        checksum=content_checksum(data, labels),
    )


def sorted_labels(target: pd.Series) -> list[Any]:
    """Distinct labels as Python values, in increasing order."""
    return np.unique(target.to_numpy()).tolist()


def match_label(wanted: Any, class_names: Mapping[Any, str], name: str) -> Any:
    """Return the label that `wanted` means: a label, its spelling or its name."""
    for label, meaning in class_names.items():
        if wanted == label or str(wanted) in (str(label), meaning):
            return label
    known = ", ".join(
        repr(label) if str(label) == meaning else f"{label!r} ({meaning})"
        for label, meaning in class_names.items()
    )
    raise ValueError(f"unsafe_class {wanted!r} is not a class of {name}; its classes are: {known}")


def content_checksum(data: pd.DataFrame, target: pd.Series) -> str:
    """SHA-256 of a table's content: the same on every platform and for every integer width.

    Numbers are hashed as little-endian float64 with one NaN and one zero, other values as text.
    """
    digest = hashlib.sha256()
    for name, column in [*data.items(), (target.name, target)]:
        numeric = column.dtype.kind in "iuf"
        digest.update(json.dumps([str(name), "number" if numeric else "text"]).encode())
        if numeric:
            values = column.to_numpy(dtype="<f8", copy=True)
            values[np.isnan(values)] = np.nan
            values[values == 0.0] = 0.0
            digest.update(values.tobytes())
        else:
            missing = column.isna()
            cells = [
                _MISSING if absent else str(cell)
                for cell, absent in zip(column.tolist(), missing.tolist(), strict=True)
            ]
            digest.update(json.dumps(cells).encode())
    return digest.hexdigest()
