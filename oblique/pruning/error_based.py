"""Error-based pruning, which needs no rows beyond those the tree was grown on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from oblique import _kernels
from oblique._suggest import unknown_name
from oblique.criteria import criterion_code
from oblique.pruning import _raising
from oblique.pruning._kernels import cheaper_leaves
from oblique.pruning.base import (
    Pruner,
    check_codes,
    check_rows,
    check_weights,
    is_number,
    node_errors,
)

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.tree import Tree

BOUNDS: Final[dict[str, int]] = {
    "c45": _raising.C45_BOUND,
    "j48": _raising.J48_BOUND,
    "exact": _raising.EXACT_BOUND,
}

# C4.5's table of one-sided normal deviates; values between are interpolated.
C45_LEVELS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
C45_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)

# A smaller tree may be estimated this many errors worse.
SLACK = 0.1


class ErrorBased(Pruner):
    """Replace subtrees where the estimated errors on new cases do not rise (C4.5).

    A leaf that holds n cases and errs on e of them is expected to err on ``n U(e, n)`` new
    ones, U being the upper confidence limit of its error rate. Bottom up, a node becomes a
    leaf, or is replaced by its larger child, where the sum over leaves does not rise by more
    than 0.1 (Quinlan 1993, chapter 4).

    Parameters
    ----------
    confidence : float, default=0.25
        Probability that the true rate is above the limit; less prunes more. In (0, 1] for
        ``bound="c45"``, else in (0, 0.5].
    raising : bool, default=True
        Whether a node may be replaced by its larger child ("subtree raising"; of equal ones
        by the right one), whose subtree then takes all of the node's rows and is pruned
        again. It needs the training rows. Tests that send all of these rows to one side are
        dropped.
    bound : {"c45", "j48", "exact"}, default="c45"
        Limit of the error rate: C4.5's normal approximation with its coarse table, the same
        with the exact normal deviate (Weka's J48), or that of Clopper & Pearson (1934).

    Attributes
    ----------
    holdout : float
        0: nothing is held out, an estimator hands in the rows it grew on.

    Notes
    -----
    Weights count cases: twice the weights are twice the evidence, and prune less. The root may
    become a leaf.
    """

    holdout: float = 0.0

    def __init__(
        self,
        confidence: float = 0.25,
        raising: bool = True,
        bound: Literal["c45", "j48", "exact"] = "c45",
    ):
        self.confidence = confidence
        self.raising = raising
        self.bound = bound

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        limit_arguments(self.confidence, self.bound)

    def prune(
        self,
        tree: Tree,
        X: ArrayLike | None = None,
        codes: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        unsafe: int = -1,
        rng: Generator | None = None,
    ) -> Tree:
        """Return the pruned tree.

        Parameters
        ----------
        tree : Tree
        X, codes, sample_weight
            The rows the tree was grown on; not used, and may be None, with ``raising=False``.
        unsafe, rng
            Not used.

        Raises
        ------
        ValueError
            With ``raising=True``, where there are no rows or their class weights are not the
            tree's.
        """
        limit = limit_arguments(self.confidence, self.bound)
        if tree.n_nodes == 1:
            return tree
        if not self.raising:
            estimate = estimated_errors(tree, confidence=self.confidence, bound=self.bound)
            cut = cheaper_leaves(tree.children_left, tree.children_right, estimate, SLACK, False)
            return tree.collapse(np.flatnonzero(cut)) if cut.any() else tree
        if X is None or codes is None:
            raise ValueError(
                "X and codes must be the rows the tree was grown on, got None: subtree raising "
                "moves them to other nodes; hand them in, or set raising=False"
            )
        rows = check_rows(X, tree.n_features)
        labels = check_codes(codes, len(rows), tree.n_classes)
        weights = check_weights(sample_weight, len(rows))
        found = np.bincount(labels, weights=weights, minlength=tree.n_classes)
        if not np.allclose(found, tree.counts[0], rtol=1e-6, atol=0.0):
            raise ValueError(
                "X and codes must be the rows the tree was grown on: their class weights are "
                f"{found.tolist()}, the tree's are {tree.counts[0].tolist()}; hand these rows in, "
                "or set raising=False"
            )
        keep = weights > 0.0
        return _raise_subtrees(tree, rows[keep], labels[keep], weights[keep], limit)


def extra_errors(
    n: ArrayLike,
    errors: ArrayLike,
    *,
    confidence: float = 0.25,
    bound: Literal["c45", "j48", "exact"] = "c45",
) -> NDArray[np.float64]:
    """Errors that leaves are expected to make on new cases, beyond those made in training.

    Parameters
    ----------
    n : array-like
        Cases in each leaf.
    errors : array-like
        How many of them it gets wrong.
    confidence, bound
        As in `ErrorBased`.

    Returns
    -------
    extra : ndarray
        ``n U - errors``, U being the upper limit of the error rate.

    Examples
    --------
    Quinlan (1993, section 4.2) prunes three leaves to one:

    >>> extra_errors([6, 9, 1], 0).sum().round(3)
    np.float64(3.273)
    >>> round(float(1 + extra_errors(16, 1)), 3)
    2.507
    """
    limit = limit_arguments(confidence, bound)
    cases, wrong = np.broadcast_arrays(np.asarray(n, float), np.asarray(errors, float))
    if not ((wrong >= 0.0) & (cases >= wrong) & np.isfinite(cases)).all():
        raise ValueError("n and errors must be finite with 0 <= errors <= n")
    extra = _raising.extra_errors_each(cases.ravel(), wrong.ravel(), *limit)
    return np.asarray(extra).reshape(cases.shape)


def estimated_errors(
    tree: Tree,
    *,
    confidence: float = 0.25,
    bound: Literal["c45", "j48", "exact"] = "c45",
) -> NDArray[np.float64]:
    """Errors that each node, as a leaf, is expected to make on as many new cases, (n_nodes,).

    Their sum over ``tree.leaves`` is the estimate of the tree.

    Parameters
    ----------
    tree : Tree
    confidence : float, default=0.25
        Probability that the true error rate is above its estimate.
    bound : {"c45", "j48", "exact"}, default="c45"
        Limit of the error rate, as in `ErrorBased`.

    References
    ----------
    J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann, section 4.2.
    """
    wrong = node_errors(tree.counts, tree.labels)
    # Summed fractions can leave more errors than cases by a rounding.
    n = np.maximum(tree.counts.sum(axis=1), wrong)
    return wrong + extra_errors(n, wrong, confidence=confidence, bound=bound)


def limit_arguments(confidence: float, bound: str) -> tuple[float, float, int]:
    """Check the parameters; return them as the kernels want them: level, deviate, code."""
    if bound not in BOUNDS:
        raise ValueError(unknown_name("bound", bound, BOUNDS))
    most = 1.0 if bound == "c45" else 0.5
    if not is_number(confidence) or not 0.0 < confidence <= most:
        raise ValueError(
            f"confidence={confidence!r} must be a number in (0, {most:g}] with bound={bound!r}; it "
            "is a share, so that CF = 25 % is 0.25"
        )
    level = float(confidence)
    if bound == "c45":
        return level, float(np.interp(level, C45_LEVELS, C45_DEVIATIONS)), BOUNDS[bound]
    return level, float(ndtri(1.0 - level)), BOUNDS[bound]


def _raise_subtrees(
    tree: Tree,
    rows: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    limit: tuple[float, float, int],
) -> Tree:
    rewired = _raise_axis_subtrees(tree, rows, codes, weights, limit)
    if rewired is not None:
        return rewired
    left, right = tree.children_left.copy(), tree.children_right.copy()
    counts, missing_left = tree.counts.copy(), tree.missing_left.copy()
    tests: tuple[NDArray[Any], ...] = (
        tree.weight_indptr, tree.weight_indices, tree.weight_values, tree.threshold,
        tree.category_indptr, tree.category_codes, tree.category_left, tree.category_open,
    )  # fmt: skip
    root, _ = _raising.raise_subtrees(
        rows, codes, weights, *limit, SLACK, counts, left, right, *tests, missing_left
    )
    return _rewire(tree, int(root), left, right, counts, missing_left)


def _raise_axis_subtrees(
    tree: Tree,
    rows: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    limit: tuple[float, float, int],
) -> Tree | None:
    """Prune by the quick loops, or return None for trees and rows that they do not take."""
    axis = tree.routing.axis_arrays
    if axis is None:
        return None
    left, right, counts = tree.children_left.copy(), tree.children_right.copy(), tree.counts.copy()
    root, _ = _raising.raise_axis_subtrees(
        rows, codes, weights, *limit, SLACK, counts, left, right, axis[0], tree.threshold
    )
    if root < 0:
        return None
    inner = np.flatnonzero(left >= 0)
    missing_left = np.full(tree.n_nodes, 0.5)
    missing_left[inner] = counts[left[inner]].sum(axis=1) / counts[inner].sum(axis=1)
    return _rewire(tree, int(root), left, right, counts, missing_left)


def _rewire(
    tree: Tree,
    root: int,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    counts: NDArray[np.float64],
    missing_left: NDArray[np.float64],
) -> Tree:
    """Return the tree below a root after nodes got other children and class weights."""
    impurity, labels = _kernels.describe_nodes(
        criterion_code(tree.criterion), counts, tree.tie_class
    )
    rewired = tree.replace(
        children_left=left, children_right=right, counts=counts, impurity=impurity,
        labels=labels, missing_left=missing_left, error_costs=None,
    )  # fmt: skip
    return rewired.subtree(root)
