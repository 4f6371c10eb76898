"""Fisher's discriminant at a node, against numpy and against what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tree_checks import bundled, cells

from oblique.finders import LinearDiscriminant
from oblique.finders.linear_discriminant import groupings
from oblique.node import Node

seeds = st.integers(0, 2**32 - 1)
ANY_SIZE = LinearDiscriminant(min_samples=0)

# Worked by hand with pooled covariance (divisor n - 2) and priors from counts; safe rows first.
SAFE_A, UNSAFE_A = (
    [(1, 1), (2, 1), (1, 2), (2, 2), (4, 3)],
    [(4, 4), (5, 4), (4, 5), (5, 5), (3, 3)],
)
SAFE_B = [(3, 4), (4, 4), (1, 3), (1, 3), (4, 4), (2, 4)]
UNSAFE_B = [(3, 3), (7, 1), (1, 8), (5, 5), (5, 3)]


def plane(X, codes, finder=ANY_SIZE, **options):
    return finder.find_split(Node.from_data(X, codes, **options), np.random.default_rng(0))


def reference_plane(X, codes, weights=None, *, unsafe=1):
    """Unsafe iff a . x <= c, equations 1 and 2 of Vadera (2005) with the prior's sign mended."""
    X, codes = np.asarray(X, dtype=float), np.asarray(codes)
    w = np.ones(len(X)) if weights is None else weights
    safe, risky = codes != unsafe, codes == unsafe
    means = [np.average(X[side], axis=0, weights=w[side]) for side in (safe, risky)]
    scatter = sum(
        (X[side] - mean).T @ ((X[side] - mean) * w[side, None])
        for side, mean in zip((safe, risky), means, strict=True)
    )
    a = np.linalg.solve(scatter / (w.sum() - 2), means[0] - means[1])
    return a, a @ (means[0] + means[1]) / 2 + np.log(w[risky].sum() / w[safe].sum())


def two_groups(rng, n, d, shift=1.0):
    codes = rng.permutation(np.arange(n) % 3 == 0).astype(np.int32)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + shift * codes[:, None] * rng.random(d)
    return X, codes


def assert_plane(split, a, c, rtol=1e-8):
    scale = np.abs(a).max()
    np.testing.assert_allclose(split.weights, a, rtol=rtol, atol=rtol * scale)
    assert split.threshold == pytest.approx(c, rel=rtol, abs=rtol * scale)


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("safe", "unsafe", "a", "c"),
    [
        (SAFE_A, UNSAFE_A, (-0.24390244, -3.21951220), -10.41463415),
        (SAFE_B, UNSAFE_B, (-0.83327776, -0.58519507), -5.21704980),
    ],
)
def test_worked_examples(safe, unsafe, a, c):
    codes = [0] * len(safe) + [1] * len(unsafe)
    split = plane([*safe, *unsafe], codes, unsafe=1)
    assert split.weights == pytest.approx(a, abs=5e-9)
    assert split.threshold == pytest.approx(c, abs=5e-9)


def test_plain_plane_of_example_b_and_its_gain():
    codes = [0] * len(SAFE_B) + [1] * len(UNSAFE_B)
    node = Node.from_data([*SAFE_B, *UNSAFE_B], codes, unsafe=1)
    split = ANY_SIZE.find_split(node, np.random.default_rng(0))
    assert node.gain(split) == pytest.approx(0.164992, abs=5e-7)


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(1, 6), st.integers(0, 40))
def test_plane_is_the_textbook_one(seed, d, more):
    rng = np.random.default_rng(seed)
    X, codes = two_groups(rng, 3 * d + 6 + more, d)
    assert_plane(plane(X, codes, unsafe=1), *reference_plane(X, codes), rtol=1e-6)
    turned = plane(X, codes, unsafe=0)
    assert_plane(turned, *reference_plane(X, codes, unsafe=0), rtol=1e-6)
    # Without an unsafe class, the class of smaller code is on the left.
    assert plane(X, codes) == turned


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_whole_weights_are_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    X, codes = two_groups(rng, 20, 3)
    times = rng.integers(1, 5, size=20)
    weighted = plane(X, codes, unsafe=1, sample_weight=times)
    a, c = reference_plane(X, codes, times.astype(float))
    assert_plane(weighted, a, c, rtol=1e-6)
    repeated = plane(np.repeat(X, times, axis=0), np.repeat(codes, times), unsafe=1)
    assert_plane(repeated, a, c, rtol=1e-6)


def test_a_class_of_one_repeated_row():
    """Its weight says that it was seen often, so it has a plane as the repeated rows have."""
    X = np.array([[0.0, 0.1], [1.0, 0.0], [0.0, 1.0], [1.2, 1.1], [4.0, 4.0]])
    codes = np.array([0, 0, 0, 0, 1])
    times = np.array([1, 1, 1, 1, 3])
    repeated = plane(np.repeat(X, times, axis=0), np.repeat(codes, times), unsafe=1)
    assert repeated is not None
    weighted = plane(X, codes, unsafe=1, sample_weight=times)
    assert_plane(weighted, repeated.weights, repeated.threshold)


def test_real_weights_leave_the_number_of_rows_to_the_divisor():
    rng = np.random.default_rng(0)
    X, codes = two_groups(rng, 30, 2)
    first = plane(X, codes, unsafe=1)
    halved = plane(X, codes, unsafe=1, sample_weight=np.full(30, 0.5))
    assert_plane(halved, first.weights, first.threshold)


def test_two_spherical_groups_are_divided_along_the_difference_of_their_means():
    rng = np.random.default_rng(1)
    difference = np.array([3.0, -1.0, 0.5])
    X = rng.normal(size=(4000, 3))
    X[2000:] += difference
    codes = np.repeat([0, 1], 2000)
    weights = plane(X, codes, unsafe=0).weights
    cosine = weights @ difference / np.linalg.norm(weights) / np.linalg.norm(difference)
    assert cosine > 0.999


# ---------------------------------------------------------------- what must not change it


def in_units_of_spread(X, codes):
    """Class means and spread within classes, and the condition of the pooled correlation."""
    means = np.stack([X[codes == k].mean(axis=0) for k in (0, 1)])
    within = X - means[codes]
    spread = np.sqrt((within**2).mean(axis=0))
    return means, spread, np.linalg.cond(within / spread) ** 2


@settings(max_examples=60, deadline=None)
@given(seeds, st.integers(-900, 900), st.floats(-1e3, 1e3))
def test_units_and_origin_of_a_column_do_not_matter(seed, power, shift):
    rng = np.random.default_rng(seed)
    X, codes = two_groups(rng, 40, 3)
    means, spread, condition = in_units_of_spread(X, codes)
    assume(condition < 1e9)  # far from where a ridge is added
    first = plane(X, codes, unsafe=1)
    size = np.abs(first.weights * spread).max()
    # Rows are summed in another order and shifted values are rounded. A plane feels either as
    # many times as the correlations' condition says.
    rounding = 100 * np.finfo(float).eps * condition
    offset = size * np.abs(means / spread).max() + 1.0

    moved = X.copy()
    moved[:, 1] = np.ldexp(X[:, 1], power)
    second = plane(moved, codes, unsafe=1)
    back = second.weights * [1.0, np.ldexp(1.0, power), 1.0]
    np.testing.assert_allclose(back * spread, first.weights * spread, rtol=0, atol=rounding * size)
    assert second.threshold == pytest.approx(first.threshold, rel=0, abs=rounding * offset)

    moved[:, 1] = X[:, 1] + shift
    third = plane(moved, codes, unsafe=1)
    far = 1.0 + abs(shift) / spread[1]
    np.testing.assert_allclose(
        third.weights * spread, first.weights * spread, rtol=0, atol=rounding * far * size
    )
    expected = first.threshold + shift * first.weights[1]
    within = rounding * far * (offset + size * far)
    assert third.threshold == pytest.approx(expected, rel=0, abs=within)


@pytest.mark.parametrize("value", [0.0, -3.0, 0.1, 1e300, 1e-300])
def test_a_constant_column_changes_nothing(value):
    rng = np.random.default_rng(2)
    X, codes = two_groups(rng, 40, 3)
    first = plane(X, codes, unsafe=1)
    wider = np.insert(X, 1, value, axis=1)
    second = plane(wider, codes, unsafe=1)
    assert second.indices.tolist() == [0, 2, 3]
    np.testing.assert_allclose(second.values, first.values, rtol=1e-9)
    assert second.threshold == pytest.approx(first.threshold)


@pytest.mark.parametrize("scale", [1e300, 1e150, 1e-150, 1e-300])
def test_large_and_small_values(scale):
    rng = np.random.default_rng(3)
    X, codes = two_groups(rng, 40, 3, shift=3.0)
    split = plane(scale * X / np.abs(X).max(), codes, unsafe=1)
    expected = plane(X, codes, unsafe=1).membership(X)
    np.testing.assert_array_equal(split.membership(scale * X / np.abs(X).max()), expected)


def test_columns_of_very_different_units():
    rng = np.random.default_rng(4)
    X, codes = two_groups(rng, 40, 3, shift=3.0)
    units = np.array([1e-200, 1.0, 1e200])
    np.testing.assert_array_equal(
        plane(X * units, codes, unsafe=1).membership(X * units),
        plane(X, codes, unsafe=1).membership(X),
    )


# ---------------------------------------------------------------- degenerate rows


def separates(split, X, codes):
    return split is not None and len(np.unique(codes[split.membership(X) == 1.0])) == 1


