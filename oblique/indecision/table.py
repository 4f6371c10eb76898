"""Cases whose values are distributions: means with standard deviations, and probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique.indecision import _reading
from oblique.indecision._checks import (
    align_columns,
    check_covariance,
    check_discrete,
    check_flag,
    check_means,
    check_names,
    check_probabilities,
    check_std,
    is_number,
    names_of_columns,
)

if TYPE_CHECKING:
    from numpy.random import Generator

Floats = NDArray[np.float64]


class UncertainTable:
    """Cases as distributions (Kent & Menager 2022, section 3, as printed).

    A numeric feature is normal with a mean and a standard deviation, a discrete one has a
    probability for each of its values. Features are independent unless ``covariance`` says
    otherwise. The table is immutable.

    Parameters
    ----------
    means : array-like of shape (n, d)
        Means of numeric features in their own units; NaN is a missing value. Columns of
        discrete features are passed over.
    std : array-like of shape (n, d), float or None, default=None
        Standard deviations in the same units, 0 for an exact value; NaN only where the mean is
        missing, too. A number holds for every cell. None: all are exact.
    covariance : array-like of shape (n, d, d) or None, default=None
        A full covariance for each row instead of ``std``; its lines of discrete features must
        be zero.
    probabilities : mapping of int to array-like of shape (n, n_values), or None
        For each discrete feature the probabilities of its values, row by row. They must sum to
        one within 1e-6 and are then scaled to do so; a row of NaN is a missing value.
    values : mapping of int to sequence, or None
        Names of the values of each discrete feature. None: 0, 1, 2 ...
    feature_names : sequence of str or None
        None: the columns of a data frame of means, if all are texts.

    Attributes
    ----------
    means, std : ndarray of shape (n, d), float64, read-only
        The column of a discrete feature holds the place of its most probable value, and 0.
    covariance : ndarray of shape (n, d, d) or None, read-only
    probabilities : dict of int to ndarray of shape (n, n_values), read-only
        A missing value is a line of zeros.
    values : dict of int to tuple
    feature_names : tuple of str or None

    Raises
    ------
    ValueError
        For standard deviations that are negative, NaN or infinite, probabilities that do not
        sum to one, a covariance that is not positive semi-definite, and shapes that do not
        fit; the message names the argument, the cell or row, and the remedy.

    Examples
    --------
    >>> table = UncertainTable([[22.0], [13.0]], [[2.5], [0.0]])
    >>> table.shape
    (2, 1)
    """

    __slots__ = ("covariance", "feature_names", "means", "probabilities", "std", "values")

    means: Floats
    std: Floats
    covariance: Floats | None
    probabilities: dict[int, Floats]
    values: dict[int, tuple[Any, ...]]
    feature_names: tuple[str, ...] | None

    def __init__(
        self,
        means: ArrayLike,
        std: ArrayLike | None = None,
        *,
        covariance: ArrayLike | None = None,
        probabilities: Mapping[int, ArrayLike] | None = None,
        values: Mapping[int, Sequence[Any]] | None = None,
        feature_names: Sequence[str] | None = None,
    ):
        if feature_names is None:
            feature_names = names_of_columns(means)
        std = align_columns("std", std, "means", means)
        discrete = check_discrete(probabilities or {})
        rows = check_means(means, discrete, feature_names)
        columns = check_names(feature_names, rows.shape[1])
        if std is not None and covariance is not None:
            raise ValueError("std and covariance exclude each other: give one of them")
        spread = check_std("std", std, rows, columns)
        joint = None
        if covariance is not None:
            joint = check_covariance(covariance, rows.shape)
            spread = np.sqrt(np.einsum("ijj->ij", joint))
        shares, names = check_probabilities(probabilities or {}, values or {}, len(rows), columns)
        for j, share in shares.items():
            rows[:, j] = np.where(share.any(axis=1), share.argmax(axis=1), np.nan)
            spread[:, j] = 0.0
            if joint is not None and joint[:, j].any():
                raise ValueError(
                    f"covariance of feature {j}, which is discrete, must be zero: its "
                    "uncertainty is in probabilities"
                )
        _fill(self, joint, columns, rows, shares, spread, names)

    # ------------------------------------------------------------ other ways to make one

    @classmethod
    def from_frame(cls, frame: Any, *, suffix: str = "_std", separator: str = "=") -> Self:
        """Make a table from a data frame with columns paired by name.

        Parameters
        ----------
        frame : DataFrame
            ``height`` holds means and ``height_std``, if it is there, standard deviations.
            ``colour=black``, ``colour=brown`` ... hold the probabilities of one discrete
            feature's values. A category, object or string column holds values that are known.
        suffix : str, default="_std"
        separator : str, default="="

        Raises
        ------
        ValueError
            For a column of standard deviations without its means or of a discrete feature, a
            column that holds neither numbers nor values, and as the constructor.
        """
        return cls(**_reading.read_frame(frame, suffix, separator))

    @classmethod
    def from_uncertainties(
        cls, values: Any, *, correlated: bool = False, feature_names: Sequence[str] | None = None
    ) -> Self:
        """Make a table from numbers with an uncertainty of the package ``uncertainties``.

        Parameters
        ----------
        values : array-like or data frame of shape (n, d), object
            Plain numbers among them are exact.
        correlated : bool, default=False
            Whether the covariance within each row is read from the numbers' common sources.
        feature_names : sequence of str or None
            None: the columns of a data frame.
        """
        if feature_names is None and hasattr(values, "columns"):
            feature_names = list(map(str, values.columns))
        check_flag("correlated", correlated)
        read = _reading.read_uncertainties(values, correlated)
        return cls(**read, feature_names=feature_names)

    @classmethod
    def from_replicates(
        cls,
        values: ArrayLike,
        groups: ArrayLike | None = None,
        *,
        correlated: bool = False,
        feature_names: Sequence[str] | None = None,
    ) -> Self:
        """Make a table of means and standard errors from repeated measurements.

        Parameters
        ----------
        values : array-like of shape (n, r, d), or (m, d) with ``groups``
            Repeats of each case; a repeat with NaN is left out for that feature.
        groups : array-like of shape (m,) or None
            Which case each line measures; cases come out in ascending order of it.
        correlated : bool, default=False
            Whether the covariance of the means is estimated, from repeats without NaN.
        feature_names : sequence of str or None

        Raises
        ------
        ValueError
            When a cell has a single repeat, from which no error can be estimated.
        """
        check_flag("correlated", correlated)
        read = _reading.read_replicates(values, groups, correlated)
        return cls(**read, feature_names=feature_names)

    @classmethod
    def from_noise(
        cls,
        X: ArrayLike,
        *,
        range_share: ArrayLike = 0.0,
        relative: ArrayLike = 0.0,
        absolute: ArrayLike = 0.0,
        reference: ArrayLike | None = None,
    ) -> Self:
        """Make a table of exact readings and a model of the instrument's noise.

        The variance of a cell is the sum of the squares of three parts, each a number or one a
        feature. "2 % of the range" is ``range_share=0.02``; an accuracy of 0.1 units, as
        Alvarez (2004) gives for each measurement, is ``absolute=0.1``.

        Parameters
        ----------
        X : array-like or data frame of shape (n, d)
        range_share : float or array-like of shape (d,), default=0
            Standard deviation as a share of the feature's range.
        relative : float or array-like of shape (d,), default=0
            Standard deviation as a share of the value's size.
        absolute : float or array-like of shape (d,), default=0
            Standard deviation in units of the feature.
        reference : array-like of shape (m, d) or None
            Rows whose ranges count, usually those of training. None: ``X``.
        """
        return cls(**_reading.read_noise(X, range_share, relative, absolute, reference))

    # ------------------------------------------------------------ what it holds

    @property
    def shape(self) -> tuple[int, int]:
        """Number of cases and of features."""
        return self.means.shape[0], self.means.shape[1]

    @property
    def is_certain(self) -> bool:
        """Whether every value is exact (or missing)."""
        return not self.std.any() and all(
            ((share == 0.0) | (share == 1.0)).all() for share in self.probabilities.values()
        )

    def __len__(self) -> int:
        return len(self.means)

    def __getitem__(self, key: Any) -> UncertainTable:
        """Take rows: ``table[rows]``, as scikit-learn's splitters do."""
        whole_rows = isinstance(key, tuple) and key[1:] in ((Ellipsis,), (slice(None),))
        rows = key[0] if whole_rows else key
        means = self.means[rows]
        if means.ndim != 2:
            raise TypeError(
                f"an UncertainTable is indexed by several rows, got {key!r}: table[[i]] is case i, "
                "table.means[i, j] a cell"
            )
        part = object.__new__(type(self))
        joint = None if self.covariance is None else self.covariance[rows]
        shares = {j: p[rows] for j, p in self.probabilities.items()}
        _fill(part, joint, self.feature_names, means, shares, self.std[rows], self.values)
        return part

    def scale_uncertainty(self, factor: float) -> UncertainTable:
        """Multiply all standard deviations, covariances by the square; probabilities stay.

        Parameters
        ----------
        factor : float
            At least 0.
        """
        if not is_number(factor) or not 0.0 <= factor < np.inf:
            raise ValueError(f"factor={factor!r} must be a finite number of at least 0")
        if self.covariance is None:
            return self.with_std(self.std * factor)
        return self._replace(None, self.covariance * factor**2)

    def with_std(self, std: ArrayLike) -> UncertainTable:
        """Return the same cases with other standard deviations, (n, d), and no covariance.

        Parameters
        ----------
        std : array-like of shape (n, d)
        """
        return self._replace(std, None)

    def _replace(self, std: ArrayLike | None, joint: ArrayLike | None) -> UncertainTable:
        return UncertainTable(
            self.means, std, covariance=joint, values=self.values,
            probabilities=_reading.nan_where_missing(self.probabilities),
            feature_names=self.feature_names,
        )  # fmt: skip

    def sample(self, size: int, rng: Generator) -> Floats:
        """Draw crisp cases, shape (n, size, d); a discrete feature gives a value's place.

        Parameters
        ----------
        size : int
            Draws of each case.
        rng : numpy.random.Generator
        """
        if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 0:
            raise ValueError(f"size={size!r} must be an integer of at least 0")
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng={rng!r} must be a Generator: make one by np.random.default_rng")
        n, d = self.shape
        noise = rng.standard_normal((n, size, d))
        if self.covariance is None:
            out = self.means[:, None] + noise * self.std[:, None]
        else:
            roots, axes = np.linalg.eigh(self.covariance)
            root = axes * np.sqrt(np.maximum(roots, 0.0))[:, None]
            out = self.means[:, None] + noise @ root.transpose(0, 2, 1)
        for j, share in self.probabilities.items():
            edges = np.cumsum(share, axis=1)[:, None, :-1]
            drawn = (rng.random((n, size))[..., None] > edges).sum(axis=-1)
            out[..., j] = np.where(np.any(share, axis=1)[:, None], drawn, np.nan)
        return np.asarray(out)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"UncertainTable is immutable: {name} cannot be set")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, tuple(getattr(self, name) for name in sorted(self.__slots__))

    def __repr__(self) -> str:
        n, d = self.shape
        kind = "covariances" if self.covariance is not None else "standard deviations"
        return f"UncertainTable({n} cases, {d} features, {kind}, {len(self.values)} discrete)"


def _rebuild(*state: Any) -> UncertainTable:
    table = object.__new__(UncertainTable)
    _fill(table, *state)
    return table


def _fill(table: UncertainTable, *state: Any) -> None:
    """Set what a new table holds, in the order of the names; arrays become read-only."""
    for name, value in zip(sorted(UncertainTable.__slots__), state, strict=True):
        for array in value.values() if isinstance(value, dict) else (value,):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)
        object.__setattr__(table, name, value)
