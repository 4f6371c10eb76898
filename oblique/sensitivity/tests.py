"""Sensitive tests: the tests that a case would have to change to change its class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from oblique.describe import readable_threshold
from oblique.tree import Tree
from projection import CellSearch, Polyhedron, Projection, project, row_lengths


class SensitiveTest(NamedTuple):
    """One test whose hyperplane bounds the nearest region of another class.

    Attributes
    ----------
    node : int
        Node of the tree.
    text : str
        The test as the case stands now, ``age <= 28.5``.
    margin : float
        Distance of the case from the test's hyperplane in the metric (for a test on categories:
        the cost of a change).
    passed : bool
        Whether the case goes left at the node.
    violated : bool
        Whether the target region asks for the other side. A test that the case already passes as
        the target asks can bound the nearest point as well, in oblique trees only.

    References
    ----------
    I. Alvarez, "Explaining the result of a decision tree to the end-user", ECAI 2004,
    definition 2.
    """

    node: int
    text: str
    margin: float
    passed: bool
    violated: bool


def find_sensitive_tests(
    tree: Tree,
    names: tuple[str, ...],
    search: CellSearch,
    x: NDArray[np.float64],
    leaf: int,
) -> list[SensitiveTest]:
    """List the tests on the path of the target leaf that hold the case back, largest margin first.

    They are the constraints with a multiplier in the projection onto the leaf. In an
    axis-parallel tree that is the tightest violated test of each attribute.

    References
    ----------
    I. Alvarez, "Explaining the result of a decision tree to the end-user", ECAI 2004,
    definition 2 (decreasing margin).
    """
    nodes, sides = search.partition.path(leaf)
    linear = search.partition.category_set[nodes] < 0
    answer = project_onto_leaf(search, x, leaf)
    active = set(answer.active.tolist())
    found = []
    place = 0
    for node, side, is_linear in zip(nodes.tolist(), sides.tolist(), linear, strict=True):
        if is_linear:
            if place in active:
                found.append(_linear_test(tree, names, search, x, node, side))
            place += 1
        elif _is_refused(tree, x, node, side):
            cost = float(search.limits.change_cost[tree.weight_indices[tree.weight_indptr[node]]])
            text = describe_test(tree, names, node, passed=side < 0)
            found.append(SensitiveTest(node, text, cost, side < 0, True))
    return sorted(found, key=lambda test: -test.margin)


def project_onto_leaf(search: CellSearch, x: NDArray[np.float64], leaf: int) -> Projection:
    """Project a case onto the closure of one leaf under the limits of a search.

    Constraints are numbered along the path (tests on categories left out), then the limits.
    """
    region = search.partition.region(leaf)
    lower, upper = search.limits.bounds_at(x)
    coded = search.partition.category_features
    lower[coded], upper[coded] = -np.inf, np.inf
    x = x.copy()
    x[coded] = 0.0  # no test of the region weighs a code, and an unknown one is NaN
    return project(x, Polyhedron(region.A, region.b, lower=lower, upper=upper), search.metric)


def _linear_test(
    tree: Tree,
    names: tuple[str, ...],
    search: CellSearch,
    x: NDArray[np.float64],
    node: int,
    side: float,
) -> SensitiveTest:
    """Margin and text of a linear test."""
    excess = _excess(tree, x, node)
    passed = excess <= 0.0
    text = describe_test(tree, names, node, passed=passed)
    margin = hyperplane_distance(tree, search, x, node)
    return SensitiveTest(node, text, margin, passed, side * excess > 0.0)


def hyperplane_distance(tree: Tree, search: CellSearch, x: NDArray[np.float64], node: int) -> float:
    """Distance of a case from the hyperplane of a linear test, in the metric of a search."""
    weights = search.partition.dense_weights([node])[0]
    dual = {2.0: 2.0, np.inf: 1.0, 1.0: np.inf}[search.metric.norm]
    steepness = float(row_lengths((weights * search.metric.scale)[None], dual)[0])
    return abs(_excess(tree, x, node)) / steepness


def _excess(tree: Tree, x: NDArray[np.float64], node: int) -> float:
    begin, end = tree.weight_indptr[node], tree.weight_indptr[node + 1]
    tested = x[tree.weight_indices[begin:end]]  # elsewhere a category may be unknown, NaN
    return float(tree.weight_values[begin:end] @ tested - tree.threshold[node])


def _is_refused(tree: Tree, x: NDArray[np.float64], node: int, side: float) -> bool:
    """Whether a test on categories sends the case away from the wanted side."""
    split = tree.split(node)
    assert split is not None
    share = float(split.membership(x[None])[0])
    return share != (1.0 if side > 0 else 0.0)


def describe_test(
    tree: Tree, names: tuple[str, ...], node: int, *, passed: bool, digits: int = 6
) -> str:
    """Write a test in the words of the data, as it reads for a case that passes it or not."""
    begin, end = tree.weight_indptr[node], tree.weight_indptr[node + 1]
    features = tree.weight_indices[begin:end].tolist()
    if tree.category_indptr[node] != tree.category_indptr[node + 1]:
        first = tree.category_indptr[node]
        codes = tree.category_codes[first : first + tree.category_left[node]].tolist()
        known = (tree.category_names or {}).get(features[0], ())
        listed = ", ".join(known[c] if c < len(known) else str(c) for c in codes)
        return f"{names[features[0]]} {'in' if passed else 'not in'} {{{listed}}}"
    number, is_strict = readable_threshold(float(tree.threshold[node]))
    sign = (("<=", "<") if passed else (">", ">="))[is_strict]
    values = tree.weight_values[begin:end].tolist()
    threshold = f"{number:.{digits}g}"
    if values == [1.0]:
        return f"{names[features[0]]} {sign} {threshold}"
    terms = [f"{v:+.{digits}g} {names[f]}" for v, f in zip(values, features, strict=True)]
    return f"{' '.join(terms).removeprefix('+')} {sign} {threshold}"
