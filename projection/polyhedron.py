"""Polyhedra given by halfspaces, equalities and bounds."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from projection._checks import Flags, Floats, as_floats, require_finite, require_length
from projection.exceptions import InputError
from projection.metric import row_lengths


class Constraints(NamedTuple):
    """All constraints of a polyhedron as rows, in the order in which results number them."""

    matrix: Floats  # (n_constraints, n_features)
    offsets: Floats  # (n_constraints,)
    is_equality: Flags  # (n_constraints,)


@dataclass(frozen=True, slots=True)
class Polyhedron:
    """The set ``{y : A y <= b, A_eq y = b_eq, lower <= y <= upper}``.

    Parameters
    ----------
    A : array of shape (m, n_features)
        Normals of the halfspaces.
    b : array of shape (m,)
        Offsets; ``inf`` makes a row void.
    A_eq, b_eq : arrays of shape (p, n_features) and (p,), optional
        Equalities.
    lower, upper : arrays of shape (n_features,), optional
        Bounds; -inf in `lower` and inf in `upper` are void.

    Raises
    ------
    InputError
        If shapes disagree or an entry is NaN or not finite where it must be.

    Notes
    -----
    Results number constraints in the order: rows of `A`, rows of `A_eq`, upper bounds of the
    attributes, lower bounds of the attributes (finite ones only).
    """

    A: Floats
    b: Floats
    A_eq: Floats | None = field(default=None, kw_only=True)
    b_eq: Floats | None = field(default=None, kw_only=True)
    lower: Floats | None = field(default=None, kw_only=True)
    upper: Floats | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _set_system(self, "A", "b")
        if (self.b == -np.inf).any():
            raise InputError("b must not be -inf: no point satisfies such a row")
        if (self.A_eq is None) != (self.b_eq is None):
            raise InputError("A_eq and b_eq belong together: give both or none")
        if self.A_eq is not None:
            _set_system(self, "A_eq", "b_eq")
            require_length(self.A_eq, "A_eq", self.n_features, "as many as A has columns")
            require_finite(self.b_eq, "b_eq")  # type: ignore[arg-type]
        for name in ("lower", "upper"):
            if getattr(self, name) is not None:
                bound = as_floats(getattr(self, name), name, 1)
                require_length(bound, name, self.n_features, "as many as A has columns")
                if (bound == (np.inf if name == "lower" else -np.inf)).any():
                    raise InputError(f"{name} leaves no number to an attribute, got {bound}")
                object.__setattr__(self, name, bound)

    @property
    def n_features(self) -> int:
        """Dimension of the space."""
        return self.A.shape[1]

    def constraints(self) -> Constraints:
        """Return every constraint as one row (see Notes for the order)."""
        unit = np.eye(self.n_features)
        blocks = [(self.A, self.b, False)]
        if self.A_eq is not None and self.b_eq is not None:
            blocks.append((self.A_eq, self.b_eq, True))
        if self.upper is not None:
            finite = np.isfinite(self.upper)
            blocks.append((unit[finite], self.upper[finite], False))
        if self.lower is not None:
            finite = np.isfinite(self.lower)
            blocks.append((-unit[finite], -self.lower[finite], False))
        return Constraints(
            np.vstack([matrix for matrix, _, _ in blocks]),
            np.concatenate([offsets for _, offsets, _ in blocks]),
            np.concatenate([np.full(len(offsets), equal) for _, offsets, equal in blocks]),
        )

    def loosened(self, slack: float, scale: Floats) -> "Polyhedron":
        """Move every halfspace and bound outwards by `slack`, in units of `scale`.

        Equalities stay as they are.

        Parameters
        ----------
        slack : float
        scale : ndarray of shape (d,)
        """
        return Polyhedron(
            self.A,
            self.b + slack * row_lengths(self.A * scale),
            A_eq=self.A_eq,
            b_eq=self.b_eq,
            lower=None if self.lower is None else self.lower - slack * scale,
            upper=None if self.upper is None else self.upper + slack * scale,
        )

    def violation(self, point: Any) -> float:
        """Largest Euclidean distance of `point` from a halfspace or hyperplane; 0 inside.

        Parameters
        ----------
        point : array-like of shape (d,)
        """
        matrix, offsets, is_equality = self.constraints()
        excess = matrix @ as_floats(point, "point", 1) - offsets
        excess = np.where(is_equality, np.abs(excess), excess)
        norms = row_lengths(matrix)
        # a row of zeros restricts nothing or everything: its excess has no unit of length
        distance = np.where(norms > 0, excess / np.where(norms > 0, norms, 1.0), excess)
        return float(max(0.0, distance.max(initial=0.0)))

    def contains(self, point: Any, *, tol: float = 1e-9) -> bool:
        """Whether `point` lies in the polyhedron up to the Euclidean distance `tol`.

        Parameters
        ----------
        point : array-like of shape (d,)
        tol : float, default=1e-9
        """
        return self.violation(point) <= tol


def _set_system(polyhedron: Polyhedron, matrix_name: str, offsets_name: str) -> None:
    """Validate and store one pair of matrix and right-hand side."""
    matrix = as_floats(getattr(polyhedron, matrix_name), matrix_name, 2)
    offsets = as_floats(getattr(polyhedron, offsets_name), offsets_name, 1)
    require_finite(matrix, matrix_name)
    if len(matrix) != len(offsets):
        raise InputError(
            f"{matrix_name} has {len(matrix)} rows but {offsets_name} has {len(offsets)} values"
        )
    object.__setattr__(polyhedron, matrix_name, matrix)
    object.__setattr__(polyhedron, offsets_name, offsets)
