"""What the paper did not have, beside LDT: strategies, adapters of other packages, the page."""

import re
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from baselines import TreeAlternatingOptimization
from oblique import LDTClassifier
from oblique.compare.execute import prepare_estimator
from oblique.compare.paired import describe_differences
from oblique.datasets import load_dataset
from scripts import reproduce
from scripts.vadera import peers
from scripts.vadera.combinations import BaggedLDT, PrunedThenImprovedLDT
from scripts.vadera.rivals import LDT, LDT_PRUNED, list_rivals
from scripts.vadera.standing import (
    VERDICTS,
    compare_over_sets,
    find_standing,
    judge,
    non_dominated,
)

# ---------------------------------------------------------------- statistics


@pytest.mark.parametrize(
    ("points", "front"),
    [
        ({"a": (90, 50), "b": (80, 60), "c": (79, 59)}, ["a", "b"]),
        ({"a": (90, 50), "b": (90, 60)}, ["b"]),
        ({"a": (90, 60), "b": (80, 60)}, ["a"]),
        ({"a": (90, 50), "b": (90, 50), "c": (95, 40)}, ["c", "a", "b"]),
        ({}, []),
    ],
)
def test_front_holds_what_nothing_else_beats(points, front):
    assert non_dominated(points) == front


def test_front_agrees_with_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(50):
        points = {str(i): tuple(map(int, rng.integers(0, 6, 2))) for i in range(8)}
        expected = {
            name for name, p in points.items()
            if not any(q[0] >= p[0] and q[1] >= p[1] and q != p for q in points.values())
        }  # fmt: skip
        assert set(non_dominated(points)) == expected


def difference(mean, ci=1.0, corrected=5.0):
    return describe_differences([0.0, 0.0], 1.0)._replace(mean=mean, ci=ci, corrected_ci=corrected)


@pytest.mark.parametrize(
    ("unsafe", "overall", "verdict", "corrected"),
    [
        (2, 0, "safer, no less accurate", "no difference"),
        (2, 2, "safer, no less accurate", "no difference"),
        (9, -2, "safer, less accurate", "safer, no less accurate"),
        (0, 2, "as safe, more accurate", "no difference"),
        (0.9, 0.9, "no difference", "no difference"),
        (0, -9, "as safe, less accurate", "as safe, less accurate"),
        (-2, 2, "less safe, more accurate", "no difference"),
        (-9, 2, "less safe, more accurate", "less safe, no more accurate"),
        (-2, 0, "less safe, no more accurate", "no difference"),
    ],
)
def test_verdict(unsafe, overall, verdict, corrected):
    pair = difference(unsafe), difference(overall)
    assert judge(*pair) == verdict
    assert judge(*pair, corrected=True) == corrected
    assert {verdict, corrected} <= set(VERDICTS)


def test_a_difference_over_sets_is_the_mean_of_each_split():
    rng = np.random.default_rng(1)
    values = rng.uniform(size=(2, 2, 6))
    cells = pd.DataFrame(
        [
            {
                "dataset": dataset, "strategy": strategy, "protocol": "30/70", "repeat": repeat,
                "fold": None, "status": "done", "n_train": 30, "n_test": 70,
                "unsafe_accuracy": values[i, j, repeat], "safe_accuracy": 0.0, "accuracy": 1.0,
            }
            for i, strategy in enumerate(("x", "ldt"))
            for j, dataset in enumerate(("a", "b"))
            for repeat in range(6)
        ]
    )  # fmt: skip
    found = compare_over_sets(cells, "x", "ldt", "unsafe_accuracy", "30/70")
    assert found == describe_differences((values[0] - values[1]).mean(axis=0), 70 / 30)
    standing = find_standing(type("M", (), {"cells": cells}), "x", "ldt", "30/70")
    assert standing.unsafe == found
    assert standing.overall.mean == 0.0
    assert list(standing.rows) == [("a", "30/70"), ("b", "30/70")]
    counts = [standing.count(verdict) for verdict in VERDICTS]
    assert sum(counts) == 2


# ---------------------------------------------------------------- strategies


def test_strategies_have_names_and_parameters_of_their_own():
    rivals = list_rivals()
    assert len({each.name for each in rivals}) == len(rivals)
    assert len({str(each.strategy.parameters) for each in rivals}) == len(rivals)
    assert {LDT, LDT_PRUNED} <= {each.name for each in rivals}
    assert {each.package for each in rivals} == {None, "ydf", "stree", "treeple"}


