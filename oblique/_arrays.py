"""Arrays as compiled loops want them."""

from __future__ import annotations

from typing import Any, TypeVar

from numpy.typing import NDArray

Array = TypeVar("Array", bound=NDArray[Any])


def read_only(array: Array) -> Array:
    """View of an array that cannot be written to."""
    view = array.view()
    view.setflags(write=False)
    return view
