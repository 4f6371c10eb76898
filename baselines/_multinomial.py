"""Multinomial logistic regression as a tree: classes are eliminated one comparison at a time.

The class whose linear function is largest is found by comparing the first two, then the winner
with the third, and so on: oblique tests all, at most 2^(K - 1) leaves for K classes (Platt,
Cristianini & Shawe-Taylor 2000, Large margin DAGs for multiclass classification, eliminate
classes likewise). Comparisons that all rows of a node decide alike are left out, so that most
trees are smaller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines._linear_models import no_convergence_warnings, penalty_weights
from baselines._sample import ScaledRows, scale_rows
from oblique.builder import TreeBuilder
from oblique.finders import SplitFinder
from oblique.induction import is_leaf, is_small

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.builder import Skeleton
    from oblique.node import Node
    from oblique.split import Split
    from oblique.stopping import Limits

# Such a tree has up to twice as many leaves for each further class.
MOST_CLASSES = 5
_MAX_ITER = 100
# Chances below this would make the deviance a matter of single rows.
_LEAST_CHANCE = 1e-12


class ClassFunctions(NamedTuple):
    """One linear function for each class that is present; the largest one says the class.

    Attributes
    ----------
    planes : ndarray of shape (K, d + 1)
        Function k of scaled columns (see `ScaledRows`) is ``planes[k] @ columns``.
    scaled : ScaledRows
        The rows that they were fitted to.
    """

    planes: NDArray[np.float64]
    scaled: ScaledRows

    def deviance(
        self, X: NDArray[np.float64], codes: NDArray[np.int32], weights: NDArray[np.float64]
    ) -> float:
        """Sum minus twice the log of the chances of the right classes, over complete rows.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
        codes : ndarray of shape (n,), int32
        weights : ndarray of shape (n,)
        """
        scaled = self.scaled
        Z = (X[:, scaled.features] - scaled.centre) / scaled.spread
        functions = Z @ self.planes[:, :-1].T - self.planes[:, -1]
        is_complete = np.isfinite(functions).all(axis=1)
        functions = functions[is_complete]
        functions -= functions.max(axis=1, keepdims=True)
        chances = np.exp(functions)
        chances /= chances.sum(axis=1, keepdims=True)
        is_right = codes[is_complete][:, None] == scaled.classes
        right = np.maximum((chances * is_right).sum(axis=1), _LEAST_CHANCE)
        return float(-2.0 * (weights[is_complete] @ np.log(right)))


def multinomials(node: Node, strengths: tuple[float, ...]) -> list[ClassFunctions | None]:
    """Fit multinomial logistic regressions to the complete rows of a node.

    Parameters
    ----------
    node : Node
    strengths : tuple of float
        Inverse penalties C, ascending: each fit starts from the one before.

    Returns
    -------
    functions : list of ClassFunctions or None
        One for each strength; None where one class is left or no column varies.
    """
    from sklearn.linear_model import LogisticRegression

    scaled = scale_rows(node, "standard")
    if scaled is None:
        return [None] * len(strengths)
    model = LogisticRegression(
        solver="newton-cholesky", tol=1e-3, max_iter=_MAX_ITER, warm_start=True
    )
    rows, weights = scaled.columns[:-1].T, penalty_weights(scaled.weights)
    functions: list[ClassFunctions | None] = []
    for C in strengths:
        with no_convergence_warnings():
            model.set_params(C=C).fit(rows, scaled.codes, weights)
        planes = np.column_stack([model.coef_, -model.intercept_])
        if len(planes) == 1:
            # Of two classes the second one's function is told, beside zero.
            planes = np.vstack([np.zeros_like(planes), planes])
        functions.append(ClassFunctions(planes, scaled))
    return functions


class Elimination(SplitFinder):
    """Grows the tree that compares functions of classes, on the node they were fitted to.

    None stands for no functions, and makes a leaf.
    """

    def __init__(self, functions: ClassFunctions | None):
        self.functions = functions

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return None: which comparison comes next depends on the ones above a node."""
        return None

    def grow_at_once(self, root: Node, limits: Limits) -> Skeleton:
        """Compare class after class with the one that won so far."""
        builder = TreeBuilder(root.counts)
        if self.functions is None:
            return builder.build()
        planes, scaled = self.functions
        stack = [(0, root, scaled, 0, 1)]
        while stack:
            name, node, own, winner, rival = stack.pop()
            if rival == len(planes) or is_leaf(node, limits):
                continue
            plane = planes[rival] - planes[winner]
            wins = plane @ own.columns > 0.0
            if wins.all():
                stack.append((name, node, own, rival, rival + 1))
                continue
            split = own.split_of(node, plane, keep_threshold=True) if wins.any() else None
            parts = None if split is None else node.divide(split)
            if parts is None or is_small(parts, limits):
                stack.append((name, node, own, winner, rival + 1))
                continue
            left = builder.add_test(name, parts)
            stack.append((left + 1, parts.right, _part(own, wins), rival, rival + 1))
            stack.append((left, parts.left, _part(own, ~wins), winner, rival + 1))
        return builder.build()


def _part(scaled: ScaledRows, which: NDArray[np.bool_]) -> ScaledRows:
    """Some of the rows, in the same scaled columns."""
    return scaled._replace(
        columns=np.ascontiguousarray(scaled.columns[:, which]), codes=scaled.codes[which],
        weights=scaled.weights[which], rows=scaled.rows[which],
    )  # fmt: skip
