import base64
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from in_browser import open_browser, resize
from odd_classifiers import Majority, Raising
from sklearn.tree import DecisionTreeClassifier

from oblique.compare import Design, Strategy, report, run
from oblique.compare.design_file import read_design
from oblique.compare.plots import (
    colour_strategies,
    draw_accuracies,
    draw_critical_difference,
    draw_trade_off,
    to_svg,
)
from oblique.compare.ranking import rank_strategies
from oblique.compare.summary import summarize, tabulate
from oblique.compare.tables import make_overviews, make_tables
from oblique.compare.text import format_latex, format_markdown

pytest.importorskip("scikit_posthocs", reason="needs the extra 'compare'")

SETS = ["pima", "housing", "bupa", "heart_complete", "hepatitis_filled", "new_thyroid"]


@pytest.fixture(scope="module")
def results():
    strategies = [
        Strategy("ap", DecisionTreeClassifier(criterion="entropy")),
        Strategy("ldt", DecisionTreeClassifier(max_depth=3)),
        Strategy("majority<b>", Majority()),
        Strategy("raising", Raising()),
    ]
    return run(Design(SETS, strategies, repeats=3), progress=False)


@pytest.fixture(scope="module")
def folder(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    report(results, folder, command="oblique compare --data 'a b.csv'")
    return folder


@pytest.fixture(scope="module")
def page(folder):
    return (folder / "report.html").read_text()


def test_the_page_needs_nothing_else(page):
    links = re.findall(r"""(?:src|href)=["']([^"']*)""", page)
    assert links
    assert all(link.startswith(("data:", "#")) for link in links)
    assert "http://" not in page
    assert "https://" not in page


def test_the_page_tells_everything(page, results):
    for text in (
        "72 cells",
        "18 failed",
        "oblique compare --data &#39;a b.csv&#39;",
        "RuntimeError: no tree today",
        "69.7 ± 1.1",  # printed for AP on pima
        "scikit-learn",
        "corrected resampled t-test",
        "Left out, for they did not finish every data set: raising",
        "majority&lt;b&gt;",
    ):
        assert text in page
    assert "majority<b>" not in page


def test_other_files(folder, results):
    assert len(pd.read_csv(folder / "cells.csv")) == len(results.records)
    assert len(pd.read_csv(folder / "summary.csv")) == 6 * 4
    assert "given from Python" in (folder / "design.toml").read_text()


def test_the_design_runs_again(tmp_path):
    design = Design(["bupa"], ["cart"], repeats=2)
    report(run(design, progress=False), tmp_path)
    again = read_design(tmp_path / "design.toml")
    assert [c.key for c in again.cells()] == [c.key for c in design.cells()]


def test_markdown(results):
    text = format_markdown(make_tables(results.records), ["found this"])
    for part in text.split("## ")[1:]:
        assert len({line.count("|") for line in part.splitlines() if line.startswith("|")}) == 1
    assert "*Vadera 2005*" in text
    assert "**" in text
    assert text.endswith("    found this\n")


def test_overviews(results):
    overall, unsafe = make_overviews(summarize(results.records))
    assert overall.title == "overall accuracy, %, 50/50"
    assert [column.heading for column in overall.columns] == [*SETS, "average rank"]
    assert [row.strategy for row in overall.rows] == ["ap", "ldt", "majority<b>", "raising"]
    for place in range(len(SETS)):
        values = [row.figures[place].value for row in overall.rows[:3]]
        assert [row.figures[place].is_best for row in overall.rows[:3]] == [
            f"{100 * value:.1f}" == f"{100 * max(values):.1f}" for value in values
        ]
    ranks = [row.figures[-1].value for row in overall.rows]
    assert sum(ranks[:3]) == pytest.approx(6)
    assert ranks[3] != ranks[3]
    assert [figure.text for figure in overall.rows[3].figures] == ["-"] * 7
    # Two of the sets have no unsafe class.
    assert len(unsafe.columns) == 5


def test_the_overview_has_the_ranks_of_the_tests():
    # A mean of 20 splits depends on the order of the sum: .1 + .2 + .3 is not .3 + .2 + .1.
    values = {"a": [0.1, 0.2, 0.3] * 7, "b": [0.3, 0.2, 0.1] * 7, "c": [0.05] * 21}
    records = [
        {"key": f"{d}{name}{i}", "status": "done", "scores": {"accuracy": v, "leaves": 2.0 + i},
         "resources": {},
         "cell": {"dataset": d, "strategy": name, "train_size": 0.5, "n_folds": None,
                  "fold": None, "repeat": i, "seed": 0, "unsafe_class": None}}
        for d in ("d", "e")
        for name, column in values.items()
        for i, v in enumerate(column)
    ]  # fmt: skip
    assert sum(values["a"]) != sum(values["b"])
    (overall,) = make_overviews(summarize(records))
    ranking = rank_strategies(tabulate(records), "accuracy", protocol="50/50")
    assert ranking.ranks == {"a": 1.5, "b": 1.5, "c": 3.0}
    assert {row.strategy: row.figures[-1].value for row in overall.rows} == ranking.ranks
    (pair,) = (p for p in ranking.pairs if {p.first, p.second} == {"a", "b"})
    assert (pair.wins, pair.ties, pair.losses) == (0, 2, 0)


def test_the_unsafe_class_has_its_name(results):
    titles = [table.title for table in make_tables(results.records)]
    assert titles[0] == "pima, 50/50, 768 rows, unsafe class diabetes"
    assert titles[2] == "bupa, 50/50, 345 rows"
    # Records of earlier versions have the label only.
    old = [{k: v for k, v in r.items() if k != "unsafe_name"} for r in results.records]
    assert make_tables(old)[0].title == "pima, 50/50, 768 rows, unsafe class 1"


def test_pictures_for_slides_and_papers(folder, page):
    names = {path.name for path in (folder / "figures").iterdir()}
    stems = {"accuracy-50-50", "accuracy-leaves-50-50", "accuracy-fit-seconds-50-50"}
    assert {f"{stem}.{kind}" for stem in stems for kind in ("svg", "pdf")} <= names
    assert (folder / "figures" / "accuracy-50-50.pdf").read_bytes().startswith(b"%PDF")
    svg = (folder / "figures" / "accuracy-50-50.svg").read_bytes()
    assert base64.b64encode(svg).decode() in page


def test_a_report_on_a_full_disk_names_its_folder(results, tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match=f"the report {tmp_path} cannot be written: No space left"):
        report(results, tmp_path)


def test_latex(results):
    text = format_latex(make_tables(results.records))
    assert r"\label{tab:heart-complete-50-50}" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 6
    assert r"heart\_complete" in text
    assert r"$\pm$" in text
    assert "±" not in text
    for line in text.splitlines():
        if line.endswith(r"\\"):
            assert len(re.findall(r"(?<!\\)&", line)) in (4, 6)


def test_latex_compiles(results, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("needs pdflatex")
    import subprocess

    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}"
        + format_latex(make_tables(results.records))
        + "\\end{document}"
    )
    subprocess.run(
        ["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True, capture_output=True
    )


def test_a_diagram_only_where_there_is_a_difference(results):
    ranking = rank_strategies(tabulate(results.records), "accuracy", protocol="50/50")
    different = ranking._replace(iman_davenport_p=0.01)
    colours = colour_strategies(ranking.ranks)
    assert to_svg(draw_critical_difference(different, colours)).count("<svg") == 1
    with pytest.raises(ValueError, match="no difference"):
        draw_critical_difference(ranking._replace(iman_davenport_p=0.2), colours)


def test_bars_are_the_critical_difference(results):
    from xml.etree import ElementTree

    ranking = rank_strategies(tabulate(results.records), "accuracy", protocol="50/50")
    ranks = {"a": 1.0, "b": 2.0, "c": 3.0}
    pairs = tuple(
        ranking.pairs[0]._replace(first=f, second=s)
        for f, s in (("a", "b"), ("a", "c"), ("b", "c"))
    )
    drawn = {}
    for difference in (0.5, 1.5, 2.5):
        shown = ranking._replace(
            ranks=ranks, pairs=pairs, critical_difference=difference, iman_davenport_p=0.0
        )
        svg = to_svg(draw_critical_difference(shown, colour_strategies(ranks)))
        assert f"critical difference {difference:.2f}" in svg
        lines = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")
        drawn[difference] = sum(
            "stroke: #000000; stroke-width: 2" in p.get("style", "") for p in lines
        )
    # Without, with two, and with one bar.
    assert [drawn[d] - drawn[0.5] for d in (0.5, 1.5, 2.5)] == [0, 2, 1]


def test_one_strategy_and_one_set(tmp_path):
    results = run(Design(["bupa"], ["cart"], repeats=1), progress=False)
    text = report(results, tmp_path / "new" / "folder").read_text()
    assert "nothing to rank" in text
    assert "There is but one strategy" in text


def test_only_failures(tmp_path):
    results = run(Design(["bupa"], [Strategy("r", Raising())], repeats=2), progress=False)
    assert "no tree today" in report(results, tmp_path).read_text()


@pytest.fixture(scope="module")
def browser():
    yield from open_browser()


@pytest.mark.parametrize("width", [1280, 400])
def test_in_a_browser(browser, folder, width, tmp_path):
    resize(browser, width)
    browser.get(f"file://{folder / 'report.html'}")
    assert browser.get_log("browser") == []
    # Wide tables scroll inside the page; the page itself does not.
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    pictures = browser.execute_script(
        "return [...document.images].map(i => [i.complete, i.naturalWidth, i.width])"
    )
    assert len(pictures) >= 3
    assert all(done and natural > 0 for done, natural, shown in pictures)
    # On a telephone a picture scrolls in its frame, so that its lettering stays large enough.
    assert all(shown <= max(width, 576) for _, _, shown in pictures)
    small = browser.execute_script(
        "return [...document.querySelectorAll('p, td, th button')]"
        ".filter(e => parseFloat(getComputedStyle(e).fontSize) < 11).length"
    )
    assert small == 0
    assert browser.save_screenshot(str(tmp_path / "page.png"))


def test_sorting_in_a_browser(browser, folder):
    resize(browser, 1280)
    browser.get(f"file://{folder / 'report.html'}")

    def column(index):
        script = (
            "return [...document.querySelector('table.sortable').tBodies[0].rows]"
            f".map(r => r.cells[{index}].dataset.value)"
        )
        return browser.execute_script(script)

    def click(index):
        browser.execute_script(
            f"document.querySelectorAll('table.sortable')[0].tHead.rows[0].cells[{index}]"
            ".querySelector('button').click()"
        )

    names = column(0)
    values = [float(v) for v in column(1)]
    known = sorted(v for v in values if v == v)
    click(1)
    assert [float(v) for v in column(1)][:3] == known[::-1]
    assert json.dumps(float(column(1)[3])) == "NaN"  # no figure comes last
    click(1)
    assert [float(v) for v in column(1)][:3] == known
    assert column(1)[3] == "nan"  # still last
    click(0)
    assert column(0) == sorted(names)
    assert browser.get_log("browser") == []


@pytest.mark.filterwarnings("error")
def test_many_strategies_have_room_and_colours_of_their_own():
    names = [f"strategy_{i:02d}" for i in range(30)]
    summary = pd.DataFrame(
        {
            "dataset": "pima",
            "strategy": names,
            "accuracy": [0.6 + i / 100 for i in range(30)],
            "accuracy_ci": 0.01,
            "safe_accuracy": np.nan,
            "unsafe_accuracy": np.nan,
            "fit_seconds": [0.001 * 1.4**i for i in range(30)],
        }
    )
    bars, points = draw_accuracies(summary), draw_trade_off(summary, "fit_seconds", "fit time, s")
    bars, points = to_svg(bars), to_svg(points)
    for svg in (bars, points):
        width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())
        # Text stands where its transform says: matrix or translate(x y).
        for name in names:
            before = svg[: svg.index(f">{name}<")]
            places = re.findall(r"translate\((\S+) (\S+)\)", before[before.rindex("<text") :])
            if not places:
                places = re.findall(r'x="(\S+)" y="(\S+)"', before[before.rindex("<text") :])
            x, y = map(float, places[0])
            assert 0 < x < width
            assert 0 < y < height
    fills = set(re.findall(r"fill: (#[0-9a-f]{6})", points))
    assert len(fills) >= 30
