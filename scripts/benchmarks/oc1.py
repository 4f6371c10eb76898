"""Speed of OC1: the search along a line, the search at a node, whole trees.

The peer of the searches is the same method in vectorised numpy, written below: the same
moves, the same random numbers, one sort a step. Kernels of microseconds are timed in a compiled
loop over many lines, so that calls from Python do not count. The peer of whole trees is
scikit-learn's axis-parallel tree on the same rows, which tries no plane at all.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from baselines import OC1, OC1Classifier
from baselines._perturbation import TIE, best_step, make_room, pose
from baselines._sample import take_sample
from oblique.criteria import CRITERIA
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel
from oblique.node import Node
from scripts.benchmarks.record import Record, compare_times

SECTION = "oc1"
PEER = f"scikit-learn {sklearn.__version__} DecisionTreeClassifier(criterion='entropy')"
NUMPY = f"numpy {np.__version__}"

Array = NDArray[Any]


def measure() -> Iterator[Record]:
    """Yield the records of this section."""
    for n, target in ((1_000, 8.0), (10_000, 10.0), (100_000, 25.0)):
        yield _one_line("gini", n, target)
        yield _one_line("entropy", n, target / 2.0)
    yield _one_node()
    yield _small_tree()
    yield _middle_tree()
    yield from _large_tree()


# ---------------------------------------------------------------- one step


@numba.njit(nogil=True, error_model="numpy")
def _best_steps(problem, room, values, slopes, found):  # type: ignore[no-untyped-def]
    """Search along many lines; not cached, so that it always runs the kernel as it is."""
    for i in range(values.shape[0]):
        found[i] = best_step(problem, room, values[i], slopes[i], np.inf)


def _one_line(criterion: str, n: int, target: float) -> Record:
    """Best value of one coefficient of fresh random planes, two classes."""
    rng = np.random.default_rng(0)
    d, count = 10, 10
    X = rng.normal(size=(d, n))
    codes = (X[:3].sum(axis=0) + rng.normal(size=n) > 0.0).astype(np.int32)
    columns = np.ascontiguousarray(np.vstack([X, np.full(n, -1.0)]))
    problem = pose(columns, codes, np.ones(n), CRITERIA[criterion], True, 0.0)
    room = make_room(problem)
    values = rng.uniform(-1.0, 1.0, (count, d + 1)) @ columns
    slopes = columns[rng.integers(0, d, count)]
    ours, theirs = np.empty((count, 2)), np.empty((count, 2))

    def search() -> None:
        _best_steps(problem, room, values, slopes, ours)

    def search_in_numpy() -> None:
        for i in range(count):
            theirs[i] = numpy_step(values[i], slopes[i], codes, criterion)

    ratio, a, b = compare_times(search_in_numpy, search, repeats=max(5, 60_000 // n))
    if not np.allclose(ours[:, 0], theirs[:, 0], rtol=1e-9):
        raise AssertionError("both must find cuts of the same cost")
    detail = f"kernel {b / count * 1e6:.4g} us, {NUMPY} {a / count * 1e6:.4g} us, {count} planes"
    return Record(SECTION, f"best coefficient, {criterion}, n = {n}", ratio, target, ">=", detail)


def numpy_step(
    values: Array, slopes: Array, codes: Array, criterion: str = "gini"
) -> tuple[float, float]:
    """Best step along a line by one sort: (cost, step), cost as in `best_step`."""
    moves = slopes != 0.0
    crossing = -values[moves] / slopes[moves]
    order = np.argsort(crossing)
    crossing = crossing[order]
    change = np.where(slopes[moves] > 0.0, -1.0, 1.0)[order]
    crossing_codes = codes[moves][order]
    n_classes = int(codes.max()) + 1
    total = np.bincount(codes, minlength=n_classes).astype(float)
    starts_left = np.where(moves, slopes > 0.0, values <= 0.0)
    left = np.array([np.where(crossing_codes == k, change, 0.0) for k in range(n_classes)])
    left = np.cumsum(left, axis=1)
    left += np.bincount(codes[starts_left], minlength=n_classes)[:, None]
    right = total[:, None] - left
    n_left, n_right = left.sum(axis=0), right.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if criterion == "gini":
            cost = n_left + n_right - (left**2).sum(0) / n_left - (right**2).sum(0) / n_right
        else:
            cost = _xlogx(n_left) + _xlogx(n_right) - _xlogx(left).sum(0) - _xlogx(right).sum(0)
    cost[(n_left == 0.0) | (n_right == 0.0)] = np.inf
    cost[-1] = np.inf
    cost[:-1][crossing[1:] <= crossing[:-1]] = np.inf
    least = cost.min()
    if least == np.inf:
        return np.inf, 0.0
    # The first of the cheapest cuts, as in the kernel.
    best = int(np.argmax(cost <= least + TIE * codes.size))
    return float(cost[best]), float(0.5 * crossing[best] + 0.5 * crossing[best + 1])


def _xlogx(values: Array) -> Array:
    return values * np.log2(np.maximum(values, 1e-300))


# ---------------------------------------------------------------- one node


class NumpySearch:
    """Search of OC1 in numpy: sequential order, jumps, the paper's rule of stagnant moves."""

    def __init__(self, columns: Array, codes: Array, jumps: int):
        self.columns, self.codes, self.jumps = columns, codes, jumps
        self.tie = TIE * codes.size
        self.best, self.tried, self.state = np.inf, 0, 0

    def run(self, first: Array, seeds: Array) -> float:
        """Climb from all starts; return the least cost."""
        size = len(self.columns)
        for number, seed in enumerate(seeds.tolist()):
            self.state = seed
            random = [self._uniform() for _ in range(size)] if number > 0 else first
            self.plane = np.array(random)
            self.values = self.plane @ self.columns
            self.cost = self._cost()
            self.best = min(self.best, self.cost)
            self._climb()
            failures = 0
            while failures < self.jumps:
                if self._jump():
                    self._climb()
                    failures = 0
                else:
                    failures += 1
        return self.best

    def _uniform(self) -> float:
        """Draw from [-1, 1) as the compiled search does (splitmix64)."""
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        return 2.0 * ((z >> 11) * 2.0**-53) - 1.0

    def _cost(self) -> float:
        left = np.bincount(self.codes[self.values <= 0.0], minlength=2).astype(float)
        right = np.bincount(self.codes, minlength=2) - left
        if not left.sum() or not right.sum():
            return np.inf
        return float(self.codes.size - sum((s**2).sum() / s.sum() for s in (left, right)))

    def _climb(self) -> None:
        idle, made, chance, d = 0, 0, 1.0, len(self.columns) - 1
        while idle < d:
            slopes = self.columns[made % d]
            self.tried += 1
            cost, step = numpy_step(self.values, slopes, self.codes)
            accepted = cost < self.cost - self.tie
            if accepted:
                chance = 1.0
            elif cost <= self.cost + self.tie and chance > 0.0:
                moved = self.values + step * slopes
                crosses = ((self.values <= 0.0) != (moved <= 0.0)).any()
                accepted = crosses and 0.5 * (self._uniform() + 1.0) < chance
                chance -= 0.1 * accepted
            if accepted:
                self.plane[made % d] += step
                self._move(slopes, step, cost)
            idle = 0 if accepted else idle + 1
            made += 1

    def _jump(self) -> bool:
        direction = np.array([self._uniform() for _ in self.columns])
        slopes = direction @ self.columns
        self.tried += 1
        cost, step = numpy_step(self.values, slopes, self.codes)
        if not cost < self.cost - self.tie:
            return False
        self.plane += step * direction
        self._move(slopes, step, cost)
        return True

    def _move(self, slopes: Array, step: float, cost: float) -> None:
        self.values = self.values + step * slopes
        self.cost = cost
        self.best = min(self.best, cost)


