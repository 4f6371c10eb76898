"""Figures of a comparison, and how they are written."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from oblique.compare.ranking import Ranking

# Okabe and Ito's colours: told apart by the colour-blind, too.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#666666")
# Lightness mixed into them, 0 black to 1 white, and how much, when there are more strategies.
_SHADES = ((0.0, 0.0), (1.0, 0.55), (0.0, 0.45), (0.5, 0.6))
# Columns of a legend above a figure, lines of one beside it.
_LEGEND_COLUMNS = 3
_LEGEND_LINES = 18
_STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "oblique",
    "svg.fonttype": "none",
    # Letters that a program for drawings can change, and that every journal accepts.
    "pdf.fonttype": 42,
}


def draw_accuracies(summary: DataFrame) -> Figure:
    """Draw overall, safe and unsafe accuracy of every strategy on every data set as bars.

    In the manner of Vadera (2005), Figures 7 and 9, with 95 % intervals on the bars.

    Parameters
    ----------
    summary : DataFrame
        Rows of one protocol, as :func:`oblique.compare.summarize` returns them.

    Returns
    -------
    matplotlib.figure.Figure
    """
    panels = {
        "accuracy": "overall accuracy, %",
        "safe_accuracy": "accuracy on the safe class, %",
        "unsafe_accuracy": "accuracy on the unsafe class, %",
    }
    drawn = {m: text for m, text in panels.items() if summary[m].notna().any()}
    # A strategy that finished nothing keeps its colour, but has no place.
    colours = colour_strategies(summary["strategy"].unique())
    summary = summary[summary["accuracy"].notna()]
    datasets = list(summary["dataset"].unique())
    strategies = list(summary["strategy"].unique())
    width_of_a_set = max(0.14 * (len(strategies) + 1.5), 0.075 * max(map(len, datasets)))
    width = max(6.0, len(datasets) * width_of_a_set + 0.6)
    legend_lines = -(-len(strategies) // _LEGEND_COLUMNS)
    height = 2.3 * len(drawn) + 0.2 * max(0, legend_lines - 3)
    figure, axes = _new_figure(width, height, len(drawn))
    for axis, (measure, text) in zip(axes, drawn.items(), strict=True):
        for i, strategy in enumerate(strategies):
            rows = summary[summary["strategy"] == strategy].set_index("dataset").reindex(datasets)
            place = np.arange(len(datasets)) + (i - (len(strategies) - 1) / 2) * 0.8 / len(
                strategies
            )
            axis.bar(
                place,
                100 * rows[measure].astype(float),
                0.8 / len(strategies),
                yerr=100 * rows[measure + "_ci"].astype(float),
                color=colours[strategy],
                error_kw={"elinewidth": 0.8},
                label=strategy,
            )
        axis.set_xticks(range(len(datasets)), datasets)
        # A data set without an unsafe class keeps its place in all panels.
        axis.set_xlim(-0.6, len(datasets) - 0.4)
        axis.set_title(text, loc="left", fontsize=9)
        low = 100 * np.nanmin(summary[measure].astype(float))
        # Bars start at 0 unless that would hide what differs; then the axis says so.
        axis.set_ylim(max(0.0, 10 * np.floor(low / 10 - 1.5)), 100)
    axes[0].legend(ncols=_LEGEND_COLUMNS, frameon=False, loc="lower left", bbox_to_anchor=(0, 1.12))
    return figure


def draw_trade_off(summary: DataFrame, measure: str, text: str) -> Figure:
    """Draw accuracy against size or time, one point a strategy and data set.

    Parameters
    ----------
    summary : DataFrame
        Rows of one protocol.
    measure : str
        Of the horizontal axis, such as ``leaves``; on a logarithmic scale.
    text : str
        What the axis says.

    Returns
    -------
    matplotlib.figure.Figure
    """
    known = summary[summary[measure].notna() & summary["accuracy"].notna()]
    markers = "osD^vP*X<>"
    datasets = list(known["dataset"].unique())
    lines = known["strategy"].nunique() + len(datasets)
    columns = -(-lines // _LEGEND_LINES)
    height = 3.6 if lines <= _LEGEND_LINES / 2 else 4.4
    figure, (axis,) = _new_figure(4.6 + 1.4 * columns, height, 1)
    colours = colour_strategies(summary["strategy"].unique())
    for strategy in known["strategy"].unique():
        rows = known[known["strategy"] == strategy]
        for _, row in rows.iterrows():
            axis.plot(
                row[measure],
                100 * row["accuracy"],
                markers[datasets.index(row["dataset"]) % len(markers)],
                color=colours[strategy],
                markersize=5,
            )
        axis.plot([], [], "s", color=colours[strategy], label=strategy)
    for i, dataset in enumerate(datasets):
        axis.plot([], [], markers[i % len(markers)], color="none", mec="black", label=dataset)
    _use_log_scale(axis)
    axis.set_xlabel(text)
    axis.set_ylabel("overall accuracy, %")
    axis.legend(
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1, 0.5),
        ncols=columns,
        fontsize=9 if columns == 1 else 7,
    )
    return figure


def draw_critical_difference(ranking: Ranking, colours: Mapping[str, str]) -> Figure:
    """Draw average ranks on a line, with a bar over those that do not differ.

    The bars are Nemenyi's: they join strategies whose average ranks are closer than one
    critical difference. As that depends on the ranks alone, a bar never covers two strategies
    that differ, nor leaves out one between them.

    Parameters
    ----------
    ranking : Ranking
    colours : mapping of str to str
        Of the strategies.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        If Friedman's test finds no difference, or there are but two strategies: then the
        diagram would show what is not there.
    """
    import pandas as pd
    import scikit_posthocs

    if not ranking.is_different:
        raise ValueError("no difference between the strategies was found; there is none to draw")
    names = list(ranking.ranks)
    apart = pd.DataFrame(np.ones((len(names), len(names))), index=names, columns=names)
    for pair in ranking.pairs:
        gap = abs(ranking.ranks[pair.first] - ranking.ranks[pair.second])
        p_value = 0.0 if gap > ranking.critical_difference else 1.0
        apart.loc[pair.first, pair.second] = apart.loc[pair.second, pair.first] = p_value
    figure, (axis,) = _new_figure(7.0, 1.4 + 0.2 * len(names), 1)
    # Plain spaces at the end or in a row would be lost in SVG.
    drawn = scikit_posthocs.critical_difference_diagram(
        ranking.ranks,
        apart,
        alpha=ranking.alpha,
        ax=axis,
        label_fmt_left="{label}\u00a0\u00a0{rank:.2f}\u00a0",
        label_fmt_right="\u00a0{rank:.2f}\u00a0\u00a0{label}",
        color_palette={name: colours[name] for name in names},
        text_h_margin=0.01 * len(names),
    )
    for label in drawn["labels"]:
        label.set_color("black")  # pale letters could not be read
    # All ranks there are, so that diagrams of as many strategies can be compared by eye.
    axis.spines["top"].set_visible(True)
    axis.set_xlim(1, len(names))
    axis.set_xticks(range(1, len(names) + 1))
    _add_scale(axis, ranking.critical_difference)
    return figure


def _add_scale(axis: Axes, critical_difference: float) -> None:
    """Draw the critical difference as a length above the numbers of the axis."""
    left, right = axis.get_xlim()
    above = axis.get_xaxis_transform()
    end = left + critical_difference
    axis.plot([left, end], [1.22] * 2, "|-", color="black", lw=1, transform=above, clip_on=False)
    text = f"critical difference {critical_difference:.2f}"
    axis.text(end + 0.02 * (right - left), 1.22, text, va="center", transform=above)


def to_svg(figure: Figure) -> str:
    """Write a figure as SVG, its letters as text."""
    import matplotlib as mpl

    written = io.StringIO()
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # The reader's fonts count, not those with which matplotlib measures the text.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(written, format="svg", metadata={"Date": None})
    return written.getvalue()


def to_pdf(figure: Figure) -> bytes:
    """Write a figure as PDF, as LaTeX takes it."""
    import matplotlib as mpl

    written = io.BytesIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(written, format="pdf", metadata={"CreationDate": None})
    return written.getvalue()


def colour_strategies(names: Iterable[str]) -> dict[str, str]:
    """Give each strategy its colour, the same in all figures; many share hues, not shades."""
    from matplotlib.colors import to_hex, to_rgb

    shades = [
        to_hex((1.0 - share) * np.array(to_rgb(colour)) + share * mixed)
        for mixed, share in _SHADES
        for colour in _COLOURS
    ]
    return dict(zip(names, cycle(shades), strict=False))


def _use_log_scale(axis: Axes) -> None:
    """Scale the horizontal axis by powers; plain numbers at 1, 2 and 5 where there is room."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axis.set_xscale("log")
    low, high = axis.get_xlim()
    subs = (1.0, 2.0, 5.0) if high < 300 * low else (1.0,)
    axis.xaxis.set_major_locator(LogLocator(subs=subs))
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())


def _new_figure(width: float, height: float, rows: int) -> tuple[Figure, Sequence[Axes]]:
    """Make a figure without a window, so that nothing global changes."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        axes: Any = figure.subplots(rows, 1, squeeze=False)[:, 0]
    return figure, axes
