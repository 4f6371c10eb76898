"""What the finders share that take their direction from a linear model of the node's rows."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from baselines._checks import check_count
from baselines._groups import check_groups, group_classes
from baselines._sample import ScaledRows, scale_rows
from oblique._arrays import read_only
from oblique._kernels import TIE
from oblique.finders import SplitFinder, best_cut_along
from oblique.pruning.base import is_number

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import LinearSplit

THRESHOLDS = ("criterion", "model")


class LinearModelFinder(SplitFinder):
    """A linear model is fitted to each grouping of the classes; the best plane is taken.

    A subclass has the parameters ``groups``, ``threshold``, ``max_features`` and
    ``min_samples``, and makes the model.
    """

    groups: str
    threshold: str
    max_features: Any
    min_samples: int

    @abstractmethod
    def _model(self, weights: NDArray[np.float64]) -> Any:
        """Make the model of one grouping, not fitted: a linear one of scikit-learn's.

        Parameters
        ----------
        weights : ndarray of shape (n,)
            Of the rows it will be fitted to, for targets of 1 and -1.
        """

    def find_split(self, node: Node, rng: Generator) -> LinearSplit | None:
        """Return the plane of largest gain, None where no plane gains."""
        self.check_parameters()
        if node.n_effective < self.min_samples:
            return None
        features = draw_features(node.numeric, self.max_features, rng)
        scaled = scale_rows(node, "standard", features=features)
        if scaled is None:
            return None
        planes = self._planes(scaled)
        if self.threshold == "model":
            return _best_plane(node, scaled, planes)
        return best_cut_along(node, data_directions(node, scaled, planes[:, :-1]))

    def _planes(self, scaled: ScaledRows) -> NDArray[np.float64]:
        """Planes (q, d + 1) of scaled columns, one for each grouping of the classes."""
        columns = scaled.columns[:-1]
        targets = group_classes(self.groups, columns, scaled.codes, scaled.weights)
        planes = np.zeros((len(targets), len(columns) + 1))
        for plane, target in zip(planes, targets, strict=True):
            sides = target[scaled.codes]
            used = sides != 0
            weights = penalty_weights(scaled.weights[used])
            model = self._model(weights)
            with no_convergence_warnings():
                model.fit(columns.T[used], sides[used].astype(np.float64), weights)
            plane[:-1] = np.ravel(model.coef_)
            plane[-1:] = -np.ravel(model.intercept_)
        return planes[np.isfinite(planes).all(axis=1)]

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        check_groups(self.groups)
        if self.threshold not in THRESHOLDS:
            raise ValueError(f'threshold={self.threshold!r} must be "criterion" or "model"')
        check_max_features(self.max_features)
        check_count("min_samples", self.min_samples, least=2)


def _best_plane(node: Node, scaled: ScaledRows, planes: NDArray[np.float64]) -> LinearSplit | None:
    best, best_gain = None, 0.0
    for plane in planes:
        offer = scaled.proposal_of(node, plane)
        if offer is not None and offer[1] > best_gain + TIE:
            best, best_gain = offer
    return best


def data_directions(
    node: Node, scaled: ScaledRows, directions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Turn directions (q, d) of scaled columns into directions of the data, (q, n_features)."""
    out = np.zeros((len(directions), node.n_features))
    for line, direction in zip(out, directions, strict=True):
        indices, values = scaled.direction_of(direction)
        line[indices] = values
    return out


def check_max_features(value: Any) -> None:
    """Raise ValueError unless this is a number of features."""
    if value is None or value == "sqrt":
        return
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1
    share = is_number(value) and isinstance(value, float) and 0.0 < value <= 1.0
    if not (whole or share):
        raise ValueError(
            f'max_features={value!r} must be None, "sqrt", an integer >= 1 or a share in (0, 1]'
        )


def draw_features(
    numeric: NDArray[np.int32], max_features: Any, rng: Generator
) -> NDArray[np.int32]:
    """Draw features without replacement, ascending; all of them for None."""
    d = numeric.size
    if max_features is None:
        return numeric
    if max_features == "sqrt":
        wanted = int(np.ceil(np.sqrt(d)))
    elif isinstance(max_features, float):
        wanted = int(np.ceil(max_features * d))
    else:
        wanted = int(max_features)
    if wanted >= d:
        return numeric
    return read_only(np.sort(rng.choice(numeric, size=wanted, replace=False)))


def penalty_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights whose mean is one, for which the strength of a penalty is meant.

    Whole numbers count repeated rows and stay.
    """
    is_counted = bool((weights == np.floor(weights)).all())
    return weights if is_counted else weights / weights.mean()


@contextmanager
def no_convergence_warnings() -> Iterator[None]:
    """Leave out warnings of a model that is cut short: any plane that gains will do."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
