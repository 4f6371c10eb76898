"""Compiled loops: against brute force, and against the same text run by Python."""

from __future__ import annotations

import importlib.util
import itertools
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.registry import CPUDispatcher
from tree_checks import assert_same_tree, grow_on, reference_gain, rough_table

import projection.jit
from oblique import _kernels, _routing, row_order
from oblique.criteria import CRITERIA
from oblique.finders import (
    AxisParallel,
    BestOf,
    Categories,
    LinearDiscriminant,
    SafeAdjusted,
    _discriminant,
)
from oblique.finders.base import best_cut
from oblique.node import Node
from oblique.row_order import canonical_rows
from oblique.stopping import Stopping
from oblique.table import Table

seeds = st.integers(0, 2**32 - 1)
LDT = BestOf(SafeAdjusted(LinearDiscriminant()), AxisParallel("safe"), Categories())

# ---------------------------------------------------------------- best cut, by brute force


def every_cut(X, codes, weights, n_classes, criterion, min_leaf):
    """Every cut of every column in order: (column, lower value, upper value, gain)."""
    total = np.bincount(codes, weights=weights, minlength=n_classes)
    for j in range(X.shape[1]):
        known = ~np.isnan(X[:, j])
        values = np.unique(X[known, j])
        for low, high in itertools.pairwise(values):
            is_left = X[:, j] <= low
            is_right = known & ~is_left
            if min(is_left.sum(), is_right.sum()) < min_leaf:
                continue
            left, right = (
                np.bincount(codes[side], weights=weights[side], minlength=n_classes)
                for side in (is_left, is_right)
            )
            yield j, low, high, reference_gain(criterion, left, right, total)


def make_node(X, codes, weights, n_classes, criterion, *, min_leaf=1, unsafe=-1):
    table = Table(
        X, codes, weights, n_classes, criterion=criterion, min_leaf=min_leaf, unsafe=unsafe
    )
    return Node.from_table(table, canonical_rows(X, codes, weights))


def cut_by_kernel(node, threshold="midpoint"):
    node.sort_columns()
    return best_cut(node, node.table.columns, node.store.lines, node.numeric, threshold)


@st.composite
def problems(draw, max_classes=4):
    rng = np.random.default_rng(draw(seeds))
    n_classes = draw(st.integers(2, max_classes))
    X, codes = rough_table(
        rng, draw(st.integers(2, 25)), draw(st.integers(1, 3)), n_classes=n_classes,
        levels=draw(st.integers(1, 6)), missing=draw(st.sampled_from([0.0, 0.0, 0.3])),
    )  # fmt: skip
    kind = draw(st.sampled_from(["none", "whole", "real"]))
    weights = {
        "none": None,
        "whole": rng.integers(1, 4, size=len(X)).astype(float),
        "real": rng.random(len(X)) + 0.1,
    }[kind]
    return X, codes, weights, n_classes


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(1, 4))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_best_axis_cut_is_the_best_of_all_cuts(criterion, problem, min_leaf):
    X, codes, weights, n_classes = problem
    ones = np.ones(len(X)) if weights is None else weights
    cuts = list(every_cut(X, codes, ones, n_classes, criterion, min_leaf))
    best = max((gain for *_, gain in cuts), default=0.0)
    node = make_node(X, codes, weights, n_classes, criterion, min_leaf=min_leaf)
    column, threshold, gain = cut_by_kernel(node)
    if column < 0:
        assert best <= 2e-12
        return
    assert gain == pytest.approx(best, abs=1e-11)
    place = [
        i for i, (j, low, high, _) in enumerate(cuts) if j == column and low <= threshold < high
    ]
    assert len(place) == 1
    assert cuts[place[0]][3] == pytest.approx(best, abs=1e-11)
    # Of equally good cuts the first: gains that differ by rounding only are equal.
    assert all(gain < best - 1e-14 for *_, gain in cuts[: place[0]])


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(0, 3))
def test_threshold_lies_where_the_mode_says(problem, unsafe):
    X, codes, weights, n_classes = problem
    node = make_node(X, codes, weights, n_classes, "entropy", unsafe=min(unsafe, n_classes - 1))
    column, middle, _ = cut_by_kernel(node)
    if column < 0:
        return
    x = X[:, column]
    low, high = np.nanmax(x[x <= middle]), np.nanmin(x[x > middle])
    assert middle == pytest.approx((low + high) / 2)
    assert cut_by_kernel(node, "data")[1] == low
    ones = np.ones(len(X)) if weights is None else weights
    left, right = (
        np.average(codes[side] == node.unsafe, weights=ones[side]) for side in (x <= low, x >= high)
    )
    safe = cut_by_kernel(node, "safe")[1]
    if left < right - 1e-9:
        assert safe == low
    elif right < left - 1e-9:
        assert safe == np.nextafter(high, -np.inf)
    else:
        assert safe == middle


def test_threshold_between_neighbouring_floats_keeps_them_apart():
    for low in (1.0, 1e300, 5e-324, 0.0, -1.0, -5e-324, 1.7e308):
        high = np.nextafter(low, np.inf)
        for mode in ("midpoint", "data", "safe"):
            node = make_node(np.array([[low], [high]]), np.array([0, 1], np.int32), None, 2, "gini")
            assert low <= cut_by_kernel(node, mode)[1] < high