def test_strategies_need_no_peer_to_be_named(monkeypatch):
    for package in ("ydf", "stree", "treeple"):
        monkeypatch.setitem(sys.modules, package, None)
    assert len(list_rivals()) > 30


@pytest.mark.parametrize("pruning", [None, "safe"])
@pytest.mark.parametrize("names", [(1, 2), ("ill", "well")])
def test_bagged_trees_know_the_unsafe_class(pruning, names):
    data = load_dataset("hepatitis_filled")
    assert data.unsafe_class == 1
    labels = np.where(data.target == 1, *names)
    model = prepare_estimator(BaggedLDT(5, pruning), unsafe_class=names[0], seed=0)
    model.fit(data.data, labels)
    # The bagged trees' classes are 0 and 1; the unsafe one comes first.
    assert [tree.unsafe_class_ for tree in model.model_.estimators_] == [0] * 5
    assert set(model.predict(data.data)) <= set(names)
    assert model.predict_proba(data.data).shape == (len(labels), 2)


def test_pruned_then_improved_is_no_worse_on_its_rows():
    data = load_dataset("heart_complete")
    pruned = LDTClassifier(unsafe_class=1, pruning="safe", random_state=0)
    pruned.fit(data.data, data.target)
    model = PrunedThenImprovedLDT(1, 0).fit(data.data, data.target)
    assert model.score(data.data, data.target) > pruned.score(data.data, data.target)
    better = TreeAlternatingOptimization(simplify=True).improve(pruned, data.data, data.target)
    assert np.array_equal(model.predict_proba(data.data), better.predict_proba(data.data))
    assert model.tree_.n_leaves <= pruned.tree_.n_leaves


ADAPTERS = [
    peers.YdfTree(),
    peers.YdfTree(pruned=True),
    peers.YdfTree(oblique=False, pruned=True),
    peers.YdfBoosted(),
    peers.StreeTree(),
    peers.TreepleTree(),
]


@pytest.mark.parametrize("adapter", ADAPTERS, ids=str)
def test_another_package_is_a_classifier(adapter):
    missing = peers.why_missing(adapter.package)
    if missing:
        pytest.skip(missing)
    X, codes = load_iris(return_X_y=True)
    # Neither sorted by size nor in the order of appearance.
    y = np.array(["z", "m", "a"])[codes][::-1]
    frame = pd.DataFrame(X[::-1], columns=list("abcd"))
    prepared = [prepare_estimator(adapter, unsafe_class="a", seed=2**32 - 1) for _ in range(2)]
    first, second = (model.fit(frame, y) for model in prepared)
    assert first.classes_.tolist() == ["a", "m", "z"]
    assert first.score(frame, y) > 0.9
    probabilities = first.predict_proba(frame)
    assert np.allclose(probabilities.sum(axis=1), 1.0)
    assert (first.classes_[probabilities.argmax(axis=1)] == first.predict(frame)).mean() > 0.99
    assert np.array_equal(first.predict(frame), second.predict(frame))
    if not isinstance(adapter, peers.YdfBoosted):
        size = first.tree_
        assert 2 <= size.max_depth + 1 <= size.n_leaves <= 2**size.max_depth
    # Two classes go another way through ydf.
    two = prepare_estimator(adapter, unsafe_class=1, seed=3).fit(frame, np.where(y == "a", 1, 2))
    assert two.score(frame, np.where(y == "a", 1, 2)) > 0.9


def test_a_package_that_cannot_be_used_says_why(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "compiled_for_another.py").write_text("raise ValueError('size\\n changed')")
    (tmp_path / "lacks_a_part.py").write_text("import no_such_part")
    assert peers.why_missing("no_such_package") == "no_such_package is not installed"
    assert peers.why_missing("json") is None
    told = peers.why_missing("compiled_for_another")
    assert told == "compiled_for_another cannot be imported (ValueError: size changed)"
    assert "No module named 'no_such_part'" in peers.why_missing("lacks_a_part")
    assert peers.find_version("no_such_package") is None


# ---------------------------------------------------------------- the page


