"""Distances to the decision surface over many cases: what they tell of a model."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import ttest_ind

from oblique.sensitivity.surface import DecisionSurface, NearestCases

if TYPE_CHECKING:
    from pandas import DataFrame

#: Distances of table 5 and percents of the range of table 6 of the sensitivity paper.
DISTANCES = (0.01, 0.02, 0.05, 0.1, 0.2)
PERCENTS = (1.0, 2.0, 5.0, 10.0)
_ON_PLANE = 1e-11  # rounding of w . x, in units of the metric


def share_within(distance: ArrayLike, levels: ArrayLike = DISTANCES) -> NDArray[np.float64]:
    """Share of cases whose class can change within each distance.

    Parameters
    ----------
    distance : array-like of shape (n,)
        A case that cannot change (inf) or has no distance (NaN) counts as one that does not.
    levels : array-like of shape (n_levels,)

    References
    ----------
    I. Alvarez, "Sensitivity analysis of the result in binary decision trees", ECML 2004, table 5.

    Examples
    --------
    >>> share_within([0.01, 0.3, 0.04, 0.2], [0.02, 0.2])
    array([0.25, 0.75])
    """
    ordered = np.sort(np.asarray(distance, dtype=float))
    count = np.searchsorted(ordered, np.asarray(levels, dtype=float), side="right")
    return np.asarray(count / max(len(ordered), 1))


def share_within_percent(
    model: Any, X: Any, percents: ArrayLike = PERCENTS, *, sample: Any = None
) -> NDArray[np.float64]:
    """Share of cases whose class can change when no attribute moves by more than p percent.

    Parameters
    ----------
    model : Tree or fitted classifier
    X : array-like or data frame of shape (n, n_features)
    percents : array-like of shape (n_levels,)
        Of each attribute's range in `sample`; by default in the model's training rows.
    sample : array-like or data frame, optional

    References
    ----------
    I. Alvarez, "Sensitivity analysis of the result in binary decision trees", ECML 2004, table 6.
    """
    surface = DecisionSurface(model, "minmax", X=sample)
    return share_within(surface.sup_sensitivity(X), np.asarray(percents, dtype=float) / 100.0)


def distance_histogram(
    distance: ArrayLike, is_error: ArrayLike, bins: int | ArrayLike = 20
) -> DataFrame:
    """Count successes and errors by distance.

    Parameters
    ----------
    distance : array-like of shape (n,)
        Cases that cannot change (inf) and those without a distance (NaN) are left out.
    is_error : array-like of bool, shape (n,)
    bins : int or array-like
        Number of bins, or their edges.

    Returns
    -------
    histogram : DataFrame
        Columns from, to, successes, errors and error_rate (NaN in an empty bin).

    References
    ----------
    I. Alvarez, "Sensitivity analysis of the result in binary decision trees", ECML 2004,
    figures 1 and 2.
    """
    from pandas import DataFrame

    d, wrong, known = _with_errors(distance, is_error)
    edges = np.histogram_bin_edges(d[known], bins)
    errors = np.histogram(d[known & wrong], edges)[0]
    successes = np.histogram(d[known & ~wrong], edges)[0]
    total = errors + successes
    rate = np.divide(errors, total, out=np.full(len(total), np.nan), where=total > 0)
    return DataFrame(
        {
            "from": edges[:-1],
            "to": edges[1:],
            "successes": successes,
            "errors": errors,
            "error_rate": rate,
        }
    )


def _with_errors(
    distance: ArrayLike, is_error: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Distances, whether each case is an error, and which distances are finite."""
    d, wrong = np.asarray(distance, dtype=float), np.asarray(is_error, dtype=bool)
    if d.shape != wrong.shape:
        raise ValueError(f"is_error has shape {wrong.shape}, expected {d.shape}, one a distance")
    return d, wrong, np.isfinite(d)


class ErrorProximity(NamedTuple):
    """Whether errors lie nearer to the decision surface than successes.

    Attributes
    ----------
    statistic : float
        Mean distance of successes minus that of errors, over its standard error; 2 or more is
        97.5 % confidence.
    p_value : float
        Of Welch's one-sided test.
    mean_success, mean_error : float
    n_success, n_error : int
    """

    statistic: float
    p_value: float
    mean_success: float
    mean_error: float
    n_success: int
    n_error: int


