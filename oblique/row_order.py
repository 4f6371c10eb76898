"""The canonical order of rows: by their content, so that trees do not depend on how rows came."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from oblique._arrays import read_only
from projection.jit import jit


def canonical_rows(
    X: NDArray[np.float64], codes: NDArray[np.int32], weights: NDArray[np.float64] | None
) -> NDArray[np.int32]:
    """Row numbers in an order that depends on the rows' content only.

    Rows with equal content are interchangeable, so every later sum over rows, and with it the
    tree, is the same for any order in which the same rows are given.
    """
    bits = np.ones(1) if weights is None else weights
    words = np.broadcast_to(bits.view(np.int64), (len(X),))
    hashes = row_hashes(read_only(X).view(np.int64), read_only(codes), words)
    return np.argsort(hashes, kind="stable").astype(np.int32)


@jit
def row_hashes(
    bits: NDArray[np.int64], codes: NDArray[np.int32], weights: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Hash each row's content, so that sorting by it forgets the order the rows came in.

    ``bits`` (n, d) and ``weights`` (n,) are views of float64 as int64. Both zeros and all NaN
    payloads count as one value.
    """
    n, d = bits.shape
    hashes = np.empty(n, np.uint64)
    sign = np.int64(-9223372036854775807 - 1)
    magnitude = np.int64(0x7FFFFFFFFFFFFFFF)
    infinity = np.int64(0x7FF0000000000000)
    for i in range(n):
        state = np.uint64(1469598103934665603)
        for j in range(d + 2):
            if j < d:
                word = bits[i, j]
                if word == sign:
                    word = np.int64(0)
                elif (word & magnitude) > infinity:
                    word = infinity + np.int64(1)
            elif j == d:
                word = np.int64(codes[i])
            else:
                word = weights[i]
            # The finaliser of splitmix64 mixes every bit of the word into the state.
            z = state ^ (np.uint64(word) + np.uint64(0x9E3779B97F4A7C15))
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state = z ^ (z >> np.uint64(31))
        hashes[i] = state
    return hashes
