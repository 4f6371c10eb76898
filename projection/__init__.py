"""Convex geometry: polyhedra, metrics and projections onto them."""

from projection.dispatch import NORMS_OF, SOLVERS, project
from projection.exceptions import InputError, ProjectionError
from projection.interior import Interior, find_interior
from projection.metric import Metric
from projection.polyhedron import Polyhedron
from projection.result import Projection

__all__ = [
    "NORMS_OF",
    "SOLVERS",
    "InputError",
    "Interior",
    "Metric",
    "Polyhedron",
    "Projection",
    "ProjectionError",
    "find_interior",
    "project",
]
