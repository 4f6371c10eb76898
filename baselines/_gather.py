"""Compiled gathering of a node's rows into scaled columns."""

import math

import numpy as np

from projection.jit import inline, jit

POWER_OF_TWO, STANDARD, QUARTILES, RANGE, CENTRED = range(5)


@jit
def gather(X, rows, features, codes, weights, scaling, n_classes):
    """Copy the listed rows into columns, without columns that do not vary.

    Parameters
    ----------
    X : (n, d) values; those of the listed rows and features are not missing
    rows, features : what to copy
    codes, weights : (n,) of all rows
    scaling : code of the scaling
    n_classes : number of classes of the tree

    Returns
    -------
    (columns (d + 1, m) of which the last is -1, features, centre, spread, class codes 0 ... K - 1
    of the classes that are present, weights)
    """
    m = rows.shape[0]
    columns = np.empty((features.shape[0] + 1, m))
    kept = np.empty(features.shape[0], np.int32)
    centre = np.empty(features.shape[0])
    spread = np.empty(features.shape[0])
    own_codes, own_weights = _classes(rows, codes, weights, n_classes)
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
        power = math.floor(math.log2(max(-low, high)))
        power = 2.0 ** min(max(power, -1000), 1000)
        for i in range(m):
            column[i] /= power
        middle, unit = _centre_and_spread(column, own_weights, scaling)
        if not unit > 0.0:
            continue
        for i in range(m):
            column[i] = (column[i] - middle) / unit
        kept[d], centre[d], spread[d] = j, middle * power, unit * power
        d += 1
    columns[d] = -1.0
    return columns[: d + 1], kept[:d], centre[:d], spread[:d], own_codes, own_weights


@inline
def _classes(rows, codes, weights, n_classes):
    """Renumber the classes that are present."""
    m = rows.shape[0]
    number = np.full(n_classes, -1, np.int32)
    for i in range(m):
        number[codes[rows[i]]] = 0
    present = 0
    for k in range(n_classes):
        if number[k] == 0:
            number[k] = present
            present += 1
    own_codes = np.empty(m, np.int32)
    own_weights = np.empty(m)
    for i in range(m):
        own_codes[i] = number[codes[rows[i]]]
        own_weights[i] = weights[rows[i]]
    return own_codes, own_weights


@jit
def _centre_and_spread(column, weights, scaling):
    middle, unit = 0.0, 1.0
    if scaling == RANGE:
        middle = column.min()
        unit = column.max() - middle
    elif scaling in (STANDARD, CENTRED):
        weight = weights.sum()
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
        total = weights.sum()
        quartile = np.empty(3)
        passed = 0.0
        q = 0
        for i in order:
            passed += weights[i]
            while q < 3 and passed >= 0.25 * (q + 1) * total * (1.0 - 1e-12):
                quartile[q] = column[i]
                q += 1
        middle, unit = quartile[1], quartile[2] - quartile[0]
    return middle, unit
