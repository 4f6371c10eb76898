"""Compiled loops call only loops of their own file: numba does not notice changes in another."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from numba.core.registry import CPUDispatcher


def files_with_loops():
    """Names of the modules that compile something."""
    for package in ("oblique", "baselines", "projection"):
        top = Path(importlib.import_module(package).__file__).parent
        for file in sorted(top.rglob("*.py")):
            if "from projection.jit import" in file.read_text("utf-8"):
                yield ".".join(file.relative_to(top.parent).with_suffix("").parts)


def names_in(code):
    """Names that a function's text reads, its inner functions included."""
    inner = [constant for constant in code.co_consts if hasattr(constant, "co_names")]
    return set(code.co_names).union(*map(names_in, inner))


def foreign_calls(module):
    """Compiled functions of other files that a module's own ones read, as (caller, callee)."""
    compiled = {k: f for k, f in vars(module).items() if isinstance(f, CPUDispatcher)}
    own = [f for f in compiled.values() if f.__module__ == module.__name__]
    assert own, f"{module.__name__} compiles nothing"
    return [
        (f.__name__, f"{compiled[name].__module__}.{name}")
        for f in own
        for name in names_in(f.py_func.__code__)
        if name in compiled and compiled[name].__module__ != module.__name__
    ]


@pytest.mark.parametrize("name", files_with_loops())
def test_loops_call_loops_of_their_own_file(name):
    assert foreign_calls(importlib.import_module(name)) == []


def test_a_call_into_another_file_is_noticed(tmp_path, monkeypatch):
    (tmp_path / "two_files.py").write_text(
        "from oblique._kernels import counts_gain\n"
        "from projection.jit import jit\n\n\n"
        "@jit\ndef twice(code, left, right):\n    return 2.0 * counts_gain(code, left, right)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = foreign_calls(importlib.import_module("two_files"))
    assert found == [("twice", "oblique._kernels.counts_gain")]
