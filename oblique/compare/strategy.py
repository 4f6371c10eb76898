"""Strategies: classifiers with a name, found among the installed packages."""

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from oblique._suggest import unknown_name
from oblique.compare.identity import describe_estimator
from oblique.finders.base import SplitFinder

GROUP = "oblique.strategies"


@dataclass(frozen=True)
class Strategy:
    """A classifier under a name.

    Parameters
    ----------
    name : str
        Under which it appears in tables. No two strategies of a design share a name.
    estimator : object
        Unfitted scikit-learn classifier or pipeline; a comparison only ever fits clones of it.
    description : str, default=""
        One line about the method and its source.
    reference : str, default=""
        Installed name or ``module:attribute`` that the estimator was loaded from, if it was.
    overrides : mapping, optional
        Parameters that were set after loading.

    Raises
    ------
    TypeError
        If the estimator is a class, or has no ``fit``, ``predict`` and ``get_params``.
    ValueError
        If the name is empty, or a parameter of the estimator has no stable description.
    """

    name: str
    estimator: Any
    description: str = ""
    reference: str = ""
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a strategy needs a name; got an empty one")
        if isinstance(self.estimator, type):
            raise TypeError(
                f"strategy {self.name!r} is the class {self.estimator.__name__}; "
                f"pass an instance: {self.estimator.__name__}(...)"
            )
        lacking = [m for m in ("fit", "predict", "get_params") if not hasattr(self.estimator, m)]
        if lacking:
            raise TypeError(
                f"strategy {self.name!r} is no scikit-learn classifier: "
                f"{type(self.estimator).__name__} has no {', '.join(lacking)}"
                f"{_remedy(self.estimator)}"
            )
        _ = self.parameters  # an estimator without a stable description fails here, not mid-run

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Class and parameters as JSON values, the part of a strategy that decides its results."""
        try:
            return describe_estimator(self.estimator)
        except ValueError as error:
            raise ValueError(f"strategy {self.name!r}: {error}") from error


def _remedy(estimator: Any) -> str:
    """What to make of an object that is no classifier."""
    if not isinstance(estimator, SplitFinder):
        return ""
    name = type(estimator).__name__
    return f"; a split finder grows a tree by ObliqueTreeClassifier(finder={name}())"


def list_strategies() -> dict[str, EntryPoint]:
    """Return the entry points of all installed strategies by name, without importing them.

    Raises
    ------
    ValueError
        If two packages offer different strategies under one name.
    """
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: (e.name, e.value)):
        known = found.setdefault(entry.name, entry)
        if known.value != entry.value:
            raise ValueError(
                f"two installed packages offer a strategy named {entry.name!r}: {known.value} and "
                f"{entry.value}; uninstall one of them"
            )
    return found


def load_strategy(reference: str, *, name: str | None = None) -> Strategy:
    """Build a strategy from the name of an installed one, or from ``module:attribute``.

    Parameters
    ----------
    reference : str
        A name listed by :func:`list_strategies`, or where to find an unfitted estimator, or a
        function without arguments that returns one: ``package.module:attribute``.
    name : str, optional
        What to call it; by default the reference itself.

    Raises
    ------
    ValueError
        If the name is unknown (the nearest names are offered), the module or attribute is
        missing, or making the estimator fails.
    TypeError
        If what is found there is no classifier.
    """
    installed = list_strategies()
    if reference in installed:
        target = installed[reference].value
    elif ":" in reference:
        target = reference
    else:
        raise ValueError(unknown_name("strategy", reference, installed))
    factory = _import_attribute(target, reference)
    is_factory = isinstance(factory, type) or not hasattr(factory, "fit")
    if is_factory and not callable(factory):
        raise TypeError(
            f"strategy {reference!r} names a {type(factory).__name__}; it must be an unfitted "
            "estimator, or a function without arguments that returns one"
        )
    estimator = _call(factory, reference) if is_factory else factory
    return Strategy(name or reference, estimator, _first_sentence(factory), reference)


def _call(factory: Callable[[], Any], reference: str) -> Any:
    try:
        return factory()
    except Exception as error:  # somebody else's code may raise anything
        raise ValueError(
            f"strategy {reference!r} cannot be made: {type(error).__name__}: {error}"
        ) from error


def _import_attribute(target: str, reference: str) -> Any:
    module_name, _, attribute = target.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:  # somebody else's module may raise anything
        raise ValueError(
            f"strategy {reference!r}: cannot import {module_name!r} "
            f"({type(error).__name__}: {error})"
        ) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            public = [n for n in vars(found) if not n.startswith("_")]
            raise ValueError(
                f"strategy {reference!r}: "
                + unknown_name(f"attribute of {module_name}", part, public)
            )
        found = getattr(found, part)
    return found


def _first_sentence(factory: Callable[[], Any] | Any) -> str:
    """Return the summary line of the docstring of a factory, or of an estimator's class."""
    documented = factory if callable(factory) else type(factory)
    paragraph = (documented.__doc__ or "").strip().split("\n\n")[0]
    return re.sub(r"\s+", " ", paragraph)
