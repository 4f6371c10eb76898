"""The OC1 finder and classifier: runs of the original program, options, strange input."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from baselines import OC1, CartLC, OC1Classifier, _perturbation
from baselines._sample import take_sample
from oblique import ObliqueTreeClassifier, load, save
from oblique.compare import load_strategy
from oblique.criteria import CRITERIA, split_impurity
from oblique.datasets import load_dataset, make_ls10, make_rcb
from oblique.finders import AxisParallel, BestOf, Categories, SafeAdjusted
from oblique.node import Node

# The original climbs in the data's own units from the axis-parallel test alone.
ORIGINAL = {"restarts": 1, "jumps": 0, "scaling": None, "in_place_moves": True}
# Its twoing value carries CART's factor 1/4.
TWOING = 4.0


def list_tests(tree):
    """Class counts of both sides and impurity of every test by its path, such as "RL"."""
    found = {}

    def visit(node, path):
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            return
        sides = tree.counts[left], tree.counts[right]
        impurity = TWOING * split_impurity("twoing", *sides)
        found[path] = (*(side.astype(int).tolist() for side in sides), round(impurity, 3))
        visit(left, path + "L")
        visit(right, path + "R")

    visit(0, "")
    return found


def numbers(name):
    data = load_dataset(name)
    return np.array(data.data, dtype=float), np.array(data.target)


# ---------------------------------------------------------------- runs of the released program


@pytest.mark.parametrize("seed", range(5))
def test_iris_without_restarts_is_the_tree_of_the_original_program(seed):
    X, y = numbers("iris")
    model = OC1Classifier(**ORIGINAL, pruning=None, random_state=seed).fit(X, y)
    found = list_tests(model.tree_)
    assert found[""] == ([50, 0, 0], [0, 50, 50], 4.5)
    assert found["R"] == ([0, 50, 5], [0, 0, 45], 4.889)
    assert found["RL"] == ([0, 49, 1], [0, 1, 4], 19.888)
    assert found["RLL"][2] == 0.0
    assert (model.tree_.n_leaves, model.tree_.max_depth) == (7, 5)
    path = TWOING * model.history_[1][:, 1]
    assert path == pytest.approx([5.132, 4.936, 4.889], abs=1e-3)


def test_wine_without_restarts_improves_the_root_as_the_original_program():
    X, y = numbers("wine")
    model = OC1Classifier(**ORIGINAL, pruning=None, random_state=0).fit(X, y)
    assert TWOING * model.history_[0][:, 1] == pytest.approx([6.140, 5.958], abs=1e-3)
    found = list_tests(model.tree_)
    assert found[""] == ([3, 60, 0], [56, 11, 48], 5.958)
    assert found["L"][2] == 55.125
    assert found["R"] == ([0, 1, 48], [56, 10, 0], 4.262)
    assert found["RL"][2] == 0.0
    assert found["RR"][2] == 8.712
    assert found["RRL"] == ([0, 10, 0], [1, 0, 0], 0.0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "iris",
            {
                "": ([50, 0, 0], [0, 50, 50], 4.5),
                "R": ([0, 49, 5], [0, 1, 45], 5.132),
                "RL": ([0, 47, 1], [0, 2, 4], 24.275),
                "RLR": ([0, 0, 3], [0, 2, 1], None),
                "RR": ([0, 1, 2], [0, 0, 43], None),
            },
        ),
        (
            "wine",
            {
                "": ([4, 60, 0], [55, 11, 48], 6.140),
                "R": ([0, 1, 48], [55, 10, 0], 4.252),
            },
        ),
    ],
)
def test_axis_parallel_trees_are_those_of_the_original_program(name, expected):
    X, y = numbers(name)
    model = ObliqueTreeClassifier(finder=AxisParallel(), criterion="twoing").fit(X, y)
    found = list_tests(model.tree_)
    for path, (left, right, impurity) in expected.items():
        assert found[path][:2] == (left, right), path
        assert impurity is None or found[path][2] == impurity, path
    assert model.tree_.n_leaves == 9


def test_axis_parallel_wine_tests_what_the_original_program_tests():
    X, y = numbers("wine")
    tree = ObliqueTreeClassifier(finder=AxisParallel(), criterion="twoing").fit(X, y).tree_
    # Node: attribute, counted from 1, and threshold.
    expected = {
        "": (10, 3.82), "L": (12, 3.73), "LL": (3, 3.07), "LLL": (13, 1002.5), "R": (7, 1.58),
        "RL": (3, 2.06), "RR": (13, 724.5), "RRL": (1, 13.175),
    }  # fmt: skip
    for path, (attribute, threshold) in expected.items():
        node = 0
        for side in path:
            node = (tree.children_left if side == "L" else tree.children_right)[node]
        split = tree.split(node)
        assert (split.feature + 1, split.threshold) == (attribute, pytest.approx(threshold)), path
    assert tree.n_leaves == len(expected) + 1


def test_a_line_of_three_groups_stalls_sum_minority_but_not_gini():
    # 50 of class 1, 24 of class 2, 26 of class 1: every cut has 24 in the minority.
    x = np.arange(100.0)
    y = np.repeat([0, 1, 0], [50, 24, 26])
    X = np.column_stack([x, np.sin(x)])
    for criterion, leaves in (("sum_minority", 1), ("gini", 3)):
        finder = AxisParallel()
        tree = ObliqueTreeClassifier(finder=finder, criterion=criterion).fit(X[:, :1], y).tree_
        assert tree.n_leaves == leaves
    rng = np.random.default_rng(0)
    assert OC1().search(Node.from_data(X, y, criterion="gini"), rng).gain > 0.1


# ---------------------------------------------------------------- the search


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("order", ["sequential", "best", "random"])
def test_the_plane_is_at_least_as_good_as_the_axis_parallel_test(criterion, order):
    X, y = make_classification(300, 6, n_informative=4, n_classes=3, random_state=1)
    node = Node.from_data(X, y, criterion=criterion)
    axis = node.gain(AxisParallel().find_split(node, np.random.default_rng(0)))
    found = OC1(order=order).search(node, np.random.default_rng(0))
    assert found.gain == node.gain(found.split)
    assert found.gain > axis
    assert (np.diff(found.history[:, 1]) < 0.0).all()
    assert (np.diff(found.history[:, 0]) >= 0.0).all()
    left, right = (np.bincount(y[side], minlength=3) for side in sides(found.split, X))
    assert found.history[-1, 1] == pytest.approx(split_impurity(criterion, left, right))


def sides(split, X):
    left = split.membership(X) == 1.0
    return left, ~left


def test_more_restarts_never_find_a_worse_plane_at_the_root():
    X, y = numbers("pima")
    node = Node.from_data(X, y, criterion="entropy")
    gains = [OC1(r).search(node, np.random.default_rng(5)).gain for r in (1, 2, 5, 10, 20, 40)]
    assert gains == sorted(gains)
    assert gains[-1] > gains[0]


def test_separable_classes_need_one_plane():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 2))
    y = X.sum(axis=1) < 1.0
    model = OC1Classifier(pruning=None, random_state=0).fit(X, y)
    assert model.tree_.n_leaves == 2
    assert model.score(X, y) == 1.0


def test_an_exclusive_or_is_learned_although_no_axis_parallel_test_gains():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 6, dtype=float)
    y = X[:, 0] != X[:, 1]
    node = Node.from_data(X, y)
    assert AxisParallel().find_split(node, np.random.default_rng(0)) is None
    model = OC1Classifier(pruning=None, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.tree_.n_leaves == 3


def test_small_nodes_are_divided_axis_parallel():
    X, y = numbers("iris")
    tree = OC1Classifier(pruning=None, random_state=0).fit(X, y).tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    oblique = np.diff(tree.weight_indptr)[inner] > 1
    assert oblique.any()
    assert (tree.counts[inner][oblique].sum(axis=1) > 8).all()
    always = OC1(min_samples_oblique=100).search(Node.from_data(X[50:], y[50:] - 1), None)
    assert always.hyperplanes == 0


@pytest.mark.parametrize("criterion", ["twoing", "gini"])
def test_a_bias_keeps_axis_parallel_tests(criterion):
    X, y = numbers("pima")
    node = Node.from_data(X, y, criterion=criterion)
    for bias, is_axis in ((1.0, False), (3.0, True)):
        split = OC1(axis_parallel_bias=bias).find_split(node, np.random.default_rng(0))
        assert (split.feature >= 0) == is_axis


def test_moving_the_threshold_widens_the_search():
    X, y = make_classification(200, 5, random_state=0)
    node = Node.from_data(X, y, criterion="gini")
    gains = {
        moves: [
            OC1(4, 0, include_constant=moves).search(node, np.random.default_rng(s)).gain
            for s in range(12)
        ]
        for moves in (False, True)
    }
    assert np.mean(gains[True]) > np.mean(gains[False])


# ---------------------------------------------------------------- budgets, threads, seeds


def test_budgets_end_the_search_early():
    X, y = numbers("pima")
    node = Node.from_data(X, y, criterion="entropy")
    free = OC1().search(node, np.random.default_rng(0))
    for budget in (1, 50, 300):
        found = OC1(max_hyperplanes=budget).search(node, np.random.default_rng(0))
        assert found.hyperplanes == budget
        assert np.array_equal(found.history, free.history[free.history[:, 0] <= budget])
    quick = OC1(restarts=10**6, max_seconds=0.05).search(node, np.random.default_rng(0))
    assert 0 < quick.hyperplanes < 10**7
    # The time allows more starts than the first, and each is that of a search without a limit.
    same = OC1(max_seconds=1e9).search(node, np.random.default_rng(0))
    assert same.split == free.split
    assert same.hyperplanes == free.hyperplanes
    assert np.array_equal(same.history, free.history)
    both = OC1(max_seconds=1e9, max_hyperplanes=300).search(node, np.random.default_rng(0))
    assert both.hyperplanes == 300


def test_threads_do_not_change_the_result():
    X, y = make_classification(3000, 12, n_informative=6, n_classes=3, random_state=0)
    node = Node.from_data(X, y, criterion="entropy")
    one = OC1().search(node, np.random.default_rng(0))
    for n_jobs in (2, 3):
        many = OC1(n_jobs=n_jobs).search(node, np.random.default_rng(0))
        assert many.split == one.split
        assert many.hyperplanes == one.hyperplanes
        assert np.array_equal(many.history, one.history)


@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"n_jobs": 3}, {"max_seconds": 1e6}])
def test_of_equally_good_planes_the_first_wins_however_starts_are_divided(options):
    # Many starts find one of the planes that tell all but five rows apart.
    X = np.random.default_rng(0).normal(size=(8000, 2))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0.3).astype(int)
    y[:5] ^= 1
    node = Node.from_data(X, y, criterion="gini")
    one = OC1(16, 20).search(node, np.random.default_rng(0))
    many = OC1(16, 20, **options).search(node, np.random.default_rng(0))
    assert many.split == one.split
    assert many.hyperplanes == one.hyperplanes
    assert np.array_equal(many.history, one.history)


def test_the_seed_decides_and_the_order_of_rows_does_not():
    X, y = numbers("pima")
    trees = [OC1Classifier(random_state=seed).fit(X, y).tree_ for seed in (0, 0, 1)]
    assert trees[0].to_dict() == trees[1].to_dict()
    assert trees[0].to_dict() != trees[2].to_dict()
    shuffled = np.random.default_rng(0).permutation(len(y))
    again = OC1Classifier(random_state=0).fit(X[shuffled], y[shuffled]).tree_
    assert again.to_dict() == trees[0].to_dict()


@pytest.mark.parametrize("scale", [1e-12, 3.0, 1e150])
def test_units_do_not_matter(scale):
    X, y = numbers("iris")
    factors = scale ** np.array([1, -1, 1, -0.5])
    plain = OC1Classifier(pruning=None, random_state=0).fit(X, y)
    scaled = OC1Classifier(pruning=None, random_state=0).fit(X * factors, y)
    assert np.array_equal(scaled.predict(X * factors), plain.predict(X))
    assert scaled.tree_.n_leaves == plain.tree_.n_leaves
    assert np.isfinite(scaled.tree_.weights.data).all()


def test_whole_weights_repeat_rows():
    rng = np.random.default_rng(0)
    X, y = make_classification(120, 4, n_informative=3, n_redundant=0, random_state=0)
    weights = rng.integers(1, 4, 120)
    weighted = OC1Classifier(pruning=None, random_state=0).fit(X, y, weights)
    repeated = OC1Classifier(pruning=None, random_state=0).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    assert np.array_equal(weighted.predict(X), repeated.predict(X))
    assert weighted.score(X, y) == 1.0


def test_costs_are_not_tabulated_by_heavy_weights():
    X, y = make_classification(120, 4, n_informative=3, n_redundant=0, random_state=0)
    light = Node.from_data(X, y, criterion="entropy")
    heavy = Node.from_data(X, y, sample_weight=np.full(120, 7e4), criterion="entropy")
    assert take_sample(light, None).problem.log_table.size == 121
    assert take_sample(heavy, None).problem.log_table.size == 0
    assert OC1().search(heavy, np.random.default_rng(0)).gain > 0.2


def test_weights_of_zero_and_of_one_change_nothing():
    X, y = numbers("iris")
    plain = OC1Classifier(random_state=0).fit(X, y).tree_
    extra = np.vstack([X, X[:30] + 1.0])
    labels = np.concatenate([y, y[:30]])
    weights = np.repeat([1.0, 0.0], [150, 30])
    weighted = OC1Classifier(random_state=0).fit(extra, labels, weights).tree_
    assert weighted.to_dict() == plain.to_dict()


def test_one_compiled_search_serves_all_kinds_of_weights():
    X, y = numbers("iris")
    for weights in (None, np.full(150, 2.0), np.linspace(0.1, 1.0, 150)):
        for options in ({}, {"min_weight_fraction_leaf": 0.1}):
            OC1Classifier(restarts=1, random_state=0, **options).fit(X, y, weights)
    assert len(_perturbation.search.signatures) == 1


# ---------------------------------------------------------------- company


def test_safe_adjustment_leaves_no_safe_row_in_the_unsafe_region():
    data = load_dataset("pima")
    X, y = data.data.to_numpy(float), data.target.to_numpy()
    node = Node.from_data(X, y, unsafe=1)
    split = SafeAdjusted(OC1(), mode="pure").find_split(node, np.random.default_rng(0))
    left = split.membership(X) == 1.0
    assert (y[left] == 1).all() or (y[~left] == 1).all()
    model = ObliqueTreeClassifier(finder=SafeAdjusted(OC1()), unsafe_class=1, random_state=0)
    assert model.fit(X, y).score(X, y) > 0.9


def test_categories_are_tested_beside_planes():
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    frame["kind"] = pd.Categorical(rng.choice(["x", "y", "z"], 300))
    target = np.where(frame["kind"] == "x", 0, (frame["a"] > frame["b"]).astype(int))
    model = OC1Classifier(pruning=None, random_state=0).fit(frame, target)
    assert model.score(frame, target) == 1.0
    tree = model.tree_
    assert np.diff(tree.category_indptr).any()
    assert (np.diff(tree.weight_indptr) > 1).any()
    finder = BestOf(OC1(), Categories())
    other = ObliqueTreeClassifier(finder=finder, criterion="twoing", random_state=0)
    assert other.fit(frame, target).tree_.to_dict() == tree.to_dict()


def test_rows_with_missing_values_stay_out_of_the_search():
    X, y = numbers("iris")
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.05] = np.nan
    model = OC1Classifier(pruning=None, random_state=0).fit(X, y)
    assert model.hyperplanes_ > 0
    assert model.score(X, y) > 0.95
    # A column without any value does not hide the others.
    X[:, 1] = np.nan
    model = OC1Classifier(pruning=None, random_state=0).fit(X, y)
    assert model.hyperplanes_ > 0
    assert model.score(X, y) > 0.95
    X[:, 1:] = np.nan
    assert OC1Classifier(pruning=None).fit(X, y).hyperplanes_ == 0


def test_small_leaves_are_refused_in_the_search():
    X, y = numbers("pima")
    model = OC1Classifier(pruning=None, min_samples_leaf=20, random_state=0).fit(X, y)
    tree = model.tree_
    assert tree.counts[tree.children_left < 0].sum(axis=1).min() >= 20
    assert (np.diff(tree.weight_indptr) > 1).sum() > 3
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    model = OC1Classifier(pruning=None, min_weight_fraction_leaf=0.05, random_state=0)
    tree = model.fit(X, y, weights).tree_
    assert tree.counts[tree.children_left < 0].sum(axis=1).min() >= 0.05 * weights.sum() * 0.999
    assert (np.diff(tree.weight_indptr) > 1).any()


def test_the_classifier_says_how_many_hyperplanes_it_tried():
    X, y = make_rcb(500, random_state=0)
    model = OC1Classifier(pruning=None, random_state=0).fit(X, y)
    assert len(model.history_) == (model.tree_.children_left >= 0).sum()
    assert model.hyperplanes_ >= sum(history[-1, 0] for history in model.history_)
    # A search that is written down finds what the bare finder finds.
    bare = ObliqueTreeClassifier(finder=OC1(), criterion="twoing", random_state=0).fit(X, y)
    assert bare.tree_.to_dict() == model.tree_.to_dict()


def test_defaults_are_those_of_the_released_program():
    X, y = numbers("pima")
    pruned = OC1Classifier(random_state=0).fit(X, y)
    assert (pruned.restarts, pruned.jumps, pruned.criterion) == (20, 5, "twoing")
    whole = OC1Classifier(pruning=None, random_state=0).fit(X, y)
    assert 1 < pruned.tree_.n_leaves < whole.tree_.n_leaves
    assert clone(pruned).get_params() == pruned.get_params()


def test_jumps_of_the_released_program_repeat_the_printed_trees_of_ls10():
    # Murthy et al. (1994), table 2, no restarts and 20 jumps: 91.5 +- 1.5 %, 55.2 +- 7.0 leaves.
    X, y = make_ls10(2000, random_state=3)
    released, exact = [], []
    for fold, (train, test) in enumerate(KFold(5, shuffle=True, random_state=3).split(X)):
        for exact_jumps, found in ((False, released), (True, exact)):
            model = OC1Classifier(
                pruning=None, restarts=1, jumps=20, scaling=None, in_place_moves=True,
                exact_jumps=exact_jumps, random_state=fold,
            ).fit(X[train], y[train])  # fmt: skip
            found.append((100 * model.score(X[test], y[test]), model.tree_.n_leaves))
    accuracy, leaves = np.mean(released, axis=0)
    assert accuracy == pytest.approx(91.5, abs=1.5)
    assert leaves == pytest.approx(55.2, abs=7.0)
    # The best length of a jump makes the better tree.
    assert np.mean(exact, axis=0)[0] > accuracy
    assert np.mean(exact, axis=0)[1] < 0.8 * leaves


# ---------------------------------------------------------------- scikit-learn, files, strategies

CHECKED = [OC1Classifier(restarts=3), OC1Classifier(restarts=3, pruning=None, scaling=None)]


def expected_failures(estimator):
    if estimator.pruning is None:
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "the rows held out for pruning are drawn: a row of weight three is drawn as one row, "
            "its three copies one by one"
        )
    }


@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_a_saved_model_keeps_how_it_was_searched(tmp_path):
    X, y = numbers("iris")
    model = OC1Classifier(max_hyperplanes=100, random_state=0).fit(X, y)
    save(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.get_params() == model.get_params()
    assert loaded.tree_.to_dict() == model.tree_.to_dict()
    assert loaded.hyperplanes_ == model.hyperplanes_
    assert len(loaded.history_) == len(model.history_)
    for ours, theirs in zip(model.history_, loaded.history_, strict=True):
        assert np.array_equal(ours, theirs)
    for finder in (BestOf(OC1(jumps=2), CartLC(elimination=0.1)), SafeAdjusted(OC1())):
        tree = ObliqueTreeClassifier(finder=finder, random_state=0).fit(X, y)
        save(tree, tmp_path / "tree.json")
        again = load(tmp_path / "tree.json")
        assert repr(again.finder) == repr(tree.finder)
        assert np.array_equal(again.predict(X), tree.predict(X))


@pytest.mark.parametrize(
    ("name", "value"),
    [("hyperplanes_", -1), ("hyperplanes_", 2.5), ("history_", 3), ("history_", [[1.0, 2.0]])],
)
def test_a_file_with_a_false_history_is_refused(tmp_path, name, value):
    X, y = numbers("iris")
    path = tmp_path / "model.json"
    save(OC1Classifier(restarts=1, random_state=0).fit(X, y), path)
    document = json.loads(path.read_text())
    document["model"]["fitted"][name] = value
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=name):
        load(path)


def test_strategies_search_as_their_papers_did():
    for name in ("oc1", "oc1_pruned", "oc1_released"):
        model = load_strategy(name).estimator
        assert model.scaling is None
        assert model.in_place_moves
        assert model.exact_jumps == (name != "oc1_released")
        assert (model.restarts, model.jumps) == (20, 5)
        assert model.criterion == ("twoing" if name == "oc1_released" else "entropy")
        assert (model.pruning is None) == (name == "oc1")
    assert load_strategy("oc1_standardised").estimator.scaling == "standard"
    assert load_strategy("oc1_standardised_pruned").estimator.pruning == "cost_complexity"
    assert load_strategy("cart_lc").estimator.pruning is None
    assert load_strategy("cart_lc_pruned").estimator.pruning is not None


# ---------------------------------------------------------------- strange input


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("restarts", 0, "integer of at least 1; 1 is the axis-parallel start alone"),
        ("restarts", -3, "integer of at least 1"),
        ("restarts", 2.5, "integer of at least 1"),
        ("restarts", 10**30, "at most 10000000"),
        ("moves", 10**19, "at most"),
        ("max_hyperplanes", 1 << 63, "at most .* or None"),
        ("jumps", -1, "integer of at least 0"),
        ("jumps", True, "integer of at least 0"),
        ("moves", 0, "integer of at least 1"),
        ("order", "sequental", "did you mean 'sequential'"),
        ("order", ["best"], "did you mean 'best'"),
        ("scaling", "median", 'must be "standard" or None'),
        ("scaling", np.array([1, 2]), 'must be "standard" or None'),
        ("include_constant", "yes", "True or False"),
        ("in_place_moves", 3, "True or False"),
        ("exact_jumps", None, "True or False"),
        ("n_jobs", 0, "None or an integer other than 0"),
        ("n_jobs", "two", "None or an integer other than 0"),
        ("stagnation_probability", 1.5, r"number in \[0, 1\]"),
        ("axis_parallel_bias", 0.0, "finite number > 0"),
        ("min_samples_oblique", -1, 'integer of at least 0 or "2d"'),
        ("min_samples_oblique", np.array([1, 2]), 'integer of at least 0 or "2d"'),
        ("max_hyperplanes", 0, "integer of at least 1 or None"),
        ("max_seconds", 0.0, "number > 0 or None"),
        ("pruning", "ccp", 'must be "cost_complexity", a Pruner or None'),
        ("criterion", "ginni", "did you mean 'gini'"),
    ],
)
def test_wrong_parameters_are_named_before_any_work(name, value, remedy):
    with pytest.raises(ValueError, match=remedy) as error:
        OC1Classifier(**{name: value}).fit([["no data"]], [0])
    assert name in str(error.value)


def test_a_start_without_jumps_is_allowed():
    X, y = numbers("iris")
    assert OC1Classifier(restarts=1, jumps=0, random_state=0).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("criterion", CRITERIA)
def test_degenerate_columns_and_rows(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    fit = OC1Classifier(pruning=None, criterion=criterion, random_state=0).fit
    plain = fit(X, y).predict(X)
    constant = np.column_stack([X, np.full(60, 7.0), np.zeros(60)])
    assert np.array_equal(fit(constant, y).predict(constant), plain)
    zeros = X.copy()
    zeros[:10] = 0.0
    assert fit(zeros, y).score(zeros, y) > 0.8
    wide = rng.normal(size=(8, 30))
    assert fit(wide, np.arange(8) % 2).score(wide, np.arange(8) % 2) == 1.0
    assert fit(np.zeros((5, 3)), [0, 1, 0, 1, 0]).tree_.n_leaves == 1
    assert fit(X, np.zeros(60)).tree_.n_leaves == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("scaling", ["standard", None])
def test_rows_that_no_plane_can_tell_apart(criterion, scaling):
    fit = OC1Classifier(pruning=None, criterion=criterion, scaling=scaling, random_state=0).fit
    # Groups of equal rows, half of them of each class.
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 3)), 30, axis=0)
    assert fit(X, np.arange(150) % 2).score(X, np.arange(150) % 2) == 0.5
    # Four points of an exclusive or are too few for a plane; max minority gains without one.
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = fit(square, [0, 1, 1, 0])
    assert model.hyperplanes_ == 0
    assert model.tree_.n_leaves == (4 if criterion == "max_minority" else 1)
    many = np.tile(square, (10, 1))
    assert fit(many, [0, 1, 1, 0] * 10).score(many, [0, 1, 1, 0] * 10) == 1.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("criterion", CRITERIA)
def test_numbers_at_the_edge_of_the_range(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X.sum(axis=1) > 0.0).astype(int)
    model = OC1Classifier(restarts=5, pruning=None, criterion=criterion, random_state=0)
    plain = model.fit(X, y).tree_.n_leaves
    for factor in (1e300, 4e307, 1e-300, 1e-312, [1e150, 1.0, 1e-150]):
        assert model.fit(X * factor, y).score(X * factor, y) == 1.0
        assert model.tree_.n_leaves == plain
    # Units so far apart that no two weights fit one plane.
    wide = X * [1e300, 1.0, 1e-300]
    assert model.fit(wide, y).score(wide, y) > 0.95
    # Rows of all sizes, and one row far out.
    mixed = X * 10.0 ** rng.integers(-150, 150, (120, 1))
    assert model.fit(mixed, y).score(mixed, y) > 0.8
    far = np.vstack([X, [[1e200, 0.0, 0.0]]])
    assert model.fit(far, np.append(y, 1)).score(far, np.append(y, 1)) > 0.95


@pytest.mark.parametrize("power", [-300, -150, 150, 300])
@pytest.mark.parametrize("scaling", ["standard", None])
def test_huge_and_tiny_values(power, scaling):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X @ [1.0, 1.0, -1.0] > 0.2).astype(int)
    factors = 10.0 ** np.array([power, 0, -power])
    model = OC1Classifier(pruning=None, scaling=scaling, random_state=0).fit(X * factors, y)
    assert model.score(X * factors, y) == 1.0
    assert np.isfinite(model.tree_.weights.data).all()
    # Beyond, one plane cannot hold both weights.
    if scaling == "standard" and abs(power) < 300:
        plain = OC1Classifier(pruning=None, random_state=0).fit(X, y)
        assert model.tree_.n_leaves == plain.tree_.n_leaves
