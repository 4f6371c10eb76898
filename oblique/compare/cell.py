"""One cell of a comparison: a data set, a strategy and a split."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oblique.compare.identity import describe_value, hash_json
from oblique.compare.source import Source
from oblique.compare.splitting import TrainTest
from oblique.compare.strategy import Strategy

if TYPE_CHECKING:
    from oblique.costs import CostModel

# Raised when a change of the scoring code may change a score: old records no longer count.
SCORING_VERSION = 1


@dataclass(frozen=True, eq=False)
class Cell:
    """A data set, a strategy and a split: what one record of a comparison is about.

    Attributes
    ----------
    source : Source
    checksum : str
        Hash of the rows.
    unsafe_class : object or None
    strategy : Strategy
    split : TrainTest
    seed : int
        Seed of the split; shared by all strategies.
    unsafe_cost : float or None
        Cost of missing an unsafe row, where missing a safe one costs 1; None: no cost is told.
    costs : CostModel or None
        What tests and errors cost in this data set.
    """

    source: Source
    checksum: str
    unsafe_class: Any
    strategy: Strategy
    split: TrainTest
    seed: int
    unsafe_cost: float | None = None
    costs: CostModel | None = None

    @property
    def label(self) -> str:
        """The cell in words: ``pima ldt 50/50 #3``."""
        return f"{self.source.name} {self.strategy.name} {self.split.label}"

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that decides the scores, as JSON values."""
        scoring: dict[str, Any] = {}
        if self.unsafe_cost is not None:
            scoring["unsafe_cost"] = self.unsafe_cost
        if self.costs is not None:
            scoring["costs"] = describe_value(self.costs)
        return {
            **scoring,
            "dataset": self.source.name,
            "checksum": self.checksum,
            "unsafe_class": describe_value(self.unsafe_class),
            "strategy": self.strategy.name,
            "parameters": self.strategy.parameters,
            **self.split._asdict(),
            "seed": self.seed,
            "scoring_version": SCORING_VERSION,
        }

    @cached_property
    def key(self) -> str:
        """Hash of the identity; the name of the cell's record."""
        return hash_json(self.identity)
