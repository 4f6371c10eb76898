"""The sets that can be loaded by name without a network: ours and scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .delimited import parse_delimited
from .fill import fill_missing
from .text import decode_text

if TYPE_CHECKING:
    import pandas as pd

_UCI = "CC BY 4.0 (UCI Machine Learning Repository)"
_UNKNOWN = "no formal licence known; published as facts for research"
_UCI_DOI = "UCI Machine Learning Repository, https://doi.org/10.24432/"


@dataclass(frozen=True)
class Entry:
    """How a named set is read and what is known of it.

    `read` returns features and class in one table, the class in the last column.
    """

    read: Callable[[], pd.DataFrame]
    class_names: Mapping[Any, str]
    unsafe_class: Any
    description: str
    source: str
    licence: str


def _read_shipped(file: str) -> pd.DataFrame:
    raw = (files("oblique.datasets") / "csv" / file).read_bytes()
    return parse_delimited(decode_text(raw, file), file)


def _read_complete(file: str) -> pd.DataFrame:
    return _read_shipped(file).dropna(ignore_index=True)


def _read_hepatitis_filled() -> pd.DataFrame:
    frame = _read_shipped("hepatitis.csv")
    return fill_missing(frame.drop(columns="class")).assign(**{"class": frame["class"]})


def _read_housing() -> pd.DataFrame:
    frame = _read_shipped("housing.csv")
    price = frame.pop("MEDV")
    return frame.assign(**{"class": (price >= 21).astype("int64") + 1})


def _read_bupa_drinks() -> pd.DataFrame:
    frame = _read_shipped("bupa.csv").drop(columns="class")
    drinks = frame.pop("drinks")
    return frame.assign(**{"class": (drinks >= 3).astype("int64")})


def _read_sklearn(loader: str) -> pd.DataFrame:
    import sklearn.datasets

    frame: pd.DataFrame = getattr(sklearn.datasets, loader)(as_frame=True).frame
    return frame.rename(columns={"target": "class"})


_BREAST_CANCER = Entry(
    read=partial(_read_shipped, "breast_cancer.csv"),
    class_names={2: "benign", 4: "malignant"},
    unsafe_class=4,
    description="Breast Cancer Wisconsin (original): nine cell features of fine-needle aspirates "
    "graded 1 to 10, benign or malignant; 16 rows lack bare_nuclei.",
    source=f"W. H. Wolberg (1990), Breast Cancer Wisconsin (Original), {_UCI_DOI}C5HP4Z",
    licence=_UCI,
)
_HEART = Entry(
    read=partial(_read_shipped, "heart_cleveland.csv"),
    class_names={0: "no disease", 1: "disease"},
    unsafe_class=1,
    description="Heart Disease, Cleveland: 13 clinical measurements and whether any coronary "
    "vessel is narrowed by more than half; 6 rows lack ca or thal. All features are numbers, the "
    "codes of UCI among them (cp 1-4, restecg 0-2, slope 1-3, thal 3, 6, 7).",
    source="A. Janosi, W. Steinbrunn, M. Pfisterer, R. Detrano (1988), Heart Disease, "
    f"{_UCI_DOI}C52P4X",
    licence=_UCI,
)
_HEPATITIS = Entry(
    read=partial(_read_shipped, "hepatitis.csv"),
    class_names={1: "die", 2: "live"},
    unsafe_class=1,
    description="Hepatitis: 19 findings and blood values of patients who died or lived; yes/no "
    "findings are 1 = no, 2 = yes; 167 cells are missing.",
    source=f"G. Gong (1983), Hepatitis, {_UCI_DOI}C5Q59J",
    licence=_UCI,
)
_BUPA = Entry(
    read=partial(_read_shipped, "bupa.csv"),
    class_names={1: "selector 1", 2: "selector 2"},
    unsafe_class=None,
    description="BUPA Liver Disorders: five blood values and the daily drinks of men. The class "
    "used by most papers is the selector field, which divided the rows into a training and a test "
    "part and is no diagnosis: no class is unsafe. See bupa_drinks.",
    source=f"R. S. Forsyth (1990), Liver Disorders, {_UCI_DOI}C54G67",
    licence=_UCI,
)


def _vary(entry: Entry, read: Callable[[], pd.DataFrame], note: str, **changes: Any) -> Entry:
    fields = {**vars(entry), **changes, "read": read}
    return Entry(**{**fields, "description": f"{entry.description} {note}"})


def _sklearn_entry(loader: str, names: list[str], unsafe: Any, text: str, doi: str) -> Entry:
    return Entry(
        read=partial(_read_sklearn, loader),
        class_names=dict(enumerate(names)),
        unsafe_class=unsafe,
        description=text,
        source=f"scikit-learn, sklearn.datasets.{loader}; {_UCI_DOI}{doi}",
        licence=_UCI,
    )


CATALOG: dict[str, Entry] = {
    "pima": Entry(
        read=partial(_read_shipped, "pima.csv"),
        class_names={0: "no diabetes", 1: "diabetes"},
        unsafe_class=1,
        description="Pima Indians Diabetes: eight measurements of women of at least 21 years and "
        "whether diabetes was found within five years. Zeros of glucose, diastolic_bp, "
        "triceps_skinfold, insulin and bmi stand for missing values and are kept, as in the "
        "papers.",
        source="J. W. Smith, J. E. Everhart, W. C. Dickson, W. C. Knowler, R. S. Johannes (1988); "
        "National Institute of Diabetes and Digestive and Kidney Diseases",
        licence=_UNKNOWN,
    ),
    "breast_cancer": _BREAST_CANCER,
    "breast_cancer_complete": _vary(
        _BREAST_CANCER,
        partial(_read_complete, "breast_cancer.csv"),
        "Here: the 683 complete rows.",
    ),
    "housing": Entry(
        read=_read_housing,
        class_names={1: "MEDV < 21", 2: "MEDV >= 21"},
        unsafe_class=2,
        description="Boston Housing as a classification: 13 features of a census tract; class 1 "
        "when the median value MEDV of its homes is below 21 000 dollars. Vadera (2005) calls "
        "class 1 the safe one, by choice. Column B is a function of the share of black "
        "inhabitants; the set is kept for the comparison with published results only.",
        source="D. Harrison, D. L. Rubinfeld (1978), Hedonic prices and the demand for clean air, "
        "J. Environ. Economics and Management 5, 81-102; StatLib",
        licence=_UNKNOWN,
    ),
    "heart_cleveland": _HEART,
    "heart_complete": _vary(
        _HEART, partial(_read_complete, "heart_cleveland.csv"), "Here: the 297 complete rows."
    ),
    "hepatitis": _HEPATITIS,
    "hepatitis_filled": _vary(
        _HEPATITIS,
        _read_hepatitis_filled,
        "Here: filled from the nearest neighbour, the class not used (see fill_missing).",
    ),
    "bupa": _BUPA,
    "bupa_drinks": _vary(
        _BUPA,
        _read_bupa_drinks,
        "Here: the class is 1 for three and more drinks a day, the target of Turney (1995).",
        class_names={0: "drinks < 3", 1: "drinks >= 3"},
        unsafe_class=1,
    ),
    "new_thyroid": Entry(
        read=partial(_read_shipped, "new_thyroid.csv"),
        class_names={1: "normal", 2: "hyperthyroid", 3: "hypothyroid"},
        unsafe_class=None,
        description="New Thyroid: five laboratory tests and the state of the gland; both abnormal "
        "classes are dangerous to miss, so none of the three is named unsafe.",
        source=f"R. Quinlan (1986), Thyroid Disease (new-thyroid), {_UCI_DOI}C5D010",
        licence=_UCI,
    ),
    "iris": _sklearn_entry(
        "load_iris",
        ["setosa", "versicolor", "virginica"],
        None,
        "Iris: four lengths of three species of iris.",
        "C56C76",
    ),
    "wine": _sklearn_entry(
        "load_wine",
        ["class_0", "class_1", "class_2"],
        None,
        "Wine: 13 chemical measurements of wines of three cultivars.",
        "C5PC7J",
    ),
    "wdbc": _sklearn_entry(
        "load_breast_cancer",
        ["malignant", "benign"],
        0,
        "Breast Cancer Wisconsin (diagnostic): ten features of cell nuclei, each as mean, "
        "standard error and worst value, malignant (0) or benign (1).",
        "C5DW2B",
    ),
    "digits": _sklearn_entry(
        "load_digits",
        [str(digit) for digit in range(10)],
        None,
        "Optical digits: images of 8 x 8 pixels with 17 grey levels, ten digits.",
        "C50P49",
    ),
}
