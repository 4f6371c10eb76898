"""Explanations as text, as HTML for notebooks, and as plain values for programs."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from oblique.describe import format_number
from oblique.sensitivity.options import feature_numbers

if TYPE_CHECKING:
    from oblique.sensitivity.explanation import Explanation, Move

_LEAVES_SHOWN = 5
_UNROUTED = "unrouted"
_AFTER_NUMBER, _TIE = re.compile(r"(?<=\d) (?=[^\s<>+-])"), "\u00a0"
_WIDTH = 100


def explanation_text(it: Explanation) -> str:
    """Explanation as a text of short paragraphs."""
    lines = [f"Case {it.case}: class {it.predicted_class}{_shares(it)}"]
    if it.trace and it.status != _UNROUTED:
        lines += _wrapped("because ", it.trace[0].text)
        lines += [line for test in it.trace[1:] for line in _wrapped("    and ", test.text)]
    lines += ["", *_wrapped("", _distance_line(it))]
    if it.limits:
        lines.append(f"under the limits: {'; '.join(it.limits)}")
    if it.moves:
        lines += ["", f"Smallest move to class {it.target_class} (leaf {it.target_leaf}):"]
        lines += _move_table(it.moves)
    if it.sensitive_tests:
        lines += ["", "Tests that hold the case back, largest margin first:"]
        for test in it.sensitive_tests:
            lines += _wrapped(f"  margin {_n(test.margin)}: ", test.text)
    if len(it.distance_by_class) > 2 and it.status != _UNROUTED:
        others = sorted(
            (d, str(k)) for k, d in it.distance_by_class.items() if k != it.predicted_class
        )
        lines += ["", "Distance by class: " + ", ".join(f"{k} {_n(d)}" for d, k in others)]
    if len(it.distance_by_leaf) > 1:
        lines += ["", "Leaves of other classes, nearest first:"]
        for entry in it.distance_by_leaf[:_LEAVES_SHOWN]:
            tests = "; ".join(entry.tests) or "on the border"
            lines += _wrapped(
                f"  {_n(entry.distance):>9}  leaf {entry.leaf}, class {entry.label}: ", tests
            )
        hidden = len(it.distance_by_leaf) - _LEAVES_SHOWN
        if hidden > 0:
            lines.append(f"  and {hidden} more")
    if it.error_rate is not None:
        lines += ["", _error_line(it)]
    if it.unconstrained is not None:
        lines += ["", *_difference(it, it.unconstrained)]
    return "\n".join(lines)


def explanation_html(it: Explanation) -> str:
    """Explanation as a small piece of HTML, for notebooks."""
    parts = [f"<h4>Case {_h(it.case)}: class {_h(it.predicted_class)}{_h(_shares(it))}</h4>"]
    if it.trace and it.status != _UNROUTED:
        because = "".join(f"<li>{_h(test.text)}</li>" for test in it.trace)
        parts.append(f"<ol>{because}</ol>")
    parts.append(f"<p>{_h(_distance_line(it))}</p>")
    if it.limits:
        parts.append(f"<p>Under the limits: {_h('; '.join(it.limits))}</p>")
    if it.moves:
        rows = "".join(
            f"<tr><td>{_h(m.feature)}</td><td>{_h(_v(m.value))}</td><td>{_h(_v(m.to))}</td>"
            f"<td>{_p(m.percent_of_value)}</td><td>{_p(m.percent_of_range)}</td>"
            f"<td>{_p(m.percent_of_deviation)}</td></tr>"
            for m in it.moves
        )
        parts.append(
            f"<table><caption>Smallest move to class {_h(it.target_class)}</caption><thead><tr>"
            "<th>attribute</th><th>from</th><th>to</th><th>% of value</th><th>% of range</th>"
            f"<th>% of deviation</th></tr></thead><tbody>{rows}</tbody></table>"
        )
    if it.sensitive_tests:
        rows = "".join(
            f"<tr><td>{_h(test.text)}</td><td>{_n(test.margin)}</td></tr>"
            for test in it.sensitive_tests
        )
        parts.append(
            "<table><caption>Tests that hold the case back</caption><thead><tr><th>test</th>"
            f"<th>margin</th></tr></thead><tbody>{rows}</tbody></table>"
        )
    if it.error_rate is not None:
        parts.append(f"<p>{_h(_error_line(it))}</p>")
    if it.unconstrained is not None:
        parts.append(f"<p>{_h(' '.join(_difference(it, it.unconstrained)))}</p>")
    return f"<div>{''.join(parts)}</div>"


def explanation_dict(it: Explanation) -> dict[str, Any]:
    """Explanation in plain lists, dicts, numbers and texts; no NaN and no infinity."""
    return {
        "case": _plain(it.case),
        "values": _plain(it.values),
        "predicted_class": _plain(it.predicted_class),
        "leaf": it.leaf,
        "class_shares": {str(k): v for k, v in it.class_shares.items()},
        "trace": [_plain(test._asdict()) for test in it.trace],
        "status": it.status,
        "distance": _plain(it.distance),
        "share_of_maximum": _plain(it.share_of_maximum),
        "share_of_deviation": _plain(it.share_of_deviation),
        "target_class": _plain(it.target_class),
        "target_leaf": it.target_leaf if it.target_leaf >= 0 else None,
        "moves": [_plain(move._asdict()) for move in it.moves],
        "counterfactual": _plain(it.counterfactual),
        "sensitive_tests": [_plain(test._asdict()) for test in it.sensitive_tests],
        "distance_by_class": {str(k): _plain(v) for k, v in it.distance_by_class.items()},
        "distance_by_leaf": [_plain(entry._asdict()) for entry in it.distance_by_leaf],
        "error_rate": None if it.error_rate is None else _plain(it.error_rate._asdict()),
        "limits": list(it.limits),
        "unconstrained": None if it.unconstrained is None else explanation_dict(it.unconstrained),
    }


def limit_texts(names: tuple[str, ...], limits: Mapping[str, Any]) -> tuple[str, ...]:
    """The user's limits and weights as short texts."""
    words = [
        f"{names[j]} {text}"
        for argument, text in (
            ("frozen", "is frozen"),
            ("not_decreasing", "may not fall"),
            ("not_increasing", "may not rise"),
            ("integer", "moves to whole numbers"),
        )
        for j in feature_numbers(limits[argument], argument, names)
    ]
    for feature, (low, high) in (limits["ranges"] or {}).items():
        (j,) = feature_numbers([feature], "ranges", names)
        words.append(f"{names[j]} stays between {low:g} and {high:g}")
    weights = limits["weights"]
    if isinstance(weights, Mapping):
        for feature, weight in weights.items():
            (j,) = feature_numbers([feature], "weights", names)
            words.append(f"moves of {names[j]} cost {weight:g} times as much")
    elif weights is not None:
        words.append("moves are weighted")
    return tuple(words)


