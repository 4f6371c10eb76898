"""``oblique datasets``: which data sets are known by name."""

from __future__ import annotations

import argparse

from oblique.cli.table import print_columns, print_json

SUMMARY = "List the data sets that are known by name."
EXAMPLE = "  oblique datasets"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the command has no options of its own."""


def execute(arguments: argparse.Namespace) -> int:
    """List the size, classes and licence of every data set."""
    from oblique.datasets import list_datasets, load_dataset

    rows = []
    for name in list_datasets():
        dataset = load_dataset(name)
        counts = dataset.target.value_counts().to_dict()
        rows.append(
            {
                "name": name,
                "rows": len(dataset.data),
                "features": dataset.data.shape[1],
                "classes": {str(dataset.class_names[c]): n for c, n in counts.items()},
                "unsafe_class": dataset.class_names.get(dataset.unsafe_class),
                "description": dataset.description,
                "source": dataset.source,
                "licence": dataset.licence,
            }
        )
    if arguments.json:
        print_json(rows)
    else:
        shown = ("name", "rows", "features", "unsafe_class")
        told = [[*(r[key] or "-" for key in shown), r["description"].split(":")[0]] for r in rows]
        print_columns(told, headings=[*(key.replace("_", " ") for key in shown), ""])
    return 0
