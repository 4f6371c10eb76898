"""Pictures of distances: what is drawn is what was computed."""

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt

from oblique import DecisionSurface, LDTClassifier, explain
from oblique.datasets import load_dataset
from oblique.sensitivity import plot_distances, plot_moves, plot_roc, plot_sensitive_tests


@pytest.fixture(scope="module")
def bupa():
    data = load_dataset("bupa")
    return data.data, (data.target == 2).to_numpy()


@pytest.fixture(scope="module")
def model(bupa):
    return LDTClassifier(max_depth=4, random_state=0).fit(*bupa)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_moves_start_at_cases_and_end_at_points(model, bupa):
    answers = explain(model, bupa[0][:6], sample=bupa[0])
    ax = plot_moves(answers, ["sgot", 4], X=bupa[0], y=bupa[1])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("sgot", "gammagt")
    (arrows,) = [c for c in ax.collections if type(c).__name__ == "Quiver"]
    columns = [3, 4]
    np.testing.assert_array_equal(arrows.XY, answers.near.rows[:, columns])
    move = answers.near.move[:, columns]
    np.testing.assert_allclose(np.c_[arrows.U, arrows.V], move, atol=1e-12)


def test_bad_input_of_pictures(model, bupa):
    answers = explain(model, bupa[0][:2])
    with pytest.raises(ValueError, match="two features"):
        plot_moves(answers, ["sgot"])
    with pytest.raises(TypeError, match="what explain returned"):
        plot_moves(answers[0], ["sgot", "sgpt"])
    with pytest.raises(ValueError, match="both kinds"):
        plot_roc([True, True], {"score": [0.0, 1.0]})


def test_bars_count_cases(model, bupa):
    X, y = bupa
    distance = DecisionSurface(model).nearest(X).distance
    ax = plot_distances(distance, model.predict(X) != y, bins=8)
    heights = sum(bar.get_height() for bar in ax.patches)
    assert heights == len(X)


def test_margins_of_the_sensitive_tests(model, bupa):
    answer = explain(model, bupa[0][:9])[3]
    ax = plot_sensitive_tests(answer)
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == [test.margin for test in answer.sensitive_tests[::-1]]
    assert "Case 3" in ax.get_title()


def test_a_curve_for_each_score(model, bupa):
    X, y = bupa
    ax = plot_roc(y, {"leaf": model.predict_proba(X)[:, 1], "noise": np.arange(len(y))})
    labels = [line.get_label() for line in ax.lines]
    assert labels[0].startswith("leaf (AUC = ")
    assert len(labels) == 3
