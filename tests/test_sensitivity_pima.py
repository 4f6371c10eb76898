"""The Pima example of Alvarez's two papers of 2004, rebuilt from its printed tree.

Values are those printed where the print is right and recomputed where it is not (the tree's
second "glucose <= 94.5" reads "> 94.5"; table 5 prints .143 for .173; table 4 prints 1.474 for
.737). Cases 188 and 63 of the papers are rows 38 and 98 of the file, counted from zero.
"""

import numpy as np
import pytest

from oblique import DecisionSurface, Tree
from oblique.datasets import load_dataset
from oblique.sensitivity.model import partition_of
from projection import nearest_cells, prepare_search

INF = float("inf")
NAMES = ("glucose", "bp", "bmi", "pedigree", "age")
RANGES = {"glucose": 199.0, "bp": 122.0, "bmi": 67.1, "pedigree": 2.342, "age": 60.0}


def leaf(label, n, errors):
    return {"counts": {str(label): n - errors, str(1 - label): errors}}


def test_node(feature, threshold, left, right):
    return {"weights": {feature: 1.0}, "threshold": threshold, "left": left, "right": right}


test_node.__test__ = False

OLD = test_node(
    "glucose",
    94.5,
    test_node("glucose", 43.2, leaf(1, 2, 0), leaf(0, 30, 3)),
    test_node("pedigree", 0.546, leaf(0, 75, 29), leaf(1, 28, 5)),
)
YOUNG = test_node(
    "glucose",
    127.5,
    leaf(0, 125, 14),
    test_node(
        "bp",
        73.0,
        test_node(
            "age",
            21.5,
            leaf(0, 2, 0),
            test_node("pedigree", 0.188, leaf(0, 2, 0), leaf(1, 10, 1)),
        ),
        leaf(0, 4, 0),
    ),
)
PRINTED = test_node(
    "glucose",
    137.5,
    test_node("bmi", 26.3, leaf(0, 98, 1), test_node("age", 28.5, YOUNG, OLD)),
    leaf(1, 136, 38),
)


@pytest.fixture(scope="module")
def tree():
    return Tree.from_nested(PRINTED, feature_names=NAMES, classes=("0", "1"))


@pytest.fixture(scope="module")
def pima():
    data = load_dataset("pima").data
    picked = ["glucose", "diastolic_bp", "bmi", "pedigree", "age"]
    X = data[picked].copy()
    X.columns = list(NAMES)
    return X.fillna(0.0)


@pytest.fixture(scope="module")
def target():
    dataset = load_dataset("pima")
    return (dataset.target == dataset.unsafe_class).to_numpy()


@pytest.fixture(scope="module")
def surface(tree, pima):
    return DecisionSurface(tree, X=pima)


@pytest.fixture(scope="module")
def cases(pima):
    return pima.iloc[[38, 98]]


def test_the_data_are_those_of_the_papers(tree, pima, target, cases):
    assert pima.to_numpy().shape == (768, 5)
    assert cases.to_numpy().tolist() == [[90, 68, 38.2, 0.503, 27], [93, 50, 28.7, 0.356, 23]]
    np.testing.assert_allclose(np.ptp(pima.to_numpy(), axis=0), list(RANGES.values()))
    assert tree.n_leaves == 11
    assert tree.max_depth == 7
    predicted = tree.predict_codes(pima.to_numpy())
    assert np.count_nonzero(predicted != target) == 165
    sizes = np.bincount(tree.apply(pima.to_numpy()), minlength=tree.n_nodes)[tree.leaves]
    assert sorted(sizes.tolist()) == sorted([210, 143, 2, 39, 118, 51, 181, 8, 2, 2, 12])


def leaf_with(tree, counts):
    matches = [t for t in tree.leaves if tree.counts[t].tolist() == counts]
    (only,) = matches
    return only


# table 5 of the sensitive-tests paper: class-1 leaves C1, C2, C3, C4 (case 188, case 63)
LEAVES = {
    "C1": ([38, 98], (0.238693, 0.223618)),
    "C2": ([0, 2], (0.236501, 0.266512)),
    "C3": ([5, 23], (0.038386, 0.122643)),
    "C4": ([1, 9], (0.188442, 0.173367)),
}


