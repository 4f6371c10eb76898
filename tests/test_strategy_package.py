"""A package outside ours adds a strategy by an entry point, without any change here."""

import json
import os
import subprocess
import sys

import pytest

MODULE = '''
from sklearn.tree import DecisionTreeClassifier


def stump():
    """One test, by somebody else."""
    return DecisionTreeClassifier(max_depth=1)


def broken():
    """This one raises."""
    import a_module_that_is_not_there
'''


@pytest.fixture
def environment(tmp_path):
    """Lay out what an installed wheel leaves in site-packages, and put it on the path."""
    site = tmp_path / "site"
    info = site / "acme_trees-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "acme_trees.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-trees\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[oblique.strategies]\n"
        "acme_stump = acme_trees:stump\n"
        "acme_broken = acme_trees:broken\n"
        "acme_gone = acme_trees:gone\n"
    )
    return {**os.environ, "PYTHONPATH": str(site)}


def oblique(environment, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "oblique.cli", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_it_is_listed(environment):
    done = oblique(environment, "strategies", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["acme_stump"] == {
        "name": "acme_stump",
        "package": "acme-trees",
        "description": "One test, by somebody else.",
    }
    # A broken entry is shown with what is wrong, and hides no other.
    assert "a_module_that_is_not_there" in rows["acme_broken"]["description"]
    assert "gone" in rows["acme_gone"]["description"]
    assert "ldt" in rows


def test_it_is_compared_and_reported(environment, tmp_path):
    pytest.importorskip("scikit_posthocs", reason="a report needs the extra 'compare'")
    done = oblique(
        environment, "compare", "--data", "bupa", "new_thyroid", "--repeats", "3", "--jobs", "2",
        "--strategies", "acme_stump", "cart", "--report", str(tmp_path / "report"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "acme_stump" in done.stdout
    page = (tmp_path / "report" / "report.html").read_text()
    assert "One test, by somebody else." in page
    assert '"acme_stump", "cart"' in (tmp_path / "report" / "design.toml").read_text()
    broken = oblique(environment, "compare", "--data", "bupa", "--strategies", "acme_broken")
    assert broken.returncode == 2
    assert "a_module_that_is_not_there" in broken.stderr


def test_two_packages_with_one_name(environment, tmp_path):
    other = tmp_path / "site" / "other_trees-1.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: other-trees\nVersion: 1.0\n")
    (other / "entry_points.txt").write_text("[oblique.strategies]\nacme_stump = other:x\n")
    done = oblique(environment, "strategies")
    assert done.returncode == 2
    assert "two installed packages offer a strategy named 'acme_stump'" in done.stderr
