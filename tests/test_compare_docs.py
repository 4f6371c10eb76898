"""The examples of docs/comparing.md run as they stand."""

import re
from pathlib import Path

import pytest

from oblique.compare.design_file import read_design

TEXT = (Path(__file__).parents[1] / "docs" / "comparing.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_python(tmp_path, monkeypatch):
    pytest.importorskip("scikit_posthocs", reason="a report needs the extra 'compare'")
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    exec(code.replace("repeats=20", "repeats=2").replace("n_jobs=2", "n_jobs=1"), {})
    assert (tmp_path / "report" / "report.html").exists()
    assert len(list((tmp_path / "results" / "cells").iterdir())) == 12


def test_design_file(tmp_path):
    design, _ = blocks("toml")
    rows = "".join(f"{i},{'ill' if i % 3 else 'well'}\n" for i in range(60))
    (tmp_path / "wards.csv").write_text("age,outcome\n" + rows)
    (tmp_path / "design.toml").write_text(design)
    assert len(read_design(tmp_path / "design.toml").cells()) == 2 * 2 * 10 * 5
