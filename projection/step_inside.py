"""From the border of a cell into it: points that really belong to the cell they were moved to."""

from collections.abc import Callable
from typing import Any

import numpy as np

from projection import _box_kernels as box_kernels
from projection import _kernels as kernels
from projection._checks import Flags, Floats, Integers
from projection.cell_search import CellSearch, NearestCells, keep_limits, to_coordinates

Verify = Callable[[Floats, Any], Flags]

# 4 ulp of the largest coordinate, doubled this often, is 2e-3 of it: wider cells are not thin.
_DOUBLINGS = 41


def step_inside(
    search: CellSearch, X: Floats, near: NearestCells, is_inside: Verify
) -> tuple[Floats, Flags]:
    """Move nearest points by the smallest step that puts them into their cell.

    A nearest point lies on the closure of its cell; a strict test, or the rounding of a product,
    may still send it to the near side. Boxes need the next number beyond a threshold. For
    oblique cells all planes of the cell are moved inwards by a few units in the last place, which
    is doubled until the point is inside.

    Parameters
    ----------
    search : CellSearch
    X : array of shape (n, n_features)
        The cases that `near` answers.
    near : NearestCells
        All cells must be found (no -1).
    is_inside : function of (points, rows)
        Whether each point is where it should be; `rows` selects their cases (an index for
        arrays). The judge is the caller's own prediction.

    Returns
    -------
    points : array of shape (n, n_features)
    inside : array of bool, shape (n,)
        False where no point could be found (the cell is thinner than rounding under the limits).
    """
    points = near.point.copy()
    everyone = slice(None)
    if search.boxes is not None:
        boxes = search.boxes
        box_kernels.step_into_boxes(
            boxes.links, boxes.cuts, boxes.ranges, boxes.parent, boxes.place[near.cell], points
        )
        return points, is_inside(points, everyone)
    inside = is_inside(points, everyone)
    step = 4.0 * np.finfo(np.float64).eps
    for _ in range(_DOUBLINGS):
        if inside.all():
            break
        rows = np.flatnonzero(~inside)
        points[rows] = _inset_points(search, X[rows], near, rows, step)
        step *= 2.0
        inside[rows] = is_inside(points[rows], rows)
    return points, inside


def _inset_points(
    search: CellSearch, X: Floats, near: NearestCells, rows: Integers, relative_step: float
) -> Floats:
    """Points of some cases, a relative step inside every plane of their cells."""
    space = search.space
    assert space is not None
    on_border = near.point[rows]
    scaled = to_coordinates(search, on_border)
    moves = scaled[:, : space.n_free] - to_coordinates(search, X)[:, : space.n_free]
    before = moves.copy()
    # a point in the origin has no size of its own: the planes of the partition give one
    size = np.abs(scaled).max(axis=1, initial=search.largest_offset)
    inside = np.zeros(len(rows), dtype=np.bool_)
    kernels.step_into_cells(
        space.nodes, space.planes, space.from_case, space.max_depth,
        scaled, moves, near.cell[rows], relative_step * size, inside,
    )  # fmt: skip
    further = (moves - before)[:, : len(search.free)]
    points = on_border.copy()
    points[:, search.free] += search.metric.scale[search.free] * further
    keep_limits(search, X, points, np.ones(len(points), dtype=np.bool_))
    return points
