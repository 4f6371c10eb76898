"""Drawings of trees: what is in the boxes, and that they do not stand on each other."""

import itertools
import sys

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from oblique import ObliqueTreeClassifier, Tree
from oblique.plot import plot_tree

mpl.use("Agg")
from matplotlib import pyplot as plt

LEAVES = {"left": {"counts": {"a": 3}}, "right": {"counts": {"b": 2, "a": 1}}}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def boxes_of(ax):
    """Extents in pixels of the boxes, by their text; answers stand in `answers_of`."""
    ax.figure.canvas.draw()
    return [
        (text.get_text(), text.get_bbox_patch().get_window_extent())
        for text in ax.texts
        if text.get_text() not in ("yes", "no")
    ]


def assert_apart(ax):
    boxes = boxes_of(ax)
    frame = ax.figure.bbox
    for text, box in boxes:
        assert box.x0 >= frame.x0, text
        assert box.x1 <= frame.x1, text
        assert box.y0 >= frame.y0, text
        assert box.y1 <= frame.y1, text
    for (first, a), (second, b) in itertools.combinations(boxes, 2):
        assert not a.overlaps(b), (first, second)
    # Branches touch the boxes at their ends and cross none.
    corners = np.array([box.padded(-2.0).extents for _, box in boxes])
    for line in ax.lines:
        points = ax.transData.transform(np.transpose(line.get_data()))
        for start, end in itertools.pairwise(points):
            inner = (start + np.linspace(0.02, 0.98, 50)[:, None] * (end - start))[:, None]
            inside = (corners[:, :2] < inner) & (inner < corners[:, 2:])
            assert not inside.all(axis=2).any()


@pytest.fixture(scope="module")
def big():
    X, y = make_classification(900, 8, n_informative=6, n_classes=4, random_state=0)
    model = ObliqueTreeClassifier(min_samples_leaf=8, max_depth=5).fit(X, y)
    assert 25 <= model.tree_.n_leaves <= 32
    return model


def test_boxes_of_a_new_figure_are_apart(big):
    ax = plot_tree(big)
    assert_apart(ax)
    assert len(boxes_of(ax)) == big.tree_.n_nodes
    assert {text.get_fontsize() for text in ax.texts} == {10.0, 8.0}


@pytest.mark.parametrize("shape", [(12, 8), (4, 9), (20, 3)])
def test_boxes_in_given_axes_are_apart(big, shape):
    _, ax = plt.subplots(figsize=shape, dpi=200)
    assert plot_tree(big, ax=ax) is ax
    assert_apart(ax)


def test_chains_and_single_leaves():
    assert_apart(plot_tree(Tree.from_nested({"counts": {"a": 3}})))
    chain = {"counts": {"a": 1}}
    for i in range(15):
        chain = {"weights": {"a long feature name": 1.0}, "threshold": i, **LEAVES, "right": chain}
    assert_apart(plot_tree(Tree.from_nested(chain)))


def test_what_boxes_say():
    nested = {
        "weights": {"cost in $": 2.0, "pay in $": -0.5, "x": 0.25, "z": 0.01},
        "threshold": 6.999999999999999,
        "left": {"feature": "colour", "categories": ["red"], **LEAVES},
        "right": {"counts": {"b": 5}},
    }
    tree = Tree.from_nested(nested)
    ax = plot_tree(tree, max_weights=2)
    assert_apart(ax)
    assert [text for text, _ in boxes_of(ax)] == [
        "2 cost in $\n- 0.5 pay in $\n+ 2 more < 7\n(4, 7)",
        "colour in {red}\n(4, 2)",
        "class: a\n(3, 0)",
        "class: b\n(1, 2)",
        "class: b\n(0, 5)",
    ]
    answers = [text.get_text() for text in ax.texts if text.get_text() in ("yes", "no")]
    assert answers == ["yes", "yes", "no", "no"]
    faces = [text.get_bbox_patch().get_facecolor() for text in ax.texts[:5]]
    assert len(set(faces)) == 5

    cut = plot_tree(tree, max_depth=1, show_counts=False, filled=False)
    assert [text for text, _ in boxes_of(cut)][1:] == ["... 2 leaves", "class: b"]
    assert cut.texts[1].get_bbox_patch().get_facecolor() == (1.0, 1.0, 1.0, 1.0)


def test_trees_of_scikit_learn():
    X, y = load_iris(return_X_y=True, as_frame=True)
    ax = plot_tree(DecisionTreeClassifier(max_depth=2).fit(X, y), class_names=["s", "ve", "vi"])
    texts = [text for text, _ in boxes_of(ax)]
    assert texts[0].startswith("petal ")
    assert texts[1] == "class: s\n(50, 0, 0)"


def test_huge_trees_stay_drawable():
    tree = Tree.from_nested({"weights": {"x" * 3000: 1.0}, "threshold": 0.0, **LEAVES})
    ax = plot_tree(tree)
    assert max(ax.figure.get_size_inches()) <= 200.0
    assert ax.texts[0].get_fontsize() < 10.0


def test_matplotlib_is_imported_late_and_its_lack_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'oblique-trees\[plot\]'"):
        plot_tree(Tree.from_nested({"counts": {"a": 3}}))
