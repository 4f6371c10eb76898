"""Saving a model to a file and loading it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import secrets
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from oblique.persist.document import check_keys
from oblique.persist.fitted import OPTIONAL, check_fitted
from oblique.persist.registry import find_class, name_of
from oblique.persist.values import decode, encode, encode_params, make
from oblique.tree import Tree

FORMAT = "oblique-trees model"
FORMAT_VERSION = 1


class ModelFileError(ValueError):
    """A file is not a model that can be loaded."""


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted model as JSON.

    The file is written under another name and renamed, so that a reader sees the old file or
    the new one, never a part.

    Parameters
    ----------
    model : estimator or Tree
        A fitted estimator of this package, of an installed package that declares it, or of
        your own (`oblique.persist.persistable`).
    path : path-like

    Raises
    ------
    ValueError
        When the model holds something that a file cannot; the message names the parameter.
    sklearn.exceptions.NotFittedError
        When the estimator is not fitted.
    """
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "package_version": _package_version(),
        "model": _encode_model(model),
    }
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    replace_file(Path(path), text + "\n")


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model that `save` wrote.

    Nothing in the file is executed or imported: it is JSON, its classes come from a fixed
    table and every entry is checked.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    model : estimator or Tree

    Raises
    ------
    ModelFileError
        Names what in the file does not fit. It is a ValueError.
    OSError
        When the file cannot be read.
    """
    content = _read(Path(path))
    try:
        return _decode_model(parse_json(content))
    except ValueError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from error


def _encode_model(model: Any) -> dict[str, Any]:
    if isinstance(model, Tree):
        encoded: dict[str, Any] = encode(model.check(), "model")
        return encoded
    name = name_of(model)
    attributes = getattr(model, "_fitted_attributes", None)
    if attributes is None:
        raise ValueError(f"model must be a fitted estimator or a Tree, got {name}")
    check_is_fitted(model)
    # What could not be loaded is not saved either.
    check_fitted(model)
    names = [*attributes, *(extra for extra in sorted(OPTIONAL) if hasattr(model, extra))]
    return {
        "class": name,
        "params": encode_params(model, name),
        "fitted": {entry: encode(getattr(model, entry), f"{name}.{entry}") for entry in names},
    }


def _decode_model(document: Any) -> Any:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f'not a model file: it lacks "format": "{FORMAT}"')
    version = document.get("format_version")
    if type(version) is not int or version < 1:
        raise ValueError(f"format_version={version!r} must be an integer of at least 1")
    if version > FORMAT_VERSION:
        raise ValueError(
            f"written by a newer version of oblique-trees (format {version}, this one reads up "
            f"to {FORMAT_VERSION}): upgrade the package"
        )
    check_keys(
        "the file", document, {"format", "format_version", "model"}, frozenset({"package_version"})
    )
    model = document["model"]
    if isinstance(model, dict) and "tree" in model:
        return decode(model, "model")
    check_keys("model", model, {"class", "params", "fitted"})
    cls = find_class(model["class"])
    attributes = getattr(cls, "_fitted_attributes", None)
    if attributes is None:
        raise ValueError(f"model: {cls.__name__} is not an estimator")
    check_keys("fitted", model["fitted"], set(attributes), OPTIONAL)
    estimator = make(cls, model["params"], "params")
    for name, value in model["fitted"].items():
        setattr(estimator, name, decode(value, name))
    check_fitted(estimator)
    return estimator


# ---------------------------------------------------------------- text


def parse_json(content: bytes) -> Any:
    """Return JSON as plain data; raise ValueError for anything but strict JSON."""
    try:
        return json.loads(
            content.decode("utf-8"),
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique_keys,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"not a JSON file: {error}") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {max(keys, key=keys.count)!r} appears twice in one object")
    return found


def _read(path: Path) -> bytes:
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder, not a model file")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no model file {path}") from None


def replace_file(path: Path, text: str) -> None:
    """Write a file under a name of its own beside the old one, then rename it into place."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with draft.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _package_version() -> str:
    try:
        return importlib.metadata.version("oblique-trees")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
