"""Saved models: exact, checked on the way in, and never code."""

import inspect
import json
import math
import os
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

import oblique.finders
import oblique.pruning
from oblique import LDTClassifier, LinearSplit, ObliqueTreeClassifier, Tree
from oblique.finders import (
    AxisParallel,
    BestOf,
    Categories,
    FixedSplit,
    LinearDiscriminant,
    SafeAdjusted,
    SplitFinder,
)
from oblique.persist import ModelFileError, load, persistable, registry, save
from oblique.pruning import CostComplexity, Pruner, SafePruning
from oblique.split import CategorySplit
from oblique.tree import ARRAYS

LEAVES = {"left": {"counts": {"a": 3}}, "right": {"counts": {"b": 2, "a": 1}}}
COLOUR = {"feature": "colour", "categories": ["red"], "others": ["green", "blue"], **LEAVES}
NESTED = {
    "weights": {"x": 0.1, "z": -3.0},
    "threshold": math.nextafter(7.0, 0.0),
    "left": {"weights": {"z": 1.0}, "threshold": 1e-300, **LEAVES},
    "right": COLOUR,
}


def a_tree():
    return Tree.from_nested(NESTED)


def assert_same_tree(left, right):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), err_msg=name)
        assert getattr(left, name).dtype == getattr(right, name).dtype
    for name in ("n_features", "criterion", "tie_class", "feature_names", "class_names"):
        assert getattr(left, name) == getattr(right, name)
    assert left.category_names == right.category_names


def mixed_frame():
    X, y = load_iris(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    # The colour tells the second class, so that trees have category tests too.
    colour = np.where(y == 1, "red", rng.choice(["green", "blue"], 150))
    X["colour"] = pd.Categorical(colour)
    X.iloc[::7, 1] = np.nan
    X.loc[::11, "colour"] = np.nan
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


# ---------------------------------------------------------------- there and back


def test_tree_survives_exactly(tmp_path):
    tree = a_tree()
    assert_same_tree(Tree.from_dict(tree.to_dict()), tree)
    save(tree, tmp_path / "tree.json")
    loaded = load(tmp_path / "tree.json")
    assert_same_tree(loaded, tree)
    assert loaded.threshold[0] == math.nextafter(7.0, 0.0)


@settings(max_examples=200, deadline=None)
@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False).filter(bool),
    st.floats(1e-300, 1e300),
)
def test_every_float_survives(threshold, weight, count):
    nested = {"weights": {"x": weight}, "threshold": threshold, "left": {"counts": {"a": count}}}
    tree = Tree.from_nested({**nested, "right": {"counts": {"b": 1}}})
    assert_same_tree(Tree.from_dict(json.loads(json.dumps(tree.to_dict()))), tree)


MODELS = {
    "ldt": LDTClassifier(unsafe_class="virginica", pruning=SafePruning(), random_state=1),
    "default": ObliqueTreeClassifier(
        class_weight={"setosa": 2.0, "virginica": 1.0, "versicolor": 1}
    ),
    "nested": ObliqueTreeClassifier(
        finder=BestOf(
            SafeAdjusted(LinearDiscriminant(), mode="pure"), AxisParallel(), Categories()
        ),
        pruning=CostComplexity(se_rule=1.0),
        criterion="gini",
        random_state=3,
    ),
    "fixed": ObliqueTreeClassifier(finder=FixedSplit(LinearSplit([1, 0, -2, 0, 0], -3.25))),
    "categories": ObliqueTreeClassifier(finder=FixedSplit(CategorySplit(4, [1], [0]))),
}


