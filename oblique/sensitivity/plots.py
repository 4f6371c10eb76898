"""Pictures of distances to a decision surface (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from oblique.plot import import_pyplot
from oblique.regions import plot_regions
from oblique.sensitivity.explaining import Explanations
from oblique.sensitivity.explanation import Explanation
from oblique.sensitivity.population import distance_histogram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SUCCESS, _ERROR = "#56B4E9", "#D55E00"  # Okabe & Ito (2008): told apart by the colour-blind


def plot_moves(
    explanations: Explanations,
    features: Sequence[int | str],
    *,
    X: Any = None,
    y: Any = None,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draw cases, their nearest points of another class and the moves between, in two features.

    The regions behind are the slice of the tree through the first case: its other features stay
    as they are. A move that changes other features as well leaves that slice, so that its end
    need not lie on a border that is drawn.

    Parameters
    ----------
    explanations : Explanations
        Cases without a way to another class are drawn without a move.
    features : pair of int or str
        Columns on the axes.
    X, y : array-like, optional
        Further cases and their classes, drawn as `oblique.plot_regions` draws them.
    ax : matplotlib.axes.Axes, optional
    **options
        Further arguments of `oblique.plot_regions`.

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    if not isinstance(explanations, Explanations):
        raise TypeError(
            f"explanations must be what explain returned, got {type(explanations).__name__}; for "
            "one case explain that row alone"
        )
    near, surface = explanations.near, explanations.surface
    numbers = surface.numbers(features)
    if len(numbers) != 2:
        raise ValueError(f"features={features!r} must be two features, those on the axes")
    across, up = numbers
    slice_ = explanations.values(0)
    given = dict(options)
    given.setdefault(
        "at", {k: v for j, (k, v) in enumerate(slice_.items()) if j not in (across, up)}
    )
    given.setdefault("limits", _around(explanations, across, up, X))
    ax = plot_regions(
        explanations.model, X, y, features=[across, up], ax=ax, feature_names=surface.feature_names,
        **given,
    )  # fmt: skip
    start, end = near.rows[:, [across, up]], near.point[:, [across, up]]
    found = near.leaf >= 0
    ax.quiver(
        *start[found].T, *(end - start)[found].T, angles="xy", scale_units="xy", scale=1.0,
        width=0.004, zorder=4,
    )  # fmt: skip
    ax.plot(*start.T, "o", color="black", markersize=5, zorder=5, label="case")
    ax.plot(*end[found].T, "x", color="black", markersize=6, zorder=5, label="nearest point")
    return ax


def _around(explanations: Explanations, across: int, up: int, X: Any) -> Any:
    """Limits of the axes that hold cases, nearest points and further cases."""
    near = explanations.near
    points = [near.rows[:, [across, up]], near.point[near.leaf >= 0][:, [across, up]]]
    if X is not None:
        points.append(explanations.surface.encode(X)[:, [across, up]])
    together = np.concatenate(points)
    low, high = np.nanmin(together, axis=0), np.nanmax(together, axis=0)
    room = np.where(high > low, 0.08 * (high - low), 1.0)
    return tuple(zip((low - room).tolist(), (high + room).tolist(), strict=True))


def plot_distances(
    distance: ArrayLike,
    is_error: ArrayLike,
    *,
    bins: int | ArrayLike = 20,
    ax: Axes | None = None,
) -> Axes:
    """Draw how many cases lie at each distance, successes and errors on top of each other.

    The line is the share of errors, on the right axis (figures 1 and 2 of Alvarez's sensitivity
    paper).

    Parameters
    ----------
    distance : array-like of shape (n,)
    is_error : array-like of bool, shape (n,)
    bins : int or array-like
        As in `distance_histogram`.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    table = distance_histogram(distance, is_error, bins)
    ax = _axes(ax, "plot_distances")
    width = table["to"] - table["from"]
    ax.bar(table["from"], table["successes"], width, align="edge", color=_SUCCESS, label="right")
    ax.bar(
        table["from"], table["errors"], width, bottom=table["successes"], align="edge",
        color=_ERROR, hatch="///", label="wrong",
    )  # fmt: skip
    ax.set(xlabel="distance to another class", ylabel="cases")
    right = ax.twinx()
    middle = (table["from"] + table["to"]) / 2
    known = table["error_rate"].notna()
    right.plot(middle[known], 100 * table["error_rate"][known], "k.-", label="share of errors")
    right.set(ylabel="errors (%)", ylim=(0, 100))
    handles, labels = ax.get_legend_handles_labels()
    more, others = right.get_legend_handles_labels()
    ax.legend(handles + more, labels + others, loc="upper right")
    return ax


def plot_sensitive_tests(explanation: Explanation, *, ax: Axes | None = None) -> Axes:
    """Draw the margins of the tests that hold a case back, largest on top.

    Parameters
    ----------
    explanation : Explanation
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    tests = explanation.sensitive_tests[::-1]
    ax = _axes(ax, "plot_sensitive_tests")
    places = np.arange(len(tests))
    ax.barh(places, [test.margin for test in tests], color=_SUCCESS)
    ax.set_yticks(places, [_broken(test.text) for test in tests])
    ax.axvline(explanation.distance, color="black", linestyle=":", label="distance of the case")
    change = f"{explanation.predicted_class}"
    if explanation.target_leaf >= 0:
        change += f" → {explanation.target_class}"
    ax.set(xlabel="margin", title=f"Case {explanation.case}: {change}")
    ax.legend(loc="lower right")
    return ax


def plot_roc(
    is_positive: ArrayLike, scores: Mapping[str, ArrayLike], *, ax: Axes | None = None
) -> Axes:
    """Draw the ROC curves of several scores of the same cases.

    Parameters
    ----------
    is_positive : array-like of bool, shape (n,)
    scores : mapping of name to array-like of shape (n,)
        Such as the leaves' smoothed probabilities beside geometric scores.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    ax : matplotlib.axes.Axes
    """
    from sklearn.metrics import RocCurveDisplay

    truth = np.asarray(is_positive, dtype=bool)
    if truth.all() or not truth.any():
        raise ValueError("is_positive must hold both kinds of cases; a ROC curve needs both")
    ax = _axes(ax, "plot_roc")
    styles = ("-", "--", "-.", ":")
    for i, (name, score) in enumerate(scores.items()):
        RocCurveDisplay.from_predictions(
            truth, np.asarray(score), name=name, ax=ax, plot_chance_level=i == len(scores) - 1,
            curve_kwargs={"linestyle": styles[i % len(styles)]},
        )  # fmt: skip
    ax.set(xlabel="false positive rate", ylabel="true positive rate")
    return ax


def _axes(ax: Axes | None, caller: str) -> Any:
    return import_pyplot(caller).subplots(layout="constrained")[1] if ax is None else ax


def _broken(text: str, width: int = 40) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(text, width))
