"""Every projection solver: published values, certificates, degenerate and bad input."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projection import (
    NORMS_OF,
    SOLVERS,
    InputError,
    Metric,
    Polyhedron,
    find_interior,
    project,
)
from projection import _kernels as kernels

INF = float("inf")
NEAREST = sorted(set(SOLVERS) - {"alternating", "averaged"})
EUCLID = [name for name in NEAREST if 2.0 in NORMS_OF[name]]
PAIRS = [(name, norm) for name in NEAREST for norm in sorted(NORMS_OF[name])]
WEDGE = Polyhedron([[0.0, 1.0], [1.0, 1.0]], [0.0, 0.0])
EMPTY = Polyhedron([[1.0], [-1.0]], [0.0, -1.0])


@pytest.mark.parametrize("name", EUCLID)
def test_two_halfspaces_give_their_corner(name):
    answer = project([1.0, 1.5], WEDGE, solver=name)
    assert answer.status == "optimal"
    np.testing.assert_allclose(answer.point, [0.0, 0.0], atol=1e-8)
    assert answer.distance == pytest.approx(1.8027756, abs=1e-7)
    np.testing.assert_allclose(answer.multipliers, [0.5, 1.0], atol=1e-7)
    assert answer.active.tolist() == [0, 1]


@pytest.mark.parametrize(("name", "norm"), [p for p in PAIRS if p[1] != 2.0])
def test_two_halfspaces_in_the_other_norms(name, norm):
    expected = 1.5 if norm == INF else 2.5
    answer = project([1.0, 1.5], WEDGE, norm=norm, solver=name)
    assert answer.status == "optimal"
    assert answer.distance == pytest.approx(expected, abs=1e-7)


def test_alternating_projections_find_a_point_but_not_the_nearest():
    swapped = Polyhedron(WEDGE.A[::-1], WEDGE.b)
    for polyhedron, name, point in [
        (WEDGE, "alternating", [0.5, -0.5]),
        (swapped, "alternating", [-0.25, 0.0]),
        (WEDGE, "averaged", [0.15625, -0.15625]),
    ]:
        answer = project([1.0, 1.5], polyhedron, solver=name)
        assert answer.status == "feasible"
        assert not answer.is_optimal
        assert np.isnan(answer.gap)
        np.testing.assert_allclose(answer.point, point, atol=1e-8)
    assert project([1.0, 1.5], WEDGE, solver="alternating").distance == pytest.approx(2.0615528)
    assert project([1.0, 1.5], WEDGE, solver="averaged").distance == pytest.approx(1.8587840)


@pytest.mark.parametrize("name", EUCLID)
def test_one_halfspace_has_the_closed_form(name):
    answer = project([3.0, 4.0], Polyhedron([[3.0, 4.0]], [5.0]), solver=name)
    np.testing.assert_allclose(answer.point, [0.6, 0.8], atol=1e-8)
    assert answer.distance == pytest.approx(4.0)


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_an_empty_polyhedron_is_said_to_be_empty(name):
    for norm in NORMS_OF[name]:
        answer = project([3.0], EMPTY, norm=norm, solver=name, max_iter=500)
        assert answer.status == "empty"
        assert answer.distance == INF
        assert np.isnan(answer.point).all()


@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-11])
def test_barely_empty_is_empty_and_zero_width_is_not(gap):
    for case in (0.3, 5.0):
        barely = Polyhedron([[1.0, 0.0], [-1.0, 0.0]], [1.0, -1.0 - gap])
        assert project([case, 0.0], barely).status == "empty"
        slab = Polyhedron([[1.0, 0.0], [-1.0, 0.0]], [1.0, -1.0])
        answer = project([case, 0.0], slab)
        assert answer.status == "optimal"
        assert answer.distance == pytest.approx(abs(case - 1.0), rel=1e-14)


def test_interiors_are_classified():
    assert find_interior(WEDGE).kind == "full"
    assert find_interior(EMPTY).kind == "empty"
    assert find_interior(EMPTY).radius == pytest.approx(-0.5)
    assert find_interior(Polyhedron([[2.0, 0.0], [-1.0, 0.0]], [2.0, -1.0])).kind == "flat"
    line = Polyhedron([[1.0, 0.0]], [1.0], A_eq=[[1.0, 1.0]], b_eq=[1.0])
    assert find_interior(line).kind == "flat"
    box = Polyhedron(np.empty((0, 2)), [], lower=[0.0, 0.0], upper=[2.0, 4.0])
    ball = find_interior(box)
    assert ball.radius == pytest.approx(1.0)
    assert box.contains(ball.center)
    assert find_interior(Polyhedron([[0.0, 0.0]], [-1.0])).kind == "empty"


@pytest.mark.parametrize(("name", "norm"), PAIRS)
def test_equalities_and_bounds(name, norm):
    polyhedron = Polyhedron(
        np.empty((0, 3)),
        [],
        A_eq=[[1.0, 1.0, 1.0]],
        b_eq=[1.0],
        lower=np.zeros(3),
        upper=[1, 1, INF],
    )
    answer = project([1.0, 1.0, -1.0], polyhedron, norm=norm, solver=name)
    assert answer.status == "optimal"
    assert polyhedron.contains(answer.point, tol=1e-8)
    expected = {1.0: 2.0, 2.0: np.sqrt(1.5), INF: 1.0}[norm]
    assert answer.distance == pytest.approx(expected, abs=1e-7)
    assert len(answer.multipliers) == 1 + 2 + 3


@pytest.mark.parametrize(("name", "norm"), PAIRS)
def test_a_case_inside_does_not_move(name, norm):
    answer = project([-1.0, -1.0], WEDGE, norm=norm, solver=name)
    assert answer.status == "optimal"
    assert answer.distance == 0.0
    assert answer.active.size == 0
    assert answer.point.tolist() == [-1.0, -1.0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-15, 1e-13, 1e-10, 1e-6]))
def test_points_of_a_flat_set_do_not_find_it_empty(seed, step):
    """Opposite rows contradict each other by rounding, seen from a case that is no round number."""
    rng = np.random.default_rng(seed)
    d, m = int(rng.integers(1, 5)), int(rng.integers(2, 10))
    A = rng.integers(-2, 3, size=(m, d)).astype(float)
    flat = Polyhedron(A, A @ rng.normal(size=d))
    for name, norm in (("auto", 1.0), ("auto", 2.0), ("auto", INF), ("nnls", 2.0)):
        answer = project(3 * rng.normal(size=d), flat, norm=norm, solver=name)
        assert answer.status == "optimal"
        near = answer.point + step * rng.normal(size=d)
        again = project(near, flat, norm=norm, solver=name)
        # least squares lose half the digits of multipliers, and say so
        assert again.status in (("optimal", "inaccurate") if name == "nnls" else ("optimal",))
        assert again.distance <= 10 * d * step + 1e-13 * (1 + np.abs(near).max())


def test_a_reference_that_gives_up_has_a_status(monkeypatch):
    cvxpy = pytest.importorskip("cvxpy")

    def fail(self, *args, **kwargs):
        raise cvxpy.error.SolverError("gave up")

    monkeypatch.setattr(cvxpy.Problem, "solve", fail)
    answer = project([1.0, 1.5], WEDGE, solver="cvx")
    assert answer.status == "inaccurate"


def test_rows_of_zeros_are_void_or_contradictory():
    assert project([1.0], Polyhedron([[0.0], [1.0]], [0.0, 0.0])).distance == 1.0
    assert project([1.0], Polyhedron([[0.0]], [-1.0])).status == "empty"
    assert project([1.0], Polyhedron([[1.0], [1.0]], [INF, 0.0])).distance == 1.0


@st.composite
def polyhedra(draw):
    """Random systems with repeated, near-parallel, redundant and badly scaled rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_features = draw(st.integers(1, 8))
    m = draw(st.integers(1, 14))
    A = rng.normal(size=(m, n_features))
    kind = draw(st.sampled_from(["plain", "duplicates", "near", "integer", "axis", "scaled"]))
    if kind == "duplicates":
        A = A[rng.integers(0, m, size=m)] * rng.choice([1.0, 3.0], size=(m, 1))
    elif kind == "near":
        A = A[rng.integers(0, m, size=m)] + 1e-4 * rng.normal(size=A.shape)
    elif kind == "integer":
        A = rng.integers(-2, 3, size=A.shape).astype(float)
    elif kind == "axis":
        A = np.eye(n_features)[rng.integers(0, n_features, size=m)] * rng.choice(
            [-1.0, 1.0], size=(m, 1)
        )
    inside = rng.normal(size=n_features)
    b = A @ inside + np.abs(rng.normal(size=m)) * (kind != "integer")
    if draw(st.booleans()):
        b = rng.normal(size=m)  # perhaps empty
    scale = 10.0 ** rng.uniform(-6, 6, size=n_features) if kind == "scaled" else np.ones(n_features)
    return 3 * rng.normal(size=n_features) * scale, Polyhedron(A / scale, b), Metric(scale)


