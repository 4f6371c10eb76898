"""``oblique arguments``: what speaks for each class of an uncertain case."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oblique.cli.table import check_writable, pair_columns, print_json

if TYPE_CHECKING:
    from oblique.indecision import UncertainTable

SUMMARY = "Give the arguments of a model's tree for a case whose values may be uncertain."
EXAMPLE = """\
  oblique arguments model.json "glucose=140+-7.5" "bmi=31" "age=50"
  oblique arguments model.json cases.csv --row 3 --problog > case.pl"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``oblique arguments``."""
    parser.add_argument("model", metavar="MODEL", help="file that oblique fit wrote")
    parser.add_argument(
        "case",
        metavar="CASE",
        nargs="+",
        help="a file, or FEATURE=VALUE, FEATURE=MEAN+-STD, FEATURE=VALUE:PROBABILITY,... ; "
        "features left out are missing",
    )
    parser.add_argument("--row", type=int, metavar="N", help="row of a file, from 1 (default 1)")
    parser.add_argument(
        "--suffix", help="of a file's columns of standard deviations (default _std)"
    )
    parser.add_argument(
        "--separator",
        help="between feature and value in the names of a file's columns of probabilities "
        '(default "=")',
    )
    parser.add_argument(
        "--method", default="exact", help='"exact" (default), "moments" or "clause"'
    )
    parser.add_argument(
        "--least",
        type=float,
        metavar="P",
        help="leave less probable ones out of the text (default 0.001)",
    )
    parser.add_argument("--problog", action="store_true", help="write a ProbLog program")
    parser.add_argument("--plot", metavar="FILE", help="draw the case, as .png, .svg or .pdf")


def execute(arguments: argparse.Namespace) -> int:
    """Print the arguments for the case, the most probable first."""
    from oblique import load
    from oblique.indecision import (
        argue,
        arguments_to_dict,
        export_arguments,
        export_problog,
        plot_arguments,
    )

    if arguments.json and arguments.problog:
        raise ValueError("--json and --problog exclude each other: give one of them")
    if arguments.least is not None and (arguments.json or arguments.problog):
        raise ValueError("--least is about the text: --json and --problog hold every argument")
    least = 0.001 if arguments.least is None else arguments.least
    if not 0.0 <= least <= 1.0:
        raise ValueError(f"--least {least}: give a probability, a number from 0 to 1")
    if arguments.plot:
        _check_picture(arguments.plot)
    model = load(arguments.model)
    base = argue(model, _read_case(model, arguments), method=arguments.method)
    if arguments.json:
        print_json(arguments_to_dict(base))
    elif arguments.problog:
        print(export_problog(base), end="")
    else:
        print(export_arguments(base, least=least))
    if arguments.plot:
        plot_arguments(base)[0].figure.savefig(arguments.plot)
    return 0


def _check_picture(path: str) -> None:
    from matplotlib.backend_bases import FigureCanvasBase

    check_writable(path, "--plot")
    kinds = FigureCanvasBase.get_supported_filetypes()
    if Path(path).suffix.lower().lstrip(".") not in kinds:
        raise ValueError(f"--plot {path}: the name must end in one of .{', .'.join(sorted(kinds))}")


def _read_case(model: Any, arguments: argparse.Namespace) -> UncertainTable:
    from oblique.describe import describe

    words, given = describe(model), arguments.case
    if len(given) == 1 and given[0] and ("=" not in given[0] or Path(given[0]).exists()):
        return _from_file(given[0], arguments, words.features)
    for option in ("row", "suffix", "separator"):
        value = getattr(arguments, option)
        if value is not None:
            raise ValueError(f"--{option} {value}: only a file has one, CASE is FEATURE=VALUE")
    columns = getattr(model, "_columns", None)
    values = dict(words.tree.category_names or {}) if columns is None else columns.categories
    return parse_case(given, words.features, values)


def _from_file(path: str, arguments: argparse.Namespace, features: Any) -> UncertainTable:
    """Read one row of a file, columns paired by name, in the order of the model's features."""
    from oblique.datasets import list_datasets, load_dataset, read_table

    frame = load_dataset(path).data if path in list_datasets() else read_table(path)
    number = 1 if arguments.row is None else arguments.row
    if not 1 <= number <= len(frame):
        raise ValueError(f"--row {number}: {path} has the rows 1 to {len(frame)}")
    suffix = "_std" if arguments.suffix is None else arguments.suffix
    separator = "=" if arguments.separator is None else arguments.separator
    return pair_columns(path, frame.iloc[[number - 1]], features, suffix, separator)


def parse_case(
    texts: list[str], features: tuple[str, ...], values: dict[int, tuple[Any, ...]]
) -> UncertainTable:
    """Read ``feature=value`` texts.

    Parameters
    ----------
    texts : list of str
    features : tuple of str
        Of the model, in its order.
    values : dict of int to tuple
        Values of its discrete features.

    Raises
    ------
    ValueError
        Names the text that cannot be read.
    """
    import numpy as np

    from oblique._suggest import unknown_name
    from oblique.indecision import UncertainTable

    means, std = np.full((1, len(features)), np.nan), np.zeros((1, len(features)))
    shares = {j: np.full((1, len(names)), np.nan) for j, names in values.items()}
    seen = set()
    for text in texts:
        # Names and values may hold the sign, too: of the names that fit the longest counts.
        fitting = [name for name in features if text.startswith(f"{name}=")]
        if not fitting:
            name, equals, _ = text.partition("=")
            if not equals:
                raise ValueError(f"CASE {text!r} is not FEATURE=VALUE, nor the name of a file")
            raise ValueError(unknown_name("feature", name, features))
        name = max(fitting, key=len)
        value = text[len(name) + 1 :]
        if name in seen:
            raise ValueError(f"CASE {text!r}: {name} is given twice")
        seen.add(name)
        j = features.index(name)
        try:
            if j in values:
                shares[j] = _parse_shares(value, values[j])
            else:
                means[0, j], std[0, j] = _parse_number(value)
        except ValueError as error:
            raise ValueError(f"CASE {text!r} cannot be read: {error}") from None
    return UncertainTable(
        means, std, probabilities=shares, values=values, feature_names=list(features)
    )


def _parse_number(text: str) -> tuple[float, float]:
    """Read MEAN or MEAN+-STD; a mean of nan is a missing value."""
    first, sign, second = text.replace("\u00b1", "+-").partition("+-")
    mean, deviation = float(first), float(second if sign else 0.0)
    if math.isinf(mean):
        raise ValueError("the mean must be finite, or nan where it is missing")
    if not 0.0 <= deviation < math.inf:
        raise ValueError("the standard deviation must be a finite number of at least 0")
    return mean, deviation


def _parse_shares(text: str, values: tuple[Any, ...]) -> Any:
    import numpy as np

    places = {str(value): v for v, value in enumerate(values)}
    shares = np.zeros((1, len(values)))
    for part in text.split(","):
        value, colon, probability = part.rpartition(":")
        if part in places or not colon:
            value, probability = part, "1"
        if value not in places:
            if float(probability) == 0.0:
                continue
            raise ValueError(f"{value!r} is none of the known values {', '.join(places)}")
        shares[0, places[value]] += float(probability)
    return shares
