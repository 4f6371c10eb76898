"""Compiled search of an axis-parallel partition: the nearest of its boxes.

Raising the bound for one more move takes one subtraction and one addition, so bounds cost less than
a queue would: the search goes down first and cuts off what lies beyond the best box so far. Where
attributes may move freely it starts from the case's own box and the nearest child across a test
above it. Every number returned is a threshold as it was given; of boxes equally near, either
search may find any.

    links[v]  = (attribute, left child), 0 twice at a leaf
    cuts[v]   = threshold of the test ``x <= cut``; number of the set of a test on categories
    ranges[j] = (cost of a unit move or of a changed category, may rise, may fall, lower, upper,
                whether only whole numbers are allowed)

Nodes are numbered so that the right child follows the left one: one line of memory holds both. The
numbers are unsigned, which spares the hot loop what Python does with negative indices.
Categorical columns are numbered after the attributes; there a value of 1 stands for a change, which
satisfies every test on its column.
"""

import math

import numpy as np

from projection._checks import Flags, Floats, Integers, Unsigned
from projection.jit import embed, jit, lean

ATTRIBUTE, LEFT = 0, 1
COST, MAY_RISE, MAY_FALL, LOWER, UPPER, WHOLE = 0, 1, 2, 3, 4, 5


@embed
def join_cost(norm: int | None, total: float, old: float, new: float) -> float:
    """Total when one attribute's cost rises from `old` to `new` (norm 2, None, counts squares)."""
    if norm is None:
        return total - old * old + new * new
    if norm == 1:
        return total - old + new
    return max(total, new)


@lean
def edge_beyond(ranges: Floats, attribute: int, cut: float, upwards: bool) -> float:
    """Nearest value on the other side of a cut; for a right side the open end itself."""
    if ranges[attribute, WHOLE] == 0.0:
        return cut
    return math.floor(cut) + 1.0 if upwards else math.floor(cut)


@lean
def may_move_to(ranges: Floats, attribute: int, start: float, value: float, upwards: bool) -> bool:
    """Whether an attribute may cross a test to `value`."""
    if upwards:
        if value >= start and ranges[attribute, MAY_RISE] == 0.0:
            return False
        if ranges[attribute, WHOLE] == 0.0:
            return value < ranges[attribute, UPPER]
        return value <= ranges[attribute, UPPER]
    if value < start and ranges[attribute, MAY_FALL] == 0.0:
        return False
    return value >= ranges[attribute, LOWER]


@lean
def clip_case(ranges: Floats, norm: int | None, X: Floats, i: int, now: Floats) -> float:
    """Move a case into the ranges, in `now`: the bound; inf if that is not allowed."""
    bound = 0.0
    for j in range(X.shape[1]):
        if ranges[j, LOWER] > ranges[j, UPPER]:
            return np.inf  # a range without a whole number
        value = min(max(X[i, j], ranges[j, LOWER]), ranges[j, UPPER])
        if value == X[i, j]:
            continue
        allowed = ranges[j, MAY_RISE] if value > X[i, j] else ranges[j, MAY_FALL]
        if allowed == 0.0:
            return np.inf
        bound = join_cost(norm, bound, 0.0, abs(value - X[i, j]) * ranges[j, COST])
        now[j] = value
    return bound


@lean
def keep_point(now: Floats, points: Floats, changed: Flags, i: int) -> None:
    """Write the values that hold now as the answer of a case."""
    n_features = points.shape[1]
    for j in range(n_features):
        points[i, j] = now[j]
    for j in range(changed.shape[1]):
        changed[i, j] = now[n_features + j] > 0.0


