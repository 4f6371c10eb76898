"""Draw the pictures of the README.

Run ``python scripts/gallery.py [FOLDER]``; the default folder is docs/images. Needs the extra
``plot``.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from baselines import OC1Classifier
from oblique import LDTClassifier, ObliqueTreeClassifier, plot_regions, plot_tree
from oblique.datasets import load_dataset, make_pol, make_rcb
from oblique.finders import AxisParallel


def draw_partitions(path: Path) -> None:
    """The artificial sets of the OC1 paper: how three kinds of tree divide the plane."""
    models = {
        "axis-parallel": ObliqueTreeClassifier(finder=AxisParallel()),
        "linear discriminants": ObliqueTreeClassifier(),
        "OC1": OC1Classifier(pruning=None, random_state=0),
    }
    sets = (make_pol(1000, random_state=0), make_rcb(1000, random_state=0))
    figure, panels = plt.subplots(
        2, 3, figsize=(11.0, 7.6), sharex=True, sharey=True, layout="constrained"
    )
    for row, (X, y) in zip(panels, sets, strict=True):
        for axes, (name, model) in zip(row, models.items(), strict=True):
            plot_regions(
                model.fit(X, y), X, y, ax=axes, limits=((0.0, 1.0), (0.0, 1.0)), legend=False,
                feature_names=("x_1", "x_2"),
            )  # fmt: skip
            axes.set_title(f"{name}: {model.tree_.n_leaves} leaves")
            axes.set_aspect("equal")
            axes.label_outer()
    figure.savefig(path, dpi=110)
    plt.close(figure)


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
