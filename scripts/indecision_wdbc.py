"""Indecision trees on real uncertainty: the Wisconsin diagnostic breast cancer data.

The data give ten measurements of cell nuclei as means with their standard errors. Repeated
stratified halves; every method sees the same ones. With a factor f the stated standard errors are
multiplied by f; with --noisy the measurements, too, are made worse, by normal noise of
sqrt(f^2 - 1) standard errors, so that the stated uncertainty is the true one.

    python scripts/indecision_wdbc.py --repeats 10 --json wdbc.json --plot calibration.png

Where their package PRF can be imported, the probabilistic random forest (I. Reis, D. Baron &
S. Shahaf 2019, Astronomical Journal 157:16) is measured, too, with one tree and with a hundred. It
is not on PyPI, where PRF is the name of something else: clone https://github.com/ireis/PRF and put
the clone on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.tree import DecisionTreeClassifier

from oblique import IndecisionTreeClassifier, ObliqueTreeClassifier
from oblique.finders import AxisParallel, LinearDiscriminant
from oblique.indecision import UncertainTable, class_probabilities

FACTORS = (1.0, 2.0, 5.0)
BINS = 10
TREES = 100
MEASURES = ("accuracy", "log_loss", "brier", "calibration_error", "leaves")

# The probabilities of the classes, and the leaves of a tree.
Fit = Callable[[UncertainTable, Any, UncertainTable], tuple[Any, float]]


def crisp(train: UncertainTable, y: Any, test: UncertainTable) -> tuple[Any, int]:
    """Axis-parallel tree of this package, unpruned, on the means."""
    model = ObliqueTreeClassifier(finder=AxisParallel()).fit(train.means, y)
    return model.predict_proba(test.means), model.tree_.n_leaves


def cart(train: UncertainTable, y: Any, test: UncertainTable) -> tuple[Any, int]:
    """CART of scikit-learn with its defaults, on the means."""
    model = DecisionTreeClassifier(random_state=0).fit(train.means, y)
    return model.predict_proba(test.means), model.get_n_leaves()


def crisp_asked(train: UncertainTable, y: Any, test: UncertainTable) -> tuple[Any, int]:
    """The crisp tree, asked about uncertain cases."""
    model = ObliqueTreeClassifier(finder=AxisParallel()).fit(train.means, y)
    return class_probabilities(model, test), model.tree_.n_leaves


def indecision(train: UncertainTable, y: Any, test: UncertainTable) -> tuple[Any, int]:
    """Indecision tree with its defaults."""
    model = IndecisionTreeClassifier().fit(train, y)
    return model.predict_proba(test), model.tree_.n_leaves


def indecision_clause(train: UncertainTable, y: Any, test: UncertainTable) -> tuple[Any, int]:
    """Indecision tree that multiplies all clauses, as printed."""
    model = IndecisionTreeClassifier(independence="clause").fit(train, y)
    return model.predict_proba(test), model.tree_.n_leaves


def indecision_oblique(train: UncertainTable, y: Any, test: UncertainTable) -> tuple[Any, int]:
    """Indecision tree with discriminant directions, leaves by moment matching."""
    model = IndecisionTreeClassifier(directions=LinearDiscriminant(), leaf_probability="moments")
    model.fit(train, y)
    return model.predict_proba(test), model.tree_.n_leaves


METHODS: dict[str, Fit] = {
    "crisp tree": crisp,
    "CART": cart,
    "crisp tree, asked": crisp_asked,
    "indecision": indecision,
    "indecision, clause": indecision_clause,
    "indecision, oblique": indecision_oblique,
}

# Methods with a calibration curve.
DRAWN = (
    "crisp tree", "crisp tree, asked", "indecision", "indecision, oblique", f"PRF, {TREES} trees",
)  # fmt: skip


def indecision_bagged(train: UncertainTable, y: Any, test: UncertainTable) -> tuple[Any, float]:
    """A hundred indecision trees on bootstrap samples, by scikit-learn's bagging."""
    with config_context(enable_metadata_routing=True):
        tree = IndecisionTreeClassifier().set_fit_request(X_std=True, sample_weight=True)
        tree.set_predict_proba_request(X_std=True)
        model = BaggingClassifier(tree, TREES, random_state=0)
        model.fit(train.means, y, X_std=train.std)
        leaves = [tree.tree_.n_leaves for tree in model.estimators_]
        return model.predict_proba(test.means, X_std=test.std), float(np.mean(leaves))


def probabilistic_forest(forest: Any, **options: Any) -> Fit:
    """Return a fit of Reis's forest with these options, the others as they come."""

    def fit(train: UncertainTable, y: Any, test: UncertainTable) -> tuple[Any, float]:
        np.random.seed(0)  # noqa: NPY002 - the forest draws from numpy's global generator
        model = forest(**options)
        # It writes into the arrays that it is given.
        model.fit(X=train.means.copy(), dX=train.std.copy(), y=y)
        shares = np.array(model.predict_proba(X=test.means.copy(), dX=test.std.copy()))
        leaves = [np.count_nonzero(tree.node_feature_idx < 0) for tree in model.estimators_]
        return shares, float(np.mean(leaves))

    return fit