def nearest_of(surface, cases, counts):
    """Nearest point of one leaf."""
    tree = surface.tree
    partition = partition_of(tree)
    flags = np.zeros((1, tree.n_nodes), dtype=bool)
    flags[0, leaf_with(tree, counts)] = True
    search = prepare_search(partition, surface.metric)
    return nearest_cells(search, cases.to_numpy(), search.spread(flags), np.zeros(2, int))


@pytest.mark.parametrize("name", LEAVES)
def test_distance_to_each_leaf(surface, cases, name):
    counts, expected = LEAVES[name]
    np.testing.assert_allclose(nearest_of(surface, cases, counts).distance, expected, atol=1e-6)


def test_nearest_leaf_and_sensitive_move(tree, surface, cases):
    near = surface.nearest(cases)
    c3 = leaf_with(tree, LEAVES["C3"][0])
    assert near.leaf.tolist() == [c3, c3]
    np.testing.assert_allclose(near.distance, [0.038386, 0.122643], atol=1e-6)
    assert near.predicted_class.tolist() == ["0", "0"]
    assert near.target_class.tolist() == ["1", "1"]
    # tables 3 and 4 of the sensitivity paper
    np.testing.assert_allclose(near.move[0], [4.5, 0, 0, 0.043, 1.5], atol=1e-12)
    np.testing.assert_allclose(near.move[1], [1.5, 0, 0, 0.19, 5.5], atol=1e-12)
    share = 100 * np.abs(near.move / cases.to_numpy())[:, [0, 3, 4]]
    np.testing.assert_allclose(share, [[5.00, 8.55, 5.56], [1.61, 53.37, 23.91]], atol=0.005)
    of_range = 100 * near.move[:, [0, 3, 4]] / [199.0, 2.342, 60.0]
    np.testing.assert_allclose(of_range, [[2.26, 1.84, 2.50], [0.754, 8.11, 9.17]], atol=0.005)


@pytest.mark.parametrize(
    ("norm", "name", "expected"),
    [
        (1, "C3", (0.065973, 0.180332)),
        (INF, "C3", (0.025000, 0.091667)),
        (1, "C2", (0.260176, 0.341918)),
        (INF, "C2", (0.235176, 0.250251)),
    ],
)
def test_other_norms(tree, pima, cases, norm, name, expected):
    near = nearest_of(DecisionSurface(tree, X=pima, norm=norm), cases, LEAVES[name][0])
    np.testing.assert_allclose(near.distance, expected, atol=1e-6)


def test_the_nearest_leaf_under_the_sum_of_moves(tree, pima, cases):
    """Summed, the one move to C4 is shorter for case 63 than the three to C3."""
    near = DecisionSurface(tree, X=pima, norm=1).nearest(cases)
    np.testing.assert_allclose(near.distance, [0.065973, 0.173367], atol=1e-6)


def test_sensitive_tests_by_margin(surface, cases):
    near = surface.nearest(cases)
    first, second = near.sensitive_tests(0), near.sensitive_tests(1)
    assert [t.text for t in first] == ["age <= 28.5", "glucose <= 94.5", "pedigree <= 0.546"]
    np.testing.assert_allclose([t.margin for t in first], [0.025, 0.022613, 0.018360], atol=1e-6)
    # the printed order of both cases is that of case 63
    assert [t.text for t in second] == ["age <= 28.5", "pedigree <= 0.546", "glucose <= 94.5"]
    np.testing.assert_allclose(
        [t.margin for t in second], [0.091667, 0.081127, 0.007538], atol=1e-6
    )
    for tests, distance in zip((first, second), near.distance, strict=True):
        assert np.sqrt(sum(t.margin**2 for t in tests)) == pytest.approx(distance)
        assert all(t.passed and t.violated for t in tests)


def test_standard_metric(tree, pima, cases):
    surface = DecisionSurface(tree, "standard", X=pima)
    near = surface.nearest(cases)
    np.testing.assert_allclose(near.distance, [0.2301, 0.7415], atol=1e-4)
    tests = near.sensitive_tests(0)
    assert [t.text.split()[0] for t in tests] == ["glucose", "pedigree", "age"]
    np.testing.assert_allclose([t.margin for t in tests], [0.1407, 0.1298, 0.1276], atol=1e-4)


