"""The pictures of `--plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.text import Text

from dconvex.cli.targets import check_target

MATPLOTLIB = (".png", ".pdf")
"""The formats that need it."""


class Drawn(Protocol):
    """What has a picture."""

    def save_picture(self, path: Path) -> None: ...


def check_picture(path: Path | None) -> None:
    """Raise unless a picture can be written there; None: there is nothing to check."""
    if path is None:
        return
    from dconvex.display.canvas import need_matplotlib
    from dconvex.display.showing import check_suffix

    check_suffix(path)
    check_target(path)
    if path.suffix.lower() in MATPLOTLIB:
        need_matplotlib()


def draw(subject: Drawn, path: Path | None, *, for_programs: bool = False) -> None:
    """Write the picture, unless `path` is None, and report it, on stderr where stdout is for programs."""
    if path is not None:
        subject.save_picture(path)
        Console(stderr=for_programs, soft_wrap=True).print(Text(f"wrote {path}"))
