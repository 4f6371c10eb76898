"""Every parameter that a user can give is explained, and the examples say what is true."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

PACKAGES = (
    "oblique",
    "oblique.compare",
    "oblique.costs",
    "oblique.criteria",
    "oblique.datasets",
    "oblique.finders",
    "oblique.indecision",
    "oblique.induction",
    "oblique.persist",
    "oblique.pruning",
    "oblique.sensitivity",
    "oblique.stopping",
    "baselines",
    "projection",
)


def public_objects():
    """Public functions, classes and their methods, each once, with a name to read."""
    found = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        own = [
            name for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == package
        ]  # fmt: skip
        for name in getattr(module, "__all__", own):
            value = getattr(module, name)
            if inspect.isclass(value):
                found.setdefault(value, f"{package}.{name}")
                for key, method in vars(value).items():
                    if not key.startswith("_"):
                        method = getattr(method, "__func__", method)
                        if inspect.isfunction(method):
                            found.setdefault(method, f"{package}.{name}.{key}")
            elif inspect.isfunction(value):
                found.setdefault(value, f"{package}.{name}")
    return {name: value for value, name in found.items()}


PUBLIC = public_objects()
CLASSES = [value for value in PUBLIC.values() if inspect.isclass(value)]


def explained(value):
    """Names of the parameters, and of a class the attributes, that a docstring lists."""
    text = inspect.cleandoc(value.__doc__ or "").replace("\\\n", "")
    wanted = ("Parameters", "Attributes") if inspect.isclass(value) else ("Parameters",)
    names = set()
    for heading in wanted:
        section = re.search(rf"^{heading}\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", text, re.M | re.S)
        for line in section[1].splitlines() if section else ():
            if line and not line[0].isspace():
                names |= {name.strip(" *") for name in line.partition(" : ")[0].split(",")}
    return names


def unexplained(value):
    try:
        parameters = inspect.signature(value).parameters
    except ValueError:  # an exception class of Python's own
        return set()
    return set(parameters) - {"self", "cls", "args", "kwargs"} - explained(value)


def overridden(value):
    """Methods of base classes that this one stands for."""
    _, _, name = value.__qualname__.rpartition(".")
    for owner in CLASSES:
        if vars(owner).get(name) is value:
            return [vars(base)[name] for base in owner.__mro__[1:] if name in vars(base)]
    return []


@pytest.mark.parametrize("name", PUBLIC)
def test_parameters_are_explained(name):
    value = PUBLIC[name]
    assert value.__doc__, f"{name} has no docstring"
    missing = unexplained(value)
    if inspect.isfunction(value):
        for base in overridden(value):
            missing &= unexplained(base)
    assert not missing, f"{name} does not explain {', '.join(sorted(missing))}"


def test_what_is_not_explained_is_noticed():
    def area(width, height, *, unit="m"):
        """Area of a rectangle.

        Parameters
        ----------
        width, depth : float
            Its sides; height is not among them.

        Returns
        -------
        unit : float
        """

    assert explained(area) == {"width", "depth"}
    assert unexplained(area) == {"height", "unit"}
    assert len(PUBLIC) > 150


def modules_with_examples():
    """Names of the modules in whose text an example stands."""
    for package in ("oblique", "baselines", "projection"):
        top = Path(importlib.import_module(package).__file__).parent
        for file in sorted(top.rglob("*.py")):
            if ">>> " in file.read_text("utf-8"):
                yield ".".join(file.relative_to(top.parent).with_suffix("").parts)


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_are_true(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert (failed, tried > 0) == (0, True)
