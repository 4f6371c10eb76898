"""The costs of a data set in a comparison: read, checked against the data, and paid."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from oblique.compare.measure import Scores
    from oblique.costs import CostModel
    from oblique.datasets import Dataset


def read_cost_model(costs: Any, errors: Any) -> CostModel | None:
    """Return the cost model that a data set was given, or None.

    Parameters
    ----------
    costs : CostModel, str, path or None
        A text is the path of a file for `oblique.costs.read_costs` if there is one, else the name
        of a published table. None: tests are free.
    errors : float, mapping, matrix, str, path or None
        Costs of errors, as for `CostModel`; a text or path is a file for
        `oblique.costs.read_errors`. None: 1 each, or those of the model.

    Raises
    ------
    ValueError
        If a name is unknown, a file malformed, or errors come beside a whole model.
    """
    if costs is None and errors is None:
        return None
    from oblique.costs import CostModel, load_costs, read_costs, read_errors

    if isinstance(costs, CostModel):
        if errors is not None:
            raise ValueError("errors: the cost model has its own; use costs.with_errors(...)")
        return costs
    if errors is None:
        errors = 1.0
    elif isinstance(errors, str | PathLike):
        errors = read_errors(errors)
    try:
        alone = CostModel(None, errors)
    except ValueError as error:
        told = str(error)
        raise ValueError(told if told.startswith("errors") else f"errors: {told}") from None
    if costs is None:
        return alone
    if not isinstance(costs, str | PathLike):
        raise ValueError(
            f"costs must be a CostModel, the name of a published table or a path, got {costs!r}"
        )
    if Path(costs).is_file() or isinstance(costs, PathLike) or Path(costs).suffix:
        return read_costs(costs, errors)
    return load_costs(costs, errors)


def check_costs(costs: CostModel, dataset: Dataset) -> None:
    """Raise ValueError where costs name other features or classes than a data set has."""
    try:
        costs.prices(list(dataset.data.columns))
        costs.error_matrix(np.unique(dataset.target.to_numpy()))
    except ValueError as error:
        raise ValueError(f"costs of data set {dataset.name!r}: {error}") from None


def score_costs(
    costs: CostModel,
    model: Any,
    data: Any,
    actual: NDArray[Any],
    predicted: NDArray[Any],
    all_labels: NDArray[Any],
) -> Scores:
    """Measure what a classifier costs on test rows.

    A classifier that is one tree, or a search for one, pays for the tests on each row's path;
    every other needs all features of every row.

    Parameters
    ----------
    costs : CostModel
    model : fitted classifier
    data : DataFrame
        The test rows.
    actual, predicted : ndarray of shape (n,)
    all_labels : ndarray
        Classes of the whole data set, whose shares the standard cost needs.

    Returns
    -------
    dict
        ``cost_of_tests`` and ``cost_of_errors``, means over the rows; ``cost``, their sum; and
        ``cost_percent``, that in percent of Turney's (1995) standard cost, None where it is 0.
    """
    labels = np.unique(all_labels)
    matrix = costs.error_matrix(labels)
    answers, truth = np.searchsorted(labels, predicted), np.searchsorted(labels, actual)
    of_errors = float(matrix[answers, truth].mean())
    of_tests = _cost_of_tests(costs, _unwrap(model), data, actual)
    total = of_tests + of_errors
    standard = costs.standard_cost(all_labels)
    return {
        "cost": total,
        "cost_of_tests": of_tests,
        "cost_of_errors": of_errors,
        "cost_percent": 100.0 * total / standard if standard > 0.0 else None,
    }


def _cost_of_tests(costs: CostModel, model: Any, data: Any, actual: NDArray[Any]) -> float:
    """Mean cost of the tests of a row: of all features unless a tree over these asks for less."""
    # A classifier whose tree sees other columns has needed all of these to make them.
    if list(getattr(model, "feature_names_in_", ())) == list(data.columns):
        try:
            return costs.cost_of(model, data, actual).average_tests
        except TypeError:  # no tree
            pass
    return costs.cost_of_all_tests


def apply_costs(sources: tuple[Any, ...], costs: Any) -> tuple[Any, ...]:
    """Give data sets their costs, listed by the sets' names.

    Raises
    ------
    TypeError, ValueError
        If it is no mapping, or names a data set that is not there.
    """
    from dataclasses import replace

    from oblique._suggest import unknown_name

    if not isinstance(costs, Mapping):
        raise TypeError(f"costs must map names of data sets to cost models, got {costs!r}")
    names = [source.name for source in sources]
    for name in costs:
        if name not in names:
            raise ValueError(f"costs: {unknown_name('data set', name, names)}")
    return tuple(
        replace(source, costs=costs[source.name]) if source.name in costs else source
        for source in sources
    )


def _unwrap(model: Any) -> Any:
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    return model
