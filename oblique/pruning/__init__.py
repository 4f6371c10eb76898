"""Pruning: choose a smaller tree, by error, by safety or by an estimate from training rows."""

from oblique.pruning.base import Pruner
from oblique.pruning.cost_complexity import CostComplexity
from oblique.pruning.path import PruningPath, pruning_path
from oblique.pruning.safe import SafePruning

__all__ = ["CostComplexity", "Pruner", "PruningPath", "SafePruning", "pruning_path"]
