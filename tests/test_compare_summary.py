import math

import numpy as np
import pytest
from odd_classifiers import Majority, Raising
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from oblique.compare import Design, Strategy, run, summarize, tabulate
from oblique.compare.paired import compare_pair, describe_differences
from oblique.compare.published import find_published, measure_agreement
from oblique.compare.summary import mean_interval
from oblique.compare.tables import MORE_COLUMNS, make_tables, write_seconds
from oblique.compare.text import format_results


@pytest.fixture(scope="module")
def results():
    strategies = [
        Strategy("ap", DecisionTreeClassifier(criterion="entropy")),
        Strategy("ldt", DecisionTreeClassifier(criterion="entropy", max_depth=3)),
        Strategy("majority", Majority()),
        Strategy("raising", Raising()),
    ]
    return run(Design(["pima", "housing"], strategies, repeats=6), progress=False)


def test_one_row_a_cell(results):
    table = tabulate(results.records)
    assert len(table) == 2 * 4 * 6
    assert list(table.columns[:4]) == ["dataset", "protocol", "strategy", "repeat"]
    failed = table[table["strategy"] == "raising"]
    assert (failed["status"] == "failed").all()
    assert failed["accuracy"].isna().all()


def test_means_and_intervals(results):
    table, summary = tabulate(results.records), summarize(results.records)
    row = summary[(summary["dataset"] == "pima") & (summary["strategy"] == "ap")].iloc[0]
    values = table[(table["dataset"] == "pima") & (table["strategy"] == "ap")]["accuracy"]
    low, high = stats.t.interval(0.95, 5, values.mean(), stats.sem(values))
    assert row["accuracy"] == pytest.approx(values.mean())
    assert row["accuracy"] - row["accuracy_ci"] == pytest.approx(low)
    assert row["accuracy"] + row["accuracy_ci"] == pytest.approx(high)
    assert (row["cells"], row["failed"]) == (6, 0)


def test_different_things_of_one_name_are_not_averaged(results):
    other = Strategy("ap", DecisionTreeClassifier(max_depth=2))
    mixed = [*results.records, *run(Design(["pima"], [other], repeats=1), progress=False).records]
    with pytest.raises(ValueError, match="'ap' on 'pima' differ in parameters; summarise one"):
        summarize(mixed)


def test_failed_cells_are_counted_and_not_scored(results):
    summary = summarize(results.records)
    row = summary[summary["strategy"] == "raising"].iloc[0]
    assert (row["cells"], row["failed"]) == (0, 6)
    assert math.isnan(row["accuracy"])


def test_interval_of_few_values():
    assert mean_interval([0.5])[0] == 0.5
    assert math.isnan(mean_interval([0.5])[1])
    assert math.isnan(mean_interval([])[0])
    assert mean_interval([1.0, np.nan, 3.0])[0] == 2.0


def test_corrected_test_against_the_formula():
    differences = np.array([0.03, 0.01, -0.01, 0.02, 0.04])
    found = describe_differences(differences, 1.0)
    error = differences.std(ddof=1) * math.sqrt(1 / 5 + 1.0)
    t = differences.mean() / error
    assert found.p_value == pytest.approx(2 * stats.t.sf(t, 4))
    assert found.corrected_ci == pytest.approx(stats.t.ppf(0.975, 4) * error)
    assert (found.wins, found.ties, found.losses) == (4, 0, 1)
    # Without shared rows it is the paired t-test.
    plain = describe_differences(differences, 0.0)
    assert plain.p_value == pytest.approx(stats.ttest_1samp(differences, 0.0).pvalue)
    assert plain.ci == pytest.approx(plain.corrected_ci)


def test_differences_without_scatter():
    assert describe_differences([0.0, 0.0], 1.0).p_value == 1.0
    assert math.isnan(describe_differences([0.1, 0.1], 1.0).p_value)
    assert math.isnan(describe_differences([0.1], 1.0).p_value)


