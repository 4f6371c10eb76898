"""The examples of the documents run, and what they point at is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text("utf-8"), re.S | re.M)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_examples_run(path, tmp_path, monkeypatch):
    # What an example writes goes to a folder of its own.
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "example"}
    for block in blocks(path, "python"):
        exec(compile(block, path.name, "exec"), names)


@pytest.mark.parametrize("document", ["sensitivity.md", "explaining.md"])
def test_examples_print_what_is_said(document, capsys):
    path = ROOT / "docs" / document
    names = {"__name__": "example"}
    for block in blocks(path, "python"):
        exec(compile(block, path.name, "exec"), names)
    said = [block for block in blocks(path, "text") if not block.startswith("oblique ")]
    assert capsys.readouterr().out == "".join(said)


def test_readme_example_prints_a_tree(capsys):
    (example,) = blocks(ROOT / "README.md", "python")
    exec(compile(example, "README.md", "exec"), {"__name__": "example"})
    printed = capsys.readouterr().out
    assert "|---" in printed
    assert float(re.search(r"accuracy (0\.\d+)", printed)[1]) > 0.9


def test_readme_opens_with_the_two_commands():
    main_job, tests = blocks(ROOT / "README.md", "bash")[:2]
    assert "oblique compare" in main_job
    assert "-m pytest" in tests
    for commands in (main_job, tests):
        assert commands.startswith("python3 -m venv")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_local_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_readme_lists_the_commands_that_exist():
    from oblique.cli import COMMANDS

    text = (ROOT / "README.md").read_text("utf-8")
    for command in COMMANDS:
        assert f"oblique {command}" in text
