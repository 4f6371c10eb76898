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


def embed(function: Callable[..., Any]) -> Any:
    """Compile a lean helper that LLVM must copy into its callers.

    A call hands every array over as up to ten words on the stack. LLVM by itself makes such calls
    even to loops of twenty products; without them a search takes three quarters of the time. It
    costs time of the first run, so it is for what every step of a search does.
    """
    return numba.njit(nogil=True, error_model="numpy", _nrt=False, forceinline=True)(function)


def embed_sum(function: Callable[..., Any]) -> Any:
    """Compile an inner product as `embed` does, its terms summed side by side.

    The one place where the order of a sum is left to LLVM: written out, the sum stays scalar and
    takes four times as long. The same machine gives the same bits; another width of vectors may
    move the last one, so this is for distances, never for the side on which a row falls.
    """
    return numba.njit(
        nogil=True,
        error_model="numpy",
        _nrt=False,
        forceinline=True,
        fastmath={"reassoc", "nsz"},
    )(function)


def paste(function: Callable[..., Any]) -> Any:
    """Compile a helper that numba copies into its caller.

    For helpers that are called in one place and take tuples of many arrays: handing those over
    costs more than a small helper's work, and LLVM does not copy large ones.
    """
    return numba.njit(inline="always", nogil=True, error_model="numpy")(function)
