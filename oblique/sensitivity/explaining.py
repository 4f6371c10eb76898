"""Why a case has its class, how sure that is, and what would have to change: `explain`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from oblique.describe import Description, describe
from oblique.profile import DEVIATION, HIGH, LOW, column_profile
from oblique.sensitivity.errors_near import KnownCases
from oblique.sensitivity.explanation import Explanation, LeafDistance, Move, TraceTest
from oblique.sensitivity.model import view_model
from oblique.sensitivity.surface import DecisionSurface, NearestCases
from oblique.sensitivity.tests import describe_test, hyperplane_distance
from oblique.sensitivity.wording import limit_texts
from projection import Metric

_TERMS = 3


class Explanations(Sequence[Explanation]):
    """Explanations of many cases; each is put together when it is asked for.

    Distances, moves and counterfactuals of all cases are computed at once and are here as
    arrays; texts, tests and distances by leaf are made case by case.

    Parameters
    ----------
    model, surface, near, index, profile, sample, known, limits, unconstrained
        As `explain`, which makes it, puts them together.

    Attributes
    ----------
    model : Tree or classifier
        The model that was explained.
    near : NearestCases
        Distance, nearest point, counterfactual, target leaf and class, one row a case.
    surface : DecisionSurface
    unconstrained : Explanations or None
        The same cases without limits and weights, where there are any.
    """

    def __init__(
        self,
        model: Any,
        surface: DecisionSurface,
        near: NearestCases,
        index: Sequence[Any],
        *,
        profile: NDArray[np.float64] | None,
        sample: Any,
        known: KnownCases | None,
        limits: tuple[str, ...],
        unconstrained: Explanations | None,
    ):
        self.model = model
        self.near = near
        self.surface = surface
        self.unconstrained = unconstrained
        self._index = index
        self._profile = profile
        self._sample = sample
        self._known = known
        self._limits = limits

    # ------------------------------------------------------------ all cases

    def __len__(self) -> int:
        return len(self.near)

    @property
    def names(self) -> Sequence[Any]:
        """Label of every case in the data frame, or its number."""
        return self._index

    @property
    def distance(self) -> NDArray[np.float64]:
        """Distance of every case to the decision surface."""
        return self.near.distance

    @property
    def predicted_class(self) -> NDArray[Any]:
        """Class of every case."""
        return self.near.predicted_class

    @cached_property
    def leaf(self) -> NDArray[np.int64]:
        """Leaf of every case."""
        return self.surface.tree.apply(self.near.rows)

    @cached_property
    def percent_of_range(self) -> NDArray[np.float64]:
        """Size of each attribute's move against its range, shape (n, n_features)."""
        profile = self._known_profile()
        return _percent(self.near.move, profile[HIGH] - profile[LOW])

    @cached_property
    def percent_of_deviation(self) -> NDArray[np.float64]:
        """Size of each attribute's move against its standard deviation, (n, n_features)."""
        return _percent(self.near.move, self._known_profile()[DEVIATION])

    @cached_property
    def percent_of_value(self) -> NDArray[np.float64]:
        """Size of each attribute's move against its value, shape (n, n_features)."""
        return _percent(self.near.move, self.near.rows)

    @cached_property
    def maximum(self) -> float | None:
        """Largest distance to the surface among the sample's rows; None without a sample."""
        rows = None if self._sample is None else self.surface.encode_complete(self._sample)[0]
        if rows is None or not len(rows):
            return None
        distance = self.surface.nearest_of_rows(rows).distance
        finite = distance[np.isfinite(distance)]
        return float(finite.max()) if finite.size else None

    @cached_property
    def deviation_length(self) -> float:
        """Length of a move of one standard deviation in every attribute that the tree tests."""
        tested = np.zeros(self.surface.tree.n_features)
        tested[self._tested] = self._known_profile()[DEVIATION][self._tested]
        return float(self.surface.metric.length(np.nan_to_num(tested)))

    def to_frame(self) -> Any:
        """Return a data frame, one row a case: class, leaf, distance and where it would go."""
        import pandas as pd

        frame = pd.DataFrame(
            {
                "predicted": self.predicted_class,
                "leaf": self.leaf,
                "distance": self.distance,
                "share_of_deviation": self.distance / self.deviation_length
                if self.deviation_length > 0
                else np.nan,
                "target": self.near.target_class,
                "target_leaf": self.near.leaf,
                "status": self.near.status,
            },
            index=pd.Index(self._index, name="case", tupleize_cols=False),
        )
        for name, column in zip(self.surface.feature_names, self.near.move.T, strict=True):
            frame[f"move_{name}"] = column
        return frame

    # ------------------------------------------------------------ one case

    @overload
    def __getitem__(self, i: int) -> Explanation: ...
    @overload
    def __getitem__(self, i: slice) -> list[Explanation]: ...
    def __getitem__(self, i: int | slice) -> Explanation | list[Explanation]:
        """Explanation of case `i`, counted from 0."""
        if isinstance(i, slice):
            return [self._explanation(j) for j in range(*i.indices(len(self)))]
        number = int(i)
        if not -len(self) <= number < len(self):
            raise IndexError(f"case {number} of {len(self)}: cases are counted from 0")
        return self._explanation(number % len(self))

    def __iter__(self) -> Iterator[Explanation]:
        return (self._explanation(i) for i in range(len(self)))

    def values(self, i: int) -> dict[str, Any]:
        """Values of a case by attribute, categories by name.

        Parameters
        ----------
        i : int
            Number of the case, from 0.
        """
        return self._decoded(self.near.rows[i])

    def _explanation(self, i: int) -> Explanation:
        near, surface = self.near, self.surface
        tree, label = surface.tree, near.predicted_class[i]
        row, leaf = near.rows[i], int(self.leaf[i])
        counts = tree.counts[leaf]
        distance = float(near.distance[i])
        found = near.leaf[i] >= 0
        classes = surface.classes.tolist()
        by_class = surface.distances_by_class_of_rows(row[None])[0].tolist()
        moves = self._moves(i) if found else []
        return Explanation(
            case=self._index[i],
            values=self._decoded(row),
            predicted_class=label,
            leaf=leaf,
            class_shares=dict(
                zip(classes, (counts / max(counts.sum(), 1e-300)).tolist(), strict=True)
            ),
            trace=self._trace(row, leaf),
            status=str(near.status[i]),
            distance=distance,
            share_of_maximum=distance / self.maximum if self.maximum else None,
            share_of_deviation=distance / self.deviation_length
            if self.deviation_length
            else np.nan,
            target_class=near.target_class[i],
            target_leaf=int(near.leaf[i]),
            moves=moves,
            counterfactual=self._decoded(near.counterfactual[i]) if found else {},
            sensitive_tests=near.sensitive_tests(i),
            distance_by_class=dict(zip(classes, by_class, strict=True)),
            distance_by_leaf=self._by_leaf(row, leaf),
            error_rate=self._known.near(distance) if self._known else None,
            limits=self._limits,
            unconstrained=self.unconstrained[i] if self.unconstrained else None,
        )

    @cached_property
    def _tested(self) -> NDArray[np.int64]:
        """Columns that some test of the tree uses."""
        return np.unique(self.surface.tree.weight_indices).astype(np.int64)

    def _known_profile(self) -> NDArray[np.float64]:
        if self._profile is None:
            n = self.surface.tree.n_features
            return np.full((3, n), np.nan)
        return self._profile

    def _decoded(self, row: NDArray[np.float64]) -> dict[str, Any]:
        """Values by attribute, categories by name."""
        known = self.surface.tree.category_names or {}
        return {
            name: _category(known[j], value) if j in known else value
            for j, (name, value) in enumerate(
                zip(self.surface.feature_names, row.tolist(), strict=True)
            )
        }

    def _moves(self, i: int) -> list[Move]:
        case = self._decoded(self.near.rows[i])
        point = self._decoded(self.near.point[i])
        known = self.surface.tree.category_names or {}
        # An unknown category that stays is NaN in both.
        differs = (self.near.point[i] != self.near.rows[i]) & ~np.isnan(self.near.point[i])
        moved = np.flatnonzero(differs).tolist()
        moves = []
        for j in moved:
            name = self.surface.feature_names[j]
            if j in known:
                moves.append(Move(name, case[name], point[name], *[np.nan] * 4))
                continue
            moves.append(
                Move(
                    name, case[name], point[name], float(self.near.move[i, j]),
                    float(self.percent_of_value[i, j]), float(self.percent_of_range[i, j]),
                    float(self.percent_of_deviation[i, j]),
                )
            )  # fmt: skip
        return sorted(moves, key=lambda m: -np.nan_to_num(m.percent_of_range, nan=np.inf))

    def _trace(self, row: NDArray[np.float64], leaf: int) -> list[TraceTest]:
        tree, names, search = self.surface.tree, self.surface.feature_names, self.surface.search
        trace = []
        for node, went_left in tree.path(leaf):
            is_linear = tree.category_indptr[node] == tree.category_indptr[node + 1]
            margin = hyperplane_distance(tree, search, row, node) if is_linear else np.nan
            trace.append(
                TraceTest(node, describe_test(tree, names, node, passed=went_left), margin)
            )
        return trace

    def _by_leaf(self, row: NDArray[np.float64], own: int) -> list[LeafDistance]:
        surface = self.surface
        leaves, labels = surface.tree.leaves, surface.tree.labels
        distance = surface.distances_by_leaf_of_rows(row[None])[0]
        other = np.isfinite(distance) & (labels[leaves] != labels[own])
        order = np.flatnonzero(other)[np.argsort(distance[other], kind="stable")]
        return [
            LeafDistance(
                int(leaves[i]), surface.classes[labels[leaves[i]]], float(distance[i]),
                self._refused_tests(row, int(leaves[i])),
            )
            for i in order.tolist()
        ]  # fmt: skip

    def _refused_tests(self, row: NDArray[np.float64], leaf: int) -> list[str]:
        tree = self.surface.tree
        refused = []
        for node, wants_left in tree.path(leaf):
            split = tree.split(node)
            assert split is not None
            goes_left = float(split.membership(row[None])[0]) == 1.0
            if goes_left != wants_left:
                refused.append(str(self._in_short.condition(node, left=goes_left)))
        return refused

    @cached_property
    def _in_short(self) -> Description:
        """Tests with their largest weights only."""
        return describe(
            self.surface.tree, feature_names=self.surface.feature_names, max_weights=_TERMS,
            decimals=4, spread=self.surface.metric.scale,
        )  # fmt: skip