@settings(max_examples=150, deadline=None)
@given(polyhedra(), st.sampled_from([1.0, 2.0, INF]))
def test_the_default_agrees_with_the_reference(problem, norm):
    point, polyhedron, metric = problem
    answer = project(point, polyhedron, metric, norm)
    reference = project(point, polyhedron, metric, norm, solver="cvx", tol=1e-6)
    if "empty" in (answer.status, reference.status):
        assert answer.status == reference.status
        return
    assert answer.status == "optimal"
    assert answer.distance == pytest.approx(reference.distance, rel=1e-6, abs=1e-8)


@settings(max_examples=100, deadline=None)
@given(polyhedra())
def test_exact_solvers_agree(problem):
    point, polyhedron, metric = problem
    first = project(point, polyhedron, metric, solver="active_set")
    second = project(point, polyhedron, metric, solver="nnls")
    assert (first.status == "empty") == (second.status == "empty")
    if first.status != "empty":
        assert first.distance == pytest.approx(second.distance, rel=1e-8, abs=1e-12)
        assert first.residual < 1e-9


@settings(max_examples=60, deadline=None)
@given(polyhedra())
def test_sweeps_reach_the_same_point_or_say_that_they_did_not(problem):
    point, polyhedron, metric = problem
    exact = project(point, polyhedron, metric)
    for name in ("hildreth", "dykstra"):
        answer = project(point, polyhedron, metric, solver=name, tol=1e-8, max_iter=3000)
        assert answer.status in ("optimal", "empty", "max_iter")
        if answer.status == "optimal":
            np.testing.assert_allclose(answer.distance, exact.distance, rtol=1e-6, atol=1e-8)


