"""Decision surfaces of fitted models: predictions change, properties hold, input is checked."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import KINDS, random_cases, random_tree
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from oblique import DecisionSurface, LDTClassifier, ObliqueTreeClassifier, Tree
from oblique.finders import AxisParallel
from oblique.sensitivity import surface as surface_module
from projection import Metric

INF = float("inf")


def stump(threshold=5.0):
    return Tree.from_nested(
        {
            "weights": {"a": 1.0},
            "threshold": threshold,
            "left": {"counts": {"no": 3, "yes": 0}},
            "right": {"counts": {"no": 0, "yes": 2}},
        },
        feature_names=("a", "b"),
    )


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(KINDS))
    d = draw(st.integers(1, 6))
    tree, scale = random_tree(rng, d, draw(st.integers(2, 30)), kind)
    X = random_cases(rng, 8, d, kind, scale)
    return tree, Metric(scale, draw(st.sampled_from([1.0, 2.0, INF]))), X, rng


@settings(max_examples=60, deadline=None)
@given(problems())
def test_distances_are_lipschitz(problem):
    """|s(x) - s(y)| <= d(x, y) for one class; s(x) + s(y) <= d(x, y) across the surface."""
    tree, metric, X, _ = problem
    surface = DecisionSurface(tree, metric)
    s, own = surface.nearest(X).distance, tree.predict_codes(X)
    for i in range(len(X)):
        for j in range(i):
            between = metric.distance(X[i], X[j])
            slack = 1e-9 * (1 + between + np.abs(X / metric.scale).max())
            if own[i] == own[j] and np.isfinite(s[i]):
                assert abs(s[i] - s[j]) <= between + slack
            elif own[i] != own[j]:
                # a leaf without interior is no part of the surface
                open_leaves = surface._open_leaves[tree.apply(X[[i, j]])]
                assert s[i] + s[j] <= between + slack or not open_leaves.all()


@settings(max_examples=60, deadline=None)
@given(problems())
def test_limits_never_shorten_and_are_kept_by_the_counterfactual(problem):
    tree, metric, X, rng = problem
    choice = rng.choice(["free", "frozen", "rise", "fall"], size=tree.n_features)
    free = DecisionSurface(tree, metric).nearest(X)
    limited = DecisionSurface(
        tree,
        metric,
        frozen=np.flatnonzero(choice == "frozen").tolist(),
        not_decreasing=np.flatnonzero(choice == "rise").tolist(),
        not_increasing=np.flatnonzero(choice == "fall").tolist(),
    )
    near = limited.nearest(X)
    assert (near.distance >= free.distance * (1 - 1e-9) - 1e-12).all()
    found = near.status == "found"
    move = near.counterfactual[found] - X[found]
    assert (move[:, choice == "frozen"] == 0).all()
    assert (move >= 0)[:, choice == "rise"].all()
    assert (move <= 0)[:, choice == "fall"].all()
    own = tree.predict_codes(X)
    assert (tree.predict_codes(near.counterfactual[found]) != own[found]).all()
    # distances without counterfactuals are the same: no cell is counted that cannot be entered
    by_class = limited.distances_by_class(X)
    by_class[np.arange(len(X)), own] = INF
    np.testing.assert_allclose(by_class.min(axis=1), near.distance, rtol=1e-9, atol=1e-12)


def test_a_test_that_the_limits_hold_lets_the_others_be_stepped_over():
    """The case lies on the first test, which no allowed move leads away from."""
    near = {"counts": {"near": 1}}
    second = {
        "weights": {"a": 2.0, "b": 1.0, "c": 2.0, "d": -1.0, "e": -2.0}, "threshold": 1.0,
        "left": {"counts": {"far": 1}}, "right": near,
    }  # fmt: skip
    first = {"weights": {"b": 2.0, "c": -1.0, "d": -2.0, "e": 1.0}, "threshold": -1.0}
    tree = Tree.from_nested({**first, "left": second, "right": near}, feature_names=tuple("abcde"))
    surface = DecisionSurface(
        tree, Metric(np.ones(5), INF),
        frozen=["d"], not_decreasing=["b", "e"], not_increasing=["a", "c"],
    )  # fmt: skip
    x = np.array([[0.0, 1.0, 2.0, 1.0, 1.0]])
    found = surface.nearest(x)
    assert found.status[0] == "found"
    assert found.distance[0] == pytest.approx(0.5, rel=1e-12)
    np.testing.assert_allclose(found.counterfactual, [[-0.5, 1.0, 2.0, 1.0, 1.0]], rtol=1e-12)
    assert surface.distances_by_class(x).max() == pytest.approx(0.5, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_distances_by_class(problem):
    tree, metric, X, _ = problem
    surface = DecisionSurface(tree, metric)
    by_class = surface.distances_by_class(X)
    own = tree.predict_codes(X)
    assert (by_class[np.arange(len(X)), own] == 0).all()
    by_class[np.arange(len(X)), own] = INF
    np.testing.assert_allclose(
        by_class.min(axis=1), surface.nearest(X).distance, rtol=1e-9, atol=1e-12
    )


@settings(max_examples=60, deadline=None)
@given(problems())
def test_threshold_sensitivity_is_the_minimax_over_all_leaves(problem):
    tree, metric, X, _ = problem
    own = tree.predict_codes(X)
    weights = tree.weights.toarray()
    lengths = {
        "metric": np.linalg.norm(weights * metric.scale, axis=1),
        "normal": np.linalg.norm(weights, axis=1),
        "raw": np.ones(tree.n_nodes),
    }
    surface = DecisionSurface(tree, metric)
    for units, length in lengths.items():
        expected = np.full(len(X), INF)
        for leaf in tree.leaves.tolist():
            largest = np.zeros(len(X))
            for node, went_left in tree.path(leaf):
                excess = (X @ weights[node] - tree.threshold[node]) / length[node]
                largest = np.maximum(largest, excess if went_left else -excess)
            expected = np.where(own == tree.labels[leaf], expected, np.minimum(expected, largest))
        answer = surface.threshold_sensitivity(X, units=units)
        np.testing.assert_allclose(answer, expected, rtol=1e-9, atol=1e-12 * metric.scale.max())


def test_a_bound_between_threshold_and_euclidean_sensitivity():
    """max |h| along unit normals bounds the distance to the leaf from below (no empty leaves)."""
    X, y = load_breast_cancer(return_X_y=True)
    model = LDTClassifier(unsafe_class=0).fit(X, y)
    surface = DecisionSurface(model, X=X)
    assert (
        surface.threshold_sensitivity(X) <= surface.nearest(X).distance * (1 + 1e-9) + 1e-12
    ).all()


@pytest.mark.parametrize("norm", [1, 2, INF])
@pytest.mark.parametrize("magnitude", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("make", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_trees_of_scikit_learn_change_their_prediction(make, magnitude, norm):
    """Its trees compare float32 values; the counterfactual must change what *they* predict."""
    X, y = make_classification(
        600, 8, n_informative=5, n_classes=3, flip_y=0.1, random_state=1, n_clusters_per_class=1
    )
    X = X * magnitude * 10.0 ** np.linspace(-1, 1, 8)
    model = make(random_state=0).fit(X, y)
    near = DecisionSurface(model, X=X, norm=norm).nearest(X)
    assert (near.status == "found").all()
    assert (model.predict(near.counterfactual) == near.target_class).all()
    assert (model.predict(X) == near.predicted_class).all()
    assert (near.target_class != near.predicted_class).all()
    # one float32 step beyond the threshold at most
    step = np.abs(near.counterfactual - near.point)
    assert (step <= np.spacing(np.abs(near.point).astype(np.float32)) * 1.01).all()


def test_scikit_learn_trees_on_data_that_lie_on_float32_thresholds():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    tests = model.tree_.feature >= 0
    values = model.tree_.threshold[tests]
    around = np.concatenate([values, np.nextafter(values, 9), values.astype(np.float32)])
    rng = np.random.default_rng(0)
    cases = rng.choice(around, size=(300, 4))
    near = DecisionSurface(model, X=X).nearest(cases)
    assert (model.predict(near.counterfactual) != model.predict(cases)).all()


@pytest.mark.parametrize(
    "model",
    [
        ObliqueTreeClassifier(random_state=0),
        LDTClassifier(),
        ObliqueTreeClassifier(finder=AxisParallel()),
    ],
)
@pytest.mark.parametrize("metric", ["minmax", "standard", "identity"])
def test_our_classifiers(model, metric):
    X, y = load_breast_cancer(return_X_y=True)
    labels = np.where(y == 0, "malignant", "benign")
    model.fit(X, labels)
    for norm in (2, INF, 1):
        near = DecisionSurface(model, metric, X=X, norm=norm).nearest(X)
        assert (near.status == "found").all()
        assert (model.predict(near.counterfactual) == near.target_class).all()
        assert (near.predicted_class == model.predict(X)).all()
        assert (near.target_class != near.predicted_class).all()


def test_sup_sensitivity_is_the_distance_in_the_sup_norm():
    X, y = load_iris(return_X_y=True)
    model = LDTClassifier().fit(X, y)
    sup = DecisionSurface(model, X=X, norm=INF).nearest(X).distance
    np.testing.assert_allclose(DecisionSurface(model, X=X).sup_sensitivity(X), sup, rtol=1e-12)
    assert (sup <= DecisionSurface(model, X=X).nearest(X).distance * (1 + 1e-12)).all()


def test_signed_score_orders_cases():
    X, y = load_breast_cancer(return_X_y=True)
    model = LDTClassifier().fit(X, y)
    surface = DecisionSurface(model, X=X)
    score = surface.score(X, positive_class=0)
    assert ((score > 0) == (model.predict(X) == 0)).all()
    np.testing.assert_array_equal(np.abs(score), surface.nearest(X).distance)
    with pytest.raises(ValueError, match=r"positive_class=7 is not a class; there are \[0, 1\]"):
        surface.score(X, positive_class=7)


def test_sensitive_tests_explain_an_oblique_case():
    tree = Tree.from_nested(
        {
            "weights": {"u": 1.0, "v": 1.0},
            "threshold": 0.0,
            "left": {"counts": {"in": 0, "out": 1}},
            "right": {
                "weights": {"v": 1.0},
                "threshold": 0.0,
                "left": {"counts": {"in": 1, "out": 0}},
                "right": {"counts": {"in": 0, "out": 1}},
            },
        }
    )
    surface = DecisionSurface(tree, "identity")
    tests = surface.sensitive_tests([-2.0, 1.0])
    assert [t.text for t in tests] == ["v > 0", "1 u +1 v <= 0"]
    assert [t.margin for t in tests] == pytest.approx([1.0, np.sqrt(0.5)])
    assert [t.violated for t in tests] == [True, True]


@pytest.mark.parametrize(("norm", "distance"), [(2, 1.8027756), (INF, 1.5), (1, 2.5)])
def test_a_corner_of_two_tests(norm, distance):
    """The cell v <= 0, u + v <= 0 seen from (1, 1.5), by hand."""
    out, inside = {"counts": {"in": 0, "out": 1}}, {"counts": {"in": 1, "out": 0}}
    inner = {"weights": {"u": 1.0, "v": 1.0}, "threshold": 0.0, "left": inside, "right": out}
    tree = Tree.from_nested(
        {"weights": {"v": 1.0}, "threshold": 0.0, "left": inner, "right": out},
        feature_names=("u", "v"),
    )
    surface = DecisionSurface(tree, "identity", norm=norm)
    case = [[1.0, 1.5]]
    assert surface.nearest(case).distance[0] == pytest.approx(distance, abs=1e-7)
    assert surface.threshold_sensitivity(case, units="normal")[0] == pytest.approx(1.7677670)
    assert surface.threshold_sensitivity(case, units="raw")[0] == pytest.approx(2.5)


def table():
    rng = np.random.default_rng(4)
    n = 400
    colour = rng.choice(["red", "green", "blue", "grey"], size=n)
    size, weight = rng.normal(size=n), rng.normal(size=n)
    y = np.where((colour == "red") | ((colour == "blue") & (size + weight > 0.2)), "buy", "leave")
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": size, "weight": weight})
    return X, y


@pytest.mark.parametrize("finder", [None, "axis"])
@pytest.mark.parametrize("norm", [1, 2, INF])
def test_categories_change_at_a_cost_or_stay(finder, norm):
    from oblique.finders import BestOf, Categories

    X, y = table()
    model = ObliqueTreeClassifier(
        finder=None if finder is None else BestOf(AxisParallel(), Categories())
    )
    model.fit(X, y)
    cheap = DecisionSurface(model, X=X, norm=norm, change_cost=0.01).nearest(X)
    frozen = DecisionSurface(model, X=X, norm=norm, frozen=["colour"]).nearest(X)
    assert (cheap.distance <= frozen.distance + 1e-12).all()
    assert (cheap.distance <= 0.01 * 3).mean() > 0.5
    for near in (cheap, frozen):
        found = near.status == "found"
        points = near.counterfactual_frame()
        assert points.columns.tolist() == X.columns.tolist()
        assert points[~found].isna().all(axis=None)
        assert (model.predict(points[found]) == near.target_class[found]).all()
        assert (near.target_class[found] != near.predicted_class[found]).all()
    assert (
        frozen.counterfactual[frozen.status == "found", 0]
        == frozen.rows[frozen.status == "found", 0]
    ).all()
    named = [t.text for i in range(len(X)) for t in cheap.sensitive_tests(i)]
    assert any(text.startswith("colour") for text in named)


def test_an_unknown_category_has_no_distance():
    X, y = table()
    model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    strange = X.iloc[[0, 1]].copy()
    strange["colour"] = pd.Categorical(["pink", "red"])
    near = DecisionSurface(model, X=X).nearest(strange)
    assert near.status.tolist() == ["unrouted", "found"]
    assert np.isnan(near.distance[0])
    assert near.leaf[0] == -1
    assert near.target_class[0] is None
    surface = DecisionSurface(model, X=X)
    for answer in (
        surface.sup_sensitivity(strange),
        surface.threshold_sensitivity(strange),
        surface.score(strange, "buy"),
        surface.distances_by_class(strange).sum(axis=1),
        surface.distances_by_leaf(strange).min(axis=1),
    ):
        assert np.isnan(answer).tolist() == [True, False]


@pytest.mark.parametrize("norm", [2, INF, 1])
@pytest.mark.parametrize("factor", [2.0**-900, 2.0**-600, 2.0**600, 2.0**900])
def test_the_size_of_weights_does_not_matter(factor, norm):
    def answers(factor):
        test = {"weights": {"a": factor, "b": 3 * factor}, "threshold": factor}
        leaves = {"left": {"counts": {"p": 1, "q": 0}}, "right": {"counts": {"p": 0, "q": 1}}}
        tree = Tree.from_nested({**test, **leaves}, feature_names=("a", "b"))
        surface = DecisionSurface(tree, "identity", norm=norm)
        near = surface.nearest([[0.0, 0.0], [3.0, 1.0]])
        moved = surface.threshold_sensitivity(near.rows)
        return near.distance, near.counterfactual, moved, near.sensitive_tests(0)[0].margin

    for ours, expected in zip(answers(factor), answers(1.0), strict=True):
        np.testing.assert_array_equal(ours, expected)


def test_a_free_change_of_category_is_not_made_without_need():
    """Under the largest move, a change cheaper than the distance costs nothing."""
    from oblique.finders import BestOf, Categories, LinearDiscriminant

    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)), columns=["colour", "shape", "size", "weight"])
    for name in ("colour", "shape"):
        X[name] = pd.Categorical(rng.choice(list("abcd"), 300))
    total = X["size"] + X["weight"] + 1.5 * X["colour"].isin(["a", "b"]) - 1.2 * (X["shape"] == "c")
    finder = BestOf(LinearDiscriminant(), Categories())
    model = ObliqueTreeClassifier(finder=finder, random_state=0).fit(X, np.digitize(total, [0, 1]))
    near = DecisionSurface(model, "identity", norm=INF, change_cost=0.01).nearest(X)
    assert (near.status == "found").all()
    frame = near.counterfactual_frame()
    assert (model.predict(frame) == near.target_class).all()
    paths = [model.tree_.path(leaf) for leaf in near.leaf.tolist()]
    for column, name in enumerate(("colour", "shape")):
        nodes = np.flatnonzero(np.diff(model.tree_.category_indptr))
        tested = set(nodes[model.tree_.weight_indices[model.tree_.weight_indptr[nodes]] == column])
        for i, path in enumerate(paths):
            if not tested & {node for node, _ in path}:
                assert frame[name].iloc[i] == X[name].iloc[i]


@pytest.mark.parametrize("axis_parallel", [True, False])
def test_weights_count_for_changes_of_categories(axis_parallel):
    from oblique.finders import BestOf, Categories, LinearDiscriminant

    X, y = table()
    other = AxisParallel() if axis_parallel else LinearDiscriminant()
    model = ObliqueTreeClassifier(finder=BestOf(other, Categories()), random_state=0).fit(X, y)
    weighted = DecisionSurface(model, X=X, weights={"colour": 3.0}).distances_by_class(X)
    dear = DecisionSurface(model, X=X, change_cost={"colour": 3.0}).distances_by_class(X)
    np.testing.assert_array_equal(weighted, dear)
    doubled = DecisionSurface(model, X=X, weights=2.0).distances_by_class(X)
    np.testing.assert_allclose(doubled, 2 * DecisionSurface(model, X=X).distances_by_class(X))


@pytest.mark.parametrize(
    "limits",
    [
        {"not_decreasing": ["colour"]},
        {"not_increasing": ["colour"]},
        {"integer": ["colour"]},
        {"ranges": {"colour": (0, 1)}},
    ],
)
def test_categories_have_no_directions_and_ranges(limits):
    X, y = table()
    model = ObliqueTreeClassifier(finder=AxisParallel(), random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"names 'colour', whose values are categories: freeze"):
        DecisionSurface(model, X=X, **limits)


@pytest.mark.parametrize("norm", [2, INF, 1])
def test_rounding_does_not_leave_the_limits(norm):
    """Not by the last place either."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        tree, _ = random_tree(rng, 3, 10, "oblique")
        X = random_cases(rng, 30, 3, "integer", 1.0)
        low, high = np.sort(rng.normal(size=2))
        surface = DecisionSurface(
            tree,
            Metric(np.exp(rng.normal(size=3)), norm),
            ranges={0: (low, high)},
            not_decreasing=[1],
            not_increasing=[2],
        )
        near = surface.nearest(X)
        for points in (near.point, near.counterfactual):
            found = points[near.status == "found"]
            assert ((found[:, 0] >= low) & (found[:, 0] <= high)).all()
            assert (found[:, 1] >= X[near.status == "found", 1]).all()
            assert (found[:, 2] <= X[near.status == "found", 2]).all()


