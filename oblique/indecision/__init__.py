"""Indecision trees: learning, inference and arguments under quantified uncertainty."""

from oblique.indecision.table import UncertainTable

__all__ = ["UncertainTable"]
