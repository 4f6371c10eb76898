"""A finder that always proposes the same test, for trying out the induction loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oblique.finders.base import SplitFinder
from oblique.split import CategorySplit, LinearSplit

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import Split


class FixedSplit(SplitFinder):
    """Proposes a given test at every node: a test double.

    Parameters
    ----------
    split : LinearSplit, CategorySplit or None, default=None
    """

    def __init__(self, split: Split | None = None):
        self.split = split

    def check_parameters(self) -> None:
        """Raise TypeError for what is not a test."""
        if self.split is not None and not isinstance(self.split, LinearSplit | CategorySplit):
            raise TypeError(f"split={self.split!r} must be a LinearSplit, CategorySplit or None")

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return the given test."""
        return self.split
