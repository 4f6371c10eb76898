"""Ways to make a question of two sides out of the classes of a node."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from baselines import _clusters

GROUPS: Final = ("rest", "pairs", "superclasses")


def check_groups(groups: object) -> None:
    """Raise ValueError unless this is a way of grouping."""
    if groups not in GROUPS:
        raise ValueError(f"groups={groups!r} must be one of {', '.join(map(repr, GROUPS))}")


def group_classes(
    groups: str,
    columns: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> NDArray[np.int8]:
    """Return targets of all questions, (q, K), with 1 and -1 for the sides and 0 for left out.

    Parameters
    ----------
    groups : {"rest", "pairs", "superclasses"}
        Each class against the rest; every pair of classes, the others left out; the two
        clusters of class means. With two classes there is one question only.
    columns : ndarray of shape (at least d, n)
        Standardised columns.
    codes : ndarray of shape (n,), int32
        Class codes 0 ... K - 1, all of them present.
    weights : ndarray of shape (n,)
    """
    n_classes = int(codes.max()) + 1
    if n_classes == 2:
        return np.array([[1, -1]], dtype=np.int8)
    if groups == "rest":
        return one_against_rest(n_classes)
    if groups == "pairs":
        return pairs(n_classes)
    means, mass = class_means(columns, codes, weights)
    return superclasses(means, mass, 1)


def one_against_rest(n_classes: int) -> NDArray[np.int8]:
    """Each class against all others, (K, K)."""
    return (2 * np.eye(n_classes) - 1).astype(np.int8)


def pairs(n_classes: int) -> NDArray[np.int8]:
    """Every pair of classes, (K (K - 1) / 2, K)."""
    first, second = np.triu_indices(n_classes, 1)
    targets = np.zeros((first.size, n_classes), dtype=np.int8)
    lines = np.arange(first.size)
    targets[lines, first] = 1
    targets[lines, second] = -1
    return targets


def class_means(
    columns: NDArray[np.float64], codes: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of the classes, (K, d), and their weights, (K,)."""
    n_classes = int(codes.max()) + 1
    member = np.zeros((n_classes, codes.size))
    member[codes, np.arange(codes.size)] = weights
    mass = member.sum(axis=1)
    return (member @ columns.T) / mass[:, None], mass


def superclasses(
    means: NDArray[np.float64], mass: NDArray[np.float64], n_starts: int
) -> NDArray[np.int8]:
    """Two clusters of class means, (at most n_starts, K), without doubles.

    Each start divides the means along one of the axes in which they spread most; 2-means then
    moves the classes. QUEST (Loh & Shih 1997) forms its two superclasses in this way.
    """
    centred = (means - np.average(means, axis=0, weights=mass)) * np.sqrt(mass)[:, None]
    axes = np.linalg.svd(centred, full_matrices=False)[2][:n_starts]
    found: list[NDArray[np.int8]] = []
    for axis in axes:
        side = two_means(means, mass, means @ axis > np.average(means @ axis, weights=mass))
        if side.all() or not side.any():
            continue
        target = np.where(side == side[0], 1, -1).astype(np.int8)
        if not any((target == known).all() for known in found):
            found.append(target)
    return np.array(found, dtype=np.int8).reshape(-1, mass.size)


def two_means(
    points: NDArray[np.float64], mass: NDArray[np.float64], side: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Move points between two clusters until each is nearest to its own mean, (n,) of bool."""
    if side.all() or not side.any():
        return side
    found: NDArray[np.bool_] = _clusters.two_means(
        np.ascontiguousarray(points), mass, side.astype(np.bool_)
    )
    return found
