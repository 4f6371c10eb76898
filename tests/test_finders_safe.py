"""The safe adjustment (Vadera 2005, section 3): worked examples and what always holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_finders_discriminant import SAFE_A, SAFE_B, UNSAFE_A, UNSAFE_B
from tree_checks import grow_on, reference_gain

from oblique import CategorySplit, LinearSplit
from oblique.finders import AxisParallel, BestOf, FixedSplit, LinearDiscriminant, SafeAdjusted
from oblique.node import Node

seeds = st.integers(0, 2**32 - 1)
SAFE, UNSAFE = 0, 1
RNG = np.random.default_rng(0)


def node_of(safe, unsafe, **options):
    codes = [SAFE] * len(safe) + [UNSAFE] * len(unsafe)
    return Node.from_data(np.array([*safe, *unsafe], dtype=float), codes, unsafe=UNSAFE, **options)


def discriminant(node):
    return LinearDiscriminant(min_samples=0).find_split(node, RNG)


def safe_finder(**options):
    return SafeAdjusted(LinearDiscriminant(min_samples=0), **options)


def unsafe_region(split, node):
    """Class codes of the rows that are taken for unsafe."""
    return node.codes[split.membership(node.X) == 1.0]


def variants(node, plain):
    """Every variant in the paper's order, its gain and the safe row it moves to the plane.

    A slow version of the text: an unsafe region ``a . x <= c``; equality is safe afterwards.
    """
    X, codes, a, c = node.X, node.codes, plain.weights, plain.threshold
    scores = X @ a
    wrong = np.flatnonzero((codes != UNSAFE) & (scores <= c))
    if not wrong.size:
        return None, []
    deepest = wrong[scores[wrong].argmin()]
    star = X[deepest]
    moved = [(a, scores[deepest], scores < scores[deepest])]
    for i in np.flatnonzero((np.abs(star) > 1e-12 * np.abs(X).max(axis=0)) & (a != 0.0)):
        tilted = a.copy()
        tilted[i] += (c - scores[deepest]) / star[i]
        size = abs(c) + np.abs(a * star).sum()
        moved.append((tilted, c, X @ tilted < c - 1e-9 * size))
    out = []
    for weights, threshold, is_left in moved:
        left, right = (
            np.bincount(codes[side], weights=node.weights[side], minlength=2)
            for side in (is_left, ~is_left)
        )
        out.append((weights, threshold, reference_gain(node.criterion, left, right, left + right)))
    return star, out


def unseparated(seed, n=40, d=3):
    """Two classes that overlap, the discriminant's left side being the less safe one."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % 3 == 0).astype(int)
    X = rng.normal(size=(n, d)).round(rng.integers(1, 3)) + 0.8 * codes[:, None]
    node = Node.from_data(X, codes, unsafe=UNSAFE)
    left = discriminant(node).membership(node.X) == 1.0
    if left.any() and np.mean(codes) > np.mean(node.codes[left]):
        return unseparated(seed + 2**32, n, d)
    return node


# ---------------------------------------------------------------- worked examples


def test_example_a_ties_and_the_threshold_wins():
    node = node_of(SAFE_A, UNSAFE_A)
    star, moved = variants(node, discriminant(node))
    assert star.tolist() == [4.0, 3.0]
    assert [gain for *_, gain in moved] == pytest.approx([0.60998655] * 3, abs=5e-9)
    assert moved[0][1] == pytest.approx(-10.63414634, abs=5e-9)
    assert moved[1][0][0] == pytest.approx(-0.18902439, abs=5e-9)
    assert moved[2][0][1] == pytest.approx(-3.14634146, abs=5e-9)

    split = safe_finder().find_split(node, RNG)
    assert split.weights == pytest.approx([-0.24390244, -3.21951220], abs=5e-9)
    assert split.threshold == pytest.approx(-10.63414634, abs=5e-9)
    assert node.gain(split) == pytest.approx(0.60998655, abs=5e-9)
    assert set(unsafe_region(split, node)) == {UNSAFE}


