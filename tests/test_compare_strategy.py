import pytest
from odd_classifiers import Majority
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from oblique.compare import Strategy, list_strategies, load_strategy
from oblique.compare.identity import describe_value, hash_json
from oblique.finders import AxisParallel


def test_own_strategies_are_installed():
    assert {"ldt", "ldt_safe_pruned", "ap", "ap_pruned", "cart"} <= set(list_strategies())


@pytest.mark.parametrize("name", ["ldt", "ldt_safe_pruned", "ap", "ap_pruned", "cart"])
def test_own_strategies_load_with_a_description(name):
    strategy = load_strategy(name)
    assert strategy.name == name
    assert strategy.description
    assert hasattr(strategy.estimator, "fit")


@pytest.mark.parametrize("attribute", ["make_majority", "majority", "Majority"])
def test_reference_to_factory_instance_or_class(attribute):
    strategy = load_strategy(f"odd_classifiers:{attribute}")
    assert isinstance(strategy.estimator, Majority)
    assert strategy.description.startswith(("Majority, from a factory", "Predict the most"))


def test_unknown_name_offers_the_nearest():
    with pytest.raises(ValueError, match="'ldt_safe_pruned'"):
        load_strategy("ldt_safe_prund")


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("no_such_module:x", "cannot import 'no_such_module'"),
        ("odd_classifiers:Majorit", "'Majority'"),
        ("sklearn.tree:DecisionTreeClasifier", "'DecisionTreeClassifier'"),
    ],
)
def test_bad_reference_is_named(reference, said):
    with pytest.raises(ValueError, match=said):
        load_strategy(reference)


def test_reference_to_something_else():
    with pytest.raises(TypeError, match="names a int"):
        load_strategy("odd_classifiers:NOT_A_CLASSIFIER")


def test_class_in_place_of_instance():
    with pytest.raises(TypeError, match=r"pass an instance: DecisionTreeClassifier\(...\)"):
        Strategy("cart", DecisionTreeClassifier)


def test_object_that_is_no_classifier():
    with pytest.raises(TypeError, match="has no predict"):
        Strategy("scaler", StandardScaler())
    with pytest.raises(TypeError, match=r"no fit, predict; .* ObliqueTreeClassifier\(finder="):
        Strategy("plane", AxisParallel())


def test_parameters_tell_estimators_apart():
    def key(estimator):
        return hash_json(Strategy("x", estimator).parameters)

    assert key(DecisionTreeClassifier()) == key(DecisionTreeClassifier())
    assert key(DecisionTreeClassifier()) != key(DecisionTreeClassifier(max_depth=3))
    shallow = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=3))
    deep = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=4))
    assert key(shallow) != key(deep)


def test_parameter_without_stable_description_is_refused():
    class Opaque:
        pass

    with pytest.raises(ValueError, match="parameter 'warm_start' of LogisticRegression"):
        Strategy("x", LogisticRegression(warm_start=Opaque()))
    with pytest.raises(ValueError, match="lambda"):
        Strategy("x", LogisticRegression(warm_start=lambda: 1))


def test_descriptions_of_values():
    import numpy as np

    assert describe_value(np.float64(0.5)) == 0.5
    assert describe_value({"b": (1, None)}) == {"b": [1, None]}
    assert describe_value({3, 1}) == [1, 3]
    assert describe_value(np.array([1, 2])) == describe_value(np.array([1, 2]))
    assert describe_value(np.array([1, 2])) != describe_value(np.array([1, 3]))
    assert describe_value(np.array(["a", None], dtype=object)) == ["a", None]
    assert describe_value(hash_json) == "oblique.compare.identity.hash_json"
