"""The safe adjustment: move a plane until no safe row lies deep in the unsafe region."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from oblique import _kernels
from oblique.finders.base import SplitFinder, check_finder
from oblique.finders.linear_discriminant import LinearDiscriminant
from oblique.split import LinearSplit
from oblique.stopping import NO_GAIN

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import Split


MODES = ("literal", "pure", "iterate")


class SafeAdjusted(SplitFinder):
    """Adjusts the plane of any linear finder to the safe side (Vadera 2005, section 3).

    The unsafe region of the plane is to hold unsafe rows only. One number of the plane, its
    threshold or one of its weights, is changed so that the deepest misclassified safe row lies
    exactly on the plane, and a row on the plane counts as safe; of all these variants the one
    of largest gain is taken. A plane that misclassifies no safe row, or whose variants would
    all leave a side empty or gain nothing, stays as it is.

    Changing a weight turns the plane about a line through the origin, so weights are taken in
    the data's own origin and units, as in the paper. In mode "literal" the unsafe region of the
    result may still hold safe rows, because the variant is chosen by gain alone.

    Parameters
    ----------
    finder : SplitFinder or None, default=None
        Where the plane comes from. None: `LinearDiscriminant()`. A category test is passed on.
    mode : {"literal", "pure", "iterate"}, default="literal"
        "literal" adjusts once. "pure" admits only variants that leave no safe row in the
        unsafe region. "iterate" repeats the adjustment for the next misclassified safe row, at
        most once for each weight, and ends with the threshold, so that the region is pure
        unless a safe row lies deeper in it than every unsafe one.
    select_by : {"plain", "adjusted"}, default="plain"
        With which gain the result competes in `BestOf`: that of the plane before adjustment,
        which fits the printed tables of LDT best, or its own, as the paper's figure 5 is
        written; planes of OC1 and of robust linear programs make safer and shallower trees so.
    """

    def __init__(
        self,
        finder: SplitFinder | None = None,
        *,
        mode: Literal["literal", "pure", "iterate"] = "literal",
        select_by: Literal["plain", "adjusted"] = "plain",
    ):
        self.finder = finder
        self.mode = mode
        self.select_by = select_by

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return the adjusted plane, None when the wrapped finder has none."""
        plain = self._plain(node, rng)
        return None if plain is None else self.adjust(node, plain)

    def propose(self, node: Node, rng: Generator) -> tuple[Split, float] | None:
        """Return the adjusted plane and the gain by which it is selected."""
        plain = self._plain(node, rng)
        if plain is None:
            return None
        adjusted = self.adjust(node, plain)
        gain = node.gain(adjusted)
        # A plane that gains nothing once it is adjusted would make a leaf of the node.
        if self.select_by == "plain" and gain > NO_GAIN:
            gain = node.gain(plain)
        return adjusted, gain

    def adjust(self, node: Node, split: Split) -> Split:
        """Return a test adjusted to the safe side at a node.

        Parameters
        ----------
        node : Node
            Its ``unsafe`` names the unsafe class.
        split : LinearSplit or CategorySplit

        Raises
        ------
        ValueError
            If the node has no unsafe class.
        """
        if node.unsafe < 0:
            raise ValueError("SafeAdjusted needs to know the unsafe class: give unsafe_class")
        if not isinstance(split, LinearSplit):
            return split
        node.check_split(split)
        split = _unsafe_left(node, split)
        rounds = split.indices.size if self.mode == "iterate" else 1
        for _ in range(rounds):
            adjusted = _adjust_once(node, split, must_be_pure=self.mode == "pure")
            if adjusted is None:
                return split
            split = adjusted
        if self.mode == "iterate":
            return _lower_threshold(node, split)
        return split

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError for a wrong parameter, also of the wrapped finder."""
        if self.mode not in MODES:
            raise ValueError(f'mode={self.mode!r} must be "literal", "pure" or "iterate"')
        if self.select_by not in ("plain", "adjusted"):
            raise ValueError(f'select_by={self.select_by!r} must be "plain" or "adjusted"')
        if self.finder is not None:
            check_finder("finder", self.finder)

    def _plain(self, node: Node, rng: Generator) -> Split | None:
        self.check_parameters()
        finder = LinearDiscriminant() if self.finder is None else self.finder
        return finder.find_split(node, rng)


def _unsafe_left(node: Node, split: LinearSplit) -> LinearSplit:
    """Turn a plane's signs where its right side has the larger share of unsafe rows."""
    turn = _kernels.is_right_less_safe(
        node.table.X, node.rows, split.indices, split.values, split.threshold, node.table.codes,
        node.store.weights, node.unsafe,
    )  # fmt: skip
    if not turn:
        return split
    # A row on the plane went left; it must not be on the left of the turned plane.
    threshold = float(np.nextafter(-split.threshold, -np.inf))
    return LinearSplit.sparse(split.indices, -split.values, threshold, split.n_features)


def _adjust_once(node: Node, split: LinearSplit, *, must_be_pure: bool) -> LinearSplit | None:
    """Change one number of a plane; None when there is nothing to change or no way to."""
    table = node.table
    which, value, threshold = _kernels.best_safe_variant(
        table.X, node.rows, split.indices, split.values, split.threshold, table.codes,
        node.store.weights, node.unsafe, node.counts, table.criterion_code, must_be_pure,
    )  # fmt: skip
    if which < -1:
        return None
    values = split.values
    if which >= 0:
        values = values.copy()
        values[which] = value
    return LinearSplit.sparse(split.indices, values, threshold, split.n_features)


def _lower_threshold(node: Node, split: LinearSplit) -> LinearSplit:
    """Lower the threshold below every safe row, unless that would leave the side empty."""
    scores = _kernels.row_scores(node.table.X, node.rows, split.indices, split.values)
    is_unsafe = node.codes == node.unsafe
    safe = scores[~is_unsafe & (scores <= split.threshold)]
    if not safe.size:
        return split
    cut = float(np.nextafter(safe.min(), -np.inf))
    if not (scores[is_unsafe] <= cut).any():
        return split
    return LinearSplit.sparse(split.indices, split.values, cut, split.n_features)
