"""Parameters and fitted attributes as JSON, and back.

None, booleans, strings, integers, finite floats and lists of values stand for themselves.
Every JSON object has one of these forms, so that nothing is ambiguous::

    {"class": "AxisParallel", "params": {"threshold": value}}
    {"class": ..., "params": {...}, "fitted": {"tree_": value, ...}}   within an estimator
    {"tree": {...}}
    {"tuple": [value, ...]}
    {"dict": [[key, value], ...]}
    {"array": [value, ...], "dtype": "int64", "shape": [3]}
    {"float": "inf"}                                 also "-inf" and "nan"
"""

from __future__ import annotations

import inspect
import math
import reprlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oblique.persist.document import check_keys, tree_from_dict, tree_to_dict
from oblique.persist.fitted import OPTIONAL, check_fitted
from oblique.persist.registry import find_class, name_of
from oblique.tree import Tree

MAX_LEVELS = 50
# An array of strings takes as many characters for each entry as its longest one has.
_MAX_CHARACTERS = 50_000_000
_NUMBERS = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
}  # fmt: skip
_DTYPES = {*_NUMBERS, "str", "object"}
_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


# ---------------------------------------------------------------- to JSON


def encode(value: Any, what: str, level: int = 0) -> Any:
    """Return a value as JSON data.

    Parameters
    ----------
    value : object
    what : str
        What the value is, for errors.

    Raises
    ------
    ValueError
        For a value that a model file cannot hold; the message names it and the remedy.
    """
    if level > MAX_LEVELS:
        raise ValueError(f"{what} is nested deeper than {MAX_LEVELS} levels")
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, list | tuple):
        entries = [encode(entry, f"{what}[{i}]", level + 1) for i, entry in enumerate(value)]
        return {"tuple": entries} if isinstance(value, tuple) else entries
    if isinstance(value, dict):
        pairs = [
            [
                encode(key, f"a key of {what}", level + 1),
                encode(entry, f"{what}[{key!r}]", level + 1),
            ]
            for key, entry in value.items()
        ]
        return {"dict": pairs}
    if isinstance(value, np.ndarray):
        return _encode_array(value, what, level)
    if isinstance(value, Tree):
        return {"tree": tree_to_dict(value)}
    return _encode_object(value, what, level)


def _encode_array(array: NDArray[Any], what: str, level: int) -> dict[str, Any]:
    dtype = "str" if array.dtype.kind == "U" else array.dtype.name
    if dtype not in _DTYPES:
        raise ValueError(f"{what} is an array of {array.dtype}, which a model file cannot hold")
    # An array of objects may hold numpy's scalars.
    entries = [
        entry.item() if isinstance(entry, np.generic) else entry for entry in array.ravel().tolist()
    ]
    _check_entries(entries, dtype, what)
    encoded = [encode(entry, what, level + 1) for entry in entries]
    return {"array": encoded, "dtype": dtype, "shape": list(array.shape)}


def _encode_object(value: object, what: str, level: int) -> dict[str, Any]:
    if isinstance(value, np.random.RandomState | np.random.Generator):
        raise ValueError(
            f"{what} is a random generator, which a model file cannot hold: set it to an integer "
            "or None before saving"
        )
    try:
        name = name_of(value)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
    encoded = {"class": name, "params": encode_params(value, what, level)}
    attributes = getattr(value, "_fitted_attributes", ())
    if attributes and all(hasattr(value, each) for each in attributes):
        check_fitted(value)
        kept = [*attributes, *(extra for extra in sorted(OPTIONAL) if hasattr(value, extra))]
        encoded["fitted"] = {
            each: encode(getattr(value, each), f"{what}.{each}", level + 1) for each in kept
        }
    return encoded


def encode_params(value: object, what: str, level: int = 0) -> dict[str, Any]:
    """Return the constructor's parameters of an object, read from its attributes."""
    return {
        name: encode(getattr(value, name), f"{what}.{name}", level + 1)
        for name in parameter_names(type(value))
    }


def parameter_names(cls: type) -> list[str]:
    """Names of a constructor's parameters, without those that are given by position only."""
    parameters = inspect.signature(cls).parameters.values()
    return [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]


# ---------------------------------------------------------------- from JSON


def decode(data: Any, what: str, level: int = 0) -> Any:
    """Return the value that JSON data stand for.

    Raises
    ------
    ValueError
        Names what does not fit.
    """
    if level > MAX_LEVELS:
        raise ValueError(f"{what} is nested deeper than {MAX_LEVELS} levels")
    if isinstance(data, list):
        return [decode(entry, f"{what}[{i}]", level + 1) for i, entry in enumerate(data)]
    if isinstance(data, float) and not math.isfinite(data):
        raise ValueError(f"{what} is a number that is too large")
    if not isinstance(data, Mapping):
        return data
    form = next((name for name in _FORMS if name in data), None)
    if form is None:
        raise ValueError(f"{what} is an object of no known form: its keys are {sorted(data)}")
    keys, read = _FORMS[form]
    check_keys(what, data, keys, frozenset({"fitted"}) if form == "class" else frozenset())
    return read(data, what, level)


