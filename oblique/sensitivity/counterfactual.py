"""Points that the model really puts into another class, one step beyond the nearest point."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oblique.sensitivity.model import TreeModel
from projection import CellSearch, NearestCells, group_by_cell, nearest_cells, step_inside


class Judge(NamedTuple):
    """The model that a counterfactual must convince, and where its cells are."""

    model: TreeModel
    search: CellSearch
    open_leaves: NDArray[np.bool_]  # leaves with an interior


def find_counterfactuals(
    judge: Judge, rows: NDArray[np.float64], own: NDArray[np.int64], near: NearestCells
) -> NDArray[np.float64]:
    """Step into the target cells until the model predicts their class.

    A case whose cell offers no such point (thinner than rounding, or only its border lies within
    the limits) is searched again without that cell; its entries of `near` are replaced.

    Parameters
    ----------
    rows : ndarray of shape (n, n_features)
    own : ndarray of shape (n,)
        Class code of each row.
    near : NearestCells
        Answers for all rows; changed in place (codes of categories, cells that were given up).

    Returns
    -------
    ndarray of shape (n, n_features)
        The row itself where there is no answer.
    """
    found = near.cell >= 0
    inside = np.ones(len(rows), dtype=np.bool_)
    if found.all():
        counterfactual, inside = _step(judge, rows, near)
    else:
        counterfactual = rows.copy()
        part = near.take(found)
        counterfactual[found], inside[found] = _step(judge, rows[found], part)
        near.point[found] = part.point
    if inside.all():
        return counterfactual
    for i in np.flatnonzero(~inside).tolist():
        _search_on(judge, rows, int(own[i]), near, counterfactual, i)
    return counterfactual


def _step(
    judge: Judge, rows: NDArray[np.float64], near: NearestCells
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Points inside the cells of all cases, and whether the model agrees."""
    _set_categories(judge.search, near)
    wanted = judge.model.tree.labels[near.cell]

    def has_target_class(points: NDArray[np.float64], chosen: Any) -> NDArray[np.bool_]:
        return np.asarray(judge.model.predict_codes(points) == wanted[chosen])

    return step_inside(judge.search, rows, near, has_target_class)


def _search_on(
    judge: Judge,
    rows: NDArray[np.float64],
    own: int,
    near: NearestCells,
    counterfactual: NDArray[np.float64],
    i: int,
) -> None:
    """Leave out one cell after the other until the model confirms a point, in place."""
    leaves = (judge.model.tree.labels != own) & judge.open_leaves
    zero = np.zeros(1, dtype=np.int64)
    inside = np.zeros(1, dtype=np.bool_)
    while near.cell[i] >= 0 and not inside[0]:
        leaves[near.cell[i]] = False
        again = nearest_cells(judge.search, rows[i : i + 1], judge.search.spread(leaves), zero)
        if again.cell[0] >= 0:
            points, inside = _step(judge, rows[i : i + 1], again)
            counterfactual[i] = points[0]
        near.cell[i], near.distance[i] = again.cell[0], again.distance[0]
        near.point[i], near.changed[i] = again.point[0], again.changed[0]


def _set_categories(search: CellSearch, near: NearestCells) -> None:
    """Give changed categories the first code that the target cell allows, in place."""
    features = search.partition.category_features
    for leaf, rows in group_by_cell(near.cell, np.flatnonzero(near.changed.any(axis=1))):
        allowed = search.partition.allowed_codes(leaf)
        for column, feature in enumerate(features.tolist()):
            moved = rows[near.changed[rows, column]]
            if len(moved):
                near.point[moved, feature] = float(np.flatnonzero(allowed[feature])[0])
