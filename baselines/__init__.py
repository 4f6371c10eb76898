"""Rival methods that the trees of `oblique` are compared with, one file a method."""

from baselines.c45 import C45, C45Classifier
from baselines.cart_lc import CartLC
from baselines.oc1 import OC1, OC1Classifier

__all__ = ["C45", "OC1", "C45Classifier", "CartLC", "OC1Classifier"]
