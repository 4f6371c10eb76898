"""Several strategies on several data sets: ranks, Friedman's test and what follows it.

The procedure is that of J. Demsar, "Statistical comparisons of classifiers over multiple data
sets", Journal of Machine Learning Research 7, 2006, Section 3.2: data sets are the blocks, each
with one value a strategy, its mean over the splits. Splits of one data set are no blocks of
their own, for they share rows.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pandas import DataFrame

#: Measures of which less is better.
LOWER_IS_BETTER = frozenset(
    ["log_loss", "brier", "cost", "cost_of_tests", "cost_of_errors", "cost_percent", "depth",
     "leaves", "test_size", "fit_seconds", "predict_seconds", "memory_bytes"]
)  # fmt: skip


# Means of as many splits of as many rows are further apart than this share, or equal.
_ROUNDING = 1e-12


class PairTest(NamedTuple):
    """Two strategies over the data sets.

    Attributes
    ----------
    first, second : str
    wins, ties, losses : int
        Data sets on which the first is better, equal or worse.
    effect_size : float
        Matched-pairs rank-biserial correlation: 1 if the first is better on all data sets, -1 if
        it is worse on all (D. S. Kerby, "The simple difference formula", 2014).
    wilcoxon_holm_p : float
        Of Wilcoxon's signed-rank test, adjusted by Holm for all pairs.
    nemenyi_p : float
        Of Nemenyi's test after Friedman's; NaN for two strategies.
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    effect_size: float
    wilcoxon_holm_p: float
    nemenyi_p: float


class Ranking(NamedTuple):
    """Strategies ordered by their average rank over data sets.

    Attributes
    ----------
    measure, protocol : str
    alpha : float
        Level of all tests.
    datasets : tuple of str
        The blocks.
    ranks : dict
        Strategy -> average rank, best first; equal values share their ranks.
    left_out : tuple of str
        Strategies without a finished cell on some data set.
    friedman, friedman_p : float
        Friedman's chi-square statistic, corrected for ties; NaN for two strategies.
    iman_davenport, iman_davenport_p : float
        The less conservative F statistic made from it (Iman and Davenport, 1980).
    critical_difference : float
        Ranks further apart than this differ by Nemenyi's test.
    pairs : tuple of PairTest
    """

    measure: str
    protocol: str
    alpha: float
    datasets: tuple[str, ...]
    ranks: dict[str, float]
    left_out: tuple[str, ...]
    friedman: float
    friedman_p: float
    iman_davenport: float
    iman_davenport_p: float
    critical_difference: float
    pairs: tuple[PairTest, ...]

    @property
    def is_different(self) -> bool:
        """Whether the Iman-Davenport test finds any difference; only then do pairs matter."""
        return self.iman_davenport_p < self.alpha


def rank_strategies(
    table: DataFrame, measure: str, *, protocol: str, alpha: float = 0.05
) -> Ranking | None:
    """Rank strategies over data sets and test their differences.

    Parameters
    ----------
    table : DataFrame
        As :func:`oblique.compare.tabulate` returns it.
    measure : str
        A column of the table.
    protocol : str
        Such as ``50/50``.
    alpha : float, default=0.05
        Level of the tests.

    Returns
    -------
    Ranking or None
        None with fewer than two strategies or data sets to compare.

    Raises
    ------
    ImportError
        If scikit-posthocs is missing; it is part of the extra ``compare``.
    """
    if measure not in table:
        return None
    done = table[(table["status"] == "done") & (table["protocol"] == protocol)]
    means = done.pivot_table(
        index="dataset", columns="strategy", values=measure, aggfunc="mean", sort=False
    )
    means = means.dropna(axis="index", how="all")
    complete = share_ties(means.dropna(axis="columns"))
    if min(complete.shape) < 2:
        return None
    benefit = -complete if measure in LOWER_IS_BETTER else complete
    ranks = benefit.rank(axis="columns", ascending=False).mean().sort_values(kind="stable")
    benefit = benefit[ranks.index]
    planned = table[table["protocol"] == protocol]["strategy"].unique()
    return Ranking(
        measure=measure,
        protocol=protocol,
        alpha=alpha,
        datasets=tuple(complete.index),
        ranks={str(name): float(rank) for name, rank in ranks.items()},
        left_out=tuple(name for name in planned if name not in complete.columns),
        **_friedman(benefit),
        critical_difference=_critical_difference(len(benefit), len(benefit.columns), alpha),
        pairs=_test_pairs(benefit),
    )


def share_ties(means: DataFrame) -> DataFrame:
    """Make means of a row equal that differ by rounding only, so that they share their ranks.

    Parameters
    ----------
    means : DataFrame
        A data set a row, a strategy a column, nothing missing.
    """
    values = means.to_numpy(dtype=np.float64, copy=True)
    for row in values:
        order = np.argsort(row)
        ordered = row[order]
        with np.errstate(invalid="ignore"):  # two infinite means
            near = np.diff(ordered) <= _ROUNDING * np.abs(ordered[:-1])
        starts = np.concatenate([[True], ~near])
        row[order] = ordered[starts][np.cumsum(starts) - 1]
    shared = means.copy()
    shared[:] = values
    return shared


def _friedman(benefit: DataFrame) -> dict[str, float]:
    from scipy import stats

    n, k = benefit.shape
    names = ("friedman", "friedman_p", "iman_davenport", "iman_davenport_p")
    if k < 3:
        return dict.fromkeys(names, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic, p_value = stats.friedmanchisquare(*benefit.to_numpy().T)
        f = np.float64((n - 1) * statistic) / (n * (k - 1) - statistic)
    f_p = stats.f.sf(f, k - 1, (k - 1) * (n - 1))
    return dict(zip(names, map(float, (statistic, p_value, f, f_p)), strict=True))


def _critical_difference(n: int, k: int, alpha: float) -> float:
    """Return Nemenyi's critical difference of average ranks (Demsar 2006, Section 3.2.2)."""
    from scipy import stats

    q = stats.studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(k * (k + 1) / (6 * n)))


def _test_pairs(benefit: DataFrame) -> tuple[PairTest, ...]:
    import scikit_posthocs

    melted = benefit.melt(var_name="strategy", value_name="value")
    # Equal values count half for either side, so two equal strategies get p = 1.
    wilcoxon = scikit_posthocs.posthoc_wilcoxon(
        melted, "value", "strategy", p_adjust="holm", zero_method="zsplit"
    )
    nemenyi = None
    if benefit.shape[1] > 2:
        nemenyi = scikit_posthocs.posthoc_nemenyi_friedman(benefit.to_numpy())
        nemenyi.index = nemenyi.columns = benefit.columns
    found = []
    for first, second in combinations(benefit.columns, 2):
        differences = (benefit[first] - benefit[second]).to_numpy()
        found.append(
            PairTest(
                first=first,
                second=second,
                wins=int((differences > 0).sum()),
                ties=int((differences == 0).sum()),
                losses=int((differences < 0).sum()),
                effect_size=_rank_biserial(differences),
                wilcoxon_holm_p=float(wilcoxon.loc[first, second]),
                nemenyi_p=np.nan if nemenyi is None else float(nemenyi.loc[first, second]),
            )
        )
    return tuple(found)


def _rank_biserial(differences: np.ndarray) -> float:
    from scipy import stats

    nonzero = differences[differences != 0]
    if not len(nonzero):
        return 0.0
    ranks = stats.rankdata(np.abs(nonzero))
    return float((ranks * np.sign(nonzero)).sum() / ranks.sum())
