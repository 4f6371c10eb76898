"""EG2, CS-ID3 and IDX: trees that weigh the gain of a test against its cost.

Each is C4.5 with another value of a test, as Turney (1995) ran them: C4.5's growing by best
gain of each column and its pruning stay. Thresholds are not corrected (``mdl_correction``),
which came to C4.5 a year later.

P. D. Turney (1995). Cost-sensitive classification: empirical evaluation of a hybrid genetic
decision tree induction algorithm. Journal of Artificial Intelligence Research 2, 369-409.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from baselines import _information
from baselines._gain_finder import GainFinder, Rule
from baselines._gain_tree import collapsed
from oblique import _kernels
from oblique._arrays import read_only
from oblique._suggest import unknown_name
from oblique.builder import axis_skeleton
from oblique.induction import grow
from oblique.pruning import ErrorBased, _raising
from oblique.pruning.base import check_codes, check_weights, is_number
from oblique.pruning.error_based import SLACK, limit_arguments
from oblique.row_order import canonical_rows
from oblique.stopping import Stopping
from oblique.tree import Tree

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


class TreeGrower:
    """Grows and prunes many trees on parts of one table, with other costs each time.

    What does not change is done once: checks, the canonical order of rows, sorted columns. One
    tree on 192 rows and 8 complete numeric columns then takes about a tenth of a millisecond;
    with missing values or categories it is grown by `oblique.induction.grow`.

    Parameters
    ----------
    X : array-like of shape (n, d)
        float64; NaN is a missing value, categorical columns hold codes 0, 1 ...
    codes : array-like of shape (n,)
        Class codes 0 ... n_classes - 1.
    n_classes : int or None, default=None
        None: the largest code + 1.
    sample_weight : array-like of shape (n,) or None
        Positive weights. None: ones.
    categorical : array-like of shape (d,), bool, or None
        Which columns are categorical.
    measure : {"icf", "cs_id3", "idx"}, default="icf"
    categories, min_leaf_weight, mdl_correction, threshold
        As in `CostGain`.
    max_depth : int or None, default=None
    names : mapping or None
        ``feature_names``, ``class_names`` and ``category_names`` of the trees.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from baselines.cost_criteria import TreeGrower
    >>> X, y = load_wine(return_X_y=True)
    >>> grower = TreeGrower(X, y)
    >>> rows = np.arange(0, len(X), 2)
    >>> tree = grower.grow(rows, costs=np.arange(13.0), omega=0.5, confidence=0.1)
    >>> tree.n_leaves
    6
    """

    def __init__(
        self,
        X: ArrayLike,
        codes: ArrayLike,
        *,
        n_classes: int | None = None,
        sample_weight: ArrayLike | None = None,
        categorical: ArrayLike | None = None,
        measure: Literal["icf", "cs_id3", "idx"] = "icf",
        categories: Literal["multiway", "single", "subsets"] = "multiway",
        min_leaf_weight: float = 2.0,
        mdl_correction: bool = False,
        threshold: Literal["data", "midpoint"] = "data",
        max_depth: int | None = None,
        names: dict[str, Any] | None = None,
    ):
        self._X = np.ascontiguousarray(X, dtype=np.float64)
        if self._X.ndim != 2 or not self._X.size:
            raise ValueError(f"X must have two dimensions and some rows, got {self._X.shape}")
        n, d = self._X.shape
        n_classes = int(np.max(codes)) + 1 if n_classes is None else n_classes
        self._n_classes = n_classes
        self._codes = check_codes(codes, n, n_classes)
        self._weights = check_weights(sample_weight, n)
        if not self._weights.all():
            raise ValueError("sample_weight must be positive: leave rows of weight zero out")
        self._categorical = None if categorical is None else np.asarray(categorical, dtype=np.bool_)
        self._finder = CostGain(
            measure, categories=categories, min_leaf_weight=min_leaf_weight,
            mdl_correction=mdl_correction, threshold=threshold,
        )  # fmt: skip
        self._finder.check_parameters()
        self._stopping = Stopping(max_depth)
        self._names = names or {}
        self._order = canonical_rows(self._X, self._codes, self._weights)
        self._is_counted = bool((self._weights == 1.0).all())
        self._features = read_only(np.arange(d, dtype=np.int32))
        is_numeric = self._categorical is None or not self._categorical.any()
        self._is_plain = is_numeric and not np.isnan(self._X).any()
        if self._is_plain:
            self._sort()

    def _sort(self) -> None:
        columns = np.ascontiguousarray(self._X.T)
        lines = np.empty((len(columns) + 1, len(self._X)), dtype=np.int32)
        lines[0] = self._order
        lines[1:] = self._order[np.argsort(columns[:, self._order], axis=1, kind="stable")]
        self._table = (
            read_only(columns), read_only(lines), read_only(self._codes), read_only(self._weights),
        )  # fmt: skip
        self._logs = _kernels.xlogx_table(len(self._X)) if self._is_counted else np.empty(0)

    def grow(
        self,
        rows: ArrayLike | None = None,
        *,
        costs: ArrayLike | None = None,
        omega: float = 1.0,
        later: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        confidence: float | None = 0.25,
        raising: bool = True,
        bound: Literal["c45", "j48", "exact"] = "c45",
    ) -> Tree:
        """Grow a tree on some rows and prune it.

        Parameters
        ----------
        rows : array-like of int or None, default=None
            Rows to grow on, each once, in any order. None: all.
        costs, omega, later, groups
            As in `CostGain`.
        confidence : float or None, default=0.25
            CF of `oblique.pruning.ErrorBased`, a share. None: collapsed only.
        raising, bound
            As in `oblique.pruning.ErrorBased`.

        Returns
        -------
        tree : Tree
            The same as of `CostGain` in the induction loop, collapsed and pruned.
        """
        rule = priced_rule(self._finder.measure, self._features.size, costs, omega, later, groups)
        limit = None if confidence is None else limit_arguments(confidence, bound)
        member, n_members = self._members(rows)
        if self._is_plain and raising:
            return self._grow_compiled(member, n_members, rule, limit)
        finder = clone(self._finder).set_params(
            costs=costs, omega=omega, later=later, groups=groups
        )
        pruner = None if confidence is None else ErrorBased(confidence, raising, bound)
        return self._grow_in_loop(self._order[member[self._order]], finder, pruner)

    def _members(self, rows: ArrayLike | None) -> tuple[NDArray[np.bool_], int]:
        n = len(self._X)
        if rows is None:
            return np.ones(n, dtype=np.bool_), n
        member = np.zeros(n, dtype=np.bool_)
        given = np.asarray(rows)
        if given.ndim != 1 or not given.size or given.dtype.kind not in "iu":
            raise ValueError("rows must be row numbers, at least one")
        if given.min() < 0 or given.max() >= n:
            raise ValueError(f"rows must be 0 ... {n - 1}, got {given.min()} ... {given.max()}")
        member[given] = True
        n_members = int(np.count_nonzero(member))
        if n_members != given.size:
            raise ValueError("rows names a row more than once: repeat it by its sample_weight")
        return member, n_members

    def _grow_compiled(
        self,
        member: NDArray[np.bool_],
        n_members: int,
        rule: Rule,
        limit: tuple[float, float, int] | None,
    ) -> Tree:
        finder = self._finder
        depth = self._stopping.max_depth
        columns, lines, codes, weights = self._table
        links, cuts, counts = _information.grow_by_worth(
            columns, lines, np.empty((0, 0)), codes, weights, member, n_members, self._n_classes,
            self._features, self._logs, *rule, bool(finder.mdl_correction),
            float(finder.min_leaf_weight), finder.threshold == "data",
            np.inf if depth is None else float(depth), 2, True,
        )  # fmt: skip
        if limit is not None:
            rows = self._order[member[self._order]]
            left, right, feature = np.ascontiguousarray(links.T)
            root, _ = _raising.raise_axis_subtrees(
                self._X[rows], self._codes[rows], self._weights[rows], *limit, SLACK, counts,
                left, right, feature, cuts[:, 0].copy(),
            )  # fmt: skip
            links[:, 0], links[:, 1] = left, right
            links, cuts, counts = _information.live_nodes(root, links, cuts, counts)
        skeleton = axis_skeleton(links, cuts, counts)
        return skeleton.clothe(criterion="entropy", n_features=self._features.size, **self._names)

    def _grow_in_loop(
        self, rows: NDArray[np.int32], finder: CostGain, pruner: ErrorBased | None
    ) -> Tree:
        X, codes, weights = self._X[rows], self._codes[rows], self._weights[rows]
        tree = grow(
            X, codes, n_classes=self._n_classes, finder=finder, rng=np.random.default_rng(0),
            sample_weight=None if self._is_counted else weights, stopping=self._stopping,
            categorical=self._categorical, names=self._names,
        )  # fmt: skip
        tree = collapsed(tree)
        return tree if pruner is None else pruner.prune(tree, X, codes, sample_weight=weights)
