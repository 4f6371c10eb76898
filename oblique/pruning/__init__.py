"""Pruning: choose a smaller tree, by error, by safety or by an estimate from training rows."""

from oblique.pruning.base import Pruner
from oblique.pruning.cost_complexity import CostComplexity
from oblique.pruning.error_based import ErrorBased, estimated_errors, extra_errors
from oblique.pruning.path import PruningPath, pruning_path
from oblique.pruning.reduced_error import ReducedError
from oblique.pruning.safe import SafePruning

__all__ = [
    "CostComplexity",
    "ErrorBased",
    "Pruner",
    "PruningPath",
    "ReducedError",
    "SafePruning",
    "estimated_errors",
    "extra_errors",
    "pruning_path",
]
