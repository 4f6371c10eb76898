"""Draw the pictures of the README.

Run ``python scripts/gallery.py [FOLDER]``; the default folder is docs/images. Needs the extra
``plot``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from oblique import LDTClassifier, ObliqueTreeClassifier, plot_tree
from oblique.datasets import load_dataset, make_pol
from oblique.finders import AxisParallel

# Blue and orange keep apart for every kind of colour vision.
COLOURS = ("#4477aa", "#ee7733")


def draw_partitions(path: Path) -> None:
    """Two classes in oblique bands: how two kinds of tree divide the plane."""
    X, y = make_pol(1000, random_state=0)
    models = {
        "x_j <= c": ObliqueTreeClassifier(finder=AxisParallel()),
        "w . x <= c": ObliqueTreeClassifier(),
    }
    figure, panels = plt.subplots(1, 2, figsize=(9.4, 4.8), sharey=True, layout="constrained")
    for axes, (title, model) in zip(panels, models.items(), strict=True):
        _partition(axes, model.fit(X, y), X, y)
        axes.set_title(f"tests {title}: {model.tree_.n_leaves} leaves")
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _partition(axes, model, X, y) -> None:
    steps = np.linspace(0.0, 1.0, 500)
    grid = np.stack(np.meshgrid(steps, steps), axis=-1)
    regions = model.predict(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    shades = ListedColormap(COLOURS)
    axes.pcolormesh(steps, steps, regions, cmap=shades, alpha=0.3, vmin=y.min(), vmax=y.max())
    for label, colour, marker in zip(np.unique(y), COLOURS, "ox", strict=True):
        axes.scatter(*X[y == label].T, s=9, c=colour, marker=marker, linewidths=0.8)
    axes.set_aspect("equal")
    axes.set_xlabel("x_1")
    axes.set_ylabel("x_2")


def draw_tree(path: Path) -> None:
    """A pruned tree with oblique tests."""
    data = load_dataset("heart_complete")
    model = LDTClassifier(unsafe_class=data.unsafe_class, max_depth=2).fit(data.data, data.target)
    figure = plot_tree(model).figure
    figure.savefig(path, dpi=110, bbox_inches="tight")
    plt.close(figure)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    draw_partitions(folder / "partitions.png")
    draw_tree(folder / "tree.png")
