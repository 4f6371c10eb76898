"""RLP: planes by robust linear programming, as tests of a tree.

K. P. Bennett, O. L. Mangasarian (1992). Robust linear programming discrimination of two linearly
inseparable sets. Optimization Methods and Software 1, 23-34. More than two classes: the same
authors (1994), Multicategory discrimination via linear programming, Optimization Methods and
Software 3, 27-39. In a tree: K. P. Bennett (1992), Decision tree construction via linear
programming; S. Vadera (2005), Inducing safer oblique trees without costs, Expert Systems 22(4),
206-221.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, check_consistent_length

from baselines._checks import check_positive
from baselines._linear_models import data_directions
from baselines._linear_program import Answer, Form, LinearProgramError, check_solver, solve
from baselines._opposed import oppose
from baselines._sample import ScaledRows, scale_rows
from oblique._kernels import TIE
from oblique.finders import SplitFinder, best_cut_along
from oblique.node import Node

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.split import LinearSplit

__all__ = ["LinearProgramError", "RobustLP", "RobustPlane", "robust_plane"]

SCALES: Final[dict[str | None, str]] = {
    "standard": "standard",
    "range": "range",
    None: "centred",
}
# The loss of no plane at all; one that is smaller by less than this, or whose weights in scaled
# columns are this small, is none either.
NO_PLANE = 2.0
LEAST_FALL = 1e-8
LEAST_WEIGHT = 1e-9


class RobustPlane(NamedTuple):
    """The plane ``weights . x = threshold`` and the optimum of its program.

    Attributes
    ----------
    weights : ndarray of shape (d,)
        All zero where no plane is better than none.
    threshold : float
    loss : float
        Mean margin error of both sides, added: 0 if a plane separates them, 2 at most.
    bound : float
        Lower bound of every plane's loss by the dual program.
    """

    weights: NDArray[np.float64]
    threshold: float
    loss: float
    bound: float


def robust_plane(
    X: ArrayLike,
    is_above: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    solver: str = "HIGHS",
    form: Form = "dual",
    scale: Literal["standard", "range"] | None = "standard",
    tolerance: float = 1e-6,
    solver_options: Mapping[str, Any] | None = None,
) -> RobustPlane:
    """Find the robust linear programming discriminant of two sets of rows.

    It minimises the mean of ``max(0, 1 - w . x + t)`` over the rows above plus the mean of
    ``max(0, 1 + w . x - t)`` over the others (Bennett & Mangasarian 1992). In contrast to
    unweighted sums, w = 0 solves this only where the means of both sets are equal.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Finite numbers.
    is_above : array-like of shape (n,) of bool
        Which rows are wanted at ``w . x > t``; neither none nor all.
    sample_weight : array-like of shape (n,) or None
        Positive.
    solver, form, scale, tolerance, solver_options
        As in `RobustLP`.

    Returns
    -------
    plane : RobustPlane

    Raises
    ------
    ValueError
        For input out of its range or a solver that is not installed.
    LinearProgramError
        If the solver fails.

    Examples
    --------
    >>> plane = robust_plane([[1.0], [2.0], [3.0], [0.0], [-1.0], [2.5]], [1, 1, 1, 0, 0, 0])
    >>> round(plane.loss, 6), round(float(plane.weights[0]), 6), round(plane.threshold, 6)
    (1.166667, 1.0, 1.0)
    """
    finder = RobustLP(
        solver, form=form, scale=scale, tolerance=tolerance, solver_options=solver_options
    )
    finder.check_parameters()
    data = check_array(X, dtype=np.float64, order="C", input_name="X")
    above = np.asarray(is_above)
    if above.ndim != 1 or not np.isin(above, (0, 1)).all() or above.all() or not above.any():
        raise ValueError(
            "is_above must hold True for some rows and False for others, got values "
            f"{np.unique(above).tolist()[:5]} in shape {above.shape}"
        )
    weights = np.ones(len(data)) if sample_weight is None else np.asarray(sample_weight, float)
    check_consistent_length(data, above, weights)
    if weights.ndim != 1 or not (np.isfinite(weights).all() and (weights > 0.0).all()):
        raise ValueError("sample_weight must hold one finite number > 0 for each row")
    node = Node.from_data(data, above.astype(np.int32), sample_weight=weights)
    dense = np.zeros(data.shape[1])
    rows = scale_rows(node, SCALES[scale])
    if rows is None:
        return RobustPlane(dense, 0.0, NO_PLANE, NO_PLANE)
    answer = finder.discriminate(rows, 0)
    threshold = 0.0
    if _is_plane(answer):
        dense[rows.features] = answer.v[:-1] / rows.spread
        threshold = float(answer.v[-1] + dense[rows.features] @ rows.centre)
    return RobustPlane(dense, threshold, answer.loss, answer.bound)


class RobustLP(SplitFinder):
    """The plane of robust linear programming on a node's numeric columns.

    It minimises the mean margin errors of two sets of rows, which a linear program does
    exactly (Bennett & Mangasarian 1992). Rows on the plane go left, to the unsafe class if
    there is one. Where no plane is better than none, because the means of the classes are
    equal, nothing is offered; combine with `oblique.finders.AxisParallel` by
    `oblique.finders.BestOf` to divide such nodes.

    Parameters
    ----------
    solver : str, default="HIGHS"
        Name of any linear programming solver that cvxpy finds ("HIGHS", "CLARABEL", "SCIPY",
        "SCS" ...), or "edge_descent", an exact solver of our own that needs no cvxpy and is
        many times faster; case does not matter. Optimal planes are not unique in general:
        solvers may differ.
    form : {"dual", "primal"}, default="dual"
        Which program cvxpy gets. The dual has d + 1 rows and is solved several times faster;
        the plane is the same optimum. "edge_descent" has no need of it.
    threshold : {"lp", "impurity"}, default="lp"
        The threshold of the program, or the cut along its weights of largest gain.
    scale : {"standard", "range"} or None, default="standard"
        Columns are centred and divided by their standard deviation or range before the
        program, which matters to rounding only. None: centred.
    multiclass : {"ovr", "multicategory"}, default="ovr"
        With more than two classes at a node: a program for each class against the rest, or one
        program of all classes (Bennett & Mangasarian 1994), whose planes between two classes
        and between one class and the mean of the others compete. The plane of largest gain is
        taken.
    tolerance : float, default=1e-6
        Largest gap between a plane's loss and the dual program's bound, as a part of the
        largest loss, with which a solver's answer is accepted.
    solver_options : dict or None, default=None
        Options of cvxpy's solver by name, such as ``{"eps": 1e-9}``. HiGHS runs one thread
        unless told otherwise. "edge_descent" has no options.

    Raises
    ------
    ValueError
        For a solver that is not installed, or options for one that has none.
    LinearProgramError
        While a tree grows, if the solver fails, ends with a status other than optimal or leaves
        a larger gap than ``tolerance``. No other plane is taken in its place.

    Notes
    -----
    Weights of rows count within their class: each class has the same total. Rows in which a
    numeric value is missing take no part in the program. Columns of categories are left to
    `oblique.finders.Categories`.
    """

    def __init__(
        self,
        solver: str = "HIGHS",
        *,
        form: Form = "dual",
        threshold: Literal["lp", "impurity"] = "lp",
        scale: Literal["standard", "range"] | None = "standard",
        multiclass: Literal["ovr", "multicategory"] = "ovr",
        tolerance: float = 1e-6,
        solver_options: Mapping[str, Any] | None = None,
    ):
        self.solver = solver
        self.form = form
        self.threshold = threshold
        self.scale = scale
        self.multiclass = multiclass
        self.tolerance = tolerance
        self.solver_options = solver_options

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the plane, None where no plane is better than none."""
        best = self.propose(node, rng)
        return None if best is None else best[0]

    def propose(self, node: Node, rng: Generator) -> tuple[LinearSplit, float] | None:
        """Return the plane and its gain."""
        self.check_parameters()
        rows = scale_rows(node, SCALES[self.scale])
        if rows is None:
            return None
        planes = list(self._planes(node, rows))
        if self.threshold == "impurity":
            directions = np.array([plane[:-1] for plane in planes]).reshape(-1, rows.features.size)
            split = best_cut_along(node, data_directions(node, rows, directions))
            return None if split is None else (split, node.gain(split))
        best: tuple[LinearSplit, float] | None = None
        for plane in planes:
            offer = rows.proposal_of(node, plane, keep_threshold=True)
            if len(planes) == 1:
                return offer
            if offer is not None and offer[1] > (0.0 if best is None else best[1]) + TIE:
                best = offer
        return best

    def discriminate(self, rows: ScaledRows, below: int) -> Answer:
        """Solve the program of one class, wanted below the plane, and all others.

        Parameters
        ----------
        rows : ScaledRows
        below : int
            Code of the class among those that are present.
        """
        A, cost = np.empty(rows.columns.shape), np.empty(rows.weights.size)
        if not oppose(rows.columns, rows.codes, rows.weights, below, A, cost):
            # numpy sums fractions pairwise, with less rounding than the row by row sum.
            is_below = rows.codes == below
            totals = rows.weights[is_below].sum(), rows.weights[~is_below].sum()
            cost = rows.weights / np.where(is_below, *totals)
        return self._solve(A, cost)

    def _planes(self, node: Node, rows: ScaledRows) -> Iterator[NDArray[np.float64]]:
        """Planes (d + 1,) of scaled columns that compete at a node."""
        n_classes = rows.n_classes
        if n_classes > 2 and self.multiclass == "multicategory":
            answer = self._solve(*_all_classes(rows))
            yield from _between_classes(answer.v.reshape(n_classes, -1))
            return
        below = range(n_classes)
        if n_classes == 2:
            # One plane divides both; the unsafe class is the side that rows on it belong to.
            below = range(1, 2) if rows.classes[1] == node.unsafe else range(1)
        for k in below:
            answer = self.discriminate(rows, k)
            if _is_plane(answer):
                yield answer.v

    def _solve(
        self, A: NDArray[np.float64] | sparse.csc_array, cost: NDArray[np.float64]
    ) -> Answer:
        return solve(
            A, cost, solver=self.solver, form=self.form, tolerance=self.tolerance,
            options=self.solver_options,
        )  # fmt: skip

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range or a solver that is missing."""
        if self.form not in ("dual", "primal"):
            raise ValueError(f'form={self.form!r} must be "dual" or "primal"')
        if self.threshold not in ("lp", "impurity"):
            raise ValueError(f'threshold={self.threshold!r} must be "lp" or "impurity"')
        if self.scale not in SCALES:
            raise ValueError(f'scale={self.scale!r} must be "standard", "range" or None')
        if self.multiclass not in ("ovr", "multicategory"):
            raise ValueError(f'multiclass={self.multiclass!r} must be "ovr" or "multicategory"')
        check_positive("tolerance", self.tolerance)
        if self.solver_options is not None and not isinstance(self.solver_options, Mapping):
            raise ValueError(f"solver_options={self.solver_options!r} must be a dict or None")
        check_solver(self.solver, self.solver_options)


def _is_plane(answer: Answer) -> bool:
    """Whether an answer for two sets is better than no plane."""
    is_better = answer.loss < NO_PLANE - LEAST_FALL
    return is_better and max(map(abs, answer.v[:-1].tolist())) > LEAST_WEIGHT


def _all_classes(rows: ScaledRows) -> tuple[sparse.csc_array, NDArray[np.float64]]:
    """Pose the program of all classes.

    Class k has a function ``w_k . x - t_k``. A row of class i asks, for every other class j, that
    its function of i exceeds that of j by one.
    """
    p, n = rows.columns.shape
    n_classes = rows.n_classes
    others = np.array([[j for j in range(n_classes) if j != i] for i in range(n_classes)])
    asking = np.repeat(np.arange(n), n_classes - 1)
    own, rival = rows.codes[asking], others[rows.codes].ravel()
    values = rows.columns[:, asking].T
    # Column by column: the row in the place of its own class, and negative in its rival's.
    entries = np.concatenate([values, -values], axis=1)
    places = np.concatenate([own[:, None] * p + np.arange(p), rival[:, None] * p + np.arange(p)], 1)
    starts = np.arange(0, entries.size + 1, 2 * p)
    A = sparse.csc_array(
        (entries.ravel(), places.ravel(), starts), shape=(n_classes * p, asking.size)
    )
    return A, rows.weights[asking] / rows.class_weights[own]


def _between_classes(functions: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Planes between two classes, then between one class and the mean of the others."""
    first, second = np.triu_indices(len(functions), 1)
    planes = np.vstack([functions[second] - functions[first], functions.mean(axis=0) - functions])
    for plane in planes:
        if np.abs(plane[:-1]).max() > LEAST_WEIGHT:
            yield plane