def test_duplicate_column_shares_the_weight():
    rng = np.random.default_rng(5)
    X, codes = two_groups(rng, 60, 2, shift=4.0)
    split = plane(np.column_stack([X, X[:, 1]]), codes, unsafe=1)
    a, _ = reference_plane(X, codes)
    assert split.weights[1] == pytest.approx(split.weights[2], rel=1e-6)
    # The ridge of the singular covariance moves the plane a little.
    np.testing.assert_allclose([split.weights[0], split.weights[1] * 2], a, rtol=1e-3)


def test_column_that_is_a_sum_of_others():
    rng = np.random.default_rng(6)
    X, codes = two_groups(rng, 60, 3, shift=4.0)
    wider = np.column_stack([X, X.sum(axis=1)])
    same = plane(wider, codes, unsafe=1).membership(wider) == plane(X, codes).membership(X)
    assert max(same.mean(), 1 - same.mean()) > 0.97


def test_columns_constant_within_the_classes():
    """No variance within classes, yet the classes lie apart: any useful plane separates them."""
    X = np.column_stack([np.repeat([1.0, 2.0], 5), np.arange(10.0) % 5])
    codes = np.repeat([0, 1], 5)
    assert separates(plane(X, codes), X, codes)
    assert separates(plane(X[:, :1], codes), X[:, :1], codes)
    both = np.column_stack([X[:, 0], -3.0 * X[:, 0]])
    assert separates(plane(both, codes), both, codes)


@pytest.mark.parametrize("spread", [1e-8, 1e-12, 1e-15])
def test_tiny_spread_beside_a_large_offset(spread):
    rng = np.random.default_rng(7)
    X, codes = two_groups(rng, 60, 2, shift=4.0)
    X[:, 0] = 1.0 + spread * rng.normal(size=60)
    split = plane(X, codes, unsafe=1)
    assert split is not None
    side = split.membership(X)
    # Noise in a column must not take the plane over: it divides about as the other column does.
    alone = plane(X[:, 1:], codes, unsafe=1).membership(X[:, 1:])
    assert (side == alone).mean() > 0.9


@pytest.mark.parametrize("n_columns", [10, 40, 200])
def test_more_columns_than_rows(n_columns):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(20, n_columns))
    codes = np.arange(20) % 2
    split = plane(X, codes)
    assert np.isfinite(split.weights).all()
    assert n_columns < 20 or separates(split, X, codes)
    assert plane(X, codes, LinearDiscriminant()) is None


@pytest.mark.parametrize(
    ("X", "codes"),
    [
        ([[1.0], [1.0], [1.0], [1.0]], [0, 0, 1, 1]),  # constant
        ([[0.0], [1.0], [0.0], [1.0]], [0, 0, 1, 1]),  # equal means
        ([[0.0], [1.0]], [0, 1]),  # one row a class
        ([[0.0], [1.0], [2.0]], [0, 1, 1]),  # a class of one row
        ([[np.nan], [np.nan], [np.nan], [np.nan]], [0, 0, 1, 1]),
    ],
)
def test_no_plane_where_there_is_nothing_to_fit(X, codes):
    assert plane(X, codes) is None


def test_equal_means_up_to_rounding_give_no_plane():
    x = np.array([0.1, 0.2, 0.7, 0.3, 0.5])
    X = np.concatenate([x, x[::-1]])[:, None]
    assert plane(X, [0] * 5 + [1] * 5) is None
    assert plane(X + 1e6, [0] * 5 + [1] * 5) is None


def test_only_where_rows_are_more_than_twice_the_columns():
    rng = np.random.default_rng(9)
    X, codes = two_groups(rng, 12, 3)
    codes[:6], codes[6:] = 0, 1
    assert plane(X, codes, LinearDiscriminant()) is not None
    few = [0, 1, 2, 6, 7, 8]
    assert plane(X[few], codes[few], LinearDiscriminant()) is None
    assert plane(X[few], codes[few], LinearDiscriminant(min_samples=5)) is not None
    assert plane(X[few], codes[few], LinearDiscriminant(min_samples=6)) is None


def test_missing_value_stands_for_the_mean():
    rng = np.random.default_rng(10)
    X, codes = two_groups(rng, 60, 2, shift=2.0)
    X[::5, 1] = np.nan
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    a, c = reference_plane(filled, codes)
    assert_plane(plane(X, codes, unsafe=1), a, c, rtol=1e-9)
    empty = np.column_stack([X, np.full(60, np.nan)])
    assert plane(empty, codes, unsafe=1).indices.tolist() == [0, 1]


# ---------------------------------------------------------------- more than two classes


def three_groups(rng, n=90):
    codes = np.arange(n) % 3
    X = rng.normal(size=(n, 2)) + np.array([[0.0, 0.0], [6.0, 1.0], [7.0, -1.0]])[codes]
    return X, codes


