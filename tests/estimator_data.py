"""Tables that several tests of the estimators fit."""

from __future__ import annotations

import numpy as np
import pandas as pd


def noisy(n=400, d=4, n_classes=2, seed=3):
    """Real-valued rows, float32 numbers so that scikit-learn sees the same ones.

    With this seed no two columns offer equally good cuts near the root.
    """
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    score = table[:, 0] + 0.6 * table[:, 1] + 0.7 * rng.normal(size=n)
    return table, np.digitize(score, np.linspace(-1, 1, n_classes + 1)[1:-1])


def mixed_table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue", "grey"], n)
    frame = pd.DataFrame(
        {"size": rng.normal(size=n), "colour": pd.Categorical(colour), "age": rng.normal(size=n)}
    )
    warm = np.isin(colour, ["red", "grey"])
    return frame, np.where(warm ^ (frame["age"] > 1.0), "yes", "no")
