"""Several finders, of which the best proposal is taken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from oblique._kernels import TIE
from oblique.finders.base import SplitFinder, check_finder

if TYPE_CHECKING:
    from numpy.random import Generator

    from oblique.node import Node
    from oblique.split import Split


class BestOf(SplitFinder):
    """Asks several finders and takes the proposal of largest gain.

    A later finder displaces an earlier one only by a strictly larger gain, so a tie goes to the
    one listed first. Where a proposal leaves both sides pure, by entropy or gini, none can gain
    more: finders that draw nothing, such as `AxisParallel`, are then not asked.

    Parameters
    ----------
    *listed : SplitFinder
        At least one; a single sequence of them is taken apart.
    finders : sequence of SplitFinder, default=()
        The same by keyword, as the text of a model writes them. For tuning, the i-th one is the
        parameter ``i`` and its own parameters are ``i__name``.

    Examples
    --------
    The method of Vadera (2005, figure 5):

    >>> from oblique.finders import AxisParallel, Categories, LinearDiscriminant, SafeAdjusted
    >>> ldt = BestOf(
    ...     SafeAdjusted(LinearDiscriminant()), AxisParallel(threshold="safe"), Categories()
    ... )
    """

    def __init__(
        self, *listed: SplitFinder | Iterable[SplitFinder], finders: Sequence[SplitFinder] = ()
    ):
        if len(listed) == 1 and isinstance(listed[0], Iterable):
            listed = tuple(listed[0])
        self.finders: tuple[SplitFinder, ...] = (*listed, *finders)  # type: ignore[arg-type]

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError for a wrong parameter, also of the finders."""
        if not self.finders:
            raise ValueError("BestOf needs at least one finder, got none")
        for i, finder in enumerate(self.finders):
            check_finder(f"finder {i} of BestOf", finder)

    def find_split(self, node: Node, rng: Generator) -> Split | None:
        """Return the best proposal, None when no finder has one."""
        best = self.propose(node, rng)
        return None if best is None else best[0]

    def propose(self, node: Node, rng: Generator) -> tuple[Split, float] | None:
        """Return the best proposal and the gain with which it won."""
        best: tuple[Split, float] | None = None
        is_pure = False
        for finder in self.finders:
            if is_pure and finder.is_plain:
                continue
            offer = finder.propose(node, rng)
            if offer is not None and (best is None or offer[1] > best[1] + TIE):
                best = offer
                is_pure = _leaves_pure_sides(node, offer[1])
        return best

    # scikit-learn derives parameters from keyword arguments; finders are positional here.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the finders and, if ``deep``, each one's own parameters."""
        params: dict[str, Any] = {"finders": self.finders}
        if deep:
            for i, finder in enumerate(self.finders):
                params[str(i)] = finder
                for name, value in finder.get_params(deep=True).items():
                    params[f"{i}__{name}"] = value
        return params

    def set_params(self, **params: Any) -> BestOf:
        """Set finders (``finders``, ``0``) or their parameters (``0__threshold``)."""
        if "finders" in params:
            self.finders = tuple(params.pop("finders"))
        finders = list(self.finders)
        for name, value in sorted(params.items()):
            index, _, rest = name.partition("__")
            if not index.isdigit() or int(index) >= len(finders):
                raise ValueError(
                    f"{name!r} is not a parameter of BestOf: use finders, or 0 to "
                    f"{len(finders) - 1} and, for example, 0__threshold"
                )
            if rest:
                finders[int(index)].set_params(**{rest: value})
            else:
                finders[int(index)] = value
        self.finders = tuple(finders)
        return self

    def __sklearn_clone__(self) -> BestOf:
        return BestOf(*(clone(finder) for finder in self.finders))

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"BestOf({', '.join(map(repr, self.finders))})"


def _leaves_pure_sides(node: Node, gain: float) -> bool:
    """Whether a gain is all that the node has to offer."""
    # Half a tie is far more than the rounding of gains, and too little for a strictly larger one.
    return node.criterion in ("entropy", "gini") and gain > node.impurity - 0.5 * TIE
