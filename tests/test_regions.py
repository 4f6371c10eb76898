"""Drawings of partitions: polygons and lines against the trees' own predictions."""

import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.path import Path as Outline
from sklearn.tree import DecisionTreeClassifier

from baselines import OC1Classifier
from oblique import LDTClassifier, ObliqueTreeClassifier, Tree, plot_regions
from oblique.datasets import load_dataset, make_pol, make_rcb

mpl.use("Agg")
from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def regions_of(ax):
    """Corners and colour of each region."""
    found = next(part for part in ax.collections if part.get_label() == "_regions")
    colors = found.get_facecolors()
    return [
        (path.vertices[:-1], tuple(np.round(color, 6)))
        for path, color in zip(found.get_paths(), colors, strict=True)
    ]


def area(corners):
    x, y = corners.T
    return 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def assert_shows(ax, points, predicted):
    """Points lie in regions of one colour a class, which fill the axes without overlap."""
    regions = regions_of(ax)
    box = np.array([ax.get_xlim(), ax.get_ylim()])
    size = box[:, 1] - box[:, 0]
    assert sum(area(corners / size) for corners, _ in regions) == pytest.approx(1.0)
    color_of = {}
    covered = np.zeros(len(points), dtype=int)
    for corners, color in regions:
        inside = Outline(corners / size).contains_points(points / size, radius=-1e-9)
        covered += inside
        for label in np.unique(predicted[inside]):
            assert color_of.setdefault(label, color) == color
    assert len(set(color_of.values())) == len(color_of)
    assert (covered <= 1).all()
    assert (covered == 1).mean() > 0.99


def points_in(ax, n=1500):
    rng = np.random.default_rng(1)
    return np.column_stack([rng.uniform(*limits, n) for limits in (ax.get_xlim(), ax.get_ylim())])