def _one_node() -> Record:
    """Root of 400 rows of pima, 20 starts and 5 jumps."""
    data = load_dataset("pima")
    X = np.ascontiguousarray(data.data, dtype=np.float64)[:400]
    y = data.target.to_numpy()[:400]
    node = Node.from_data(X, y, criterion="gini")
    axis = AxisParallel().find_split(node, np.random.default_rng(0))
    sample = take_sample(node, "standard")
    if sample is None or axis is None:
        raise AssertionError("the node has an axis-parallel test and can be searched")
    first = sample.plane_of(axis)
    ratios, ours, theirs, tried, numpy_tried = [], [], [], 0, 0
    for seed in range(5):
        seeds = np.random.default_rng(seed).integers(0, 1 << 63, size=20, dtype=np.int64)
        peer = NumpySearch(sample.problem.columns, sample.problem.codes, jumps=5)
        start = time.perf_counter()
        peer.run(first, seeds)
        theirs.append(time.perf_counter() - start)
        times = [_search_seconds(node, seed) for _ in range(5)]
        ours.append(statistics.median(seconds for seconds, _ in times))
        ratios.append(theirs[-1] / ours[-1])
        tried += times[0][1]
        numpy_tried += peer.tried
    detail = (
        f"ours {statistics.median(ours) * 1e3:.3g} ms for {tried / 5:.0f} hyperplanes, "
        f"{NUMPY} {statistics.median(theirs) * 1e3:.3g} ms for {numpy_tried / 5:.0f}"
    )
    value = statistics.median(ratios)
    return Record(SECTION, "search at the root, 400 x 8, 20/5", value, 12.0, ">=", detail)


