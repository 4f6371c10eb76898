"""Data that estimators must refuse clearly, and odd data that they must get right."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.finders import (
    LinearDiscriminant,
)
from oblique.pruning import CostComplexity

X, Y = load_iris(return_X_y=True)
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
COLOUR = np.array(["red", "green", "blue"])[Y]
KINDS = [ObliqueTreeClassifier, LDTClassifier]
NAN = float("nan")


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def make(request):
    return request.param


def with_value(value, *, like=X):
    """Copy of the table with one cell changed."""
    table = np.array(like, dtype=object if not isinstance(value, float) else None)
    table[7, 2] = value
    return table


# ---------------------------------------------------------------- tables to refuse

RAGGED = [[1.0, 2.0]] * 149 + [[1.0]]
WRONG_TABLES = {
    "infinity": (with_value(float("inf")), r"infinity \(row 7, column 2\); replace it"),
    "minus infinity": (with_value(-float("inf")), r"infinity \(row 7, column 2\)"),
    "infinity in float32": (with_value(float("inf")).astype("f4"), "infinity"),
    "infinity in a frame": (FRAME.mask(FRAME > 6.5, np.inf), r"infinity \(row 50, column 0\)"),
    "complex": (X + 1j, "Complex data not supported"),
    "text in a cell": (with_value("tall"), "could not convert string to float: 'tall'; name col"),
    "texts": (np.full(X.shape, "tall"), "X is not a table of numbers"),
    "one text": ("iris.csv", "X is not a table of numbers"),
    "ragged": (RAGGED, "X is not a table of numbers"),
    "times": (np.full(X.shape, np.datetime64("2020-01-01")), "X is an array of times"),
    "masked": (np.ma.masked_greater(X, 7.0), "X is an array of masked values"),
    "no rows": (X[:0], "0 sample.*minimum of 1 is required"),
    "no columns": (X[:, :0], "0 feature.*minimum of 1 is required"),
    "frame without rows": (FRAME.iloc[:0], "X has 0 row.*minimum of 1 is required"),
    "frame without columns": (FRAME[[]], "0 feature.*minimum of 1 is required"),
    "vector": (X[:, 0], "Expected 2D array, got 1D array"),
    "three dimensions": (X[None], "Found array with dim 3"),
    "nothing": (None, "Expected 2D array"),
    "time column": (FRAME.assign(e=pd.Timestamp("2020-01-01")), "column 'e' has dtype datetime64"),
    "span column": (FRAME.assign(e=pd.Timedelta(1, "D")), "column 'e' has dtype timedelta64"),
    "complex column": (FRAME.assign(e=1j), "column 'e' has dtype complex128"),
    "lists in cells": (
        FRAME.assign(e=pd.Series([[1]] * 150, dtype=object)),
        "column 'e' holds values that cannot be categories",
    ),
    "same name twice": (FRAME.set_axis(list("abca"), axis=1), "more than one column of name 'a'"),
}


@pytest.mark.parametrize("name", WRONG_TABLES)
def test_wrong_table(make, name):
    table, message = WRONG_TABLES[name]
    with pytest.raises(ValueError, match=message):
        make().fit(table, Y)
    # The same where some columns of the frame are categories.
    if isinstance(table, pd.DataFrame) and len(table) and table.shape[1]:
        with pytest.raises(ValueError, match=message):
            make().fit(table.assign(colour=pd.Categorical(COLOUR)), Y)


@pytest.mark.parametrize("wanted", ["from_dtype", [0]])
def test_sparse_tables_are_refused(make, wanted):
    with pytest.raises(TypeError, match=r"Sparse data was passed.*toarray"):
        make(categorical_features=wanted).fit(scipy.sparse.csr_array(X), Y)


@pytest.mark.parametrize("table", [X[:, 0], X[None]], ids=["vector", "three dimensions"])
def test_shape_is_checked_with_categories_too(make, table):
    with pytest.raises(ValueError, match=r"2D array|dim 3"):
        make(categorical_features=[0]).fit(table, Y)


def test_text_column_that_is_not_declared(make):
    table = FRAME.assign(e=COLOUR, f=COLOUR)
    for wanted in (None, ["f"]):
        with pytest.raises(ValueError, match=r"column .e. holds values that are not numbers.*cat"):
            make(categorical_features=wanted).fit(table, Y)


# ---------------------------------------------------------------- odd tables that work


def read_only(table):
    table = table.copy()
    table.setflags(write=False)
    return table


SAME_TABLES = {
    "lists": X.tolist(),
    "object array": X.astype(object),
    "texts of numbers": X.astype(str),
    "Fortran order": np.asfortranarray(X),
    "read-only": read_only(X),
    "every second of a larger array": np.repeat(X, 2, axis=1)[:, ::2],
    "reversed view": X[::-1][::-1],
    "long double": X.astype(np.longdouble),
    "frame": FRAME,
    "frame of nullable numbers": FRAME.astype("Float64"),
    "sparse frame": FRAME.astype(pd.SparseDtype(float)),
    "frame of numbers in object columns": FRAME.astype(object),
}


@pytest.mark.parametrize("name", SAME_TABLES)
def test_same_numbers_in_another_form(make, name):
    table = SAME_TABLES[name]
    wanted = None if "object columns" in name else "from_dtype"
    model = make(categorical_features=wanted).fit(table, Y)
    expected = make().fit(X, Y)
    assert model.tree_.threshold.tobytes() == expected.tree_.threshold.tobytes()
    assert model.tree_.weight_values.tobytes() == expected.tree_.weight_values.tobytes()
    assert (model.predict_proba(table) == expected.predict_proba(X)).all()


@pytest.mark.parametrize("dtype", ["f2", "f4", "i1", "i8", "u2", "?"])
def test_other_dtypes_are_their_float64_values(make, dtype):
    table = (X > 3.0) if dtype == "?" else X.astype(dtype)
    model = make().fit(table, Y)
    expected = make().fit(table.astype(float), Y)
    assert model.tree_.threshold.tobytes() == expected.tree_.threshold.tobytes()
    assert (model.predict(table) == expected.predict(table.astype(float))).all()


@pytest.mark.parametrize(
    "table",
    [
        FRAME.astype("Float64").mask(FRAME > 6.5),
        FRAME.round().astype("Int64").mask(FRAME > 6.5),
        (FRAME > 3.0).astype("boolean").mask(FRAME > 6.5),
        with_value(None),
    ],
    ids=["Float64", "Int64", "boolean", "None"],
)
def test_missing_values_of_every_kind_are_nan(make, table):
    plain = pd.DataFrame(table).astype(object)
    plain = plain.where(plain.notna(), NAN).to_numpy(dtype=float)
    assert np.isnan(plain).any()
    model, expected = make().fit(table, Y), make().fit(plain, Y)
    assert (model.predict_proba(table) == expected.predict_proba(plain)).all()


def test_polars_frame(make):
    polars = pytest.importorskip("polars", reason="polars is not a dependency; not installed")
    frame = polars.DataFrame(dict(zip("abcd", X.T, strict=True)))
    model = make().fit(frame, Y)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert (model.predict(frame) == Y).all()


def test_the_table_is_not_written_to(make):
    for table in (X.copy(), with_value(NAN), FRAME.assign(e=pd.Categorical(COLOUR))):
        before = table.copy()
        make(pruning=CostComplexity()).fit(table, Y).predict(table)
        if isinstance(table, pd.DataFrame):
            pd.testing.assert_frame_equal(table, before)
        else:
            np.testing.assert_array_equal(table, before)


# ---------------------------------------------------------------- degenerate problems


@pytest.mark.parametrize("pruning", [None, CostComplexity()])
def test_one_class(make, pruning):
    model = make(pruning=pruning).fit(X, np.full(150, "only"))
    assert model.tree_.n_leaves == 1
    assert (model.predict(X) == "only").all()
    assert (model.predict_proba(X) == 1.0).all()
    assert (model.feature_importances_ == 0.0).all()


@pytest.mark.parametrize("pruning", [None, CostComplexity()])
def test_one_row(make, pruning):
    model = make(pruning=pruning).fit(X[:1], Y[:1])
    assert model.predict(X).tolist() == [0] * 150


def test_two_rows(make):
    model = make().fit([[1.0], [2.0]], ["a", "b"])
    # LDT gives the gap to the unsafe class, here the last of two equally rare ones.
    gap = "b" if make is LDTClassifier else "a"
    assert model.predict([[1.0], [1.4], [1.6], [2.0]]).tolist() == ["a", gap, "b", "b"]


def test_one_class_in_the_weight(make):
    """All rows of the other classes have weight zero: still a leaf, still all classes known."""
    model = make().fit(X, Y, sample_weight=Y == 1)
    assert model.tree_.n_leaves == 1
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X[:1]).tolist() == [[0.0, 1.0, 0.0]]


def test_identical_rows_with_different_labels(make):
    model = make().fit(np.full((6, 2), 3.0), [0, 0, 1, 1, 1, 1])
    assert model.tree_.n_leaves == 1
    np.testing.assert_allclose(model.predict_proba([[3.0, 3.0]]), [[1 / 3, 2 / 3]])


def test_all_values_missing(make):
    model = make().fit(np.full((6, 2), NAN), [0, 0, 1, 1, 1, 1])
    assert model.tree_.n_leaves == 1
    assert model.predict(np.full((1, 2), NAN)).tolist() == [1]


def test_duplicate_columns_change_nothing(make):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(120, 3))
    labels = table[:, 0] + table[:, 1] > 0
    model = make().fit(table, labels)
    doubled = make().fit(np.c_[table, table], labels)
    assert doubled.score(np.c_[table, table], labels) == model.score(table, labels) == 1.0


def test_more_columns_than_rows(make):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(20, 200))
    labels = rng.integers(0, 2, 20)
    for finder in (None, LinearDiscriminant(min_samples=2)):
        options = {} if make is LDTClassifier else {"finder": finder}
        assert make(**options).fit(table, labels).score(table, labels) >= 0.9


# ---------------------------------------------------------------- prediction


def questions(model):
    return [model.predict, model.predict_proba, model.predict_log_proba, model.apply,
            model.decision_path]  # fmt: skip


def test_not_fitted(make):
    for ask in questions(make()):
        with pytest.raises(NotFittedError):
            ask(X)
    for name in ("feature_importances_", "n_features_in_", "tree_"):
        with pytest.raises((NotFittedError, AttributeError)):
            getattr(make(), name)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (X[:, :3], "X has 3 features, but .* is expecting 4 features"),
        (np.c_[X, X], "X has 8 features"),
        (X[0], "Expected 2D array, got 1D array"),
        (X[:0], "0 sample"),
        (with_value(float("inf")), r"infinity \(row 7, column 2\)"),
        (with_value("tall"), "X is not a table of numbers"),
        (None, "Expected 2D array"),
    ],
)
def test_wrong_rows_in_prediction(make, table, message):
    for ask in questions(make().fit(X, Y)):
        with pytest.raises(ValueError, match=message):
            ask(table)


@pytest.mark.parametrize("with_category", [False, True])
def test_frames_in_prediction_must_have_the_columns_of_fit(make, with_category):
    table = FRAME.assign(e=pd.Categorical(COLOUR)) if with_category else FRAME
    model = make().fit(table, Y)
    for wrong, message in (
        (table.rename(columns={"a": "z"}), "feature names should match"),
        (table[table.columns[::-1]], "must be in the same order"),
        (table.drop(columns="b"), "yet now missing"),
        (table.assign(z=1.0), "unseen at fit time"),
        (table.iloc[:0], "0 row"),
        (table.assign(a="tall"), "column 'a' holds values that are not numbers"),
        (table.assign(a=np.inf), r"infinity \(row 0, column 0\)"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict(wrong)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert (model.predict(table.to_numpy()) == Y).all()


# ---------------------------------------------------------------- pruning on rows handed in


def test_rows_to_prune_on_are_checked(make):
    with pytest.raises(ValueError, match="pruning=None: set pruning before you call prune"):
        make().fit(X, Y).prune(X, Y)
    with pytest.raises(NotFittedError):
        make(pruning=CostComplexity()).prune(X, Y)
    model = make(pruning=CostComplexity()).fit(X, Y)
    for rows, labels, weights, message in (
        (X, Y[:9], None, "X has 150 rows, but y has 9"),
        (X, Y + 5, None, r"y holds labels \[5, 6, 7\] that were not seen in fit"),
        (X, COLOUR, None, r"y holds labels \['blue', 'green', 'red'\] that were not seen"),
        (X, Y + 0.5, None, "Unknown label type: continuous"),
        (X, None, None, "y is None"),
        (X[:, :2], Y, None, "X has 2 features"),
        (X[:0], Y[:0], None, "0 sample"),
        (X, Y, -np.ones(150), r"sample_weight\[0\]=-1.0"),
        (X, Y, np.zeros(150), "all weights are zero"),
        (X, Y, np.ones(3), r"shape \(150,\), got shape \(3,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            model.prune(rows, labels, sample_weight=weights)
    before = model.tree_
    with pytest.raises(ValueError, match="holdout=2"):
        model.set_params(pruning=CostComplexity(holdout=2)).prune(X, Y)
    assert model.tree_ is before
