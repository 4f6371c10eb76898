"""Compiled posing of two sets of rows as the linear program of a robust discriminant."""

from projection.jit import jit


@jit
def oppose(columns, codes, weights, below, A, cost):
    """Turn the rows of one class round, so that all of them ask for a score of at least one.

    Parameters
    ----------
    columns : (p, n) of `ScaledRows`
    codes : (n,) class codes
    weights : (n,)
    below : code of the class that is turned round
    A : (p, n) gets the rows
    cost : (n,) gets weights that add up to one for the class and for the others

    Returns
    -------
    whether all weights are whole numbers, whose sums do not depend on their order
    """
    p, n = columns.shape
    total_below, total_above = 0.0, 0.0
    is_whole = True
    for i in range(n):
        is_whole &= weights[i] % 1.0 == 0.0
        if codes[i] == below:
            total_below += weights[i]
        else:
            total_above += weights[i]
    for i in range(n):
        cost[i] = weights[i] / (total_below if codes[i] == below else total_above)
    for j in range(p):
        for i in range(n):
            A[j, i] = -columns[j, i] if codes[i] == below else columns[j, i]
    return is_whole
