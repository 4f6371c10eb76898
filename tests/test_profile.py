"""What a model remembers of the columns it was trained on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.tree import DecisionTreeClassifier

from oblique import DecisionSurface, ObliqueTreeClassifier, load, save
from oblique.profile import column_profile


@settings(max_examples=60, deadline=None)
@given(
    arrays(
        np.float64,
        array_shapes(min_dims=2, max_dims=2, max_side=12),
        elements=st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))),
    )
)
def test_it_is_what_numpy_finds(rows):
    profile = column_profile(rows)
    for j, column in enumerate(rows.T):
        known = column[~np.isnan(column)]
        if not known.size:
            assert np.isnan(profile[:, j]).all()
            continue
        assert profile[0, j] == known.min()
        assert profile[1, j] == known.max()
        deviation = known.std(ddof=1) if known.size > 1 else 0.0
        slack = 1e-150 + 1e-9 * np.abs(known).max()  # numpy's squares of tiny numbers vanish
        assert profile[2, j] == pytest.approx(deviation, rel=1e-9, abs=slack)


def test_large_values_do_not_overflow():
    rows = np.array([[1e200], [-1e200], [0.0]])
    assert column_profile(rows)[2, 0] == pytest.approx(1e200)


@pytest.mark.parametrize("metric", ["minmax", "standard"])
def test_the_surface_of_a_saved_model_needs_no_rows(metric, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [1.0, 10.0, 0.1]
    y = X[:, 0] + X[:, 1] / 10 > 0
    save(ObliqueTreeClassifier(random_state=0).fit(X, y), tmp_path / "model.json")
    model = load(tmp_path / "model.json")
    told = DecisionSurface(model, metric, X=X).nearest(X)
    remembered = DecisionSurface(model, metric).nearest(X)
    np.testing.assert_array_equal(remembered.distance, told.distance)
    foreign = DecisionTreeClassifier(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="needs X, the rows that give the scales"):
        DecisionSurface(foreign, metric)
