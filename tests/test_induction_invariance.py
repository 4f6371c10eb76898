"""What must not change a tree: order of rows, unit and zero weights, repetition, units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_checks import (
    NodeByNode,
    assert_same_structure,
    assert_same_tree,
    bundled,
    cells,
    grow_on,
    rough_table,
)

from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.criteria import CRITERIA
from oblique.finders import AxisParallel, BestOf, Categories, LinearDiscriminant, SafeAdjusted

seeds = st.integers(0, 2**32 - 1)


def ldt(**options):
    return BestOf(SafeAdjusted(**options), AxisParallel("safe"), Categories())


FINDERS = {
    "midpoint": AxisParallel(),
    "data": AxisParallel("data"),
    "safe": AxisParallel("safe"),
    "axis by node": NodeByNode(AxisParallel("safe")),
    "plane": BestOf(LinearDiscriminant(min_samples=3), AxisParallel(), Categories()),
    "plane by criterion": BestOf(LinearDiscriminant("criterion"), AxisParallel(), Categories()),
    "ldt": ldt(),
    "ldt pure": ldt(mode="pure"),
    "ldt iterate": ldt(mode="iterate", select_by="adjusted"),
    "categories": BestOf(Categories(), AxisParallel()),
    "single categories": Categories("single"),
}
any_finder = pytest.mark.parametrize("finder", FINDERS.values(), ids=FINDERS.keys())


def rough_problem(seed, *, missing=0.0, kind="none", smooth=False):
    """Ties, duplicate rows, three classes; the last column may be one of categories.

    In smooth problems numbers are real and rows different: no row lies on a fitted plane up to
    rounding, as rows do that stand for two classes alike.
    """
    rng = np.random.default_rng(seed)
    X, codes = rough_table(rng, int(rng.integers(4, 70)), 4, n_classes=3, missing=missing)
    X[:, 1] = np.where(np.isnan(X[:, 1]), np.nan, rng.normal(size=len(X)) + codes)
    if smooth:
        X[:, :3] = rng.normal(size=(len(X), 3)) + codes[:, None]
    elif rng.random() < 0.3:
        X = X[rng.integers(0, len(X), size=len(X))]
    weights = {
        "none": None,
        "whole": rng.integers(1, 4, size=len(X)).astype(float),
        "real": rng.random(len(X)) + 0.1,
    }[kind]
    options = {"categorical": np.arange(4) == 3, "unsafe": 2, "n_classes": 3, "weights": weights}
    return rng, X, codes, options


# ---------------------------------------------------------------- order of rows


@settings(max_examples=12, deadline=None)
@given(seeds, st.sampled_from([0.0, 0.15]), st.sampled_from(["none", "whole", "real"]))
@any_finder
def test_order_of_rows_changes_nothing(finder, seed, missing, kind):
    rng, X, codes, options = rough_problem(seed, missing=missing, kind=kind)
    first = grow_on(X, codes, finder, criterion="gini", **options)
    order = rng.permutation(len(X))
    if kind != "none":
        options["weights"] = options["weights"][order]
    second = grow_on(X[order], codes[order], finder, criterion="gini", **options)
    assert_same_tree(first, second)


@pytest.mark.parametrize("name", ["pima", "heart_complete", "wine"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_order_of_real_rows_changes_nothing(name, criterion):
    X, codes = bundled(name)
    order = np.random.default_rng(0).permutation(len(X))
    for finder in (FINDERS["ldt"], FINDERS["plane by criterion"]):
        first = grow_on(X, codes, finder, criterion=criterion, unsafe=1)
        second = grow_on(X[order], codes[order], finder, criterion=criterion, unsafe=1)
        assert first.n_leaves > 2
        assert_same_tree(first, second)


@pytest.mark.parametrize(
    "model", [LDTClassifier(random_state=3, pruning="safe"), ObliqueTreeClassifier()]
)
def test_estimators_forget_the_order_of_rows(model):
    X, codes = bundled("pima")
    order = np.random.default_rng(1).permutation(len(X))
    first = model.fit(X, codes).tree_
    assert_same_tree(first, model.fit(X[order], codes[order]).tree_)


# ---------------------------------------------------------------- weights


@settings(max_examples=12, deadline=None)
@given(seeds, st.sampled_from([0.0, 0.15]))
@any_finder
def test_no_weights_are_weights_of_one(finder, seed, missing):
    _, X, codes, options = rough_problem(seed, missing=missing, kind="none")
    first = grow_on(X, codes, finder, **options)
    second = grow_on(X, codes, finder, **{**options, "weights": np.ones(len(X))})
    assert_same_tree(first, second)


@pytest.mark.parametrize("finder", [AxisParallel(), ldt(), None], ids=["axis", "ldt", "default"])
@pytest.mark.parametrize("kind", ["none", "real"])
def test_rows_of_weight_zero_are_rows_left_out(finder, kind):
    rng = np.random.default_rng(2)
    X, codes = bundled("heart_complete")
    kept = rng.random(len(X)) < 0.7
    weights = np.ones(len(X)) if kind == "none" else rng.random(len(X)) + 0.5
    model = ObliqueTreeClassifier(finder=finder, unsafe_class=1)
    first = model.fit(X, codes, sample_weight=weights * kept).tree_
    second = model.fit(X[kept], codes[kept], sample_weight=weights[kept]).tree_
    assert_same_tree(first, second)


@settings(max_examples=12, deadline=None)
@given(seeds)
@any_finder
def test_whole_weights_are_repeated_rows(finder, seed):
    """On complete rows: limits count rows, and parts of repeated rows pass them earlier."""
    smooth = isinstance(finder, BestOf)
    _, X, codes, options = rough_problem(seed, kind="whole", smooth=smooth)
    times = options["weights"].astype(int)
    first = grow_on(X, codes, finder, **options)
    repeated = np.repeat(X, times, axis=0), np.repeat(codes, times)
    second = grow_on(*repeated, finder, **{**options, "weights": None})
    np.testing.assert_array_equal(cells(first.apply(X)), cells(second.apply(X)))
    np.testing.assert_allclose(first.counts[0], second.counts[0])
    np.testing.assert_allclose(first.distribution(X), second.distribution(X), rtol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seeds, st.sampled_from([1e-200, 1e-9, 3.0, 1e9, 1e200]))
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("finder", [FINDERS["safe"], FINDERS["ldt"]], ids=["axis", "ldt"])
def test_unit_of_weight_does_not_matter(finder, criterion, seed, factor):
    smooth = isinstance(finder, BestOf)
    _, X, codes, options = rough_problem(seed, kind="real", smooth=smooth)
    first = grow_on(X, codes, finder, criterion=criterion, **options)
    heavier = {**options, "weights": factor * options["weights"]}
    second = grow_on(X, codes, finder, criterion=criterion, **heavier)
    np.testing.assert_allclose(first.threshold, second.threshold, rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(first.weight_indices, second.weight_indices)
    np.testing.assert_allclose(first.distribution(X), second.distribution(X), rtol=1e-9)


# ---------------------------------------------------------------- units of the columns

POWERS = [2.0**-40, 2.0**-10, 2.0**3, 2.0**40]
FACTORS = [1e-12, 1e-7, 0.1, 7.0, 1e12]


@pytest.mark.parametrize("name", ["iris", "pima", "wdbc"])
@pytest.mark.parametrize("kind", ["midpoint", "safe", "data"])
def test_axis_parallel_trees_do_not_see_units(name, kind):
    X, codes = bundled(name)
    first = grow_on(X, codes, AxisParallel(kind), unsafe=1)
    for k in POWERS:
        second = grow_on(k * X, codes, AxisParallel(kind), unsafe=1)
        assert_same_structure(first, second)
        np.testing.assert_array_equal(second.threshold, k * first.threshold)
    for k in [*FACTORS, 1e290, 1e-290]:
        second = grow_on(k * X, codes, AxisParallel(kind), unsafe=1)
        assert_same_structure(first, second)
        np.testing.assert_array_equal(first.apply(X), second.apply(k * X))


@pytest.mark.parametrize("name", ["iris", "pima", "wdbc", "heart_complete"])
@pytest.mark.parametrize("finder", [ldt(), ldt(mode="iterate"), FINDERS["plane by criterion"]],
                         ids=["ldt", "ldt iterate", "plane by criterion"])  # fmt: skip
def test_oblique_trees_do_not_see_units(name, finder):
    """Powers of two give the same structure; other factors the same partition of the rows."""
    X, codes = bundled(name)
    first = grow_on(X, codes, finder, unsafe=1)
    assert not first.is_axis_parallel
    for k in POWERS:
        assert_same_structure(first, grow_on(k * X, codes, finder, unsafe=1))
    for k in FACTORS:
        second = grow_on(k * X, codes, finder, unsafe=1)
        np.testing.assert_array_equal(cells(first.apply(X)), cells(second.apply(k * X)))


@pytest.mark.parametrize("k", [1e290, 1e-290])
def test_oblique_trees_on_extreme_values(k):
    X, codes = bundled("iris")
    for finder in (ldt(), FINDERS["plane by criterion"]):
        first = grow_on(X, codes, finder, unsafe=1)
        second = grow_on(k * X, codes, finder, unsafe=1)
        np.testing.assert_array_equal(cells(first.apply(X)), cells(second.apply(k * X)))


def test_tiny_columns_beside_large_ones():
    X, codes = bundled("pima")
    units = np.logspace(-200, 200, X.shape[1])
    for finder in (AxisParallel("safe"), ldt(), FINDERS["plane by criterion"]):
        first = grow_on(X, codes, finder, unsafe=1)
        second = grow_on(X * units, codes, finder, unsafe=1)
        np.testing.assert_array_equal(cells(first.apply(X)), cells(second.apply(X * units)))


# ---------------------------------------------------------------- columns


@pytest.mark.parametrize("name", ["iris", "pima"])
def test_constant_column_changes_nothing(name):
    X, codes = bundled(name)
    wider = np.insert(X, 2, 0.1, axis=1)
    for finder in (AxisParallel(), ldt(), FINDERS["plane by criterion"]):
        first = grow_on(X, codes, finder, unsafe=1)
        second = grow_on(wider, codes, finder, unsafe=1)
        np.testing.assert_array_equal(cells(first.apply(X)), cells(second.apply(wider)))
        assert 2 not in second.weight_indices


# ---------------------------------------------------------------- batch and single rows


@settings(max_examples=10, deadline=None)
@given(seeds)
def test_rows_alone_go_where_they_go_together(seed):
    """Thresholds stand on data values, so that the last bit of a score decides."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 6))
    codes = (X @ rng.normal(size=6) + 0.3 * rng.normal(size=80) > 0).astype(np.int32)
    tree = grow_on(X, codes, BestOf(SafeAdjusted(mode="iterate"), AxisParallel("data")), unsafe=1)
    assert tree.n_leaves > 1
    rows = np.asfortranarray(np.vstack([X, X * (1 + 1e-16), rng.normal(size=(40, 6))]))
    leaf, share = tree.apply(rows), tree.distribution(rows)
    for i, row in enumerate(rows):
        assert tree.apply(row[None])[0] == leaf[i]
        np.testing.assert_array_equal(tree.distribution(row[None])[0], share[i])
    # The rows that a node was grown on reach it in prediction, too.
    np.testing.assert_array_equal(tree.recount(X, codes), tree.counts)
    np.testing.assert_array_equal(
        np.bincount(tree.apply(X), minlength=tree.n_nodes)[tree.leaves],
        tree.counts[tree.leaves].sum(axis=1),
    )