@pytest.mark.parametrize("norm", [1.0, 2.0, INF])
@pytest.mark.parametrize("far", [1e3, 1e6, 1e9, 1e12])
def test_the_side_of_a_frozen_attribute_is_known_beside_a_large_one(norm, far):
    """Half of the cases lie just beyond the threshold of a frozen attribute, half on it."""
    surface = DecisionSurface(frozen_then_oblique(), Metric.identity(2, norm=norm), frozen=["f"])
    beyond = np.array([1e-9, 1e-6, 1e-3, 0.5])
    X = np.column_stack([np.full(8, -far), np.concatenate([beyond, 0.0 * beyond])])
    near = surface.nearest(X)
    assert near.status.tolist() == ["found"] * 4 + ["unreachable"] * 4
    # the search moves a frozen attribute off its threshold by 1e-9 of the largest offset
    np.testing.assert_allclose(near.distance[:4], 3.0 + far - beyond, rtol=1e-14, atol=3e-9)
    np.testing.assert_array_equal(near.counterfactual[:4, 1], beyond)


def frozen_then_oblique():
    """A tree that asks ``f <= 0``, then ``a + f <= 3``; only the last leaf is "yes"."""
    return Tree.from_nested(
        {
            "weights": {"f": 1.0},
            "threshold": 0.0,
            "left": {"counts": {"no": 1, "yes": 0}},
            "right": {
                "weights": {"a": 1.0, "f": 1.0},
                "threshold": 3.0,
                "left": {"counts": {"no": 1, "yes": 0}},
                "right": {"counts": {"no": 0, "yes": 1}},
            },
        },
        feature_names=("a", "f"),
    )


