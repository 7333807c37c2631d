"""The terminal recording of the README: `python tools/record_terminal.py` runs the commands and draws what they print.

It goes to `docs/pictures/terminal.svg`, on light and dark pages alike, with nothing loaded from elsewhere.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "terminal.svg"
COLUMNS = 100
PREPARE = "dconvex sample alarm --rows 5000 --seed 1 --out data.csv"
COMMANDS = (
    "dconvex learn data.csv -o model.dcx --method ges --prior bdeu:10",
    "dconvex query model.dcx HR --given BP=LOW",
    "dconvex advise model.dcx HR --given BP=LOW --only next --rows 4",
)
LINES = 14
"""The most lines of a command that are shown."""
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
PROGRESS = re.compile(r"\w+ [━╸╺]")
"""A bar, which a slow machine shows."""
FROM_ELSEWHERE = re.compile(r"@font-face\s*\{.*?\}\s*|<!--.*?-->", re.DOTALL)
"""Fonts from the web, and a remark about them."""


def main() -> None:
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    with tempfile.TemporaryDirectory() as folder:
        printed(PREPARE, folder)
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "bright_black"), (command, "bold")))
            for line in printed(command, folder):
                console.print(Text.from_ansi(line), no_wrap=True, overflow="crop")
            console.print()
    drawing = console.export_svg(title="dconvex", theme=MONOKAI)
    PICTURE.write_text(FROM_ELSEWHERE.sub("", drawing).replace("Fira Code, ", ""), encoding="utf-8")


def printed(command: str, folder: str) -> list[str]:
    """What a command prints, in colour, at most so many lines of it."""
    own = {"COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    environment = {**os.environ, **own}
    words = [sys.executable, "-m", *command.split()]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command}: {done.stderr}")
    remarks = [
        line for line in done.stderr.split("\n") if (plain := COLOURS.sub("", line).strip()) and not PROGRESS.match(plain)
    ]
    lines = [*done.stdout.rstrip().split("\n"), *remarks]
    return lines if len(lines) <= LINES else [*lines[: LINES - 1], "…"]


if __name__ == "__main__":
    main()
