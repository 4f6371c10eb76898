"""Whether means, deviations, covariances and probabilities are what they should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# Probabilities that sum to one but for rounding are scaled, others refused.
SUM_TOLERANCE = 1e-6


def check_discrete(probabilities: Any) -> list[int]:
    """Return the features that probabilities are given for, in order."""
    if not isinstance(probabilities, Mapping) or not all(
        isinstance(j, int | np.integer) for j in probabilities
    ):
        raise ValueError(
            "probabilities must map the number of a feature to a table of shape (n, n_values), "
            f"such as {{2: [[0.25, 0.75]]}}, got {probabilities!r}"
        )
    return sorted(probabilities)


def check_means(means: ArrayLike, discrete: Sequence[int]) -> Floats:
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
            f"means[{row}, {column}] is infinite: give a finite value, or NaN where it is missing"
        )
    return np.array(table, dtype=np.float64, order="C")


def check_std(name: str, std: ArrayLike | None, means: Floats) -> Floats:
    """Return standard deviations of every cell, 0 for exact values (None) and missing ones."""
    shape = means.shape
    if std is None:
        return np.zeros(shape)
    table = as_numbers(name, std)
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
            f"{name}[{row}, {column}]={table[row, column]} must be a finite standard deviation of "
            "at least 0; 0 stands for an exact value"
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
    probabilities: Mapping[int, ArrayLike], values: Mapping[int, Sequence[Any]], n: int
) -> tuple[dict[int, Floats], dict[int, tuple[Any, ...]]]:
    """Return probabilities that sum to one, zeros for missing values, and the values' names."""
    extra = sorted(set(values) - set(probabilities))
    if extra:
        raise ValueError(f"values names features {extra} that probabilities does not hold")
    shares: dict[int, Floats] = {}
    names: dict[int, tuple[Any, ...]] = {}
    for j in sorted(probabilities):
        what = f"probabilities[{j}]"
        table = np.array(as_numbers(what, probabilities[j]), order="C")
        if table.ndim != 2 or len(table) != n or not table.shape[1]:
            raise ValueError(f"{what} must have shape ({n}, n_values), got {table.shape}")
        shares[j] = check_distributions(what, table, missing_allowed=True)
        names[j] = tuple(values.get(j, range(table.shape[1])))
        if len(names[j]) != table.shape[1] or len(set(names[j])) < len(names[j]):
            raise ValueError(
                f"values[{j}] must name {table.shape[1]} different values, one a column of "
                f"{what}, got {names[j]!r}"
            )
    return shares, names


def check_distributions(what: str, table: Floats, *, missing_allowed: bool) -> Floats:
    """Scale lines to sum to one; a line of NaN becomes zeros where that is allowed."""
    missing = np.all(np.isnan(table), axis=1) & missing_allowed
    table = np.where(missing[:, None], 0.0, table)
    _refuse_rows(what, ~np.all(np.isfinite(table), axis=1), "holds NaN or infinity")
    _refuse_rows(what, np.any(table < 0.0, axis=1), "holds a negative probability")
    total = table.sum(axis=1)
    bad = (np.abs(total - 1.0) > SUM_TOLERANCE) & ~missing
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{what}[{row}] sums to {total[row]:.6g}: probabilities must sum to one (within "
            f"{SUM_TOLERANCE:g}); divide the row by its sum"
        )
    return table / np.where(missing, 1.0, total)[:, None]


def check_names(names: Sequence[str] | None, d: int) -> tuple[str, ...] | None:
    """Return one text a feature, or None."""
    if names is None:
        return None
    given = tuple(map(str, names))
    if isinstance(names, str) or len(given) != d or len(set(given)) < d:
        raise ValueError(f"feature_names must hold {d} different names, got {names!r}")
    return given


def _refuse_rows(what: str, bad: NDArray[np.bool_], why: str) -> None:
    if bad.any():
        raise ValueError(f"{what}[{int(np.flatnonzero(bad)[0])}] {why}")


def as_numbers(what: str, given: ArrayLike) -> Floats:
    """Return an array of float64."""
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must hold numbers: {error}") from error
