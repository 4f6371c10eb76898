"""C4.5: published trees and figures, and a plain recursive version on random data."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from baselines import C45, C45Classifier, CSID3Classifier, EG2Classifier, IDXClassifier
from baselines._gain_finder import GainFinder, multiway_gain
from oblique import ObliqueTreeClassifier, load, save
from oblique.compare import load_strategy
from oblique.finders import BestOf
from oblique.induction import grow
from oblique.node import Node
from oblique.pruning import CostComplexity, ReducedError, estimated_errors
from oblique.split import CategorySplit
from tests.estimator_data import mixed_table

# Quinlan (1993), table 1.1
OUTLOOK = ["overcast", "rain", "sunny"]
GOLF = pd.DataFrame(
    [
        ("sunny", 85, 85, "false", 0), ("sunny", 80, 90, "true", 0),
        ("overcast", 83, 78, "false", 1), ("rain", 70, 96, "false", 1),
        ("rain", 68, 80, "false", 1), ("rain", 65, 70, "true", 0),
        ("overcast", 64, 65, "true", 1), ("sunny", 72, 95, "false", 0),
        ("sunny", 69, 70, "false", 1), ("rain", 75, 80, "false", 1),
        ("sunny", 75, 70, "true", 1), ("overcast", 72, 90, "true", 1),
        ("overcast", 81, 75, "false", 1), ("rain", 71, 80, "true", 0),
    ],
    columns=["outlook", "temperature", "humidity", "windy", "play"],
)  # fmt: skip
GOLF_X = GOLF.drop(columns="play").astype({"outlook": "category", "windy": "category"})


def nested(tree, node=0):
    """(column, threshold or values, left, right) of a node, (class, cases, errors) of a leaf."""
    left = int(tree.children_left[node])
    if left < 0:
        counts, label = tree.counts[node], int(tree.labels[node])
        return label, counts.sum(), counts.sum() - counts[label]
    split = tree.split(node)
    test = split.categories if isinstance(split, CategorySplit) else float(split.threshold)
    return split.feature, test, nested(tree, left), nested(tree, int(tree.children_right[node]))


# ---------------------------------------------------------------- what C4.5 release 8 printed


def golf_node(rows):
    codes = np.stack([GOLF_X[c].cat.codes for c in ("outlook", "windy")], axis=1)
    X = np.column_stack([codes[:, 0], GOLF_X[["temperature", "humidity"]], codes[:, 1]])
    categorical = np.array([True, False, False, True])
    y = GOLF["play"].to_numpy(np.int32)
    return Node.from_data(X[rows].astype(float), y[rows], categorical=categorical)


def test_golf_root_figures():
    found = C45()._candidates(golf_node(slice(None)), "multiway")
    assert found.gains[0] == pytest.approx(0.247, abs=5e-4)
    assert found.infos[0] == pytest.approx(1.577, abs=5e-4)
    assert found.gains[0] / found.infos[0] == pytest.approx(0.156, abs=5e-4)
    assert found.gains[3] == pytest.approx(0.048, abs=5e-4)
    # Nothing is left of the numeric columns' gains once thresholds are paid for.
    assert (found.gains[1:3] <= 0.0).all()
    assert found.gains[[0, 3]].mean() == pytest.approx(0.147, abs=1e-3)


def test_golf_sunny_figures():
    found = C45()._candidates(golf_node(np.flatnonzero(GOLF["outlook"] == "sunny")), "multiway")
    assert found.middles[2] == 77.5
    assert found.gains[2] == pytest.approx(0.771, abs=5e-4)
    assert found.infos[2] == pytest.approx(0.971, abs=5e-4)
    assert found.gains[2] / found.infos[2] == pytest.approx(0.794, abs=5e-4)
    assert found.gains[1] == pytest.approx(0.220, abs=5e-4)


def test_golf_tree():
    tree = C45Classifier().fit(GOLF_X, GOLF["play"]).tree_
    # overcast -> play; rain -> windy; sunny -> humidity, stored at the data value 75
    assert nested(tree) == (
        0, (0,), (1, 4, 0),
        (0, (1,), (3, (0,), (1, 3, 0), (0, 2, 0)), (2, 75.0, (1, 2, 0), (0, 3, 0))),
    )  # fmt: skip
    # (the program's single precision makes it 5.3919)
    estimate = estimated_errors(tree)[tree.leaves].sum()
    assert estimate == pytest.approx(5.3918, abs=5e-5)
    assert 100 * estimate / 14 == pytest.approx(38.5, abs=0.05)


def test_golf_in_subsets_and_single_values():
    node = golf_node(slice(None))
    for sets in ("subsets", "single"):
        tree = C45Classifier(categories=sets, pruning=None).fit(GOLF_X, GOLF["play"]).tree_
        assert tree.split(0).categories == (0,)
        found = C45()._candidates(node, sets)
        assert found.gains[0] == pytest.approx(0.226, abs=5e-4)
        assert found.infos[0] == pytest.approx(0.863, abs=5e-4)


IRIS = (
    3, 0.6, (0, 50, 0),
    (3, 1.7, (2, 4.9, (1, 48, 1), (3, 1.5, (2, 3, 0), (1, 3, 1))), (2, 46, 1)),
)  # fmt: skip
WINE = (
    6, 1.57, (9, 3.8, (1, 13, 0), (2, 49, 1)),
    (12, 720.0, (1, 54, 1), (9, 3.4, (1, 4, 0), (0, 58, 0))),
)  # fmt: skip


@pytest.mark.parametrize(
    ("data", "expected", "percent"), [(load_iris, IRIS, 6.5), (load_wine, WINE, 5.1)]
)
def test_printed_trees(data, expected, percent):
    X, y = data(return_X_y=True)
    tree = C45Classifier().fit(X, y).tree_
    assert nested(tree) == expected
    estimate = estimated_errors(tree)[tree.leaves].sum()
    assert 100 * estimate / len(X) == pytest.approx(percent, abs=0.05)


def test_iris_root_figures():
    X, y = load_iris(return_X_y=True)
    found = C45()._candidates(Node.from_data(X, y.astype(np.int32)), "multiway")
    assert found.gains == pytest.approx([0.524, 0.256, 0.884, 0.889], abs=5e-4)
    assert found.middles == pytest.approx([5.55, 3.35, 2.45, 0.8])
    assert found.infos[3] == pytest.approx(0.918, abs=5e-4)
    assert found.gains[3] / found.infos[3] == pytest.approx(0.969, abs=5e-4)


# ---------------------------------------------------------------- a plain version


def plain_c45(X, y, w, n_classes, whole=None, min_leaf=2.0):
    """C4.5's growing on numeric columns, NaN missing, as the program's text reads."""
    whole = X if whole is None else whole
    counts = np.bincount(y, w, n_classes)
    # Sums of fractions that tie differ by rounding.
    leaf = (int(np.argmax(counts > counts.max() - 1e-9)), counts.sum(), counts.sum() - counts.max())
    if np.count_nonzero(counts > 1e-12) < 2 or counts.sum() < 2 * min_leaf - 1e-9:
        return leaf
    tests = []
    for j in range(X.shape[1]):
        known = ~np.isnan(X[:, j])
        found = plain_cut(X[known, j], y[known], w[known], counts.sum(), n_classes, min_leaf)
        if found is not None:
            tests.append((j, *found))
    if not tests:
        return leaf
    least = np.mean([gain for _, gain, _, _ in tests]) - 1e-3
    best, most = None, 0.0
    for test in tests:
        if test[1] >= least and test[2] > 1e-3 and test[1] / test[2] > most * (1 + 1e-9):
            best, most = test, test[1] / test[2]
    if best is None:
        return leaf
    j, _, _, cut = best
    column = whole[:, j]
    limit = column[column <= cut].max()
    known = ~np.isnan(X[:, j])
    goes_left = known & (X[:, j] <= cut)
    share = w[goes_left].sum() / w[known].sum()
    left = np.where(known, goes_left * w, share * w)
    sides = [(side > 0, side[side > 0]) for side in (left, w - left)]
    return (
        j,
        float(limit),
        *(plain_c45(X[rows], y[rows], part, n_classes, whole, min_leaf) for rows, part in sides),
    )


def plain_cut(x, y, w, weight, n_classes, min_leaf):
    known = w.sum()
    least = min(max(0.1 * known / n_classes, min_leaf), max(25.0, min_leaf))
    values = np.unique(x)
    best, tries = None, 0
    for low, high in itertools.pairwise(values):
        left = x <= low
        if min(w[left].sum(), w[~left].sum()) < least - 1e-9:
            continue
        tries += 1
        sides = np.stack([np.bincount(y[s], w[s], n_classes) for s in (left, ~left)])
        gain = known * entropy(sides.sum(axis=0)) - sum(s.sum() * entropy(s) for s in sides)
        sizes = [*sides.sum(axis=1), weight - known]
        if best is None or gain / weight > best[0] + 1e-9:
            best = gain / weight, entropy(np.array(sizes)), (low + high) / 2
    if best is None:
        return None
    gain = best[0] - math.log2(tries) / weight
    return (gain, *best[1:]) if gain > 1e-9 else None


def entropy(counts):
    shares = counts[counts > 1e-12] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def assert_same(ours, plain):
    """The same tests and classes; sums of fractions agree to rounding."""
    assert (len(ours), ours[0]) == (len(plain), plain[0])
    if len(ours) == 3:
        assert ours[1:] == pytest.approx(plain[1:], rel=0, abs=1e-9)
    else:
        assert ours[1] == plain[1]
        assert_same(ours[2], plain[2])
        assert_same(ours[3], plain[3])


@given(
    st.integers(0, 10**6), st.integers(5, 60), st.integers(1, 4), st.integers(2, 3),
    st.booleans(), st.booleans(), st.sampled_from([1.0, 2.0, 4.0]),
)  # fmt: skip
@example(0, 21, 3, 3, True, True, 1.0)  # a side of weight 1.7 that is less than a whole row
@settings(deadline=None, max_examples=60)
def test_growing_is_the_plain_version(seed, n, d, n_classes, missing, weighted, min_leaf):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, d)) / 4.0
    # Enough of a signal that figures do not tie by chance.
    y = ((X[:, 0] + rng.normal(0, 0.7, n)) / 3.0 * n_classes).astype(int).clip(0, n_classes - 1)
    y = y.astype(np.int32)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    w = rng.integers(1, 9, n) / 4.0 if weighted else np.ones(n)
    expected = plain_c45(X, y, w, n_classes, min_leaf=min_leaf)
    tree = grow(
        X, y, n_classes=n_classes, finder=C45(min_leaf_weight=min_leaf), sample_weight=w,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    assert_same(nested(tree), expected)


@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["gain", "gain_ratio"]))
@settings(deadline=None, max_examples=25)
def test_compiled_growing_is_the_loop(seed, weighted, measure):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3)).round(1)
    y = (X[:, 0] * X[:, 1] + rng.normal(0, 0.5, 80) > 0).astype(np.int32)
    w = rng.random(80) + 0.5 if weighted else None
    finder = C45(measure, min_leaf_weight=1.5)
    args = {"n_classes": 2, "sample_weight": w, "rng": rng}
    at_once = grow(X, y, finder=finder, **args)
    by_node = grow(X, y, finder=BestOf(finder), **args)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GainFinder, "_grow_compiled", GainFinder._grow)
        in_loop = grow(X, y, finder=finder, **args)
    assert nested(at_once) == nested(by_node) == nested(in_loop)
    np.testing.assert_array_equal(at_once.missing_left, in_loop.missing_left)


def test_units_and_order_do_not_matter():
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    first = C45Classifier().fit(X, y).tree_
    again = C45Classifier().fit(X[order] * 2.0**-40, y[order]).tree_
    np.testing.assert_array_equal(first.threshold, again.threshold * 2.0**40)
    np.testing.assert_array_equal(first.counts, again.counts)


# ---------------------------------------------------------------- categories and missing values


def test_multiway_gain_counts_unknown_answers():
    gain, info = multiway_gain(np.array([[3.0, 0.0], [0.0, 3.0]]), 8.0)
    assert gain == pytest.approx(6 / 8)
    assert info == pytest.approx(entropy(np.array([3.0, 3.0, 2.0])))


def test_quinlans_missing_outlook():
    # Quinlan (1993), section 3.2: one overcast case loses its outlook.
    X = GOLF_X.copy()
    X.loc[11, "outlook"] = np.nan
    root = X["outlook"].cat.codes.to_numpy()
    y = GOLF["play"].to_numpy()
    counts = np.array([[np.sum((root == v) & (y == k)) for k in (0, 1)] for v in range(3)])
    gain, info = multiway_gain(counts.astype(float), 14.0)
    assert gain == pytest.approx(0.199, abs=5e-4)
    assert info == pytest.approx(1.809, abs=5e-4)
    tree = C45Classifier(pruning=None).fit(X, y).tree_
    leaves = tree.counts[tree.leaves].sum()
    assert leaves == pytest.approx(14.0)
    # The case is shared among the branches as 3, 5 and 5 known ones are.
    assert tree.counts[tree.children_left[0]].sum() == pytest.approx(3 + 3 / 13)


def test_columns_of_many_values_are_left_out_of_the_average():
    rng = np.random.default_rng(0)
    many = pd.Categorical(rng.integers(0, 20, 40).astype(str))
    X = pd.DataFrame({"many": many, "x": rng.normal(size=40)})
    y = (X["x"] + rng.normal(0, 0.3, 40) > 0).astype(int)
    tree = C45Classifier().fit(X, y).tree_
    assert tree.split(0).feature == 1


def test_a_finder_inside_the_loop_takes_sets():
    model = ObliqueTreeClassifier(finder=BestOf(C45()))
    tree = model.fit(GOLF_X, GOLF["play"]).tree_
    assert nested(tree)[:2] == (0, (0,))
    assert nested(tree) == nested(
        C45Classifier(categories="subsets", pruning=None, collapse=False)
        .fit(GOLF_X, GOLF["play"])
        .tree_
    )


# ---------------------------------------------------------------- options


def test_options_do_what_they_say():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(1)
    noisy = np.where(rng.random(150) < 0.2, rng.integers(0, 3, 150), y)
    whole = C45Classifier(pruning=None, collapse=False).fit(X, noisy).tree_
    collapsed = C45Classifier(pruning=None).fit(X, noisy).tree_
    pruned = C45Classifier().fit(X, noisy).tree_
    severe = C45Classifier(confidence=0.01).fit(X, noisy).tree_
    assert whole.n_leaves > collapsed.n_leaves > pruned.n_leaves >= severe.n_leaves
    errors = [np.sum(t.predict_codes(X) != noisy) for t in (whole, collapsed)]
    assert errors[0] == errors[1]
    middle = C45Classifier(threshold="midpoint").fit(X, y).tree_
    assert middle.threshold[0] == 0.8
    assert C45Classifier(max_depth=1).fit(X, y).tree_.max_depth == 1
    assert C45Classifier(min_leaf_weight=80).fit(X, y).tree_.n_leaves == 1
    free = C45Classifier(mdl_correction=False, pruning=None, collapse=False).fit(X, noisy).tree_
    assert free.n_leaves > whole.n_leaves


def test_reduced_error_pruning_holds_rows_out():
    X, y = load_wine(return_X_y=True)
    a = C45Classifier(pruning="reduced_error", random_state=0).fit(X, y)
    b = C45Classifier(pruning=ReducedError(), random_state=0).fit(X, y)
    assert nested(a.tree_) == nested(b.tree_)
    assert a.tree_.counts[0].sum() < len(X)
    assert C45Classifier(pruning=CostComplexity(), random_state=0).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"confidence": 0}, "confidence"),
        ({"confidence": -0.1}, "confidence"),
        ({"confidence": 25}, "CF = 25 % is 0.25"),
        ({"confidence": float("nan")}, "confidence"),
        ({"confidence": "high"}, "confidence"),
        ({"preset": "j48", "confidence": 0.6}, "confidence"),
        ({"preset": "c5"}, "preset"),
        ({"measure": "gini"}, "measure"),
        ({"categories": "all"}, "categories"),
        ({"threshold": 0.5}, "threshold"),
        ({"min_leaf_weight": 0}, "min_leaf_weight"),
        ({"min_leaf_weight": float("inf")}, "min_leaf_weight"),
        ({"mdl_correction": "yes"}, "mdl_correction"),
        ({"pruning": "mdl"}, "pruning"),
        ({"raising": 1}, "raising"),
        ({"collapse": None}, "collapse"),
        ({"max_depth": -1}, "max_depth"),
    ],
)
def test_bad_parameters_are_named(parameters, named):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=named):
        C45Classifier(**parameters).fit(X, y)


def test_odd_data():
    ones = C45Classifier().fit(np.ones((5, 2)), [0, 1, 0, 1, 1]).tree_
    assert ones.n_nodes == 1
    assert C45Classifier().fit([[1.0], [2.0]], [0, 1]).tree_.n_nodes == 1
    X = np.full((20, 2), np.nan)
    X[:, 1] = np.arange(20)
    assert C45Classifier().fit(X, np.arange(20) > 9).score(X, np.arange(20) > 9) == 1.0
    with pytest.raises(ValueError, match="pruning=None"):
        C45Classifier(pruning=None).fit(X, np.arange(20) > 9).prune(X, np.arange(20) > 9)


def test_saving(tmp_path):
    X, y = load_wine(return_X_y=True)
    model = C45Classifier(preset="j48").fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    inner = ObliqueTreeClassifier(finder=C45(min_leaf_weight=3)).fit(X, y)
    save(inner, tmp_path / "inner.json")
    assert load(tmp_path / "inner.json").finder.min_leaf_weight == 3


# ---------------------------------------------------------------- multiway tests as chains


def test_a_chain_is_pruned_as_one_test():
    # Values a and b tell the class alike, c otherwise: merging a and b would be a smaller tree.
    X = pd.DataFrame({"v": pd.Categorical(["a"] * 10 + ["b"] * 10 + ["c"] * 10)})
    y = [0] * 20 + [1] * 10
    tree = C45Classifier().fit(X, y).tree_
    assert nested(tree) == (0, (0,), (0, 10, 0), (0, (1,), (0, 10, 0), (1, 10, 0)))
    # Two values that tell nothing: the whole test goes.
    assert C45Classifier().fit(X, [0, 1] * 15).tree_.n_nodes == 1


def test_deep_chains_and_limits():
    values = [f"v{i:03d}" for i in range(300)]
    X = pd.DataFrame({"v": pd.Categorical(np.repeat(values, 4))})
    y = np.repeat(np.arange(300) % 2, 4)
    # (A column of that many values is rated against no other.)
    model = C45Classifier().fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.tree_.max_depth == 299
    short = C45Classifier(max_depth=2, pruning=None, collapse=False).fit(X, y)
    assert short.tree_.max_depth == 2
    some = pd.DataFrame({"v": pd.Categorical(np.repeat(list("abcd"), 9))})
    labels = np.repeat([0, 1, 2, 2], 9)
    assert nested(C45Classifier(max_depth=2).fit(some, labels).tree_) == (
        0, (0,), (0, 9, 0), (0, (1,), (1, 9, 0), (2, 18, 0)),
    )  # fmt: skip


CHECKED = [
    C45Classifier(),
    C45Classifier(preset="j48", categories="subsets", pruning="reduced_error"),
    C45Classifier(measure="gain", threshold="midpoint", pruning=None, min_leaf_weight=1),
    EG2Classifier(),
    CSID3Classifier(categories="single"),
    IDXClassifier(raising=False),
]


def expected_failures(estimator):
    if estimator.pruning != "reduced_error":
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "the rows held out for pruning are drawn: a row of weight three is drawn as one row, "
            "its three copies one by one"
        )
    }


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", ["c45", "j48", "eg2", "cs_id3", "idx"])
def test_strategies_learn_a_mixed_table(name):
    frame, y = mixed_table()
    assert load_strategy(name).estimator.fit(frame, y).score(frame, y) > 0.8
