"""Robust linear programming: printed and recomputed optima, invariance, trees, bad input."""

import subprocess
import sys

import cvxpy
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.utils.estimator_checks import parametrize_with_checks

from baselines import LinearProgramError, RobustLP, robust_plane
from baselines import _linear_program as program
from oblique import ObliqueTreeClassifier, load, save
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel, BestOf, Categories, SafeAdjusted, SplitFinder
from oblique.node import Node
from oblique.split import LinearSplit
from oblique.strategies import ap

SOLVERS = ("HIGHS", "CLARABEL", "edge_descent")
# Two sets of a plane that separates them; w = (-4/3, -2/3), t = -11 is one of the best planes.
H = [(3, 1), (2, 2), (4, 3), (3, 4), (0, 5), (1, 5), (5, 5), (1, 6), (2, 7), (3, 7), (1, 8), (0, 9),
     (2, 10)]  # fmt: skip
M = [(9, 0), (10, 0), (10, 1), (10, 3), (8, 4), (12, 4), (9, 5), (11, 5), (6, 6), (8, 6), (10, 6),
     (8, 7), (9, 7), (8, 8), (5, 8), (5, 9), (7, 9)]  # fmt: skip
XOR = [(0, 0), (1, 1)], [(0, 1), (1, 0)]
GOLDEN = {
    "xor": (*XOR, 2.0),
    "overlap": ([[1], [2], [3]], [[0], [-1], [2.5]], 7.0 / 6.0),
    "gap": ([[2], [3]], [[0], [1]], 0.0),
    "separable": (H, M, 0.0),
}


def two_sets(above, below):
    return np.array([*above, *below], float), np.repeat([True, False], [len(above), len(below)])


def loss_of(X, is_above, weights, threshold):
    margin = np.where(is_above, 1.0, -1.0) * (X @ weights - threshold)
    missing = np.maximum(1.0 - margin, 0.0)
    return missing[is_above].mean() + missing[~is_above].mean()


# ------------------------------------------------------------------ optima


@pytest.mark.parametrize("name", GOLDEN)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("form", ["dual", "primal"])
@pytest.mark.parametrize("scale", ["standard", "range", None])
def test_golden_optima(name, solver, form, scale):
    above, below, optimum = GOLDEN[name]
    X, is_above = two_sets(above, below)
    plane = robust_plane(X, is_above, solver=solver, form=form, scale=scale)
    assert plane.loss == pytest.approx(optimum, abs=1e-7)
    assert plane.bound == pytest.approx(plane.loss, abs=1e-7)
    if name == "xor":
        assert not plane.weights.any()
    else:
        found = loss_of(X, is_above, plane.weights, plane.threshold)
        assert found == pytest.approx(plane.loss, abs=1e-9)


def test_planes_that_are_unique():
    X, is_above = two_sets(*GOLDEN["overlap"][:2])
    plane = robust_plane(X, is_above)
    assert plane.weights == pytest.approx([1.0])
    assert plane.threshold == pytest.approx(1.0)
    X, is_above = two_sets(*GOLDEN["gap"][:2])
    # 2 x = 3 puts the nearest rows of both sides at margin one; larger weights do, too.
    plane = robust_plane(X, is_above)
    assert plane.threshold / plane.weights[0] == pytest.approx(1.5)


def test_one_of_the_planes_between_h_and_m():
    X, is_above = two_sets(H, M)
    assert loss_of(X, is_above, np.array([-4 / 3, -2 / 3]), -11.0) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_primal_equals_dual(solver):
    data = load_dataset("pima")
    X, is_above = data.data.to_numpy(float)[:300], data.target.to_numpy()[:300] == data.unsafe_class
    forms = [robust_plane(X, is_above, solver=solver, form=form) for form in ("primal", "dual")]
    reference = robust_plane(X, is_above, solver="edge_descent")
    for plane in forms:
        assert plane.loss - plane.bound <= 1e-7
        assert plane.loss == pytest.approx(reference.loss, abs=1e-7)


