"""Indecision trees: learning, inference and arguments under quantified uncertainty.

`UncertainTable` holds cases as distributions, `IndecisionTreeClassifier` learns from them, and
`class_probabilities` asks any fitted tree about them, and `argue` gives the
reasons. After J. Kent & D. Menager (2022).
"""

from oblique.indecision.argument import Argument, ArgumentBase, Interval, Relation, Values, argue
from oblique.indecision.classifier import IndecisionTreeClassifier
from oblique.indecision.clauses import NumericClauses, ObliqueClauses
from oblique.indecision.export import arguments_to_dict, export_arguments, export_problog
from oblique.indecision.noise import NoisyMeasurements, add_noise
from oblique.indecision.plot import plot_arguments
from oblique.indecision.predict import class_probabilities
from oblique.indecision.reach import leaf_probabilities, node_probabilities
from oblique.indecision.table import UncertainTable

__all__ = [
    "Argument",
    "ArgumentBase",
    "IndecisionTreeClassifier",
    "Interval",
    "NoisyMeasurements",
    "NumericClauses",
    "ObliqueClauses",
    "Relation",
    "UncertainTable",
    "Values",
    "add_noise",
    "argue",
    "arguments_to_dict",
    "class_probabilities",
    "export_arguments",
    "export_problog",
    "leaf_probabilities",
    "node_probabilities",
    "plot_arguments",
]
