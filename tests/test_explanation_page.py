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

HOSTILE = ["<script>alert(1)</script>", '"quo\'te" & </script><!--', "größe \u2028 →", "b\\u003c"]


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
    weights = {j: float(rng.uniform(0.2, 5.0)) for j in pick(chosen[3])}
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


def compare(found, python, classes, scale, coded, integer):
    """One answer of the page against one explanation; True where another class can be reached."""
    assert found["status"] == python.status
    assert classes[found["predictedClass"]] == python.predicted_class
    assert found["leaf"] == python.leaf
    assert [t["node"] for t in found["trace"]] == [t.node for t in python.trace]
    margins = [None if np.isnan(t.margin) else t.margin for t in python.trace]
    assert close([t["margin"] for t in found["trace"]], margins)
    if python.status == "unrouted":
        return False
    if any(python.values[name] is None for j, name in enumerate(python.values) if j in coded):
        # A test elsewhere does not know the category. On the page it must change for either side,
        # to Python's search it is outside the set of the test, which is never dearer.
        if found["distance"] is not None:
            assert (
                found["distance"] >= min(d for d in python.distance_by_class.values() if d) - 1e-6
            )
        return False
    by_class = np.array(list(python.distance_by_class.values()))
    others = np.array(classes) != python.predicted_class
    if by_class[others].min() >= python.distance * (1 - 1e-9):
        assert close(found["byClass"], by_class)
    else:
        # In Python a frozen 8 may touch "x < 8", stored as "<=" the number before it: the distances
        # by class count that leaf, the nearest point, checked by prediction, does not.
        shown = np.array([np.inf if d is None else d for d in found["byClass"]])
        assert close(shown[others].min(), python.distance)
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
    assert all(move.value != move.to for move in python.moves)
    for j, name in enumerate(python.values):
        to = moves.get(name, python.values[name])
        if j in coded:
            assert (None if found["point"][j] is None else coded[j][found["point"][j]]) == to
        else:
            assert close(found["point"][j] / scale[j], to / scale[j])
    tests = [(t.margin, t.node, t.passed, t.violated) for t in python.sensitive_tests]
    shown = [(t["margin"], t["node"], t["passed"], t["violated"]) for t in found["tests"]]
    if integer:
        return True  # more tests may meet in the nearest point than are needed to explain it
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
        case = pd.DataFrame(X[row : row + 1], columns=names).copy()
        for j in np.flatnonzero(rng.random(len(names)) < 0.3).tolist():
            # A slider was moved, or a category chosen, which may be the unknown one.
            if j in coded:
                case.iloc[0, j] = rng.choice([None, *coded[j]])
            else:
                other = float(np.asarray(X)[rng.integers(len(X)), j])
                case = case.astype({names[j]: float})
                case.iloc[0, j] = other
        used = surface.metric if metric == "given" else metric
        (python,) = explain(model, case, sample=sample, metric=used, **limits)
        expected.append(python)
        encoded = [None if v != v else v for v in surface.encode(case)[0].tolist()]
        questions.append([encoded, settings_of(limits, metric, len(names))])
    reached = 0
    classes = surface.classes.tolist()
    for answer, python in zip(ask(browser, questions), expected, strict=True):
        reached += compare(answer, python, classes, surface.metric.scale, coded, "integer" in name)
    assert reached >= 8  # most of the settings leave a way
    assert browser.get_log("browser") == []


# ---------------------------------------------------------------- in the hands of a reader


@pytest.fixture(scope="module")
def pima_page(tmp_path_factory):
    model, X, _ = ldt("pima")
    explanations = explain(model, X[:30], frozen=["age"], weights={"glucose": 2.0})
    return explanations, write_page(explanations, tmp_path_factory.mktemp("page") / "pima.html")


@pytest.fixture
def page(browser, pima_page):
    resize(browser, 1280)
    browser.get(pima_page[1].as_uri())
    yield browser
    assert browser.get_log("browser") == []


def by_id(page, name):
    return page.find_element("id", name)


def shown(page):
    """Texts of the answer on the screen."""
    verdict, answer = by_id(page, "verdict").text, by_id(page, "answer").text
    assert verdict
    return verdict, answer


