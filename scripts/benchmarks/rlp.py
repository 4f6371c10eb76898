"""Robust linear programming: a node through cvxpy and by edge descent, beside bare HiGHS."""

from __future__ import annotations

import importlib.metadata
import statistics
import time
from collections.abc import Iterator
from typing import Any

import highspy
import numpy as np

from baselines import RobustLP, _linear_program
from baselines._edge_descent import edge_descent
from baselines._sample import scale_rows
from oblique import ObliqueTreeClassifier
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel, BestOf, Categories
from oblique.node import Node
from scripts.benchmarks.record import Record, compare_times

SECTION = "rlp"
PEER = f"highspy {importlib.metadata.version('highspy')} on the dual, one thread"
CVXPY = f"cvxpy {importlib.metadata.version('cvxpy')}"


def measure() -> Iterator[Record]:
    """Yield the records of this section."""
    small, middle, large = _pima(), _normal(4000, 20), _normal(40_000, 20)
    yield _through_cvxpy(small, 3.0, repeats=31)
    yield _through_cvxpy(middle, 1.3, repeats=9)
    yield _dual_for_primal(middle)
    for node, target, repeats in ((small, 3.5, 31), (middle, 8.0, 7), (large, 18.0, 3)):
        yield _edge_descent(node, target, repeats)
    yield _agreement([small, middle, large])
    pima = load_dataset("pima")
    for solver in ("HIGHS", "edge_descent"):
        yield _whole_tree(solver, "pima", pima.data, pima.target)
    yield _whole_tree("edge_descent", _size(middle), middle.table.X, middle.table.codes)


def _pima() -> Node:
    data = load_dataset("pima")
    rows = np.random.default_rng(0).permutation(len(data.data))[:400]
    X = data.data.to_numpy(np.float64)[rows]
    return Node.from_data(X, data.target.to_numpy()[rows] == data.unsafe_class)


def _normal(n: int, d: int) -> Node:
    """Normal columns, a plane between the classes, and much noise."""
    rng = np.random.default_rng(n)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    return Node.from_data(X, X @ w + 0.75 * np.sqrt(d) * rng.normal(size=n) > 0.0)


def _size(node: Node) -> str:
    return f"{node.n_rows}x{node.n_features}"


def _program(node: Node) -> tuple[np.ndarray, np.ndarray]:
    """The program that a finder solves at the node: signed rows as columns, and costs."""
    rows = scale_rows(node, "standard")
    assert rows is not None
    is_above = rows.codes == 1
    cost = 1.0 / np.where(is_above, is_above.sum(), (~is_above).sum())
    return np.ascontiguousarray(rows.columns * np.where(is_above, 1.0, -1.0)), cost


def _by_highs(
    A: np.ndarray, cost: np.ndarray, presolve: str = "choose"
) -> tuple[float, np.ndarray]:
    """Build and solve the dual with HiGHS's own Python interface."""
    p, n = A.shape
    model = highspy.HighsModel()
    lp = model.lp_
    lp.num_col_, lp.num_row_ = n, p
    lp.col_cost_ = -np.ones(n)
    lp.col_lower_, lp.col_upper_ = np.zeros(n), cost
    lp.row_lower_ = lp.row_upper_ = np.zeros(p)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.arange(0, n * p + 1, p)
    lp.a_matrix_.index_ = np.tile(np.arange(p), n)
    lp.a_matrix_.value_ = A.T.ravel()
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("presolve", presolve)
    solver.passModel(model)
    solver.run()
    return -solver.getInfo().objective_function_value, np.array(solver.getSolution().row_dual)


def _through_cvxpy(node: Node, target: float, repeats: int) -> Record:
    finder, rng = RobustLP("HIGHS"), np.random.default_rng(0)
    A, cost = _program(node)
    ratio, ours, peer = compare_times(
        lambda: finder.find_split(node, rng), lambda: _by_highs(A, cost), repeats=repeats
    )
    detail = f"node by RobustLP {ours * 1e3:.3g} ms, {PEER} {peer * 1e3:.3g} ms"
    return Record(SECTION, f"node through cvxpy, {_size(node)}", ratio, target, "<=", detail)


def _dual_for_primal(node: Node) -> Record:
    dual, primal, rng = RobustLP(), RobustLP(form="primal"), np.random.default_rng(0)
    ratio, slow, fast = compare_times(
        lambda: primal.find_split(node, rng), lambda: dual.find_split(node, rng), repeats=3
    )
    detail = f"{CVXPY} and HiGHS: primal {slow * 1e3:.3g} ms, dual {fast * 1e3:.3g} ms"
    case = f"primal / dual through cvxpy, {_size(node)}"
    return Record(SECTION, case, ratio, 8.0, ">=", detail)


def _edge_descent(node: Node, target: float, repeats: int) -> Record:
    finder, rng = RobustLP("edge_descent"), np.random.default_rng(0)
    A, cost = _program(node)
    ratio, peer, ours = compare_times(
        lambda: _by_highs(A, cost), lambda: finder.find_split(node, rng), repeats=repeats
    )
    start = time.perf_counter()
    _by_highs(A, cost, "off")
    bare = time.perf_counter() - start
    detail = (
        f"node by edge descent {ours * 1e3:.3g} ms, {PEER} {peer * 1e3:.3g} ms, without its "
        f"presolve {bare * 1e3:.3g} ms"
    )
    case = f"HiGHS / edge descent, {_size(node)}"
    return Record(SECTION, case, ratio, target, ">=", detail)


def _agreement(nodes: list[Node]) -> Record:
    worst, gap = 0.0, 0.0
    for node in nodes:
        A, cost = _program(node)
        found, optimum = edge_descent(A, cost), _by_highs(A, cost)[0]
        worst = max(worst, abs(found.loss - optimum) / optimum)
        gap = max(gap, found.loss - found.bound)
    detail = f"optima of the three nodes, relative; edge descent's own gap at most {gap:.1e}"
    return Record(SECTION, "edge descent / HiGHS, difference", worst, 1e-12, "<=", detail)


def _whole_tree(solver: str, name: str, X: Any, y: Any) -> Record:
    """Time of growing a tree by the time inside its programs."""
    finder = BestOf(RobustLP(solver), AxisParallel(), Categories())
    model = ObliqueTreeClassifier(finder=finder, random_state=0)
    inside = [0.0, 0]
    solve = _linear_program.solve

    def timed(*arguments: object, **options: object) -> object:
        start = time.perf_counter()
        answer = solve(*arguments, **options)  # type: ignore[arg-type]
        inside[0] += time.perf_counter() - start
        inside[1] += 1
        return answer

    from baselines import robust_lp

    robust_lp.solve = timed  # type: ignore[assignment]
    try:
        ratios, totals = [], []
        for _ in range(4 if solver == "HIGHS" else 21):
            inside[:] = 0.0, 0
            start = time.perf_counter()
            model.fit(X, y)
            totals.append(time.perf_counter() - start)
            ratios.append(totals[-1] / inside[0])
    finally:
        robust_lp.solve = solve
    detail = (
        f"{inside[1]} programs, {model.tree_.n_leaves} leaves, fit "
        f"{statistics.median(totals[1:]) * 1e3:.3g} ms"
    )
    ratio = statistics.median(ratios[1:])
    case = f"tree / sum of its programs, {name}, {solver}"
    return Record(SECTION, case, ratio, 2.0, "<=", detail)
