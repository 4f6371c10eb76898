"""Pruning by the expected cost of errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique.answers import cheapest_answers
from oblique.pruning._kernels import cheaper_leaves
from oblique.pruning.base import Pruner, PruningRows, is_number
from oblique.pruning.path import TIE

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.costs import CostModel
    from oblique.tree import Tree


class ExpectedCost(Pruner):
    """Make leaves, bottom up, wherever the expected cost of errors does not rise.

    Every node gets the class whose answer is expected to cost least. With ``holdout=0`` the
    expectation comes from the training rows, small nodes corrected: class j, of weight n_j at
    a node of weight n, has the probability ``(n_j + m p_j) / (n + m)``. This is minimum-error
    pruning (Cestnik & Bratko 1991) with costs in place of errors; with held-out rows it is
    reduced-error pruning with costs (both after Knoll, Nakhaeizadeh & Tausend 1994).

    Parameters
    ----------
    costs : CostModel or None, default=None
        What errors cost; its tests play no part. None: 1 each.
    m : float or None, default=None
        Strength of the correction, at least 0, with p_j the share of class j at the root; 0 for
        none. None: Laplace's, ``(n_j + 1) / (n + n_classes)``.
    holdout : float, default=0.0
        Share of the training rows that an estimator holds out, stratified. Above 0 the costs on
        these rows decide, uncorrected.
    keep_root : bool, default=False
        Whether at least one test is kept.

    Notes
    -----
    The answers of the pruned tree may differ from the most frequent class, so that ``predict``
    need not be the class of largest ``predict_proba``, whose shares stay those of the training
    rows. Weights count as cases; with a ``class_weight`` costs would count twice. Error-based
    pruning with subtree raising labels nodes anew and undoes these answers.

    References
    ----------
    U. Knoll, G. Nakhaeizadeh, B. Tausend (1994). Cost-sensitive pruning of decision trees.
    ECML-94, 383-386. B. Cestnik, I. Bratko (1991). On estimating probabilities in tree pruning.
    EWSL-91, 138-150.

    Examples
    --------
    >>> from oblique import CostModel, LDTClassifier
    >>> from oblique.datasets import load_dataset
    >>> from oblique.pruning import ExpectedCost
    >>> data = load_dataset("pima")
    >>> pruner = ExpectedCost(CostModel(errors={0: 50, 1: 400}))
    >>> model = LDTClassifier(unsafe_class=1, pruning=pruner).fit(data.data, data.target)
    >>> recall = (model.predict(data.data) == 1)[data.target == 1].mean()
    >>> bool(recall > 0.95)
    True
    """

    def __init__(
        self,
        costs: CostModel | None = None,
        *,
        m: float | None = None,
        holdout: float = 0.0,
        keep_root: bool = False,
    ):
        self.costs = costs
        self.m = m
        self.holdout = holdout
        self.keep_root = keep_root

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError for a wrong parameter."""
        super().check_parameters()
        _check_costs(self.costs)
        if self.m is not None and (not is_number(self.m) or not 0.0 <= self.m < np.inf):
            raise ValueError(
                f"m={self.m!r} must be a finite number >= 0, a weight of cases, or None"
            )

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
            Pruning rows; not used, and may be None, with ``holdout=0``.
        unsafe, rng
            Not used.

        Raises
        ------
        ValueError
            Where the costs do not know the tree's classes, or a holdout is asked for and there
            are no rows.
        """
        self.check_parameters()
        errors = _errors_of(self.costs, tree)
        chances = self._probabilities(tree)
        labels = cheapest_answers(chances, errors, tree.tie_class)
        if self.holdout > 0.0:
            if X is None or codes is None:
                raise ValueError(
                    f"X and codes must be pruning rows, got None: holdout={self.holdout!r} "
                    "asks for them; hand rows in, or set holdout=0"
                )
            cases = PruningRows(tree, X, codes, sample_weight).counts
        else:
            cases = chances * tree.counts.sum(axis=1, keepdims=True)
        cost = (cases * errors[labels]).sum(axis=1)
        slack = TIE * float(cases[0].sum() * errors.max())
        cut = cheaper_leaves(
            tree.children_left, tree.children_right, cost, slack, bool(self.keep_root)
        )
        answering = tree.replace(labels=labels, error_costs=errors)
        return answering.collapse(np.flatnonzero(cut)) if cut.any() else answering

    def _probabilities(self, tree: Tree) -> NDArray[np.float64]:
        """Corrected class probabilities of each node, (n_nodes, n_classes)."""
        if self.m is None:
            share, m = np.full(tree.n_classes, 1.0 / tree.n_classes), float(tree.n_classes)
        else:
            share, m = tree.counts[0] / tree.counts[0].sum(), float(self.m)
        added = tree.counts + m * share
        total = added.sum(axis=1, keepdims=True)
        # Without a correction nothing is known of a node without weight.
        return np.divide(added, total, out=np.tile(share, (len(added), 1)), where=total > 0.0)


def _check_costs(costs: object) -> None:
    from oblique.costs import CostModel

    if costs is not None and not isinstance(costs, CostModel):
        raise TypeError(f"costs={costs!r:.80} must be a CostModel, or None for errors of cost 1")


def _errors_of(costs: CostModel | None, tree: Tree) -> NDArray[np.float64]:
    """Costs of errors in the order of a tree's class codes."""
    if costs is None:
        return 1.0 - np.eye(tree.n_classes)
    names = tree.class_names
    if names is None or costs.classes is None:
        return costs.error_matrix(range(tree.n_classes))
    return costs.error_matrix([_as_priced(name, costs.classes) for name in names])


def _as_priced(name: str, priced: tuple[str, ...]) -> str:
    """Return a class's name as the costs spell it: trees call the class 1.0 "1.0", costs "1"."""
    short = name.removesuffix(".0")
    return short if name not in priced and short in priced else name