def test_pairs_use_the_same_splits(results):
    table = tabulate(results.records)
    found = compare_pair(table, "ap", "ldt", "accuracy")
    assert set(found) == {("pima", "50/50"), ("housing", "50/50")}
    wide = table[table["dataset"] == "pima"].pivot_table(
        index="repeat", columns="strategy", values="accuracy"
    )
    assert found["pima", "50/50"].mean == pytest.approx((wide["ap"] - wide["ldt"]).mean())
    assert found["pima", "50/50"].n == 6
    assert compare_pair(table, "ap", "raising", "accuracy") == {}
    assert compare_pair(table, "ap", "absent", "accuracy") == {}


def test_printed_rows():
    row = find_published("pima", "50/50", "ldt")
    assert (row.accuracy, row.safe_accuracy, row.unsafe_accuracy) == pytest.approx(
        (0.694, 0.738, 0.613)
    )
    assert (row.depth, row.depth_ci, row.fit_seconds) == (17.1, 0.7, 3.3)
    assert find_published(
        "hepatitis_filled", "70/30", "ap_pruned"
    ).unsafe_accuracy == pytest.approx(0.471)
    assert find_published("pima", "50/50", "cart") is None
    assert find_published("iris", "50/50", "ldt") is None
    assert find_published("pima", "40/60", "ldt") is None


def test_agreement_is_the_mean_absolute_deviation(results):
    summary = summarize(results.records)
    deviations, depths = [], []
    for dataset in ("pima", "housing"):
        for name in ("ap", "ldt"):
            ours = summary[(summary["dataset"] == dataset) & (summary["strategy"] == name)].iloc[0]
            printed = find_published(dataset, "50/50", name)
            deviations += [
                100 * abs(ours[measure] - getattr(printed, measure))
                for measure in ("accuracy", "safe_accuracy", "unsafe_accuracy")
            ]
            depths.append(abs(ours["depth"] - printed.depth))
    found = measure_agreement(summary)
    assert found.accuracy_points == pytest.approx(np.mean(deviations))
    assert found.depth == pytest.approx(np.mean(depths))
    assert found.rows == 4
    assert measure_agreement(summary, protocol="30/70") is None


def test_text(results):
    text = format_results(results.records)
    lines = text.splitlines()
    assert lines[0] == "pima, 50/50, 768 rows, unsafe class diabetes"
    ours, printed = lines[3], lines[4]
    assert ours.startswith("ap ")
    assert "(6 failed)" in text
    assert printed.split() == [
        "Vadera", "2005", "69.7", "±", "1.1", "76.4", "±", "0.9", "57.2", "±", "1.4",
        "14.2", "±", "0.4", "-", "1.8", "s",
    ]  # fmt: skip
    assert "mean absolute deviation" in text
    assert "Unsafe accuracy of ldt above that of ap" in text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3.3, "3.3 s"), (0.00518, "5.18 ms"), (4.2e-5, "42 us"), (3e-7, "0.3 us"), (0.7, "700 ms")],
)
def test_durations(seconds, text):
    assert write_seconds(seconds) == text


def test_the_best_figure_is_marked(results):
    (pima, _), columns = make_tables(results.records), [c.heading for c in MORE_COLUMNS]
    by_column = {
        column.measure: [row.figures[i] for row in pima.rows]
        for i, column in enumerate(pima.columns)
    }
    known = [f for f in by_column["accuracy"] if f.text != "-"]
    assert [f.is_best for f in known] == [f.value == max(g.value for g in known) for f in known]
    sizes = [f for f in by_column["leaves"] if f.text != "-"]
    assert [f.is_best for f in sizes] == [f.value == min(g.value for g in sizes) for f in sizes]
    assert [row.failed for row in pima.rows] == [0, 0, 0, 6]
    more = make_tables(results.records, MORE_COLUMNS)[0]
    assert [c.heading for c in more.columns] == [c for c in columns if not c.startswith("cost")]
