import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

pytest.importorskip("scikit_posthocs", reason="needs the extra 'compare'")

from oblique.compare.ranking import rank_strategies

# Demsar (2006), Table 6: AUC of C4.5 with tuned m, cf, both or none on 14 data sets. Two
# values that are printed alike, .975 on the 13th set, have ranks 2 and 3 there; so they differ.
DEMSAR = {
    "C4.5": [.763, .599, .954, .628, .882, .936, .661, .583, .775, 1, .940, .619, .972, .957],
    "C4.5+m": [.768, .591, .971, .661, .888, .931, .668, .583, .838, 1, .962, .666, .981, .978],
    "C4.5+cf": [.771, .590, .968, .654, .886, .916, .609, .563, .866, 1, .965, .614, .9751, .946],
    "C4.5+m+cf": [.798, .569, .967, .657, .898, .931, .685, .625, .875, 1, .962, .669, .975, .970],
}  # fmt: skip


def make_table(values, measure="roc_auc"):
    rows = [
        {"dataset": f"d{i}", "protocol": "50/50", "strategy": name, "status": "done",
         "repeat": repeat, "fold": None, measure: value}
        for name, column in values.items()
        for i, value in enumerate(column)
        for repeat in range(2)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_example_of_demsar():
    found = rank_strategies(make_table(DEMSAR), "roc_auc", protocol="50/50")
    assert {n: round(r, 3) for n, r in found.ranks.items()} == {
        "C4.5+m+cf": 1.964, "C4.5+m": 2.0, "C4.5+cf": 2.893, "C4.5": 3.143
    }  # fmt: skip
    # The paper's 9.28 and 3.69 hold without a correction for ties; scipy's has one.
    n, k, ranks = 14, 4, np.array(list(found.ranks.values()))
    plain = 12 * n / (k * (k + 1)) * (np.sum(ranks**2) - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=0.01)
    assert (n - 1) * plain / (n * (k - 1) - plain) == pytest.approx(3.69, abs=0.01)
    assert found.friedman >= plain
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert found.is_different
    by_names = {(p.first, p.second): p for p in found.pairs}
    # The paper: no pair differs by Nemenyi's test at 0.05.
    assert all(pair.nemenyi_p > 0.05 for pair in found.pairs)
    pair = by_names["C4.5+m", "C4.5"]
    assert (pair.wins, pair.ties, pair.losses) == (10, 2, 2)


def test_two_strategies():
    values = {name: DEMSAR[name] for name in ("C4.5", "C4.5+m")}
    found = rank_strategies(make_table(values), "roc_auc", protocol="50/50")
    assert math.isnan(found.friedman_p)
    (pair,) = found.pairs
    expected = stats.wilcoxon(DEMSAR["C4.5+m"], DEMSAR["C4.5"], zero_method="zsplit")
    assert pair.wilcoxon_holm_p == pytest.approx(expected.pvalue)
    assert not found.is_different


def test_less_is_better_for_sizes():
    sizes = {"small": [3, 4, 5, 6], "large": [9, 9, 9, 9], "middle": [5, 6, 7, 8]}
    found = rank_strategies(make_table(sizes, "leaves"), "leaves", protocol="50/50")
    assert list(found.ranks) == ["small", "middle", "large"]
    first = found.pairs[0]
    assert (first.wins, first.losses, first.effect_size) == (4, 0, 1.0)
    assert found.iman_davenport == math.inf
    assert found.iman_davenport_p == 0.0


def test_equal_strategies():
    same = {name: [0.5, 0.6, 0.7, 0.8] for name in ("a", "b", "c")}
    found = rank_strategies(make_table(same), "roc_auc", protocol="50/50")
    assert set(found.ranks.values()) == {2.0}
    assert not found.is_different
    assert all(p.ties == 4 and p.effect_size == 0 for p in found.pairs)
    assert all(p.wilcoxon_holm_p == 1.0 for p in found.pairs)


def test_strategies_with_gaps_are_left_out():
    table = make_table(DEMSAR)
    table.loc[(table["strategy"] == "C4.5") & (table["dataset"] == "d3"), "status"] = "failed"
    found = rank_strategies(table, "roc_auc", protocol="50/50")
    assert found.left_out == ("C4.5",)
    assert len(found.ranks) == 3


def test_too_little_to_rank():
    one_set = make_table({"a": [0.5], "b": [0.6]})
    assert rank_strategies(one_set, "roc_auc", protocol="50/50") is None
    assert rank_strategies(make_table(DEMSAR), "roc_auc", protocol="70/30") is None
    assert rank_strategies(make_table(DEMSAR), "brier", protocol="50/50") is None
