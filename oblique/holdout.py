"""A stratified part of the training rows, held out to choose a pruned tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from numpy.random import Generator


def order_by_value(
    rows: NDArray[np.int32],
    X: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.int32]:
    """Order rows by their values, column after column, so that units do not matter.

    A hash of the rows orders them by their content, too, but another order comes of the same
    rows in other units, and with it another part to hold out.

    Parameters
    ----------
    rows : ndarray of int32
        Row numbers in an order that depends on the rows' content only.
    X : ndarray of shape (n, d)
    codes : ndarray of shape (n,), int32
        Class codes, which order rows of equal values.
    weights : ndarray of shape (n,) or None
        Weights, which order those of equal values and class.
    """
    keys = [] if weights is None else [weights[rows]]
    return rows[np.lexsort((*keys, codes[rows], *X[rows].T[::-1]))]


def hold_out(
    rows: NDArray[np.int32], codes: NDArray[np.int32], share: float, rng: Generator
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Divide rows into those to grow on and those held out, class by class.

    Parameters
    ----------
    rows : ndarray of int32
        Row numbers in an order that depends on the rows' values only, such as that of
        `order_by_value`, so that the choice does too.
    codes : ndarray of shape (n,), int32
        Class code of every row of the table.
    share : float
        Share to hold out, in (0, 1). Each class gives its rounded share; where all would
        round to none, the largest class gives one row.
    rng : numpy.random.Generator

    Returns
    -------
    grow, held : ndarray of int32
        Both in the order of ``rows``. No class gives its last row, and with a single row
        nothing is held out.
    """
    is_held = np.zeros(rows.size, dtype=np.bool_)
    classes, counts = np.unique(codes[rows], return_counts=True)
    quota = np.minimum(np.rint(share * counts), counts - 1).astype(int)
    if not quota.any():
        quota[counts.argmax()] = min(1, counts.max() - 1)
    for k, n_held in zip(classes, quota, strict=True):
        members = np.flatnonzero(codes[rows] == k)
        is_held[rng.permutation(members)[:n_held]] = True
    return rows[~is_held], rows[is_held]
