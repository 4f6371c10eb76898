"""Indecision trees: the paper's example, exact leaf probabilities, and hard data as a limit."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import ndtr
from sklearn import config_context
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import cross_validate
from sklearn.tree import DecisionTreeClassifier

from oblique import (
    IndecisionTreeClassifier,
    LinearSplit,
    ObliqueTreeClassifier,
    Tree,
    load,
    save,
)
from oblique.criteria import impurity
from oblique.finders import AxisParallel, BestOf, Categories, LinearDiscriminant
from oblique.indecision import (
    NumericClauses,
    UncertainTable,
    class_probabilities,
    leaf_probabilities,
    node_probabilities,
)
from oblique.indecision import node as node_module
from oblique.indecision.node import UncertainNode, UncertainRows, order_rows
from oblique.induction import grow_node_by_node
from oblique.stopping import Stopping
from oblique.tree import ARRAYS

# Height, tail, weight and breed (R, B or C) of figure 1 of Kent & Menager (2022).
DOGS = np.array(
    [
        (23, 10, 76), (13, 6, 21), (24, 10, 39), (21, 10, 32), (16, 12, 23), (19, 11, 65),
        (22, 10, 42), (20, 4, 68), (15, 9, 24), (22, 7, 72),
    ],
    dtype=float,
)  # fmt: skip
COLOURS = ["Blond", "Brown", "Black", "Brown", "Brown", "Brown", "Brown", "Black", "Brown", "Blond"]
BREEDS = np.array(list("RBCCBRCRBR"))


def root(X, y, std=0.0, *, by_feature=True, floor=0.0, criterion="entropy", **more):
    cases = UncertainTable(X, std, **more)
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    flags = np.zeros(cases.shape[1], dtype=bool)
    flags[list(cases.probabilities)] = True
    table = UncertainRows(
        cases, codes, None, int(codes.max()) + 1, by_feature=by_feature, floor=floor,
        least_rest=0.5, criterion=criterion, categorical=flags if flags.any() else None,
    )  # fmt: skip
    return UncertainNode.make_root(table, order_rows(cases, codes, None), np.ones(len(codes)))


def height_gain(threshold, sigma):
    std = np.zeros(DOGS.shape)
    std[:, 0] = sigma
    # The paper's clause is height >= t: a height of t itself goes to the other side.
    return root(DOGS, BREEDS, std).gain(LinearSplit.axis(0, np.nextafter(threshold, -1), 3))


# ---------------------------------------------------------------- the paper's example


def test_entropy_of_the_dogs():
    assert impurity("entropy", [4, 3, 3]) == pytest.approx(1.5709506, abs=1e-7)
    assert impurity("entropy", [7, 3]) == pytest.approx(0.8812909, abs=1e-7)
    assert impurity("entropy", [3, 3]) == pytest.approx(1.0)
    assert impurity("entropy", [3, 1]) == pytest.approx(0.8112781, abs=1e-7)


@pytest.mark.parametrize(
    ("feature", "gains"),
    [
        (0, {14: 0.193507, 15.5: 0.446439, 17.5: 0.881291, 19.5: 0.646439, 20: 0.646439,
             20.5: 0.600000, 21.5: 0.295462, 22.5: 0.121928, 23.5: 0.193507}),
        (1, {5: 0.144484, 6.5: 0.121928, 8: 0.205802, 9.5: 0.295462, 10.5: 0.121928,
             11.5: 0.193507}),
        (2, {22: 0.193507, 23.5: 0.446439, 28: 0.881291, 35.5: 0.695462, 40.5: 0.724511,
             53.5: 0.970951, 66.5: 0.556780, 70: 0.321928, 74: 0.144484}),
    ],
)  # fmt: skip
def test_hard_gains_of_the_dogs(feature, gains):
    node = root(DOGS, BREEDS)
    for threshold, gain in gains.items():
        split = LinearSplit.axis(feature, np.nextafter(threshold, -1), 3)
        assert node.gain(split) == pytest.approx(gain, abs=1e-6)


@pytest.mark.parametrize(
    ("sigma", "threshold", "gain"),
    [
        (2.5, 17.5, 0.423765), (2.5, 20, 0.347469), (2.5, 20.5, 0.314027), (2.5, 21.5, 0.242269),
        (2.5, 22.5, 0.173662), (2.5, 23.5, 0.115774), (0.5, 20, 0.593402), (1, 20, 0.524760),
        (10, 20, 0.044429), (1e-9, 19.999, 0.646439),
    ],
)  # fmt: skip
def test_uncertain_gains_of_the_dogs(sigma, threshold, gain):
    assert height_gain(threshold, sigma) == pytest.approx(gain, abs=1e-6)


def test_sides_of_height_20_under_uncertainty():
    std = np.zeros(DOGS.shape)
    std[:, 0] = 2.5
    parts = root(DOGS, BREEDS, std).divide(LinearSplit.axis(0, 20.0, 3))
    assert parts.sides[1].sum() == pytest.approx(4.986525, abs=1e-6)
    assert impurity("entropy", parts.sides[1]) == pytest.approx(1.102177, abs=1e-6)
    assert impurity("entropy", parts.sides[0]) == pytest.approx(1.344134, abs=1e-6)


@pytest.mark.parametrize(
    ("colour", "gain"), [("Black", 0.121928), ("Blond", 0.321928), ("Brown", 0.370951)]
)
def test_gains_of_colours(colour, gain):
    names = sorted(set(COLOURS))
    share = np.array([[float(c == name) for name in names] for c in COLOURS])
    node = root(np.zeros((10, 1)), BREEDS, probabilities={0: share})
    seen, counts, _ = node.category_counts(0)
    left = names.index(colour)
    from oblique.criteria import gain as gain_of

    others = counts[seen != left].sum(axis=0)
    assert gain_of("entropy", counts[left], others) == pytest.approx(gain, abs=1e-6)


def test_candidates_stand_between_groups_of_means():
    """The best clause of all is weight >= 53.5, and height's is 17.5."""
    rng = np.random.default_rng(0)
    best = NumericClauses().find_split(root(DOGS, BREEDS), rng)
    assert (best.feature, best.threshold) == (2, 53.5)
    best = NumericClauses().find_split(root(DOGS[:, :1], BREEDS), rng)
    assert best.threshold == 17.5


