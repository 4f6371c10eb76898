"""Labels and weights that estimators must refuse clearly, and odd ones that work."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import DataConversionWarning

from oblique import LDTClassifier, ObliqueTreeClassifier

X, Y = load_iris(return_X_y=True)
COLOUR = np.array(["red", "green", "blue"])[Y]
KINDS = [ObliqueTreeClassifier, LDTClassifier]
NAN = float("nan")


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def make(request):
    return request.param


# ---------------------------------------------------------------- labels

WRONG_LABELS = {
    "none at all": (None, "requires y to be passed, but the target y is None"),
    "continuous": (X[:, 0] + 0.123, "Unknown label type: continuous"),
    "None among them": (np.where(Y == 1, None, COLOUR), r"no label in row 50 \(None\): leave out"),
    "NaN among them": (np.where(Y == 1, NAN, Y), "NaN"),
    "NA among texts": (
        pd.Series(np.where(Y == 1, None, COLOUR), dtype="string"),
        r"no label in row 50 \(<NA>\)",
    ),
    "infinite": (np.where(Y == 1, np.inf, Y), "infinity"),
    "texts and numbers": (
        np.where(Y == 1, "a", Y.astype(object)),
        "mixes labels of types int, str",
    ),
    "dates": ([pd.Timestamp("2020-01-01")] * 150, "labels of type Timestamp: use numbers or texts"),
    "numbers too large": ([10**30] * 75 + [5] * 75, "labels of type int: use numbers or texts"),
    "complex": (Y + 1j, "Complex data not supported"),
    "too few": (Y[:9], "X has 150 rows, but y has 9: they must be as many"),
    "too many": (np.append(Y, 0), "X has 150 rows, but y has 151"),
    "empty": ([], "X has 150 rows, but y has 0"),
    "two columns": (np.c_[Y, Y], r"y should be a 1d array, got an array of shape \(150, 2\)"),
    "one number": (3, "y should be a 1d array"),
}


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@pytest.mark.parametrize("name", WRONG_LABELS)
def test_wrong_labels(make, name):
    labels, message = WRONG_LABELS[name]
    with pytest.raises(ValueError, match=message):
        make().fit(X, labels)


def test_bytes_are_no_labels(make):
    with pytest.raises(TypeError, match="bytes"):
        make().fit(X, COLOUR.astype("S"))


LABELS = {
    "whole numbers as floats": Y.astype(float),
    "numbers in an object array": Y.astype(object),
    "negative numbers": -Y,
    "large numbers": Y.astype(np.uint64) + 2**63,
    "list of numbers": Y.tolist(),
    "list of texts": COLOUR.tolist(),
    "texts in an object array": COLOUR.astype(object),
    "truth values": Y > 0,
    "Series with another index": pd.Series(Y, index=np.arange(150)[::-1]),
    "categories": pd.Series(pd.Categorical(COLOUR)),
    "string dtype": pd.Series(COLOUR, dtype="string"),
    "nullable numbers": pd.Series(Y, dtype="Int64"),
    "nullable truth values": pd.Series(Y > 0, dtype="boolean"),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_every_kind(make, name):
    labels = LABELS[name]
    model = make().fit(X, labels)
    assert (model.predict(X) == np.asarray(labels)).all()
    assert model.classes_.tolist() == sorted(set(np.asarray(labels).tolist()))
    assert model.unsafe_class_ in model.classes_


def test_labels_in_a_column_warn(make):
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        model = make().fit(X, Y[:, None])
    assert model.score(X, Y) == 1.0


# ---------------------------------------------------------------- weights


def one_weight(value):
    weights = np.ones(150)
    weights[3] = value
    return weights


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (one_weight(-1.0), r"sample_weight\[3\]=-1.0 must be a finite number that is not negative"),
        (one_weight(NAN), r"sample_weight\[3\]=nan must be"),
        (one_weight(np.inf), r"sample_weight\[3\]=inf must be"),
        (np.zeros(150), "all weights are zero: at least one row needs a positive weight"),
        (np.ones(9), r"shape \(150,\), got shape \(9,\)"),
        (np.ones((150, 1)), r"shape \(150,\), got shape \(150, 1\)"),
        (0, "all weights are zero"),
        ("heavy", "sample_weight must hold numbers"),
        (["heavy"] * 150, "sample_weight must hold numbers"),
        (np.ones(150) + 1j, "sample_weight must hold numbers: they are complex"),
        (one_weight(1e300), "weights range from 1 to 1e.300.*multiply sample_weight by a constant"),
        (np.full(150, 1e-300), "weights range from 1e-300 to 1e-300"),
    ],
)
def test_wrong_weights(make, weights, message):
    with pytest.raises(ValueError, match=message):
        make().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("scale", [1e-90, 1e-3, 1e90])
@pytest.mark.parametrize("criterion", ["entropy", "gini", "twoing", "sum_of_variances"])
def test_weights_of_any_allowed_scale(make, criterion, scale):
    model = make(criterion=criterion).fit(X, Y, sample_weight=np.full(150, scale))
    assert model.score(X, Y) == 1.0
