"""With which probability an uncertain case reaches each leaf of a tree."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from oblique._arrays import read_only
from oblique._suggest import unknown_name
from oblique.indecision import _reach
from oblique.indecision._box import box_probability
from oblique.indecision.table import UncertainTable
from oblique.split import CategorySplit
from oblique.tree import Tree

Floats = NDArray[np.float64]
Method: TypeAlias = Literal["exact", "moments", "clause"]

METHODS = ("exact", "moments", "clause")

# Exact integrals leave out a leaf that one clause of its path makes less probable than this, and
# clauses that are as certain: each changes a probability by less.
_NEVER = 1e-7

# Larger values and deviations have squares, or sums of them, beyond floating-point numbers.
_LARGEST = 1e150


class Spelled(NamedTuple):
    """Uncertain cases as the arrays of compiled loops."""

    X: Floats
    std: Floats
    joint: Floats
    share: Floats
    first: NDArray[np.int64]
    size: NDArray[np.int64]


def node_probabilities(tree: Tree, cases: UncertainTable, method: Method = "exact") -> Floats:
    """Probability with which each case reaches each node.

    Parameters
    ----------
    tree : Tree
    cases : UncertainTable
        With the tree's features; values of discrete ones in the order of its codes.
    method : {"exact", "moments", "clause"}, default="exact"
        "clause" multiplies the probabilities of the clauses on the path, as printed (Kent &
        Menager 2022, section 3: p(x in D_C) = p(C(x)) p(x in D)). It is off where a feature
        returns on a path or oblique clauses share features. "moments" takes after each clause
        the normal of the truncated mean and covariance (derived; the first clause is exact).
        "exact" (derived) is the probability of the leaf's interval, feature by feature, where
        every clause is of one feature and features are independent; else the multivariate
        normal integral over the leaf's polyhedron: to 1e-6 for up to three clauses that are
        uncertain and correlated, for more by `scipy.stats.multivariate_normal`, to 1e-5 unless
        they nearly determine each other.

    Returns
    -------
    reach : ndarray of shape (n, n_nodes)
        Those of the leaves sum to one.

    Raises
    ------
    ValueError
        For an unknown method, cases that do not fit the tree, and values or deviations above
        1e150 where they must be squared (any but single, independent features).
    """
    check_method(method)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"tree must be a Tree, got {type(tree).__name__}: take the tree_ of a fitted "
            "estimator, or call class_probabilities, which takes estimators"
        )
    check_cases(cases)
    squares = method == "moments" or cases.covariance is not None or not tree.is_axis_parallel
    if squares:
        _check_sizes(cases)
    spelled = spell(tree, cases)
    reach = np.zeros((len(cases), tree.n_nodes))
    by_feature = method != "clause"
    if method == "moments":
        _reach.reach_by_moments(*spelled, *tree.routing.arrays, reach)
        return reach
    _reach.reach_by_clauses(*spelled, by_feature, *tree.routing.arrays, reach)
    if method == "clause" or (tree.is_axis_parallel and cases.covariance is None):
        return reach
    return _integrate(tree, cases, reach)


def leaf_probabilities(tree: Tree, cases: UncertainTable, method: Method = "exact") -> Floats:
    """`node_probabilities` of the leaves, (n, n_leaves).

    Parameters
    ----------
    tree, cases, method
        As in `node_probabilities`.
    """
    return node_probabilities(tree, cases, method)[:, tree.leaves]


def check_method(method: Any, name: str = "method") -> None:
    """Raise ValueError for an unknown method."""
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(unknown_name(name, method, METHODS))


def check_cases(cases: Any) -> None:
    """Raise TypeError unless cases are uncertain ones."""
    if not isinstance(cases, UncertainTable):
        raise TypeError(
            f"cases must be an UncertainTable, got {type(cases).__name__}: make one of means and "
            "standard deviations by UncertainTable(X, X_std)"
        )


def _check_sizes(cases: UncertainTable) -> None:
    size = np.fmax(np.abs(cases.means), cases.std)
    large = size > _LARGEST
    if large.any():
        row, column = np.argwhere(large)[0]
        raise ValueError(
            f"case {row}, feature {column}: a value or deviation of {size[row, column]:.3g} is "
            f"above {_LARGEST:g} and cannot be squared; measure in larger units"
        )


def spell(tree: Tree, cases: UncertainTable) -> Spelled:
    """Check that cases fit a tree, and lay them out for compiled loops."""
    n, d = cases.shape
    if d != tree.n_features:
        raise ValueError(f"the cases have {d} features, the tree has {tree.n_features}")
    tested = {
        int(tree.weight_indices[tree.weight_indptr[node]])
        for node in np.flatnonzero(np.diff(tree.category_indptr))
    }
    for j in sorted(tested - set(cases.probabilities)):
        raise ValueError(
            f"feature {j} is discrete in the tree: give the probabilities of its values"
        )
    linear = set(tree.weight_indices.tolist()) - tested
    for j in sorted(linear & set(cases.probabilities)):
        raise ValueError(f"feature {j} is numeric in the tree, but discrete in the cases")
    first, size = np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.int64)
    parts = [np.empty((n, 0))]
    place = 0
    for j, share in cases.probabilities.items():
        rest = np.maximum(1.0 - share.sum(axis=1, keepdims=True), 0.0)
        rest[rest < 1e-15] = 0.0
        parts.append(np.hstack([share, rest]))
        first[j], size[j] = place, share.shape[1] + 1
        place += size[j]
    joint = np.empty((0, 0, 0)) if cases.covariance is None else cases.covariance
    shares = np.ascontiguousarray(np.hstack(parts))
    return Spelled(
        read_only(cases.means), read_only(cases.std), read_only(joint), read_only(shares),
        read_only(first), read_only(size),
    )  # fmt: skip


# ---------------------------------------------------------------- integrals over polyhedra


def _integrate(tree: Tree, cases: UncertainTable, reach: Floats) -> Floats:
    """Replace the probability of each leaf by the integral over its polyhedron.

    What discrete features and missing values contribute is read off the walk by clauses.
    """
    alone = _each_clause(tree, cases)
    out = np.zeros_like(reach)
    for leaf in tree.leaves.tolist():
        path = tree.path(leaf)
        out[:, leaf] = _leaf_integral(tree, cases, leaf, path, alone)
    # Leaf by leaf: other sums would depend on the number of cases in the last bit.
    total = np.zeros(len(cases))
    for leaf in tree.leaves.tolist():
        total += out[:, leaf]
    out[:, tree.leaves] /= np.where(total > 0.0, total, 1.0)[:, None]
    for node in range(tree.n_nodes - 1, 0, -1):
        out[:, tree.parents[node]] += out[:, node]
    return out


def _each_clause(tree: Tree, cases: UncertainTable) -> Floats:
    """Probability of each inner node's clause by itself, NaN where the value is missing."""
    out = np.full((len(cases), tree.n_nodes), np.nan)
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        split = tree.split(node)
        if not isinstance(split, CategorySplit) and split is not None:
            mean, variance = _moments(cases, split.weights[None])
            out[:, node] = _upto(split.threshold, mean[:, 0], np.sqrt(variance[:, 0, 0]))
    return out


