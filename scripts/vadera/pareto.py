"""Unsafe against safe accuracy, with the strategies that no other one beats on both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from oblique.datasets import load_dataset

from .plots import pyplot_without_window
from .rivals import LDT, LDT_PRUNED, Outcome
from .standing import accuracies, non_dominated

_COLUMNS = 3
# Where a name may stand beside its point, the best place first; points of length.
_PLACES = ((4, 4), (-4, 4), (4, -5), (-4, -5), (4, 12), (-4, 12), (4, -13), (-4, -13))
# Okabe and Ito's colours: told apart by the colour-blind, too.
_COLOURS = ("#000000", "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#E69F00", "#56B4E9")


def draw_pareto(outcome: Outcome, path: Path, *, protocol: str) -> None:
    """Draw a panel a data set and one of their mean."""
    plt = pyplot_without_window()
    panels = accuracies(outcome.measured.means, protocol)
    overall = outcome.measured.means.set_index(["dataset", "protocol", "strategy"])["accuracy"]
    rows = -(-len(panels) // _COLUMNS)
    figure, grid = plt.subplots(
        rows, _COLUMNS, figsize=(4.2 * _COLUMNS, 4.0 * rows + 0.5), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for axes, (name, points) in zip(grid.flat, panels.items(), strict=False):
        _draw_points(axes, outcome, points)
        # The mean of the sets has no share of unsafe rows of its own.
        if (name, protocol, LDT) in overall.index:
            _draw_equal_accuracy(
                axes, name, [overall[name, protocol, s] for s in (LDT, LDT_PRUNED)]
            )
        axes.set_title(f"{name}, {protocol}", fontsize=9)
        axes.set_xlabel("safe accuracy, %", fontsize=8)
        axes.set_ylabel("unsafe accuracy, %", fontsize=8)
        axes.tick_params(labelsize=7)
    figure.draw_without_rendering()
    for axes, points in zip(grid.flat, panels.values(), strict=False):
        _name_points(axes, outcome, points)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8)
    figure.savefig(path, dpi=80)
    plt.close(figure)


def _draw_points(axes: Any, outcome: Outcome, points: dict[str, tuple[float, float]]) -> None:
    trees = {each.name for each in outcome.rivals if each.is_tree}
    families = list(dict.fromkeys(each.family for each in outcome.rivals))
    # Families of nothing but ensembles say so in their name.
    grouped = {each.family for each in outcome.rivals} - {
        each.family for each in outcome.rivals if each.is_tree
    }
    for family, colour in zip(families, _COLOURS, strict=False):
        for is_tree, marker in ((True, "o"), (False, "s")):
            found = [
                points[each.name] for each in outcome.rivals
                if each.family == family and each.is_tree == is_tree
            ]  # fmt: skip
            if found:
                label = family if is_tree or family in grouped else f"{family}, many trees"
                face = colour if is_tree else "none"
                is_ldt = family == families[0]
                axes.scatter(
                    *zip(*found, strict=True), s=70 if is_ldt else 22,
                    marker="*" if is_ldt else marker, color=colour, facecolor=face,
                    label=label, zorder=3,
                )  # fmt: skip
    of_trees = non_dominated({name: p for name, p in points.items() if name in trees})
    of_all = non_dominated(points)
    _draw_front(axes, [points[name] for name in of_all], "0.6", 0.7, None)
    _draw_front(axes, [points[name] for name in of_trees], "black", 1.2, "front of single trees")


def _name_points(axes: Any, outcome: Outcome, points: dict[str, tuple[float, float]]) -> None:
    """Name LDT and what is on a front, each name where it covers no other if there is room."""
    trees = {each.name for each in outcome.rivals if each.is_tree}
    fronts = [non_dominated({n: p for n, p in points.items() if n in trees}), non_dominated(points)]
    taken: list[Any] = []
    for name in dict.fromkeys([LDT, LDT_PRUNED, *fronts[0], *fronts[1]]):
        for right, up in _PLACES:
            text = axes.annotate(
                name, points[name], xytext=(right, up), textcoords="offset points", fontsize=6.5,
                ha="left" if right > 0 else "right", va="center", zorder=4,
            )  # fmt: skip
            box = text.get_window_extent()
            inside = axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1
            if inside and not any(box.overlaps(other) for other in taken):
                break
            text.remove()
        else:
            continue
        taken.append(box)


def _draw_front(
    axes: Any, front: list[tuple[float, float]], colour: str, width: float, label: str | None
) -> None:
    safe, unsafe = np.array(front).T
    axes.step(safe, unsafe, where="post", color=colour, linewidth=width, label=label, zorder=2)


def _draw_equal_accuracy(axes: Any, name: str, overall: list[float]) -> None:
    data = load_dataset(name)
    share = float((data.target == data.unsafe_class).mean())
    limits = axes.get_xlim(), axes.get_ylim()
    safe = np.array(limits[0])
    for accuracy in overall:
        unsafe = (100 * accuracy - (1 - share) * safe) / share
        axes.plot(safe, unsafe, color="0.5", linewidth=0.7, linestyle="--", zorder=1)
    axes.set_xlim(limits[0])
    axes.set_ylim(limits[1])
