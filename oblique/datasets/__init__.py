"""Data sets: those of the papers, those of scikit-learn, any file, and openml.org."""

from .dataset import Dataset, make_dataset
from .fill import fill_missing
from .loader import PAPER_SETS, describe_datasets, list_datasets, load_dataset, read_table
from .synthetic import make_ls10, make_pol, make_rcb

__all__ = [
    "PAPER_SETS",
    "Dataset",
    "describe_datasets",
    "fill_missing",
    "list_datasets",
    "load_dataset",
    "make_dataset",
    "make_ls10",
    "make_pol",
    "make_rcb",
    "read_table",
]
