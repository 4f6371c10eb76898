"""Wrong parameters: argument, value and remedy are named before any work starts."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.finders import (
    AxisParallel,
    BestOf,
    Categories,
    FixedSplit,
    LinearDiscriminant,
    SafeAdjusted,
)
from oblique.pruning import CostComplexity, SafePruning

X, Y = load_iris(return_X_y=True)
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
KINDS = [ObliqueTreeClassifier, LDTClassifier]
NAN = float("nan")


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def make(request):
    return request.param


class Untouched:
    """Data that must not be looked at: a wrong parameter is told before any work."""

    def __getattr__(self, name):
        raise AssertionError(f"data were looked at: {name}")

    def __array__(self, *args, **kwargs):
        raise AssertionError("data were read")


ONE_OF_FINDERS = "must be a SplitFinder, such as AxisParallel()"
WRONG_PARAMETERS = [
    # parameter, value, what the message says beside them
    ("criterion", "entropie", "did you mean 'entropy'"),
    ("criterion", 3, "Known: entropy"),
    ("criterion", ["gini"], "Known: entropy"),
    ("max_depth", -1, "None or an integer of at least 0"),
    ("max_depth", 2.5, "None or an integer of at least 0"),
    ("max_depth", True, "None or an integer of at least 0"),
    ("max_depth", "deep", "None or an integer of at least 0"),
    ("min_samples_split", 1, "an integer of at least 2 or a float in (0, 1]"),
    ("min_samples_split", 2.0, "an integer of at least 2 or a float in (0, 1]"),
    ("min_samples_split", None, "an integer of at least 2 or a float in (0, 1]"),
    ("min_samples_leaf", 0, "an integer of at least 1 or a float in (0, 1]"),
    ("min_samples_leaf", NAN, "an integer of at least 1 or a float in (0, 1]"),
    ("min_gain", -0.1, "a finite number >= 0"),
    ("min_gain", NAN, "a finite number >= 0"),
    ("min_gain", True, "a finite number >= 0"),
    ("min_gain", "none", "a finite number >= 0"),
    ("min_weight_fraction_leaf", 0.6, "a number in [0, 0.5]"),
    ("min_weight_fraction_leaf", "a", "a number in [0, 0.5]"),
    ("random_state", "seed", "None, an integer >= 0 or a numpy RandomState"),
    ("random_state", -1, "None, an integer >= 0 or a numpy RandomState"),
    ("random_state", 1.5, "None, an integer >= 0 or a numpy RandomState"),
    ("random_state", True, "None, an integer >= 0 or a numpy RandomState"),
    ("pruning", "sage", "a Pruner"),
    ("pruning", 3, "a Pruner"),
    ("pruning", np.array([1, 2]), "a Pruner"),
    ("pruning", CostComplexity, "a Pruner"),
]
WRONG_FINDERS = [
    ("axis", "finder='axis' " + ONE_OF_FINDERS),
    (AxisParallel, ONE_OF_FINDERS),
    (AxisParallel("middle"), "threshold='middle' is not known"),
    (AxisParallel([1]), "threshold=[1] is not known"),
    (BestOf(), "BestOf needs at least one finder, got none"),
    (BestOf(AxisParallel(), 3), "finder 1 of BestOf=3 " + ONE_OF_FINDERS),
    (BestOf(AxisParallel("x")), "threshold='x' is not known"),
    (SafeAdjusted(mode="safe"), "mode='safe' must be"),
    (SafeAdjusted(select_by=None), "select_by=None must be"),
    (SafeAdjusted(3), "finder=3 " + ONE_OF_FINDERS),
    (SafeAdjusted(LinearDiscriminant("fisher")), "threshold='fisher' must be"),
    (LinearDiscriminant(min_samples=-1), 'min_samples=-1 must be "2d" or an integer >= 0'),
    (LinearDiscriminant(min_samples=True), "min_samples=True must be"),
    (Categories("all"), 'sets=\'all\' must be "subsets" or "single"'),
    (Categories(max_exhaustive="many"), "max_exhaustive='many' must be an integer >= 0"),
    (FixedSplit(3), "split=3 must be a LinearSplit, CategorySplit or None"),
]
WRONG_PRUNERS = [
    (CostComplexity(holdout="a"), "holdout='a' must be a number in [0, 1)"),
    (CostComplexity(holdout=1.0), "holdout=1.0 must be a number in [0, 1)"),
    (CostComplexity(se_rule=-1), "se_rule=-1 must be a finite number >= 0"),
    (SafePruning(max_accuracy_loss=-1), "max_accuracy_loss=-1 must be a finite number >= 0"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG_PARAMETERS)
def test_wrong_parameter_is_named_before_data_are_read(make, name, value, message):
    model = make(**{name: value})
    with pytest.raises((ValueError, TypeError)) as error:
        model.fit(Untouched(), Untouched())
    assert str(error.value).startswith(f"{name}={value!r}")
    assert message in str(error.value)


@pytest.mark.parametrize(("finder", "message"), WRONG_FINDERS)
def test_wrong_finder_is_named_before_data_are_read(finder, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        ObliqueTreeClassifier(finder=finder).fit(Untouched(), Untouched())


@pytest.mark.parametrize(("pruner", "message"), WRONG_PRUNERS)
def test_wrong_pruner_is_named_before_data_are_read(make, pruner, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make(pruning=pruner).fit(Untouched(), Untouched())


@pytest.mark.parametrize(
    ("name", "value"), [("adjustment", "x"), ("adjustment", []), ("select_by", "best")]
)
def test_wrong_adjustment(name, value):
    with pytest.raises(ValueError, match=re.escape(f"{name}={value!r} must be")):
        LDTClassifier(**{name: value}).fit(Untouched(), Untouched())


def test_whole_numbers_of_numpy_are_whole_numbers(make):
    model = make(
        max_depth=np.int64(2), min_samples_split=np.int32(2), random_state=np.uint8(3)
    ).fit(X, Y)  # fmt: skip
    assert model.get_depth() == 2


@pytest.mark.parametrize("unsafe", ["x", 9, [0, 1], (0,), NAN, np.array(["a"])])
def test_unknown_unsafe_class(make, unsafe):
    with pytest.raises(ValueError, match=r"unsafe_class=.* is not a class of y; the classes are"):
        make(unsafe_class=unsafe).fit(X, Y)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ("balance", "class_weight='balance' must be a dict, \"balanced\" or None"),
        ([1, 2, 3], "class_weight=[1, 2, 3] must be a dict"),
        ({0: -1}, "class_weight[0]=-1 must be a finite number that is not negative"),
        ({0: NAN}, "class_weight[0]=nan must be"),
        ({0: "a"}, "class_weight[0]='a' must be"),
        ({7: 1.0}, "class_weight names [7], which are not classes of y"),
        ({0: 0, 1: 0, 2: 0}, "all weights are zero"),
        ({0: 1e300}, "weights range from 1 to 1e+300"),
    ],
)
def test_wrong_class_weight(make, class_weight, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make(class_weight=class_weight).fit(X, Y)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("dtype", "categorical_features='dtype' must be"),
        (3, "categorical_features=3 must be"),
        ([0.5], "categorical_features=[0.5] must be"),
        ([[0]], "categorical_features=[[0]] must be"),
        ({0: 1}, "categorical_features={0: 1} must be"),
        ([9], "categorical_features names columns [9], but X has 4 features, 0 to 3"),
        ([-5], "categorical_features names columns [-5]"),
        (["z"], "categorical_features names ['z'], which are not columns of X"),
        ([True], "categorical_features is a mask of 1 values, but X has 4 features"),
    ],
)
@pytest.mark.parametrize("table", [X, FRAME], ids=["array", "frame"])
def test_wrong_categorical_features(make, table, wanted, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make(categorical_features=wanted).fit(table, Y)
