"""The search along a line against a scan of every midpoint, and the costs of cuts."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines import _perturbation
from baselines._perturbation import (
    Climb,
    Rules,
    _one_sense,
    best_step,
    cut_costs,
    make_room,
    pose,
    search,
)
from oblique.criteria import CRITERIA, gain
from scripts.benchmarks.oc1 import NumpySearch

RATES_SPLITS = ("twoing", "gain_ratio")


def make_line(seed, n, n_classes, *, grid, weighted):
    """Values, slopes, classes and weights of rows on a line of planes."""
    rng = np.random.default_rng(seed)
    values, slopes = rng.normal(size=n), rng.normal(size=n)
    if grid:
        # Many rows cross together, some never.
        values, slopes = np.round(3 * values), np.round(2 * slopes)
    else:
        slopes[rng.random(n) < 0.1] = 0.0
    codes = np.unique(rng.integers(0, n_classes, n), return_inverse=True)[1].astype(np.int32)
    if weighted == "whole":
        weights = rng.integers(1, 4, n).astype(float)
    else:
        weights = rng.uniform(0.1, 5.0, n) if weighted else np.ones(n)
    return values, slopes, codes, weights


def make_problem(codes, weights, criterion, *, least=0.0):
    is_counted = bool((weights == np.floor(weights)).all())
    columns = np.zeros((2, len(codes)))
    return pose(columns, codes, weights, CRITERIA[criterion], is_counted, least)


def sides_at(values, slopes, codes, weights, step):
    """Class weights of both sides after a step, from the order in which rows cross."""
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -values / slopes
    left = np.where(
        slopes > 0.0, crossing > step, np.where(slopes < 0.0, crossing < step, values <= 0.0)
    )
    size = codes.max() + 1
    return (
        np.bincount(codes[left], weights[left], size),
        np.bincount(codes[~left], weights[~left], size),
    )


def best_midpoint(values, slopes, codes, weights, criterion):
    """Largest gain of all midpoints between neighbouring crossings; -inf without any."""
    moves = slopes != 0.0
    crossings = np.unique(-values[moves] / slopes[moves])
    gains = [-np.inf]
    for step in 0.5 * (crossings[1:] + crossings[:-1]):
        left, right = sides_at(values, slopes, codes, weights, step)
        if left.any() and right.any():
            gains.append(gain(criterion, left, right))
    return max(gains)


def gain_of(problem, cost, criterion):
    undivided = 0.0 if criterion in RATES_SPLITS else problem.undivided
    return (undivided - cost) / problem.weight


@pytest.mark.parametrize("criterion", CRITERIA)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.one_of(st.integers(1, 40), st.integers(1, 500)),
    n_classes=st.integers(2, 6),
    grid=st.booleans(),
    weighted=st.sampled_from(["", "whole", "any"]),
)
@settings(max_examples=60, deadline=None)
def test_best_step_is_the_best_of_all_midpoints(criterion, seed, n, n_classes, grid, weighted):
    line = make_line(seed, n, n_classes, grid=grid, weighted=weighted)
    problem = make_problem(*line[2:], criterion)
    cost, step = best_step(problem, make_room(problem), *line[:2], np.inf)
    expected = best_midpoint(*line, criterion)
    if expected == -np.inf:  # a gain of nothing may be rounded to less
        assert cost == np.inf
        return
    assert gain_of(problem, cost, criterion) == pytest.approx(expected, abs=1e-9)
    sides = sides_at(*line, step)
    assert gain(criterion, *sides) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(300, 900), n_classes=st.integers(2, 9))
@settings(max_examples=15, deadline=None)
def test_screening_finds_what_a_table_of_all_costs_finds(criterion, seed, n, n_classes):
    # Weights of 1 + 2^-40 are no whole numbers, so nothing is tabulated.
    values, slopes, codes, ones = make_line(seed, n, n_classes, grid=False, weighted="")
    problem = make_problem(codes, ones * (1.0 + 2.0**-40), criterion)
    assert problem.cost_table.size == 0
    cost, _ = best_step(problem, make_room(problem), values, slopes, np.inf)
    expected = best_midpoint(values, slopes, codes, ones, criterion)
    assert gain_of(problem, cost, criterion) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("criterion", CRITERIA)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 400), share=st.floats(0.0, 1.5))
@settings(max_examples=25, deadline=None)
def test_a_ceiling_hides_only_what_costs_more(criterion, seed, n, share):
    values, slopes, codes, weights = make_line(seed, n, 3, grid=False, weighted="any")
    problem = make_problem(codes, weights, criterion)
    room = make_room(problem)
    best, step = best_step(problem, room, values, slopes, np.inf)
    if best == np.inf:
        return
    ceiling = best + (share - 0.75) * abs(best)
    found, again = best_step(problem, room, values, slopes, ceiling)
    if ceiling >= best:
        assert (found, again) == (best, step)
    else:
        assert found > ceiling


@pytest.mark.parametrize("weighted", ["", "any"])
def test_sides_hold_the_least_weight_asked_for(weighted):
    for seed in range(40):
        values, slopes, codes, weights = make_line(seed, 90, 2, grid=False, weighted=weighted)
        least = 0.3 * weights.sum()
        problem = make_problem(codes, weights, "gini", least=least)
        cost, step = best_step(problem, make_room(problem), values, slopes, np.inf)
        if cost < np.inf:
            sides = sides_at(values, slopes, codes, weights, step)
            assert min(side.sum() for side in sides) >= least


@pytest.mark.parametrize("criterion", CRITERIA)
def test_costs_are_the_gains_of_the_criteria(criterion):
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(4, dtype=np.int32), [7, 9, 4, 5])
    for weights in (np.ones(25), rng.uniform(0.2, 3.0, 25)):
        problem = make_problem(codes, weights, criterion)
        total = problem.classes[0]
        left = total[:, None] * np.round(rng.random((4, 30)), 1)
        if not problem.log_table.size:
            left[:, 0] = 0.0
        else:
            left = np.floor(left)
        costs, n_left = np.empty(30), np.empty(30)
        cut_costs(
            problem.criterion, left, 30, problem.classes, problem.weight, problem.log_table,
            problem.undivided, costs, n_left,
        )  # fmt: skip
        for cut in range(30):
            if costs[cut] == np.inf:
                assert left[:, cut].sum() in (0.0, total.sum())
            else:
                expected = gain(criterion, left[:, cut], total - left[:, cut])
                assert gain_of(problem, costs[cut], criterion) == pytest.approx(expected, abs=1e-9)


def test_keys_do_not_overflow():
    values = np.array([1e150, -1e-150, 3.0, -2.0, 1e-300, 0.0])
    slopes = np.array([1e-150, 1e150, -1e-200, 5.0, 0.0, 1.0])
    codes = np.array([0, 1, 0, 1, 0, 1], dtype=np.int32)
    for criterion in CRITERIA:
        for weights in (np.ones(6), np.full(6, 0.7)):
            problem = make_problem(codes, weights, criterion)
            cost, step = best_step(problem, make_room(problem), values, slopes, np.inf)
            assert np.isfinite(step)
            assert not np.isnan(cost)


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(2, 4), st.booleans(),
    st.sampled_from([False, True, "whole"]), st.sampled_from([0.0, 3.0]),
)  # fmt: skip
def test_a_jump_in_one_sense_is_the_best_cut_of_unsigned_crossings(
    seed, n, n_classes, grid, weighted, least
):
    values, slopes, codes, weights = make_line(seed, n, n_classes, grid=grid, weighted=weighted)
    problem = make_problem(codes, weights, "gini", least=least)
    climb = Climb(
        np.zeros((3, 2)), np.array([values, slopes, values, slopes]), np.zeros(3),
        np.zeros(2, np.int64), np.zeros((1, 2)), np.zeros(1, np.uint64),
    )  # fmt: skip
    cost, step = _one_sense(problem, make_room(problem), climb)
    moves = slopes != 0.0
    # A sum with 0 turns -0 into 0.
    crossings = np.unique(-values[moves] / slopes[moves] + 0.0)
    folded = np.where(slopes < 0.0, -values, values), np.abs(slopes)
    gains = {}
    for middle in (crossings[:-1] + crossings[1:]) / 2:
        left, right = sides_at(*folded, codes, weights, middle)
        if min(left.sum(), right.sum()) >= least:
            gains[middle] = gain("gini", left, right)
    if not gains:
        assert cost == np.inf
        return
    # Sides by the unsigned cut, the price by what the step does to the plane.
    left, right = sides_at(*folded, codes, weights, step)
    assert gain("gini", left, right) == pytest.approx(max(gains.values()), abs=1e-9)
    left, right = sides_at(values, slopes, codes, weights, step)
    if min(left.sum(), right.sum()) < max(least, 1e-9):
        assert cost == np.inf
    else:
        assert gain_of(problem, cost, "gini") == pytest.approx(gain("gini", left, right), abs=1e-9)


@pytest.mark.parametrize("order", range(3))
def test_more_starts_never_find_a_worse_plane(order):
    rng = np.random.default_rng(3)
    rules = Rules(order, 20, 6, 3, 1.0, False, True, 1 << 40)
    improved = 0
    for _ in range(8):
        columns = np.vstack([rng.normal(size=(6, 150)), np.full(150, -1.0)])
        codes = (columns[:4].sum(axis=0) + rng.normal(size=150) > 0).astype(np.int32)
        problem = pose(columns, codes, np.ones(150), CRITERIA["gini"], True, 1.0)
        seeds = rng.integers(0, 2**63, 9).astype(np.uint64)
        costs = [
            search(problem, np.ones(7), np.empty(0), seeds[:starts], rules)[1]
            for starts in range(1, 10)
        ]
        assert costs == sorted(costs, reverse=True)
        improved += costs[-1] < costs[0]
    assert improved > 4


def test_a_budget_ends_the_search_with_the_best_plane_so_far():
    rng = np.random.default_rng(4)
    columns = np.vstack([rng.normal(size=(5, 120)), np.full(120, -1.0)])
    codes = (columns[:5].sum(axis=0) > 0).astype(np.int32)
    problem = pose(columns, codes, np.ones(120), CRITERIA["entropy"], True, 1.0)
    seeds = np.arange(9, dtype=np.uint64)
    rules = Rules(0, 9, 5, 5, 1.0, False, True, 1 << 40)
    free = search(problem, np.ones(6), np.empty(0), seeds, rules)
    for budget in (1, 7, 30, 100):
        rules = Rules(0, 9, 5, 5, 1.0, False, True, budget)
        _, cost, tried, history = search(problem, np.ones(6), np.empty(0), seeds, rules)
        assert tried == min(budget, free[2])
        within = free[3][free[3][:, 0] <= budget]
        assert np.array_equal(history, within)
        assert cost == within[-1, 1]


PLAIN = """
import numpy as np
from baselines._perturbation import Rules, pose, search

