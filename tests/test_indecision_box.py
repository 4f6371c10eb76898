"""Probabilities of boxes against closed forms and other integrators."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

from oblique.indecision._box import box_probability

FREE = np.full(3, np.inf)
seeds = st.integers(0, 2**32 - 1)


def make_box(rng, m, spread=3.0):
    """Mean, covariance and limits; the covariance may be nearly flat, and some limits infinite."""
    root = rng.normal(size=(m, m)) * 10.0 ** -rng.uniform(0.0, spread, size=m)
    joint = root @ root.T * 10.0 ** rng.uniform(-2, 2)
    deviation = np.sqrt(np.diag(joint))
    mean = rng.normal(size=m)
    low = mean + deviation * (rng.normal(size=m) - 0.5)
    high = low + deviation * 2.0 * rng.exponential(size=m)
    low[rng.random(m) < 0.4], high[rng.random(m) < 0.3] = -np.inf, np.inf
    return mean, joint, low, high


@settings(max_examples=100, deadline=None)
@given(seeds)
def test_two_numbers_are_scipys(seed):
    mean, joint, low, high = make_box(np.random.default_rng(seed), 2, spread=6.0)
    expected = multivariate_normal.cdf(high, mean, joint, allow_singular=True, lower_limit=low)
    assert box_probability(mean, joint, low, high) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("r", [-1.0, -0.3, 0.0, 0.8, 1.0])
@pytest.mark.parametrize("h", [0.0, -0.7])
def test_limits_at_the_mean(r, h):
    joint = np.array([[1.0, r], [r, 1.0]])
    found = box_probability(np.zeros(2), joint, -FREE[:2], np.array([h, 0.0]))
    if h == 0.0:
        assert found == pytest.approx(0.25 + np.arcsin(r) / (2.0 * np.pi), abs=1e-15)
    elif abs(r) == 1.0:
        assert found == pytest.approx(norm.cdf(h) if r > 0.0 else 0.0, abs=1e-8)
    else:
        assert found == pytest.approx(
            multivariate_normal.cdf([h, 0.0], np.zeros(2), joint), abs=1e-12
        )


@pytest.mark.parametrize("r", [(0.5, 0.5, 0.5), (-0.4, 0.1, 0.8), (0.0, 0.0, 0.6), (0, 0, 0)])
def test_an_octant_is_that_of_the_angles(r):
    joint = np.eye(3)
    joint[[0, 0, 1], [1, 2, 2]] = joint[[1, 2, 2], [0, 0, 1]] = r
    expected = 0.125 + np.arcsin(r).sum() / (4.0 * np.pi)
    for signs in itertools.product((-1.0, 1.0), repeat=3):
        turned = joint * np.outer(signs, signs)
        low = np.where(np.array(signs) > 0.0, -np.inf, 0.0)
        high = np.where(np.array(signs) > 0.0, 0.0, np.inf)
        assert box_probability(np.zeros(3), turned, low, high) == pytest.approx(expected, abs=1e-9)


def nested_integral(mean, joint, low, high):
    """Adaptive integral over the first of three numbers of scipy's rectangle for the rest."""
    deviation = np.sqrt(np.diag(joint))
    a, b, r = (low - mean) / deviation, (high - mean) / deviation, joint / deviation[:, None]
    r = r / deviation
    slope = r[1:, 0]
    rest = r[1:, 1:] - np.outer(slope, slope)

    def integrand(z):
        inner = multivariate_normal.cdf(
            b[1:], slope * z, rest, allow_singular=True, lower_limit=a[1:]
        )
        return norm.pdf(z) * inner

    steps = np.concatenate([a[1:] / slope, b[1:] / slope])
    widths = np.tile(np.sqrt(np.maximum(np.diag(rest), 0.0)) / np.abs(slope), 2)
    steps = np.concatenate([steps + k * widths for k in (-8.0, -1.0, 0.0, 1.0, 8.0)])
    ends = max(a[0], -8.5), min(b[0], 8.5)
    if ends[0] >= ends[1]:
        return 0.0
    edges = [ends[0], *sorted(x for x in steps if ends[0] < x < ends[1]), ends[1]]
    return sum(
        quad(integrand, *pair, limit=400, epsabs=1e-9)[0] for pair in itertools.pairwise(edges)
    )


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_three_numbers_are_the_nested_integral(seed):
    box = make_box(np.random.default_rng(seed), 3)
    assert box_probability(*box) == pytest.approx(nested_integral(*box), abs=1e-7)


def test_three_numbers_that_determine_each_other():
    """The third is the sum of the others: its limit cuts a corner off the rectangle."""
    joint = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
    high = np.array([0.5, 0.5, 0.0])
    expected = quad(lambda x: norm.pdf(x) * norm.cdf(min(0.5, -x)), -9.0, 0.5, points=[-0.5])[0]
    assert box_probability(np.zeros(3), joint, -FREE, high) == pytest.approx(expected, abs=1e-8)
    # Within its limits by itself, but never with the others.
    low = np.array([-np.inf, -np.inf, 1.1])
    assert box_probability(np.zeros(3), joint, low, np.array([0.5, 0.5, 2.0])) == 0.0


def test_a_sliver_that_random_points_miss():
    """Three limits of one number, two of which are blurred by very little."""
    deviation = 1e-3
    root = np.array([[1.0, 0.0, 0.0], [1.0, deviation, 0.0], [1.0, 0.0, deviation]])
    joint = root @ root.T
    box = np.zeros(3), joint, -FREE, np.array([2.0, 2.0, 2.0])
    # The largest of (0, u, v) for u and v of this deviation is to be below 2 - x.
    blur = np.random.default_rng(0).normal(size=(2, 200_000)) * deviation
    expected = norm.cdf(2.0 - np.maximum(blur.max(axis=0), 0.0)).mean()
    assert box_probability(*box) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("m", [4, 6])
def test_more_numbers_by_random_points(m):
    """Of one correlation one half all are below zero with probability 1 / (m + 1)."""
    joint = np.full((m, m), 0.5) + 0.5 * np.eye(m)
    found = box_probability(np.zeros(m), joint, np.full(m, -np.inf), np.zeros(m))
    assert found == pytest.approx(1.0 / (m + 1), abs=3e-5)
    again = box_probability(np.zeros(m), joint, np.full(m, -np.inf), np.zeros(m))
    assert again == pytest.approx(found, abs=3e-5)
