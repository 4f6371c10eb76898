"""Nearest cell of a partition, for batches of cases: best-first search with exact bounds.

The cells of a partition are nested in the cells of its inner nodes, so a lower bound at a node
holds for everything below. One queue ordered by bounds therefore projects a case onto a handful
of partial cells instead of all leaves, and the first wanted leaf it reaches is the nearest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from projection import _box_kernels as box_kernels
from projection import _kernels as kernels
from projection._checks import Flags, Floats, Integers
from projection.layout import (
    Boxes,
    Space,
    boxes_with_interior,
    build_boxes,
    build_space,
    cells_with_interior,
)
from projection.limits import MoveLimits, make_limits
from projection.metric import Metric
from projection.partition import Partition
from projection.polyhedron import Polyhedron

_CLEAR = 1e-9  # of the largest offset: more than rounding and the step off a border


class NearestCells(NamedTuple):
    """Nearest wanted cell of each case.

    Attributes
    ----------
    cell : array of int, shape (n,)
        Node number, -1 where no wanted cell can be reached. Cells are open towards the planes
        they lie right of: one that the limits let a case touch there, but not enter, is out of
        reach.
    distance : array of shape (n,)
        Length of the move in the metric, inf where there is none.
    point : array of shape (n, n_features)
        Nearest point of the cell's closure, raw units (the case itself where there is none).
        Attributes tested by categories keep their code; see `changed`.
    changed : array of bool, shape (n, n_category_features)
        Which attributes tested by categories must take another code, in the order of
        `Partition.category_features`.
    """

    cell: Integers
    distance: Floats
    point: Floats
    changed: Flags

    def take(self, which: Any) -> "NearestCells":
        """Return the answers of some cases.

        Parameters
        ----------
        which : slice, or ndarray of int or bool
        """
        return NearestCells(
            self.cell[which], self.distance[which], self.point[which], self.changed[which]
        )


def join_cells(parts: Sequence[NearestCells]) -> NearestCells:
    """Put the answers of several batches one after the other.

    Parameters
    ----------
    parts : sequence of NearestCells
    """
    return NearestCells(
        np.concatenate([part.cell for part in parts]),
        np.concatenate([part.distance for part in parts]),
        np.concatenate([part.point for part in parts]),
        np.concatenate([part.changed for part in parts]),
    )


@dataclass(frozen=True)
class CellSearch:
    """A partition prepared for one metric and one set of limits (see `prepare_search`).

    Attributes
    ----------
    partition : Partition
    metric : Metric
    limits : MoveLimits
    has_interior : ndarray of shape (n_nodes,), bool
        Cells that can be reached.
    free : ndarray of int64
        Numeric attributes that may move, in the order of coordinates.
    fixed : ndarray of int64
        Numeric attributes that are tested or limited but must not move.
    space : Space or None
        Arrays of the search among polyhedra; None for axis-parallel partitions.
    boxes : Boxes or None
        Arrays of the search among boxes; None for others.
    """

    partition: Partition
    metric: Metric
    limits: MoveLimits
    has_interior: Flags
    free: Integers
    fixed: Integers
    space: Space | None
    boxes: Boxes | None

    @property
    def norm_code(self) -> int | None:
        """Norm as the kernels write it: None stands for 2, 0 for inf.

        The compiler leaves out what the type of an argument rules out: the search in norm 2 is
        compiled without a simplex, and either when it is first asked for.
        """
        if self.metric.norm == 2.0:
            return None
        return 0 if self.metric.norm == np.inf else 1

    @cached_property
    def paid(self) -> Integers:
        """Attributes tested by categories that may change."""
        columns = self.partition.category_features
        return columns[~self.limits.frozen[columns]]

    @cached_property
    def columns(self) -> Integers:
        """Attribute of each coordinate: free, paid, fixed."""
        return np.concatenate([self.free, self.paid, self.fixed])

    @cached_property
    def column_scales(self) -> Floats:
        """Scale of each coordinate."""
        return self.metric.scale[self.columns]

    @cached_property
    def all_free(self) -> bool:
        """Whether the coordinates are the attributes themselves."""
        return len(self.free) == self.partition.n_features

    @cached_property
    def largest_offset(self) -> float:
        """Largest distance of a test's plane from the origin, 1 if all go through it.

        Limits do not count: a range may be as wide as one likes.
        """
        if self.space is None:
            return 1.0
        n_tests = len(self.space.planes) - len(self.space.from_case)
        return float(np.abs(self.space.planes[:n_tests, kernels.OFFSET]).max(initial=0.0)) or 1.0

    def spread(self, cell_flags: Flags) -> Flags:
        """Mark the subtrees that hold a wanted cell, as `nearest_cells` reads them.

        Parameters
        ----------
        cell_flags : array of bool, shape (n_targets, n_nodes)
            Wanted cells by node number, one row a set of targets.
        """
        marks = self.partition.spread(cell_flags)
        return marks if self.boxes is None else np.ascontiguousarray(marks[:, self.boxes.node])


def prepare_search(
    partition: Partition, metric: Metric, limits: MoveLimits | None = None
) -> CellSearch:
    """Scale a partition by a metric and find out which cells have an interior.

    Memory: inner nodes times tested attributes times 8 bytes (axis-parallel partitions: a few
    numbers a node).

    Parameters
    ----------
    partition : Partition
    metric : Metric
    limits : MoveLimits, optional
        Whole-number attributes need an axis-parallel partition.
    """
    limits = make_limits(partition.n_features) if limits is None else limits
    tested = np.zeros(partition.n_features, dtype=np.bool_)
    tested[partition.weight_indices[partition.weight_values != 0]] = True
    tested |= np.isfinite(limits.lower) | np.isfinite(limits.upper)
    tested[partition.category_features] = False
    free = np.flatnonzero(tested & ~limits.frozen)
    fixed = np.flatnonzero(tested & limits.frozen)
    if partition.is_axis_parallel:
        boxes = build_boxes(partition, metric, limits)
        has_interior = boxes_with_interior(partition, boxes)
        return CellSearch(partition, metric, limits, has_interior, free, fixed, None, boxes)
    has_interior = cells_with_interior(partition, metric)
    space = build_space(partition, metric, limits, free, fixed)
    return CellSearch(partition, metric, limits, has_interior, free, fixed, space, None)


def nearest_cells(search: CellSearch, X: Floats, useful: Flags, target: Integers) -> NearestCells:
    """Find the nearest wanted cell of every case.

    Parameters
    ----------
    search : CellSearch
    X : array of shape (n, n_features)
        Cases, float64, C order, finite; attributes tested by categories hold their codes.
    useful : array of bool, shape (n_targets, n_nodes)
        Which subtrees hold a wanted cell, made by `CellSearch.spread` from flags of cells that
        should be a subset of `search.has_interior`.
    target : array of int, shape (n,)
        Row of `useful` for each case.
    """
    n = len(X)
    codes = codes_of(search, X)
    cell = np.empty(n, dtype=np.int64)
    distance = np.empty(n)
    if search.boxes is not None:
        point = X.copy()
        changed = np.zeros(codes.shape, dtype=np.bool_)
        boxes = search.boxes
        if boxes.plain:
            box_kernels.search_plain_boxes(
                boxes.links, boxes.cuts, boxes.ranges, boxes.parent, X, useful,
                target, search.norm_code, cell, distance, point,
            )  # fmt: skip
        else:
            box_kernels.search_boxes(
                *boxes[:6], X, codes, useful, target, search.norm_code, cell, distance, point,
                changed,
            )  # fmt: skip
        return NearestCells(np.where(cell < 0, -1, boxes.node[cell]), distance, point, changed)
    assert search.space is not None
    moves = np.empty((n, search.space.n_free))
    work = np.empty((n, 2), dtype=np.int64)
    scaled = to_coordinates(search, X)
    kernels.search_batch(
        *search.space,
        scaled,
        codes,
        useful,
        target,
        search.norm_code,
        cell,
        distance,
        moves,
        work,
    )
    if work[:, 1].any():
        for i in np.flatnonzero(work[:, 1]).tolist():
            _search_by_reference(search, i, scaled, codes, useful[target[i]], cell, distance, moves)
    if search.all_free:
        point = moves * search.metric.scale
        point += X
    else:
        n_free = len(search.free)
        point = X.copy()
        point[:, search.free] += search.column_scales[:n_free] * moves[:, :n_free]
    keep_limits(search, X, point, cell >= 0)
    return NearestCells(cell, distance, point, _read_changes(search, moves, codes, cell))


def nearest_cell(search: CellSearch, x: Floats, useful: Flags, target: int) -> tuple[int, float]:
    """Cell and distance of one case, the short way: no point, nothing checked.

    Parameters
    ----------
    search : CellSearch
    x : ndarray of shape (n_features,)
    useful : array of bool, shape (n_targets, n_nodes)
        As in `nearest_cells`.
    target : int
        Row of ``useful`` for the case.

    Returns
    -------
    cell : int
        Node of the cell, -1 where none can be reached.
    distance : float
    """
    X = x[None]
    cell, row = np.empty(1, dtype=np.int64), np.array([target])
    distance = np.empty(1)
    if search.space is None or len(search.partition.category_features):
        near = nearest_cells(search, X, useful, row)
        return int(near.cell[0]), float(near.distance[0])
    scaled = to_coordinates(search, X)
    moves = np.empty((1, search.space.n_free))
    work = np.empty((1, 2), dtype=np.int64)
    codes = np.empty((1, 0), dtype=np.int64)
    kernels.search_batch(
        *search.space, scaled, codes, useful, row, search.norm_code, cell, distance, moves, work
    )
    if work[0, 1]:
        _search_by_reference(search, 0, scaled, codes, useful[target], cell, distance, moves)
    return int(cell[0]), float(distance[0])


def keep_limits(search: CellSearch, X: Floats, points: Floats, where: Flags) -> None:
    """Undo, in place, the last places by which rounding leaves the limits in some rows."""
    if search.space is None or not len(search.space.from_case):
        return
    lower, upper = (bound[:, search.free] for bound in search.limits.bounds_at(X[where]))
    rows = np.ix_(where, search.free)
    points[rows] = np.clip(points[rows], lower, upper)


def codes_of(search: CellSearch, X: Floats) -> Integers:
    """Codes of the attributes tested by categories, -1 for one that is not known."""
    features = search.partition.category_features
    if not len(features):
        return np.empty((len(X), 0), dtype=np.int64)
    codes = X[:, features]
    return np.where(np.isnan(codes), -1.0, codes).astype(np.int64)


def to_coordinates(search: CellSearch, X: Floats) -> Floats:
    """Cases in metric units: free attributes, categorical columns (zero), fixed attributes."""
    if search.all_free:
        return X / search.metric.scale
    scaled = np.ascontiguousarray(X[:, search.columns])
    scaled /= search.column_scales
    if len(search.paid):
        scaled[:, len(search.free) : len(search.free) + len(search.paid)] = 0.0
    if len(search.fixed):
        _keep_clear(search, X, scaled)
    return scaled


def _keep_clear(search: CellSearch, X: Floats, scaled: Floats) -> None:
    """Move fixed attributes, in place, off thresholds of their own that they lie just beyond.

    A search takes what it cannot tell from the border for the border, which belongs to the left
    of a test; the side of a value that stays is known exactly.
    """
    partition = search.partition
    begin, end = partition.weight_indptr[:-1], partition.weight_indptr[1:]
    alone = np.flatnonzero((end - begin == 1) & ~partition.is_leaf & (partition.category_set < 0))
    tested, weight = partition.weight_indices[begin[alone]], partition.weight_values[begin[alone]]
    # the search cannot tell less than a few last places of the largest coordinate from nothing
    size = np.abs(scaled).max(axis=1)
    room = np.maximum(_CLEAR * max(1.0, search.largest_offset), 32.0 * kernels.EPSILON * size)
    is_limited = np.isfinite(search.limits.lower) | np.isfinite(search.limits.upper)
    for place, feature in enumerate(search.fixed, start=len(search.free) + len(search.paid)):
        for sign in (1.0, -1.0):
            own = (tested == feature) & (sign * weight > 0.0)
            if not own.any() or is_limited[feature]:
                continue
            cuts = np.unique(partition.threshold[alone[own]] / np.abs(weight[own]))
            below = np.searchsorted(cuts, sign * X[:, feature]) - 1
            planes = np.append(cuts / search.metric.scale[feature], np.inf)
            edge = np.minimum(planes[below] + room, planes[below + 1])  # the next keeps its side
            near = (below >= 0) & (sign * scaled[:, place] < edge)
            scaled[near, place] = sign * edge[near]


def group_by_cell(cell: Integers, rows: Integers) -> Iterator[tuple[int, Integers]]:
    """Yield the cells of some rows, and which of the rows each has.

    Parameters
    ----------
    cell : ndarray of shape (n,), int64
        Cell of each row.
    rows : ndarray of int64
        Numbers of the rows that are wanted.
    """
    rows = rows[np.argsort(cell[rows], kind="stable")]
    for part in np.split(rows, np.flatnonzero(np.diff(cell[rows])) + 1):
        if len(part):
            yield int(cell[part[0]]), part


def _read_changes(search: CellSearch, moves: Floats, codes: Integers, cell: Integers) -> Flags:
    """Which categorical columns a move pays for.

    In the norm inf a shortest move may pay for a change that its cell does not ask for.
    """
    features = search.partition.category_features
    changed = np.zeros((len(moves), len(features)), dtype=np.bool_)
    if len(search.paid):
        paid = moves[:, len(search.free) :] > 0.5 * search.limits.change_cost[search.paid]
        changed[:, ~search.limits.frozen[features]] = paid
    if search.metric.norm == np.inf:
        for leaf, rows in group_by_cell(cell, np.flatnonzero(changed.any(axis=1))):
            allowed = search.partition.allowed_codes(leaf)
            for column, feature in enumerate(features.tolist()):
                fits = allowed.get(feature)
                now = codes[rows, column]
                is_asked = fits is not None and ((now < 0) | ~fits[now.clip(0, len(fits) - 1)])
                changed[rows, column] &= is_asked
    return changed


def _search_by_reference(
    search: CellSearch,
    i: int,
    scaled: Floats,
    codes: Integers,
    useful: Flags,
    cell: Integers,
    distance: Floats,
    moves: Floats,
) -> None:
    """Solve one case whose search met a failed projection: every wanted cell, other solvers.

    Reached only by nearly parallel planes; the answer replaces the compiled one in place.
    """
    from projection.dispatch import project  # the dispatcher imports nothing from here

    assert search.space is not None
    space = search.space
    metric = Metric.identity(space.n_free, norm=search.metric.norm)
    origin, best = np.zeros(space.n_free), np.inf
    cell[i], moves[i] = -1, 0.0
    is_linear = np.zeros(len(space.planes), dtype=np.bool_)
    is_linear[space.nodes[search.partition.is_linear, kernels.ROW]] = True
    for leaf in np.flatnonzero(useful & search.partition.is_leaf).tolist():
        rows, signs, values = kernels.cell_of_case(*space[:-1], scaled[i], codes[i], leaf)
        region = Polyhedron(signs[:, None] * space.planes[rows][:, : space.n_free], -signs * values)
        answer = project(origin, region, metric)
        if answer.status == "empty" or answer.distance >= best:
            continue
        step = kernels.THIN * max(np.abs(scaled[i]).max(initial=0.0), answer.distance)
        settled = (space.planes[rows, kernels.REACH] == np.inf) & (values > 0.0)
        strict = (signs < 0) & is_linear[rows] & ~settled
        inset = Polyhedron(region.A, region.b - (step or kernels.THIN) * strict)
        if project(origin, inset).status != "empty":
            best, cell[i], moves[i] = answer.distance, leaf, answer.point
    distance[i] = best
