"""Files by path: right values, or an error that names the file, the line and the remedy."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oblique.datasets import Dataset, load_dataset
from oblique.datasets.column import MISSING
from oblique.datasets.delimited import parse_delimited


@pytest.fixture
def write(tmp_path: Path):
    def write_file(content: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


def test_csv_with_words_numbers_and_missing_cells(write) -> None:
    dataset = load_dataset(write("a,b,c,y\n1,red,0.5,no\n2,?,NA,yes\n,blue, ? ,no\n"))
    assert isinstance(dataset, Dataset)
    assert dataset.name == "table"
    assert dataset.feature_names == ["a", "b", "c"]
    np.testing.assert_array_equal(dataset.data["a"], [1, 2, np.nan])
    np.testing.assert_array_equal(dataset.data["c"], [0.5, np.nan, np.nan])
    assert list(dataset.data["b"].cat.categories) == ["blue", "red"]
    assert dataset.data["b"].isna().tolist() == [False, True, False]
    assert dataset.target.tolist() == ["no", "yes", "no"]
    assert dataset.target.dtype != "category"
    assert dataset.classes == ["no", "yes"]
    assert dataset.unsafe_class is None


def test_column_without_any_value_is_numeric_and_missing(write) -> None:
    dataset = load_dataset(write("a,b,y\n1,?,0\n2,,1\n"))
    assert dataset.data["b"].isna().all()
    assert dataset.data["b"].dtype == np.float64


def test_spaces_around_cells_do_not_make_words(write) -> None:
    dataset = load_dataset(write("a , b, y\n1 , 2 ,u \n 3,? , v\n"))
    assert dataset.feature_names == ["a", "b"]
    np.testing.assert_array_equal(dataset.data, [[1, 2], [3, np.nan]])
    assert dataset.target.tolist() == ["u", "v"]
    whole = load_dataset(write("a ,y \n1 ,7 \n2 ,8 \n"))
    assert whole.target.dtype == whole.data["a"].dtype == np.int64


def test_quoted_fields_hold_separators_and_line_ends(write) -> None:
    dataset = load_dataset(write('a,b,y\n"1","x, ""1""",0\n2,"two\nlines",1\n'))
    assert dataset.data["a"].tolist() == [1, 2]
    assert dataset.data["b"].tolist() == ['x, "1"', "two\nlines"]


def test_truth_values_are_categories(write) -> None:
    dataset = load_dataset(write("a,b,y\nTrue,1,0\nFalse,2,1\n"))
    assert dataset.data["a"].dtype == "category"
    assert dataset.data["a"].astype(str).tolist() == ["True", "False"]


def test_words_that_python_would_take_for_numbers(write) -> None:
    dataset = load_dataset(write("a,b,c,y\n1_0,0x1,\u0663,0\n2_1,0x2,\u0664,1\n"))
    assert dataset.data["a"].tolist() == ["1_0", "2_1"]
    assert dataset.data["b"].tolist() == ["0x1", "0x2"]
    assert dataset.data["c"].tolist() == ["\u0663", "\u0664"]


def test_infinite_cells_are_numbers(write) -> None:
    """The estimators say what they think of them."""
    assert load_dataset(write("a,y\ninf,0\n-inf,1\n")).data["a"].tolist() == [np.inf, -np.inf]


def test_integers_beyond_64_bits_are_numbers(write) -> None:
    dataset = load_dataset(write("a,y\n100000000000000000000,0\n?,1\n"))
    assert dataset.data["a"].tolist()[0] == 1e20


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(write, separator: str, end: str) -> None:
    rows = [["a", "b", "y"], ["1.5", "red", "0"], ["-2e3", "blue", "1"]]
    text = end.join(separator.join(row) for row in rows) + end + end
    dataset = load_dataset(write(text))
    assert dataset.data["a"].tolist() == [1.5, -2000.0]
    assert dataset.data["b"].tolist() == ["red", "blue"]


def test_white_space_in_columns(write) -> None:
    path = write("  1.00  2  9 \n 1.50\t3  8 \n   \n 10    4  9\n", "ann.data")
    dataset = load_dataset(path)
    np.testing.assert_array_equal(dataset.data, [[1, 2], [1.5, 3], [10, 4]])
    assert dataset.target.tolist() == [9, 8, 9]


