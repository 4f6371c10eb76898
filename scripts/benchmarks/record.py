"""What one line of the benchmark says, and how times are compared."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Record:
    """One measured figure with its target.

    Attributes
    ----------
    section, case : str
    value : float or None
        None: not measured, ``detail`` says why.
    target : float
    sense : {"<=", ">="}
    detail : str
    """

    section: str
    case: str
    value: float | None
    target: float
    sense: str
    detail: str

    @property
    def ok(self) -> bool:
        """Whether the target is met; a line that could not be measured does not fail."""
        if self.value is None:
            return True
        return self.value <= self.target if self.sense == "<=" else self.value >= self.target

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return {
            "section": self.section, "case": self.case, "value": self.value,
            "target": self.target, "sense": self.sense, "ok": self.ok, "detail": self.detail,
        }  # fmt: skip


def compare_times(
    ours: Callable[..., Any], peer: Callable[..., Any], *arguments: Any, repeats: int = 9
) -> tuple[float, float, float]:
    """Time two calls in turn and return (median ratio, our median, the peer's), in seconds.

    The ratio is taken pair by pair, so that a drift of the machine's speed cancels.
    """
    ours(*arguments), peer(*arguments)
    times = [(_seconds(ours, arguments), _seconds(peer, arguments)) for _ in range(repeats)]
    ratio = statistics.median(a / b for a, b in times)
    return ratio, statistics.median(a for a, _ in times), statistics.median(b for _, b in times)


def _seconds(call: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start
