"""Edge descent against HiGHS, which gets the dual program directly."""

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from baselines import _edge_descent, _edge_kernels
from baselines._edge_descent import edge_descent
from baselines._sample import scale_rows
from baselines.robust_lp import _all_classes
from oblique.node import Node

KINDS = ("noisy", "separable", "integer", "collinear", "rare", "binary", "equal means")


def optimum_by_highs(A, cost):
    """Maximise the sum of u over A u = 0, 0 <= u <= cost, to HiGHS's last digit."""
    p, n = A.shape
    model = highspy.HighsModel()
    lp = model.lp_
    lp.num_col_, lp.num_row_ = n, p
    lp.col_cost_ = -np.ones(n)
    lp.col_lower_, lp.col_upper_ = np.zeros(n), cost
    lp.row_lower_ = lp.row_upper_ = np.zeros(p)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.arange(0, n * p + 1, p)
    lp.a_matrix_.index_ = np.tile(np.arange(p), n)
    lp.a_matrix_.value_ = A.T.ravel()
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.passModel(model)
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return -solver.getInfo().objective_function_value


def draw_program(kind, n, d, seed, weighted):
    """Signed rows as columns, and their costs."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    w = rng.normal(size=d)
    if kind in ("integer", "binary"):
        X = rng.integers(0, 2 if kind == "binary" else 4, (n, d)).astype(float)
    score = X @ w - np.median(X @ w)
    y = score + (0.0 if kind == "separable" else 1.0) * rng.normal(size=n) > 0.0
    if kind == "rare":
        y = rng.random(n) < 0.02
        X[y] += 0.5
    if kind == "collinear":
        X = np.column_stack([X, X[:, 0] + X[:, -1], 3.0 * X[:, 0] - 1.0, np.full(n, 2.0)])
    if kind == "equal means":
        X = np.vstack([X, -X])
        y = np.repeat(rng.random(n) < 0.5, 2).reshape(n, 2).T.ravel()
    y[:2] = True, False
    if kind == "equal means":
        y[n : n + 2] = True, False
    sign = np.where(y, 1.0, -1.0)
    cost = rng.random(y.size) + 0.1 if weighted and kind != "equal means" else np.ones(y.size)
    cost /= np.where(y, cost[y].sum(), cost[~y].sum())
    return np.ascontiguousarray(np.vstack([X.T * sign, -sign])), cost


def check(A, cost):
    found = edge_descent(A, cost)
    assert found.loss == pytest.approx(cost @ np.maximum(1.0 - found.v @ A, 0.0), abs=1e-13)
    assert found.loss - found.bound <= 1e-12
    # HiGHS's optima are exact up to rounding in a sum of at most 2.
    assert found.loss == pytest.approx(optimum_by_highs(A, cost), rel=1e-12, abs=4e-14)


@given(st.sampled_from(KINDS), st.integers(3, 150), st.integers(1, 8), st.integers(0, 2**31),
       st.booleans())  # fmt: skip
@settings(max_examples=120, deadline=None)
def test_same_optimum_as_highs(kind, n, d, seed, weighted):
    check(*draw_program(kind, n, d, seed, weighted))


@pytest.mark.parametrize("kind", KINDS)
def test_large_problems_start_from_samples(kind):
    # More rows than are solved at once, so that samples and straight hinges come in.
    assert 4 * _edge_descent.SMALL < 6000
    check(*draw_program(kind, 6000, 6, 1, weighted=True))


def test_columns_that_depend_on_each_other_in_a_sample_only():
    A, cost = draw_program("noisy", 6000, 3, 0, weighted=False)
    rare = np.zeros(6000)
    rare[1::16] = 1.0  # no row of any sample
    A = np.ascontiguousarray(np.vstack([A, rare * A[-1]]))
    check(A, cost)
    assert edge_descent(A, cost).v[-1] != 0.0


def test_no_column_no_plane():
    found = edge_descent(np.zeros((2, 4)), np.full(4, 0.5))
    assert (found.loss, found.bound, found.v.tolist()) == (2.0, 2.0, [0.0, 0.0])


def test_same_answer_every_time():
    A, cost = draw_program("noisy", 3000, 5, 3, weighted=True)
    first, second = edge_descent(A, cost), edge_descent(A, cost)
    assert first.v.tobytes() == second.v.tobytes()


def test_many_classes_wide_program():
    # Hundreds of unknowns, most of them dependent or without effect.
    rng = np.random.default_rng(0)
    A, cost = draw_program("integer", 200, 60, 2, weighted=False)
    A = np.ascontiguousarray(
        np.vstack([A, A[:40] + A[20:60], rng.integers(0, 2, (30, 200)) * A[-1]])
    )
    check(A, cost)


@pytest.mark.parametrize("seed", range(6))
def test_more_columns_than_rows(seed):
    # All rows are met long before every place of the basis is filled.
    kind = ("separable", "binary", "integer")[seed % 3]
    check(*draw_program(kind, 60, 80, seed, weighted=False))


def test_ten_classes_of_digits_at_a_small_node():
    X, y = load_digits(return_X_y=True)
    A, cost = _all_classes(scale_rows(Node.from_data(X[:110], y[:110]), "standard"))
    found = edge_descent(np.ascontiguousarray(A.toarray()), cost)
    # Separable, and so degenerate that the walk itself ends with a loss of 1e-9. Weights are some
    # thousands, so that a row's sum is rounded by 1e-12, otherwise with every linear algebra.
    assert 0.0 <= found.loss <= 1e-11
    assert found.bound == pytest.approx(0.0, abs=1e-13)


def test_selection_puts_nearer_bends_first():
    rng = np.random.default_rng(4)
    for n in (1, 2, 3, 10, 57):
        length = rng.integers(0, 6, n).astype(float)
        drop = rng.random(n)
        slope = rng.random() * drop.sum()
        row = np.arange(n)
        for select in (_edge_kernels._select, _edge_kernels._select.py_func):
            a, b, c = length.copy(), drop.copy(), row.copy()
            last = select(a, b, c, n, slope)
            assert (a[:last] <= a[last]).all()
            assert (a[last:] >= a[last]).all()
            assert b[:last].sum() < slope <= b[: last + 1].sum() + 1e-12
            assert (length[c] == a).all()


def test_inverse_with_row_exchanges():
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(7, 7))
    matrix[0, 0] = 0.0
    for invert in (_edge_kernels._invert, _edge_kernels._invert.py_func):
        inverse = np.empty((7, 7))
        assert invert(matrix, inverse)
        np.testing.assert_allclose(inverse @ matrix, np.eye(7), atol=1e-12)
        assert not invert(np.zeros((2, 2)), np.empty((2, 2)))