def _category(names: tuple[str, ...], code: float) -> str | None:
    return names[int(code)] if code == code and 0 <= int(code) < len(names) else None


def _percent(change: NDArray[np.float64], unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Size of changes in percent of units; NaN where a unit is zero."""
    size = np.abs(unit)
    share = np.full(np.broadcast_shapes(change.shape, size.shape), np.nan)
    return 100.0 * np.divide(np.abs(change), size, out=share, where=size > 0.0)


def explain(
    model: Any,
    X: Any,
    *,
    sample: Any = None,
    known: tuple[Any, Any] | None = None,
    metric: str | Metric = "minmax",
    norm: float | None = None,
    frozen: Sequence[str | int] = (),
    not_decreasing: Sequence[str | int] = (),
    not_increasing: Sequence[str | int] = (),
    ranges: Mapping[Any, tuple[float, float]] | None = None,
    integer: Sequence[str | int] = (),
    weights: Any = None,
    change_cost: Any = 1.0,
    n_jobs: int | None = None,
) -> Explanations:
    """Explain the classes of cases: how sure, what would have to change, which tests matter.

    Parameters
    ----------
    model : Tree or fitted classifier
        A tree, a classifier of this package, or a scikit-learn tree classifier.
    X : array-like or data frame of shape (n, n_features)
        Cases without missing values.
    sample : array-like or data frame, optional
        Rows that give ranges, deviations and the largest distance (of complete rows), usually
        the training rows. By default what the model remembers of its training rows (the largest
        distance is then left out).
    known : (X, y), optional
        Cases whose class is known, best ones that the model was not trained on: they give the
        error rate at a case's distance. Those with missing values are left out.
    metric, norm, frozen, not_decreasing, not_increasing, ranges, integer, weights, change_cost
        The metric and the limits of moves, see `DecisionSurface`. With limits or weights every
        explanation also holds the answer without them.
    n_jobs : int, optional
        Threads over chunks of cases.

    Returns
    -------
    explanations : Explanations
        A sequence, one `Explanation` a case, with arrays for all of them.

    Raises
    ------
    TypeError, ValueError
        Name the argument and its remedy.

    References
    ----------
    I. Alvarez, "Explaining the result of a decision tree to the end-user", ECAI 2004 (tables 2
    to 5); I. Alvarez, "Sensitivity analysis of the result in binary decision trees", ECML 2004.

    Examples
    --------
    >>> from oblique import ObliqueTreeClassifier, explain
    >>> from oblique.datasets import load_dataset
    >>> from oblique.finders import AxisParallel
    >>> data = load_dataset("bupa")
    >>> model = ObliqueTreeClassifier(finder=AxisParallel(), max_depth=3)
    >>> model = model.fit(data.data, data.target)
    >>> first = explain(model, data.data[:10])[0]
    >>> first.sensitive_tests[0].text
    'gammagt > 20.5'
    """
    view = view_model(model)
    profile = view.profile if sample is None else column_profile(view.encode(sample))
    limits = {
        "frozen": frozen, "not_decreasing": not_decreasing, "not_increasing": not_increasing,
        "ranges": ranges, "integer": integer, "weights": weights,
    }  # fmt: skip
    surface = DecisionSurface(model, metric, X=sample, norm=norm, change_cost=change_cost, **limits)
    words = limit_texts(view.feature_names, limits)
    rows = surface.encode(X)
    index = list(X.index) if hasattr(X, "index") and hasattr(X, "columns") else range(len(rows))

    def answer(
        surface: DecisionSurface, said: tuple[str, ...], unconstrained: Explanations | None
    ) -> Explanations:
        return Explanations(
            model, surface, surface.nearest_of_rows(rows, n_jobs=n_jobs), index,
            profile=profile, sample=sample,
            known=None if known is None else KnownCases(surface, known), limits=said,
            unconstrained=unconstrained,
        )  # fmt: skip

    if not words:
        return answer(surface, (), None)
    free = DecisionSurface(model, metric, X=sample, norm=norm, change_cost=change_cost)
    return answer(surface, words, answer(free, (), None))
