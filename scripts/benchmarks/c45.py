"""Speed of C4.5 and of trees of known costs, beside scikit-learn's decision tree."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np
import sklearn
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from baselines import C45Classifier, TreeGrower
from oblique.datasets import load_dataset
from scripts.benchmarks.record import Record, compare_times

SECTION = "c45"
PEER = f"scikit-learn {sklearn.__version__} DecisionTreeClassifier(criterion='entropy')"


def measure() -> Iterator[Record]:
    """Yield the records of this section."""
    X, y = make_classification(10_000, 20, n_informative=10, random_state=0)
    times = compare_times(C45Classifier().fit, _peer().fit, X, y, repeats=7)
    yield _line("fit C4.5, grown and pruned, 10k x 20", 0.6, *times)
    yield from _half_samples()


def _peer() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(criterion="entropy", random_state=0)


def _half_samples() -> Iterator[Record]:
    """Half samples of pima: what ICET grows by the thousand, each time with other costs."""
    data = load_dataset("pima")
    X = np.ascontiguousarray(data.data, dtype=np.float64)[:384]
    y = data.target.to_numpy()[:384]
    grower = TreeGrower(X, y)
    grown, fitted = [], []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        rows = rng.permutation(len(X))[:192]
        costs, omega = rng.uniform(1, 10_000, 8), rng.random()
        half = X[rows].copy(), y[rows].copy()

        def ours(*_: object, rows=rows, costs=costs, omega=omega) -> object:
            return grower.grow(rows, costs=costs, omega=omega, confidence=0.25)

        grown.append(compare_times(ours, _peer().fit, *half))
        fitted.append(compare_times(C45Classifier().fit, _peer().fit, *half))
    for case, target, times in (
        ("EG2 from a prepared table, grown and pruned, 192x8", 0.45, grown),
        ("fit C4.5, grown and pruned, 192x8", 1.0, fitted),
    ):
        yield _line(case, target, *(statistics.median(t) for t in zip(*times, strict=True)))


def _line(case: str, target: float, value: float, ours: float, peer: float) -> Record:
    detail = f"ours {ours * 1e3:.3g} ms, {PEER} {peer * 1e3:.3g} ms"
    return Record(SECTION, case, value, target, "<=", detail)