@jit
def search_boxes(
    links: Unsigned,
    cuts: Floats,
    ranges: Floats,
    members: Flags,
    limited: bool,
    max_depth: int,
    X: Floats,
    codes: Integers,
    useful: Flags,
    target: Integers,
    norm: int | None,
    place: Integers,
    distance: Floats,
    points: Floats,
    changed: Flags,
) -> None:
    """Nearest leaf of every case; `points` must hold a copy of the cases.

    `place` receives rows of `links`, -1 where there is none; `useful` is numbered like them.

    `now` holds the values at the current place of the search. Far children that may be worth a
    visit wait on a stack, deepest on top, with their bound and the value to move to; the value
    before such a move is put below them, to be restored after. A far child that is a leaf is
    settled on the spot.
    """
    n_features = X.shape[1]
    stack = np.empty((2 * max_depth + 2, 2), dtype=np.int64)
    waiting = np.empty((2 * max_depth + 2, 2))
    now = np.zeros(ranges.shape[0])
    for i in range(X.shape[0]):
        row = target[i]
        for j in range(n_features):
            now[j] = X[i, j]
        bound = clip_case(ranges, norm, X, i, now) if limited else 0.0
        best, size = np.inf, 0
        place[i] = -1
        node = np.uint64(0)
        walking = bound < np.inf and useful[row, 0]
        while True:
            # down the side on which the values lie
            while walking and links[node, LEFT] > 0:
                attribute, left = np.uint64(links[node, ATTRIBUTE]), links[node, LEFT]
                value, cost, current = 1.0, ranges[attribute, COST], now[attribute]
                if np.int64(attribute) < n_features:
                    goes_left = current <= cuts[node]
                    value = edge_beyond(ranges, attribute, cuts[node], goes_left)
                    new = abs(value - X[i, attribute]) * cost
                    old = abs(current - X[i, attribute]) * cost
                else:
                    code = codes[i, np.int64(attribute) - n_features]
                    goes_left = code >= 0 and members[int(cuts[node]), code]
                    new, old = cost, current * cost if current > 0.0 else 0.0
                far, near = np.uint64(left + int(goes_left)), np.uint64(left + int(not goes_left))
                beyond = join_cost(norm, bound, old, new)
                counts = (beyond < best) & useful[row, far]
                if limited and np.int64(attribute) < n_features:
                    counts &= may_move_to(ranges, attribute, X[i, attribute], value, goes_left)
                # written in any case, kept if it counts: such a branch could not be predicted
                is_leaf = links[far, LEFT] == 0
                stack[size, 0], stack[size, 1] = far, attribute
                waiting[size, 0], waiting[size, 1] = beyond, value
                size += int(counts & (not is_leaf))
                if counts & is_leaf:
                    best, place[i] = beyond, far
                    now[attribute] = value
                    keep_point(now, points, changed, i)
                    now[attribute] = current
                node, walking = near, useful[row, near]
            if walking and bound < best:
                best, place[i] = bound, node
                keep_point(now, points, changed, i)
            # back to the last child that is still worth a visit
            walking = False
            while size > 0 and not walking:
                size -= 1
                attribute = np.uint64(stack[size, 1])
                if stack[size, 0] < 0:
                    now[attribute] = waiting[size, 1]
                elif waiting[size, 0] < best:
                    node, bound, walking = np.uint64(stack[size, 0]), waiting[size, 0], True
                    current = now[attribute]
                    now[attribute] = waiting[size, 1]
                    stack[size, 0], waiting[size, 1] = -1, current
                    size += 1
            if not walking:
                break
        distance[i] = math.sqrt(best) if norm is None else best


# Cases that walk down to their own boxes side by side: while one waits for memory the others go on.
LANES = 8


@lean
def walk_lanes(links: Unsigned, cuts: Floats, X: Floats, first: int, lanes: Unsigned) -> None:
    """Put the leaves of the cases from `first` on into `lanes`."""
    width = min(lanes.shape[0], X.shape[0] - first)
    one = np.uint64(1)
    for b in range(width):
        lanes[b] = 0
    moving = True
    while moving:
        moving = False
        for b in range(width):
            node = lanes[b]
            left = np.uint64(links[node, LEFT])
            if left > 0:
                goes_left = np.uint64(X[first + b, np.uint64(links[node, ATTRIBUTE])] <= cuts[node])
                lanes[b] = left + one - goes_left
                moving = True


@embed
def set_moves(
    links: Unsigned, cuts: Floats, parent: Integers, stack: Integers, entry: int, x: Floats,
    now: Floats, undo: bool,
) -> None:  # fmt: skip
    """Move the values that hold now to where a waiting child and those before it lie, or back.

    The latest move of an attribute is the farthest.
    """
    while entry >= 0:
        above = parent[stack[entry, 0]]
        j = links[above, ATTRIBUTE]
        if undo:
            now[j] = x[j]
        elif now[j] == x[j]:
            now[j] = cuts[above]
        entry = stack[entry, 1]


