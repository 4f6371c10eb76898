"""Thousands of trees of one table, each with other costs: what does not change is done once."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from baselines import _information
from baselines._gain_finder import Rule
from baselines._gain_tree import collapsed
from baselines.cost_criteria import CostGain, priced_rule
from oblique import _kernels
from oblique._arrays import read_only
from oblique.builder import axis_skeleton
from oblique.induction import grow
from oblique.pruning import ErrorBased, _raising
from oblique.pruning.base import check_codes, check_weights
from oblique.pruning.error_based import SLACK, limit_arguments
from oblique.row_order import canonical_rows
from oblique.stopping import Stopping
from oblique.tree import Tree


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

    Attributes
    ----------
    finder : CostGain
        How tests are chosen; every tree has costs of its own.
    features : ndarray of shape (d,), int32
        All columns.
    order : ndarray of shape (n,), int32
        Canonical order of the rows.
    is_plain : bool
        Whether all columns hold numbers, none missing: trees are then grown in compiled calls.
    table : tuple of ndarray
        Where ``is_plain``: columns (d, n), sorted lines (d + 1, n), codes and weights.
    logs : ndarray
        Where ``is_plain``: k log2 k for k = 0 ... n, or empty where weights are not all one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from baselines import TreeGrower
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
        self.finder = CostGain(
            measure, categories=categories, min_leaf_weight=min_leaf_weight,
            mdl_correction=mdl_correction, threshold=threshold,
        )  # fmt: skip
        self.finder.check_parameters()
        self._stopping = Stopping(max_depth)
        self._names = names or {}
        self.order = canonical_rows(self._X, self._codes, self._weights)
        self._is_counted = bool((self._weights == 1.0).all())
        self.features = read_only(np.arange(d, dtype=np.int32))
        is_numeric = self._categorical is None or not self._categorical.any()
        self.is_plain = is_numeric and not np.isnan(self._X).any()
        if self.is_plain:
            self._sort()

    def _sort(self) -> None:
        columns = np.ascontiguousarray(self._X.T)
        lines = np.empty((len(columns) + 1, len(self._X)), dtype=np.int32)
        lines[0] = self.order
        lines[1:] = self.order[np.argsort(columns[:, self.order], axis=1, kind="stable")]
        self.table = (
            read_only(columns), read_only(lines), read_only(self._codes), read_only(self._weights),
        )  # fmt: skip
        self.logs = _kernels.xlogx_table(len(self._X)) if self._is_counted else np.empty(0)

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
        rule = priced_rule(self.finder.measure, self.features.size, costs, omega, later, groups)
        limit = None if confidence is None else limit_arguments(confidence, bound)
        member, n_members = self._members(rows)
        if self.is_plain and raising:
            return self._grow_compiled(member, n_members, rule, limit)
        finder = clone(self.finder).set_params(costs=costs, omega=omega, later=later, groups=groups)
        pruner = None if confidence is None else ErrorBased(confidence, raising, bound)
        return self._grow_in_loop(self.order[member[self.order]], finder, pruner)

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
        finder = self.finder
        depth = self._stopping.max_depth
        columns, lines, codes, weights = self.table
        links, cuts, counts = _information.grow_by_worth(
            columns, lines, np.empty((0, 0)), codes, weights, member, n_members, self._n_classes,
            self.features, self.logs, *rule, bool(finder.mdl_correction),
            float(finder.min_leaf_weight), finder.threshold == "data",
            np.inf if depth is None else float(depth), 2, True,
        )  # fmt: skip
        if limit is not None:
            rows = self.order[member[self.order]]
            left, right, feature = np.ascontiguousarray(links.T)
            root, _ = _raising.raise_axis_subtrees(
                self._X[rows], self._codes[rows], self._weights[rows], *limit, SLACK, counts,
                left, right, feature, cuts[:, 0].copy(),
            )  # fmt: skip
            links[:, 0], links[:, 1] = left, right
            links, cuts, counts = _information.live_nodes(root, links, cuts, counts)
        skeleton = axis_skeleton(links, cuts, counts)
        return skeleton.clothe(criterion="entropy", n_features=self.features.size, **self._names)

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
