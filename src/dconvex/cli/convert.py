"""`dconvex convert`."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from dconvex.cli.sources import find_network
from dconvex.formats import write


def convert_file(source: str, target: Path, *, rename: bool) -> None:
    """Read, write, and tell what was renamed."""
    network = find_network(source)
    changes = write(network, target, rename=rename) or {}
    console = Console(soft_wrap=True)
    console.print(f"wrote {escape(str(target))}: {escape(str(network))}", highlight=False)
    for old, new in changes.items():
        what = f"state {old[1]!r} of {old[0]!r}" if isinstance(old, tuple) else f"variable {old!r}"
        console.print(f"  renamed {escape(what)} to {escape(repr(new))}", highlight=False)