@pytest.mark.parametrize("name", MODELS)
def test_estimator_survives(tmp_path, name):
    X, y = mixed_frame()
    model = MODELS[name].fit(X, y)
    save(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert type(loaded) is type(model)
    assert repr(loaded) == repr(model)
    assert_same_tree(loaded.tree_, model.tree_)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.feature_importances_, model.feature_importances_)
    np.testing.assert_array_equal(loaded.feature_names_in_, model.feature_names_in_)
    assert loaded.unsafe_class_ == model.unsafe_class_
    np.testing.assert_array_equal(loaded.fit(X, y).predict(X), model.fit(X, y).predict(X))
    save(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 7], dtype=np.int16),
        np.array([False, True]),
        np.array(["a", "päö\ud800"]),
        np.array(["a", "b"], dtype=object),
        np.array([0.5, 1.5]),
    ],
)
def test_labels_keep_their_dtype(tmp_path, labels):
    X = np.arange(10.0)[:, None]
    y = labels[(X[:, 0] > 4).astype(int)]
    if y.dtype.kind == "f":
        # Labels that are not whole are refused in fit, so put them in afterwards.
        model = ObliqueTreeClassifier().fit(X, (y > 1).astype(int))
        model.classes_, model.unsafe_class_ = labels, labels[1]
    else:
        model = ObliqueTreeClassifier().fit(X, y)
    save(model, tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded.classes_.dtype == model.classes_.dtype
    assert not hasattr(loaded, "feature_names_in_")
    np.testing.assert_array_equal(loaded.predict(X), y)


def test_special_values_in_parameters(tmp_path):
    model = ObliqueTreeClassifier(categorical_features=np.array([False])).fit(
        [[1.0], [2.0]], [0, 1]
    )
    odd = {"max_depth": (1, [2.0, math.inf], -math.inf, {1: None, "b": np.float32(0.1)})}
    model.set_params(**odd, min_gain=np.float64(0.25), class_weight=np.arange(6.0).reshape(2, 3))
    save(model, tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded.max_depth == model.max_depth
    assert type(loaded.min_gain) is float
    np.testing.assert_array_equal(loaded.class_weight, model.class_weight)
    np.testing.assert_array_equal(loaded.categorical_features, [False])
    model.set_params(max_depth=math.nan)
    save(model, tmp_path / "m.json")
    assert math.isnan(load(tmp_path / "m.json").max_depth)


def test_a_class_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_handed_in", {})

    class Middle(SplitFinder):
        def __init__(self, feature=0):
            self.feature = feature

        def find_split(self, node, rng):
            value = float(np.median(node.X[:, self.feature]))
            return LinearSplit.axis(self.feature, value, node.n_features)

    model = ObliqueTreeClassifier(finder=Middle(1), max_depth=2).fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match=r"finder: .*Middle cannot be saved: .*persistable first"):
        save(model, tmp_path / "m.json")
    persistable(Middle)
    save(model, tmp_path / "m.json")
    assert load(tmp_path / "m.json").finder.feature == 1
    persistable(Middle)
    with pytest.raises(ValueError, match="another class that model files call 'AxisParallel'"):
        persistable(type("AxisParallel", (), {}))
    monkeypatch.setattr(registry, "_handed_in", {})
    with pytest.raises(ModelFileError, match="finder: class='Middle' is not known"):
        load(tmp_path / "m.json")


def test_the_table_holds_just_the_classes_there_are():
    for name in registry.OWN:
        assert registry.find_class(name).__name__ == name
    public = [
        getattr(package, name)
        for package in (oblique, oblique.finders, oblique.pruning)
        for name in package.__all__
    ]
    bases = (SplitFinder, Pruner, ClassifierMixin)
    for cls in public:
        if isinstance(cls, type) and issubclass(cls, bases) and not inspect.isabstract(cls):
            assert cls.__name__ in registry.OWN


# ---------------------------------------------------------------- what cannot be saved


def test_models_that_cannot_be_saved(tmp_path):
    path = tmp_path / "m.json"
    X, y = load_iris(return_X_y=True)
    with pytest.raises(NotFittedError):
        save(LDTClassifier(), path)
    with pytest.raises(ValueError, match=r"DecisionTreeClassifier cannot be saved"):
        save(DecisionTreeClassifier().fit(X, y), path)
    with pytest.raises(ValueError, match="must be a fitted estimator or a Tree, got AxisParallel"):
        save(AxisParallel(), path)
    model = LDTClassifier(random_state=np.random.RandomState(0)).fit(X, y)
    with pytest.raises(ValueError, match=r"LDTClassifier\.random_state is a random generator"):
        save(model, path)
    model.set_params(random_state=np.array([1 + 2j]))
    with pytest.raises(ValueError, match=r"random_state is an array of complex128"):
        save(model, path)
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match="nested deeper than 50 levels"):
        save(model.set_params(random_state=loop), path)
    tree = a_tree()
    with pytest.raises(ValueError, match="labels of node 0: 7 is not a class"):
        save(tree.replace(labels=tree.labels + np.int32(7)), path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (pd.cut(np.arange(40.0), 3), r"'age' must be .* got Interval\("),
        (pd.Categorical([pd.Timestamp("2020-01-01")] * 40), r"'age' must be .* got Timestamp\("),
    ],
)
def test_categories_that_a_file_cannot_hold_are_named_with_their_column(tmp_path, column, told):
    table = pd.DataFrame({"size": np.arange(40.0), "age": column})
    model = LDTClassifier().fit(table, np.arange(40) % 2)
    with pytest.raises(ValueError, match=told + ".*astype"):
        save(model, tmp_path / "m.json")
    assert os.listdir(tmp_path) == []
    as_text = table.assign(age=pd.Series(column).astype(str).astype(object))
    save(LDTClassifier().fit(as_text, np.arange(40) % 2), tmp_path / "m.json")


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "m.json"
    save(a_tree(), path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save(Tree.from_nested({"counts": {"a": 1}}), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.json"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no file modes")
def test_the_file_gets_ordinary_permissions(tmp_path):
    save(a_tree(), tmp_path / "m.json")
    (tmp_path / "other").touch()
    modes = [stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()]
    assert modes[0] == modes[1]


# ---------------------------------------------------------------- files that do not fit


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A saved estimator with all kinds of nodes, as JSON data."""
    X, y = mixed_frame()
    finder = BestOf(LinearDiscriminant(min_samples=1), AxisParallel(), Categories())
    model = ObliqueTreeClassifier(
        finder=finder, pruning=CostComplexity(), class_weight="balanced", random_state=2
    )
    path = tmp_path_factory.mktemp("saved") / "m.json"
    save(model.fit(X, y), path)
    document = json.loads(path.read_text())
    tree = document["model"]["fitted"]["tree_"]["tree"]
    assert tree["category_codes"]
    assert len(tree["weight_indices"]) > len(tree["labels"]) // 2
    return document


def refuse(tmp_path, content, message):
    path = tmp_path / "broken.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(ModelFileError, match=message) as caught:
        load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a JSON file"),
        (b"\x80\x04\x95\x00", "not a JSON file"),
        (b"{'format': 1}", "not a JSON file"),
        (b"[1, 2", "not a JSON file"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 200_000, "nested too deeply"),
        (b'{"format": NaN}', "NaN is not JSON"),
        (b'{"format": 1, "format": 2}', "the key 'format' appears twice"),
        (b"[]", "not a model file"),
        (b"null", "not a model file"),
        (b'{"format": "pickle"}', "not a model file"),
        (b"1" * 10_000, "."),
    ],
)
def test_what_is_not_a_model_file(tmp_path, content, message):
    refuse(tmp_path, content, message)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.json")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        save(a_tree(), tmp_path / "nowhere" / "m.json")


def test_format_and_version(tmp_path):
    save(a_tree(), tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    newer = "written by a newer version of oblique-trees .* upgrade"
    refuse(tmp_path, {**document, "format_version": 2, "surprise": 1}, newer)
    refuse(tmp_path, {**document, "format_version": "1"}, "format_version='1' must be an integer")
    refuse(tmp_path, {**document, "format_version": True}, "format_version=True must be")
    del document["format_version"]
    refuse(tmp_path, document, "format_version=None must be")


def edit(document, place, value):
    """Copy a document with one value changed; a value of KeyError removes the key."""
    copy = json.loads(json.dumps(document))
    *outer, last = place
    at = copy
    for key in outer:
        at = at[key]
    if value is KeyError:
        del at[last]
    else:
        at[last] = value
    return copy


FITTED = ("model", "fitted")


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("model",), 3, "model must be an object with keys, got int"),
        (("model",), KeyError, "the file lacks the key 'model'"),
        (("extra",), 1, "the file has the unknown key 'extra'"),
        (("model", "class"), "os.system", r"class='os\.system' is not known"),
        (("model", "class"), "LTDClassifier", "did you mean 'LDTClassifier'"),
        (("model", "class"), ["LDTClassifier"], "class must be a name, got list"),
        (("model", "class"), "AxisParallel", "AxisParallel is not an estimator"),
        (("model", "params", "criterion"), KeyError, "lacks the key 'criterion'"),
        (("model", "params", "evil"), 1, "has the unknown key 'evil'"),
        (("model", "params", "finder"), {"class": "eval"}, "finder lacks the key 'params'"),
        (("model", "params", "finder"), {"code": 1}, "finder is an object of no known form"),
        (
            ("model", "params", "finder"),
            {"class": "LinearSplit", "params": {"weights": [0], "threshold": 1, "missing_left": 1}},
            "finder .LinearSplit.: weights are all zero",
        ),
        (("model", "params", "max_depth"), {"float": "1e5"}, "float must be inf, -inf or nan"),
        (("model", "params", "max_depth"), {"dict": [[[1], 2]]}, r"\[1\] cannot be a key"),
        (("model", "params", "max_depth"), {"dict": [3]}, "must be a list of pairs"),
        ((*FITTED, "tree_"), KeyError, "fitted lacks the key 'tree_'"),
        ((*FITTED, "tree_"), [1], "tree_ must be a tree, got list"),
        ((*FITTED, "predict"), 3, "fitted has the unknown key 'predict'"),
        ((*FITTED, "classes_"), ["a"], "classes_ must be an array"),
        ((*FITTED, "feature_names_in_", "array", 0), 5, "feature_names_in_ must hold different"),
        ((*FITTED, "feature_names_in_", "array", 0), "colour", "feature_names_in_ must hold diff"),
        ((*FITTED, "classes_", "shape"), [4], "do not fill the shape"),
        ((*FITTED, "classes_", "shape"), [-1, -3], "shape must list sizes"),
        ((*FITTED, "classes_", "dtype"), "O", "an array cannot have dtype 'O'"),
        ((*FITTED, "classes_", "dtype"), "int64", r"classes_\[0\]: 'setosa' is not of dtype int64"),
        ((*FITTED, "classes_", "array", 1), "x" * 30_000_000, "string that is too long"),
        (
            (*FITTED, "classes_"),
            {"array": [2**70, 1, 2], "dtype": "int64", "shape": [3]},
            "an integer that is too large for int64",
        ),
        (
            (*FITTED, "classes_"),
            {"array": ["a", "b"], "dtype": "str", "shape": [2]},
            "classes_ has 2 classes, tree_ 3",
        ),
        ((*FITTED, "n_features_in_"), 4, "n_features_in_ is 4, tree_ has 5 features"),
        ((*FITTED, "n_features_in_"), 5.0, "n_features_in_=5.0 must be an integer"),
        (
            (*FITTED, "feature_names_in_"),
            {"array": [], "dtype": "str", "shape": [0]},
            "feature_names_in_ must be an array of 5 names",
        ),
        ((*FITTED, "unsafe_class_"), "rose", "unsafe_class_='rose' is not one of classes_"),
        ((*FITTED, "_profile"), 1.0, "_profile must be an array of shape"),
        ((*FITTED, "_columns"), None, "columns must be a Columns of 5 features"),
        ((*FITTED, "_columns", "params", "n_features"), 6, "columns must be a Columns of 5"),
        (
            (*FITTED, "_columns", "params", "categories"),
            {"dict": [[9, {"tuple": ["a"]}]]},
            "9 is not a column of 5",
        ),
        (
            (*FITTED, "_columns", "params", "categories"),
            {"dict": [[1, {"tuple": [["a"]]}]]},
            "categories of column 'sepal width .cm.' must be different",
        ),
    ],
)
def test_estimators_that_do_not_fit(tmp_path, saved, place, value, message):
    refuse(tmp_path, edit(saved, place, value), message)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("children_left",), KeyError, "tree lacks the key 'children_left'"),
        (("children_left",), None, "children_left must be a list, got NoneType"),
        (("children_left",), [], "children_right has 7 entries, 0 nodes need 0"),
        (("children_left", 0), 0, "children_left of node 0: 0 does not come after its parent"),
        (("children_left", 1), 0, "children_left of node 1: 0 does not come after its parent"),
        (("children_left", 0), 7, "children_left of node 0: 7 is not a node: there are 7"),
        (("children_left", 0), -2, "children_left of node 0: -2 is not a node"),
        (("children_left", 0), 4, "children_left of node 0: 4 is a child twice"),
        (("children_left", 0), -1, "children_left of node 0: -1 leaves the node with one child"),
        (("children_left", 0), 1.0, "children_left, entry 0: 1.0 must be int"),
        (("children_left", 0), True, "children_left, entry 0: True must be int"),
        (("children_left", 0), 2**40, "children_left, entry 0: .* is out of range"),
        (("children_right", 1), 2, "children_right of node 1: 2 is a child twice|is a child twice"),
        (("threshold", 0), None, "threshold of node 0: nan is not finite"),
        (("threshold", 0), 10**400, "threshold holds an integer that is too large"),
        (("threshold", 2), 1.0, "threshold of node 2: 1.0 is set, but there is no linear test"),
        (("threshold", 0), "7", "threshold, entry 0: '7' must be float or int"),
        (("weight_indptr", 0), 1, "weight_indptr must start at 0 and end at 4"),
        (("weight_indptr", 7), 9, "weight_indptr must start at 0 and end at 4"),
        (("weight_indptr", 1), 4, "weight_indptr of node 1: 4 is larger than the next one"),
        (("weight_indptr", 2), 2, "weight_indptr of node 1: 0 weights, where .* a leaf none"),
        (("weight_indices", 0), 3, "weight_indices of node 0: 3 is not a feature: there are 3"),
        (("weight_indices", 0), 1, "weight_indices of node 0: 1 is not above the one before"),
        (("weight_indices", 0), -1, "weight_indices of node 0: -1 is not a feature"),
        (("weight_values", 1), 0.0, "weight_values of node 0: 0.0 is not a finite number other"),
        (("weight_values", 3), 2.0, "weight_values of node 4: 2.0 is not 1, the weight of a cat"),
        (("weight_values",), [1.0], "weight_values has 1 entries, weight_indices 4"),
        (("category_indptr", 5), 1, "category_left of node 4: 1 does not divide|category"),
        (("category_codes", 0), -1, "category_codes of node 4: -1 is negative"),
        (("category_codes", 0), 1, "category_codes of node 4: 1 is listed twice"),
        (("category_left", 4), 3, "category_left of node 4: 3 does not divide"),
        (("category_left", 4), 0, "category_left of node 4: 0 does not divide"),
        (("category_left", 0), 1, "category_left of node 0: 1 is set, but there are no codes"),
        (("category_open", 4), True, "category_left of node 4: 1 does not divide"),
        (("category_open", 0), True, "category_open of node 0: True is set"),
        (("category_open", 0), 1, "category_open, entry 0: 1 must be bool"),
        (("missing_left", 0), 1.5, "missing_left of node 0: 1.5 is not between 0 and 1"),
        (("missing_left", 0), -0.1, "missing_left of node 0: -0.1 is not between"),
        (("counts", 3, 1), -1.0, "counts of node 3: -1.0 is not a finite number of at least 0"),
        (("counts", 3), [1.0], "counts has lines of different lengths"),
        (("counts",), [], "counts must be a list of lists"),
        (("counts", 3), 5, "counts of node 3 must be a list, got int"),
        (("impurity", 2), 1e999, "."),
        (("labels", 2), 2, "labels of node 2: 2 is not a class: there are 2"),
        (("n_features",), -1, "n_features=-1 must be an integer from 0"),
        (("n_features",), 2, "weight_indices of node 4: 2 is not a feature: there are 2"),
        (("n_features",), 3.0, "n_features=3.0 must be an integer"),
        (("tie_class",), 2, "tie_class=2 must be an integer from -1 to 1"),
        (("criterion",), "entropie", "criterion='entropie' is not known; did you mean 'entropy'"),
        (("criterion",), [], "criterion=.* must be a string"),
        (("feature_names",), ["a"], "feature_names has 1 names for 3 features"),
        (("feature_names", 0), 5, "feature_names holds 5, which is not a string"),
        (("class_names",), "ab", "class_names must be a list of strings or null, got str"),
        (("category_names",), {"9": ["a"]}, "category_names: feature=9 must be"),
        (("category_names",), {"x": ["a"]}, "category_names: 'x' is not the number of a feature"),
        (("category_names",), {"2": ["red"]}, "category_codes of node 4: 1 has no name"),
        (("category_names",), [], "category_names must be an object or null"),
    ],
)
def test_trees_that_do_not_fit(tmp_path, place, value, message):
    save(a_tree(), tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    changed = edit(document, ("model", "tree", *place), value)
    refuse(tmp_path, json.dumps(changed).replace("Infinity", "1e999").encode(), message)


def test_check_names_arrays_of_the_wrong_type():
    tree = a_tree()
    wide = tree.children_left.astype(np.int64)
    with pytest.raises(ValueError, match="children_left must be an array of int32, got int64"):
        tree.replace(children_left=wide).check()
    with pytest.raises(ValueError, match="counts has 1 dimensions"):
        tree.replace(counts=tree.counts[:, 0].copy()).check()
    with pytest.raises(ValueError, match="node 1 has no parent"):
        tree.replace(
            children_left=np.array([1, -1, -1], dtype=np.int32)[[1, 1, 1]],
            children_right=np.full(3, -1, dtype=np.int32),
            **{
                name: getattr(tree, name)[:3].copy()
                for name in (
                    "threshold",
                    "missing_left",
                    "counts",
                    "impurity",
                    "labels",
                    "category_left",
                    "category_open",
                )
            },
            weight_indptr=np.zeros(4, dtype=np.int32),
            category_indptr=np.zeros(4, dtype=np.int32),
        ).check()


# ---------------------------------------------------------------- random damage

SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 12) | st.integers() | st.floats()
    | st.sampled_from(["", "x", "LDTClassifier", "inf", "object", "float64"])
)  # fmt: skip
ANYTHING = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(["class", "params", "tuple", "dict", "array", "x"]), below
        )
    ),
    max_leaves=6,
)


def places(document):
    """Every place of a JSON document, outer ones first."""
    found, stack = [], [((), document)]
    while stack:
        place, value = stack.pop()
        if place:
            found.append(place)
        if isinstance(value, dict | list):
            entries = value.items() if isinstance(value, dict) else enumerate(value)
            stack.extend(((*place, key), below) for key, below in entries)
    return found


def load_and_use(path):
    """Load a damaged file; what loads must answer, whatever it answers."""
    try:
        model = load(path)
    except ModelFileError:
        return
    X = np.zeros((3, model.n_features_in_))
    X[1] = 1e6
    X[2] = np.nan
    tree = model.tree_
    assert ((tree.apply(X) >= 0) & (tree.apply(X) < tree.n_nodes)).all()
    assert len(model.classes_[tree.predict_codes(X)]) == 3


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damaged_json_is_refused_or_works(tmp_path_factory, saved, data):
    document = saved
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(places(document)))
        value = data.draw(st.just(KeyError) | ANYTHING)
        document = edit(document, place, value)
    path = Path(tmp_path_factory.getbasetemp()) / "damaged.json"
    path.write_text(json.dumps(document))
    load_and_use(path)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damaged_bytes_are_refused_or_work(tmp_path_factory, saved, data):
    content = bytearray(json.dumps(saved).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content) - 1))
        stop = start + data.draw(st.integers(0, 5))
        content[start:stop] = data.draw(
            st.binary(max_size=4)
            | st.sampled_from([b"-", b"9", b"0", b",", b"e9", b'"', b"[", b"}"])
        )
    path = Path(tmp_path_factory.getbasetemp()) / "damaged.json"
    path.write_bytes(content)
    load_and_use(path)
