"""What the tree classifiers do: alone, and as parts of scikit-learn's machinery."""

from __future__ import annotations

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tree_checks import assert_same_structure, assert_same_tree, bundled

from oblique import CategorySplit, LDTClassifier, LinearSplit, ObliqueTreeClassifier
from oblique.criteria import CRITERIA
from oblique.datasets import load_dataset
from oblique.finders import (
    AxisParallel,
    BestOf,
    Categories,
    FixedSplit,
    LinearDiscriminant,
    SafeAdjusted,
    SplitFinder,
)
from oblique.pruning import CostComplexity, SafePruning, pruning_path

NAN = float("nan")
X, Y = load_iris(return_X_y=True)


def noisy(n=400, d=4, n_classes=2, seed=3):
    """Real-valued rows, float32 numbers so that scikit-learn sees the same ones.

    With this seed no two columns offer equally good cuts near the root.
    """
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    score = table[:, 0] + 0.6 * table[:, 1] + 0.7 * rng.normal(size=n)
    return table, np.digitize(score, np.linspace(-1, 1, n_classes + 1)[1:-1])


def mixed_table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue", "grey"], n)
    frame = pd.DataFrame(
        {"size": rng.normal(size=n), "colour": pd.Categorical(colour), "age": rng.normal(size=n)}
    )
    warm = np.isin(colour, ["red", "grey"])
    return frame, np.where(warm ^ (frame["age"] > 1.0), "yes", "no")


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


# ---------------------------------------------------------------- categories


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


# ---------------------------------------------------------------- pruning


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


# ---------------------------------------------------------------- reproducibility


class RandomDirection(SplitFinder):
    """The best cut along a few random directions."""

    def __init__(self, n_directions=5):
        self.n_directions = n_directions

    def find_split(self, node, rng):
        from oblique.finders import best_cut_along

        return best_cut_along(node, rng.normal(size=(self.n_directions, node.n_features)))


@pytest.mark.parametrize("pruning", [None, CostComplexity()])
def test_same_seed_same_tree(pruning):
    table, labels = noisy()
    model = ObliqueTreeClassifier(finder=RandomDirection(), pruning=pruning, random_state=3)
    first = model.fit(table, labels).tree_
    p = np.random.default_rng(0).permutation(len(labels))
    assert_same_tree(model.fit(table, labels).tree_, first)
    assert_same_tree(model.fit(table[p], labels[p]).tree_, first)
    assert_same_tree(model.set_params(random_state=np.int64(3)).fit(table, labels).tree_, first)
    other = model.set_params(random_state=4).fit(table, labels).tree_
    assert not np.array_equal(other.weight_values, first.weight_values)


def test_random_state_object_is_drawn_from():
    table, labels = noisy()
    model = ObliqueTreeClassifier(finder=RandomDirection())
    state = np.random.RandomState(0)
    first = model.set_params(random_state=state).fit(table, labels).tree_
    second = model.fit(table, labels).tree_
    assert not np.array_equal(first.weight_values, second.weight_values)
    state = np.random.RandomState(0)
    assert_same_tree(model.set_params(random_state=state).fit(table, labels).tree_, first)


def test_global_random_state_is_left_alone():
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    ObliqueTreeClassifier(finder=RandomDirection(), pruning=CostComplexity()).fit(X, Y)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_number_of_jobs_does_not_matter():
    table, labels = bundled("pima")
    for model in (
        LDTClassifier(pruning="safe", random_state=0),
        ObliqueTreeClassifier(finder=RandomDirection(), random_state=0),
    ):
        alone = cross_val_score(model, table, labels, cv=4)
        assert (cross_val_score(model, table, labels, cv=4, n_jobs=2) == alone).all()


def fit_and_predict(table, labels, weights):
    assert not table.flags.writeable
    model = LDTClassifier(pruning="safe", random_state=0).fit(table, labels, weights)
    return model.tree_, model.predict_proba(table)


def test_read_only_memory_maps_in_other_processes():
    table, labels = bundled("pima")
    weights = np.random.default_rng(0).random(len(labels))
    job = joblib.delayed(fit_and_predict)(table, labels, weights)
    # Arrays beyond max_nbytes reach the workers as read-only memory maps.
    results = joblib.Parallel(n_jobs=2, max_nbytes=100)([job, job])
    model = LDTClassifier(pruning="safe", random_state=0).fit(table, labels, weights)
    for tree, shares in results:
        assert_same_tree(tree, model.tree_)
        assert (shares == model.predict_proba(table)).all()


# ---------------------------------------------------------------- scikit-learn's machinery


@pytest.mark.parametrize("data", [(X, Y), mixed_table()], ids=["numbers", "categories"])
@pytest.mark.parametrize("kind", [ObliqueTreeClassifier, LDTClassifier])
def test_pickle(kind, data):
    table, labels = data
    model = kind(pruning=CostComplexity(), random_state=0).fit(table, labels)
    again = pickle.loads(pickle.dumps(model))
    assert_same_tree(again.tree_, model.tree_)
    assert (again.predict_proba(table) == model.predict_proba(table)).all()
    assert (again.feature_importances_ == model.feature_importances_).all()
    # What comes back can be fitted again.
    assert_same_tree(again.fit(table, labels).tree_, model.tree_)