@pytest.mark.parametrize("mode", ["literal", "pure", "iterate"])
def test_example_b_turns_the_plane_about_the_first_axis(mode):
    node = node_of(SAFE_B, UNSAFE_B)
    star, moved = variants(node, discriminant(node))
    assert star.tolist() == [4.0, 4.0]
    assert [gain for *_, gain in moved] == pytest.approx([0.404010, 0.617511, 0.404010], abs=5e-7)
    assert moved[0][1] == pytest.approx(-5.67389130, abs=5e-9)
    assert moved[1][0][0] == pytest.approx(-0.71906738, abs=5e-9)
    assert moved[2][0][1] == pytest.approx(-0.47098469, abs=5e-9)

    split = safe_finder(mode=mode).find_split(node, RNG)
    assert split.weights == pytest.approx([-0.71906738, -0.58519507], abs=5e-9)
    assert split.threshold == pytest.approx(-5.21704980, abs=2e-7)
    assert node.gain(split) == pytest.approx(0.617511, abs=5e-7)
    assert set(unsafe_region(split, node)) == {UNSAFE}


def test_winner_by_gain_may_hold_safe_rows():
    """The text chooses by gain alone; mode "pure" is for a region of unsafe rows only."""
    impure = 0
    for seed in range(40):
        node = unseparated(seed)
        split = safe_finder().find_split(node, RNG)
        impure += SAFE in unsafe_region(split, node)
        pure = safe_finder(mode="pure").find_split(node, RNG)
        star, moved = variants(node, discriminant(node))
        if star is not None and moved[0][2] > 0.0:
            assert SAFE not in unsafe_region(pure, node)
            assert node.gain(pure) <= node.gain(split) + 1e-12
    assert impure > 5


# ---------------------------------------------------------------- what always holds


@settings(max_examples=80, deadline=None)
@given(seeds)
def test_literal_mode_is_the_text(seed):
    node = unseparated(seed)
    plain = discriminant(node)
    star, moved = variants(node, plain)
    split = safe_finder().find_split(node, RNG)
    gains = [gain for *_, gain in moved]
    if star is None or max(gains) <= 0.0:
        assert split == plain
        return
    assert node.gain(split) == pytest.approx(max(gains), abs=1e-9)
    first = next(i for i, gain in enumerate(gains) if gain > max(gains) - 1e-9)
    np.testing.assert_allclose(split.weights, moved[first][0], rtol=1e-9)
    assert split.threshold == pytest.approx(moved[first][1], rel=1e-6, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([1e-9, 0.25, 3.0, 1e12]))
