"""When the induction loop makes a leaf."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import NamedTuple, TypeGuard

# Rounding in a sum of logarithms can look like a gain of this size.
NO_GAIN = 1e-12

# No tree is as deep and no node as large: compiled loops take 64-bit numbers.
_MANY = 2**53


@dataclass(frozen=True, slots=True)
class Stopping:
    """Limits of a tree; a node that meets one of them becomes a leaf.

    Parameters
    ----------
    max_depth : int or None, default=None
        Largest number of tests on a path. None: no limit.
    min_samples_split : int or float, default=2
        A node with fewer rows is a leaf. A float is a share of the training rows.
    min_samples_leaf : int or float, default=1
        A split is refused when a side would hold fewer rows. A float is a share of the
        training rows. A row that a missing value has divided counts by its share.
    min_gain : float, default=0.0
        A split is refused unless its gain, in units of the criterion, is larger.
    min_weight_fraction_leaf : float, default=0.0
        A split is refused when a side would hold less than this share of the training weight.
    """

    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_gain: float = 0.0
    min_weight_fraction_leaf: float = 0.0

    def __post_init__(self) -> None:
        depth = self.max_depth
        if depth is not None and (not is_whole(depth) or depth < 0):
            raise ValueError(f"max_depth={depth!r} must be None or an integer of at least 0")
        _check_size("min_samples_split", self.min_samples_split, least=2)
        _check_size("min_samples_leaf", self.min_samples_leaf, least=1)
        if not _is_number(self.min_gain) or not 0.0 <= self.min_gain < math.inf:
            raise ValueError(f"min_gain={self.min_gain!r} must be a finite number >= 0")
        share = self.min_weight_fraction_leaf
        if not _is_number(share) or not 0.0 <= share <= 0.5:
            raise ValueError(f"min_weight_fraction_leaf={share!r} must be a number in [0, 0.5]")

    def resolve(self, n_samples: int, weight: float) -> Limits:
        """Turn shares of the training rows and of their weight into numbers.

        Parameters
        ----------
        n_samples : int
            Number of training rows.
        weight : float
            Sum of their weights.
        """
        return Limits(
            max_depth=math.inf if self.max_depth is None else float(min(self.max_depth, _MANY)),
            min_split=_rows(self.min_samples_split, n_samples, least=2),
            min_leaf=_rows(self.min_samples_leaf, n_samples, least=1),
            # Sums of weights round: a side that holds just the share is let through.
            min_weight=float(self.min_weight_fraction_leaf) * weight * (1.0 - 1e-9),
            min_gain=max(float(self.min_gain), NO_GAIN),
        )


class Limits(NamedTuple):
    """`Stopping` for known training rows.

    Attributes
    ----------
    max_depth : float
        inf for no limit.
    min_split : int
        Least number of rows at a node with a test.
    min_leaf : int
        Least number of rows of each side.
    min_weight : float
        Least weight of each side.
    min_gain : float
        A test must gain more.
    """

    max_depth: float
    min_split: int
    min_leaf: int
    min_weight: float
    min_gain: float


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is an integer of any kind, but not a truth value.

    Parameters
    ----------
    value : object
    """
    # The exact type first: a check against an abstract class is slow, and trees are small.
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def _is_number(value: object) -> bool:
    return type(value) is float or (isinstance(value, Real) and not isinstance(value, bool))


def _check_size(name: str, value: int | float, *, least: int) -> None:
    whole = is_whole(value) and value >= least
    share = isinstance(value, float) and 0.0 < value <= 1.0
    if not (whole or share):
        raise ValueError(
            f"{name}={value!r} must be an integer of at least {least} or a float in (0, 1]"
        )


def _rows(value: int | float, n_samples: int, *, least: int) -> int:
    if is_whole(value):
        return min(int(value), _MANY)
    # A product such as 0.07 * 100 may lie a rounding error above a whole number.
    return max(least, math.ceil(value * n_samples * (1.0 - 1e-12)))