@pytest.mark.parametrize("criterion", CRITERIA)
def test_quick_scan_of_entropy_gives_the_general_result(criterion):
    """Unit weights and weights of two take different loops for entropy."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, codes = rough_table(rng, 60, 3, n_classes=3)
        first = cut_by_kernel(make_node(X, codes, None, 3, criterion))
        second = cut_by_kernel(make_node(X, codes, np.full(60, 2.0), 3, criterion))
        assert first[:2] == second[:2]
        assert first[2] == pytest.approx(second[2], abs=1e-12)


# ---------------------------------------------------------------- the same text run by Python


def run_by_python(module):
    """The module's text with compilation left out."""
    spec = importlib.util.spec_from_file_location(f"plain{module.__name__}", module.__file__)
    plain = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(projection.jit, "jit", lambda function: function)
        patch.setattr(projection.jit, "inline", lambda function: function)
        spec.loader.exec_module(plain)
    return plain


PLAIN = {
    module.__name__: run_by_python(module)
    for module in (_kernels, _routing, row_order, _discriminant)
}


@pytest.fixture
def uncompiled(monkeypatch):
    """Let the whole package call the Python text of its kernels."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "oblique":
            continue
        for key, value in list(vars(module).items()):
            if isinstance(value, CPUDispatcher) and value.__module__ in PLAIN:
                monkeypatch.setattr(module, key, getattr(PLAIN[value.__module__], key))
    with np.errstate(all="ignore"):
        yield


def test_python_runs_the_text_that_is_compiled():
    compiled = [f for f in vars(_kernels).values() if isinstance(f, CPUDispatcher)]
    assert len(compiled) > 15
    for function in compiled:
        plain = getattr(PLAIN["oblique._kernels"], function.__name__)
        assert plain.__code__.co_code == function.py_func.__code__.co_code


def small_trees(criterion):
    """A tree of every kind on small tables: complete, missing, weighted, with categories."""
    rng = np.random.default_rng(5)
    for missing in (0.0, 0.2):
        for weights in (None, rng.random(24) + 0.5):
            X, codes = rough_table(rng, 24, 3, n_classes=3, missing=missing)
            X[:, 1] += rng.normal(size=24)
            for finder in (AxisParallel("safe"), LDT):
                yield X, grow_on(
                    X, codes, finder, weights=weights, criterion=criterion, unsafe=1,
                    categorical=np.array([False, False, True]), ties_to_unsafe=True,
                )  # fmt: skip


def answers(criterion):
    rows = np.random.default_rng(7).normal(size=(30, 3)).round(1)
    rows[:, 2] = np.abs(rows[:, 2] * 3).round()
    rows[::7, 0] = np.nan
    out = []
    for X, tree in small_trees(criterion):
        codes = np.zeros(len(X), np.int32)
        reach = [tree.apply(rows), tree.distribution(rows), tree.predict_codes(rows)]
        out.append((tree, [*reach, tree.recount(X, codes), tree.collapse([1]).children_left]))
    return out


@pytest.mark.parametrize("criterion", CRITERIA)
def test_trees_grown_by_python_are_the_compiled_ones(criterion, request):
    compiled = answers(criterion)
    request.getfixturevalue("uncompiled")
    plain = answers(criterion)
    assert sum(tree.n_leaves for tree, _ in compiled) > 30
    for (tree, routed), (twin, twin_routed) in zip(compiled, plain, strict=True):
        assert_same_tree(tree, twin)
        for first, second in zip(routed, twin_routed, strict=True):
            np.testing.assert_array_equal(first, second)


def test_hashes_by_python_are_the_compiled_ones():
    X, codes = rough_table(np.random.default_rng(1), 12, 2, missing=0.3)
    words = np.ones(12).view(np.int64)
    with np.errstate(over="ignore"):
        plain = PLAIN["oblique.row_order"].row_hashes(X.view(np.int64), codes, words)
    np.testing.assert_array_equal(plain, row_order.row_hashes(X.view(np.int64), codes, words))


# ---------------------------------------------------------------- order of rows


def test_rows_of_equal_content_have_equal_hashes():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [np.nan, 1.0], [-np.nan, 1.0], [0.0, 2.0]])
    hashes = row_order.row_hashes(
        X.view(np.int64), np.zeros(5, np.int32), np.ones(5).view(np.int64)
    )
    assert hashes[0] == hashes[1]
    assert hashes[2] == hashes[3]
    assert len(set(hashes.tolist())) == 3


@settings(max_examples=30, deadline=None)
@given(problems(), seeds)
def test_canonical_order_forgets_the_given_one(problem, seed):
    X, codes, weights, _ = problem
    order = np.random.default_rng(seed).permutation(len(X))
    shuffled = None if weights is None else weights[order]
    rows = canonical_rows(X, codes, weights)
    other = order[canonical_rows(X[order], codes[order], shuffled)]
    assert sorted(rows.tolist()) == list(range(len(X)))
    np.testing.assert_array_equal(X[rows], X[other])
    np.testing.assert_array_equal(codes[rows], codes[other])


# ---------------------------------------------------------------- growing whole trees


def test_compiled_growing_keeps_its_limits():
    rng = np.random.default_rng(3)
    X, codes = rng.normal(size=(300, 3)), rng.integers(0, 3, 300).astype(np.int32)
    deep = grow_on(X, codes, AxisParallel())
    assert deep.n_leaves > 64  # more nodes than the first block of memory holds
    assert (deep.impurity[deep.leaves] == 0.0).all()
    for stopping in (Stopping(max_depth=3), Stopping(min_samples_leaf=10), Stopping(min_gain=0.1)):
        tree = grow_on(X, codes, AxisParallel(), stopping=stopping)
        assert tree.n_leaves < deep.n_leaves
