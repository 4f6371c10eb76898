"""``oblique show``: print a model for reading or drawing."""

from __future__ import annotations

import argparse

from oblique.cli.table import print_json

SUMMARY = "Print the tree of a model as text, or for Graphviz to draw."
EXAMPLE = "  oblique show model.json --dot | dot -Tsvg > tree.svg"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``oblique show``."""
    parser.add_argument("model", metavar="MODEL", help="file that oblique fit wrote")
    parser.add_argument("--dot", action="store_true", help="write Graphviz's DOT language")
    parser.add_argument("--depth", type=int, metavar="N", help="show so many levels only")
    parser.add_argument("--counts", action="store_true", help="show the class counts of leaves")


def execute(arguments: argparse.Namespace) -> int:
    """Print the model's tree."""
    from oblique import Tree, export_graphviz, export_text, load

    model = load(arguments.model)
    if arguments.json:
        tree = model if isinstance(model, Tree) else model.tree_
        print_json(tree.to_dict())
    elif arguments.dot:
        print(export_graphviz(model, max_depth=arguments.depth))
    else:
        shown = export_text(model, max_depth=arguments.depth, show_counts=arguments.counts)
        print(shown, end="" if shown.endswith("\n") else "\n")
    return 0
