"""When the induction loop makes a leaf."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import NamedTuple

# Rounding in a sum of logarithms can look like a gain of this size.
NO_GAIN = 1e-12


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
    """

    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_gain: float = 0.0

    def __post_init__(self) -> None:
        depth = self.max_depth
        if depth is not None and (not _is_whole(depth) or depth < 0):
            raise ValueError(f"max_depth={depth!r} must be None or an integer of at least 0")
        _check_size("min_samples_split", self.min_samples_split, least=2)
        _check_size("min_samples_leaf", self.min_samples_leaf, least=1)
        if not isinstance(self.min_gain, (float, Real)) or not 0.0 <= self.min_gain < math.inf:
            raise ValueError(f"min_gain={self.min_gain!r} must be a finite number >= 0")

    def resolve(self, n_samples: int) -> Limits:
        """Turn shares of the training rows into numbers of rows."""
        return Limits(
            max_depth=math.inf if self.max_depth is None else float(self.max_depth),
            min_split=_rows(self.min_samples_split, n_samples, least=2),
            min_leaf=_rows(self.min_samples_leaf, n_samples, least=1),
            min_gain=max(float(self.min_gain), NO_GAIN),
        )


class Limits(NamedTuple):
    """`Stopping` for a known number of training rows."""

    max_depth: float
    min_split: int
    min_leaf: int
    min_gain: float


def _is_whole(value: object) -> bool:
    # The exact type first: a check against an abstract class is slow, and trees are small.
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def _check_size(name: str, value: int | float, *, least: int) -> None:
    whole = _is_whole(value) and value >= least
    share = isinstance(value, float) and 0.0 < value <= 1.0
    if not (whole or share):
        raise ValueError(
            f"{name}={value!r} must be an integer of at least {least} or a float in (0, 1]"
        )


def _rows(value: int | float, n_samples: int, *, least: int) -> int:
    if _is_whole(value):
        return int(value)
    return max(least, math.ceil(value * n_samples))
