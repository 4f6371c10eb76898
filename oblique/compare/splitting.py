"""Stratified splits of a data set into training and test rows."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class TrainTest(NamedTuple):
    """Which split a cell uses: a random holdout, or one fold of a cross-validation.

    Attributes
    ----------
    train_size : float or None
        Share of the rows to train on; None for a fold.
    n_folds : int or None
        Number of folds; None for a holdout.
    fold : int or None
        Which fold is the test set, from 0.
    repeat : int
        Which repetition, from 0.
    """

    train_size: float | None
    n_folds: int | None
    fold: int | None
    repeat: int

    @property
    def protocol(self) -> str:
        """How rows are divided, without the repetition: ``50/50`` or ``10-fold``."""
        if self.train_size is None:
            return f"{self.n_folds}-fold"
        percent = 100 * self.train_size
        return f"{percent:g}/{100 - percent:g}"

    @property
    def label(self) -> str:
        """The split in words: ``50/50 #3`` or ``10-fold #3 fold 7``, counted from 1."""
        fold = "" if self.fold is None else f" fold {self.fold + 1}"
        return f"{self.protocol} #{self.repeat + 1}{fold}"


def split_rows(
    target: Any, split: TrainTest, *, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the row numbers of the training and the test part.

    Parameters
    ----------
    target : array-like of shape (n,)
        Class labels; every part keeps their proportions as well as whole rows allow.
    split : TrainTest
        The split wanted.
    seed : int
        Seed of the shuffling. Folds of one repetition belong together only under one seed.

    Raises
    ------
    ValueError
        If a class has too few rows to be in the training part, or in every fold.
    """
    from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

    labels = np.asarray(target)
    rows = np.zeros(len(labels))
    if split.train_size is not None:
        holdout = StratifiedShuffleSplit(1, train_size=split.train_size, random_state=seed)
        train, test = next(holdout.split(rows, labels))
    else:
        folds = StratifiedKFold(split.n_folds, shuffle=True, random_state=seed)
        train, test = list(folds.split(rows, labels))[split.fold or 0]
    absent = np.setdiff1d(labels, labels[train])
    if len(absent):
        raise ValueError(f"no training row is left of class {absent[0]}, which has too few rows")
    return np.sort(train), np.sort(test)
