"""Trees of linear models: speed and accuracy beside the packages that offer the same split."""

from __future__ import annotations

import importlib.metadata
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.model_selection import train_test_split

from baselines import LinearSVM, SparseRandom, TAOTreeClassifier
from oblique import ObliqueTreeClassifier
from oblique.datasets import load_dataset
from scripts.benchmarks.record import Record, compare_times

SECTION = "linear"
_SEEDS = range(5)


def measure() -> Iterator[Record]:
    """Yield the records of this section."""
    yield from _support_vectors()
    yield from _sparse_random()
    yield from _small_trees()


def _synthetic() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(10_000, 20, n_informative=10, random_state=0)


# ---------------------------------------------------------------- support vector machines


def _support_vectors() -> Iterator[Record]:
    """C = 1, entropy, grown to the end; with liblinear (rest) and with stree's own defaults."""
    try:
        from stree import Stree
    except ImportError as error:
        yield Record(SECTION, "fit SVM tree", None, 1.0, "<=", f"stree cannot be used: {error}")
        return
    version = importlib.metadata.version("stree")
    sets = {
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
        "digits": load_digits(return_X_y=True),
        "10k x 20": _synthetic(),
    }
    for kernel, strategy, options, names in (
        ("liblinear", "ovr", {"groups": "rest"}, list(sets)),
        # libsvm needs minutes for the last one.
        ("linear", "ovo", {"loss": "hinge"}, list(sets)[:3]),
    ):

        def peer(seed: int, kernel: str = kernel, strategy: str = strategy) -> Any:
            return Stree(
                kernel=kernel, multiclass_strategy=strategy, normalize=True, random_state=seed
            )

        def ours(seed: int, options: Any = options) -> Any:
            return ObliqueTreeClassifier(finder=LinearSVM(**options), random_state=seed)

        for name in names:
            case = f"SVM tree, {kernel} {strategy}, {name}"
            yield from _beside(case, ours, peer, *sets[name], f"stree {version}", 3)


# ---------------------------------------------------------------- sparse random projections


def _sparse_random() -> Iterator[Record]:
    """20 projections a node, two features each on the mean, the data's own units."""
    try:
        from treeple.tree import ObliqueDecisionTreeClassifier
    except (ImportError, ValueError) as error:
        # A wheel built for another scikit-learn raises ValueError when it is imported.
        text = str(error).splitlines()[0]
        yield Record(
            SECTION, "fit sparse random tree, 10k x 20", None, 1.0, "<=",
            f"treeple cannot be used beside this scikit-learn: {text}",
        )  # fmt: skip
        return
    version = importlib.metadata.version("treeple")
    X, y = _synthetic()
    for criterion in ("gini", "entropy"):

        def peer(seed: int, criterion: str = criterion) -> Any:
            return ObliqueDecisionTreeClassifier(
                criterion=criterion, max_features=20, feature_combinations=2.0, random_state=seed
            )

        def ours(seed: int, criterion: str = criterion) -> Any:
            finder = SparseRandom(n_projections=20, density=2.0, scaling=None)
            return ObliqueTreeClassifier(finder=finder, criterion=criterion, random_state=seed)

        case = f"sparse random tree, {criterion}, 10k x 20"
        yield from _beside(case, ours, peer, X, y, f"treeple {version}", 5)


def _beside(
    case: str,
    ours: Callable[[int], Any],
    peer: Callable[[int], Any],
    X: np.ndarray,
    y: np.ndarray,
    name: str,
    repeats: int,
) -> Iterator[Record]:
    """Yield the ratio of times to fit, and the difference of accuracy with its interval."""
    ratio, a, b = compare_times(
        lambda: ours(0).fit(X, y), lambda: peer(0).fit(X, y), repeats=repeats
    )
    detail = f"ours {a * 1e3:.3g} ms, {name} {b * 1e3:.3g} ms"
    yield Record(SECTION, f"fit {case}", ratio, 1.0, "<=", detail)
    scores = np.array([_scores(ours(seed), peer(seed), X, y, seed) for seed in _SEEDS])
    gaps = scores[:, 0] - scores[:, 1]
    # Half the width of a 95 % interval of the mean difference over five splits (t = 2.776).
    half = 2.776 * gaps.std(ddof=1) / np.sqrt(len(gaps))
    means = scores.mean(axis=0)
    yield Record(
        SECTION, f"accuracy of {case}, ours - peer + interval", float(gaps.mean() + half), 0.0,
        ">=",
        f"ours {means[0]:.4f} ({means[2]:.1f} leaves), {name} {means[1]:.4f} "
        f"({means[3]:.1f} leaves), difference {gaps.mean():+.4f} +- {half:.4f}",
    )  # fmt: skip


def _scores(ours: Any, peer: Any, X: np.ndarray, y: np.ndarray, seed: int) -> list[float]:
    train, test, a, b = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    ours.fit(train, a), peer.fit(train, a)
    leaves = peer.nodes_leaves()[1] if hasattr(peer, "nodes_leaves") else peer.get_n_leaves()
    return [ours.score(test, b), peer.score(test, b), ours.get_n_leaves(), float(leaves)]


# ---------------------------------------------------------------- the small and accurate tree


def _small_trees() -> Iterator[Record]:
    """Seconds of one whole fit, folds included, on half of the rows."""
    pima = load_dataset("pima")
    sets = {
        "pima": (np.array(pima.data, dtype=float), pima.target.to_numpy()),
        "digits": load_digits(return_X_y=True),
        "10k x 20": _synthetic(),
    }
    for (name, (X, y)), limit in zip(sets.items(), (2.3, 2.9, 7.0), strict=True):
        half, _, labels, _ = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
        model = TAOTreeClassifier(random_state=0).fit(half, labels)
        times = [_seconds(model, half, labels) for _ in range(3)]
        yield Record(
            SECTION, f"fit TAOTreeClassifier, half of {name}, seconds", statistics.median(times),
            limit / 3.0, "<=",
            f"a third of {limit} s, the time of a plain numpy program on another machine",
        )  # fmt: skip


def _seconds(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start
