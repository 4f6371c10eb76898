"""Peak memory of this process, as far as the operating system tells it."""

from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def reset_peak() -> int | None:
    """Start a new measurement and return the memory in use now, in bytes.

    Only Linux lets a process reset its high-water mark; elsewhere the answer is None and
    memory is not measured.
    """
    try:
        _CLEAR.write_text("5")
    except OSError:
        return None
    return _read("VmRSS")


def peak_above(start: int | None) -> int | None:
    """Return by how many bytes memory rose above ``start`` at most since `reset_peak`."""
    peak = None if start is None else _read("VmHWM")
    return None if peak is None or start is None else max(0, peak - start)


def _read(field: str) -> int | None:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return None
