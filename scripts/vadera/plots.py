"""Figures 7 and 9 (accuracies of the trees) and 8 and 10 (ICET by the ratio of costs)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pandas import DataFrame

from oblique.compare.published import find_published

from .claims import PRUNED, UNPRUNED
from .printed import ACCURACIES, TITLES


def draw_accuracies(means: DataFrame, pruning: str, path: Path, *, protocol: str) -> None:
    """Draw a panel a data set: bars of ours for each system, the printed figures as points."""
    plt = pyplot_without_window()
    names = PRUNED if pruning == "pruned" else UNPRUNED
    sets = list(dict.fromkeys(means["dataset"]))
    table = means.set_index(["dataset", "protocol", "strategy"])
    figure, panels = plt.subplots(
        1, len(sets), figsize=(3.0 * len(sets) + 1.0, 3.4), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    width = 0.8 / len(names)
    for axes, dataset in zip(panels[0], sets, strict=True):
        for number, (system, strategy) in enumerate(names.items()):
            row = table.loc[(dataset, protocol, strategy)]
            printed = find_published(dataset, protocol, strategy)
            places = [i + (number - (len(names) - 1) / 2) * width for i in range(len(ACCURACIES))]
            axes.bar(
                places, [100 * row[m] for m in ACCURACIES], width,
                yerr=[100 * row[f"{m}_ci"] for m in ACCURACIES], label=system, capsize=1.5,
                error_kw={"elinewidth": 0.8},
            )  # fmt: skip
            axes.errorbar(
                places, [100 * getattr(printed, m) for m in ACCURACIES],
                yerr=[100 * getattr(printed, f"{m}_ci") for m in ACCURACIES], fmt="D",
                color="black", markersize=3, elinewidth=0.8,
                label="printed" if number == len(names) - 1 else None,
            )  # fmt: skip
        axes.set_xticks(range(len(ACCURACIES)), [TITLES[m].split()[0] for m in ACCURACIES])
        axes.set_title(dataset, fontsize=9)
    panels[0, 0].set_ylim(30, 100)
    panels[0, 0].set_ylabel(f"accuracy, %, {protocol}, {pruning}")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_icet(icet: DataFrame, means: DataFrame, path: Path, *, protocol: str) -> None:
    """Draw a panel a data set: ICET's accuracies by ratio, LDT's as lines across."""
    plt = pyplot_without_window()
    sets = list(dict.fromkeys(icet["set"]))
    table = means.set_index(["dataset", "protocol", "strategy"])
    figure, panels = plt.subplots(
        1, len(sets), figsize=(3.0 * len(sets) + 1.0, 3.4), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for axes, name in zip(panels[0], sets, strict=True):
        of_set = icet[icet["set"] == name].groupby("ratio")
        for what, measure, color in zip(
            ("overall", "safe", "unsafe"), ACCURACIES, ("C0", "C2", "C3"), strict=True
        ):
            mean, error = of_set[what].mean(), of_set[what].sem()
            axes.errorbar(
                mean.index, mean, yerr=error, marker="o", markersize=3, color=color, capsize=2,
                label=f"ICET {what}",
            )  # fmt: skip
            for strategy, style in (("ldt", ":"), ("ldt_safe_pruned", "--")):
                axes.axhline(
                    100 * table.loc[(name, protocol, strategy)][measure], color=color,
                    linestyle=style, linewidth=0.9, label=f"{strategy} {what}",
                )  # fmt: skip
        axes.set_xscale("log")
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("cost of unsafe : safe errors")
    panels[0, 0].set_ylabel(f"accuracy, %, {protocol}")
    panels[0, 0].set_ylim(0, 100)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", fontsize=7)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def pyplot_without_window() -> Any:
    """Matplotlib's pyplot, drawing to files only."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot
