"""LS10, POL and RCB of Murthy, Kasif and Salzberg (1994)."""

from __future__ import annotations

import numpy as np
import pytest

from oblique.datasets import make_ls10, make_pol, make_rcb
from oblique.datasets.synthetic import label_ls10, label_pol, label_rcb

MAKERS = [(make_ls10, 10, 2), (make_pol, 2, 2), (make_rcb, 2, 8)]


@pytest.mark.parametrize(("make", "features", "classes"), MAKERS)
def test_shape_range_and_seed(make, features: int, classes: int) -> None:
    X, y = make(random_state=0)
    assert X.shape == (2000, features)
    assert X.min() >= 0.0
    assert X.max() <= 1.0
    assert np.unique(y).tolist() == list(range(1, classes + 1))
    again = make(2000, random_state=0)
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(y, again[1])
    assert not np.array_equal(X, make(random_state=1)[0])
    assert make(7, random_state=np.random.default_rng(3))[1].shape == (7,)
    with pytest.raises(ValueError, match="n_samples must be at least 1, not 0"):
        make(0)


def test_ls10_by_hand() -> None:
    low, high = [0.1] * 5, [0.2] * 5
    assert label_ls10(np.array([low + high, high + low])).tolist() == [1, 2]


def test_pol_by_hand() -> None:
    """One point in each band, x1 + x2 = 0.2, 0.5, 0.8, 1.4, 1.8."""
    X = np.array([[0.1, 0.1], [0.3, 0.2], [0.4, 0.4], [0.7, 0.7], [0.9, 0.9]])
    assert label_pol(X).tolist() == [1, 2, 1, 2, 1]


def test_rcb_by_hand() -> None:
    """The eight fields around the square, counted from the left side."""
    points = {
        (0.05, 0.60): 1,
        (0.20, 0.40): 2,
        (0.40, 0.95): 3,
        (0.80, 0.98): 4,
        (0.45, 0.20): 5,
        (0.65, 0.10): 6,
        (0.80, 0.60): 7,
        (0.95, 0.40): 8,
    }
    assert label_rcb(np.array(list(points))).tolist() == list(points.values())


def test_expected_shares() -> None:
    """LS10 is symmetric; the bands of POL have the areas of their trapezia."""
    assert abs((make_ls10(50_000, random_state=0)[1] == 1).mean() - 0.5) < 0.01
    corner = [0.325**2 / 2, 0.6316**2 / 2, 1 - (2 - 1.0615) ** 2 / 2, 1 - (2 - 1.614) ** 2 / 2]
    share = (corner[1] - corner[0]) + (corner[3] - corner[2])
    assert abs((make_pol(50_000, random_state=0)[1] == 2).mean() - share) < 0.01
