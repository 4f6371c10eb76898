"""Checks of numeric parameters, whose errors say what would be right."""

from __future__ import annotations

import math

import numpy as np

from oblique.pruning.base import is_number
from oblique.stopping import is_whole


def check_count(name: str, value: object, *, least: int, or_else: str = "", note: str = "") -> None:
    """Raise ValueError unless a value is an integer of at least ``least``."""
    if not is_whole(value) or value < least:
        other = f" or {or_else}" if or_else else ""
        raise ValueError(f"{name}={value!r} must be an integer of at least {least}{other}{note}")


def check_positive(name: str, value: object, *, or_else: str = "") -> None:
    """Raise ValueError unless a value is a finite number above zero."""
    if not is_number(value) or not 0.0 < float(value) < math.inf:  # type: ignore[arg-type]
        other = f" or {or_else}" if or_else else ""
        raise ValueError(f"{name}={value!r} must be a finite number > 0{other}")


def check_probability(name: str, value: object) -> None:
    """Raise ValueError unless a value is a number in [0, 1]."""
    if not is_number(value) or not 0.0 <= float(value) <= 1.0:  # type: ignore[arg-type]
        raise ValueError(f"{name}={value!r} must be a number in [0, 1]")


def check_flag(name: str, value: object) -> None:
    """Raise ValueError unless a value is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r} must be True or False")


def check_jobs(value: object) -> None:
    """Raise ValueError unless a value says how many jobs run at once, as joblib reads it."""
    if value is not None and (not is_whole(value) or value == 0):
        raise ValueError(
            f"n_jobs={value!r} must be None or an integer other than 0; -1 takes all processors"
        )
