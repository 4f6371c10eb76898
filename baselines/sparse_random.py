"""Sparse random projections, as in SPORF, YDF's sparse oblique trees and Forest-RC.

T. M. Tomita et al. (2020). Sparse projection oblique randomer forests. Journal of Machine
Learning Research 21(104), 1-39.

L. Breiman (2001). Random forests. Machine Learning 45, 5-32, section 5 (Forest-RC).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from baselines._checks import check_choice, check_count, check_positive
from baselines._projection import best_of_directions
from baselines._sample import rows_to_project
from oblique.finders import SplitFinder

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import LinearSplit


class SparseRandom(SplitFinder):
    """The best cut along any of some random combinations of few features.

    Parameters
    ----------
    n_projections : int or None, default=None
        Directions drawn at a node. None: ``ceil(d ** exponent)``, at most 6000, for d numeric
        columns, as in YDF.
    exponent : float, default=1.0
        YDF's default is 2.
    density : float, default=2.0
        Expected number of weights of a direction; each of the d weights is not zero with
        probability ``density / d``, and at least one is.
    distribution : {"sign", "uniform"}, default="sign"
        Weights are -1 or 1 (SPORF, YDF), or uniform in [-1, 1] (Forest-RC).
    scaling : {"standard", None}, default="standard"
        "standard" divides columns by their standard deviation at the node, so that a sum of
        columns means something. None: the data's own units.

    Notes
    -----
    Rows in which a numeric value is missing take no part.
    """

    def __init__(
        self,
        *,
        n_projections: int | None = None,
        exponent: float = 1.0,
        density: float = 2.0,
        distribution: Literal["sign", "uniform"] = "sign",
        scaling: Literal["standard"] | None = "standard",
    ):
        self.n_projections = n_projections
        self.exponent = exponent
        self.density = density
        self.distribution = distribution
        self.scaling = scaling

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the best cut, None where none gains."""
        self.check_parameters()
        scaled = rows_to_project(node, self.scaling)
        if scaled is None:
            return None
        return best_of_directions(node, scaled, self._draw(scaled.features.size, rng))

    def _draw(self, d: int, rng: Generator) -> NDArray[np.float64]:
        """Random directions of d columns, (q, d)."""
        q = self.n_projections
        if q is None:
            q = min(6000, int(np.ceil(d**self.exponent)))
        chosen = rng.random((q, d)) < self.density / d
        if self.distribution == "sign":
            values = rng.integers(0, 2, size=(q, d)) * 2.0 - 1.0
        else:
            values = rng.uniform(-1.0, 1.0, size=(q, d))
        empty = np.flatnonzero(~chosen.any(axis=1))
        chosen[empty, rng.integers(0, d, size=empty.size)] = True
        return np.where(chosen, values, 0.0)

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        if self.n_projections is not None:
            check_count("n_projections", self.n_projections, least=1, or_else="None")
        check_positive("exponent", self.exponent)
        check_positive("density", self.density)
        if self.distribution not in ("sign", "uniform"):
            raise ValueError(f'distribution={self.distribution!r} must be "sign" or "uniform"')
        check_scaling(self.scaling)


def check_scaling(scaling: Any) -> None:
    """Raise ValueError unless this is a scaling that these finders know."""
    if scaling is not None:
        check_choice("scaling", scaling, ["standard"], or_else="None")
