"""The frozen tree: where rows go, regions, other trees made of it, categories, immutability."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_checks import assert_same_tree, bundled, grow_on, rough_table

from oblique import CategorySplit, LinearSplit
from oblique.builder import TreeBuilder
from oblique.finders import AxisParallel, BestOf, Categories, SafeAdjusted
from oblique.node import Division
from oblique.stopping import Stopping
from oblique.tree import ARRAYS

NAN = float("nan")
seeds = st.integers(0, 2**32 - 1)
LDT = BestOf(SafeAdjusted(), AxisParallel("data"), Categories())


def make_tree(nested, n_features, **options):
    """Tree of (split, left, right) triples; a leaf is a list of class weights."""

    def counts(part):
        return (
            np.array(part, float) if isinstance(part, list) else counts(part[1]) + counts(part[2])
        )

    builder = TreeBuilder(counts(nested))
    stack = [(0, nested)]
    while stack:
        name, part = stack.pop()
        if isinstance(part, list):
            continue
        split, left, right = part
        sides = np.array([counts(left), counts(right)])
        division = Division(split, None, None, sides, 0.0, split.missing_left)
        first = builder.add_test(name, division)
        stack += [(first, left), (first + 1, right)]
    options = {"criterion": "entropy", **options}
    return builder.build().clothe(n_features=n_features, **options)


OBLIQUE = LinearSplit([1.0, 2.0, 0.0], 3.0, missing_left=0.25)
COLOURS = CategorySplit(2, [0, 3], [1], missing_left=0.75)
MIXED = make_tree(
    (OBLIQUE, [4, 0], (COLOURS, [0, 3], (LinearSplit.axis(0, 5.0, 3), [2, 2], [1, 0]))), 3
)
# Nodes, depth-first: 0 oblique, 1 leaf, 2 colours, 3 leaf, 4 axis, 5 leaf, 6 leaf.


@st.composite
def grown(draw, missing=False):
    """Grow a tree of linear and category tests, with rows that lie on its planes and others."""
    seed = draw(seeds)
    rng = np.random.default_rng(seed)
    X, codes = rough_table(
        rng, draw(st.integers(5, 60)), 4, n_classes=3, missing=0.2 if missing else 0.0
    )
    X[:, 1] = rng.normal(size=len(X)) + codes
    categorical = np.arange(4) == 3
    tree = grow_on(
        X, codes, LDT, n_classes=3, unsafe=1, categorical=categorical,
        names={"category_names": {3: tuple("abcdefg")}},
    )  # fmt: skip
    other, _ = rough_table(rng, 40, 4, levels=7, missing=0.2 if missing else 0.0)
    return tree, np.vstack([X, other]), codes


# ---------------------------------------------------------------- shape and tests


def test_structure_of_a_tree_by_hand():
    tree = MIXED
    assert tree.children_left.tolist() == [1, -1, 3, -1, 5, -1, -1]
    assert tree.children_right.tolist() == [2, -1, 4, -1, 6, -1, -1]
    assert tree.parents.tolist() == [-1, 0, 0, 2, 2, 4, 4]
    assert tree.depths.tolist() == [0, 1, 1, 2, 2, 3, 3]
    assert (tree.n_nodes, tree.n_leaves, tree.max_depth, tree.n_classes) == (7, 4, 3, 2)
    assert tree.leaves.tolist() == [1, 3, 5, 6]
    assert tree.counts[0].tolist() == [7.0, 5.0]
    assert tree.labels.tolist() == [0, 0, 1, 1, 0, 0, 0]
    assert not tree.is_axis_parallel
    assert tree.path(6) == [(0, False), (2, False), (4, False)]
    assert tree.path(0) == []


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))])
def test_what_is_derived_is_write_protected_too(copied):
    assert MIXED.max_depth == 3
    for tree in (MIXED, copied(MIXED)):
        for array in (tree.parents, tree.depths):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1


def test_tests_come_back_as_they_were():
    assert MIXED.split(0) == OBLIQUE
    assert MIXED.split(0).missing_left == 0.25
    assert MIXED.split(2) == COLOURS
    assert MIXED.split(2).missing_left == 0.75
    assert MIXED.split(4) == LinearSplit.axis(0, 5.0, 3)
    assert MIXED.split(1) is None
    dense = MIXED.weights.toarray()
    assert dense.shape == (7, 3)
    assert dense[0].tolist() == [1.0, 2.0, 0.0]
    assert np.isnan(MIXED.threshold[[1, 2, 3, 5, 6]]).all()


def test_ties_go_to_the_named_class():
    leaf = [2, 2, 1]
    assert make_tree(leaf, 1).labels.tolist() == [0]
    assert make_tree(leaf, 1, tie_class=1).labels.tolist() == [1]
    assert make_tree(leaf, 1, tie_class=2).labels.tolist() == [0]
    # Weights that differ by rounding only are a tie as well.
    assert make_tree([0.3, 0.1 + 0.2, 0.0], 1).labels.tolist() == [0]
    assert make_tree([0.1 + 0.2, 0.3, 0.0], 1, tie_class=1).labels.tolist() == [1]


# ---------------------------------------------------------------- where rows go


def walk(tree, row):
    """Leaf of a complete row by the tests' own membership."""
    node = 0
    while tree.split(node) is not None:
        share = tree.split(node).membership(row[None])[0]
        assert share in (0.0, 1.0)
        node = int((tree.children_left if share == 1.0 else tree.children_right)[node])
    return node