def error_proximity(distance: ArrayLike, is_error: ArrayLike) -> ErrorProximity:
    """Test whether errors are nearer to the decision surface than successes (Welch).

    Parameters
    ----------
    distance : array-like of shape (n,)
    is_error : array-like of bool, shape (n,)
        Two cases of each kind at least, else the statistic is NaN.

    References
    ----------
    I. Alvarez and S. Bernard, "Ranking cases with decision trees: a geometric method that
    preserves intelligibility", IJCAI 2005, equation 6.
    """
    d, wrong, known = _with_errors(distance, is_error)
    errors, hits = d[known & wrong], d[known & ~wrong]
    statistic = p_value = float("nan")
    if len(errors) > 1 and len(hits) > 1:
        with warnings.catch_warnings():
            # scipy warns of distances that are all but equal; the statistic is then infinite.
            warnings.simplefilter("ignore", RuntimeWarning)
            test = ttest_ind(hits, errors, equal_var=False, alternative="greater")
        statistic, p_value = float(test.statistic), float(test.pvalue)
    mean_success, mean_error = (
        float(part.mean()) if len(part) else float("nan") for part in (hits, errors)
    )
    return ErrorProximity(statistic, p_value, mean_success, mean_error, len(hits), len(errors))


def count_sensitive_tests(near: NearestCases) -> NDArray[np.int64]:
    """Count the tests that hold each case back from its nearest point of another class.

    They are the tests of the target leaf whose hyperplane the nearest point lies on and the case
    does not, one for each hyperplane, and the tests on categories that the case does not meet.

    Parameters
    ----------
    near : NearestCases
        What `DecisionSurface.nearest` returned.

    Returns
    -------
    counts : ndarray of shape (n,)
        0 where no other class can be reached, and for a case on the surface itself.
    """
    partition, scale = near.surface.search.partition, near.surface.metric.scale
    counts = np.zeros(len(near), dtype=np.int64)
    for leaf in np.unique(near.leaf[near.leaf >= 0]).tolist():
        cases = np.flatnonzero(near.leaf == leaf)
        nodes, _ = partition.path(leaf)
        nodes = nodes[partition.is_linear[nodes]]
        weights, threshold = partition.dense_weights(nodes), near.surface.tree.threshold[nodes]
        steep = np.linalg.norm(weights * scale, axis=1)
        planes = np.column_stack([weights, threshold]) / steep[:, None]
        _, first = np.unique(planes.round(12), axis=0, return_index=True)
        weights, threshold, steep = weights[first], threshold[first], steep[first]
        at_point = np.abs(near.point[cases] @ weights.T - threshold) / steep
        at_case = np.abs(near.rows[cases] @ weights.T - threshold) / steep
        size = np.maximum(1.0, np.abs(near.rows[cases] / scale).max(axis=1))[:, None]
        holds = (at_point <= _ON_PLANE * size) & (at_case > _ON_PLANE * size)
        counts[cases] = holds.sum(axis=1) + _changed_categories(near, cases)
    return counts


def _changed_categories(near: NearestCases, cases: NDArray[np.int64]) -> NDArray[np.int64]:
    coded = near.surface.search.partition.category_features
    moved = near.point[cases][:, coded] != near.rows[cases][:, coded]
    return np.asarray(moved.sum(axis=1))


def trace_summary(model: Any, X: Any, *, sample: Any = None, metric: str = "minmax") -> DataFrame:
    """Compare lengths of traces with numbers of sensitive tests.

    Parameters
    ----------
    model : Tree or fitted classifier
    X : array-like or data frame of shape (n, n_features)
    sample : array-like or data frame, optional
        Rows of the metric, see `DecisionSurface`.
    metric : {"minmax", "standard", "identity"}

    Returns
    -------
    summary : DataFrame
        One row: leaves, depth and attributes of the tree; mean and median of the number of tests
        on the way of a case, and of the number of tests that hold it back.

    References
    ----------
    I. Alvarez, "Explaining the result of a decision tree to the end-user", ECAI 2004,
    table 1.
    """
    from pandas import DataFrame

    surface = DecisionSurface(model, metric, X=sample)
    near = surface.nearest(X)
    tree = surface.tree
    trace = tree.depths[tree.apply(near.rows)]
    tests = count_sensitive_tests(near)[near.leaf >= 0]
    return DataFrame(
        {
            "leaves": [tree.n_leaves],
            "depth": [tree.max_depth],
            "attributes": [len(np.unique(tree.weight_indices))],
            "trace_mean": [float(trace.mean())],
            "trace_median": [float(np.median(trace))],
            "sensitive_mean": [float(tests.mean()) if tests.size else np.nan],
            "sensitive_median": [float(np.median(tests)) if tests.size else np.nan],
        }
    )
