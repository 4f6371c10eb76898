"""Numbers as Gray-coded strings of bits, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Gene(NamedTuple):
    """A number in a string of bits.

    Attributes
    ----------
    bits : int
        Length; the gene takes 2 ** bits evenly spaced values.
    low, high : float
        Least and largest value.
    """

    bits: int
    low: float
    high: float


class Genome:
    """How a string of bits stands for numbers.

    Neighbouring values differ in one bit (Gray code), so that a mutation can make a small step.

    Parameters
    ----------
    genes : sequence of Gene
        One a number, in the order of the string.
    """

    def __init__(self, genes: Sequence[Gene]):
        self._genes = list(genes)
        bits = np.array([gene.bits for gene in genes])
        self._starts = np.concatenate([[0], np.cumsum(bits)[:-1]])
        self.n_genes = len(self._genes)
        self.n_bits = int(bits.sum())
        self._low = np.array([gene.low for gene in genes], dtype=np.float64)
        self._high = np.array([gene.high for gene in genes], dtype=np.float64)
        self._top = np.array([2**gene.bits - 1 for gene in genes], dtype=np.int64)
        # Weight of each bit once Gray code is undone.
        self._weights = np.concatenate([2 ** np.arange(gene.bits)[::-1] for gene in genes])

    def decode(self, strings: Sequence[Sequence[int]] | NDArray[np.integer]) -> NDArray[np.float64]:
        """Numbers that strings stand for.

        Parameters
        ----------
        strings : array-like of shape (m, n_bits)
            Zeros and ones, the highest bit of a gene first.

        Returns
        -------
        values : ndarray of shape (m, n_genes)
        """
        gray = np.asarray(strings, dtype=np.int64).reshape(-1, self.n_bits)
        plain = np.empty_like(gray)
        for start, gene in zip(self._starts, self._genes, strict=True):
            part = slice(start, start + gene.bits)
            np.bitwise_xor.accumulate(gray[:, part], axis=1, out=plain[:, part])
        steps = np.add.reduceat(plain * self._weights, self._starts, axis=1)
        return self._low + steps / self._top * (self._high - self._low)

    def encode(self, values: Sequence[float] | NDArray[np.float64]) -> list[int]:
        """String of the values nearest to some numbers, clipped to their genes' ranges."""
        given = np.clip(np.asarray(values, dtype=np.float64), self._low, self._high)
        span = np.where(self._high > self._low, self._high - self._low, 1.0)
        steps = np.rint((given - self._low) / span * self._top).astype(np.int64)
        gray = steps ^ (steps >> 1)
        bits: list[int] = []
        for code, gene in zip(gray.tolist(), self._genes, strict=True):
            bits += [code >> place & 1 for place in range(gene.bits - 1, -1, -1)]
        return bits
