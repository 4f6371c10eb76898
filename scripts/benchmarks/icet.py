"""Speed of ICET beside scikit-learn's decision tree, and on two cores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sklearn
from joblib import cpu_count
from sklearn.tree import DecisionTreeClassifier

from baselines import ICETClassifier
from baselines._trial_kernels import draw_members
from oblique.classifier import make_generator
from oblique.costs import load_costs
from oblique.datasets import load_dataset
from oblique.row_order import canonical_rows
from scripts.benchmarks.record import Record, compare_times

SECTION = "icet"
N_TRIALS = 1000


def measure() -> Iterator[Record]:
    """Yield the records of this section."""
    data = load_dataset("pima")
    rows = np.random.default_rng(0).permutation(len(data.data))[:384]
    X, y = data.data.iloc[rows], data.target.iloc[rows]
    costs = load_costs("pima", 100)

    def search(n_jobs: int = 1, n_trials: int = N_TRIALS) -> ICETClassifier:
        model = ICETClassifier(costs, n_trials=n_trials, n_jobs=n_jobs, random_state=0)
        return model.fit(X, y)

    halves = _half_samples(X, y)

    def peer() -> None:
        for half in halves:
            DecisionTreeClassifier(criterion="entropy", random_state=0).fit(*half)

    search(2, 100)
    ratio, ours, other = compare_times(search, peer, repeats=5)
    yield Record(
        SECTION, f"search, pima 384x8, {N_TRIALS} trials", ratio, 0.6, "<=",
        f"ours {ours:.3f} s with growing, pruning, pricing and search; scikit-learn "
        f"{sklearn.__version__} fits on the same half-samples {other:.3f} s",
    )  # fmt: skip
    case = "efficiency on two cores, same search"
    if cpu_count(only_physical_cores=False) < 2:
        yield Record(SECTION, case, None, 0.8, ">=", "there is one core only")
        return
    speedup, one, two = compare_times(lambda: search(1), lambda: search(2), repeats=9)
    detail = f"one core {one:.3f} s, two {two:.3f} s"
    yield Record(SECTION, case, speedup / 2, 0.8, ">=", detail)


def _half_samples(X, y) -> list[tuple[np.ndarray, np.ndarray]]:
    """The rows on which the search's trials grow their trees, in C order for scikit-learn."""
    rows, codes = np.ascontiguousarray(X, dtype=np.float64), y.to_numpy().astype(np.int32)
    order = canonical_rows(rows, codes, None)
    seed = int(make_generator(0).integers(2**62))
    members = draw_members(seed, np.arange(N_TRIALS), len(rows), len(rows) // 2)
    return [(rows[order[member]], codes[order[member]]) for member in members]
