"""The script that repeats the tables of the OC1 paper: verdicts and what it prints."""

import numpy as np
import pytest

from scripts import oc1_tables
from scripts.oc1_tables import Printed, figure


@pytest.mark.parametrize(
    ("values", "printed", "expected"),
    [
        ([95.0, 97.0], Printed(96.2, 0.3), "96.0 ± 1.4 | 96.2 ± 0.3 | within"),
        ([95.0, 96.0], Printed(96.2, 0.3), "95.5 ± 0.7 | 96.2 ± 0.3 | -0.7 (-2.3 sd)"),
        ([300.0, 306.0], Printed(606), "303 ± 4 | 606 | 0.50 times"),
    ],
)
def test_a_verdict_is_drawn_from_the_printed_deviation(values, printed, expected):
    assert figure(np.array(values), printed) == expected


def test_both_tables_are_printed(monkeypatch, capsys):
    monkeypatch.setattr(oc1_tables, "DATA", {"iris": "iris"})
    monkeypatch.setattr(oc1_tables, "MAKERS", {"POL": oc1_tables.MAKERS["POL"]})
    assert oc1_tables.main(["--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("| iris |") for line in lines) == 6
    assert sum(line.startswith("| POL |") for line in lines) == 12
    assert len({line.count("|") for line in lines if line.startswith("| POL")}) == 1
    assert lines[-1] == "More restarts of the same stream: worse root in 0 of 8 steps"
