"""Whether means, deviations, covariances and probabilities are what they should be."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# Probabilities that sum to one but for rounding are scaled, others refused.
SUM_TOLERANCE = 1e-6


def check_discrete(probabilities: Any) -> list[int]:
    """Return the features that probabilities are given for, in order."""
    if not isinstance(probabilities, Mapping) or not all(
        isinstance(j, int | np.integer) and not isinstance(j, bool) for j in probabilities
    ):
        raise ValueError(
            "probabilities must map the number of a feature to a table of shape (n, n_values), "
            f"such as {{2: [[0.25, 0.75]]}}, got {probabilities!r}"
        )
    return sorted(probabilities)


def check_means(
    means: ArrayLike, discrete: Sequence[int], names: Sequence[str] | None = None
) -> Floats:
    """Return a copy as float64; discrete columns are not looked at."""
    table = as_numbers("means", means)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"means must have shape (n, d) with n, d > 0, got {table.shape}")
    unknown = [j for j in discrete if not 0 <= j < table.shape[1]]
    if unknown:
        raise ValueError(
            f"probabilities names features {unknown}, but means has {table.shape[1]} columns"
        )
    numeric = np.ones(table.shape[1], dtype=np.bool_)
    numeric[list(discrete)] = False
    bad = np.isinf(table) & numeric
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(
            f"means[{row}, {column}]{_called(names, column)} is infinite: give a finite value, or "
            "NaN where it is missing"
        )
    return np.array(table, dtype=np.float64, order="C")


def check_std(
    name: str, std: ArrayLike | None, means: Floats, names: Sequence[str] | None = None
) -> Floats:
    """Return standard deviations of every cell, 0 for exact values (None) and missing ones."""
    shape = means.shape
    if std is None:
        return np.zeros(shape)
    table = as_numbers(name, std)
    if np.asarray(std).dtype.kind == "b":
        raise ValueError(f"{name} must hold standard deviations, got True or False")
    if table.ndim == 0:
        table = np.full(shape, float(table))
    if table.shape != shape:
        raise ValueError(
            f"{name} must have the shape of X, {shape}, one standard deviation a cell, got "
            f"{table.shape}"
        )
    # Where nothing was measured there is no deviation, either.
    table = np.where(np.isnan(means) & np.isnan(table), 0.0, table)
    bad = ~((table >= 0.0) & np.isfinite(table))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise ValueError(
            f"{name}[{row}, {column}]={table[row, column]}{_called(names, column)} must be a "
            "finite standard deviation of at least 0; 0 stands for an exact value"
        )
    return np.array(table, dtype=np.float64, order="C")


def check_covariance(covariance: ArrayLike, shape: tuple[int, int]) -> Floats:
    """Return one symmetric positive semi-definite matrix a row."""
    table = as_numbers("covariance", covariance)
    n, d = shape
    if table.shape != (n, d, d):
        raise ValueError(
            f"covariance must have shape {(n, d, d)}, a matrix a row, got {table.shape}"
        )
    _refuse_rows("covariance", ~np.all(np.isfinite(table), axis=(1, 2)), "holds NaN or infinity")
    size = np.abs(table).max(axis=(1, 2))
    skew = np.abs(table - table.transpose(0, 2, 1)).max(axis=(1, 2))
    _refuse_rows("covariance", skew > 1e-9 * size, "is not symmetric")
    least = np.linalg.eigvalsh(table)[:, 0]
    bad = least < -1e-9 * size
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"covariance[{row}] is not positive semi-definite: its smallest eigenvalue is "
            f"{least[row]:.3g}; no normal distribution has such a covariance"
        )
    return np.array(0.5 * table + 0.5 * table.transpose(0, 2, 1), order="C")


def check_probabilities(
    probabilities: Mapping[int, ArrayLike],
    values: Mapping[int, Sequence[Any]],
    n: int,
    features: Sequence[str] | None = None,
) -> tuple[dict[int, Floats], dict[int, tuple[Any, ...]]]:
    """Return probabilities that sum to one, zeros for missing values, and the values' names."""
    if not isinstance(values, Mapping):
        raise ValueError(
            "values must map the number of a discrete feature to the names of its values, such as "
            f'{{2: ["black", "brown"]}}, got {values!r}'
        )
    extra = sorted(set(values) - set(probabilities))
    if extra:
        raise ValueError(f"values names features {extra} that probabilities does not hold")
    shares: dict[int, Floats] = {}
    names: dict[int, tuple[Any, ...]] = {}
    for j in sorted(probabilities):
        what, called = f"probabilities[{j}]", _called(features, j)
        table = np.array(as_numbers(what, probabilities[j]), order="C")
        if table.ndim != 2 or len(table) != n or not table.shape[1]:
            raise ValueError(f"{what} must have shape ({n}, n_values), got {table.shape}")
        shares[j] = check_distributions(what, table, missing_allowed=True, called=called)
        given = values.get(j, range(table.shape[1]))
        names[j] = tuple(given) if isinstance(given, Iterable) else ()
        readable = all(isinstance(name, Hashable) for name in names[j])
        if not readable or not len(set(names[j])) == len(names[j]) == table.shape[1]:
            raise ValueError(
                f"values[{j}] must name {table.shape[1]} different values, one a column of "
                f"{what}, got {given!r}"
            )
    return shares, names


