"""Ranking of cases by their signed distance to the decision surface of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import cross_val_predict
from sklearn.utils.validation import check_is_fitted, column_or_1d

from oblique._suggest import unknown_name
from oblique.sensitivity.calibration import DensityCalibration
from oblique.sensitivity.leaf_probability import (
    ESTIMATES,
    LeafEstimate,
    leaf_probabilities,
    smooth_counts,
)
from oblique.sensitivity.model import view_model
from oblique.sensitivity.surface import DecisionSurface
from projection import Metric

if TYPE_CHECKING:
    from pandas import DataFrame

Scope = Literal["global", "local"]
_SCOPES = ("global", "local")
_CALIBRATIONS = ("sigmoid", "isotonic", "density")


class GeometricRanking(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A tree classifier whose scores rank cases by their distance to the decision surface.

    The score of a case is its distance where the class is predicted, and minus its distance
    where it is not, so that cases of one leaf no longer share one score. The tree stays as it
    is: `predict` is the tree's.

    Parameters
    ----------
    estimator : classifier or None
        Tree classifier of this package (axis-parallel or oblique) or of scikit-learn, fitted
        anew in `fit`. None: ``ObliqueTreeClassifier()``.
    scope : {"global", "local"}, default="global"
        "global" ranks all cases by signed distance. "local" ranks leaves by their estimated
        probability first, and cases by signed distance within leaves of equal estimate.
    leaf_estimate : {"laplace", "m", "raw"}, default="laplace"
        Estimate that orders the leaves, see `leaf_probabilities`; "local" only.
    m : float or None
        Strength of the prior of the m-estimate; None: 10 divided by the class's prior.
    metric : {"minmax", "standard", "identity"}, default="minmax"
        Metric of the distance, from the training rows.
    calibration : {"sigmoid", "isotonic", "density"} or None
        How `predict_proba` is made from scores of cross-validated fits: Platt's sigmoid or
        isotonic regression (scikit-learn's), or kernel densities of the scores of each class
        (`DensityCalibration`; global scope). None: the class shares of the estimator's leaves.
    cv : int or splitter, default=5
        Folds of the calibration.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows.
    surface_ : DecisionSurface
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    I. Alvarez and S. Bernard, "Ranking cases with decision trees: a geometric method that
    preserves intelligibility", IJCAI 2005. Calibration of the distance is their future work.
    J. Platt, "Probabilistic outputs for support vector machines", 1999.

    Examples
    --------
    >>> from oblique import GeometricRanking, LDTClassifier
    >>> from oblique.datasets import load_dataset
    >>> data = load_dataset("pima")
    >>> X = data.data.fillna(data.data.median())
    >>> model = GeometricRanking(LDTClassifier(max_depth=3, random_state=0)).fit(X, data.target)
    >>> model.decision_function(X[:3]).shape
    (3,)
    """

    # What a model file holds of a fitted ranking, see `oblique.persist`.
    _fitted_attributes = ("estimator_", "classes_", "n_features_in_", "_scale", "_probabilities")
    # Made in `fit`, or from the above when first asked for.
    _surface: DecisionSurface | None = None
    _calibrator: Any = None

    def __init__(
        self,
        estimator: Any = None,
        *,
        scope: Scope = "global",
        leaf_estimate: LeafEstimate = "laplace",
        m: float | None = None,
        metric: str = "minmax",
        calibration: str | None = None,
        cv: Any = 5,
    ):
        self.estimator = estimator
        self.scope = scope
        self.leaf_estimate = leaf_estimate
        self.m = m
        self.metric = metric
        self.calibration = calibration
        self.cv = cv

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the tree, its decision surface and, where asked, the calibration.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            Rows without missing values.
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,) or None
            Weights in the tree, the leaf estimates and the calibration.

        Returns
        -------
        self
        """
        self._check_parameters()
        y = column_or_1d(y, warn=True)
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = self._new_estimator().fit(X, y, **weighted)
        view_model(self.estimator_)  # refuses what is no single classification tree
        self.classes_ = self.estimator_.classes_
        self.n_features_in_ = self.estimator_.n_features_in_
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        self._surface = DecisionSurface(self.estimator_, self.metric, X=X)
        self._surface.predict_codes(X)  # refuses rows with missing values
        self._scale = self._surface.metric.scale
        self._probabilities = leaf_probabilities(
            self.estimator_, X, y, method=self.leaf_estimate, m=self.m, **weighted
        )
        self._calibrate(X, y, weighted)
        return self

    @property
    def surface_(self) -> DecisionSurface:
        """Decision surface of the fitted tree, in the metric of the training rows."""
        check_is_fitted(self)
        if self._surface is None:  # read from a file
            self._surface = DecisionSurface(self.estimator_, Metric(self._scale))
        return self._surface

    def _check_fitted(self) -> None:
        """Raise ValueError where fitted attributes do not fit, or a file cannot hold them."""
        if self.calibration is not None:
            raise ValueError(
                f"a model file cannot hold calibration={self.calibration!r}: pickle the model, or "
                "save it with calibration=None"
            )
        tree = view_model(self.estimator_).tree
        shape = (tree.n_nodes, len(self.classes_))
        if getattr(self._probabilities, "shape", None) != shape:
            raise ValueError(f"_probabilities must be an array of shape {shape}")
        if getattr(self._scale, "shape", None) != (self.n_features_in_,):
            raise ValueError(f"_scale must be an array of {self.n_features_in_} scales")
        if not np.array_equal(self.classes_, self.estimator_.classes_):
            raise ValueError("classes_ are not those of estimator_")

    def _check_parameters(self) -> None:
        for name, value, known in (
            ("scope", self.scope, _SCOPES),
            ("leaf_estimate", self.leaf_estimate, ESTIMATES),
            ("calibration", self.calibration, (*_CALIBRATIONS, None)),
        ):
            if value not in known:
                raise ValueError(unknown_name(name, str(value), [str(k) for k in known]))
        if self.calibration == "density" and self.scope == "local":
            raise ValueError(
                'calibration="density" needs scope="global": within the groups of leaves of a '
                "local ranking there are too few rows for densities"
            )

    def _new_estimator(self) -> Any:
        from oblique.estimators import ObliqueTreeClassifier

        return ObliqueTreeClassifier() if self.estimator is None else clone(self.estimator)

    def _calibrate(self, X: Any, y: NDArray[Any], weighted: dict[str, Any]) -> None:
        self._calibrator = None
        seen = y if not weighted else y[np.asarray(weighted["sample_weight"]) > 0.0]
        if self.calibration is None or len(np.unique(seen)) < 2:
            return
        plain = clone(self).set_params(calibration=None)
        if self.calibration == "density":
            scores = cross_val_predict(
                plain, X, y, cv=self.cv, method="decision_function", params=weighted
            )
            self._calibrator = _fit_densities(scores, y, self.classes_, **weighted)
            return
        # One model on all rows; its calibration comes from scores of rows held out in turn.
        self._calibrator = CalibratedClassifierCV(
            plain, method=self.calibration, cv=self.cv, ensemble=False
        ).fit(X, y, **weighted)

    # ------------------------------------------------------------ prediction

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score of each case: larger means more surely of the class.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.

        Returns
        -------
        scores : ndarray of shape (n,) for two classes, of ``classes_[1]``, else (n, n_classes)
            Global scope: signed distances, positive where the class is predicted. Local scope:
            a rank of the leaf's estimate plus a number between 0 and 1 that rises with the
            signed distance; only the order has a meaning.
        """
        check_is_fitted(self)
        scores = signed_distances(self.surface_, X)
        if self.scope == "local":
            view = view_model(self.estimator_)
            leaves = view.tree.apply(view.encode(X))
            scores = within_leaves(self._probabilities, leaves, scores)
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the tree's class of each row, shape (n,), whatever its calibrated probability.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.
        """
        check_is_fitted(self)
        return self.classes_[self.surface_.predict_codes(X)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return calibrated probabilities, or the tree's without calibration, (n, n_classes).

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.
        """
        check_is_fitted(self)
        if self._calibrator is None:
            shares: NDArray[np.float64] = self.estimator_.predict_proba(X)
            return shares
        if isinstance(self._calibrator, list):
            return _density_probabilities(self._calibrator, self.decision_function(X))
        probabilities: NDArray[np.float64] = self._calibrator.predict_proba(X)
        return probabilities


