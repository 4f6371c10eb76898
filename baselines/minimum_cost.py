"""Cost-sensitive answers from any classifier: by its probabilities, or by relabelled training.

scikit-learn moves the threshold of two classes (`sklearn.model_selection.FixedThresholdClassifier`,
`TunedThresholdClassifierCV`), empulse prices two classes; here costs are a matrix over any number.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from baselines._checks import check_count, check_jobs
from oblique.answers import cheapest_answers
from oblique.classifier import make_generator
from oblique.costs import CostModel


class _CostAnswers(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """What both classifiers share: the classifier inside, its costs and its classes."""

    _fitted_attributes: tuple[str, ...] = ("estimator_", "classes_", "n_features_in_")

    estimator: Any
    costs: CostModel | None
    estimator_: Any
    classes_: NDArray[Any]

    def _errors(self, classes: NDArray[Any]) -> NDArray[np.float64]:
        if self.costs is not None and not isinstance(self.costs, CostModel):
            raise TypeError(
                f"costs={self.costs!r:.80} must be a CostModel, or None for errors of cost 1"
            )
        return (self.costs or CostModel()).error_matrix(classes)

    def _inner(self) -> Any:
        """Return an unfitted copy of the classifier inside."""
        if self.estimator is None:
            from baselines.c45 import C45Classifier

            return C45Classifier()
        if not hasattr(self.estimator, "predict_proba"):
            raise TypeError(
                f"estimator={self.estimator!r:.80} must be a classifier with predict_proba"
            )
        return clone(self.estimator)

    def _keep_features(self, fitted: Any) -> None:
        self.n_features_in_ = fitted.n_features_in_
        if hasattr(fitted, "feature_names_in_"):
            self.feature_names_in_ = fitted.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner())
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags


class MinimumCostClassifier(_CostAnswers):
    """Answers the class whose expected cost, by a classifier's probabilities, is least.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Anything with ``predict_proba``. None: `baselines.C45Classifier`.
    costs : CostModel or None, default=None
        What errors cost; its tests play no part. None: 1 each.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows; it answers without costs.
    classes_, n_features_in_, feature_names_in_
        As of ``estimator_``.

    Notes
    -----
    ``predict_proba`` is the estimator's, so that ``predict`` need not be its largest entry. Of
    equally cheap answers the more probable one is given.

    References
    ----------
    C. Elkan (2001). The foundations of cost-sensitive learning. IJCAI-01, 973-978.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from baselines import MinimumCostClassifier
    >>> from oblique import CostModel
    >>> from oblique.datasets import load_dataset
    >>> data = load_dataset("pima")
    >>> costs = CostModel(errors={0: 50, 1: 400})
    >>> model = MinimumCostClassifier(GaussianNB(), costs).fit(data.data, data.target)
    >>> recall = (model.predict(data.data) == 1)[data.target == 1].mean()
    >>> bool(recall > 0.85)
    True
    """

    def __init__(self, estimator: Any = None, costs: CostModel | None = None) -> None:
        self.estimator = estimator
        self.costs = costs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier inside.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            As the estimator takes it.
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,) or None

        Raises
        ------
        TypeError
            If the estimator has no ``predict_proba``.
        ValueError
            Where the costs do not know a class.
        """
        inner = self._inner()
        self._errors(np.unique(np.asarray(y)))
        self.estimator_ = inner.fit(X, y, **_weights(inner, sample_weight))
        self.classes_ = self.estimator_.classes_
        self._keep_features(self.estimator_)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the estimator's probabilities, shape (n, n_classes).

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            As the estimator takes it.
        """
        check_is_fitted(self)
        shares: NDArray[np.float64] = self.estimator_.predict_proba(X)
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class whose answer is expected to cost least, shape (n,).

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            As the estimator takes it.
        """
        shares = self.predict_proba(X)
        return self.classes_[cheapest_answers(shares, self._errors(self.classes_))]


class MetaCostClassifier(_CostAnswers):
    """A classifier trained on the answers that are expected to cost least (MetaCost).

    Bagged copies of the classifier give each training row its class probabilities; the row gets
    the class whose answer is expected to cost least; the classifier is trained anew on these
    classes. The result is a single classifier, such as a tree that can be read.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Anything with ``predict_proba``. None: `baselines.C45Classifier`.
    costs : CostModel or None, default=None
        What errors cost; its tests play no part. None: 1 each.
    n_estimators : int, default=50
        Bagged copies.
    n_jobs : int or None, default=None
        Copies that are fitted side by side, as joblib counts; the result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the bootstrap samples.

    Attributes
    ----------
    estimator_ : classifier
        Trained on the new classes.
    classes_ : ndarray of shape (n_classes,)
        All classes of y, also one that no row has any longer.
    n_features_in_, feature_names_in_
        As of ``estimator_``.
    changed_ : float
        Share of the rows whose class was changed.

    Notes
    -----
    All copies vote on every row, its bootstrap sample or not, as in the paper's default.

    References
    ----------
    P. Domingos (1999). MetaCost: a general method for making classifiers cost-sensitive. KDD-99,
    155-164.
    """

    _fitted_attributes = (*_CostAnswers._fitted_attributes, "changed_")

    def __init__(
        self,
        estimator: Any = None,
        costs: CostModel | None = None,
        *,
        n_estimators: int = 50,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Relabel the rows and fit the classifier on them.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            As the estimator takes it.
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,) or None

        Raises
        ------
        TypeError
            If the estimator has no ``predict_proba``.
        ValueError
            Where the costs do not know a class, or a parameter is out of its range.
        """
        from sklearn.ensemble import BaggingClassifier

        inner = self._inner()
        check_count("n_estimators", self.n_estimators, least=1)
        check_jobs(self.n_jobs)
        self._errors(np.unique(np.asarray(y)))
        seed = int(make_generator(self.random_state).integers(2**31))
        bag = BaggingClassifier(
            inner, n_estimators=self.n_estimators, n_jobs=self.n_jobs, random_state=seed
        )
        weights = _weights(inner, sample_weight)
        bag.fit(X, y, **weights)
        self.classes_ = bag.classes_
        codes = cheapest_answers(bag.predict_proba(X), self._errors(self.classes_))
        answers = self.classes_[codes]
        self.changed_ = float(np.mean(answers != np.asarray(y).reshape(len(answers))))
        self.estimator_ = inner.fit(X, answers, **weights)
        self._keep_features(self.estimator_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, shape (n,).

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            As the estimator takes it.
        """
        check_is_fitted(self)
        answers: NDArray[Any] = self.estimator_.predict(X)
        return answers

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the estimator's probabilities of the new classes, shape (n, n_classes).

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            As the estimator takes it.
        """
        check_is_fitted(self)
        found = self.estimator_.predict_proba(X)
        shares = np.zeros((len(found), len(self.classes_)))
        shares[:, np.searchsorted(self.classes_, self.estimator_.classes_)] = found
        return shares


def _weights(estimator: Any, sample_weight: ArrayLike | None) -> dict[str, Any]:
    if sample_weight is None:
        return {}
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"estimator={estimator!r:.80} takes no sample_weight: leave it out")
    return {"sample_weight": np.asarray(sample_weight)}
