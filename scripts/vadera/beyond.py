"""The page beyond the paper, on whether LDT is still the safest tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from .designs import HALF, Options
from .pareto import draw_pareto
from .rivals import LDT, LDT_PRUNED, Outcome, Rival, run_rivals, versions_here
from .standing import (
    LESS_SAFE,
    SAFER,
    VERDICTS,
    Standing,
    accuracies,
    find_standing,
    judge,
    non_dominated,
)

REFERENCES = {LDT: "LDT", LDT_PRUNED: "safe-pruned LDT"}


def go_beyond(options: Options, output: Path, *, only: Sequence[str] | None = None) -> list[str]:
    """Run what the store lacks, draw the plot, and return the page's lines.

    Parameters
    ----------
    options : Options
    output : path
        Folder for the page and its plot.
    only : sequence of str, optional
        Strategies to run besides LDT; by default all whose packages are installed.

    Raises
    ------
    RuntimeError
        If a cell failed.
    """
    outcome = run_rivals(options, only)
    output.mkdir(parents=True, exist_ok=True)
    draw_pareto(outcome, output / "pareto.png", protocol=HALF)
    standings = {
        reference: {
            each.name: find_standing(outcome.measured, each.name, reference, HALF)
            for each in outcome.rivals
            if each.name != reference
        }
        for reference in REFERENCES
    }
    lines = [*_head(options, outcome), "\n## Is LDT still the safest tree?", *_verdicts_told()]
    for reference, title in REFERENCES.items():
        lines += _answer(title, outcome.rivals, standings[reference])
    lines += [
        "\n## Safe against unsafe accuracy",
        f"\nMeans over the splits, {HALF}. A step joins the trees that no other tree, and a thin "
        "one the strategies that no other strategy, equals on one class and exceeds on the other. "
        "On a dashed line overall accuracy is that of LDT, unpruned or pruned.",
        "\n![Safe against unsafe accuracy](pareto.png)\n",
        *_write_fronts(outcome),
        f"\n## Means of the sets, {HALF}\n",
        *_write_means(outcome),
    ]
    for reference, title in REFERENCES.items():
        lines += [
            f"\n## Minus {title}\n",
            *_write_standings(outcome.rivals, standings[reference]),
        ]
    for dataset in options.sets:
        lines += [f"\n## {dataset}, {HALF}\n", *_write_set(outcome, dataset)]
    return lines


def _head(options: Options, outcome: Outcome) -> Iterator[str]:
    yield "# Beyond Vadera (2005)\n"
    yield (
        f"{options.repeats} stratified random splits of each of {len(options.sets)} data sets at "
        f"30/70, 50/50 and 70/30, those of `vadera`; {len(outcome.rivals)} strategies."
    )
    here = ", ".join(
        f"{package} {version}" if version else f"{package} not installed"
        for package, version in versions_here().items()
    )
    yield f"\nHere: {here}. Strategies of a package that is not installed come from the store."
    if outcome.left_out:
        yield "\nLeft out:\n"
        yield from (f"- {name}: {reason}" for name, reason in outcome.left_out.items())


def _verdicts_told() -> Iterator[str]:
    yield "\n" + (
        f"Means of the sets at {HALF}, points, paired 95 % intervals for other splits of the same "
        "rows: what is called safer, less safe, more or less accurate has an interval without "
        "zero. *Rows* are sets and shares."
    )


def _answer(title: str, rivals: list[Rival], standings: dict[str, Standing]) -> Iterator[str]:
    yield f"\n### Beside {title}\n"
    for is_tree, kind in ((True, "Single trees"), (False, "Many trees")):
        named = [r.name for r in rivals if r.is_tree == is_tree and r.name in standings]
        if not named:
            continue
        for verdict in VERDICTS:
            found = [name for name in named if standings[name].verdict == verdict]
            if found:
                told = ", ".join(_write_lead(name, standings[name]) for name in found)
                yield f"- {kind}, {verdict}: {told}"
        family = [r.name for r in rivals if r.family == "LDT"]
        named = [name for name in named if name not in family]
        if named:
            yield f"- {kind}, row by row: {_write_rows_ahead(named, standings)}"


def _write_rows_ahead(names: list[str], standings: dict[str, Standing]) -> str:
    """Say on how many rows a strategy other than LDT is ahead, and which are most often."""
    rows = list(standings[names[0]].rows)
    counts = {name: standings[name].count(SAFER) for name in names}
    ahead = sum(any(judge(*standings[name].rows[row]) == SAFER for name in names) for row in rows)
    most = sorted((n for n in names if counts[n]), key=lambda name: -counts[name])[:3]
    told = ", ".join(f"{name} on {counts[name]}" for name in most)
    which = f" (most often {told})" if most else ""
    return f"on {ahead} of {len(rows)} at least one is {SAFER}{which}"


def _write_lead(name: str, standing: Standing) -> str:
    unsafe, overall = standing.unsafe, standing.overall
    return (
        f"{name} (unsafe {100 * unsafe.mean:+.1f} ± {100 * unsafe.ci:.1f}, "
        f"overall {100 * overall.mean:+.1f} ± {100 * overall.ci:.1f})"
    )


def _write_fronts(outcome: Outcome) -> Iterator[str]:
    trees = {each.name for each in outcome.rivals if each.is_tree}
    yield "| set | trees on the front, safe first | other strategies on the front |"
    yield "| --- | --- | --- |"
    for panel, points in accuracies(outcome.measured.means, HALF).items():
        of_trees = non_dominated({name: p for name, p in points.items() if name in trees})
        others = [name for name in non_dominated(points) if name not in trees]
        yield f"| {panel} | {', '.join(of_trees)} | {', '.join(others) or '-'} |"


def _write_means(outcome: Outcome) -> Iterator[str]:
    columns = ["accuracy", "safe_accuracy", "unsafe_accuracy", "depth", "leaves", "fit_seconds"]
    means = outcome.measured.means
    half = means[means["protocol"] == HALF].groupby("strategy")[columns].mean()
    shares = means.pivot_table(index="strategy", columns="protocol", values="unsafe_accuracy")
    others = [protocol for protocol in shares.columns if protocol != HALF]
    told = "".join(f" unsafe {protocol} |" for protocol in others)
    yield f"| family | strategy | overall % | safe % | unsafe % | depth | leaves | ms a fit |{told}"
    yield "| --- | --- |" + " ---: |" * (6 + len(others))
    for each in outcome.rivals:
        row = half.loc[each.name]
        size = " | ".join(f"{row[m]:.1f}" if each.is_tree else "-" for m in ("depth", "leaves"))
        shown = " | ".join(f"{100 * row[m]:.1f}" for m in columns[:3])
        rest = "".join(f" {100 * shares.loc[each.name, protocol]:.1f} |" for protocol in others)
        yield (
            f"| {each.family} | {_title(each)} | {shown} | {size} "
            f"| {1000 * row['fit_seconds']:.0f} |{rest}"
        )


def _write_standings(rivals: list[Rival], standings: dict[str, Standing]) -> Iterator[str]:
    yield (
        "Points, ± paired; in brackets ± corrected for rows that splits share (Nadeau and Bengio "
        f"2003). The last columns count the sets and shares on which the strategy is {SAFER}, and "
        f"on which it is {LESS_SAFE}, than this tree; in brackets by corrected intervals.\n"
    )
    yield "| strategy | unsafe | safe | overall | on the mean | ahead | behind |"
    yield "| --- | ---: | ---: | ---: | --- | ---: | ---: |"
    for each in rivals:
        if each.name not in standings:
            continue
        standing = standings[each.name]
        pairs = (standing.unsafe, standing.safe, standing.overall)
        cells = " | ".join(
            f"{100 * p.mean:+.1f} ± {100 * p.ci:.1f} ({100 * p.corrected_ci:.1f})" for p in pairs
        )
        counts = " | ".join(
            f"{standing.count(v)} ({standing.count(v, corrected=True)}) of {len(standing.rows)}"
            for v in (SAFER, LESS_SAFE)
        )
        yield f"| {_title(each)} | {cells} | {standing.verdict} | {counts} |"


def _write_set(outcome: Outcome, dataset: str) -> Iterator[str]:
    means = outcome.measured.means
    rows = means[(means["dataset"] == dataset) & (means["protocol"] == HALF)]
    table = rows.set_index("strategy")
    yield "| strategy | overall % | safe % | unsafe % | depth | leaves |"
    yield "| --- |" + " ---: |" * 5
    for each in outcome.rivals:
        row = table.loc[each.name]
        shown = " | ".join(
            f"{100 * row[m]:.1f} ± {100 * row[m + '_ci']:.1f}"
            for m in ("accuracy", "safe_accuracy", "unsafe_accuracy")
        )
        size = " | ".join(f"{row[m]:.1f}" if each.is_tree else "-" for m in ("depth", "leaves"))
        yield f"| {_title(each)} | {shown} | {size} |"


def _title(rival: Rival) -> str:
    return rival.name if rival.is_tree else f"*{rival.name}*"
