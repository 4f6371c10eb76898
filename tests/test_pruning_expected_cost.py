"""Pruning by expected costs, against brute force and hand-worked trees."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import train_test_split
from test_pruning import make_tree, problems

from baselines import C45Classifier
from oblique import LDTClassifier, ObliqueTreeClassifier, load, save
from oblique.answers import cheapest_answers
from oblique.compare.execute import prepare_estimator
from oblique.costs import CostModel
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel
from oblique.pruning import ExpectedCost
from oblique.tree import Tree

TEST = (0, 0.5)
UNEVEN = CostModel(errors=[[0, 400], [50, 0]])


def antichains(tree, node=0):
    """All sets of leaves that the tree can be pruned to."""
    yield [node]
    if tree.children_left[node] >= 0:
        sides = [list(antichains(tree, c)) for c in
                 (tree.children_left[node], tree.children_right[node])]  # fmt: skip
        for left, right in itertools.product(*sides):
            yield left + right


def expected_costs(tree, errors, m):
    """Of every node as a leaf, from the printed formula."""
    costs = []
    root = tree.counts[0] / tree.counts[0].sum()
    k = tree.n_classes
    for counts in tree.counts:
        n = counts.sum()
        p = (counts + 1) / (n + k) if m is None else (counts + m * root) / (n + m)
        costs.append(n * min(sum(errors[i][j] * p[j] for j in range(k)) for i in range(k)))
    return np.array(costs)


def n_prunings(tree, node=0):
    left, right = tree.children_left[node], tree.children_right[node]
    return 1 if left < 0 else 1 + n_prunings(tree, left) * n_prunings(tree, right)


@settings(max_examples=60, deadline=None)
@given(problems(max_rows=16), st.sampled_from([None, 0.0, 2.0]), st.integers(0, 2**31))
def test_no_pruned_tree_is_expected_to_cost_less(problem, m, seed):
    tree = problem[0]
    if n_prunings(tree) > 3000:
        return
    k = tree.n_classes
    errors = np.random.default_rng(seed).integers(1, 30, (k, k)) * (1.0 - np.eye(k))
    cost = expected_costs(tree, errors, m)
    pruned = ExpectedCost(CostModel(errors=errors), m=m).prune(tree)
    found = expected_costs_of(pruned, tree, errors, m)
    options = [(cost[leaves].sum(), len(leaves)) for leaves in antichains(tree)]
    least = min(total for total, _ in options)
    assert found == pytest.approx(least, abs=1e-9)
    assert pruned.n_leaves == min(n for total, n in options if total <= least + 1e-9)


def expected_costs_of(pruned, tree, errors, m):
    # The root is the same, so that corrections are.
    np.testing.assert_array_equal(pruned.counts[0], tree.counts[0])
    return expected_costs(pruned, errors, m)[pruned.leaves].sum()


def test_laplace_by_hand():
    tree = make_tree((TEST, [9.0, 1.0], [1.0, 1.0]))
    # As a leaf: 12 min(50 11/14, 400 3/14) = 471.4; below: 10 (400 2/12 | 50 10/12) = 416.7
    # and 2 min(50/2, 400/2) = 50. So 466.7 is kept, and both sides answer class 1.
    pruned = ExpectedCost(UNEVEN).prune(tree)
    assert pruned.n_leaves == 2
    assert pruned.labels.tolist() == [1, 1, 1]
    # Errors of equal cost: 12 3/14 = 2.57 against 10 2/12 + 2/2 = 2.67.
    assert ExpectedCost().prune(tree).n_leaves == 1


def test_equal_costs_keep_the_labels():
    for name in ("iris", "wine"):
        data = load_dataset(name)
        tree = ObliqueTreeClassifier(finder=AxisParallel()).fit(data.data, data.target).tree_
        pruned = ExpectedCost(m=0).prune(tree)
        np.testing.assert_array_equal(pruned.labels[pruned.leaves],
                                      pruned.counts[pruned.leaves].argmax(axis=1))  # fmt: skip


def test_ties_go_to_the_class_of_the_tree_then_to_the_more_frequent():
    shares, errors = np.array([[0.5, 0.25, 0.25]]), np.array([[0, 2, 2], [1, 0, 2], [1, 2, 0.0]])
    assert cheapest_answers(shares, errors).tolist() == [0]
    assert cheapest_answers(shares, errors, tie_class=2).tolist() == [2]
    assert cheapest_answers(np.array([[0.0, 0.0]]), 1 - np.eye(2)).tolist() == [0]


@settings(max_examples=30, deadline=None)
@given(problems(max_rows=16))
def test_held_out_rows_decide(problem):
    tree, X, codes = problem[:3]
    errors = np.arange(1.0, tree.n_classes**2 + 1).reshape(tree.n_classes, -1)
    np.fill_diagonal(errors, 0.0)
    pruner = ExpectedCost(CostModel(errors=errors), holdout=0.5)
    pruned = pruner.prune(tree, X, codes)
    paid = errors[pruned.predict_codes(X), codes].sum()
    answering = tree.replace(labels=cheapest_answers(tree.counts + 1, errors, tree.tie_class))
    assert paid <= errors[answering.predict_codes(X), codes].sum() + 1e-9
    assert paid <= errors[answering.collapse([0]).predict_codes(X), codes].sum() + 1e-9


def test_a_divided_row_gets_the_cheapest_answer(tmp_path):
    grown = make_tree((TEST, [60.0, 0.0], [0.0, 40.0]))
    grown = grown.replace(missing_left=np.array([0.6, 0.5, 0.5]))
    tree = ExpectedCost(UNEVEN, m=0).prune(grown)
    assert grown.predict_codes([[np.nan]]).tolist() == [0]
    missing = np.array([[np.nan]])
    np.testing.assert_allclose(tree.distribution(missing), [[0.6, 0.4]])
    assert tree.predict_codes(missing).tolist() == [1]
    save(tree, tmp_path / "tree.json")
    again = load(tmp_path / "tree.json")
    assert again.predict_codes(missing).tolist() == [1]
    np.testing.assert_array_equal(again.error_costs, tree.error_costs)


@pytest.mark.parametrize("costs", [[[0, 1]], [[0.0, -1.0], [1.0, 0.0]], [], None])
def test_costs_in_a_file_are_checked(costs):
    document = make_tree((TEST, [3.0, 0.0], [0.0, 4.0])).to_dict()
    with pytest.raises(ValueError, match="error_costs"):
        Tree.from_dict({**document, "error_costs": costs})


def test_costs_of_real_data_go_down(tmp_path):
    data = load_dataset("pima")
    costs = CostModel(errors={0: 50, 1: 400})
    paid = {"grown": [], "pruned": []}
    for seed in range(6):
        train, test = train_test_split(np.arange(768), train_size=384, random_state=seed)
        for name, pruning in (("grown", None), ("pruned", ExpectedCost(costs))):
            model = LDTClassifier(unsafe_class=1, pruning=pruning, random_state=0)
            model.fit(data.data.iloc[train], data.target.iloc[train])
            cost = costs.cost_of(model, data.data.iloc[test], data.target.iloc[test])
            paid[name].append(cost.average)
    assert np.all(np.less(paid["pruned"], paid["grown"]))
    assert np.mean(paid["pruned"]) < 0.8 * np.mean(paid["grown"])
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.pruning.costs == costs
    np.testing.assert_array_equal(again.predict(data.data), model.predict(data.data))


@pytest.mark.parametrize("dtype", [int, float, str])
def test_classes_are_found_by_their_spelling(dtype):
    data = load_dataset("pima")
    y = data.target.astype(int).astype(dtype).to_numpy()
    pruner = ExpectedCost(CostModel(errors={0: 50, 1: 400}))
    model = C45Classifier(pruning=pruner, collapse=False).fit(data.data, y)
    assert (model.predict(data.data) == y[y == y.max()][0]).mean() > 0.5


def test_a_comparison_hands_costs_to_the_pruner():
    model = ObliqueTreeClassifier(pruning=ExpectedCost())
    prepared = prepare_estimator(model, unsafe_class=1, seed=0, costs=UNEVEN)
    assert prepared.pruning.costs == UNEVEN
    assert model.pruning.costs is None


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"costs": {0: 1}}, TypeError, "costs="),
        ({"costs": "pima"}, TypeError, "costs="),
        ({"costs": np.eye(2)}, TypeError, "costs="),
        ({"m": -1}, ValueError, "m=-1"),
        ({"m": np.nan}, ValueError, "m=nan"),
        ({"m": np.inf}, ValueError, "m=inf"),
        ({"m": "laplace"}, ValueError, "m='laplace'"),
        ({"holdout": 1.0}, ValueError, "holdout=1.0"),
        ({"costs": CostModel(errors=np.ones((3, 3)))}, ValueError, "3"),
        ({"costs": CostModel(errors={"a": 1, "b": 2})}, ValueError, "class="),
    ],
)
def test_bad_parameters(parameters, error, message):
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]})
    with pytest.raises(error, match=message):
        ObliqueTreeClassifier(pruning=clone(ExpectedCost(**parameters))).fit(frame, [0, 0, 1, 1])


def test_a_holdout_needs_rows():
    with pytest.raises(ValueError, match="X and codes must be pruning rows"):
        ExpectedCost(holdout=0.5).prune(make_tree((TEST, [3.0, 0.0], [0.0, 4.0])))
