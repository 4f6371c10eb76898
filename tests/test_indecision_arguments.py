"""Arguments of a tree: condensed, weighed for a case, written, and read by ProbLog."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_classification

from oblique import IndecisionTreeClassifier, ObliqueTreeClassifier, Tree
from oblique.finders import LinearDiscriminant
from oblique.indecision import (
    Interval,
    UncertainTable,
    Values,
    argue,
    arguments_to_dict,
    export_arguments,
    export_problog,
    plot_arguments,
)
from oblique.indecision.argument import condense

DOG = Tree.from_nested(
    {
        "weights": {"height": 1.0}, "threshold": 24.0,
        "left": {
            "feature": "colour", "categories": ["black"], "others": ["brown", "blond"],
            "left": {"counts": {"R": 60, "C": 40}},
            "right": {
                "weights": {"height": -2.0}, "threshold": -36.0,
                "left": {"counts": {"C": 3, "R": 1}}, "right": {"counts": {"B": 9}},
            },
        },
        "right": {"counts": {"B": 5}},
    },
    classes=["R", "B", "C"],
)  # fmt: skip
CASE = UncertainTable(
    [[22.0, 0.0]], [[2.5, 0.0]], probabilities={1: [[0.7, 0.2, 0.1]]},
    values={1: ("black", "brown", "blond")},
)  # fmt: skip


def iris_case(directions=None):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = IndecisionTreeClassifier(max_depth=4, directions=directions)
    model.fit(X, y, X_std=np.full(X.shape, 0.15))
    case = UncertainTable(X[70:71], 0.3, feature_names=list(X.columns))
    return model, case


def test_rules_are_condensed():
    base = argue(DOG)
    premises = [argument.premises for argument in base.arguments]
    height = ((0, 1.0),)
    assert premises[0] == (Interval(height, -np.inf, 24.0), Values(1, (0,)))
    assert premises[1] == (Interval(height, np.nextafter(18.0, 0.0), 24.0), Values(1, (1, 2)))
    # -2 height <= -36 is height >= 18: both ends of one interval.
    spelled = [base.premise(p) for p in premises[1]]
    assert spelled == ["18 <= height <= 24", "colour in {brown, blond}"]
    assert [base.premise(p) for p in premises[3]] == ["height > 24"]
    first = base.arguments[0]
    assert (first.support, first.strength, base.words.classes[first.conclusion]) == (100, 0.6, "R")


def test_contradictions_are_dropped():
    tree = Tree.from_nested(
        {
            "weights": {"x": 1.0}, "threshold": 1.0,
            "left": {
                "weights": {"x": 1.0}, "threshold": 2.0, "left": {"counts": {"a": 1}},
                "right": {"counts": {"b": 1}},
            },
            "right": {"counts": {"b": 1}},
        }
    )  # fmt: skip
    assert condense(tree, 3) is None or condense(tree, 2) is None
    base = argue(tree, UncertainTable([[0.5]], 1.0))
    assert len(base.arguments) == 2
    assert sum(base.reach) == pytest.approx(1.0)


def test_arguments_of_a_case():
    base = argue(DOG, CASE)
    assert base.reach[0] == pytest.approx(0.7881446 * 0.7, abs=1e-7)
    assert sum(base.reach) == pytest.approx(1.0)
    assert sum(base.probabilities) == pytest.approx(1.0)
    model, case = iris_case()
    np.testing.assert_allclose(argue(model, case).probabilities, model.predict_proba(case)[0])


def test_relations():
    base = argue(DOG, CASE)
    relations = base.relations()
    assert len(relations) == 4 * 3
    for relation in relations:
        source, target = (
            next(a for a in base.arguments if a.leaf == leaf)
            for leaf in (relation.source, relation.target)
        )
        same = source.conclusion == target.conclusion
        assert relation.kind == ("support" if same else "attack")
    strongest = max(relations, key=lambda r: r.weight)
    assert strongest.source == base.arguments[0].leaf
    assert strongest.weight == pytest.approx(base.reach[0] * 0.6)
    attacks = [r for r in relations if r.source == strongest.source and r.kind == "attack"]
    assert all(r.defeats for r in attacks)
    with pytest.raises(ValueError, match="give one to argue"):
        argue(DOG).relations()


def test_text():
    text = export_arguments(argue(DOG, CASE), least=0.1)
    assert text.splitlines()[0] == (
        "[0.552] height <= 24 and colour in {black} => R (strength 0.600, support 100)"
    )
    assert "more arguments, together" in text
    assert text.splitlines()[-1].startswith("probability: R 0.")
    plain = export_arguments(argue(DOG))
    assert len(plain.splitlines()) == 4
    assert "[" not in plain


def test_json():
    document = json.loads(json.dumps(arguments_to_dict(argue(DOG, CASE))))
    assert document["classes"] == ["R", "B", "C"]
    first = document["arguments"][0]
    assert first["premises"][0] == {"weights": {"height": 1.0}, "above": None, "at_most": 24.0}
    assert first["premises"][1] == {"feature": "colour", "values": ["black"]}
    total = sum(a["applies"] * a["distribution"]["R"] for a in document["arguments"])
    assert document["probabilities"]["R"] == pytest.approx(total)
    assert {r["kind"] for r in document["relations"]} <= {"attack", "support"}


def evaluate(program):
    problog = pytest.importorskip("problog")
    from problog.program import PrologString

    answer = problog.get_evaluatable().create_from(PrologString(program)).evaluate()
    return {str(term.args[0]).strip("'"): value for term, value in answer.items()}


@pytest.mark.parametrize("model", ["dog", "iris", "oblique", "correlated", "missing"])
def test_problog_reads_the_arguments(model):
    """The program gives the probabilities of the tree back."""
    if model == "dog":
        base = argue(DOG, CASE)
    elif model == "missing":
        values = {1: ("black", "brown", "blond")}
        missing = {1: [[np.nan] * 3]}
        base = argue(DOG, UncertainTable([[22.0, 0.0]], probabilities=missing, values=values))
    else:
        fitted, case = iris_case(LinearDiscriminant() if model == "oblique" else None)
        if model == "correlated":
            joint = np.diag(np.full(4, 0.09)) + 0.03
            case = UncertainTable(case.means, covariance=[joint])
        base = argue(fitted, case)
    program = export_problog(base)
    assert ("part(" in program) == (model in ("dog", "iris"))
    found = evaluate(program)
    for name, share in zip(base.words.classes, base.probabilities, strict=True):
        assert found.get(name, 0.0) == pytest.approx(share, abs=1e-8)


def test_problog_rules_without_a_case():
    program = export_problog(argue(DOG))
    below = base_ends(argue(DOG))[0]
    facts = f"at_most('height', 24.0). above('height', {below!r}). value('colour', 'brown').\n"
    unused = f"at_most('height', {below!r}) :- fail. above('height', 24.0) :- fail.\n"
    found = evaluate(program + facts + unused + "query(class(_)).\n")
    assert found == {"C": pytest.approx(0.75), "R": pytest.approx(0.25)}


def base_ends(base):
    return sorted(
        {p.low for a in base.arguments for p in a.premises if isinstance(p, Interval)} - {-np.inf}
    )


def test_odd_names_survive_problog():
    frame = pd.DataFrame({"it's \\ odd": [0.0, 1.0, 2.0, 3.0]})
    model = ObliqueTreeClassifier().fit(frame, ["don't", "don't", "x y", "x y"])
    case = UncertainTable([[1.4]], 0.5)
    found = evaluate(export_problog(argue(model, case)))
    assert sorted(found.values()) == pytest.approx(sorted(argue(model, case).probabilities))


def test_a_name_may_end_in_a_backslash():
    tree = Tree.from_nested(
        {
            "weights": {"x": 1.0}, "threshold": 0.0,
            "left": {"counts": {"A \\": 1}}, "right": {"counts": {"B": 1}},
        }
    )  # fmt: skip
    found = evaluate(export_problog(argue(tree, UncertainTable([[0.0]], 1.0))))
    assert list(found.values()) == pytest.approx([0.5, 0.5])


def test_a_case_is_one_row():
    with pytest.raises(ValueError, match="case must be one row, got 2"):
        argue(DOG, CASE[[0, 0]])


@pytest.mark.parametrize("least", [np.nan, -0.1, 2, "a", None, True])
def test_the_least_probability_is_one(least):
    base = argue(DOG, CASE)
    with pytest.raises(ValueError, match=r"least=.* must be a probability"):
        export_arguments(base, least=least)
    with pytest.raises(ValueError, match=r"least=.* must be a probability"):
        base.relations(least=least)


def test_what_is_no_argument_base_is_named():
    for write in (export_arguments, export_problog, arguments_to_dict, plot_arguments):
        with pytest.raises(TypeError, match=r"base must be what argue\(model, case\) returns"):
            write(DOG)
    with pytest.raises(ValueError, match="most=0 must be an integer of at least 1"):
        plot_arguments(argue(DOG, CASE), most=0)


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    left, right = plot_arguments(argue(DOG, CASE), most=2)
    widths = [patch.get_width() for patch in left.patches]
    np.testing.assert_allclose(widths, argue(DOG, CASE).probabilities)
    assert sum(patch.get_width() for patch in right.patches) == pytest.approx(1.0)
    assert [label.get_text() for label in right.get_yticklabels()][-1] == "all others"
    plt.close("all")


def test_labels_of_the_plot_do_not_overlap():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = make_classification(200, 6, random_state=0)
    model = IndecisionTreeClassifier().fit(X, y, X_std=np.full(X.shape, 0.3))
    case = UncertainTable(X[:1], 0.5)
    _, right = plot_arguments(argue(model, case))
    assert max(label.get_text().count("\n") for label in right.get_yticklabels()) >= 3
    right.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in right.get_yticklabels()]
    assert all(above.y0 > below.y1 for above, below in itertools.pairwise(boxes))
    plt.close("all")
