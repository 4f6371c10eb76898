"""What the tree classifiers learn and answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from estimator_data import mixed_table, noisy
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier
from tree_checks import assert_same_tree, bundled

from oblique import LDTClassifier, LinearSplit, ObliqueTreeClassifier
from oblique.criteria import CRITERIA
from oblique.finders import (
    AxisParallel,
    BestOf,
    Categories,
    FixedSplit,
    LinearDiscriminant,
    SafeAdjusted,
)

NAN = float("nan")
X, Y = load_iris(return_X_y=True)


# ---------------------------------------------------------------- what is learnt


def test_default_finder_is_the_documented_one():
    table, labels = mixed_table()
    finder = BestOf(LinearDiscriminant("criterion"), AxisParallel(), Categories())
    assert_same_tree(
        ObliqueTreeClassifier().fit(table, labels).tree_,
        ObliqueTreeClassifier(finder=finder).fit(table, labels).tree_,
    )


@pytest.mark.parametrize("select_by", ["adjusted", "plain"])
@pytest.mark.parametrize("mode", ["literal", "pure", "iterate", None])
def test_ldt_is_a_composition_of_finders(mode, select_by):
    """Vadera (2005, figure 5): adjusted plane, safe axis-parallel test, categories."""
    table, labels = bundled("pima")
    plane = LinearDiscriminant()
    if mode is not None:
        plane = SafeAdjusted(plane, mode=mode, select_by=select_by)
    finder = BestOf(plane, AxisParallel("safe"), Categories())
    ldt = LDTClassifier(unsafe_class=1, adjustment=mode, select_by=select_by)
    assert_same_tree(
        ldt.fit(table, labels).tree_,
        ObliqueTreeClassifier(finder=finder, unsafe_class=1).fit(table, labels).tree_,
    )


def test_the_rarest_class_is_the_unsafe_one():
    labels = np.repeat(["many", "few", "some"], [90, 20, 40])
    for model in (ObliqueTreeClassifier(), LDTClassifier()):
        assert model.fit(X, labels).unsafe_class_ == "few"
        assert model.set_params(unsafe_class="many").fit(X, labels).unsafe_class_ == "many"
    # By weight, and of equally rare ones the last.
    weights = np.where(labels == "many", 0.1, 1.0)
    assert LDTClassifier().fit(X, labels, weights).unsafe_class_ == "many"
    assert LDTClassifier().fit(X, Y).unsafe_class_ == 2


def test_ldt_misses_fewer_unsafe_rows_than_an_axis_parallel_tree():
    """What the method is for, on held-out halves of four sets of the paper."""
    differences = []
    for name in ("pima", "breast_cancer", "heart_cleveland", "housing"):
        table, labels = bundled(name)
        for seed in range(6):
            test = np.random.default_rng(seed).random(len(labels)) < 0.5
            unsafe = table[test][labels[test] == 1]
            found = [
                model.fit(table[~test], labels[~test]).predict(unsafe).mean()
                for model in (
                    LDTClassifier(unsafe_class=1),
                    ObliqueTreeClassifier(finder=AxisParallel()),
                )
            ]
            differences.append(found[0] - found[1])
    assert np.mean(differences) > 0.02


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, LDTClassifier])
def test_every_criterion_learns(kind, criterion):
    table, labels = load_breast_cancer(return_X_y=True)
    model = kind(criterion=criterion).fit(table[::2], labels[::2])
    assert model.tree_.criterion == criterion
    assert model.score(table[1::2], labels[1::2]) > 0.85


# ---------------------------------------------------------------- limits, against scikit-learn


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"max_depth": 3},
        {"min_samples_leaf": 12},
        {"min_samples_leaf": 0.05},
        {"min_samples_split": 40},
        {"min_samples_split": 0.2},
        {"min_weight_fraction_leaf": 0.06},
        {"min_weight_fraction_leaf": 0.2, "max_depth": 2},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_limits_mean_what_they_mean_in_scikit_learn(limits, weighted):
    table, labels = noisy()
    weights = np.random.default_rng(1).integers(1, 9, len(labels)) / 4.0 if weighted else None
    # Deep nodes hold few rows, where cuts of several columns are equally good.
    limits = {"max_depth": 4, **limits}
    ours = ObliqueTreeClassifier(finder=AxisParallel(), criterion="gini", **limits)
    theirs = DecisionTreeClassifier(random_state=0, **limits)
    ours.fit(table, labels, weights)
    theirs.fit(table, labels, weights)
    assert ours.get_n_leaves() == theirs.get_n_leaves() > 2
    assert ours.get_depth() == theirs.get_depth()
    np.testing.assert_allclose(ours.predict_proba(table), theirs.predict_proba(table), atol=1e-12)


def test_min_gain_bounds_every_test():
    table, labels = noisy()
    sizes = []
    for least in (0.0, 0.02, 0.1, 1.0):
        tree = ObliqueTreeClassifier(min_gain=least).fit(table, labels).tree_
        inner = np.flatnonzero(tree.children_left >= 0)
        sides = tree.children_left[inner], tree.children_right[inner]
        weight = tree.counts.sum(axis=1)
        below = sum(tree.impurity[side] * weight[side] for side in sides) / weight[inner]
        assert (tree.impurity[inner] - below > least).all()
        sizes.append(tree.n_leaves)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


# ---------------------------------------------------------------- answers


@pytest.mark.parametrize("holes", [False, True])
def test_answers_agree_with_each_other(holes):
    table, labels = bundled("new_thyroid")
    table = table.copy()
    if holes:
        table[np.random.default_rng(0).random(table.shape) < 0.1] = NAN
    model = LDTClassifier().fit(table, labels)
    tree = model.tree_
    shares = model.predict_proba(table)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(table)).all()
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(table), np.log(shares))
    visits = model.decision_path(table)
    assert visits.shape == (len(table), tree.n_nodes)
    reach = visits.toarray()[:, tree.leaves]
    np.testing.assert_allclose(reach.sum(axis=1), 1.0)
    assert (tree.leaves[reach.argmax(axis=1)] == model.apply(table)).all()
    mass = tree.counts[tree.leaves]
    np.testing.assert_allclose(shares, reach @ (mass / mass.sum(axis=1, keepdims=True)))
    assert model.get_n_leaves() == len(tree.leaves)
    assert model.get_depth() == tree.max_depth == visits.count_nonzero(axis=1).max() - 1 or holes


def test_attributes():
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    labels = np.array(["x", "y", "z"])[Y]
    model = ObliqueTreeClassifier().fit(frame, labels)
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert model.tree_.feature_names == ("a", "b", "c", "d")
    assert model.tree_.class_names == ("x", "y", "z")
    # Fitting again on an array forgets the names.
    assert not hasattr(model.fit(X, labels), "feature_names_in_")
    assert model.tree_.feature_names is None


# ---------------------------------------------------------------- importances


def test_importances_are_those_of_scikit_learn_for_axis_parallel_gini():
    table, labels = noisy()
    ours = ObliqueTreeClassifier(finder=AxisParallel(), criterion="gini", max_depth=4)
    theirs = DecisionTreeClassifier(max_depth=4, random_state=0).fit(table, labels)
    np.testing.assert_allclose(
        ours.fit(table, labels).feature_importances_, theirs.feature_importances_, rtol=1e-9
    )


@pytest.mark.parametrize("finder", [None, AxisParallel(), LinearDiscriminant()])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_importances_sum_to_one_over_the_features_in_use(finder, criterion):
    table, labels = bundled("heart_cleveland")
    table = np.where(np.random.default_rng(0).random(table.shape) < 0.05, NAN, table)
    model = ObliqueTreeClassifier(finder=finder, criterion=criterion).fit(table, labels)
    shares = model.feature_importances_
    np.testing.assert_allclose(shares.sum(), 1.0)
    assert (shares >= 0.0).all()
    used = np.zeros(table.shape[1], dtype=bool)
    used[model.tree_.weight_indices] = True
    assert not shares[~used].any()


def test_oblique_test_shares_its_gain_by_weight_times_spread():
    rng = np.random.default_rng(0)
    table = np.c_[rng.normal(size=200), 100.0 * rng.normal(size=200), np.ones(200)]
    labels = (2.0 * table[:, 0] - 0.01 * table[:, 1] > 0).astype(int)
    test = FixedSplit(LinearSplit([2.0, -0.01, 0.0], 0.0))
    model = ObliqueTreeClassifier(finder=test).fit(table, labels)
    parts = np.array([2.0, 0.01]) * table[:, :2].std(axis=0)
    np.testing.assert_allclose(model.feature_importances_, [*(parts / parts.sum()), 0.0])
    # The units of a column do not change its share.
    scaled = FixedSplit(LinearSplit([2.0, -1e200, 0.0], 0.0))
    table[:, 1] *= 1e-202
    again = ObliqueTreeClassifier(finder=scaled).fit(table, labels)
    np.testing.assert_allclose(again.feature_importances_, model.feature_importances_)


# ---------------------------------------------------------------- class weights


def test_class_weights_multiply_row_weights():
    table, labels = noisy(n_classes=3)
    rows = np.random.default_rng(0).random(len(labels)) + 0.5
    factor = {0: 3.0, 2: 0.5}
    model = LDTClassifier(class_weight=factor).fit(table, labels, rows)
    by_hand = LDTClassifier().fit(table, labels, rows * np.array([3.0, 1.0, 0.5])[labels])
    assert_same_tree(model.tree_, by_hand.tree_)


def test_balanced_classes_weigh_the_same():
    table, labels = noisy()
    kept = (labels == 0) | (np.arange(len(labels)) % 5 == 0)
    table, labels = table[kept], labels[kept]
    plain = ObliqueTreeClassifier(max_depth=3).fit(table, labels)
    model = ObliqueTreeClassifier(max_depth=3, class_weight="balanced").fit(table, labels)
    np.testing.assert_allclose(model.tree_.counts[0], len(labels) / 2)
    by_hand = len(labels) / (2 * np.bincount(labels))
    same = ObliqueTreeClassifier(max_depth=3, class_weight=dict(enumerate(by_hand)))
    assert_same_tree(same.fit(table, labels).tree_, model.tree_)
    assert model.predict(table).mean() > plain.predict(table).mean()


def test_class_weights_of_text_labels():
    labels = np.array(["x", "y", "z"])[Y]
    model = ObliqueTreeClassifier(class_weight={"y": 2}).fit(X, labels)
    assert model.tree_.counts[0].tolist() == [50.0, 100.0, 50.0]
