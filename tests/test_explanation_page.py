"""The interactive page: its numbers are Python's, and people can use it."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from in_browser import accessibility_violations, open_browser, resize
from random_trees import KINDS, random_tree

from oblique import LDTClassifier, ObliqueTreeClassifier, Tree, explain
from oblique.datasets import load_dataset
from oblique.sensitivity import write_page
from projection import Metric

HOSTILE = ["<script>alert(1)</script>", "\"quo'te\" & </script><!--", "größe \u2028 →", "b\\u003c"]


@pytest.fixture(scope="module")
def browser():
    yield from open_browser()


def ldt(name):
    data = load_dataset(name)
    X = data.data.fillna(data.data.median())
    model = LDTClassifier(unsafe_class=data.unsafe_class, max_depth=7).fit(X, data.target)
    return model, X, X


def axis_parallel():
    data = load_dataset("heart_complete")
    X = data.data.select_dtypes("number")
    return ObliqueTreeClassifier(max_depth=6).fit(X, data.target), X, X


def categories(finder):
    """A table in which classes depend on numbers and on two columns of categories."""
    rng = np.random.default_rng(5)
    n = 500
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(2),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue", "<b>"], n)),
            "b": rng.normal(scale=30.0, size=n),
            "shape": pd.Categorical(rng.choice(["round", "square", "flat"], n)),
        }
    )
    warm, flat = X["colour"].isin(["red", "<b>"]), X["shape"] == "flat"
    score = X["a"] + X["b"] / 30 + 1.5 * warm - 2.0 * (flat & (X["a"] > 0))
    y = np.digitize(score + rng.normal(scale=0.2, size=n), [-0.5, 1.0])
    return finder(max_depth=7).fit(X, y), X, X


def random_partition(kind):
    tree, scale = random_tree(np.random.default_rng(KINDS.index(kind)), 4, 25, kind)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4)) * scale
    return tree, np.rint(X) if kind == "integer" else X, None


MODELS = {
    "LDT, two classes": lambda: ldt("pima"),
    "LDT, three classes": lambda: ldt("new_thyroid"),
    "axis-parallel": axis_parallel,
    "categories, oblique": lambda: categories(LDTClassifier),
    "categories, axis-parallel": lambda: categories(ObliqueTreeClassifier),
    **{
        f"random, {kind}": lambda kind=kind: random_partition(kind)
        for kind in ("oblique", "axis", "mixed", "sparse", "integer")
    },
}


def random_limits(rng, names, coded, X):
    """Freezes, directions, weights, ranges, drawn for half of the attributes or fewer."""
    chosen = rng.random((4, len(names))) < rng.choice([0.0, 0.15, 0.4], size=(4, 1))
    numeric = ~np.isin(np.arange(len(names)), coded)
    pick = lambda flags: [int(j) for j in np.flatnonzero(flags)]  # noqa: E731
    weights = {j: float(rng.uniform(0.2, 5.0)) for j in pick(chosen[3] & numeric)}
    limits = {
        "frozen": pick(chosen[0]),
        "not_decreasing": pick(chosen[1] & numeric & ~chosen[0]),
        "not_increasing": pick(chosen[2] & numeric & ~chosen[1] & ~chosen[0]),
        "weights": weights or None,
    }
    if rng.random() < 0.2:
        j = int(rng.choice(np.flatnonzero(numeric)))
        values = np.asarray(X)[:, j].astype(float)
        limits["ranges"] = {j: tuple(np.quantile(values, [0.2, 0.8]))}
    return limits


def settings_of(limits, metric, n_features, ranged=True):
    """The same limits as the page's functions read them."""
    rise, fall = np.ones(n_features, bool), np.ones(n_features, bool)
    rise[limits["frozen"] + limits["not_increasing"]] = False
    fall[limits["frozen"] + limits["not_decreasing"]] = False
    weights, lower, upper = [1.0] * n_features, [None] * n_features, [None] * n_features
    for j, w in (limits["weights"] or {}).items():
        weights[j] = w
    for j, (low, high) in limits.get("ranges", {}).items():
        lower[j], upper[j] = float(low), float(high)
    return {
        "metric": metric, "weights": weights, "mayRise": rise.tolist(), "mayFall": fall.tolist(),
        "lower": lower, "upper": upper,
    }  # fmt: skip


def ask(browser, questions):
    """Answers of the open page's functions; what is not finite becomes None."""
    answers = browser.execute_script(
        "return JSON.stringify(JSON.parse(arguments[0]).map(([v, s]) => surface.answer(v, s)))",
        json.dumps(questions),
    )
    return json.loads(answers)


