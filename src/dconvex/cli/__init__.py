"""The command line, a module per command: networks, show, convert, decompose, fit, query, explain, predict, explore, warmup."""

from __future__ import annotations

import os
import sys

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
"""Exit codes; the last one is what shells report of a command that Ctrl-C ended."""


def main() -> None:
    """Run the command line; what went wrong is one readable line, the whole story with `--debug`."""
    arguments = [word for word in sys.argv[1:] if word != "--debug"]
    is_debugging = len(arguments) < len(sys.argv) - 1
    try:
        code = _run(arguments)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        code = FAILED
        _let_go_of_output()
    except Exception as error:
        if is_debugging:
            raise
        from dconvex.cli.complaints import Misuse, complain

        complain(error)
        code = MISUSED if isinstance(error, Misuse) else FAILED
        _let_go_of_output()
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    from dconvex.cli.app import app
    from dconvex.cli.terminal import make_printable

    make_printable(sys.stdout, sys.stderr)
    code: int | None = app(arguments, prog_name="dconvex", standalone_mode=False)
    print(end="", flush=True)
    return code or 0


def _let_go_of_output() -> None:
    """What could not be written would be tried again, and fail again, when the interpreter ends."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
