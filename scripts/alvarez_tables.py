"""Repeat the tables of Alvarez's three papers, each figure beside the printed one.

I. Alvarez (2004), "Explaining the result of a decision tree to the end-user", ECAI: the sensitive
tests. I. Alvarez (2004), "Sensitivity analysis of the result in binary decision trees", ECML.
I. Alvarez, S. Bernard (2005), "Ranking cases with decision trees: a geometric method that
preserves intelligibility", IJCAI. The text of the last that could be read lacks its tables; the
design is repeated, and the figures that its text names stand beside ours.

Parts: ``example`` (the printed Pima tree and cases 188 and 63), ``traces``, ``populations``,
``ranking``; all by default. ``--quick`` draws 10 samples instead of 100 for the ranking.
Ionosphere, glass, sonar and vehicle take part when the environment variable OBLIQUE_DATA names a
folder with their CSV files.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit, train_test_split

from baselines import C45Classifier, OC1Classifier, RobustLP
from oblique import DecisionSurface, LDTClassifier, ObliqueTreeClassifier, Tree, explain
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel, BestOf
from oblique.pruning import CostComplexity
from oblique.sensitivity import (
    compare_areas,
    error_proximity,
    leaf_probabilities,
    partial_areas,
    share_within,
    share_within_percent,
    signed_distances,
    trace_summary,
)
from oblique.sensitivity.ranking import within_leaves

ATTRIBUTES = ("glucose", "bp", "bmi", "pedigree", "age")
PARTS = ("example", "traces", "populations", "ranking")
N_SAMPLES, N_QUICK = 100, 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="*", help=f"any of {', '.join(PARTS)}; all if none")
    parser.add_argument("--quick", action="store_true", help=f"{N_QUICK} samples in the ranking")
    parser.add_argument("--jobs", type=int, default=1, help="processes of the ranking")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.part) - set(PARTS))
    if unknown:
        parser.error(f"unknown part {', '.join(unknown)}; known: {', '.join(PARTS)}")
    for part in options.part or PARTS:
        if part == "ranking":
            print_ranking(N_QUICK if options.quick else N_SAMPLES, options.jobs)
        else:
            {"example": print_example, "traces": print_traces, "populations": print_populations}[
                part
            ]()
    return 0


def print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table that Markdown reads as well."""
    print(f"\n{title}\n")
    print("| " + " | ".join(headings) + " |")
    print("|" + "---|" * len(headings))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)


# ---------------------------------------------------------------- the printed Pima tree


def printed_tree() -> Tree:
    """Tree of figure 5 of the sensitive-tests paper; its second "<= 94.5" reads "> 94.5"."""

    def leaf(label: int, n: int, errors: int) -> dict[str, Any]:
        return {"counts": {str(label): n - errors, str(1 - label): errors}}

    def test(name: str, threshold: float, left: Any, right: Any) -> dict[str, Any]:
        return {"weights": {name: 1.0}, "threshold": threshold, "left": left, "right": right}

    youngest = test(
        "age", 21.5, leaf(0, 2, 0), test("pedigree", 0.188, leaf(0, 2, 0), leaf(1, 10, 1))
    )
    young = test("glucose", 127.5, leaf(0, 125, 14), test("bp", 73.0, youngest, leaf(0, 4, 0)))
    old = test(
        "glucose", 94.5, test("glucose", 43.2, leaf(1, 2, 0), leaf(0, 30, 3)),
        test("pedigree", 0.546, leaf(0, 75, 29), leaf(1, 28, 5)),
    )  # fmt: skip
    low = test("bmi", 26.3, leaf(0, 98, 1), test("age", 28.5, young, old))
    root = test("glucose", 137.5, low, leaf(1, 136, 38))
    return Tree.from_nested(root, feature_names=ATTRIBUTES, classes=("0", "1"))


def pima() -> tuple[Any, np.ndarray]:
    """The five attributes of the printed tree, and whether each case is diabetic."""
    data = load_dataset("pima")
    X = data.data[["glucose", "diastolic_bp", "bmi", "pedigree", "age"]].fillna(0.0)
    X.columns = list(ATTRIBUTES)
    return X, (data.target == data.unsafe_class).to_numpy()


