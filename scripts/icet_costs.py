"""Turney's experiment: what ICET, EG2, CS-ID3, IDX and C4.5 cost on five medical data sets.

P. D. Turney (1995), Journal of Artificial Intelligence Research 2, 369-409, section 4.1: ten
random splits into two thirds for training and one third for testing; all errors cost the same, 10
to 10 000 dollars; average cost of a test case in percent of the standard cost.

Run ``python scripts/icet_costs.py --help``. The thyroid set (UCI, ann-thyroid, 7200 rows) does not
come with the package: name its CSV file with ``--thyroid``. The plot needs the extra ``plot``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.model_selection import ShuffleSplit
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parents[1]))

from baselines import (
    C45Classifier,
    CSID3Classifier,
    EG2Classifier,
    ICETClassifier,
    IDXClassifier,
)
from oblique.costs import CostModel, load_costs
from oblique.datasets import load_dataset
from oblique.datasets.fill import fill_missing

ERRORS = (10, 50, 100, 500, 1000, 5000, 10_000)
CLAIMED = (10, 1000)
RIVALS = ("EG2", "CS-ID3", "IDX")
METHODS = ("ICET", *RIVALS, "C4.5")
#: Table of costs -> data set of the package.
SETS = {
    "bupa": "bupa_drinks", "heart": "heart_cleveland", "hepatitis": "hepatitis_filled",
    "pima": "pima",
}  # fmt: skip


class Costed(NamedTuple):
    """A data set and what its tests cost."""

    name: str
    X: pd.DataFrame
    y: pd.Series
    costs: CostModel


def load_sets(thyroid: Path | None) -> list[Costed]:
    """Turney's data sets; thyroid only if its file is named."""
    found = []
    for table, name in SETS.items():
        data = load_dataset(name)
        X = fill_missing(data.data) if data.data.isna().to_numpy().any() else data.data
        found.append(Costed(table, X, data.target, load_costs(table)))
    if thyroid is not None:
        data = load_dataset(thyroid)
        # FTI is computed from two others and has no price.
        X = data.data.drop(columns="FTI", errors="ignore")
        found.append(Costed("thyroid", X, data.target, load_costs("thyroid")))
    return found


