"""Classifiers that misbehave, for tests of the comparison."""

import contextlib
import multiprocessing
import os
import signal
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier


class Majority(ClassifierMixin, BaseEstimator):
    """Predict the most frequent class; with options that hook into fitting and predicting."""

    def __init__(self, unsafe_class=None, random_state=None):
        self.unsafe_class = unsafe_class
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.majority_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.majority_)


class ForeignTree(Majority):
    """Has a tree, but not of the kind that ours and scikit-learn's are."""

    def fit(self, X, y):
        self.tree_ = SimpleNamespace(n_leaves=None, max_depth=2.0)
        return super().fit(X, y)


class OneColumn(DecisionTreeClassifier):
    """Shows its tree only the first column."""

    def fit(self, X, y):
        return super().fit(np.asarray(X)[:, :1], y)

    def predict(self, X):
        return super().predict(np.asarray(X)[:, :1])

    def predict_proba(self, X):
        return super().predict_proba(np.asarray(X)[:, :1])


class Undecodable(Majority):
    """Fails and warns in words that no file can hold."""

    def __init__(self, fails=True, unsafe_class=None, random_state=None):
        super().__init__(unsafe_class, random_state)
        self.fails = fails

    def fit(self, X, y):
        warnings.warn("see \udcff.csv", stacklevel=1)
        if self.fails:
            raise OSError("there is no \udcff.csv")
        return super().fit(X, y)


class Raising(Majority):
    def fit(self, X, y):
        raise RuntimeError("no tree today")


class Nameless(Majority):
    def predict(self, X):
        return np.full(len(X), np.nan)


class TooShort(Majority):
    def predict(self, X):
        return super().predict(X)[:-1]


class OddProbabilities(Majority):
    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


class TooProbable(Majority):
    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 0.9)


class Backwards(Majority):
    """Has its classes, and so the columns of its probabilities, in an order of its own."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_[::-1]
        return self

    def predict_proba(self, X):
        return np.eye(len(self.classes_))[np.zeros(len(X), dtype=int)]


class Leaving(Majority):
    def fit(self, X, y):
        raise SystemExit(3)


class Stubborn(Majority):
    """Catches whatever interrupts its fit, and ends as if all was well."""

    def fit(self, X, y):
        with contextlib.suppress(BaseException):
            time.sleep(2.0)
        return super().fit(X, y)


class Hanging(Majority):
    """Hangs on few rows, too; heeds signals."""

    def fit(self, X, y):
        time.sleep(60.0)
        return super().fit(X, y)


class Sleeping(Majority):
    """Sleeps in Python, so a signal can wake it; makes a file if none has."""

    def __init__(self, seconds=60.0, slept=None, unsafe_class=None, random_state=None):
        super().__init__(unsafe_class, random_state)
        self.seconds = seconds
        self.slept = slept

    def fit(self, X, y):
        if len(X) > 64:  # not in the warm-up
            time.sleep(self.seconds)
            if self.slept is not None:
                Path(self.slept).touch()
        return super().fit(X, y)


class Deaf(Majority):
    """Hangs and heeds no signal, as a loop in compiled code does."""

    def fit(self, X, y):
        if len(X) > 64:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
            time.sleep(120)
        return super().fit(X, y)


class Killed(Majority):
    """Dies as a process does that the system ends for want of memory."""

    def fit(self, X, y):
        is_worker = multiprocessing.current_process().name != "MainProcess"
        if len(X) > 64 and is_worker:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


class Warning_(Majority):
    def fit(self, X, y):
        import warnings

        warnings.warn("mind the gap", UserWarning, stacklevel=2)
        return super().fit(X, y)


class ThreadCounting(Majority):
    """Tells as a warning how many threads linear algebra may use."""

    def fit(self, X, y):
        import warnings

        from threadpoolctl import threadpool_info

        most = max(pool["num_threads"] for pool in threadpool_info())
        warnings.warn(f"threads {most}", UserWarning, stacklevel=2)
        return super().fit(X, y)


def make_majority():
    """Majority, from a factory.

    And more text.
    """
    return Majority()


majority = Majority()
NOT_A_CLASSIFIER = 3


def unhurried():
    """Majority, after a twentieth of a second."""
    return Sleeping(0.05)


def raising():
    """Fail in fit."""
    return Raising()