def walk_shares(tree, row):
    """Share of a row that reaches each node by the tests' own membership."""
    reach = np.zeros(tree.n_nodes)
    reach[0] = 1.0
    for node in range(tree.n_nodes):
        split = tree.split(node)
        if split is not None:
            share = split.membership(row[None])[0]
            reach[tree.children_left[node]] = reach[node] * share
            reach[tree.children_right[node]] = reach[node] * (1.0 - share)
    return reach


@settings(max_examples=30, deadline=None)
@given(grown())
def test_apply_follows_the_tests(problem):
    tree, rows, _ = problem
    known = np.isin(rows[:, 3], rows[: len(problem[2]), 3])
    leaves = tree.apply(rows)
    for row, leaf, is_known in zip(rows, leaves, known, strict=True):
        reach = walk_shares(tree, row)
        if is_known and set(reach) <= {0.0, 1.0}:
            assert walk(tree, row) == leaf
        ends = tree.leaves
        assert leaf == ends[reach[ends].argmax()]
    assert set(leaves) <= set(tree.leaves)


def test_paths_in_a_deep_tree():
    column = np.arange(1500.0)[:, None]
    tree = grow_on(column, np.arange(1500, dtype=np.int32) % 2, AxisParallel())
    rows = column[::100]
    visits = tree.decision_path(rows)
    assert tree.max_depth == 1499
    assert visits.has_sorted_indices
    leaves = tree.apply(rows)
    np.testing.assert_array_equal(np.diff(visits.indptr), tree.depths[leaves] + 1)
    for i, leaf in enumerate(leaves):
        above = [node for node, _ in tree.path(leaf)]
        np.testing.assert_array_equal(visits[[i]].indices, [*above, leaf])


def test_many_divided_rows_are_told_block_by_block(monkeypatch):
    rows = np.array([[9.0, 0.0, 2.0], [1.0, 1.0, 0.0], [NAN, 0.0, 1.0], [9.0, NAN, NAN]])
    expected = np.array([walk_shares(MIXED, row) for row in rows])
    monkeypatch.setattr("oblique.tree._DENSE", 1)
    np.testing.assert_array_equal(MIXED.decision_path(rows).toarray(), expected)


@settings(max_examples=30, deadline=None)
@given(grown(missing=True))
def test_shares_of_divided_rows(problem):
    tree, rows, _ = problem
    reach = np.array([walk_shares(tree, row) for row in rows])
    np.testing.assert_array_equal(tree.decision_path(rows).toarray(), reach)
    np.testing.assert_allclose(reach[:, tree.leaves].sum(axis=1), 1.0)
    totals = tree.counts.sum(axis=1, keepdims=True)
    expected = reach[:, tree.leaves] @ (tree.counts / totals)[tree.leaves]
    np.testing.assert_allclose(tree.distribution(rows), expected, atol=1e-12)
    codes = np.arange(len(rows), dtype=np.int32) % 3
    weights = np.random.default_rng(0).random(len(rows))
    counts = tree.recount(rows, codes, weights)
    for k in range(3):
        part = weights * (codes == k)
        np.testing.assert_allclose(counts[:, k], part @ reach, atol=1e-12)


def test_predicted_class_has_the_largest_share():
    X, codes = bundled("pima")
    tree = grow_on(
        X, codes, AxisParallel(), stopping=Stopping(max_depth=4), unsafe=1, ties_to_unsafe=True
    )
    rows = np.where(np.random.default_rng(0).random(X.shape) < 0.2, NAN, X)
    for table in (X, rows):
        np.testing.assert_array_equal(
            tree.distribution(table).argmax(axis=1), tree.predict_codes(table)
        )
    np.testing.assert_array_equal(tree.predict_codes(X), tree.labels[tree.apply(X)])


def test_unseen_category_is_divided_by_the_known_weight():
    row = [[9.0, 0.0, 2.0]]  # colour 2 is in neither set
    np.testing.assert_array_equal(
        MIXED.decision_path(row).toarray(), [[1.0, 0.0, 1.0, 0.75, 0.25, 0.0, 0.25]]
    )
    np.testing.assert_allclose(MIXED.distribution(row), [[0.25, 0.75]])
    assert MIXED.apply(row).tolist() == [3]


