"""A genetic search in the manner of GENESIS, on DEAP.

J. J. Grefenstette (1986). Optimization of control parameters for genetic algorithms. IEEE
Transactions on Systems, Man, and Cybernetics 16, 122-128: scaled fitness, selection in proportion
to it, two-point crossover, mutation bit by bit, an elite of one.
"""

from __future__ import annotations

import contextlib
import math
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from deap import base, tools

# DEAP draws from the generator of Python's random module, which all threads share.
_DRAWING = threading.Lock()

# A search ends after so many generations without a new string.
_IDLE = 10

#: What is recorded of each generation.
RECORDED = ("generation", "trials", "best", "mean", "spread", "best_so_far")


@dataclass(frozen=True)
class Rules:
    """Parameters of the search.

    Attributes
    ----------
    population_size : int
    n_trials : int
        Strings to be rated at most; unchanged ones keep their cost and do not count.
    crossover, mutation : float
        Probability that a pair of strings is crossed, that a bit changes.
    elitism : bool
        Whether the best string of a generation stays.
    scaling_window : int
        A string's fitness is the worst cost of so many generations less its own cost.
    reevaluate : bool
        Whether strings that did not change are rated again.
    max_generations, patience : int or None
        The search ends after so many generations in all, or without a better string.
    """

    population_size: int
    n_trials: int
    crossover: float
    mutation: float
    elitism: bool
    scaling_window: int
    reevaluate: bool
    max_generations: int | None
    patience: int | None


class _Cost(base.Fitness):
    weights = (-1.0,)


class _Share(NamedTuple):
    """How far a string is below the worst, in the shape in which DEAP looks for fitness."""

    values: tuple[float]


class Individual(list[int]):
    """A string of bits, what it costs, and in which trial that was found."""

    def __init__(self, bits: Sequence[int], cost: float | None = None, trial: int = -1):
        super().__init__(bits)
        self.fitness = _Cost() if cost is None else _Cost((cost,))
        self.share = _Share((0.0,))
        self.trial = trial

    @property
    def cost(self) -> float:
        """Cost found in its trial."""
        return float(self.fitness.values[0])

    def copy(self) -> Individual:
        """Return a string that is changed apart from this one."""
        return Individual(self, self.cost if self.fitness.valid else None, self.trial)

    def is_like(self, other: Individual) -> bool:
        """Whether the bits are equal."""
        return list.__eq__(self, other)


@dataclass
class Population:
    """Where a search stands, between two generations.

    Attributes
    ----------
    members : list of Individual
        Rated, except in a search that has not begun.
    generation : int
        Generations rated.
    trials : int
        Strings rated.
    best : Individual or None
        The one of least cost ever; of equal ones the first.
    improved : int
        Generation that found it.
    worst : list of float
        Largest cost of the last generations.
    history : list of dict
        A record a generation, see `RECORDED`.
    """

    members: list[Individual]
    generation: int = 0
    trials: int = 0
    best: Individual | None = None
    improved: int = 0
    worst: list[float] = field(default_factory=list)
    history: list[dict[str, float]] = field(default_factory=list)


Rate = Callable[[list[Individual]], Sequence[float]]


def start(n_bits: int, rules: Rules, seed: int, known: Sequence[Sequence[int]] = ()) -> Population:
    """Return random strings, the first ones replaced by ``known``."""
    with drawn_from(seed, 0):
        members = [
            Individual([random.getrandbits(1) for _ in range(n_bits)])
            for _ in range(rules.population_size)
        ]
    for place, bits in enumerate(known[: rules.population_size]):
        members[place] = Individual(bits)
    return Population(members)


def search(population: Population, rules: Rules, rate: Rate, seed: int) -> Iterator[Population]:
    """Go on with a search and yield it after each generation.

    Parameters
    ----------
    population : Population
        From `start`, or where an earlier search stood. Changed in place.
    rules : Rules
    rate : function
        Cost of each of some strings, whose ``trial`` numbers are set.
    seed : int
        All draws follow from it and the number of the generation.
    """
    if population.generation == 0:
        _rate(population, rules, rate)
        yield population
    while not is_over(population, rules):
        population.members = _breed(population, rules, seed)
        _rate(population, rules, rate)
        yield population


def is_over(population: Population, rules: Rules) -> bool:
    """Whether one of the limits is reached."""
    past = population.history
    # Where nothing new comes up for long, the strings are alike and bits hardly ever change.
    is_idle = len(past) > _IDLE and past[-1]["trials"] == past[-1 - _IDLE]["trials"]
    if population.trials >= rules.n_trials or is_idle:
        return True
    if rules.max_generations is not None and population.generation >= rules.max_generations:
        return True
    if rules.patience is None:
        return False
    return population.generation - population.improved >= rules.patience


