"""Explaining many cases beside finding their nearest points, and one case from the shell."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification

from oblique import DecisionSurface, ObliqueTreeClassifier, explain, save
from oblique.finders import AxisParallel, BestOf, LinearDiscriminant
from scripts.benchmarks.record import Record, compare_times

SECTION = "explain"
_N_CASES = 10_000


def measure() -> Iterator[Record]:
    """Measure both figures."""
    model, cases = _subject()
    surface = DecisionSurface(model)
    ratio, ours, peer = compare_times(
        lambda: explain(model, cases).percent_of_range, lambda: surface.nearest(cases)
    )
    yield Record(
        SECTION, f"explain / nearest, {_N_CASES} cases", ratio, 2.0, "<=",
        f"{1e3 * ours:.1f} ms, nearest {1e3 * peer:.1f} ms, {model.tree_.n_leaves} leaves",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path, table = Path(folder, "model.json"), Path(folder, "cases.csv")
        save(model, path)
        names = ",".join(f"x{j}" for j in range(cases.shape[1]))
        np.savetxt(table, cases[:200], delimiter=",", header=names, comments="")
        command = [sys.executable, "-m", "oblique.cli", "explain", path, table, "--case", "7"]
        times = [_seconds(command) for _ in range(6)][1:]
    yield Record(
        SECTION, "oblique explain, one case, seconds", statistics.median(times), 2.0, "<=",
        f"{min(times):.2f} to {max(times):.2f} s of {len(times)}, start of the program included",
    )  # fmt: skip


def _subject() -> tuple[ObliqueTreeClassifier, np.ndarray]:
    """An oblique tree of about a hundred leaves, and cases that it did not see."""
    X, y = make_classification(
        2 * _N_CASES, 20, n_informative=10, n_classes=3, flip_y=0.15, random_state=0
    )
    finder = BestOf(LinearDiscriminant(), AxisParallel())
    model = ObliqueTreeClassifier(finder=finder, min_samples_leaf=60, random_state=0)
    return model.fit(X[:_N_CASES], y[:_N_CASES]), X[_N_CASES:]


def _seconds(command: list[object]) -> float:
    start = time.perf_counter()
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return time.perf_counter() - start
