"""Trees as text and as Graphviz graphs."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree import export_text as sklearn_export_text

from oblique import LDTClassifier, ObliqueTreeClassifier, Tree
from oblique.describe import describe, format_number, readable_threshold
from oblique.export import export_graphviz, export_text

LEAVES = {"left": {"counts": {"safe": 98, "unsafe": 1}}, "right": {"counts": {"unsafe": 7.25}}}
OBLIQUE = {
    "weights": {"glucose": 1.0, "bmi": 2.5, "age": -0.03, "pressure": -1.0},
    "threshold": 137.5,
    "left": {"weights": {"age": 1.0}, "threshold": math.nextafter(40.0, 0.0), **LEAVES},
    "right": {"feature": "sex", "categories": ["f"], "others": ["m", "x"], **LEAVES},
}


def test_text_of_all_kinds_of_tests():
    text = export_text(Tree.from_nested(OBLIQUE), max_weights=3, show_counts=True)
    assert text.splitlines() == [
        "|--- 2.5 bmi + glucose - pressure + 1 more <= 137.5",
        "|   |--- age < 40",
        "|   |   |--- class: safe (98, 1)",
        "|   |--- age >= 40",
        "|   |   |--- class: unsafe (0, 7.25)",
        "|--- 2.5 bmi + glucose - pressure + 1 more > 137.5",
        "|   |--- sex in {f}",
        "|   |   |--- class: safe (98, 1)",
        "|   |--- sex in {m, x}",
        "|   |   |--- class: unsafe (0, 7.25)",
    ]


def test_names_and_ranks_can_be_given():
    tree = Tree.from_nested({"weights": {"a": -1.0, "b": 0.5}, "threshold": 1.0, **LEAVES})
    text = export_text(
        tree, feature_names=["first", "second"], class_names=["no", "yes"], spread=[1.0, 3.0]
    )
    assert text.splitlines()[:2] == ["|--- 0.5 second - first <= 1", "|   |--- class: no"]
    assert export_text(tree).startswith("|--- -a + 0.5 b <= 1\n")


def test_trees_without_names():
    theirs = DecisionTreeClassifier(max_depth=1, random_state=0).fit([[1.0], [2.0]], ["p", "q"])
    tree = Tree.from_sklearn(theirs).replace(class_names=None)
    assert export_text(tree).splitlines() == [
        "|--- x0 <= 1.5",
        "|   |--- class: 0",
        "|--- x0 > 1.5",
        "|   |--- class: 1",
    ]


def test_open_category_tests_and_long_lists():
    nested = {"feature": "city", "categories": list("abcdefg"), **LEAVES}
    lines = export_text(Tree.from_nested(nested), max_weights=3).splitlines()
    assert lines[0] == "|--- city in {a, b, c, + 4 more}"
    assert lines[2] == "|--- city not in {a, b, c, + 4 more}"
    codes = Tree.from_nested({"feature": "city", "categories": [4, 7], **LEAVES})
    assert export_text(codes).startswith("|--- city in {4, 7}\n")


def test_depth_can_be_limited():
    tree = Tree.from_nested(OBLIQUE)
    assert export_text(tree, max_depth=1).splitlines()[1] == "|   |--- ... 2 leaves"
    assert export_text(tree, max_depth=0) == "|--- ... 4 leaves"
    assert export_text(Tree.from_nested({"counts": {"a": 1}}), max_depth=0) == "|--- class: a"


def test_weights_are_ranked_by_the_spread_learnt_in_training():
    X, y = load_iris(return_X_y=True, as_frame=True)
    wide = X.assign(**{"petal length (cm)": X["petal length (cm)"] * 1e-6})
    model = LDTClassifier().fit(wide, y)
    tree = model.tree_
    node = next(t for t in np.flatnonzero(tree.children_left >= 0) if tree.split(t).feature < 0)
    split = tree.split(node)
    ranks = np.argsort(-np.abs(split.values) * wide.std(ddof=0).to_numpy()[split.indices])
    first = wide.columns[split.indices[ranks[0]]]
    assert first in str(describe(model, max_weights=1).condition(int(node)))


def test_estimators_with_category_columns():
    X = pd.DataFrame({"colour": pd.Categorical(["red", "green", "blue"] * 10)})
    y = np.where(X["colour"] == "red", "stop", "go")
    text = export_text(ObliqueTreeClassifier().fit(X, y), show_counts=True)
    assert sorted(text.splitlines()) == [
        "|   |--- class: go (20, 0)",
        "|   |--- class: stop (0, 10)",
        "|--- colour in {blue, green}",
        "|--- colour in {red}",
    ]


def test_scikit_learn_trees_read_as_they_do_there():
    X, y = load_iris(return_X_y=True, as_frame=True)
    theirs = DecisionTreeClassifier(random_state=0).fit(X, y)
    expected = sklearn_export_text(theirs, feature_names=list(X.columns), decimals=2)
    # They write 0.80 and a space more before thresholds.
    trimmed = re.sub(r"(<=|>) +(\d+\.\d*?)0*$", r"\1 \2", expected, flags=re.MULTILINE)
    trimmed = re.sub(r"\.$", "", trimmed, flags=re.MULTILINE)
    assert export_text(theirs, decimals=2) == trimmed.rstrip("\n")


def test_long_chains_are_no_matter():
    nested = {"counts": {"a": 1}}
    for i in range(2000):
        nested = {"weights": {"x": 1.0}, "threshold": i, **LEAVES, "right": nested}
    assert export_text(Tree.from_nested(nested)).count("\n") == 3 * 2000
    assert export_graphviz(Tree.from_nested(nested)).count("->") == 4000


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (137.5, 3, "137.5"),
        (137.0, 3, "137"),
        (1e6, 3, "1000000"),
        (123456.789123, 3, "123456.789"),
        (0.00012345, 3, "0.000123"),
        (0.5, 3, "0.5"),
        (0.9996, 3, "1"),
        (-0.0, 3, "0"),
        (-2.0004, 3, "-2"),
        (1.2e-9, 3, "1.2e-09"),
        (1e300, 3, "1e+300"),
        (12.6, 0, "13"),
        (0.26, 0, "0.3"),
    ],
)
def test_numbers(value, decimals, text):
    assert format_number(value, decimals) == text


@pytest.mark.parametrize("value", [7.0, -7.0, 0.1, 137.5, 1e10, 1024.0, 0.0, 99.99, 1e-5])
def test_thresholds_just_below_short_numbers(value):
    assert readable_threshold(math.nextafter(value, -math.inf)) == (value, True)
    assert readable_threshold(value) == (value, False)


@pytest.mark.parametrize("value", [1 / 3, math.pi, 2.45, -1e-17, 0.30000000000000004])
def test_other_thresholds_are_kept(value):
    assert readable_threshold(value) == (value, False)


# ---------------------------------------------------------------- Graphviz

STATEMENT = re.compile(
    r'(?P<head>node|edge|\d+(?: -> \d+)?) \[(?P<attributes>(?:\w+=(?:"(?:[^"\\]|\\.)*"|\w+)'
    r"(?:, )?)+)\];"
)
ATTRIBUTE = re.compile(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\w+))')


def parse_dot(dot):
    """Read what `export_graphviz` writes with the quoting rules of the DOT language."""
    first, *body, last = dot.rstrip("\n").split("\n")
    assert (first, last) == ("digraph Tree {", "}")
    found = {}
    for line in body:
        match = STATEMENT.fullmatch(line)
        assert match, line
        pairs = ATTRIBUTE.findall(match["attributes"])
        found[match["head"]] = {name: quoted or plain for name, quoted, plain in pairs}
    return found


def unescape(label):
    lines = re.split(r"(?<!\\)(?:\\\\)*\\n", label)
    return [re.sub(r"\\(.)", r"\1", line) for line in lines]


def test_graph_has_all_nodes_and_branches():
    tree = Tree.from_nested(OBLIQUE)
    graph = parse_dot(export_graphviz(tree, max_weights=2))
    assert set(graph) - {"node", "edge"} == {
        *map(str, range(7)),
        *("0 -> 1", "0 -> 4", "1 -> 2", "1 -> 3", "4 -> 5", "4 -> 6"),
    }
    assert graph["0 -> 1"]["label"] == "yes"
    assert graph["0 -> 4"]["label"] == "no"
    assert unescape(graph["0"]["label"]) == [
        "2.5 bmi", "+ glucose", "+ 2 more <= 137.5", "(196, 16.5)",
    ]  # fmt: skip
    assert unescape(graph["2"]["label"]) == ["class: safe", "(98, 1)"]
    assert re.fullmatch("#[0-9a-f]{6}", graph["2"]["fillcolor"])
    assert graph["2"]["fillcolor"] != graph["3"]["fillcolor"]


def test_graph_without_colours_counts_and_depth():
    dot = export_graphviz(Tree.from_nested(OBLIQUE), filled=False, show_counts=False, max_depth=1)
    graph = parse_dot(dot)
    assert graph["1"] == {"label": "... 2 leaves"}
    assert set(graph) == {"node", "edge", "0", "1", "4", "0 -> 1", "0 -> 4"}


@pytest.mark.parametrize(
    "name",
    ['say "hi"', "back\\slash", "ends\\", "<b>bold</b>", "{a|b}", "ends\\n", "größe", "a;b]"],
)
def test_names_cannot_break_the_graph(name):
    nested = {"feature": name, "categories": [name], "left": {"counts": {name: 1}}}
    tree = Tree.from_nested({**nested, "right": {"counts": {"other": 1}}})
    graph = parse_dot(export_graphviz(tree, show_counts=False))
    assert re.sub(r"\\(.)", r"\1", graph["0"]["label"]) == f"{name} in {{{name}}}"
    assert re.sub(r"\\(.)", r"\1", graph["1"]["label"]) == f"class: {name}"


def test_line_breaks_in_names_become_spaces():
    nested = {"feature": "two\nlines", "categories": ["a\r\nb"], "left": {"counts": {"x\ty": 1}}}
    tree = Tree.from_nested({**nested, "right": {"counts": {"z": 1}}})
    assert export_text(tree).startswith("|--- two lines in {a  b}\n|   |--- class: x y\n")
    assert parse_dot(export_graphviz(tree))["0"]["label"].startswith("two lines in {a  b}\\n")


def test_many_classes_have_colours():
    counts = [{str(k): 1 + 5 * (k == own) for k in range(12)} for own in range(12)]
    nested = {"counts": counts[0]}
    for i in range(1, 12):
        nested = {
            "weights": {"x": 1.0}, "threshold": i, "left": nested, "right": {"counts": counts[i]},
        }  # fmt: skip
    tree = Tree.from_nested(nested)
    graph = parse_dot(export_graphviz(tree))
    assert len({graph[str(leaf)]["fillcolor"] for leaf in tree.leaves}) == 12


# ---------------------------------------------------------------- what is refused


def test_models_without_a_tree_are_refused():
    X, y = load_iris(return_X_y=True)
    for model in (LDTClassifier(), DecisionTreeClassifier()):
        with pytest.raises(NotFittedError):
            export_text(model)
    forest = RandomForestClassifier(2).fit(X, y)
    with pytest.raises(TypeError, match="RandomForestClassifier; hand in one of its estimators_"):
        export_text(forest)
    assert export_text(forest.estimators_[0]).startswith("|--- x")
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier()).fit(X, y)
    with pytest.raises(TypeError, match="Pipeline; hand in the pipeline's last step"):
        export_graphviz(pipeline)
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, cv=2).fit(X, y)
    with pytest.raises(TypeError, match="hand in its best_estimator_"):
        export_text(search)
    with pytest.raises(TypeError, match="got str"):
        export_text("model")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"feature_names": ["a"]}, "feature_names must hold 5 names"),
        ({"class_names": "ab"}, "class_names must hold 2 names, got 'ab'"),
        ({"max_weights": 0}, "max_weights=0 must be an integer of at least 1"),
        ({"decimals": -1}, "decimals=-1 must be an integer of at least 0"),
        ({"decimals": 1.5}, r"decimals=1\.5 must be"),
        ({"max_depth": -1}, "max_depth=-1 must be None or an integer"),
        ({"spread": [1.0]}, r"spread must have shape \(5,\)"),
    ],
)
def test_options_that_do_not_fit(options, message):
    tree = Tree.from_nested(OBLIQUE)
    for export in (export_text, export_graphviz):
        with pytest.raises(ValueError, match=message):
            export(tree, **options)
