"""Pruning sequences and choices, against hand-worked trees, brute force and scikit-learn."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from oblique.builder import TreeBuilder
from oblique.finders.axis_parallel import AxisParallel
from oblique.induction import grow
from oblique.node import Division
from oblique.pruning import CostComplexity, ReducedError, SafePruning, _kernels, pruning_path
from oblique.pruning.base import PruningRows
from oblique.split import LinearSplit
from oblique.tree import Tree

SAFE, UNSAFE = 0, 1

# ---------------------------------------------------------------- trees to prune


def make_tree(nested, *, n_features=1, criterion="gini", tie_class=-1) -> Tree:
    """Tree of (test, left, right) triples; a leaf is a list of class counts."""

    def counts(node):
        return (
            np.array(node, float) if isinstance(node, list) else counts(node[1]) + counts(node[2])
        )

    builder = TreeBuilder(counts(nested))
    stack = [(0, nested)]
    while stack:
        name, node = stack.pop()
        if isinstance(node, list):
            continue
        (feature, threshold), left, right = node
        split = LinearSplit.axis(feature, threshold, n_features)
        sides = np.array([counts(left), counts(right)])
        first = builder.add_test(name, Division(split, None, None, sides, 0.0, 0.5))
        stack += [(first, left), (first + 1, right)]
    return builder.build().clothe(criterion=criterion, n_features=n_features, tie_class=tie_class)


def chain(n_tests: int) -> Tree:
    """Tree as deep as it can be: test i sends x <= i to a leaf."""
    builder = TreeBuilder(np.array([n_tests + 1.0, n_tests + 1.0]))
    name = 0
    for i in range(n_tests):
        rest = n_tests - i
        sides = np.array([[1.0 + i % 3, 1.0], [rest, rest]], dtype=float)
        split = LinearSplit.axis(0, float(i), 1)
        name = builder.add_test(name, Division(split, None, None, sides, 0.0, 0.5)) + 1
    return builder.build().clothe(criterion="gini", n_features=1)


@st.composite
def problems(draw, max_rows=40, missing=False):
    """Grow a random tree, with random pruning rows beside it."""
    seed = draw(st.integers(0, 2**32 - 1))
    n_classes = draw(st.integers(2, 3))
    n = draw(st.integers(4, max_rows))
    rng = np.random.default_rng(seed)
    X = rng.integers(0, draw(st.integers(2, 9)), size=(2 * n, 2)).astype(float)
    codes = rng.integers(0, n_classes, size=2 * n).astype(np.int32)
    codes[:n_classes] = np.arange(n_classes)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    tree = grow(
        X[:n], codes[:n], n_classes=n_classes, finder=AxisParallel(), rng=rng, criterion="gini",
        unsafe=UNSAFE, ties_to_unsafe=True,
    )  # fmt: skip
    assume(tree.n_nodes > 1)
    return tree, X[n:], codes[n:]


# ---------------------------------------------------------------- plain, slow versions


def exact_errors(tree, t, unsafe=None):
    wrong = [int(c) for c in tree.counts[t]]
    wrong[tree.labels[t]] = 0
    return sum(wrong) if unsafe is None else wrong[unsafe]


def leaves_under(tree, t, cut):
    if t in cut or tree.children_left[t] < 0:
        return [t]
    left, right = tree.children_left[t], tree.children_right[t]
    return leaves_under(tree, left, cut) + leaves_under(tree, right, cut)


def inner_nodes(tree, cut, keep_root):
    """Inner nodes of the tree cut so far, left to right on every level."""
    found, stack = [], [0]
    while stack:
        t = stack.pop()
        if t in cut or tree.children_left[t] < 0:
            continue
        found.append(t)
        stack += [tree.children_right[t], tree.children_left[t]]
    return [t for t in found if t or not keep_root]


def plain_cost_complexity(tree, keep_root):
    cut, steps = set(), [(Fraction(0), leaves_under(tree, 0, set()))]
    total = int(tree.counts[0].sum())
    while links := {
        t: Fraction(
            exact_errors(tree, t) - sum(exact_errors(tree, s) for s in leaves_under(tree, t, cut)),
            total * (len(leaves_under(tree, t, cut)) - 1),
        )
        for t in inner_nodes(tree, cut, keep_root)
    }:
        weakest = min(links.values())
        cut |= {t for t, link in links.items() if link == weakest}
        steps.append((weakest, leaves_under(tree, 0, cut)))
    return steps


def plain_safe(tree, keep_root):
    cut, steps = set(), [(Fraction(0), leaves_under(tree, 0, set()))]
    total = int(tree.counts[0, UNSAFE])

    def rise(t, unsafe):
        below = leaves_under(tree, t, cut)
        return exact_errors(tree, t, unsafe) - sum(exact_errors(tree, s, unsafe) for s in below)

    while nodes := inner_nodes(tree, cut, keep_root):
        keys = [(rise(t, UNSAFE), rise(t, None), -tree.depths[t]) for t in nodes]
        first = min(range(len(nodes)), key=keys.__getitem__)
        cut.add(nodes[first])
        steps.append((Fraction(keys[first][0], total), leaves_under(tree, 0, cut)))
    return steps


def all_prunings(tree, t=0):
    """Leaf sets of every tree that cutting can make."""
    if tree.children_left[t] < 0:
        return [[t]]
    left = all_prunings(tree, tree.children_left[t])
    right = all_prunings(tree, tree.children_right[t])
    return [[t]] + [a + b for a in left for b in right]


# ---------------------------------------------------------------- sequences

# root {left: t {A: 4 safe, B: 1 safe + 2 unsafe}, right: 3 unsafe}
HAND = ((0, 2.0), ((0, 1.0), [4, 0], [1, 2]), [0, 3])


def test_hand_worked_links():
    tree = make_tree(HAND, tie_class=UNSAFE)
    standard = pruning_path(tree, keep_root=False)
    # As a leaf t errs on 2 of 10 rows, its subtree on 1; then the root errs on 5 against 2.
    np.testing.assert_allclose(standard.alphas, [0.0, 0.1, 0.3])
    np.testing.assert_allclose(standard.errors, [0.1, 0.2, 0.5])
    np.testing.assert_array_equal(standard.n_leaves, [3, 2, 1])
    safe = pruning_path(tree, "safe", unsafe=UNSAFE)
    np.testing.assert_allclose(safe.alphas, [0.0, 0.4])
    np.testing.assert_allclose(safe.risks, [0.0, 0.4])
    # The root ties 5 : 5 and is then unsafe: it misses nothing and goes first if it may.
    rooted = pruning_path(tree, "safe", unsafe=UNSAFE, keep_root=False)
    np.testing.assert_allclose(rooted.alphas, [0.0, 0.0])
    np.testing.assert_array_equal(rooted.n_leaves, [3, 1])


def test_safe_links_can_be_negative():
    # t has an unsafe majority of 5 : 4, its subtree misses the one unsafe row of leaf A.
    tree = make_tree(((0, 2.0), ((0, 1.0), [3, 1], [1, 4]), [6, 0]))
    path = pruning_path(tree, "safe", unsafe=UNSAFE)
    np.testing.assert_allclose(path.alphas, [0.0, -0.2])


@given(problems(), st.booleans())
@settings(deadline=None, max_examples=80)
def test_cost_complexity_sequence_is_the_plain_one(problem, keep_root):
    tree, _, _ = problem
    path = pruning_path(tree, keep_root=keep_root)
    plain = plain_cost_complexity(tree, keep_root)
    assert len(path) == len(plain)
    for step, (alpha, leaves) in enumerate(plain):
        assert path.alphas[step] == pytest.approx(float(alpha), rel=1e-12, abs=1e-15)
        assert path.leaves_at(step).tolist() == sorted(leaves)
    assert (np.diff(path.alphas) >= 0.0).all()


@given(problems(), st.booleans())
@settings(deadline=None, max_examples=80)
def test_safe_sequence_is_the_plain_one(problem, keep_root):
    tree, _, _ = problem
    path = pruning_path(tree, "safe", unsafe=UNSAFE, keep_root=keep_root)
    plain = plain_safe(tree, keep_root)
    assert len(path) == len(plain)
    for step, (alpha, leaves) in enumerate(plain):
        assert path.alphas[step] == pytest.approx(float(alpha), rel=1e-12, abs=1e-15)
        assert path.leaves_at(step).tolist() == sorted(leaves)


@given(problems(), st.sampled_from(["cost_complexity", "safe"]))
@settings(deadline=None, max_examples=40)
def test_trees_are_nested_and_their_sums_right(problem, kind):
    tree, X, codes = problem
    path = pruning_path(tree, kind, unsafe=UNSAFE, keep_root=False)
    wrong = PruningRows(tree, X, codes, None).errors(tree)
    assert path.n_leaves[-1] == 1
    assert (np.diff(path.n_leaves) < 0).all()
    for step in range(len(path)):
        smaller = path.tree_at(step)
        assert smaller.n_leaves == path.n_leaves[step]
        counts = smaller.counts[smaller.leaves]
        assert path.errors[step] == pytest.approx(1 - counts.max(axis=1).sum() / counts.sum())
        missed = (smaller.predict_codes(X) != codes).sum()
        assert path.total(wrong)[step] == pytest.approx(missed)
        if step:
            inner = set(np.flatnonzero((path.cut > step) & (path.gone > step)))
            assert inner < set(np.flatnonzero((path.cut > step - 1) & (path.gone > step - 1)))


@given(problems(max_rows=16))
@settings(deadline=None, max_examples=40)
def test_each_tree_has_the_least_penalised_error_of_all_prunings(problem):
    tree, _, _ = problem
    sets = all_prunings(tree)
    assume(len(sets) <= 3000)
    path = pruning_path(tree, keep_root=False)
    total = tree.counts[0].sum()
    figures = [(sum(exact_errors(tree, t) for t in s) / total, len(s)) for s in sets]
    risk, size = np.array(figures).T
    # Just above its own alpha each tree of the path is the only best one.
    ends = np.append(path.alphas[1:], path.alphas[-1] + 1.0)
    for step in range(1, len(path)):
        alpha = 0.5 * (path.alphas[step] + ends[step])
        penalised = risk + alpha * size
        assert sorted(sets[penalised.argmin()]) == path.leaves_at(step).tolist()


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_alphas_of_impurity_are_scikit_learns(load, criterion, weighted):
    X, y = load(return_X_y=True)
    weights = np.random.default_rng(1).integers(1, 4, len(y)) if weighted else None
    estimator = DecisionTreeClassifier(criterion=criterion, random_state=0)
    theirs = estimator.cost_complexity_pruning_path(X, y, sample_weight=weights)
    tree = Tree.from_sklearn(estimator.fit(X, y, sample_weight=weights))
    path = pruning_path(tree, risk="impurity", keep_root=False)
    # Theirs cuts one of equally weak links a step: compare what remains after the last one.
    last = np.append(np.diff(theirs.ccp_alphas) > 1e-9, True)
    first = 0 if path.alphas[1] > 1e-9 else 1
    np.testing.assert_allclose(path.alphas[first:], theirs.ccp_alphas[last], atol=1e-9)
    np.testing.assert_allclose(path.risks[first:], theirs.impurities[last], atol=1e-9)
    middle = float(path.alphas[len(path) // 2] + 1e-9)
    pruned = clone(estimator).set_params(ccp_alpha=middle).fit(X, y, sample_weight=weights)
    assert path.tree_at(len(path) // 2).n_leaves == pruned.get_n_leaves()


# ---------------------------------------------------------------- choices


def pruning_errors(path, X, codes, only=None):
    keep = slice(None) if only is None else codes == only
    trees = [path.tree_at(step) for step in range(len(path))]
    return np.array([(t.predict_codes(X[keep]) != codes[keep]).sum() for t in trees]), trees


@given(problems(), st.sampled_from([0.0, 0.5, 1.0, 3.0]), st.booleans())
@settings(deadline=None, max_examples=60)
def test_cost_complexity_chooses_by_the_rule(problem, se_rule, keep_root):
    tree, X, codes = problem
    chosen = CostComplexity(se_rule=se_rule, keep_root=keep_root).prune(tree, X, codes)
    wrong, trees = pruning_errors(pruning_path(tree, keep_root=keep_root), X, codes)
    rate = wrong.min() / len(codes)
    limit = rate + se_rule * np.sqrt(rate * (1 - rate) / len(codes))
    good = [t for t, w in zip(trees, wrong, strict=True) if w / len(codes) <= limit + 1e-12]
    assert chosen.n_leaves == min(t.n_leaves for t in good)
    assert chosen.n_leaves > 1 or not keep_root


@given(problems(), st.booleans())
@settings(deadline=None, max_examples=60)
def test_safe_pruning_chooses_the_largest_of_the_safest(problem, keep_root):
    tree, X, codes = problem
    assume((codes == UNSAFE).any())
    chosen = SafePruning(keep_root=keep_root).prune(tree, X, codes, unsafe=UNSAFE)
    path = pruning_path(tree, "safe", unsafe=UNSAFE, keep_root=keep_root)
    missed, trees = pruning_errors(path, X, codes, only=UNSAFE)
    assert chosen.n_leaves == max(
        t.n_leaves for t, m in zip(trees, missed, strict=True) if m == missed.min()
    )


@given(problems(), st.sampled_from([0.0, 1.0]))
@settings(deadline=None, max_examples=40)
def test_safe_pruning_keeps_within_the_accuracy_it_may_lose(problem, loss):
    tree, X, codes = problem
    assume((codes == UNSAFE).any())
    pruner = SafePruning(max_accuracy_loss=loss)
    chosen = pruner.prune(tree, X, codes, unsafe=UNSAFE)
    wrong, _ = pruning_errors(pruning_path(tree, "safe", unsafe=UNSAFE), X, codes)
    rate = wrong.min() / len(codes)
    limit = rate + loss * np.sqrt(rate * (1 - rate) / len(codes)) + 1e-12
    assert (chosen.predict_codes(X) != codes).mean() <= limit


@given(problems(max_rows=16), st.booleans())
@settings(deadline=None, max_examples=60)
def test_reduced_error_finds_the_smallest_of_the_best_prunings(problem, keep_root):
    tree, X, codes = problem
    sets = [s for s in all_prunings(tree) if len(s) > 1 or not keep_root]
    assume(len(sets) <= 3000)
    wrong = PruningRows(tree, X, codes, None).errors(tree)
    figures = [(round(wrong[s].sum(), 9), len(s)) for s in sets]
    pruned = ReducedError(keep_root=keep_root).prune(tree, X, codes)
    assert ((pruned.predict_codes(X) != codes).sum(), pruned.n_leaves) == min(figures)


def test_root_is_kept_unless_asked():
    tree = make_tree(HAND, tie_class=UNSAFE)
    X, codes = np.array([[0.0], [1.5], [3.0]]), np.array([1, 1, 1])
    assert SafePruning().prune(tree, X, codes, unsafe=UNSAFE).n_leaves == 3
    assert CostComplexity().prune(tree, X, 1 - codes).n_leaves == 2
    assert CostComplexity(keep_root=False).prune(tree, X, codes).n_leaves == 1


@pytest.mark.parametrize("pruner", [CostComplexity(se_rule=0.7), SafePruning(max_accuracy_loss=1)])
def test_weights_repeat_rows(pruner):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 6, size=(120, 3)).astype(float)
    codes = (X[:, 0] + rng.normal(size=120) * 3 > 3).astype(np.int32)
    tree = grow(X[:80], codes[:80], n_classes=2, finder=AxisParallel(), rng=rng)
    X, codes, weights = X[80:], codes[80:], rng.integers(0, 4, 40)
    weighted = pruner.prune(tree, X, codes, sample_weight=weights, unsafe=UNSAFE)
    repeated = pruner.prune(
        tree, np.repeat(X, weights, 0), np.repeat(codes, weights), unsafe=UNSAFE
    )
    assert weighted.n_leaves == repeated.n_leaves
    plain = pruner.prune(tree, X, codes, unsafe=UNSAFE)
    ones = pruner.prune(tree, X, codes, sample_weight=np.ones(40), unsafe=UNSAFE)
    assert plain.n_leaves == ones.n_leaves


def test_scale_of_fractional_training_weights_does_not_matter():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(150, 3))
    codes = (X[:, 0] + rng.normal(size=150) > 0).astype(np.int32)
    weights = rng.random(150) + 0.1
    sequences = []
    for scale in (1e-9, 1.0, 1e9):
        tree = grow(
            X, codes, n_classes=2, finder=AxisParallel(), rng=rng, sample_weight=weights * scale
        )
        sequences.append(pruning_path(tree).alphas)
    np.testing.assert_allclose(sequences[0], sequences[1], rtol=1e-9)
    np.testing.assert_allclose(sequences[2], sequences[1], rtol=1e-9)


@given(problems(missing=True))
@settings(deadline=None, max_examples=40)
def test_rows_with_missing_values_are_divided_as_in_prediction(problem):
    tree, X, codes = problem
    rows = PruningRows(tree, X, codes, None)
    onehot = np.eye(tree.n_classes)[codes]
    np.testing.assert_allclose(rows.counts, tree.decision_path(X).T @ onehot, atol=1e-12)
    for pruner in (CostComplexity(), SafePruning()):
        if (codes == UNSAFE).any():
            assert pruner.prune(tree, X, codes, unsafe=UNSAFE).n_leaves <= tree.n_leaves


def test_no_unsafe_row_leaves_the_tree_and_warns():
    tree = make_tree(HAND)
    with pytest.warns(UserWarning, match="not among the pruning rows"):
        assert SafePruning().prune(tree, [[0.0]], [SAFE], unsafe=UNSAFE) is tree


@pytest.mark.parametrize("pruner", [CostComplexity(), SafePruning()])
@pytest.mark.parametrize("nested", [[3, 4], ((0, 1.0), [3, 0], [0, 4])])
def test_nothing_to_prune(pruner, nested):
    tree = make_tree(nested)
    assert pruner.prune(tree, [[0.0], [2.0]], [0, 1], unsafe=UNSAFE) is tree
    assert len(pruning_path(tree)) == 1
    assert pruning_path(tree).n_leaves[0] == tree.n_leaves


# ---------------------------------------------------------------- depth and kernels


def test_depth_is_no_limit():
    tree = chain(3000)
    for kind in ("cost_complexity", "safe"):
        assert pruning_path(tree, kind, unsafe=UNSAFE, keep_root=False).n_leaves[-1] == 1


def test_kernels_say_the_same_uncompiled():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 5, size=(30, 2)).astype(float)
    codes = rng.integers(0, 2, 30).astype(np.int32)
    tree = grow(X, codes, n_classes=2, finder=AxisParallel(), rng=rng)
    shape = (tree.children_left, tree.children_right, tree.parents)
    cost = tree.counts.min(axis=1)
    for args in ((cost, True, 1e-9), (cost, False, 1e-9)):
        plain = _kernels.weakest_links.py_func(*shape, *args)
        for ours, theirs in zip(_kernels.weakest_links(*shape, *args), plain, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    args = (tree.depths, np.stack([cost / 2, cost]), True, np.full(2, 1e-9))
    plain = _kernels.safest_links.py_func(*shape, *args)
    for ours, theirs in zip(_kernels.safest_links(*shape, *args), plain, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    args = (tree.children_left, tree.children_right, cost, 0.1, True)
    plain_cut = _kernels.cheaper_leaves.py_func(*args)
    np.testing.assert_array_equal(plain_cut, _kernels.cheaper_leaves(*args))
    gone = _kernels.steps_gone.py_func(tree.parents, plain[0], 99)
    np.testing.assert_array_equal(gone, _kernels.steps_gone(tree.parents, plain[0], 99))


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("holdout", [-0.1, 1.0, 1.5, np.nan, "0.1", None, True])
@pytest.mark.parametrize("kind", [CostComplexity, SafePruning, ReducedError])
def test_bad_holdout(kind, holdout):
    with pytest.raises(ValueError, match="holdout="):
        kind(holdout=holdout).prune(make_tree(HAND), [[0.0]], [0], unsafe=UNSAFE)


@pytest.mark.parametrize("value", [-1.0, np.inf, np.nan, "1"])
def test_bad_number_of_standard_errors(value):
    tree = make_tree(HAND)
    with pytest.raises(ValueError, match="se_rule="):
        CostComplexity(se_rule=value).prune(tree, [[0.0]], [0])
    with pytest.raises(ValueError, match="max_accuracy_loss="):
        SafePruning(max_accuracy_loss=value).prune(tree, [[0.0]], [0], unsafe=UNSAFE)


@pytest.mark.parametrize(
    ("X", "codes", "weights", "message"),
    [
        ([[0.0, 1.0]], [0], None, r"X must have shape \(n, 1\)"),
        ([0.0], [0], None, "X must have shape"),
        ([[0.0]], [0, 1], None, "one class code a row"),
        (np.empty((0, 1)), np.empty(0, int), None, "no rows to prune on"),
        ([[0.0]], [2], None, "codes must be 0 ... 1"),
        ([[0.0]], [-1], None, "codes must be 0 ... 1"),
        ([[0.0]], [0.5], None, "codes must be integers"),
        ([[0.0]], ["a"], None, "codes must be integers"),
        ([[0.0]], [0], [-1.0], "sample_weight"),
        ([[0.0]], [0], [0.0], "sample_weight"),
        ([[0.0]], [0], [np.nan], "sample_weight"),
        ([[0.0]], [0], [1.0, 1.0], "sample_weight"),
    ],
)
@pytest.mark.parametrize("pruner", [CostComplexity(), SafePruning(), ReducedError()])
def test_bad_rows(pruner, X, codes, weights, message):
    with pytest.raises(ValueError, match=message):
        pruner.prune(make_tree(HAND), X, codes, sample_weight=weights, unsafe=UNSAFE)


@pytest.mark.parametrize("unsafe", [-1, 2])
def test_safe_pruning_needs_an_unsafe_class(unsafe):
    with pytest.raises(ValueError, match="unsafe="):
        SafePruning().prune(make_tree(HAND), [[0.0]], [0], unsafe=unsafe)


def test_unknown_names_and_steps():
    tree = make_tree(HAND)
    with pytest.raises(ValueError, match="did you mean 'cost_complexity'"):
        pruning_path(tree, "cost-complexity")
    with pytest.raises(ValueError, match="risk='error' is not known; did you mean 'errors'"):
        pruning_path(tree, risk="error")
    with pytest.raises(IndexError, match=r"steps 0 ... 1"):
        pruning_path(tree).tree_at(2)
    assert pruning_path(tree).tree_at(-1).n_leaves == 2


@pytest.mark.parametrize(
    "pruner",
    [CostComplexity(0.2, 1.0, False), SafePruning(0.2, False, 1.0), ReducedError(0.2, True)],
)
def test_pruners_are_scikit_learn_objects(pruner):
    assert clone(pruner).get_params() == pruner.get_params()
