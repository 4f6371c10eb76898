"""Stable descriptions of estimators and values, and the hashes made from them."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np


def describe_estimator(estimator: Any) -> dict[str, Any]:
    """Return class and parameters of an estimator as JSON values.

    Two estimators have the same description in every process and on every machine if, and
    only if, they are of one class and their parameters describe alike.

    Raises
    ------
    ValueError
        If a parameter has no description that stays the same from run to run.
    """
    described: dict[str, Any] = {"class": _qualified_name(type(estimator))}
    for name, value in sorted(estimator.get_params(deep=False).items()):
        try:
            described[name] = describe_value(value)
        except ValueError as error:
            raise ValueError(f"parameter {name!r} of {type(estimator).__name__}: {error}") from None
    return described


def describe_value(value: Any) -> Any:
    """Return a parameter value as JSON; see :func:`describe_estimator`."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return describe_value(value.item())
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        return describe_value(value.tolist())
    if isinstance(value, np.ndarray):
        content = sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return {"array": [str(value.dtype), list(value.shape), content]}
    if isinstance(value, Mapping):
        return {str(key): describe_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [describe_value(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((describe_value(item) for item in value), key=json.dumps)
    if hasattr(value, "get_params") and not isinstance(value, type):
        return describe_estimator(value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: describe_value(getattr(value, f.name)) for f in fields(value)}
        return {"class": _qualified_name(type(value)), **parts}
    if hasattr(value, "__qualname__"):
        return _qualified_name(value)
    return _stable_text(value)


def hash_json(value: Any) -> str:
    """Return 32 hexadecimal digits that depend on a JSON value and nothing else."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=True)
    return sha256(text.encode()).hexdigest()[:32]


def _qualified_name(thing: Any) -> str:
    if "<lambda>" in thing.__qualname__:
        raise ValueError("a lambda has no name to record; use a function defined in a module")
    return f"{thing.__module__}.{thing.__qualname__}"


def _stable_text(value: Any) -> str:
    text = repr(value)
    if " at 0x" in text:
        raise ValueError(
            f"{text} describes itself by its address in memory, which changes with every run; "
            "give its class a __repr__ that shows its content"
        )
    return text
