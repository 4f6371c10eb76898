"""What a move may do: attributes that stay, only rise or fall, ranges, whole numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from projection._checks import Flags, Floats, as_floats, require_length
from projection.exceptions import InputError


@dataclass(frozen=True, slots=True)
class MoveLimits:
    """Constraints on a move, one entry an attribute.

    Attributes
    ----------
    may_rise, may_fall : arrays of bool, shape (n_features,)
        Directions in which an attribute may move; neither freezes it.
    lower, upper : arrays of shape (n_features,)
        Range of the point that is reached; infinite when there is none. Of an integer attribute
        the whole numbers within: lower exceeds upper when there are none, and then no point can
        be reached.
    integer : array of bool, shape (n_features,)
        Attributes that may only move to whole numbers (axis-parallel partitions).
    change_cost : array of shape (n_features,)
        Cost of another category, in metric units.
    """

    may_rise: Flags
    may_fall: Flags
    lower: Floats
    upper: Floats
    integer: Flags
    change_cost: Floats

    @property
    def frozen(self) -> Flags:
        """Attributes that must not move."""
        return ~(self.may_rise | self.may_fall)

    def bounds_at(self, X: Floats) -> tuple[Floats, Floats]:
        """Least and greatest value that each attribute of each case (rows of `X`) may take.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)

        Returns
        -------
        lower, upper : ndarray of shape (n, n_features)
        """
        return (
            np.where(self.may_fall, self.lower, np.maximum(self.lower, X)),
            np.where(self.may_rise, self.upper, np.minimum(self.upper, X)),
        )


def make_limits(
    n_features: int,
    *,
    frozen: Any = (),
    not_decreasing: Any = (),
    not_increasing: Any = (),
    lower: Any = None,
    upper: Any = None,
    integer: Any = (),
    change_cost: Any = 1.0,
) -> MoveLimits:
    """Build limits from lists of attribute numbers.

    Parameters
    ----------
    n_features : int
    frozen, not_decreasing, not_increasing, integer : sequences of int
        Attribute numbers.
    lower, upper : arrays of shape (n_features,), optional
        Range of the point that is reached.
    change_cost : float or array of shape (n_features,), default=1
        Cost of another category, in metric units (1 is the range of an attribute under min-max).

    Raises
    ------
    InputError
        If a number is out of range, a range is reversed or a cost is not positive.
    """
    may_rise = np.ones(n_features, dtype=np.bool_)
    may_fall = np.ones(n_features, dtype=np.bool_)
    may_rise[_numbers(frozen, "frozen", n_features)] = False
    may_fall[_numbers(frozen, "frozen", n_features)] = False
    may_fall[_numbers(not_decreasing, "not_decreasing", n_features)] = False
    may_rise[_numbers(not_increasing, "not_increasing", n_features)] = False
    whole = np.zeros(n_features, dtype=np.bool_)
    whole[_numbers(integer, "integer", n_features)] = True
    low = _bound(lower, "lower", n_features, -np.inf)
    high = _bound(upper, "upper", n_features, np.inf)
    if (low > high).any():
        worst = int(np.argmax(low > high))
        raise InputError(f"lower exceeds upper for attribute {worst}: {low[worst]} > {high[worst]}")
    low, high = np.where(whole, np.ceil(low), low), np.where(whole, np.floor(high), high)
    cost = np.broadcast_to(np.asarray(change_cost, dtype=np.float64), n_features).copy()
    good = (cost > 0) & (cost < np.inf)
    if not good.all():
        worst = int(np.argmin(good))
        raise InputError(
            f"change_cost must be positive and finite, got {cost[worst]} for attribute {worst}; "
            "freeze an attribute that must not change"
        )
    return MoveLimits(may_rise, may_fall, low, high, whole, cost)


def _numbers(value: Any, name: str, n_features: int) -> np.ndarray:
    """Attribute numbers, checked."""
    numbers = np.asarray(list(value))
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise InputError(f"{name} must hold attribute numbers, got {list(value)!r:.80}")
    if numbers.size and not (0 <= numbers.min() <= numbers.max() < n_features):
        raise InputError(f"{name} must hold numbers in 0 .. {n_features - 1}, got {list(value)!r}")
    return numbers.astype(np.intp)


def _bound(value: Any, name: str, n_features: int, default: float) -> Floats:
    """Array of bounds, `default` where there is none."""
    if value is None:
        return np.full(n_features, default)
    bound = as_floats(value, name, 1)
    require_length(bound, name, n_features, "one per attribute")
    return bound
