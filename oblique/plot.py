"""Trees as drawings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from oblique.describe import Description, describe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

# Lengths in units of the font's size.
_PADDING = 0.4
_BESIDE = 1.0
_BELOW = 2.6
_MOST_BELOW = 8.0
_LINE = 0.08
# Agg draws no more than 2 ** 16 pixels a side.
_MAX_INCHES = 200.0


def plot_tree(
    model: Any,
    *,
    ax: Axes | None = None,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_weights: int = 3,
    decimals: int = 3,
    show_counts: bool = True,
    filled: bool = True,
    max_depth: int | None = None,
    spread: ArrayLike | None = None,
    fontsize: float | None = None,
) -> Axes:
    """Draw a tree with matplotlib (extra ``plot``).

    Boxes show tests, an oblique one with a weight a line, or classes, and counts; left branches
    answer yes. The boxes of a row stand beside each other without overlapping.

    Parameters
    ----------
    model, feature_names, class_names, max_weights, decimals, max_depth, spread
        As in `oblique.export_text`.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw. None: a new figure, as large as the tree needs.
    show_counts : bool, default=True
        Whether every node shows the training weight of each class.
    filled : bool, default=True
        Whether nodes are coloured by class, the paler the more mixed.
    fontsize : float or None, default=None
        In points. None: 10 in a new figure; in given axes what lets the tree fit.

    Returns
    -------
    ax : matplotlib.axes.Axes

    Raises
    ------
    ImportError
        When matplotlib is not installed.
    """
    words = describe(
        model, feature_names=feature_names, class_names=class_names, max_weights=max_weights,
        decimals=decimals, spread=spread,
    )  # fmt: skip
    limit = words.depth_limit(max_depth)
    pyplot = import_pyplot("plot_tree")
    figure = None
    if ax is None:
        figure, ax = pyplot.subplots()
        ax.set_position((0.0, 0.0, 1.0, 1.0))
    size = fontsize or 10.0
    boxes = _write_boxes(words, limit, ax, size, show_counts, filled)
    sizes = _sizes(boxes, size, ax.figure.dpi)
    layout = _arrange(words, limit, sizes, _BELOW)
    if figure is not None:
        size *= _fit_figure(figure, layout, size)
    else:
        room, points = ax.get_window_extent(), 72.0 / ax.figure.dpi
        width, height = room.width * points, room.height * points
        layout = _arrange(words, limit, sizes, _row_distance(layout, width, height))
        size = fontsize or min(size, width / layout.width, height / layout.height)
    ax.set(xlim=(0.0, layout.width), ylim=(-layout.height, 0.0), aspect="equal")
    ax.set_axis_off()
    for node, box in boxes.items():
        box.set(position=(layout.x[node], layout.middle[node]), fontsize=size)
        frame = box.get_bbox_patch()
        if frame is not None:
            frame.set_linewidth(_LINE * size)
    _draw_branches(words, layout, ax, size)
    return ax


def import_pyplot(caller: str) -> Any:
    """Import matplotlib's pyplot, or say which extra brings it."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            f"{caller} needs matplotlib: pip install 'oblique-trees[plot]'"
        ) from error
    return pyplot


def _write_boxes(
    words: Description, limit: int, ax: Axes, size: float, show_counts: bool, filled: bool
) -> dict[int, Text]:
    """Write every node's text, not yet in its place."""
    boxes = {}
    for node in np.flatnonzero(words.tree.depths <= limit).tolist():
        is_cut = int(words.tree.depths[node]) >= limit
        boxes[node] = ax.text(
            0.0,
            0.0,
            "\n".join(words.box(node, is_cut=is_cut, counts=show_counts)),
            fontsize=size,
            ha="center",
            va="center",
            # A dollar sign in a name is no formula.
            parse_math=False,
            bbox={
                "boxstyle": f"round,pad={_PADDING}",
                "facecolor": words.color(node) if filled else "white",
                "edgecolor": "0.35",
            },
        )
    return boxes


def _sizes(boxes: dict[int, Text], size: float, dpi: float) -> dict[int, tuple[float, float]]:
    """Width and height of each box in units of the font's size."""
    found = {}
    for node, box in boxes.items():
        pixels = box.get_window_extent()
        unit = size * dpi / 72.0
        found[node] = (pixels.width / unit + 2 * _PADDING, pixels.height / unit + 2 * _PADDING)
    return found


class _Layout(NamedTuple):
    """Where boxes stand, in units of the font's size; y falls from 0."""

    x: dict[int, float]
    middle: dict[int, float]
    half_height: dict[int, float]
    top_of_row: list[float]
    bottom_of_row: list[float]
    width: float
    height: float


