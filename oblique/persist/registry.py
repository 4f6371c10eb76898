"""The classes that a model file may name.

A file names a class by its bare name, and the name is looked up here. Nothing in a file can
make Python import a module, so the set of classes that a file can reach is fixed by what is
installed: our own (`OWN`), the entry points of the group ``oblique.persistable`` that
installed packages declare, each under its class name, and what a program has handed to
`persistable` itself.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
from typing import Any, TypeVar

from oblique._suggest import unknown_name

GROUP = "oblique.persistable"
C = TypeVar("C", bound=type)

# Class name -> module; a module is imported when a file names its class.
OWN: dict[str, str] = {
    "ObliqueTreeClassifier": "oblique.estimators",
    "LDTClassifier": "oblique.estimators",
    "IndecisionTreeClassifier": "oblique.indecision",
    "GeometricRanking": "oblique.sensitivity",
    "Columns": "oblique.encode",
    "LinearSplit": "oblique.split",
    "CategorySplit": "oblique.split",
    "AxisParallel": "oblique.finders",
    "Categories": "oblique.finders",
    "LinearDiscriminant": "oblique.finders",
    "SafeAdjusted": "oblique.finders",
    "BestOf": "oblique.finders",
    "FixedSplit": "oblique.finders",
    "NumericClauses": "oblique.indecision",
    "ObliqueClauses": "oblique.indecision",
    "CostComplexity": "oblique.pruning",
    "SafePruning": "oblique.pruning",
    "ErrorBased": "oblique.pruning",
    "ReducedError": "oblique.pruning",
    "ExpectedCost": "oblique.pruning",
    "CostModel": "oblique.costs",
    "TestCost": "oblique.costs",
}

_handed_in: dict[str, type] = {}


def persistable(cls: C) -> C:
    """Let model files name a class of your own; use it as a decorator.

    A program that loads such a file must have run this, too. Packages declare their classes
    as entry points of the group ``oblique.persistable`` instead. The class is made anew from
    its constructor's parameters, which it must keep as attributes of the same names; an
    estimator lists its fitted attributes in ``_fitted_attributes``, see `oblique.persist`.

    Raises
    ------
    ValueError
        When another class has the name.

    Examples
    --------
    >>> from oblique.finders.base import SplitFinder
    >>> @persistable
    ... class Nothing(SplitFinder):
    ...     def find_split(self, node, rng):
    ...         return None
    """
    name = cls.__name__
    known = _handed_in.get(name)
    # Running a notebook's cell again makes a new class of the same name and place.
    is_again = known is not None and _place(known) == _place(cls)
    if name in OWN or name in _entry_points() or (known is not None and not is_again):
        raise ValueError(f"there is another class that model files call {name!r}")
    _handed_in[name] = cls
    return cls


def find_class(name: Any) -> type:
    """Return the class that a file may call by a name.

    Raises
    ------
    ValueError
        When no such class is known.
    """
    if not isinstance(name, str):
        raise ValueError(f"class must be a name, got {type(name).__name__}")
    if name in _handed_in:
        return _handed_in[name]
    if name in OWN:
        found: type = getattr(importlib.import_module(OWN[name]), name)
        return found
    points = _entry_points()
    if name in points:
        loaded: type = points[name].load()
        return loaded
    known = {*OWN, *points, *_handed_in}
    raise ValueError(unknown_name("class", name, known))


def name_of(value: object) -> str:
    """Return the name by which files call the class of an object.

    Raises
    ------
    ValueError
        When files cannot name it.
    """
    cls = type(value)
    name = cls.__name__
    if name in _handed_in or name in OWN or name in _entry_points():
        if find_class(name) is cls:
            return name
        raise ValueError(f"{_place(cls)} is not the class that model files call {name!r}")
    raise ValueError(
        f"{_place(cls)} cannot be saved: use numbers or texts in its place, or, for a class of "
        "your own, hand it to oblique.persist.persistable first"
    )


@functools.cache
def _entry_points() -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=GROUP)}


def _place(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
