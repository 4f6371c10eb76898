import pandas as pd
import pytest

from oblique.compare import load_strategy
from oblique.compare.execute import prepare_estimator
from oblique.datasets import load_dataset
from oblique.strategies import IndicatorColumns

OWN = ("ldt", "ldt_safe_pruned", "ap", "ap_pruned", "cart", "indecision")


@pytest.mark.parametrize("name", OWN)
def test_own_strategies_learn_every_kind_of_table(name):
    mixed = pd.DataFrame(
        {
            "size": [1.0, 2.0, None, 4.0, 5.0, 6.0] * 6,
            "colour": pd.Categorical(["red", "blue", "red", None, "green", "blue"] * 6),
        }
    )
    labels = pd.Series(["a", "a", "b", "b", "b", "a"] * 6)
    for data, target, unsafe in (
        (mixed, labels, "b"),
        (load_dataset("iris").data, load_dataset("iris").target, None),
        (load_dataset("hepatitis").data, load_dataset("hepatitis").target, 1),
    ):
        model = prepare_estimator(load_strategy(name).estimator, unsafe_class=unsafe, seed=0)
        assert model.fit(data, target).score(data, target) > 0.6


def test_pruned_trees_are_smaller():
    pima = load_dataset("pima")
    for name in ("ldt", "ap"):
        pruned = "ldt_safe_pruned" if name == "ldt" else "ap_pruned"
        sizes = [
            prepare_estimator(load_strategy(n).estimator, unsafe_class=1, seed=0)
            .fit(pima.data, pima.target)
            .tree_.n_leaves
            for n in (name, pruned)
        ]
        assert sizes[1] < sizes[0]


def test_indicators():
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "c": pd.Categorical(["u", "v", None])})
    encoder = IndicatorColumns().fit(table)
    assert encoder.columns_ == ["x", "c_u", "c_v"]
    assert encoder.transform(table).to_numpy().tolist() == [[1, 1, 0], [2, 0, 1], [3, 0, 0]]
    other = pd.DataFrame({"x": [4.0], "c": pd.Categorical(["new"])})
    assert encoder.transform(other).to_numpy().tolist() == [[4, 0, 0]]
    numbers = table[["x"]]
    assert IndicatorColumns().fit(numbers).transform(numbers) is numbers