def test_running_example_of_an_uncertain_dog():
    """Height 22 +- 2.5 of one dog: 0.79 below 24, of which 60 and 40 % make 0.47 and 0.32."""
    tree = Tree.from_nested(
        {
            "weights": {"height": 1.0}, "threshold": 24.0,
            "left": {"counts": {"R": 60, "C": 40}}, "right": {"counts": {"B": 1}},
        }, classes=["R", "C", "B"],
    )  # fmt: skip
    dog = UncertainTable([[22.0]], 2.5)
    assert leaf_probabilities(tree, dog)[0, 0] == pytest.approx(0.7881446, abs=1e-7)
    shares = class_probabilities(tree, dog)[0]
    np.testing.assert_allclose(shares, [0.472887, 0.315258, 0.211855], atol=1e-6)


# ---------------------------------------------------------------- hard data as the limit


def assert_same_tree(a, b):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_exact_values_give_the_hard_tree(criterion):
    X, y = load_iris(return_X_y=True)
    hard = ObliqueTreeClassifier(finder=AxisParallel(), criterion=criterion).fit(X, y)
    soft = IndecisionTreeClassifier(criterion=criterion).fit(X, y, X_std=np.zeros(X.shape))
    assert_same_tree(soft.tree_, hard.tree_)
    np.testing.assert_array_equal(soft.predict_proba(X), hard.predict_proba(X))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["entropy", "gini"]), st.booleans())