def check_distributions(
    what: str, table: Floats, *, missing_allowed: bool, called: str = ""
) -> Floats:
    """Scale lines to sum to one; a line of NaN becomes zeros where that is allowed."""
    missing = np.all(np.isnan(table), axis=1) & missing_allowed
    table = np.where(missing[:, None], 0.0, table)
    _refuse_rows(what, ~np.all(np.isfinite(table), axis=1), f"holds NaN or infinity{called}")
    _refuse_rows(what, np.any(table < 0.0, axis=1), f"holds a negative probability{called}")
    total = table.sum(axis=1)
    bad = (np.abs(total - 1.0) > SUM_TOLERANCE) & ~missing
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{what}[{row}]{called} sums to {total[row]:.6g}: probabilities must sum to one "
            f"(within {SUM_TOLERANCE:g}); divide the row by its sum"
        )
    return table / np.where(missing, 1.0, total)[:, None]


def names_of_columns(table: Any) -> list[str] | None:
    """Return the names of a data frame's columns, None unless all are texts."""
    names = list(getattr(table, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None


def align_columns(name: str, std: Any, of: str, table: Any) -> Any:
    """Bring a data frame of standard deviations into the order of a data frame of means."""
    if not (hasattr(std, "columns") and hasattr(table, "columns")):
        return std
    lacking = [column for column in table.columns if column not in std.columns]
    if lacking:
        raise ValueError(f"{name} lacks the columns {lacking} of {of}; 0 stands for exact values")
    return std[list(table.columns)]


def check_names(names: Sequence[str] | None, d: int) -> tuple[str, ...] | None:
    """Return one text a feature, or None."""
    if names is None:
        return None
    given = tuple(map(str, names)) if isinstance(names, Iterable) else ()
    if isinstance(names, str) or len(given) != d or len(set(given)) < d:
        raise ValueError(f"feature_names must hold {d} different names, got {names!r}")
    return given


def _called(names: Sequence[str] | None, feature: int) -> str:
    """The name of a feature for a message, nothing where it has none."""
    return f" of {names[feature]!r}" if names is not None and feature < len(names) else ""


def _refuse_rows(what: str, bad: NDArray[np.bool_], why: str) -> None:
    if bad.any():
        raise ValueError(f"{what}[{int(np.flatnonzero(bad)[0])}] {why}")


def as_numbers(what: str, given: ArrayLike) -> Floats:
    """Return an array of float64; what a mask hides is missing."""
    if hasattr(given, "toarray"):
        raise ValueError(f"{what} must be a dense array: call its toarray()")
    if isinstance(given, np.ma.MaskedArray) and given.dtype.kind in "biuf":
        return np.ma.filled(given.astype(np.float64), np.nan)
    try:
        kind = np.asarray(given).dtype
        # NumPy would drop imaginary parts, and count dates in units of theirs.
        if kind.kind in "cmM":
            raise TypeError(f"got {kind}")
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must hold numbers: {error}") from error


def check_flag(name: str, value: Any) -> None:
    """Raise ValueError unless a value is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r} must be True or False")


def check_share(name: str, value: Any) -> None:
    """Raise ValueError unless a value is a number from 0 to 1."""
    if not is_number(value) or not 0.0 <= value <= 1.0:
        raise ValueError(f"{name}={value!r} must be a probability, a number from 0 to 1")


def is_number(value: Any) -> bool:
    """Whether a value is a real number and not True or False."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)
