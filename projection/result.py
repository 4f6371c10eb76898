"""The answer of a projection, with the certificates that let anybody check it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from projection._checks import Floats

Status = Literal["optimal", "feasible", "empty", "inaccurate", "max_iter"]


@dataclass(frozen=True, slots=True)
class Projection:
    """Nearest point of a polyhedron.

    Attributes
    ----------
    point : array of shape (n_features,)
        The projection in raw units; NaN when the polyhedron is empty. For the norms inf and 1
        it need not be the only nearest point.
    distance : float
        Length of the move in the metric; inf when the polyhedron is empty.
    active : array of int
        Constraints with a multiplier, numbered as in `Polyhedron.constraints`.
    multipliers : array of shape (n_constraints,)
        Lagrange multipliers of ``min distance**2 / 2`` (norm 2) or ``min distance`` (norms inf
        and 1); not negative for inequalities, of either sign for equalities.
    status : {"optimal", "feasible", "empty", "inaccurate", "max_iter"}
        "optimal": all residuals are within the tolerance. "feasible": a point of the polyhedron,
        not claimed to be the nearest (alternating projections). "empty": there is no point.
        "inaccurate": the solver ended but a residual is above the tolerance. "max_iter": stopped
        by the limit of iterations.
    primal_residual : float
        Largest distance of `point` from a violated constraint, relative to the size of the
        numbers involved (largest coordinate of the case plus distance, in metric units).
    dual_residual : float
        Failure of stationarity and of the multipliers' signs, relative to the distance.
    gap : float
        Primal minus dual objective, relative to the objective.
    iterations : int
    solver : str
        Name of the solver in `projection.SOLVERS`.
    """

    point: Floats
    distance: float
    active: npt.NDArray[np.intp]
    multipliers: Floats
    status: Status
    primal_residual: float
    dual_residual: float
    gap: float
    iterations: int
    solver: str

    @property
    def residual(self) -> float:
        """Largest of the three relative residuals; NaN where no dual answer exists."""
        return max(self.primal_residual, self.dual_residual, self.gap)

    @property
    def is_optimal(self) -> bool:
        """Whether the point is certified to be the nearest one."""
        return self.status == "optimal"