def rank_cases(
    model: Any,
    X: Any,
    positive_class: Any,
    *,
    scope: Scope = "global",
    leaf_estimate: LeafEstimate = "laplace",
    metric: Any = "minmax",
    sample: Any = None,
) -> DataFrame:
    """Order cases by how surely a fitted model gives them a class.

    Parameters
    ----------
    model : Tree or fitted classifier
        Leaf estimates come from the class counts of its leaves.
    X : array-like or data frame of shape (n, n_features)
    positive_class : object
        One of the model's classes.
    scope, leaf_estimate
        As in `GeometricRanking`.
    metric, sample
        Metric of the distance and its rows, as `metric` and `X` of `DecisionSurface`.

    Returns
    -------
    ranking : DataFrame
        Surest case first; columns rank (cases of equal score and class share the best), row
        (number in `X`, from 0), predicted, score (signed distance), leaf, estimate (of the leaf).
        Cases with a category that the tree does not know come last, score and estimate NaN.

    Examples
    --------
    >>> from oblique import ObliqueTreeClassifier
    >>> from oblique.datasets import load_dataset
    >>> from oblique.sensitivity import rank_cases
    >>> data = load_dataset("bupa")
    >>> model = ObliqueTreeClassifier(max_depth=2, random_state=0).fit(data.data, data.target)
    >>> list(rank_cases(model, data.data, 2).columns)
    ['rank', 'row', 'predicted', 'score', 'leaf', 'estimate']
    """
    from pandas import DataFrame

    for name, value, known in (
        ("scope", scope, _SCOPES),
        ("leaf_estimate", leaf_estimate, ESTIMATES),
    ):
        if value not in known:
            raise ValueError(unknown_name(name, str(value), known))
    surface = DecisionSurface(model, metric, X=sample)
    score = surface.score(X, positive_class)
    k = surface.classes.tolist().index(positive_class)
    leaves = surface.apply(X)
    estimate = smooth_counts(surface.tree.counts, method=leaf_estimate)[leaves, k]
    estimate[np.isnan(score)] = np.nan  # the case belongs to several leaves
    codes = surface.predict_codes(X)
    # On the border, at distance 0, the class decides as in `GeometricRanking`.
    keys = (codes == k, score, estimate) if scope == "local" else (codes == k, score)
    order = np.lexsort([-key.astype(np.float64) for key in keys])
    ordered = np.stack([key[order] for key in keys])
    starts = np.concatenate([[True], (np.diff(ordered, axis=1) != 0).any(axis=0)])
    place = np.flatnonzero(starts)[np.cumsum(starts) - 1] if len(order) else order
    return DataFrame(
        {
            "rank": place + 1,
            "row": order,
            "predicted": surface.classes[codes][order],
            "score": score[order],
            "leaf": leaves[order],
            "estimate": estimate[order],
        }
    )


