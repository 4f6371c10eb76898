"""The comparison on the breast cancer data, and the forest that it measures where there is one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts import indecision_wdbc


class Forest:
    """Answers as a forest does that writes into what it is given."""

    def __init__(self, n_estimators=10, bootstrap=True, max_features="auto"):
        self.asked = n_estimators, bootstrap, max_features
        self.drawn = np.random.random()  # noqa: NPY002 - the generator that the real one draws from
        made.append(self)

    def fit(self, X, dX, y):
        self.shape = X.shape, dX.shape, y.shape
        X[:], dX[:] = np.nan, np.nan
        self.estimators_ = [SimpleNamespace(node_feature_idx=np.array([0, -1, -1]))]

    def predict_proba(self, X, dX):
        shares = 1.0 / (1.0 + np.exp(X[:, 0] - 15.0))
        X[:], dX[:] = np.nan, np.nan
        return list(np.stack([1.0 - shares, shares], axis=1))


made: list[Forest] = []


@pytest.fixture
def forest(monkeypatch):
    module = ModuleType("PRF")
    module.prf = Forest
    monkeypatch.setitem(sys.modules, "PRF", module)
    made.clear()


def test_a_forest_that_is_there_is_measured(forest):
    peers = indecision_wdbc.find_peer(None)
    assert list(peers) == ["PRF, one tree", "PRF, 100 trees", "indecision, 100 bagged"]
    del peers["indecision, 100 bagged"]
    records = indecision_wdbc.measure(1, peers)
    assert [model.asked for model in made[:2]] == [(1, False, None), (100, True, "auto")]
    assert made[0].shape == ((284, 10), (284, 10), (284,))
    assert len({model.drawn for model in made}) == 1
    # Every factor and method sees whole cases, although the one before has spoilt its copies.
    assert len({record["accuracy"] for record in records}) == 1
    assert 0.8 < records[0]["accuracy"] < 1.0
    assert records[0]["leaves"] == 2.0
    assert len(indecision_wdbc.tabulate(records).splitlines()) == 2 + 6


def test_records_can_be_written():
    json.dumps(indecision_wdbc.measure(1, {"CART": indecision_wdbc.cart}))


def test_a_forest_that_is_missing_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "PRF", None)
    assert indecision_wdbc.find_peer(None) == {}
    assert "clone https://github.com/ireis/PRF" in capsys.readouterr().err
    # Another package goes by the name on PyPI.
    monkeypatch.setitem(sys.modules, "PRF", ModuleType("PRF"))
    assert indecision_wdbc.find_peer(None) == {}
    assert "has no attribute 'prf'" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        indecision_wdbc.main(["--peer", "no_such_module"])
    assert "No module named 'no_such_module'" in capsys.readouterr().err


def test_bagged_trees_are_told_the_deviations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    cases = indecision_wdbc.UncertainTable(X, 0.5)
    shares, leaves = indecision_wdbc.indecision_bagged(cases, y, cases)
    assert leaves > 2
    exact, _ = indecision_wdbc.indecision_bagged(cases.scale_uncertainty(0.0), y, cases)
    assert np.abs(shares - exact).max() > 0.01