@pytest.mark.parametrize("width", [1e9, 1e15])
@pytest.mark.parametrize("norm", [1.0, 2.0, INF])
def test_ranges_wider_than_the_tree_change_no_answer(width, norm):
    """The step across a border and the room kept from one follow the tree, not the ranges."""
    tree = frozen_then_oblique()
    X = np.array([[0.0, 1e-3], [0.0, 0.5], [1.0, 0.5], [2.5, 0.5]])
    metric, ranges = Metric.identity(2, norm=norm), {"a": (-width, width)}
    near = DecisionSurface(tree, metric, frozen=["f"], ranges=ranges).nearest(X)
    np.testing.assert_allclose(near.distance, [2.999, 2.5, 1.5, 0.0], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(near.counterfactual[:, 0], [2.999, 2.5, 2.5, 2.5], rtol=1e-14)
    origin = np.zeros((1, 2))
    through = Tree.from_nested(
        {
            "weights": {"a": 1.0, "f": 1.0},
            "threshold": 0.0,
            "left": {"counts": {"no": 1, "yes": 0}},
            "right": {"counts": {"no": 0, "yes": 1}},
        },
        feature_names=("a", "f"),
    )
    near = DecisionSurface(through, metric, ranges=ranges).nearest(origin)
    assert near.distance.tolist() == [0.0]
    assert near.target_class.tolist() == ["yes"]
    assert np.abs(near.counterfactual).max() < 1e-14


def test_a_range_without_a_whole_number_leaves_nothing():
    surface = DecisionSurface(stump(4.5), "identity", integer=["a"], ranges={"a": (5.2, 5.8)})
    near = surface.nearest([[2.0, 0.0], [7.0, 0.0]])
    assert near.status.tolist() == ["unreachable", "unreachable"]


def test_whole_numbers_in_axis_parallel_trees():
    surface = DecisionSurface(stump(4.5), "identity", integer=["a"])
    near = surface.nearest([[7.0, 0.0], [2.0, 0.0]])
    assert near.counterfactual[:, 0].tolist() == [4.0, 5.0]
    assert near.distance.tolist() == [3.0, 3.0]
    X, y = load_iris(return_X_y=True)
    model = LDTClassifier().fit(X, y)
    with pytest.raises(ValueError, match="axis-parallel trees only"):
        DecisionSurface(model, X=X, integer=[0])


def test_contradictory_limits_are_a_status():
    for limits in (
        {"frozen": ["a"]},
        {"not_increasing": ["a"]},
        {"ranges": {"a": (0.0, 5.0)}},
    ):
        near = DecisionSurface(stump(), "identity", **limits).nearest([[2.0, 0.0]])
        assert near.status.tolist() == ["unreachable"]
        assert near.distance.tolist() == [INF]
        assert near.target_class.tolist() == [None]
        assert np.isnan(near.counterfactual).all()
        assert near.sensitive_tests(0) == []


def test_a_cell_whose_border_alone_is_in_reach_is_given_up():
    """Frozen on the plane: the closed leaf beyond touches the case, but no point of it is free."""
    tree = Tree.from_nested(
        {
            "weights": {"a": 1.0, "b": 1.0},
            "threshold": 0.0,
            "left": {"counts": {"no": 1, "yes": 0}},
            "right": {
                "weights": {"a": 1.0, "b": -1.0},
                "threshold": 0.0,
                "left": {"counts": {"no": 0, "yes": 1}},
                "right": {"counts": {"no": 1, "yes": 0}},
            },
        }
    )
    near = DecisionSurface(tree, "identity", not_increasing=["a", "b"]).nearest([[0.0, 0.0]])
    assert near.status.tolist() == ["unreachable"]


def test_one_class_has_no_surface():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = ObliqueTreeClassifier().fit(X, np.zeros(20, dtype=int))
    surface = DecisionSurface(model, X=X)
    near = surface.nearest(X)
    assert (near.status == "unreachable").all()
    assert np.isinf(near.distance).all()
    assert np.isinf(surface.threshold_sensitivity(X)).all()
    assert surface.distances_by_class(X).tolist() == [[0.0]] * 20


def test_chunks_threads_and_single_cases_agree(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    model = LDTClassifier().fit(X, y)
    surface = DecisionSurface(model, X=X)
    whole = surface.nearest(X)
    monkeypatch.setattr(surface_module, "_CHUNK", 100)
    for n_jobs in (None, 2):
        parts = surface.nearest(X, n_jobs=n_jobs)
        np.testing.assert_array_equal(parts.distance, whole.distance)
        np.testing.assert_array_equal(parts.counterfactual, whole.counterfactual)
        np.testing.assert_array_equal(
            surface.distances_by_class(X, n_jobs=n_jobs)[:, 1 - 0] > 0, whole.predicted_class == 0
        )
    for i in range(0, len(X), 50):
        assert surface.measure(X[i]) == (whole.distance[i], whole.leaf[i])
        assert surface.nearest(X[i : i + 1]).distance[0] == whole.distance[i]


def test_read_only_rows_are_accepted():
    X, y = load_iris(return_X_y=True)
    model = LDTClassifier().fit(X, y)
    surface = DecisionSurface(model, X=X)
    expected = surface.nearest(X).distance
    X.setflags(write=False)
    np.testing.assert_array_equal(surface.nearest(X).distance, expected)


def test_data_frames_are_read_by_name():
    frame = pd.DataFrame({"b": [0.0], "a": [2.0]})
    assert DecisionSurface(stump(), "identity").nearest(frame).distance.tolist() == [3.0]
    with pytest.raises(ValueError, match=r"X lacks the columns \['a'\]"):
        DecisionSurface(stump(), "identity").nearest(frame[["b"]])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: DecisionSurface(stump(), "identity").nearest([[np.nan, 0.0]]),
            "value NaN in row 0, column a",
        ),
        (lambda: DecisionSurface(stump(), "identity").nearest([[INF, 0.0]]), "value inf in row 0"),
        (
            lambda: DecisionSurface(stump(), "identity").nearest([[1.0, 0.0, 2.0]]),
            "must have shape",
        ),
        (lambda: DecisionSurface(stump(), "identity").nearest([1.0, 0.0]), "must have shape"),
        (lambda: DecisionSurface(stump(), "identity", X=[[1.0]]), "must have shape"),
        (lambda: DecisionSurface(stump()), "metric='minmax' needs X"),
        (lambda: DecisionSurface(stump(), "euclid"), "metric='euclid' is not known"),
        (lambda: DecisionSurface(stump(), Metric([1.0])), "metric has 1 scales"),
        (lambda: DecisionSurface(stump(), Metric([1.0, 0.0])), "scale must be positive"),
        (lambda: DecisionSurface(stump(), Metric([1.0, -1.0])), "scale must be positive"),
        (lambda: DecisionSurface(stump(), "identity", norm=3), "norm must be 2, inf or 1"),
        (lambda: DecisionSurface(stump(), "identity", frozen=["c"]), "frozen='c' is not known"),
        (lambda: DecisionSurface(stump(), "identity", frozen="a"), "must be a list of attributes"),
        (lambda: DecisionSurface(stump(), "identity", frozen=[2]), "numbered 0 to 1"),
        (lambda: DecisionSurface(stump(), "identity", ranges={"a": (2, 1)}), "low <= high"),
        (lambda: DecisionSurface(stump(), "identity", ranges={"a": 5}), "is no range"),
        (lambda: DecisionSurface(stump(), "identity", ranges={"a": (INF, INF)}), "is no range"),
        (lambda: DecisionSurface(stump(), "identity", ranges=[(0, 1)]), "must be a mapping"),
        (lambda: DecisionSurface(stump(), "identity", frozen=None), "must be a list"),
        (lambda: DecisionSurface(stump(), "identity", frozen=[0.5]), "names or numbers of columns"),
        (lambda: DecisionSurface(stump(), "identity", frozen=[True, False]), "flatnonzero"),
        (lambda: DecisionSurface(stump(), [1.0, 1.0]), "Metric\\(scales\\)"),
        (lambda: DecisionSurface(stump(), "identity", weights={"a": "b"}), "must hold numbers"),
        (lambda: DecisionSurface(stump(), "identity", change_cost=INF), "positive and finite"),
        (lambda: DecisionSurface(stump(), "identity").nearest([[1e200, 0.0]]), "larger units"),
        (lambda: DecisionSurface(stump(), "identity").sensitive_tests(np.ones((3, 2))), "3 cases"),
        (
            lambda: DecisionSurface(stump(), "identity", weights={"a": 0}),
            "weights must be positive",
        ),
        (
            lambda: DecisionSurface(stump(), "identity", weights=[1.0]),
            "weights must hold 2 numbers",
        ),
        (
            lambda: DecisionSurface(stump(), "identity", change_cost=-1),
            "change_cost must be positive",
        ),
        (
            lambda: DecisionSurface(stump(), "identity").threshold_sensitivity(
                [[1.0, 1.0]], units="km"
            ),
            "units='km'",
        ),
        (lambda: DecisionSurface("tree"), "no single classification tree"),
        (
            lambda: DecisionSurface(DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0])),
            "no single classification tree",
        ),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def test_an_unfitted_model_is_refused():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        DecisionSurface(LDTClassifier())