def print_example() -> None:
    """Tables 2 to 5 of the sensitive-tests paper and 2 to 4 of the sensitivity paper."""
    tree, (X, _) = printed_tree(), pima()
    cases = X.iloc[[38, 98]]  # 188 and 63 of the papers
    answers = explain(tree, cases, sample=X)
    printed = {
        "C1": (0.239, 0.224),
        "C2": (0.236, 0.266),
        "C3": (0.038, 0.123),
        "C4": (0.188, 0.143),
    }
    names = {20: "C1", 15: "C2", 19: "C3", 11: "C4"}
    rows = []
    for which, (case, answer) in enumerate(zip((188, 63), answers, strict=True)):
        for entry in sorted(answer.distance_by_leaf, key=lambda e: names[e.leaf]):
            name = names[entry.leaf]
            remark = "misprint" if (name, case) == ("C4", 63) else ""
            rows.append((case, name, "; ".join(entry.tests), printed[name][which],
                         f"{entry.distance:.6f}", remark))  # fmt: skip
    print_table(
        "Distance to the leaves of the other class (sensitive tests, table 5)",
        ("case", "leaf", "tests that do not hold", "printed", "ours", "remark"), rows,
    )  # fmt: skip

    percents = {
        188: {"glucose": (5.0, 2.3, 14.2), "pedigree": (8.5, 1.8, 13.0), "age": (5.6, 2.5, 12.5)},
        63: {"glucose": (1.6, 0.7, 4.7), "pedigree": (53.4, 8.1, 57.6), "age": (23.9, 9.2, 45.8)},
    }
    rows = []
    for case, answer in zip((188, 63), answers, strict=True):
        for move in answer.moves:
            ours = (move.percent_of_value, move.percent_of_range, move.percent_of_deviation)
            rows.append(
                (case, move.feature, f"{move.change:g}",
                 " / ".join(f"{p:g}" for p in percents[case][move.feature]),
                 " / ".join(f"{p:.2f}" for p in ours))
            )  # fmt: skip
    print_table(
        "Smallest move, % of value / range / deviation (sensitivity, tables 3 and 4)",
        ("case", "attribute", "move", "printed", "ours"), rows,
    )  # fmt: skip
    print("\nDeviations are those of the whole file; the papers' come from 512 rows of it.")

    rows = []
    for metric, printed_row in (
        ("minmax", (".038", ".123", ".35", ".7")),
        ("standard", (".223", "1.474", "1 an attribute", "4.3")),
    ):
        found = explain(tree, cases, sample=X, metric=metric)
        ours = (*found.distance, found.deviation_length, found.maximum)
        what = ("case 188", "case 63", "vector of deviations", "largest")
        remarks = (
            "",
            "",
            "",
            "printed: to glucose's plane from 0; ours: largest of the file's cases",
        )
        if metric == "standard":
            remarks = (".230 misprinted?", "twice .737", "root of 5", remarks[3])
        for name, print_, value, remark in zip(what, printed_row, ours, remarks, strict=True):
            rows.append((metric, name, print_, f"{value:.4f}", remark))
    print_table(
        "Distances in two metrics (sensitive tests, table 4; sensitivity, table 2)",
        ("metric", "", "printed", "ours", "remark"), rows,
    )  # fmt: skip

    rows = []
    for case, answer in zip((188, 63), answers, strict=True):
        margins = ", ".join(f"{t.text} ({t.margin:.4f})" for t in answer.sensitive_tests)
        rows.append((case, "age, pedigree, glucose", margins))
    print_table(
        "Sensitive tests, largest margin first (sensitive tests, table 3)",
        ("case", "printed order", "ours"), rows,
    )  # fmt: skip


# ---------------------------------------------------------------- traces and populations

# Leaves, depth, attributes, trace mean and median, sensitive tests mean and median.
TRACES = {
    "P1": (28, 10, 8, 4.9, 5, 1.5, 1), "P2": (25, 9, 8, 4.3, 5, 1.7, 2),
    "P3": (19, 8, 8, 4.4, 5, 1.8, 1), "P4": (11, 7, 5, 3.1, 5, 1.7, 1),
    "ionosphere": (11, 8, 9, 5.5, 6, 1.6, 1), "wine": (5, 4, 4, 2.3, 2, 1.2, 1),
}  # fmt: skip
# % of cases within .01, .02, .05, .1, .2; within +-1 %/sqrt(d), 2 %/sqrt(d), 1, 2, 5, 10 %.
WITHIN = {
    "pima": (5.9, 10.2, 28.1, 53.9, 90.6),
    "ionosphere": (6.6, 12.6, 39.1, 64.2, 81.5),
    "wine": (1.6, 1.6, 1.6, 5.0, 6.7),
}
WITHIN_PERCENT = {
    "pima": (3.9, 8.2, 10.9, 25.0, 59.8, 94.5),
    "ionosphere": (6.6, 12.6, 24.5, 52.3, 77.5, 90.1),
    "wine": (1.6, 1.6, 1.6, 1.6, 1.6, 5.0),
}


