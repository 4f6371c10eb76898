"""Cuts along the principal axes of a node's rows, as in rotation forests.

J. J. Rodríguez, L. I. Kuncheva, C. J. Alonso (2006). Rotation forest: a new classifier
ensemble method. IEEE Transactions on Pattern Analysis and Machine Intelligence 28, 1619-1630.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from baselines._checks import check_count
from baselines._projection import best_of_directions
from baselines._sample import ScaledRows, rows_to_project
from baselines.sparse_random import check_scaling
from oblique.finders import SplitFinder

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import LinearSplit


class PrincipalAxes(SplitFinder):
    """The best cut along any principal axis of the node's rows.

    Parameters
    ----------
    n_axes : int or None, default=None
        The axes of largest variance that are tried. None: all.
    group_size : int or None, default=None
        None: axes of all columns together. Else columns are put at random into groups of this
        size and each group has its own axes; rotation forests take 3.
    scaling : {"standard", None}, default="standard"
        "standard" gives columns mean 0 and standard deviation 1 at the node, so that the axes
        are those of the correlation matrix. None: of the covariance in the data's own units.

    Notes
    -----
    Rows in which a numeric value is missing take no part.
    """

    def __init__(
        self,
        *,
        n_axes: int | None = None,
        group_size: int | None = None,
        scaling: Literal["standard"] | None = "standard",
    ):
        self.n_axes = n_axes
        self.group_size = group_size
        self.scaling = scaling

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the best cut, None where none gains."""
        self.check_parameters()
        scaled = rows_to_project(node, self.scaling)
        if scaled is None:
            return None
        return best_of_directions(node, scaled, self._axes(scaled, rng))

    def _axes(self, scaled: ScaledRows, rng: Generator) -> NDArray[np.float64]:
        """Principal axes as lines (q, d), by descending variance."""
        columns, weights = scaled.columns[:-1], scaled.weights
        deviations = columns - np.average(columns, axis=1, weights=weights)[:, None]
        covariance = (deviations * weights) @ deviations.T
        d = len(columns)
        order = np.arange(d) if self.group_size is None else rng.permutation(d)
        axes, variances = np.zeros((d, d)), np.empty(d)
        for begin in range(0, d, self.group_size or d):
            group = np.sort(order[begin : begin + (self.group_size or d)])
            values, vectors = np.linalg.eigh(covariance[np.ix_(group, group)])
            place = slice(begin, begin + group.size)
            variances[place] = values
            axes[place, group] = vectors.T
        return axes[np.argsort(-variances, kind="stable")][: self.n_axes]

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        if self.n_axes is not None:
            check_count("n_axes", self.n_axes, least=1, or_else="None")
        if self.group_size is not None:
            check_count("group_size", self.group_size, least=2, or_else="None")
        check_scaling(self.scaling)
