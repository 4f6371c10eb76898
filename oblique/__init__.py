"""Oblique decision trees that can be trained, compared and explained.

Start with `ObliqueTreeClassifier` (any split finder) or `LDTClassifier` (the method of this
package); `oblique.finders` holds the plug-ins, `oblique.compare` the comparison of strategies.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oblique.costs import CostModel
    from oblique.estimators import LDTClassifier, ObliqueTreeClassifier
    from oblique.export import export_graphviz, export_text
    from oblique.finders import SplitFinder
    from oblique.indecision import IndecisionTreeClassifier
    from oblique.persist import load, save
    from oblique.plot import plot_tree
    from oblique.regions import plot_regions
    from oblique.sensitivity import DecisionSurface, Explanation, GeometricRanking, explain
    from oblique.split import CategorySplit, LinearSplit
    from oblique.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "CategorySplit",
    "CostModel",
    "DecisionSurface",
    "Explanation",
    "GeometricRanking",
    "IndecisionTreeClassifier",
    "LDTClassifier",
    "LinearSplit",
    "ObliqueTreeClassifier",
    "SplitFinder",
    "Tree",
    "explain",
    "export_graphviz",
    "export_text",
    "load",
    "plot_regions",
    "plot_tree",
    "save",
]

# Where each public name lives. It is imported when it is asked for, so that the command line
# answers --help without waiting for scikit-learn and numba.
_HOMES = {
    "CategorySplit": "split",
    "CostModel": "costs",
    "DecisionSurface": "sensitivity",
    "Explanation": "sensitivity",
    "GeometricRanking": "sensitivity",
    "IndecisionTreeClassifier": "indecision",
    "LDTClassifier": "estimators",
    "LinearSplit": "split",
    "ObliqueTreeClassifier": "estimators",
    "SplitFinder": "finders",
    "Tree": "tree",
    "explain": "sensitivity",
    "export_graphviz": "export",
    "export_text": "export",
    "load": "persist",
    "plot_regions": "regions",
    "plot_tree": "plot",
    "save": "persist",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *_HOMES})
