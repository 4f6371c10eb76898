"""What a comparison consists of: data sets x strategies x splits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from oblique.compare.cell import Cell
from oblique.compare.pricing import apply_costs, check_costs, read_cost_model
from oblique.compare.seeding import derive_seed
from oblique.compare.source import Source, load_source, make_source
from oblique.compare.splitting import TrainTest, split_rows
from oblique.compare.strategy import Strategy, load_strategy

if TYPE_CHECKING:
    from oblique.costs import CostModel
    from oblique.datasets import Dataset


@dataclass(frozen=True, eq=False)
class Design:
    """Data sets x strategies x train sizes (or folds) x repeats.

    Parameters
    ----------
    datasets : sequence
        Names or paths for :func:`oblique.datasets.load_dataset`, or what it returns.
    strategies : sequence
        Names of installed strategies, ``module:attribute`` references, or :class:`Strategy`.
    train_sizes : sequence of float, default=(0.5,)
        Shares of the rows to train on, each in (0, 1). Ignored when ``n_folds`` is given.
    n_folds : int, optional
        Cross-validate with this many folds instead of drawing holdouts.
    repeats : int, default=50
        Random holdouts for each train size, or repetitions of the cross-validation.
    seed : int, default=0
        Base seed. A cell's own seed is a hash of this and of the names of data set, protocol
        and repeat, so all strategies see the same splits, and a design that grows by a
        strategy, data set, size or repeat keeps all its cells.
    unsafe_cost : float, optional
        Cost of missing a row of the unsafe class, where missing any other costs 1: the measure
        ``cost`` is then the mean over the test rows, as Vadera (2005), Table 1, weighs errors.
    costs : mapping of str to CostModel, str or path, optional
        What tests and errors cost in some of the data sets, by their names: a
        :class:`~oblique.costs.CostModel`, the name of a published table, or a file. The measures
        ``cost``, ``cost_of_tests``, ``cost_of_errors`` and ``cost_percent`` (of the standard
        cost of Turney, 1995) are told there.

    Raises
    ------
    ValueError, TypeError
        If a name is unknown or double, or a number is out of its range; before work starts.
    """

    datasets: Sequence[Any]
    strategies: Sequence[Any]
    train_sizes: Sequence[float] = (0.5,)
    n_folds: int | None = None
    repeats: int = 50
    seed: int = 0
    unsafe_cost: float | None = None
    costs: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        sources = tuple(make_source(given) for given in _several("datasets", self.datasets))
        strategies = tuple(
            given if isinstance(given, Strategy) else load_strategy(given)
            for given in _several("strategies", self.strategies)
        )
        _refuse_doubles("datasets", [source.name for source in sources])
        _refuse_doubles("strategies", [strategy.name for strategy in strategies])
        _check_numbers(self)
        if self.costs is not None:
            sources = apply_costs(sources, self.costs)
        if self.unsafe_cost is not None:
            _refuse_second_costs(sources)
        object.__setattr__(self, "datasets", sources)
        object.__setattr__(self, "strategies", strategies)
        object.__setattr__(self, "train_sizes", tuple(float(size) for size in self.train_sizes))

    def splits(self) -> Iterable[TrainTest]:
        """Yield all splits that every data set is put through; whole repeats one by one."""
        for repeat in range(self.repeats):
            if self.n_folds is None:
                for train_size in self.train_sizes:
                    yield TrainTest(train_size, None, None, repeat)
            else:
                for fold in range(self.n_folds):
                    yield TrainTest(None, self.n_folds, fold, repeat)

    def cells(self) -> list[Cell]:
        """Return all cells, repeats outermost: a run that is stopped early has whole repeats.

        Raises
        ------
        ValueError
            If a data set cannot be read, has a class with too few rows to be split, or has
            costs that name other features or classes; or if ``unsafe_cost`` is given and no
            data set has an unsafe class.
        """
        loaded = [load_source(source) for source in self.datasets]
        for dataset in loaded:
            _check_class_sizes(dataset, self.n_folds or 2)
            if self.n_folds is None:
                _check_train_sizes(dataset, self.train_sizes)
        if self.unsafe_cost is not None and all(d.unsafe_class is None for d in loaded):
            raise ValueError(
                "unsafe_cost: no data set has an unsafe class; name one (unsafe_class)"
            )
        costs = [read_cost_model(source.costs, source.errors) for source in self.datasets]
        for model, dataset in zip(costs, loaded, strict=True):
            if model is not None:
                check_costs(model, dataset)
        return [
            self._make_cell(source, dataset, model, strategy, split)
            for split in self.splits()
            for source, dataset, model in zip(self.datasets, loaded, costs, strict=True)
            for strategy in self.strategies
        ]

    def _make_cell(
        self,
        source: Source,
        dataset: Dataset,
        costs: CostModel | None,
        strategy: Strategy,
        split: TrainTest,
    ) -> Cell:
        axes: dict[str, str | float] = {"protocol": split.protocol, "repeat": split.repeat}
        return Cell(
            source=source,
            checksum=dataset.checksum,
            unsafe_class=dataset.unsafe_class,
            strategy=strategy,
            split=split,
            seed=derive_seed(self.seed, dataset=source.name, **axes),
            unsafe_cost=self.unsafe_cost,
            costs=costs,
        )


def _several(name: str, given: Sequence[Any]) -> Sequence[Any]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise TypeError(f"{name} must be a list, got {given!r}; write [{given!r}]")
    if not len(given):
        raise ValueError(f"{name} is empty; a comparison needs at least one")
    return given


def _refuse_doubles(axis: str, names: list[str]) -> None:
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        raise ValueError(f"{axis}: {doubles[0]!r} appears twice; each needs a name of its own")


def _check_numbers(design: Design) -> None:
    for size in _several("train_sizes", design.train_sizes):
        if not _is_number(size) or not 0.0 < size < 1.0:
            raise ValueError(f"train_sizes must lie between 0 and 1, got {size!r}")
    protocols = [TrainTest(size, None, None, 0).protocol for size in design.train_sizes]
    if len(set(protocols)) < len(protocols):
        # They would count as different splits in every mean and halve its variance.
        raise ValueError(f"train_sizes are the same twice in {', '.join(protocols)}")
    if design.n_folds is not None:
        _check_integer("n_folds", design.n_folds, 2)
    cost = design.unsafe_cost
    if cost is not None and not (_is_number(cost) and 0 < cost < np.inf):
        raise ValueError(f"unsafe_cost must be a positive number, got {cost!r}")
    _check_integer("repeats", design.repeats, 1)
    _check_integer("seed", design.seed, 0)


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int | np.number) and not isinstance(value, bool)


def _refuse_second_costs(sources: tuple[Source, ...]) -> None:
    for source in sources:
        if source.costs is not None or source.errors is not None:
            raise ValueError(
                f"unsafe_cost: data set {source.name!r} has costs of its own; leave one of them out"
            )


def _check_integer(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")


def _check_class_sizes(dataset: Dataset, least: int) -> None:
    counts = dataset.target.value_counts()
    if len(counts) < 2:
        raise ValueError(f"data set {dataset.name!r} has one class, {str(counts.index[0])!r}")
    if counts.min() < least:
        raise ValueError(
            f"data set {dataset.name!r}: class {str(counts.idxmin())!r} has {counts.min()} "
            f"{'row' if counts.min() == 1 else 'rows'}; stratified splits need at least {least}. "
            "Remove or merge the class, or use fewer folds"
        )


def _check_train_sizes(dataset: Dataset, train_sizes: Sequence[float]) -> None:
    """Try a split of each size; how many rows of a class it takes does not depend on the seed."""
    for size in train_sizes:
        try:
            split_rows(dataset.target, TrainTest(size, None, None, 0), seed=0)
        except ValueError as error:
            raise ValueError(
                f"train_sizes: data set {dataset.name!r} cannot be split at {size:g}: {error}"
            ) from None