@settings(max_examples=100, deadline=None)
@given(polyhedra(), st.sampled_from([1.0, 2.0, INF]), st.floats(0.1, 10.0))
def test_projection_properties(problem, norm, factor):
    point, polyhedron, metric = problem
    answer = project(point, polyhedron, metric, norm)
    if answer.status == "empty":
        return
    again = project(answer.point, polyhedron, metric, norm)
    size = np.abs(point / metric.scale).max() + answer.distance
    assert again.distance <= 1e-9 * size
    assert metric.with_norm(norm).distance(point, answer.point) == pytest.approx(
        answer.distance, rel=1e-9, abs=1e-12 * size
    )
    longer = project(point, polyhedron, Metric(metric.scale / factor), norm)
    assert longer.distance == pytest.approx(factor * answer.distance, rel=1e-7, abs=1e-10)
    fewer = Polyhedron(polyhedron.A[1:], polyhedron.b[1:])
    assert project(point, fewer, metric, norm).distance <= answer.distance * (1 + 1e-9) + 1e-12


def exact_squared_distance(A, b, x):
    """Squared distance in rational arithmetic, None if empty: every set of independent rows.

    The projection has multipliers on linearly independent rows, so one of the sets solves the
    conditions of Karush, Kuhn and Tucker exactly.
    """
    A = [[Fraction(v) for v in row] for row in A]
    excess = [sum(a * Fraction(v) for a, v in zip(row, x, strict=True)) - Fraction(c)
              for row, c in zip(A, b, strict=True)]  # fmt: skip
    gram = [[sum(p * q for p, q in zip(u, v, strict=True)) for v in A] for u in A]
    for size in range(len(x) + 1):
        for rows in itertools.combinations(range(len(A)), size):
            solved = solve_rational(
                [[gram[i][j] for j in rows] for i in rows], [excess[i] for i in rows]
            )
            if solved is None or min(solved, default=0) < 0:
                continue
            left = [
                e - sum(m * gram[p][i] for m, i in zip(solved, rows, strict=True))
                for p, e in enumerate(excess)
            ]
            if max(left) <= 0:
                return float(sum(m * excess[i] for m, i in zip(solved, rows, strict=True)))
    return None


