"""The terminal: texts that its encoding lacks, tables wider than it is, and a sign of life when something takes long."""

from __future__ import annotations

import codecs
import io
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from dconvex.intervals import Interval

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PATIENCE = 1.0
"""Seconds; what is done by then needs no sign of life."""
IN_ASCII = {"…": "...", "→": "->", "±": "+-", "–": "-", "•": "*"}
UNLIMITED = 1_000_000


def make_printable(*streams: TextIO) -> None:
    """Let streams in any encoding take every text: what the encoding lacks is spelled in ASCII."""
    codecs.register_error("dconvex.spelled", _spelled)
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="dconvex.spelled")


def print_whole(console: Console, table: Table) -> None:
    """Print a table with all its cells; where the console is too narrow, lines run over its edge."""
    from rich.measure import Measurement

    width = Measurement.get(console, console.options.update(max_width=UNLIMITED), table).maximum
    before, console.width = console.width, max(console.width, width)
    try:
        console.print(table)
    finally:
        console.width = before


def print_json(record: object) -> None:
    """Print plain data for programs; intervals among it as they print."""
    print(json.dumps(record, default=_plain))


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A moving sign on the terminal for work that takes over a second."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    status = console.status(Text(what))
    timer = threading.Timer(PATIENCE, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # it may be starting the status just now
        status.stop()


def _plain(value: object) -> str:
    if isinstance(value, Interval):
        return str(value)
    raise TypeError(f"{value!r} is not plain data")


def _spelled(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    spelled = (IN_ASCII.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in lacking)
    return "".join(spelled), error.end
