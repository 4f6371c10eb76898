"""``oblique strategies``: which strategies are installed."""

from __future__ import annotations

import argparse

from oblique.cli.table import print_columns, print_json

SUMMARY = "List the strategies that installed packages offer."
EXAMPLE = "  oblique strategies"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no options of its own."""


def execute(arguments: argparse.Namespace) -> int:
    """List name, package and description of every installed strategy."""
    from oblique.compare.strategy import list_strategies, load_strategy

    rows = []
    for name, entry in list_strategies().items():
        package = entry.dist.name if entry.dist else "?"
        try:
            description = load_strategy(name).description
        except (ValueError, TypeError) as error:
            description = f"cannot be loaded: {error}"
        rows.append({"name": name, "package": package, "description": description})
    if arguments.json:
        print_json(rows)
    else:
        print_columns([tuple(r.values()) for r in rows], headings=("name", "package", ""))
    return 0
