import pickle
import sys
import threading
import time
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from numba.core.compiler import Compiler
from odd_classifiers import (
    Backwards,
    Hanging,
    Leaving,
    Majority,
    Nameless,
    OddProbabilities,
    Raising,
    Sleeping,
    Stubborn,
    ThreadCounting,
    TooProbable,
    TooShort,
    Undecodable,
    Warning_,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, recall_score, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import oblique.compare.timing
from oblique.compare import Design, Strategy, run, run_cell
from oblique.compare.deadline import TimeLimitExceeded, deadline
from oblique.compare.execute import prepare_estimator
from oblique.compare.measure import measure_tree, score_predictions
from oblique.compare.splitting import split_rows
from oblique.compare.timing import time_call, time_fit
from oblique.datasets import load_dataset


def make_cell(estimator, dataset="pima"):
    return Design([dataset], [Strategy("tried", estimator)], repeats=1).cells()[0]


def test_scores_are_those_of_scikit_learn():
    cell = make_cell(make_pipeline(StandardScaler(), LogisticRegression()))
    record = run_cell(cell, keep_predictions=True)
    assert record["status"] == "done"
    pima = load_dataset("pima")
    train, test = split_rows(pima.target.to_numpy(), cell.split, seed=cell.seed)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    model.fit(pima.data.iloc[train], pima.target.iloc[train])
    actual, data = pima.target.iloc[test], pima.data.iloc[test]
    predicted, probability = model.predict(data), model.predict_proba(data)[:, 1]
    scores = record["scores"]
    assert scores["accuracy"] == np.mean(predicted == actual)
    assert scores["unsafe_accuracy"] == recall_score(actual, predicted, pos_label=1)
    assert scores["safe_accuracy"] == recall_score(actual, predicted, pos_label=0)
    assert scores["recall"] == {"0": scores["safe_accuracy"], "1": scores["unsafe_accuracy"]}
    assert scores["roc_auc"] == roc_auc_score(actual, probability)
    assert scores["log_loss"] == pytest.approx(log_loss(actual, probability))
    assert scores["brier"] == pytest.approx(brier_score_loss(actual, probability))
    assert (scores["n_train"], scores["n_test"]) == (384, 384)
    assert scores["depth"] is None
    assert record["predictions"]["rows"] == test.tolist()
    assert record["predictions"]["predicted"] == predicted.tolist()


def test_costs_of_the_paper():
    # Vadera (2005), Table 1: rows are actual, columns returned; errors weighed 4 to 1.
    actual = np.repeat([0, 1], [250, 134])
    predicted = np.concatenate([np.repeat([0, 1], [200, 50]), np.repeat([0, 1], [59, 75])])
    scores = score_predictions(actual, predicted, 1, 4.0)
    assert scores["accuracy"] == 275 / 384
    assert scores["cost"] == 286 / 384
    always = score_predictions(actual, np.ones(384, dtype=int), 1, 4.0)
    assert (always["accuracy"], always["cost"]) == (134 / 384, 250 / 384)
    assert "cost" not in score_predictions(actual, predicted, 1)
    assert "cost" not in score_predictions(actual, predicted, None, 4.0)


def test_many_classes_and_no_unsafe_class():
    record = run_cell(make_cell(DecisionTreeClassifier(max_depth=2), "iris"))
    scores = record["scores"]
    assert scores["unsafe_accuracy"] is None
    assert len(scores["recall"]) == 3
    assert scores["balanced_accuracy"] == pytest.approx(np.mean(list(scores["recall"].values())))
    assert 0 <= scores["brier"] <= 2
    assert 0.5 < scores["roc_auc"] <= 1


def test_same_cell_same_scores():
    cell = make_cell(RandomForestClassifier(n_estimators=5))
    first, second = run_cell(cell), run_cell(pickle.loads(pickle.dumps(cell)))
    assert first["scores"] == second["scores"]
    assert first["key"] == second["key"] == cell.key


@pytest.mark.parametrize(
    ("estimator", "error", "said"),
    [
        (Raising(), "RuntimeError", "no tree today"),
        (Nameless(), "ValueError", "predict returned nan for 384 of 384 rows"),
        (TooShort(), "ValueError", r"predict returned shape (383,) for 384 rows"),
        (OddProbabilities(), "ValueError", "no probabilities"),
        (TooProbable(), "ValueError", "a row that adds up to 1.8"),
        (Backwards(), "ValueError", "classes_, the columns of predict_proba, is ['1', '0']"),
        (Leaving(), "SystemExit", "3"),
    ],
)
def test_a_bad_strategy_makes_a_failed_record(estimator, error, said):
    record = run_cell(make_cell(estimator))
    assert record["status"] == "failed"
    assert "scores" not in record
    assert record["error"]["type"] == error
    assert said in record["error"]["message"]
    assert "Traceback" in record["error"]["traceback"]


def test_interrupt_is_no_failure(monkeypatch):
    def interrupted(self, X, y):
        raise KeyboardInterrupt

    monkeypatch.setattr(Majority, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_cell(make_cell(Majority()))


def test_warnings_are_kept():
    assert run_cell(make_cell(Warning_()))["warnings"] == ["UserWarning: mind the gap"]


def test_every_word_of_a_record_can_be_written():
    failed, warned = run_cell(make_cell(Undecodable())), run_cell(make_cell(Undecodable(False)))
    assert failed["error"]["message"] == r"there is no \udcff.csv"
    assert r"\udcff" in failed["error"]["traceback"]
    assert warned["warnings"] == [r"UserWarning: see \udcff.csv"]


def test_what_is_no_tree_of_ours_has_no_size():
    for tree in (
        SimpleNamespace(n_leaves=None, max_depth=None),
        SimpleNamespace(n_leaves=lambda: 3, max_depth=lambda: 2),
        SimpleNamespace(n_leaves=float("nan"), max_depth=1.0),
        "a tree",
    ):
        sizes = measure_tree(SimpleNamespace(tree_=tree))
        assert sizes == {"depth": None, "leaves": None, "test_size": None}
    listed = SimpleNamespace(n_leaves=2, max_depth=1, children_left=[1, -1, -1])
    assert measure_tree(SimpleNamespace(tree_=listed))["test_size"] == 1.0


@pytest.mark.parametrize("in_thread", [False, True])
def test_time_limit(in_thread, tmp_path):
    slept = tmp_path / "slept"
    cell = make_cell(Sleeping(2.0, str(slept)))
    records = []

    def work():
        records.append(run_cell(cell, time_limit=0.3))

    if in_thread:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        work()
        assert not slept.exists()
    assert records[0]["status"] == "failed"
    assert records[0]["error"]["type"] == "TimeLimitExceeded"
    assert "0.3 s" in records[0]["error"]["message"]


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize("estimator", [Hanging(), Stubborn()])
def test_time_limit_of_what_hangs_at_once_or_catches_everything(estimator, in_thread, monkeypatch):
    monkeypatch.setattr(oblique.compare.timing, "_warm", set())
    monkeypatch.setattr(time, "sleep", time.sleep if not in_thread else sleep_in_steps)
    records = []

    def work():
        records.append(run_cell(make_cell(estimator), time_limit=0.3))

    if in_thread:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        work()
    assert records[0]["status"] == "failed"
    assert records[0]["error"]["type"] == "TimeLimitExceeded"


def sleep_in_steps(seconds, pause=time.sleep):
    """Sleep so that an exception sent to the thread arrives soon."""
    for _ in range(round(seconds / 0.05)):
        pause(0.05)


def test_time_limit_leaves_nothing_behind():
    with deadline(0.5):
        pass
    with pytest.raises(TimeLimitExceeded), deadline(0.01):
        time.sleep(1)
    time.sleep(0.6)


def test_unset_parameters_are_filled_in_at_any_depth():
    pipeline = make_pipeline(StandardScaler(), Majority())
    prepared = prepare_estimator(pipeline, unsafe_class=1, seed=7)
    assert prepared[-1].unsafe_class == 1
    assert prepared[-1].random_state == 7
    chosen = prepare_estimator(Majority(unsafe_class=0, random_state=3), unsafe_class=1, seed=7)
    assert (chosen.unsafe_class, chosen.random_state) == (0, 3)
    assert pipeline[-1].unsafe_class is None


def test_tree_is_found_inside_pipelines_and_searches():
    iris = load_dataset("iris")
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(iris.data, iris.target)
    expected = {"depth": 2, "leaves": tree.get_n_leaves(), "test_size": 1.0}
    assert measure_tree(tree) == expected
    piped = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2, random_state=0))
    assert measure_tree(piped.fit(iris.data, iris.target)) == expected
    search = GridSearchCV(piped, {"decisiontreeclassifier__max_depth": [2]}, cv=3)
    assert measure_tree(search.fit(iris.data, iris.target)) == expected
    stump = DecisionTreeClassifier(min_samples_split=1000).fit(iris.data, iris.target)
    assert measure_tree(stump) == {"depth": 0, "leaves": 1, "test_size": None}
    assert measure_tree(Majority()) == {"depth": None, "leaves": None, "test_size": None}