def test_open_category_test_sends_every_other_code_right():
    tree = make_tree((CategorySplit(0, [1]), [1, 0], [0, 1]), 1)
    assert tree.apply([[0.0], [1.0], [7.0], [0.5]]).tolist() == [2, 1, 2, 2]
    assert tree.decision_path([[NAN]]).toarray().tolist() == [[1.0, 0.5, 0.5]]


def test_single_leaf():
    tree = make_tree([3, 1], 2)
    rows = [[1.0, NAN], [2.0, 3.0]]
    assert (tree.n_nodes, tree.n_leaves, tree.max_depth) == (1, 1, 0)
    assert tree.apply(rows).tolist() == [0, 0]
    assert tree.distribution(rows).tolist() == [[0.75, 0.25]] * 2
    assert tree.decision_path(rows).toarray().tolist() == [[1.0], [1.0]]
    assert tree.region(0).A.shape == (0, 2)
    assert tree.is_axis_parallel


@pytest.mark.parametrize(
    "rows", [[[1.0, 2.0]], [1.0, 2.0, 3.0], np.zeros((2, 4)), np.zeros((1, 1, 3))]
)
@pytest.mark.parametrize("method", ["apply", "distribution", "predict_codes", "decision_path"])
def test_rows_of_another_width_are_refused(rows, method):
    with pytest.raises(ValueError, match=r"X must have shape \(n, 3\), as in training"):
        getattr(MIXED, method)(rows)


def test_no_rows():
    none = np.empty((0, 3))
    assert MIXED.apply(none).shape == (0,)
    assert MIXED.distribution(none).shape == (0, 2)
    assert MIXED.decision_path(none).shape == (0, 7)
    assert MIXED.recount(none, np.empty(0, np.int32)).tolist() == [[0.0, 0.0]] * 7


def test_any_layout_and_type_of_rows():
    rows = np.array([[1, 1, 0], [9, 0, 1], [3, 2, 3]])
    expected = MIXED.apply(rows.astype(float)).tolist()
    for other in (
        rows,
        rows.astype(np.float32),
        np.asfortranarray(rows),
        rows.tolist(),
        rows[:, ::-1][:, ::-1],
    ):
        assert MIXED.apply(other).tolist() == expected
    frozen = rows.astype(float)
    frozen.setflags(write=False)
    assert MIXED.apply(frozen).tolist() == expected


# ---------------------------------------------------------------- regions


def is_inside(region, row):
    """Whether a row fulfils the tests of a region, sums formed as in prediction."""
    for normal, bound, strict in zip(region.A.tolist(), region.b, region.strict, strict=True):
        score = sum(w * x for w, x in zip(normal, row.tolist(), strict=True) if w)
        if not (score < bound if strict else score <= bound):
            return False
    return all(int(row[j]) in codes for j, codes in region.categories.items())


@settings(max_examples=30, deadline=None)
@given(grown())
def test_region_of_a_leaf_holds_just_the_rows_that_reach_it(problem):
    """Thresholds stand on data rows, so that closed and open sides make a difference."""
    tree, rows, codes = problem
    rows = rows[: len(codes)]
    leaves = tree.apply(rows)
    for leaf in tree.leaves:
        region = tree.region(leaf)
        assert region.A.shape == (len(region.b), tree.n_features)
        linear = [
            tree.category_indptr[t] == tree.category_indptr[t + 1] for t, _ in tree.path(leaf)
        ]
        assert len(region.b) == sum(linear)
        assert [is_inside(region, row) for row in rows] == (leaves == leaf).tolist()


