"""The plug-in of the induction loop: an object that proposes a test for a node."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from oblique import _kernels
from oblique._arrays import read_only
from oblique.split import LinearSplit

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.builder import Skeleton
    from oblique.node import Node
    from oblique.split import Split
    from oblique.stopping import Limits


class SplitFinder(BaseEstimator, ABC):
    """Proposes a test for a node; everything else is the induction loop's business.

    A finder is a scikit-learn object: its constructor only stores parameters, so that it can
    be cloned, printed and tuned (``finder__restarts``). It must draw randomness from the
    generator that it is handed and never keep state between nodes.
    """

    # Whether the finder draws nothing and its tests compete with their own gains: it need not
    # be asked where no gain can be larger than that of a test at hand.
    is_plain: ClassVar[bool] = False

    @abstractmethod
    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return a test for the node, or None when it has none to offer.

        Parameters
        ----------
        node : Node
            Read-only view of the rows, weights, class codes and criterion.
        rng : numpy.random.Generator
            The only source of randomness.
        """

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError for a wrong parameter, before any work starts."""

    def propose(self, node: Node, rng: Generator) -> tuple[Split, float] | None:
        """Return a test and the gain with which it competes against other finders' tests.

        The gain is the test's own unless a finder has a reason for another one.

        Parameters
        ----------
        node : Node
        rng : numpy.random.Generator
            The only source of chance.

        Returns
        -------
        (Split, float), or None where no test is found
        """
        split = self.find_split(node, rng)
        return None if split is None else (split, node.gain(split))

    def grow_at_once(self, root: Node, limits: Limits) -> Skeleton | None:
        """Grow the whole tree at once, or return None to leave it to the loop.

        Only for a finder that draws nothing. A search that is compiled grows here the tree that
        the loop would grow: small trees are otherwise mostly the cost of Python at each node. A
        finder whose tests depend on the path above a node, which the loop does not tell it,
        grows its own tree here.

        Parameters
        ----------
        root : Node
        limits : Limits
            When to stop, in numbers of rows and weight.

        Returns
        -------
        Skeleton, or None
        """
        return None


def check_finder(name: str, finder: object) -> None:
    """Raise TypeError unless an object is a finder, and what its own parameters raise."""
    if not isinstance(finder, SplitFinder):
        raise TypeError(f"{name}={finder!r} must be a SplitFinder, such as AxisParallel()")
    finder.check_parameters()


THRESHOLDS = {
    "midpoint": _kernels.MIDPOINT,
    "data": _kernels.DATA_VALUE,
    "safe": _kernels.SAFE,
}


def best_cut(
    node: Node,
    columns: NDArray[np.float64],
    lines: NDArray[np.int32],
    features: NDArray[np.int32],
    threshold: str,
) -> tuple[int, float, float]:
    """Find the best cut of a node over sorted columns of the table.

    Returns
    -------
    (column, threshold, gain)
        The column is -1 when no cut gains.
    """
    table, store = node.table, node.store
    return _kernels.best_axis_cut(
        columns, lines, features, table.codes, store.weights, store.share, node.start, node.stop,
        node.counts, store.log_table, table.criterion_code, table.min_leaf, table.min_weight,
        THRESHOLDS[threshold], table.unsafe,
    )  # fmt: skip


def best_cut_of_scores(
    node: Node, scores: NDArray[np.float64], *, threshold: str = "midpoint"
) -> tuple[int, float, float]:
    """Find the best cut of a node over lines of scores of its rows.

    Parameters
    ----------
    node : Node
    scores : ndarray of shape (c, n_rows)
        NaN is a missing score.
    threshold : {"midpoint", "data", "safe"}, default="midpoint"

    Returns
    -------
    (line, threshold, gain)
        The line is -1 when no cut gains.
    """
    table, rows = node.table, node.rows
    share = node.store.share[rows] if node.store.share.size else node.store.share
    lines = np.empty((len(scores) + 1, rows.size), dtype=np.int32)
    lines[1:] = np.argsort(scores, axis=1, kind="stable")
    features = read_only(np.arange(len(scores), dtype=np.int32))
    return _kernels.best_axis_cut(
        scores, lines, features, read_only(table.codes[rows]), read_only(node.weights),
        read_only(share), 0,
        rows.size, node.counts, node.store.log_table, table.criterion_code, table.min_leaf,
        table.min_weight, THRESHOLDS[threshold], table.unsafe,
    )  # fmt: skip


def best_cut_along(
    node: Node, directions: NDArray[np.float64], *, threshold: str = "midpoint"
) -> LinearSplit | None:
    """Find the best cut of a node along any of some directions.

    Parameters
    ----------
    node : Node
    directions : ndarray of shape (c, d)
        One weight vector a line. Of equally good cuts the first line wins, then the smallest
        threshold.
    threshold : {"midpoint", "data", "safe"}, default="midpoint"
        Where in the gap the threshold lies, see `AxisParallel`.

    Returns
    -------
    split : LinearSplit or None
        None when no cut gains. The threshold belongs to the scores that prediction computes.
    """
    directions = np.ascontiguousarray(directions, dtype=np.float64)
    usable = np.isfinite(directions).all(axis=1) & directions.any(axis=1)
    directions = directions[usable]
    if not len(directions):
        return None
    if node.table.has_missing:
        scores = np.array([_scores(node, direction) for direction in directions])
    else:
        # A matrix product scores all directions; its last bit differs from the row sum, so
        # the winner is scored again by the row sum before its threshold is set.
        with np.errstate(over="ignore", invalid="ignore"):
            scores = directions @ node.X.T
        directions = directions[np.isfinite(scores).all(axis=1)]
        scores = scores[np.isfinite(scores).all(axis=1)]
    winner = best_cut_of_scores(node, scores, threshold=threshold)[0]
    if winner < 0:
        return None
    exact = _scores(node, directions[winner])
    found, cut, _ = best_cut_of_scores(node, exact[None], threshold=threshold)
    if found < 0:
        return None
    indices = np.flatnonzero(directions[winner]).astype(np.int32)
    return LinearSplit.sparse(indices, directions[winner, indices], cut, node.n_features)


def _scores(node: Node, direction: NDArray[np.float64]) -> NDArray[np.float64]:
    indices = np.flatnonzero(direction).astype(np.int32)
    return _kernels.row_scores(node.table.X, node.rows, indices, direction[indices])
