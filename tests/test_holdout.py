"""The rows held out to choose a pruned tree: how many, which, and what must not change them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_checks import assert_same_structure, bundled, rough_table

from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.finders import AxisParallel
from oblique.holdout import hold_out, order_by_value
from oblique.pruning import CostComplexity
from oblique.row_order import canonical_rows

seeds = st.integers(0, 2**32 - 1)


@settings(max_examples=50, deadline=None)
@given(seeds, st.floats(0.01, 0.99))
def test_each_class_gives_its_rounded_share_but_never_its_last_row(seed, share):
    rng = np.random.default_rng(seed)
    codes = rng.choice(4, size=int(rng.integers(2, 60)), p=[0.6, 0.3, 0.08, 0.02]).astype(np.int32)
    rows = rng.permutation(len(codes)).astype(np.int32)
    grown, held = hold_out(rows, codes, share, rng)
    assert sorted([*grown, *held]) == sorted(rows)
    counts, kept = np.bincount(codes), np.bincount(codes[grown], minlength=codes.max() + 1)
    assert (kept[counts > 0] > 0).all()
    wanted = np.minimum(np.rint(share * counts), np.maximum(counts - 1, 0))
    if wanted.any():
        assert (counts - kept == wanted).all()
    else:
        assert len(held) == min(1, counts.max() - 1)


@settings(max_examples=50, deadline=None)
@given(seeds)
def test_both_parts_keep_the_order_of_the_rows(seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, size=40).astype(np.int32)
    rows = rng.permutation(40).astype(np.int32)
    place = np.argsort(rows)
    for part in hold_out(rows, codes, 0.3, rng):
        assert (np.diff(place[part]) > 0).all()


def test_a_single_row_is_not_held_out():
    rows = np.zeros(1, np.int32)
    grown, held = hold_out(rows, rows, 0.5, np.random.default_rng(0))
    assert (grown.size, held.size) == (1, 0)


@settings(max_examples=50, deadline=None)
@given(seeds, st.sampled_from([2.0**-40, 8.0, 2.0**60]), st.booleans())
def test_order_by_value_knows_neither_units_nor_places(seed, factor, weighted):
    rng = np.random.default_rng(seed)
    X, codes = rough_table(rng, 50, 3, missing=0.1)
    weights = rng.integers(1, 3, size=50).astype(float) if weighted else None
    content = np.column_stack([X, codes, np.ones(50) if weights is None else weights])
    first = order_by_value(canonical_rows(X, codes, weights), X, codes, weights)
    other = factor * X
    second = order_by_value(canonical_rows(other, codes, weights), other, codes, weights)
    np.testing.assert_array_equal(content[first], content[second])
    mixed = rng.permutation(50)
    X, codes = X[mixed], codes[mixed]
    weights = None if weights is None else weights[mixed]
    third = order_by_value(canonical_rows(X, codes, weights), X, codes, weights)
    np.testing.assert_array_equal(content[first], content[mixed[third]])


@pytest.mark.parametrize("factor", [2.0**-30, 16.0, 0.1, "each column"])
@pytest.mark.parametrize(
    "model",
    [
        LDTClassifier(unsafe_class=1, pruning="safe", random_state=0),
        ObliqueTreeClassifier(finder=AxisParallel(), pruning=CostComplexity(), random_state=0),
    ],
    ids=["ldt", "axis-parallel"],
)
@pytest.mark.parametrize("name", ["pima", "iris"])
def test_pruned_trees_are_the_same_in_other_units(name, model, factor):
    X, codes = bundled(name)
    plain = model.fit(X, codes).tree_
    if factor == "each column":
        factor = 2.0 ** np.linspace(-30, 30, X.shape[1]).round()
    other = model.fit(factor * X, codes).tree_
    assert_same_structure(plain, other)
    assert plain.n_leaves > 1


def test_pruned_trees_are_the_same_in_another_order_of_rows():
    X, codes = bundled("pima")
    weights = np.random.default_rng(1).integers(1, 4, size=len(X)).astype(float)
    model = ObliqueTreeClassifier(finder=AxisParallel(), pruning=CostComplexity(), random_state=0)
    plain = model.fit(X, codes, weights).tree_
    mixed = np.random.default_rng(0).permutation(len(X))
    assert_same_structure(plain, model.fit(X[mixed], codes[mixed], weights[mixed]).tree_)
