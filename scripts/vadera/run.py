"""Runs the experiments and writes the page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pandas import DataFrame

from scripts import icet_ratio

from .claims import write_deep, write_no_loss, write_safer
from .designs import (
    HALF,
    Measured,
    Options,
    readings,
    run_codings,
    run_icet,
    run_published,
    run_readings,
    run_steps,
)
from .parts import write_codings, write_parts, write_readings
from .plots import draw_accuracies, draw_icet
from .printed import Figure, compare, share_within, write_deviations, write_rows


def reproduce(options: Options, output: Path, *, with_readings: bool = False) -> list[str]:
    """Run everything that the store lacks, draw the figures, and return the page's lines.

    Parameters
    ----------
    options : Options
    output : path
        Folder for the page and its figures.
    with_readings : bool, default=False
        Whether other readings of the paper are run, too.

    Raises
    ------
    RuntimeError
        If a cell failed.
    """
    published = run_published(options)
    icet = run_icet(options)
    output.mkdir(parents=True, exist_ok=True)
    for number, pruning in ((7, "unpruned"), (9, "pruned")):
        draw_accuracies(published.means, pruning, output / f"figure_{number}.png", protocol=HALF)
    if not icet.empty:
        draw_icet(icet, published.means, output / "figures_8_10.png", protocol=HALF)
    figures = compare(published.means)
    lines = [*_head(options, figures), *write_deviations(figures), *_claims(published, icet)]
    lines += ["\n## What each part of LDT contributes", *write_parts(run_steps(options))]
    if with_readings:
        lines += _readings(options, published)
    lines += [
        "\n## Every printed row",
        "\n95 % intervals, as in print. *In both*: each mean lies in the other's interval; else "
        "the difference.",
        *write_rows(figures),
        "\n## Figures",
        "\n![Figure 7: unpruned](figure_7.png)\n\n![Figure 9: pruned](figure_9.png)",
    ]
    if not icet.empty:
        lines.append("\n![Figures 8 and 10: ICET](figures_8_10.png)")
    return lines


def _head(options: Options, figures: list[Figure]) -> Iterator[str]:
    near, shares = share_within(figures)
    yield "# Vadera (2005), Appendix A, beside ours\n"
    yield (
        f"{options.repeats} stratified random splits of each of {len(options.sets)} data sets at "
        f"30/70, 50/50 and 70/30 (printed: 50 splits). {near} of {shares} printed accuracies are "
        "within 3 points. Mean absolute deviation from print:\n"
    )


def _claims(published: Measured, icet: DataFrame) -> Iterator[str]:
    yield "\n## The paper's claims"
    yield "\nA paired interval holds for other splits of the same rows, a corrected one for other"
    yield "data (Nadeau and Bengio 2003). Leads in percentage points."
    yield from write_safer(published)
    yield from write_no_loss(published)
    yield from write_deep(published)
    if not icet.empty:
        yield "\n### ICET's accuracies hardly depend on the ratio of costs\n"
        for line in icet_ratio.judge(icet):
            # An indented line goes on about the one before.
            yield f"  - {line.strip()}" if line.startswith(" ") else f"- {line}"


def _readings(options: Options, published: Measured) -> Iterator[str]:
    yield "\n## Other readings"
    yield "\nMean absolute deviation from print (points of accuracy, edges of depth), then means,"
    yield "over the sets; of LDT over all three shares, of the others at 50/50.\n"
    yield from write_readings(run_readings(options), readings())
    codings = run_codings(options)
    if codings:
        yield "\nOther codings of data sets, 50/50:\n"
        yield from write_codings(codings, published)
