"""Comparing strategies on data sets: paired, resumable, on one machine or a cluster."""

from oblique.compare.cell import Cell
from oblique.compare.design import Design
from oblique.compare.execute import run_cell
from oblique.compare.reporting import report
from oblique.compare.runner import Results, run
from oblique.compare.source import Source
from oblique.compare.store import ResultStore
from oblique.compare.strategy import Strategy, list_strategies, load_strategy
from oblique.compare.summary import summarize, tabulate

__all__ = [
    "Cell",
    "Design",
    "ResultStore",
    "Results",
    "Source",
    "Strategy",
    "list_strategies",
    "load_strategy",
    "report",
    "run",
    "run_cell",
    "summarize",
    "tabulate",
]