def _moments(cases: UncertainTable, A: Floats) -> tuple[Floats, Floats]:
    """Mean (n, m) and covariance (n, m, m) of A x; features without a weight do not count."""
    used = np.flatnonzero(A.any(axis=0))
    B = A[:, used]
    mean = np.einsum("nj,aj->na", cases.means[:, used], B)
    if cases.covariance is None:
        return mean, np.einsum("aj,nj,bj->nab", B, cases.std[:, used] ** 2, B)
    part = cases.covariance[:, used][:, :, used]
    return mean, np.einsum("aj,njk,bk->nab", B, part, B)


def _upto(threshold: float, mean: Floats, deviation: Floats) -> Floats:
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        out = ndtr((threshold - mean) / deviation)
    exact = np.where(np.isnan(mean), np.nan, (mean <= threshold).astype(np.float64))
    return np.asarray(np.where(deviation > 0.0, out, exact))


def _leaf_integral(
    tree: Tree, cases: UncertainTable, leaf: int, path: list[tuple[int, bool]], alone: Floats
) -> Floats:
    out = _discrete_part(tree, cases, leaf)
    steps = [(node, went) for node, went in path if not np.isnan(tree.threshold[node])]
    if not steps:
        return out
    nodes = [node for node, _ in steps]
    went_left = np.array([went for _, went in steps])
    single = np.where(went_left, alone[:, nodes], 1.0 - alone[:, nodes])
    missing = np.isnan(single)
    shares = np.where(went_left, tree.missing_left[nodes], 1.0 - tree.missing_left[nodes])
    out = out * np.where(missing, shares, 1.0).prod(axis=1)
    single = np.where(missing, 1.0, single)
    out = np.where(single.min(axis=1) > _NEVER, out, 0.0)
    # A clause that is certain for a case bounds nothing.
    open_ = (single < 1.0 - _NEVER) & (out > 0.0)[:, None]
    weights = np.array([tree.split(node).weights for node in nodes])  # type: ignore[union-attr]
    # Cases with the same open clauses are integrated together.
    patterns, member = np.unique(open_, axis=0, return_inverse=True)
    for at, pattern in enumerate(patterns):
        if pattern.any():
            rows = np.flatnonzero(member.ravel() == at)
            which = np.flatnonzero(pattern)
            limits = tree.threshold[nodes][which]
            part = _polyhedron(cases[rows], weights[which], limits, went_left[which])
            out[rows] *= part
    return out


