"""Columns of categories and missing values, through the estimators."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from estimator_data import mixed_table
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier
from tree_checks import assert_same_tree

from oblique import CategorySplit, LDTClassifier, ObliqueTreeClassifier
from oblique.datasets import load_dataset

NAN = float("nan")


def test_columns_of_categories_are_divided_by_sets():
    table, labels = mixed_table()
    model = ObliqueTreeClassifier().fit(table, labels)
    split = model.tree_.split(0)
    assert isinstance(split, CategorySplit)
    names = model.tree_.category_names[1]
    assert {names[code] for code in split.categories} in ({"red", "grey"}, {"blue", "green"})
    assert model.score(table, labels) == 1.0


def test_ways_to_name_columns_of_categories():
    table, labels = mixed_table()
    rows = table.astype({"colour": object}).to_numpy()
    expected = ObliqueTreeClassifier().fit(table, labels)
    for wanted in ([1], [-2], np.array([False, True, False])):
        for data in (table, rows, rows.tolist()):
            model = ObliqueTreeClassifier(categorical_features=wanted).fit(data, labels)
            assert_same_tree(model.tree_, expected.tree_)
            assert (model.predict(data) == labels).all()
    for wanted in (["colour"], pd.Index(["colour"]), "from_dtype"):
        for dtype in ("category", "str", "string", object):
            data = table.astype({"colour": dtype})
            model = ObliqueTreeClassifier(categorical_features=wanted).fit(data, labels)
            assert_same_tree(model.tree_, expected.tree_)
            assert (model.predict(data) == labels).all()


def test_numbers_can_be_categories():
    codes = np.arange(60.0).reshape(-1, 1) % 6 * 10
    labels = np.isin(codes[:, 0], [0.0, 30.0, 50.0])
    model = ObliqueTreeClassifier(categorical_features=[0]).fit(codes, labels)
    assert model.get_n_leaves() == 2
    assert model.tree_.category_names[0] == ("0.0", "10.0", "20.0", "30.0", "40.0", "50.0")
    as_numbers = ObliqueTreeClassifier(categorical_features=None).fit(codes, labels)
    assert as_numbers.get_n_leaves() > 2
    nothing = ObliqueTreeClassifier(categorical_features=[]).fit(codes, labels)
    assert_same_tree(nothing.tree_, as_numbers.tree_)


def test_order_and_leftovers_of_a_category_dtype_do_not_matter():
    table, labels = mixed_table()
    model = ObliqueTreeClassifier().fit(table, labels)
    colours = table["colour"].cat
    for other in (
        table.assign(colour=colours.reorder_categories(["red", "grey", "blue", "green"])),
        table.assign(colour=colours.add_categories(["pink"])),
        table.astype({"colour": str}),
    ):
        assert (model.predict(other) == labels).all()
    # One row alone has only its own category.
    one = table.iloc[:1].assign(colour=pd.Categorical([table["colour"].iloc[0]]))
    assert (model.predict_proba(one) == model.predict_proba(table)[:1]).all()


def test_unseen_category_is_a_missing_value():
    table, labels = mixed_table()
    model = ObliqueTreeClassifier().fit(table, labels)
    strange = table.iloc[:5].assign(colour=pd.Categorical(["pink", "teal", "x", "y", "z"]))
    missing = table.iloc[:5].assign(colour=pd.Categorical([None] * 5, categories=["red"]))
    np.testing.assert_array_equal(model.predict_proba(strange), model.predict_proba(missing))
    reach = model.decision_path(missing).toarray()
    tree = model.tree_
    left = tree.counts[tree.children_left[0]].sum() / tree.counts[0].sum()
    np.testing.assert_allclose(reach[:, tree.children_left[0]], left)


@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, LDTClassifier])
def test_missing_categories_in_training(kind):
    table, labels = mixed_table()
    table.loc[::9, "colour"] = None
    table.loc[::7, "age"] = NAN
    model = kind().fit(table, labels)
    assert model.score(table, labels) > 0.85
    shuffled = np.random.default_rng(0).permutation(len(table))
    assert_same_tree(kind().fit(table.iloc[shuffled], labels[shuffled]).tree_, model.tree_)


def test_missing_values_cost_no_more_than_in_scikit_learn():
    hepatitis = load_dataset("hepatitis")
    table, labels = hepatitis.data, hepatitis.target
    assert table.isna().any().any()
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=5, random_state=0)
    cart = cross_val_score(DecisionTreeClassifier(random_state=0), table, labels, cv=folds).mean()
    for model in (ObliqueTreeClassifier(), LDTClassifier(unsafe_class=hepatitis.unsafe_class)):
        assert cross_val_score(model, table, labels, cv=folds).mean() > cart - 0.02
