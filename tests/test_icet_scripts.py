"""The scripts that repeat the experiments with ICET: small runs, and what they say of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts import icet_costs, icet_ratio


def records_of_costs(percent):
    """One split of one set at two error costs."""
    return pd.DataFrame(
        [
            {"set": "pima", "split": 0, "error": error, "method": method, "percent": value}
            for error in (10, 1000)
            for method, value in percent.items()
        ]
    )


def test_costs_of_a_small_run(tmp_path, capsys):
    small = ["--splits", "1", "--trials", "60", "--errors", "10", "1000"]
    files = ["--csv", str(tmp_path / "costs.csv"), "--plot", str(tmp_path / "costs.png")]
    assert icet_costs.main([*small, *files]) == 0
    printed = capsys.readouterr().out
    assert "Published (Turney 1995, section 4.1)" in printed
    assert "Without the thyroid set" in printed
    records = pd.read_csv(tmp_path / "costs.csv")
    assert len(records) == 4 * 2 * len(icet_costs.METHODS)
    assert (records["percent"] > 0).all()
    # What the rivals' tests cost does not hang on what errors cost.
    eg2 = records[records["method"] == "EG2"].groupby("set")["tests"].nunique()
    assert (eg2 == 1).all()
    assert (tmp_path / "costs.png").stat().st_size > 0


def test_ratio_of_a_small_run(tmp_path, capsys):
    small = ["--sets", "pima", "--splits", "1", "--trials", "60", "--ratios", "0.1", "1000"]
    files = ["--csv", str(tmp_path / "ratio.csv"), "--plot", str(tmp_path / "ratio.png")]
    assert icet_ratio.main([*small, *files]) == 0
    printed = capsys.readouterr().out
    assert "Published (Vadera 2005, figures 8 and 10)" in printed
    records = pd.read_csv(tmp_path / "ratio.csv")
    assert list(records["ratio"]) == [0.1, 1000]
    assert records["unsafe"].iloc[1] > records["unsafe"].iloc[0]
    assert (tmp_path / "ratio.png").stat().st_size > 0


def test_the_claim_is_judged_by_the_figures():
    kept = {"ICET": 20, "EG2": 40, "CS-ID3": 50, "IDX": 40, "C4.5": 80}
    assert not any("NOT" in line for line in icet_costs.judge(records_of_costs(kept)))
    turned = icet_costs.judge(records_of_costs({**kept, "ICET": 45}))
    assert [line for line in turned if "NOT" in line] == [
        "ICET below EG2: NOT seen; at 0 of 2 error costs, in 0 of 2 pairs of set and error cost",
        "ICET below IDX: NOT seen; at 0 of 2 error costs, in 0 of 2 pairs of set and error cost",
    ]


@pytest.mark.parametrize(("above", "words"), [(70.0, "from ratio 10 on: seen"), (40.0, "on: NOT")])
def test_the_ratio_is_judged_by_the_figures(above, words):
    lines = {0.1: 10.0, 10.0: 70.0, 1000.0: above}
    records = pd.DataFrame(
        [
            {"set": "s", "split": 0, "ratio": r, "overall": 70.0, "safe": 80.0, "unsafe": u}
            for r, u in lines.items()
        ]
    )
    told = "\n".join(icet_ratio.judge(records))
    assert "s: NOT seen, safe moves by 0.0 points, unsafe by 60.0" in told
    assert words in told


@pytest.mark.parametrize("script", [icet_costs, icet_ratio])
def test_wrong_arguments(script, capsys):
    with pytest.raises(SystemExit, match="2"):
        script.main(["--splits", "-1"])
    assert "must be above zero" in capsys.readouterr().err
