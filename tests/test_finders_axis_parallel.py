"""Axis-parallel tests, their thresholds, and the composition of finders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tree_checks import bundled, grow_on, reference_gain

from oblique import LinearSplit, ObliqueTreeClassifier
from oblique.criteria import CRITERIA
from oblique.finders import (
    AxisParallel,
    BestOf,
    Categories,
    FixedSplit,
    LinearDiscriminant,
    SafeAdjusted,
    SplitFinder,
    best_cut_along,
)
from oblique.node import Node
from oblique.stopping import Stopping

seeds = st.integers(0, 2**32 - 1)
RNG = np.random.default_rng(0)


def cut(x, codes, threshold="safe", unsafe=1):
    node = Node.from_data(np.array(x, dtype=float)[:, None], codes, unsafe=unsafe)
    return AxisParallel(threshold).find_split(node, RNG)


# ---------------------------------------------------------------- safe thresholds


def test_the_gap_is_given_to_the_unsafe_side():
    """Vadera (2005, section 3): the value of the safe row beside the gap, not the midpoint."""
    right = cut([1, 2, 3, 7, 8, 9], [0, 0, 0, 1, 1, 1])
    assert right.threshold == 3.0
    assert right.membership([[3.0], [np.nextafter(3.0, 4.0)]]).tolist() == [1.0, 0.0]
    left = cut([1, 2, 3, 7, 8, 9], [1, 1, 1, 0, 0, 0])
    assert left.membership([[np.nextafter(7.0, 0.0)], [7.0]]).tolist() == [1.0, 0.0]
    assert cut([1, 2, 3, 7, 8, 9], [0, 0, 0, 1, 1, 1], "midpoint").threshold == 5.0
    assert cut([1, 2, 3, 7, 8, 9], [1, 1, 1, 0, 0, 0], "data").threshold == 3.0


def test_mixed_sides_go_by_their_shares():
    # Left one unsafe of four, right two of three.
    assert cut([1, 1, 1, 1, 9, 9, 9], [0, 0, 0, 1, 1, 1, 0]).threshold == 1.0


def test_equal_shares_have_the_midpoint():
    # Three classes: the unsafe one has half of each side.
    split = cut([1, 1, 9, 9], [0, 1, 2, 1])
    assert split.threshold == 5.0


def test_without_an_unsafe_class_the_midpoint_is_taken():
    assert cut([1, 3], [0, 1], unsafe=-1).threshold == 2.0


def test_weights_count_in_the_shares():
    X = np.array([[1.0], [1.0], [9.0], [9.0]])
    codes = [0, 1, 0, 1]
    heavy_left = Node.from_data(X, codes, sample_weight=[1.0, 3.0, 3.0, 1.0], unsafe=1)
    assert AxisParallel("safe").find_split(heavy_left, RNG).threshold == np.nextafter(9.0, 0.0)
    heavy_right = Node.from_data(X, codes, sample_weight=[3.0, 1.0, 1.0, 3.0], unsafe=1)
    assert AxisParallel("safe").find_split(heavy_right, RNG).threshold == 1.0


@pytest.mark.parametrize("name", ["iris", "pima", "heart_complete"])
def test_thresholds_do_not_change_the_tree_that_training_rows_see(name):
    """Every threshold lies in the same gap, so the same rows go the same way."""
    X, codes = bundled(name)
    trees = [
        grow_on(X, codes, AxisParallel(mode), unsafe=1) for mode in ("midpoint", "data", "safe")
    ]
    for tree in trees[1:]:
        np.testing.assert_array_equal(tree.apply(X), trees[0].apply(X))
        np.testing.assert_array_equal(tree.counts, trees[0].counts)


# ---------------------------------------------------------------- ties and nothing to do


def test_first_column_and_smallest_threshold_win_ties():
    X = np.array([[0.0, 5.0, 5.0], [1.0, 6.0, 6.0], [0.0, 7.0, 7.0], [1.0, 8.0, 8.0]])
    split = AxisParallel().find_split(Node.from_data(X, [0, 0, 1, 1]), RNG)
    assert (split.feature, split.threshold) == (1, 6.5)
    split = AxisParallel().find_split(
        Node.from_data([[1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 0]), RNG
    )
    assert split.threshold == 1.5


@pytest.mark.parametrize(
    ("x", "codes"),
    [
        ([1, 1, 1], [0, 1, 0]),
        ([1, 1, 2, 2], [0, 1, 0, 1]),
        ([np.nan, np.nan], [0, 1]),
        ([1, np.nan, 1], [0, 1, 1]),
        ([1, 2], [0, 0]),
    ],
)
def test_no_cut_gains(x, codes):
    assert cut(x, codes, "midpoint") is None


def test_categorical_columns_are_left_alone():
    node = Node.from_data([[0.0, 3.0], [1.0, 4.0]], [0, 1], categorical=[True, False])
    assert AxisParallel().find_split(node, RNG).feature == 1
    only = Node.from_data([[0.0], [1.0]], [0, 1], categorical=[True])
    assert AxisParallel().find_split(only, RNG) is None


def test_unknown_threshold_is_named():
    with pytest.raises(ValueError, match=r"threshold='mid' is not known; did you mean 'midpoint'"):
        cut([1, 2], [0, 1], "mid")


# ---------------------------------------------------------------- cuts along directions


@settings(max_examples=50, deadline=None)
@given(seeds, st.sampled_from([0.0, 0.2]))
def test_best_cut_along_directions_is_the_best_of_all(seed, missing):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(20, 3)).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    codes = np.arange(20) % 3
    directions = rng.integers(-2, 3, size=(5, 3)).astype(float)
    node = Node.from_data(X, codes, criterion="gini")
    best = 0.0
    for direction in directions[directions.any(axis=1)]:
        used = direction != 0.0
        scores = X[:, used] @ direction[used]
        known = ~np.isnan(scores)
        for score in np.unique(scores[known])[:-1]:
            left, right = (
                np.bincount(codes[side], minlength=3)
                for side in (known & (scores <= score), known & (scores > score))
            )
            best = max(best, reference_gain("gini", left, right, np.bincount(codes)))
    split = best_cut_along(node, directions)
    found = 0.0 if split is None else node.gain(split)
    assert found == pytest.approx(best, abs=1e-11)


def test_useless_directions_are_passed_over():
    node = Node.from_data([[1.0, 1e300], [2.0, -1e300]], [0, 1])
    directions = np.array([[0.0, 0.0], [np.nan, 1.0], [0.0, 1e300], [1.0, 0.0]])
    assert best_cut_along(node, directions) == LinearSplit([1.0, 0.0], 1.5)
    assert best_cut_along(node, directions[:3]) is None


def test_threshold_belongs_to_the_scores_of_prediction():
    """With thresholds on data values a last bit decides on which side a row is."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        X, codes = rng.normal(size=(30, 7)), np.arange(30) % 2
        node = Node.from_data(X, codes)
        split = best_cut_along(node, rng.normal(size=(4, 7)), threshold="data")
        on_plane = [
            row for row in X
            if sum(w * x for w, x in zip(split.weights.tolist(), row.tolist(), strict=True))
            == split.threshold
        ]  # fmt: skip
        assert on_plane
        assert split.membership(on_plane).tolist() == [1.0] * len(on_plane)


