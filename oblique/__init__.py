"""Oblique decision trees that can be trained, compared and explained.

Start with `ObliqueTreeClassifier` (any split finder) or `LDTClassifier` (the method of this
package); `oblique.finders` holds the plug-ins, `oblique.compare` the comparison of strategies.
"""

from oblique.estimators import LDTClassifier, ObliqueTreeClassifier
from oblique.finders import SplitFinder
from oblique.sensitivity import DecisionSurface
from oblique.split import CategorySplit, LinearSplit
from oblique.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "CategorySplit",
    "DecisionSurface",
    "LDTClassifier",
    "LinearSplit",
    "ObliqueTreeClassifier",
    "SplitFinder",
    "Tree",
]
