"""From data frames, repeats and noise models to the arguments of `UncertainTable`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique.indecision._checks import as_numbers

Floats = NDArray[np.float64]


def read_frame(frame: Any, suffix: str, separator: str) -> dict[str, Any]:
    """Pair the columns of a data frame by name."""
    if not hasattr(frame, "iloc") or not hasattr(frame, "columns"):
        raise TypeError(f"frame must be a pandas DataFrame, got {type(frame).__name__}")
    for name, text in (("suffix", suffix), ("separator", separator)):
        if not isinstance(text, str) or not text:
            raise ValueError(f"{name}={text!r} must be a text of at least one character")
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        raise ValueError(f"frame has more than one column of a name: {sorted(names)}")
    frame = frame.set_axis(names, axis=1)
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.split(separator)[0] if separator in name else name, []).append(name)
    features = [name for name in groups if not _is_deviation(name, suffix, groups)]
    orphans = [
        name for name in features
        if name.endswith(suffix) and name != suffix and name.removesuffix(suffix) not in groups
    ]  # fmt: skip
    if orphans:
        raise ValueError(
            f"column {orphans[0]!r} ends in {suffix!r} but there is no column "
            f"{orphans[0].removesuffix(suffix)!r} of means; rename it or give another suffix"
        )
    means = np.full((len(frame), len(features)), np.nan)
    std = np.zeros(means.shape)
    probabilities: dict[int, Floats] = {}
    values: dict[int, tuple[Any, ...]] = {}
    for j, feature in enumerate(features):
        columns = groups[feature]
        if any(separator in name for name in columns):
            if feature in columns:
                raise ValueError(
                    f"{feature!r} is a column of its own beside {columns[-1]!r}: it is either a "
                    "number or a set of probabilities"
                )
            probabilities[j] = np.column_stack([_numbers(frame[name]) for name in columns])
            values[j] = tuple(name.split(separator, 1)[1] for name in columns)
        elif _is_discrete(frame[feature]):
            probabilities[j], values[j] = _known_values(frame[feature])
        else:
            means[:, j] = _numbers(frame[feature])
            if feature + suffix in groups:
                std[:, j] = _numbers(frame[feature + suffix])
        if j in probabilities and feature + suffix in groups:
            raise ValueError(
                f"column {feature + suffix!r} cannot be: {feature!r} is discrete, its uncertainty "
                f"is in columns of probabilities such as '{feature}{separator}{values[j][0]}'"
            )
    return {
        "means": means, "std": std, "probabilities": probabilities, "values": values,
        "feature_names": features,
    }  # fmt: skip


def _is_deviation(name: str, suffix: str, groups: dict[str, list[str]]) -> bool:
    return name.endswith(suffix) and name.removesuffix(suffix) in groups and name != suffix


def _numbers(column: Any) -> Floats:
    return as_numbers(f"column {column.name!r}", column.to_numpy(na_value=np.nan))


def _is_discrete(column: Any) -> bool:
    if column.dtype.kind in "mMc":
        raise ValueError(
            f"column {column.name!r} holds {column.dtype}: give numbers, categories or texts"
        )
    return not (column.dtype.kind in "biuf" or hasattr(column.dtype, "numpy_dtype"))


def _known_values(column: Any) -> tuple[Floats, tuple[Any, ...]]:
    import pandas as pd

    coded = pd.Categorical(column)
    return certain_probabilities(coded.codes, len(coded.categories)), tuple(coded.categories)


def certain_probabilities(codes: ArrayLike, n_values: int) -> Floats:
    """Probabilities of values that are known; NaN and -1 are missing (lines of NaN)."""
    places = np.nan_to_num(np.asarray(codes, dtype=np.float64), nan=-1.0).astype(np.intp)
    out = np.zeros((places.size, n_values))
    known = np.flatnonzero(places >= 0)
    out[known, places[known]] = 1.0
    out[places < 0] = np.nan
    return out


def nan_where_missing(probabilities: dict[int, Floats]) -> dict[int, Floats]:
    """Spell missing values as the constructor of a table wants them."""
    return {
        j: np.where(share.any(axis=1, keepdims=True), share, np.nan)
        for j, share in probabilities.items()
    }


def read_uncertainties(values: Any, correlated: bool) -> dict[str, Any]:
    """Read the mean and deviation of numbers that carry them."""
    cells = np.asarray(values, dtype=object)
    if cells.ndim != 2:
        raise ValueError(f"values must have shape (n, d), got {cells.shape}")
    plain = [[getattr(v, "nominal_value", v) for v in row] for row in cells]
    means = as_numbers("values", plain)
    if correlated:
        joint = np.array([_row_covariance(row) for row in cells])
        return {"means": means, "covariance": joint}
    std = np.array([[getattr(v, "std_dev", 0.0) for v in row] for row in cells], dtype=np.float64)
    return {"means": means, "std": std}


def _row_covariance(row: NDArray[Any]) -> Floats:
    """Covariance of one row from the common sources of its numbers; plain numbers have none."""
    import uncertainties

    out = np.zeros((row.size, row.size))
    with_error = np.flatnonzero([hasattr(value, "derivatives") for value in row])
    if with_error.size:
        out[np.ix_(with_error, with_error)] = uncertainties.covariance_matrix(row[with_error])
    return out


def read_replicates(
    values: ArrayLike, groups: ArrayLike | None, correlated: bool
) -> dict[str, Any]:
    """Estimate means and their standard errors (divisor: repeats less one)."""
    repeats = as_numbers("values", values)
    if np.isinf(repeats).any():
        raise ValueError("values holds infinity: a repeat that is missing is NaN")
    if groups is not None:
        repeats = _stack_groups(repeats, np.asarray(groups))
    if repeats.ndim != 3:
        raise ValueError(
            f"values must have shape (n, repeats, d), or (m, d) with groups, got {repeats.shape}"
        )
    known = ~np.isnan(repeats)
    count = known.sum(axis=1)
    if (count < 2).any():
        case, feature = np.argwhere(count < 2)[0]
        raise ValueError(
            f"case {case} has {count[case, feature]} repeats of feature {feature}: at least two "
            "are needed for a standard error"
        )
    means = np.where(known, repeats, 0.0).sum(axis=1) / count
    rest = np.where(known, repeats - means[:, None], 0.0)
    if not correlated:
        variance = (rest**2).sum(axis=1) / (count - 1)
        return {"means": means, "std": np.sqrt(variance / count)}
    whole = np.all(known, axis=2)
    n_whole = whole.sum(axis=1)
    if (n_whole < 2).any():
        case = int(np.flatnonzero(n_whole < 2)[0])
        raise ValueError(f"case {case} has {n_whole[case]} complete repeats: at least two needed")
    means = np.where(whole[..., None], repeats, 0.0).sum(axis=1) / n_whole[:, None]
    rest = np.where(whole[..., None], repeats - means[:, None], 0.0)
    joint = np.einsum("nrj,nrk->njk", rest, rest)
    return {"means": means, "covariance": joint / ((n_whole - 1) * n_whole)[:, None, None]}


def _stack_groups(repeats: Floats, groups: NDArray[Any]) -> Floats:
    if repeats.ndim != 2 or groups.shape != (len(repeats),):
        raise ValueError(
            f"with groups, values must have shape (m, d) and groups (m,), got {repeats.shape} and "
            f"{groups.shape}"
        )
    if any(group != group or group is None for group in groups.tolist()):
        raise ValueError("groups holds missing values: every line measures a case")
    _, case, count = np.unique(groups, return_inverse=True, return_counts=True)
    order = np.argsort(case, kind="stable")
    place = np.arange(order.size) - np.repeat(np.cumsum(count) - count, count)
    out = np.full((count.size, count.max(), repeats.shape[1]), np.nan)
    out[case[order], place] = repeats[order]
    return out


def read_noise(
    X: ArrayLike, range_share: ArrayLike, relative: ArrayLike, absolute: ArrayLike,
    reference: ArrayLike | None,
) -> dict[str, Any]:  # fmt: skip
    """Turn a noise model into a standard deviation a cell."""
    means = as_numbers("X", X)
    rows = means if reference is None else as_numbers("reference", reference)
    if means.ndim != 2 or rows.ndim != 2 or rows.shape[1] != means.shape[1]:
        raise ValueError(
            f"X and reference must have shapes (n, d) and (m, d), got {means.shape} and "
            f"{rows.shape}"
        )
    parts = {"range_share": range_share, "relative": relative, "absolute": absolute}
    sizes = {name: _one_a_feature(name, part, means.shape[1]) for name, part in parts.items()}
    spans = np.fmax.reduce(rows, axis=0) - np.fmin.reduce(rows, axis=0)
    spans = np.nan_to_num(spans)
    variance = (sizes["range_share"] * spans) ** 2 + sizes["absolute"] ** 2
    variance = variance + (sizes["relative"] * np.nan_to_num(means)) ** 2
    names = list(map(str, X.columns)) if hasattr(X, "columns") else None
    std = np.sqrt(np.broadcast_to(variance, means.shape))
    return {"means": means, "std": std, "feature_names": names}


def _one_a_feature(name: str, part: ArrayLike, d: int) -> Floats:
    size = as_numbers(name, part)
    if size.shape not in ((), (d,)) or not (np.isfinite(size).all() and (size >= 0.0).all()):
        raise ValueError(
            f"{name}={part!r} must be a finite number of at least 0, or one for each of {d} "
            "features"
        )
    return np.broadcast_to(size, (d,))
