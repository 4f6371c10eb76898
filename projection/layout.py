"""A partition laid out for the compiled searches: boxes, or rows of unit length."""

from typing import NamedTuple

import numpy as np

from projection import _box_kernels as box_kernels
from projection import _kernels as kernels
from projection._checks import Flags, Floats, Integers, Unsigned
from projection.limits import MoveLimits, make_limits
from projection.metric import Metric, row_lengths
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
    """An axis-parallel partition as the search reads it (see `_box_kernels` for the columns)."""

    links: Unsigned
    cuts: Floats
    ranges: Floats
    members: Flags
    limited: bool  # whether an attribute must not move everywhere
    max_depth: int
    parent: Integers  # row of `links` above each row
    node: Integers  # node of each row of `links`
    place: Integers  # row of `links` of each node
    plain: bool  # neither limited nor with categories or whole-number attributes


# --- axis-parallel partitions -------------------------------------------------------------------


def build_boxes(partition: Partition, metric: Metric, limits: MoveLimits) -> Boxes:
    """Turn tests ``w x <= c`` into ``x <= c / w`` (children exchanged for a negative weight)."""
    nodes = np.flatnonzero(partition.is_linear)
    start = partition.weight_indptr[nodes]
    feature = np.full(partition.n_nodes, -1, dtype=np.int64)
    feature[nodes] = partition.weight_indices[start]
    cuts = np.zeros(partition.n_nodes)
    cuts[nodes], mirrored = _divide_exactly(
        partition.threshold[nodes], partition.weight_values[start]
    )
    left, right = partition.children_left.copy(), partition.children_right.copy()
    left[nodes[mirrored]], right[nodes[mirrored]] = (
        partition.children_right[nodes[mirrored]],
        partition.children_left[nodes[mirrored]],
    )
    columns = partition.category_features
    sets = partition.category_set
    tested = np.flatnonzero(sets >= 0)
    feature[tested] = partition.n_features + np.searchsorted(
        columns, partition.set_feature[sets[tested]]
    )
    node, place = _number_by_pairs(left, right)
    cuts[tested] = sets[tested]
    links = np.stack([feature, np.where(left < 0, 0, place[left])], axis=1)
    may_move = limits.may_rise & limits.may_fall
    ranged = np.isfinite(limits.lower) | np.isfinite(limits.upper)
    limited = bool((ranged | ~may_move).any())
    return Boxes(
        np.ascontiguousarray(links[node].clip(0), dtype=np.uint32),
        cuts[node],
        _ranges(metric, limits, columns),
        partition.members,
        limited,
        _max_depth(partition),
        np.where(partition.parent < 0, -1, place[partition.parent])[node],
        node,
        place,
        not (limited or len(columns) or limits.integer.any()),
    )


def _number_by_pairs(left: Integers, right: Integers) -> tuple[Integers, Integers]:
    """Order of nodes in which a right child follows its left one, and the place of each node."""
    order = [0]
    waiting = [0]
    while waiting:
        node = waiting.pop()
        if left[node] >= 0:
            pair = [int(left[node]), int(right[node])]
            order += pair
            waiting += pair[::-1]
    node_at = np.array(order, dtype=np.int64)
    place = np.empty_like(node_at)
    place[node_at] = np.arange(len(node_at))
    return node_at, place


def _ranges(metric: Metric, limits: MoveLimits, columns: Integers) -> Floats:
    """Cost and limits of every attribute, then of every categorical column."""
    numeric = np.stack(
        [
            1.0 / metric.scale,
            limits.may_rise.astype(np.float64),
            limits.may_fall.astype(np.float64),
            limits.lower,
            limits.upper,
            limits.integer.astype(np.float64),
        ],
        axis=1,
    )
    change = np.zeros((len(columns), numeric.shape[1]))
    change[:, box_kernels.COST] = np.where(
        limits.frozen[columns], np.inf, limits.change_cost[columns]
    )
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


def boxes_with_interior(partition: Partition, boxes: Boxes) -> Flags:
    """Leaves whose box has room in every attribute and a code left in every column."""
    room = np.zeros(partition.n_nodes, dtype=np.bool_)
    box_kernels.mark_boxes(
        boxes.links, boxes.cuts, boxes.ranges, partition.n_features, boxes.parent, room
    )
    return _where_codes_are_left(partition, room[boxes.place])


def _where_codes_are_left(partition: Partition, room: Flags) -> Flags:
    """Drop the cells in which some categorical attribute has no code left."""
    if len(partition.set_feature):
        for node in np.flatnonzero(room).tolist():
            room[node] = all(codes.any() for codes in partition.allowed_codes(node).values())
    return room


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
    length = row_lengths(normals[:, :n_free])
    divisor = np.where(length > 0, length, row_lengths(normals))
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
    return _where_codes_are_left(partition, room)
