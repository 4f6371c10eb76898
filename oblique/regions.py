"""The partition that a tree makes of a plane, as a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique._suggest import unknown_name
from oblique.describe import Description, class_color, describe
from oblique.importance import feature_importances
from oblique.plot import import_pyplot
from oblique.pruning.base import is_number
from oblique.sensitivity.model import TreeModel, view_model
from oblique.split import CategorySplit, LinearSplit
from oblique.stopping import is_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from oblique.tree import Tree

Points = NDArray[np.float64]

_MARKERS = "os^Dv<>P*X"
# Room around the cases, as a share of their range.
_MARGIN = 0.04
_SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def plot_regions(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    features: Sequence[int | str] | None = None,
    at: Mapping[str, Any] | ArrayLike | None = None,
    limits: tuple[tuple[float, float], tuple[float, float]] | None = None,
    ax: Axes | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    show_tests: bool = True,
    legend: bool = True,
    point_size: float | None = None,
) -> Axes:
    """Draw how a tree divides the plane of two features, and the cases (extra ``plot``).

    Each leaf's region is filled with the colour of its class. Each test is a line inside the
    region of its node, the thinner the deeper it stands. Regions are polygons, cut exactly, so
    that none is too narrow to be seen in a vector format.

    With more than two features this is a slice: the others are fixed, at their medians (a
    category at the most frequent one) unless ``at`` says otherwise. Cases are shown by their
    two features alone, so that in a slice they may lie in another region than their own.

    Parameters
    ----------
    model : estimator or Tree
        A fitted tree classifier of this package or of scikit-learn, or a tree.
    X : array-like or data frame of shape (n, d) or None, default=None
        Cases, as for ``model.predict``. None needs ``limits``.
    y : array-like of shape (n,) or None, default=None
        Their classes, shown by colour and marker. None: all cases are drawn alike.
    features : pair of int or str, or None, default=None
        The features along the horizontal and the vertical axis, by number or name. None: the
        only two, or the two that matter most to the tree (see
        `oblique.ObliqueTreeClassifier.feature_importances_`).
    at : mapping, array-like of shape (d,) or None, default=None
        Where the other features are fixed: a mapping from feature name to value (a category's
        by its name), or a row with all values. What a mapping leaves out is fixed as by None.
    limits : pair of (low, high) or None, default=None
        Ends of both axes. None: what the cases take up.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw. None: a new figure.
    feature_names, class_names : sequence of str or None, default=None
        As in `oblique.export_text`.
    show_tests : bool, default=True
        Whether tests are drawn as lines.
    legend : bool, default=True
        Whether a legend names the classes.
    point_size : float or None, default=None
        Area of a case in points squared. None: the smaller the more there are.

    Returns
    -------
    ax : matplotlib.axes.Axes

    Raises
    ------
    ImportError
        When matplotlib is not installed.
    TypeError
        When the model is no tree.
    ValueError
        When the features, fixed values or limits do not fit; the message says what would.

    Examples
    --------
    >>> from oblique import ObliqueTreeClassifier, plot_regions
    >>> from oblique.datasets import make_pol
    >>> X, y = make_pol(300, random_state=0)
    >>> model = ObliqueTreeClassifier().fit(X, y)
    >>> ax = plot_regions(model, X, y)  # doctest: +SKIP
    """
    words = describe(model, feature_names=feature_names, class_names=class_names)
    view = view_model(model)
    rows = None if X is None else view.encode(X)
    if point_size is not None and (not is_number(point_size) or not 0.0 < point_size < np.inf):
        raise ValueError(f"point_size={point_size!r} must be a finite number > 0 or None")
    pair = _pair_of(features, model, words)
    box = _box(limits, rows, pair)
    fixed = _fixed_row(at, rows, view, words, pair)
    codes = None if y is None else _codes(y, rows, view)
    pyplot = import_pyplot("plot_regions")
    if ax is None:
        _, ax = pyplot.subplots(layout="constrained")
    regions, borders = _divide(view.tree, pair, fixed, box, words)
    _draw_regions(ax, regions, words)
    if show_tests:
        _draw_borders(ax, borders)
    handles = [] if rows is None else _draw_cases(ax, rows[:, pair], codes, words, point_size)
    ax.set(xlim=box[0], ylim=box[1], xlabel=words.features[pair[0]], ylabel=words.features[pair[1]])
    if legend:
        _draw_legend(ax, regions, handles, words)
    return ax


# ---------------------------------------------------------------- what is drawn


def _pair_of(features: Sequence[int | str] | None, model: Any, words: Description) -> list[int]:
    """Numbers of the two features that are drawn."""
    tree = words.tree
    if tree.n_features < 2:
        raise ValueError("the tree has one feature, a plane needs two")
    if features is None:
        if tree.n_features == 2:
            return [0, 1]
        importance = feature_importances(tree, getattr(model, "_spread", None))
        importance[list(tree.category_names or {})] = -1.0
        return np.sort(np.argsort(-importance, kind="stable")[:2]).tolist()
    if isinstance(features, str) or np.shape(features) != (2,):
        raise ValueError(f"features={features!r} must be two numbers or names")
    pair = [_feature_number(feature, words) for feature in features]
    if pair[0] == pair[1]:
        raise ValueError(f"features={features!r} must be two different features")
    for j in pair:
        if j in (tree.category_names or {}):
            raise ValueError(
                f"features={features!r}: {words.features[j]} holds categories; draw numeric "
                "features and fix it with at"
            )
    return pair


def _feature_number(feature: int | str, words: Description) -> int:
    if isinstance(feature, str):
        if feature not in words.features:
            raise ValueError(unknown_name("feature", feature, words.features))
        return words.features.index(feature)
    if not is_whole(feature) or not 0 <= feature < len(words.features):
        raise ValueError(
            f"feature {feature!r} is not known: numbers run from 0 to {len(words.features) - 1}"
        )
    return int(feature)


def _box(limits: Any, rows: Points | None, pair: list[int]) -> Points:
    """Ends (2, 2) of both axes."""
    if limits is not None:
        try:
            box = np.asarray(limits, dtype=np.float64)
        except (TypeError, ValueError):
            box = np.empty(0)
        with np.errstate(over="ignore", invalid="ignore"):
            fits = box.shape == (2, 2) and (box[:, 0] < box[:, 1]).all()
            if not fits or not np.isfinite(box[:, 1] - box[:, 0]).all():
                raise ValueError(
                    f"limits={limits!r} must be ((low, high), (low, high)) with low < high and a "
                    "finite difference"
                )
        return box
    if rows is None:
        raise ValueError("without X the plane has no ends: give limits=((low, high), (low, high))")
    shown = rows[:, pair]
    if np.isnan(shown).all(axis=0).any() or not len(shown):
        raise ValueError("X holds no value of a feature that is drawn: give limits")
    low, high = np.nanmin(shown, axis=0), np.nanmax(shown, axis=0)
    # Halves first, so that the range of huge values does not overflow.
    half = 0.5 * high - 0.5 * low
    room = np.where(half > 0.0, 2.0 * _MARGIN * half, np.maximum(1.0, np.abs(low)))
    return np.column_stack([low - room, high + room])


def _fixed_row(
    at: Any, rows: Points | None, view: TreeModel, words: Description, pair: list[int]
) -> Points:
    """Values of all features; those of the drawn ones do not count."""
    tree = words.tree
    row = np.full(tree.n_features, np.nan)
    if rows is not None:
        for j in range(tree.n_features):
            known = rows[~np.isnan(rows[:, j]), j]
            if known.size and j in (tree.category_names or {}):
                row[j] = np.bincount(known.astype(np.int64)).argmax()
            elif known.size:
                row[j] = np.median(known)
    if isinstance(at, Mapping):
        for name, value in at.items():
            j = _feature_number(name, words)
            row[j] = _value(value, j, words)
    elif at is not None:
        values = list(np.asarray(at, dtype=object).ravel())
        if len(values) != tree.n_features:
            raise ValueError(f"at must hold {tree.n_features} values, got {len(values)}")
        row = np.array([_value(value, j, words) for j, value in enumerate(values)])
    tested = np.unique(tree.weight_indices)
    open_ = [words.features[j] for j in tested if j not in pair and not np.isfinite(row[j])]
    if open_:
        raise ValueError(
            f"the tree tests {', '.join(open_)}, which is not drawn: fix it with at={{name: "
            "value}, or give X"
        )
    row[pair] = 0.0
    return np.nan_to_num(row)


def _value(value: Any, j: int, words: Description) -> float:
    """Return a fixed value as a number; a category's is its code."""
    names = (words.tree.category_names or {}).get(j)
    if names is not None:
        if str(value) not in names:
            raise ValueError(unknown_name(f"at: category of {words.features[j]}", value, names))
        return float(names.index(str(value)))
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"at: {words.features[j]}={value!r} must be a number") from None


