"""The artificial sets of Murthy, Kasif and Salzberg (1994), whose classes lines separate.

Section 5.2 of "A system for induction of oblique decision trees", Journal of Artificial
Intelligence Research 2, describes the sets; the coefficients of POL and RCB are those of the
lines in the paper's figures. Each set has 2000 points there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Labels = NDArray[np.int64]

_POL_BANDS = (0.325, 0.6316, 1.0615, 1.614)


def make_ls10(n_samples: int = 2000, *, random_state: Any = None) -> tuple[Points, Labels]:
    """Draw LS10: ten uniform features, two classes that one hyperplane separates.

    Class 1 has x1 + ... + x5 < x6 + ... + x10, the others are class 2.

    Parameters
    ----------
    n_samples : int, default=2000
        Number of points.
    random_state : None, int or numpy.random.Generator
        Seed of the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 10)
        Points in the unit cube.
    y : ndarray of shape (n_samples,)
        Classes 1 and 2.
    """
    X = _uniform(n_samples, 10, random_state)
    return X, label_ls10(X)


def label_ls10(X: Points) -> Labels:
    """Class of each point of LS10."""
    return np.where(X[:, :5].sum(axis=1) < X[:, 5:].sum(axis=1), 1, 2)


def make_pol(n_samples: int = 2000, *, random_state: Any = None) -> tuple[Points, Labels]:
    """Draw POL: two uniform features, five parallel oblique bands of two classes in turn.

    The bands are bounded by x1 + x2 = 0.325, 0.6316, 1.0615 and 1.614.

    Parameters
    ----------
    n_samples : int, default=2000
        Number of points.
    random_state : None, int or numpy.random.Generator
        Seed of the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points in the unit square.
    y : ndarray of shape (n_samples,)
        Classes 1 and 2.
    """
    X = _uniform(n_samples, 2, random_state)
    return X, label_pol(X)


def label_pol(X: Points) -> Labels:
    """Class of each point of POL."""
    return np.searchsorted(_POL_BANDS, X.sum(axis=1), side="right") % 2 + 1


def make_rcb(n_samples: int = 2000, *, random_state: Any = None) -> tuple[Points, Labels]:
    """Draw RCB, the rotated checker board: two uniform features, eight oblique fields.

    One line halves the square, a second line halves each half, a third line each quarter. Each
    of the eight fields is a class of its own.

    Parameters
    ----------
    n_samples : int, default=2000
        Number of points.
    random_state : None, int or numpy.random.Generator
        Seed of the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points in the unit square.
    y : ndarray of shape (n_samples,)
        Classes 1 to 8.
    """
    X = _uniform(n_samples, 2, random_state)
    return X, label_rcb(X)


def label_rcb(X: Points) -> Labels:
    """Class of each point of RCB."""
    x, y = X[:, 0], X[:, 1]
    upper_half = y > 1.0676 * (x - 0.00026)
    upper_quarter = np.where(upper_half, y > 1 - 1.1437 * (x - 0.0016), y > 1.0008 * (0.9997 - x))
    line = np.select(
        [upper_half & ~upper_quarter, upper_half & upper_quarter, ~upper_half & ~upper_quarter],
        [0.7507 * x + 0.4325, 1.0007 * x + 0.4918, 1.2511 * (x - 0.4311)],
        default=0.694 + 1.0008 * (x - 1),
    )
    below = y <= line
    return 1 + 4 * ~upper_half + 2 * upper_quarter + below


def _uniform(n_samples: int, n_features: int, random_state: Any) -> Points:
    if n_samples < 1:
        raise ValueError(f"n_samples must be at least 1, not {n_samples!r}")
    points: Points = np.random.default_rng(random_state).uniform(size=(n_samples, n_features))
    return points