def test_deepest_safe_row_lies_on_the_new_plane_and_is_safe(seed, scale):
    base = unseparated(seed)
    node = Node.from_data(scale * base.X, base.codes, unsafe=UNSAFE)
    plain = discriminant(node)
    star, moved = variants(node, plain)
    assume(star is not None and max(gain for *_, gain in moved) > 0.0)
    split = safe_finder().find_split(node, RNG)
    size = abs(split.threshold) + np.abs(split.weights * star).sum()
    assert split.weights @ star == pytest.approx(split.threshold, abs=1e-7 * size)
    assert split.membership(star[None])[0] == 0.0


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_moved_threshold_never_leaves_a_safe_row_in_the_unsafe_region(seed):
    base = unseparated(seed, d=1)
    x, is_safe = base.X[:, 0], base.codes == SAFE
    start = np.sort(x)[-12]
    assume(0.0 < is_safe[x >= start].mean() < is_safe.mean())
    assume(x[~is_safe].max() > x[is_safe].max())
    # With the deepest safe row at the origin no weight can move the plane through it.
    star = x[is_safe].max()
    node = Node.from_data((x - star)[:, None], base.codes, unsafe=UNSAFE)
    plain = LinearSplit([-1.0], star - start)
    split = SafeAdjusted(FixedSplit(plain)).find_split(node, RNG)
    assert split.weights.tolist() == [-1.0]
    assert sorted(unsafe_region(split, node)) == [UNSAFE] * int((x[~is_safe] > star).sum())


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_pure_mode_admits_unsafe_rows_only(seed):
    node = unseparated(seed)
    star, moved = variants(node, discriminant(node))
    assume(star is not None and moved[0][2] > 0.0)
    assert SAFE not in unsafe_region(safe_finder(mode="pure").find_split(node, RNG), node)


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_iteration_ends_pure_or_where_no_unsafe_row_would_remain(seed):
    node = unseparated(seed)
    split = safe_finder(mode="iterate").find_split(node, RNG)
    scores = node.X @ split.weights
    is_safe = node.codes == SAFE
    if SAFE in unsafe_region(split, node):
        assert scores[is_safe].min() <= scores[~is_safe].min() + 1e-9


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from(["literal", "pure", "iterate"]))
def test_units_of_all_columns_leave_the_partition_unchanged(seed, mode):
    base = unseparated(seed)
    finder = safe_finder(mode=mode)
    first = finder.find_split(base, RNG)
    # Other units are another content, so sums are formed in another order: on which side a row
    # lies that stands on the fitted plane itself is then a matter of the last bit.
    reach = np.abs(base.X) @ np.abs(first.weights) + abs(first.threshold)
    is_clear = np.abs(base.X @ first.weights - first.threshold) > 1e-8 * reach
    assert is_clear.mean() > 0.7
    expected = first.membership(base.X)[is_clear]
    for k in (2.0**-30, 2.0**20, 1e-12, 7.0, 1e12):
        node = Node.from_data(k * base.X, base.codes, unsafe=UNSAFE)
        split = finder.find_split(node, RNG)
        np.testing.assert_array_equal(split.membership(k * base.X)[is_clear], expected)


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from([0.0, 1.0, -1e6, 1e-9]))
def test_a_constant_column_changes_nothing(seed, value):
    base = unseparated(seed)
    node = Node.from_data(np.insert(base.X, 1, value, axis=1), base.codes, unsafe=UNSAFE)
    first, second = (safe_finder().find_split(n, RNG) for n in (base, node))
    assert second.indices.tolist() == [0, 2, 3]
    np.testing.assert_allclose(second.values, first.values, rtol=1e-9)
    np.testing.assert_array_equal(second.membership(node.table.X), first.membership(base.X))


def test_rows_of_equal_content_on_the_plane_are_all_safe():
    node = node_of([(0.0,), (1.0,), (5.0,)], [(5.0,), (6.0,), (7.0,), (5.0,)])
    split = SafeAdjusted(FixedSplit(LinearSplit([-1.0], -4.5))).find_split(node, RNG)
    assert split.membership([[5.0], [np.nextafter(5.0, 6.0)]]).tolist() == [0.0, 1.0]
    assert unsafe_region(split, node).tolist() == [UNSAFE, UNSAFE]


def test_plane_without_a_misclassified_safe_row_stays():
    node = node_of([(0.0,), (1.0,)], [(5.0,), (6.0,)])
    plain = LinearSplit([-1.0], -3.0)
    assert SafeAdjusted(FixedSplit(plain)).find_split(node, RNG) == plain


def test_plane_whose_variants_all_empty_a_side_stays():
    """The deepest misclassified row is safe and lies deeper than every unsafe one."""
    node = node_of([(0.0,), (9.0,)], [(5.0,), (6.0,)])
    plain = LinearSplit([-1.0], -3.0)
    for mode in ("literal", "pure", "iterate"):
        assert SafeAdjusted(FixedSplit(plain), mode=mode).find_split(node, RNG) == plain


def test_coefficient_of_a_zero_value_cannot_move_the_plane():
    """The deepest safe row is (0, 3): only the second weight and the threshold can change."""
    node = node_of([(0.0, 0.0), (1.0, 1.0), (0.0, 3.0)], [(2.0, 3.0), (3.0, 2.0), (-1.0, 4.5)])
    plain = LinearSplit([-1.0, -1.0], -2.5)
    split = SafeAdjusted(FixedSplit(plain)).find_split(node, RNG)
    assert split.weights[0] == -1.0


def test_plane_is_turned_so_that_unsafe_rows_are_on_the_left():
    node = node_of([(0.0,), (1.0,), (5.5,)], [(5.0,), (6.0,), (7.0,)])
    left = SafeAdjusted(FixedSplit(LinearSplit([-1.0], -3.0))).find_split(node, RNG)
    right = SafeAdjusted(FixedSplit(LinearSplit([1.0], 3.0))).find_split(node, RNG)
    assert left == right
    assert unsafe_region(left, node).tolist() == [UNSAFE, UNSAFE]
    # A row on the plane went left with the safe ones and must stay with them.
    on_plane = node_of([(0.0,), (1.0,), (3.0,)], [(5.0,), (6.0,), (7.0,)])
    turned = SafeAdjusted(FixedSplit(LinearSplit([1.0], 3.0))).find_split(on_plane, RNG)
    assert turned.membership([[3.0], [np.nextafter(3.0, 4.0)]]).tolist() == [0.0, 1.0]


