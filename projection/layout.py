"""A partition laid out for the compiled searches: boxes, or rows of unit length."""

from typing import NamedTuple

import numpy as np

from projection import _kernels as kernels
from projection._checks import Flags, Floats, Integers
from projection.limits import MoveLimits, make_limits
from projection.metric import Metric
from projection.partition import Partition


class Space(NamedTuple):
    """An oblique partition as the search reads it (see `_kernels` for the columns)."""

    nodes: Integers
    planes: Floats
    set_column: Integers
    members: Flags
    change_cost: Floats
    from_case: Flags
    max_depth: int
    n_free: int


class Boxes(NamedTuple):
    """An axis-parallel partition as the search reads it (see `_kernels` for the columns)."""

    tests: Integers
    edges: Floats
    ranges: Floats
    members: Flags
    max_depth: int


# --- axis-parallel partitions -------------------------------------------------------------------


def build_boxes(partition: Partition, metric: Metric, limits: MoveLimits) -> Boxes:
    """Turn tests ``w x <= c`` into ``x <= c / w`` (children exchanged for a negative weight)."""
    nodes = np.flatnonzero(partition.is_linear)
    start = partition.weight_indptr[nodes]
    feature = np.full(partition.n_nodes, -1, dtype=np.int64)
    feature[nodes] = partition.weight_indices[start]
    threshold = np.zeros(partition.n_nodes)
    weight = partition.weight_values[start]
    threshold[nodes], mirrored = _divide_exactly(partition.threshold[nodes], weight)
    left, right = partition.children_left.copy(), partition.children_right.copy()
    left[nodes[mirrored]], right[nodes[mirrored]] = (
        partition.children_right[nodes[mirrored]],
        partition.children_left[nodes[mirrored]],
    )
    whole = np.zeros(partition.n_nodes, dtype=np.bool_)
    whole[nodes] = limits.integer[feature[nodes]]
    columns = partition.category_features
    sets = partition.category_set
    tested = np.flatnonzero(sets >= 0)
    feature[tested] = partition.n_features + np.searchsorted(
        columns, partition.set_feature[sets[tested]]
    )
    left_edge = np.where(whole, np.floor(threshold), threshold)
    right_edge = np.where(whole, np.floor(threshold) + 1.0, threshold)
    return Boxes(
        np.stack([left, right, feature, sets], axis=1),
        np.stack([threshold, left_edge, right_edge], axis=1),
        _ranges(metric, limits, columns),
        partition.members,
        _max_depth(partition),
    )


def _ranges(metric: Metric, limits: MoveLimits, columns: Integers) -> Floats:
    """Cost and limits of every attribute, then of every categorical column."""
    numeric = np.stack(
        [
            1.0 / metric.scale,
            limits.may_rise.astype(np.float64),
            limits.may_fall.astype(np.float64),
            limits.lower,
            limits.upper,
            (~limits.integer).astype(np.float64),
        ],
        axis=1,
    )
    change = np.zeros((len(columns), numeric.shape[1]))
    change[:, kernels.COST] = np.where(limits.frozen[columns], np.inf, limits.change_cost[columns])
    return np.concatenate([numeric, change])


def _divide_exactly(threshold: Floats, weight: Floats) -> tuple[Floats, Flags]:
    """Largest x that passes ``weight * x <= threshold`` as it is computed, and mirrored tests.

    For a negative weight the test reads ``x >= c``; it becomes the complement of ``x <= c'``
    with the next smaller number c', so that the same numbers go the same way.
    """
    bound = threshold / weight
    for _ in range(4):
        # rounding of the division can miss by a unit in the last place or two
        inward = np.nextafter(bound, np.where(weight > 0, -np.inf, np.inf))
        bound = np.where(weight * bound > threshold, inward, bound)
        outward = np.nextafter(bound, np.where(weight > 0, np.inf, -np.inf))
        bound = np.where(weight * outward <= threshold, outward, bound)
    mirrored = weight < 0
    return np.where(mirrored, np.nextafter(bound, -np.inf), bound), mirrored


def boxes_with_interior(partition: Partition, boxes: Boxes, limits: MoveLimits) -> Flags:
    """Leaves whose box has room in every attribute and a code left in every column."""
    low = np.full((partition.n_nodes, partition.n_features), -np.inf)
    high = np.full((partition.n_nodes, partition.n_features), np.inf)
    room = np.ones(partition.n_nodes, dtype=np.bool_)
    for node in partition.order.tolist():
        left, right, feature, tested = boxes.tests[node]
        if left < 0:
            # one number alone (x <= 0 and -x <= 0) is no interior
            wide = np.nextafter(low[node], np.inf) < high[node]
            wide |= limits.integer & (low[node] <= high[node])
            room[node] = bool(wide.all()) and _has_codes(partition, node)
            continue
        for child in (left, right):
            low[child], high[child] = low[node], high[node]
        if tested < 0:
            edges = boxes.edges[node]
            high[left, feature] = min(high[left, feature], edges[kernels.LEFT_EDGE])
            low[right, feature] = max(low[right, feature], edges[kernels.RIGHT_EDGE])
    return room & partition.is_leaf


def _has_codes(partition: Partition, node: int) -> bool:
    """Whether every categorical attribute has a code that reaches a leaf."""
    if not len(partition.set_feature):
        return True
    return all(codes.any() for codes in partition.allowed_codes(node).values())


# --- oblique partitions -------------------------------------------------------------------------


