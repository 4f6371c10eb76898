"""Pruning: choose a smaller tree, by errors, their cost, safety or an estimate from training."""

from oblique.pruning.base import Pruner
from oblique.pruning.cost_complexity import CostComplexity
from oblique.pruning.error_based import ErrorBased, estimated_errors, extra_errors
from oblique.pruning.expected_cost import ExpectedCost
from oblique.pruning.path import PruningPath, pruning_path
from oblique.pruning.reduced_error import ReducedError
from oblique.pruning.safe import SafePruning

__all__ = [
    "CostComplexity",
    "ErrorBased",
    "ExpectedCost",
    "Pruner",
    "PruningPath",
    "ReducedError",
    "SafePruning",
    "estimated_errors",
    "extra_errors",
    "pruning_path",
]
