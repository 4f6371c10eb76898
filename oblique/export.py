"""Trees as text and as Graphviz graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from oblique.describe import describe


def export_text(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_weights: int = 5,
    decimals: int = 3,
    show_counts: bool = False,
    max_depth: int | None = None,
    spread: ArrayLike | None = None,
) -> str:
    """Write a tree as indented text.

    Parameters
    ----------
    model : estimator or Tree
        A fitted tree classifier of this package or of scikit-learn, or a tree.
    feature_names, class_names : sequence of str or None, default=None
        None: the model's own; without any, x0, x1 ... and 0, 1 ...
    max_weights : int, default=5
        An oblique test shows its so many largest weights and how many more there are; a
        category test so many categories.
    decimals : int, default=3
        Decimals of numbers; numbers below one get so many significant digits.
    show_counts : bool, default=False
        Whether leaves show the training weight of each class.
    max_depth : int or None, default=None
        Deeper nodes are only counted. None: all are shown.
    spread : array-like of shape (n_features,) or None, default=None
        Typical size of a difference in each feature: weights are ranked by abs(weight) times
        spread. None: standard deviations in training where the model knows them, else ones.

    Returns
    -------
    text : str
        One line a branch and one a leaf. Thresholds that exclude a short number v are written
        ``< v``.

    Examples
    --------
    >>> from oblique import Tree
    >>> tree = Tree.from_nested(
    ...     {"weights": {"glucose": 1.0, "bmi": 2.5}, "threshold": 137.5,
    ...      "left": {"counts": {"safe": 98, "unsafe": 1}},
    ...      "right": {"counts": {"safe": 4, "unsafe": 26}}})
    >>> print(export_text(tree, show_counts=True))
    |--- 2.5 bmi + glucose <= 137.5
    |   |--- class: safe (98, 1)
    |--- 2.5 bmi + glucose > 137.5
    |   |--- class: unsafe (4, 26)
    """
    words = describe(
        model, feature_names=feature_names, class_names=class_names, max_weights=max_weights,
        decimals=decimals, spread=spread,
    )  # fmt: skip
    tree, limit = words.tree, words.depth_limit(max_depth)
    lines: list[str] = []
    # A node, or the heading of a node's right branch.
    stack: list[tuple[int, bool]] = [(0, False)]
    while stack:
        node, is_heading = stack.pop()
        depth = int(tree.depths[node])
        indent = "|   " * depth + "|--- "
        if is_heading:
            lines.append(f"{indent}{words.condition(node, left=False)}")
        elif tree.children_left[node] < 0:
            counts = f" ({words.counts(node)})" if show_counts else ""
            lines.append(f"{indent}class: {words.label(node)}{counts}")
        elif depth >= limit:
            lines.append(f"{indent}... {words.leaves_below[node]} leaves")
        else:
            lines.append(f"{indent}{words.condition(node)}")
            stack.append((int(tree.children_right[node]), False))
            stack.append((node, True))
            stack.append((int(tree.children_left[node]), False))
    return "\n".join(lines)


def export_graphviz(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    max_weights: int = 5,
    decimals: int = 3,
    show_counts: bool = True,
    filled: bool = True,
    max_depth: int | None = None,
    spread: ArrayLike | None = None,
) -> str:
    """Write a tree as a graph in the DOT language of Graphviz.

    Draw it with ``dot -Tsvg tree.dot``. Left branches answer yes.

    Parameters
    ----------
    model, feature_names, class_names, max_weights, decimals, max_depth, spread
        As in `export_text`.
    show_counts : bool, default=True
        Whether every node shows the training weight of each class.
    filled : bool, default=True
        Whether nodes are coloured by class, the paler the more mixed.

    Returns
    -------
    dot : str
    """
    words = describe(
        model, feature_names=feature_names, class_names=class_names, max_weights=max_weights,
        decimals=decimals, spread=spread,
    )  # fmt: skip
    limit = words.depth_limit(max_depth)
    style = "rounded,filled" if filled else "rounded"
    lines = [
        "digraph Tree {",
        f'node [shape=box, style="{style}", fillcolor="white", fontname="helvetica"];',
        'edge [fontname="helvetica"];',
    ]
    for node in range(words.tree.n_nodes):
        depth = int(words.tree.depths[node])
        if depth > limit:
            continue
        label = "\\n".join(
            _escape(line) for line in words.box(node, is_cut=depth >= limit, counts=show_counts)
        )
        color = f', fillcolor="{words.color(node)}"' if filled else ""
        lines.append(f'{node} [label="{label}"{color}];')
        if node > 0:
            parent = int(words.tree.parents[node])
            answer = "yes" if words.tree.children_left[parent] == node else "no"
            lines.append(f'{parent} -> {node} [label="{answer}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _escape(text: str) -> str:
    """Spell a text inside a quoted DOT string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')
