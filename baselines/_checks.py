"""Checks of numeric parameters, whose errors say what would be right."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from oblique.pruning.base import is_number
from oblique.stopping import is_whole

# The largest count that compiled code takes with room to spare.
_MOST = 1 << 62


def check_count(
    name: str, value: object, *, least: int, most: int = _MOST, or_else: str = "", note: str = ""
) -> None:
    """Raise ValueError unless a value is an integer in [``least``, ``most``]."""
    other = f" or {or_else}" if or_else else ""
    if not is_whole(value) or value < least:
        raise ValueError(f"{name}={value!r} must be an integer of at least {least}{other}{note}")
    if value > most:
        raise ValueError(f"{name}={value!r} must be at most {most}{other}")


def check_choice(name: str, value: object, choices: Iterable[str], *, or_else: str = "") -> None:
    """Raise ValueError unless a value is one of some strings."""
    if not isinstance(value, str) or value not in choices:
        names = " or ".join([*(f'"{choice}"' for choice in choices), *filter(None, [or_else])])
        raise ValueError(f"{name}={value!r} must be {names}")


def check_min_samples_oblique(value: object) -> None:
    """Raise ValueError unless `baselines._sample.take_large_sample` knows such a size."""
    if not (isinstance(value, str) and value == "2d"):
        check_count("min_samples_oblique", value, least=0, or_else='"2d"')


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
