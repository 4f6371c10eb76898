"""The script that repeats the tables of the OC1 paper: verdicts and what it prints."""

import sys

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
        ([np.nan, np.nan], Printed(606), "- | 606 | -"),
    ],
)
def test_a_verdict_is_drawn_from_the_printed_deviation(values, printed, expected):
    assert figure(np.array(values), printed) == expected


FAKE = """#!{python}
import sys
import numpy as np
options = [a for a in sys.argv[1:] if a[:2] not in ("-t", "-T", "-s")]
train, test = np.loadtxt("train"), np.loadtxt("test")
assert (len(train), len(test), train.shape[1]) == (120, 30, 5)
assert set(train[:, -1]) == {{1, 2, 3}}
leaves = 7 if options == ["-a"] else 2
print(f"Pruned tree written\\naccuracy = 50.00\\t#leaves = {{leaves:.2f}}\\tmax depth = 1.00")
"""


def test_the_released_program_is_measured_on_the_same_folds(tmp_path, monkeypatch, capsys):
    program = tmp_path / "mktree"
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setattr(oc1_tables, "DATA", {"iris": "iris"})
    monkeypatch.setattr(oc1_tables, "methods", lambda: [])
    assert oc1_tables.main(["--quick", "--table", "1", "--mktree", str(program)]) == 0
    rows = [row for row in capsys.readouterr().out.splitlines() if row.startswith("| iris |")]
    assert [row.split(" | ")[1:4] for row in rows] == [
        ["OC1", "released program", "50.0 ± 0.0"],
        ["CART-LC", "released program", "50.0 ± 0.0"],
        ["OC1-AP", "released program", "50.0 ± 0.0"],
    ]
    assert [row.split(" | ")[6] for row in rows] == ["2.0 ± 0.0", "2.0 ± 0.0", "7.0 ± 0.0"]


def test_another_program_is_refused(tmp_path, capsys):
    X, y = np.eye(10), np.arange(10) % 2
    with pytest.raises(RuntimeError, match="printed no accuracy and leaves"):
        oc1_tables.run_program(["/bin/echo", "-p0"], X, y, 0)
    with pytest.raises(SystemExit):
        oc1_tables.main(["--mktree", str(tmp_path / "missing")])
    (tmp_path / "mktree.c").touch(mode=0o644)
    with pytest.raises(SystemExit):
        oc1_tables.main(["--mktree", str(tmp_path / "mktree.c")])
    assert capsys.readouterr().err.count("no program; give the compiled mktree") == 2


def test_both_tables_are_printed(monkeypatch, capsys):
    monkeypatch.setattr(oc1_tables, "DATA", {"iris": "iris"})
    monkeypatch.setattr(oc1_tables, "MAKERS", {"POL": oc1_tables.MAKERS["POL"]})
    assert oc1_tables.main(["--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("| iris |") for line in lines) == 7
    assert sum(line.startswith("| POL |") for line in lines) == 16
    assert len({line.count("|") for line in lines if line.startswith("| POL")}) == 1
    assert lines[-1] == "More restarts of the same stream: worse root in 0 of 8 steps"
