"""Compiled gathering of a node's rows into scaled columns."""

import math

import numpy as np

from projection.jit import inline, jit

POWER_OF_TWO, STANDARD, QUARTILES, RANGE, CENTRED = range(5)


@jit
def gather(
    X, rows, features, codes, weights, scaling, columns, kept, scale, own_codes, own_weights,
    classes,
):  # fmt: skip
    """Copy the listed rows into columns, without columns that do not vary.

    The arrays to fill are the caller's: one that a kernel returns costs ten times the handing
    over of one.

    Parameters
    ----------
    X : (n, d) values; those of the listed rows and features are not missing
    rows, features : what to copy
    codes, weights : (n,) of all rows
    scaling : code of the scaling
    columns : (q + 1, m) for q features and m rows; gets the scaled columns, then -1
    kept : (q,) gets the features that vary
    scale : (2, q) gets their centres and spreads
    own_codes, own_weights : (m,) get class codes 0 ... K - 1 of the K classes that are present,
        and weights
    classes : (n_classes,) gets the codes of these classes, ascending

    Returns
    -------
    (number of features that vary, K)
    """
    m = rows.shape[0]
    present = _classes(rows, codes, weights, own_codes, own_weights, classes)
    weight = own_weights.sum()
    d = 0
    for j in features:
        column = columns[d]
        low, high = np.inf, -np.inf
        for i in range(m):
            column[i] = X[rows[i], j]
            low, high = min(low, column[i]), max(high, column[i])
        if not low < high:
            continue
        # Powers of two are exact, and keep squares of huge and tiny values in range.
        exponent = min(max(math.frexp(max(-low, high))[1] - 1, -1000), 1000)
        power, inverse = math.ldexp(1.0, exponent), math.ldexp(1.0, -exponent)
        for i in range(m):
            column[i] *= inverse
        middle, unit = _centre_and_spread(column, own_weights, weight, scaling)
        if not unit > 0.0:
            continue
        for i in range(m):
            column[i] = (column[i] - middle) / unit
        kept[d], scale[0, d], scale[1, d] = j, middle * power, unit * power
        d += 1
    columns[d] = -1.0
    return d, present


@inline
def _classes(rows, codes, weights, own_codes, own_weights, classes):
    """Renumber the classes that are present; returns how many there are."""
    number = np.full(classes.shape[0], -1, np.int32)
    for i in range(rows.shape[0]):
        number[codes[rows[i]]] = 0
    present = 0
    for k in range(classes.shape[0]):
        if number[k] == 0:
            number[k] = present
            classes[present] = k
            present += 1
    for i in range(rows.shape[0]):
        own_codes[i] = number[codes[rows[i]]]
        own_weights[i] = weights[rows[i]]
    return present


@jit
def _centre_and_spread(column, weights, weight, scaling):
    middle, unit = 0.0, 1.0
    if scaling == RANGE:
        middle = column.min()
        unit = column.max() - middle
    elif scaling in (STANDARD, CENTRED):
        for i in range(column.shape[0]):
            middle += weights[i] * column[i]
        middle /= weight
        if scaling == CENTRED:
            return middle, unit
        square = 0.0
        for i in range(column.shape[0]):
            square += weights[i] * (column[i] - middle) ** 2
        unit = math.sqrt(square / weight)
    elif scaling == QUARTILES:
        order = np.argsort(column)
        quartile = np.empty(3)
        passed = 0.0
        q = 0
        for i in order:
            passed += weights[i]
            while q < 3 and passed >= 0.25 * (q + 1) * weight * (1.0 - 1e-12):
                quartile[q] = column[i]
                q += 1
        middle, unit = quartile[1], quartile[2] - quartile[0]
    return middle, unit