def test_data_file_has_no_header(write) -> None:
    path = write("2,30,?,1.00\n1,50,1,0.90\n", "hepatitis.data")
    dataset = load_dataset(path, target=0, unsafe_class="1")
    assert dataset.feature_names == ["x2", "x3", "x4"]
    assert dataset.target.tolist() == [2, 1]
    assert dataset.unsafe_class == 1
    assert load_dataset(path, target=-4).target.tolist() == [2, 1]
    assert load_dataset(path, target="x2").target.tolist() == [30, 50]


def test_data_file_of_words(write) -> None:
    dataset = load_dataset(write("vhigh,2,more,unacc\nlow,5more,2,acc\n", "car.data"))
    assert len(dataset.data) == 2
    assert dataset.data["x2"].tolist() == ["2", "5more"]


def test_data_file_with_a_header_asks(write) -> None:
    path = write("width,kind\n1,a\n2,b\n", "t.data")
    with pytest.raises(ValueError, match=r"t\.data, line 1: 'width' stands above.*header=True"):
        load_dataset(path)
    assert load_dataset(path, header=True).data["width"].tolist() == [1, 2]
    assert len(load_dataset(path, header=False).data) == 3


@pytest.mark.parametrize("cells", ["1,5 2,5 3,5", "1,5 2 3.25", "4 ? -0,5"])
def test_decimal_commas_do_not_become_words(write, cells) -> None:
    rows = "".join(f"{cell};a\n" for cell in cells.split())
    with pytest.raises(ValueError, match="column 'width' holds numbers with a decimal comma"):
        load_dataset(write("width;kind\n" + rows))


def test_csv_without_a_header_asks(write) -> None:
    path = write("6,148,positive\n1,85,negative\n")
    with pytest.raises(ValueError, match=r"line 1: '6' is a number.*header=False"):
        load_dataset(path)
    assert load_dataset(path, header=False).target.tolist() == ["positive", "negative"]
    assert load_dataset(path, header=True).feature_names == ["6", "148"]


def test_target_by_name_and_place(write) -> None:
    path = write("y,a,b\n0,1,2\n1,3,4\n")
    assert load_dataset(path, target="y").feature_names == ["a", "b"]
    assert load_dataset(path, target=0).feature_names == ["a", "b"]
    with pytest.raises(ValueError, match="target 'z' is not a column of table; its columns are: y"):
        load_dataset(path, target="z")
    with pytest.raises(ValueError, match=r"target 3 is no column of .*table.csv: it has 3 columns"):
        load_dataset(path, target=3)


def test_target_with_missing_cells(write) -> None:
    with pytest.raises(
        ValueError, match="target 'y' of table is missing in 1 of 3 rows, first in row 2"
    ):
        load_dataset(write("a,y\n1,0\n2,?\n3,1\n"))


def test_unknown_unsafe_class(write) -> None:
    with pytest.raises(
        ValueError, match=r"unsafe_class 'maybe' is not a class of table.*'no', 'yes'"
    ):
        load_dataset(write("a,y\n1,no\n2,yes\n"), unsafe_class="maybe")


@pytest.mark.parametrize("row", ["3,4", "3,4,5,6", "3"])
def test_ragged_line_is_named(write, row: str) -> None:
    count = row.count(",") + 1
    message = rf"table\.csv, line 4: {count} fields, but line 1 has 3"
    with pytest.raises(ValueError, match=message):
        load_dataset(write(f"a,b,y\n1,2,0\n\n{row}\n5,6,1\n"))


def test_ragged_line_after_a_quoted_line_end(write) -> None:
    with pytest.raises(ValueError, match=r"line 4: 2 fields, but line 1 has 3"):
        load_dataset(write('a,b,y\n1,"two\nlines",0\n3,4\n'))


def test_trailing_separator_is_a_nameless_column(write) -> None:
    with pytest.raises(ValueError, match="line 1: column 4 of 4 has no name"):
        load_dataset(write("a,b,y,\n1,2,0,\n"))


def test_row_numbers_without_a_name_are_not_a_feature(write) -> None:
    with pytest.raises(ValueError, match="column 1 of 3 has no name; name it, or remove it"):
        load_dataset(write(",a,y\n0,1,0\n1,2,1\n"))


