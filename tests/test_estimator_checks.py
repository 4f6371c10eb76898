"""scikit-learn's own checks of an estimator, on every kind of tree."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from oblique import IndecisionTreeClassifier, LDTClassifier, ObliqueTreeClassifier
from oblique.finders import AxisParallel, BestOf, Categories, LinearDiscriminant, SafeAdjusted
from oblique.pruning import CostComplexity, ErrorBased, ExpectedCost, ReducedError, SafePruning

CLASSIFIERS = [
    ObliqueTreeClassifier(),
    LDTClassifier(),
    # Every finder on its own, and every way to prune.
    ObliqueTreeClassifier(finder=AxisParallel()),
    ObliqueTreeClassifier(finder=AxisParallel("safe"), criterion="gini", max_depth=4),
    ObliqueTreeClassifier(finder=LinearDiscriminant(min_samples=2)),
    ObliqueTreeClassifier(finder=LinearDiscriminant("criterion", min_samples=2)),
    ObliqueTreeClassifier(finder=SafeAdjusted(mode="iterate")),
    ObliqueTreeClassifier(finder=BestOf(Categories(), AxisParallel()), pruning=CostComplexity()),
    ObliqueTreeClassifier(finder=AxisParallel("data"), pruning=ErrorBased()),
    ObliqueTreeClassifier(criterion="gain_ratio", pruning=ReducedError(), min_samples_leaf=2),
    ObliqueTreeClassifier(finder=AxisParallel(), pruning=ExpectedCost()),
    LDTClassifier(pruning="safe"),
    IndecisionTreeClassifier(),
    # Oblique clauses leave the short cut for exact values: every node is an uncertain one.
    IndecisionTreeClassifier(directions=LinearDiscriminant(min_samples=2)),
    IndecisionTreeClassifier(directions=LinearDiscriminant(), independence="clause", refine=True),
    LDTClassifier(pruning=SafePruning(holdout=0.3), adjustment="pure", class_weight="balanced"),
]


def expected_failures(estimator):
    pruner = estimator.pruning
    if pruner is None or getattr(pruner, "holdout", 0.1) == 0.0:
        return {}
    if pruner == "safe":
        return {}  # other rows are held out here, too, but the check's data give the same tree
    return {
        # scikit-learn's own early stopping fails here too, for the same reason.
        "check_sample_weight_equivalence_on_dense_data": (
            "the rows held out for pruning are drawn: a row of weight three is drawn as one row, "
            "its three copies one by one"
        )
    }


@pytest.mark.filterwarnings("ignore:the unsafe class:UserWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@parametrize_with_checks(CLASSIFIERS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
