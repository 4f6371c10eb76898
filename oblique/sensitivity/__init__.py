"""How sensitive a classification is: distance to the decision surface, and what would change it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oblique.sensitivity.calibration import DensityCalibration
    from oblique.sensitivity.explaining import Explanations, explain
    from oblique.sensitivity.explanation import Explanation
    from oblique.sensitivity.leaf_probability import leaf_probabilities
    from oblique.sensitivity.page import write_page
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
    "write_page",
]

# Where each name lives; imported when asked for, as one case is explained without the rest.
_HOMES = {
    "DecisionSurface": "surface",
    "DensityCalibration": "calibration",
    "Explanation": "explanation",
    "Explanations": "explaining",
    "GeometricRanking": "ranking",
    "NearestCases": "surface",
    "SensitiveTest": "tests",
    "compare_areas": "roc",
    "count_sensitive_tests": "population",
    "distance_histogram": "population",
    "error_proximity": "population",
    "explain": "explaining",
    "leaf_probabilities": "leaf_probability",
    "partial_areas": "roc",
    "plot_distances": "plots",
    "plot_moves": "plots",
    "plot_roc": "plots",
    "plot_sensitive_tests": "plots",
    "rank_cases": "ranking",
    "share_within": "population",
    "share_within_percent": "population",
    "signed_distances": "ranking",
    "trace_summary": "population",
    "write_page": "page",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *_HOMES})