def run_split(
    data: Costed, split: int, train: np.ndarray, test: np.ndarray, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Costs of all methods on one split, in percent of the standard cost."""
    parts = data.X.iloc[train], data.y.iloc[train], data.X.iloc[test], data.y.iloc[test]
    rivals = {
        "EG2": EG2Classifier(data.costs), "CS-ID3": CSID3Classifier(data.costs),
        "IDX": IDXClassifier(data.costs), "C4.5": C45Classifier(mdl_correction=False),
    }  # fmt: skip
    for model in rivals.values():
        model.fit(*parts[:2])
    records = []
    for error in options.errors:
        costs = data.costs.with_errors(error)
        searched = ICETClassifier(
            costs, n_trials=options.trials, refit=options.refit, random_state=split
        )
        models = {"ICET": searched.fit(*parts[:2]), **rivals}
        standard = costs.standard_cost(data.y)
        for method, model in models.items():
            spent = costs.cost_of(model, *parts[2:])
            records.append(
                {
                    "set": data.name, "split": split, "error": error, "method": method,
                    "percent": 100 * spent.average / standard, "tests": spent.average_tests,
                    "errors": spent.average_errors, "leaves": model.tree_.n_leaves,
                }
            )  # fmt: skip
    return records


def run(options: argparse.Namespace) -> pd.DataFrame:
    """All records, a line a method, error cost, split and data set."""
    jobs = []
    for data in load_sets(options.thyroid):
        splits = ShuffleSplit(options.splits, train_size=2 / 3, random_state=0).split(data.X)
        jobs += [
            delayed(run_split)(data, number, *split, options) for number, split in enumerate(splits)
        ]
    results = Parallel(n_jobs=options.jobs, return_as="generator_unordered")(jobs)
    records = [record for part in tqdm(results, total=len(jobs), unit="split") for record in part]
    order = ["set", "error", "split", "method"]
    return pd.DataFrame(records).sort_values(order, ignore_index=True)


def table(records: pd.DataFrame) -> pd.DataFrame:
    """Mean percent of the standard cost, error costs down, methods across."""
    by_set = records.pivot_table(
        index=["error", "set"], columns="method", values="percent", aggfunc="mean", sort=False
    )[list(METHODS)]
    over_sets = by_set.groupby("error").mean()
    over_sets.index = pd.MultiIndex.from_tuples([(error, "all sets") for error in over_sets.index])
    return pd.concat([by_set, over_sets]).sort_index(level=0, sort_remaining=False)


def judge(records: pd.DataFrame) -> list[str]:
    """The published claim, and for each of its parts whether it is seen here."""
    low, high = CLAIMED
    inside = records[records["error"].between(low, high)]
    means = inside.groupby(["error", "set", "method"])["percent"].mean().unstack()[list(METHODS)]
    overall = means.mean()
    lines = [
        f"Published (Turney 1995, section 4.1): at error costs {low} to {high} ICET costs less "
        "than EG2, CS-ID3 and IDX, and these less than C4.5.",
        "Here, mean over the same error costs: "
        + ", ".join(f"{method} {value:.1f} %" for method, value in overall.items()),
    ]
    for one, others in (("ICET", RIVALS), *((rival, ("C4.5",)) for rival in RIVALS)):
        for other in others:
            below = means.groupby("error").mean()[one] < means.groupby("error").mean()[other]
            seen = "seen" if overall[one] < overall[other] else "NOT seen"
            lines.append(
                f"{one} below {other}: {seen}; at {below.sum()} of {len(below)} error costs, in "
                f"{int((means[one] < means[other]).sum())} of {len(means)} pairs of set and error "
                "cost"
            )
    return lines


def draw(records: pd.DataFrame, path: Path) -> None:
    """One line a method: percent of the standard cost against the cost of errors."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    by_split = records.groupby(["method", "error", "split"])["percent"].mean()
    for method, marker in zip(METHODS, "os^vD", strict=True):
        of_method = by_split[method].unstack()
        spread = of_method.std(axis=1) / np.sqrt(of_method.shape[1])
        axes.errorbar(
            of_method.index, of_method.mean(axis=1), yerr=spread, marker=marker, label=method,
            linewidth=2 if method == "ICET" else 1, capsize=2,
        )  # fmt: skip
    axes.axvspan(*CLAIMED, alpha=0.08, color="grey", label="range of the claim")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("cost of an error, dollars")
    axes.set_ylabel("average cost, % of the standard cost")
    axes.set_title("published: ICET below EG2, CS-ID3, IDX; these below C4.5", fontsize=9)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read and check the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="example: python scripts/icet_costs.py --quick --plot costs.png",
    )
    parser.add_argument("--thyroid", type=Path, metavar="FILE", help="CSV of ann-thyroid")
    parser.add_argument("--errors", type=float, nargs="+", default=None, metavar="COST")
    parser.add_argument("--splits", type=int, default=None, help="10, or 2 if --quick")
    parser.add_argument("--trials", type=int, default=None, help="1000, or 200 if --quick")
    parser.add_argument("--refit", action="store_true", help="grow ICET's tree on all rows")
    parser.add_argument("--quick", action="store_true", help="2 splits, 200 trials, 3 error costs")
    parser.add_argument("--jobs", type=int, default=1, help="processes, -1: one a core")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all records there")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw there")
    options = parser.parse_args(arguments)
    quick = options.quick
    options.errors = options.errors or ([10, 100, 1000] if quick else list(ERRORS))
    options.splits = options.splits or (2 if quick else 10)
    options.trials = options.trials or (200 if quick else 1000)
    if options.splits < 1 or options.trials < 1 or min(options.errors) <= 0:
        parser.error("--splits, --trials and --errors must be above zero")
    if options.thyroid is not None and not options.thyroid.is_file():
        parser.error(f"--thyroid: there is no file {options.thyroid}")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run the experiment and print its table beside the claim."""
    options = parse(arguments)
    records = run(options)
    print(table(records).round(1).to_string())
    print()
    print("\n".join(judge(records)))
    if options.thyroid is None:
        print("Without the thyroid set, which --thyroid names.")
    if options.csv:
        records.to_csv(options.csv, index=False)
    if options.plot:
        draw(records, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