def build_space(
    partition: Partition, metric: Metric, limits: MoveLimits, free: Integers, fixed: Integers
) -> Space:
    """Write tests and limits as rows of unit length over (free, categorical, fixed) columns."""
    columns = partition.category_features
    frozen = limits.frozen[columns]
    coordinate = np.full(len(columns), -1)
    coordinate[~frozen] = len(free) + np.arange(int((~frozen).sum()))
    n_free = len(free) + int((~frozen).sum())
    inner = np.flatnonzero(~partition.is_leaf)
    linear = inner[partition.category_set[inner] < 0]
    paid = inner[partition.category_set[inner] >= 0]
    row = np.full(partition.n_nodes, -1, dtype=np.int64)
    row[linear] = np.arange(len(linear))
    row[paid] = len(linear) + 2 * np.arange(len(paid))
    weights = partition.dense_weights(linear) * metric.scale
    tests = np.hstack(
        [weights[:, free], np.zeros((len(linear), n_free - len(free))), weights[:, fixed]]
    )
    changes = np.zeros((2 * len(paid), tests.shape[1]))
    for i, node in enumerate(paid):
        place = coordinate[
            np.searchsorted(columns, partition.set_feature[partition.category_set[node]])
        ]
        if place >= 0:
            changes[2 * i, place], changes[2 * i + 1, place] = 1.0, -1.0
    bounds, bound_offsets, from_case = _limit_rows(metric, limits, free, fixed, n_free)
    normals = np.vstack([tests, changes, bounds])
    offsets = np.concatenate([partition.threshold[linear], np.zeros(len(changes)), bound_offsets])
    planes = _normalise(normals, offsets, n_free, metric.norm)
    parent = partition.parent
    side = np.where(partition.children_left[parent] == np.arange(partition.n_nodes), 1, -1)
    links = [partition.children_left, partition.children_right, parent, side, row]
    return Space(
        nodes=np.stack([*links, partition.category_set], axis=1),
        planes=planes,
        set_column=np.searchsorted(columns, partition.set_feature).astype(np.int64),
        members=partition.members,
        change_cost=limits.change_cost[columns],
        from_case=from_case,
        max_depth=_max_depth(partition),
        n_free=n_free,
    )


def _limit_rows(
    metric: Metric, limits: MoveLimits, free: Integers, fixed: Integers, n_free: int
) -> tuple[Floats, Floats, Flags]:
    """Rows of one-way attributes and ranges: (normals, offsets, whether through the case)."""
    rows: list[Floats] = []
    offsets: list[float] = []
    from_case: list[bool] = []
    place = {int(f): i for i, f in enumerate(free)} | {
        int(f): n_free + i for i, f in enumerate(fixed)
    }
    for feature, position in place.items():
        unit = np.zeros(n_free + len(fixed))
        unit[position] = 1.0
        scale = metric.scale[feature]
        for sign, bound, may in (
            (1.0, limits.upper[feature], limits.may_rise[feature]),
            (-1.0, -limits.lower[feature], limits.may_fall[feature]),
        ):
            if position < n_free and not may:
                rows.append(sign * unit)
                offsets.append(0.0)
                from_case.append(True)
            if np.isfinite(bound):
                rows.append(sign * unit)
                offsets.append(bound / scale)
                from_case.append(False)
    stacked = np.array(rows).reshape(len(rows), n_free + len(fixed))
    return stacked, np.array(offsets, dtype=np.float64), np.array(from_case, dtype=np.bool_)


def _normalise(normals: Floats, offsets: Floats, n_free: int, norm: float) -> Floats:
    """Scale rows to unit Euclidean length over the free columns: (weights, offset, reach).

    The reach of a row is one over its dual norm.

    A row without a free weight is decided by the case alone: its reach is infinite. Its length is
    that over all columns, so that its value is a distance as well.
    """
    length = np.linalg.norm(normals[:, :n_free], axis=1)
    divisor = np.where(length > 0, length, np.linalg.norm(normals, axis=1))
    divisor[divisor == 0] = 1.0
    normals = normals / divisor[:, None]
    dual = {2.0: 2.0, np.inf: 1.0, 1.0: np.inf}[norm]
    size = np.ones(len(normals))
    if n_free and norm != 2.0:
        size = np.linalg.norm(normals[:, :n_free], ord=dual, axis=1)
    reach = np.where(length > 0, 1.0 / np.where(size > 0, size, 1.0), np.inf)
    return np.column_stack([normals, offsets / divisor, reach])


def _max_depth(partition: Partition) -> int:
    """Largest number of tests on a path."""
    depth = np.zeros(partition.n_nodes, dtype=np.int64)
    for node in partition.order[1:]:
        depth[node] = depth[partition.parent[node]] + 1
    return int(depth.max())


def cells_with_interior(partition: Partition, metric: Metric) -> Flags:
    """Leaves that hold a ball wider than rounding, and a code in every categorical column."""
    euclid = metric.with_norm(2.0)
    every = np.setdiff1d(np.arange(partition.n_features), partition.category_features)
    limits = make_limits(partition.n_features)
    space = build_space(partition, euclid, limits, every, np.empty(0, dtype=np.int64))
    room = np.zeros(partition.n_nodes, dtype=np.bool_)
    kernels.mark_interiors(space.nodes, space.planes, space.max_depth, room)
    for node in np.flatnonzero(room).tolist():
        room[node] = _has_codes(partition, node)
    return room
