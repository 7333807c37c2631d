"""The command line, a module per command: networks, show, convert, decompose, fit, query, explain, predict, explore."""

from __future__ import annotations

import os
import signal
import sys

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
"""Exit codes; the last one is what shells report of a command that Ctrl-C ended."""


def main() -> None:
    """Run the command line; an error is one readable line, or a traceback with `--debug`."""
    try:
        code = _exit_code()
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:  # a second Ctrl-C, while threads end, prints nothing either
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(code)


def _exit_code() -> int:
    arguments = [word for word in sys.argv[1:] if word != "--debug"]
    is_debugging = len(arguments) < len(sys.argv) - 1
    try:
        return _run(arguments)
    except BrokenPipeError:  # the program that read our output has closed it
        _let_go_of_output()
        return FAILED
    except Exception as error:
        if is_debugging:
            raise
        from dconvex.cli.complaints import Misuse, complain

        complain(error)
        _let_go_of_output()
        return MISUSED if isinstance(error, Misuse) else FAILED


def _run(arguments: list[str]) -> int:
    from dconvex.cli.app import app
    from dconvex.cli.terminal import make_printable

    make_printable(sys.stdout, sys.stderr)
    code: int | None = app(arguments, prog_name="dconvex", standalone_mode=False)
    print(end="", flush=True)
    return code or 0


def _let_go_of_output() -> None:
    """Replace stdout, or the interpreter would try to write the rest again, and fail again, when it ends."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
