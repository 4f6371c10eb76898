"""Pruning through the estimators: inside fit, on rows handed in, and the path."""

from __future__ import annotations

import numpy as np
import pytest
from estimator_data import mixed_table, noisy
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from tree_checks import assert_same_tree, bundled

from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.finders import (
    AxisParallel,
)
from oblique.pruning import CostComplexity, SafePruning, pruning_path


@pytest.mark.parametrize("pruner", [CostComplexity(), SafePruning(), CostComplexity(0.3, 1.0)])
def test_pruning_inside_fit_is_pruning_on_the_rows_held_out(pruner):
    """The whole tree grows on the other rows only."""
    table, labels = noisy(600)
    options = {"unsafe_class": 1, "random_state": 7}
    model = ObliqueTreeClassifier(pruning=pruner, **options).fit(table, labels)
    n_grown = model.tree_.counts[0].sum()
    assert n_grown == len(labels) - np.rint(np.bincount(labels) * pruner.holdout).sum()
    whole = ObliqueTreeClassifier(**options).fit(table, labels)
    assert model.get_n_leaves() < whole.get_n_leaves()


def test_safe_pruning_by_name():
    table, labels = bundled("pima")
    by_name = LDTClassifier(pruning="safe", random_state=0).fit(table, labels)
    by_object = LDTClassifier(pruning=SafePruning(), random_state=0).fit(table, labels)
    assert_same_tree(by_name.tree_, by_object.tree_)


def test_pruning_on_rows_handed_in():
    table, labels = noisy(600)
    labels = np.array(["no", "yes"])[labels]
    model = ObliqueTreeClassifier(pruning=CostComplexity(holdout=0.0), unsafe_class="yes")
    model.fit(table[:400], labels[:400])
    # No row was held out.
    assert model.tree_.counts[0].sum() == 400
    before = model.tree_
    shares = (labels[400:] == "yes").astype(np.int32)
    expected = CostComplexity().prune(before, table[400:], shares)
    assert model.prune(table[400:], labels[400:]) is model
    assert_same_tree(model.tree_, expected)
    assert model.get_n_leaves() < before.n_leaves
    assert model.score(table[400:], labels[400:]) >= (
        (before.predict_codes(table[400:]) == shares).mean()
    )


def test_pruning_on_rows_handed_in_takes_weights_and_some_classes():
    table, labels = noisy(600, n_classes=3)
    model = ObliqueTreeClassifier(pruning=CostComplexity(holdout=0.0), class_weight={1: 3})
    model.fit(table[:400], labels[:400])
    other = clone(model).fit(table[:400], labels[:400])
    rest = labels[400:] > 0
    weights = np.random.default_rng(0).integers(0, 3, rest.sum())
    model.prune(table[400:][rest], labels[400:][rest], sample_weight=weights)
    rows = np.repeat(np.flatnonzero(rest), weights * np.where(labels[400:][rest] == 1, 3, 1))
    expected = CostComplexity().prune(other.tree_, table[400:][rows], labels[400:][rows])
    assert_same_tree(model.tree_, expected)


def test_pruning_path_is_that_of_scikit_learn():
    table, labels = noisy()
    limits = {"max_depth": 5, "min_samples_leaf": 8}
    for weights in (None, np.random.default_rng(0).integers(1, 5, len(labels))):
        ours = ObliqueTreeClassifier(finder=AxisParallel(), criterion="gini", **limits)
        path = ours.cost_complexity_pruning_path(table, labels, sample_weight=weights)
        theirs = DecisionTreeClassifier(random_state=0, **limits).cost_complexity_pruning_path(
            table, labels, sample_weight=weights
        )
        np.testing.assert_allclose(path.ccp_alphas, theirs.ccp_alphas, rtol=1e-9, atol=1e-14)
        np.testing.assert_allclose(path.impurities, theirs.impurities, rtol=1e-9)
        assert len(path.ccp_alphas) > 5
        assert not hasattr(ours, "tree_")


def test_pruning_path_tells_errors_and_sizes():
    table, labels = mixed_table()
    model = LDTClassifier(pruning="safe", max_depth=6)
    path = model.cost_complexity_pruning_path(table, labels)
    whole = LDTClassifier(max_depth=6).fit(table, labels)
    assert path.n_leaves[0] == whole.get_n_leaves()
    assert path.n_leaves[-1] == 1
    np.testing.assert_allclose(path.errors[0], 1.0 - whole.score(table, labels))
    assert (np.diff(path.ccp_alphas) >= 0.0).all()
    # By errors, as CostComplexity counts, the sequence is another one.
    assert (pruning_path(whole.tree_).errors[-1] <= path.errors[-1]).all()
