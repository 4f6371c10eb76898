"""What LDT is held against beyond the paper, and running it where its packages are installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline

from baselines import OC1, TAOTreeClassifier, TreeAlternatingOptimization
from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.compare import Design, ResultStore, Strategy, load_strategy, run
from oblique.compare.execute import Record
from oblique.finders import AxisParallel, BestOf, Categories, SafeAdjusted
from oblique.pruning import SafePruning
from oblique.strategies import IndicatorColumns

from .combinations import BaggedLDT, PrunedThenImprovedLDT
from .designs import TRAIN_SIZES, Measured, Options, measure
from .peers import StreeTree, TreepleTree, YdfBoosted, YdfTree, find_version, why_missing

#: The two trees that all others are held against.
LDT, LDT_PRUNED = "ldt", "ldt_safe_pruned"
#: Other projects' packages, each of which may be missing.
PEERS = ("ydf", "stree", "treeple")


class Rival(NamedTuple):
    """A strategy of the page.

    Attributes
    ----------
    strategy : Strategy
    family : str
        Heading under which it is told.
    is_tree : bool
        Whether it is a single tree.
    package : str or None
        Of another project, without which it cannot be run.
    """

    strategy: Strategy
    family: str
    is_tree: bool
    package: str | None

    @property
    def name(self) -> str:
        """Name of the strategy."""
        return self.strategy.name


class Outcome(NamedTuple):
    """What was measured, and what was left out for which reason."""

    rivals: list[Rival]
    measured: Measured
    left_out: dict[str, str]


def list_rivals() -> list[Rival]:
    """Every strategy of the page, family by family."""
    found = []

    def add(
        family: str, name: str, estimator: Any = None, *,
        is_tree: bool = True, package: str | None = None,
    ) -> None:  # fmt: skip
        strategy = load_strategy(name) if estimator is None else Strategy(name, estimator)
        found.append(Rival(strategy, family, is_tree, package))

    for name in (LDT, LDT_PRUNED):
        add("LDT", name)
    for name in ("oc1", "oc1_pruned", "ap", "ap_pruned", "rlp", "rlp_pruned"):
        add("the paper's rivals", name)

    cuts = AxisParallel(threshold="safe")
    rlp = load_strategy("rlp_safe").estimator
    # OC1 searches as its program does, in the data's own units.
    oc1 = SafeAdjusted(OC1(scaling=None, in_place_moves=True))
    for name, grown in (
        ("ap_safe", ObliqueTreeClassifier(finder=BestOf(cuts, Categories()))),
        ("oc1_safe", ObliqueTreeClassifier(finder=BestOf(oc1, cuts, Categories()))),
        ("rlp_safe", rlp),
    ):
        add("made safe", name, grown)
        # Sharing the parts is safe: a comparison only ever fits clones.
        parameters = {**grown.get_params(deep=False), "pruning": SafePruning()}
        add("made safe", f"{name}_pruned", ObliqueTreeClassifier(**parameters))

    improver = TreeAlternatingOptimization(simplify=True)
    add("with TAO", "ldt_tao", LDTClassifier(pruning=improver))
    balanced = LDTClassifier(pruning=improver, class_weight="balanced")
    add("with TAO", "ldt_tao_balanced", balanced)
    add("with TAO", "ldt_safe_pruned_tao", PrunedThenImprovedLDT())
    add("with TAO", "tao")
    add("with TAO", "tao_balanced", TAOTreeClassifier(class_weight="balanced"))

    shallow, pruned = LDTClassifier(max_depth=3), LDTClassifier(pruning="safe")
    ensemble: dict[str, Any] = {"is_tree": False}
    # A tree grown to the end errs on no training row, which leaves nothing to boost.
    add("many LDT", "ldt_boosted", AdaBoostClassifier(shallow), **ensemble)
    add("many LDT", "ldt_safe_pruned_boosted", AdaBoostClassifier(pruned), **ensemble)
    add("many LDT", "ldt_bagged", BaggedLDT(), **ensemble)
    add("many LDT", "ldt_safe_pruned_bagged", BaggedLDT(pruning="safe"), **ensemble)

    cart = load_strategy("cart").estimator
    weighed = cart.set_params(decisiontreeclassifier__class_weight="balanced")
    add("scikit-learn", "cart")
    add("scikit-learn", "cart_balanced", weighed)
    for name, weight in (("forest", None), ("forest_balanced", "balanced_subsample")):
        forest = make_pipeline(IndicatorColumns(), RandomForestClassifier(class_weight=weight))
        add("scikit-learn", name, forest, **ensemble)

    add("other packages", "ydf_cart", YdfTree(oblique=False, pruned=True), package="ydf")
    add("other packages", "ydf_oblique", YdfTree(), package="ydf")
    add("other packages", "ydf_oblique_pruned", YdfTree(pruned=True), package="ydf")
    add("other packages", "ydf_boosted", YdfBoosted(), package="ydf", **ensemble)
    add("other packages", "stree", StreeTree(), package="stree")
    add("other packages", "treeple_oblique", TreepleTree(), package="treeple")
    return found


def run_rivals(options: Options, only: Sequence[str] | None = None) -> Outcome:
    """Run what the store lacks of all rivals that can run here; read the others from the store.

    Parameters
    ----------
    options : Options
    only : sequence of str, optional
        Run these and LDT alone; the others are told if the store holds all of their cells.

    Raises
    ------
    RuntimeError
        If a cell failed; the first reason is told.
    """
    rivals = list_rivals()
    reasons = {package: why_missing(package) for package in PEERS}
    refused: dict[str, str] = {}
    for each in rivals:
        missing = reasons.get(each.package) if each.package else None
        if missing is not None:
            refused[each.name] = missing
        elif only is not None and each.name not in (LDT, LDT_PRUNED, *only):
            refused[each.name] = "not asked for"
    run_here = [each.strategy for each in rivals if each.name not in refused]
    design = _design(options, run_here)
    # What failed in one environment may work in another that shares the store.
    results = run(design, store=options.store, n_jobs=options.jobs, rerun_failed=True)
    records = list(results.records)
    left_out = {}
    for each in rivals:
        if each.name in refused:
            stored, expected = _read(options, each.strategy)
            if len(stored) == expected:
                records += stored
            else:
                held = f"; {len(stored)} of {expected} cells are in the store" if stored else ""
                left_out[each.name] = refused[each.name] + held
    told = [each for each in rivals if each.name not in left_out]
    return Outcome(told, measure(records), left_out)


def versions_here() -> dict[str, str | None]:
    """Version of each peer that is installed here."""
    return {package: find_version(package) for package in PEERS}


def _design(options: Options, strategies: list[Strategy]) -> Design:
    return Design(options.sets, strategies, TRAIN_SIZES, repeats=options.repeats, seed=options.seed)


def _read(options: Options, strategy: Strategy) -> tuple[list[Record], int]:
    """Finished records that the store holds of a strategy, and how many there should be."""
    cells = _design(options, [strategy]).cells()
    if options.store is None:
        return [], len(cells)
    store = ResultStore(options.store)
    found = (store.read(cell.key) for cell in cells)
    return [record for record in found if record and record["status"] == "done"], len(cells)
