"""Time and memory of fitting and predicting, without compilation and other first-use costs."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from oblique.compare.compilation import LOCK, watch_compilations

Result = TypeVar("Result")

_WARM_UP_ROWS = 64
_warm: set[str] = set()
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


class Used(NamedTuple):
    """What a call used.

    Attributes
    ----------
    seconds : float
    memory_bytes : int or None
        How far the memory of the process rose above what it was before; None where the system
        does not tell.
    """

    seconds: float
    memory_bytes: int | None


def time_fit(model: Any, data: Any, labels: Any) -> tuple[Any, Used]:
    """Fit an estimator and return it with what the fit used.

    If numba compiled or loaded a kernel meanwhile, a clone made before is fitted, too, and
    returned with what that took; so a fit that goes on from an earlier one is not run twice.
    """
    fresh = clone(model)
    fitted, used, is_clean = _measure(lambda: model.fit(data, labels))
    if not is_clean:
        fitted, used, _ = _measure(lambda: fresh.fit(data, labels))
    return fitted, used


def time_call(function: Callable[[], Result]) -> tuple[Result, Used]:
    """Call a function and return its result with what it used.

    If numba compiled or loaded a kernel meanwhile, the function runs once more and the second
    run counts; so it must do the same thing when called again.
    """
    result, used, is_clean = _measure(function)
    if not is_clean:
        result, used, _ = _measure(function)
    return result, used


def warm_up(key: str, estimator: Any, data: Any, labels: NDArray[Any]) -> None:
    """Fit an estimator to a few rows, once a process, so that lazy imports are done.

    The rows are taken evenly from those sorted by class, which keeps every class that has
    its share. What goes wrong here goes wrong again in the real fit and is told there.

    Parameters
    ----------
    key : str
        What is remembered as warm; different for other parameters.
    estimator : object
    data : DataFrame
    labels : ndarray of shape (n,)
    """
    if key in _warm:
        return
    _warm.add(key)
    by_class = np.argsort(labels, kind="stable")
    few = by_class[np.linspace(0, len(labels) - 1, min(_WARM_UP_ROWS, len(labels))).astype(int)]
    try:
        clone(estimator).fit(data.iloc[few], labels[few]).predict(data.iloc[few])
    except (Exception, SystemExit):  # a foreign estimator may raise anything
        return


def _measure(function: Callable[[], Result]) -> tuple[Result, Used, bool]:
    """Return result and use, and whether nothing was compiled or loaded meanwhile."""
    compilations: list[bool] = []
    with watch_compilations(lambda: compilations.append(True), lambda: None, event=LOCK):
        before = _reset_peak()
        start = perf_counter()
        result = function()
        used = Used(perf_counter() - start, _peak_above(before))
    return result, used, not compilations


# ---------------------------------------------------------------- memory, as far as Linux tells


def _reset_peak() -> int | None:
    """Start the high-water mark anew and return the memory in use now, in bytes.

    What was freed before goes back to the system first: it would be used again unseen.
    """
    trim = _find_trim()
    if trim is None:
        return None
    trim(0)
    try:
        _CLEAR.write_text("5")
    except OSError:
        return None
    return _read("VmRSS")


def _peak_above(start: int | None) -> int | None:
    peak = None if start is None else _read("VmHWM")
    return None if peak is None or start is None else max(0, peak - start)


@lru_cache(maxsize=1)
def _find_trim() -> Any:
    """The function of glibc that gives freed memory back; None on other systems."""
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)


def _read(field: str) -> int | None:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return None
