"""The script of Alvarez's tables: what it prints, and what it does without extra data."""

import numpy as np
import pytest

from scripts import alvarez_tables


def rows_of(text, start):
    return [line for line in text.splitlines() if line.startswith(start)]


@pytest.fixture(autouse=True)
def no_extra_data(monkeypatch):
    monkeypatch.delenv("OBLIQUE_DATA", raising=False)


def test_the_example_agrees_with_the_print(capsys):
    assert alvarez_tables.main(["example"]) == 0
    shown = capsys.readouterr().out
    for line in rows_of(shown, "| 188 | C") + rows_of(shown, "| 63 | C"):
        *_, printed, ours, remark = (cell.strip() for cell in line.strip("|").split("|"))
        assert (abs(float(printed) - float(ours)) < 6e-4) == (remark != "misprint")


def test_traces_and_populations_name_what_is_left_out(capsys):
    assert alvarez_tables.main(["traces", "populations"]) == 0
    shown = capsys.readouterr().out
    assert "| P4, ours on all 768 rows | 11 | 7 | 5 | 3.15 | 4 | 1.63 | 1 |" in shown
    assert "ionosphere: left out" in shown
    assert rows_of(shown, "| wine, a tree of ours on wine's test rows")


def test_a_small_ranking(monkeypatch, capsys):
    monkeypatch.setattr(alvarez_tables, "RANKED", ("bupa", "sonar"))
    monkeypatch.setattr(alvarez_tables, "N_QUICK", 3)
    trees = {name: alvarez_tables.TREES[name] for name in ("J48, pruned", "LDT, pruned")}
    monkeypatch.setattr(alvarez_tables, "TREES", trees)
    assert alvarez_tables.main(["ranking", "--quick"]) == 0
    lines = rows_of(capsys.readouterr().out, "| bupa |")
    assert len(lines) == 2
    for line in lines:
        accuracy, auc = (float(cell) for cell in line.split("|")[2:4])
        assert 50 < accuracy < 80
        assert 0.5 < auc < 0.8


def test_scores_of_one_sample_order_the_cases():
    X, y = alvarez_tables.load("wdbc")
    truth = (y == 0).to_numpy()
    train, test = np.arange(0, len(X), 2), np.arange(1, len(X), 2)
    sample = alvarez_tables.one_sample(alvarez_tables.TREES["LDT, pruned"], X, truth, train, test)
    assert set(sample.auc) == set(alvarez_tables.SCORES)
    assert min(sample.auc.values()) > 0.85
    assert sample.areas["local"][-1] <= 0.5


def test_unknown_part(capsys):
    with pytest.raises(SystemExit):
        alvarez_tables.main(["tables"])
    assert "unknown part tables" in capsys.readouterr().err
