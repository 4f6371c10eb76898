"""The one place where the options of compiled code are set."""

from collections.abc import Callable
from typing import Any

import numba


def jit(function: Callable[..., Any]) -> Any:
    """Compile a kernel on first call and keep the result on disk.

    Lazy compilation without signatures: eager ones cost import time and reject read-only
    arrays. ``fastmath`` stays off, so that a sum is formed in the order it is written and
    fit and predict agree to the last bit. Kernels that call each other must live in one
    file: a cached caller is not recompiled when a callee in another file changes.
    """
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)


def inline(function: Callable[..., Any]) -> Any:
    """Compile a helper that only the kernels of its own file call.

    LLVM copies small ones into their callers by itself; numba's own inlining would compile
    them anew in each caller, which multiplies the time of a first run.
    """
    return numba.njit(nogil=True, error_model="numpy")(function)


def lean(function: Callable[..., Any]) -> Any:
    """Compile a helper of its own file that neither makes nor keeps arrays.

    It works on the arrays it is given without counting references to them (numba's ``_nrt``
    option), which takes a quarter off loops of a microsecond that call small functions, and three
    quarters off the routing of rows through a tree.
    """
    return numba.njit(nogil=True, error_model="numpy", _nrt=False)(function)


def paste(function: Callable[..., Any]) -> Any:
    """Compile a helper that numba copies into its caller.

    For helpers that are called in one place and take tuples of many arrays: handing those over
    costs more than a small helper's work, and LLVM does not copy large ones.
    """
    return numba.njit(inline="always", nogil=True, error_model="numpy")(function)
