"""From the weights that users hand in to one weight a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Criteria square sums of weights: beyond these bounds squares overflow or vanish.
LEAST, LARGEST = 1e-100, 1e100


def combine_weights(
    sample_weight: ArrayLike | None,
    class_weight: Any,
    classes: NDArray[Any],
    codes: NDArray[np.int32],
) -> NDArray[np.float64] | None:
    """Multiply the weight of each row by that of its class.

    Parameters
    ----------
    sample_weight : float, array-like of shape (n,), or None
    class_weight : dict, "balanced" or None
        A class that a dict does not name has 1. "balanced" gives each class with rows of
        positive weight the same total.
    classes : ndarray of shape (n_classes,)
    codes : ndarray of shape (n,), int32

    Returns
    -------
    weights : ndarray of shape (n,) or None
        None stands for ones.

    Raises
    ------
    ValueError
        For weights that are negative, not finite, too large or small to be squared, all zero
        or not one a row, and for an unknown class.
    """
    if sample_weight is None and class_weight is None:
        return None
    weights = np.ones(codes.size)
    if sample_weight is not None:
        weights = check_row_weights(sample_weight, codes.size)
    if class_weight is not None:
        mass = np.bincount(codes, weights, minlength=classes.size).astype(np.float64)
        weights = weights * _class_weights(class_weight, classes, mass)[codes]
    positive = weights[weights > 0.0]
    if not positive.size:
        raise ValueError("all weights are zero: at least one row needs a positive weight")
    if not LEAST <= positive.min() <= positive.max() <= LARGEST / codes.size:
        raise ValueError(
            f"weights range from {positive.min():.3g} to {positive.max():.3g}: those that are not "
            f"zero must be at least {LEAST} and add up to at most {LARGEST}; multiply "
            "sample_weight by a constant"
        )
    return None if (weights == 1.0).all() else weights


def drop_zero_weights(
    rows: NDArray[np.float64], codes: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64] | None]:
    """Leave out rows of weight zero, so that the tree is that of the others alone."""
    kept = weights > 0.0
    if not kept.all():
        rows, codes, weights = rows[kept], codes[kept], weights[kept]
    return rows, codes, None if (weights == 1.0).all() else weights


def check_row_weights(sample_weight: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    """Return one finite weight of at least 0 a row, else raise ValueError."""
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind == "c":
            raise TypeError("they are complex")
        given = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold numbers: {error}") from error
    if given.ndim == 0:
        given = np.full(n_rows, float(given))
    if given.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one weight a row, shape ({n_rows},), got shape {given.shape}"
        )
    bad = np.flatnonzero(~(np.isfinite(given) & (given >= 0.0)))
    if bad.size:
        raise ValueError(
            f"sample_weight[{bad[0]}]={given[bad[0]]} must be a finite number that is not negative"
        )
    return given


def _class_weights(
    class_weight: Any, classes: NDArray[Any], mass: NDArray[np.float64]
) -> NDArray[np.float64]:
    if isinstance(class_weight, str) and class_weight == "balanced":
        share = mass.sum() / max(1, np.count_nonzero(mass))
        return np.divide(share, mass, out=np.zeros(mass.size), where=mass > 0.0)
    if not isinstance(class_weight, dict):
        raise ValueError(f'class_weight={class_weight!r} must be a dict, "balanced" or None')
    names = classes.tolist()
    unknown = [name for name in class_weight if name not in names]
    if unknown:
        raise ValueError(
            f"class_weight names {unknown}, which are not classes of y; the classes are {names}"
        )
    for name, value in class_weight.items():
        if not isinstance(value, int | float | np.number) or not 0.0 <= value < np.inf:
            raise ValueError(
                f"class_weight[{name!r}]={value!r} must be a finite number that is not negative"
            )
    return np.array([float(class_weight.get(name, 1.0)) for name in names])
