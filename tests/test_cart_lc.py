"""The CART-LC finder: runs of the original program, properties, strange input."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_oc1 import list_tests, numbers, sides

from baselines import CartLC
from baselines._perturbation import climb_in_cycles, costs_without
from baselines._sample import take_sample
from oblique import ObliqueTreeClassifier
from oblique.criteria import CRITERIA
from oblique.finders import AxisParallel, BestOf, Categories
from oblique.node import Node

# The program of Murthy et al. climbs in the data's own units and eliminates nothing.
ORIGINAL = {"scaling": None, "elimination": 0.0}


def fit(X, y, criterion="twoing", **options):
    return ObliqueTreeClassifier(finder=CartLC(**options), criterion=criterion).fit(X, y)


def test_iris_is_the_tree_of_the_original_program():
    X, y = numbers("iris")
    tree = fit(X, y, **ORIGINAL).tree_
    found = list_tests(tree)
    assert found[""] == ([50, 0, 0], [0, 50, 50], 4.5)
    assert found["R"] == ([0, 50, 5], [0, 0, 45], 4.889)
    assert tree.n_leaves == 7


@pytest.mark.parametrize("name", ["iris", "wine", "wdbc"])
@pytest.mark.parametrize("options", [{}, ORIGINAL])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_plane_is_never_worse_than_the_axis_parallel_test(name, options, criterion):
    X, y = numbers(name)
    node = Node.from_data(X, y, criterion=criterion)
    axis = AxisParallel().find_split(node, None)
    first = CartLC(**options).find_split(node, None)
    assert node.gain(first) >= node.gain(axis)
    assert CartLC(**options).find_split(node, None) == first


def test_a_cycle_never_loses():
    X, y = numbers("wine")
    node = Node.from_data(X, y, criterion="gini")
    sample = take_sample(node, "quartiles")
    plane = sample.plane_of(AxisParallel().find_split(node, None))
    movable = np.arange(sample.features.size)
    costs = [climb_in_cycles(sample.problem, plane, movable, 1e-12, 1)[0] for _ in range(6)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < sample.problem.undivided


def test_a_slanted_border_is_found_exactly():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = X.sum(axis=1) < 1.0
    assert fit(X, y).tree_.n_leaves == 2


def test_noise_is_eliminated():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(400, 3))
    y = X[:, 0] + X[:, 2] < 1.0
    y[rng.random(400) < 0.03] ^= True
    node = Node.from_data(X, y, criterion="gini")
    kept = CartLC().find_split(node, None).indices
    assert kept.tolist() == [0, 2]
    assert CartLC(elimination=0.0).find_split(node, None).indices.tolist() == [0, 1, 2]


def test_costs_without_a_weight_are_those_of_the_best_threshold():
    X, y = numbers("wine")
    node = Node.from_data(X, y, criterion="gini")
    sample = take_sample(node, "quartiles")
    plane = np.random.default_rng(0).normal(size=sample.features.size + 1)
    found = costs_without(sample.problem, plane, np.array([-1, 3]))
    for cost, threshold, dropped in zip(*found.T, ([], [3]), strict=True):
        weights = plane[:-1].copy()
        weights[dropped] = 0.0
        scores = weights @ sample.problem.columns[:-1]
        line = Node.from_data(scores[:, None], y[sample.rows], criterion="gini")
        best = AxisParallel().find_split(line, None)
        assert best.threshold == pytest.approx(threshold)
        gain = (sample.problem.undivided - cost) / sample.problem.weight
        assert gain == pytest.approx(line.gain(best))


@pytest.mark.parametrize("scale", [1e-12, 1e150])
def test_units_and_origin_do_not_matter(scale):
    X, y = numbers("iris")
    factors = scale ** np.array([1, -1, 1, -0.5])
    plain = fit(X, y)
    scaled = fit(X * factors, y)
    assert np.array_equal(scaled.predict(X * factors), plain.predict(X))
    shifted = fit(X + 100.0, y)
    assert np.array_equal(shifted.predict(X + 100.0), plain.predict(X))


def test_a_column_without_interquartile_range_takes_no_part():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 3))
    X[:, 2] = rng.random(200) < 0.1
    y = X[:, 0] + X[:, 1] < 1.0
    split = CartLC().find_split(Node.from_data(X, y), None)
    assert split.indices.tolist() == [0, 1]
    # Where such a column has the best axis-parallel test, that test stays.
    alone = CartLC().find_split(Node.from_data(X, X[:, 2] > 0.5), None)
    assert alone.feature == 2


def test_weights_missing_values_and_categories():
    X, y = numbers("iris")
    weights = np.random.default_rng(0).integers(1, 4, 150)
    repeated = fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    model = ObliqueTreeClassifier(finder=CartLC(), criterion="twoing").fit(X, y, weights)
    assert np.array_equal(model.predict(X), repeated.predict(X))
    X[::7, 1] = np.nan
    assert fit(X, y).score(X, y) > 0.95
    flags = [False, False, False, True]
    X[:, 3] = np.round(X[:, 3])
    mixed = ObliqueTreeClassifier(finder=BestOf(CartLC(), Categories()), categorical_features=flags)
    assert mixed.fit(X, y).score(X, y) > 0.95


def test_small_leaves_are_refused():
    X, y = numbers("pima")
    model = ObliqueTreeClassifier(finder=CartLC(), min_samples_leaf=20).fit(X, y)
    tree = model.tree_
    assert tree.counts[tree.children_left < 0].sum(axis=1).min() >= 20
    assert (np.diff(tree.weight_indptr) > 1).any()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_degenerate_data(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    constant = np.column_stack([X, np.full(60, 7.0)])
    assert np.array_equal(
        fit(constant, y, criterion).predict(constant), fit(X, y, criterion).predict(X)
    )
    assert fit(np.zeros((5, 3)), [0, 1, 0, 1, 0], criterion).tree_.n_leaves == 1
    wide = rng.normal(size=(8, 30))
    assert fit(wide, np.arange(8) % 2, criterion).score(wide, np.arange(8) % 2) == 1.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("scaling", ["quartiles", None])
def test_numbers_at_the_edge_of_the_range(criterion, scaling):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X.sum(axis=1) > 0.0).astype(int)
    for factor in (1e300, 1e-300, 1e-312, [1e150, 1.0, 1e-150], [1e300, 1.0, 1e-300]):
        model = fit(X * factor, y, criterion, scaling=scaling)
        assert model.score(X * factor, y) > 0.95
        assert np.isfinite(model.tree_.weights.data).all()
    groups, labels = np.repeat(X[:5], 30, axis=0), np.arange(150) % 2
    assert fit(groups, labels, criterion, scaling=scaling).score(groups, labels) == 0.5


@parametrize_with_checks([ObliqueTreeClassifier(finder=CartLC())])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("elimination", -0.1, r"number in \[0, 1\]"),
        ("scaling", "standard", 'must be "quartiles" or None'),
        ("scaling", np.array([1, 2]), 'must be "quartiles" or None'),
        ("tolerance", 0.0, "finite number > 0"),
        ("max_cycles", 0, "integer of at least 1"),
        ("max_cycles", 10**19, "at most"),
        ("min_samples_oblique", "3d", 'integer of at least 0 or "2d"'),
    ],
)
def test_wrong_parameters_are_named_before_any_work(name, value, remedy):
    with pytest.raises(ValueError, match=remedy) as error:
        ObliqueTreeClassifier(finder=CartLC(**{name: value})).fit([["no data"]], [0])
    assert name in str(error.value)


def test_sides_of_the_test_are_those_of_prediction():
    X, y = numbers("wine")
    split = CartLC().find_split(Node.from_data(X, y, criterion="gini"), None)
    left, right = sides(split, X)
    model = ObliqueTreeClassifier(finder=CartLC(), criterion="gini", max_depth=1).fit(X, y)
    assert np.array_equal(model.apply(X) == model.tree_.children_left[0], left)
    assert right.any()
