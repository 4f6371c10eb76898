"""On what a record was computed: versions, processor, threads and commit."""

import os
import platform
import subprocess
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("oblique-trees", "numpy", "scipy", "scikit-learn", "numba", "pandas", "joblib")


@lru_cache(maxsize=1)
def describe_environment() -> dict[str, str | int | None]:
    """Return versions, processor, cores, system and, in a checkout, the commit."""
    described: dict[str, str | int | None] = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            described[package] = version(package)
        except PackageNotFoundError:
            described[package] = None
    described["system"] = platform.platform()
    described["cpu"] = _cpu_name()
    described["cores"] = os.cpu_count()
    described["threads"] = 1
    described["commit"] = _commit()
    return described


def _cpu_name() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _commit() -> str | None:
    """Commit of the checkout that this file lies in; None for an installed package."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
