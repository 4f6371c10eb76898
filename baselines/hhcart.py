"""HHCART: axis-parallel cuts of rows that a Householder reflection has turned.

D. C. Wickramarachchi, B. L. Robertson, M. Reale, C. J. Price, J. Brown (2016). HHCART: an
oblique decision tree. Computational Statistics and Data Analysis 96, 12-23.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from baselines._checks import check_count
from baselines._projection import best_of_directions
from baselines._sample import ScaledRows, rows_to_project
from oblique._kernels import TIE
from oblique.finders import AxisParallel, SplitFinder

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import Split


class HHCART(SplitFinder):
    """The best cut along any axis of any of the reflected coordinate systems.

    For an eigenvector v of a class's covariance matrix the Householder matrix
    ``H = I - 2 u u' / (u' u)``, u = e1 - v, reflects v onto the first axis. Rows are turned by H,
    and the best axis-parallel cut of all turned rows, and of the rows as they are, is taken.

    Parameters
    ----------
    eigenvectors : {"all", "dominant"}, default="all"
        "all" is HHCART(A): every eigenvector of every class. "dominant" is HHCART(D): of each
        class the one of largest eigenvalue, which takes d times less time.
    scaling : {"standard", None}, default="standard"
        "standard" gives columns mean 0 and standard deviation 1 at the node, so that the tree
        does not depend on units. None: the data's own units.
    min_samples : int, default=2
        Nodes with fewer observations are divided axis-parallel.

    Notes
    -----
    Of v and -v the one whose largest component is positive is taken. A class with fewer than
    two rows has no eigenvectors. Rows in which a numeric value is missing take no part.
    """

    def __init__(
        self,
        *,
        eigenvectors: Literal["all", "dominant"] = "all",
        scaling: Literal["standard"] | None = "standard",
        min_samples: int = 2,
    ):
        self.eigenvectors = eigenvectors
        self.scaling = scaling
        self.min_samples = min_samples

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return the best cut, the axis-parallel one where no other gains more."""
        self.check_parameters()
        axis = AxisParallel().find_split(node, rng)
        if node.n_effective < self.min_samples:
            return axis
        scaled = rows_to_project(node, self.scaling, least_columns=2)
        if scaled is None:
            return axis
        directions = self._directions(scaled)
        oblique = best_of_directions(node, scaled, directions) if len(directions) else None
        if oblique is None:
            return axis
        if axis is not None and node.gain(oblique) <= node.gain(axis) + TIE:
            return axis
        return oblique

    def _directions(self, scaled: ScaledRows) -> NDArray[np.float64]:
        found = []
        for vector in self._eigenvectors(scaled):
            H = householder(vector)
            if H is not None:
                found.append(H.T)
        return np.concatenate(found) if found else np.empty((0, len(scaled.columns) - 1))

    def _eigenvectors(self, scaled: ScaledRows) -> NDArray[np.float64]:
        columns = scaled.columns[:-1]
        found = []
        for k in range(scaled.n_classes):
            own = scaled.codes == k
            if np.count_nonzero(own) < 2:
                continue
            weights = scaled.weights[own]
            deviations = (
                columns[:, own] - np.average(columns[:, own], axis=1, weights=weights)[:, None]
            )
            values, vectors = np.linalg.eigh((deviations * weights) @ deviations.T)
            # Directions without spread are no axes of the class.
            spread = values > 1e-12 * max(values[-1], 0.0)
            vectors = vectors[:, spread][:, ::-1].T
            found.append(vectors if self.eigenvectors == "all" else vectors[:1])
        return np.concatenate(found) if found else np.empty((0, len(columns)))

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        if self.eigenvectors not in ("all", "dominant"):
            raise ValueError(f'eigenvectors={self.eigenvectors!r} must be "all" or "dominant"')
        if self.scaling not in ("standard", None):
            raise ValueError(f'scaling={self.scaling!r} must be "standard" or None')
        check_count("min_samples", self.min_samples, least=2)


def householder(vector: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the reflection (d, d) that carries a unit vector onto the first axis.

    Parameters
    ----------
    vector : ndarray of shape (d,)
        Its sign is turned where its largest component is negative.

    Returns
    -------
    H : ndarray or None
        Symmetric and orthogonal, ``H @ vector`` is the first axis. None where the vector lies
        on that axis, so that nothing turns.
    """
    if vector[np.abs(vector).argmax()] < 0.0:
        vector = -vector
    u = -vector
    u[0] += 1.0
    square = float(u @ u)
    if square < 1e-14:
        return None
    return np.eye(vector.size) - (2.0 / square) * np.outer(u, u)