def test_open_quote(write) -> None:
    with pytest.raises(ValueError, match=r"table\.csv, line 3: unexpected end of data"):
        load_dataset(write('a,b,y\n1,2,0\n3,"4,1\n5,6,0\n'))


def test_doubled_column_names(write) -> None:
    with pytest.raises(
        ValueError, match=r"line 1: the column name 'a' stands at the places \[1, 3\]"
    ):
        load_dataset(write("a,b,a,y\n1,2,3,0\n"))


@pytest.mark.parametrize("content", ["", "\n\n", "  \n", b"\xef\xbb\xbf"])
def test_empty_file(write, content: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"table\.csv is empty"):
        load_dataset(write(content))


def test_header_only_and_one_column(write) -> None:
    with pytest.raises(ValueError, match="one line only"):
        load_dataset(write("a,b,y\n"))
    with pytest.raises(ValueError, match="line 1: one column only, 'y'"):
        load_dataset(write("y\n0\n1\n"))
    with pytest.raises(ValueError, match="the separator may be another one than ','"):
        load_dataset(write("a;y\n0;1\n"), separator=",")


def test_lines_of_quotes_only(write) -> None:
    with pytest.raises(ValueError, match="has 2 rows, but pandas reads 3; is there a line"):
        load_dataset(write('a,y\n1,0\n""\n2,1\n'))


def test_one_row(write) -> None:
    assert len(load_dataset(write("a,y\n1,0\n")).data) == 1


def test_decimal_comma(write) -> None:
    with pytest.raises(
        ValueError, match="column 'a' holds numbers with a decimal comma, such as '1,5'"
    ):
        load_dataset(write("a;b;y\n1,5;2;0\n2,5;3;1\n"))


def test_separator_must_be_one_character(write) -> None:
    with pytest.raises(ValueError, match="separator must be one character"):
        load_dataset(write("a||y\n1||0\n"), separator="||")
    assert load_dataset(write("a|y\n1|0\n"), separator="|").feature_names == ["a"]


def test_byte_order_marks(write) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        path = write("größe,y\n1,0\n2,1\n".encode(encoding))
        assert load_dataset(path).feature_names == ["größe"]


def test_latin_1_with_a_warning(write) -> None:
    path = write("a,y\n1,0\ngrün,1\n".encode("latin-1"))
    with pytest.warns(UserWarning, match=r"not UTF-8 \(line 3\) and is read as Latin-1"):
        assert load_dataset(path).data["a"].tolist() == ["1", "grün"]
    assert load_dataset(path, encoding="latin-1").data["a"].tolist()[1] == "grün"
    with pytest.raises(ValueError, match="not in the encoding 'utf-8': byte 10"):
        load_dataset(path, encoding="utf-8")
    with pytest.raises(ValueError, match="encoding 'utf-99' is unknown"):
        load_dataset(path, encoding="utf-99")


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\x1a\n\x00\x00\x00", b"PK\x03\x04\x14\x00\xff", bytes(range(256))]
)
def test_binary_files(write, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"table\.csv, line \d: .* is no character of a text"):
        load_dataset(write(content))


def test_gzip(write) -> None:
    packed = gzip.compress(b"a,y\n1,0\n2,1\n")
    assert load_dataset(write(packed, "t.csv.gz")).data["a"].tolist() == [1, 2]
    assert load_dataset(write(gzip.compress(b"1,0\n2,1\n"), "t.data.gz")).name == "t"
    with pytest.raises(ValueError, match="not a complete gzip file"):
        load_dataset(write(packed[:-5], "t.csv.gz"))


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_dataset(tmp_path / "pima")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_dataset("nowhere/pima.csv")
    with pytest.raises(ValueError, match="is a folder"):
        load_dataset(tmp_path)