# ---------------------------------------------------------------- composition


class Proposal(SplitFinder):
    """Offers a cut of the only column, at a gain of its own choice."""

    def __init__(self, threshold, gain):
        self.threshold = threshold
        self.gain = gain

    def find_split(self, node, rng):
        return LinearSplit([1.0], self.threshold)

    def propose(self, node, rng):
        return None if self.gain is None else (self.find_split(node, rng), self.gain)


@pytest.mark.parametrize(
    ("gains", "winner"),
    [
        ([0.1, 0.3, 0.2], 1),
        ([0.3, 0.3, 0.3], 0),
        ([0.3, 0.3 + 1e-14, 0.1], 0),
        ([None, 0.1, 0.2], 2),
    ],
)
def test_largest_gain_wins_and_ties_go_to_the_first(gains, winner):
    node = Node.from_data([[1.0], [2.0]], [0, 1])
    finder = BestOf(*(Proposal(float(i), gain) for i, gain in enumerate(gains)))
    assert finder.find_split(node, RNG).threshold == winner


class Asked(AxisParallel):
    """The best cut, noting the nodes at which it was asked."""

    def __init__(self, asked, *, is_plain=True):
        super().__init__()
        self.asked = asked
        self.is_plain = is_plain

    def propose(self, node, rng):
        self.asked.append(node.n_rows)
        return super().propose(node, rng)


@pytest.mark.parametrize(
    ("criterion", "second"), [("entropy", []), ("gini", []), ("twoing", [4]), ("gain_ratio", [4])]
)
def test_no_plain_finder_is_asked_once_both_sides_are_pure(criterion, second):
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), np.array([0, 0, 0, 1])
    node = Node.from_data(X, y, criterion=criterion)
    plane = FixedSplit(LinearSplit([1.0, 1.0], 2.5))
    mixed = FixedSplit(LinearSplit([1.0, 0.0], 0.5))
    for first, plain, asked in (
        (plane, True, second),
        (plane, False, [4]),
        (mixed, True, [4]),
    ):
        seen = []
        BestOf(first, Asked(seen, is_plain=plain)).find_split(node, RNG)
        assert seen == asked


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_are_those_of_asking_everywhere(criterion, weighted):
    rng = np.random.default_rng(7)
    X = np.round(rng.normal(size=(400, 3)), 1)
    y = (X.sum(axis=1) + 0.4 * rng.normal(size=400) > 0.0).astype(int) + (X[:, 0] > 1.0)
    weights = rng.uniform(0.5, 2.0, 400) if weighted else None
    trees, counts = [], []
    for is_plain in (True, False):
        seen = []
        finder = BestOf(LinearDiscriminant("criterion"), Asked(seen, is_plain=is_plain))
        model = ObliqueTreeClassifier(finder=finder, criterion=criterion, random_state=0)
        trees.append(grown := model.fit(X, y, weights).tree_.to_dict())
        counts.append(len(seen))
        assert len(grown["threshold"]) > 10
    assert trees[0] == trees[1]
    assert counts[0] < counts[1] if criterion in ("entropy", "gini") else counts[0] == counts[1]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("case", ["plain", "weighted", "missing", "limited"])