class Grown(NamedTuple):
    """A tree grown like the paper's, with its training rows and test rows."""

    model: Any
    train: Any
    test: Any


def grown(name: str) -> Grown | None:
    """J48-like tree on two thirds of a set; the split is ours, for the paper's is not printed."""
    loaded = load(name)
    if loaded is None:
        return None
    X, y = loaded
    train, test, labels, _ = train_test_split(X, y, train_size=2 / 3, stratify=y, random_state=0)
    return Grown(C45Classifier(preset="j48").fit(train, labels), train, test)


def load(name: str) -> tuple[Any, Any] | None:
    """Complete rows of a set and their classes; None for one whose file is not there."""
    folder = os.environ.get("OBLIQUE_DATA")
    if name in EXTRA:
        if not folder or not Path(folder, f"{name}.csv").exists():
            return None
        data = load_dataset(str(Path(folder, f"{name}.csv")))
    else:
        data = load_dataset(name)
    known = data.data.notna().all(axis=1)
    return data.data[known].reset_index(drop=True), data.target[known].reset_index(drop=True)


def print_traces() -> None:
    """Table 1 of the sensitive-tests paper."""
    rows = [(f"{name}, printed", *printed) for name, printed in TRACES.items()]
    tree, (X, _) = printed_tree(), pima()
    rows.append(("P4, ours on all 768 rows", *_numbers(trace_summary(tree, X, sample=X))))
    for name in ("pima", "ionosphere", "wine"):
        found = grown(name)
        if found is None:
            print(f"{name}: left out, OBLIQUE_DATA does not name a folder with {name}.csv")
            continue
        summary = trace_summary(found.model, found.test, sample=found.train)
        rows.append((f"{name}, a tree of ours", *_numbers(summary)))
    print_table(
        "Length of traces and number of sensitive tests (sensitive tests, table 1)",
        ("tree", "leaves", "depth", "attributes", "trace mean", "median", "sensitive mean",
         "median"),
        rows,
    )  # fmt: skip
    print("\nP4's printed median of 5 is not reached by any rows that fit its other figures.")


def _numbers(summary: Any) -> list[str]:
    return [f"{value:.3g}" for value in summary.iloc[0]]


def print_populations() -> None:
    """Tables 5 and 6 of the sensitivity paper."""
    first, second = [], []
    for name in WITHIN:
        first.append((f"{name}, printed", *WITHIN[name]))
        second.append((f"{name}, printed", *WITHIN_PERCENT[name]))
        if name == "pima":
            tree, (X, _) = printed_tree(), pima()
            found: Grown | None = Grown(tree, X, X)
            label = "pima, ours: the printed tree on all 768 rows"
        else:
            found, label = grown(name), f"{name}, a tree of ours on {name}'s test rows"
        if found is None:
            first.append((f"{name}: left out, no file", *[""] * 5))
            second.append((f"{name}: left out, no file", *[""] * 6))
            continue
        surface = DecisionSurface(found.model, X=found.train)
        within = 100 * share_within(surface.nearest(found.test).distance)
        n_used = len(np.unique(surface.tree.weight_indices))
        percents = [1 / np.sqrt(n_used), 2 / np.sqrt(n_used), 1, 2, 5, 10]
        by_percent = 100 * share_within_percent(
            found.model, found.test, percents, sample=found.train
        )
        first.append((label, *(f"{p:.1f}" for p in within)))
        second.append((label, *(f"{p:.1f}" for p in by_percent)))
    print_table(
        "% of cases whose class changes within a distance (sensitivity, table 5)",
        ("", ".01", ".02", ".05", ".1", ".2"), first,
    )  # fmt: skip
    print_table(
        "% of cases whose class changes when every attribute may be off by p % of its range "
        "(sensitivity, table 6)",
        ("", "1/√d", "2/√d", "1", "2", "5", "10"), second,
    )  # fmt: skip
    print(
        "\nTable 6's first two columns are this sup norm; its last four fit the Euclidean "
        "distance p √d instead, so that they are no reference."
    )


# ---------------------------------------------------------------- ranking

EXTRA = ("ionosphere", "glass", "sonar", "vehicle")
RANKED = (
    "pima", "bupa", "breast_cancer_complete", "housing", "heart_complete", "hepatitis_filled",
    "new_thyroid", "iris", "wine", "wdbc", *EXTRA,
)  # fmt: skip
TREES: dict[str, Callable[[], Any]] = {
    "J48, pruned": lambda: C45Classifier(preset="j48"),
    "J48, reduced error": lambda: C45Classifier(
        preset="j48", pruning="reduced_error", random_state=0
    ),
    "LDT, pruned": lambda: LDTClassifier(pruning=CostComplexity(), random_state=0),
    "OC1, pruned": lambda: OC1Classifier(pruning=CostComplexity(), random_state=0),
    "RLP, pruned": lambda: ObliqueTreeClassifier(
        finder=BestOf(RobustLP(solver="edge_descent"), AxisParallel()), pruning=CostComplexity(),
        random_state=0,
    ),
}  # fmt: skip
SCORES = ("laplace", "m", "global", "local")