def test_checksum_sees_content_and_nothing_else(write) -> None:
    base = load_dataset(write("a,b,y\n1,u,0\n2,v,1\n")).checksum
    same = ["a,b,y\r\n1.0,u,0\r\n2.0,v,1\r\n", "a;b;y\n1;u;0\n2;v;1", '"a",b,y\n1,"u",0\n2,v,1\n']
    for text in same:
        assert load_dataset(write(text)).checksum == base
    other = [
        "a,b,y\n1,u,0\n2,v,0\n",
        "a,b,y\n1,u,0\n2,w,1\n",
        "a,c,y\n1,u,0\n2,v,1\n",
        "a,b,y\n2,v,1\n1,u,0\n",
        "a,b,y\n1,u,0\n?,v,1\n",
        "a,b,y\n1,u,0\n2,?,1\n",
    ]
    sums = {load_dataset(write(text)).checksum for text in other}
    assert len(sums) == len(other)
    assert base not in sums


def test_checksum_of_minus_zero(write) -> None:
    zero = load_dataset(write("a,y\n0,0\n1,1\n")).checksum
    assert load_dataset(write("a,y\n-0.0,0\n1,1\n")).checksum == zero


# words that are neither numbers nor truth values nor missing cells, without blanks at the ends
_WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=8
).map(lambda word: f"w{word}".strip())
_NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**53), 2**53).map(float)
)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(1, 12))
    names = draw(st.lists(_WORDS, min_size=2, max_size=5, unique=True))
    columns: dict[str, list[object]] = {}
    for name in names[:-1]:
        kind = draw(st.sampled_from([_NUMBERS, _WORDS]))
        cells = st.one_of(kind, st.none()) if draw(st.booleans()) else kind
        columns[name] = draw(st.lists(cells, min_size=rows, max_size=rows))
    columns[names[-1]] = draw(st.lists(_WORDS, min_size=rows, max_size=rows))
    return pd.DataFrame(columns)


@settings(max_examples=150, deadline=None)
@given(table=tables(), separator=st.sampled_from([",", ";", "\t"]), packed=st.booleans())
def test_csv_round_trip(table: pd.DataFrame, separator: str, packed: bool) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("t.csv.gz" if packed else "t.csv")
        table.to_csv(path, index=False, sep=separator)
        dataset = load_dataset(path, separator=separator)
    back = dataset.data.assign(**{str(dataset.target.name): dataset.target})
    assert list(back.columns) == list(table.columns)
    for name in table.columns:
        absent = table[name].isna().to_numpy()
        np.testing.assert_array_equal(back[name].isna(), absent)
        # equal to the last bit, and words letter by letter
        assert back[name][~absent].tolist() == table[name][~absent].tolist()


def test_every_spelling_of_a_missing_cell() -> None:
    text = "a,b\n" + "".join(f"{cell},x\n" for cell in MISSING) + "1,x\n"
    assert parse_delimited(text, "t")["a"].isna().tolist() == [True] * len(MISSING) + [False]


# pieces of which broken tables are made
_PIECES = [
    *["a", "b", "1", "2.5", "-1e9", "?", "NA", "", " ", ",", ",", ";", "\t", '"', "'", "\n", "\n"],
    *["{", "}", "%", "@data\n", "@relation r\n", "@attribute x real\n", "@attribute y {a,b}\n"],
    *["\\", "\r", "\x00", "ü", "\u2028", "1_0", "inf", "True", "0x1", "9" * 25],
]
_TEXTS = st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)
_ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-8-sig", "latin-1"])
_ENCODED = st.builds(lambda text, code: text.encode(code, "ignore"), _TEXTS, _ENCODINGS)


def _load_or_message(raw: bytes, suffix: str) -> Dataset | str:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"broken{suffix}"
        path.write_bytes(gzip.compress(raw) if suffix.endswith(".gz") else raw)
        try:
            return load_dataset(path)
        except ValueError as error:
            return str(error)


@settings(max_examples=500, deadline=None)
@given(
    raw=st.one_of(_ENCODED, st.binary(max_size=200)),
    suffix=st.sampled_from([".csv", ".data", ".arff", ".csv.gz"]),
)
@pytest.mark.filterwarnings("ignore:.*read as Latin-1")
def test_any_file_is_a_table_or_a_message_that_names_it(raw: bytes, suffix: str) -> None:
    loaded = _load_or_message(raw, suffix)
    if isinstance(loaded, str):
        assert "broken" in loaded
    else:
        assert len(loaded.data) == len(loaded.target) > 0
        assert not loaded.target.isna().any()