def close(found, expected):
    """Equal to 1e-6 of the number, or of one unit of the metric; None is infinite."""
    found, expected = (np.array(v, dtype=float) for v in (found, expected))
    found, expected = (np.where(np.isnan(v), np.inf, v) for v in (found, expected))
    return found.shape == expected.shape and np.allclose(found, expected, rtol=1e-6, atol=1e-6)


def compare(found, python, classes, scale, coded):
    """One answer of the page against one explanation; True where another class can be reached."""
    assert found["status"] == python.status
    assert classes[found["predictedClass"]] == python.predicted_class
    assert found["leaf"] == python.leaf
    assert [t["node"] for t in found["trace"]] == [t.node for t in python.trace]
    margins = [None if np.isnan(t.margin) else t.margin for t in python.trace]
    assert close([t["margin"] for t in found["trace"]], margins)
    if python.status == "unrouted":
        return False
    by_class = np.array(list(python.distance_by_class.values()))
    others = np.array(classes) != python.predicted_class
    if by_class[others].min() >= python.distance * (1 - 1e-9):
        assert close(found["byClass"], by_class)
    else:
        # In Python a frozen 8 may touch "x < 8", stored as "<=" the number before it: the distances
        # by class count that leaf, the nearest point, checked by prediction, does not.
        assert close(np.array(found["byClass"], dtype=float)[others].min(), python.distance)
    if python.status == "unreachable":
        assert found["distance"] is None
        return False
    assert close(found["distance"], python.distance)
    nearest = [d for d in python.distance_by_leaf if d.distance <= python.distance * (1 + 1e-9)]
    if len(nearest) > 1:
        return True  # leaves as near as each other: any of them will do
    assert found["targetLeaf"] == python.target_leaf
    assert classes[found["targetClass"]] == python.target_class
    moves = {move.feature: move.to for move in python.moves}
    for j, name in enumerate(python.values):
        to = moves.get(name, python.values[name])
        if j in coded:
            assert (None if found["point"][j] is None else coded[j][found["point"][j]]) == to
        else:
            assert close(found["point"][j] / scale[j], to / scale[j])
    tests = [(t.margin, t.node, t.passed, t.violated) for t in python.sensitive_tests]
    shown = [(t["margin"], t["node"], t["passed"], t["violated"]) for t in found["tests"]]
    assert close([t[0] for t in shown], [t[0] for t in tests])
    assert sorted(t[1:] for t in shown) == sorted(t[1:] for t in tests)
    return True


@pytest.mark.parametrize("name", MODELS)
def test_the_page_answers_as_python_does(browser, name, tmp_path):
    model, X, sample = MODELS[name]()
    rng = np.random.default_rng(len(name))
    written = explain(model, X[:60], sample=sample, metric="minmax" if sample is not None
                      else Metric(np.abs(np.asarray(X)).max(axis=0)))  # fmt: skip
    surface = written.surface
    browser.get(write_page(written, tmp_path / "page.html").as_uri())
    names = surface.feature_names
    coded = dict(surface.tree.category_names or {})
    metrics = ["minmax", "standard", "identity"] if sample is not None else ["given", "identity"]
    questions, expected = [], []
    rows = rng.choice(len(written), size=24)
    for row in rows.tolist():
        limits = random_limits(rng, names, list(coded), X)
        metric = str(rng.choice(metrics))
        case = X[row : row + 1].copy()
        for j in range(len(names)):
            # A slider was moved.
            if j not in coded and rng.random() < 0.3:
                other = float(np.asarray(X)[rng.integers(len(X)), j])
                if hasattr(case, "iloc"):
                    case = case.astype({names[j]: float})
                    case.iloc[0, j] = other
                else:
                    case[0, j] = other
        used = surface.metric if metric == "given" else metric
        (python,) = explain(model, case, sample=sample, metric=used, **limits)
        expected.append((python, limits, used))
        encoded = [None if v != v else v for v in surface.encode(case)[0].tolist()]
        questions.append([encoded, settings_of(limits, metric, len(names))])
    reached = 0
    classes = surface.classes.tolist()
    for answer, (python, _, _) in zip(ask(browser, questions), expected, strict=True):
        reached += compare(answer, python, classes, surface.metric.scale, coded)
    assert reached >= 8  # most of the settings leave a way
    assert browser.get_log("browser") == []
