"""What a tree costs on cases: the tests that it asks for and the errors that it makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique.costs import _kernels
from oblique.costs.model import CostModel, spelling
from oblique.costs.test_cost import Prices
from oblique.pruning.base import check_weights
from oblique.sensitivity.model import view_model
from oblique.tree import Tree

# Shares of divided rows stand in a dense block of at most so many numbers at a time.
_DENSE = 1 << 22


@dataclass(frozen=True, eq=False)
class CaseCosts:
    """What deciding cases cost.

    Attributes
    ----------
    tests, errors : ndarray of shape (n,)
        Cost of each case's tests and of its answer, in the unit of the cost model.
    weights : ndarray of shape (n,) or None
        Weights of the cases in averages.
    """

    tests: NDArray[np.float64]
    errors: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None

    @property
    def total(self) -> NDArray[np.float64]:
        """Tests and errors of each case, shape (n,)."""
        return self.tests + self.errors

    @property
    def average(self) -> float:
        """Mean cost of a case."""
        return self.average_tests + self.average_errors

    @property
    def average_tests(self) -> float:
        """Mean cost of a case's tests."""
        return float(np.average(self.tests, weights=self.weights))

    @property
    def average_errors(self) -> float:
        """Mean cost of a case's answer."""
        return float(np.average(self.errors, weights=self.weights))


def case_costs(
    tree: Tree,
    rows: NDArray[np.float64],
    actual: NDArray[np.integer],
    prices: Prices | None,
    errors: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cost of the tests and of the answer of each case.

    Parameters
    ----------
    tree : Tree
    rows : ndarray of shape (n, n_features)
        As the tree reads them.
    actual : ndarray of shape (n,)
        Class codes, columns of ``errors``.
    prices : Prices or None
        None: tests are free.
    errors : ndarray of shape (n_labels, n_classes)
        Cost of each answer of the tree, a class code, where a class is true.

    Returns
    -------
    tests, errors : ndarray of shape (n,)
    """
    leaf, divided = tree.routing.route(rows)
    if not divided.size:
        wrong = errors[tree.labels[leaf], actual]
        return _tests_on_paths(tree, leaf, prices), wrong
    wrong = errors[tree.predict_codes(rows), actual]
    tests = _tests_on_paths(tree, np.maximum(leaf, 0), prices)
    if prices is not None:
        tests[divided] = _tests_of_divided(tree, rows, divided, prices)
    return tests, wrong


def _tests_on_paths(
    tree: Tree, leaf: NDArray[np.int64], prices: Prices | None
) -> NDArray[np.float64]:
    return np.zeros(len(leaf)) if prices is None else leaf_costs(tree, prices)[leaf]


def leaf_costs(tree: Tree, prices: Prices) -> NDArray[np.float64]:
    """Cost of the tests of a case that ends at each node, shape (n_nodes,)."""
    return _kernels.node_costs(0, *_tests(tree), *prices)


def _tests_of_divided(
    tree: Tree, rows: NDArray[np.float64], divided: NDArray[np.int32], prices: Prices
) -> NDArray[np.float64]:
    """Cost of the tests on all paths of the rows that a missing answer divides."""
    cost = np.empty(divided.size)
    block = max(1, _DENSE // tree.n_nodes)
    for begin in range(0, divided.size, block):
        which = divided[begin : begin + block]
        reach = tree.routing.reach(rows, which)
        cost[begin : begin + block] = _kernels.divided_costs(reach, *_tests(tree), *prices)
    return cost


def _tests(tree: Tree) -> tuple[NDArray[np.generic], ...]:
    return (
        tree.children_left, tree.children_right, tree.weight_indptr, tree.weight_indices,
        tree.weight_values,
    )  # fmt: skip


def price_cases(
    costs: CostModel, model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> CaseCosts:
    """What `CostModel.cost_of` returns."""
    view = view_model(model)
    prices = costs.prices(view.feature_names)
    rows = view.encode(X)
    truth = np.asarray(y)
    if truth.shape != (len(rows),):
        raise ValueError(f"y has shape {truth.shape}, but X has {len(rows)} rows")
    weights = None if sample_weight is None else check_weights(sample_weight, len(rows))
    classes = [spelling(label) for label in view.classes]
    given, places = np.unique(truth, return_inverse=True)
    # Cases may have a class that the model has not seen.
    names = classes + [name for name in map(spelling, given) if name not in classes]
    codes = np.array([names.index(spelling(label)) for label in given], dtype=np.intp)[places]
    return CaseCosts(
        *case_costs(view.tree, rows, codes, prices, costs.error_matrix(names)), weights
    )
