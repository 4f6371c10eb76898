"""Split criteria: how good it is to divide a node's class weights into two parts.

Every criterion is an integer code that compiled loops switch on; the functions here are its
public face. Gains are per unit of weight and larger is better.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique import _kernels
from oblique._suggest import unknown_name

CRITERIA: Final[dict[str, int]] = {
    "entropy": _kernels.ENTROPY,
    "gini": _kernels.GINI,
    "gain_ratio": _kernels.GAIN_RATIO,
    "twoing": _kernels.TWOING,
    "max_minority": _kernels.MAX_MINORITY,
    "sum_minority": _kernels.SUM_MINORITY,
    "sum_of_variances": _kernels.SUM_OF_VARIANCES,
}


def criterion_code(name: str) -> int:
    """Return the code of a criterion.

    Parameters
    ----------
    name : str

    Raises
    ------
    ValueError
        For an unknown name; the message lists the known ones.
    """
    if not isinstance(name, str) or name not in CRITERIA:
        raise ValueError(unknown_name("criterion", name, CRITERIA))
    return CRITERIA[name]


def gain(criterion: str, left: ArrayLike, right: ArrayLike) -> float:
    """Gain of a split from the class weights of its two sides.

    ======================= ===========================================================
    entropy                 information gain in bits (Quinlan 1986)
    gini                    decrease of the Gini index (Breiman et al. 1984)
    gain_ratio              information gain / split information (Quinlan 1993)
    twoing                  p_L p_R (sum_i abs(p_iL - p_iR))^2, without CART's factor 1/4
    max_minority            decrease of the larger side's minority (Heath et al. 1993)
    sum_minority            decrease of the number of minority rows (Heath et al. 1993)
    sum_of_variances        decrease of the squared deviations of class numbers, classes
                            numbered by their weight at the node (Murthy et al. 1994)
    ======================= ===========================================================

    The last three are divided by the node's weight.

    Parameters
    ----------
    criterion : str
        A key of `CRITERIA`.
    left, right : array-like of shape (n_classes,)
        Class weights, not negative.

    Returns
    -------
    gain : float
        0 when a side is empty.

    Examples
    --------
    >>> round(gain("entropy", [20, 5, 0], [2, 10, 13]), 6)
    0.531133
    """
    code = criterion_code(criterion)
    sides = _sides(left, right)
    return float(_kernels.counts_gain(code, *sides))


def impurity(criterion: str, counts: ArrayLike) -> float:
    """Impurity of one node per unit of weight (entropy in bits, Gini index ...).

    Gain ratio uses entropy; twoing, which rates splits only, shows the Gini index.

    Parameters
    ----------
    criterion : str
        A key of `CRITERIA`.
    counts : array-like of shape (n_classes,)
        Class weights.
    """
    code = criterion_code(criterion)
    return float(_kernels.node_impurity(code, np.asarray(counts, dtype=np.float64)))


def split_impurity(criterion: str, left: ArrayLike, right: ArrayLike) -> float:
    """Impurity of a split as Murthy, Kasif & Salzberg (1994, section 3.3) print it.

    Smaller is better. Entropy, gain ratio and twoing have 1 / value; Gini is the weighted mean
    of the sides; the minority and variance measures are counts. Two pure sides of different
    classes have 0; an empty side has infinity.

    Parameters
    ----------
    criterion : str
        A key of `CRITERIA`.
    left, right : array-like of shape (n_classes,)
        Class weights.
    """
    code = criterion_code(criterion)
    lefts, rights = _sides(left, right)
    if not lefts.sum() or not rights.sum():
        return float("inf")
    pure = np.count_nonzero(lefts) == 1 and np.count_nonzero(rights) == 1
    if pure and lefts.argmax() != rights.argmax():
        return 0.0
    total = lefts + rights
    weight = total.sum()
    value = float(_kernels.counts_gain(code, lefts, rights))
    if criterion in ("entropy", "gain_ratio", "twoing"):
        return 1.0 / value if value > 0.0 else float("inf")
    scale = 1.0 if criterion == "gini" else weight
    return float(scale * (_kernels.node_impurity(code, total) - value))


def _sides(left: ArrayLike, right: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    lefts = np.asarray(left, dtype=np.float64)
    rights = np.asarray(right, dtype=np.float64)
    if lefts.ndim != 1 or lefts.shape != rights.shape:
        raise ValueError(
            f"left and right must be class weights of one shape, got {lefts.shape} and "
            f"{rights.shape}"
        )
    if not ((lefts >= 0).all() and (rights >= 0).all()):
        raise ValueError("left and right must hold class weights that are not negative")
    return lefts, rights
