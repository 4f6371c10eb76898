"""What the methods of sweeps do at their end."""

from projection._checks import Floats
from projection.interior import find_interior
from projection.polyhedron import Polyhedron
from projection.reduction import System, nothing, restore
from projection.result import Projection


def finish_sweeps(
    system: System,
    polyhedron: Polyhedron,
    move: Floats,
    multipliers: Floats | None,
    sweeps: int,
    tol: float,
    name: str,
) -> Projection:
    """Undo the unit of length; a run without convergence is asked whether the set is empty."""
    if sweeps < 0 and find_interior(polyhedron).kind == "empty":
        return nothing(system, iterations=-sweeps, solver=name)
    return restore(
        system,
        system.violation * move,
        None if multipliers is None else system.violation * multipliers,
        tol=tol,
        iterations=abs(sweeps),
        solver=name,
        converged=sweeps > 0,
    )
