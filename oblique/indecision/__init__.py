"""Indecision trees: learning, inference and arguments under quantified uncertainty.

`UncertainTable` holds cases as distributions, `IndecisionTreeClassifier` learns from them, and
`class_probabilities` asks any fitted tree about them. After J. Kent & D. Menager (2022).
"""

from oblique.indecision.classifier import IndecisionTreeClassifier
from oblique.indecision.clauses import NumericClauses, ObliqueClauses
from oblique.indecision.predict import class_probabilities
from oblique.indecision.reach import leaf_probabilities, node_probabilities
from oblique.indecision.table import UncertainTable

__all__ = [
    "IndecisionTreeClassifier",
    "NumericClauses",
    "ObliqueClauses",
    "UncertainTable",
    "class_probabilities",
    "leaf_probabilities",
    "node_probabilities",
]
