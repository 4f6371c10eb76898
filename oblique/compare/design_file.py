"""Designs in TOML files."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.base import clone

from oblique._suggest import unknown_name
from oblique.compare.design import Design
from oblique.compare.pricing import check_costs, read_cost_model
from oblique.compare.source import Source, load_source, make_source
from oblique.compare.strategy import Strategy, load_strategy

_KEYS = (
    "datasets",
    "strategies",
    "train_sizes",
    "n_folds",
    "repeats",
    "seed",
    "unsafe_cost",
    "data",
    "strategy",
)
_DATA_KEYS: dict[str, Any] = {
    "path": str,
    "target": str,
    "unsafe_class": (str, int, float, bool),
    "header": bool,
    "costs": str,
    "errors": (int, float, str, dict),
}
_WANTED = {
    str: "a text",
    dict: "a table",
    bool: "true or false",
    (str, int, float, bool): "a class: a text, a number, true or false",
    (int, float, str, dict): "a number, a table { CLASS = number } or the path of a file",
}
_STRATEGY_KEYS: dict[str, Any] = {
    "use": str, "parameters": dict, "noise": dict, "description": str,
}  # fmt: skip
_NOISE_KEYS = ("train", "test")


class DesignFileError(ValueError):
    """A design file says something that cannot be understood; the line is named."""


def read_design(path: str | PathLike[str]) -> Design:
    """Read a design from a TOML file.

    The keys are the parameters of :class:`~oblique.compare.Design`. A name in ``datasets`` may
    have a table ``[data.NAME]`` with ``path`` (relative to the file), ``target``,
    ``unsafe_class``, ``header``, ``costs`` (name of a published table, or a file relative to this
    one) and ``errors`` (a number, a table of classes and numbers, or a file); one in
    ``strategies`` a table ``[strategy.NAME]`` with ``use`` (an installed strategy or
    ``module:attribute``), ``parameters``, ``noise`` (``train`` and ``test``, as for
    :func:`oblique.indecision.add_noise`) and ``description``.

    Examples
    --------
    ::

        datasets = ["pima", "wards"]
        strategies = ["ldt", "stump"]
        train_sizes = [0.3, 0.5, 0.7]
        repeats = 50

        [data.wards]
        path = "wards.csv"
        unsafe_class = "ill"

        [strategy.stump]
        use = "sklearn.tree:DecisionTreeClassifier"
        parameters = { max_depth = 1 }

    Raises
    ------
    DesignFileError
        If the syntax, a key or a value is wrong; with the number of the line.
    """
    document = _Document(Path(path), _read_text(Path(path)))
    given = document.parse()
    document.check_keys(given, _KEYS, "")
    for required, table, kinds in (
        ("datasets", "data", _DATA_KEYS),
        ("strategies", "strategy", _STRATEGY_KEYS),
    ):
        names = given.get(required)
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise document.error(f"{required} must be a list of names", required)
        document.check_tables(given.get(table, {}), table, kinds)
    if "n_folds" in given and "train_sizes" in given:
        raise document.error("n_folds and train_sizes exclude each other", "train_sizes")
    data, strategy = given.pop("data", {}), given.pop("strategy", {})
    listed = {"data": given["datasets"], "strategy": given["strategies"]}
    given["datasets"] = [
        _make_source(name, data.get(name, {}), document) for name in given["datasets"]
    ]
    given["strategies"] = [
        _make_strategy(name, strategy.get(name, {}), document) for name in given["strategies"]
    ]
    document.check_used(data, "data", listed["data"])
    document.check_used(strategy, "strategy", listed["strategy"])
    try:
        design = Design(**given)
    except (ValueError, TypeError) as error:
        named = [key for key in given if str(error).startswith(key)]
        raise document.error(str(error), *named[:1]) from None
    for source in design.datasets:
        _check_source(source, document)
    return design


def _check_source(source: Source, document: _Document) -> None:
    """Load a data set and its costs, so that what is wrong with them is told with its line."""
    given = ("unsafe_class", "target", "path", "errors", "costs")
    try:
        dataset = load_source(source)
        costs = read_cost_model(source.costs, source.errors)
        if costs is not None:
            check_costs(costs, dataset)
    except (ValueError, OSError) as error:
        told = str(error)
        # The first key that the message speaks of, else where the data set is listed.
        table = f"data.{source.name}"
        for key in given:
            if re.search(rf"\b{key}\b", told) and document.has(key, table):
                raise document.error(told, key, table) from None
        raise document.error_at(told, source.name, "datasets") from None


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors write a byte-order mark
    except FileNotFoundError:
        raise DesignFileError(f"there is no design file {path}") from None
    except UnicodeDecodeError as error:
        raise DesignFileError(f"{path} is no UTF-8 text: {error}") from None
    except OSError as error:
        raise DesignFileError(f"{path} cannot be read: {error.strerror}") from None


def format_design(design: Design) -> str:
    """Write a design as the text of a TOML file that `read_design` understands.

    What was given from Python and cannot be loaded by name is there as a comment.
    """
    lines = [
        _assign("datasets", [source.name for source in design.datasets]),
        _assign("strategies", [strategy.name for strategy in design.strategies]),
        _assign("train_sizes", list(design.train_sizes)),
        _assign("repeats", design.repeats),
        _assign("seed", design.seed),
    ]
    if design.n_folds is not None:
        lines[2] = _assign("n_folds", design.n_folds)
    if design.unsafe_cost is not None:
        lines.append(_assign("unsafe_cost", design.unsafe_cost))
    for source in design.datasets:
        lines += _format_source(source)
    for strategy in design.strategies:
        lines += _format_strategy(strategy)
    return "\n".join(lines) + "\n"


def _format_source(source: Source) -> list[str]:
    if source.dataset is not None:
        return ["", f"# data set {source.name!r} was given from Python"]
    given = {
        "target": source.target, "unsafe_class": source.unsafe_class, "header": source.header,
        "costs": source.costs, "errors": source.errors,
    }  # fmt: skip
    for key in ("costs", "errors"):
        # The file may be read from another folder.
        if isinstance(given[key], str | PathLike) and Path(given[key]).is_file():
            given[key] = str(Path(given[key]).resolve())
    if source.location != source.name:
        given["path"] = source.location
    known = {key: value for key, value in given.items() if value is not None}
    if not known:
        return []
    lines = ["", f"[data.{json.dumps(source.name)}]"]
    for key, value in known.items():
        try:
            lines.append(_assign(key, value))
        except TypeError:  # no text, number or table of them
            lines.append(f"# {key} was given from Python")
    return lines


def _format_strategy(strategy: Strategy) -> list[str]:
    if not strategy.reference:
        told = " ".join(repr(strategy.estimator).split())
        return ["", f"# strategy {strategy.name!r} was given from Python: {told}"]
    noise = _noise_of(strategy)
    if strategy.reference == strategy.name and not strategy.overrides and not noise:
        return []
    lines = ["", f"[strategy.{json.dumps(strategy.name)}]", _assign("use", strategy.reference)]
    if strategy.overrides:
        lines.append(_assign("parameters", dict(strategy.overrides)))
    if noise:
        lines.append(_assign("noise", noise))
    return lines


def _noise_of(strategy: Strategy) -> dict[str, float]:
    """Return what `add_noise` added to a strategy, empty for nothing."""
    from oblique.indecision import NoisyMeasurements

    estimator = strategy.estimator
    if not isinstance(estimator, NoisyMeasurements):
        return {}
    return {key: float(getattr(estimator, key)) for key in _NOISE_KEYS}


def _assign(key: str, value: Any) -> str:
    return f"{key} = {_write(value)}"


def _write(value: Any) -> str:
    """Write a value; JSON's texts, numbers, booleans and lists are TOML's, too."""
    if isinstance(value, Mapping):
        inner = (f"{json.dumps(str(key))} = {_write(entry)}" for key, entry in value.items())
        return f"{{ {', '.join(inner)} }}"
    return json.dumps(value, ensure_ascii=False)


class _Document(NamedTuple):
    """A TOML file and its text, from which the lines of errors are found."""

    path: Path
    text: str

    def parse(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise DesignFileError(f"{self.path}: {error}") from None

    def check_tables(self, tables: Any, kind: str, types: dict[str, Any]) -> None:
        """Check the tables ``[kind.NAME]`` and the types of what they hold."""
        if not isinstance(tables, dict):
            raise self.error(f"{kind} must be tables [{kind}.NAME]", kind)
        for name, entries in tables.items():
            table = f"{kind}.{name}"
            self.check_keys(entries, tuple(types), table)
            for key, value in entries.items():
                kinds = types[key] if isinstance(types[key], tuple) else (types[key],)
                if type(value) not in kinds:
                    wanted = _WANTED[types[key]]
                    raise self.error(f"{key} must be {wanted}, got {value!r}", key, table)

    def check_used(self, tables: dict[str, Any], kind: str, names: list[str]) -> None:
        """Refuse a table whose name is not listed; it would be ignored without a word."""
        for name in tables:
            if name not in names:
                told = unknown_name("listed name", name, names)
                raise self.error(f"[{kind}.{name}]: {told}", name, kind)

    def check_keys(self, entries: Any, known: tuple[str, ...], table: str) -> None:
        if not isinstance(entries, dict):
            raise self.error(f"[{table}] must be a table", *table.rsplit(".", 1)[::-1])
        for key in entries:
            if key not in known:
                raise self.error(unknown_name("key", key, known), key, table)

    def error(self, message: str, key: str = "", table: str = "") -> DesignFileError:
        line = (self._line_of(key, table) or self._only_line_of(key)) if key else 0
        where = f"{self.path}, line {line}" if line else f"{self.path}"
        return DesignFileError(f"{where}: {message}")

    def error_at(self, message: str, name: str, key: str) -> DesignFileError:
        """Return an error about a name in a list, which may have lines of its own."""
        start = self._line_of(key, "")
        for number, line in enumerate(self.text.splitlines()[start - 1 :], start=start):
            if re.search(rf"""["']{re.escape(name)}["']""", line):
                return DesignFileError(f"{self.path}, line {number}: {message}")
        return self.error(message, key)

    def has(self, key: str, table: str) -> bool:
        """Whether a table sets a key."""
        return self._line_of(key, table) > 0

    def _line_of(self, key: str, table: str) -> int:
        """Return the number of the line that sets a key or opens its table, or 0."""
        current = ""
        names = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]""")
        for number, line in enumerate(self.text.splitlines(), start=1):
            header = re.match(r"\s*\[+([^\]]+)\]", line)
            if header:
                current = re.sub(r"""["'\s]""", "", header.group(1))
                opened = f"{table}.{key}" if table else key
                if current == opened or (not table and current.startswith(f"{key}.")):
                    return number
            elif current == table and names.match(line):
                return number
        return 0

    def _only_line_of(self, key: str) -> int:
        """Return the number of the one line that sets a key in another way, or 0.

        As in an inline table, or by a dotted key; where several do it is not told.
        """
        sets = re.compile(rf"""(?<![\w-])["']?{re.escape(key)}["']?\s*=""")
        lines = [n for n, line in enumerate(self.text.splitlines(), 1) if sets.search(line)]
        return lines[0] if len(lines) == 1 else 0


