"""Explanations as a page in which a case can be changed: one file, read in any browser, offline.

The page holds the tree and answers by itself: ``projection.js`` and ``surface.js`` are the search
of `DecisionSurface` in JavaScript; ``controls.js`` and ``page.js`` are what the reader sees.
"""

from __future__ import annotations

import html
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oblique.describe import Description, describe
from oblique.persist.document import tree_to_dict
from oblique.profile import DEVIATION, HIGH, LOW
from oblique.sensitivity.explaining import Explanations
from oblique.sensitivity.options import METRICS, build_metric
from oblique.sensitivity.surface import DecisionSurface
from oblique.sensitivity.tests import describe_test

_SCRIPTS = ("projection.js", "surface.js", "controls.js", "page.js")
_MOST_CASES = 2000
_TERMS = 3


def write_page(explanations: Explanations, path: Any, *, title: str = "Explanation") -> Path:
    """Write an interactive page that explains cases: one HTML file that needs nothing else.

    A reader chooses a case, changes its values, the metric, the weights of attributes and what may
    move, and sees at once class, leaf and trace, the distance to each other class, the smallest
    move and the sensitive tests. The browser computes them, exactly as `DecisionSurface` does.

    Parameters
    ----------
    explanations : Explanations
        What `oblique.explain` returned. Its metric, limits and weights are those that the page
        starts with; ranges stay as they are.
    path : str or path
        File to write, usually ``.html``. It holds the values of the cases and the whole tree.
    title : str, default="Explanation"

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    ValueError
        For another norm than the Euclidean one, moves to whole numbers, no case, or more than
        2000 cases.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from oblique import LDTClassifier, explain
    >>> from oblique.datasets import load_dataset
    >>> from oblique.sensitivity import write_page
    >>> data = load_dataset("bupa")
    >>> model = LDTClassifier().fit(data.data, data.target)
    >>> page = write_page(explain(model, data.data[:20], frozen=["drinks"]), "bupa.html")
    ... # doctest: +SKIP
    """
    _check(explanations)
    # In a script, "<" could end the element and "&" means nothing.
    model = json.dumps(page_model(explanations), allow_nan=False, separators=(",", ":"))
    parts = {
        "title": html.escape(title),
        "style": _read("page.css"),
        "model": model.replace("<", "\\u003c"),
        "scripts": "".join(f"<script>\n{_read(name)}</script>\n" for name in _SCRIPTS),
    }
    before, *rest = _read("page.html").split("{{")
    text = before + "".join(
        parts[name] + after for name, _, after in (piece.partition("}}") for piece in rest)
    )
    target = Path(path)
    target.write_text(text, encoding="utf-8")
    return target


def page_model(explanations: Explanations) -> dict[str, Any]:
    """All that the page knows, as plain lists, numbers and strings: the tree, scales and cases."""
    surface = explanations.surface
    tree = surface.tree
    free = explanations.unconstrained or explanations
    scales = _scales(free.surface)
    chosen = next(
        name for name, s in scales.items() if np.array_equal(s, free.surface.metric.scale)
    )
    weights = free.surface.metric.scale / surface.metric.scale
    limits, profile = surface.limits, surface.profile
    known = None if profile is None else np.where(np.isfinite(profile), profile, 0.0)
    short = describe(
        tree, feature_names=surface.feature_names, max_weights=_TERMS, decimals=4,
        spread=surface.metric.scale,
    )  # fmt: skip
    return {
        "tree": tree_to_dict(tree),
        "classes": [str(label) for label in surface.classes.tolist()],
        "features": list(surface.feature_names),
        "isOpen": surface.search.has_interior.tolist(),
        "texts": [_both_ways(surface, short, node) for node in range(tree.n_nodes)],
        "scales": {name: scale.tolist() for name, scale in scales.items()},
        "profile": None
        if known is None
        else {"low": known[LOW].tolist(), "high": known[HIGH].tolist(),
              "deviation": known[DEVIATION].tolist()},
        "changeCost": free.surface.limits.change_cost.tolist(),
        "start": {
            "metric": chosen,
            "weights": [float(f"{w:.12g}") for w in weights],
            "mayRise": limits.may_rise.tolist(),
            "mayFall": limits.may_fall.tolist(),
            "lower": _finite(limits.lower),
            "upper": _finite(limits.upper),
        },
        "cases": [
            {"name": str(name), "values": _finite(row)}
            for name, row in zip(explanations.names, explanations.near.rows, strict=True)
        ],
    }  # fmt: skip


def _check(explanations: Explanations) -> None:
    """Refuse what the page could not answer."""
    surface = explanations.surface
    if surface.metric.norm != 2.0:
        raise ValueError(
            f"norm={surface.metric.norm:g}: the page measures by the Euclidean norm only; explain "
            "with norm=2 or read the explanations as text"
        )
    if surface.limits.integer.any():
        raise ValueError(
            "integer: the page does not move attributes to whole numbers; leave it out or read "
            "the explanations as text"
        )
    if not 1 <= len(explanations) <= _MOST_CASES:
        raise ValueError(
            f"explanations holds {len(explanations)} cases: a page takes 1 to {_MOST_CASES}; "
            "explain some of them"
        )


def _scales(surface: DecisionSurface) -> dict[str, NDArray[np.float64]]:
    """Scales of the metrics that the page offers; one of the user's own comes first."""
    coded = surface.search.partition.category_features
    found = {
        name: build_metric(name, surface.profile, None, None, surface.feature_names, coded).scale
        for name in METRICS
        if surface.profile is not None or name == "identity"
    }
    own = surface.metric.scale
    if any(np.array_equal(own, scale) for scale in found.values()):
        return found
    return {"given": own, **found}


def _both_ways(surface: DecisionSurface, short: Description, node: int) -> Any:
    """Test of a node as it reads when passed and when not, in short and in full; None at a leaf."""
    tree = surface.tree
    if tree.children_left[node] < 0:
        return None
    return {
        word: [str(short.condition(node, left=passed)),
               describe_test(tree, surface.feature_names, node, passed=passed)]
        for word, passed in (("passed", True), ("failed", False))
    }  # fmt: skip


def _finite(values: NDArray[np.float64]) -> list[float | None]:
    """Numbers as JSON knows them, None for one that is not finite."""
    return [value if np.isfinite(value) else None for value in values.tolist()]


def _read(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")