def test_sup_and_threshold_sensitivity(surface, cases):
    np.testing.assert_allclose(surface.sup_sensitivity(cases), [0.025, 0.0916667], atol=1e-7)
    np.testing.assert_allclose(surface.threshold_sensitivity(cases), [0.025, 0.0916667], atol=1e-7)
    raw = surface.threshold_sensitivity(cases, units="raw")
    np.testing.assert_allclose(raw, [4.5, 5.5])
    np.testing.assert_allclose(surface.threshold_sensitivity(cases, units="normal"), raw)


def test_frozen_pedigree_leaves_one_test_on_glucose(tree, pima, cases):
    surface = DecisionSurface(tree, X=pima, frozen=["pedigree"])
    near = surface.nearest(cases)
    np.testing.assert_allclose(near.distance, [0.188442, 0.173367], atol=1e-6)
    for i in range(2):
        (only,) = near.sensitive_tests(i)
        assert only.text == "glucose <= 127.5"


def test_age_cannot_decrease_changes_nothing(tree, pima, surface, cases):
    limited = DecisionSurface(tree, X=pima, not_decreasing=["age"])
    np.testing.assert_array_equal(limited.nearest(cases).distance, surface.nearest(cases).distance)


@pytest.mark.parametrize(
    ("feature", "case", "factor"),
    [
        ("age", 0, 7.447095),
        ("age", 1, 1.669398),
        ("pedigree", 0, 10.097973),
        ("pedigree", 1, 1.811443),
        ("glucose", 0, 0.165799),
        ("glucose", 1, 0.706748),
    ],
)
def test_weights_turn_the_answer_to_another_leaf(tree, pima, cases, feature, case, factor):
    c3, c4 = leaf_with(tree, LEAVES["C3"][0]), leaf_with(tree, LEAVES["C4"][0])
    outward = 1.0001 if feature != "glucose" else 0.9999
    for times, expected in ((factor * outward, c4), (factor / outward, c3)):
        surface = DecisionSurface(tree, X=pima, weights={feature: times})
        assert surface.nearest(cases).leaf[case] == expected


def test_twice_the_cost_of_age(tree, pima, cases):
    near = DecisionSurface(tree, X=pima, weights={"age": 2.0}).nearest(cases.iloc[[1]])
    assert near.leaf[0] == leaf_with(tree, LEAVES["C4"][0])
    assert near.distance[0] == pytest.approx(0.173367, abs=1e-6)


def test_distances_of_the_whole_file(tree, surface, pima):
    near = surface.nearest(pima)
    # glucose alone reaches C1 from everywhere
    assert near.distance.max() <= 137.5 / 199.0
    within = [100 * np.mean(near.distance <= d) for d in (0.01, 0.02, 0.05, 0.1, 0.2)]
    np.testing.assert_allclose(within, [7.7, 11.5, 30.3, 55.5, 91.7], atol=0.05)
    sup = surface.sup_sensitivity(pima)
    levels = [0.01 / np.sqrt(5), 0.02 / np.sqrt(5), 0.01, 0.02, 0.05, 0.1]
    shares = [100 * np.mean(sup <= level) for level in levels]
    np.testing.assert_allclose(shares, [3.0, 7.8, 7.9, 11.7, 31.5, 59.0], atol=0.05)
    flipped = tree.predict_codes(near.counterfactual) != tree.predict_codes(pima.to_numpy())
    assert flipped.all()


def test_trace_lengths_and_numbers_of_sensitive_tests(tree, surface, pima):
    depth = tree.depths[tree.apply(pima.to_numpy())]
    assert depth.mean() == pytest.approx(3.151, abs=5e-4)
    assert np.median(depth) == 4
    near = surface.nearest(pima)
    counts = np.array([len(near.sensitive_tests(i)) for i in range(len(pima))])
    assert counts.mean() == pytest.approx(1.633, abs=5e-4)
    assert np.median(counts) == 1
    assert counts.max() <= 5


def test_nearest_leaf_depends_on_the_metric(tree, surface, pima):
    other = DecisionSurface(tree, "standard", X=pima)
    assert np.count_nonzero(surface.nearest(pima).leaf != other.nearest(pima).leaf) == 52
    assert 137.5 / other.metric.scale[0] == pytest.approx(4.301, abs=5e-4)