@st.composite
def sets_of_rows(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n, d = draw(st.integers(6, 60)), draw(st.integers(1, 4))
    X = rng.normal(size=(n, d))
    if draw(st.booleans()):
        X = rng.integers(-2, 3, (n, d)).astype(float)
    is_above = X[:, 0] + rng.normal(size=n) > 0.0
    is_above[:2] = True, False
    return X, is_above, rng


@given(sets_of_rows(), st.sampled_from(["HIGHS", "edge_descent"]))
@settings(max_examples=40, deadline=None)
def test_optimum_ignores_translation_and_invertible_maps(drawn, solver):
    X, is_above, rng = drawn
    d = X.shape[1]
    turn, _ = np.linalg.qr(rng.normal(size=(d, d)))
    stretched = X @ (turn * rng.uniform(0.2, 5.0, d)) + rng.normal(size=d) * 10.0
    loss = robust_plane(X, is_above, solver=solver).loss
    assert robust_plane(stretched, is_above, solver=solver).loss == pytest.approx(loss, abs=1e-8)


@given(sets_of_rows(), st.sampled_from(["HIGHS", "edge_descent"]))
@settings(max_examples=20, deadline=None)
def test_other_side_up_has_the_same_optimum(drawn, solver):
    X, is_above, _ = drawn
    plane = robust_plane(X, is_above, solver=solver)
    other = robust_plane(X, ~is_above, solver=solver)
    assert other.loss == pytest.approx(plane.loss, abs=1e-8)
    turned = loss_of(X, ~is_above, -plane.weights, -plane.threshold)
    assert turned == pytest.approx(plane.loss, abs=1e-8)


@given(sets_of_rows(), st.sampled_from(["HIGHS", "edge_descent"]))
@settings(max_examples=20, deadline=None)
def test_weights_are_repeated_rows(drawn, solver):
    X, is_above, rng = drawn
    times = rng.integers(1, 4, len(X))
    weighted = robust_plane(X, is_above, times, solver=solver)
    repeated = robust_plane(X.repeat(times, 0), is_above.repeat(times), solver=solver)
    assert weighted.loss == pytest.approx(repeated.loss, abs=1e-9)


@given(sets_of_rows())
@settings(max_examples=30, deadline=None)
def test_no_random_plane_is_better(drawn):
    X, is_above, rng = drawn
    plane = robust_plane(X, is_above, solver="edge_descent")
    for size in (1e-3, 0.1, 1.0):
        weights = plane.weights + size * rng.normal(size=plane.weights.size)
        threshold = plane.threshold + size * rng.normal()
        assert loss_of(X, is_above, weights, threshold) >= plane.bound - 1e-9


def test_all_classes_at_once_by_two_solvers():
    X, y = load_iris(return_X_y=True)
    node = Node.from_data(X, y)
    from baselines._sample import scale_rows
    from baselines.robust_lp import _all_classes

    A, cost = _all_classes(scale_rows(node, "standard"))
    assert A.shape == (15, 300)
    losses = [
        program.solve(A, cost, solver=solver, form=form, tolerance=1e-6).loss
        for solver, form in [("HIGHS", "dual"), ("HIGHS", "primal"), ("edge_descent", "dual")]
    ]
    assert losses == pytest.approx([losses[0]] * 3, abs=1e-9)
    # By hand: sum over pairs of what one function's lead over the other misses to one.
    answer = program.solve(A, cost, solver="edge_descent", form="dual", tolerance=1e-6)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    functions = answer.v.reshape(3, 5)
    values = Z @ functions[:, :-1].T - functions[:, -1]
    lead = values[np.arange(150), y][:, None] - values
    missing = np.maximum(1.0 - lead, 0.0) * (np.arange(3) != y[:, None])
    assert missing.sum() / 50.0 == pytest.approx(answer.loss, abs=1e-9)


# ------------------------------------------------------------------ tests of a tree


def test_xor_falls_back_to_a_column():
    X, is_above = two_sets(*XOR)
    X = np.vstack([X, X + [[0.0, 0.0]] * 4])
    y = np.tile(is_above.astype(int), 2)
    node = Node.from_data(X, y)
    for solver in SOLVERS:
        assert RobustLP(solver).find_split(node, np.random.default_rng(0)) is None
        model = ObliqueTreeClassifier(finder=BestOf(RobustLP(solver), AxisParallel()))
        # Neither divides an exact chess board; with one more row a column does.
        model.fit(np.vstack([X, [[0.0, 0.0]]]), np.append(y, 1))
        assert model.tree_.n_leaves > 1
        assert all(model.tree_.region(leaf) is not None for leaf in model.tree_.leaves)


def test_rows_on_the_plane_go_to_the_unsafe_class():
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    for unsafe, code in ((0, 0), (1, 1)):
        node = Node.from_data(X, [0, 0, 1, 1], unsafe=unsafe)
        split = RobustLP().find_split(node, np.random.default_rng(0))
        on_plane = np.array([[split.threshold / split.weights[0]]])
        assert split.membership(on_plane) == [1.0]
        assert (split.membership(node.X) == (node.codes == code)).all()


@pytest.mark.parametrize("threshold", ["lp", "impurity"])
@pytest.mark.parametrize("multiclass", ["ovr", "multicategory"])
@pytest.mark.parametrize("solver", ["HIGHS", "edge_descent"])
def test_many_classes(threshold, multiclass, solver):
    X, y = load_wine(return_X_y=True)
    finder = RobustLP(solver, threshold=threshold, multiclass=multiclass)
    model = ObliqueTreeClassifier(finder=finder).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.tree_.n_leaves <= 5


def test_impurity_threshold_gains_no_less_along_the_same_weights():
    data = load_dataset("pima")
    node = Node.from_data(data.data.to_numpy(float), pd.factorize(data.target)[0])
    rng = np.random.default_rng(0)
    gains = [
        node.gain(RobustLP("edge_descent", threshold=threshold).find_split(node, rng))
        for threshold in ("lp", "impurity")
    ]
    assert gains[1] >= gains[0] > 0.1


class StepByStep(SplitFinder):
    """The best of RLP's planes and a column, each step by numpy and nothing left out."""

    def find_split(self, node, rng):
        best, best_gain = None, -1.0
        for split in (*self.planes(node), AxisParallel().find_split(node, rng)):
            gain = -1.0 if split is None else node.gain(split)
            if gain > best_gain + 1e-12:
                best, best_gain = split, gain
        return best

    def planes(self, node):
        X, codes, weights = node.X, node.codes, node.weights
        present = np.unique(codes)
        features = np.flatnonzero(X.min(axis=0) < X.max(axis=0))
        powers = 2.0 ** np.floor(np.log2(np.abs(X[:, features]).max(axis=0)))
        columns, centre, spread = [], [], []
        for column in (X[:, features] / powers).T:
            middle = sum((weights * column).tolist()) / sum(weights.tolist())
            square = sum((weights * (column - middle) ** 2).tolist())
            unit = np.sqrt(square / sum(weights.tolist()))
            columns.append((column - middle) / unit)
            centre.append(middle)
            spread.append(unit)
        columns = np.array([*columns, np.full(len(X), -1.0)])
        centre, spread = np.array(centre) * powers, np.array(spread) * powers
        below = present if present.size > 2 else present[[int(present[1] == node.unsafe)]]
        for k in below:
            above = codes != k
            totals = weights[above].sum(), weights[~above].sum()
            v = program.edge_descent(
                columns * np.where(above, 1.0, -1.0), weights / np.where(above, *totals)
            ).v
            w = v[:-1] / (spread / spread[v[:-1] != 0.0].min())
            w /= 2.0 ** np.floor(np.log2(np.abs(w).max()))
            largest = np.abs(w).argmax()
            threshold = v[-1] * (w[largest] / (v[largest] / spread[largest]))
            for j in range(w.size):
                threshold += w[j] * centre[j]
            dense = np.zeros(X.shape[1])
            dense[features] = w
            split = LinearSplit(dense, threshold)
            assert ((v @ columns <= 0.0) == split.membership(X)).all()
            yield split


@pytest.mark.parametrize("name", ["pima", "housing", "wine", "balanced"])
def test_trees_are_those_of_plain_steps_to_the_last_bit(name):
    if name == "wine":
        X, y = load_wine(return_X_y=True)
    else:
        data = load_dataset("pima" if name == "balanced" else name)
        X, y = data.data.to_numpy(float), data.target
    trees = [
        ObliqueTreeClassifier(
            finder=finder, class_weight="balanced" if name == "balanced" else None, random_state=0
        ).fit(X, y).tree_.to_dict()
        for finder in (BestOf(RobustLP("edge_descent"), AxisParallel()), StepByStep())
    ]  # fmt: skip
    assert trees[0] == trees[1]


def test_order_of_rows_does_not_matter():
    data = load_dataset("heart_cleveland")
    rows = np.random.default_rng(0).permutation(len(data.data))
    finder = BestOf(RobustLP("edge_descent"), AxisParallel(), Categories())
    trees = [
        ObliqueTreeClassifier(finder=finder, random_state=0)
        .fit(data.data.iloc[order], data.target.iloc[order]).tree_
        for order in (slice(None), rows)
    ]  # fmt: skip
    assert trees[0].to_dict() == trees[1].to_dict()


def test_missing_values_constant_columns_and_categories():
    data = load_dataset("hepatitis")
    for solver in ("HIGHS", "edge_descent"):
        finder = BestOf(RobustLP(solver), AxisParallel(), Categories())
        model = ObliqueTreeClassifier(finder=finder, max_depth=4)
        table = data.data.assign(constant=1.0, kind=pd.Categorical(["a", "b"] * 77 + ["a"]))
        assert model.fit(table, data.target).score(table, data.target) > 0.8
    nothing = Node.from_data(np.ones((4, 2)), [0, 1, 0, 1])
    assert RobustLP().find_split(nothing, np.random.default_rng(0)) is None
    assert robust_plane(np.ones((4, 2)), [0, 1, 0, 1]).loss == 2.0


def test_units_of_any_size():
    X, y = load_wine(return_X_y=True)
    tree = ObliqueTreeClassifier(finder=RobustLP("edge_descent")).fit(X, y)
    units = 10.0 ** np.arange(-150, 150, 24)[: X.shape[1]]
    other = ObliqueTreeClassifier(finder=RobustLP("edge_descent")).fit(X * units, y)
    assert (other.predict(X * units) == tree.predict(X)).all()


def test_safe_variant_leaves_no_safe_row_on_the_unsafe_side():
    data = load_dataset("pima")
    X, y = data.data.to_numpy(float), pd.factorize(data.target)[0]
    unsafe = int(pd.factorize(data.target)[1].get_loc(data.unsafe_class))
    node = Node.from_data(X, y, unsafe=unsafe)
    finder = SafeAdjusted(RobustLP("edge_descent"), mode="pure")
    split = finder.find_split(node, np.random.default_rng(0))
    left = split.membership(node.X) == 1.0
    assert left.any()
    assert (node.codes[left] == unsafe).all()


def test_strategies():
    from baselines import strategies

    data = load_dataset("pima")
    trees = {
        name: getattr(strategies, name)().set_params(random_state=0).fit(data.data, data.target)
        for name in ("rlp", "rlp_pruned", "rlp_safe")
    }
    assert trees["rlp_pruned"].tree_.n_leaves < trees["rlp"].tree_.n_leaves
    # At the root no test of one column gains more.
    node = Node.from_data(data.data.to_numpy(float), pd.factorize(data.target)[0])
    gain = {name: node.gain(model.tree_.split(0)) for name, model in
            {**trees, "ap": ap().fit(data.data, data.target)}.items()}  # fmt: skip
    assert gain["rlp"] >= gain["ap"]


@pytest.mark.parametrize(
    "finder",
    [RobustLP("edge_descent"), RobustLP("scs", form="primal", solver_options={"eps": 1e-7}),
     SafeAdjusted(RobustLP("edge_descent", threshold="impurity", multiclass="multicategory"))],
    ids=["edge descent", "options", "safe"],
)  # fmt: skip
def test_saved_loaded_and_cloned(finder, tmp_path):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, 2:], y[50:]
    model = ObliqueTreeClassifier(finder=finder, max_depth=2).fit(X, y)
    save(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.finder.get_params().keys() == finder.get_params().keys()
    assert str(loaded.finder) == str(finder) == str(clone(finder))
    assert (loaded.predict(X) == model.predict(X)).all()


@parametrize_with_checks(
    [ObliqueTreeClassifier(finder=BestOf(RobustLP("edge_descent"), AxisParallel()))]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ trouble


def test_cvxpy_is_loaded_when_it_is_used():
    code = (
        "import sys, numpy as np\n"
        "from baselines import RobustLP, robust_plane\n"
        "robust_plane([[0.0], [1.0], [2.0]], [0, 1, 1], solver='edge_descent')\n"
        "print('cvxpy' in sys.modules, 'highspy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_highs_prints_nothing_amid_results():
    code = (
        "from baselines import robust_plane\n"
        "print('before')\n"
        "plane = robust_plane([[0.0], [1.0], [2.0]], [0, 1, 1])\n"
        "print('after', round(plane.loss, 9))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["before", "after", "0.0"]


def test_the_case_of_a_solver_does_not_matter():
    X, y = [[1.0], [2.0], [3.0], [0.0], [-1.0], [2.5]], [1, 1, 1, 0, 0, 0]
    losses = [robust_plane(X, y, solver=name).loss for name in ("highs", "Edge_Descent")]
    assert losses == pytest.approx([7 / 6, 7 / 6])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"solver": "NOSUCH"},
            r"solver='NOSUCH' is not installed: use one of edge_descent, .*HIGHS",
        ),
        (
            {"solver": None},
            r"solver=None must be the name of a solver: one of .*HIGHS.*; leave it out",
        ),
        ({"solver": 3}, "solver=3 must be the name of a solver"),
        ({"form": "both"}, r"form='both' must be \"dual\" or \"primal\""),
        ({"threshold": "gini"}, "threshold='gini' must be"),
        ({"scale": "minmax"}, "scale='minmax' must be"),
        ({"multiclass": "ovo"}, "multiclass='ovo' must be"),
        ({"tolerance": 0.0}, r"tolerance=0.0 must be a finite number > 0"),
        ({"solver_options": 3}, "solver_options=3 must be a dict or None"),
        (
            {"solver": "edge_descent", "solver_options": {"eps": 1e-9}},
            r"solver_options=\{'eps': 1e-09\} must be None with solver='edge_descent'",
        ),
    ],
)
def test_bad_parameters(parameters, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        ObliqueTreeClassifier(finder=RobustLP(**parameters)).fit(X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0], [np.nan]], [0, 1]), "NaN"),
        (([[1.0], [2.0]], [1, 1]), "is_above must hold True for some rows"),
        (([[1.0], [2.0]], [0, 2]), "is_above must hold True for some rows"),
        (([[1.0], [2.0]], [0, 1, 1]), "inconsistent numbers"),
        (([[1.0], [2.0]], [0, 1], [1.0, 0.0]), "sample_weight must hold one finite number > 0"),
        (([[1.0], [2.0]], [0, 1], [1.0]), "inconsistent numbers"),
    ],
)
def test_bad_rows(arguments, message):
    with pytest.raises(ValueError, match=message):
        robust_plane(*arguments)


