"""Loading a data set by its name, from a file, or from openml.org."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import openml
from .arff import parse_arff
from .catalog import CATALOG
from .dataset import Dataset, make_dataset
from .delimited import parse_delimited
from .text import decode_text

if TYPE_CHECKING:
    import pandas as pd

#: The five public sets of Vadera (2005), Table 2, as the paper used them.
PAPER_SETS = (
    "pima",
    "breast_cancer_complete",
    "housing",
    "heart_complete",
    "hepatitis_filled",
)

_OPENML = "openml:"
# UCI writes its tables without column names into files with these endings
_HEADERLESS = {".data", ".dat"}


def load_dataset(
    name_or_path: str | os.PathLike[str],
    *,
    target: str | int | None = None,
    unsafe_class: Any = None,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str | None = None,
) -> Dataset:
    """Load a data set for classification.

    Parameters
    ----------
    name_or_path : str or path
        A name out of :func:`list_datasets`; the path of a CSV, ARFF or UCI ``.data`` file,
        gzip-ed or not; or ``"openml:NAME"`` or ``"openml:NUMBER"`` for a set of openml.org.
    target : str or int, optional
        Column of the class in a file: its name or its place, counted from 0 or, negative, from
        the end. By default the last column. For a set of openml.org a name, by default the
        target named there. A named set has its class.
    unsafe_class : label, optional
        The class that is dangerous to miss: a label, its spelling or its name. By default the
        one known for a named set, None for others.
    header : bool, optional
        Whether the first line of a file holds the column names. By default it does, except in
        ``.data`` and ``.dat`` files; without names the columns are called x1, x2, ...
    separator : str, optional
        Character between the fields of a file; by default comma, semicolon or tab, whichever the
        first line holds most often, else white space.
    encoding : str, optional
        Encoding of a file; by default UTF-8, or Latin-1 (with a warning) when it is not UTF-8.

    Returns
    -------
    Dataset
        With the attributes data, target, unsafe_class, class_names, description, source, licence,
        name and checksum. Words become categorical columns; an empty cell, ``?``, ``NA``, ``N/A``
        and ``nan`` are missing.

    Raises
    ------
    ValueError
        An unknown name (the nearest ones are offered); a file with rows of unequal length, bad
        syntax, doubled names, no rows, no such target, a target with missing cells or bytes that
        are no text, with the line where it has one; an unknown unsafe class.
    FileNotFoundError
        No such file.
    ConnectionError
        openml.org does not answer.

    Examples
    --------
    >>> from oblique.datasets import load_dataset
    >>> pima = load_dataset("pima")
    >>> pima.data.shape, pima.unsafe_class, pima.class_names[1]
    ((768, 8), 1, 'diabetes')
    """
    name = os.fspath(name_or_path)
    options = {"header": header, "separator": separator, "encoding": encoding}
    if name in CATALOG:
        _refuse_options({"target": target, **options}, f"the named set {name!r}")
        return _load_named(name, unsafe_class)
    if name.startswith(_OPENML):
        _refuse_options(options, "a set of openml.org")
        if isinstance(target, int):
            raise ValueError("target of a set of openml.org must be a name, not a place")
        reference = name.removeprefix(_OPENML)
        return openml.fetch(reference, target=target, unsafe_class=unsafe_class)
    path = Path(name)
    if not path.is_file():
        raise _nothing_there(name_or_path, path)
    frame = _read_file(path, header, separator, encoding)
    return make_dataset(
        path.name.split(".")[0] or path.name,
        frame,
        target=_target_name(frame, target, path),
        unsafe_class=unsafe_class,
        description=f"Read from the file {path.name}.",
        source=str(path),
    )


def read_table(
    path: str | os.PathLike[str],
    *,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str | None = None,
) -> pd.DataFrame:
    """Read a file as `load_dataset` does, without telling a class from the features.

    Parameters
    ----------
    path : str or path
        A CSV, ARFF or UCI ``.data`` file, gzip-ed or not.
    header, separator, encoding
        As for :func:`load_dataset`.

    Raises
    ------
    ValueError
        If the file is malformed; with the line where it has one.
    FileNotFoundError
        No such file.
    """
    if not Path(path).is_file():
        raise _nothing_there(path, Path(path))
    return _read_file(Path(path), header, separator, encoding)


def list_datasets() -> list[str]:
    """Names that :func:`load_dataset` knows without a file or a network."""
    return list(CATALOG)


def describe_datasets() -> pd.DataFrame:
    """Tell what the named sets hold.

    Returns
    -------
    pandas.DataFrame
        One row a set, indexed by name: rows, features, classes, missing (cells), unsafe (meaning
        of the unsafe class, empty when there is none), unsafe_share (of the rows, NaN when there
        is none) and licence.
    """
    import pandas as pd

    table = {}
    for name in CATALOG:
        dataset = load_dataset(name)
        unsafe = dataset.unsafe_class
        table[name] = {
            "rows": len(dataset.data),
            "features": dataset.data.shape[1],
            "classes": len(dataset.classes),
            "missing": int(dataset.data.isna().to_numpy().sum()),
            "unsafe": "" if unsafe is None else dataset.class_names[unsafe],
            "unsafe_share": float("nan") if unsafe is None else (dataset.target == unsafe).mean(),
            "licence": dataset.licence,
        }
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("name")


def _load_named(name: str, unsafe_class: Any) -> Dataset:
    entry = CATALOG[name]
    return make_dataset(
        name,
        entry.read(),
        target="class",
        unsafe_class=entry.unsafe_class if unsafe_class is None else unsafe_class,
        class_names=entry.class_names,
        description=entry.description,
        source=entry.source,
        licence=entry.licence,
    )


def _refuse_options(options: dict[str, Any], where: str) -> None:
    given = [key for key, value in options.items() if value is not None]
    if given:
        raise ValueError(f"{given[0]} belongs to files and cannot be given for {where}")


def _nothing_there(given: str | os.PathLike[str], path: Path) -> Exception:
    """Say whether a name or a path was meant, and what is near."""
    if path.is_dir():
        return ValueError(f"{path} is a folder, not a data file")
    if not isinstance(given, str) or path.suffix or len(path.parts) > 1:
        return FileNotFoundError(f"there is no file {path}")
    near = difflib.get_close_matches(path.name.lower(), CATALOG, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
    return ValueError(
        f"there is no data set and no file called {given!r}{hint} "
        f"The named sets are: {', '.join(CATALOG)}"
    )


def _read_file(
    path: Path, header: bool | None, separator: str | None, encoding: str | None
) -> pd.DataFrame:
    label = str(path)
    text = decode_text(path.read_bytes(), label, encoding)
    suffix = path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix
    if suffix.lower() == ".arff":
        _refuse_options({"header": header, "separator": separator}, f"the ARFF file {path}")
        return parse_arff(text, label)
    assume = suffix.lower() not in _HEADERLESS
    return parse_delimited(text, label, header=header, assume_header=assume, separator=separator)


def _target_name(frame: pd.DataFrame, target: str | int | None, path: Path) -> str:
    """Turn a place into the name of the column there."""
    if isinstance(target, str):
        return target
    place = -1 if target is None else target
    if not -frame.shape[1] <= place < frame.shape[1]:
        raise ValueError(
            f"target {target} is no column of {path}: it has {frame.shape[1]} columns, counted "
            "from 0"
        )
    return str(frame.columns[place])
