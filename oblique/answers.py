"""Which class to answer where errors are not alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Expected costs that differ by less, relative to the least, are a tie.
_TIE = 1e-12


def cheapest_answers(
    shares: NDArray[np.float64], errors: NDArray[np.float64], tie_class: int = -1
) -> NDArray[np.int32]:
    """Code of the class whose answer is expected to cost least (Bayes' decision).

    Parameters
    ----------
    shares : ndarray of shape (n, n_classes)
        Probabilities of the classes, or weights in proportion to them.
    errors : ndarray of shape (n_classes, n_classes)
        Cost of answering the class of the line where that of the column is true.
    tie_class : int, default=-1
        Class that wins ties. -1, or where it is not among them: the more probable one, then the
        one of smaller code.

    Returns
    -------
    codes : ndarray of shape (n,), int32
    """
    expected = shares @ errors.T
    scale = shares.sum(axis=1, keepdims=True) * errors.max()
    tied = expected <= expected.min(axis=1, keepdims=True) + _TIE * scale
    codes = np.where(tied, shares, -1.0).argmax(axis=1)
    if tie_class >= 0:
        codes[tied[:, tie_class]] = tie_class
    return codes.astype(np.int32)
