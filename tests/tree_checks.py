"""What several tests of trees share: data to grow on, and when two trees are the same."""

from __future__ import annotations

import functools

import numpy as np

from oblique.datasets import load_dataset
from oblique.finders import SplitFinder
from oblique.induction import grow
from oblique.row_order import canonical_rows
from oblique.tree import ARRAYS


@functools.cache
def bundled(name):
    """Features and class codes of a data set of numbers only, rows with missing values left out."""
    dataset = load_dataset(name)
    table = dataset.data.to_numpy(dtype=np.float64)
    known = ~np.isnan(table).any(axis=1)
    codes = np.unique(dataset.target.to_numpy(), return_inverse=True)[1].astype(np.int32)
    X = np.ascontiguousarray(table[known])
    return X, codes[known]


def rough_table(rng, n, d, *, n_classes=2, levels=4, missing=0.0):
    """Columns of few values, so that there are ties and duplicate rows; the first one is real."""
    X = rng.integers(0, levels, size=(n, d)).astype(np.float64)
    X[:, 0] = (X[:, 0] + rng.normal(size=n)).round(1)
    X[rng.random((n, d)) < missing] = np.nan
    codes = rng.integers(0, n_classes, size=n).astype(np.int32)
    codes[: min(n, n_classes)] = np.arange(min(n, n_classes))
    return X, codes


def grow_on(X, codes, finder, *, weights=None, n_classes=None, seed=0, **options):
    """Grow as the estimators do: on rows in an order that depends on their content only."""
    return grow(
        X, codes, n_classes=n_classes or int(codes.max()) + 1, finder=finder,
        rng=np.random.default_rng(seed), sample_weight=weights,
        rows=canonical_rows(X, codes, weights), **options,
    )  # fmt: skip


class NodeByNode(SplitFinder):
    """Another finder without its compiled growing of whole trees."""

    def __init__(self, finder):
        self.finder = finder

    def find_split(self, node, rng):
        return self.finder.find_split(node, rng)


def assert_same_tree(first, second):
    """Every array equal to the last bit."""
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)


def assert_same_structure(first, second):
    """Same shape, same features tested and same class weights; thresholds may differ."""
    for name in ("children_left", "children_right", "weight_indptr", "weight_indices", "labels"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), err_msg=name)
    np.testing.assert_allclose(first.counts, second.counts, rtol=1e-12)


def cells(leaf):
    """Partition of rows: for each row the first row of the same leaf."""
    return np.unique(leaf, return_index=True)[1][np.unique(leaf, return_inverse=True)[1]]


def reference_gain(criterion, left, right, total):
    """Gain of a test per unit of weight, written plainly; ``total`` counts missing rows too."""
    left, right, total = (np.asarray(side, dtype=float) for side in (left, right, total))
    n_left, n_right, n = left.sum(), right.sum(), total.sum()
    if n_left <= 0.0 or n_right <= 0.0:
        return 0.0
    known = n_left + n_right
    if criterion == "twoing":
        spread = np.abs(left / n_left - right / n_right).sum()
        return known / n * (n_left / known) * (n_right / known) * spread**2
    parts = [_raw_impurity(criterion, side, total) for side in (left + right, left, right)]
    below = max(parts[1:]) if criterion == "max_minority" else sum(parts[1:])
    value = (parts[0] - below) / n
    if criterion == "gain_ratio":
        return value / _bits([n_left, n_right, max(n - known, 0.0)])
    return value


def _raw_impurity(criterion, counts, total):
    n = counts.sum()
    if criterion in ("entropy", "gain_ratio"):
        return n * _bits(counts)
    if criterion == "gini":
        return n * (1.0 - ((counts / n) ** 2).sum())
    if criterion == "sum_of_variances":
        order = sorted(range(len(total)), key=lambda k: (-round(total[k], 9), k))
        number = np.empty(len(total))
        number[order] = np.arange(1, len(total) + 1)
        mean = (counts * number).sum() / n
        return (counts * (number - mean) ** 2).sum()
    return n - counts.max()


def _bits(counts):
    shares = np.asarray(counts, dtype=float)
    shares = shares[shares > 0.0] / np.sum(counts)
    return float(-(shares * np.log2(shares)).sum())
