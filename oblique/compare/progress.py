"""Progress of a run: a bar in a terminal or notebook, lines of text elsewhere."""

import os
import sys
import threading
from collections.abc import Callable, Sequence
from time import monotonic
from types import TracebackType
from typing import Any, Self

from oblique.compare.execute import Record

_TICK_SECONDS = 0.5
_LINE_SECONDS = 10.0
_BAR = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} cells{postfix}"
_SHOWN_CELLS = 2


class Progress:
    """Shows how many cells are done, cells/s, the time left and the cells in flight.

    A thread of its own refreshes it, so the display lives on while a long cell runs. Speed and time
    left are those since kernels were compiled last: a first run would frighten with them else.

    Parameters
    ----------
    total : int
        Cells to run.
    running : callable
        Returns the labels of the cells in flight.
    compiling : callable
        Tells whether a worker compiles a kernel now.
    shown : bool, default=True
        False: nothing is written.
    """

    def __init__(
        self,
        total: int,
        *,
        running: Callable[[], Sequence[str]],
        compiling: Callable[[], bool],
        shown: bool = True,
    ) -> None:
        self._total = total
        self._running = running
        self._compiling = compiling
        self._shown = shown
        self._done = self._failed = 0
        self._start = monotonic()
        # Number of cells done, and time, from which on speed is measured.
        self._since = (0, self._start)
        self._has_compiled = False
        self._ended = threading.Event()
        self._bar: Any = None
        if shown:
            self._thread = threading.Thread(target=self._refresh, daemon=True)
            if sys.stderr.isatty() or _in_notebook():
                from tqdm.auto import tqdm

                self._bar = tqdm(total=total, bar_format=_BAR, **_shape())

    def __enter__(self) -> Self:
        if self._shown:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._shown:
            return
        self._ended.set()
        self._thread.join()
        seconds = monotonic() - self._start
        self._write("; ".join(filter(None, [f"took {_clock(seconds)}", self._failures()])))
        if self._bar is not None:
            self._bar.close()

    def advance(self, record: Record) -> None:
        """Count one finished cell."""
        self._done += 1
        self._failed += record["status"] == "failed"
        if self._bar is not None:
            self._bar.update()

    def _refresh(self) -> None:
        written = monotonic()
        while not self._ended.wait(min(_TICK_SECONDS, _LINE_SECONDS)):
            compiling = self._compiling()
            if compiling:
                self._since = (self._done, monotonic())
                self._tell_of_compilation()
            if self._bar is not None or monotonic() - written >= _LINE_SECONDS:
                written = monotonic()
                parts = [self._pace(compiling), self._failures(), self._in_flight()]
                self._write("; ".join(filter(None, parts)))

    def _tell_of_compilation(self) -> None:
        if self._has_compiled:
            return
        self._has_compiled = True
        told = "compiling kernels; they are kept on disk, so this minute is spent once"
        if self._bar is not None:
            self._bar.write(told, file=sys.stderr)
        else:
            print(told, file=sys.stderr, flush=True)

    def _write(self, state: str) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(state, refresh=True)
        else:
            told = "; ".join(filter(None, [f"{self._done}/{self._total} cells", state]))
            print(told, file=sys.stderr, flush=True)

    def _pace(self, compiling: bool) -> str:
        """Speed and time left, as far as enough cells have been done to tell."""
        if compiling:
            return "compiling"
        done, start = self._since
        fresh, seconds = self._done - done, monotonic() - start
        if not fresh or not seconds:
            return ""
        rate = fresh / seconds
        told = f"{rate:.3g} cells/s"
        if fresh >= self._total / 100 and self._done < self._total:
            told += f"; {_clock((self._total - self._done) / rate)} left"
        return told

    def _in_flight(self) -> str:
        """Name the cells that have run longest; there may be many of them."""
        labels = self._running()
        more = [f"{len(labels) - _SHOWN_CELLS} more"] if len(labels) > _SHOWN_CELLS else []
        return ", ".join([*labels[:_SHOWN_CELLS], *more])

    def _failures(self) -> str:
        return f"{self._failed} failed" if self._failed else ""


def _shape() -> dict[str, Any]:
    """Return the size of the bar: the terminal's, unless it says that it has none.

    Terminals without a size, such as those of job runners, would see no bar at all.
    """
    try:
        columns, lines = os.get_terminal_size(sys.stderr.fileno())
    except (OSError, ValueError):  # no terminal: a notebook, or a stream that was replaced
        return {}
    return {"dynamic_ncols": True} if columns and lines else {"ncols": 100, "nrows": 24}


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and "IPKernelApp" in getattr(shell.get_ipython(), "config", {})


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
