"""Error texts that offer the nearest known names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown_name(what: str, name: object, known: Iterable[str]) -> str:
    """Say that a name is not known, which names are near it, and which there are."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
    return f"{what}={name!r} is not known{hint} Known: {', '.join(names)}"