def arguments(folder, *strategies):
    return [
        "beyond", "--sets", "hepatitis_filled", "--repeats", "2",
        "--store", str(folder / "store"), "--output", str(folder / "page"),
        *(["--strategies", *strategies] if strategies else []),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def without_peers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("beyond")
    with pytest.MonkeyPatch.context() as patch:
        for package in ("ydf", "stree", "treeple"):
            patch.setitem(sys.modules, package, None)
        assert reproduce.main(arguments(folder, "ap_safe", "ldt_bagged", "ydf_oblique")) == 0
    return folder


def test_what_is_not_installed_is_left_out_and_the_rest_runs(without_peers):
    page = (without_peers / "page" / "beyond.md").read_text()
    assert "\n- ydf_oblique: ydf is not installed\n" in page
    assert "\n- treeple_oblique: treeple is not installed\n" in page
    assert "\n- forest: not asked for\n" in page
    (means,) = re.findall(r"^## Means of the sets.*\n\n((?:\|.*\n)+)", page, re.M)
    rows = [line.split("|")[2].strip() for line in means.splitlines()[2:]]
    assert rows == ["ldt", "ldt_safe_pruned", "ap_safe", "*ldt_bagged*"]
    for title in ("Minus LDT", "Minus safe-pruned LDT", "hepatitis_filled, 50/50"):
        assert f"\n## {title}\n" in page
    # Each table is as wide in all lines.
    for table in re.findall(r"(?:^\|.*\n)+", page, re.M):
        assert len({line.count("|") for line in table.splitlines()}) == 1
    assert (without_peers / "page" / "pareto.png").stat().st_size > 5000


def test_a_later_run_takes_others_from_the_store(without_peers, monkeypatch):
    """As in another environment: one that has stree, then one that has not."""

    def train(self, X, codes):
        return DecisionTreeClassifier(random_state=self.random_state).fit(X, codes)

    monkeypatch.setattr(peers.StreeTree, "_train", train)
    monkeypatch.setattr(peers.StreeTree, "_size", lambda self: None)
    monkeypatch.setitem(sys.modules, "stree", ModuleType("stree"))
    monkeypatch.setitem(sys.modules, "ydf", None)
    assert reproduce.main(arguments(without_peers, "stree")) == 0
    page = (without_peers / "page" / "beyond.md").read_text()
    assert "| ap_safe |" in page
    asked = []

    def refuse(cells, *_, **__):
        asked.extend(cells)
        yield from ()

    monkeypatch.setattr("oblique.compare.runner.run_local", refuse)
    monkeypatch.setitem(sys.modules, "stree", None)
    assert reproduce.main(arguments(without_peers, "ap_safe")) == 0
    assert asked == []
    again = (without_peers / "page" / "beyond.md").read_text()
    assert again == page
    assert "| stree |" in again
    # More splits than the store holds of it.
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "stree", None)
    more = arguments(without_peers, "ap_safe")
    more[more.index("--repeats") + 1] = "3"
    assert reproduce.main(more) == 0
    told = (without_peers / "page" / "beyond.md").read_text()
    assert "\n- stree: stree is not installed; 6 of 9 cells are in the store\n" in told


def test_a_failure_is_told_and_tried_again(without_peers, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "treeple", ModuleType("treeple"))
    assert reproduce.main(arguments(without_peers, "treeple_oblique")) == 1
    told = capsys.readouterr().err
    assert re.search("6 of [0-9]+ cells failed; treeple_oblique on hepatitis_filled: Mod", told)

    def train(self, X, codes):
        return DecisionTreeClassifier(random_state=self.random_state).fit(X, codes)

    monkeypatch.setattr(peers.TreepleTree, "_train", train)
    assert reproduce.main(arguments(without_peers, "treeple_oblique")) == 0
    assert "| treeple_oblique |" in (without_peers / "page" / "beyond.md").read_text()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["beyond", "--strategies", "ldtt"], "--strategies: 'ldtt' is unknown; take from ldt,"),
        (["beyond", "--readings"], "--readings is an option of vadera only"),
        (["vadera", "--strategies", "ldt"], "--strategies is an option of beyond only"),
        (["turney", "--sets", "pima"], "--sets is an option of vadera and beyond only"),
    ],
)
def test_bad_arguments_are_named(given, told, capsys):
    with pytest.raises(SystemExit) as ended:
        reproduce.main(given)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err
