"""`dconvex convert`."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.text import Text

from dconvex.cli.sources import find_network
from dconvex.cli.targets import check_target
from dconvex.cli.terminal import print_json
from dconvex.formats import write
from dconvex.formats.file_format import Renaming


def convert_file(source: str, target: Path, *, rename: bool, as_json: bool = False) -> None:
    """Read, write, and report what was renamed."""
    check_target(target)
    network = find_network(source)
    changes = write(network, target, rename=rename) or {}
    if as_json:
        print_json({"network": source, "file": str(target), "renamed": _records(changes)})
        return
    console = Console(soft_wrap=True)
    console.print(Text(f"wrote {target}: {network}"))
    for old, new in changes.items():
        what = f"state {old[1]!r} of {old[0]!r}" if isinstance(old, tuple) else f"variable {old!r}"
        console.print(Text(f"  renamed {what} to {new!r}"))


def _records(changes: Renaming) -> list[dict[str, object]]:
    pairs = ((old if isinstance(old, tuple) else (old,), new) for old, new in changes.items())
    return [{**dict(zip(("variable", "state"), renamed, strict=False)), "to": new} for renamed, new in pairs]
