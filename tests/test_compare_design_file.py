import re
from pathlib import Path

import pytest

from oblique.compare import Design, Strategy, load_strategy
from oblique.compare.design_file import DesignFileError, format_design, read_design
from oblique.indecision import add_noise

GOOD = """\
# A comparison
datasets = ["pima", "wards"]
strategies = ["stump", "odd_classifiers:majority"]
train_sizes = [0.3, 0.5]
repeats = 4
seed = 2

[data.wards]
path = "wards.csv"
target = "outcome"
unsafe_class = "ill"

[strategy.stump]
use = "sklearn.tree:DecisionTreeClassifier"
parameters = { max_depth = 1 }
"""
WARDS = "age,outcome\n" + "".join(f"{i},{'ill' if i % 3 else 'well'}\n" for i in range(30))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "wards.csv").write_text(WARDS)
    return tmp_path


def test_file_and_python_are_the_same_design(folder):
    from sklearn.tree import DecisionTreeClassifier

    (folder / "design.toml").write_text(GOOD)
    design = read_design(folder / "design.toml")
    stump = Strategy("stump", DecisionTreeClassifier(max_depth=1))
    twin = Design(
        ["pima"], [stump, "odd_classifiers:majority"], train_sizes=[0.3, 0.5], repeats=4, seed=2
    )
    assert {c.key for c in twin.cells()} < {c.key for c in design.cells()}
    wards = next(c for c in design.cells() if c.source.name == "wards")
    assert wards.unsafe_class == "ill"
    assert len(design.cells()) == 2 * 2 * 2 * 4


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("repeats = 4", "repeat = 4", 5, "'repeats'"),
        ("repeats = 4", "repeats = 0", 5, "repeats must be"),
        ("repeats = 4", 'repeats = "4"', 5, "repeats must be"),
        ("[0.3, 0.5]", "[0.3, 1.5]", 4, "train_sizes must lie"),
        ('["pima", "wards"]', '"pima"', 2, "datasets must be a list"),
        ('"stump", "odd', '"stumpf", "odd', 3, "'stumpf'"),
        ("target =", "targets =", 10, "'target'"),
        ('"wards.csv"', '"beds.csv"', 9, "there is no file"),
        ("tree:Decision", "tree:Decisions", 14, "'DecisionTreeClassifier'"),
        ("max_depth = 1", "max_deep = 1", 15, "max_deep"),
        ("seed = 2", "seed = = 2", 6, "Invalid value"),
        ("seed = 2", 'unsafe_cost = "4"', 6, "unsafe_cost must be"),
        ("seed = 2", "n_folds = 5", 4, "exclude each other"),
        ('"pima", "wards"', '"pima", 3', 2, "datasets must be a list of names"),
        ('"wards.csv"', "3", 9, "path must be a text, got 3"),
        ('"ill"', '["ill"]', 11, "unsafe_class must be a class"),
        ("seed = 2", "seed = true", 6, "seed must be a whole number"),
        ('"pima", "wards"', '"wards", "wards"', 2, "'wards' appears twice"),
        ("[strategy.stump]\nuse =", '[strategy]\nstump = { uses = "x" }\nuse =', 14, "'use'"),
        ("{ max_depth = 1 }", "3", 15, "parameters must be a table"),
        ('["pima", "wards"]', '["pima"]', 8, "listed name='wards'"),
        ('[strategy.stump]\nuse', '[strategy]\nstump = 3\nuse', 14, "must be a table"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_line(folder, old, new, line, said):
    assert old in GOOD
    path = folder / "design.toml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(DesignFileError, match=said) as caught:
        read_design(path)
    assert f"line {line}" in str(caught.value)
    assert "design.toml" in str(caught.value)


def test_a_byte_order_mark_is_no_mistake(folder):
    (folder / "design.toml").write_text(GOOD, encoding="utf-8-sig")
    assert read_design(folder / "design.toml").repeats == 4


def test_a_folder_is_no_design_file(folder):
    with pytest.raises(DesignFileError, match="cannot be read"):
        read_design(folder)


def test_missing_key(folder):
    path = folder / "design.toml"
    path.write_text('datasets = ["pima"]\n')
    with pytest.raises(DesignFileError, match="strategies must be a list"):
        read_design(path)


def test_written_and_read_again(folder):
    (folder / "design.toml").write_text(GOOD)
    design = read_design(folder / "design.toml")
    (folder / "again.toml").write_text(format_design(design))
    again = read_design(folder / "again.toml")
    assert [c.key for c in again.cells()] == [c.key for c in design.cells()]
    folds = Design(["pima"], ["cart"], n_folds=10, repeats=1)
    (folder / "folds.toml").write_text(format_design(folds))
    assert [c.key for c in read_design(folder / "folds.toml").cells()] == [
        c.key for c in folds.cells()
    ]


def test_what_python_gave_is_a_comment():
    from sklearn.tree import DecisionTreeClassifier

    text = format_design(Design(["pima"], [Strategy("mine", DecisionTreeClassifier(max_depth=3))]))
    assert "# strategy 'mine' was given from Python: DecisionTreeClassifier(max_depth=3)" in text


@pytest.mark.parametrize("kind", ["data", "strategy"])
def test_tables_that_are_none(tmp_path, kind):
    path = tmp_path / "design.toml"
    path.write_text(f'datasets = ["pima"]\nstrategies = ["ldt"]\n{kind} = ["x"]\n')
    with pytest.raises(DesignFileError, match=rf"line 3: {kind} must be tables"):
        read_design(path)


def test_the_design_of_the_documents(folder):
    text = (Path(__file__).parents[1] / "docs" / "comparing.md").read_text()
    design, *_ = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (folder / "design.toml").write_text(design)
    assert len(read_design(folder / "design.toml").cells()) == 2 * 2 * 10 * 5


def test_noise_is_written_and_read_again(tmp_path):
    stump = load_strategy("sklearn.tree:DecisionTreeClassifier", name="stump")
    noisy = add_noise(["ldt", "indecision", stump], train=0.02, test=0.05)
    design = Design(["iris"], [*noisy, "ap"], repeats=1)
    text = format_design(design)
    assert "given from Python" not in text
    (tmp_path / "design.toml").write_text(text)
    again = read_design(tmp_path / "design.toml")
    assert [c.key for c in again.cells()] == [c.key for c in design.cells()]
    assert format_design(again) == text


@pytest.mark.parametrize(
    ("noise", "said"),
    [
        ("{ trian = 0.1 }", "trian.*train"),
        ("{ train = -1 }", "train=-1"),
        ("{ train = true }", "train=True"),
        ("0.1", "noise must be a table"),
    ],
)
def test_wrong_noise_is_told_with_its_line(tmp_path, noise, said):
    path = tmp_path / "design.toml"
    path.write_text(f'datasets = ["iris"]\nstrategies = ["ldt"]\n[strategy.ldt]\nnoise = {noise}\n')
    with pytest.raises(DesignFileError, match=f"line 4: .*{said}"):
        read_design(path)