def _make_source(name: Any, entries: dict[str, Any], document: _Document) -> Source:
    if not entries:
        return make_source(name)
    reading = {key: value for key, value in entries.items() if key != "path"}
    for key in ("costs", "errors"):
        beside = document.path.parent / str(reading.get(key, ""))
        if beside.is_file():
            reading[key] = str(beside.resolve())
    if "path" not in entries:
        return Source(name, name, **reading)
    path = document.path.parent / entries["path"]
    if not path.is_file():
        raise document.error(f"there is no file {path}", "path", f"data.{name}")
    return Source(name, str(path.resolve()), **reading)


def _make_strategy(name: Any, entries: dict[str, Any], document: _Document) -> Strategy:
    table = f"strategy.{name}"
    try:
        found = load_strategy(entries.get("use", name), name=name)
    except (ValueError, TypeError) as error:
        if document.has("use", table):
            raise document.error(str(error), "use", table) from None
        raise document.error_at(str(error), name, "strategies") from None
    try:
        estimator = clone(found.estimator).set_params(**entries.get("parameters", {}))
    except (ValueError, TypeError) as error:
        raise document.error(str(error), "parameters", table) from None
    description = entries.get("description", found.description)
    strategy = Strategy(
        name, estimator, description, found.reference, entries.get("parameters", {})
    )
    return _make_noisy(strategy, entries["noise"], document) if "noise" in entries else strategy


def _make_noisy(strategy: Strategy, noise: dict[str, Any], document: _Document) -> Strategy:
    from oblique.indecision import add_noise

    table = f"strategy.{strategy.name}"
    for key in noise:
        if key not in _NOISE_KEYS:
            raise document.error(unknown_name("key", key, _NOISE_KEYS), "noise", table)
    try:
        return add_noise([strategy], **noise)[0]
    except ValueError as error:
        raise document.error(str(error), "noise", table) from None