def find_peer(name: str | None) -> dict[str, Fit]:
    """Return the forests to compare with, none where they cannot be imported.

    Parameters
    ----------
    name : str or None
        Module with the class ``prf``. None: PRF, which may be missing.

    Raises
    ------
    ImportError
        Where a named module is missing or holds no such class.
    """
    try:
        forest = importlib.import_module(name or "PRF").prf
    except (ImportError, AttributeError) as error:
        message = (
            f"the probabilistic random forest is not measured: {error}. It is not on PyPI; clone "
            "https://github.com/ireis/PRF and put the clone on PYTHONPATH"
        )
        if name:
            raise ImportError(message) from error
        print(message, file=sys.stderr)
        return {}
    return {
        "PRF, one tree": probabilistic_forest(
            forest, n_estimators=1, bootstrap=False, max_features=None
        ),
        f"PRF, {TREES} trees": probabilistic_forest(forest, n_estimators=TREES),
        f"indecision, {TREES} bagged": indecision_bagged,
    }


def measure(
    repeats: int, methods: dict[str, Fit], *, noisy: bool = False, seed: int = 0
) -> list[dict[str, Any]]:
    """Return one record a method, factor and repeat, with the probabilities of the test rows."""
    data = load_breast_cancer()
    means, errors, y = data.data[:, :10], data.data[:, 10:20], data.target
    splits = StratifiedShuffleSplit(repeats, test_size=0.5, random_state=seed).split(means, y)
    records = []
    for repeat, (train, test) in enumerate(splits):
        noise = np.random.default_rng([seed, repeat]).normal(size=means.shape)
        for factor in FACTORS:
            worse = np.sqrt(factor**2 - 1.0) * errors * noise if noisy else 0.0
            cases = UncertainTable(means + worse, factor * errors)
            for name, fit in methods.items():
                shares, leaves = fit(cases[train], y[train], cases[test])
                record = {
                    "method": name,
                    "factor": factor,
                    "repeat": repeat,
                    "leaves": float(leaves),
                }
                records.append({**record, **score(y[test], shares[:, 1])})
    return records


def score(truth: Any, p: Any) -> dict[str, Any]:
    """Accuracy, log loss (probabilities cut at 1e-15), Brier score and calibration."""
    place = np.minimum((p * BINS).astype(int), BINS - 1)
    size = np.bincount(place, minlength=BINS)
    told = np.bincount(place, p, BINS)
    true = np.bincount(place, truth, BINS)
    return {
        "accuracy": accuracy_score(truth, p > 0.5),
        "log_loss": log_loss(truth, np.clip(p, 1e-15, 1 - 1e-15)),
        "brier": brier_score_loss(truth, p),
        "calibration_error": float(np.abs(told - true).sum() / len(p)),
        "bins": {"size": size.tolist(), "told": told.tolist(), "true": true.tolist()},
    }


def tabulate(records: list[dict[str, Any]]) -> str:
    """Return means over the repeats as a Markdown table."""
    lines = [
        "| uncertainty | method | accuracy | log loss | Brier | calibration error | leaves |",
        "|---|---|---|---|---|---|---|",
    ]
    for factor in FACTORS:
        for name in dict.fromkeys(record["method"] for record in records):
            rows = [r for r in records if r["factor"] == factor and r["method"] == name]
            mean = {m: float(np.mean([r[m] for r in rows])) for m in MEASURES}
            lines.append(
                f"| x{factor:g} | {name} | {mean['accuracy']:.3f} | {mean['log_loss']:.3f} | "
                f"{mean['brier']:.3f} | {mean['calibration_error']:.3f} | {mean['leaves']:.1f} |"
            )
    return "\n".join(lines)


def draw(records: list[dict[str, Any]], path: Path) -> None:
    """Draw the calibration curves, one panel a factor."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(FACTORS), figsize=(12, 4), layout="constrained")
    for panel, factor in zip(panels, FACTORS, strict=True):
        panel.plot([0, 1], [0, 1], color="#999999", linewidth=1)
        for name in DRAWN:
            rows = [r["bins"] for r in records if r["factor"] == factor and r["method"] == name]
            if not rows:
                continue
            size, told, true = (
                np.sum([r[key] for r in rows], axis=0) for key in ("size", "told", "true")
            )
            full = size >= 10
            panel.plot(told[full] / size[full], true[full] / size[full], "o-", label=name)
        panel.set_title(f"standard errors x {factor:g}")
        panel.set_xlabel("stated probability of benign")
    panels[0].set_ylabel("share that is benign")
    panels[0].legend(fontsize="small")
    figure.savefig(path, dpi=110)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--noisy", action="store_true", help="make the measurements worse, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write every record there")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="also draw calibration curves")
    parser.add_argument(
        "--peer",
        metavar="MODULE",
        help="probabilistic random forest (default PRF, if there is one)",
    )
    options = parser.parse_args(arguments)
    try:
        methods = METHODS | find_peer(options.peer)
    except ImportError as error:
        parser.error(str(error))
    records = measure(options.repeats, methods, noisy=options.noisy, seed=options.seed)
    print(tabulate(records))
    if options.json:
        options.json.write_text(json.dumps(records, indent=1) + "\n")
    if options.plot:
        draw(records, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