def test_region_by_hand():
    region = MIXED.region(6)
    np.testing.assert_array_equal(region.A, [[-1.0, -2.0, 0.0], [-1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(region.b, [-3.0, -5.0])
    assert region.strict.tolist() == [True, True]
    assert region.categories == {2: (1,)}
    left = MIXED.region(3)
    assert left.categories == {2: (0, 3)}
    assert MIXED.region(1).strict.tolist() == [False]


def test_categories_narrow_down_a_path():
    outer, inner = CategorySplit(0, [0, 1, 2], [3]), CategorySplit(0, [1], [0, 2, 3])
    tree = make_tree((outer, (inner, [1, 0], [0, 1]), [2, 0]), 1)
    assert tree.region(2).categories == {0: (1,)}
    assert tree.region(3).categories == {0: (0, 2)}
    assert tree.region(4).categories == {0: (3,)}
    named = make_tree(
        (CategorySplit(0, [1]), [1, 0], [0, 1]), 1, category_names={0: ("a", "b", "c")}
    )
    assert named.region(2).categories == {0: (0, 2)}


@pytest.mark.parametrize("node", [-1, 7])
def test_region_of_what_is_no_node(node):
    with pytest.raises(ValueError, match=f"leaf={node} is not a node"):
        MIXED.region(node)


# ---------------------------------------------------------------- trees made of trees


def test_collapse():
    pruned = MIXED.collapse([4])
    assert pruned.children_left.tolist() == [1, -1, 3, -1, -1]
    assert pruned.leaves.tolist() == [1, 3, 4]
    assert pruned.split(2) == COLOURS
    assert pruned.split(4) is None
    assert pruned.counts[4].tolist() == [3.0, 2.0]
    assert pruned.labels.tolist() == [0, 0, 1, 1, 0]
    assert pruned.check() is pruned
    # A node below another one of the list goes with it; leaves stay as they are.
    assert_same_tree(MIXED.collapse([2]), MIXED.collapse([4, 2, 3]))
    assert_same_tree(MIXED.collapse([]), MIXED)
    assert_same_tree(MIXED.collapse([1, 5]), MIXED)
    assert MIXED.collapse([0]).n_nodes == 1


@settings(max_examples=20, deadline=None)
@given(grown(missing=True), seeds)
def test_collapsed_tree_keeps_the_way_to_what_remains(problem, seed):
    tree, rows, _ = problem
    cut = np.flatnonzero(np.random.default_rng(seed).random(tree.n_nodes) < 0.2)
    pruned = tree.collapse(cut).check()
    gone = set()
    for node in range(1, tree.n_nodes):
        if tree.parents[node] in gone or tree.parents[node] in cut:
            gone.add(node)
    kept = [node for node in range(tree.n_nodes) if node not in gone]
    assert pruned.n_nodes == len(kept)
    np.testing.assert_array_equal(pruned.counts, tree.counts[kept])
    reach = tree.decision_path(rows).toarray()
    np.testing.assert_array_equal(pruned.decision_path(rows).toarray(), reach[:, kept])


@settings(max_examples=20, deadline=None)
@given(grown())
def test_subtree_sends_rows_on_as_the_tree_does(problem):
    tree, rows, codes = problem
    rows = rows[: len(codes)]
    leaves = tree.apply(rows)
    for node in range(tree.n_nodes):
        part = tree.subtree(node).check()
        here = tree.decision_path(rows).toarray()[:, node] > 0
        below = part.apply(rows[here])
        np.testing.assert_array_equal(part.counts[below], tree.counts[leaves[here]])


@pytest.mark.parametrize("node", [-1, 7])
def test_collapse_and_subtree_of_what_is_no_node(node):
    with pytest.raises(ValueError, match=f"{node} is not a node: the tree has nodes 0 ... 6"):
        MIXED.collapse([0, node])
    with pytest.raises(ValueError, match=f"{node} is not a node: the tree has nodes 0 ... 6"):
        MIXED.subtree(node)


def test_recount_of_the_training_rows_is_the_counts():
    X, codes = bundled("wine")
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    tree = grow_on(X, codes, LDT, weights=weights, unsafe=1)
    np.testing.assert_array_equal(tree.recount(X, codes, weights), tree.counts)


# ---------------------------------------------------------------- a value


def test_trees_cannot_be_changed():
    trees = [MIXED, pickle.loads(pickle.dumps(MIXED)), copy.deepcopy(MIXED), MIXED.collapse([4])]
    trees.append(MIXED.replace(criterion="gini"))
    for tree in trees:
        for name in ARRAYS:
            array = getattr(tree, name)
            with pytest.raises(ValueError, match="read-only"):
                array[...] = array
        with pytest.raises(dataclasses.FrozenInstanceError):
            tree.criterion = "twoing"


def test_pickled_tree_is_the_same():
    X, codes = bundled("iris")
    tree = grow_on(X, codes, LDT, unsafe=1, names={"class_names": ("a", "b", "c")})
    before = tree.decision_path(X).toarray()  # fills what is computed once
    for twin in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert_same_tree(tree, twin)
        assert twin.class_names == ("a", "b", "c")
        np.testing.assert_array_equal(twin.decision_path(X).toarray(), before)
        np.testing.assert_array_equal(twin.distribution(X), tree.distribution(X))


def test_tree_keeps_nothing_of_the_callers_arrays():
    X, codes = (array.copy() for array in bundled("iris"))
    weights = np.ones(len(X))
    tree = grow_on(X, codes, LDT, weights=weights, unsafe=1)
    twin = copy.deepcopy(tree)
    for array in (X, codes, weights):
        array[...] = 0  # still the caller's to change
    assert_same_tree(tree, twin)