def _decode_object(data: Mapping[str, Any], what: str, level: int) -> Any:
    try:
        cls = find_class(data["class"])
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None
    made = make(cls, data["params"], what, level)
    if "fitted" in data:
        attributes = getattr(cls, "_fitted_attributes", None)
        if attributes is None:
            raise ValueError(f"{what}: {cls.__name__} is not an estimator")
        check_keys(f"{what}: fitted", data["fitted"], set(attributes), OPTIONAL)
        for each, value in data["fitted"].items():
            setattr(made, each, decode(value, f"{what}.{each}", level + 1))
        check_fitted(made)
    return made


def make(cls: type, params: Any, what: str, level: int = 0) -> Any:
    """Make an object of a known class from encoded parameters."""
    check_keys(f"{what} ({cls.__name__})", params, set(parameter_names(cls)))
    values = {name: decode(entry, f"{what}.{name}", level + 1) for name, entry in params.items()}
    try:
        return cls(**values)
    except Exception as error:
        # A constructor may raise anything when it gets a value of the wrong kind.
        raise ValueError(f"{what} ({cls.__name__}): {error}") from error


def _decode_tree(data: Mapping[str, Any], what: str, level: int) -> Tree:
    try:
        return tree_from_dict(data["tree"])
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def _decode_tuple(data: Mapping[str, Any], what: str, level: int) -> tuple[Any, ...]:
    return tuple(_decode_list(data["tuple"], what, level))


def _decode_list(entries: Any, what: str, level: int) -> list[Any]:
    if not isinstance(entries, list):
        raise ValueError(f"{what} must be a list, got {reprlib.repr(entries)}")
    return [decode(entry, f"{what}[{i}]", level + 1) for i, entry in enumerate(entries)]


def _decode_dict(data: Mapping[str, Any], what: str, level: int) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for pair in _decode_list(data["dict"], what, level):
        if not isinstance(pair, list) or len(pair) != 2:
            raise ValueError(f"{what} must be a list of pairs, got {reprlib.repr(pair)}")
        try:
            found[pair[0]] = pair[1]
        except TypeError:
            raise ValueError(f"{what}: {reprlib.repr(pair[0])} cannot be a key") from None
    return found


def _decode_float(data: Mapping[str, Any], what: str, level: int) -> float:
    name = data["float"]
    if not isinstance(name, str) or name not in _FLOATS:
        raise ValueError(f"{what}: float must be inf, -inf or nan, got {reprlib.repr(name)}")
    return _FLOATS[name]


def _decode_array(data: Mapping[str, Any], what: str, level: int) -> NDArray[Any]:
    entries, dtype = _decode_list(data["array"], what, level), data["dtype"]
    shape = data["shape"]
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise ValueError(f"{what}: an array cannot have dtype {reprlib.repr(dtype)}")
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"{what}: shape must list sizes, got {reprlib.repr(shape)}")
    if math.prod(shape) != len(entries) or len(shape) > 8:
        raise ValueError(f"{what}: {len(entries)} entries do not fill the shape {shape}")
    _check_entries(entries, dtype, what)
    if dtype == "object":
        array = np.empty(len(entries), dtype=object)
        array[:] = entries
        return array.reshape(shape)
    try:
        return np.array(entries, dtype=dtype).reshape(shape)
    except OverflowError:
        raise ValueError(f"{what} holds an integer that is too large for {dtype}") from None


def _check_entries(entries: list[Any], dtype: str, what: str) -> None:
    if dtype == "object":
        kinds: tuple[type, ...] = (str, bool, int, float, type(None))
    elif dtype == "str":
        kinds = (str,)
    else:
        kind = np.dtype(dtype).kind
        kinds = {"b": (bool,), "f": (int, float)}.get(kind, (int,))
    for position, entry in enumerate(entries):
        if type(entry) not in kinds:
            raise ValueError(f"{what}[{position}]: {reprlib.repr(entry)} is not of dtype {dtype}")
    if dtype == "str" and len(entries) * max(map(len, entries), default=0) > _MAX_CHARACTERS:
        raise ValueError(f"{what} holds a string that is too long for so many entries")


_Reader = Callable[[Mapping[str, Any], str, int], Any]
_FORMS: dict[str, tuple[set[str], _Reader]] = {
    "class": ({"class", "params"}, _decode_object),
    "tree": ({"tree"}, _decode_tree),
    "tuple": ({"tuple"}, _decode_tuple),
    "dict": ({"dict"}, _decode_dict),
    "array": ({"array", "dtype", "shape"}, _decode_array),
    "float": ({"float"}, _decode_float),
}