def _wrapped(start: str, text: str) -> list[str]:
    """Break a long test into lines below each other, no weight apart from its attribute."""
    lines = textwrap.wrap(
        _AFTER_NUMBER.sub(_TIE, text), _WIDTH, initial_indent=start,
        subsequent_indent=" " * (len(start) + 2),
    )  # fmt: skip
    return [line.replace(_TIE, " ") for line in lines]


def _shares(it: Explanation) -> str:
    if it.status == _UNROUTED:
        return ""  # the class is that of several leaves together
    share = it.class_shares.get(it.predicted_class, float("nan"))
    return f", {100 * share:.0f} % of the training cases in leaf {it.leaf}"


def _distance_line(it: Explanation) -> str:
    if it.status == "unreachable":
        return "No region of another class can be reached."
    if it.status == _UNROUTED:
        unknown = " and ".join(name for name, value in it.values.items() if value is None)
        return (
            f"The tree does not know the category of {unknown or 'an attribute'}: the class comes "
            "from several leaves, and the distance is not defined."
        )
    parts = []
    if it.share_of_maximum is not None:
        parts.append(f"{100 * it.share_of_maximum:.0f} % of the largest in the sample")
    if np.isfinite(it.share_of_deviation):
        parts.append(f"{_n(it.share_of_deviation)} times one standard deviation in all attributes")
    detail = f" ({'; '.join(parts)})" if parts else ""
    line = f"Distance to another class: {_n(it.distance)}{detail}"
    return line if it.moves else f"{line}. {_border_line(it)}"


def _border_line(it: Explanation) -> str:
    """What a case without a move, at distance 0, has to cross."""
    beyond = f"The case lies on the border of class {it.target_class} (leaf {it.target_leaf})"
    tests = next((leaf.tests for leaf in it.distance_by_leaf if leaf.leaf == it.target_leaf), [])
    return f"{beyond}: {'; '.join(tests)}" if tests else f"{beyond}."


def _move_table(moves: list[Move]) -> list[str]:
    rows = [("", "from", "to", "% of value", "% of range", "% of deviation")]
    rows += [
        (
            m.feature, _v(m.value), _v(m.to), _p(m.percent_of_value), _p(m.percent_of_range),
            _p(m.percent_of_deviation),
        )
        for m in moves
    ]  # fmt: skip
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  "
        + row[0].ljust(widths[0])
        + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    ]


def _error_line(it: Explanation) -> str:
    rate = it.error_rate
    assert rate is not None
    return (
        f"Errors among known cases at this distance ({_n(rate.nearest)} to {_n(rate.farthest)}): "
        f"{rate.n_errors} of {rate.n_cases}, {100 * rate.rate:.0f} % "
        f"(95 % interval {100 * rate.low:.0f} to {100 * rate.high:.0f})"
    )


def _difference(it: Explanation, free: Explanation) -> list[str]:
    """What the limits change."""
    if free.status != "found":
        return ["The limits change nothing."]
    if it.status != "found":
        return [f"Without the limits: class {free.target_class} at distance {_n(free.distance)}."]
    if free.target_leaf == it.target_leaf and free.distance == it.distance:
        return ["The limits change nothing."]
    tests = "; ".join(test.text for test in free.sensitive_tests)
    held = f", held back by {tests}" if tests else ""
    return [
        f"Without the limits: leaf {free.target_leaf} of class {free.target_class} at distance "
        f"{_n(free.distance)}{held}."
    ]


def _n(value: float) -> str:
    return format_number(value, 4)


def _v(value: Any) -> str:
    return format_number(value, 4) if isinstance(value, float) else str(value)


def _p(value: float) -> str:
    return "" if value != value else f"{value:.1f}"


def _h(value: Any) -> str:
    return html.escape(str(value))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
