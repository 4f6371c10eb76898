"""Tree alternating optimization: better tests for a tree whose structure stays.

M. A. Carreira-Perpiñán, P. Tavallali (2018). Alternating optimization of decision trees, with
application to learning sparse oblique trees. Advances in Neural Information Processing
Systems 31.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baselines import _regression
from baselines._checks import check_count, check_positive
from baselines._sample import ScaledRows, gathered
from baselines.leave_one_out import STRENGTHS, base_rate, weigh
from baselines.regression import check_grid, logistic_model
from oblique._arrays import read_only
from oblique._kernels import describe_nodes
from oblique._routing import climb_counts
from oblique.classifier import TreeClassifier
from oblique.criteria import criterion_code
from oblique.pruning import Pruner
from oblique.pruning.base import check_codes, check_rows, check_weights, node_errors
from oblique.row_order import canonical_rows
from oblique.split import CategorySplit, LinearSplit
from oblique.tree import Tree

if TYPE_CHECKING:
    from numpy.random import Generator

# A test is not fitted to fewer rows.
_LEAST_ROWS = 4


class TreeAlternatingOptimization(Pruner):
    """Improve the tests of any tree, node by node from the leaves up.

    With all other nodes fixed, a node's test matters for those rows of which exactly one child
    predicts the class: it should send them there. That is a problem of two classes, which a
    regularised logistic regression solves approximately. Its plane is taken where it sends no
    more weight astray, so the training loss (weight misclassified) never rises. After each
    sweep over the nodes, leaves are labelled by the majority again.

    It has the interface of a pruner that holds out no rows: use it as ``pruning`` of an
    estimator, hand a tree to `prune`, or a fitted estimator to `improve`.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        l1 makes weights zero (`sklearn.linear_model.LogisticRegression`, liblinear).
    C : float or None, default=None
        Inverse of the strength of the penalty, for columns standardised at the node. None: for
        l2 the one of ``strengths`` whose leave-one-out deviance is least, for each node and
        sweep; for l1 1.0.
    strengths : tuple of float, default=(0.003, 0.03, 0.3, 3.0, 30.0)
    max_sweeps : int, default=6
        Sweeps end earlier when no node sends less weight astray than before.
    simplify : bool, default=False
        Whether branches without rows, and tests whose sides predict the same, are taken out in
        the end. Otherwise the structure stays, with leaves that no training row may reach.

    Notes
    -----
    Category tests stay as they are. Rows with a missing value take no part in the problems of
    nodes, but count in the loss: a sweep that would raise it is undone.

    Examples
    --------
    >>> from baselines import TreeAlternatingOptimization
    >>> from oblique import ObliqueTreeClassifier
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = ObliqueTreeClassifier(max_depth=2).fit(X, y)
    >>> better = TreeAlternatingOptimization().improve(model, X, y)
    >>> better.score(X, y) >= model.score(X, y)
    True
    """

    holdout = 0.0

    def __init__(
        self,
        *,
        penalty: Literal["l2", "l1"] = "l2",
        C: float | None = None,
        strengths: tuple[float, ...] = STRENGTHS,
        max_sweeps: int = 6,
        simplify: bool = False,
    ):
        self.penalty = penalty
        self.C = C
        self.strengths = strengths
        self.max_sweeps = max_sweeps
        self.simplify = simplify

    def prune(
        self,
        tree: Tree,
        X: ArrayLike,
        codes: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        unsafe: int = -1,
        rng: Generator | None = None,
    ) -> Tree:
        """Return the improved tree; see `oblique.pruning.Pruner.prune`.

        Class weights, impurities and labels of the result are those of the rows handed in.
        """
        self.check_parameters()
        if not isinstance(tree, Tree):
            raise TypeError(
                f"tree={tree!r} must be a Tree, such as model.tree_; improve() takes estimators"
            )
        rows = check_rows(X, tree.n_features)
        labels = check_codes(codes, len(rows), tree.n_classes)
        weights = check_weights(sample_weight, len(rows))
        order = canonical_rows(rows, labels, weights)
        order = order[weights[order] > 0.0]
        return self.alternate(tree, rows[order], labels[order], weights[order])

    def alternate(
        self,
        tree: Tree,
        X: NDArray[np.float64],
        codes: NDArray[np.int32],
        weights: NDArray[np.float64],
        memory: Memory | None = None,
    ) -> Tree:
        """Return the improved tree; `prune` without checks and without ordering the rows.

        Parameters
        ----------
        tree : Tree
        X : ndarray of shape (n, n_features)
        codes : ndarray of shape (n,), int32
        weights : ndarray of shape (n,)
            Positive weights.
        memory : dict or None
            Problems solved before on the same rows, to which those solved here are added: the
            trees of a path have most of them in common.
        """
        return _Work(self, tree, X, codes, weights, {} if memory is None else memory).run()

    def improve(
        self, model: TreeClassifier, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Return a copy of a fitted estimator with an improved tree.

        Parameters
        ----------
        model : estimator
            A fitted tree estimator of this package; it is not changed.
        X, y, sample_weight
            Training rows, as in the estimator's ``fit``.

        Raises
        ------
        TypeError
            For a model of another package: hand its tree to `prune`.
        sklearn.exceptions.NotFittedError
        """
        self.check_parameters()
        if not isinstance(model, TreeClassifier):
            raise TypeError(
                f"model={model!r} must be a tree estimator of this package; a tree of another "
                "program goes through Tree.from_sklearn or Tree.from_nested and prune()"
            )
        better = copy.copy(model)
        better._prune_with(self, X, y, sample_weight)
        return better

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter out of its range."""
        super().check_parameters()
        if self.penalty not in ("l2", "l1"):
            raise ValueError(f'penalty={self.penalty!r} must be "l2" or "l1"')
        if self.C is not None:
            check_positive("C", self.C, or_else="None")
        check_grid("strengths", self.strengths)
        check_count("max_sweeps", self.max_sweeps, least=0)
        if not isinstance(self.simplify, bool | np.bool_):
            raise ValueError(f"simplify={self.simplify!r} must be True or False")


class Fit(NamedTuple):
    """The last regression of a test: the rows and sides it was for, and its plane.

    ``features`` to ``spread`` are the scaled columns that the plane is of, as in `ScaledRows`;
    ``which`` is the number of the strength that was best.
    """

    rows: NDArray[np.int32]
    sides: NDArray[np.int32]
    features: NDArray[np.int32]
    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    plane: NDArray[np.float64]
    which: int


# A test, spelled as bytes, and its last regression.
Memory = dict[bytes, Fit]


class _Work:
    """A tree with dense weights, and the rows that it is improved on."""

    def __init__(
        self,
        method: TreeAlternatingOptimization,
        tree: Tree,
        X: NDArray[np.float64],
        codes: NDArray[np.int32],
        weights: NDArray[np.float64],
        memory: Memory,
    ):
        self.method = method
        self.memory = memory
        self.tree = tree
        self.all_rows = X, codes, weights
        tests = [tree.split(t) for t in range(tree.n_nodes)]
        self.is_free = np.array([isinstance(test, LinearSplit) for test in tests])
        kinds = {t: test for t, test in enumerate(tests) if isinstance(test, CategorySplit)}
        # The answer to a category test becomes a column, so that all tests are linear.
        answers = {t: 1.0 - test.membership(X) for t, test in kinds.items()}
        complete = ~np.isnan(X).any(axis=1)
        for answer in answers.values():
            complete &= (answer == 0.0) | (answer == 1.0)
        self.is_complete = bool(complete.all())
        columns = np.column_stack([X, *answers.values()]) if answers else X
        self.X = read_only(np.ascontiguousarray(columns[complete]))
        self.codes = read_only(codes[complete])
        self.weights = read_only(weights[complete])
        self.is_counted = bool((weights == np.floor(weights)).all())
        categorical = tree.category_names or {}
        self.numeric = read_only(
            np.array([j for j in range(tree.n_features) if j not in categorical], dtype=np.int32)
        )
        self.planes = np.zeros((tree.n_nodes, columns.shape[1]))
        self.thresholds = np.zeros(tree.n_nodes)
        for t, test in enumerate(tests):
            if isinstance(test, LinearSplit):
                self.planes[t, test.indices] = test.values
                self.thresholds[t] = test.threshold
        for column, t in enumerate(kinds):
            self.planes[t, tree.n_features + column] = 1.0
            self.thresholds[t] = 0.5
        self.inner = np.flatnonzero(tree.children_left >= 0).tolist()
        self.labels = tree.labels.copy()
        self.sides = np.zeros(len(self.X), dtype=np.int32)

    def run(self) -> Tree:
        """Sweep until nothing improves; return the tree."""
        self._send_down()
        best = self._relabelled(self.tree)
        least = self._loss(best)
        if not self.is_complete and self._loss(self.tree) < least:
            # Other class weights divide rows with missing values differently.
            best, least = self.tree, self._loss(self.tree)
        for _ in range(self.method.max_sweeps):
            improved = self._sweep()
            self._send_down()
            tree = self._relabelled(self._with_planes())
            loss = self._loss(tree)
            # Without missing values a sweep cannot raise the loss, but for rounding of sums.
            if loss > least:
                break
            best, least = tree, loss
            if not improved:
                break
        if self.method.simplify:
            short = simplified(best)
            best = short if self.is_complete or self._loss(short) <= least else best
        return best

    # ------------------------------------------------------------ a sweep

    def _send_down(self) -> None:
        """Find the rows that reach each node."""
        tree = self.tree
        self.reach = {0: read_only(np.arange(len(self.X), dtype=np.int32))}
        for t in self.inner:
            parts, cut = _regression.divide_rows(
                self.X, self.reach[t], self.planes[t], self.thresholds[t]
            )
            parts = read_only(parts)
            self.reach[int(tree.children_left[t])] = parts[:cut]
            self.reach[int(tree.children_right[t])] = parts[cut:]

    def _sweep(self) -> bool:
        """Fit all tests anew, children first; whether one sends less weight astray."""
        improved = False
        for t in reversed(self.inner):
            if self.is_free[t] and self.reach[t].size >= _LEAST_ROWS:
                improved |= self._improve(t, self.reach[t])
        return improved

    def _improve(self, t: int, reach: NDArray[np.int32]) -> bool:
        """Fit a node's test anew; whether it sends less weight astray."""
        tree = self.tree
        rows = _regression.rows_that_matter(
            self.X, reach, self.codes, self.labels, tree.children_left, tree.children_right,
            self.planes, self.thresholds, t, self.sides,
        )  # fmt: skip
        if rows.size < _LEAST_ROWS:
            return False
        known = self.memory.get(self._key(t))
        if known is not None and _is_same(known, rows, self.sides):
            return False
        rows = read_only(rows)
        scaled = gathered(
            self.X, rows, self.numeric, read_only(self.sides), self.weights, "standard", 2
        )
        if not scaled.features.size or scaled.classes.size < 2:
            return False
        plane, which = self._regress(known, scaled)
        fit = Fit(rows, scaled.codes, scaled.features, scaled.centre, scaled.spread, plane, which)
        fall = self._replace(t, scaled, plane)
        self.memory[self._key(t)] = fit
        return fall > 0.0

    def _replace(self, t: int, scaled: ScaledRows, plane: NDArray[np.float64]) -> float:
        """Give a node another test unless that is worse; return the weight it brings back."""
        indices, values, threshold = scaled.place(self.X, plane, keep_threshold=True)
        if not indices.size or np.isnan(threshold):
            return 0.0
        dense = np.zeros(self.planes.shape[1])
        dense[indices] = values
        arguments = self.X, scaled.rows, self.sides, self.weights
        old = _regression.weight_astray(*arguments, self.planes[t], self.thresholds[t])
        new = _regression.weight_astray(*arguments, dense, threshold)
        if not new <= old:
            return 0.0
        self.planes[t], self.thresholds[t] = dense, threshold
        return float(old - new)

    def _key(self, t: int) -> bytes:
        return self.planes[t].tobytes() + self.thresholds[t].tobytes()

    def _regress(self, known: Fit | None, scaled: ScaledRows) -> tuple[NDArray[np.float64], int]:
        """Plane of the logistic regression of a node's problem, and which strength it has."""
        method, columns, sides = self.method, scaled.columns, scaled.codes
        weighing = weigh(scaled.weights, is_counted=self.is_counted)
        if method.penalty == "l1":
            model = logistic_model(1.0 if method.C is None else method.C, 1.0, 100)
            model.fit(columns[:-1].T, sides, weighing.weights)
            return np.append(model.coef_[0], -model.intercept_[0]), 0
        strengths = np.array(method.strengths if method.C is None else [method.C], dtype=np.float64)
        first, last = 0, strengths.size
        if known is None:
            start = base_rate(columns, sides, weighing.weights)
        else:
            # A test that was fitted before starts there, with the penalties around its own.
            start = _translated(known, scaled)
            first, last = max(0, known.which - 1), known.which + 2
        plane, _, which, _ = _regression.logistic(
            columns, sides, weighing.weights, weighing.removed, strengths[first:last], start
        )
        return plane, first + max(which, 0)

    # ------------------------------------------------------------ back to a tree

    def _with_planes(self) -> Tree:
        tree = self.tree
        d = tree.n_features
        kept = self.planes[:, :d].copy()
        kinds = np.flatnonzero(~self.is_free & (tree.children_left >= 0))
        kept[kinds, tree.weight_indices[tree.weight_indptr[kinds]]] = 1.0
        nodes, indices = np.nonzero(kept)
        threshold = np.where(self.is_free, self.thresholds, np.nan)
        return tree.replace(
            threshold=threshold,
            weight_indptr=np.searchsorted(nodes, np.arange(tree.n_nodes + 1)).astype(np.int32),
            weight_indices=indices.astype(np.int32),
            weight_values=kept[nodes, indices],
        )

    def _relabelled(self, tree: Tree) -> Tree:
        """Give a tree the class weights of the rows; leaves without rows keep their label."""
        counts = np.zeros((tree.n_nodes, tree.n_classes))
        for t, rows in self.reach.items():
            if tree.children_left[t] < 0:
                counts[t] = np.bincount(self.codes[rows], self.weights[rows], tree.n_classes)
        climb_counts(tree.parents, counts)
        # A missing answer is divided as the weight of complete rows is.
        missing_left = _shares_left(tree, counts)
        if not self.is_complete:
            counts = tree.replace(missing_left=missing_left).recount(*self.all_rows)
        impurity, labels = describe_nodes(criterion_code(tree.criterion), counts, tree.tie_class)
        labels = np.where(counts.any(axis=1), labels, tree.labels).astype(np.int32)
        self.labels = labels
        return tree.replace(
            counts=counts, impurity=impurity, labels=labels, missing_left=missing_left
        )

    def _loss(self, tree: Tree) -> float:
        if self.is_complete:
            leaves = tree.leaves
            return float(node_errors(tree.counts[leaves], tree.labels[leaves]).sum())
        X, codes, weights = self.all_rows
        return float(weights[tree.predict_codes(X) != codes].sum())


