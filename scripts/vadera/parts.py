"""What each part of LDT contributes, and what other readings would change."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from oblique.compare.paired import PairedDifference, compare_pair

from .designs import ALONE, HALF, STEPS, Measured, Reading
from .printed import ACCURACIES, MEASURES, Figure, compare_row, deviation

SHOWN = {"unsafe_accuracy": "unsafe", "safe_accuracy": "safe", "accuracy": "overall"}


def write_parts(measured: Measured) -> Iterator[str]:
    """Yield the change that each part of LDT makes, in turn and alone, on every set."""
    names = list(STEPS)
    yield "\nEach part is added to those above it (50/50; points, paired 95 % intervals):\n"
    in_turn = [(STEPS[new][0], new, old) for old, new in pairwise(names)]
    in_turn.append(("all of LDT", names[-1], names[0]))
    yield from _write_changes(measured, in_turn)
    yield "\nEach part is added to the tree named, alone:\n"
    titles = {"ap": "AP", "ldt": "LDT"}
    alone = [(f"{titles[old]} + {part}", new, old) for new, (part, old, _) in ALONE.items()]
    yield from _write_changes(measured, alone)


def _write_changes(measured: Measured, changes: list[tuple[str, str, str]]) -> Iterator[str]:
    sets = list(dict.fromkeys(measured.means["dataset"]))
    yield f"| part | accuracy | {' | '.join(sets)} | mean of sets |"
    yield "| --- | --- |" + " ---: |" * (len(sets) + 1)
    for part, new, old in changes:
        for measure, title in SHOWN.items():
            pairs = compare_pair(measured.cells, new, old, measure)
            found = {dataset: pair for (dataset, _), pair in pairs.items()}
            mean = 100 * sum(found[name].mean for name in sets) / len(sets)
            cells = " | ".join(_write_change(found[name]) for name in sets)
            yield f"| {part} | {title} | {cells} | {mean:+.1f} |"


def _write_change(pair: PairedDifference) -> str:
    text = f"{100 * pair.mean:+.1f} ± {100 * pair.ci:.1f}"
    return f"**{text}**" if abs(pair.mean) > pair.ci else text


def write_readings(measured: Measured, tried: list[Reading]) -> Iterator[str]:
    """Yield how far from print each reading is, and its means over the sets."""
    yield "| trees | open point | reading | points | edges | overall | safe | unsafe | depth |"
    yield "| --- | --- | --- |" + " ---: |" * 6
    rows = measured.means.to_dict("records")
    for reading in tried:
        figures = [
            figure for row in rows if row["strategy"] == reading.strategy.name
            for figure in compare_row(row, reading.base)
        ]  # fmt: skip
        yield f"| {reading.base} | {reading.point} | {reading.choice} | {_write_fit(figures)} |"


def write_codings(found: list[tuple[str, Measured]], usual: Measured) -> Iterator[str]:
    """Yield how far from print other codings of heart and hepatitis are, beside the usual."""
    yield "| set | coding | trees | points | edges | overall | safe | unsafe | depth |"
    yield "| --- | --- | --- |" + " ---: |" * 6
    told: set[str] = set()
    for coding, measured in found:
        rows = measured.means.to_dict("records")
        dataset = rows[0]["dataset"]
        if dataset not in told:
            told.add(dataset)
            trees = [row["strategy"] for row in rows]
            means = usual.means[usual.means["dataset"] == dataset]
            same = means[(means["protocol"] == HALF) & means["strategy"].isin(trees)]
            yield from (_write_coding("as usual", row) for row in same.to_dict("records"))
        yield from (_write_coding(coding, row) for row in rows)


def _write_coding(coding: str, row: dict[str, Any]) -> str:
    fit = _write_fit(list(compare_row(row)))
    return f"| {row['dataset']} | {coding} | {row['strategy']} | {fit} |"


def _write_fit(figures: list[Figure]) -> str:
    means = []
    for measure in MEASURES:
        ours = [figure.ours for figure in figures if figure.measure == measure]
        means.append(f"{sum(ours) / len(ours):.1f}")
    off = f"{deviation(figures, ACCURACIES):.2f} | {deviation(figures, ('depth',)):.2f}"
    return f"{off} | {' | '.join(means)}"
