"""Trials of one generation side by side, in threads or in processes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from baselines._compiled_trials import CompiledTrials
from baselines._half_sample import Trials

# Parts that a generation is cut into for each worker: trees differ in size, and who is done first
# takes the next one.
PARTS = 2

Part = tuple[NDArray[np.float64], NDArray[np.int64]]
Price = Callable[[NDArray[np.float64], NDArray[np.int64]], list[float]]


@contextlib.contextmanager
def side_by_side(trials: Trials, n_jobs: int) -> Iterator[Price]:
    """Yield a function that runs some trials in parts, each in a thread or process of its own."""
    if n_jobs == 1:
        yield trials.costs
        return

    def price(values: NDArray[np.float64], numbers: NDArray[np.int64]) -> list[float]:
        n_parts = min(PARTS * n_jobs, len(numbers))
        parts = [slice(k, None, n_parts) for k in range(n_parts)]
        found = run([(values[part], numbers[part]) for part in parts])
        costs = [0.0] * len(numbers)
        for part, costs_of_part in zip(parts, found, strict=True):
            costs[part] = costs_of_part
        return costs

    if isinstance(trials, CompiledTrials):
        # Compiled trials leave the interpreter's lock alone. A generation of them may take less
        # than the hundredth of a second for which joblib sleeps between two looks at its workers.
        with ThreadPoolExecutor(n_jobs) as pool:

            def run(parts: list[Part]) -> list[list[float]]:
                return list(pool.map(lambda part: trials.costs(*part), parts))

            yield price
    else:
        with Parallel(n_jobs=n_jobs) as parallel:

            def run(parts: list[Part]) -> list[list[float]]:
                return parallel(delayed(trials.costs)(*part) for part in parts)

            yield price