def test_parameters_of_parts():
    finder = BestOf(SafeAdjusted(LinearDiscriminant(min_samples=5)), AxisParallel())
    model = ObliqueTreeClassifier(finder=finder, pruning=CostComplexity())
    params = model.get_params()
    assert params["finder__0__finder__min_samples"] == 5
    assert params["finder__1__threshold"] == "midpoint"
    assert params["pruning__se_rule"] == 0.0
    copy = clone(model)
    copy.set_params(
        finder__1__threshold="safe", finder__0__mode="pure", finder__0__finder__min_samples=9,
        pruning__se_rule=1.0,
    )  # fmt: skip
    assert copy.finder.finders[1].threshold == "safe"
    assert copy.finder.finders[0].mode == "pure"
    assert copy.finder.finders[0].finder.min_samples == 9
    assert copy.pruning.se_rule == 1.0
    # The original and its parts are as they were.
    assert model.get_params()["finder__1__threshold"] == "midpoint"
    assert finder.finders[0].finder.min_samples == 5
    copy.set_params(finder__1=Categories())
    assert isinstance(copy.finder.finders[1], Categories)
    with pytest.raises(ValueError, match="'2' is not a parameter of BestOf: use finders, or 0 to"):
        copy.set_params(finder__2=Categories())
    with pytest.raises(ValueError, match="Invalid parameter"):
        copy.set_params(finder__1__depth=3)


def test_clone_is_not_fitted_and_shares_no_part():
    model = LDTClassifier(pruning=SafePruning(), unsafe_class=1, random_state=0).fit(X, Y)
    copy = clone(model)
    assert not hasattr(copy, "tree_")
    assert copy.pruning is not model.pruning
    assert_same_tree(copy.fit(X, Y).tree_, clone(copy).fit(X, Y).tree_)


def test_fitting_leaves_parameters_alone():
    for model in (
        LDTClassifier(pruning="safe"),
        ObliqueTreeClassifier(finder=BestOf(AxisParallel(), Categories())),
    ):
        before = str(model.get_params())
        assert str(model.fit(X, Y).get_params()) == before


def test_printing():
    model = ObliqueTreeClassifier(finder=BestOf(AxisParallel(), Categories()), max_depth=3)
    assert "AxisParallel" in repr(model)
    assert "max_depth=3" in repr(model)
    assert repr(BestOf(AxisParallel("safe"))) == "BestOf(AxisParallel(threshold='safe'))"
    assert "ObliqueTreeClassifier" in model._repr_html_()
    assert "tree" in model.fit(X, Y)._repr_html_()


def test_grid_search_over_a_part():
    table, labels = bundled("bupa")
    model = ObliqueTreeClassifier(
        finder=BestOf(AxisParallel(), LinearDiscriminant()), pruning=CostComplexity(),
        random_state=0,
    )  # fmt: skip
    grid = {
        "finder__0__threshold": ["midpoint", "safe"],
        "finder__1": [LinearDiscriminant(), SafeAdjusted()],
        "pruning__se_rule": [0.0, 1.0],
        "min_samples_leaf": np.array([1, 5]),
    }
    search = GridSearchCV(model, grid, cv=3).fit(table, labels)
    assert len(search.cv_results_["params"]) == 16
    assert len(set(search.cv_results_["mean_test_score"])) > 2
    best = clone(model).set_params(**search.best_params_).fit(table, labels)
    assert_same_tree(search.best_estimator_.tree_, best.tree_)


def test_pipeline():
    table, labels = bundled("pima")
    pipe = make_pipeline(StandardScaler(), LDTClassifier()).set_output(transform="pandas")
    pipe.fit(table, labels, ldtclassifier__sample_weight=np.ones(len(labels)))
    assert pipe.score(table, labels) > 0.9
    assert pipe[-1].feature_names_in_[0] == "x0"
    # Axis-parallel tests do not mind how columns are shifted and scaled.
    plain = ObliqueTreeClassifier(finder=AxisParallel())
    scaled = make_pipeline(StandardScaler(), clone(plain)).fit(table, labels)
    assert_same_structure(scaled[-1].tree_, plain.fit(table, labels).tree_)


def test_calibration():
    table, labels = bundled("pima")
    model = ObliqueTreeClassifier(max_depth=4)
    calibrated = CalibratedClassifierCV(model, cv=3).fit(table, labels)
    assert calibrated.score(table, labels) > 0.7
    np.testing.assert_allclose(calibrated.predict_proba(table).sum(axis=1), 1.0)


def test_permutation_importance():
    table, labels = noisy()
    model = ObliqueTreeClassifier(max_depth=3).fit(table, labels)
    result = permutation_importance(model, table, labels, n_repeats=5, random_state=0)
    assert result.importances_mean.argmax() == 0
    assert result.importances_mean[:2].min() > result.importances_mean[2:].max()
