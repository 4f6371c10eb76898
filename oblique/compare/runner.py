"""Running a design: what is in the store stays, what is missing is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from oblique.compare.cell import Cell
from oblique.compare.deadline import LONGEST
from oblique.compare.design import Design
from oblique.compare.execute import Record
from oblique.compare.local import Options, cells_in_flight, is_compiling, run_local
from oblique.compare.progress import Progress
from oblique.compare.store import ResultStore


class Failure(NamedTuple):
    """Cells of a strategy on a data set that failed for one reason.

    Attributes
    ----------
    strategy, dataset, reason : str
    cells : int
        How many.
    traceback : str
        Of the first.
    """

    strategy: str
    dataset: str
    reason: str
    cells: int
    traceback: str


@dataclass(frozen=True, eq=False)
class Results:
    """Records of a design, in the order of its cells.

    Attributes
    ----------
    design : Design
    records : tuple of dict
        One for every cell that was run, failed ones included; see
        :func:`oblique.compare.run_cell`.
    """

    design: Design
    records: tuple[Record, ...]

    @property
    def failed(self) -> list[Record]:
        """The records of the cells that failed."""
        return [record for record in self.records if record["status"] == "failed"]

    @property
    def failures(self) -> list[Failure]:
        """The failed cells, those of one strategy on one data set for one reason together."""
        found: dict[tuple[str, str, str], Failure] = {}
        for record in self.failed:
            cell, error = record["cell"], record["error"]
            reason = f"{error['type']}: {error['message']}"
            names = (cell["strategy"], cell["dataset"], reason)
            known = found.get(names, Failure(*names, 0, error["traceback"]))
            found[names] = known._replace(cells=known.cells + 1)
        return list(found.values())


def run(
    design: Design,
    *,
    store: ResultStore | str | Path | None = None,
    n_jobs: int = 1,
    shard: tuple[int, int] | None = None,
    rerun_failed: bool = False,
    time_limit: float | None = None,
    keep_predictions: bool = False,
    dask_address: str | None = None,
    progress: bool = True,
) -> Results:
    """Run every cell of a design that the store does not hold yet.

    Parameters
    ----------
    design : Design
    store : ResultStore or path, optional
        Where records are kept, so that the run can be stopped and resumed, and others share
        its results. By default they are only returned.
    n_jobs : int, default=1
        Worker processes; -1 for one on each core.
    shard : (int, int), optional
        ``(i, n)``: only the i-th of n equal parts, counted from 1, for the jobs of an array
        that share one store.
    rerun_failed : bool, default=False
        Run cells again whose record is a failure.
    time_limit : float, optional
        Seconds a cell; a cell that takes longer is recorded as failed.
    keep_predictions : bool, default=False
        Keep the predictions of every test row in the records.
    dask_address : str, optional
        Address of a dask scheduler whose workers run the cells, in place of processes here.
    progress : bool, default=True
        Show progress on the standard error stream.

    Returns
    -------
    Results
        All records of the design (of the shard) in the order of its cells.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the data of the design cannot be read.
    OSError
        If the store cannot be written.
    """
    _check_arguments(n_jobs, shard, time_limit)
    if dask_address is not None:
        from oblique.compare.cluster import check_cluster, run_on_cluster

        check_cluster(dask_address)
    if store is not None and not isinstance(store, ResultStore):
        store = ResultStore(store)
    cells = design.cells()
    if store is not None:
        store.plan(cells)
    if shard is not None:
        cells = cells[shard[0] - 1 :: shard[1]]
    records = {} if store is None else _stored_records(store, cells, rerun_failed, keep_predictions)
    missing = [cell for cell in cells if cell.key not in records]
    options = Options(time_limit, keep_predictions)
    with TemporaryDirectory(prefix="oblique-") as folder:
        if dask_address is None:
            stream = run_local(missing, options, n_jobs=n_jobs, folder=Path(folder))
        else:
            stream = run_on_cluster(missing, options, address=dask_address, folder=Path(folder))
        running = _labels_in_flight(Path(folder), missing)
        shown = Progress(
            len(missing),
            running=running,
            compiling=lambda: is_compiling(Path(folder)),
            shown=progress and bool(missing),
        )
        # Closing the stream ends the workers when the loop is left early.
        with closing(stream), shown:
            for record in stream:
                if store is not None:
                    store.write(record)
                records[record["key"]] = record
                shown.advance(record)
    return Results(design, tuple(records[cell.key] for cell in cells))


def _stored_records(
    store: ResultStore, cells: Sequence[Cell], rerun_failed: bool, with_predictions: bool
) -> dict[str, Record]:
    def is_wanted(record: Record) -> bool:
        if record["status"] == "failed":
            return not rerun_failed
        return not with_predictions or "predictions" in record

    present = store.keys()
    found = (store.read(cell.key) for cell in cells if cell.key in present)
    return {r["key"]: r for r in found if r is not None and is_wanted(r)}


def _labels_in_flight(folder: Path, cells: Sequence[Cell]) -> Callable[[], list[str]]:
    labels = {cell.key: cell.label for cell in cells}
    return lambda: [labels[key] for key in cells_in_flight(folder)]


def _check_arguments(n_jobs: int, shard: tuple[int, int] | None, time_limit: float | None) -> None:
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of processes, or -1 for all cores; got 0")
    if shard is not None and not 1 <= shard[0] <= shard[1]:
        raise ValueError(f"shard must be (i, n) with 1 <= i <= n, got {shard}")
    if time_limit is not None and not 0 < time_limit <= LONGEST:
        raise ValueError(
            f"time_limit must be a positive number of seconds, at most {LONGEST:g}, got "
            f"{time_limit}; leave it out for no limit"
        )