def choose(page, name, value):
    """Choose from a list by its value."""
    from selenium.webdriver.support.select import Select

    Select(by_id(page, name)).select_by_value(value)


def test_it_starts_with_the_limits_of_the_explanations(page, pima_page):
    (first, *_) = pima_page[0]
    verdict, answer = shown(page)
    assert verdict == (
        f"Class {first.predicted_class}. Distance {first.distance:.4g} to class "
        f"{first.target_class}."
    )
    assert f"at distance {first.unconstrained.distance:.4g}" in answer
    for test in first.sensitive_tests:
        assert f"margin {test.margin:.4g}" in answer
    assert by_id(page, "may-7").get_attribute("value") == "frozen"
    assert by_id(page, "weight-1").get_attribute("value") == "2"


def test_every_control_changes_the_answer(page):
    from selenium.webdriver.common.keys import Keys

    seen = [shown(page)]

    def changed():
        seen.append(shown(page))
        return seen[-1] != seen[-2]

    choose(page, "case", "7")  # its answer hangs on every attribute that is changed below
    assert changed()
    choose(page, "metric", "standard")
    assert changed()
    by_id(page, "slider-1").send_keys(Keys.ARROW_RIGHT * 3)
    assert changed()
    field = by_id(page, "value-1")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.BACKSPACE)
    assert field.get_attribute("aria-invalid") == "true"
    field.send_keys("160.5")
    assert field.get_attribute("aria-invalid") != "true"
    assert changed()
    assert float(by_id(page, "slider-1").get_attribute("value")) == pytest.approx(160.5, abs=1)
    weight = by_id(page, "weight-1")
    weight.send_keys(Keys.CONTROL, "a")
    weight.send_keys("7")
    assert changed()
    choose(page, "may-1", "frozen")
    assert changed()
    choose(page, "may-5", "rise")
    choose(page, "may-6", "fall")
    assert changed()
    by_id(page, "reset-limits").send_keys(Keys.ENTER)
    assert changed()
    assert by_id(page, "weight-1").get_attribute("value") == "2"
    by_id(page, "reset-values").send_keys(Keys.SPACE)
    assert changed()
    choose(page, "metric", "minmax")
    choose(page, "case", "0")
    assert shown(page) == seen[0]


def test_a_reader_without_a_mouse(page):
    """Tab goes through every control in the order of the page, and focus can be seen."""
    from selenium.webdriver.common.keys import Keys

    visited = []
    by_id(page, "case").send_keys("")
    for _ in range(40):
        active = page.switch_to.active_element
        if active.tag_name == "body":  # past the last control
            break
        outline = active.value_of_css_property("outline-style")
        visited.append(active.get_attribute("id") or active.tag_name)
        assert outline == "solid"
        active.send_keys(Keys.TAB)
    attributes = [f"{part}-{j}" for j in range(8) for part in ("value", "slider", "may", "weight")]
    assert visited[:36] == ["case", "metric", "reset-values", "reset-limits", *attributes]


def test_what_is_announced(page):
    verdict = by_id(page, "verdict")
    assert (verdict.aria_role, verdict.get_attribute("aria-live")) == ("status", "polite")
    assert by_id(page, "slider-1").accessible_name == "glucose, slider"
    assert by_id(page, "may-1").accessible_name == "glucose may"


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    """Names that could end a script, a text or an attribute."""
    model, X, _ = categories(LDTClassifier)
    X = X.rename(columns=dict(zip(X.columns, HOSTILE, strict=True)))
    X[HOSTILE[1]] = X[HOSTILE[1]].cat.rename_categories({"<b>": "<img src=x onerror=alert(2)>"})
    y = pd.Series(model.predict(categories(LDTClassifier)[1])).map(
        {0: "</script><b>0</b>", 1: "'1'", 2: "zwei \u2029"}
    )
    model = LDTClassifier(max_depth=5).fit(X, y)
    X.index = [f"<i>{i}</i>" for i in range(len(X))]
    written = explain(model, X[:20])
    path = tmp_path_factory.mktemp("page") / "hostile.html"
    return written, write_page(written, path, title="</title><script>alert(3)</script>")


