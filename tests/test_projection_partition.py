"""Nearest cell of a partition: against every cell one by one, limits, empty cells, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import KINDS, random_cases, random_tree
from scipy.optimize import linprog

from oblique.sensitivity.model import partition_of
from projection import (
    InputError,
    Metric,
    Partition,
    Polyhedron,
    find_interior,
    make_limits,
    nearest_cells,
    prepare_search,
    project,
)
from projection import _kernels as kernels

INF = float("inf")


def route(partition, x):
    node = 0
    while partition.children_left[node] >= 0:
        passes = partition.dense_weights([node])[0] @ x <= partition.threshold[node]
        node = (partition.children_left if passes else partition.children_right)[node]
    return node


def one_by_one(partition, wanted, x, metric, extra=None):
    """Smallest distance over wanted cells, each projected on its own."""
    best = INF
    for leaf in wanted:
        region = partition.region(leaf)
        if extra is not None:
            region = Polyhedron(region.A, region.b, **extra)
        best = min(best, project(x, region, metric).distance)
    return best


@st.composite
def searches(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(KINDS))
    n_features = draw(st.integers(1, 6))
    tree, scale = random_tree(rng, n_features, draw(st.integers(2, 25)), kind)
    scale = scale * np.exp(rng.normal(size=n_features))
    metric = Metric(scale, draw(st.sampled_from([1.0, 2.0, INF])))
    X = random_cases(rng, 3, n_features, kind, scale)
    partition = partition_of(tree)
    labels = rng.integers(0, 3, size=partition.n_nodes)
    return partition, metric, X, labels


def search_other_class(search, labels, X):
    own = np.array([labels[route(search.partition, x)] for x in X])
    flags = (labels[None, :] != np.arange(3)[:, None]) & search.has_interior
    return own, flags, nearest_cells(search, X, search.spread(flags), own)


@settings(max_examples=120, deadline=None)
@given(searches())
def test_the_search_finds_the_nearest_of_all_cells(problem):
    partition, metric, X, labels = problem
    search = prepare_search(partition, metric)
    own, flags, near = search_other_class(search, labels, X)
    for i, x in enumerate(X):
        best = one_by_one(partition, np.flatnonzero(flags[own[i]]), x, metric)
        assert near.distance[i] == pytest.approx(best, rel=1e-8, abs=1e-11)
        if best < INF:
            assert flags[own[i], near.cell[i]]
            assert metric.distance(x, near.point[i]) == pytest.approx(near.distance[i], rel=1e-9)
            again = project(near.point[i], partition.region(near.cell[i]), metric)
            assert again.distance <= 1e-9 * (1 + best + np.abs(x / metric.scale).max())
        else:
            assert near.cell[i] == -1


@settings(max_examples=60, deadline=None)
@given(searches(), st.integers(0, 2**32 - 1))
def test_a_case_is_answered_alike_alone_and_among_others(problem, seed):
    partition, metric, _, labels = problem
    rng = np.random.default_rng(seed)
    X = random_cases(rng, 29, partition.n_features, rng.choice(KINDS), metric.scale)
    search = prepare_search(partition, metric)
    _, _, together = search_other_class(search, labels, X)
    for i in range(len(X)):
        _, _, alone = search_other_class(search, labels, X[i : i + 1])
        for one, many in zip(alone, together, strict=True):
            np.testing.assert_array_equal(one[0], many[i])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 2.0, INF]))
def test_boxes_are_as_near_when_limits_beyond_all_tests_are_watched(seed, norm):
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(1, 6))
    tree, scale = random_tree(rng, n_features, int(rng.integers(2, 60)), "axis")
    partition, metric = partition_of(tree), Metric(scale, norm)
    labels = rng.integers(0, 3, size=partition.n_nodes)
    X = random_cases(rng, 29, n_features, "axis", scale)
    free = prepare_search(partition, metric)
    far = np.full(n_features, 1e6 * (np.abs(X).max() + np.abs(partition.threshold).max() + 1.0))
    watched = prepare_search(partition, metric, make_limits(n_features, lower=-far, upper=far))
    assert free.boxes.plain
    assert not watched.boxes.plain
    _, _, first = search_other_class(free, labels, X)
    _, _, second = search_other_class(watched, labels, X)
    np.testing.assert_allclose(first.distance, second.distance, rtol=1e-14)


@settings(max_examples=60, deadline=None)
@given(searches())
def test_cells_without_interior_are_recognised(problem):
    partition, metric, _, _ = problem
    search = prepare_search(partition, metric)
    for leaf in np.flatnonzero(partition.is_leaf):
        if partition.is_axis_parallel:
            expected = holds_two_numbers(partition, leaf)
        else:
            scaled = partition.region(leaf)
            scaled = Polyhedron(scaled.A * metric.scale, scaled.b)
            expected = find_interior(scaled, tol=1e-10).kind == "full"
        assert search.has_interior[leaf] == expected


def holds_two_numbers(partition, leaf):
    """Whether two neighbouring numbers of each attribute pass the tests of a box, as computed.

    Repeated tests like ``x <= c`` and ``3 x <= 3 c`` can differ in their last bits; what lies
    between is far below the tolerance of a linear program, but prediction does send it there.
    """
    lowest, highest = {}, {}
    for node, side in zip(*partition.path(leaf), strict=True):
        feature = partition.weight_indices[partition.weight_indptr[node]]
        weight = partition.weight_values[partition.weight_indptr[node]]
        edge = last_number(weight, partition.threshold[node])
        if (side > 0) == (weight > 0):
            edge = edge if side > 0 else previous(edge)
            highest[feature] = min(highest.get(feature, edge), edge)
        else:
            edge = edge if side > 0 else -previous(-edge)
            lowest[feature] = max(lowest.get(feature, edge), edge)
    return all(lowest[f] < highest[f] for f in set(lowest) & set(highest))


def previous(number):
    return float(np.nextafter(number, -INF))


def last_number(weight, threshold):
    """Outermost x that passes ``weight * x <= threshold`` as computed, by bisection."""
    passing, failing = (-1e9, 1e9) if weight > 0 else (1e9, -1e9)
    while np.nextafter(passing, failing) != failing:
        middle = passing + (failing - passing) / 2
        if middle in (passing, failing):
            middle = float(np.nextafter(passing, failing))
        if weight * middle <= threshold:
            passing = middle
        else:
            failing = middle
    return passing


@settings(max_examples=80, deadline=None)
@given(searches(), st.integers(0, 2**32 - 1))
def test_limits_are_kept_and_never_shorten_a_move(problem, seed):
    check_limits(problem, seed)


def test_cells_that_limits_let_touch_but_not_enter_are_out_of_reach():
    """A case on a threshold that it may not cross goes on to the next cell, in both searches."""
    leaves = np.full(3, -1)
    for second in (0, 1):  # a second attribute with a weight of zero takes the general search
        partition = Partition(
            children_left=np.array([1, 3, *leaves]),
            children_right=np.array([2, 4, *leaves]),
            weight_indptr=np.array([0, 1 + second, 2 + 2 * second, *([2 + 2 * second] * 3)]),
            weight_indices=np.array([0, 1, 0, 1] if second else [0, 0]),
            weight_values=np.array([1.0, 0.0, 1.0, 0.0] if second else [1.0, 1.0]),
            threshold=np.array([1.0, 0.0, *np.zeros(3)]),
            n_features=1 + second,
        )
        assert partition.is_axis_parallel == (second == 0)
        X = np.array([[1.0, 5.0][: 1 + second]])
        limits = make_limits(1 + second, not_increasing=[0])
        search = prepare_search(partition, Metric.identity(1 + second), limits)
        flags = np.array([[False, False, True, True, False]])  # x > 1 and x <= 0
        near = nearest_cells(search, X, search.spread(flags), np.zeros(1, dtype=np.int64))
        assert near.cell.tolist() == [3]
        assert near.distance.tolist() == [1.0]
        flags[0, 3] = False
        near = nearest_cells(search, X, search.spread(flags), np.zeros(1, dtype=np.int64))
        assert near.cell.tolist() == [-1]
        assert near.distance.tolist() == [INF]


def check_limits(problem, seed):
    partition, metric, X, labels = problem
    rng = np.random.default_rng(seed)
    d = partition.n_features
    choice = rng.choice(["free", "frozen", "rise", "fall", "range"], size=d)
    lower = np.where(choice == "range", X.min(axis=0) - metric.scale, -INF)
    upper = np.where(choice == "range", X.max(axis=0) + metric.scale, INF)
    limits = make_limits(
        d,
        frozen=np.flatnonzero(choice == "frozen"),
        not_decreasing=np.flatnonzero(choice == "rise"),
        not_increasing=np.flatnonzero(choice == "fall"),
        lower=lower,
        upper=upper,
    )
    free = search_other_class(prepare_search(partition, metric), labels, X)[2]
    own, flags, near = search_other_class(prepare_search(partition, metric, limits), labels, X)
    for i, x in enumerate(X):
        assert near.distance[i] >= free.distance[i] * (1 - 1e-9) - 1e-12
        move = near.point[i] - x
        tiny = 1e-9 * metric.scale
        assert (np.abs(move[choice == "frozen"]) == 0).all()
        assert (move >= -tiny)[choice == "rise"].all()
        assert (move <= tiny)[choice == "fall"].all()
        assert (near.point[i] >= lower - tiny).all()
        assert (near.point[i] <= upper + tiny).all()
        low = np.where((choice == "rise") | (choice == "frozen"), x, lower)
        high = np.where((choice == "fall") | (choice == "frozen"), x, upper)
        open_cells = [
            leaf
            for leaf in np.flatnonzero(flags[own[i]])
            if can_be_entered(partition, leaf, x, metric.scale, low, high)
        ]
        best = one_by_one(partition, open_cells, x, metric, {"lower": low, "upper": high})
        assert near.distance[i] == pytest.approx(best, rel=1e-7, abs=1e-9)


def can_be_entered(partition, leaf, x, scale, low, high):
    """Whether the limits leave a point of the cell itself, which is open where it lies right.

    A linear program: the largest step by which all such planes can be moved inwards at once.
    """
    nodes, sides = partition.path(leaf)
    normals = sides[:, None] * partition.dense_weights(nodes) * scale
    lengths = np.linalg.norm(normals, axis=1)
    heights = sides * partition.threshold[nodes] - normals @ (x / scale)
    step = (sides < 0).astype(float)
    answer = linprog(
        np.append(np.zeros(len(x)), -1.0),
        A_ub=np.column_stack([normals / lengths[:, None], step]),
        b_ub=heights / lengths,
        bounds=[*zip((low - x) / scale, (high - x) / scale, strict=True), (None, 1.0)],
        options={"primal_feasibility_tolerance": 1e-10},
    )
    # 2: no point; otherwise a step beyond the solver's feasibility tolerance
    return answer.status != 2 and answer.x[-1] > 1e-9


def stump(weight=1.0, threshold=5.0):
    """One test on attribute 0 of two."""
    return Partition(
        np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([0, 1, 1, 1]), np.array([0]),
        np.array([weight]), np.array([threshold, 0.0, 0.0]), 2,
    )  # fmt: skip


def nearest_leaf(partition, x, leaf, **limits):
    search = prepare_search(
        partition,
        Metric.identity(partition.n_features),
        make_limits(partition.n_features, **limits),
    )
    flags = np.zeros((1, partition.n_nodes), dtype=bool)
    flags[0, leaf] = search.has_interior[leaf]
    X = np.array([x], dtype=float)
    return nearest_cells(search, X, search.spread(flags), np.zeros(1, dtype=np.int64))


def test_a_threshold_is_returned_as_it_was_given():
    near = nearest_leaf(stump(threshold=0.1), [7.3, 1.0], 1)
    assert near.point[0].tolist() == [0.1, 1.0]


def test_a_mirrored_test_splits_the_same_numbers():
    """-3 x <= -0.3 goes left from 0.1 on; the neighbour below belongs to the right cell."""
    partition = stump(weight=-3.0, threshold=-0.3)
    edge = nearest_leaf(partition, [-1.0, 0.0], 1).point[0, 0]
    inside = np.nextafter(edge, INF)
    assert -3.0 * inside <= -0.3
    assert not -3.0 * edge <= -0.3


def test_whole_numbers():
    assert nearest_leaf(stump(threshold=4.5), [7.0, 0.0], 1, integer=[0]).point[0, 0] == 4.0
    assert nearest_leaf(stump(threshold=4.5), [2.0, 0.0], 2, integer=[0]).point[0, 0] == 5.0
    assert nearest_leaf(stump(threshold=5.0), [2.0, 0.0], 2, integer=[0]).point[0, 0] == 6.0


def test_unreachable_cells_have_infinite_distance():
    for limits in (
        {"frozen": [0]},
        {"not_increasing": [0]},
        {"upper": [5.0, INF]},
    ):
        near = nearest_leaf(stump(), [2.0, 0.0], 2, **limits)
        assert near.distance[0] == INF
        assert near.cell[0] == -1
    assert nearest_leaf(stump(), [2.0, 0.0], 2, not_decreasing=[0]).distance[0] == 3.0


def test_a_case_outside_its_range_pays_for_coming_in():
    near = nearest_leaf(stump(), [2.0, 9.0], 2, upper=[INF, 5.0])
    assert near.point[0].tolist() == [5.0, 5.0]
    assert near.distance[0] == 5.0


def category_partition():
    """Codes {0, 1} of attribute 1 go left; there x0 <= 5; right: codes {2} against the rest."""
    return Partition(
        np.array([1, 3, 5, -1, -1, -1, -1]),
        np.array([2, 4, 6, -1, -1, -1, -1]),
        np.array([0, 0, 1, 1, 1, 1, 1, 1]),
        np.array([0]),
        np.array([1.0]),
        np.array([0.0, 5.0, 0.0, 0, 0, 0, 0]),
        2,
        category_set=np.array([0, -1, 1, -1, -1, -1, -1]),
        set_feature=np.array([1, 1]),
        members=np.array([[True, True, False, False], [False, False, True, False]]),
    )


@pytest.mark.parametrize("oblique", [False, True])
def test_categories_cost_once_or_stay_frozen(oblique):
    partition = category_partition()
    if oblique:  # the same test with a weight on a third attribute takes the general search
        partition = Partition(
            partition.children_left, partition.children_right, np.array([0, 0, 2, 2, 2, 2, 2, 2]),
            np.array([0, 2]), np.array([1.0, 0.0]), partition.threshold, 3,
            category_set=partition.category_set, set_feature=partition.set_feature,
            members=partition.members,
        )  # fmt: skip
        assert not partition.is_axis_parallel
    x = [7.0, 3.0, 0.0][: partition.n_features]
    near = nearest_leaf(partition, x, 3, change_cost=1.5)
    assert near.distance[0] == pytest.approx(np.hypot(2.0, 1.5))
    assert near.changed.tolist() == [[True]]
    assert nearest_leaf(partition, x, 5).distance[0] == 1.0
    assert nearest_leaf(partition, x, 3, frozen=[1]).distance[0] == INF
    assert nearest_leaf(partition, x, 6).distance[0] == 0.0
    assert sorted(partition.allowed_codes(6)[1].nonzero()[0].tolist()) == [3]


def test_a_partition_of_one_cell():
    partition = Partition(
        np.array([-1]), np.array([-1]), np.array([0, 0]), np.array([], dtype=int), np.array([]),
        np.array([0.0]), 2,
    )  # fmt: skip
    search = prepare_search(partition, Metric.identity(2))
    flags = np.zeros((1, 1), dtype=bool)
    near = nearest_cells(search, np.zeros((2, 2)), flags, np.zeros(2, dtype=np.int64))
    assert near.distance.tolist() == [INF, INF]


def test_failed_projections_are_solved_by_another_solver(monkeypatch):
    """The general search with a simplex that always gives up still answers."""
    rng = np.random.default_rng(3)
    partition = partition_of(random_tree(rng, 3, 12)[0])
    metric = Metric(np.ones(3), INF)
    labels = rng.integers(0, 3, size=partition.n_nodes)
    X = rng.normal(size=(5, 3))
    search = prepare_search(partition, metric)
    _, _, expected = search_other_class(search, labels, X)

    def failing(*args):
        *_, distance, moves, work = args
        distance[:], moves[:], work[:] = np.nan, 0.0, 1

    monkeypatch.setattr(kernels, "search_batch", failing)
    _, _, near = search_other_class(search, labels, X)
    np.testing.assert_allclose(near.distance, expected.distance, rtol=1e-9)
    np.testing.assert_array_equal(near.cell, expected.cell)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"children_left": [1, -1]}, "children_right has 3"),
        ({"children_left": [0, -1, -1]}, "not a tree"),
        ({"children_left": [2, -1, -1]}, "not a tree"),
        ({"children_left": [7, -1, -1]}, "not a tree"),
        ({"children_left": [1.5, -1, -1]}, "array of integers"),
        ({"weight_indptr": [0, 1, 1]}, "weight_indptr has 3"),
        ({"weight_indptr": [0, 2, 1, 1]}, "must rise"),
        ({"weight_indices": [2]}, "below n_features"),
        ({"weight_indices": [-1]}, "not be negative"),
        ({"weight_values": [np.nan]}, "weight_values holds NaN"),
        ({"weight_values": [INF]}, "weight_values must be finite"),
        ({"threshold": [INF, 0.0, 0.0]}, "threshold of an inner node must be finite"),
        ({"category_set": [-1, -1, -1]}, "belong together"),
    ],
)
def test_bad_partitions_are_named(changes, words):
    good = stump()
    fields = {
        name: getattr(good, name)
        for name in (
            "children_left", "children_right", "weight_indptr", "weight_indices", "weight_values",
            "threshold", "n_features",
        )
    }  # fmt: skip
    with pytest.raises(InputError, match=words):
        Partition(**{**fields, **{name: np.array(value) for name, value in changes.items()}})


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"frozen": [2]}, "frozen must hold numbers in 0 .. 1"),
        ({"not_decreasing": ["age"]}, "not_decreasing must hold attribute numbers"),
        ({"lower": [1.0, 0.0], "upper": [0.0, 1.0]}, "lower exceeds upper for attribute 0"),
        ({"change_cost": 0.0}, "change_cost must be positive"),
        ({"lower": [0.0]}, "lower has 1 values"),
    ],
)
def test_bad_limits_are_named(limits, words):
    with pytest.raises(InputError, match=words):
        make_limits(2, **limits)