def fit_pima(**parameters):
    data = load_dataset("pima")
    model = ObliqueTreeClassifier(finder=RobustLP(**parameters), max_depth=1)
    return model.fit(data.data, data.target)


def test_inexact_answer_is_an_error():
    with pytest.raises(LinearProgramError, match=r"'SCS' (left a gap|ended with status)"):
        fit_pima(solver="SCS", solver_options={"eps": 0.1, "max_iters": 50})
    # A looser tolerance takes it knowingly.
    assert fit_pima(solver="SCS", solver_options={"eps": 1e-4}, tolerance=0.01).tree_.n_leaves == 2


def test_unfinished_answer_is_an_error():
    with pytest.raises(LinearProgramError, match=r"'HIGHS' (failed|ended with status)"):
        fit_pima(solver_options={"simplex_iteration_limit": 1, "presolve": "off"})


def test_refused_option_is_an_error():
    with pytest.raises(LinearProgramError, match=r"solver 'HIGHS' failed: .*no_such_option"):
        fit_pima(solver_options={"no_such_option": 1})


def test_crash_of_a_solver_is_an_error(monkeypatch):
    def crash(self, *arguments, **options):
        raise cvxpy.SolverError("out of memory")

    monkeypatch.setattr(cvxpy.Problem, "solve", crash)
    with pytest.raises(LinearProgramError, match="out of memory; use other solver_options or"):
        fit_pima()


def test_wrong_answer_that_claims_to_be_optimal_is_an_error(monkeypatch):
    ask = program._ask

    def turned(*arguments):
        v, u = ask(*arguments)
        return -v, u

    monkeypatch.setattr(program, "_ask", turned)
    with pytest.raises(LinearProgramError, match=r"left a gap of .* more than tolerance=1e-06"):
        fit_pima()
