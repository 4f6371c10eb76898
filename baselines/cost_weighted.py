"""Any split finder, made to weigh the gain of a test against what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baselines._checks import check_probability
from oblique._arrays import read_only
from oblique.finders import AxisParallel, BestOf, Categories, SplitFinder, best_cut_along
from oblique.finders.base import best_cut, check_finder
from oblique.split import CategorySplit, LinearSplit

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import Split

# Values that differ by less are a tie, which the earlier proposal wins.
_TIE = 1e-12


class CostWeighted(SplitFinder):
    """The proposal that is worth most for its cost, of any finder.

    A test of gain I and cost C is worth ``(2^I - 1) / (C + 1)^omega``, the information cost
    function of EG2 (Nunez 1991). An oblique test costs the sum over the features that it needs.
    An axis-parallel finder proposes the best cut of each column, `BestOf` all that its
    finders propose. A test of several features is also proposed without its features, which
    are dropped one by one, the one of largest cost for its share in the test first, so that a
    cheaper test is found when an expensive feature adds little.

    Parameters
    ----------
    finder : SplitFinder
    costs : array-like of shape (n_features,) or None, default=None
        Cost of each feature's test, finite and not negative. None: 1 each.
    omega : float, default=1.0
        Strength of the cost, in [0, 1]. With 0 the proposal of largest gain wins.

    Examples
    --------
    >>> from baselines import CostWeighted
    >>> from oblique import ObliqueTreeClassifier
    >>> from oblique.datasets import load_dataset
    >>> from oblique.finders import LinearDiscriminant
    >>> data = load_dataset("iris")
    >>> finder = CostWeighted(LinearDiscriminant(), costs=[0, 0, 0, 100])
    >>> model = ObliqueTreeClassifier(finder=finder).fit(data.data, data.target)
    >>> bool(model.tree_.weights.tocsc()[:, [3]].nnz)
    False
    """

    def __init__(
        self, finder: SplitFinder, costs: ArrayLike | None = None, omega: float = 1.0
    ) -> None:
        self.finder = finder
        self.costs = costs
        self.omega = omega

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError for a wrong parameter, also of the finder."""
        check_finder("finder", self.finder)
        check_probability("omega", self.omega)
        if self.costs is not None:
            _checked(self.costs)

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return the proposal that is worth most, None when none gains."""
        found = self.propose(node, rng)
        return None if found is None else found[0]

    def propose(self, node: Node, rng: Generator) -> tuple[Split, float] | None:
        """Return the best proposal and what it is worth."""
        costs = np.ones(node.n_features) if self.costs is None else _checked(self.costs)
        if costs.size != node.n_features:
            raise ValueError(
                f"costs hold {costs.size} values, but there are {node.n_features} features"
            )
        best: tuple[Split, float] | None = None
        for split, gain in _proposals(self.finder, node, rng, costs):
            needs = split.feature if isinstance(split, CategorySplit) else split.indices
            worth = (2.0**gain - 1.0) / (costs[needs].sum() + 1.0) ** self.omega
            if worth > 0.0 and (best is None or worth > best[1] * (1.0 + _TIE)):
                best = split, float(worth)
        return best


def _proposals(
    finder: SplitFinder, node: Node, rng: Generator, costs: NDArray[np.float64]
) -> Iterator[tuple[Split, float]]:
    """Yield the tests that compete, with the gain of each."""
    if isinstance(finder, BestOf):
        for each in finder.finders:
            yield from _proposals(each, node, rng, costs)
    elif type(finder) is AxisParallel:
        yield from _cuts(finder, node)
    elif type(finder) is Categories:
        yield from _divisions(finder, node)
    else:
        offer = finder.propose(node, rng)
        if offer is not None:
            yield offer
            if isinstance(offer[0], LinearSplit) and offer[0].indices.size > 1:
                yield from _reductions(offer[0], node, costs)


def _cuts(finder: AxisParallel, node: Node) -> Iterator[tuple[Split, float]]:
    """Yield the best cut of each column."""
    finder.check_parameters()
    node.sort_columns()
    for feature in node.table.numeric.tolist():
        found, threshold, gain = best_cut(
            node, node.table.columns, node.store.lines,
            read_only(np.array([feature], dtype=np.int32)), finder.threshold,
        )  # fmt: skip
        if found >= 0:
            yield LinearSplit.axis(found, threshold, node.n_features), gain


def _divisions(finder: Categories, node: Node) -> Iterator[tuple[Split, float]]:
    """Yield the best division of each column."""
    for feature in node.categorical.tolist():
        split = finder.best_of_column(node, feature)
        if split is not None:
            yield split, node.gain(split)


def _reductions(
    split: LinearSplit, node: Node, costs: NDArray[np.float64]
) -> Iterator[tuple[Split, float]]:
    """Yield the test with fewer and fewer features, its threshold set anew."""
    weights = split.weights
    with np.errstate(invalid="ignore"):
        spread = np.nanstd(node.X[:, split.indices], axis=0)
    share = np.abs(split.values) * spread
    # The dearest feature for its share goes first; of equals the one of largest index.
    price = (costs[split.indices] + 1.0) / np.where(share > 0.0, share, np.finfo(np.float64).tiny)
    for place in np.argsort(-price[::-1], kind="stable")[:-1]:
        weights[split.indices[::-1][place]] = 0.0
        reduced = best_cut_along(node, weights[None])
        if reduced is not None:
            yield reduced, node.gain(reduced)


def _checked(costs: ArrayLike) -> NDArray[np.float64]:
    try:
        given = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"costs={costs!r} must be numbers") from None
    if given.ndim != 1 or not (np.isfinite(given) & (given >= 0.0)).all():
        raise ValueError(f"costs={costs!r} must be a list of finite numbers that are not negative")
    return given
