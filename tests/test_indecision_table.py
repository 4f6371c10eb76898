"""Tables of uncertain cases: every way to make one, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.model_selection import train_test_split

from oblique.indecision import UncertainTable


def test_arrays_are_kept_and_read_only():
    table = UncertainTable([[1.0, np.nan], [2.0, 3.0]], [[0.0, 0.5], [0.1, 0.0]])
    assert table.shape == (2, 2)
    np.testing.assert_array_equal(table.std, [[0.0, 0.5], [0.1, 0.0]])
    assert not table.is_certain
    with pytest.raises(ValueError, match="read-only"):
        table.means[0, 0] = 1.0
    with pytest.raises(AttributeError, match="immutable"):
        table.std = 0.0
    again = pickle.loads(pickle.dumps(table))
    np.testing.assert_array_equal(again.means, table.means)


def test_certain_tables():
    assert UncertainTable([[1.0]]).is_certain
    assert UncertainTable([[1.0]], 0.0).is_certain
    assert UncertainTable([[0.0]], probabilities={0: [[0.0, 1.0]]}).is_certain
    assert not UncertainTable([[0.0]], probabilities={0: [[0.5, 0.5]]}).is_certain


def test_frame_pairs_columns_by_name():
    frame = pd.DataFrame(
        {
            "height": [22.0, 13.0], "colour=black": [0.75, 0.0], "height_std": [2.5, 0.0],
            "colour=brown": [0.25, 1.0], "breed": pd.Categorical(["a", None]),
        }
    )  # fmt: skip
    table = UncertainTable.from_frame(frame)
    assert table.feature_names == ("height", "colour", "breed")
    np.testing.assert_array_equal(table.std[:, 0], [2.5, 0.0])
    assert table.values == {1: ("black", "brown"), 2: ("a",)}
    np.testing.assert_array_equal(table.probabilities[1], [[0.75, 0.25], [0.0, 1.0]])
    np.testing.assert_array_equal(table.probabilities[2], [[1.0], [0.0]])
    np.testing.assert_array_equal(table.means[:, 1], [0.0, 1.0])
    with pytest.raises(ValueError, match="'weight_std' ends in '_std' but there is no column"):
        UncertainTable.from_frame(frame.rename(columns={"height_std": "weight_std"}))


def test_a_missing_measurement_has_no_deviation():
    frame = pd.DataFrame({"a": [1.0, np.nan], "a_std": [0.5, np.nan], "b": [1.0, 2.0]})
    table = UncertainTable.from_frame(frame)
    np.testing.assert_array_equal(table.std, [[0.5, 0.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match=r"std\[0, 0\]=nan of 'a' must be a finite"):
        UncertainTable.from_frame(frame.assign(a_std=np.nan))


def test_frames_whose_columns_do_not_fit():
    read = UncertainTable.from_frame
    with pytest.raises(ValueError, match="column 'a_std' must hold numbers"):
        read(pd.DataFrame({"a": [1.0], "a_std": ["x"]}))
    with pytest.raises(ValueError, match="column 'c=u' must hold numbers"):
        read(pd.DataFrame({"c=u": ["x"], "c=v": [1.0]}))
    for discrete in ({"a": ["u"]}, {"a=u": [1.0]}):
        with pytest.raises(ValueError, match=r"'a_std' cannot be: 'a' is discrete.*'a=u'"):
            read(pd.DataFrame({**discrete, "a_std": [0.1]}))
    with pytest.raises(ValueError, match="column 'day' holds datetime64"):
        read(pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])}))
    with pytest.raises(ValueError, match="suffix='' must be"):
        read(pd.DataFrame({"a": [1.0]}), suffix="")


def test_measurements_that_are_no_numbers_are_named():
    with pytest.raises(ValueError, match="values must hold numbers"):
        UncertainTable.from_replicates([["a"], ["b"]], groups=[0, 0])
    with pytest.raises(ValueError, match="values holds infinity"):
        UncertainTable.from_replicates(np.full((2, 3, 1), np.inf))
    for missing in (np.nan, None):
        with pytest.raises(ValueError, match="groups holds missing values"):
            UncertainTable.from_replicates(np.zeros((4, 1)), groups=[1, 1, missing, missing])
    with pytest.raises(ValueError, match="X must hold numbers"):
        UncertainTable.from_noise([["a"]], range_share=0.1)
    with pytest.raises(ValueError, match="absolute must hold numbers"):
        UncertainTable.from_noise([[1.0]], absolute="a")


def test_data_frames_are_read_by_the_names_of_their_columns():
    means = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    table = UncertainTable(means, pd.DataFrame({"b": [0.3, 0.4], "a": [0.1, 0.2]}))
    assert table.feature_names == ("a", "b")
    np.testing.assert_array_equal(table.std, [[0.1, 0.3], [0.2, 0.4]])
    assert UncertainTable(pd.DataFrame([[1.0]])).feature_names is None
    with pytest.raises(ValueError, match=r"std lacks the columns \['b'\] of means"):
        UncertainTable(means, means[["a"]])


def test_masked_cells_are_missing():
    table = UncertainTable(np.ma.array([[1.0, 2.0]], mask=[[False, True]]), 0.5)
    np.testing.assert_array_equal(table.means, [[1.0, np.nan]])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda t: t.scale_uncertainty("2"), ValueError, "factor='2' must be a finite number"),
        (lambda t: t.sample(-1, np.random.default_rng(0)), ValueError, "size=-1 must be an"),
        (lambda t: t.sample(3, 0), TypeError, "rng=0 must be a Generator"),
        (
            lambda t: t.from_replicates(np.zeros((2, 3, 1)), correlated="no"),
            ValueError, "correlated='no' must be True or False",
        ),
    ],
)  # fmt: skip
def test_bad_arguments_of_methods_are_named(make, error, message):
    with pytest.raises(error, match=message):
        make(UncertainTable([[1.0]], 0.5))


def test_rows_and_scaled_tables_are_read_only_too():
    table = UncertainTable(np.zeros((2, 1)), covariance=np.ones((2, 1, 1)))
    for one in (table, table[[0]], table.scale_uncertainty(2.0)):
        assert not one.means.flags.writeable
        assert not one.covariance.flags.writeable
    with pytest.raises(TypeError, match=r"table\[\[i\]\] is case i"):
        table[0]
    with pytest.raises(ValueError, match="factor=-1 must be"):
        table.scale_uncertainty(-1)


@pytest.mark.parametrize("given", [{"a": [[1.0]]}, [[[1.0]]]])
def test_probabilities_are_given_by_feature_number(given):
    with pytest.raises(ValueError, match="probabilities must map the number of a feature"):
        UncertainTable([[0.0]], probabilities=given)


def test_numbers_of_the_package_uncertainties():
    uncertainties = pytest.importorskip("uncertainties")
    a, b = uncertainties.ufloat(1.0, 0.5), uncertainties.ufloat(2.0, 0.25)
    plain = UncertainTable.from_uncertainties([[a, 3.0], [a + b, b]])
    np.testing.assert_allclose(plain.means, [[1, 3], [3, 2]])
    np.testing.assert_allclose(plain.std, [[0.5, 0.0], [np.hypot(0.5, 0.25), 0.25]])
    joint = UncertainTable.from_uncertainties([[a, 3.0], [a + b, b]], correlated=True)
    np.testing.assert_allclose(joint.covariance[1], [[0.3125, 0.0625], [0.0625, 0.0625]])
    np.testing.assert_allclose(joint.std, plain.std)
    named = UncertainTable.from_uncertainties(pd.DataFrame({"length": [a]}))
    assert named.feature_names == ("length",)
    with pytest.raises(ValueError, match="values must hold numbers:"):
        UncertainTable.from_uncertainties([["a"]])


def test_replicates_give_standard_errors():
    repeats = np.array([[[1.0, 5.0], [3.0, 5.0], [np.nan, 8.0]], [[0.0, 1.0], [0.0, 2.0], [3, 3]]])
    table = UncertainTable.from_replicates(repeats)
    for case in range(2):
        for j in range(2):
            values = repeats[case, :, j]
            values = values[~np.isnan(values)]
            assert table.means[case, j] == pytest.approx(values.mean())
            assert table.std[case, j] == pytest.approx(values.std(ddof=1) / np.sqrt(values.size))
    groups = [7, 7, 7, 3, 3, 3]
    lines = np.vstack([repeats[1], repeats[0]])
    again = UncertainTable.from_replicates(lines, groups)
    np.testing.assert_allclose(again.means, table.means)
    joint = UncertainTable.from_replicates(repeats[1:], correlated=True)
    np.testing.assert_allclose(joint.covariance[0], np.cov(repeats[1].T) / 3)
    with pytest.raises(ValueError, match="case 0 has 1 repeats of feature 0"):
        UncertainTable.from_replicates(repeats[:, 1:])


def test_noise_models():
    X = np.array([[0.0, 10.0], [4.0, 20.0]])
    table = UncertainTable.from_noise(X, range_share=0.02, absolute=[0.0, 0.15])
    np.testing.assert_allclose(table.std, [[0.08, 0.25], [0.08, 0.25]])
    test = UncertainTable.from_noise(X[:1], range_share=0.02, reference=X)
    np.testing.assert_allclose(test.std, [[0.08, 0.2]])
    np.testing.assert_allclose(UncertainTable.from_noise(X, relative=0.5).std, X / 2)
    with pytest.raises(ValueError, match="range_share=-1 must be a finite number"):
        UncertainTable.from_noise(X, range_share=-1)


def test_rows_are_taken_by_scikit_learn():
    table = UncertainTable(np.arange(20.0).reshape(10, 2), 0.5, covariance=None)
    train, test, _y_train, y_test = train_test_split(table, np.arange(10), random_state=0)
    assert (len(train), len(test)) == (7, 3)
    np.testing.assert_array_equal(test.means[:, 0], 2.0 * y_test)


def test_samples_have_the_moments():
    joint = np.array([[[1.0, 0.5], [0.5, 2.0]]])
    table = UncertainTable([[1.0, -1.0]], covariance=joint)
    drawn = table.sample(200_000, np.random.default_rng(0))[0]
    np.testing.assert_allclose(drawn.mean(axis=0), [1, -1], atol=0.02)
    np.testing.assert_allclose(np.cov(drawn.T), joint[0], atol=0.03)
    share = np.array([[0.2, 0.5, 0.3]])
    colour = UncertainTable([[0.0]], probabilities={0: share}).sample(
        100_000, np.random.default_rng(1)
    )
    np.testing.assert_allclose(
        np.bincount(colour[0, :, 0].astype(int)) / 100_000, share[0], atol=0.01
    )


def test_scaling_the_uncertainty():
    table = UncertainTable([[1.0, 0.0]], [[0.5, 0.0]], probabilities={1: [[np.nan, np.nan]]})
    twice = table.scale_uncertainty(2.0)
    np.testing.assert_array_equal(twice.std, [[1.0, 0.0]])
    np.testing.assert_array_equal(twice.probabilities[1], [[0.0, 0.0]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"means": [[1.0], [2.0]], "std": [[0.1], [-0.5]]}, r"std\[1, 0\]=-0.5 must be a finite"),
        ({"means": [[1.0]], "std": [[np.nan]]}, r"std\[0, 0\]=nan"),
        ({"means": [[1.0]], "std": np.inf}, r"std\[0, 0\]=inf"),
        ({"means": [[1.0, 2.0]], "std": [[0.1]]}, r"shape of X, \(1, 2\), .* got \(1, 1\)"),
        ({"means": [1.0]}, r"shape \(n, d\)"),
        ({"means": [["a"]]}, "means must hold numbers"),
        ({"means": [[np.inf]]}, r"means\[0, 0\] is infinite"),
        ({"means": [[0.0]], "probabilities": {0: [[0.5, 0.4]]}}, r"\[0\]\[0\] sums to 0.9"),
        ({"means": [[0.0]], "probabilities": {0: [[1.5, -0.5]]}}, "negative probability"),
        ({"means": [[0.0]], "probabilities": {3: [[1.0]]}}, r"names features \[3\]"),
        ({"means": [[0.0]], "probabilities": {0: [[1.0]]}, "values": {0: "ab"}}, "name 1 diff"),
        ({"means": [[0.0, 1.0]], "covariance": [[[1.0, 2.0], [2.0, 1.0]]]}, "not positive semi"),
        ({"means": [[0.0, 1.0]], "covariance": [[[1.0, 0.2], [0.1, 1.0]]]}, "is not symmetric"),
        ({"means": [[0.0, 1.0]], "covariance": np.eye(2)}, r"shape \(1, 2, 2\)"),
        ({"means": [[0.0]], "std": 0.1, "covariance": [[[1.0]]]}, "exclude each other"),
        ({"means": [[0.0]], "feature_names": ["a", "b"]}, "must hold 1 different names"),
        ({"means": [[0.0]], "feature_names": 5}, "must hold 1 different names, got 5"),
        ({"means": [[1j]]}, "means must hold numbers"),
        ({"means": np.array([["2020-01-01"]], dtype="M8[D]")}, "must hold numbers: got datetime64"),
        ({"means": csr_array(np.ones((1, 1)))}, "means must be a dense array"),
        ({"means": [[0.0]], "std": True}, "std must hold standard deviations"),
        ({"means": [[0.0]], "probabilities": {True: [[1.0]]}}, "must map the number of a feature"),
        ({"means": [[0.0]], "probabilities": {0: [[1.0]]}, "values": {0: 5}}, "name 1 .* got 5"),
        ({"means": [[0.0]], "probabilities": {0: [[1.0]]}, "values": {0: [[]]}}, "name 1 diff"),
        ({"means": [[0.0]], "probabilities": {0: [[1.0]]}, "values": [1]}, "values must map the"),
        (
            {"means": [[0.0]], "probabilities": {0: [[0.7]]}, "feature_names": ["c"]},
            r"probabilities\[0\]\[0\] of 'c' sums to 0.7",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        UncertainTable(**arguments)


def test_probabilities_are_scaled_within_the_tolerance():
    table = UncertainTable([[0.0]], probabilities={0: [[0.3, 0.7 + 1e-9]]})
    assert table.probabilities[0].sum() == 1.0
