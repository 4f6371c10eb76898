"""Speed and memory of indecision trees, beside the crisp tree and scikit-learn's."""

from __future__ import annotations

import math
import statistics
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from oblique import IndecisionTreeClassifier, ObliqueTreeClassifier
from oblique.finders import AxisParallel
from scripts.benchmarks.record import Record, compare_times

SECTION = "indecision"
PEER = f"scikit-learn {sklearn.__version__} DecisionTreeClassifier(criterion='entropy')"
SIZES = (2_500, 5_000, 10_000)


def measure() -> Iterator[Record]:
    """Yield the records of this section."""
    X, y = make_classification(10_000, 20, n_informative=10, random_state=0)
    std = np.tile(0.02 * np.ptp(X, axis=0), (len(X), 1))
    # Compiling and caching come before timing.
    IndecisionTreeClassifier().fit(X[:300], y[:300], X_std=std[:300])
    yield _exact_values(X, y)
    yield from _noise(X, y, std)
    yield _predict(X, y, std)


def _exact_values(X: NDArray[Any], y: NDArray[Any]) -> Record:
    zeros = np.zeros(X.shape)
    ratio, ours, crisp = compare_times(
        lambda: IndecisionTreeClassifier().fit(X, y, X_std=zeros),
        lambda: ObliqueTreeClassifier(finder=AxisParallel()).fit(X, y),
        repeats=5,
    )
    detail = f"ours {ours * 1e3:.0f} ms, this package's crisp tree {crisp * 1e3:.0f} ms"
    return Record(SECTION, "fit, all deviations 0, 10k x 20", ratio, 3.0, "<=", detail)


def _noise(X: NDArray[Any], y: NDArray[Any], std: NDArray[Any]) -> Iterator[Record]:
    def ours(n: int = len(X)) -> None:
        IndecisionTreeClassifier().fit(X[:n], y[:n], X_std=std[:n])

    def peer() -> None:
        DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y)

    ratio, a, b = compare_times(ours, peer, repeats=3)
    detail = f"ours {a:.2f} s, {PEER} {b:.2f} s"
    yield Record(SECTION, "fit, deviations 2 % of the range, 10k x 20", ratio, 40.0, "<=", detail)
    seconds = [statistics.median(_seconds(ours, n) for _ in range(3)) for n in SIZES]
    power = _power(seconds)
    detail = ", ".join(f"{n} rows {s:.2f} s" for n, s in zip(SIZES, seconds, strict=True))
    yield Record(SECTION, "power of the rows with which fit grows", power, 1.2, "<=", detail)
    peaks = [_peak(ours, n) for n in SIZES]
    detail = ", ".join(f"{n} rows {p / 1e6:.1f} MB" for n, p in zip(SIZES, peaks, strict=True))
    yield Record(SECTION, "power of the rows with which memory grows", _power(peaks), 1.1, "<=",
                 f"peak of allocations during fit: {detail}")  # fmt: skip


def _power(values: list[float]) -> float:
    return math.log(values[-1] / values[0]) / math.log(SIZES[-1] / SIZES[0])


def _seconds(call: Any, n: int) -> float:
    # Processor time: other programs would show.
    start = time.process_time()
    call(n)
    return time.process_time() - start


def _peak(call: Any, n: int) -> float:
    tracemalloc.start()
    call(n)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(peak)


def _predict(X: NDArray[Any], y: NDArray[Any], std: NDArray[Any]) -> Record:
    model = IndecisionTreeClassifier(min_samples_leaf=75).fit(X, y, X_std=std)
    model.predict_proba(X[:10], std[:10])
    seconds = statistics.median(
        _seconds(lambda n: model.predict_proba(X[:n], std[:n]), len(X)) for _ in range(5)
    )
    detail = f"seconds, {model.tree_.n_leaves} leaves"
    return Record(SECTION, "predict_proba of 10k uncertain cases", seconds, 1.0, "<=", detail)
