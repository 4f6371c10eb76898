"""The price of one test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oblique.pruning.base import is_number


@dataclass(frozen=True)
class TestCost:
    """What it costs to learn the value of a feature.

    Parameters
    ----------
    full : float
        Price when no other test of the group has been paid for the case.
    discount : float or None, default=None
        Price of any later test of the group, at most ``full``. None: ``full``.
    group : str or None, default=None
        Tests of one group share a part of their cost, such as drawing blood. None: the test
        shares nothing.
    delayed : bool, default=False
        Whether the result comes later than the next decision. All tests that could follow a
        delayed one are then ordered together with it.
    evidence : str, default=""
        Where the price comes from; kept, not used.

    Raises
    ------
    ValueError
        For a price that is negative or not finite, a discount above the full price, or a
        discount without a group.

    References
    ----------
    P. D. Turney (1995), Journal of Artificial Intelligence Research 2, 369-409, section 2 and
    appendix A.
    """

    # pytest takes classes of this name for tests.
    __test__: ClassVar[bool] = False

    full: float
    discount: float | None = None
    group: str | None = None
    delayed: bool = False
    evidence: str = ""

    def __post_init__(self) -> None:
        store = object.__setattr__
        store(self, "full", checked_cost("full cost", self.full))
        if self.discount is not None:
            store(self, "discount", checked_cost("discount cost", self.discount))
            if self.discount > self.full:
                raise ValueError(
                    f"discount cost {self.discount:g} is above the full cost {self.full:g}; the "
                    "discount is what a later test of the group costs, not what it saves"
                )
            if self.group is None and self.discount < self.full:
                raise ValueError(
                    f"discount cost {self.discount:g} without a group: name the group whose tests "
                    "share the difference"
                )
        if self.group is not None and (not isinstance(self.group, str) or not self.group):
            raise ValueError(f"group={self.group!r} must be a name or None")
        if not isinstance(self.delayed, bool | np.bool_):
            raise ValueError(f"delayed={self.delayed!r} must be True or False")
        store(self, "delayed", bool(self.delayed))

    @property
    def later(self) -> float:
        """Price once another test of the group is paid."""
        return self.full if self.discount is None else self.discount


def checked_cost(what: str, value: Any) -> float:
    """Return a cost as a float; raise ValueError unless it is finite and not negative."""
    if not is_number(value) or not 0.0 <= float(value) < math.inf:
        raise ValueError(f"{what} {value!r} must be a finite number that is not negative")
    return float(value)


class Prices(NamedTuple):
    """The tests' prices as arrays, one entry a feature.

    Attributes
    ----------
    full, later : ndarray of shape (n_features,)
        Price of the first and of a later test of the group.
    group : ndarray of shape (n_features,), int32
        Number of the group, -1 for none.
    delayed : ndarray of shape (n_features,), bool
    """

    full: NDArray[np.float64]
    later: NDArray[np.float64]
    group: NDArray[np.int32]
    delayed: NDArray[np.bool_]


def tabulate(tests: list[TestCost]) -> Prices:
    """Return the prices of tests in the order given."""
    groups = sorted({test.group for test in tests if test.group is not None})
    numbers = {group: number for number, group in enumerate(groups)}
    prices = Prices(
        np.array([test.full for test in tests], dtype=np.float64),
        np.array([test.later for test in tests], dtype=np.float64),
        np.array(
            [-1 if test.group is None else numbers[test.group] for test in tests], dtype=np.int32
        ),
        np.array([test.delayed for test in tests], dtype=np.bool_),
    )
    for array in prices:
        array.setflags(write=False)
    return prices
