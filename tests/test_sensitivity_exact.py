"""The distance to the decision surface against every leaf one by one: 5 000 instances and more.

The reference projects onto the leaves with solvers that the search does not use: clipping onto
boxes, least-distance programming by scipy's NNLS, linear programs by HiGHS; a sample is checked
against cvxpy with Clarabel as well. Leaves are visited in the order of a lower bound (the largest
violation), and the ones whose bound exceeds the best distance so far are left out.
"""

import numpy as np
import pytest
from random_trees import KINDS, random_cases, random_tree

from oblique import DecisionSurface
from oblique.sensitivity.model import partition_of
from projection import Metric, find_interior, project

INF = float("inf")
NORMS = (2.0, INF, 1.0)
DUAL = {2.0: 2.0, INF: 1.0, 1.0: INF}
counted = {"instances": 0, "clarabel": 0}


class Leaves:
    """Regions of the leaves that have an interior."""

    def __init__(self, tree, metric):
        partition = partition_of(tree)
        self.tree, self.metric = tree, metric
        self.regions = {}
        for leaf in tree.leaves.tolist():
            region = partition.region(leaf)
            scaled = type(region)(region.A * metric.scale, region.b)
            if find_interior(scaled, tol=1e-10).kind == "full":
                self.regions[leaf] = region

    def bound(self, region, x):
        """Largest violated distance: no point of the region is nearer."""
        excess = region.A @ x - region.b
        norms = np.linalg.norm(region.A * self.metric.scale, ord=DUAL[self.metric.norm], axis=1)
        return float(max(0.0, (excess / norms).max(initial=0.0)))

    def nearest(self, x, own, solver):
        """Smallest distance over the leaves of other classes."""
        bounds = {
            leaf: self.bound(region, x)
            for leaf, region in self.regions.items()
            if self.tree.labels[leaf] != own
        }
        best = INF
        for leaf in sorted(bounds, key=bounds.get):
            if bounds[leaf] >= best:
                break
            best = min(best, project(x, self.regions[leaf], self.metric, solver=solver).distance)
        return best


def check(tree, metric, X, solver):
    """Compare every case and return the number of them."""
    near = DecisionSurface(tree, metric).nearest(X)
    own = tree.predict_codes(X)
    leaves = Leaves(tree, metric)
    for i, x in enumerate(X):
        expected = leaves.nearest(x, own[i], solver)
        assert near.distance[i] == pytest.approx(expected, rel=1e-7, abs=1e-10)
        assert near.status[i] == ("found" if expected < INF else "unreachable")
        if expected < INF:
            assert tree.labels[near.leaf[i]] != own[i]
    found = near.status == "found"
    changed = tree.predict_codes(near.counterfactual[found])
    assert (changed != own[found]).all()
    assert (changed == near.target_class[found].astype(int)).all()
    step = metric.distance(near.counterfactual[found], near.point[found])
    size = np.abs(X[found] / metric.scale).max(axis=1, initial=0.0) + near.distance[found]
    assert (step <= 1e-6 * (1e-6 + size)).all()
    return len(X)


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "axis"])
@pytest.mark.parametrize("norm", NORMS)
def test_small_trees_of_every_kind(kind, norm):
    rng = np.random.default_rng([KINDS.index(kind), NORMS.index(norm)])
    n_trees = 14 if norm == 2.0 else 8
    for _ in range(n_trees):
        n_features = int(rng.integers(1, 9))
        tree, scale = random_tree(rng, n_features, int(rng.integers(2, 40)), kind)
        metric = Metric(scale * np.exp(rng.normal(size=n_features)), norm)
        X = random_cases(rng, 10, n_features, kind, scale)
        solver = "nnls" if norm == 2.0 else "linear_program"
        counted["instances"] += check(tree, metric, X, solver)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(("n_features", "n_leaves"), [(30, 60), (12, 300), (20, 1000)])
