"""Errors in one line, in the words of the command line."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from rich.console import Console
from rich.text import Text

from dconvex.errors import DconvexError

OPTIONS = {
    "discretizer=dc.discretize(data)": "--bins 5",
    "pass it as discretizer=": "pass --discretize COLUMN",
    "max_bytes": "--max-bytes",
    'method="sampling"': "--sampling",
    "marginals instead of a joint": "the marginals with --each",
    'unknown="missing"': "--unknown missing",
    'kind="discrete"': "--kind discrete",
    'kind="gaussian"': "--kind gaussian",
    "rename=True": "--rename",
}
"""Advice for Python in the messages of errors, and the same for the command line."""


@runtime_checkable
class Misuse(Protocol):
    """What typer raises for wrong arguments; its class is in a module whose name depends on typer's version."""

    ctx: Any

    def format_message(self) -> str: ...


def complain(error: Exception) -> None:
    """Print a line on stderr."""
    line = Text.assemble(("error: ", "bold red"), problem_of(error))
    Console(stderr=True, soft_wrap=True).print(line)


def problem_of(error: Exception) -> str:
    """The problem, where it is, and the way out."""
    if isinstance(error, Misuse):
        return _misuse(error)
    if isinstance(error, OSError):
        path = error.filename2 or error.filename  # the second one is where a file was to be moved to
        return f"{path}: {error.strerror}" if path else error.strerror or str(error)
    said = " ".join(line.strip() for line in str(error).splitlines())
    if isinstance(error, MemoryError):
        return f"out of memory: {said}" if said else "out of memory"
    if not isinstance(error, DconvexError | ImportError):  # the latter says which extra to install
        return f"{type(error).__name__}: {said} (an unexpected error; --debug shows where it happened)"
    for python, option in OPTIONS.items():
        said = said.replace(python, option)
    return said


def _misuse(error: Misuse) -> str:
    said = " ".join(error.format_message().split()).removesuffix(".").replace("Value error, ", "")
    end = "" if said.endswith("?") else "."
    command = error.ctx.command_path if error.ctx else "dconvex"
    return f"{said[:1].lower()}{said[1:]}{end} See {command} --help"
