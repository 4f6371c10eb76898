"""The linear program of robust discriminants, solved by any solver and certified by us.

Rows ``a_i`` with costs ``c_i`` ask for ``a_i . v >= 1``; what is missing costs ``c_i`` a unit.
The primal program is ``min sum c_i z_i`` over ``z_i >= 1 - a_i . v`` and ``z >= 0``, its dual ``max
sum u_i`` over ``sum u_i a_i = 0`` and ``0 <= u <= c``, of which v are the multipliers.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from baselines._edge_descent import edge_descent

Floats: TypeAlias = NDArray[np.float64]

EDGE_DESCENT: Final = "edge_descent"
Form: TypeAlias = Literal["dual", "primal"]
# What a solver gets unless the caller says otherwise. Comparisons give each cell one thread.
# Presolve finds nothing to remove from the dual program, and takes two fifths of the time.
_OPTIONS: Final[dict[tuple[str, Form], dict[str, Any]]] = {
    ("HIGHS", "dual"): {"threads": 1, "presolve": "off"},
    ("HIGHS", "primal"): {"threads": 1},
}


class LinearProgramError(RuntimeError):
    """A solver failed, or its answer could not be shown to be the right one."""


class Answer(NamedTuple):
    """What the program is minimised by, and the proof.

    Attributes
    ----------
    v : ndarray of shape (p,)
    loss : float
        Cost of v, summed by us.
    bound : float
        Value of the dual program at the multipliers, brought into their bounds; what they miss
        to balance is charged. No loss is smaller, up to rounding.
    """

    v: Floats
    loss: float
    bound: float


def solve(
    A: Floats | sparse.csc_array,
    cost: Floats,
    *,
    solver: str,
    form: Form,
    tolerance: float,
    options: Mapping[str, Any] | None = None,
) -> Answer:
    """Solve the program.

    Parameters
    ----------
    A : ndarray or sparse array of shape (p, n)
        Row ``a_i`` is column i.
    cost : ndarray of shape (n,)
        Positive.
    solver : str
        "edge_descent", or the name of a solver that cvxpy knows.
    form : {"dual", "primal"}
        Which program cvxpy gets.
    tolerance : float
        Largest gap between loss and bound, as a part of ``cost.sum()``.
    options : mapping or None
        Options of the solver by name.

    Raises
    ------
    LinearProgramError
        If the solver fails, says that its answer is not exact, or leaves a larger gap.
    """
    if is_edge_descent(solver):
        dense = A if isinstance(A, np.ndarray) else A.toarray()
        found = edge_descent(np.ascontiguousarray(dense), cost)
        answer = Answer(found.v, found.loss, found.bound)
    else:
        v, u = _ask(A, cost, solver.upper(), form, dict(options or {}))
        answer = _certify(A, cost, v, u)
    gap = (answer.loss - answer.bound) / cost.sum()
    if not gap <= tolerance:
        raise LinearProgramError(
            f"solver {solver!r} left a gap of {gap:.2g} of the largest loss, more than "
            f"tolerance={tolerance:g}, on {cost.size} rows and {A.shape[0]} unknowns: make it more "
            f"exact by solver_options, or use solver={EDGE_DESCENT!r}"
        )
    return answer


def _ask(
    A: Floats | sparse.csc_array, cost: Floats, solver: str, form: Form, options: dict[str, Any]
) -> tuple[Floats, Floats]:
    """Return v and the multipliers u from one of cvxpy's solvers."""
    import cvxpy as cp  # heavy: only who asks for a solver pays for it

    if solver == "HIGHS":
        _greet_on_stderr()
    if form == "dual":
        # Bounds of variables, unlike constraints, add no rows to the solver's matrix.
        u = cp.Variable(cost.size, bounds=[np.zeros(cost.size), cost])
        rows = A @ u == 0.0
        problem = cp.Problem(cp.Maximize(cp.sum(u)), [rows])
    else:
        v = cp.Variable(A.shape[0])
        z = cp.Variable(cost.size, nonneg=True)
        rows = A.T @ v + z >= 1.0
        problem = cp.Problem(cp.Minimize(cost @ z), [rows])
    hint = f"use other solver_options or solver={EDGE_DESCENT!r}"
    with warnings.catch_warnings():
        # An inaccurate end is an error below, so no warning is needed.
        warnings.simplefilter("ignore", UserWarning)
        try:
            problem.solve(solver=solver, **{**_OPTIONS.get((solver, form), {}), **options})
        except (cp.SolverError, ValueError, TypeError) as error:
            raise LinearProgramError(f"solver {solver!r} failed: {error}; {hint}") from error
    # The program always has an optimum, so any other status is the solver's trouble.
    if problem.status != cp.OPTIMAL or rows.dual_value is None:
        raise LinearProgramError(
            f"solver {solver!r} ended with status {problem.status!r} on {cost.size} rows and "
            f"{A.shape[0]} unknowns; {hint}"
        )
    if form == "dual":
        return np.asarray(rows.dual_value, float), np.asarray(u.value, float)
    return np.asarray(v.value, float), np.asarray(rows.dual_value, float)


@functools.cache
def _greet_on_stderr() -> None:
    """Let HiGHS say who it is on standard error.

    Since 1.16 it does so when it is first used, whatever its options are, which would end up
    amid a table or a JSON document that a command prints.
    """
    import highspy

    try:
        stdout = os.dup(1)
    except OSError:
        return  # no standard output, so nothing to keep clean
    try:
        os.dup2(2, 1)
        highspy.Highs()  # type: ignore[no-untyped-call]
    except OSError:
        return  # no standard error either
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)


def _certify(A: Floats | sparse.csc_array, cost: Floats, v: Floats, u: Floats) -> Answer:
    loss = float(cost @ np.maximum(1.0 - A.T @ v, 0.0))
    u = np.clip(u, 0.0, cost)
    missing = np.abs(A @ u) @ np.maximum(np.abs(v), 1.0)
    return Answer(v, loss, float(u.sum() - missing))


@functools.cache
def installed_solvers() -> tuple[str, ...]:
    """Names of the solvers that cvxpy finds, ours first."""
    import cvxpy as cp

    return (EDGE_DESCENT, *sorted(cp.installed_solvers()))


def is_edge_descent(solver: object) -> bool:
    """Whether a solver is ours; case does not matter, as for those of cvxpy."""
    return isinstance(solver, str) and solver.lower() == EDGE_DESCENT


def check_solver(solver: object, options: Mapping[str, Any] | None = None) -> None:
    """Raise ValueError for a solver that is none or not installed, or options it does not have."""
    if is_edge_descent(solver):
        if options:
            raise ValueError(
                f"solver_options={options!r} must be None with solver={solver!r}, which has none"
            )
        return
    if not isinstance(solver, str):
        raise ValueError(
            f"solver={solver!r} must be the name of a solver: one of "
            f'{", ".join(installed_solvers())}; leave it out for "HIGHS"'
        )
    if solver.upper() not in installed_solvers():
        raise ValueError(
            f"solver={solver!r} is not installed: use one of {', '.join(installed_solvers())}, or "
            "install the package with which cvxpy reaches it"
        )
