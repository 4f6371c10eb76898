"""Planes of linear support vector machines, as in STree.

R. Montañana, J. A. Gámez, J. M. Puerta (2021). STree: a single multi-class oblique decision
tree based on support vector machines. Advances in Artificial Intelligence (CAEPIA), 54-64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from baselines._checks import check_count, check_positive
from baselines._linear_models import LinearModelFinder, no_convergence_warnings, penalty_weights

if TYPE_CHECKING:
    from baselines._sample import ScaledRows


class LinearSVM(LinearModelFinder):
    """The plane of a linear support vector machine.

    With more than two classes one machine is fitted to each grouping of the classes, and the
    plane of largest gain is taken.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the strength of the penalty, for standardised columns.
    groups : {"pairs", "rest", "superclasses"}, default="pairs"
        Every pair of classes, each class against the rest, or the two clusters of class means.
    threshold : {"model", "criterion"}, default="model"
        "model": the sign of the machine's score, as in STree. "criterion": the cut along its
        weights of largest gain, which goes on where the sign puts all rows on one side.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        "hinge" is the machine of libsvm (`sklearn.svm.SVC`), STree's default, whose time grows
        with the square of the rows; "squared_hinge" that of liblinear (`sklearn.svm.LinearSVC`),
        STree's ``kernel="liblinear"``.
    tol : float, default=1e-4
    max_iter : int, default=100000
    max_features : None, "sqrt", int or float, default=None
        Features drawn at each node; None: all.
    min_samples : int, default=2
        Nodes with fewer observations are offered no plane.

    Notes
    -----
    Columns are standardised at the node. Rows in which a value is missing take no part.
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        groups: Literal["pairs", "rest", "superclasses"] = "pairs",
        threshold: Literal["model", "criterion"] = "model",
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        tol: float = 1e-4,
        max_iter: int = 100_000,
        max_features: Any = None,
        min_samples: int = 2,
    ):
        self.C = C
        self.groups = groups
        self.threshold = threshold
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.max_features = max_features
        self.min_samples = min_samples

    def _planes(self, scaled: ScaledRows) -> NDArray[np.float64]:
        # These programs group classes themselves, in one call: libsvm by pairs, liblinear by rest.
        own = "pairs" if self.loss == "hinge" else "rest"
        if scaled.n_classes == 2 or self.groups != own:
            return super()._planes(scaled)
        weights = penalty_weights(scaled.weights)
        with no_convergence_warnings():
            model = self._model(weights).fit(scaled.columns[:-1].T, scaled.codes, weights)
        return np.column_stack([model.coef_, -model.intercept_])

    def _model(self, weights: NDArray[np.float64]) -> Any:
        from sklearn.svm import SVC, LinearSVC

        options = {"C": self.C, "tol": self.tol, "max_iter": self.max_iter}
        if self.loss == "hinge":
            return SVC(kernel="linear", **options)
        return LinearSVC(dual=False, random_state=0, **options)

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        check_positive("C", self.C)
        check_positive("tol", self.tol)
        check_count("max_iter", self.max_iter, least=1)
        if self.loss not in ("squared_hinge", "hinge"):
            raise ValueError(f'loss={self.loss!r} must be "squared_hinge" or "hinge"')
