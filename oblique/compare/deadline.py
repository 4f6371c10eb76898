"""A time limit for a piece of work in this process."""

from __future__ import annotations

import ctypes
import faulthandler
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Protocol, TextIO

from oblique.compare.compilation import watch_compilations

# A process that does not heed its interruption is ended this many seconds later.
GRACE_SECONDS = 5.0
# Far below what the clocks of operating systems can count.
LONGEST = 1e8
_AT_ONCE = 1e-3


class TimeLimitExceeded(BaseException):
    """A cell took longer than its time limit.

    Like an interrupt it is no `Exception`, lest a strategy that catches those goes on.
    """


@contextmanager
def deadline(seconds: float | None, *, trace: Path | None = None) -> Iterator[None]:
    """Raise `TimeLimitExceeded` inside the block once it has taken this many seconds.

    Time in which numba compiles does not count. In the main thread of a process a signal
    interrupts the block, sleeping or computing in Python. In another thread, as of a cluster's
    worker, the exception arrives with the next Python instruction. Neither can end a call into
    compiled code that never returns; with ``trace`` the whole process ends then, a few seconds
    after the limit.

    Parameters
    ----------
    seconds : float or None
        None for no limit.
    trace : path, optional
        Where to write the traceback if the process has to be ended. By default it is not ended.
    """
    if seconds is None:
        yield
        return
    is_main = threading.current_thread() is threading.main_thread()
    alarm = _Signal(seconds) if is_main and hasattr(signal, "setitimer") else _Exception()
    if trace is None:
        with _counting(seconds, [alarm]):
            yield
        return
    with trace.open("w") as file, _counting(seconds, [alarm, _End(file)]):
        yield
    trace.unlink(missing_ok=True)


class _Alarm(Protocol):
    def set(self, seconds: float) -> None:
        """Go off after so many seconds."""

    def clear(self) -> None:
        """Do not go off."""

    def close(self) -> None:
        """Leave everything as it was."""


@contextmanager
def _counting(seconds: float, alarms: Sequence[_Alarm]) -> Iterator[None]:
    """Let alarms go off when the block has worked for so long, compilations left out."""
    clock = _Clock(seconds, alarms)
    try:
        try:
            with watch_compilations(clock.stop, clock.go):
                clock.go()
                yield
                clock.stop()
        finally:
            for alarm in alarms:
                alarm.close()
    except _ThreadTimeLimitExceeded as error:
        raise _exceeded(seconds) from error
    # A strategy may have caught the exception and gone on with less than it should have.
    if clock.left < 0.0:
        raise _exceeded(seconds)


class _Clock:
    """Counts down while it goes."""

    def __init__(self, seconds: float, alarms: Sequence[_Alarm]) -> None:
        self.left = seconds
        self._alarms = alarms
        self._since = 0.0

    def go(self) -> None:
        self._since = monotonic()
        for alarm in self._alarms:
            alarm.set(max(self.left, _AT_ONCE))

    def stop(self) -> None:
        for alarm in self._alarms:
            alarm.clear()
        self.left -= monotonic() - self._since


class _Signal:
    """Interrupts the main thread."""

    def __init__(self, limit: float) -> None:
        def give_up(signum: int, frame: object) -> None:
            raise _exceeded(limit)

        self._previous = signal.signal(signal.SIGALRM, give_up)

    def set(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def clear(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)

    def close(self) -> None:
        self.clear()
        signal.signal(signal.SIGALRM, self._previous)


class _Exception:
    """Sends an exception to the thread that made it."""

    def __init__(self) -> None:
        self._identity = ctypes.c_ulong(threading.get_ident())
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def set(self, seconds: float) -> None:
        with self._lock:
            self._timer = threading.Timer(seconds, self._give_up)
            self._timer.daemon = True
            self._timer.start()

    def clear(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None

    def close(self) -> None:
        self.clear()

    def _give_up(self) -> None:
        with self._lock:
            if self._timer is threading.current_thread():
                error = ctypes.py_object(_ThreadTimeLimitExceeded)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(self._identity, error)


class _End:
    """Ends the process, with the tracebacks of its threads in a file."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def set(self, seconds: float) -> None:
        faulthandler.dump_traceback_later(seconds + GRACE_SECONDS, exit=True, file=self._file)

    def clear(self) -> None:
        faulthandler.cancel_dump_traceback_later()

    def close(self) -> None:
        self.clear()


def _exceeded(seconds: float) -> TimeLimitExceeded:
    return TimeLimitExceeded(f"time limit of {seconds:g} s exceeded")


class _ThreadTimeLimitExceeded(BaseException):
    """Sent without a message: an exception sent to a thread is a bare class."""
