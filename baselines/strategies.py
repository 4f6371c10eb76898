"""The rival methods as strategies of a comparison, each an unfitted classifier.

The entry-point group ``oblique.strategies`` names these functions.
"""

from __future__ import annotations

from baselines.oc1 import OC1Classifier


def oc1() -> OC1Classifier:
    """OC1 with 20 starts and 5 jumps by information gain, unpruned (OC1 of Vadera 2005)."""
    return OC1Classifier(criterion="entropy", pruning=None)


def oc1_pruned() -> OC1Classifier:
    """OC1 by information gain, cost-complexity pruned on a tenth of the rows (Vadera 2005)."""
    return OC1Classifier(criterion="entropy")


def oc1_released() -> OC1Classifier:
    """OC1 as its program was released: twoing, pruned on a tenth of the rows (Murthy 1994)."""
    return OC1Classifier()