class Sample(NamedTuple):
    """One split: areas by score, whole and partial, and the test of proximity."""

    auc: dict[str, float]
    areas: dict[str, np.ndarray]
    accuracy: float
    proximity: float


def one_sample(
    make: Callable[[], Any], X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> Sample:
    """Grow a tree on the training rows and score the test rows in four ways."""
    X_train, X_test, truth = X.iloc[train], X.iloc[test], y[test]
    model = make().fit(X_train, y[train])
    surface = DecisionSurface(model, X=X_train)
    leaves = surface.apply(X_test)
    estimates = {
        m: leaf_probabilities(model, X_train, y[train], method=m) for m in ("laplace", "m")
    }
    distance = signed_distances(surface, X_test)
    scores = {name: estimate[leaves, -1] for name, estimate in estimates.items()}
    scores["global"] = distance[:, -1]
    scores["local"] = within_leaves(estimates["laplace"], leaves, distance)[:, -1]
    is_error = model.predict(X_test) != truth
    return Sample(
        {name: roc_auc_score(truth, score) for name, score in scores.items()},
        {name: partial_areas(truth, score) for name, score in scores.items()},
        float(1.0 - is_error.mean()),
        error_proximity(surface.nearest(X_test).distance, is_error).statistic,
    )


def print_ranking(n_samples: int, n_jobs: int) -> None:
    """Geometric rankings beside smoothed leaf probabilities, set by set."""
    print(
        f"\nRanking: {n_samples} samples a set, two thirds of the rows for training, classes in "
        "proportion; the rarest class against the others, as one of two classes before growing. "
        "Differences of areas under ROC curves (x 1000) with 95 % intervals of the mean over the "
        "samples; * where the interval does not hold zero. x: largest false positive rate up to "
        "which local ranking is not worse (95 %, one-sided)."
    )
    for label, make in TREES.items():
        rows = list(_ranking_rows(make, n_samples, n_jobs))
        print_table(
            label,
            ("set", "accuracy", "AUC laplace", "global - laplace", "local - laplace",
             "local - m", "x", "λ ≥ 2"),
            rows,
        )  # fmt: skip
    print(
        "\nThe paper's text: global gains .004 to .08 over smoothing, local .002 to .078, one of "
        "them insignificant; accuracy 62 % on bupa, 69 % on sonar."
    )


def _ranking_rows(make: Callable[[], Any], n_samples: int, n_jobs: int) -> Iterator[list[str]]:
    for name in RANKED:
        loaded = load(name)
        if loaded is None:
            yield [name, "left out: no file in OBLIQUE_DATA", *[""] * 6]
            continue
        X, target = loaded
        rarest = target.value_counts().idxmin()
        y = (target == rarest).to_numpy()
        splits = StratifiedShuffleSplit(n_samples, train_size=2 / 3, random_state=0).split(X, y)
        samples = Parallel(n_jobs=n_jobs)(
            delayed(one_sample)(make, X, y, train, test) for train, test in splits
        )
        auc = {s: np.array([one.auc[s] for one in samples]) for s in SCORES}
        areas = {s: np.array([one.areas[s] for one in samples]) for s in SCORES}
        pairs = [("global", "laplace"), ("local", "laplace"), ("local", "m")]
        compared = [compare_areas(areas[a], areas[b], auc[a], auc[b]) for a, b in pairs]
        near = np.array([one.proximity for one in samples])
        yield [
            name,
            f"{100 * np.mean([one.accuracy for one in samples]):.1f}",
            f"{auc['laplace'].mean():.3f}",
            *(_gain(c) for c in compared),
            f"{compared[1].better_up_to:.3f}",
            f"{100 * np.mean(near[np.isfinite(near)] >= 2):.0f} %"
            if np.isfinite(near).any()
            else "",
        ]


def _gain(comparison: Any) -> str:
    half = 1000 * (comparison.high - comparison.low) / 2
    apart = comparison.low > 0 or comparison.high < 0
    mark = "*" if apart and abs(comparison.difference) >= 5e-5 else ""  # not where 0.0 is printed
    return f"{1000 * comparison.difference:+.1f} ± {half:.1f}{mark}"


if __name__ == "__main__":
    sys.exit(main())
