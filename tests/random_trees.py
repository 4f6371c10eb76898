"""Random trees for property tests: ordinary and degenerate ones."""

import numpy as np

from oblique import Tree

KINDS = ("oblique", "axis", "mixed", "sparse", "near", "integer", "duplicates", "scaled")


def random_tree(rng, n_features, n_leaves, kind="oblique", n_classes=3):
    """Grow a tree of random tests and labels; returns it and the scale of its features.

    Kinds: "near" has nearly parallel planes, "integer" whole numbers (cases lie on planes),
    "duplicates" repeated and mirrored tests (empty leaves), "scaled" features of very different
    size, "mixed" half axis-parallel tests.
    """
    left, right, tests, leaves = [-1], [-1], {}, [0]
    while len(leaves) < n_leaves:
        node = leaves.pop(rng.integers(len(leaves)))
        tests[node] = random_test(rng, n_features, kind, list(tests.values()))
        left[node], right[node] = len(left), len(left) + 1
        leaves += [len(left), len(left) + 1]
        left += [-1, -1]
        right += [-1, -1]
    scale = np.ones(n_features)
    if kind == "scaled":
        scale = 10.0 ** rng.uniform(-6, 6, n_features)
    return _freeze(rng, left, right, tests, scale, n_classes), scale


def random_test(rng, n_features, kind, earlier):
    """Weights and threshold of one test."""
    w = rng.normal(size=n_features)
    if kind == "axis" or (kind == "mixed" and rng.random() < 0.5):
        w = np.zeros(n_features)
        w[rng.integers(n_features)] = rng.choice([1.0, 1.0, -2.0, 3.0])
    elif kind == "sparse":
        w *= rng.random(n_features) < 0.4
        w[rng.integers(n_features)] += 0.5
    elif kind == "near" and earlier and rng.random() < 0.6:
        w = earlier[rng.integers(len(earlier))][0] + 1e-4 * w
    elif kind == "integer":
        w = rng.integers(-2, 3, size=n_features).astype(float)
        w[rng.integers(n_features)] = 1.0
    c = 0.7 * rng.normal() * np.linalg.norm(w)
    if kind == "integer":
        c = float(np.round(c))
    if kind == "duplicates" and earlier and rng.random() < 0.5:
        w, c = earlier[rng.integers(len(earlier))]
        factor = rng.choice([1.0, 3.0, -1.0])
        w, c = factor * w, factor * c
    return w, c


def random_cases(rng, n, n_features, kind, scale):
    """Cases around the planes of a tree of the same kind."""
    X = 1.5 * rng.normal(size=(n, n_features))
    return np.round(X) if kind == "integer" else X * scale


def _freeze(rng, left, right, tests, scale, n_classes):
    n_nodes = len(left)
    weights = np.zeros((n_nodes, len(scale)))
    threshold = np.full(n_nodes, np.nan)
    for node, (w, c) in tests.items():
        weights[node], threshold[node] = w / scale, c
    filled = weights != 0
    labels = rng.integers(0, n_classes, size=n_nodes)
    counts = np.zeros((n_nodes, n_classes))
    counts[np.arange(n_nodes), labels] = 1.0
    return Tree(
        children_left=np.array(left, dtype=np.int32),
        children_right=np.array(right, dtype=np.int32),
        threshold=threshold,
        weight_indptr=np.concatenate([[0], np.cumsum(filled.sum(axis=1))]).astype(np.int32),
        weight_indices=np.nonzero(filled)[1].astype(np.int32),
        weight_values=weights[filled],
        category_indptr=np.zeros(n_nodes + 1, dtype=np.int32),
        category_codes=np.empty(0, dtype=np.int32),
        category_left=np.zeros(n_nodes, dtype=np.int32),
        category_open=np.zeros(n_nodes, dtype=np.bool_),
        missing_left=np.full(n_nodes, 0.5),
        counts=counts,
        impurity=np.zeros(n_nodes),
        labels=labels.astype(np.int32),
        n_features=len(scale),
    )
