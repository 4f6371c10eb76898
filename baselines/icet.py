"""ICET: a genetic search for the costs that a decision tree should be told.

P. D. Turney (1995). Cost-sensitive classification: empirical evaluation of a hybrid genetic
decision tree induction algorithm. Journal of Artificial Intelligence Research 2, 369-409.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from baselines import _genetic
from baselines._checks import check_count, check_jobs, check_probability
from baselines._compiled_trials import CompiledTrials
from baselines._genetic import RECORDED, Individual, Population, Rules
from baselines._genome import Gene, Genome
from baselines._half_sample import Biases, EstimatorGrower, Grower, Sample, Trials
from baselines._search_file import read_search, write_search
from baselines._side_by_side import side_by_side
from baselines.tree_grower import TreeGrower
from oblique.classifier import TreeClassifier, make_generator
from oblique.costs import CostModel, load_costs
from oblique.costs.test_cost import Prices
from oblique.encode import learn_columns
from oblique.predictor import TreePredictor
from oblique.profile import column_profile
from oblique.pruning.base import is_number
from oblique.row_order import canonical_rows
from oblique.target import encode_labels
from oblique.weight import combine_weights, drop_zero_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Costs of tests are biases of 1 ... 10 000, the confidence 1 ... 100 percent.
BIASES = (1.0, 10_000.0)
CONFIDENCES = (1.0, 100.0)
# What the tree of known costs in the first generation is told beside them.
_KNOWN_OMEGA, _KNOWN_CONFIDENCE = 1.0, 25.0
# Parameters that decide how far a search goes, or nothing of its course; costs are described
# apart, as a name stands for them too.
_NOT_OF_THE_COURSE = (
    "n_trials", "max_generations", "patience", "refit", "n_jobs", "progress", "checkpoint",
    "random_state", "costs",
)  # fmt: skip


class ICETClassifier(TreePredictor):
    """A tree whose cost is brought down by a genetic search over what its growing is told.

    A string of bits stands for a cost of each test, the strength omega of the costs and the
    confidence CF of pruning. These costs are biases: the tree is grown as if they were true,
    by the value ``(2^I - 1) / (C + 1)^omega`` of a test of gain I (EG2's, on C4.5). Each
    trial grows a tree on a random half of the rows; what it costs on the other half, tests
    and errors at their true prices, is what the search brings down (Turney 1995, section 3.2).

    Parameters
    ----------
    costs : CostModel, str or None, default=None
        What tests and errors really cost; a text is a name of `oblique.costs.load_costs`, with
        errors of cost 1. None: tests are free and errors cost 1.
    tree : TreeClassifier or None, default=None
        What is grown in each trial: None, C4.5's tree. Any tree classifier of this package
        will do, also an oblique one: its finder is then made to weigh costs by
        `baselines.CostWeighted`, and its pruning becomes error-based.
    population_size : int, default=50
    n_trials : int, default=1000
        Trees grown at most. Strings that come unchanged into a generation keep their cost.
    max_generations : int or None, default=None
        Generations at most. None: as many as the trials allow.
    patience : int or None, default=None
        End after so many generations without a cheaper tree.
    crossover : float, default=0.6
        Probability that a pair of strings is crossed, at two points.
    mutation : float, default=0.001
        Probability that a bit changes.
    elitism : bool, default=True
        Whether the best string of a generation stays.
    scaling_window : int, default=5
        Strings are selected in proportion to how much less they cost than the worst of so many
        generations.
    reevaluate : bool, default=False
        Whether unchanged strings are tried again, on a new half of the rows.
    bias_range : (float, float), default=(1, 10000)
        Least and largest bias cost.
    omega_range : (float, float), default=(0, 1)
        Least and largest strength of the costs.
    confidence_range : (float, float), default=(1, 100)
        Least and largest CF in percent, in (0, 100].
    bits : (int, int, int), default=(12, 8, 8)
        Bits of a bias cost, of omega and of CF.
    seed_true_costs : bool, default=True
        Whether one of the first strings stands for the true costs, omega 1 and CF 25.
    train_size : float, default=0.5
        Share of the rows that a trial grows its tree on.
    refit : bool, default=False
        Whether a tree is grown on all rows with the best biases. Else the best tree itself is
        kept, which was grown on half of the rows.
    categorical_features : "from_dtype", None or array-like, default="from_dtype"
        As for `oblique.ObliqueTreeClassifier`.
    n_jobs : int or None, default=None
        Trials of a generation run side by side, as joblib counts. The result does not depend on
        it.
    progress : bool, default=False
        Whether a bar tells on stderr how far the search is.
    checkpoint : path-like or None, default=None
        File (JSON) that is written after each generation. If it is there when `fit` starts, the
        search goes on from it; with more ``n_trials`` it goes on further.
    random_state : int, RandomState or None, default=None
        Seed of the search and of the halves. The same data in any order of rows and the same
        seed give the same tree.

    Attributes
    ----------
    tree_ : Tree
    classes_ : ndarray of shape (n_classes,)
    n_features_in_, feature_names_in_
    biases_ : ndarray of shape (n_features,)
        Bias costs that the tree was grown with.
    omega_, confidence_ : float
        Strength of the costs, and CF in percent.
    cost_ : float
        Average cost of a case in the tree's own trial.
    n_trials_ : int
        Trees grown.
    history_ : dict of str to ndarray
        Per generation: ``generation``, ``trials`` so far, ``best``, ``mean`` and ``spread``
        (standard deviation) of the population's costs, ``best_so_far``.

    Notes
    -----
    Costs of trials are noisy, as each has a half of its own, and the best of many is flattered:
    ``cost_`` is no estimate of what new cases will cost.

    Examples
    --------
    >>> from baselines import ICETClassifier
    >>> from oblique.costs import load_costs
    >>> from oblique.datasets import load_dataset
    >>> data = load_dataset("pima")
    >>> costs = load_costs("pima", errors=100)
    >>> model = ICETClassifier(costs, n_trials=100, random_state=0).fit(data.data, data.target)
    >>> spent = costs.cost_of(model, data.data, data.target)
    >>> bool(spent.average < 100 * 268 / 768 + 44.29)
    True
    """

    _fitted_attributes = (
        *TreePredictor._fitted_attributes,
        "biases_", "omega_", "confidence_", "cost_", "n_trials_", "history_",
    )  # fmt: skip

    def __init__(
        self,
        costs: CostModel | str | None = None,
        *,
        tree: TreeClassifier | None = None,
        population_size: int = 50,
        n_trials: int = 1000,
        max_generations: int | None = None,
        patience: int | None = None,
        crossover: float = 0.6,
        mutation: float = 0.001,
        elitism: bool = True,
        scaling_window: int = 5,
        reevaluate: bool = False,
        bias_range: tuple[float, float] = BIASES,
        omega_range: tuple[float, float] = (0.0, 1.0),
        confidence_range: tuple[float, float] = CONFIDENCES,
        bits: tuple[int, int, int] = (12, 8, 8),
        seed_true_costs: bool = True,
        train_size: float = 0.5,
        refit: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        progress: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        random_state: Any = None,
    ):
        self.costs = costs
        self.tree = tree
        self.population_size = population_size
        self.n_trials = n_trials
        self.max_generations = max_generations
        self.patience = patience
        self.crossover = crossover
        self.mutation = mutation
        self.elitism = elitism
        self.scaling_window = scaling_window
        self.reevaluate = reevaluate
        self.bias_range = bias_range
        self.omega_range = omega_range
        self.confidence_range = confidence_range
        self.bits = bits
        self.seed_true_costs = seed_true_costs
        self.train_size = train_size
        self.refit = refit
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.progress = progress
        self.checkpoint = checkpoint
        self.random_state = random_state

    # ------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Search for the biases of least cost.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
            NaN is a missing value. A cost model that names features needs their names here.
        y : array-like of shape (n,)
            Class labels of any kind.
        sample_weight : array-like of shape (n,) or None
            Weights, not negative: they count in growing and in the average cost. Rows of weight
            zero are left out.

        Returns
        -------
        self
        """
        rules, costs = self._rules(), self._costs()
        seed = int(make_generator(self.random_state).integers(2**62))
        sample, classes = self._read(X, y, sample_weight)
        prices = costs.prices(_feature_names(sample))
        errors = costs.error_matrix(classes)
        genome = self._genome(sample.X.shape[1])
        identity = "" if self.checkpoint is None else self._identity(sample, costs)
        population, seed = self._begin(genome, rules, seed, prices, identity)
        grower = self._grower(sample, classes, seed)
        settings = (sample, prices, errors, self.train_size, seed)
        if isinstance(grower, TreeGrower) and grower.is_plain:
            trials: Trials = CompiledTrials(grower, *settings)
        else:
            trials = Trials(grower, *settings)
        for stand in self._generations(population, rules, seed, genome, trials):
            if self.checkpoint is not None:
                write_search(self.checkpoint, stand, seed=seed, identity=identity)
        best = population.best
        assert best is not None
        biases = Biases.read(genome.decode([best])[0])
        self.tree_ = trials.grow(biases, None if self.refit else best.trial)
        self.classes_ = classes
        self._profile = column_profile(sample.X, sample.weights)
        self.biases_ = biases.costs.copy()
        self.omega_, self.confidence_, self.cost_ = biases.omega, biases.confidence, best.cost
        self.n_trials_ = population.trials
        self.history_ = _history(population)
        return self

    def _read(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Sample, NDArray[Any]]:
        rows, self._columns = learn_columns(self, X, self.categorical_features)
        classes, codes = encode_labels(y, len(rows))
        weights = combine_weights(sample_weight, None, classes, codes)
        if weights is not None:
            rows, codes, weights = drop_zero_weights(rows, codes, weights)
        if len(rows) < 2:
            raise ValueError(
                f"n_samples = {len(rows)}: a trial needs a row to grow on and one to be priced on"
            )
        order = canonical_rows(rows, codes, weights)
        sample = Sample(
            rows[order], codes[order], None if weights is None else weights[order], len(classes),
            self._columns.categorical, self._names(classes, self._columns),
        )  # fmt: skip
        return sample, classes

    def _rules(self) -> Rules:
        check_count("population_size", self.population_size, least=2)
        check_count("n_trials", self.n_trials, least=1)
        for name in ("max_generations", "patience"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), least=1, or_else="None")
        for name in ("crossover", "mutation"):
            check_probability(name, getattr(self, name))
        check_count("scaling_window", self.scaling_window, least=1)
        check_jobs(self.n_jobs)
        if self.checkpoint is not None and os.path.isdir(self.checkpoint):
            raise ValueError(f"checkpoint={self.checkpoint!r} is a folder: name a file")
        flags = ("elitism", "reevaluate", "seed_true_costs", "refit", "progress")
        for name in flags:
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name}={getattr(self, name)!r} must be True or False")
        _check_range("bias_range", self.bias_range, 0.0, np.inf)
        _check_range("omega_range", self.omega_range, 0.0, 1.0)
        low, _ = _check_range("confidence_range", self.confidence_range, 0.0, 100.0)
        if low <= 0.0:
            raise ValueError(
                f"confidence_range={self.confidence_range!r}: CF is a percentage above 0"
            )
        if not is_number(self.train_size) or not 0.0 < self.train_size < 1.0:
            raise ValueError(f"train_size={self.train_size!r} must be a share in (0, 1)")
        bits = self.bits
        if not isinstance(bits, Sequence) or len(bits) != 3:
            raise ValueError(f"bits={bits!r} must be three numbers: of a bias, omega and CF")
        for count in bits:
            check_count("bits", count, least=1)
            if count > 32:
                raise ValueError(f"bits={bits!r} must be at most 32 each")
        if self.tree is not None and not isinstance(self.tree, TreeClassifier):
            raise TypeError(
                f"tree={self.tree!r:.80} must be a tree classifier of this package, such as "
                "ObliqueTreeClassifier(), or None"
            )
        return Rules(
            self.population_size, self.n_trials, self.crossover, self.mutation,
            bool(self.elitism), self.scaling_window, bool(self.reevaluate), self.max_generations,
            self.patience,
        )  # fmt: skip

    def _costs(self) -> CostModel:
        if self.costs is None:
            return CostModel()
        if isinstance(self.costs, str):
            return load_costs(self.costs)
        if not isinstance(self.costs, CostModel):
            raise TypeError(f"costs={self.costs!r:.80} must be a CostModel, a name or None")
        return self.costs

    def _genome(self, d: int) -> Genome:
        of_bias, of_omega, of_confidence = self.bits
        return Genome(
            [Gene(of_bias, *self.bias_range)] * d
            + [Gene(of_omega, *self.omega_range), Gene(of_confidence, *self.confidence_range)]
        )

    def _grower(self, sample: Sample, classes: NDArray[Any], seed: int) -> Grower:
        if self.tree is not None:
            return EstimatorGrower(self.tree, sample, classes, seed)
        return TreeGrower(
            sample.X, sample.codes, n_classes=sample.n_classes, sample_weight=sample.weights,
            categorical=sample.categorical, names=sample.names,
        )  # fmt: skip

    # ------------------------------------------------------------ the search

    def _identity(self, sample: Sample, costs: CostModel) -> str:
        """Hash of what decides the course of the search, without its end."""
        from oblique.compare.identity import describe_value, hash_json

        parameters = self.get_params(deep=False)
        for name in _NOT_OF_THE_COURSE:
            del parameters[name]
        digest = hashlib.sha256()
        for array in (sample.X, sample.codes, sample.weights):
            digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        described = [describe_value(parameters), describe_value(costs), digest.hexdigest()]
        return hash_json(described)

    def _begin(
        self, genome: Genome, rules: Rules, seed: int, prices: Prices | None, identity: str
    ) -> tuple[Population, int]:
        """Return a first population, or the one of the checkpoint, and the seed."""
        if self.checkpoint is None or not os.path.exists(self.checkpoint):
            known = []
            if self.seed_true_costs:
                n_tests = genome.n_genes - 2
                full = np.zeros(n_tests) if prices is None else prices.full
                known = [genome.encode([*full, _KNOWN_OMEGA, _KNOWN_CONFIDENCE])]
            return _genetic.start(genome.n_bits, rules, seed, known), seed
        population, kept_seed, kept = read_search(self.checkpoint, genome.n_bits)
        if kept != identity or (self.random_state is not None and kept_seed != seed):
            raise ValueError(
                f"checkpoint {os.fspath(self.checkpoint)} belongs to a search with other data, "
                "parameters or seed: name another file, or remove it"
            )
        return population, kept_seed

    def _generations(
        self, population: Population, rules: Rules, seed: int, genome: Genome, trials: Trials
    ) -> Iterator[Population]:
        """Run the search, trials side by side, and yield after each generation."""
        from tqdm import tqdm

        n_jobs = effective_n_jobs(self.n_jobs)
        bar = tqdm(
            total=rules.n_trials, initial=population.trials, desc="ICET", unit="tree",
            disable=not self.progress,
        )  # fmt: skip
        with bar, side_by_side(trials, n_jobs) as price:

            def rate(fresh: list[Individual]) -> list[float]:
                return price(genome.decode(fresh), np.array([one.trial for one in fresh]))

            for stand in _genetic.search(population, rules, rate, seed):
                bar.set_postfix(cost=f"{stand.history[-1]['best_so_far']:.4g}", refresh=False)
                bar.update(stand.trials - bar.n)
                yield stand

    # ------------------------------------------------------------ what became of it

    def plot_history(self, ax: Axes | None = None) -> Axes:
        """Draw the costs of each generation: best, mean and spread.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            None: a new figure.

        Returns
        -------
        ax : matplotlib Axes
        """
        check_is_fitted(self)
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.figure(layout="constrained").add_subplot()
        past = self.history_
        trials, mean, spread = past["trials"], past["mean"], past["spread"]
        ax.fill_between(trials, mean - spread, mean + spread, alpha=0.25, linewidth=0)
        ax.plot(trials, mean, label="mean and standard deviation")
        ax.plot(trials, past["best"], label="best of the generation")
        ax.plot(trials, past["best_so_far"], linestyle="--", label="best so far")
        ax.set_xlabel("trees grown")
        ax.set_ylabel("average cost of a case")
        ax.legend()
        return ax


def _feature_names(sample: Sample) -> list[str]:
    names = sample.names["feature_names"]
    return [f"x{j}" for j in range(sample.X.shape[1])] if names is None else list(names)


def _history(population: Population) -> dict[str, NDArray[Any]]:
    past = {name: np.array([record[name] for record in population.history]) for name in RECORDED}
    for name in ("generation", "trials"):
        past[name] = past[name].astype(np.int64)
    return past


def _check_range(name: str, value: Any, least: float, most: float) -> tuple[float, float]:
    what = f"{name}={value!r} must be two numbers, the smaller first, in [{least:g}, {most:g}]"
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise ValueError(what)
    if not all(map(is_number, value)):
        raise ValueError(what)
    low, high = map(float, value)
    if not least <= low <= high <= most or not np.isfinite(high):
        raise ValueError(what)
    return low, high
