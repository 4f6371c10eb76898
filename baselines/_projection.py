"""The best cut of a node along any of many directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from baselines._linear_models import data_directions
from baselines._perturbation import best_projection
from baselines._sample import ScaledRows, pose_rows
from oblique.finders import best_cut_along

if TYPE_CHECKING:
    from oblique.node import Node
    from oblique.split import LinearSplit


def best_of_directions(
    node: Node, scaled: ScaledRows, directions: NDArray[np.float64]
) -> LinearSplit | None:
    """Return the cut of largest gain along any of some directions.

    Parameters
    ----------
    node : Node
    scaled : ScaledRows
    directions : ndarray of shape (q, d)
        Weights of the scaled columns. Of equally good directions the first one wins.

    Returns
    -------
    split : LinearSplit or None
        None where no cut gains.
    """
    lines, columns = np.nonzero(directions)
    indptr = np.searchsorted(lines, np.arange(len(directions) + 1))
    values = directions[lines, columns]
    winner, threshold, _ = best_projection(pose_rows(node, scaled), indptr, columns, values)
    if winner < 0:
        return None
    plane = np.append(directions[winner], threshold)
    split = scaled.split_of(node, plane)
    if split is not None and node.gain(split) > 0.0:
        return split
    # With weights, limits on the size of a side are not seen by the quick search.
    return best_cut_along(node, data_directions(node, scaled, directions))
