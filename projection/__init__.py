"""Convex geometry: polyhedra, metrics and projections onto them."""

from projection.cell_search import (
    CellSearch,
    NearestCells,
    group_by_cell,
    join_cells,
    nearest_cell,
    nearest_cells,
    prepare_search,
)
from projection.dispatch import NORMS_OF, SOLVERS, project
from projection.exceptions import InputError, ProjectionError
from projection.interior import Interior, find_interior
from projection.limits import MoveLimits, make_limits
from projection.metric import LARGEST, Metric, row_lengths
from projection.partition import Partition
from projection.polyhedron import Polyhedron
from projection.result import Projection
from projection.step_inside import step_inside

__all__ = [
    "LARGEST",
    "NORMS_OF",
    "SOLVERS",
    "CellSearch",
    "InputError",
    "Interior",
    "Metric",
    "MoveLimits",
    "NearestCells",
    "Partition",
    "Polyhedron",
    "Projection",
    "ProjectionError",
    "find_interior",
    "group_by_cell",
    "join_cells",
    "make_limits",
    "nearest_cell",
    "nearest_cells",
    "prepare_search",
    "project",
    "row_lengths",
    "step_inside",
]
