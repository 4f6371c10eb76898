"""Running cells on the workers of a dask scheduler."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import islice
from pathlib import Path
from socket import create_connection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from oblique.compare.execute import describe_error, run_cell
from oblique.compare.local import Options, dead_worker_record, marker

if TYPE_CHECKING:
    from oblique.compare.cell import Cell
    from oblique.compare.execute import Record

# Cells sent ahead for each thread of the cluster: enough to keep it busy, few enough that
# stopping the run wastes little.
_AHEAD = 4
_SCHEDULER_PORT = 8786
_CONNECT_SECONDS = 3.0


def check_cluster(address: str) -> None:
    """Find out at once that there is nothing to run on.

    Raises
    ------
    ValueError
        If the extra ``cluster`` is not installed, or the address is none.
    OSError
        If nothing answers there.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise ValueError(
            "a dask cluster needs the package distributed: pip install oblique-trees[cluster]"
        ) from None
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        host, port = parts.hostname, parts.port or _SCHEDULER_PORT
    except ValueError as error:
        raise ValueError(f"{address!r} is no address of a dask scheduler: {error}") from None
    if host is None or parts.scheme not in ("tcp", "tls"):
        return  # another transport, which is dask's to know
    try:
        create_connection((host, port), timeout=_CONNECT_SECONDS).close()
    except OSError as error:
        raise OSError(f"no dask scheduler answers at {address}: {error}") from None


def run_on_cluster(
    cells: Sequence[Cell], options: Options, *, address: str, folder: Path
) -> Generator[Record, None, None]:
    """Run cells on a dask cluster and yield their records as they come.

    Workers need this package, the strategies' packages and the data files under the same
    paths. Give them one thread each (``dask worker --nthreads 1``) where times matter.

    Parameters
    ----------
    cells : sequence of Cell
    options : Options
    address : str
        Of the scheduler, such as ``tcp://10.0.0.5:8786``.
    folder : path
        Empty folder on this machine, in which cells that were sent are marked.

    Raises
    ------
    OSError
        If no scheduler answers.
    """
    from distributed import Client, as_completed

    with Client(address, timeout=10) as client:
        waiting = iter(cells)
        first = islice(waiting, _room(client))
        sent = {_submit(client, cell, options, folder): cell for cell in first}
        futures = as_completed(sent)
        for future in futures:
            cell = sent.pop(future)
            marker(folder, cell).unlink()
            yield _collect(future, cell)
            future.release()
            for cell in islice(waiting, 1):
                following = _submit(client, cell, options, folder)
                sent[following] = cell
                futures.add(following)


def _room(client: Any) -> int:
    return max(1, _AHEAD * sum(client.nthreads().values()))


def _submit(client: Any, cell: Cell, options: Options, folder: Path) -> Any:
    marker(folder, cell).touch()
    return client.submit(_run_there, cell, options, key=f"oblique-{cell.key}", pure=False)


def _run_there(cell: Cell, options: Options) -> Record:
    """Run a cell on a worker, which is ended where it cannot be interrupted.

    A worker of several threads is not, as other cells run in it; nor is its memory one cell's.
    """
    from distributed import get_worker

    worker = get_worker()
    is_alone = worker.state.nthreads == 1
    trace = Path(worker.local_directory) / f"{cell.key}.trace" if is_alone else None
    record = run_cell(cell, trace=trace, **options._asdict())
    if not is_alone and "resources" in record:
        record["resources"]["memory_bytes"] = None
    return record


def _collect(future: Any, cell: Cell) -> Record:
    """Return a cell's record, also when its workers died of it."""
    error = future.exception()
    if error is None:
        record: Record = future.result()
        return record
    told = describe_error(error)
    return dead_worker_record(cell, told["message"], told["traceback"])
