"""Section ``compare``: the store, the runner's overhead, and the default comparison."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
import time
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from oblique.cli import main
from oblique.compare import Design, ResultStore, Strategy, run, run_cell, summarize
from scripts.benchmarks.record import Record

N_STORED = 20_000
N_PAUSES, PAUSE_SECONDS, JOBS = 160, 0.5, 2


class Pausing(ClassifierMixin, BaseEstimator):
    """Takes half a second to fit and predicts the first class."""

    def fit(self, X: Any, y: Any) -> Self:
        """Wait; the few rows of a warm-up are let through."""
        self.classes_ = np.unique(y)
        if len(X) > 64:
            time.sleep(PAUSE_SECONDS)
        return self

    def predict(self, X: Any) -> Any:
        """Return the first class for every row."""
        return np.full(len(X), self.classes_[0])


def measure() -> Iterator[Record]:
    """Yield the lines of this section."""
    yield from _measure_store()
    yield _measure_overhead()
    yield from _measure_default()


def _measure_store() -> Iterator[Record]:
    cell = Design(["pima"], ["cart"], repeats=1).cells()[0]
    record = run_cell(cell)
    with tempfile.TemporaryDirectory() as folder:
        store = ResultStore(folder)
        start = time.perf_counter()
        for i in range(N_STORED):
            split = {**record["cell"], "repeat": i // 2, "train_size": (0.3, 0.5)[i % 2]}
            store.write({**record, "key": f"{i:032x}", "cell": split})
        rate = N_STORED / (time.perf_counter() - start)
        yield Record("compare", "cells written to a store, a second", rate, 1000, ">=",
                     f"{N_STORED} cells, one file each")  # fmt: skip
        start = time.perf_counter()
        rows = summarize(ResultStore(folder).records())
        seconds = time.perf_counter() - start
        assert rows["cells"].sum() == N_STORED
        yield Record("compare", "seconds to open and tabulate a store", seconds, 5, "<=",
                     f"{N_STORED} cells, read and summarised")  # fmt: skip


def _measure_overhead() -> Record:
    design = Design(["pima"], [Strategy("pausing", Pausing())], repeats=N_PAUSES)
    start = time.perf_counter()
    results = run(design, n_jobs=JOBS, progress=False)
    seconds = time.perf_counter() - start
    assert not results.failed
    ideal = N_PAUSES * PAUSE_SECONDS / JOBS
    return Record("compare", "throughput of two jobs, share of the ideal", ideal / seconds, 0.9,
                  ">=", f"{N_PAUSES} cells of {PAUSE_SECONDS} s in {seconds:.1f} s, "
                  "with the start of the workers")  # fmt: skip


def _measure_default() -> Iterator[Record]:
    shown = io.StringIO()
    start = time.perf_counter()
    with contextlib.redirect_stdout(shown):
        code = main(["compare", "--quiet", "--jobs", str(JOBS)])
    seconds = time.perf_counter() - start
    assert code == 0
    yield Record("compare", "seconds of `oblique compare` without arguments", seconds, 120, "<=",
                 f"{JOBS} jobs; longer by compiling on the first run")  # fmt: skip
    found = re.search(r"deviation ([\d.]+) points .* ([\d.]+) edges", shown.getvalue())
    assert found is not None
    yield Record("compare", "points from the figures of Vadera (2005)", float(found[1]), 1.5,
                 "<=", "LDT and AP, 50/50, mean absolute deviation")  # fmt: skip
    yield Record("compare", "edges from the depths of Vadera (2005)", float(found[2]), 1.3,
                 "<=", "LDT and AP, 50/50, mean absolute deviation")  # fmt: skip
