"""How sensitive a classification is: distance to the decision surface, and what would change it."""

from oblique.sensitivity.calibration import DensityCalibration
from oblique.sensitivity.explanation import Explanation, Explanations, explain
from oblique.sensitivity.leaf_probability import leaf_probabilities
from oblique.sensitivity.plots import (
    plot_distances,
    plot_moves,
    plot_roc,
    plot_sensitive_tests,
)
from oblique.sensitivity.population import (
    count_sensitive_tests,
    distance_histogram,
    error_proximity,
    share_within,
    share_within_percent,
    trace_summary,
)
from oblique.sensitivity.ranking import GeometricRanking, rank_cases, signed_distances
from oblique.sensitivity.roc import compare_areas, partial_areas
from oblique.sensitivity.surface import DecisionSurface, NearestCases
from oblique.sensitivity.tests import SensitiveTest

__all__ = [
    "DecisionSurface",
    "DensityCalibration",
    "Explanation",
    "Explanations",
    "GeometricRanking",
    "NearestCases",
    "SensitiveTest",
    "compare_areas",
    "count_sensitive_tests",
    "distance_histogram",
    "error_proximity",
    "explain",
    "leaf_probabilities",
    "partial_areas",
    "plot_distances",
    "plot_moves",
    "plot_roc",
    "plot_sensitive_tests",
    "rank_cases",
    "share_within",
    "share_within_percent",
    "signed_distances",
    "trace_summary",
]
