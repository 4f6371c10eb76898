"""When numba compiles: time that belongs to no cell."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Kernels that are compiled, not those that are read from the disk.
COMPILE = "numba:compile"
#: Both; also the short waits for another thread's compilation.
LOCK = "numba:compiler_lock"


@contextmanager
def watch_compilations(
    started: Callable[[], object], ended: Callable[[], object], *, event: str = COMPILE
) -> Iterator[None]:
    """Call a function whenever a compilation starts in this process, another when it ends.

    Kernels that are compiled inside of others are part of them. Where numba has not been imported
    nothing is watched.
    """
    if "numba" not in sys.modules:
        yield
        return
    from numba.core.event import Listener, register, unregister

    class _Watch(Listener):
        depth = 0

        def on_start(self, told: Any) -> None:
            self.depth += 1
            if self.depth == 1:
                started()

        def on_end(self, told: Any) -> None:
            self.depth -= 1
            if self.depth == 0:
                ended()

    watch = _Watch()
    register(event, watch)
    try:
        yield
    finally:
        unregister(event, watch)