def _search_seconds(node: Node, seed: int) -> tuple[float, int]:
    start = time.perf_counter()
    found = OC1().search(node, np.random.default_rng(seed))
    return time.perf_counter() - start, found.hyperplanes


# ---------------------------------------------------------------- whole trees


def _ours() -> OC1Classifier:
    return OC1Classifier(criterion="entropy", pruning=None, random_state=0)


def _peer() -> DecisionTreeClassifier:
    return DecisionTreeClassifier(criterion="entropy", random_state=0)


def _line(case: str, value: float, target: float, ours: float, peer: float) -> Record:
    detail = f"ours {ours * 1e3:.4g} ms, {PEER} {peer * 1e3:.4g} ms"
    return Record(SECTION, case, value, target, "<=", detail)


def _small_tree() -> Record:
    """Halves of pima."""
    data = load_dataset("pima")
    X = np.ascontiguousarray(data.data, dtype=np.float64)
    y = data.target.to_numpy()
    results = []
    for seed in range(9):
        rows = np.random.default_rng(seed).permutation(len(X))[:384]
        half = X[rows].copy(), y[rows].copy()
        results.append(compare_times(_ours().fit, _peer().fit, *half, repeats=5))
    ratio, ours, peer = (statistics.median(column) for column in zip(*results, strict=True))
    return _line("fit OC1 20/5, 384 x 8", ratio, 14.0, ours, peer)


def _middle_tree() -> Record:
    X, y = make_classification(5_000, 20, n_informative=10, random_state=0)
    ratio, ours, peer = compare_times(_ours().fit, _peer().fit, X, y, repeats=5)
    return _line("fit OC1 20/5, 5k x 20", ratio, 26.0, ours, peer)


def _large_tree() -> Iterator[Record]:
    X, y = make_classification(50_000, 20, n_informative=10, random_state=0)
    _seconds(lambda: _ours().fit(X[:500], y[:500]))
    model = _ours()
    seconds = _seconds(lambda: model.fit(X, y))
    detail = f"{model.tree_.n_leaves} leaves, {model.hyperplanes_} hyperplanes tried"
    yield Record(SECTION, "fit OC1 20/5, 50k x 20, seconds", seconds, 300.0, "<=", detail)
    each = {n: _seconds_each(X[:n], y[:n]) for n in (5_000, 50_000)}
    detail = ", ".join(f"{value * 1e6:.4g} us at n = {n}" for n, value in each.items())
    growth = each[50_000] / each[5_000] / 10.0
    yield Record(
        SECTION, "time a hyperplane, 50k rows beside 5k, over 10", growth, 1.3, "<=", detail
    )  # fmt: skip


def _seconds_each(X: Array, y: Array) -> float:
    """Time of one hyperplane at the root."""
    node = Node.from_data(X, y, criterion="entropy")
    AxisParallel().find_split(node, np.random.default_rng(0))
    times = []
    for seed in range(3):
        start = time.perf_counter()
        found = OC1(5, 5).search(node, np.random.default_rng(seed))
        times.append((time.perf_counter() - start) / found.hyperplanes)
    return statistics.median(times)


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
