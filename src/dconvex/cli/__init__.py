"""The command line, one module per command: networks, show, convert, decompose, fit, query, explain, predict, warmup."""

from __future__ import annotations

import sys

from dconvex.errors import DconvexError


def main() -> None:
    """Run the command line; what a user did wrong is one readable line, the whole story with --debug."""
    from dconvex.cli.app import app

    debug = "--debug" in sys.argv
    try:
        app(standalone_mode=True)
    except (DconvexError, OSError) as error:
        if debug:
            raise
        _complain(error)
        sys.exit(1)


def _complain(error: Exception) -> None:
    from rich.console import Console
    from rich.text import Text

    problem = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
    Console(stderr=True, soft_wrap=True).print(Text.assemble(("error: ", "bold red"), problem))
