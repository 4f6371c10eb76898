"""A picture of a case: the probability of each class, and the arguments behind it."""

from __future__ import annotations

from typing import Any

import numpy as np

from oblique.describe import class_color
from oblique.indecision.argument import ArgumentBase, check_base


def plot_arguments(base: ArgumentBase, *, most: int = 8, axes: Any = None) -> Any:
    """Draw the class distribution of a case and its most probable arguments.

    Parameters
    ----------
    base : ArgumentBase
        Result of `argue` with a case.
    most : int, default=8
        So many arguments are drawn, the rest as one bar.
    axes : pair of matplotlib axes or None, default=None
        For the classes and for the arguments. None: a new figure.

    Returns
    -------
    axes : ndarray of two matplotlib axes
    """
    check_base(base)
    if not isinstance(most, int | np.integer) or isinstance(most, bool) or most < 1:
        raise ValueError(f"most={most!r} must be an integer of at least 1")
    import matplotlib.pyplot as plt

    shares = base.probabilities
    assert base.reach is not None
    order = np.argsort(-np.array(base.reach), kind="stable")
    bars = [i for i in order[:most].tolist() if base.reach[i] > 0.0]
    names = ["\n".join(map(base.premise, base.arguments[i].premises)) or "always" for i in bars]
    rest = 1.0 - sum(base.reach[i] for i in bars)
    if rest > 1e-9:
        names.append("all others")
    # Each label gets the room that its lines need.
    room = np.array([name.count("\n") + 1.8 for name in names])
    places = np.cumsum(room) - 0.5 * room
    if axes is None:
        _, axes = plt.subplots(
            1, 2, figsize=(10.0, max(2.0, 0.8 + 0.15 * float(room.sum()))), width_ratios=[1, 2],
            layout="constrained",
        )  # fmt: skip
    left, right = axes
    n_classes = len(shares)
    colors = ["#{:02x}{:02x}{:02x}".format(*class_color(k, n_classes)) for k in range(n_classes)]
    left.barh(base.words.classes, shares, color=colors)
    left.set_xlim(0.0, 1.0)
    left.set_xlabel("probability")
    left.invert_yaxis()
    begin = np.zeros(len(bars))
    # A bar is as long as its argument is probable, and divided as its conclusion is.
    for k in range(n_classes):
        part = np.array([base.reach[i] * base.arguments[i].distribution[k] for i in bars])
        right.barh(
            places[: len(bars)], part, 1.2, begin, color=colors[k], label=base.words.classes[k]
        )
        begin += part
    if rest > 1e-9:
        right.barh(places[-1], rest, 1.2, color="#cccccc")
    right.set_yticks(places, names, fontsize="small")
    right.invert_yaxis()
    right.set_xlabel("probability that the argument applies")
    right.legend(fontsize="small")
    return np.array([left, right], dtype=object)