def solve_rational(matrix, right):
    """Solution of a linear system in fractions, None if it is singular."""
    n = len(matrix)
    rows = [[*matrix[i], right[i]] for i in range(n)]
    for j in range(n):
        pivot = next((i for i in range(j, n) if rows[i][j] != 0), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        for i in range(n):
            if i != j:
                factor = rows[i][j] / rows[j][j]
                rows[i] = [p - factor * q for p, q in zip(rows[i], rows[j], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]


# Relative errors that are claimed for the dual active set and for NNLS. The latter tells a barely
# empty set from a far away one by a small residual, so it is not asked where that matters.
FAMILIES = {
    "random": (1e-12, 1e-12),
    "duplicates": (1e-12, 1e-12),
    "near-parallel": (1e-12, 1e-12),
    "wedge 1e-3": (1e-11, 1e-10),
    "wedge 1e-6": (1e-8, None),
    "slab": (1e-12, 1e-12),
    "empty by 1e-3": (0.0, 0.0),
    "empty by 1e-9": (0.0, None),
    "scaled": (1e-11, None),
}
CLAIMS = [
    (family, name, tolerance)
    for family, pair in FAMILIES.items()
    for name, tolerance in zip(("active_set", "nnls"), pair, strict=True)
    if tolerance is not None
]


def system_of(family, rng):
    A, b = rng.normal(size=(6, 3)), rng.normal(size=6)
    x = 3 * rng.normal(size=3)
    if family == "duplicates":
        A[3:], b[3:] = 2 * A[:3], 2 * b[:3]
    elif family == "near-parallel":
        A[3:] = A[:3] + 1e-8 * rng.normal(size=(3, 3))
        b = A @ rng.normal(size=3) + np.abs(b)
    elif family.startswith("wedge"):
        A[1] = -A[0] + float(family.split()[1]) * rng.normal(size=3)
        b[:2] = -1.0, 0.5
        A, b = A[:2], b[:2]
    elif family == "slab":
        A[1], b[1] = -A[0], -b[0]
        A, b = A[:2], b[:2]
    elif family.startswith("empty"):
        A[1], b[1] = -A[0], -b[0] - float(family.split()[-1])
    elif family == "scaled":
        scale = 10.0 ** rng.uniform(-6, 6, size=3)
        A, x = A / scale, x * scale
    return A, b, x


@pytest.mark.parametrize(("family", "name", "tolerance"), CLAIMS)
def test_against_rational_arithmetic(family, name, tolerance):
    """Errors and verdicts of the exact solvers, measured without rounding."""
    rng = np.random.default_rng(list(FAMILIES).index(family))
    for _ in range(25):
        A, b, x = system_of(family, rng)
        squared = exact_squared_distance(A, b, x)
        answer = project(x, Polyhedron(A, b), solver=name)
        assert (answer.status == "empty") == (squared is None)
        if squared is not None:
            assert answer.distance == pytest.approx(math.sqrt(squared), rel=tolerance)


@pytest.mark.parametrize("angle", [1e-3, 1e-5, 1e-6])
def test_a_narrow_wedge(angle):
    """Two planes at a small angle: the projection is their far away meeting point."""
    polyhedron = Polyhedron([[0.0, 1.0], [np.sin(angle), -np.cos(angle)]], [0.0, -1.0])
    answer = project([5.0, 0.5], polyhedron, solver="active_set")
    meeting = -(1.0) / np.sin(angle)
    assert answer.point[0] == pytest.approx(meeting, rel=1e-9)
    assert answer.distance == pytest.approx(np.hypot(5.0 - meeting, 0.5), rel=1e-8)


def test_the_limit_of_iterations_is_reported():
    answer = project([1.0, 1.5], WEDGE, solver="hildreth", max_iter=2)
    assert answer.status == "max_iter"
    assert answer.residual > 1e-9


@pytest.mark.parametrize("norm", [2, INF, 1])
@pytest.mark.parametrize("factor", [2.0**-900, 2.0**600, 2.0**900])
def test_the_length_of_normals_does_not_matter(factor, norm):
    scaled = Polyhedron(WEDGE.A * factor, WEDGE.b * factor)
    answer = project([1.0, 1.5], scaled, norm=norm)
    assert answer.is_optimal
    assert answer.distance == project([1.0, 1.5], WEDGE, norm=norm).distance


@pytest.mark.parametrize("solver", ["active_set", "nnls"])
def test_a_distance_beyond_the_floats_is_not_optimal(solver):
    far = Polyhedron([[1.0, 1.0]], [-1e200])
    assert project([0.0, 0.0], far, solver=solver).status != "optimal"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: project([np.nan, 1.0], WEDGE), "point holds NaN"),
        (lambda: project([INF, 1.0], WEDGE), "point must be finite"),
        (lambda: project([1.0], WEDGE), "point has 1 values"),
        (lambda: project([1.0, 1.0], WEDGE, norm=3), "norm must be 2, inf or 1"),
        (lambda: project([1.0, 1.0], WEDGE, solver="magic"), "'magic' is unknown"),
        (lambda: project([1.0, 1.0], WEDGE, norm=1, solver="nnls"), "does not serve norm 1"),
        (lambda: project([1.0, 1.0], WEDGE, Metric([1.0])), "metric has 1 scales"),
        (lambda: project([1.0, 1.0], WEDGE, tol=0), "tol must be a positive number"),
        (lambda: project([1.0, 1.0], WEDGE, max_iter=0), "max_iter must be a whole number"),
        (lambda: project([1.0, 1.0], WEDGE, max_iter="a"), "max_iter must be a whole number"),
        (lambda: project([1.0, 1.0], WEDGE, "minmax"), "metric must be a Metric"),
        (lambda: project([1e200, 1.0], WEDGE), "choose larger units"),
        (lambda: Polyhedron([[1.0]], [1.0], lower=[INF]), "lower leaves no number"),
        (lambda: Polyhedron([[1.0]], [1.0], upper=[-INF]), "upper leaves no number"),
        (lambda: project([1.0, 1.0], "wedge"), "polyhedron must be a Polyhedron"),
        (lambda: Metric([1.0, 0.0]), "scale must be positive, got 0.0 for attribute 1"),
        (lambda: Metric([1.0, -2.0]), "scale must be positive, got -2.0"),
        (lambda: Metric([1.0, np.nan]), "scale holds NaN"),
        (lambda: Metric.minmax(np.empty((0, 2))), "X has no rows"),
        (lambda: Metric.standard([[1.0]]), "standard deviation needs 2"),
        (lambda: Metric([1.0]).reweighted([0.0]), "freeze an attribute"),
        (lambda: Polyhedron([[1.0]], [1.0, 2.0]), "A has 1 rows but b has 2"),
        (lambda: Polyhedron([1.0], [1.0]), "A must have 2 dimension"),
        (lambda: Polyhedron([["a"]], [1.0]), "A must hold numbers"),
        (lambda: Polyhedron([[1.0]], [-INF]), "b must not be -inf"),
        (lambda: Polyhedron([[1.0]], [1.0], A_eq=[[1.0]]), "A_eq and b_eq belong together"),
        (lambda: Polyhedron([[1.0]], [1.0], lower=[0.0, 0.0]), "lower has 2 values"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_metrics_from_data():
    X = np.array([[0.0, 5.0, 1.0], [2.0, 5.0, 4.0], [4.0, 5.0, 1.0]])
    assert Metric.minmax(X).scale.tolist() == [4.0, 1.0, 3.0]
    np.testing.assert_allclose(Metric.standard(X).scale, [2.0, 1.0, np.sqrt(3.0)])
    assert Metric.from_accuracy(X, [0.5, 1.0, 0.1]).scale == pytest.approx([2.0, 1.0, 0.3])
    metric = Metric.minmax(X, norm=1).reweighted([2.0, 1.0, 1.0])
    assert metric.distance(X[0], X[1]) == pytest.approx(2 * 0.5 + 1.0)
    assert metric.with_norm(INF).distance(X, X[1]).shape == (3,)


def test_the_kernels_as_plain_python():
    """The interpreted kernel gives the compiled one's answer, cell by cell."""
    rng = np.random.default_rng(0)
    normals = rng.normal(size=(6, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    values = rng.normal(size=6)
    rows, signs = np.arange(6), np.ones(6)
    compiled, plain = np.zeros(3), np.zeros(3)
    work = kernels.make_active_set(6, 3)
    given = (normals, values, rows, signs)
    first = kernels.project_one(*given, compiled, *work, 1e-15)
    second = kernels.project_one.py_func(*given, plain, *work, 1e-15)
    assert first[:2] == second[:2]
    np.testing.assert_allclose(compiled, plain, rtol=1e-12)