@lean
def search_plain(
    links: Unsigned,
    cuts: Floats,
    ranges: Floats,
    parent: Integers,
    X: Floats,
    useful: Flags,
    target: Integers,
    norm: int | None,
    place: Integers,
    distance: Floats,
    points: Floats,
    lanes: Unsigned,
    stack: Integers,
    waiting: Floats,
    now: Floats,
) -> None:
    """Nearest leaf of every case where attributes may move freely and none is categorical.

    From its own leaf a case climbs to the root and takes note of the children across; the nearest
    of them is searched first, which leaves few of the others. stack[p] = (child across, entry by
    whose move it was found, -1 for the case itself), waiting[p] is its bound.
    """
    one = np.uint64(1)
    for i in range(X.shape[0]):
        if i % LANES == 0:
            walk_lanes(links, cuts, X, i, lanes)
        row = target[i]
        node = lanes[i % LANES]
        place[i] = -1
        best = np.inf
        if useful[row, node]:
            place[i], best = node, 0.0
        size, entry, bound = 0, 0, np.inf
        while node > 0:
            across = ((node - one) ^ one) + one
            node = np.uint64(parent[node])
            j = np.uint64(links[node, ATTRIBUTE])
            beyond = join_cost(norm, 0.0, 0.0, abs(cuts[node] - X[i, j]) * ranges[j, COST])
            beyond = beyond if useful[row, across] else np.inf
            stack[size, 0], stack[size, 1], waiting[size] = across, -1, beyond
            entry = size if beyond < bound else entry
            bound = min(beyond, bound)
            size += 1
        for k in range(now.shape[0]):
            now[k] = X[i, k]
        while bound < best:
            set_moves(links, cuts, parent, stack, entry, X[i], now, False)
            node = np.uint64(stack[entry, 0])
            waiting[entry] = np.inf
            while links[node, LEFT] > 0 and useful[row, node]:
                j, left = np.uint64(links[node, ATTRIBUTE]), np.uint64(links[node, LEFT])
                cost, cut = ranges[j, COST], cuts[node]
                goes_left = np.uint64(now[j] <= cut)
                old, new = abs(now[j] - X[i, j]) * cost, abs(cut - X[i, j]) * cost
                beyond = join_cost(norm, bound, old, new)
                across = left + goes_left
                node = left + one - goes_left
                # written in any case, kept if it counts: such a branch could not be predicted
                stack[size, 0], stack[size, 1], waiting[size] = across, entry, beyond
                size += int((beyond < best) & useful[row, across])
            if useful[row, node]:
                best, place[i] = bound, node
                for k in range(now.shape[0]):
                    points[i, k] = now[k]
            set_moves(links, cuts, parent, stack, entry, X[i], now, True)
            bound = np.inf
            while size > 0 and not bound < best:
                size -= 1
                bound = waiting[size]
            entry = size
            size += 1  # stays below what is found by its move
        distance[i] = math.sqrt(best) if norm is None else best


@jit
def search_plain_boxes(
    links: Unsigned,
    cuts: Floats,
    ranges: Floats,
    parent: Integers,
    X: Floats,
    useful: Flags,
    target: Integers,
    norm: int | None,
    place: Integers,
    distance: Floats,
    points: Floats,
) -> None:
    """`search_boxes` for partitions without categories, limits and whole-number attributes."""
    room = links.shape[0] + 1  # a child waits once at most
    search_plain(
        links, cuts, ranges, parent, X, useful, target, norm, place, distance, points,
        np.empty(LANES, dtype=np.uint64), np.empty((room, 2), dtype=np.int64), np.empty(room),
        np.empty(X.shape[1]),
    )  # fmt: skip


@jit
def step_into_boxes(
    links: Unsigned, cuts: Floats, ranges: Floats, parent: Integers, place: Integers, points: Floats
) -> None:
    """Move points on the border of their box to the next number inside."""
    for i in range(points.shape[0]):
        node = place[i]
        while parent[node] >= 0:
            above = parent[node]
            attribute = links[above, ATTRIBUTE]
            if attribute < points.shape[1]:
                value, cut = points[i, attribute], cuts[above]
                if node != links[above, LEFT] and value <= cut:
                    edge = edge_beyond(ranges, attribute, cut, True)
                    points[i, attribute] = np.nextafter(cut, np.inf) if edge == cut else edge
                if node == links[above, LEFT] and value > cut:
                    points[i, attribute] = edge_beyond(ranges, attribute, cut, False)
            node = above


@jit
def mark_boxes(
    links: Unsigned, cuts: Floats, ranges: Floats, n_features: int, parent: Integers, room: Flags
) -> None:
    """Mark the leaves, rows of `links`, whose box has room in every attribute.

    Categories are not looked at. One number alone (x <= 0 and -x <= 0) is no room, unless only
    whole numbers count.
    """
    low, high = np.full(ranges.shape[0], -np.inf), np.full(ranges.shape[0], np.inf)
    for leaf in range(links.shape[0]):
        if links[leaf, LEFT] > 0:
            continue
        wide, node = True, leaf
        while parent[node] >= 0:
            above = parent[node]
            attribute = links[above, ATTRIBUTE]
            if attribute < n_features:
                edge = edge_beyond(ranges, attribute, cuts[above], node != links[above, LEFT])
                if node == links[above, LEFT]:
                    high[attribute] = min(high[attribute], edge)
                else:
                    low[attribute] = max(low[attribute], edge)
                whole = ranges[attribute, WHOLE] != 0.0 and low[attribute] <= high[attribute]
                wide = wide and (whole or np.nextafter(low[attribute], np.inf) < high[attribute])
            node = above
        room[leaf] = wide
        node = leaf
        while parent[node] >= 0:
            node = parent[node]
            low[links[node, ATTRIBUTE]], high[links[node, ATTRIBUTE]] = -np.inf, np.inf
