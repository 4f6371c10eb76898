"""Progress of a run: a bar in a terminal or notebook, lines of text elsewhere."""

import os
import sys
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from oblique.compare.execute import Record

_BAR_SECONDS = 0.5
_LINE_SECONDS = 10.0
_SHOWN_CELLS = 2


class Progress:
    """Shows how many cells are done, cells/s, the time left and the cells in flight.

    A thread of its own refreshes it, so the display lives on while a long cell runs.

    Parameters
    ----------
    total : int
        Cells to run.
    running : callable
        Returns the labels of the cells in flight.
    shown : bool, default=True
        False: nothing is written.
    """

    def __init__(
        self, total: int, *, running: Callable[[], Sequence[str]], shown: bool = True
    ) -> None:
        self._running = running
        self._failed = 0
        self._ended = threading.Event()
        self._bar: Any = None
        if shown:
            from tqdm.auto import tqdm

            self._is_lines = not (sys.stderr.isatty() or _in_notebook())
            # In line mode tqdm only keeps count of speed and time left.
            sink = _Silence() if self._is_lines else None
            self._bar = tqdm(total=total, unit="cell", file=sink, smoothing=0.05, **_shape())
            self._thread = threading.Thread(target=self._refresh, daemon=True)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is None:
            return
        self._ended.set()
        self._thread.join()
        if self._is_lines:
            self._write_line()
        else:
            self._bar.set_postfix_str(self._failures(), refresh=True)
        self._bar.close()

    def advance(self, record: Record) -> None:
        """Count one finished cell."""
        self._failed += record["status"] == "failed"
        if self._bar is not None:
            self._bar.update()

    def _refresh(self) -> None:
        pause = _LINE_SECONDS if self._is_lines else _BAR_SECONDS
        while not self._ended.wait(pause):
            if self._is_lines:
                self._write_line()
            else:
                texts = [self._failures(), self._in_flight()]
                self._bar.set_postfix_str(" | ".join(filter(None, texts)), refresh=True)

    def _write_line(self) -> None:
        state = self._bar.format_dict
        rate = state["n"] / state["elapsed"] if state["elapsed"] else 0.0
        parts = [f"{state['n']}/{state['total']} cells", f"{rate:.3g} cells/s"]
        # The first cells compile and import; a time left made from them alone would frighten.
        if state["total"] / 100 <= state["n"] < state["total"] and rate:
            parts.append(f"{_clock((state['total'] - state['n']) / rate)} left")
        parts += filter(None, [self._failures(), self._in_flight()])
        print("; ".join(parts), file=sys.stderr, flush=True)

    def _in_flight(self) -> str:
        """Name the cells that have run longest; there may be many of them."""
        labels = self._running()
        more = [f"{len(labels) - _SHOWN_CELLS} more"] if len(labels) > _SHOWN_CELLS else []
        return ", ".join([*labels[:_SHOWN_CELLS], *more])

    def _failures(self) -> str:
        return f"{self._failed} failed" if self._failed else ""


class _Silence:
    """A stream that takes everything and shows nothing."""

    def write(self, text: str) -> None:
        pass

    def flush(self) -> None:
        pass


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
