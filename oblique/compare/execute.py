"""Running one cell: pure, picklable, and never raising for a fault of a strategy."""

from __future__ import annotations

import sys
import traceback
import warnings
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from oblique.compare.cell import Cell
from oblique.compare.deadline import TimeLimitExceeded, deadline
from oblique.compare.environment import describe_environment
from oblique.compare.identity import hash_json
from oblique.compare.measure import (
    check_predictions,
    check_probabilities,
    measure_tree,
    score_predictions,
    score_probabilities,
)
from oblique.compare.pricing import score_costs
from oblique.compare.seeding import derive_seed
from oblique.compare.source import load_source
from oblique.compare.splitting import split_rows
from oblique.compare.timing import time_call, time_fit, warm_up

if TYPE_CHECKING:
    from oblique.costs import CostModel
    from oblique.datasets import Dataset

Record = dict[str, Any]
RECORD_FORMAT = 1


def run_cell(
    cell: Cell,
    *,
    time_limit: float | None = None,
    keep_predictions: bool = False,
    trace: Path | None = None,
) -> Record:
    """Fit and score one cell.

    Parameters
    ----------
    cell : Cell
    time_limit : float, optional
        Seconds after which the cell is given up and recorded as failed. Time in which numba
        compiles does not count; nor does the fit to a few rows that comes before a strategy's
        first cell in a process, which has a limit of its own.
    keep_predictions : bool, default=False
        Whether the record also holds the test rows' numbers, predicted classes and
        probabilities.
    trace : path, optional
        Where to write the traceback if this process has to be ended, because the time limit
        has passed and the strategy cannot be interrupted. By default it is not ended.

    Returns
    -------
    dict
        The record, all JSON values: ``key``, ``cell`` (the identity), ``unsafe_name`` (of the
        unsafe class), ``status`` ("done" or "failed") and ``environment``; if done, ``scores``
        (the same in every run of the cell), ``resources`` (times and memory, which differ) and
        ``warnings``; if failed, ``error`` with type, message and traceback. An exception of
        the strategy never leaves this function; only an interrupt does.
    """
    frame: Record = {"format": RECORD_FORMAT, "key": cell.key, "cell": cell.identity}
    try:
        dataset = _load_checked(cell)
        frame["unsafe_name"] = dataset.class_names.get(cell.unsafe_class)
        with _one_thread(), warnings.catch_warnings(record=True) as told:
            with suppress(TimeLimitExceeded), deadline(time_limit, trace=trace):
                _warm_up(cell, dataset)
            warnings.simplefilter("always")
            told.clear()
            with deadline(time_limit, trace=trace):
                outcome = _fit_and_score(cell, dataset, keep_predictions)
        texts = {f"{w.category.__name__}: {w.message}" for w in told}
        outcome["warnings"] = sorted(map(_encodable, texts))
        frame |= {"status": "done", **outcome}
    # A foreign estimator may raise anything, and even try to end the process.
    except (Exception, SystemExit, TimeLimitExceeded) as error:
        frame |= {"status": "failed", "error": describe_error(error)}
    frame["environment"] = describe_environment()
    return frame


def describe_error(error: BaseException) -> dict[str, str]:
    """Return type, message and traceback of an exception as text."""
    text = "".join(traceback.format_exception(error))
    return {
        "type": type(error).__name__,
        "message": _encodable(str(error)),
        "traceback": _encodable(text),
    }


def _encodable(text: str) -> str:
    """Escape what no file can hold, as in the names of files that are no UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def prepare_estimator(
    estimator: Any, *, unsafe_class: Any, seed: int, costs: CostModel | None = None
) -> Any:
    """Clone an estimator and fill in what the data set and the split decide.

    Every parameter called ``unsafe_class`` or ``random_state``, at any depth, that was left
    at None is set, and so is ``costs`` of every classifier and pruner; what the user has set
    stays.
    """
    prepared = clone(estimator)
    given = {"unsafe_class": unsafe_class, "random_state": seed, "costs": costs}
    parameters = prepared.get_params(deep=True)
    unset = {}
    for path, value in parameters.items():
        owner, _, name = path.rpartition("__")
        # A finder's costs are numbers; classifiers and pruners take a cost model.
        holder = parameters[owner] if owner else prepared
        takes = name != "costs" or hasattr(holder, "predict") or hasattr(holder, "prune")
        if value is None and name in given and takes:
            unset[path] = given[name]
    return prepared.set_params(**unset)


def _warm_up(cell: Cell, dataset: Dataset) -> None:
    key = hash_json([cell.strategy.parameters, cell.checksum])
    warm_up(key, _prepare(cell), dataset.data, dataset.target.to_numpy())


def _prepare(cell: Cell) -> Any:
    seed = derive_seed(cell.seed, purpose="model")
    return prepare_estimator(
        cell.strategy.estimator, unsafe_class=cell.unsafe_class, seed=seed, costs=cell.costs
    )


def _fit_and_score(cell: Cell, dataset: Dataset, keep_predictions: bool) -> Record:
    all_labels = dataset.target.to_numpy()
    train, test = split_rows(all_labels, cell.split, seed=cell.seed)
    data, labels = dataset.data.iloc[train], all_labels[train]
    test_data, actual = dataset.data.iloc[test], all_labels[test]
    model, fit = time_fit(_prepare(cell), data, labels)
    predicted, predict = time_call(lambda: model.predict(test_data))
    resources = {
        "fit_seconds": fit.seconds,
        "predict_seconds": predict.seconds,
        "memory_bytes": fit.memory_bytes,
    }
    classes = np.unique(labels)
    predicted = check_predictions(predicted, classes, len(test))
    probabilities = _probabilities(model, test_data, classes)
    scores = {
        **score_predictions(actual, predicted, cell.unsafe_class, cell.unsafe_cost),
        **score_probabilities(actual, probabilities, classes),
        **measure_tree(model),
        "n_train": len(train),
        "n_test": len(test),
    }
    if cell.costs is not None:
        scores |= score_costs(cell.costs, model, test_data, actual, predicted, all_labels)
    outcome: Record = {"scores": scores, "resources": resources}
    if keep_predictions:
        outcome["predictions"] = {
            "rows": test.tolist(),
            "predicted": predicted.tolist(),
            "probabilities": None if probabilities is None else probabilities.tolist(),
        }
    return outcome


def _load_checked(cell: Cell) -> Dataset:
    dataset = load_source(cell.source)
    if dataset.checksum != cell.checksum:
        raise ValueError(
            f"data set {cell.source.name!r} has changed since the design was made, "
            "or is another one on this machine"
        )
    return dataset


def _probabilities(model: Any, data: Any, classes: NDArray[Any]) -> NDArray[np.float64] | None:
    if not hasattr(model, "predict_proba"):
        return None
    columns = getattr(model, "classes_", classes)
    if not np.array_equal(columns, classes):
        raise ValueError(
            f"classes_, the columns of predict_proba, is {list(map(str, columns))}; expected the "
            f"sorted classes {list(map(str, classes))}"
        )
    return check_probabilities(model.predict_proba(data), len(data), len(classes))


def _one_thread() -> Any:
    """Cap the threads of linear algebra and OpenMP, so that cells side by side do not fight."""
    return _thread_controller(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _thread_controller(n_modules: int) -> Any:
    """Find the thread pools of this process again only after something was imported."""
    del n_modules
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
