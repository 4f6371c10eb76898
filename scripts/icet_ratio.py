"""Vadera's look at ICET: accuracy of each class while the ratio of error costs rises.

S. Vadera (2005), Expert Systems 22(4), figures 8 and 10: a case of the unsafe class that is called
safe costs 0.1 to 10 000 times as much as one of the safe class that is called unsafe; splits
50/50. The paper does not say what tests cost; here they are free, or cost 1 each with
``--unit-tests``.

Run ``python scripts/icet_ratio.py --help``. The plot needs the extra ``plot``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedShuffleSplit
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).parents[1]))

from baselines import ICETClassifier
from oblique import ObliqueTreeClassifier
from oblique.costs import CostModel
from oblique.datasets import PAPER_SETS, Dataset, load_dataset

RATIOS = (0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0)
#: Largest change of a class's accuracy, in points, that counts as "barely moves".
BARELY = 5.0
#: Ratios from here on are also looked at by themselves.
TURN = 10.0


def run_split(
    data: Dataset, split: int, train: np.ndarray, test: np.ndarray, options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Accuracies of ICET on one split, a record a ratio."""
    X, y, unsafe = data.data, data.target, data.unsafe_class
    records = []
    for ratio in options.ratios:
        errors = {label: ratio if label == unsafe else 1.0 for label in data.classes}
        tests = dict.fromkeys(data.feature_names, 1.0) if options.unit_tests else None
        tree = ObliqueTreeClassifier() if options.oblique else None
        model = ICETClassifier(
            CostModel(tests, errors), tree=tree, n_trials=options.trials, refit=options.refit,
            random_state=split,
        )  # fmt: skip
        right = model.fit(X.iloc[train], y.iloc[train]).predict(X.iloc[test]) == y.iloc[test]
        is_unsafe = (y.iloc[test] == unsafe).to_numpy()
        records.append(
            {
                "set": data.name, "split": split, "ratio": ratio,
                "overall": 100 * right.mean(), "safe": 100 * right[~is_unsafe].mean(),
                "unsafe": 100 * right[is_unsafe].mean(), "leaves": model.tree_.n_leaves,
            }
        )  # fmt: skip
    return records


def run(options: argparse.Namespace) -> pd.DataFrame:
    """All records, a line a ratio, split and data set."""
    jobs = []
    for name in options.sets:
        data = load_dataset(name)
        splits = StratifiedShuffleSplit(options.splits, train_size=0.5, random_state=0)
        jobs += [
            delayed(run_split)(data, number, *split, options)
            for number, split in enumerate(splits.split(data.data, data.target))
        ]
    results = Parallel(n_jobs=options.jobs, return_as="generator_unordered")(jobs)
    records = [record for part in tqdm(results, total=len(jobs), unit="split") for record in part]
    return pd.DataFrame(records).sort_values(["set", "ratio", "split"], ignore_index=True)


def table(records: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracies in percent, a line a data set and ratio."""
    return records.groupby(["set", "ratio"], sort=False)[["overall", "safe", "unsafe"]].mean()


def judge(records: pd.DataFrame) -> list[str]:
    """The published observation, and what is seen of it here."""
    means = table(records)
    lines = [
        "Published (Vadera 2005, figures 8 and 10): the accuracies of the classes hardly change "
        "with the ratio."
    ]
    for name in means.index.get_level_values("set").unique():
        of_set = means.loc[name]
        lines.append(
            f"{name}: {_moves(of_set)}; unsafe from {of_set['unsafe'].iloc[0]:.1f} % at ratio "
            f"{of_set.index[0]:g} to {of_set['unsafe'].iloc[-1]:.1f} % at {of_set.index[-1]:g}"
        )
        above = of_set[of_set.index >= TURN]
        if 1 < len(above) < len(of_set):
            lines.append(f"  from ratio {TURN:g} on: {_moves(above)}")
    return lines


def _moves(of_set: pd.DataFrame) -> str:
    moves = (of_set.max() - of_set.min())[["safe", "unsafe"]]
    seen = "seen" if moves.max() <= BARELY else "NOT seen"
    return f"{seen}, safe moves by {moves['safe']:.1f} points, unsafe by {moves['unsafe']:.1f}"


def draw(records: pd.DataFrame, path: Path) -> None:
    """A panel a data set: accuracies against the ratio."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    names = list(records["set"].unique())
    figure, panels = plt.subplots(
        1, len(names), figsize=(3.0 * len(names) + 0.4, 3.2), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for axes, name in zip(panels[0], names, strict=True):
        of_set = records[records["set"] == name].groupby("ratio")
        for what, marker in (("overall", "o"), ("safe", "s"), ("unsafe", "^")):
            mean, spread = of_set[what].mean(), of_set[what].sem()
            axes.errorbar(mean.index, mean, yerr=spread, marker=marker, label=what, capsize=2)
        axes.set_xscale("log")
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("cost ratio unsafe : safe")
    panels[0, 0].set_ylabel("accuracy, %")
    panels[0, 0].set_ylim(0, 100)
    panels[0, 0].legend(fontsize=8)
    figure.suptitle("published: class accuracies hardly change with the ratio", fontsize=9)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read and check the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="example: python scripts/icet_ratio.py --quick --plot ratio.png",
    )
    parser.add_argument("--sets", nargs="+", default=list(PAPER_SETS), metavar="NAME")
    parser.add_argument("--ratios", type=float, nargs="+", default=None, metavar="RATIO")
    parser.add_argument("--splits", type=int, default=None, help="10, or 2 if --quick")
    parser.add_argument("--trials", type=int, default=None, help="1000, or 200 if --quick")
    parser.add_argument("--unit-tests", action="store_true", help="a test costs 1, not 0")
    parser.add_argument("--oblique", action="store_true", help="oblique trees inside ICET")
    parser.add_argument("--refit", action="store_true", help="grow ICET's tree on all rows")
    parser.add_argument("--quick", action="store_true", help="2 splits, 200 trials, 3 ratios")
    parser.add_argument("--jobs", type=int, default=1, help="processes, -1: one a core")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write all records there")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw there")
    options = parser.parse_args(arguments)
    options.ratios = options.ratios or ([0.1, 10.0, 10_000.0] if options.quick else list(RATIOS))
    options.splits = options.splits or (2 if options.quick else 10)
    options.trials = options.trials or (200 if options.quick else 1000)
    if options.splits < 1 or options.trials < 1 or min(options.ratios) <= 0:
        parser.error("--splits, --trials and --ratios must be above zero")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run the experiment and print its table beside the observation."""
    options = parse(arguments)
    records = run(options)
    print(table(records).round(1).to_string())
    print()
    print("\n".join(judge(records)))
    if options.csv:
        records.to_csv(options.csv, index=False)
    if options.plot:
        draw(records, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
