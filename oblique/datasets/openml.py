"""Data sets of openml.org, fetched by scikit-learn."""

from __future__ import annotations

from http.client import HTTPException
from typing import Any

from .dataset import Dataset, make_dataset


def fetch(reference: str, *, target: str | None = None, unsafe_class: Any = None) -> Dataset:
    """Fetch a set of openml.org by its name or number.

    scikit-learn keeps what it fetched in its data folder, so that a second call needs no network.

    Parameters
    ----------
    reference : str
        Number (``"31"``) or name (``"credit-g"``: its active version) of the set.
    target : str, optional
        Column of the class; by default the one that openml.org names.
    unsafe_class : label, optional
        A label of the target.

    Returns
    -------
    Dataset

    Raises
    ------
    ConnectionError
        openml.org does not answer.
    ValueError
        There is no such set, it is sparse, or it names no single column as its target.
    """
    from sklearn.datasets import fetch_openml

    which = {"data_id": int(reference)} if reference.isdecimal() else {"name": reference}
    column = {} if target is None else {"target_column": target}
    try:
        bunch = fetch_openml(**which, **column, as_frame=True, parser="auto")
    except (OSError, HTTPException) as error:
        raise ConnectionError(
            f"openml.org could not be reached for {reference!r} ({error}); check the network, or "
            "load the set from a file"
        ) from error
    except (KeyError, ValueError) as error:
        raise ValueError(f"openml:{reference} cannot be loaded: {error}") from error
    if len(bunch.target_names) != 1:
        raise ValueError(
            f"openml:{reference} names {len(bunch.target_names)} columns as its target; say "
            f"which one is the class with target=...; its columns are: "
            f"{', '.join(map(str, bunch.frame.columns))}"
        )
    details = bunch.details
    return make_dataset(
        details.get("name", reference),
        bunch.frame,
        target=bunch.target_names[0],
        unsafe_class=unsafe_class,
        description=bunch.DESCR or "",
        source=bunch.url,
        licence=details.get("licence") or "unknown",
    )
