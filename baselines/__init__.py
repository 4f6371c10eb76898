"""Rival methods that the trees of `oblique` are compared with, one file a method."""

from baselines.c45 import C45, C45Classifier
from baselines.cart_lc import CartLC
from baselines.cost_criteria import CostGain
from baselines.cost_trees import CSID3Classifier, EG2Classifier, IDXClassifier
from baselines.cost_weighted import CostWeighted
from baselines.fisher import Fisher
from baselines.hhcart import HHCART
from baselines.icet import ICETClassifier
from baselines.leave_one_out import LeaveOneOutLinear
from baselines.linear_svm import LinearSVM
from baselines.minimum_cost import MetaCostClassifier, MinimumCostClassifier
from baselines.oc1 import OC1, OC1Classifier
from baselines.principal_axes import PrincipalAxes
from baselines.regression import Logistic, Ridge
from baselines.robust_lp import LinearProgramError, RobustLP, RobustPlane, robust_plane
from baselines.sparse_random import SparseRandom
from baselines.tao import TreeAlternatingOptimization
from baselines.tao_tree import TAOTreeClassifier
from baselines.tree_grower import TreeGrower

__all__ = [
    "C45",
    "HHCART",
    "OC1",
    "C45Classifier",
    "CSID3Classifier",
    "CartLC",
    "CostGain",
    "CostWeighted",
    "EG2Classifier",
    "Fisher",
    "ICETClassifier",
    "IDXClassifier",
    "LeaveOneOutLinear",
    "LinearProgramError",
    "LinearSVM",
    "Logistic",
    "MetaCostClassifier",
    "MinimumCostClassifier",
    "OC1Classifier",
    "PrincipalAxes",
    "Ridge",
    "RobustLP",
    "RobustPlane",
    "SparseRandom",
    "TAOTreeClassifier",
    "TreeAlternatingOptimization",
    "TreeGrower",
    "robust_plane",
]