def _codes(y: Any, rows: Points | None, view: TreeModel) -> NDArray[np.int64]:
    labels = np.asarray(y)
    if rows is None or labels.shape != (len(rows),):
        n = 0 if rows is None else len(rows)
        raise ValueError(f"y must hold a class for each of the {n} cases of X, got {labels.shape}")
    known = {label: code for code, label in enumerate(view.classes.tolist())}
    given = labels.tolist()
    if all(isinstance(label, str) for label in known):
        # A tree without its estimator knows the names of classes only.
        given = [str(label) for label in given]
    strange = sorted({repr(label) for label in given if label not in known})
    if strange:
        raise ValueError(
            f"y holds classes {', '.join(strange[:5])} that the model does not know: {list(known)}"
        )
    return np.array([known[label] for label in given], dtype=np.int64)


# ---------------------------------------------------------------- cutting


class _Region(NamedTuple):
    leaf: int
    corners: Points  # (m, 2) in data units


class _Border(NamedTuple):
    depth: int
    ends: Points  # (2, 2) in data units


def _divide(
    tree: Tree, pair: list[int], fixed: Points, box: Points, words: Description
) -> tuple[list[_Region], list[_Border]]:
    """Cut the box by every test that meets it, from the root down."""
    low, size = box[:, 0], box[:, 1] - box[:, 0]
    regions, borders = [], []
    # Polygons live in the unit square, so that neither huge nor tiny units hurt.
    stack = [(0, _SQUARE)]
    while stack:
        node, polygon = stack.pop()
        split = tree.split(node)
        if split is None:
            regions.append(_Region(node, low + polygon * size))
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        line = _line(split, pair, fixed, low, size, words)
        if isinstance(line, bool):
            stack.append((left if line else right, polygon))
            continue
        inside, outside, ends = _cut(polygon, *line)
        if inside is not None:
            stack.append((left, inside))
        if outside is not None:
            stack.append((right, outside))
        if ends is not None:
            borders.append(_Border(int(tree.depths[node]), low + ends * size))
    return regions, borders