@pytest.mark.parametrize("make", [make_pol, make_rcb])
@pytest.mark.parametrize(
    "model",
    [
        ObliqueTreeClassifier(),
        LDTClassifier(),
        OC1Classifier(random_state=0),
        DecisionTreeClassifier(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_regions_are_those_of_prediction(model, make):
    X, y = make(300, random_state=0)
    ax = plot_regions(model.fit(X, y), X, y)
    points = points_in(ax)
    assert_shows(ax, points, model.predict(points))
    # A line for each test, and a set of cases for each class.
    lines = next(part for part in ax.collections if part.get_label() == "_tests")
    assert len(lines.get_segments()) == len(regions_of(ax)) - 1
    cases = [part for part in ax.collections if not part.get_label().startswith("_")]
    assert [part.get_label() for part in cases] == [str(label) for label in np.unique(y)]
    assert sum(len(part.get_offsets()) for part in cases) == len(X)


@pytest.mark.parametrize("power", [-150, 150])
def test_units_do_not_matter(power):
    X, y = make_pol(200, random_state=0)
    factors = np.array([10.0**power, 10.0**-power])
    model = OC1Classifier(random_state=0).fit(X * factors, y)
    ax = plot_regions(model, X * factors, y, limits=((0, factors[0]), (0, factors[1])))
    points = np.random.default_rng(0).uniform(size=(500, 2)) * factors
    assert_shows(ax, points, model.predict(points))


def test_a_slice_of_wider_data_fixes_the_other_features():
    data = load_dataset("pima")
    model = LDTClassifier(unsafe_class=1, max_depth=5).fit(data.data, data.target)
    names = list(data.data.columns)
    pair = [names[1], names[5]]
    at = {names[7]: 50.0}
    ax = plot_regions(model, data.data, data.target, features=pair, at=at)
    points = points_in(ax)
    rows = pd.DataFrame([data.data.median()] * len(points))
    rows[names[7]] = 50.0
    rows[pair] = points
    assert_shows(ax, points, model.predict(rows))
    assert (ax.get_xlabel(), ax.get_ylabel()) == tuple(pair)
    # A whole row says the same, and features go by number, too.
    row = data.data.median()
    row[names[7]] = 50.0
    same = plot_regions(model, data.data, features=[1, 5], at=row.to_numpy())
    for (a, _), (b, _) in zip(regions_of(ax), regions_of(same), strict=True):
        assert np.array_equal(a, b)


def test_the_features_that_matter_most_are_drawn_unless_named():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 5))
    y = X[:, 1] + X[:, 3] > 1.0
    ax = plot_regions(OC1Classifier(pruning=None, random_state=0).fit(X, y), X, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x3")


def test_categories_are_fixed():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(size=(400, 2)), columns=["a", "b"])
    frame["kind"] = pd.Categorical(rng.choice(["u", "v"], 400, p=[0.6, 0.4]))
    target = np.where(frame["kind"] == "u", frame["a"] > 0.5, frame["b"] > 0.5).astype(int)
    model = ObliqueTreeClassifier().fit(frame, target)
    for kind, options in (("u", {}), ("v", {"at": {"kind": "v"}})):
        ax = plot_regions(model, frame, target, features=("a", "b"), **options)
        points = points_in(ax)
        rows = pd.DataFrame(points, columns=["a", "b"])
        rows["kind"] = pd.Categorical([kind] * len(rows), categories=["u", "v"])
        assert_shows(ax, points, model.predict(rows))
    with pytest.raises(ValueError, match="kind holds categories"):
        plot_regions(model, frame, target, features=("a", "kind"))
    with pytest.raises(ValueError, match="category of kind='w' is not known"):
        plot_regions(model, frame, features=("a", "b"), at={"kind": "w"})


def test_a_printed_tree_needs_limits_only():
    tree = Tree.from_nested(
        {
            "weights": {"glucose": 1.0, "bmi": 2.5}, "threshold": 200.0,
            "left": {"counts": {"safe": 98, "unsafe": 1}},
            "right": {"counts": {"safe": 4, "unsafe": 26}},
        }
    )  # fmt: skip
    ax = plot_regions(tree, limits=((60, 200), (15, 50)), class_names=("no", "yes"))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no", "yes"]
    points = points_in(ax)
    assert_shows(ax, points, tree.predict_codes(points))
    with pytest.raises(ValueError, match="give limits"):
        plot_regions(tree)


def test_a_tree_knows_classes_by_their_names():
    X, y = make_pol(60, random_state=0)
    tree = ObliqueTreeClassifier().fit(X, y).tree_
    handles = plot_regions(tree, X, y).get_legend().legend_handles
    assert len(handles) == 2


def test_a_leaf_alone_fills_the_plane():
    X = np.random.default_rng(0).uniform(size=(20, 2))
    ax = plot_regions(ObliqueTreeClassifier().fit(X, np.zeros(20)), X, np.zeros(20))
    assert len(regions_of(ax)) == 1


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"features": ("a", "e")}, "feature='e' is not known"),
        ({"features": (0, 7)}, "numbers run from 0 to 2"),
        ({"features": (1, 1)}, "two different features"),
        ({"features": "a"}, "two numbers or names"),
        ({"features": (0, 1), "at": [1.0]}, "at must hold 3 values, got 1"),
        ({"features": (0, 1), "at": {"c": "much"}}, "c='much' must be a number"),
        ({"features": (0, 1), "at": {"c": np.nan}}, "tests c, which is not drawn: fix it"),
        ({"limits": ((1, 0), (0, 1))}, "low < high"),
        ({"limits": (0, 1)}, "must be"),
        ({"limits": "wide"}, "limits='wide' must be"),
        ({"limits": ((0, 1), (0,))}, "limits=.* must be"),
        ({"limits": ((-1e308, 1e308), (0, 1))}, "a finite difference"),
        ({"features": 2}, "features=2 must be two numbers or names"),
        ({"features": (0.5, 1)}, "feature 0.5 is not known"),
        ({"point_size": -1.0}, "point_size=-1.0 must be a finite number > 0"),
        ({"point_size": "big"}, "point_size='big' must be a finite number > 0"),
    ],
)
def test_what_does_not_fit_is_named(options, remedy):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.uniform(size=(60, 3)), columns=list("abc"))
    model = ObliqueTreeClassifier().fit(frame, frame.sum(axis=1) > 1.5)
    with pytest.raises(ValueError, match=remedy):
        plot_regions(model, frame, **options)


def test_cases_that_do_not_fit_are_named():
    X, y = make_pol(60, random_state=0)
    model = ObliqueTreeClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"classes 7 that the model does not know"):
        plot_regions(model, X, np.where(y == 1, 7, y))
    with pytest.raises(ValueError, match="a class for each of the 60 cases"):
        plot_regions(model, X, y[:5])
    with pytest.raises(ValueError, match="one feature, a plane needs two"):
        plot_regions(ObliqueTreeClassifier().fit(X[:, :1], y), X[:, :1])
    with pytest.raises(TypeError, match="must be a fitted tree classifier or a Tree"):
        plot_regions("tree")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    X, y = make_pol(60, random_state=0)
    model = ObliqueTreeClassifier().fit(X, y)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    with pytest.raises(ImportError, match=r"plot_regions needs .*oblique-trees\[plot\]"):
        plot_regions(model, X, y)