def _fit_densities(
    scores: NDArray[np.float64],
    y: NDArray[Any],
    classes: NDArray[Any],
    sample_weight: ArrayLike | None = None,
) -> list[DensityCalibration]:
    """One calibration for two classes, else one a class against the others."""
    if scores.ndim == 1:
        return [DensityCalibration().fit(scores, y, sample_weight)]
    return [
        DensityCalibration().fit(column, y == label, sample_weight)
        for column, label in zip(scores.T, classes, strict=True)
    ]


def _density_probabilities(
    calibrations: list[DensityCalibration], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    if scores.ndim == 1:
        return calibrations[0].predict_proba(scores)
    columns = zip(calibrations, scores.T, strict=True)
    alone = np.stack([one.predict_proba(column)[:, 1] for one, column in columns], axis=1)
    total = alone.sum(axis=1, keepdims=True)
    even = np.full_like(alone, 1.0 / alone.shape[1])
    return np.divide(alone, total, out=even, where=total > 0.0)


def signed_distances(surface: DecisionSurface, X: Any) -> NDArray[np.float64]:
    """Signed distance of every case for every class, shape (n, n_classes).

    For the predicted class the distance to the decision surface; for another class minus the
    distance to its region. A region that cannot be reached counts as infinitely far, written
    as the largest number. A case on the surface has the smallest number instead of 0, so that
    the sign tells its class. With two classes the columns are each other's negatives.

    Parameters
    ----------
    surface : DecisionSurface
    X : array-like or data frame of shape (n, n_features)
        Cases without missing values.

    References
    ----------
    I. Alvarez and S. Bernard, "Ranking cases with decision trees: a geometric method that
    preserves intelligibility", IJCAI 2005.
    """
    distance = surface.distances_by_class(X)
    own = surface.predict_codes(X)
    others = distance.copy()
    others[np.arange(len(own)), own] = np.inf
    limits = np.finfo(np.float64)
    scores = -np.clip(distance, limits.tiny, limits.max)
    scores[np.arange(len(own)), own] = np.clip(others.min(axis=1), limits.tiny, limits.max)
    return scores


def within_leaves(
    probabilities: NDArray[np.float64], leaves: NDArray[np.int64], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Order by the leaf's estimate first, by the score among equal estimates."""
    known = probabilities[np.isfinite(probabilities[:, 0])]
    out = np.empty_like(scores)
    for k in range(scores.shape[1]):
        rank = np.searchsorted(np.unique(known[:, k]), probabilities[leaves, k])
        # 0.5 (1 + g / (1 + |g|)) rises with g from 0 to 1.
        out[:, k] = rank + 0.5 + 0.5 * scores[:, k] / (1.0 + np.abs(scores[:, k]))
    return out