@pytest.mark.parametrize("scale", [1.0, 60.0, 7.0, 0.3])
@pytest.mark.parametrize("value", [53.0, 7.3, 0.7, 101.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_frozen_attribute_next_to_a_threshold(value, scale, sign):
    """One unit in the last place decides which leaves of an oblique tree can be reached."""
    below, above = (float(np.nextafter(value, to)) for to in (-np.inf, np.inf))

    def oblique(threshold):
        return {"weights": {"bmi": 1.0, "pulse": 0.5}, "threshold": threshold,
                "left": {"counts": {"0": 3}}, "right": {"counts": {"1": 3}}}  # fmt: skip

    tree = Tree.from_nested(
        {"weights": {"age": sign}, "threshold": sign * value, "left": oblique(20.0),
         "right": oblique(30.0)},
        feature_names=("age", "bmi", "pulse"), classes=("0", "1"),
    )  # fmt: skip
    surface = DecisionSurface(tree, Metric(np.array([scale, 10.0, 10.0])), frozen=["age"])
    X = np.array([[age, bmi, 0.0] for age in (below, value, above) for bmi in (15.0, 25.0, 35.0)])
    is_left = (sign * X[:, 0] <= sign * value)[:, None]
    expected = np.hstack([is_left, is_left, ~is_left, ~is_left])
    np.testing.assert_array_equal(np.isfinite(surface.distances_by_leaf(X)), expected)
    gap = np.abs(X[:, 1] - np.where(is_left[:, 0], 20.0, 30.0)) / 10.0 / np.hypot(1.0, 0.5)
    np.testing.assert_allclose(surface.nearest(X).distance, gap, rtol=1e-9)
    np.testing.assert_allclose(surface.distances_by_class(X).max(axis=1), gap, rtol=1e-9)