def _line(
    split: LinearSplit | CategorySplit,
    pair: list[int],
    fixed: Points,
    low: Points,
    size: Points,
    words: Description,
) -> bool | tuple[Points, float]:
    """Return a test as ``slope . u <= offset`` in the unit square, or its answer if constant."""
    if isinstance(split, CategorySplit):
        if split.feature in pair:
            raise ValueError(
                f"the tree tests categories of {words.features[split.feature]}: draw numeric "
                "features"
            )
        return bool(split.membership(fixed[None])[0] >= 0.5)
    weights = dict(zip(split.indices.tolist(), split.values.tolist(), strict=True))
    slope = np.array([weights.pop(j, 0.0) for j in pair])
    rest = sum(weight * fixed[j] for j, weight in weights.items())
    offset = split.threshold - rest - float(slope @ low)
    slope = slope * size
    if not slope.any():
        return bool(offset >= 0.0)
    return slope, offset


def _cut(
    polygon: Points, slope: Points, offset: float
) -> tuple[Points | None, Points | None, Points | None]:
    """Cut a convex polygon by a line: the part with ``slope . u <= offset``, the rest, the cut.

    After Sutherland & Hodgman (1974); a part that is empty is None, and so is a cut that
    leaves one part empty.
    """
    excess = (polygon @ slope - offset) / np.abs(slope).max()
    inside = excess <= 0.0
    if inside.all():
        return polygon, None, None
    if not inside.any():
        return None, polygon, None
    within: list[Points] = []
    beyond: list[Points] = []
    ends: list[Points] = []
    for i in range(len(polygon)):
        j = (i + 1) % len(polygon)
        (within if inside[i] else beyond).append(polygon[i])
        if inside[i] != inside[j]:
            share = excess[i] / (excess[i] - excess[j])
            crossing = polygon[i] + share * (polygon[j] - polygon[i])
            ends.append(crossing)
            within.append(crossing)
            beyond.append(crossing)
    return np.array(within), np.array(beyond), np.array(ends)


