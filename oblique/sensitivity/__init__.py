"""How sensitive a classification is: distance to the decision surface, and what would change it."""

from oblique.sensitivity.explanation import Explanation, Explanations, explain
from oblique.sensitivity.surface import DecisionSurface, NearestCases
from oblique.sensitivity.tests import SensitiveTest

__all__ = [
    "DecisionSurface",
    "Explanation",
    "Explanations",
    "NearestCases",
    "SensitiveTest",
    "explain",
]
