"""Times of fitting and predicting that hold no compilation and no first-use cost."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

_WARM_UP_ROWS = 64
_warm: set[str] = set()


def time_call(function: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a function returns, and the seconds it took without compilation.

    If numba compiled or loaded a kernel meanwhile, the function runs once more and the
    second run counts; so it must do the same thing when called again.
    """
    with _compilations() as compilations:
        start = perf_counter()
        result = function()
        seconds = perf_counter() - start
    if not compilations:
        return result, seconds
    start = perf_counter()
    result = function()
    return result, perf_counter() - start


def warm_up(name: str, estimator: Any, data: Any, labels: NDArray[Any]) -> None:
    """Fit an estimator to a few rows, once a process, so that lazy imports are done.

    The rows are taken evenly from those sorted by class, which keeps every class that has
    its share. What goes wrong here goes wrong again in the real fit and is told there.
    """
    if name in _warm:
        return
    _warm.add(name)
    by_class = np.argsort(labels, kind="stable")
    few = by_class[np.linspace(0, len(labels) - 1, min(_WARM_UP_ROWS, len(labels))).astype(int)]
    try:
        clone(estimator).fit(data.iloc[few], labels[few]).predict(data.iloc[few])
    except Exception:  # a foreign estimator may raise anything
        return


@contextmanager
def _compilations() -> Iterator[list[Any]]:
    """Collect numba's compile events; none where numba has not been imported."""
    if "numba" not in sys.modules:
        yield []
        return
    from numba.core import event

    # The lock is taken by a compilation and by loading a compiled kernel from disk alike.
    with event.install_recorder("numba:compiler_lock") as recorder:
        yield recorder.buffer
