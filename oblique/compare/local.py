"""Running cells side by side on this machine, whatever the strategies do to their process."""

import os
import signal
import warnings
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from oblique.compare.cell import Cell
from oblique.compare.compilation import watch_compilations
from oblique.compare.environment import describe_environment
from oblique.compare.execute import RECORD_FORMAT, Record, run_cell


class Options(NamedTuple):
    """What a worker is told besides the cell."""

    time_limit: float | None
    keep_predictions: bool


def run_local(
    cells: Sequence[Cell], options: Options, *, n_jobs: int, folder: Path
) -> Generator[Record, None, None]:
    """Run cells in worker processes of joblib and yield their records as they come.

    A worker that dies (killed for want of memory, crashed in compiled code, ended for its time
    limit) takes all workers with it. The cells that were in flight are then run again one at a
    time, which finds the one to blame, and the rest goes on.

    Parameters
    ----------
    cells : sequence of Cell
    options : Options
    n_jobs : int
        Number of processes; with 1 all cells run in this process, which then shares the
        fate of a strategy that crashes.
    folder : path
        Empty folder in which a file with the key of a cell stands for as long as it runs.
    """
    from joblib import Parallel, delayed, effective_n_jobs, parallel_config

    remaining = {cell.key: cell for cell in cells}
    while remaining:
        task = delayed(run_marked)
        try:
            with parallel_config("loky", inner_max_num_threads=1):
                # With one job, which -1 may mean, too, the cells run in this very process.
                is_worker = effective_n_jobs(n_jobs) != 1
                stream = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
                    task(cell, options, folder, is_worker) for cell in list(remaining.values())
                )
                with _closing_quietly(stream):
                    for record in stream:
                        del remaining[record["key"]]
                        yield record
        except BrokenProcessPool as error:
            yield from _run_suspects(remaining, options, folder, error)


def cells_in_flight(folder: Path) -> list[str]:
    """Return the keys of the cells that run now, the longest-running first."""
    markers = []
    for path in folder.glob("*.running"):
        try:
            markers.append((path.stat().st_mtime, path.stem))
        except FileNotFoundError:
            continue
    return [key for _, key in sorted(markers)]


def is_compiling(folder: Path) -> bool:
    """Whether a worker compiles a kernel now."""
    return any(folder.glob("*.compiling"))


def marker(folder: Path, cell: Cell) -> Path:
    """Return the file that stands for a cell while it runs."""
    return folder / f"{cell.key}.running"


def run_marked(cell: Cell, options: Options, folder: Path, is_worker: bool) -> Record:
    """Run a cell in a worker and leave a mark while it runs."""
    if is_worker:
        # Ctrl-C reaches every process of the terminal; the parent ends the workers in good order.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    mark, compiling = marker(folder, cell), folder / f"{os.getpid()}.compiling"
    mark.touch()
    with watch_compilations(compiling.touch, lambda: compiling.unlink(missing_ok=True)):
        # With nobody to take notice of its end, this very process is never ended.
        trace = folder / f"{cell.key}.trace" if is_worker else None
        record = run_cell(cell, trace=trace, **options._asdict())
    mark.unlink(missing_ok=True)
    return record


def dead_worker_record(cell: Cell, message: str, traceback: str) -> Record:
    """Return the record of a cell whose worker did not live to report."""
    return {
        "format": RECORD_FORMAT,
        "key": cell.key,
        "cell": cell.identity,
        "status": "failed",
        "error": {"type": "WorkerDied", "message": message, "traceback": traceback},
        "environment": describe_environment(),
    }


@contextmanager
def _closing_quietly(stream: Any) -> Iterator[None]:
    """Stop what still runs when the loop is left early; that this wastes work is known."""
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".* tasks which .* cancelled")
            stream.close()


def _run_suspects(
    remaining: dict[str, Cell], options: Options, folder: Path, error: BrokenProcessPool
) -> Iterator[Record]:
    suspects = [key for key in cells_in_flight(folder) if key in remaining]
    for path in folder.iterdir():
        if path.suffix in (".running", ".compiling"):
            path.unlink()
    if not suspects:
        raise RuntimeError("a worker died before it started a cell") from error
    for key in suspects:
        yield _run_alone(remaining.pop(key), options, folder)


def _run_alone(cell: Cell, options: Options, folder: Path) -> Record:
    """Run a cell in a process of its own and outlive its death."""
    from joblib.externals.loky import ProcessPoolExecutor

    trace = folder / f"{cell.key}.trace"
    known = trace.read_text() if trace.exists() else ""
    trace.unlink(missing_ok=True)
    if known:
        return _overdue_record(cell, options, known)
    executor = ProcessPoolExecutor(max_workers=1)
    try:
        record: Record = executor.submit(run_marked, cell, options, folder, True).result()
        return record
    except BrokenProcessPool as error:
        marker(folder, cell).unlink(missing_ok=True)
        told = trace.read_text() if trace.exists() else ""
        if told:
            return _overdue_record(cell, options, told)
        message = (
            "the worker process died while it ran this cell; a signal SIGKILL most often means "
            "that memory ran out"
        )
        return dead_worker_record(cell, message, str(error))
    finally:
        # An interrupt does not wait for the end of the cell.
        executor.shutdown(kill_workers=True)


def _overdue_record(cell: Cell, options: Options, traceback: str) -> Record:
    message = (
        f"time limit of {options.time_limit:g} s exceeded in a call that could not be "
        "interrupted; the worker process was ended"
    )
    return dead_worker_record(cell, message, traceback)
