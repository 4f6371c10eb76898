"""How often the model errs on cases about as far from its decision surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from oblique.sensitivity.surface import DecisionSurface

_LEAST, _SHARE = 20, 0.1


class ErrorRate(NamedTuple):
    """Errors among the known cases whose distance is closest to that of a case.

    Attributes
    ----------
    rate : float
        Share of errors.
    n_errors, n_cases : int
    low, high : float
        95 % interval of the rate (Wilson 1927).
    nearest, farthest : float
        Smallest and largest distance of the cases that were counted.
    """

    rate: float
    n_errors: int
    n_cases: int
    low: float
    high: float
    nearest: float
    farthest: float


class KnownCases:
    """Cases with known classes, ordered by their distance to a decision surface.

    Parameters
    ----------
    surface : DecisionSurface
    known : (X, y)
        Cases, best ones that the model was not trained on, and their classes. Cases with missing
        values have no distance and are left out.
    """

    def __init__(self, surface: DecisionSurface, known: tuple[Any, Any]):
        if not isinstance(known, tuple) or len(known) != 2:
            raise ValueError("known must be a pair (X, y): cases and their classes")
        rows, complete = surface.encode_complete(known[0])
        truth = np.asarray(known[1])
        if truth.shape != complete.shape:
            raise ValueError(
                f"known: y has shape {truth.shape}, but X has {len(complete)} rows; give one "
                "class a row"
            )
        truth = truth[complete]
        near = surface.nearest_of_rows(rows)
        unknown = [label for label in truth.tolist() if label not in surface.classes.tolist()]
        if unknown:
            raise ValueError(
                f"known: y holds {unknown[0]!r}, which the model does not know; its classes are "
                f"{surface.classes.tolist()}"
            )
        measured = np.isfinite(near.distance)
        order = np.argsort(near.distance[measured], kind="stable")
        self.distance = near.distance[measured][order]
        self.is_error = (near.predicted_class != truth)[measured][order]

    def near(self, distance: float) -> ErrorRate | None:
        """Error rate of the tenth of the cases, 20 at least, with the closest distances."""
        n = len(self.distance)
        if not n or not np.isfinite(distance):
            return None
        from scipy.stats import binomtest

        size = min(n, max(_LEAST, round(_SHARE * n)))
        picked = np.sort(np.argsort(np.abs(self.distance - distance), kind="stable")[:size])
        n_errors = int(self.is_error[picked].sum())
        interval = binomtest(n_errors, size).proportion_ci(method="wilson")
        return ErrorRate(
            n_errors / size, n_errors, size, float(interval.low), float(interval.high),
            float(self.distance[picked[0]]), float(self.distance[picked[-1]]),
        )  # fmt: skip