def test_proposal_has_the_gain_of_its_test(criterion, case):
    rng = np.random.default_rng(5)
    X = np.round(rng.normal(size=(90, 3)), 1)
    y = (X[:, 1] + rng.normal(size=90) > 0.0).astype(int)
    if case == "missing":
        X[rng.random(X.shape) < 0.1] = np.nan
    node = Node.from_data(
        X, y, sample_weight=rng.uniform(0.5, 2.0, 90) if case == "weighted" else None,
        criterion=criterion, min_leaf=20.0 if case == "limited" else 1.0,
    )  # fmt: skip
    split, gain = AxisParallel().propose(node, RNG)
    assert gain == pytest.approx(node.gain(split), abs=1e-14)
    assert split == AxisParallel().find_split(node, RNG)


def test_nothing_offered():
    node = Node.from_data([[1.0], [2.0]], [0, 1])
    assert BestOf(FixedSplit(None), FixedSplit(None)).find_split(node, RNG) is None
    with pytest.raises(ValueError, match="at least one finder"):
        grow_on(node.X, node.codes, BestOf())


def test_plane_with_a_small_side_does_not_end_the_branch():
    """The loop would refuse it, so that the next best test has to win."""
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(3, 2)) + 9.0])
    codes = np.array([0, 0, 1] * 20 + [1] * 3, np.int32)
    limits = Stopping(min_samples_leaf=10)
    with_plane = BestOf(FixedSplit(LinearSplit([-1.0, -1.0], -9.0)), AxisParallel())
    first = grow_on(X, codes, with_plane, stopping=limits)
    second = grow_on(X, codes, AxisParallel(), stopping=limits)
    assert second.n_leaves > 1
    np.testing.assert_array_equal(first.counts, second.counts)


def test_adjusted_plane_with_a_small_side_does_not_end_the_branch():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    codes = (X.sum(axis=1) + rng.normal(size=120) > 0).astype(np.int32)
    limits = Stopping(min_samples_leaf=10)
    axis = grow_on(X, codes, AxisParallel("safe"), stopping=limits, unsafe=1)
    for select_by in ("adjusted", "plain"):
        finder = BestOf(SafeAdjusted(select_by=select_by), AxisParallel("safe"))
        tree = grow_on(X, codes, finder, stopping=limits, unsafe=1)
        assert tree.n_leaves >= axis.n_leaves // 2
        for leaf in tree.leaves:
            rows = tree.apply(X) == leaf
            node = Node.from_data(X[rows], codes[rows], unsafe=1, min_leaf=10)
            split = AxisParallel("safe").find_split(node, RNG)
            assert split is None or node.gain(split) == 0.0


def test_finders_are_scikit_learn_objects():
    ldt = BestOf(SafeAdjusted(LinearDiscriminant()), AxisParallel("safe"), Categories())
    twin = clone(ldt)
    assert repr(twin) == repr(ldt)
    assert twin.finders[0] is not ldt.finders[0]
    names = ldt.get_params()
    assert names["1__threshold"] == "safe"
    assert names["0__finder__min_samples"] == "2d"
    ldt.set_params(**{"1__threshold": "data", "0__mode": "pure", "2": AxisParallel()})
    assert ldt.finders[1].threshold == "data"
    assert ldt.finders[0].mode == "pure"
    assert isinstance(ldt.finders[2], AxisParallel)
    assert twin.finders[1].threshold == "safe"
    with pytest.raises(ValueError, match="'7__mode' is not a parameter of BestOf"):
        ldt.set_params(**{"7__mode": "pure"})
    assert BestOf([AxisParallel(), Categories()]).finders[1].sets == "subsets"


class Unwilling(AxisParallel):
    """A subclass whose own search finds nothing."""

    def find_split(self, node, rng):
        return None


@pytest.mark.parametrize("finder", [Unwilling(), BestOf(Unwilling())])
def test_no_short_cut_passes_over_the_search_of_a_subclass(finder):
    model = ObliqueTreeClassifier(finder=finder).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
    assert model.tree_.n_nodes == 1
