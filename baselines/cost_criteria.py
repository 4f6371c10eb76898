"""EG2, CS-ID3 and IDX: trees that weigh the gain of a test against its cost.

Each is C4.5 with another value of a test, as Turney (1995) ran them: C4.5's growing by best
gain of each column and its pruning stay. Thresholds are not corrected (``mdl_correction``),
which came to C4.5 a year later.

P. D. Turney (1995). Cost-sensitive classification: empirical evaluation of a hybrid genetic
decision tree induction algorithm. Journal of Artificial Intelligence Research 2, 369-409.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baselines import _information
from baselines._gain_finder import GainFinder, Rule
from oblique._arrays import read_only
from oblique._suggest import unknown_name
from oblique.pruning.base import is_number

MEASURES: Final[dict[str, int]] = {
    "icf": _information.ICF,
    "cs_id3": _information.CS_ID3,
    "idx": _information.IDX,
}


class CostGain(GainFinder):
    """The test whose information gain is worth most for its cost.

    With gain I in bits and cost C the value of a test is

    ======== ============================== ================================
    icf      (2^I - 1) / (C + 1)^omega      EG2 (Nunez 1991)
    cs_id3   I^2 / C                        CS-ID3 (Tan & Schlimmer 1990)
    idx      I / C                          IDX (Norton 1989)
    ======== ============================== ================================

    Parameters
    ----------
    measure : {"icf", "cs_id3", "idx"}, default="icf"
    costs : array-like of shape (d,) or None, default=None
        Cost of each column's test, finite and not negative; above zero for "cs_id3" and "idx".
        None: 1 each.
    omega : float, default=1.0
        Strength of the cost in "icf", in [0, 1]; with 0 the cost plays no part.
    later, groups : array-like of shape (d,) or None, default=None
        Costs that hold once another test of the same group is on the path, and the number of
        each test's group, -1 for none.
    categories, min_leaf_weight, mdl_correction, threshold
        As in `baselines.C45`.
    """

    def __init__(
        self,
        measure: Literal["icf", "cs_id3", "idx"] = "icf",
        *,
        costs: ArrayLike | None = None,
        omega: float = 1.0,
        later: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        categories: Literal["multiway", "single", "subsets"] = "multiway",
        min_leaf_weight: float = 2.0,
        mdl_correction: bool = False,
        threshold: Literal["data", "midpoint"] = "data",
    ):
        self.measure = measure
        self.costs = costs
        self.omega = omega
        self.later = later
        self.groups = groups
        self.categories = categories
        self.min_leaf_weight = min_leaf_weight
        self.mdl_correction = mdl_correction
        self.threshold = threshold

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        self._rule(1 if self.costs is None else np.size(self.costs))

    def _rule(self, d: int) -> Rule:
        return priced_rule(self.measure, d, self.costs, self.omega, self.later, self.groups)


def priced_rule(
    measure: str,
    d: int,
    costs: ArrayLike | None = None,
    omega: float = 1.0,
    later: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Rule:
    """Say how d tests of some costs compete; see `CostGain`.

    Raises
    ------
    ValueError
        For costs that are negative, not finite, zero where they divide, or of another number.
    """
    if not isinstance(measure, str) or measure not in MEASURES:
        raise ValueError(unknown_name("measure", measure, MEASURES))
    if not is_number(omega) or not 0.0 <= float(omega) <= 1.0:
        raise ValueError(f"omega={omega!r} must be a number in [0, 1]")
    code = MEASURES[measure]
    full = np.ones(d) if costs is None else _checked_costs("costs", costs, d, code)
    after = full if later is None else _checked_costs("later", later, d, code)
    numbers = np.full(d, -1, dtype=np.int32)
    if later is not None:
        if groups is None:
            raise ValueError("later costs need groups: say which tests share a price")
        if (after > full).any():
            j = int(np.flatnonzero(after > full)[0])
            raise ValueError(f"later[{j}]={after[j]:g} is above the full cost {full[j]:g}")
        if np.asarray(groups).dtype.kind not in "iu":
            raise ValueError(f"groups={groups!r} must be whole numbers, -1 for no group")
        numbers = np.ascontiguousarray(groups, dtype=np.int32)
        if numbers.shape != (d,):
            raise ValueError(f"groups must hold one number a column, {d}, got {numbers.shape}")
    if code == _information.ICF:
        full, after = (full + 1.0) ** omega, (after + 1.0) ** omega
    return Rule(code, read_only(full), read_only(after), read_only(numbers))


def value_of_test(
    measure: Literal["icf", "cs_id3", "idx"], gain: float, cost: float, omega: float = 1.0
) -> float:
    """Value of a test that gains some bits at some cost; see `CostGain`.

    Examples
    --------
    >>> value_of_test("icf", 1.0, cost=1.0)
    0.5
    """
    rule = priced_rule(measure, 1, [cost], omega)
    return float(_information.worth(rule.measure, gain, 1.0, rule.prices[0]))


def _checked_costs(name: str, costs: ArrayLike, d: int, code: int) -> NDArray[np.float64]:
    try:
        given = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={costs!r} must be numbers") from None
    if given.shape != (d,):
        raise ValueError(f"{name} must hold one cost a column, {d}, got shape {given.shape}")
    wrong = np.flatnonzero(~(np.isfinite(given) & (given >= 0.0)))
    if wrong.size:
        j = int(wrong[0])
        raise ValueError(f"{name}[{j}]={given[j]:g} must be finite and not negative")
    if code != _information.ICF and not given.all():
        j = int(np.flatnonzero(given == 0.0)[0])
        raise ValueError(
            f"{name}[{j}]=0: CS-ID3 and IDX divide by the cost of a test; give a small cost, or "
            'take measure="icf" (EG2), which divides by cost + 1'
        )
    return given