def test_threads_are_capped_in_workers():
    design = Design(["pima"], [Strategy("counting", ThreadCounting())], repeats=4)
    for n_jobs in (1, 2):
        for record in run(design, n_jobs=n_jobs, progress=False).records:
            assert record["warnings"] == ["UserWarning: threads 1"]


COMPILE_SECONDS = 0.7


class SlowCompiler(Compiler):
    """Takes long on the fastest machine, too."""

    def define_pipelines(self):
        time.sleep(COMPILE_SECONDS)
        return super().define_pipelines()


def test_time_holds_no_compilation():
    @numba.njit(pipeline_class=SlowCompiler)
    def double(x):
        return x + x

    result, used = time_call(lambda: double(2.0))
    assert result == 4.0
    assert used.seconds < COMPILE_SECONDS


def test_a_fit_that_compiled_is_timed_again_from_the_start():
    @numba.njit(pipeline_class=SlowCompiler)
    def triple(x):
        return x + x + x

    class Counting(Majority):
        fits = 0

        def fit(self, X, y):
            triple(1.0)
            self.fits += 1
            return super().fit(X, y)

    bupa = load_dataset("bupa")
    model, used = time_fit(Counting(), bupa.data, bupa.target)
    assert model.fits == 1
    assert used.seconds < COMPILE_SECONDS
    again = Counting()
    assert time_fit(again, bupa.data, bupa.target)[0] is again


