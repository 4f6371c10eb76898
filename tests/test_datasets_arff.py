"""ARFF files and sets of openml.org."""

from __future__ import annotations

from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from oblique.datasets import load_dataset

HEADER = """% a comment
@relation 'weather today'

@attribute 'dew point' numeric
@attribute sky {sunny, 'light rain', fog}
@attribute note string
@attribute count INTEGER
@attribute play {yes, no}

@data
"""
ROWS = (
    "1.5,sunny,'said \\'no\\'',3.7,yes\n?,'light rain',?,?,no\n% between\n\n-2e3, fog, x, 4, no\n"
)


@pytest.fixture
def arff(tmp_path: Path):
    def write_file(text: str) -> Path:
        path = tmp_path / "weather.arff"
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def test_all_kinds_of_attributes(arff) -> None:
    dataset = load_dataset(arff(HEADER + ROWS), unsafe_class="no")
    assert dataset.feature_names == ["dew point", "sky", "note", "count"]
    np.testing.assert_array_equal(dataset.data["dew point"], [1.5, np.nan, -2000.0])
    np.testing.assert_array_equal(dataset.data["count"], [3.7, np.nan, 4.0])
    assert list(dataset.data["sky"].cat.categories) == ["sunny", "light rain", "fog"]
    assert dataset.data["note"].tolist()[0] == "said 'no'"
    assert dataset.data["note"].isna().tolist() == [False, True, False]
    assert dataset.target.tolist() == ["yes", "no", "no"]
    assert dataset.target.dtype != "category"
    assert dataset.unsafe_class == "no"


def test_target_by_name(arff) -> None:
    assert load_dataset(arff(HEADER + ROWS), target="sky").classes == ["fog", "light rain", "sunny"]


def test_same_content_as_csv_has_the_same_checksum(arff, tmp_path: Path) -> None:
    text = "@relation r\n@attribute a real\n@attribute k {u,v}\n@attribute y {n,p}\n@data\n"
    path = tmp_path / "t.csv"
    path.write_text("a,k,y\n1,u,p\n?,v,n\n")
    assert load_dataset(arff(text + "1,u,p\n?,v,n\n")).checksum == load_dataset(path).checksum


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "1,snow,x,1,yes\n", r"line 11: Data value snow not found"),
        (HEADER + "1,sunny,x,1\n", r"line 11: Bad @DATA instance format"),
        (HEADER + "one,sunny,x,1,yes\n", r"line 11: Invalid numerical value"),
        (HEADER + "1,sunny,'x,1,yes\n", r"line 11: Invalid layout"),
        (HEADER.replace("numeric", "nurmeric") + ROWS, r"line 4: Bad @ATTRIBUTE type"),
        (HEADER.replace("@relation", "@rel") + ROWS, r"line 2: expected @relation"),
        (HEADER.replace("@data\n", "") + ROWS, r"line 10: expected .*, not .1.5,sunny"),
        (HEADER.replace("'dew point'", "sky") + ROWS, r"line 5: Bad @ATTRIBUTE name sky"),
        (HEADER.replace("{yes, no}", "{}") + ROWS, r"line 8: the attribute declares no value"),
        (HEADER, r"has no rows after @data"),
        (
            HEADER.replace("string", "date 'yyyy'") + ROWS,
            r"line 6: attribute \S+ is of type date, which",
        ),
        (
            HEADER.replace("note string", "'a b' Relational") + ROWS,
            r"line 6: attribute 'a b' is of",
        ),
        (HEADER + "\n% sparse\n{0 1.5, 4 no}\n", r"line 13: sparse ARFF rows are not read"),
        ("a,b\n1,2\n", r"line 1: expected @relation"),
        ("@relation r\n@attribute a real\n", r"has no line @data"),
        ("\n\n" + HEADER + "1,snow,x,1,yes\n", r"line 13: Data value snow not found"),
    ],
)
def test_bad_syntax_names_file_and_line(arff, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=rf"weather\.arff.*{message}"):
        load_dataset(arff(text))


def test_missing_class_and_options(arff) -> None:
    with pytest.raises(ValueError, match="target 'play' of weather is missing in 1 of 1 rows"):
        load_dataset(arff(HEADER + "1,fog,x,1,?\n"))
    with pytest.raises(
        ValueError, match="header belongs to files and cannot be given for the ARFF"
    ):
        load_dataset(arff(HEADER + ROWS), header=True)


def _bunch(target_names: list[str]) -> Bunch:
    frame = pd.DataFrame({"a": [1.0, 2.0], "k": pd.Categorical(["u", "v"]), "class": ["g", "b"]})
    return Bunch(
        frame=frame.astype({"class": "category"}),
        target_names=target_names,
        DESCR="text",
        url="https://www.openml.org/d/31",
        details={"name": "credit", "licence": "Public"},
    )


def test_openml_by_name_and_number(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fetch(**options: object) -> Bunch:
        asked.append(options)
        return _bunch(["class"])

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    dataset = load_dataset("openml:credit-g", unsafe_class="b")
    load_dataset("openml:31", target="class")
    assert asked[0] == {"name": "credit-g", "as_frame": True, "parser": "auto"}
    assert asked[1]["data_id"] == 31
    assert asked[1]["target_column"] == "class"
    assert (dataset.name, dataset.licence, dataset.unsafe_class) == ("credit", "Public", "b")
    assert dataset.feature_names == ["a", "k"]
    assert dataset.target.tolist() == ["g", "b"]
    assert dataset.source == "https://www.openml.org/d/31"


def test_openml_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(error: Exception):
        def fetch(**options: object) -> Bunch:
            raise error

        return fetch

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fail(URLError("no route")))
    with pytest.raises(ConnectionError, match=r"openml.org could not be reached for 'credit-g'"):
        load_dataset("openml:credit-g")
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fail(ValueError("No active dataset")))
    with pytest.raises(ValueError, match="openml:nothing cannot be loaded: No active dataset"):
        load_dataset("openml:nothing")
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **options: _bunch([]))
    with pytest.raises(ValueError, match=r"names 0 columns as its target; .*a, k, class"):
        load_dataset("openml:31")


def test_openml_options() -> None:
    with pytest.raises(ValueError, match="header belongs to files"):
        load_dataset("openml:31", header=True)
    with pytest.raises(ValueError, match="must be a name, not a place"):
        load_dataset("openml:31", target=3)