def test_groupings_set_each_class_apart_and_cluster_the_means():
    X, codes = bundled("iris")
    groups = groupings(Node.from_data(X, codes))
    assert [g.tolist() for g in groups] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    rng = np.random.default_rng(11)
    codes = np.arange(200) % 4
    X = rng.normal(size=(200, 2)) + np.array([[0, 0], [9, 9], [1, 1], [8, 8]])[codes]
    groups = groupings(Node.from_data(X, codes))
    assert len(groups) == 5
    assert groups[4].tolist() in ([1, 0, 1, 0], [0, 1, 0, 1])


def test_classes_that_are_not_at_the_node_are_left_out():
    node = Node.from_data([[0.0], [1.0], [2.0]], [0, 2, 4], unsafe=5)
    assert [g.tolist() for g in groupings(node)] == [
        [1, -1, 0, -1, 0, -1],
        [0, -1, 1, -1, 0, -1],
        [0, -1, 0, -1, 1, -1],
    ]
    two = Node.from_data([[0.0], [1.0]], [1, 3], unsafe=3)
    assert [g.tolist() for g in groupings(two)] == [[-1, 0, -1, 1]]
    other = Node.from_data([[0.0], [1.0]], [1, 3], unsafe=2)
    assert [g.tolist() for g in groupings(other)] == [[-1, 1, -1, 0]]


def test_best_grouping_is_taken():
    X, codes = three_groups(np.random.default_rng(12))
    node = Node.from_data(X, codes)
    split = ANY_SIZE.find_split(node, np.random.default_rng(0))
    planes = [reference_plane(X, codes, unsafe=k) for k in range(3)]
    gains = []
    for a, c in planes:
        left = np.bincount(codes[X @ a <= c], minlength=3)
        gains.append(entropy_gain(left, np.bincount(codes) - left))
    assert node.gain(split) == pytest.approx(max(gains))
    assert_plane(split, *planes[int(np.argmax(gains))])


def entropy_gain(left, right):
    def bits(counts):
        shares = counts[counts > 0] / counts.sum()
        return -(shares * np.log2(shares)).sum()

    n = left.sum() + right.sum()
    return bits(left + right) - left.sum() / n * bits(left) - right.sum() / n * bits(right)


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_groupings_do_not_depend_on_units_origin_or_repetition(seed):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(5, 3)) * 4
    codes = rng.integers(0, 5, size=60)
    codes[:5] = np.arange(5)
    X = rng.normal(size=(60, 3)) + centres[codes]
    X[rng.random((60, 3)) < 0.1] = np.nan

    def clusters(table, y, weights=None):
        return [g.tolist() for g in groupings(Node.from_data(table, y, sample_weight=weights))]

    expected = clusters(X, codes)
    assert clusters(X * [1e-200, 1.0, 1e200], codes) == expected
    assert clusters(X + np.array([100.0, 0.0, -30.0]), codes) == expected
    times = rng.integers(1, 4, size=60)
    repeated = clusters(np.repeat(X, times, axis=0), np.repeat(codes, times))
    assert clusters(X, codes, times) == repeated


# ---------------------------------------------------------------- threshold by the criterion


def test_threshold_by_the_criterion_is_the_best_cut_along_the_direction():
    rng = np.random.default_rng(13)
    codes = np.repeat([0, 1], [300, 30])
    # Groups of unequal spread: the threshold of equal covariance is far from the best.
    X = np.where(codes[:, None] == 0, 0.2, 3.0) * rng.normal(size=(330, 2)) + codes[:, None]
    node = Node.from_data(X, codes)
    bayes = ANY_SIZE.find_split(node, rng)
    best = LinearDiscriminant("criterion", min_samples=0).find_split(node, rng)
    np.testing.assert_array_equal(best.weights, bayes.weights)
    scores = X @ best.weights
    gains = []
    for score in np.unique(scores)[:-1]:
        left = np.bincount(codes[scores <= score], minlength=2)
        gains.append(entropy_gain(left, np.bincount(codes) - left))
    assert node.gain(best) == pytest.approx(max(gains))
    assert node.gain(best) > node.gain(bayes)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": "best"}, "threshold='best' must be"),
        ({"min_samples": -1}, "min_samples=-1 must be"),
        ({"min_samples": "3d"}, "min_samples='3d' must be"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        plane([[0.0], [1.0]], [0, 1], LinearDiscriminant(**parameters))


@pytest.mark.parametrize("name", ["iris", "wine", "pima"])
def test_order_of_rows_does_not_matter(name):
    X, codes = bundled(name)
    order = np.random.default_rng(14).permutation(len(X))
    first, second = plane(X, codes), plane(X[order], codes[order])
    assert first == second
    np.testing.assert_array_equal(
        cells(first.membership(X)[order]), cells(second.membership(X[order]))
    )