def _rate(population: Population, rules: Rules, rate: Rate) -> None:
    """Rate the strings that are new, and keep the record."""
    fresh = [one for one in population.members if rules.reevaluate or not one.fitness.valid]
    # The last generation may be larger than what is left to spend; the strings that are not
    # rated drop out.
    fresh, dropped = (
        fresh[: rules.n_trials - population.trials],
        fresh[rules.n_trials - population.trials :],
    )
    for number, one in enumerate(fresh, start=population.trials):
        one.trial = number
    for one, cost in zip(fresh, rate(fresh) if fresh else (), strict=True):
        one.fitness.values = (float(cost),)
    if dropped:
        lost = set(map(id, dropped))
        population.members = [one for one in population.members if id(one) not in lost]
    population.trials += len(fresh)
    population.generation += 1
    _record(population, rules)


def _record(population: Population, rules: Rules) -> None:
    costs = np.array([one.cost for one in population.members])
    best = population.members[int(costs.argmin())]
    if population.best is None or best.cost < population.best.cost:
        population.best = best.copy()
        population.improved = population.generation
    population.worst = [*population.worst, float(costs.max())][-max(rules.scaling_window, 1) :]
    population.history.append(
        {
            "generation": population.generation,
            "trials": population.trials,
            "best": float(costs.min()),
            "mean": float(costs.mean()),
            "spread": float(costs.std()),
            "best_so_far": population.best.cost,
        }
    )


def _breed(population: Population, rules: Rules, seed: int) -> list[Individual]:
    """Return the strings of the next generation; those that do not change keep their cost."""
    baseline = max(population.worst)
    shares = [baseline - one.cost for one in population.members]
    # Where all are alike, all have the same chance.
    level = 0.0 if sum(shares) > 0.0 else 1.0
    for one, share in zip(population.members, shares, strict=True):
        one.share = _Share((share + level,))
    size = rules.population_size
    with drawn_from(seed, population.generation):
        chosen = tools.selStochasticUniversalSampling(population.members, size, fit_attr="share")
        random.shuffle(chosen)
        children = [parent.copy() for parent in chosen]
        for one, other in zip(children[::2], children[1::2], strict=False):
            if random.random() < rules.crossover:
                tools.cxTwoPoint(one, other)
        for child in children:
            flip_bits(child, rules.mutation)
    for child, parent in zip(children, chosen, strict=True):
        if not child.is_like(parent):
            child.fitness = _Cost()
    if rules.elitism:
        elite = min(population.members, key=lambda one: one.cost)
        if not any(child.fitness.valid and child.is_like(elite) for child in children):
            children[-1] = elite.copy()
    return children


def flip_bits(bits: list[int], chance: float) -> None:
    """Turn each bit over with some chance.

    As DEAP's ``mutFlipBit``, but drawn once a bit that turns instead of once a bit: few do.
    """
    if chance <= 0.0:
        return
    place = -1
    while True:
        # How many bits stay as they are before the next one turns: geometric.
        stay = 0.0 if chance >= 1.0 else math.log(1.0 - random.random()) / math.log1p(-chance)
        if stay >= len(bits) - place - 1:
            return
        place += 1 + int(stay)
        bits[place] = 1 - bits[place]


@contextlib.contextmanager
def drawn_from(seed: int, generation: int) -> Iterator[None]:
    """Let Python's random module draw from a seed of its own, and restore it afterwards."""
    derived = np.random.SeedSequence([seed, generation]).generate_state(4).tolist()
    with _DRAWING:
        state = random.getstate()
        random.seed(int("".join(f"{word:08x}" for word in derived), 16))
        try:
            yield
        finally:
            random.setstate(state)


def to_dict(population: Population) -> dict[str, Any]:
    """Return where a search stands as plain lists, numbers and texts, ready for JSON."""
    return {
        "generation": population.generation,
        "trials": population.trials,
        "improved": population.improved,
        "worst": population.worst,
        "history": population.history,
        "members": [_one_to_dict(one) for one in population.members],
        "best": None if population.best is None else _one_to_dict(population.best),
    }


def _one_to_dict(one: Individual) -> dict[str, Any]:
    return {"bits": "".join(map(str, one)), "cost": one.cost, "trial": one.trial}
