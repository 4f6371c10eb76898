"""What an explanation says about one case: the values that `explain` fills in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from oblique.sensitivity.errors_near import ErrorRate
    from oblique.sensitivity.tests import SensitiveTest


class TraceTest(NamedTuple):
    """One test on the way of a case to its leaf.

    Attributes
    ----------
    node : int
    text : str
        The test as it holds for the case, ``age > 28.5``.
    margin : float
        Distance of the case from the test's hyperplane in the metric; NaN for a test on
        categories.
    """

    node: int
    text: str
    margin: float


class Move(NamedTuple):
    """What one attribute does in the smallest move that changes the class.

    Attributes
    ----------
    feature : str
    value, to : float or str
        Value of the case and of the nearest point; names of categories.
    change : float
        Their difference in raw units; NaN between categories.
    percent_of_value, percent_of_range, percent_of_deviation : float
        Size of the change against the case's value, the attribute's range and its standard
        deviation; NaN where that is zero or there is no number.
    """

    feature: str
    value: Any
    to: Any
    change: float
    percent_of_value: float
    percent_of_range: float
    percent_of_deviation: float


class LeafDistance(NamedTuple):
    """Distance of a case from one leaf of another class.

    Attributes
    ----------
    leaf : int
        Node of the leaf.
    label : object
        Its class.
    distance : float
    tests : list of str
        Tests on the way to the leaf that the case does not meet, as they stand for the case;
        of an oblique test the largest weights.
    """

    leaf: int
    label: Any
    distance: float
    tests: list[str]


@dataclass(frozen=True)
class Explanation:
    """What is to be said about the class of one case; made by `explain`.

    `str` gives a text to read, a notebook shows a table, `to_dict` is for programs.

    Attributes
    ----------
    case : object
        Label of the row in the data frame, or its number.
    values : dict
        Value by attribute; names of categories.
    predicted_class, leaf : object, int
        Class and node of the leaf.
    class_shares : dict
        Share of each class among the training rows of the leaf.
    trace : list of TraceTest
        Tests on the way to the leaf, from the root.
    status : str
        "found", "unreachable" or "unrouted", see `NearestCases`.
    distance : float
        Distance to the nearest region of another class in the metric: the sensitivity.
    share_of_maximum : float or None
        Distance divided by the largest one among the sample's rows; None without a sample.
    share_of_deviation : float
        Distance divided by the length of the move of one standard deviation in every attribute
        that the tree tests.
    target_class, target_leaf : object, int
        What lies beyond.
    moves : list of Move
        Attributes that the nearest point changes, largest share of the range first.
    counterfactual : dict
        Nearest values, a smallest step beyond the surface, that the model gives `target_class`.
    sensitive_tests : list of SensitiveTest
        Tests that hold the case back, largest margin first.
    distance_by_class : dict
        Distance from the regions of each class; 0 for its own.
    distance_by_leaf : list of LeafDistance
        Leaves of other classes that can be reached, nearest first.
    error_rate : ErrorRate or None
        Share of errors among known cases about as far from the surface.
    limits : tuple of str
        The user's limits and weights in words.
    unconstrained : Explanation or None
        The answer without limits and weights, where there are any.
    """

    case: Any
    values: dict[str, Any]
    predicted_class: Any
    leaf: int
    class_shares: dict[Any, float]
    trace: list[TraceTest]
    status: str
    distance: float
    share_of_maximum: float | None
    share_of_deviation: float
    target_class: Any
    target_leaf: int
    moves: list[Move]
    counterfactual: dict[str, Any]
    sensitive_tests: list[SensitiveTest]
    distance_by_class: dict[Any, float]
    distance_by_leaf: list[LeafDistance]
    error_rate: ErrorRate | None
    limits: tuple[str, ...]
    unconstrained: Explanation | None

    def __str__(self) -> str:
        from oblique.sensitivity.wording import explanation_text

        return explanation_text(self)

    def _repr_html_(self) -> str:
        from oblique.sensitivity.wording import explanation_html

        return explanation_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, dicts, numbers and texts, ready for `json.dumps`."""
        from oblique.sensitivity.wording import explanation_dict

        return explanation_dict(self)
