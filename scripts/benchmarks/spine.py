"""Speed and memory of growing and prediction, beside scikit-learn's decision tree."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import sklearn
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel
from oblique.pruning import CostComplexity, SafePruning
from scripts.benchmarks.record import Record, compare_times

SECTION = "spine"
PEER = f"scikit-learn {sklearn.__version__} DecisionTreeClassifier(criterion='entropy')"


def measure() -> Iterator[Record]:
    """Yield the records of this section."""
    yield from _fit_small()
    for n, target, repeats in ((10_000, 0.35, 7), (100_000, 0.45, 3)):
        yield from _fit_large(n, target, repeats)
    yield from _predict()
    yield from _prune()
    yield from _import_and_cache()


def _peer() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(criterion="entropy", random_state=0)


def _ours() -> ObliqueTreeClassifier:
    return ObliqueTreeClassifier(finder=AxisParallel(), random_state=0)


def _line(case: str, value: float, target: float, ours: float, peer: float) -> Record:
    detail = f"ours {ours * 1e3:.3g} ms, {PEER} {peer * 1e3:.3g} ms"
    return Record(SECTION, case, value, target, "<=", detail)


def _fit_small() -> Iterator[Record]:
    """Half samples of pima: what a comparison or a genetic search fits by the thousand."""
    data = load_dataset("pima")
    X = np.ascontiguousarray(data.data, dtype=np.float64)
    y = data.target.to_numpy()
    plain, weighted, ldt = [], [], []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        rows = rng.permutation(len(X))[:192]
        half = X[rows].copy(), y[rows].copy()
        w = rng.random(len(rows)) + 0.5
        plain.append(compare_times(_ours().fit, _peer().fit, *half))
        weighted.append(compare_times(_ours().fit, _peer().fit, *half, w, repeats=5))
    for seed in range(5):
        rows = np.random.default_rng(seed).permutation(len(X))[:384]
        safe = LDTClassifier(unsafe_class=data.unsafe_class)
        ldt.append(compare_times(safe.fit, _peer().fit, X[rows].copy(), y[rows].copy()))
    yield _line("fit axis-parallel, 192x8", *_medians(plain, 0.4))
    yield _line("fit axis-parallel, fractional weights, 192x8", *_medians(weighted, 1.0))
    yield _line("fit LDT, 384x8", *_medians(ldt, 3.0))


def _medians(
    results: list[tuple[float, float, float]], target: float
) -> tuple[float, float, float, float]:
    ratio, ours, peer = (statistics.median(column) for column in zip(*results, strict=True))
    return ratio, target, ours, peer


def _fit_large(n: int, target: float, repeats: int) -> Iterator[Record]:
    X, y = make_classification(n, 20, n_informative=10, random_state=0)
    w = np.random.default_rng(0).random(n) + 0.5
    size = f"{n // 1000}k x 20"
    ratio, ours, peer = compare_times(_ours().fit, _peer().fit, X, y, repeats=repeats)
    yield _line(f"fit axis-parallel, {size}", ratio, target, ours, peer)
    ratio, ours, peer = compare_times(_ours().fit, _peer().fit, X, y, w, repeats=3)
    yield _line(f"fit axis-parallel, fractional weights, {size}", ratio, 1.0, ours, peer)
    if n == 10_000:
        ratio, ours, peer = compare_times(LDTClassifier().fit, _peer().fit, X, y, repeats=repeats)
        yield _line(f"fit LDT, {size}", ratio, 1.5, ours, peer)
    else:
        yield _memory(X, y, size)


def _memory(X: np.ndarray, y: np.ndarray, size: str) -> Record:
    tracemalloc.start()
    _ours().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    detail = f"peak of allocations during fit / size of X, {peak / 1e6:.3g} MB"
    return Record(SECTION, f"memory of fit, {size}", peak / X.nbytes, 3.0, "<=", detail)


def _predict() -> Iterator[Record]:
    X, y = make_classification(10_000, 20, n_informative=10, random_state=0)
    ours, peer = _ours().fit(X, y), _peer().fit(X, y)
    rows = np.random.default_rng(0).normal(size=(1_000_000, 20)) * X.std(axis=0) + X.mean(axis=0)
    ratio, a, b = compare_times(lambda: ours.predict(rows), lambda: peer.predict(rows), repeats=5)
    yield _line("predict, 1M x 20 (stretch 0.5)", ratio, 1.0, a, b)


def _prune() -> Iterator[Record]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 4))
    y = (X[:, 0] + 1.5 * rng.normal(size=50_000) > 0).astype(np.int32)
    tree = _ours().fit(X, y).tree_
    for name, pruner in (("cost-complexity", CostComplexity()), ("safe", SafePruning())):
        ratio, ours, growing = compare_times(
            lambda p=pruner: p.prune(tree, X[:5000], y[:5000], unsafe=1),
            lambda: _ours().fit(X, y),
            repeats=5,
        )
        yield Record(
            SECTION, f"{name} pruning of {tree.n_nodes // 1000}k nodes beside growing them", ratio,
            0.4, "<=", f"{ours * 1e3:.3g} ms, growing {growing * 1e3:.3g} ms",
        )  # fmt: skip


# Processor time: what else the machine does is no part of it.
_IMPORT = "import time; t = time.process_time(); import {0}; print(time.process_time() - t)"
_COMPILED = """
import sys
import numba, numpy as np
from numba.core.dispatcher import Dispatcher
from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.finders import AxisParallel
rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3)); y = (X[:, 0] + X[:, 1] > 0).astype(int)
axis = ObliqueTreeClassifier(finder=AxisParallel())
for model in (LDTClassifier(), ObliqueTreeClassifier(), axis):
    model.fit(X, y).predict(X)
kernels = {id(value): value for name, module in list(sys.modules.items())
           if name.startswith(("oblique", "projection")) and module is not None
           for value in vars(module).values() if isinstance(value, Dispatcher)}
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels.values()))
"""


def _import_and_cache() -> Iterator[Record]:
    def seconds(names: str) -> float:
        return min(float(_run(_IMPORT.format(names))) for _ in range(5))

    peer = seconds("sklearn.tree")
    ours = seconds("oblique, oblique.estimators")
    yield Record(
        SECTION, "import oblique beyond scikit-learn's import, seconds", ours - peer, 0.3, "<=",
        f"processor time: {ours:.2f} s with all estimators, sklearn.tree {peer:.2f} s, each in a "
        "fresh process",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as cache:
        first = int(_run(_COMPILED, cache))
        second = int(_run(_COMPILED, cache))
    yield Record(
        SECTION, "functions a second process compiles", float(second), 0.0, "<=",
        f"the first process with an empty cache compiled {first}",
    )  # fmt: skip


def _run(code: str, cache: str | None = None) -> str:
    import os

    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=environment, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    return done.stdout.strip()