def _arrange(
    words: Description, limit: int, sizes: dict[int, tuple[float, float]], below: float
) -> _Layout:
    """Place the boxes: each node amid its children, subtrees as near as their outlines allow."""
    tree = words.tree
    depth = {node: int(tree.depths[node]) for node in sizes}
    offset, lines = _offsets(words, limit, sizes)
    left = -min(low for low, _ in lines)
    x = {0: left + _BESIDE}
    for node in sorted(sizes):
        if node > 0:
            x[node] = x[int(tree.parents[node])] + offset[node]
    heights = [0.0] * len(lines)
    for node, (_, height) in sizes.items():
        heights[depth[node]] = max(heights[depth[node]], height)
    top, bottom, y = [], [], -_BESIDE
    for height in heights:
        top.append(y)
        bottom.append(y - height)
        y -= height + below
    return _Layout(
        x=x,
        middle={node: (top[depth[node]] + bottom[depth[node]]) / 2.0 for node in sizes},
        half_height={node: height / 2.0 for node, (_, height) in sizes.items()},
        top_of_row=top,
        bottom_of_row=bottom,
        width=left + max(high for _, high in lines) + 2 * _BESIDE,
        height=_BESIDE - bottom[-1],
    )


def _fit_figure(figure: Any, layout: _Layout, size: float) -> float:
    """Make a figure as large as its tree; return by how much a huge tree must shrink."""
    inches = np.array([layout.width, layout.height]) * size / 72.0
    shrink = min(1.0, float((_MAX_INCHES / inches).min()))
    figure.set_size_inches(*(inches * shrink))
    return shrink


def _row_distance(layout: _Layout, width: float, height: float) -> float:
    """Distance between rows that fills the height of given axes, within reason."""
    spare = layout.width * height / width - layout.height
    n_gaps = max(1, len(layout.top_of_row) - 1)
    return min(_MOST_BELOW, _BELOW + max(0.0, spare) / n_gaps)


def _offsets(
    words: Description, limit: int, sizes: dict[int, tuple[float, float]]
) -> tuple[dict[int, float], list[tuple[float, float]]]:
    """Distance of each node from its parent, and the outline of the whole tree.

    An outline lists, row by row, how far a subtree reaches to the left and right of its root
    (after Reingold & Tilford 1981, with boxes of any width).
    """
    tree = words.tree
    offset: dict[int, float] = {}
    outlines: dict[int, list[tuple[float, float]]] = {}
    for node in sorted(sizes, reverse=True):
        half = sizes[node][0] / 2.0
        own = (-half, half)
        if tree.children_left[node] < 0 or tree.depths[node] >= limit:
            outlines[node] = [own]
            continue
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        first, second = outlines.pop(left), outlines.pop(right)
        apart = _BESIDE + max(a[1] - b[0] for a, b in zip(first, second, strict=False))
        shift = apart / 2.0
        offset[left], offset[right] = -shift, shift
        outlines[node] = [own, *_merge(first, second, shift)]
    return offset, outlines[0]


def _merge(
    left: list[tuple[float, float]], right: list[tuple[float, float]], shift: float
) -> list[tuple[float, float]]:
    both = [(a[0] - shift, b[1] + shift) for a, b in zip(left, right, strict=False)]
    rest = [(low - shift, high - shift) for low, high in left[len(both) :]]
    rest += [(low + shift, high + shift) for low, high in right[len(both) :]]
    return both + rest


def _draw_branches(words: Description, layout: _Layout, ax: Axes, size: float) -> None:
    """Draw a line from each box to its parent; it bends between rows, beside no other box."""
    tree = words.tree
    for node in layout.x:
        if node == 0:
            continue
        parent, row = int(tree.parents[node]), int(tree.depths[node])
        start, end = layout.x[parent], layout.x[node]
        bend, arrive = layout.bottom_of_row[row - 1], layout.top_of_row[row]
        above = layout.middle[parent] - layout.half_height[parent]
        below = layout.middle[node] + layout.half_height[node]
        ax.plot(
            [start, start, end, end], [above, bend, arrive, below], color="0.35",
            linewidth=_LINE * size, zorder=1, solid_joinstyle="round",
        )  # fmt: skip
        is_left = int(tree.children_left[parent]) == node
        ax.text(
            (start + end) / 2.0,
            (bend + arrive) / 2.0,
            "yes" if is_left else "no",
            fontsize=0.8 * size,
            color="0.25",
            ha="center",
            va="center",
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"},
        )
