"""What is run: the published design, LDT taken apart, other readings, ICET by cost ratio."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pandas import DataFrame, concat

from baselines import ICETClassifier, RobustLP
from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.compare import Design, Strategy, load_strategy, run, summarize, tabulate
from oblique.compare.execute import Record
from oblique.compare.published import PUBLISHED_STRATEGIES
from oblique.costs import CostModel
from oblique.datasets import PAPER_SETS, Dataset, load_dataset, make_dataset
from oblique.datasets.fill import fill_missing
from oblique.finders import AxisParallel, BestOf, Categories, LinearDiscriminant, SafeAdjusted
from oblique.pruning import CostComplexity, SafePruning

TRAIN_SIZES = (0.3, 0.5, 0.7)
HALF = "50/50"
RATIOS = (0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0)
#: Columns of the Cleveland heart data whose numbers are names.
HEART_NAMES = ("cp", "restecg", "slope", "thal")


class Options(NamedTuple):
    """How much is run, and where.

    Attributes
    ----------
    sets : tuple of str
    repeats : int
        Splits of each data set and share.
    icet_repeats, icet_trials : int
        Splits of each data set and cost ratio, trials of each search. 0 splits: without ICET.
    ratios : tuple of float
    store : path or None
    jobs : int
    seed : int
        Of the splits.
    """

    sets: tuple[str, ...] = PAPER_SETS
    repeats: int = 50
    icet_repeats: int = 50
    icet_trials: int = 1000
    ratios: tuple[float, ...] = RATIOS
    store: Path | None = None
    jobs: int = 1
    seed: int = 0


class Measured(NamedTuple):
    """Cells of one or more designs: a line a cell, and their means."""

    cells: DataFrame
    means: DataFrame


def measure(records: Iterable[Record]) -> Measured:
    """Tabulate records.

    Raises
    ------
    RuntimeError
        If a cell failed; the first reason is told.
    """
    kept = list(records)
    failed = [record for record in kept if record["status"] == "failed"]
    if failed:
        cell, error = failed[0]["cell"], failed[0]["error"]
        raise RuntimeError(
            f"{len(failed)} of {len(kept)} cells failed; {cell['strategy']} on {cell['dataset']}: "
            f"{error['type']}: {error['message']}"
        )
    return Measured(tabulate(kept), summarize(kept))


def run_published(options: Options) -> Measured:
    """All sets, shares and splits for every strategy with a printed row."""
    return _run(options, options.sets, list(PUBLISHED_STRATEGIES), TRAIN_SIZES)


# ---------------------------------------------------------------- LDT taken apart


_SAFE_CUTS = AxisParallel(threshold="safe")
#: Parts of LDT, each added to those before it: strategy -> what is new, its estimator.
STEPS: dict[str, tuple[str, Any]] = {
    "ap": ("AP", None),
    "ap+thresholds": (
        "safe thresholds",
        ObliqueTreeClassifier(finder=AxisParallel(threshold="safe")),
    ),
    "ap+thresholds+plane": ("discriminant", LDTClassifier(adjustment=None)),
    "ldt": ("adjustment", None),
    "ldt_safe_pruned": ("safe pruning", None),
}
#: Each part added to another tree alone: strategy -> what is added, to what, its estimator.
ALONE: dict[str, tuple[str, str, Any]] = {
    "ap+thresholds": ("safe thresholds", "ap", STEPS["ap+thresholds"][1]),
    "ap+plane": (
        "discriminant",
        "ap",
        ObliqueTreeClassifier(finder=BestOf(LinearDiscriminant(), AxisParallel())),
    ),
    "ap+adjusted_plane": (
        "adjusted discriminant",
        "ap",
        ObliqueTreeClassifier(finder=BestOf(SafeAdjusted(), AxisParallel())),
    ),
    "ap+safe_pruning": (
        "safe pruning",
        "ap",
        ObliqueTreeClassifier(finder=AxisParallel(), pruning=SafePruning()),
    ),
    "ap_pruned": ("cost-complexity pruning", "ap", None),
    "ldt+cost_complexity": (
        "cost-complexity pruning",
        "ldt",
        LDTClassifier(pruning=CostComplexity()),
    ),
}


def run_steps(options: Options) -> Measured:
    """LDT's parts at 50/50."""
    given = {name: estimator for name, (_, estimator) in STEPS.items()}
    given |= {name: estimator for name, (_, _, estimator) in ALONE.items()}
    return _run(options, options.sets, _strategies(given), (0.5,))


# ---------------------------------------------------------------- other readings


class Reading(NamedTuple):
    """One way to read an open point: whose printed rows it is held against, and the tree."""

    point: str
    choice: str
    base: str
    strategy: Strategy


