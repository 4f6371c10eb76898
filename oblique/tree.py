"""The tree: frozen flat arrays, one entry a node, and what can be asked of them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique import _kernels, _routing
from oblique.answers import cheapest_answers
from oblique.routing import Routing
from oblique.split import CategorySplit, LinearSplit

if TYPE_CHECKING:
    import scipy.sparse

    from oblique.split import Split


ARRAYS = (
    "children_left",
    "children_right",
    "threshold",
    "weight_indptr",
    "weight_indices",
    "weight_values",
    "category_indptr",
    "category_codes",
    "category_left",
    "category_open",
    "missing_left",
    "counts",
    "impurity",
    "labels",
)


# Shares of divided rows stand in a dense block of at most so many numbers at a time.
_DENSE = 1 << 22


class Region(NamedTuple):
    """The part of the space that reaches a node: ``A x <= b``, and categories.

    Attributes
    ----------
    A : ndarray of shape (m, n_features)
        One line a linear test on the path, root first; a test that was failed has its signs
        turned.
    b : ndarray of shape (m,)
    strict : ndarray of shape (m,), bool
        True where the test is ``<`` (the path goes right).
    categories : dict of int to tuple of int
        Codes that remain possible of each categorical feature tested on the path.
    """

    A: NDArray[np.float64]
    b: NDArray[np.float64]
    strict: NDArray[np.bool_]
    categories: dict[int, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Tree:
    """A binary decision tree of linear and category tests.

    Nodes are numbered so that parents come before their children; the root is 0. All arrays
    are read-only. Weights and category codes are stored in compressed rows: the entries of
    node t are ``weight_indptr[t]:weight_indptr[t + 1]``. A category test has the one weight
    1 on its feature and its codes in ``category_codes``.

    Attributes
    ----------
    children_left, children_right : ndarray of shape (n_nodes,), int32
        -1 at leaves.
    threshold : ndarray of shape (n_nodes,)
        NaN at leaves and category tests.
    weight_indptr, weight_indices : ndarray of int32
    weight_values : ndarray of float64
    category_indptr, category_codes : ndarray of int32
    category_left : ndarray of shape (n_nodes,), int32
        How many of a node's codes, the first ones, go left; the others go right.
    category_open : ndarray of shape (n_nodes,), bool
        Whether codes that are not listed go right instead of counting as missing.
    missing_left : ndarray of shape (n_nodes,)
        Share of a row that goes left where its answer is missing.
    counts : ndarray of shape (n_nodes, n_classes)
        Training weight of each class.
    impurity : ndarray of shape (n_nodes,)
        Impurity per unit of weight in the criterion the tree was grown with.
    labels : ndarray of shape (n_nodes,), int32
        Class code that is answered: the majority's, or with ``error_costs`` the cheapest.
    n_features : int
    criterion : str
    tie_class : int
        Class that wins ties, -1: the one of smallest code.
    feature_names, class_names : tuple of str or None
    category_names : mapping of int to tuple of str
        Names of the codes of categorical features.
    error_costs : ndarray of shape (n_classes, n_classes) or None
        Cost of answering the class of the line where that of the column is true, by which rows
        with a missing answer get their class. None: the largest share.
    """

    children_left: NDArray[np.int32]
    children_right: NDArray[np.int32]
    threshold: NDArray[np.float64]
    weight_indptr: NDArray[np.int32]
    weight_indices: NDArray[np.int32]
    weight_values: NDArray[np.float64]
    category_indptr: NDArray[np.int32]
    category_codes: NDArray[np.int32]
    category_left: NDArray[np.int32]
    category_open: NDArray[np.bool_]
    missing_left: NDArray[np.float64]
    counts: NDArray[np.float64]
    impurity: NDArray[np.float64]
    labels: NDArray[np.int32]
    n_features: int
    criterion: str = "entropy"
    tie_class: int = -1
    feature_names: tuple[str, ...] | None = None
    class_names: tuple[str, ...] | None = None
    category_names: Mapping[int, tuple[str, ...]] | None = None
    error_costs: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        for name in ARRAYS:
            getattr(self, name).setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays come out of a pickle, or a deep copy, without their write protection.
        self.__dict__.update(state)
        for cached in ("parents", "depths", "routing", "class_shares"):
            self.__dict__.pop(cached, None)
        self.__post_init__()

    # ------------------------------------------------------------ shape

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.children_left)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.counts.shape[1])

    @property
    def leaves(self) -> NDArray[np.intp]:
        """Node numbers of the leaves, left to right in a tree grown by `grow`."""
        return np.flatnonzero(self.children_left < 0)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.children_left < 0))

    @functools.cached_property
    def parents(self) -> NDArray[np.int32]:
        """Parent of each node, -1 for the root."""
        parents = np.full(self.n_nodes, -1, dtype=np.int32)
        inner = np.flatnonzero(self.children_left >= 0)
        parents[self.children_left[inner]] = inner
        parents[self.children_right[inner]] = inner
        parents.setflags(write=False)
        return parents

    @functools.cached_property
    def depths(self) -> NDArray[np.int32]:
        """Number of tests above each node."""
        depths: NDArray[np.int32] = _routing.node_depths(self.parents)
        depths.setflags(write=False)
        return depths

    @property
    def max_depth(self) -> int:
        """Largest number of tests on a path, in edges: a single leaf has depth 0."""
        return int(self.depths.max())

    @property
    def weights(self) -> scipy.sparse.csr_array:
        """Weights of all tests as a sparse array of shape (n_nodes, n_features)."""
        import scipy.sparse

        parts = (self.weight_values, self.weight_indices, self.weight_indptr)
        return scipy.sparse.csr_array(parts, shape=(self.n_nodes, self.n_features))

    @property
    def is_axis_parallel(self) -> bool:
        """Whether every linear test has one weight."""
        return bool((np.diff(self.weight_indptr) <= 1).all())

    def split(self, node: int) -> Split | None:
        """Test of a node, None for a leaf.

        Parameters
        ----------
        node : int
            Node number, 0 for the root.

        Returns
        -------
        split : LinearSplit, CategorySplit or None
        """
        if self.children_left[node] < 0:
            return None
        part = slice(self.weight_indptr[node], self.weight_indptr[node + 1])
        missing_left = float(self.missing_left[node])
        begin, end = self.category_indptr[node], self.category_indptr[node + 1]
        if begin == end:
            return LinearSplit.sparse(
                self.weight_indices[part],
                self.weight_values[part],
                float(self.threshold[node]),
                self.n_features,
                missing_left,
            )
        codes = self.category_codes[begin:end].tolist()
        n_left = int(self.category_left[node])
        others = None if self.category_open[node] else codes[n_left:]
        return CategorySplit(
            int(self.weight_indices[part][0]), codes[:n_left], others, missing_left=missing_left
        )

    def path(self, node: int) -> list[tuple[int, bool]]:
        """Tests from the root to a node as (node, went left).

        Parameters
        ----------
        node : int
            Node number, 0 for the root.
        """
        steps = []
        while node > 0:
            parent = int(self.parents[node])
            steps.append((parent, int(self.children_left[parent]) == node))
            node = parent
        return steps[::-1]

    def region(self, leaf: int) -> Region:
        """Half-spaces and categories that lead to a node.

        Parameters
        ----------
        leaf : int
            Node number, usually of a leaf.
        """
        self._check_nodes("leaf", [leaf])
        normals, bounds, strict = [], [], []
        categories: dict[int, tuple[int, ...]] = {}
        for node, went_left in self.path(leaf):
            split = self.split(node)
            if isinstance(split, CategorySplit):
                categories[split.feature] = self._remaining(split, went_left, categories)
            elif split is not None:
                sign = 1.0 if went_left else -1.0
                normals.append(sign * split.weights)
                bounds.append(sign * split.threshold)
                strict.append(not went_left)
        A = np.array(normals).reshape(-1, self.n_features)
        return Region(A, np.array(bounds), np.array(strict, dtype=np.bool_), categories)

    def _check_nodes(self, name: str, nodes: Iterable[int]) -> None:
        for node in nodes:
            if not 0 <= node < self.n_nodes:
                raise ValueError(
                    f"{name}={node} is not a node: the tree has nodes 0 ... {self.n_nodes - 1}"
                )

    def _remaining(
        self, split: CategorySplit, went_left: bool, before: dict[int, tuple[int, ...]]
    ) -> tuple[int, ...]:
        if went_left:
            allowed = set(split.categories)
        elif split.others is not None:
            allowed = set(split.others)
        else:
            names = (self.category_names or {}).get(split.feature, ())
            known = set(range(len(names))) | set(split.categories)
            allowed = known - set(split.categories)
        if split.feature in before:
            allowed &= set(before[split.feature])
        return tuple(sorted(allowed))

    # ------------------------------------------------------------ routing

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Leaf that each row reaches.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows with a missing answer reach several leaves; the one they reach with the
            largest share is given, the first of equal ones.

        Returns
        -------
        leaf : ndarray of shape (n,), int64
        """
        rows = self._rows(X)
        leaf, divided = self.routing.route(rows)
        if divided.size:
            leaf[divided] = self.routing.main_leaves(rows, divided)
        return leaf

    def distribution(self, X: ArrayLike) -> NDArray[np.float64]:
        """Class distribution of each row's leaf, (n, n_classes).

        A row with a missing answer gets the mean of its leaves' distributions, weighted by the
        share that reaches each (Quinlan 1993, chapter 3). Where classes tie, the share of the
        one that is predicted is larger by the last bit, so that it is the largest.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Numbers, categories as codes; NaN is a missing value.
        """
        rows = self._rows(X)
        leaf, divided = self.routing.route(rows)
        shares = self.class_shares
        if not divided.size:
            return shares[leaf]
        out = shares[np.maximum(leaf, 0)]
        mixed = self.routing.mix(rows, divided, shares)
        out[divided] = _raise_label(mixed, self.labels_of(mixed))
        return out

    def predict_codes(self, X: ArrayLike) -> NDArray[np.int32]:
        """Class code of each row, shape (n,): its leaf's label.

        For a row that a missing value divides it is the largest part of its distribution, or
        with ``error_costs`` the cheapest answer to it; ties as in leaves.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Numbers, categories as codes; NaN is a missing value.
        """
        rows = self._rows(X)
        leaf, divided = self.routing.route(rows)
        if not divided.size:
            return self.labels[leaf]
        codes = self.labels[np.maximum(leaf, 0)]
        codes[divided] = self.labels_of(self.routing.mix(rows, divided, self.class_shares))
        return codes

    def labels_of(self, shares: NDArray[np.float64]) -> NDArray[np.int32]:
        """Class code that the tree answers to each class distribution.

        The largest share, ties as in leaves, or with ``error_costs`` the cheapest answer.

        Parameters
        ----------
        shares : ndarray of shape (n, n_classes)

        Returns
        -------
        codes : ndarray of shape (n,), int32
        """
        if self.error_costs is not None:
            return cheapest_answers(shares, self.error_costs, self.tie_class)
        return _kernels.describe_nodes(0, shares, self.tie_class)[1]

    def decision_path(self, X: ArrayLike) -> scipy.sparse.csr_array:
        """Share of each row that visits each node, sparse (n, n_nodes); 1 for known answers.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Numbers, categories as codes; NaN is a missing value.
        """
        import scipy.sparse

        rows = self._rows(X)
        leaf, divided = self.routing.route(rows)
        if not divided.size:
            return self._paths(leaf)
        known = np.flatnonzero(leaf >= 0)
        parts = [self._paths(leaf[known])]
        block = max(1, _DENSE // self.n_nodes)
        for begin in range(0, divided.size, block):
            which = divided[begin : begin + block]
            parts.append(scipy.sparse.csr_array(self.routing.reach(rows, which)))
        back = np.argsort(np.concatenate([known, divided]))
        return scipy.sparse.csr_array(scipy.sparse.vstack(parts, format="csr")[back])

    def _paths(self, leaf: NDArray[np.int64]) -> scipy.sparse.csr_array:
        """One line a row: ones at the nodes from the root to its leaf."""
        import scipy.sparse

        indptr, nodes = _routing.paths_from_root(leaf, self.parents, self.depths)
        shape = (len(leaf), self.n_nodes)
        return scipy.sparse.csr_array((np.ones(nodes.size), nodes, indptr), shape=shape)

    def _rows(self, X: ArrayLike) -> NDArray[np.float64]:
        rows = np.ascontiguousarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.n_features:
            raise ValueError(
                f"X must have shape (n, {self.n_features}), as in training, got {rows.shape}"
            )
        rows = rows.view()
        rows.setflags(write=False)
        return rows

    @functools.cached_property
    def routing(self) -> Routing:
        """How rows go through the tree, for code that has rows ready and many questions."""
        return Routing.of(self)

    @functools.cached_property
    def class_shares(self) -> NDArray[np.float64]:
        """Class distribution of each node, (n_nodes, n_classes), even where no row trained it.

        Where classes tie, the share of the node's label is larger by the last bit.
        """
        totals = self.counts.sum(axis=1, keepdims=True)
        even = np.full_like(self.counts, 1.0 / self.n_classes)
        shares = np.divide(self.counts, totals, out=even, where=totals > 0.0)
        shares = _raise_label(shares, self.labels)
        shares.setflags(write=False)
        return shares

    # ------------------------------------------------------------ other trees

    def collapse(self, nodes: Iterable[int]) -> Tree:
        """Return the tree in which the listed nodes are leaves.

        Parameters
        ----------
        nodes : iterable of int
        """
        listed = list(nodes)
        self._check_nodes("nodes", listed)
        cut = np.zeros(self.n_nodes, dtype=np.bool_)
        cut[np.array(listed, dtype=np.intp)] = True
        below = _routing.below_nodes(self.parents, cut)
        keep = np.flatnonzero(~below)
        return self.subset(keep, cut | (self.children_left < 0))

    def subtree(self, node: int) -> Tree:
        """Return the tree below a node, which becomes the root.

        Parameters
        ----------
        node : int
            Node number, 0 for the root.
        """
        self._check_nodes("node", [node])
        top = np.zeros(self.n_nodes, dtype=np.bool_)
        top[node] = True
        keep = np.flatnonzero(top | _routing.below_nodes(self.parents, top))
        return self.subset(keep, self.children_left < 0)

    def subset(self, keep: NDArray[np.intp], is_leaf: NDArray[np.bool_]) -> Tree:
        """Return the tree of some nodes, numbered anew.

        Parameters
        ----------
        keep : ndarray of shape (n_kept,)
            Nodes, ascending; the first becomes the root.
        is_leaf : ndarray of shape (n_nodes,), bool
            Which nodes become leaves; the children of the others must be kept.
        """
        name = np.full(self.n_nodes + 1, -1, dtype=np.int32)
        name[keep] = np.arange(keep.size, dtype=np.int32)
        inner = ~is_leaf[keep]
        # Entry -1 of the renaming stands for "no child".
        left = np.where(inner, name[self.children_left[keep]], -1).astype(np.int32)
        right = np.where(inner, name[self.children_right[keep]], -1).astype(np.int32)
        weights = _take_segments(self.weight_indptr, keep, inner)
        codes = _take_segments(self.category_indptr, keep, inner)
        return self.replace(
            children_left=left,
            children_right=right,
            threshold=np.where(inner, self.threshold[keep], np.nan),
            weight_indptr=weights[0],
            weight_indices=self.weight_indices[weights[1]],
            weight_values=self.weight_values[weights[1]],
            category_indptr=codes[0],
            category_codes=self.category_codes[codes[1]],
            category_left=np.where(inner, self.category_left[keep], 0).astype(np.int32),
            category_open=self.category_open[keep] & inner,
            missing_left=np.where(inner, self.missing_left[keep], 0.5),
            counts=self.counts[keep],
            impurity=self.impurity[keep],
            labels=self.labels[keep],
        )

    def replace(self, **changes: Any) -> Tree:
        """Return a copy with some attributes changed.

        Parameters
        ----------
        **changes : object
            New values by the name of the attribute.
        """
        kept = {field.name: getattr(self, field.name) for field in fields(self)}
        return Tree(**{**kept, **changes})

    def recount(
        self, X: ArrayLike, codes: NDArray[np.int32], weights: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Class weights of other rows at each node, (n_nodes, n_classes).

        Parameters
        ----------
        X : array-like of shape (n, n_features)
        codes : ndarray of shape (n,), int32
            Class codes.
        weights : array-like of shape (n,) or None
        """
        rows = self._rows(X)
        w = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)
        leaf, divided = self.routing.route(rows)
        known = np.flatnonzero(leaf >= 0)
        counts = np.zeros((self.n_nodes, self.n_classes))
        np.add.at(counts, (leaf[known], codes[known]), w[known])
        _routing.climb_counts(self.parents, counts)
        if divided.size:
            self.routing.add_counts(rows, divided, codes, w, counts)
        return counts

    @classmethod
    def from_nested(
        cls,
        nested: Mapping[str, Any],
        *,
        feature_names: Sequence[str] | None = None,
        classes: Sequence[str] | None = None,
    ) -> Tree:
        """Make a tree by hand, as printed in a paper.

        Parameters
        ----------
        nested : mapping
            A leaf is ``{"counts": {"0": 98, "1": 1}}``; an inner node is ``{"weights":
            {"glucose": 1.0}, "threshold": 137.5, "left": node, "right": node}`` or
            ``{"feature": "colour", "categories": ["red"], "left": node, "right": node}``.
        feature_names : sequence of str or None
            Order of the features. None: as they appear, root first.
        classes : sequence of str or None
            Order of the classes. None: sorted.

        Raises
        ------
        ValueError
            Names the node (as a path such as ``root.left``) and what is wrong there.
        """
        from oblique.nested import tree_from_nested

        return tree_from_nested(nested, feature_names=feature_names, classes=classes)

    @classmethod
    def from_sklearn(cls, estimator: Any) -> Tree:
        """Adapt a fitted scikit-learn decision tree classifier.

        scikit-learn compares values rounded to float32 with its thresholds; the thresholds
        here are moved so that float64 rows go exactly the same way.

        Parameters
        ----------
        estimator : DecisionTreeClassifier or ExtraTreeClassifier
            Fitted, with one output.
        """
        from oblique.adapt import tree_from_sklearn

        return tree_from_sklearn(estimator)

    # ------------------------------------------------------------ dictionaries

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain lists, numbers and strings, ready for JSON."""
        from oblique.persist import tree_to_dict

        return tree_to_dict(self)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Tree:
        """Make a tree from `to_dict`'s result, checked entry by entry.

        Parameters
        ----------
        document : mapping
        """
        from oblique.persist import tree_from_dict

        return tree_from_dict(document)

    def check(self) -> Tree:
        """Return the tree itself when its arrays fit together.

        Raises
        ------
        ValueError
            Names the array and the node that do not fit.
        """
        from oblique.persist import check_tree

        check_tree(self)
        return self


def _raise_label(shares: NDArray[np.float64], labels: NDArray[np.int32]) -> NDArray[np.float64]:
    """Make each line's label its largest share, where others tie with it."""
    most, own = shares.max(axis=1), shares[np.arange(len(labels)), labels]
    tied = np.flatnonzero((shares.argmax(axis=1) != labels) & (own >= most * (1.0 - _kernels.TIE)))
    shares[tied, labels[tied]] = np.nextafter(most[tied], np.inf)
    return shares


def _take_segments(
    indptr: NDArray[np.int32], keep: NDArray[np.intp], inner: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Compressed rows of the kept nodes (leaves have none): new pointers, old entries."""
    sizes = np.where(inner, np.diff(indptr)[keep], 0)
    new = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    parts = [np.arange(indptr[t], indptr[t + 1]) for t in keep[inner]]
    entries = np.concatenate(parts) if parts else np.empty(0, dtype=np.intp)
    return new, entries.astype(np.intp)
