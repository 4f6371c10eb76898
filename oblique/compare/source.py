"""Where a comparison gets its data from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oblique.datasets import Dataset


@dataclass(frozen=True, eq=False)
class Source:
    """A data set of a comparison: what any process needs to get at its rows.

    Parameters
    ----------
    name : str
        Under which it appears in tables and from which seeds are made.
    location : str, optional
        What :func:`oblique.datasets.load_dataset` gets: the name of a set, or the path of a
        file, which every worker must be able to read.
    target : str, optional
        Column with the class, for a file.
    unsafe_class : str, optional
        Class whose misses matter most; by default what the data set says of itself.
    header : bool, optional
        Whether the first line of a file holds the column names; by default as
        :func:`oblique.datasets.load_dataset` decides.
    costs : CostModel, str or path, optional
        What tests and errors cost in it: a :class:`~oblique.costs.CostModel`, the name of a
        published table (:func:`oblique.costs.load_costs`) or a file
        (:func:`oblique.costs.read_costs`).
    errors : float, mapping, matrix or path, optional
        What errors cost, as for :class:`~oblique.costs.CostModel`, unless the model says so.
    dataset : Dataset, optional
        The rows themselves, when there is nothing to load. They travel with every cell.
    """

    name: str
    location: str | None = None
    target: str | None = None
    unsafe_class: Any = None
    header: bool | None = None
    costs: Any = None
    errors: Any = None
    dataset: Dataset | None = None


def make_source(given: Any) -> Source:
    """Turn a name, a path or a loaded data set into a source.

    Parameters
    ----------
    given : str, path, Dataset or Source
        A :class:`~oblique.datasets.Dataset` is what ``load_dataset`` and ``make_dataset``
        return. A text is a file if there is one of that path, else a name.

    Raises
    ------
    TypeError
        If it is none of these.
    """
    from oblique.datasets import Dataset

    if isinstance(given, Source):
        return given
    if isinstance(given, Dataset):
        return Source(given.name, dataset=given)
    if not isinstance(given, str | PathLike):
        raise TypeError(
            "a data set must be a name, a path, or what load_dataset or make_dataset returns; "
            f"got {type(given).__name__}"
        )
    path = Path(fspath(given))
    if path.is_file():
        return Source(path.name.split(".")[0] or path.name, str(path.resolve()))
    return Source(fspath(given), fspath(given))


def load_source(source: Source) -> Dataset:
    """Return the rows of a source; a file or a named set is read once a process.

    Raises
    ------
    ValueError
        If the data set is unknown or malformed, or has no class of the name said to be unsafe.
    """
    if source.dataset is not None:
        return source.dataset
    assert source.location is not None
    return _load_location(source.location, source.target, source.unsafe_class, source.header)


@lru_cache(maxsize=32)
def _load_location(
    location: str, target: str | None, unsafe_class: Any, header: bool | None
) -> Dataset:
    from oblique.datasets import load_dataset

    options = {"target": target, "unsafe_class": unsafe_class, "header": header}
    given = {name: value for name, value in options.items() if value is not None}
    return load_dataset(location, **given)
