"""Arguments as text, as JSON data, and as a program of probabilistic logic."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from oblique.indecision._checks import check_share
from oblique.indecision._normal import interval_probability
from oblique.indecision.argument import Argument, ArgumentBase, Interval, Values, check_base

# Probabilities of a program are written with so many digits.
_DIGITS = 12


def export_arguments(base: ArgumentBase, *, least: float = 0.0) -> str:
    """Write arguments as text, the most probable for the case first.

    Parameters
    ----------
    base : ArgumentBase
        Result of `argue`.
    least : float, default=0.0
        Arguments that apply with a smaller probability are left out and counted.

    Returns
    -------
    text : str
    """
    check_base(base)
    check_share("least", least)
    reach = base.reach or (1.0,) * len(base.arguments)
    order = sorted(range(len(reach)), key=lambda i: -reach[i])
    shown = [i for i in order if reach[i] >= least]
    lines = [_line(base, base.arguments[i], reach[i]) for i in shown]
    if len(shown) < len(order):
        rest = sum(reach[i] for i in order) - sum(reach[i] for i in shown)
        lines.append(f"{len(order) - len(shown)} more arguments, together {rest:.3g}")
    if base.reach is not None:
        pairs = zip(base.words.classes, base.probabilities, strict=True)
        lines.append("probability: " + ", ".join(f"{name} {share:.3f}" for name, share in pairs))
    return "\n".join(lines)


def _line(base: ArgumentBase, argument: Argument, reach: float) -> str:
    premises = " and ".join(map(base.premise, argument.premises)) or "always"
    head = f"[{reach:.3f}] " if base.reach is not None else ""
    return (
        f"{head}{premises} => {base.words.classes[argument.conclusion]} "
        f"(strength {argument.strength:.3f}, support {base.words.number(argument.support)})"
    )


def arguments_to_dict(base: ArgumentBase) -> dict[str, Any]:
    """Return arguments as plain lists, numbers and strings, ready for JSON.

    Infinite ends are None. For a case there are, besides, ``applies`` of every argument, the
    relations among those that apply, and the probabilities of the classes.

    Parameters
    ----------
    base : ArgumentBase
    """
    check_base(base)
    names = base.words
    listed = []
    for place, argument in enumerate(base.arguments):
        entry: dict[str, Any] = {
            "argument": argument.leaf,
            "premises": [_premise_to_dict(base, premise) for premise in argument.premises],
            "conclusion": names.classes[argument.conclusion],
            "distribution": dict(zip(names.classes, argument.distribution, strict=True)),
            "support": argument.support,
            "strength": argument.strength,
        }
        if base.reach is not None:
            entry["applies"] = base.reach[place]
        listed.append(entry)
    document: dict[str, Any] = {"classes": list(names.classes), "arguments": listed}
    if base.reach is not None:
        document["relations"] = [relation._asdict() for relation in base.relations()]
        document["probabilities"] = dict(zip(names.classes, base.probabilities, strict=True))
    return document


def _premise_to_dict(base: ArgumentBase, premise: Interval | Values) -> dict[str, Any]:
    if isinstance(premise, Values):
        names = (base.words.tree.category_names or {}).get(premise.feature)
        codes = premise.codes
        return {
            "feature": base.words.features[premise.feature],
            "values": [names[code] if names else code for code in codes],
        }
    return {
        "weights": {base.words.features[feature]: weight for feature, weight in premise.weights},
        "above": None if premise.low == -np.inf else premise.low,
        "at_most": None if premise.high == np.inf else premise.high,
    }


# ---------------------------------------------------------------- probabilistic logic


def export_problog(base: ArgumentBase) -> str:
    """Write arguments as a program in the syntax of ProbLog.

    Every argument is a rule whose head is an annotated disjunction of the classes. Without a
    case, the premises ``above(f, t)``, ``at_most(f, t)`` and ``value(f, v)`` are for the reader's
    program to define. For a case they are defined by annotated disjunctions over the intervals
    of each feature, and ``query(class(_))`` gives the probabilities of `argue`. Where features
    depend on each other, clauses are oblique or values are missing, premises cannot be
    independent facts: the arguments themselves then are the outcomes of one annotated
    disjunction. ProbLog cannot read a name that ends in a backslash: such a name gets a blank.

    Parameters
    ----------
    base : ArgumentBase

    Returns
    -------
    program : str
    """
    check_base(base)
    lines = ["% Arguments of a decision tree."]
    facts = None
    if base.case is not None:
        facts = _facts(base)
        lines.extend(facts if facts is not None else [_joint_fact(base)])
    for argument in base.arguments:
        name = f"argument({argument.leaf})"
        if base.case is None or facts is not None:
            body = ", ".join(_atoms(base, argument))
            lines.append(f"{name} :- {body}." if body else f"{name}.")
        heads = [
            f"{_number(share)}::class({_atom(base.words.classes[k])})"
            for k, share in enumerate(argument.distribution)
            if share > 0.0
        ]
        lines.append(f"{'; '.join(heads)} :- {name}.")
        lines.extend(_sets(base, argument))
    if base.case is not None:
        lines.append("query(class(_)).")
    return "\n".join(lines) + "\n"


def _atoms(base: ArgumentBase, argument: Argument) -> Iterator[str]:
    for place, premise in enumerate(argument.premises):
        if isinstance(premise, Values):
            yield f"among({argument.leaf}, {place})"
            continue
        feature = _atom(base.direction(premise.weights))
        if premise.low > -np.inf:
            yield f"above({feature}, {premise.low!r})"
        if premise.high < np.inf:
            yield f"at_most({feature}, {premise.high!r})"


def _sets(base: ArgumentBase, argument: Argument) -> Iterator[str]:
    """Rules that say which values a premise of a discrete feature admits."""
    for place, premise in enumerate(argument.premises):
        if isinstance(premise, Values):
            for code in premise.codes:
                feature = _atom(base.words.features[premise.feature])
                value = _value(base, premise.feature, code)
                yield f"among({argument.leaf}, {place}) :- value({feature}, {value})."


def _facts(base: ArgumentBase) -> list[str] | None:
    """Facts about the case, feature by feature; None where they are not independent."""
    case, tree = base.case, base.words.tree
    assert case is not None
    assert base.reach is not None
    if case.covariance is not None or not tree.is_axis_parallel:
        return None
    lines, expected = [], np.ones(len(base.arguments))
    for feature in sorted({int(j) for j in tree.weight_indices}):
        name = _atom(base.words.features[feature])
        if feature in case.probabilities:
            shares = case.probabilities[feature][0]
            heads = [
                f"{_number(share)}::value({name}, {_value(base, feature, code)})"
                for code, share in enumerate(shares.tolist())
                if share > 0.0
            ]
            lines.append("; ".join(heads) + "." if heads else f"% {name} is missing")
        else:
            lines.extend(_interval_facts(base, feature, name))
    for place, argument in enumerate(base.arguments):
        for premise in argument.premises:
            expected[place] *= _probability(base, premise)
    return lines if np.abs(expected - np.array(base.reach)).max() < 1e-9 else None


def _interval_facts(base: ArgumentBase, feature: int, name: str) -> list[str]:
    ends = sorted(
        {
            end
            for argument in base.arguments
            for premise in argument.premises
            if isinstance(premise, Interval) and premise.weights[0][0] == feature
            for end in (premise.low, premise.high)
            if np.isfinite(end)
        }
    )
    edges = [-np.inf, *ends, np.inf]
    weights = ((feature, 1.0),)
    shares = [_probability(base, Interval(weights, a, b)) for a, b in itertools.pairwise(edges)]
    heads = [f"{_number(p)}::part({name}, {i})" for i, p in enumerate(shares) if p > 0.0]
    lines = ["; ".join(heads) + "."]
    for i, end in enumerate(ends):
        lines.append(f"at_most({name}, {end!r}) :- part({name}, P), P =< {i}.")
        lines.append(f"above({name}, {end!r}) :- part({name}, P), P > {i}.")
    return lines


def _probability(base: ArgumentBase, premise: Interval | Values) -> float:
    case = base.case
    assert case is not None
    if isinstance(premise, Values):
        shares = case.probabilities[premise.feature][0]
        return float(sum(shares[code] for code in premise.codes if code < shares.size))
    feature = premise.weights[0][0]
    mean, deviation = float(case.means[0, feature]), float(case.std[0, feature])
    return interval_probability(mean, deviation, premise.low, premise.high)


def _joint_fact(base: ArgumentBase) -> str:
    assert base.reach is not None
    pairs = zip(base.arguments, base.reach, strict=True)
    return "; ".join(f"{_number(p)}::argument({a.leaf})" for a, p in pairs if p > 0.0) + "."


def _number(value: float) -> str:
    # Rounding must not lift a sum above one, which a disjunction does not allow.
    text = f"{np.floor(value * 10**_DIGITS) / 10**_DIGITS:.{_DIGITS}f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _value(base: ArgumentBase, feature: int, code: int) -> str:
    names = (base.words.tree.category_names or {}).get(feature)
    return _atom(names[code] if names and code < len(names) else str(code))


def _atom(text: str) -> str:
    """Quote a text as an atom."""
    if text.endswith("\\"):
        # ProbLog takes the closing quote after a backslash, even a doubled one, for escaped.
        text += " "
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
