"""The rival methods as strategies of a comparison, each an unfitted classifier.

The entry-point group ``oblique.strategies`` names these functions.
"""

from __future__ import annotations

from baselines.cart_lc import CartLC
from baselines.oc1 import OC1Classifier
from oblique import ObliqueTreeClassifier
from oblique.finders import BestOf, Categories
from oblique.pruning import CostComplexity


def oc1() -> OC1Classifier:
    """OC1 with 20 starts and 5 jumps by information gain, unpruned (OC1 of Vadera 2005)."""
    return OC1Classifier(criterion="entropy", pruning=None)


def oc1_pruned() -> OC1Classifier:
    """OC1 by information gain, cost-complexity pruned on a tenth of the rows (Vadera 2005)."""
    return OC1Classifier(criterion="entropy")


def oc1_released() -> OC1Classifier:
    """OC1 as its program was released: twoing, pruned on a tenth of the rows (Murthy 1994)."""
    return OC1Classifier()


def cart_lc() -> ObliqueTreeClassifier:
    """CART with linear combinations by twoing, unpruned (Breiman 1984; Murthy 1994)."""
    return ObliqueTreeClassifier(finder=BestOf(CartLC(), Categories()), criterion="twoing")


def cart_lc_pruned() -> ObliqueTreeClassifier:
    """CART with linear combinations, cost-complexity pruned on a tenth of the rows."""
    return cart_lc().set_params(pruning=CostComplexity())
