"""Metric and limits as users write them, attributes by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oblique._suggest import unknown_name
from oblique.profile import DEVIATION, HIGH, LOW
from projection import Metric, MoveLimits, make_limits

METRICS = ("minmax", "standard", "identity")


def feature_numbers(features: Any, argument: str, names: tuple[str, ...]) -> list[int]:
    """Column numbers of attributes given by name or number."""
    if isinstance(features, str) or not isinstance(features, Iterable):
        hint = "() for none" if features is None else f"[{features!r}]"
        raise ValueError(f"{argument}={features!r} must be a list of attributes, {hint}")
    return [_feature_number(feature, argument, names) for feature in features]


def _feature_number(feature: Any, argument: str, names: tuple[str, ...]) -> int:
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(unknown_name(argument, feature, names))
        return names.index(feature)
    if isinstance(feature, bool | np.bool_) or not isinstance(feature, int | np.integer):
        raise ValueError(
            f"{argument} holds {feature!r}: give names or numbers of columns "
            "(of a mask, np.flatnonzero(mask))"
        )
    if not 0 <= feature < len(names):
        raise ValueError(f"{argument}={feature!r}: columns are numbered 0 to {len(names) - 1}")
    return int(feature)


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
    elif not isinstance(metric, str):
        raise ValueError(
            f"metric={metric!r:.60} must be one of {', '.join(METRICS)}, or a Metric: "
            "Metric(scales) for scales of your own"
        )
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
    weights: Any,
    coded: Collection[int],
) -> MoveLimits:
    """Limits with names replaced by column numbers; `coded` columns hold categories."""
    lower, upper = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    if not isinstance(ranges, Mapping):
        raise ValueError(f"ranges={ranges!r:.60} must be a mapping of attribute to (low, high)")
    for feature, bounds in ranges.items():
        number = _feature_number(feature, "ranges", names)
        lower[number], upper[number] = _low_and_high(feature, bounds)
    directions = {
        "not_decreasing": feature_numbers(not_decreasing, "not_decreasing", names),
        "not_increasing": feature_numbers(not_increasing, "not_increasing", names),
        "integer": feature_numbers(integer, "integer", names),
    }
    ranged = [_feature_number(feature, "ranges", names) for feature in ranges]
    for argument, numbers in {**directions, "ranges": ranged}.items():
        for number in numbers:
            if number in coded:
                raise ValueError(
                    f"{argument} names {names[number]!r}, whose values are categories: freeze it "
                    "or give it a change_cost"
                )
    cost = _per_feature(change_cost, "change_cost", names, 1.0)
    if weights is not None:
        cost *= _per_feature(weights, "weights", names, 1.0)
    return make_limits(
        len(names),
        frozen=feature_numbers(frozen, "frozen", names),
        lower=lower,
        upper=upper,
        change_cost=cost,
        **directions,
    )


def _low_and_high(feature: Any, bounds: Any) -> tuple[float, float]:
    """Two numbers with room between them."""
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not (low <= high and low < np.inf and high > -np.inf):
        raise ValueError(
            f"ranges: {{{feature!r}: {bounds!r}}} is no range; give (low, high) with low <= high, "
            "-inf or inf for an open end"
        )
    return low, high


def _per_feature(
    value: Any, argument: str, names: tuple[str, ...], default: float
) -> NDArray[np.float64]:
    """One number a feature from a number, an array or a mapping of some features."""
    if not isinstance(value, Mapping):
        array = _as_numbers(value, argument)
        if array.shape not in ((), (len(names),)):
            raise ValueError(f"{argument} must hold {len(names)} numbers, got shape {array.shape}")
        return np.broadcast_to(array, len(names)).copy()
    numbers = np.full(len(names), default)
    for feature, number in value.items():
        numbers[_feature_number(feature, argument, names)] = _as_numbers(number, argument)
    return numbers


def _as_numbers(value: Any, argument: str) -> NDArray[np.float64]:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{argument}={value!r:.60} must hold numbers") from None