rng = np.random.default_rng(1)
columns = np.vstack([np.round(rng.normal(size=(3, 40)), 1), np.full(40, -1.0)])
codes = (columns[:3].sum(axis=0) + rng.normal(size=40) > 0).astype(np.int32)
seeds = np.arange(3, dtype=np.uint64)
for criterion in range(7):
    for weights in (np.ones(40), np.round(rng.uniform(0.5, 2.0, 40), 2)):
        for order in range(3):
            problem = pose(columns, codes, weights, criterion, bool((weights == 1).all()), 0.0)
            for exact in (True, False):
                rules = Rules(order, 5, 3, 2, 1.0, False, exact, 60)
                plane, cost, tried, history = search(problem, np.ones(4), np.empty(0), seeds, rules)
                print(np.round(plane, 6).tolist(), round(float(cost), 6), int(tried), len(history))
"""


def test_kernels_do_the_same_as_plain_python():
    def run(disable):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disable, "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(
            [sys.executable, "-c", PLAIN], env=environment, capture_output=True, text=True,
            check=False, cwd=os.path.dirname(os.path.dirname(_perturbation.__file__)),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    compiled, plain = run("0"), run("1")
    assert len(plain) == 84
    assert plain == compiled


@pytest.mark.parametrize("seed", range(6))
def test_the_whole_search_is_that_of_plain_numpy(seed):
    # The benchmark's peer is written without any of the kernels.
    rng = np.random.default_rng(seed)
    columns = np.vstack([rng.normal(size=(4, 130)), np.full(130, -1.0)])
    codes = (columns[:4].sum(axis=0) + rng.normal(size=130) > 0).astype(np.int32)
    problem = pose(columns, codes, np.ones(130), CRITERIA["gini"], True, 0.0)
    first = np.array([1.0, 0.0, 0.0, 0.0, 0.1])
    seeds = rng.integers(0, 1 << 63, 5).astype(np.uint64)
    rules = Rules(_perturbation.SEQUENTIAL, 9, 4, 3, 1.0, False, True, 1 << 40)
    _, cost, tried, _ = search(problem, np.ones(5), first, seeds, rules)
    plain = NumpySearch(columns, codes, jumps=3)
    assert plain.run(first, seeds) == pytest.approx(cost, rel=1e-9)
    assert plain.tried == tried
