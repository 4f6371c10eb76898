"""Multinomial logistic regression as a tree of comparisons."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from baselines import TAOTreeClassifier
from baselines._multinomial import Elimination, multinomials
from oblique.induction import grow
from oblique.node import Node
from oblique.stopping import Stopping


def tree_of(functions, X, codes, **options):
    return grow(
        X, codes, n_classes=int(codes.max()) + 1, finder=Elimination(functions),
        rng=np.random.default_rng(0), **options,
    )  # fmt: skip


def noise(n=400, d=3, n_classes=4):
    """Classes that overlap everywhere, so that no comparison is left out for a pure node."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_classes, n).astype(np.int32)
    X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(n_classes, d))[codes]
    return np.ascontiguousarray(X), codes


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
def test_leaves_are_where_one_function_is_largest(n_classes):
    X, codes = noise(n_classes=n_classes)
    functions = multinomials(Node.from_data(X, codes), (0.3, 3.0))[-1]
    scaled = functions.scaled
    Z = (X[:, scaled.features] - scaled.centre) / scaled.spread
    largest = (Z @ functions.planes[:, :-1].T - functions.planes[:, -1]).argmax(axis=1)
    tree = tree_of(functions, X, codes)
    assert n_classes <= tree.n_leaves <= 2 ** (n_classes - 1)
    leaf = tree.apply(X)
    assert all(np.unique(largest[leaf == t]).size == 1 for t in np.unique(leaf))
    assert np.unique(largest).size == n_classes


def test_functions_and_deviance_are_those_of_scikit_learn():
    X, y = load_wine(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    strengths = (0.03, 3.0)
    fitted = multinomials(Node.from_data(X, y), strengths)
    for C, functions in zip(strengths, fitted, strict=True):
        model = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(Z, y)
        assert functions.planes[:, :-1] == pytest.approx(model.coef_, abs=0.03)
        right = model.predict_proba(Z)[np.arange(len(y)), y]
        deviance = functions.deviance(X, y, np.ones(len(y)))
        assert deviance == pytest.approx(-2.0 * np.log(right).sum(), rel=5e-2)
        # Twice the weight is twice the deviance; incomplete rows are not counted.
        assert functions.deviance(X, y, np.full(len(y), 2.0)) == pytest.approx(2.0 * deviance)
        holed = np.vstack([X, np.full(X.shape[1], np.nan)])
        assert functions.deviance(holed, np.append(y, 0), np.ones(len(y) + 1)) == deviance


def test_limits_of_the_tree_are_kept():
    X, codes = noise()
    functions = multinomials(Node.from_data(X, codes), (3.0,))[0]
    assert tree_of(functions, X, codes, stopping=Stopping(max_depth=1)).n_leaves == 2
    tree = tree_of(functions, X, codes, stopping=Stopping(min_samples_leaf=60))
    assert tree.counts[tree.leaves].sum(axis=1).min() >= 60


def test_missing_values_and_nothing_to_fit():
    X, codes = noise()
    X[::7, 1] = np.nan
    functions = multinomials(Node.from_data(X, codes), (3.0,))[0]
    assert functions.scaled.rows.size == np.isfinite(X).all(axis=1).sum()
    tree = tree_of(functions, X, codes)
    assert tree.counts[0].sum() == len(X)
    assert tree.counts[tree.leaves].sum() == pytest.approx(len(X))
    for bad_X, bad_y in ((np.ones((4, 2)), [0, 1, 2, 0]), (X[:4], [1, 1, 1, 1])):
        nothing = multinomials(Node.from_data(bad_X, bad_y), (0.3, 3.0))
        assert nothing == [None, None]
    assert tree_of(None, X, codes).n_leaves == 1


@pytest.mark.parametrize(("load", "more"), [(load_iris, 1), (load_wine, 1)])
def test_it_is_a_candidate_for_up_to_five_classes(load, more):
    X, y = load(return_X_y=True)
    sizes = [
        TAOTreeClassifier(stump=stump, random_state=0).fit(X, y).cv_errors_.size
        for stump in (True, False)
    ]
    assert sizes[0] == sizes[1] + more
    many = np.arange(len(y)) % 6
    sizes = [
        TAOTreeClassifier(stump=stump, n_sizes=2, random_state=0).fit(X, many).cv_errors_.size
        for stump in (True, False)
    ]
    assert sizes[0] == sizes[1]
