"""Rival methods that the trees of `oblique` are compared with, one file a method."""

from baselines.cart_lc import CartLC
from baselines.oc1 import OC1, OC1Classifier

__all__ = ["OC1", "CartLC", "OC1Classifier"]