# ---------------------------------------------------------------- drawing


def _draw_regions(ax: Axes, regions: list[_Region], words: Description) -> None:
    from matplotlib.collections import PolyCollection

    colors = [_shade(int(words.tree.labels[region.leaf]), words) for region in regions]
    ax.add_collection(
        PolyCollection(
            [region.corners for region in regions], facecolors=colors, edgecolors="face",
            linewidths=0.3, zorder=0, label="_regions",
        )
    )  # fmt: skip


def _draw_borders(ax: Axes, borders: list[_Border]) -> None:
    from matplotlib.collections import LineCollection

    ax.add_collection(
        LineCollection(
            [border.ends for border in borders], colors="0.15", zorder=1, label="_tests",
            linewidths=[max(0.4, 1.8 * 0.75**border.depth) for border in borders],
        )
    )  # fmt: skip


def _draw_cases(
    ax: Axes,
    points: Points,
    codes: NDArray[np.int64] | None,
    words: Description,
    point_size: float | None,
) -> list[Any]:
    size = point_size or float(np.clip(4000.0 / max(1, len(points)), 4.0, 22.0))
    if codes is None:
        ax.scatter(points[:, 0], points[:, 1], s=size, color="0.25", linewidths=0.0, zorder=2)
        return []
    handles = []
    for code in np.unique(codes):
        mine = codes == code
        handles.append(
            ax.scatter(
                points[mine, 0], points[mine, 1], s=size, zorder=2, color=_color(int(code), words),
                marker=_MARKERS[code % len(_MARKERS)], edgecolors="0.2",
                linewidths=0.02 * size + 0.1, label=words.classes[code],
            )
        )  # fmt: skip
    return handles


def _draw_legend(ax: Axes, regions: list[_Region], handles: list[Any], words: Description) -> None:
    """Name the classes of the cases, and those that only regions have."""
    from matplotlib.patches import Patch

    shown = {handle.get_label() for handle in handles}
    labels = sorted({int(words.tree.labels[region.leaf]) for region in regions})
    patches = [
        Patch(facecolor=_shade(code, words), label=words.classes[code])
        for code in labels
        if words.classes[code] not in shown
    ]
    ax.legend(handles=[*handles, *patches], fontsize="small", framealpha=0.85)


def _color(code: int, words: Description) -> tuple[float, ...]:
    return tuple(part / 255.0 for part in class_color(code, len(words.classes)))


def _shade(code: int, words: Description) -> tuple[float, ...]:
    """Colour of a region: its class's, pale enough for cases to stand out."""
    return tuple(1.0 - 0.45 * (1.0 - part) for part in _color(code, words))
