"""Two strategies on the same splits: differences, their intervals and tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from oblique.compare.summary import mean_interval

if TYPE_CHECKING:
    from pandas import DataFrame

_AXES = ["repeat", "fold"]


class PairedDifference(NamedTuple):
    """How a measure of one strategy differs from another's on the same splits.

    Attributes
    ----------
    n : int
        Number of splits that both strategies finished.
    mean : float
        Mean of first minus second.
    ci : float
        Half the width of the t interval of the differences, as if splits were independent.
        It tells how far another draw of as many splits of the same rows may differ.
    corrected_ci : float
        Half the width with the variance of Nadeau and Bengio (2003), which allows for the
        training rows that splits share. It tells how far other data may differ.
    p_value : float
        Of the corrected resampled t-test, two-sided; 1 where all differences are 0, NaN where
        they are alike but not 0.
    effect_size : float
        Mean over standard deviation of the differences.
    wins, ties, losses : int
        Splits on which the first is larger, equal or smaller.
    """

    n: int
    mean: float
    ci: float
    corrected_ci: float
    p_value: float
    effect_size: float
    wins: int
    ties: int
    losses: int


def compare_pair(
    table: DataFrame, first: str, second: str, measure: str, *, level: float = 0.95
) -> dict[tuple[str, str], PairedDifference]:
    """Compare two strategies split by split, for every data set and protocol.

    Parameters
    ----------
    table : DataFrame
        As :func:`oblique.compare.tabulate` returns it.
    first, second : str
        Names of the strategies.
    measure : str
        A column of the table, such as ``unsafe_accuracy``.
    level : float, default=0.95
        Level of the intervals.

    Returns
    -------
    dict
        (data set, protocol) -> difference, where both strategies have finished cells.
    """
    if measure not in table:
        return {}
    done = table[(table["status"] == "done") & table["strategy"].isin([first, second])]
    found = {}
    for names, group in done.groupby(["dataset", "protocol"], sort=False):
        wide = group.pivot_table(
            index=_AXES, columns="strategy", values=measure, dropna=False, aggfunc="first"
        )
        if first in wide and second in wide:
            differences = (wide[first] - wide[second]).dropna().to_numpy(dtype=np.float64)
            if len(differences):
                ratio = float((group["n_test"] / group["n_train"]).mean())
                found[names] = describe_differences(differences, ratio, level=level)
    return found


def describe_differences(
    differences: ArrayLike, test_to_train: float, *, level: float = 0.95
) -> PairedDifference:
    """Describe paired differences of repeated splits, with the corrected t-test.

    The variance of the mean over n splits is taken as ``(1/n + n_test/n_train)`` times the
    variance of the differences: C. Nadeau and Y. Bengio, "Inference for the generalization
    error", Machine Learning 52, 2003, Section 3, equation for the corrected resampled t-test.

    Parameters
    ----------
    differences : array-like of shape (n,)
    test_to_train : float
        Rows tested on over rows trained on.
    level : float, default=0.95
        Level of the intervals.
    """
    from scipy.special import stdtr, stdtrit

    values = np.asarray(differences, dtype=np.float64)
    n = len(values)
    mean, ci = mean_interval(values, level=level)
    deviation = float(values.std(ddof=1)) if n > 1 else np.nan
    error = deviation * np.sqrt(1 / n + test_to_train)
    if n < 2:
        corrected, p_value = np.nan, np.nan
    elif deviation == 0.0:
        # Without scatter there is nothing that a mean could be held against.
        corrected, p_value = 0.0, 1.0 if mean == 0.0 else np.nan
    else:
        corrected = stdtrit(n - 1, (1 + level) / 2) * error
        p_value = 2 * stdtr(n - 1, -abs(mean / error))
    return PairedDifference(
        n=n,
        mean=mean,
        ci=ci,
        corrected_ci=float(corrected),
        p_value=float(p_value),
        effect_size=mean / deviation if deviation > 0 else np.nan,
        wins=int((values > 0).sum()),
        ties=int((values == 0).sum()),
        losses=int((values < 0).sum()),
    )
