"""Split finders: the plug-ins of the induction loop."""

from oblique.finders.axis_parallel import AxisParallel
from oblique.finders.base import SplitFinder, best_cut_along
from oblique.finders.best_of import BestOf
from oblique.finders.categories import Categories
from oblique.finders.fixed import FixedSplit
from oblique.finders.linear_discriminant import LinearDiscriminant
from oblique.finders.safe import SafeAdjusted

__all__ = [
    "AxisParallel",
    "BestOf",
    "Categories",
    "FixedSplit",
    "LinearDiscriminant",
    "SafeAdjusted",
    "SplitFinder",
    "best_cut_along",
]
