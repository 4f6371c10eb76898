"""The decision surface of a tree: how far a case is from it, and the nearest case beyond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oblique.profile import column_profile
from oblique.sensitivity.counterfactual import Judge, find_counterfactuals
from oblique.sensitivity.model import partition_of, view_model
from oblique.sensitivity.options import build_limits, build_metric, feature_numbers
from oblique.sensitivity.tests import SensitiveTest, find_sensitive_tests
from oblique.sensitivity.thresholds import Units, threshold_sensitivity
from projection import (
    LARGEST,
    CellSearch,
    Metric,
    NearestCells,
    join_cells,
    nearest_cell,
    nearest_cells,
    prepare_search,
)

if TYPE_CHECKING:
    import pandas as pd

FOUND, UNREACHABLE, UNROUTED = "found", "unreachable", "unrouted"
_CHUNK = 16384


@dataclass(frozen=True)
class NearestCases:
    """Nearest point of another class for each case; arrays have one row a case.

    Attributes
    ----------
    distance : ndarray of shape (n,)
        Distance to the decision surface in the metric: the sensitivity of the case. inf where
        no other class can be reached.
    point : ndarray of shape (n, n_features)
        Nearest point of the target leaf's closure, in the columns of the encoded cases
        (categories are codes). It lies on the surface, so the model may still give it the class
        of the case. For the norms inf and 1 it need not be the only nearest point.
    counterfactual : ndarray of shape (n, n_features)
        The point moved into the leaf by the smallest step at which the model predicts
        `target_class`; checked by prediction.
    leaf : ndarray of shape (n,)
        Node of the target leaf, -1 where there is none.
    predicted_class, target_class : ndarray of shape (n,)
        Labels of the case and of the counterfactual (None where there is none).
    status : ndarray of str, shape (n,)
        "found"; "unreachable" (one class only, or the limits leave no way); "unrouted" (a
        category that the tree does not know at one of its tests).
    rows : ndarray of shape (n, n_features)
        The encoded cases.
    surface : DecisionSurface
        Who answered.
    """

    distance: NDArray[np.float64]
    point: NDArray[np.float64]
    counterfactual: NDArray[np.float64]
    leaf: NDArray[np.int64]
    predicted_class: NDArray[Any]
    target_class: NDArray[Any]
    status: NDArray[Any]
    rows: NDArray[np.float64] = field(repr=False)
    surface: DecisionSurface = field(repr=False)

    def __len__(self) -> int:
        return len(self.distance)

    @property
    def move(self) -> NDArray[np.float64]:
        """Sensitive move of each case, point minus case, in raw units."""
        return self.point - self.rows

    def counterfactual_frame(self) -> pd.DataFrame:
        """Counterfactuals as a data frame that the model can read, categories by their values.

        A row of missing values stands where there is none.
        """
        return self.surface._model.decode(self.counterfactual)

    def sensitive_tests(self, i: int) -> list[SensitiveTest]:
        """Tests that bound the nearest point of case `i`, largest margin first.

        Parameters
        ----------
        i : int
            Number of the case, from 0.
        """
        return self.surface._tests_of(self.rows[i], int(self.leaf[i]))


class DecisionSurface:
    """Boundary between the regions of different classes of a decision tree.

    The distance of a case to it is the smallest move, in a metric and under limits that the user
    sets, that changes the predicted class. It is exact for oblique and axis-parallel trees: the
    case is projected onto the leaves of other classes by a best-first search with lower bounds.
    Leaves without interior (contradictory or repeated tests) cannot be reached and are left out.

    In oblique trees the side of a frozen attribute is exact, but for two thresholds, or one and a
    range, less than about 1e-9 of its scale apart: it may then count as lying on the lower one.

    Parameters
    ----------
    model : Tree or fitted classifier
        A `Tree`, a classifier of this package, or a scikit-learn tree classifier.
    metric : {"minmax", "standard", "identity"} or Metric, default="minmax"
        Each attribute is divided by its range or its standard deviation in `X`, or taken as it
        is.
    X : array-like or data frame, optional
        Rows that define the metric; missing values are left out. By default the training rows,
        whose ranges and deviations the classifiers of this package remember; a `Tree` and
        scikit-learn's classifiers do not, and "minmax" and "standard" need `X` for them.
    norm : {2, inf, 1}, optional
        How the moves of the attributes add up: Euclidean (default), the largest, the sum.
    frozen, not_decreasing, not_increasing : sequences of str or int
        Attributes (names or column numbers) that must not move, or in one direction only.
    ranges : mapping of attribute to (low, high), optional
        Where the nearest point must lie.
    integer : sequence of str or int
        Attributes that may only move to whole numbers; axis-parallel trees.
    weights : mapping of attribute to number, or array, optional
        A weight of 2 makes the moves of an attribute cost twice as much.
    change_cost : float or mapping of attribute to float, default=1.0
        Cost of another category of a categorical attribute, in units of the metric; a weight of
        the attribute multiplies it.

    Raises
    ------
    TypeError, ValueError
        Name the argument and its remedy.

    References
    ----------
    I. Alvarez, "Explaining the result of a decision tree to the end-user", ECAI 2004;
    I. Alvarez and S. Bernard, "Ranking cases with decision trees: a geometric method that
    preserves intelligibility", IJCAI 2005 (axis-parallel trees).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from oblique import DecisionSurface, ObliqueTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ObliqueTreeClassifier(random_state=0).fit(X, y)
    >>> near = DecisionSurface(model, X=X).nearest(X[:5])
    >>> bool((model.predict(near.counterfactual) != model.predict(X[:5])).all())
    True
    """

    def __init__(
        self,
        model: Any,
        metric: str | Metric = "minmax",
        *,
        X: Any = None,
        norm: float | None = None,
        frozen: Sequence[str | int] = (),
        not_decreasing: Sequence[str | int] = (),
        not_increasing: Sequence[str | int] = (),
        ranges: Mapping[Any, tuple[float, float]] | None = None,
        integer: Sequence[str | int] = (),
        weights: Any = None,
        change_cost: Any = 1.0,
    ):
        self._model = view_model(model)
        self.tree = self._model.tree
        self.classes = self._model.classes
        self.feature_names = self._model.feature_names
        self._partition = partition_of(self.tree)
        profile = self._model.profile if X is None else column_profile(self._model.encode(X))
        coded = self._partition.category_features
        self.profile = profile
        self.metric = build_metric(metric, profile, norm, weights, self.feature_names, coded)
        self.limits = build_limits(
            self.feature_names,
            frozen=frozen,
            not_decreasing=not_decreasing,
            not_increasing=not_increasing,
            ranges={} if ranges is None else ranges,
            integer=integer,
            change_cost=change_cost,
            weights=weights,
            coded={*coded.tolist(), *self._model.categories},
        )
        if self.limits.integer.any() and not self._partition.is_axis_parallel:
            raise ValueError(
                f"integer={list(integer)!r}: moves to whole numbers are exact in axis-parallel "
                "trees only; leave it out and round the counterfactual yourself"
            )
        self._largest = LARGEST * np.minimum(self.metric.scale, 1.0)
        self._searches: dict[float, CellSearch] = {}

    # ------------------------------------------------------------ questions

    def nearest(self, X: Any, *, n_jobs: int | None = None) -> NearestCases:
        """Find the nearest point of another class for every case.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.
        n_jobs : int, optional
            Threads over chunks of cases, as joblib counts them.
        """
        return self.nearest_of_rows(self._rows(X), n_jobs=n_jobs)

    def nearest_of_rows(
        self, rows: NDArray[np.float64], *, n_jobs: int | None = None
    ) -> NearestCases:
        """Answer `nearest` for rows of numbers as `encode` makes them; nothing is checked.

        Parameters
        ----------
        rows : ndarray of shape (n, n_features), float64
            What `encode` returned.
        n_jobs : int, optional
            Threads over chunks of cases, as joblib counts them.
        """
        own = self._model.predict_codes(rows)
        parts = _over_chunks(self._nearest_chunk, rows, own, n_jobs)
        near, counterfactual = parts[0]
        if len(parts) > 1:
            near = join_cells([part[0] for part in parts])
            counterfactual = np.concatenate([part[1] for part in parts])
        leaf = near.cell
        status = np.full(len(rows), FOUND, dtype="U11")
        target_class = self.classes[self.tree.labels[leaf]]
        if (leaf < 0).any():
            lost = leaf < 0
            near.point[lost], counterfactual[lost] = np.nan, np.nan
            status[lost] = UNREACHABLE
            status[np.isnan(near.distance)] = UNROUTED
            target_class = target_class.astype(object)
            target_class[lost] = None
        return NearestCases(
            distance=near.distance,
            point=near.point,
            counterfactual=counterfactual,
            leaf=leaf,
            predicted_class=self.classes[own],
            target_class=target_class,
            status=status,
            rows=rows,
            surface=self,
        )

    def sensitive_tests(self, x: Any) -> list[SensitiveTest]:
        """Tests that bound the nearest point of one case, largest margin first.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (1, n_features), or a data frame of one row

        Raises
        ------
        ValueError
            If there is more than one case; ask ``nearest(X).sensitive_tests(i)`` then.
        """
        case = x if hasattr(x, "columns") else np.atleast_2d(np.asarray(x))
        if len(case) != 1:
            raise ValueError(
                f"x holds {len(case)} cases, expected one; nearest(X).sensitive_tests(i) answers "
                "for case i of many"
            )
        return self.nearest(case).sensitive_tests(0)

    def distances_by_class(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Distance of every case to the regions of every class, shape (n, n_classes).

        0 for the predicted class; inf for a class that cannot be reached; NaN for a case with a
        category that the tree does not know at one of its tests.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.
        n_jobs : int, optional
            Threads over chunks of cases, as joblib counts them.
        """
        return self.distances_by_class_of_rows(self._rows(X), n_jobs=n_jobs)

    def distances_by_class_of_rows(
        self, rows: NDArray[np.float64], *, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Answer `distances_by_class` for rows as `encode` makes them; nothing is checked.

        Parameters
        ----------
        rows : ndarray of shape (n, n_features), float64
            What `encode` returned.
        n_jobs : int, optional
            Threads over chunks of cases, as joblib counts them.
        """
        own = self._model.predict_codes(rows)
        out = np.zeros((len(rows), len(self.classes)))
        for k in range(len(self.classes)):
            target = np.full(len(rows), k)
            parts = _over_chunks(self._distance_chunk, rows, target, n_jobs)
            out[:, k] = np.where(own == k, 0.0, np.concatenate(parts))
        out[self._unrouted(rows)] = np.nan
        return out

    def distances_by_leaf(self, X: Any) -> NDArray[np.float64]:
        """Distance of every case to every leaf, in the order of ``tree.leaves``.

        Shape (n, n_leaves). 0 for the leaf of the case, inf for a leaf that cannot be reached:
        one that the limits exclude, or one without interior. NaN for a case with a category that
        the tree does not know at one of its tests.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.
        """
        return self.distances_by_leaf_of_rows(self._rows(X))

    def distances_by_leaf_of_rows(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Answer `distances_by_leaf` for rows as `encode` makes them; nothing is checked.

        Parameters
        ----------
        rows : ndarray of shape (n, n_features), float64
            What `encode` returned.
        """
        leaves = self.tree.leaves
        alone = np.zeros((len(leaves), self.tree.n_nodes), dtype=np.bool_)
        alone[np.arange(len(leaves)), leaves] = self._open_leaves[leaves]
        search = self._search(self.metric.norm)
        useful = search.spread(alone)
        out = np.empty((len(rows), len(leaves)))
        step = max(1, _CHUNK // len(leaves))  # cases at once, each beside every leaf
        for part in (slice(s, s + step) for s in range(0, len(rows), step)):
            repeated = np.repeat(rows[part], len(leaves), axis=0)
            numbers = np.tile(np.arange(len(leaves)), len(rows[part]))
            near = nearest_cells(search, repeated, useful, numbers)
            out[part] = near.distance.reshape(-1, len(leaves))
        own = np.searchsorted(leaves, self.tree.apply(rows))
        out[np.arange(len(rows)), own] = 0.0
        out[self._unrouted(rows)] = np.nan
        return out

    def predict_codes(self, X: Any) -> NDArray[np.int64]:
        """Number of the predicted class of every case, as in ``classes``.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.

        Returns
        -------
        codes : ndarray of shape (n,), int64
        """
        return self._model.predict_codes(self._rows(X))

    def encode(self, X: Any) -> NDArray[np.float64]:
        """Rows of numbers of the cases, categories as codes.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.

        Returns
        -------
        rows : ndarray of shape (n, n_features), float64
        """
        return self._rows(X)

    def encode_complete(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Rows of numbers of the cases without missing values, and which cases those are.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)

        Returns
        -------
        rows : ndarray of shape (n_complete, n_features), float64
        complete : ndarray of shape (n,), bool
        """
        rows = self._model.encode(X)
        known = np.isfinite(rows)
        known[:, self._partition.category_features] = True
        complete: NDArray[np.bool_] = np.all(known, axis=1)
        return np.ascontiguousarray(rows[complete]), complete

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Node of the leaf of every case.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.

        Returns
        -------
        leaf : ndarray of shape (n,), int64
        """
        return self.tree.apply(self._rows(X))

    def sup_sensitivity(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Distance of every case to the surface in the norm inf: error of input that is safe.

        The class cannot change while no attribute is off by this much or more, in units of the
        metric's scales. NaN for a case with a category that the tree does not know.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.
        n_jobs : int, optional
            Threads over chunks of cases, as joblib counts them.

        Returns
        -------
        distance : ndarray of shape (n,)
        """
        rows = self._rows(X)
        own = self._model.predict_codes(rows)

        def distances(part: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
            return self._search_other(part, codes, np.inf).distance

        answer = np.concatenate(_over_chunks(distances, rows, own, n_jobs))
        answer[self._unrouted(rows)] = np.nan
        return answer

    def threshold_sensitivity(self, X: Any, *, units: Units = "metric") -> NDArray[np.float64]:
        """Smallest change of the tree's thresholds that gives each case another class.

        See `oblique.sensitivity.thresholds.threshold_sensitivity`.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.
        units : {"metric", "normal", "raw"}, default="metric"
            Unit of a move of a threshold.

        Returns
        -------
        change : ndarray of shape (n,)
        """
        rows = self._rows(X)
        own = self._model.predict_codes(rows)
        answer = threshold_sensitivity(self.tree, rows, own, self.metric, units)
        answer[self._unrouted(rows)] = np.nan
        return answer

    def score(
        self, X: Any, positive_class: Any, *, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Signed distance: positive where `positive_class` is predicted (Alvarez and Bernard).

        NaN for a case with a category that the tree does not know at one of its tests.

        Parameters
        ----------
        X : array-like or data frame of shape (n, n_features)
            Cases without missing values.
        positive_class : object
            One of ``classes``.
        n_jobs : int, optional
            Threads over chunks of cases, as joblib counts them.

        Returns
        -------
        distance : ndarray of shape (n,)
        """
        found = np.flatnonzero(self.classes == positive_class)
        if not found.size:
            raise ValueError(
                f"positive_class={positive_class!r} is not a class; there are "
                f"{self.classes.tolist()}"
            )
        rows = self._rows(X)
        own = self._model.predict_codes(rows)
        distance = np.concatenate(_over_chunks(self._other_distance, rows, own, n_jobs))
        distance[self._unrouted(rows)] = np.nan
        return np.where(own == found[0], distance, -distance)

    def measure(self, x: NDArray[np.float64]) -> tuple[float, int]:
        """Distance and target leaf of one encoded case, without checks and counterfactual.

        Parameters
        ----------
        x : ndarray of float64, shape (n_features,)
            C-contiguous and finite; nothing is checked.
        """
        own = int(self.tree.labels[self.tree.apply(x[None])[0]])
        leaf, distance = nearest_cell(self._search(self.metric.norm), x, self._other_class, own)
        return distance, leaf

    # ------------------------------------------------------------ how they are answered

    def _rows(self, X: Any) -> NDArray[np.float64]:
        """Encoded cases; a missing number is refused, an unknown category is not."""
        rows = self._model.encode(X)
        if not rows.flags.writeable:
            rows = rows.copy()  # else every kernel would be compiled for read-only arrays as well
        usable = np.abs(rows) <= self._largest
        if usable.all():
            return rows
        usable[:, self._partition.category_features] = True
        if not usable.all():
            row, column = np.argwhere(~usable)[0]
            value = rows[row, column]
            reason = (
                "its distance cannot be squared; choose larger units"
                if np.isfinite(value)
                else "the distance of an incomplete case is not defined; fill it in or leave the "
                "row out"
            )
            raise ValueError(
                f"X has the value {_spell(value)} in row {row}, column "
                f"{self.feature_names[column]}: {reason}"
            )
        return rows

    @property
    def search(self) -> CellSearch:
        """The tree's partition, prepared for the metric and the limits."""
        return self._search(self.metric.norm)

    def _search(self, norm: float) -> CellSearch:
        """Partition prepared for a norm, made on first use."""
        if norm not in self._searches:
            metric = self.metric.with_norm(norm)
            self._searches[norm] = prepare_search(self._partition, metric, self.limits)
        return self._searches[norm]

    @cached_property
    def _open_leaves(self) -> NDArray[np.bool_]:
        """Leaves with an interior."""
        return self._search(self.metric.norm).has_interior

    @cached_property
    def _other_class(self) -> NDArray[np.bool_]:
        """Row k: nodes above a leaf whose class is not k."""
        codes = np.arange(len(self.classes))[:, None]
        return self._search(self.metric.norm).spread(
            (self.tree.labels != codes) & self._open_leaves
        )

    @cached_property
    def _each_class(self) -> NDArray[np.bool_]:
        """Row k: nodes above a leaf of class k."""
        codes = np.arange(len(self.classes))[:, None]
        return self._search(self.metric.norm).spread(
            (self.tree.labels == codes) & self._open_leaves
        )

    def _search_other(
        self, rows: NDArray[np.float64], own: NDArray[np.int64], norm: float
    ) -> NearestCells:
        return nearest_cells(self._search(norm), rows, self._other_class, own)

    def _other_distance(
        self, rows: NDArray[np.float64], own: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        return self._search_other(rows, own, self.metric.norm).distance

    def _distance_chunk(
        self, rows: NDArray[np.float64], target: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        search = self._search(self.metric.norm)
        return nearest_cells(search, rows, self._each_class, target).distance

    def _nearest_chunk(
        self, rows: NDArray[np.float64], own: NDArray[np.int64]
    ) -> tuple[NearestCells, NDArray[np.float64]]:
        """Nearest cells and checked counterfactuals of some cases."""
        norm = self.metric.norm
        near = self._search_other(rows, own, norm)
        lost = self._unrouted(rows)
        near.cell[lost], near.distance[lost] = -1, np.nan
        judge = Judge(self._model, self._search(norm), self._open_leaves)
        return near, find_counterfactuals(judge, rows, own, near)

    def _unrouted(self, rows: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which rows have a category that one of their tests does not know: no answer for them."""
        if not len(self._partition.category_features):
            return np.zeros(len(rows), dtype=np.bool_)
        shares = self.tree.decision_path(rows)[:, self.tree.leaves].toarray()
        return np.asarray(shares.max(axis=1) < 1.0)

    def _tests_of(self, row: NDArray[np.float64], leaf: int) -> list[SensitiveTest]:
        if leaf < 0:
            return []
        search = self._search(self.metric.norm)
        return find_sensitive_tests(self.tree, self.feature_names, search, row, leaf)

    def numbers(self, features: Sequence[str | int]) -> list[int]:
        """Column numbers of attributes given by name or number.

        Parameters
        ----------
        features : sequence of str or int
        """
        return feature_numbers(features, "features", self.feature_names)


def _spell(value: float) -> str:
    return "NaN" if np.isnan(value) else str(value)


def _over_chunks(function: Any, rows: Any, codes: Any, n_jobs: int | None) -> list[Any]:
    """Apply a function to chunks of cases, in threads where asked (kernels release the lock)."""
    starts = range(0, max(len(rows), 1), _CHUNK)
    if n_jobs in (None, 1) or len(starts) == 1:
        return [function(rows[s : s + _CHUNK], codes[s : s + _CHUNK]) for s in starts]
    from joblib import Parallel, delayed

    return list(
        Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(function)(rows[s : s + _CHUNK], codes[s : s + _CHUNK]) for s in starts
        )
    )
