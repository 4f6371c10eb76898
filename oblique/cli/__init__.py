"""The command line: ``oblique compare``, ``fit``, ``predict``, ``show`` and more.

Every subcommand is one module of this folder with a `SUMMARY`, an `EXAMPLE`,
`add_arguments` and `execute`. They import what is heavy when they run, so that ``--help``
answers at once.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from types import ModuleType

from oblique.cli import (
    arguments,
    compare,
    datasets,
    explain,
    fit,
    predict,
    rank,
    show,
    store,
    strategies,
)

#: Exit codes.
DONE, CELLS_FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

COMMANDS: dict[str, ModuleType] = {
    "compare": compare,
    "fit": fit,
    "predict": predict,
    "show": show,
    "explain": explain,
    "rank": rank,
    "arguments": arguments,
    "datasets": datasets,
    "strategies": strategies,
    "store": store,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments after the program's name; by default those of the process.

    Returns
    -------
    int
        0 done, 1 some cells of a comparison failed, 2 bad arguments or input, 130 interrupted.
    """
    options = _make_parser().parse_args(argv)
    given = sys.argv[1:] if argv is None else argv
    options.command_line = shlex.join(["oblique", *given])
    try:
        _find_modules_here()
        code: int = COMMANDS[options.command].execute(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as ``head``, has seen enough; nothing can be said to it any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (ValueError, TypeError, OSError, ImportError) as error:
        if options.traceback:
            raise
        print(f"oblique {options.command}: error: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt as interrupt:
        said = str(interrupt) or "nothing was written"
        print(f"\noblique {options.command}: interrupted; {said}", file=sys.stderr)
        return INTERRUPTED
    return code


def _find_modules_here() -> None:
    """Let ``module:attribute`` find a file of this folder; last, so that it hides no package."""
    try:
        here = os.getcwd()
    except FileNotFoundError:  # the folder was removed meanwhile
        return
    if here not in sys.path:
        sys.path.append(here)


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="oblique", description="Train, compare and explain oblique decision trees."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=module.SUMMARY,
            description=module.SUMMARY,
            epilog=f"example:\n{module.EXAMPLE}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.add_argument("--json", action="store_true", help="write JSON for programs")
        command.add_argument(
            "--traceback", action="store_true", help="show where an error comes from"
        )
    return parser
