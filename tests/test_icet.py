"""ICET: its strings, its search, its trials, and what a user may get wrong."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from baselines import CostWeighted, ICETClassifier, _genetic
from baselines._compiled_trials import CompiledTrials
from baselines._genetic import Individual, Rules
from baselines._genome import Gene, Genome
from baselines._half_sample import Sample, Trials
from baselines._trial_kernels import draw_members
from baselines.tree_grower import TreeGrower
from oblique import ObliqueTreeClassifier, load, save
from oblique.costs import CostModel, TestCost, load_costs
from oblique.costs.test_cost import tabulate
from oblique.criteria import gain
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel, BestOf, Categories, LinearDiscriminant
from oblique.node import Node
from oblique.pruning import CostComplexity, ErrorBased
from oblique.tree import ARRAYS

PIMA = load_dataset("pima")
X, Y = PIMA.data.iloc[:200], PIMA.target.iloc[:200]
COSTS = load_costs("pima", 100)
SMALL = {"population_size": 6, "n_trials": 30, "mutation": 0.01, "random_state": 0}


def assert_same_model(first, second):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(first.tree_, name), getattr(second.tree_, name))
    for name in first.history_:
        np.testing.assert_array_equal(first.history_[name], second.history_[name])
    np.testing.assert_array_equal(first.biases_, second.biases_)
    assert (first.omega_, first.confidence_, first.cost_, first.n_trials_) == (
        second.omega_, second.confidence_, second.cost_, second.n_trials_,
    )  # fmt: skip


# ---------------------------------------------------------------- strings of bits

GENES = [Gene(12, 1.0, 10_000.0), Gene(8, 0.0, 1.0), Gene(3, -2.0, 5.0)]


@settings(deadline=None)
@given(st.lists(st.integers(0, 1), min_size=23, max_size=23))
def test_strings_survive_decoding_and_encoding(bits):
    genome = Genome(GENES)
    values = genome.decode([bits])[0]
    assert genome.encode(values) == bits
    assert all(gene.low <= v <= gene.high for gene, v in zip(GENES, values, strict=True))


def test_neighbouring_values_differ_in_one_bit():
    genome = Genome([Gene(5, 0.0, 31.0)])
    codes = [genome.encode([value]) for value in range(32)]
    for value, bits in enumerate(codes):
        assert genome.decode([bits])[0, 0] == value
        # Gray code, written with the textbook's formula.
        assert int("".join(map(str, bits)), 2) == value ^ (value >> 1)
    for bits, following in itertools.pairwise(codes):
        assert sum(a != b for a, b in zip(bits, following, strict=True)) == 1


def test_values_outside_their_range_are_clipped():
    genome = Genome(GENES)
    np.testing.assert_array_equal(genome.decode([genome.encode([1e9, -1, 5])])[0], [10_000, 0, 5])
    same = Genome([Gene(4, 3.0, 3.0)])
    assert same.decode([same.encode([7.0])])[0, 0] == 3.0


# ---------------------------------------------------------------- the search

RULES = Rules(
    population_size=20, n_trials=400, crossover=0.6, mutation=0.01, elitism=True,
    scaling_window=5, reevaluate=False, max_generations=None, patience=None,
)  # fmt: skip


def zeros(strings):
    return [float(len(one) - sum(one)) for one in strings]


def run(rules=RULES, seed=0, rate=zeros, n_bits=24, known=()):
    population = _genetic.start(n_bits, rules, seed, known)
    stands = [
        (stand.generation, stand.trials, [list(one) for one in stand.members])
        for stand in _genetic.search(population, rules, rate, seed)
    ]
    return population, stands


def test_search_finds_the_string_of_ones():
    population, _ = run(dataclasses.replace(RULES, n_trials=3000))
    assert population.best.cost <= 3.0
    first = population.history[0]
    assert population.best.cost < first["best"]
    assert population.history[-1]["mean"] < first["mean"]


def test_every_trial_is_counted_once():
    rated = []

    def rate(strings):
        rated.extend(one.trial for one in strings)
        return zeros(strings)

    population, stands = run(rate=rate)
    assert rated == list(range(400))
    assert population.trials == stands[-1][1] == 400
    assert [record["trials"] for record in population.history] == [s[1] for s in stands]


def test_the_elite_stays():
    best = [record["best"] for record in run()[0].history]
    assert best == sorted(best, reverse=True)
    assert best == [record["best_so_far"] for record in run()[0].history]


def test_unchanged_strings_keep_their_cost():
    """Each trial has a cost of its own here: no string is rated twice unless asked."""
    ticket = iter(range(10**6))

    def rate(strings):
        return [float(next(ticket)) for _ in strings]

    kept, _ = run(rate=rate)
    assert kept.best.cost == 0.0
    again, _ = run(dataclasses.replace(RULES, reevaluate=True), rate=rate)
    assert all(one.cost >= 380.0 for one in again.members)


def test_search_ends_where_nothing_changes():
    still = dataclasses.replace(RULES, crossover=0.0, mutation=0.0)
    population, _ = run(still)
    assert population.trials == 20
    assert len(population.history) < 20


@pytest.mark.parametrize(("limit", "value"), [("max_generations", 3), ("patience", 2)])
def test_search_ends_at_its_limits(limit, value):
    population, _ = run(dataclasses.replace(RULES, **{limit: value}))
    if limit == "max_generations":
        assert population.generation == 3
    else:
        assert population.generation - population.improved == 2
    assert population.trials < 400


def test_draws_follow_from_the_seed_and_leave_the_random_module_alone():
    random.seed(1)
    state = random.getstate()
    first = run(seed=7)
    assert random.getstate() == state
    random.random()
    assert run(seed=7)[1] == first[1]
    assert run(seed=8)[1] != first[1]


def test_selection_is_in_proportion_to_fitness():
    """A string that is worst of the window is never chosen, better ones by their lead."""
    rules = dataclasses.replace(
        RULES, crossover=0.0, mutation=0.0, elitism=False, population_size=100
    )
    members = [Individual([k], cost=cost) for k, cost in enumerate((0.0, 5.0, 10.0))]
    population = _genetic.Population(members, generation=1, trials=3, worst=[10.0])
    chosen = [one[0] for one in _genetic._breed(population, rules, 0)]
    counts = np.bincount(chosen, minlength=3)
    assert counts[2] == 0
    # Shares 10 and 5 of 15; universal sampling is off by less than one.
    assert abs(counts[0] - 200 / 3) < 1
    assert abs(counts[1] - 100 / 3) < 1


# ---------------------------------------------------------------- weighing costs


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
def test_cost_weighted_cut_is_the_one_of_largest_worth(seed, omega):
    """Against every cut of every column, rated by the formula."""
    rng = np.random.default_rng(seed)
    table, codes = rng.integers(0, 6, size=(30, 4)).astype(float), rng.integers(0, 2, size=30)
    codes[:2] = 0, 1
    costs = rng.uniform(0, 20, size=4)
    worths = []
    for j in range(4):
        of_column = []
        for cut in np.unique(table[:, j])[:-1]:
            left = table[:, j] <= cut
            sides = [np.bincount(codes[side], minlength=2) for side in (left, ~left)]
            of_column.append(gain("entropy", *sides))
        best = max(of_column, default=0.0)
        worths.append((2**best - 1) / (costs[j] + 1) ** omega)
    node = Node.from_data(table, codes.astype(np.int32))
    found = CostWeighted(AxisParallel(), costs, omega).propose(node, rng)
    assert found is not None
    assert found[1] == pytest.approx(max(worths))
    assert worths[found[0].feature] == pytest.approx(max(worths))


def test_dear_features_leave_an_oblique_test():
    wine = load_dataset("wine")
    table = wine.data.to_numpy(dtype=float)
    costs = np.ones(13)
    costs[[6, 9, 12]] = 1e6

    def used(omega):
        finder = CostWeighted(BestOf(LinearDiscriminant(), Categories()), costs, omega)
        tree = ObliqueTreeClassifier(finder=finder).fit(table, wine.target).tree_
        return set(tree.weight_indices.tolist())

    assert used(0.0) & {6, 9, 12}
    assert not used(1.0) & {6, 9, 12}


def test_without_strength_the_finder_is_as_it_was():
    plain = ObliqueTreeClassifier(finder=AxisParallel()).fit(X, Y).tree_
    weighted = ObliqueTreeClassifier(finder=CostWeighted(AxisParallel(), np.arange(8), 0.0))
    for name in ARRAYS:
        np.testing.assert_array_equal(
            getattr(plain, name), getattr(weighted.fit(X, Y).tree_, name), err_msg=name
        )


@pytest.mark.parametrize(
    ("finder", "error", "message"),
    [
        (CostWeighted(AxisParallel(), [1, -1]), ValueError, "numbers that are not negative"),
        (CostWeighted(AxisParallel(), [1, 2]), ValueError, "costs hold 2 values, but"),
        (
            CostWeighted(AxisParallel(), omega=2),
            ValueError,
            "omega=2 must be a number in",
        ),
        (CostWeighted("axis"), TypeError, "finder='axis' must be a SplitFinder"),
    ],
)
def test_wrong_parameters_of_cost_weighted(finder, error, message):
    with pytest.raises(error, match=message):
        ObliqueTreeClassifier(finder=finder).fit(X, Y)


# ---------------------------------------------------------------- trials


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_compiled_trials_cost_what_their_trees_cost(seed, weighted, free):
    """Against growing, pruning and pricing tree by tree."""
    rng = np.random.default_rng(seed)
    n, d, m = int(rng.integers(4, 80)), 4, 3
    table = rng.integers(0, 9, size=(n, d)).astype(float)
    codes = rng.integers(0, 3, size=n).astype(np.int32)
    table[:, 0] += codes
    weights = rng.integers(1, 4, size=n) / 2.0 if weighted else None
    sample = Sample(table, codes, weights, 3, None, {})
    groups = ["a", "a", None, None]
    prices = tabulate(
        [
            TestCost(float(rng.integers(5, 9)), 2.0 if g else None, g, bool(rng.random() < 0.4))
            for g in groups
        ]
    )
    grower = TreeGrower(table, codes, n_classes=3, sample_weight=weights)
    settings_ = (sample, None if free else prices, rng.uniform(0, 99, (3, 3)), 0.5, seed)
    biases = np.column_stack([rng.uniform(1, 100, (m, d)), rng.random(m), rng.uniform(1, 100, m)])
    trials = rng.integers(0, 1000, size=m)
    fast = CompiledTrials(grower, *settings_).costs(biases, trials)
    np.testing.assert_allclose(fast, Trials(grower, *settings_).costs(biases, trials), rtol=1e-12)


def test_halves_are_drawn_evenly():
    members = draw_members(5, np.arange(4000), 9, 4)
    assert (members.sum(axis=1) == 4).all()
    # Each row in 4 of 9 draws, each pair in 4 * 3 of 9 * 8; five standard errors.
    assert np.abs(members.mean(axis=0) - 4 / 9).max() < 5 * np.sqrt(4 / 9 * 5 / 9 / 4000)
    both = (members[:, :, None] & members[:, None, :]).mean(axis=0)[np.triu_indices(9, 1)]
    assert np.abs(both - 1 / 6).max() < 5 * np.sqrt(1 / 6 * 5 / 6 / 4000)
    np.testing.assert_array_equal(draw_members(5, np.array([7, 3]), 9, 4), members[[7, 3]])
    assert (draw_members(6, np.arange(50), 9, 4) != members[:50]).any()


@pytest.mark.parametrize("chance", [0.0, 0.001, 0.3, 1.0])
def test_bits_turn_with_the_chance_given(chance):
    with _genetic.drawn_from(0, 0):
        turned = np.array([_flipped(50, chance) for _ in range(2000)])
    error = np.sqrt(chance * (1 - chance) / 2000)
    assert np.abs(turned.mean(axis=0) - chance).max() <= 5 * error
    assert abs(turned.mean() - chance) <= 5 * error / np.sqrt(50)


def _flipped(n, chance):
    bits = [0] * n
    _genetic.flip_bits(bits, chance)
    return bits


# ---------------------------------------------------------------- the classifier


def test_cost_is_that_of_the_trials_other_half():
    model = ICETClassifier(COSTS, **SMALL).fit(X, Y)
    half = model.tree_.counts[0].sum()
    assert half == 100
    assert model.cost_ == model.history_["best_so_far"][-1] == model.history_["best"].min()
    assert model.n_trials_ == 30
    assert model.biases_.shape == (8,)
    assert 0 <= model.omega_ <= 1
    assert 1 <= model.confidence_ <= 100
    spent = COSTS.cost_of(model, X, Y)
    # The tree's own 100 cases and the other half average to all cases.
    assert spent.average * 200 - model.cost_ * 100 > 0.0


def test_refit_grows_on_all_rows():
    half = ICETClassifier(COSTS, **SMALL).fit(X, Y)
    whole = ICETClassifier(COSTS, refit=True, **SMALL).fit(X, Y)
    assert whole.tree_.counts[0].sum() == 200
    np.testing.assert_array_equal(whole.biases_, half.biases_)
    assert whole.cost_ == half.cost_


def test_errors_that_cost_nothing_are_not_paid_for():
    """Where tests cost and errors do not, blood is not drawn."""
    options = {**SMALL, "population_size": 30, "n_trials": 300}
    model = ICETClassifier(load_costs("pima", 0.0), **options).fit(X, Y)
    blood = {list(X.columns).index(name) for name in ("glucose", "insulin")}
    assert not blood & set(model.tree_.weight_indices.tolist())
    assert model.cost_ <= 6.0 < model.history_["mean"][0]


def test_dear_errors_are_avoided():
    missed = {}
    for errors in ({0: 1, 1: 1}, {0: 1, 1: 1000}):
        options = {**SMALL, "n_trials": 150, "population_size": 20}
        model = ICETClassifier(CostModel(errors=errors), **options).fit(X, Y)
        missed[errors[1]] = ((model.predict(X) == 0) & (Y == 1)).sum()
    assert missed[1000] < missed[1]


@pytest.mark.parametrize("tree", [None, ObliqueTreeClassifier(max_depth=2)])
def test_result_does_not_depend_on_jobs_or_the_order_of_rows(tree):
    model = ICETClassifier(COSTS, tree=tree, **SMALL).fit(X, Y)
    mixed = np.random.default_rng(3).permutation(200)
    assert_same_model(
        model, ICETClassifier(COSTS, tree=tree, **SMALL).fit(X.iloc[mixed], Y.iloc[mixed])
    )
    assert_same_model(model, ICETClassifier(COSTS, tree=tree, n_jobs=2, **SMALL).fit(X, Y))


def test_seed_decides():
    first = ICETClassifier(COSTS, **SMALL).fit(X, Y)
    assert_same_model(first, ICETClassifier(COSTS, **SMALL).fit(X, Y))
    other = ICETClassifier(COSTS, **{**SMALL, "random_state": 1}).fit(X, Y)
    assert not np.array_equal(other.history_["mean"], first.history_["mean"])


def test_first_generation_knows_the_true_costs():
    told = []
    plain = CompiledTrials.costs

    def spy(trials, values, numbers):
        told.append(values)
        return plain(trials, values, numbers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompiledTrials, "costs", spy)
        ICETClassifier(COSTS, **SMALL).fit(X, Y)
    costs, omega, confidence = told[0][0, :-2], told[0][0, -2], told[0][0, -1]
    prices = COSTS.prices(X.columns).full
    assert (np.abs(costs - np.maximum(prices, 1.0)) <= 9999 / 4095 / 2 + 1e-9).all()
    assert omega == 1.0
    assert abs(confidence - 25.0) <= 99 / 255 / 2


def test_any_tree_can_be_the_inner_one():
    # With omega 0 nothing is lost by tests of many features.
    oblique = ICETClassifier(
        COSTS, tree=ObliqueTreeClassifier(), omega_range=(0.0, 0.0), **SMALL
    ).fit(X, Y)
    assert not oblique.tree_.is_axis_parallel
    pruned = ObliqueTreeClassifier(pruning=ErrorBased(0.1, bound="exact"), max_depth=3)
    assert ICETClassifier(COSTS, tree=pruned, **SMALL).fit(X, Y).tree_.max_depth <= 3


def test_missing_values_categories_and_weights():
    table = X.copy()
    rng = np.random.default_rng(0)
    table[rng.random(table.shape) < 0.1] = np.nan
    table["site"] = pd.Categorical(rng.choice(["a", "b", "c"], 200))
    costs = CostModel({**load_costs("pima").tests, "site": 3}, 100)
    model = ICETClassifier(costs, **SMALL).fit(table, Y, sample_weight=rng.random(200) + 0.5)
    assert model.predict(table).shape == (200,)
    assert costs.cost_of(model, table, Y).average > 0


def test_rows_of_weight_zero_do_not_count():
    weights = np.ones(200)
    weights[150:] = 0
    first = ICETClassifier(COSTS, **SMALL).fit(X, Y, sample_weight=weights)
    assert_same_model(first, ICETClassifier(COSTS, **SMALL).fit(X[:150], Y[:150]))


def test_history_is_drawn():
    from matplotlib.figure import Figure

    model = ICETClassifier(COSTS, **SMALL).fit(X, Y)
    axes = model.plot_history(Figure().add_subplot())
    assert len(axes.lines) == 3
    np.testing.assert_array_equal(axes.lines[1].get_ydata(), model.history_["best"])
    with pytest.raises(NotFittedError):
        ICETClassifier().plot_history()


def test_progress_goes_to_stderr(capsys):
    ICETClassifier(COSTS, progress=True, **SMALL).fit(X, Y)
    captured = capsys.readouterr()
    assert "30/30" in captured.err
    assert not captured.out
    ICETClassifier(COSTS, **SMALL).fit(X, Y)
    assert not capsys.readouterr().err


def test_model_is_saved_and_loaded(tmp_path):
    inner = ObliqueTreeClassifier(finder=CostWeighted(AxisParallel(), omega=0.5))
    for model in (ICETClassifier(COSTS, **SMALL), ICETClassifier("pima", tree=inner, **SMALL)):
        model.fit(X, Y)
        save(model, tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        assert_same_model(model, again)
        np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
        assert again.costs == model.costs


# ---------------------------------------------------------------- checkpoints


def test_search_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    path = tmp_path / "search.json"
    whole = ICETClassifier(COSTS, **SMALL).fit(X, Y)
    written = []
    from baselines import icet

    def stop_after_two(*arguments, **options):
        write(*arguments, **options)
        written.append(1)
        if len(written) == 2:
            raise KeyboardInterrupt

    write = icet.write_search
    monkeypatch.setattr(icet, "write_search", stop_after_two)
    with pytest.raises(KeyboardInterrupt):
        ICETClassifier(COSTS, checkpoint=path, **SMALL).fit(X, Y)
    kept = json.loads(path.read_text())
    assert kept["population"]["generation"] == 2
    resumed = ICETClassifier(COSTS, checkpoint=path, **SMALL).fit(X, Y)
    assert_same_model(whole, resumed)
    assert len(written) == len(whole.history_["best"])
    # A finished search is only read, and may go on with more trials.
    assert_same_model(whole, ICETClassifier(COSTS, checkpoint=path, **SMALL).fit(X, Y))
    longer = ICETClassifier(COSTS, checkpoint=path, **{**SMALL, "n_trials": 45}).fit(X, Y)
    assert longer.n_trials_ == 45
    assert longer.cost_ <= whole.cost_


def test_checkpoint_keeps_a_seed_that_was_not_given(tmp_path):
    path = tmp_path / "search.json"
    options = {**SMALL, "random_state": None, "checkpoint": path}
    first = ICETClassifier(COSTS, **options).fit(X, Y)
    assert_same_model(first, ICETClassifier(COSTS, **options).fit(X, Y))


def test_checkpoint_of_another_search_is_refused(tmp_path):
    path = tmp_path / "search.json"
    ICETClassifier(COSTS, checkpoint=path, **SMALL).fit(X, Y)
    others = [
        (ICETClassifier(COSTS, checkpoint=path, **{**SMALL, "random_state": 1}), Y),
        (ICETClassifier(COSTS, checkpoint=path, **{**SMALL, "mutation": 0.1}), Y),
        (ICETClassifier(load_costs("pima", 10), checkpoint=path, **SMALL), Y),
        (ICETClassifier(COSTS, checkpoint=path, **SMALL), 1 - Y),
    ]
    for model, y in others:
        with pytest.raises(ValueError, match="belongs to a search with other data, parameters"):
            model.fit(X, y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("seed"), "lacks the key 'seed'"),
        (lambda d: d.update(format="model"), 'it lacks "format"'),
        (lambda d: d.update(format_version=2), "format_version=2 is not known"),
        (lambda d: d.update(seed="-1"), "seed='-1' must be the digits"),
        (lambda d: d["population"].update(generation=0), "generation must be at least 1"),
        (lambda d: d["population"].update(trials=-1), "trials=-1 must be a whole number"),
        (lambda d: d["population"]["best"].update(bits="01"), "bits must be a text of 112"),
        (lambda d: d["population"]["best"].update(cost=-1), "cost=-1 must be a finite number"),
        (lambda d: d["population"].update(members=[]), "members must be a list with entries"),
        (lambda d: d["population"]["history"][0].pop("mean"), "lacks the key 'mean'"),
    ],
)
def test_spoilt_checkpoints_are_named(tmp_path, change, message):
    path = tmp_path / "search.json"
    ICETClassifier(COSTS, checkpoint=path, **SMALL).fit(X, Y)
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=message):
        ICETClassifier(COSTS, checkpoint=path, **SMALL).fit(X, Y)


def test_checkpoint_that_is_no_json(tmp_path):
    path = tmp_path / "search.json"
    path.write_bytes(b"\x80\x04cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(ValueError, match="cannot be read: not a JSON file"):
        ICETClassifier(COSTS, checkpoint=path, **SMALL).fit(X, Y)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        ICETClassifier(COSTS, checkpoint=tmp_path / "none" / "search.json", **SMALL).fit(X, Y)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"population_size": 1}, ValueError, "population_size=1 must be an integer of at least 2"),
        ({"max_generations": 0}, ValueError, "max_generations=0 must be an integer of at least 1"),
        ({"n_trials": 0}, ValueError, "n_trials=0 must be an integer of at least 1"),
        ({"patience": 0}, ValueError, "patience=0 must be an integer of at least 1 or None"),
        ({"confidence_range": (0, 50)}, ValueError, "CF is a percentage above 0"),
        ({"confidence_range": (1, 101)}, ValueError, r"confidence_range=\(1, 101\) must be two"),
        ({"confidence_range": 25}, ValueError, "confidence_range=25 must be two numbers"),
        ({"omega_range": (0, 2)}, ValueError, r"omega_range=\(0, 2\) must be two numbers"),
        ({"bias_range": (5, 1)}, ValueError, r"bias_range=\(5, 1\) must be two numbers, the smal"),
        ({"bias_range": (1, float("inf"))}, ValueError, "bias_range"),
        ({"crossover": 1.5}, ValueError, r"crossover=1.5 must be a number in \[0, 1\]"),
        ({"mutation": -1}, ValueError, r"mutation=-1 must be a number in \[0, 1\]"),
        ({"scaling_window": 0}, ValueError, "scaling_window=0 must be an integer of at least 1"),
        ({"bits": (12, 8)}, ValueError, r"bits=\(12, 8\) must be three numbers"),
        ({"bits": (12, 8, 0)}, ValueError, "bits=0 must be an integer of at least 1"),
        ({"bits": (12, 8, 64)}, ValueError, "must be at most 32 each"),
        ({"train_size": 1.0}, ValueError, r"train_size=1.0 must be a share in \(0, 1\)"),
        ({"elitism": "yes"}, ValueError, "elitism='yes' must be True or False"),
        ({"costs": 5}, TypeError, "costs=5 must be a CostModel, a name or None"),
        ({"costs": "pina"}, ValueError, "costs='pina' is not known; did you mean 'pima'"),
        ({"costs": "heart"}, ValueError, "feature='sex' is not known"),
        ({"costs": CostModel(errors=np.zeros((3, 3)))}, ValueError, r"shape \(3, 3\), but there"),
        ({"costs": CostModel(errors={"a": 1, "b": 1})}, ValueError, "class='0' is not known"),
        ({"tree": DecisionTreeClassifier()}, TypeError, "must be a tree classifier of this pack"),
        ({"tree": ObliqueTreeClassifier(pruning=CostComplexity())}, ValueError, "holds rows out"),
        ({"tree": ObliqueTreeClassifier(criterion="x")}, ValueError, "criterion='x' is not known"),
        ({"random_state": -1}, ValueError, "random_state=-1 must be None"),
        ({"n_jobs": 0}, ValueError, "n_jobs=0 must be None or an integer"),
        ({"n_jobs": "two"}, ValueError, "n_jobs='two' must be None or an integer"),
        ({"checkpoint": "."}, ValueError, "checkpoint='.' is a folder: name a file"),
    ],
)  # fmt: skip
def test_what_is_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        ICETClassifier(**{"costs": COSTS, **SMALL, **parameters}).fit(X, Y)


def test_costs_that_name_features_need_a_data_frame():
    with pytest.raises(ValueError, match="costs as a list in the order of the columns"):
        ICETClassifier(COSTS, **SMALL).fit(X.to_numpy(), Y)
    positional = CostModel(list(COSTS.tests.values()), 100)
    by_place = ICETClassifier(positional, **SMALL).fit(X.to_numpy(), Y)
    assert_same_model(by_place, ICETClassifier(COSTS, **SMALL).fit(X, Y))


# ---------------------------------------------------------------- scikit-learn

CHECKED = [
    ICETClassifier(population_size=4, n_trials=12),
    ICETClassifier(tree=ObliqueTreeClassifier(max_depth=3), population_size=4, n_trials=6),
]


def expected_failures(estimator):
    return {
        "check_sample_weight_equivalence_on_dense_data": (
            "a row of weight three goes to one half of the rows, its three copies one by one"
        ),
    }


@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
