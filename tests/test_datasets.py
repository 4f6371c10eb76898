"""The sets that load by name: their rows, classes, sources and checksums."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.impute import KNNImputer
from sklearn.metrics.pairwise import nan_euclidean_distances

from oblique.datasets import (
    PAPER_SETS,
    describe_datasets,
    fill_missing,
    list_datasets,
    load_dataset,
)
from oblique.datasets.catalog import CATALOG

# rows, features, missing cells, rows of each class: the figures published at UCI and StatLib
FIGURES = {
    "pima": (768, 8, 0, {0: 500, 1: 268}),
    "breast_cancer": (699, 9, 16, {2: 458, 4: 241}),
    "breast_cancer_complete": (683, 9, 0, {2: 444, 4: 239}),
    "housing": (506, 13, 0, {1: 246, 2: 260}),
    "heart_cleveland": (303, 13, 6, {0: 164, 1: 139}),
    "heart_complete": (297, 13, 0, {0: 160, 1: 137}),
    "hepatitis": (155, 19, 167, {1: 32, 2: 123}),
    "hepatitis_filled": (155, 19, 0, {1: 32, 2: 123}),
    "bupa": (345, 6, 0, {1: 145, 2: 200}),
    "bupa_drinks": (345, 5, 0, {0: 169, 1: 176}),
    "new_thyroid": (215, 5, 0, {1: 150, 2: 35, 3: 30}),
    "iris": (150, 4, 0, {0: 50, 1: 50, 2: 50}),
    "wine": (178, 13, 0, {0: 59, 1: 71, 2: 48}),
    "wdbc": (569, 30, 0, {0: 212, 1: 357}),
    "digits": (1797, 64, 0, None),
}

# first digits of the SHA-256 over the content
PINNED = {
    "pima": "460807e31ed9099c",
    "breast_cancer_complete": "8053a37bc81d1d91",
    "housing": "3669c49e062e866f",
    "heart_complete": "d4d883b906e80239",
    "hepatitis_filled": "a9b54e791303bfee",
}

# our file -> the file of the same rows in the folder of OBLIQUE_DATA
TWINS = {
    "pima": "pima",
    "breast_cancer": "breast_cancer_wisconsin",
    "heart_cleveland": "heart_cleveland",
    "hepatitis": "hepatitis",
    "bupa": "bupa",
    "bupa_drinks": "bupa_drinks3",
    "new_thyroid": "new_thyroid",
    "housing": "housing_oc1",
}


def test_every_name_has_its_published_figures() -> None:
    assert list_datasets() == list(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_figures(name: str) -> None:
    rows, features, missing, classes = FIGURES[name]
    dataset = load_dataset(name)
    assert dataset.name == name
    assert dataset.data.shape == (rows, features)
    assert dataset.data.isna().to_numpy().sum() == missing
    assert dataset.target.shape == (rows,)
    if classes is not None:
        assert dataset.target.value_counts().to_dict() == classes
    assert sorted(dataset.class_names) == dataset.classes
    assert dataset.feature_names == list(dataset.data.columns)
    assert all(dtype.kind in "if" for dtype in dataset.data.dtypes)
    for text in (dataset.description, dataset.source, dataset.licence):
        assert len(text) > 10


def test_unsafe_classes() -> None:
    """Vadera (2005), section 5: what is dangerous to miss."""
    unsafe = {name: load_dataset(name).unsafe_class for name in FIGURES}
    assert unsafe["pima"] == 1
    assert unsafe["housing"] == 2
    assert unsafe["bupa"] is None
    assert unsafe["new_thyroid"] is None
    names = {name: load_dataset(name).class_names[unsafe[name]] for name in PAPER_SETS}
    assert names == {
        "pima": "diabetes",
        "breast_cancer_complete": "malignant",
        "housing": "MEDV >= 21",
        "heart_complete": "disease",
        "hepatitis_filled": "die",
    }


def test_paper_sets_are_those_of_table_2() -> None:
    """Vadera (2005), Table 2: examples, per cent of unsafe ones."""
    printed = {"pima": (768, 35), "breast_cancer_complete": (683, 35), "housing": (506, 51)}
    printed |= {"heart_complete": (297, 46), "hepatitis_filled": (155, 21)}
    assert set(PAPER_SETS) == set(printed)
    table = describe_datasets()
    for name, (rows, share) in printed.items():
        assert table.loc[name, "rows"] == rows
        assert round(100 * table.loc[name, "unsafe_share"]) == share
        assert table.loc[name, "missing"] == 0


def test_description_table() -> None:
    table = describe_datasets()
    assert list(table.index) == list_datasets()
    assert list(table.columns) == [
        "rows",
        "features",
        "classes",
        "missing",
        "unsafe",
        "unsafe_share",
        "licence",
    ]
    assert table.loc["hepatitis", "missing"] == 167
    assert table.loc["bupa", "unsafe"] == ""
    assert np.isnan(table.loc["iris", "unsafe_share"])
    assert table.loc["digits", "classes"] == 10


def test_unsafe_class_by_label_spelling_or_name() -> None:
    for wanted in (2, "2", "benign"):
        assert load_dataset("breast_cancer", unsafe_class=wanted).unsafe_class == 2
    with pytest.raises(ValueError, match=r"unsafe_class 'cancer'.*2 \(benign\), 4 \(malignant\)"):
        load_dataset("breast_cancer", unsafe_class="cancer")


def test_housing_class_and_features() -> None:
    price = pd.read_csv(str(files("oblique.datasets") / "csv" / "housing.csv"))["MEDV"]
    housing = load_dataset("housing")
    assert "MEDV" not in housing.data
    np.testing.assert_array_equal(housing.target == 1, price < 21)


def test_complete_sets_are_the_complete_rows() -> None:
    for whole, complete in [
        ("breast_cancer", "breast_cancer_complete"),
        ("heart_cleveland", "heart_complete"),
    ]:
        kept = load_dataset(whole).data.dropna(ignore_index=True)
        pd.testing.assert_frame_equal(kept, load_dataset(complete).data)


def test_sklearn_sets_are_unchanged() -> None:
    iris, wdbc = load_dataset("iris"), load_dataset("wdbc")
    np.testing.assert_array_equal(iris.data, load_iris().data)
    np.testing.assert_array_equal(wdbc.target, load_breast_cancer().target)
    assert wdbc.class_names[wdbc.unsafe_class] == "malignant"


@pytest.mark.parametrize("name", FIGURES)
def test_checksum_is_of_the_content(name: str) -> None:
    dataset = load_dataset(name)
    assert dataset.checksum == load_dataset(name).checksum
    assert len(dataset.checksum) == 64


def test_checksums_differ_and_are_pinned() -> None:
    """A changed table would silently be another data set to a stored comparison."""
    sums = {name: load_dataset(name).checksum for name in list_datasets()}
    assert len(set(sums.values())) == len(sums)
    assert {name: sums[name][:16] for name in PAPER_SETS} == PINNED


def test_unknown_name_offers_near_ones() -> None:
    with pytest.raises(ValueError, match="did you mean 'pima'"):
        load_dataset("pimma")
    with pytest.raises(ValueError, match=r"no file called 'zzz'\. The named sets are: pima"):
        load_dataset("zzz")


def test_file_options_are_refused_for_names() -> None:
    with pytest.raises(ValueError, match="target belongs to files"):
        load_dataset("pima", target="age")
    with pytest.raises(ValueError, match="separator belongs to files"):
        load_dataset("pima", separator=";")


def test_sources_name_every_file() -> None:
    folder = files("oblique.datasets") / "csv"
    text = (folder / "SOURCES.md").read_text()
    shipped = {entry.name for entry in folder.iterdir() if entry.name.endswith(".csv")}
    assert shipped == {f"{name}.csv" for name in FIGURES if f"{name}.csv" in text}
    for name in CATALOG:
        assert name in text or "scikit-learn" in CATALOG[name].source


def test_import_is_lazy() -> None:
    """The readers are imported when a set is loaded, not before."""
    code = (
        "import sys, oblique.datasets; "
        "print(sorted({'arff', 'sklearn.datasets'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_filled_hepatitis_agrees_with_knn_imputer() -> None:
    """One neighbour on columns scaled to [0, 1], the class not used.

    Where two rows are equally near, scikit-learn takes either, depending on its build; such
    cells may differ, and only such.
    """
    data = load_dataset("hepatitis").data
    low, high = data.min(), data.max()
    scaled = (data - low) / (high - low)
    expected = KNNImputer(n_neighbors=1).fit_transform(scaled)
    expected = expected * (high - low).to_numpy() + low.to_numpy()
    values, filled = data.to_numpy(), fill_missing(data).to_numpy()
    known = data.notna().to_numpy()
    np.testing.assert_array_equal(filled[known], values[known])
    distance = nan_euclidean_distances(scaled)
    for row, column in np.argwhere(~np.isclose(filled, expected)):
        ours = distance[row, np.isclose(values[:, column], filled[row, column])].min()
        theirs = distance[row, np.isclose(values[:, column], expected[row, column])].min()
        assert ours == pytest.approx(theirs, abs=1e-9)
    np.testing.assert_array_equal(load_dataset("hepatitis_filled").data, filled)


def test_fill_by_hand() -> None:
    data = pd.DataFrame({"a": [0.0, 10.0, 4.0, 9.0], "b": [1.0, 5.0, np.nan, np.nan]})
    assert fill_missing(data)["b"].tolist() == [1.0, 5.0, 1.0, 5.0]
    assert data["b"].isna().sum() == 2


def test_fill_takes_the_first_of_equally_near_rows() -> None:
    data = pd.DataFrame({"a": [0.0, 2.0, 1.0], "b": [7.0, 3.0, np.nan]})
    assert fill_missing(data)["b"].tolist() == [7.0, 3.0, 7.0]
    assert fill_missing(data.iloc[[1, 0, 2]])["b"].tolist() == [3.0, 7.0, 3.0]


def test_fill_row_that_shares_no_column() -> None:
    data = pd.DataFrame({"a": [np.nan, 1.0, 2.0], "b": [3.0, np.nan, 4.0]})
    filled = fill_missing(data)
    assert filled["a"].tolist() == [2.0, 1.0, 2.0]
    assert filled["b"].tolist() == [3.0, 4.0, 4.0]


def test_fill_refuses_what_it_cannot_fill() -> None:
    with pytest.raises(ValueError, match="column 'a' is not numeric"):
        fill_missing(pd.DataFrame({"a": ["x", "y"]}))
    with pytest.raises(ValueError, match="column 'b' has no value"):
        fill_missing(pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, np.nan]}))


def _sorted_rows(frame: pd.DataFrame) -> list[tuple[float, ...]]:
    return sorted(map(tuple, frame.fillna(-1e9).astype(float).to_numpy().tolist()))


@pytest.mark.extra_data
@pytest.mark.parametrize("name", TWINS)
def test_rows_equal_those_of_another_collection(name: str) -> None:
    folder = os.environ.get("OBLIQUE_DATA")
    if not folder:
        pytest.skip("OBLIQUE_DATA does not name a folder of CSV files")
    ours = load_dataset(name)
    other = load_dataset(Path(folder) / f"{TWINS[name]}.csv")
    assert other.feature_names == ours.feature_names
    joined = [frame.data.assign(_class=frame.target) for frame in (ours, other)]
    assert _sorted_rows(joined[0]) == _sorted_rows(joined[1])
    if name not in {"bupa", "bupa_drinks"}:  # KEEL holds the rows of bupa in another order
        assert ours.checksum == other.checksum


@pytest.mark.extra_data
def test_every_file_of_the_folder_loads() -> None:
    folder = os.environ.get("OBLIQUE_DATA")
    if not folder:
        pytest.skip("OBLIQUE_DATA does not name a folder of CSV files")
    paths = sorted(Path(folder).glob("*.csv"))
    assert paths
    for path in paths:
        dataset = load_dataset(path)
        assert len(dataset.data) == len(path.read_text().splitlines()) - 1
