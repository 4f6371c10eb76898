"""Where a genetic search stands, kept in a file as JSON.

Nothing in a file is executed, and every entry is checked before a search goes on from it.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from baselines._genetic import RECORDED, Individual, Population, to_dict
from oblique.persist.document import check_keys
from oblique.persist.model_file import parse_json, replace_file

FORMAT = "oblique-trees genetic search"
FORMAT_VERSION = 1


def write_search(
    path: str | os.PathLike[str], population: Population, *, seed: int, identity: str
) -> None:
    """Write where a search stands; a reader sees the old file or the new one.

    Parameters
    ----------
    path : path-like
    population : Population
    seed : int
        Seed of all draws.
    identity : str
        Hash of the data and parameters that the search belongs to.
    """
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "identity": identity,
        # As text: JSON readers elsewhere keep 53 bits of a number.
        "seed": str(seed),
        "population": to_dict(population),
    }
    replace_file(Path(path), json.dumps(document, allow_nan=False) + "\n")


def read_search(path: str | os.PathLike[str], n_bits: int) -> tuple[Population, int, str]:
    """Read what `write_search` wrote.

    Returns
    -------
    (population, seed, identity)

    Raises
    ------
    ValueError
        Names what in the file does not fit.
    """
    try:
        document = parse_json(Path(path).read_bytes())
        if not isinstance(document, Mapping) or document.get("format") != FORMAT:
            raise ValueError(f'it lacks "format": "{FORMAT}"')
        if document.get("format_version") != FORMAT_VERSION:
            raise ValueError(f"format_version={document.get('format_version')!r} is not known")
        keys = {"format", "format_version", "identity", "seed", "population"}
        check_keys("the file", document, keys)
        seed = document["seed"]
        if not isinstance(seed, str) or not seed.isascii() or not seed.isdigit():
            raise ValueError(f"seed={seed!r} must be the digits of a number")
        if len(seed) > 40:
            raise ValueError("seed has too many digits")
        return _population(document["population"], n_bits), int(seed), str(document["identity"])
    except ValueError as error:
        raise ValueError(f"checkpoint {os.fspath(path)} cannot be read: {error}") from None


def _population(document: Any, n_bits: int) -> Population:
    keys = {"generation", "trials", "improved", "worst", "history", "members", "best"}
    check_keys("population", document, keys)
    counts = {name: _count(name, document[name]) for name in ("generation", "trials", "improved")}
    if not counts["generation"]:
        raise ValueError("generation must be at least 1")
    members, history, worst = (_list(name, document) for name in ("members", "history", "worst"))
    for record in history:
        check_keys("a record of history", record, set(RECORDED))
    return Population(
        [_individual(one, n_bits) for one in members],
        best=_individual(document["best"], n_bits),
        worst=[_number("worst", cost) for cost in worst],
        history=[{name: _number(name, record[name]) for name in RECORDED} for record in history],
        **counts,
    )


def _individual(document: Any, n_bits: int) -> Individual:
    check_keys("a string", document, {"bits", "cost", "trial"})
    bits = document["bits"]
    if not isinstance(bits, str) or len(bits) != n_bits or set(bits) - {"0", "1"}:
        raise ValueError(f"bits must be a text of {n_bits} zeros and ones")
    return Individual(
        [int(bit) for bit in bits], _number("cost", document["cost"]),
        _count("trial", document["trial"]),
    )  # fmt: skip


def _list(name: str, document: Mapping[str, Any]) -> list[Any]:
    found = document[name]
    if not isinstance(found, list) or not found:
        raise ValueError(f"{name} must be a list with entries")
    return found


def _count(name: str, value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{name}={value!r} must be a whole number of at least 0")
    return value


def _number(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < math.inf or value > sys.float_info.max:
        raise ValueError(f"{name}={value!r} must be a finite number that is not negative")
    return float(value)