def test_hostile_names_are_texts(browser, hostile_page):
    written, path = hostile_page
    text = path.read_text(encoding="utf-8")
    assert text.count("<script") == text.count("</script>") == 5
    assert text.count("<title>") == text.count("</title>") == 1
    browser.get(path.as_uri())
    legends = browser.execute_script(
        "return [...document.querySelectorAll('legend')].map(e => e.textContent)"
    )
    assert legends == HOSTILE
    choices = browser.execute_script("return [...document.images].length")
    assert choices == 0
    cases = browser.execute_script("return document.getElementById('case').options[3].textContent")
    assert cases == "<i>3</i>"
    assert f"class {written[0].predicted_class}" in by_id(browser, "leaf").get_attribute(
        "textContent"
    )
    choose(browser, "value-1", "0")
    choose(browser, "may-3", "frozen")
    assert "Distance" in shown(browser)[0]
    choose(browser, "value-1", "")
    choose(browser, "value-3", "")
    assert "unknown to the tree" in shown(browser)[0]
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("which", ["pima_page", "hostile_page"])
def test_screens_and_accessibility(browser, which, width, request, tmp_path):
    path = request.getfixturevalue(which)[1]
    resize(browser, width)
    browser.get(path.as_uri())
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.save_screenshot(str(tmp_path / "page.png"))
    assert browser.get_log("browser") == []
    violations, passed = accessibility_violations(browser)
    assert violations == []
    assert {"label", "color-contrast", "aria-valid-attr-value", "select-name"} <= set(passed)


def test_motion_only_where_it_is_wanted(browser, pima_page):
    for preference, duration in (("reduce", "0s"), ("no-preference", "0.15s")):
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-reduced-motion", "value": preference}]},
        )
        browser.get(pima_page[1].as_uri())
        bar = browser.find_element("css selector", ".bar span")
        assert bar.value_of_css_property("transition-duration") == duration
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


# ---------------------------------------------------------------- the file


def test_the_file_needs_nothing_else(pima_page):
    text = pima_page[1].read_text(encoding="utf-8")
    assert set(re.findall(r"""(?:src|href)=["']([^"']*)""", text)) == {"data:,", "#answer"}
    assert "http" not in text
    assert "@import" not in text


def test_what_the_page_cannot_answer_is_refused(tmp_path):
    tree = Tree.from_nested(
        {
            "weights": {"u": 1.0}, "threshold": 0.5,
            "left": {"counts": {"a": 1, "b": 0}}, "right": {"counts": {"a": 0, "b": 1}},
        }
    )  # fmt: skip
    X = np.zeros((1, 1))
    path = tmp_path / "page.html"
    for options, message in (
        ({"norm": np.inf}, "norm=inf: the page measures by the Euclidean norm only"),
        ({"integer": ["u"]}, "integer: the page does not move attributes to whole numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            write_page(explain(tree, X, metric="identity", **options), path)
    with pytest.raises(ValueError, match="holds 2001 cases: a page takes 1 to 2000"):
        write_page(explain(tree, np.zeros((2001, 1)), metric="identity"), path)
    assert not path.exists()
    assert write_page(explain(tree, X, metric="identity"), str(path)) == path


def test_the_command_writes_a_page(tmp_path, capsys, monkeypatch):
    from oblique.cli import main

    monkeypatch.chdir(tmp_path)
    assert main(["fit", "bupa", "--output", "m.json"]) == 0
    capsys.readouterr()
    arguments = ["explain", "m.json", "bupa", "--case", "2", "--weight", "gammagt=3", "--json"]
    assert main([*arguments, "--html", "out.html"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["case"] == 2
    assert err == "page written to out.html\n"
    text = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "<title>Explanation of bupa</title>" in text
    model = json.loads(re.search(r'id="model">(.*)</script>', text).group(1))
    assert [case["name"] for case in model["cases"]] == ["2"]
    assert model["start"]["weights"][model["features"].index("gammagt")] == 3.0
    assert main([*arguments, "--html", "no/such/out.html"]) == 2
    assert "--html no/such/out.html: the folder" in capsys.readouterr().err
