"""Nearest cell where categories change at a cost and attributes take whole numbers: brute force."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projection import Metric, Partition, make_limits, nearest_cells, prepare_search, project

INF = float("inf")
N_CODES = 4


def random_partition(rng, n_numeric, n_categorical, n_leaves, *, oblique):
    """Random tests on numeric attributes and, behind them, on categorical ones."""
    left, right, leaves = [-1], [-1], [0]
    weights, thresholds, sets = {}, {}, {}
    n_features = n_numeric + n_categorical
    while len(leaves) < n_leaves:
        node = leaves.pop(rng.integers(len(leaves)))
        if n_categorical and rng.random() < 0.5:
            feature = n_numeric + rng.integers(n_categorical)
            codes = rng.random(N_CODES) < 0.5
            codes[rng.integers(N_CODES)] = True
            sets[node] = (feature, codes)
        else:
            w = np.zeros(n_features)
            if oblique:
                w[:n_numeric] = rng.normal(size=n_numeric)
            else:
                w[rng.integers(n_numeric)] = rng.choice([1.0, -2.0])
            weights[node], thresholds[node] = w, float(rng.choice([rng.normal(), 1.0, 2.5, -3.0]))
        left[node], right[node] = len(left), len(left) + 1
        leaves += [len(left), len(left) + 1]
        left += [-1, -1]
        right += [-1, -1]
    n_nodes = len(left)
    matrix = np.zeros((n_nodes, n_features))
    for node, w in weights.items():
        matrix[node] = w
    filled = matrix != 0
    category_set = np.full(n_nodes, -1)
    category_set[list(sets)] = np.arange(len(sets))
    return Partition(
        np.array(left),
        np.array(right),
        np.concatenate([[0], np.cumsum(filled.sum(axis=1))]),
        np.nonzero(filled)[1],
        matrix[filled],
        np.array([thresholds.get(node, 0.0) for node in range(n_nodes)]),
        n_features,
        category_set=category_set,
        set_feature=np.array([feature for feature, _ in sets.values()], dtype=int),
        members=np.array([codes for _, codes in sets.values()], dtype=bool).reshape(-1, N_CODES),
    )


def route(partition, x):
    node = 0
    while partition.children_left[node] >= 0:
        tested = partition.category_set[node]
        if tested >= 0:
            passes = partition.members[tested][int(x[partition.set_feature[tested]])]
        else:
            passes = partition.dense_weights([node])[0] @ x <= partition.threshold[node]
        node = (partition.children_left if passes else partition.children_right)[node]
    return node


def search_one(search, x, wanted):
    flags = np.zeros((1, search.partition.n_nodes), dtype=bool)
    flags[0] = wanted & search.has_interior
    return nearest_cells(search, x[None], search.spread(flags), np.zeros(1, dtype=np.int64))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from([1.0, 2.0, INF]))
def test_categories_change_where_that_is_cheapest(seed, oblique, norm):
    rng = np.random.default_rng(seed)
    n_numeric, n_categorical = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    partition = random_partition(
        rng, n_numeric, n_categorical, int(rng.integers(2, 16)), oblique=oblique
    )
    n_features = n_numeric + n_categorical
    metric = Metric(np.exp(rng.normal(size=n_features)), norm)
    cost = np.exp(rng.normal(size=n_features))
    frozen = [j for j in range(n_numeric, n_features) if rng.random() < 0.3]
    limits = make_limits(n_features, change_cost=cost, frozen=frozen)
    search = prepare_search(partition, metric, limits)
    for _ in range(3):
        numbers = 2.0 * rng.normal(size=n_numeric)
        x = np.concatenate([numbers, rng.integers(N_CODES, size=n_categorical).astype(float)])
        wanted = partition.is_leaf & (rng.random(partition.n_nodes) < 0.5)
        wanted[route(partition, x)] = False
        near = search_one(search, x, wanted)
        best = INF
        for leaf in np.flatnonzero(wanted & search.has_interior):
            allowed = partition.allowed_codes(leaf)
            changed = [j for j, codes in allowed.items() if not codes[int(x[j])]]
            if set(changed) & set(frozen):
                continue
            moved = project(x, partition.region(leaf), metric).distance
            best = min(best, np.linalg.norm([moved, *cost[changed]], ord=norm))
        assert near.distance[0] == pytest.approx(best, rel=1e-8, abs=1e-11)
        if best < INF:
            allowed = partition.allowed_codes(int(near.cell[0]))
            columns = partition.category_features.tolist()
            for j, change in zip(columns, near.changed[0], strict=True):
                # where a change is free, under the largest move, it is still not made without need
                assert change == (j in allowed and not allowed[j][int(x[j])])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 2.0, INF]))
def test_whole_numbers_against_all_of_them(seed, norm):
    """Two attributes of whole numbers within -7 .. 7, every pair of which is routed."""
    rng = np.random.default_rng(seed)
    partition = random_partition(rng, 2, 0, int(rng.integers(2, 14)), oblique=False)
    metric = Metric(np.exp(rng.normal(size=2)), norm)
    low, high = np.full(2, -7.0), np.full(2, 7.0)
    kind = rng.choice(["free", "rise", "fall", "frozen"], size=2)
    limits = make_limits(
        2,
        integer=[0, 1],
        lower=low,
        upper=high,
        frozen=np.flatnonzero(kind == "frozen"),
        not_decreasing=np.flatnonzero(kind == "rise"),
        not_increasing=np.flatnonzero(kind == "fall"),
    )
    search = prepare_search(partition, metric, limits)
    points = np.array(list(itertools.product(range(-7, 8), repeat=2)), dtype=float)
    cells = np.array([route(partition, point) for point in points])
    for x in rng.integers(-7, 8, size=(4, 2)).astype(float):
        wanted = partition.is_leaf & (rng.random(partition.n_nodes) < 0.5)
        wanted[route(partition, x)] = False
        move = points - x
        able = wanted[cells]
        able &= ~(((move < 0) & ((kind == "rise") | (kind == "frozen"))).any(axis=1))
        able &= ~(((move > 0) & ((kind == "fall") | (kind == "frozen"))).any(axis=1))
        near = search_one(search, x, wanted)
        expected = metric.length(move[able]).min(initial=INF)
        assert near.distance[0] == pytest.approx(expected, rel=1e-12)
        if expected < INF:
            assert route(partition, near.point[0]) == near.cell[0]
            assert metric.distance(x, near.point[0]) == pytest.approx(expected, rel=1e-12)
