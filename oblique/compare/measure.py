"""What is measured of a fitted classifier on test rows."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = dict[str, Any]
# Wide enough for sums of many probabilities in single precision.
_SUM_TOLERANCE = 1e-3


def check_predictions(predicted: Any, classes: Any, n_rows: int) -> NDArray[Any]:
    """Return the predictions as an array, or say what is wrong with them.

    Raises
    ------
    ValueError
        If their number or shape is wrong, or one is no class of the training labels (a
        missing value is none either).
    """
    array = np.asarray(predicted)
    if array.shape != (n_rows,):
        raise ValueError(f"predict returned shape {array.shape} for {n_rows} rows")
    strange = array[~np.isin(array, classes)]
    if len(strange):
        raise ValueError(
            f"predict returned {strange.tolist()[0]!r} for {len(strange)} of {n_rows} rows; "
            f"the classes are {', '.join(map(str, classes))}"
        )
    return array


def check_probabilities(probabilities: Any, n_rows: int, n_classes: int) -> NDArray[np.float64]:
    """Return the probabilities as an array, or say what is wrong with them.

    Raises
    ------
    ValueError
        If their shape is wrong, or a row holds no numbers between 0 and 1 that add up to 1.
    """
    array = np.asarray(probabilities, dtype=np.float64)
    if array.shape != (n_rows, n_classes):
        raise ValueError(
            f"predict_proba returned shape {array.shape}; expected {(n_rows, n_classes)}"
        )
    if not ((array >= -1e-9) & (array <= 1 + 1e-9)).all():
        raise ValueError("predict_proba returned values that are no probabilities")
    sums = array.sum(axis=1)
    if (np.abs(sums - 1) > _SUM_TOLERANCE).any():
        worst = sums[np.abs(sums - 1).argmax()]
        raise ValueError(f"predict_proba returned a row that adds up to {worst:g}, not to 1")
    return array


def score_predictions(
    actual: NDArray[Any],
    predicted: NDArray[Any],
    unsafe_class: Any,
    unsafe_cost: float | None = None,
) -> Scores:
    """Measure predicted labels.

    Parameters
    ----------
    actual, predicted : ndarray of shape (n,)
    unsafe_class : object or None
        Class whose recall is the unsafe accuracy; all others together make the safe accuracy.
    unsafe_cost : float, optional
        Cost of missing an unsafe row; missing a safe one costs 1.

    Returns
    -------
    dict
        ``accuracy``; ``recall`` by class; ``balanced_accuracy``, the mean of the recalls; and
        ``safe_accuracy`` and ``unsafe_accuracy``, None without an unsafe class. All are
        shares between 0 and 1. With a cost and an unsafe class also ``cost``, the mean cost of a
        row.
    """
    right = actual == predicted
    recall = {str(name): float(right[actual == name].mean()) for name in np.unique(actual)}
    scores: Scores = {
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(np.mean(list(recall.values()))),
        "safe_accuracy": None,
        "unsafe_accuracy": None,
        "recall": recall,
    }
    if unsafe_class is not None:
        is_unsafe = actual == unsafe_class
        scores["safe_accuracy"] = _mean(right[~is_unsafe])
        scores["unsafe_accuracy"] = _mean(right[is_unsafe])
        if unsafe_cost is not None:
            scores["cost"] = float((~right * np.where(is_unsafe, unsafe_cost, 1.0)).mean())
    return scores


def score_probabilities(
    actual: NDArray[Any], probabilities: NDArray[np.float64] | None, classes: NDArray[Any]
) -> Scores:
    """Measure predicted probabilities.

    Parameters
    ----------
    actual : ndarray of shape (n,)
    probabilities : ndarray of shape (n, n_classes) or None
    classes : ndarray of shape (n_classes,)
        Class of each column.

    Returns
    -------
    dict
        ``roc_auc`` (more than two classes: mean over one class against the rest; None if the
        test rows hold fewer classes), ``log_loss`` (natural logarithm, probabilities clipped
        at the machine's epsilon) and ``brier`` (two classes: mean squared error of one
        column, in [0, 1]; more: summed over the columns, in [0, 2]). All None without
        probabilities.
    """
    if probabilities is None:
        return {"roc_auc": None, "log_loss": None, "brier": None}
    column = np.searchsorted(classes, actual)
    truth = np.zeros_like(probabilities)
    truth[np.arange(len(actual)), column] = 1.0
    epsilon = np.finfo(np.float64).eps
    given_to_truth = np.clip(probabilities[truth == 1.0], epsilon, 1.0)
    squared = ((probabilities - truth) ** 2).sum(axis=1).mean()
    return {
        "roc_auc": _mean_auc(truth, probabilities),
        "log_loss": float(-np.log(given_to_truth).mean()),
        "brier": float(squared / 2 if len(classes) == 2 else squared),
    }


def measure_tree(model: Any) -> Scores:
    """Measure the size of the tree inside a fitted classifier.

    Works on every estimator whose ``tree_`` has ``n_leaves`` and ``max_depth``, as ours and
    scikit-learn's do, also at the end of a pipeline or inside a search.

    Returns
    -------
    dict
        ``depth`` in edges, ``leaves``, and ``test_size``, the mean number of features that an
        inner node's test uses (None for a single leaf, or a tree without ``children_left``).
        All None if there is no such tree.
    """
    tree: Any = getattr(_innermost(model), "tree_", None)
    leaves, depth = getattr(tree, "n_leaves", None), getattr(tree, "max_depth", None)
    # Another package's tree_ may be anything.
    if not (isinstance(leaves, Integral) and isinstance(depth, Integral)):
        return {"depth": None, "leaves": None, "test_size": None}
    return {"depth": int(depth), "leaves": int(leaves), "test_size": _mean_test_size(tree)}


def _mean(values: NDArray[Any]) -> float | None:
    return float(values.mean()) if len(values) else None


def _mean_auc(truth: NDArray[Any], probabilities: NDArray[np.float64]) -> float | None:
    from sklearn.metrics import roc_auc_score

    if (truth.sum(axis=0) == 0).any():
        return None
    if truth.shape[1] == 2:
        return float(roc_auc_score(truth[:, 1], probabilities[:, 1]))
    return float(roc_auc_score(truth, probabilities, average="macro"))


def _innermost(model: Any) -> Any:
    """Unwrap searches and pipelines down to the estimator that was fitted last."""
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "steps"):
            model = model.steps[-1][1]
        else:
            return model


def _mean_test_size(tree: Any) -> float | None:
    children = np.asarray(getattr(tree, "children_left", ()))
    inner = np.flatnonzero(children >= 0)
    if not len(inner):
        return None
    # Trees without oblique tests, such as scikit-learn's, use one feature at each node. So
    # does a test on categories, which has no weights.
    indptr = getattr(tree, "weight_indptr", np.arange(children.size + 1))
    return float(np.maximum(np.diff(indptr)[inner], 1).mean())
