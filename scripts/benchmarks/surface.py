"""Speed and accuracy of the decision surface, beside solvers that visit every leaf.

"predict" is this package's own compiled routing of the same tree and cases. Solvers that would
need minutes for all leaves are timed on a sample of (case, leaf) pairs and extrapolated. Times are
processor time of this process: the calls take milliseconds, and other programs would show.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oblique import DecisionSurface, ObliqueTreeClassifier, Tree
from oblique.finders import BestOf, LinearDiscriminant, SplitFinder
from oblique.finders.base import best_cut_along
from oblique.sensitivity.model import partition_of
from projection import CellSearch, Metric, nearest_cells, prepare_search, project
from projection.jit import jit
from scripts.benchmarks.record import Record

SECTION = "surface"
INF = float("inf")


def compare_times(
    ours: Callable[[], Any], peer: Callable[[], Any], *, repeats: int = 25
) -> tuple[float, float, float]:
    """Time two calls in turn: (median ratio, our median, the peer's), processor seconds."""
    ours(), peer()
    pairs = [(_seconds(ours), _seconds(peer)) for _ in range(repeats)]
    first, second = (float(np.median(part)) for part in zip(*pairs, strict=True))
    return float(np.median([a / b for a, b in pairs])), first, second


def _seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


class RandomDirections(SplitFinder):
    """Best cut along some random directions: trees whose planes have no structure."""

    def __init__(self, count: int = 10):
        self.count = count

    def find_split(self, node: Any, rng: np.random.Generator) -> Any:
        """Draw the directions and cut along the best."""
        return best_cut_along(node, rng.normal(size=(self.count, node.n_features)))


class Subject(NamedTuple):
    """A tree and cases that it did not see."""

    tree: Tree
    X: NDArray[np.float64]

    @property
    def own(self) -> NDArray[np.int64]:
        """Class code of each case."""
        return self.tree.predict_codes(self.X).astype(np.int64)

    def search(self, norm: float) -> Search:
        """Bare search of this subject in raw units."""
        search = prepare_search(
            partition_of(self.tree), Metric.identity(self.X.shape[1], norm=norm)
        )
        codes = np.arange(self.tree.n_classes)[:, None]
        useful = search.spread((self.tree.labels != codes) & search.has_interior)
        return Search(search, useful)


class Search(NamedTuple):
    """A prepared search and the subtrees that count for each class."""

    search: CellSearch
    useful: NDArray[np.bool_]

    def nearest(self, subject: Subject) -> Any:
        """Nearest cells of the subject's cases."""
        return nearest_cells(self.search, subject.X, self.useful, subject.own)


def measure() -> Iterator[Record]:
    """Yield the records of this section."""
    subjects = {
        "breast cancer": _grown(_scaled(load_breast_cancer), RandomDirections(1)),
        "digits": _grown(load_digits(return_X_y=True), RandomDirections(4)),
        "made": _grown(_made(), BestOf(LinearDiscriminant("criterion"), RandomDirections(10))),
    }
    subjects["made, rare class"] = _with_rare_class(subjects["made"])
    yield from _beside_predict(subjects)
    yield from _beside_solvers(subjects["digits"], "digits", None, 800, None, 3e5)
    yield from _beside_solvers(subjects["made"], "made", 1.0, 2500, 60, 1e6)
    yield from _axis_parallel(Subject(_axis_tree(), subjects["made"].X))
    yield from _sup_norm(subjects)
    yield from _single_case(subjects["made"])
    yield from _accuracy(subjects["made"])


# ------------------------------------------------------------ trees


def _scaled(load: Callable[..., Any]) -> tuple[Any, Any]:
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@functools.cache
def _made() -> tuple[Any, Any]:
    return make_classification(  # type: ignore[no-any-return]
        12_500, 20, n_informative=10, n_classes=3, flip_y=0.15, random_state=0
    )


def _grown(data: tuple[Any, Any], finder: SplitFinder) -> Subject:
    """Tree of the first part of some rows, the rest (at most 500) as cases."""
    X, y = (np.ascontiguousarray(part) for part in data)
    n = max(len(X) - 500, int(0.7 * len(X)))
    model = ObliqueTreeClassifier(finder=finder, random_state=0).fit(X[:n].astype(float), y[:n])
    return Subject(model.tree_, X[n:].astype(float))


def _with_rare_class(subject: Subject) -> Subject:
    """The same tree with the other class in 2 % of its leaves: the hard case of a search."""
    tree, rng = subject.tree, np.random.default_rng(0)
    labels = np.zeros(tree.n_nodes, dtype=np.int32)
    labels[rng.choice(tree.leaves, size=tree.n_leaves // 50, replace=False)] = 1
    return Subject(tree.replace(labels=labels), subject.X)


def _axis_tree() -> Tree:
    X, y = _made()
    return Tree.from_sklearn(DecisionTreeClassifier(random_state=0).fit(X[:12_000], y[:12_000]))


def _describe(subject: Subject) -> str:
    return f"{subject.tree.n_leaves} leaves, {subject.X.shape[1]} attributes"


# ------------------------------------------------------------ norm 2


def _beside_predict(subjects: dict[str, Subject]) -> Iterator[Record]:
    for name, subject in subjects.items():
        bare, own = subject.search(2.0), subject.own
        ratio, ours, peer = compare_times(
            lambda s=subject, b=bare, o=own: nearest_cells(b.search, s.X, b.useful, o),
            lambda s=subject: s.tree.apply(s.X),
        )
        target = 20 if "rare" in name else 10
        detail = _times(subject, ours, peer, "predict")
        yield Record(SECTION, f"nearest / predict, {name}", ratio, target, "<=", detail)


def _times(subject: Subject, ours: float, peer: float, peer_name: str) -> str:
    n = len(subject.X)
    return (
        f"ours {ours / n * 1e6:.2f} us a case, {peer_name} {peer / n * 1e6:.3g} us; "
        f"{_describe(subject)}"
    )


def _beside_solvers(
    subject: Subject,
    name: str,
    product: float | None,
    every_leaf: float,
    ordered: float | None,
    convex: float,
) -> Iterator[Record]:
    """Targets: one matrix product, DAQP on every leaf and in the order of bounds, cvxpy."""
    bare, own = subject.search(2.0), subject.own
    if product is not None:
        planes = subject.tree.weights.toarray()[subject.tree.children_left >= 0].T.copy()
        ratio, ours, peer = compare_times(
            lambda: nearest_cells(bare.search, subject.X, bare.useful, own),
            lambda: subject.X @ planes,
        )
        detail = _times(subject, ours, peer, "cases @ all planes")
        yield Record(SECTION, f"nearest / one matrix product, {name}", ratio, product, "<=", detail)
    else:
        ours = compare_times(
            lambda: nearest_cells(bare.search, subject.X, bare.useful, own), lambda: subject.own
        )[1]
    ours /= len(subject.X)
    leaves = _Leaves(subject, bare)
    for case, target, seconds in (
        ("DAQP on every leaf", every_leaf, lambda: leaves.daqp(3, in_order=False)),
        ("DAQP in the order of bounds", ordered, lambda: leaves.daqp(20, in_order=True)),
        ("a cvxpy problem for every leaf", convex, lambda: leaves.convex(6)),
    ):
        if target is None:
            continue
        try:
            took, peer_name = seconds()
        except ImportError as error:
            yield Record(SECTION, f"{case} / nearest, {name}", None, target, ">=", f"{error}")
            continue
        detail = f"ours {ours * 1e6:.2f} us a case, {peer_name} {took * 1e6:.3g} us"
        yield Record(SECTION, f"{case} / nearest, {name}", took / ours, target, ">=", detail)


class _Leaves:
    """Leaves of other classes of a subject, one by one."""

    def __init__(self, subject: Subject, bare: Search):
        self.subject, self.own = subject, subject.own
        self.expected = bare.nearest(subject).distance
        self.regions = {leaf: bare.search.partition.region(leaf) for leaf in subject.tree.leaves}
        # copies: the solver asks for arrays that it could write to
        self.problems = {
            leaf: (r.A.copy(), r.b.copy(), np.full(len(r.b), -1e30), np.zeros(len(r.b), np.int32))
            for leaf, r in self.regions.items()
        }
        weights = subject.tree.weights.toarray()
        lengths = np.linalg.norm(weights, axis=1)
        lengths[lengths == 0] = 1.0
        self.weights = weights / lengths[:, None]
        self.offsets = np.nan_to_num(subject.tree.threshold) / lengths
        shape = (subject.tree.n_nodes, subject.tree.max_depth)
        self.nodes, self.signs = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        for leaf in self.regions:
            path, sides = bare.search.partition.path(leaf)
            self.nodes[leaf, : len(path)], self.signs[leaf, : len(path)] = path, sides

    def others(self, i: int) -> list[int]:
        """Leaves of another class than case i."""
        labels = self.subject.tree.labels
        return [leaf for leaf in self.regions if labels[leaf] != self.own[i]]

    def daqp(self, n_cases: int, *, in_order: bool) -> tuple[float, str]:
        """Seconds a case of DAQP's own interface."""
        import daqp

        eye = np.eye(self.subject.X.shape[1])
        total = 0.0
        for i in range(n_cases):
            x, others = self.subject.X[i], self.others(i)
            start = time.process_time()
            bounds = self.bounds(x)[others] if in_order else np.zeros(len(others))
            best = INF
            for j in np.argsort(bounds, kind="stable"):
                if bounds[j] >= best:
                    break
                A, b, low, sense = self.problems[others[j]]
                y, _, flag, _ = daqp.solve(eye, -x, A, b, low, sense.copy())
                if flag > 0:
                    best = min(best, float(np.linalg.norm(y - x)))
            total += time.process_time() - start
            assert math.isclose(best, self.expected[i], rel_tol=1e-4, abs_tol=1e-5)
        return total / n_cases, f"daqp {version('daqp')}"

    def bounds(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Largest violated distance of each leaf, by node number."""
        excess = self.weights @ x - self.offsets
        return (self.signs * excess[self.nodes]).max(axis=1)

    def convex(self, n_pairs: int) -> tuple[float, str]:
        """Seconds a case of one cvxpy problem (Clarabel) for every leaf, extrapolated."""
        import cvxpy as cp

        seconds = []
        for i in range(n_pairs):
            region = self.regions[self.others(i)[i]]
            start = time.process_time()
            y = cp.Variable(region.n_features)
            objective = cp.Minimize(cp.sum_squares(y - self.subject.X[i]))
            cp.Problem(objective, [region.A @ y <= region.b]).solve(solver=cp.CLARABEL)
            seconds.append(time.process_time() - start)
        return self._extrapolate(seconds), f"cvxpy {version('cvxpy')} (median of {n_pairs} pairs)"

    def linear(self, n_pairs: int) -> tuple[float, str]:
        """Seconds a case of one linear program (norm inf, HiGHS) for every leaf, extrapolated."""
        seconds = []
        d = self.subject.X.shape[1]
        unit, ones = np.eye(d), np.ones((d, 1))
        for i in range(n_pairs):
            region, x = self.regions[self.others(i)[i]], self.subject.X[i]
            start = time.process_time()
            zero = np.zeros((len(region.b), 1))
            matrix = np.block([[region.A, zero], [unit, -ones], [-unit, -ones]])
            right = np.concatenate([region.b - region.A @ x, np.zeros(2 * d)])
            linprog(np.append(np.zeros(d), 1.0), matrix, right, bounds=[(None, None)] * (d + 1))
            seconds.append(time.process_time() - start)
        return self._extrapolate(seconds), f"scipy {version('scipy')} (median of {n_pairs} pairs)"

    def _extrapolate(self, seconds: list[float]) -> float:
        """Median times the mean number of leaves of another class."""
        return float(np.median(seconds) * np.mean([len(self.others(i)) for i in range(20)]))


# ------------------------------------------------------------ axis-parallel trees


@jit
def _clip_every_box(X, low, high, labels, own, distance):  # type: ignore[no-untyped-def]
    for i in range(X.shape[0]):
        best = np.inf
        for leaf in range(low.shape[0]):
            if labels[leaf] == own[i]:
                continue
            total = 0.0
            for j in range(X.shape[1]):
                gap = max(max(low[leaf, j] - X[i, j], X[i, j] - high[leaf, j]), 0.0)
                total += gap * gap
            best = min(best, total)
        distance[i] = math.sqrt(best)


def _axis_parallel(subject: Subject) -> Iterator[Record]:
    tree, X, own = subject.tree, subject.X, subject.own
    low, high = _boxes(tree)
    labels = tree.labels[tree.leaves]
    bare = subject.search(2.0)
    clipped = np.empty(len(X))

    def vectorised() -> NDArray[np.float64]:
        out = np.empty(len(X))
        for i, x in enumerate(X):
            gap = np.clip(x, low, high) - x
            squares = np.einsum("ij,ij->i", gap, gap)
            squares[labels == own[i]] = INF
            out[i] = math.sqrt(squares.min())
        return out

    def ours() -> Any:
        return nearest_cells(bare.search, X, bare.useful, own)

    np.testing.assert_allclose(ours().distance, vectorised(), rtol=1e-12)
    ratio, t, peer = compare_times(ours, lambda: tree.apply(X))
    detail = _times(subject, t, peer, "predict")
    yield Record(SECTION, "nearest / predict, axis-parallel", ratio, 2.5, "<=", detail)
    for name, target, call in (
        ("compiled clipping", 15, lambda: _clip_every_box(X, low, high, labels, own, clipped)),
        ("vectorised clipping", 200, vectorised),
    ):
        # not in turn: a call of a tenth of a millisecond would pay for the caches the peer empties
        call()
        peer = float(np.median([_seconds(call) for _ in range(5)]))
        detail = _times(subject, t, peer, name)
        yield Record(SECTION, f"{name} / nearest, axis-parallel", peer / t, target, ">=", detail)


def _boxes(tree: Tree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds of every leaf (all weights are one)."""
    low = np.full((tree.n_leaves, tree.n_features), -INF)
    high = np.full((tree.n_leaves, tree.n_features), INF)
    for i, leaf in enumerate(tree.leaves.tolist()):
        for node, went_left in tree.path(leaf):
            feature, c = tree.weight_indices[tree.weight_indptr[node]], tree.threshold[node]
            if went_left:
                high[i, feature] = min(high[i, feature], c)
            else:
                low[i, feature] = max(low[i, feature], c)
    return low, high


# ------------------------------------------------------------ other questions


def _sup_norm(subjects: dict[str, Subject]) -> Iterator[Record]:
    for name, subject in subjects.items():
        sup, euclid, own = subject.search(INF), subject.search(2.0), subject.own
        ratio, ours, peer = compare_times(
            lambda s=subject, b=sup, o=own: nearest_cells(b.search, s.X, b.useful, o),
            lambda s=subject, b=euclid, o=own: nearest_cells(b.search, s.X, b.useful, o),
        )
        if "rare" not in name:
            detail = _times(subject, ours, peer, "norm 2")
            yield Record(SECTION, f"norm inf / norm 2, {name}", ratio, 4, "<=", detail)
        if name == "made":
            took, peer_name = _Leaves(subject, sup).linear(6)
            ours /= len(subject.X)
            detail = f"ours {ours * 1e6:.2f} us a case, {peer_name} {took * 1e6:.3g} us"
            case = f"a linear program for every leaf / norm inf, {name}"
            yield Record(SECTION, case, took / ours, 1e5, ">=", detail)


def _single_case(subject: Subject) -> Iterator[Record]:
    surface = DecisionSurface(subject.tree, "identity")
    for name, target, call in (
        ("unchecked", 20, lambda i: surface.measure(subject.X[i])),
        ("checked, with counterfactual", 100, lambda i: surface.nearest(subject.X[i : i + 1])),
    ):
        call(0)
        rounds = []
        for _ in range(9):
            start = time.process_time()
            for i in range(300):
                call(i)
            rounds.append((time.process_time() - start) / 300 * 1e6)
        value = float(np.median(rounds))
        yield Record(
            SECTION, f"microseconds for one case, {name}", value, target, "<=", _describe(subject)
        )


def _accuracy(subject: Subject) -> Iterator[Record]:
    bare = subject.search(2.0)
    leaves = _Leaves(subject, bare)
    worst = 0.0
    for i in range(30):
        nearest = _nearest_by_nnls(leaves, i)
        worst = max(worst, abs(leaves.expected[i] - nearest) / nearest)
    detail = "30 cases against scipy's NNLS on the leaves in the order of bounds"
    yield Record(SECTION, "relative error of the distance, made", worst, 1e-12, "<=", detail)
    for angle in (1e-3, 1e-6):
        error = _wedge_error(angle)
        case = f"relative error, planes at an angle of {angle:g}"
        yield Record(SECTION, case, error, 1e-8, "<=", "a wedge with a known answer, 2 attributes")
    wrong = sum(_wrong_verdicts(gap) for gap in (0.0, 1e-11, 1e-9, 1e-3))
    detail = "cells empty, flat or open by 0, 1e-11, 1e-9 and 1e-3; 40 directions each"
    yield Record(SECTION, "wrong verdicts on empty cells", wrong, 0, "<=", detail)


def _nearest_by_nnls(leaves: _Leaves, i: int) -> float:
    x = leaves.subject.X[i]
    bounds = {
        leaf: ((r.A @ x - r.b) / np.linalg.norm(r.A, axis=1)).max()
        for leaf, r in leaves.regions.items()
        if leaf in set(leaves.others(i))
    }
    best = INF
    for leaf in sorted(bounds, key=bounds.__getitem__):
        if bounds[leaf] >= best:
            break
        best = min(best, project(x, leaves.regions[leaf], solver="nnls").distance)
    return best


def _nested(first: Any, second: Any) -> Tree:
    """Tree of two tests; only the cell left of both has class "in"."""
    outside, inside = {"counts": {"in": 0, "out": 1}}, {"counts": {"in": 1, "out": 0}}
    below = {**second, "left": inside, "right": outside}
    return Tree.from_nested({**first, "left": below, "right": outside}, feature_names=("u", "v"))


def _wedge_error(angle: float) -> float:
    """Error of the distance to a cell whose nearest point is where two planes meet."""
    tree = _nested(
        {"weights": {"v": 1.0}, "threshold": 0.0},
        {"weights": {"u": math.sin(angle), "v": -math.cos(angle)}, "threshold": -1.0},
    )
    found = DecisionSurface(tree, "identity").nearest([[5.0, 0.5]]).distance[0]
    exact = math.hypot(5.0 + 1.0 / math.sin(angle), 0.5)
    return abs(float(found) - exact) / exact


def _wrong_verdicts(gap: float) -> int:
    """Cells ``{w.x <= 1, w.x >= 1 + gap}`` that are found, or ``{... 1 - gap}`` that are not."""
    wrong = 0
    for turn in np.linspace(0.1, 3.0, 40):
        w = {"u": math.cos(turn), "v": math.sin(turn)}
        minus = {key: -value for key, value in w.items()}
        for sign in (1.0, -1.0):
            tree = _nested(
                {"weights": w, "threshold": 1.0},
                {"weights": minus, "threshold": -1.0 - sign * gap},
            )
            near = DecisionSurface(tree, "identity").nearest([[3.0, -2.0]])
            should_exist = sign < 0 and gap > 0
            wrong += int((near.status[0] == "found") != should_exist)
    return wrong