def readings() -> list[Reading]:
    """Every reading that is tried, the default of each open point first."""
    found = []

    def add(point: str, choice: str, base: str, **parameters: Any) -> None:
        strategy = load_strategy(base)
        if parameters:
            estimator = strategy.estimator.set_params(**parameters)
            strategy = Strategy(f"{base}: {point} {choice}", estimator)
        found.append(Reading(point, choice, base, strategy))

    everywhere = BestOf(
        SafeAdjusted(LinearDiscriminant(min_samples=0)),
        AxisParallel(threshold="safe"),
        Categories(),
    )
    for base in ("ldt", "ldt_safe_pruned"):
        add("adjustment", "literal", base)
        for mode in ("pure", "iterate"):
            add("adjustment", mode, base, adjustment=mode)
        add("discriminant competes with", "gain once adjusted", base, select_by="adjusted")
        pruning = SafePruning() if base == "ldt_safe_pruned" else None
        tree = ObliqueTreeClassifier(finder=everywhere, pruning=pruning)
        name = f"{base}: discriminant at every node"
        found.append(Reading("discriminant", "at every node", base, Strategy(name, tree)))
    for share in (0.05, 0.2, 1 / 3):
        add("holdout", f"{share:.0%}", "ldt_safe_pruned", pruning=SafePruning(share))
    add("root may go", "yes", "ldt_safe_pruned", pruning=SafePruning(keep_root=False))
    careful = SafePruning(max_accuracy_loss=1.0)
    add("safest within", "1 SE of the most accurate", "ldt_safe_pruned", pruning=careful)
    add("planes compete with columns", "yes", "rlp")
    add("planes compete with columns", "no", "rlp", finder=RobustLP("edge_descent"))
    cut = BestOf(RobustLP("edge_descent", threshold="impurity"), AxisParallel())
    add("threshold", "of largest gain", "rlp", finder=cut)
    for base in ("ap_pruned", "oc1_pruned", "rlp_pruned"):
        add("pruning", "0 SE, 10%", base)
        add("pruning", "1 SE, 10%", base, pruning=CostComplexity(se_rule=1.0))
        for share in (0.05, 0.2, 1 / 3):
            add("pruning", f"0 SE, {share:.0%}", base, pruning=CostComplexity(share))
        add("root may go", "yes", base, pruning=CostComplexity(keep_root=False))
    return found


def run_readings(options: Options) -> Measured:
    """All readings: of LDT, whose defaults rest on them, at all shares, of the others at 50/50."""
    found = []
    for is_ldt, sizes in ((True, TRAIN_SIZES), (False, (0.5,))):
        strategies = [each.strategy for each in readings() if each.base.startswith("ldt") is is_ldt]
        found.append(_run(options, options.sets, strategies, sizes))
    return Measured(*(concat(parts, ignore_index=True) for parts in zip(*found, strict=True)))


def coded_sets(sets: Sequence[str]) -> list[tuple[str, Dataset]]:
    """Other codings of data sets, each under the name of the usual one: its splits are the same."""
    found = []
    if "heart_complete" in sets:
        data = load_dataset("heart_complete")
        columns = data.data.astype(dict.fromkeys(HEART_NAMES, "category"))
        found.append(("names as categories", _recode(data, columns)))
    if "hepatitis_filled" in sets:
        data = replace(load_dataset("hepatitis"), name="hepatitis_filled")
        found.append(("missing cells kept", data))
        found.append(("columns without missing cells", _recode(data, data.data.dropna(axis=1))))
        found.append(("means of the columns", _recode(data, data.data.fillna(data.data.mean()))))
        # The released OC1 program divides the sum of the known values by the number of all rows.
        short = data.data.sum() / len(data.data)
        found.append(("means as OC1's program forms them", _recode(data, data.data.fillna(short))))
        found.append(
            ("medians of the columns", _recode(data, data.data.fillna(data.data.median())))
        )
        # Neighbours of the row's own class tell the class: a reading to compare with, not to use.
        parts = [fill_missing(part) for _, part in data.data.groupby(data.target)]
        leaking = concat(parts).loc[data.data.index]
        found.append(("filled within the class, which leaks it", _recode(data, leaking)))
    return found


def run_codings(options: Options) -> list[tuple[str, Measured]]:
    """LDT and AP on other codings of heart and hepatitis at 50/50."""
    names = ["ldt", "ldt_safe_pruned", "ap", "ap_pruned"]
    return [
        (coding, _run(options, [data], names, (0.5,))) for coding, data in coded_sets(options.sets)
    ]


def _recode(data: Dataset, columns: DataFrame) -> Dataset:
    frame = columns.assign(**{"class": data.target})
    return make_dataset(data.name, frame, target="class", unsafe_class=data.unsafe_class)


# ---------------------------------------------------------------- ICET


def run_icet(options: Options) -> DataFrame:
    """Accuracies of ICET by the ratio of error costs, a line a set, split and ratio."""
    if not options.icet_repeats:
        return DataFrame()
    tables = []
    for ratio in options.ratios:
        costs = {}
        for name in options.sets:
            data = load_dataset(name)
            unsafe = data.unsafe_class
            costs[name] = CostModel(
                None, {label: ratio if label == unsafe else 1.0 for label in data.classes}
            )
        strategy = Strategy(
            f"icet {options.icet_trials}", ICETClassifier(n_trials=options.icet_trials)
        )
        design = Design(
            options.sets, [strategy], (0.5,), repeats=options.icet_repeats, seed=options.seed,
            costs=costs,
        )  # fmt: skip
        cells = measure(run(design, store=options.store, n_jobs=options.jobs).records).cells
        tables.append(cells.assign(ratio=ratio))
    joined = concat(tables, ignore_index=True)
    shares = {"overall": "accuracy", "safe": "safe_accuracy", "unsafe": "unsafe_accuracy"}
    percent = {new: 100 * joined[old] for new, old in shares.items()}
    return joined.rename(columns={"dataset": "set", "repeat": "split"}).assign(**percent)


# ---------------------------------------------------------------- helpers


def _strategies(given: dict[str, Any]) -> list[Strategy]:
    return [
        load_strategy(name) if estimator is None else Strategy(name, estimator)
        for name, estimator in given.items()
    ]


def _run(
    options: Options, sets: Sequence[Any], strategies: list[Any], sizes: Sequence[float]
) -> Measured:
    design = Design(list(sets), strategies, sizes, repeats=options.repeats, seed=options.seed)
    return measure(run(design, store=options.store, n_jobs=options.jobs).records)