def test_the_uncertain_loop_grows_the_hard_tree_on_exact_values(seed, criterion, by_feature):
    """Not by the short cut for exact values: every node is an uncertain one."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (60, 3)).astype(float)
    X[:, 2] = rng.normal(size=60)
    y = rng.integers(0, 3, 60)
    hard = ObliqueTreeClassifier(finder=AxisParallel(), criterion=criterion).fit(X, y).tree_
    node = root(X, y, by_feature=by_feature, criterion=criterion)
    # Sums of parts are formed in another order, so ties may fall another way: compare depths of
    # gain rather than the cuts.
    limits = Stopping().resolve(60, 60.0)
    soft = grow_node_by_node(node, limits, NumericClauses(), rng).clothe(
        criterion=criterion, n_features=3
    )
    assert soft.n_leaves == hard.n_leaves
    np.testing.assert_array_equal(soft.predict_codes(X), hard.predict_codes(X))
    np.testing.assert_array_equal(soft.threshold[0], hard.threshold[0])


def test_tiny_deviations_give_the_hard_tree():
    X, y = load_iris(return_X_y=True)
    hard = ObliqueTreeClassifier(finder=AxisParallel()).fit(X, y)
    soft = IndecisionTreeClassifier().fit(X, y, X_std=np.full(X.shape, 1e-9))
    assert_same_tree(soft.tree_, hard.tree_)


def test_known_categories_give_the_hard_tree():
    frame = pd.DataFrame(DOGS, columns=["height", "tail", "weight"]).assign(colour=COLOURS)
    hard = ObliqueTreeClassifier(finder=BestOf(AxisParallel(), Categories())).fit(frame, BREEDS)
    soft = IndecisionTreeClassifier().fit(frame, BREEDS)
    assert_same_tree(soft.tree_, hard.tree_)
    np.testing.assert_array_equal(soft.predict(frame), BREEDS)


# ---------------------------------------------------------------- independence


def two_steps(first, second):
    """x <= first? then second; x0 only."""
    return Tree.from_nested(
        {
            "weights": {"x": 1.0}, "threshold": first, "left": {"counts": {"a": 1}},
            "right": {
                "weights": {"x": 1.0}, "threshold": second,
                "left": {"counts": {"b": 1}}, "right": {"counts": {"c": 1}},
            },
        }
    )  # fmt: skip


def test_clauses_on_one_feature():
    """X ~ N(0, 1), x > 0 then x > 1."""
    tree, case = two_steps(0.0, 1.0), UncertainTable([[0.0]], 1.0)
    exact = leaf_probabilities(tree, case)[0]
    np.testing.assert_allclose(exact, [0.5, 0.3413447, 0.1586553], atol=1e-7)
    product = leaf_probabilities(tree, case, "clause")[0]
    np.testing.assert_allclose(product, [0.5, 0.4206724, 0.0793276], atol=1e-7)
    assert product.sum() == pytest.approx(1.0)


def test_training_weights_follow_the_independence():
    """Every row's weight in a leaf is its probability of being there."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    y = ((X[:, 0] > -0.5) & (X[:, 0] < 0.7)).astype(int)
    for independence, method in (("feature", "exact"), ("clause", "clause")):
        model = IndecisionTreeClassifier(independence=independence, weight_floor=0.0, max_depth=4)
        model.fit(X, y, X_std=np.full(X.shape, 0.3))
        reach = node_probabilities(model.tree_, UncertainTable(X, 0.3), method)
        expected = np.stack([reach[y == k].sum(axis=0) for k in (0, 1)], axis=1)
        np.testing.assert_allclose(model.tree_.counts, expected, atol=1e-9)


def test_the_floor_moves_little():
    X, y = make_classification(300, 5, random_state=0)
    std = np.full(X.shape, 0.3)
    free = IndecisionTreeClassifier(weight_floor=0.0, max_depth=4).fit(X, y, X_std=std)
    floored = IndecisionTreeClassifier(weight_floor=1e-4, max_depth=4).fit(X, y, X_std=std)
    np.testing.assert_array_equal(free.tree_.threshold, floored.tree_.threshold)
    assert np.abs(free.tree_.counts - floored.tree_.counts).max() <= 1e-4 * 300 * 4
    assert floored.tree_.counts[floored.tree_.leaves].sum() == pytest.approx(300)