def _is_same(known: Fit, rows: NDArray[np.int32], sides: NDArray[np.int32]) -> bool:
    """Whether a regression was for these very rows and sides."""
    return np.array_equal(known.rows, rows) and np.array_equal(known.sides, sides[rows])


def _translated(known: Fit, scaled: ScaledRows) -> NDArray[np.float64]:
    """A plane of other scaled columns in those of some rows."""
    start = np.zeros(scaled.features.size + 1)
    _, old, new = np.intersect1d(known.features, scaled.features, return_indices=True)
    weights = known.plane[old] / known.spread[old]
    start[new] = weights * scaled.spread[new]
    start[-1] = known.plane[-1] + weights @ (known.centre[old] - scaled.centre[new])
    return start if np.isfinite(start).all() else np.zeros(start.size)


def _shares_left(tree: Tree, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the weight that each test sends left; without weight it stays as it was."""
    weight = counts.sum(axis=1)
    shares = tree.missing_left.copy()
    inner = np.flatnonzero((tree.children_left >= 0) & (weight > 0.0))
    left, right = weight[tree.children_left[inner]], weight[tree.children_right[inner]]
    shares[inner] = left / (left + right)
    return shares


def simplified(tree: Tree) -> Tree:
    """Return a tree without branches that hold no weight and tests that change no prediction.

    Parameters
    ----------
    tree : Tree
        Its class weights are those of the training rows. Predictions of rows without missing
        values do not change.
    """
    n = tree.n_nodes
    left, right = tree.children_left.copy(), tree.children_right.copy()
    weight = tree.counts.sum(axis=1)
    stands_for = np.arange(n, dtype=np.int32)
    for t in range(n - 1, -1, -1):
        if left[t] < 0:
            continue
        a, b = stands_for[left[t]], stands_for[right[t]]
        if weight[left[t]] == 0.0 or weight[right[t]] == 0.0:
            stands_for[t] = b if weight[left[t]] == 0.0 else a
            continue
        left[t], right[t] = a, b
        if left[a] < 0 and left[b] < 0 and tree.labels[a] == tree.labels[b]:
            left[t] = right[t] = -1
    keep, stack = [], [int(stands_for[0])]
    while stack:
        t = stack.pop()
        keep.append(t)
        if left[t] >= 0:
            stack += [int(right[t]), int(left[t])]
    nodes = np.sort(np.array(keep, dtype=np.intp))
    return tree.replace(children_left=left, children_right=right).subset(nodes, left < 0)
