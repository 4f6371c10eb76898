"""Metric and limits as users write them, attributes by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oblique._suggest import unknown_name
from oblique.profile import DEVIATION, HIGH, LOW
from projection import Metric, MoveLimits, make_limits

METRICS = ("minmax", "standard", "identity")


def feature_numbers(features: Any, argument: str, names: tuple[str, ...]) -> list[int]:
    """Column numbers of attributes given by name or number."""
    if isinstance(features, str):
        raise ValueError(f"{argument}={features!r} must be a list of attributes, [{features!r}]")
    numbers = []
    for feature in features:
        if isinstance(feature, str):
            if feature not in names:
                raise ValueError(unknown_name(argument, feature, names))
            numbers.append(names.index(feature))
        elif 0 <= int(feature) < len(names):
            numbers.append(int(feature))
        else:
            raise ValueError(f"{argument}={feature!r}: columns are numbered 0 to {len(names) - 1}")
    return numbers


def build_metric(
    metric: str | Metric,
    profile: NDArray[np.float64] | None,
    norm: float | None,
    weights: Any,
    names: tuple[str, ...],
    coded: NDArray[np.int64],
) -> Metric:
    """Metric from its name and a profile of rows, or as given; `coded` columns have no scale."""
    if isinstance(metric, Metric):
        if metric.n_features != len(names):
            raise ValueError(
                f"metric has {metric.n_features} scales but the model has {len(names)} features"
            )
        built = metric if norm is None else metric.with_norm(norm)
    elif metric == "identity":
        built = Metric.identity(len(names), norm=2.0 if norm is None else norm)
    elif metric in METRICS:
        if profile is None:
            raise ValueError(f"metric={metric!r} needs X, the rows that give the scales")
        unit = profile[HIGH] - profile[LOW] if metric == "minmax" else profile[DEVIATION].copy()
        unit[coded] = 1.0
        # A constant column, or one without a known value, has no unit of its own.
        built = Metric(np.where(unit > 0.0, unit, 1.0), 2.0 if norm is None else norm)
    else:
        raise ValueError(unknown_name("metric", metric, METRICS))
    if weights is None:
        return built
    return built.reweighted(_per_feature(weights, "weights", names, 1.0))


def build_limits(
    names: tuple[str, ...],
    *,
    frozen: Sequence[str | int],
    not_decreasing: Sequence[str | int],
    not_increasing: Sequence[str | int],
    ranges: Mapping[Any, tuple[float, float]],
    integer: Sequence[str | int],
    change_cost: Any,
) -> MoveLimits:
    """Limits with names replaced by column numbers."""
    lower, upper = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for feature, bounds in ranges.items():
        (number,) = feature_numbers([feature], "ranges", names)
        low, high = bounds
        lower[number], upper[number] = low, high
    return make_limits(
        len(names),
        frozen=feature_numbers(frozen, "frozen", names),
        not_decreasing=feature_numbers(not_decreasing, "not_decreasing", names),
        not_increasing=feature_numbers(not_increasing, "not_increasing", names),
        lower=lower,
        upper=upper,
        integer=feature_numbers(integer, "integer", names),
        change_cost=_per_feature(change_cost, "change_cost", names, 1.0),
    )


def _per_feature(
    value: Any, argument: str, names: tuple[str, ...], default: float
) -> NDArray[np.float64]:
    """One number a feature from a number, an array or a mapping of some features."""
    if not isinstance(value, Mapping):
        array = np.asarray(value, dtype=np.float64)
        if array.shape not in ((), (len(names),)):
            raise ValueError(f"{argument} must hold {len(names)} numbers, got shape {array.shape}")
        return np.broadcast_to(array, len(names)).copy()
    numbers = np.full(len(names), default)
    for feature, number in value.items():
        numbers[feature_numbers([feature], argument, names)[0]] = number
    return numbers