def test_category_tests_are_passed_on():
    node = node_of([(0.0,), (1.0,)], [(2.0,), (3.0,)], categorical=[True])
    split = CategorySplit(0, [0, 1], [2, 3])
    assert SafeAdjusted(FixedSplit(split)).find_split(node, RNG) is split


def test_no_plane_no_adjustment():
    node = node_of([(0.0,)], [(1.0,)])
    assert SafeAdjusted(FixedSplit(None)).find_split(node, RNG) is None
    assert SafeAdjusted(FixedSplit(None)).propose(node, RNG) is None


def test_missing_values_of_a_row_keep_it_out_of_the_adjustment():
    rows = [(0.0, 1.0), (1.0, 0.0), (5.5, np.nan), (5.0, 2.0)]
    node = node_of(rows, [(5.0, 3.0), (6.0, 4.0), (np.nan, 9.0)])
    split = SafeAdjusted(FixedSplit(LinearSplit([-1.0, -1.0], -6.0))).find_split(node, RNG)
    assert np.isfinite(split.weights).all()
    known = ~np.isnan(node.X).any(axis=1)
    region = node.codes[known][split.membership(node.X[known]) == 1.0]
    assert region.tolist() == [UNSAFE, UNSAFE]


def test_more_than_two_classes_every_other_one_is_safe():
    X = np.array([[0.0], [1.0], [4.0], [5.0], [6.0], [4.5], [7.0]])
    node = Node.from_data(X, [0, 0, 2, 1, 1, 0, 1], unsafe=1)
    split = SafeAdjusted(FixedSplit(LinearSplit([-1.0], -3.0))).find_split(node, RNG)
    assert set(unsafe_region(split, node)) == {1}


# ---------------------------------------------------------------- which gain competes


def test_select_by_tells_the_gain_that_competes():
    node = node_of(SAFE_B, UNSAFE_B)
    adjusted = safe_finder(select_by="adjusted").propose(node, RNG)
    plain = safe_finder().propose(node, RNG)
    assert adjusted[0] == plain[0]
    assert adjusted[1] == pytest.approx(0.617511, abs=5e-7)
    assert plain[1] == pytest.approx(0.164992, abs=5e-7)


def test_axis_parallel_may_win_against_the_plain_plane_only():
    """Example B again: the best axis-parallel cut lies between the two gains of the plane."""
    node = node_of(SAFE_B, UNSAFE_B)
    axis = AxisParallel("safe")
    assert 0.164992 < axis.propose(node, RNG)[1] < 0.617511
    assert BestOf(safe_finder(select_by="adjusted"), axis).find_split(node, RNG).feature == -1
    assert BestOf(safe_finder(), axis).find_split(node, RNG).feature >= 0


@pytest.mark.parametrize("select_by", ["adjusted", "plain"])
@pytest.mark.parametrize("mode", ["literal", "pure", "iterate"])
def test_trees_end_pure(mode, select_by):
    base = unseparated(3, n=200)
    finder = BestOf(safe_finder(mode=mode, select_by=select_by), AxisParallel("safe"))
    tree = grow_on(base.X + 1e-6 * RNG.normal(size=base.X.shape), base.codes, finder, unsafe=UNSAFE)
    assert (tree.impurity[tree.leaves] == 0.0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"mode": "strict"}, "mode='strict' must be"), ({"select_by": "gain"}, "select_by='gain'")],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        SafeAdjusted(**options).find_split(node_of(SAFE_B, UNSAFE_B), RNG)


def test_without_an_unsafe_class_there_is_nothing_to_be_safe_about():
    node = Node.from_data([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    with pytest.raises(ValueError, match="unsafe_class"):
        SafeAdjusted(FixedSplit(LinearSplit([1.0], 0.5))).find_split(node, RNG)
