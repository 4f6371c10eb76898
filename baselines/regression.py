"""Planes of regularised regressions: logistic, as in aorsf, and ridge, as in obliqueRF.

B. C. Jaeger et al. (2024). Accelerated and interpretable oblique random survival forests.
Journal of Computational and Graphical Statistics 33(1), 192-207 (R package aorsf).

B. H. Menze, B. M. Kelm, D. N. Splitthoff, U. Koethe, F. A. Hamprecht (2011). On oblique random
forests. ECML PKDD, 453-469 (R package obliqueRF).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baselines._checks import check_count, check_positive, check_probability
from baselines._linear_models import LinearModelFinder


class Logistic(LinearModelFinder):
    """The direction of a regularised logistic regression (`LogisticRegression`).

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the strength of the penalty, for standardised columns.
    l1_ratio : float, default=0.0
        Mix of penalties: 0 is l2, 1 is l1, which sets weights to zero.
    groups : {"rest", "pairs", "superclasses"}, default="rest"
        Each class against the rest, every pair of classes, or the two clusters of class means.
    threshold : {"criterion", "model"}, default="criterion"
        The cut along the direction of largest gain, or probability one half.
    max_iter : int, default=100
    max_features : None, "sqrt", int or float, default=None
        Features drawn at each node; None: all. aorsf draws "sqrt".
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
        l1_ratio: float = 0.0,
        groups: Literal["rest", "pairs", "superclasses"] = "rest",
        threshold: Literal["criterion", "model"] = "criterion",
        max_iter: int = 100,
        max_features: Any = None,
        min_samples: int = 2,
    ):
        self.C = C
        self.l1_ratio = l1_ratio
        self.groups = groups
        self.threshold = threshold
        self.max_iter = max_iter
        self.max_features = max_features
        self.min_samples = min_samples

    def _model(self, weights: NDArray[np.float64]) -> Any:
        return logistic_model(self.C, self.l1_ratio, self.max_iter)

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        check_positive("C", self.C)
        check_probability("l1_ratio", self.l1_ratio)
        check_count("max_iter", self.max_iter, least=1)


class Ridge(LinearModelFinder):
    """The direction of a ridge regression on targets of 1 and -1.

    Parameters
    ----------
    alpha : float or "loo", default="loo"
        Strength of the penalty for standardised columns. "loo" takes the best of ``alphas``
        times the weight of the node by the leave-one-out error (`sklearn.linear_model.RidgeCV`).
    alphas : tuple of float, default=(0.003, 0.03, 0.3, 3.0)
    groups : {"rest", "pairs", "superclasses"}, default="rest"
        Each class against the rest, every pair of classes, or the two clusters of class means.
    threshold : {"criterion", "model"}, default="criterion"
        The cut along the direction of largest gain, or a score of zero.
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
        alpha: float | Literal["loo"] = "loo",
        alphas: tuple[float, ...] = (0.003, 0.03, 0.3, 3.0),
        groups: Literal["rest", "pairs", "superclasses"] = "rest",
        threshold: Literal["criterion", "model"] = "criterion",
        max_features: Any = None,
        min_samples: int = 2,
    ):
        self.alpha = alpha
        self.alphas = alphas
        self.groups = groups
        self.threshold = threshold
        self.max_features = max_features
        self.min_samples = min_samples

    def _model(self, weights: NDArray[np.float64]) -> Any:
        from sklearn import linear_model

        if self.alpha == "loo" and len(weights) > 2:
            return linear_model.RidgeCV(np.array(self.alphas) * weights.sum())
        alpha = self.alphas[-1] * weights.sum() if self.alpha == "loo" else self.alpha
        return linear_model.Ridge(alpha)

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        if self.alpha != "loo":
            check_positive("alpha", self.alpha, or_else='"loo"')
        check_grid("alphas", self.alphas)


def check_grid(name: str, values: Any) -> None:
    """Raise ValueError unless this is a tuple of one or more positive numbers."""
    if not isinstance(values, tuple | list) or not values:
        raise ValueError(f"{name}={values!r} must be a tuple of one or more positive numbers")
    for value in values:
        check_positive(f"a value of {name}", value)


def logistic_model(C: float, l1_ratio: float, max_iter: int) -> Any:
    """Make a regularised logistic regression of scikit-learn."""
    import sklearn
    from sklearn.linear_model import LogisticRegression

    if l1_ratio == 0.0:
        return LogisticRegression(C=C, max_iter=max_iter)
    # liblinear has the pure l1 penalty only; saga mixes, and visits rows in random order.
    solver = "liblinear" if l1_ratio == 1.0 else "saga"
    model = LogisticRegression(C=C, l1_ratio=l1_ratio, solver=solver, max_iter=max_iter)
    major, minor = map(int, sklearn.__version__.split(".")[:2])
    if (major, minor) < (1, 8):
        # The kind of penalty had a parameter of its own.
        kind = {"penalty": "l1", "l1_ratio": None} if l1_ratio == 1.0 else {"penalty": "elasticnet"}
        model.set_params(**kind)
    return model.set_params(random_state=0)
