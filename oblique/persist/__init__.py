"""Models in files: JSON, checked on the way in, and never code.

A file is one JSON object::

    {"format": "oblique-trees model", "format_version": 1, "package_version": "...",
     "model": {"tree": {...}}}                       a bare tree, or an estimator:
     "model": {"class": "LDTClassifier", "params": {...}, "fitted": {...}}}

Classes are looked up by name in a fixed table (`oblique.persist.registry`); parameters and
fitted attributes are spelled as `oblique.persist.values` says. Floats keep every bit.

What an estimator offers
------------------------
Its class lists the attributes that fitting sets::

    _fitted_attributes = ("tree_", "classes_", "n_features_in_", "unsafe_code_")

and these are written and set again; ``feature_names_in_``, where it exists, comes by itself.
Values may be None, booleans, numbers, strings, lists, tuples, dictionaries, arrays, trees,
and objects of classes that files may name. When ``tree_``, ``classes_`` and
``n_features_in_`` are among them, they must fit together. A class may add a method
``_check_fitted()`` that raises ValueError where its other attributes do not.
"""

from oblique.persist.check import check_tree
from oblique.persist.document import tree_from_dict, tree_to_dict
from oblique.persist.model_file import ModelFileError, load, save
from oblique.persist.registry import persistable

__all__ = [
    "ModelFileError",
    "check_tree",
    "load",
    "persistable",
    "save",
    "tree_from_dict",
    "tree_to_dict",
]