# ---------------------------------------------------------------- search for thresholds


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.02, 0.2, 1.0]), st.integers(2, 4))
def test_search_finds_the_best_candidate(seed, spread, n_classes):
    """Against the gain of every candidate, with deviations of different octaves."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 250))
    X = np.round(rng.normal(size=(n, 2)), int(rng.integers(1, 4)))
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    std = spread * rng.lognormal(0.0, 1.0, X.shape) * (rng.random(X.shape) < 0.9)
    node = root(X, y, std, floor=1e-9)
    best = NumericClauses().find_split(node, rng)
    gains = [0.0]
    for j in range(2):
        values = np.unique(X[:, j])
        pure = [set(y[X[:, j] == value]) for value in values]
        for i in range(values.size - 1):
            if len(pure[i] | pure[i + 1]) > 1:
                middle = (values[i] + values[i + 1]) / 2
                gains.append(node.gain(LinearSplit.axis(j, middle, 2)))
    found = 0.0 if best is None else node.gain(best)
    assert found == pytest.approx(max(gains), abs=1e-5)


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(-1, 31), st.integers(0, 40))
@settings(deadline=None)
def test_places_are_found_from_any_start(values, wanted, near):
    from oblique.indecision import _kernels

    ascending = np.sort(np.array(values, dtype=float))
    found = _kernels._first_at_least.py_func(ascending, ascending.size, wanted, near)
    assert found == np.searchsorted(ascending, wanted)


def test_tables_of_few_rows_change_nothing(monkeypatch):
    """A node that gets a table of its own sees what it saw in the whole one."""
    rng = np.random.default_rng(5)
    X, y = make_classification(150, 5, random_state=5)
    X[::7, 1] = np.nan
    spread = rng.gamma(1.0, 0.2, (150, 5))
    spread[:, 4] = 0.0
    cases = UncertainTable(
        X, covariance=np.einsum("ni,ij->nij", spread**2, np.eye(5)),
        probabilities={4: rng.dirichlet(np.ones(3), 150)},
    )  # fmt: skip
    model = IndecisionTreeClassifier(directions=LinearDiscriminant("criterion"))
    weights = rng.integers(1, 4, 150)
    own = model.fit(cases, y, sample_weight=weights).tree_
    assert own.max_depth > 4
    monkeypatch.setattr(node_module, "_SPARSE", 10**9)
    assert_same_tree(own, model.fit(cases, y, sample_weight=weights).tree_)


def test_refining_gains():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 1))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    node = root(X, y, 0.5)
    plain, refined = (
        NumericClauses().find_split(node, rng),
        NumericClauses(True).find_split(node, rng),
    )
    assert node.gain(refined) >= node.gain(plain)
    grid = [node.gain(LinearSplit.axis(0, t, 1)) for t in np.linspace(-1.5, 1.5, 3001)]
    near = np.abs(np.linspace(-1.5, 1.5, 3001) - plain.threshold) < 0.02
    assert node.gain(refined) >= np.array(grid)[near].max() - 1e-9


# ---------------------------------------------------------------- Monte Carlo


def monte_carlo(tree, case, n=1_000_000, seed=0):
    rows = case.sample(n, np.random.default_rng(seed))[0]
    shares = tree.distribution(rows)
    return shares.mean(axis=0), shares.std(axis=0) / np.sqrt(n)


def test_class_probabilities_agree_with_samples():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] * X[:, 2] > 0)
    model = IndecisionTreeClassifier(min_samples_leaf=5).fit(X, y, X_std=np.full(X.shape, 0.2))
    assert model.tree_.n_leaves > 10
    case = UncertainTable([[0.1, -0.2, 0.3]], [[0.5, 1.0, 0.3]])
    mean, error = monte_carlo(model.tree_, case)
    assert (np.abs(model.predict_proba(case)[0] - mean) <= 3.0 * error + 1e-12).all()


def test_discrete_features_agree_with_samples():
    rng = np.random.default_rng(6)
    share = rng.dirichlet(np.full(4, 0.3), 200)
    place = share.argmax(axis=1)
    X = np.column_stack([rng.normal(size=200), np.zeros(200)])
    y = (place % 2 == 0) ^ (X[:, 0] > 0.3)
    cases = UncertainTable(X, [[0.3, 0.0]] * 200, probabilities={1: share})
    for independence in ("feature", "clause"):
        model = IndecisionTreeClassifier(independence=independence, min_samples_leaf=3)
        model.fit(cases, y)
        reach = leaf_probabilities(model.tree_, cases, model._method())
        np.testing.assert_allclose(reach.sum(axis=1), 1.0)
    exact = IndecisionTreeClassifier(min_samples_leaf=3).fit(cases, y)
    case = UncertainTable([[0.2, 0.0]], [[0.5, 0.0]], probabilities={1: [[0.1, 0.2, 0.3, 0.4]]})
    mean, error = monte_carlo(exact.tree_, case)
    assert (np.abs(exact.predict_proba(case)[0] - mean) <= 3.0 * error + 1e-12).all()


def test_missing_values_take_both_branches():
    X, y = load_iris(return_X_y=True)
    model = IndecisionTreeClassifier(max_depth=3)
    with_gaps = X.copy()
    with_gaps[::5, 2] = np.nan
    model.fit(with_gaps, y, X_std=np.full(X.shape, 0.1))
    assert model.tree_.counts[model.tree_.leaves].sum() == pytest.approx(150)
    blank = UncertainTable([[np.nan] * 4], 0.1)
    np.testing.assert_allclose(
        model.predict_proba(blank), model.tree_.distribution([[np.nan] * 4]), atol=1e-12
    )


# ---------------------------------------------------------------- the estimator


def test_order_of_rows_does_not_count():
    X, y = make_classification(120, 4, random_state=1)
    std = np.random.default_rng(0).gamma(1.0, 0.2, X.shape)
    X[10], y[10] = X[11], y[11]
    first = IndecisionTreeClassifier(directions=LinearDiscriminant()).fit(X, y, X_std=std)
    mix = np.random.default_rng(1).permutation(120)
    again = IndecisionTreeClassifier(directions=LinearDiscriminant())
    again.fit(X[mix], y[mix], X_std=std[mix])
    assert_same_tree(first.tree_, again.tree_)


def test_labels_may_be_distributions():
    X, y = load_iris(return_X_y=True)
    std = np.full(X.shape, 0.1)
    certain = np.eye(3)[y]
    a = IndecisionTreeClassifier(max_depth=3).fit(X, y, X_std=std)
    b = IndecisionTreeClassifier(max_depth=3).fit(X, certain, X_std=std)
    np.testing.assert_allclose(a.tree_.counts, b.tree_.counts)
    names = pd.DataFrame(0.9 * certain + 0.1 / 3, columns=["s", "ve", "vi"])
    c = IndecisionTreeClassifier(max_depth=3).fit(X, names)
    assert c.classes_.tolist() == ["s", "ve", "vi"]
    np.testing.assert_allclose(c.tree_.counts[0], names.sum())
    with pytest.raises(ValueError, match=r"y\[2\] sums to 0.5"):
        IndecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], [[1, 0], [0, 1], [0.5, 0.0]])


@pytest.mark.parametrize(
    ("columns", "values", "message"),
    [
        (["a", "a"], 0.5, "different class names of one type, got"),
        (["a", 1], 0.5, "different class names of one type, got"),
        (["a", "b"], 0.5 + 1j, "a table of class probabilities, must hold numbers"),
    ],
)
def test_bad_label_distributions_are_named(columns, values, message):
    y = pd.DataFrame(np.full((10, 2), values), columns=columns)
    with pytest.raises(ValueError, match=message):
        IndecisionTreeClassifier().fit(DOGS, y)


def test_weights_of_rows_with_label_distributions_are_named():
    X, y = np.zeros((4, 1)), np.full((4, 2), 0.5)
    with pytest.raises(ValueError, match=r"sample_weight\[2\]=-1.0 must be a finite"):
        IndecisionTreeClassifier().fit(X, y, sample_weight=[1, 1, -1, 1])
    with pytest.raises(ValueError, match=r"must have one weight a row, shape \(4,\)"):
        IndecisionTreeClassifier().fit(X, y, sample_weight=[1, 1])


def test_metadata_routing_carries_the_deviations():
    X, y = load_iris(return_X_y=True)
    std = np.full(X.shape, 0.1)
    with config_context(enable_metadata_routing=True):
        model = IndecisionTreeClassifier(max_depth=3)
        model.set_fit_request(X_std=True).set_score_request(X_std=True)
        scores = cross_validate(model, X, y, params={"X_std": std}, cv=3)["test_score"]
    assert scores.min() > 0.85


def test_tables_and_arrays_are_the_same():
    X, y = load_iris(return_X_y=True, as_frame=True)
    std = pd.DataFrame(0.1, index=X.index, columns=X.columns)
    table = UncertainTable(X, std, feature_names=list(X.columns))
    a = IndecisionTreeClassifier().fit(X, y, X_std=std)
    b = IndecisionTreeClassifier().fit(table, y)
    assert_same_tree(a.tree_, b.tree_)
    np.testing.assert_array_equal(a.feature_names_in_, b.feature_names_in_)
    np.testing.assert_array_equal(a.predict_proba(X, std), b.predict_proba(table))
    np.testing.assert_array_equal(a.predict(X, std[X.columns[::-1]]), b.predict(table))
    assert a.decision_path(X, std).shape == (150, a.tree_.n_nodes)
    assert a.score(X, y, X_std=std) == (a.predict(X, std) == y).mean()


def test_values_are_matched_by_name():
    share = [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.3, 0.7]]
    train = UncertainTable(np.zeros((4, 1)), probabilities={0: share}, values={0: ("a", "b")})
    model = IndecisionTreeClassifier().fit(train, [0, 0, 1, 1])
    same = UncertainTable(
        [[0.0]], probabilities={0: [[0.5, 0.3, 0.2]]}, values={0: ("new", "b", "a")}
    )
    missing_left = model.tree_.missing_left[0]
    reach = model.decision_path(same).toarray()[0]
    goes_left = 0.2 if model.tree_.split(0).categories == (0,) else 0.3
    assert reach[1] == pytest.approx(goes_left + 0.5 * missing_left)


@pytest.mark.parametrize("method", ["exact", "moments", "clause"])
def test_hard_trees_can_be_asked(method):
    X, y = load_iris(return_X_y=True)
    cases = UncertainTable(X[::10], 0.2)
    for model in (
        DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y),
        ObliqueTreeClassifier(max_depth=3).fit(X, y),
    ):
        shares = class_probabilities(model, cases, method)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
        exact = class_probabilities(model, UncertainTable(X[::10], 0.0), method)
        np.testing.assert_allclose(exact, model.predict_proba(X[::10]), atol=1e-12)


def test_saving_and_loading(tmp_path):
    frame = pd.DataFrame(DOGS, columns=["height", "tail", "weight"]).assign(colour=COLOURS)
    std = pd.DataFrame(0.0, index=frame.index, columns=frame.columns).assign(height=2.5)
    model = IndecisionTreeClassifier(directions=LinearDiscriminant(min_samples=2), refine=True)
    model.fit(frame, BREEDS, X_std=std)
    save(model, tmp_path / "dogs.json")
    loaded = load(tmp_path / "dogs.json")
    np.testing.assert_array_equal(loaded.predict_proba(frame, std), model.predict_proba(frame, std))
    assert repr(loaded) == repr(model)


@pytest.mark.parametrize(
    ("parameters", "fit", "message"),
    [
        ({"independence": "none"}, {}, "independence='none'"),
        ({"criterion": "twoing"}, {}, "criterion='twoing'"),
        ({"weight_floor": 0.5}, {}, "weight_floor=0.5 must be a number from 0 to 0.1"),
        ({"min_samples_rest": -1}, {}, "min_samples_rest=-1"),
        ({"min_samples_rest": True}, {}, "min_samples_rest=True must be a number"),
        ({"assumed_noise": np.nan}, {}, "assumed_noise=nan must be a number"),
        ({"criterion": ["entropy"]}, {}, r"criterion=\['entropy'\] is not known"),
        ({"refine": "no"}, {}, "refine='no' must be True or False"),
        ({"refine": 1}, {}, "refine=1 must be True or False"),
        ({"leaf_probability": "mc"}, {}, "leaf_probability='mc'"),
        ({}, {"X_std": [[-1.0]] * 10}, r"X_std\[0, 0\]=-1.0 must be a finite standard"),
        ({}, {"X_std": [[0.1] * 3] * 10}, r"X_std must have the shape of X, \(10, 1\)"),
        ({}, {"X_std": [[np.nan]] * 10}, r"X_std\[0, 0\]=nan"),
        ({}, {"X_std": np.full((10, 1), 1j)}, "X_std must hold numbers: got complex128"),
        ({}, {"X_std": np.ones((10, 1), dtype=bool)}, "X_std must hold standard deviations"),
        ({}, {"X_std": csr_array(np.ones((10, 1)))}, "X_std must be a dense array"),
        ({}, {"X_std": np.ma.masked_all((10, 1))}, r"X_std\[0, 0\]=nan"),
    ],
)
def test_bad_input_is_named(parameters, fit, message):
    with pytest.raises(ValueError, match=message):
        IndecisionTreeClassifier(**parameters).fit(DOGS[:, :1], BREEDS, **fit)


def test_deviation_comes_once():
    table = UncertainTable(DOGS, 1.0)
    with pytest.raises(ValueError, match="X_std must be None where X is an UncertainTable"):
        IndecisionTreeClassifier().fit(table, BREEDS, X_std=np.ones(DOGS.shape))
    with pytest.raises(TypeError, match="tree must be a Tree, got IndecisionTreeClassifier"):
        node_probabilities(IndecisionTreeClassifier(), table)
    with pytest.raises(TypeError, match="cases must be an UncertainTable, got ndarray"):
        leaf_probabilities(two_steps(0.0, 1.0), DOGS)
    with pytest.raises(TypeError, match="cases must be an UncertainTable, got list"):
        class_probabilities(two_steps(0.0, 1.0), [[1.0]])


def test_phi_is_the_normal_distribution():
    from oblique.indecision import _kernels

    z = np.linspace(-8, 8, 4001)
    quick = np.array([_kernels._quick_phi.py_func(value) for value in z])
    np.testing.assert_allclose(quick, ndtr(z), atol=1e-9)
    dense = np.array([_kernels._quick_density.py_func(value) for value in z])
    np.testing.assert_allclose(dense, np.exp(-z * z / 2) / np.sqrt(2 * np.pi), atol=1e-8)


@pytest.mark.parametrize("scale", [2.0**-40, 2.0**40, 2.0**900])
def test_units_do_not_matter(scale):
    X, y = make_classification(200, 4, random_state=2)
    std = np.full(X.shape, 0.1)
    a = IndecisionTreeClassifier().fit(X, y, X_std=std)
    b = IndecisionTreeClassifier().fit(X * scale, y, X_std=std * scale)
    np.testing.assert_array_equal(a.tree_.threshold * scale, b.tree_.threshold)
    # Rows are summed in an order that depends on their content.
    np.testing.assert_allclose(a.tree_.counts, b.tree_.counts, rtol=1e-12)
    shares = b.predict_proba(X * scale, std * scale)
    np.testing.assert_allclose(a.predict_proba(X, std), shares, rtol=1e-12)
