"""The front door: check the input, choose a solver, project."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from projection._checks import Floats, as_floats, require_finite, require_length
from projection.exceptions import InputError
from projection.metric import LARGEST, Metric, check_norm
from projection.polyhedron import Polyhedron
from projection.reduction import EPSILON, reduce
from projection.result import Projection
from projection.solvers.active_set import active_set
from projection.solvers.alternating import alternating, averaged
from projection.solvers.cvx import cvx
from projection.solvers.dykstra import dykstra
from projection.solvers.hildreth import hildreth
from projection.solvers.linear_program import linear_program
from projection.solvers.nnls import nnls


class Solver(Protocol):
    """A function that projects one point; it never returns None and never judges itself."""

    def __call__(
        self, point: Floats, polyhedron: Polyhedron, metric: Metric, *, tol: float, max_iter: int
    ) -> Projection:
        """Project `point` onto `polyhedron`."""


SOLVERS: Mapping[str, Solver] = MappingProxyType(
    {
        "active_set": active_set,
        "nnls": nnls,
        "hildreth": hildreth,
        "dykstra": dykstra,
        "alternating": alternating,
        "averaged": averaged,
        "linear_program": linear_program,
        "cvx": cvx,
    }
)
"""Solvers by name. Which norms each serves is in `NORMS_OF`."""

_EUCLID = frozenset({2.0})
NORMS_OF: Mapping[str, frozenset[float]] = MappingProxyType(
    {
        **dict.fromkeys(SOLVERS, _EUCLID),
        "linear_program": frozenset({1.0, float("inf")}),
        "cvx": frozenset({1.0, 2.0, float("inf")}),
    }
)


def project(
    point: Any,
    polyhedron: Polyhedron,
    metric: Metric | None = None,
    norm: float | None = None,
    *,
    solver: str = "auto",
    tol: float = 1e-9,
    max_iter: int = 100_000,
) -> Projection:
    """Find the point of a polyhedron that is nearest to `point`.

    Parameters
    ----------
    point : array of shape (n_features,)
        The case, raw units, finite.
    polyhedron : Polyhedron
    metric : Metric, optional
        Scales of the attributes; raw units when omitted.
    norm : {2, inf, 1}, optional
        Overrides the metric's norm (2 when neither is given).
    solver : str, default="auto"
        A name of `SOLVERS`. "auto" takes the exact dual active set for norm 2 (non-negative
        least squares if its certificate fails) and a linear program for inf and 1.
        "alternating" and "averaged" find some point, not the nearest one.
    tol : float, default=1e-9
        Largest relative residual of an "optimal" answer.
    max_iter : int, default=100_000
        Limit of sweeps or iterations.

    Returns
    -------
    Projection
        Never None; emptiness and failures are statuses.

    Raises
    ------
    InputError
        If shapes disagree, the case is not finite, or the solver is unknown or does not serve
        the norm.

    Examples
    --------
    >>> from projection import Polyhedron, project
    >>> project([3.0, 4.0], Polyhedron([[3.0, 4.0]], [5.0])).distance
    4.0
    """
    case = as_floats(point, "point", 1)
    require_finite(case, "point")
    if not isinstance(polyhedron, Polyhedron):
        raise InputError(f"polyhedron must be a Polyhedron, got {type(polyhedron).__name__}")
    require_length(case, "point", polyhedron.n_features, "columns of the polyhedron's A")
    chosen = _choose_metric(metric, norm, polyhedron.n_features)
    too_large = np.flatnonzero(np.abs(case / chosen.scale) > LARGEST)
    if len(too_large):
        raise InputError(
            f"point is too large to be squared, {case[too_large[0]]} at index {too_large[0]}; "
            "choose larger units"
        )
    if not isinstance(tol, float | int) or not tol > 0:
        raise InputError(f"tol must be a positive number, got {tol!r}")
    if not isinstance(max_iter, int | np.integer) or max_iter < 1:
        raise InputError(f"max_iter must be a whole number of at least 1, got {max_iter!r}")
    if solver != "auto":
        return _run(_named(solver, chosen.norm), case, polyhedron, chosen, tol, max_iter)
    names = ("active_set", "nnls") if chosen.norm == 2.0 else ("linear_program", "cvx")
    answer = _run(SOLVERS[names[0]], case, polyhedron, chosen, tol, max_iter)
    if answer.status in ("optimal", "empty"):
        return answer
    second = _run(SOLVERS[names[1]], case, polyhedron, chosen, tol, max_iter)
    return second if second.status == "optimal" else answer


def _run(
    solver: Solver, case: Floats, polyhedron: Polyhedron, metric: Metric, tol: float, max_iter: int
) -> Projection:
    """Solve; what seems empty must stay so when every row may be missed by rounding.

    The rows of a flat polyhedron, seen from a case, contradict each other by the rounding of its
    coordinates: without this, a point of such a set would find the set empty.
    """
    answer = solver(case, polyhedron, metric, tol=tol, max_iter=max_iter)
    if answer.status != "empty":
        return answer
    system = reduce(case, polyhedron, metric)
    slack = 8.0 * EPSILON * max(system.size, system.violation)
    loose = polyhedron.loosened(slack, metric.scale)
    return solver(case, loose, metric, tol=tol, max_iter=max_iter)


def _choose_metric(metric: Metric | None, norm: float | None, n_features: int) -> Metric:
    """Metric with the norm that counts, checked against the dimension."""
    if not isinstance(metric, Metric | None):
        raise InputError(f"metric must be a Metric, got {metric!r:.60}; Metric(scales) makes one")
    if metric is None:
        return Metric.identity(n_features, norm=2.0 if norm is None else norm)
    if metric.n_features != n_features:
        raise InputError(
            f"metric has {metric.n_features} scales but the polyhedron has {n_features} attributes"
        )
    return metric if norm is None else metric.with_norm(check_norm(norm))


def _named(name: str, norm: float) -> Solver:
    """Solver by name, if it serves the norm."""
    if name not in SOLVERS:
        raise InputError(f"solver {name!r} is unknown; choose 'auto' or one of {sorted(SOLVERS)}")
    if norm not in NORMS_OF[name]:
        able = sorted(other for other in SOLVERS if norm in NORMS_OF[other])
        raise InputError(f"solver {name!r} does not serve norm {norm:g}; these do: {able}")
    return SOLVERS[name]