@pytest.mark.parametrize("in_thread", [False, True])
def test_compiling_does_not_count_against_a_time_limit(in_thread):
    numba.njit(lambda x: x)(1.0)  # what numba loads with its first kernel does count
    results = []

    def work():
        @numba.njit(pipeline_class=SlowCompiler)
        def double(x):
            return x + x

        with deadline(COMPILE_SECONDS - 0.2):
            results.append(double(2.0))

    if in_thread:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        work()
    assert results == [4.0]


def test_what_is_warm_is_known_by_more_than_its_name(monkeypatch):
    monkeypatch.setattr(oblique.compare.timing, "_warm", set())
    fits = []

    def fit(self, X, y):
        fits.append((self.unsafe_class, len(X)))
        self.classes_ = np.unique(y)
        self.majority_ = self.classes_[0]
        return self

    monkeypatch.setattr(Majority, "fit", fit)
    for unsafe in (0, 0, 1):
        run_cell(make_cell(Majority(unsafe_class=unsafe)))
    assert fits == [(0, 64), (0, 384), (0, 384), (1, 64), (1, 384)]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell the peak")
def test_memory_is_what_a_fit_takes_at_its_peak():
    class Large(Majority):
        def fit(self, X, y):
            np.ones(40_000_000 // 8)
            return super().fit(X, y)

    bupa = load_dataset("bupa")
    for _ in range(2):
        _, used = time_fit(Large(), bupa.data, bupa.target)
        assert 38e6 < used.memory_bytes < 60e6


def test_cell_whose_data_changed():
    cell = make_cell(Majority())
    object.__setattr__(cell, "checksum", "0" * 64)
    record = run_cell(cell)
    assert "has changed" in record["error"]["message"]
