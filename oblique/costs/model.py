"""Prices of tests and errors, and what a tree costs with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oblique._suggest import unknown_name
from oblique.costs import _kernels
from oblique.costs.test_cost import Prices, TestCost, checked_cost, tabulate
from oblique.pruning.base import check_weights, is_number
from oblique.target import encode_labels

if TYPE_CHECKING:
    from oblique.costs.accounting import CaseCosts


@dataclass(frozen=True)
class CostModel:
    """What tests and errors cost.

    Parameters
    ----------
    tests : mapping of str to TestCost or float, sequence of them, or None, default=None
        Cost of each feature's test, by the feature's name or in the order of the columns; a
        number stands for ``TestCost(number)``. None: tests are free.
    errors : float, mapping, or array-like of shape (n_classes, n_classes), default=1.0
        Cost of a wrong answer: the same for all; by the class that the case has, as in
        ``{"safe": 1, "unsafe": 50}``; or a matrix whose entry (i, j) is the cost of answering
        class i where class j is true, usually with zeros on its diagonal. A data frame names its
        classes in both its index and its columns.
    classes : sequence of labels or None, default=None
        Classes of the matrix, in its order. None: the sorted classes of the model. Labels are
        compared by their spelling, so that ``"1"`` in a file is the class 1.

    Raises
    ------
    ValueError
        For a cost that is negative or not finite, a matrix that is not square or has another size
        than ``classes``, classes that repeat, and what `TestCost` refuses.

    References
    ----------
    P. D. Turney (1995), Cost-sensitive classification: empirical evaluation of a hybrid genetic
    decision tree induction algorithm. Journal of Artificial Intelligence Research 2, 369-409.

    Examples
    --------
    >>> from oblique.costs import CostModel, TestCost
    >>> costs = CostModel(
    ...     {"glucose": TestCost(17.61, 15.51, group="blood", delayed=True), "age": 1},
    ...     errors={0: 50, 1: 400},
    ... )
    >>> costs.cost_of_all_tests
    18.61
    """

    tests: Mapping[str, TestCost] | tuple[TestCost, ...] | None = None
    errors: float | tuple[tuple[float, ...], ...] = 1.0
    classes: tuple[str, ...] | None = None

    def __init__(
        self,
        tests: Mapping[str, TestCost | float] | Sequence[TestCost | float] | None = None,
        errors: Any = 1.0,
        classes: Sequence[Any] | None = None,
    ):
        store = object.__setattr__
        store(self, "tests", _read_tests(tests))
        matrix, names = _read_errors(errors, classes)
        store(self, "errors", matrix)
        store(self, "classes", names)

    def with_errors(self, errors: Any, classes: Sequence[Any] | None = None) -> CostModel:
        """Return the model with other costs of errors, given as in the constructor.

        Parameters
        ----------
        errors : see `CostModel`
        classes : sequence or None, default=None
            Classes of the lines and columns, where ``errors`` is a matrix.
        """
        return CostModel(self.tests, errors, classes)

    def for_features(self, names: Sequence[str]) -> CostModel:
        """Return the model of some of the features, in the order given.

        Parameters
        ----------
        names : sequence of str
            Features that have a cost.
        """
        if not isinstance(self.tests, Mapping):
            raise ValueError("for_features needs costs that name their features")
        missing = [name for name in names if name not in self.tests]
        if missing:
            raise ValueError(unknown_name("feature", missing[0], self.tests))
        return CostModel({name: self.tests[name] for name in names}, self.errors, self.classes)

    # ------------------------------------------------------------ prices

    @property
    def cost_of_all_tests(self) -> float:
        """Cost of all tests done once, in the order listed: T of Turney (1995), section 4."""
        if self.tests is None:
            return 0.0
        prices = tabulate(_listed(self.tests))
        n = len(prices.full)
        return float(_kernels.cost_of_all(prices.full, prices.later, prices.group)) if n else 0.0

    def prices(self, feature_names: Sequence[str]) -> Prices | None:
        """Prices in the order of some features, None where tests are free.

        Parameters
        ----------
        feature_names : sequence of str

        Raises
        ------
        ValueError
            Where a feature has no cost, or a cost belongs to none of the features.
        """
        if self.tests is None:
            return None
        names = [str(name) for name in feature_names]
        if not isinstance(self.tests, Mapping):
            if len(self.tests) != len(names):
                raise ValueError(
                    f"costs list {len(self.tests)} tests, but there are {len(names)} features"
                )
            return tabulate(list(self.tests))
        unknown = [name for name in self.tests if name not in names]
        if unknown:
            raise ValueError(
                f"costs of tests: {unknown_name('feature', unknown[0], names)}. Leave it out "
                "(CostModel.for_features), or give the costs as a list in the order of the columns"
            )
        missing = [name for name in names if name not in self.tests]
        if missing:
            raise ValueError(
                f"costs of tests lack the features {missing}: add them, with cost 0 if they are "
                "free, or leave the columns out"
            )
        return tabulate([self.tests[name] for name in names])

    def error_matrix(self, classes: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]:
        """Cost of each answer where each class is true, shape (n_classes, n_classes).

        Parameters
        ----------
        classes : sequence of labels
            Order of the lines (answers) and columns (true classes) of the result.

        Raises
        ------
        ValueError
            Where the matrix has another size or does not know one of the classes.
        """
        wanted = [spelling(label) for label in classes]
        if isinstance(self.errors, float):
            return self.errors * (1.0 - np.eye(len(wanted)))
        matrix = np.array(self.errors, dtype=np.float64)
        if self.classes is None:
            if len(matrix) != len(wanted):
                size = len(matrix)
                raise ValueError(
                    f"errors is a matrix of shape ({size}, {size}), but there are {len(wanted)} "
                    f"classes: {wanted}"
                )
            return matrix
        unknown = [name for name in wanted if name not in self.classes]
        if unknown:
            raise ValueError(f"costs of errors: {unknown_name('class', unknown[0], self.classes)}")
        order = [self.classes.index(name) for name in wanted]
        return matrix[np.ix_(order, order)]

    # ------------------------------------------------------------ what is paid

    def cost_of(
        self, model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CaseCosts:
        """Cost of the tests and answers of a tree on cases.

        Every test on a case's path is paid once, an oblique one for each feature whose weight
        is not zero; the first of a group in full, later ones at their discount. Where a delayed
        test is met, all tests of the subtree below are ordered, in the order parents first and
        left before right, and paid whether or not the case comes to them (Turney 1995,
        section 2). A case that a missing value sends down several paths pays for all of them.

        Parameters
        ----------
        model : Tree or fitted estimator
            A tree or classifier of this package, or a decision tree classifier of scikit-learn.
        X : array-like or data frame of shape (n, n_features)
        y : array-like of shape (n,)
            True classes.
        sample_weight : array-like of shape (n,) or None
            Weights of the cases in the averages.

        Raises
        ------
        TypeError
            If ``model`` holds no single tree.
        ValueError
            Where features or classes do not fit the costs, or X the tree.
        """
        from oblique.costs.accounting import price_cases

        return price_cases(self, model, X, y, sample_weight)

    def standard_cost(self, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Cost by which averages are normalised: ``T + min_i (1 - f_i) max_ij C_ij``.

        T is the cost of all tests, f_i the share of class i and C the matrix of errors (Turney
        1995, section 4.1).

        Parameters
        ----------
        y : array-like of shape (n,)
            Classes of the whole data set.
        sample_weight : array-like of shape (n,) or None
        """
        if not len(np.asarray(y)):
            raise ValueError("y is empty: the standard cost needs the shares of the classes")
        labels, codes = encode_labels(y, len(np.asarray(y)))
        weights = None if sample_weight is None else check_weights(sample_weight, len(codes))
        mass = np.bincount(codes, weights=weights, minlength=len(labels))
        rarest = float((1.0 - mass / mass.sum()).min())
        return self.cost_of_all_tests + rarest * float(self.error_matrix(labels).max())

    def score(
        self,
        model: Any,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        standard: float | None = None,
    ) -> float:
        """Average cost of a case in percent of the standard cost.

        Parameters
        ----------
        model, X, y, sample_weight
            As for `cost_of`.
        standard : float or None, default=None
            Standard cost of the whole data set. None: that of ``y``.
        """
        cost = self.cost_of(model, X, y, sample_weight).average
        divisor = self.standard_cost(y, sample_weight) if standard is None else standard
        if not is_number(divisor) or not divisor > 0.0:
            raise ValueError(f"standard={divisor!r} must be above zero: do tests or errors cost?")
        return 100.0 * cost / divisor


