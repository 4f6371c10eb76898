"""The nested sequence of smaller trees, from which cost-complexity and safe pruning choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from oblique._suggest import unknown_name
from oblique.pruning import _kernels
from oblique.pruning.base import node_errors

if TYPE_CHECKING:
    from oblique.tree import Tree

# Costs closer than this share of the training weight are a tie.
TIE = 1e-12

KINDS = ("cost_complexity", "safe")
RISKS = ("errors", "impurity")


@dataclass(frozen=True, eq=False)
class PruningPath:
    """A sequence of trees, each made of the one before it by turning nodes into leaves.

    Step 0 is the tree itself. Trees are built when asked for; sums over the leaves of all
    trees take one pass over the nodes.

    Attributes
    ----------
    tree : Tree
    kind : {"cost_complexity", "safe"}
    alphas : ndarray of shape (n_steps,)
        What the step's cuts cost: 0 for step 0. In a cost-complexity path they ascend, and
        tree s is the smallest with the least ``risk + alpha * n_leaves`` for alphas of
        ``alphas[s] <= alpha < alphas[s + 1]``.
    risks : ndarray of shape (n_steps,)
        The measure of which the alphas are rises, on the training rows: share of the weight
        misclassified, mean impurity, or, in a safe path, share of the unsafe class
        misclassified.
    errors : ndarray of shape (n_steps,)
        Share of the training weight misclassified.
    n_leaves : ndarray of shape (n_steps,), int64
    cut : ndarray of shape (n_nodes,), int64
        Step from which each node is a leaf, ``n_steps`` for never.
    gone : ndarray of shape (n_nodes,), int64
        Step from which each node no longer exists, ``n_steps`` for never.
    """

    tree: Tree
    kind: str
    alphas: NDArray[np.float64]
    risks: NDArray[np.float64]
    errors: NDArray[np.float64]
    n_leaves: NDArray[np.int64]
    cut: NDArray[np.int64]
    gone: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.alphas)

    def leaves_at(self, step: int) -> NDArray[np.intp]:
        """Nodes of the whole tree that are the leaves of the step's tree.

        Parameters
        ----------
        step : int
        """
        step = self._step(step)
        return np.flatnonzero((self.cut <= step) & (step < self.gone))

    def tree_at(self, step: int) -> Tree:
        """Tree of a step; negative steps count from the end, as in a list.

        Parameters
        ----------
        step : int
        """
        step = self._step(step)
        return self.tree if step == 0 else self.tree.collapse(self.leaves_at(step))

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum a value of the nodes over the leaves of each step's tree, (n_steps,).

        Parameters
        ----------
        values : ndarray of shape (n_nodes,)
        """
        return _total(values, self.cut, self.gone, len(self))

    def _step(self, step: int) -> int:
        if not -len(self) <= step < len(self):
            raise IndexError(f"step={step} is not in the path: it has steps 0 ... {len(self) - 1}")
        return step % len(self)


def pruning_path(
    tree: Tree,
    kind: Literal["cost_complexity", "safe"] = "cost_complexity",
    *,
    risk: Literal["errors", "impurity"] = "errors",
    unsafe: int = -1,
    keep_root: bool = True,
) -> PruningPath:
    """Make the sequence of trees from which a pruner chooses.

    Cost-complexity (Breiman et al. 1984, section 3.3): the link of an inner node is
    ``alpha(t) = (R(t) - R(T_t)) / (leaves(T_t) - 1)``, the rise of the risk for each leaf
    saved; at each step all weakest links are cut together, links within 1e-12 of each other
    being equal.

    Safe (Vadera 2005): ``alpha(t) = R_u(t) - R_u(T_t)``, the rise of the error rate on the
    unsafe class, not divided and possibly negative; one node is cut a step. Of equal nodes
    the one with the least rise of all errors is cut, then the deepest, then the leftmost.

    Parameters
    ----------
    tree : Tree
        Its class counts are those of the training rows.
    kind : {"cost_complexity", "safe"}, default="cost_complexity"
    risk : {"errors", "impurity"}, default="errors"
        R of a cost-complexity path. "impurity", the tree's own criterion, gives the alphas of
        scikit-learn's ``cost_complexity_pruning_path``.
    unsafe : int, default=-1
        Code of the unsafe class, needed for a safe path.
    keep_root : bool, default=True
        Whether the sequence ends before the root becomes a leaf.

    Returns
    -------
    path : PruningPath

    Raises
    ------
    ValueError
        For an unknown kind or risk, or a safe path without an unsafe class.
    """
    if kind not in KINDS:
        raise ValueError(unknown_name("kind", kind, KINDS))
    if risk not in RISKS:
        raise ValueError(unknown_name("risk", risk, RISKS))
    weight = float(tree.counts[0].sum()) or 1.0
    wrong = node_errors(tree.counts, tree.labels)
    shape = (tree.children_left, tree.children_right, tree.parents)
    if kind == "safe":
        cost, scale = unsafe_errors(tree.counts, tree.labels, unsafe), float(tree.counts[0, unsafe])
        scale = scale or 1.0
        ties = np.array([TIE * scale, TIE * weight])
        costs = np.stack([cost, wrong])
        cut, alphas = _kernels.safest_links(*shape, tree.depths, costs, bool(keep_root), ties)
    else:
        cost, scale = wrong, weight
        if risk == "impurity":
            cost = tree.impurity * tree.counts.sum(axis=1)
        cut, alphas = _kernels.weakest_links(*shape, cost, bool(keep_root), TIE * weight)
    n_steps = len(alphas)
    cut = np.minimum(cut, n_steps)
    gone = _kernels.steps_gone(tree.parents, cut, n_steps)
    return PruningPath(
        tree=tree,
        kind=kind,
        alphas=alphas / scale,
        risks=_total(cost, cut, gone, n_steps) / scale,
        errors=_total(wrong, cut, gone, n_steps) / weight,
        n_leaves=_total(np.ones(tree.n_nodes), cut, gone, n_steps).astype(np.int64),
        cut=cut,
        gone=gone,
    )


def unsafe_errors(
    counts: NDArray[np.float64], labels: NDArray[np.int32], unsafe: int
) -> NDArray[np.float64]:
    """Weight of the unsafe class that each node, as a leaf, gets wrong, (n_nodes,)."""
    n_classes = counts.shape[1]
    if not 0 <= unsafe < n_classes:
        raise ValueError(
            f"unsafe={unsafe} must be a class code 0 ... {n_classes - 1}: safe pruning has to know "
            "which class is the unsafe one"
        )
    return np.where(labels == unsafe, 0.0, counts[:, unsafe])


def _total(
    values: NDArray[np.float64], cut: NDArray[np.int64], gone: NDArray[np.int64], n_steps: int
) -> NDArray[np.float64]:
    # A node is a leaf from step cut until step gone: add at the one, take away at the other.
    comes = np.bincount(cut, weights=values, minlength=n_steps + 1)
    goes = np.bincount(np.maximum(gone, cut), weights=values, minlength=n_steps + 1)
    return np.cumsum(comes - goes)[:n_steps]