def test_large_trees(n_features, n_leaves, norm):
    rng = np.random.default_rng(n_leaves)
    tree, scale = random_tree(rng, n_features, n_leaves, "sparse" if n_leaves == 300 else "oblique")
    X = random_cases(rng, 30 if norm == 2.0 else 6, n_features, "oblique", scale)
    solver = "nnls" if norm == 2.0 else "linear_program"
    counted["instances"] += check(tree, Metric(scale, norm), X, solver)


@pytest.mark.parametrize("norm", NORMS)
def test_axis_parallel_trees_against_clipping(norm):
    rng = np.random.default_rng(5)
    for _ in range(60):
        n_features, n_leaves = int(rng.integers(1, 30)), int(rng.integers(2, 400))
        tree, _ = random_tree(rng, n_features, n_leaves, "axis")
        metric = Metric(np.exp(rng.normal(size=n_features)), norm)
        X = random_cases(rng, 20, n_features, "axis", 1.0)
        near = DecisionSurface(tree, metric).nearest(X)
        own = tree.predict_codes(X)
        expected = np.full(len(X), INF)
        for leaf in tree.leaves.tolist():
            low, high = box(tree, leaf)
            if (low >= high).any():
                continue
            distance = metric.distance(X, np.clip(X, low, high))
            distance[own == tree.labels[leaf]] = INF
            expected = np.minimum(expected, distance)
        np.testing.assert_allclose(near.distance, expected, rtol=1e-12, atol=1e-15)
        found = near.status == "found"
        assert (tree.predict_codes(near.counterfactual[found]) != own[found]).all()
        counted["instances"] += len(X)


def box(tree, leaf):
    """Bounds of a leaf of an axis-parallel tree."""
    low, high = np.full(tree.n_features, -INF), np.full(tree.n_features, INF)
    region = tree.region(leaf)
    for normal, offset in zip(region.A, region.b, strict=True):
        (feature,) = np.flatnonzero(normal)
        bound = offset / normal[feature]
        if normal[feature] > 0:
            high[feature] = min(high[feature], bound)
        else:
            low[feature] = max(low[feature], bound)
    return low, high


@pytest.mark.parametrize("norm", NORMS)
def test_a_sample_against_clarabel(norm):
    rng = np.random.default_rng(11)
    for kind in KINDS:
        tree, scale = random_tree(rng, 4, 10, kind)
        metric = Metric(scale, norm)
        X = random_cases(rng, 3, 4, kind, scale)
        near = DecisionSurface(tree, metric).nearest(X)
        leaves = Leaves(tree, metric)
        for i, own in enumerate(tree.predict_codes(X)):
            expected = leaves.nearest(X[i], own, "cvx")
            assert near.distance[i] == pytest.approx(expected, rel=1e-7, abs=1e-8)
            counted["clarabel"] += 1


def test_enough_instances_were_compared(request):
    """Meaningful only when the whole file ran."""
    if len(request.session.items) < 30:
        pytest.skip("counts the instances of this whole file; a part of it was selected")
    assert counted["instances"] >= 5000
    assert counted["clarabel"] >= 50


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("angle", [1e-3, 1e-6])
def test_nearly_parallel_planes(norm, angle):
    """Wedges between planes at small angles: relative error at most 1e-8."""
    rng = np.random.default_rng(2)
    for _ in range(12):
        tree, _ = random_tree(rng, 4, 12, "oblique")
        base = tree.weight_values.reshape(-1, 4)[0]
        values = base + angle * rng.normal(size=(len(tree.weight_values) // 4, 4))
        near_tree = tree.replace(weight_values=values.ravel())
        metric = Metric.identity(4, norm=norm)
        X = random_cases(rng, 5, 4, "oblique", 1.0)
        own = near_tree.predict_codes(X)
        near = DecisionSurface(near_tree, metric).nearest(X)
        leaves = Leaves(near_tree, metric)
        for i, x in enumerate(X):
            solver = "active_set" if norm == 2.0 else "linear_program"
            expected = leaves.nearest(x, own[i], solver)
            assert near.distance[i] == pytest.approx(expected, rel=1e-8, abs=1e-8)