def _discrete_part(tree: Tree, cases: UncertainTable, leaf: int) -> Floats:
    """Probability of what the path asks of discrete features."""
    from oblique.indecision.node import category_sides

    held = dict(cases.probabilities)
    unknown = {j: np.maximum(1.0 - share.sum(axis=1), 0.0) for j, share in held.items()}
    for node, went_left in tree.path(leaf):
        split = tree.split(node)
        if isinstance(split, CategorySplit):
            j, share_left = split.feature, split.missing_left
            goes_left, known = category_sides(split, held[j].shape[1])
            goes_left = goes_left + (1.0 - known) * share_left
            held[j] = held[j] * (goes_left if went_left else 1.0 - goes_left)
            unknown[j] = unknown[j] * (share_left if went_left else 1.0 - share_left)
    out = np.ones(len(cases))
    for j, share in held.items():
        out *= share.sum(axis=1) + unknown[j]
    return out


def _polyhedron(
    cases: UncertainTable, A: Floats, limits: Floats, is_upper: NDArray[np.bool_]
) -> Floats:
    """P(A x <= limits where ``is_upper``, > elsewhere): one integral a block of correlation."""
    directions, low, high = _merge(A, limits, is_upper)
    mean, joint = _moments(cases, directions)
    out = np.ones(len(cases))
    for block in _blocks(joint):
        if len(block) == 1:
            j = block[0]
            deviation = np.sqrt(joint[:, j, j])
            upto = _upto(float(high[j]), mean[:, j], deviation)
            out *= np.maximum(upto - _upto(float(low[j]), mean[:, j], deviation), 0.0)
        else:
            part = joint[:, block][:, :, block]
            for i in range(len(cases)):
                out[i] *= box_probability(mean[i, block], part[i], low[block], high[block])
    return out


def _merge(A: Floats, limits: Floats, is_upper: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Collect clauses of one direction, or its opposite, as an interval."""
    found: dict[bytes, int] = {}
    directions: list[Floats] = []
    ends: list[list[float]] = []
    for normal, limit, upper in zip(A, limits.tolist(), is_upper.tolist(), strict=True):
        scale = normal[np.flatnonzero(normal)[0]]
        unit = normal / scale + 0.0
        end, below = limit / scale, upper == (scale > 0.0)
        at = found.setdefault(unit.tobytes(), len(directions))
        if at == len(directions):
            directions.append(unit)
            ends.append([-np.inf, np.inf])
        if below:
            ends[at][1] = min(ends[at][1], end)
        else:
            ends[at][0] = max(ends[at][0], end)
    low, high = np.array(ends).T
    return np.array(directions), low, high


def _blocks(joint: Floats) -> list[list[int]]:
    """Directions that are correlated, directly or through others, in any of the cases."""
    from scipy.sparse.csgraph import connected_components

    spread = np.sqrt(np.einsum("ijj->ij", joint))
    linked = (np.abs(joint) > 1e-14 * spread[:, :, None] * spread[:, None, :]).any(axis=0)
    n_blocks, label = connected_components(linked, directed=False)
    return [np.flatnonzero(label == block).tolist() for block in range(n_blocks)]