def spelling(label: Any) -> str:
    """Return a label as text; numbers of the same value are spelled alike."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    return str(label)


def _listed(tests: Mapping[str, TestCost] | tuple[TestCost, ...]) -> list[TestCost]:
    return list(tests.values()) if isinstance(tests, Mapping) else list(tests)


def _read_tests(tests: Any) -> Mapping[str, TestCost] | tuple[TestCost, ...] | None:
    if tests is None:
        return None
    if isinstance(tests, Mapping):
        return {str(name): _read_test(repr(name), test) for name, test in tests.items()}
    if isinstance(tests, str) or not isinstance(tests, Sequence | np.ndarray):
        raise ValueError(
            f"tests={tests!r} must map names of features to costs, list them in the order of the "
            "columns, or be None"
        )
    return tuple(_read_test(f"number {place}", test) for place, test in enumerate(tests))


def _read_test(name: str, test: Any) -> TestCost:
    if isinstance(test, TestCost):
        return test
    try:
        return TestCost(test)
    except ValueError as error:
        raise ValueError(f"cost of test {name}: {error}") from None


def _read_errors(
    errors: Any, classes: Sequence[Any] | None
) -> tuple[float | tuple[tuple[float, ...], ...], tuple[str, ...] | None]:
    if classes is not None and (isinstance(classes, str) or not np.iterable(classes)):
        raise ValueError(f"classes={classes!r} must list the classes of the matrix")
    names = None if classes is None else [spelling(label) for label in classes]
    is_single = isinstance(errors, str) or not np.iterable(errors)
    if isinstance(errors, Mapping):
        if not errors:
            raise ValueError("errors={} names no class: give each its cost, or one cost for all")
        names = _same_names("classes", names, [spelling(label) for label in errors])
        costs = [checked_cost(f"error cost of {name!r}", c) for name, c in errors.items()]
        matrix = np.tile(costs, (len(costs), 1)) * (1.0 - np.eye(len(costs)))
    elif is_single:
        if names is not None:
            raise ValueError("classes name the classes of a matrix, but errors is a single cost")
        return checked_cost("errors", errors), None
    else:
        if hasattr(errors, "columns"):
            lines, columns = (list(map(spelling, axis)) for axis in (errors.index, errors.columns))
            names = _same_names("index", _same_names("classes", names, lines), columns)
            errors = errors.to_numpy()[[lines.index(name) for name in names]]
            errors = errors[:, [columns.index(name) for name in names]]
        matrix = _square(errors)
    if names is not None:
        _check_classes(names, len(matrix))
    entries = tuple(
        tuple(checked_cost(f"errors[{i}, {j}]", cost) for j, cost in enumerate(line))
        for i, line in enumerate(matrix.tolist())
    )
    return entries, None if names is None else tuple(names)


def _square(errors: Any) -> NDArray[np.float64]:
    try:
        matrix = np.asarray(errors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"errors={errors!r} is not a matrix of numbers") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(
            f"errors has shape {matrix.shape}; it must be square, a line an answer and a column "
            "a true class"
        )
    return matrix


def _same_names(what: str, names: list[str] | None, others: list[str]) -> list[str]:
    if names is not None and sorted(names) != sorted(others):
        raise ValueError(f"{what} names the classes {names}, the costs of errors {others}")
    return others if names is None else names


def _check_classes(names: list[str], size: int) -> None:
    if len(names) != size:
        raise ValueError(
            f"errors is a matrix of shape ({size}, {size}), but classes names {len(names)}: {names}"
        )
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"classes names {twice[0]!r} more than once")
