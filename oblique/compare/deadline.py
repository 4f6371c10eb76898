"""A time limit for a piece of work in this process."""

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class TimeLimitExceeded(BaseException):
    """A cell took longer than its time limit.

    Like an interrupt it is no `Exception`, lest a strategy that catches those goes on.
    """


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise `TimeLimitExceeded` inside the block once it has taken this many seconds.

    In the main thread of a process a signal interrupts it, sleeping or computing in Python.
    In another thread, as of a cluster's worker, the exception arrives with the next Python
    instruction. Neither can end a call into compiled code that never returns; the runner ends
    such a worker from outside.

    Parameters
    ----------
    seconds : float or None
        None for no limit.
    """
    if seconds is None:
        yield
        return
    start = time.monotonic()
    is_main = threading.current_thread() is threading.main_thread()
    with _alarm(seconds) if is_main and hasattr(signal, "setitimer") else _raise_in_thread(seconds):
        yield
    # A strategy may have caught the exception and gone on with less than it should have.
    if time.monotonic() - start > seconds:
        raise _exceeded(seconds)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def give_up(signum: int, frame: Any) -> None:
        raise _exceeded(seconds)

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def _raise_in_thread(seconds: float) -> Iterator[None]:
    identity = ctypes.c_ulong(threading.get_ident())
    lock, ended = threading.Lock(), threading.Event()

    def give_up() -> None:
        with lock:
            if not ended.is_set():
                error = ctypes.py_object(_ThreadTimeLimitExceeded)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, error)

    timer = threading.Timer(seconds, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    except _ThreadTimeLimitExceeded as error:
        raise _exceeded(seconds) from error
    finally:
        with lock:
            ended.set()
        timer.cancel()


def _exceeded(seconds: float) -> TimeLimitExceeded:
    return TimeLimitExceeded(f"time limit of {seconds:g} s exceeded")


class _ThreadTimeLimitExceeded(BaseException):
    """Sent without a message: an exception sent to a thread is a bare class."""
