"""Checks of arrays that enter the package."""

from typing import Any

import numpy as np
import numpy.typing as npt

from projection.exceptions import InputError

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Unsigned = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]


def as_floats(value: Any, name: str, n_dims: int) -> Floats:
    """Return `value` as a read-only float64 array of `n_dims` dimensions, without NaN."""
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must hold numbers, got {value!r:.80}") from error
    if array.ndim != n_dims:
        raise InputError(
            f"{name} must have {n_dims} dimension(s), got shape {array.shape}; reshape it first"
        )
    if np.isnan(array).any():
        where = np.argwhere(np.isnan(array))[0].tolist()
        raise InputError(f"{name} holds NaN, first at index {where}; remove or impute it first")
    array.setflags(write=False)
    return array


def require_finite(array: Floats, name: str) -> None:
    """Raise unless every entry is finite."""
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InputError(f"{name} must be finite, got {array[tuple(where)]} at index {where}")


def require_length(array: Floats, name: str, length: int, of_what: str) -> None:
    """Raise unless the last dimension of `array` is `length`."""
    if array.shape[-1] != length:
        raise InputError(
            f"{name} has {array.shape[-1]} values in a row, expected {length} ({of_what})"
        )
