"""The code on a page of the documentation, run as a reader would, and what the page says that it prints.

- ```python blocks run in their order, in one namespace and one empty folder for each page.
- A ```text block right after one of them shows what it prints.
- In ```console blocks a line `$ dconvex …` is a command; the lines up to the next one show what it prints.
- In what is shown, `...` stands for anything, as in a doctest.
- Blocks in any other language, such as ```sh and ```r, are for reading only.
"""

from __future__ import annotations

import doctest
import io
import re
import shlex
import sys
import textwrap
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from dconvex.cli import main

FENCED = re.compile(r"^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<code>.*?)^(?P=indent)```[ ]*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block, and whether nothing but blank lines stands between it and the block before it."""

    language: str
    code: str
    line: int
    """On which line of the page the code begins."""
    follows: bool


@dataclass(frozen=True)
class Step:
    """Something to run, and what it prints according to the page, if the page says it."""

    line: int
    code: str
    shown: str | None
    is_command: bool


def blocks_on(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in their order."""
    end = 0
    for found in FENCED.finditer(page):
        line = page.count("\n", 0, found.start("code")) + 1
        follows = end > 0 and not page[end : found.start()].strip()
        yield Block(found["language"], textwrap.dedent(found["code"]), line, follows)
        end = found.end()


def steps_on(page: str) -> Iterator[Step]:
    """What is to be run on a page, in its order."""
    blocks = list(blocks_on(page))
    for index, block in enumerate(blocks):
        if block.language == "python":
            after = blocks[index + 1] if index + 1 < len(blocks) else None
            shown = after.code if after is not None and after.language == "text" and after.follows else None
            yield Step(block.line, block.code, shown, is_command=False)
        elif block.language == "console":
            yield from _commands_in(block)


def run_page(page: str, path: Path) -> None:
    """Run everything on a page in the current folder; `AssertionError` where it prints something else than is shown."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for step in steps_on(page):
        printed = _printed_by_command(step, path) if step.is_command else _printed_by_python(step, path, namespace)
        if step.shown is not None and not _agree(step.shown, printed):
            raise AssertionError(f"{path}:{step.line}: the page shows\n{step.shown}\nand this is printed\n{printed}")


def _commands_in(block: Block) -> Iterator[Step]:
    command: str | None = None
    line, shown = block.line, list[str]()
    for number, text in enumerate(block.code.splitlines(), start=block.line):
        if text.startswith("$ "):
            if command is not None:
                yield Step(line, command, "\n".join(shown), is_command=True)
            command, line, shown = text.removeprefix("$ "), number, []
        else:
            shown.append(text)
    if command is not None:
        yield Step(line, command, "\n".join(shown), is_command=True)


def _printed_by_python(step: Step, path: Path, namespace: dict[str, Any]) -> str:
    code = compile("\n" * (step.line - 1) + step.code, str(path), "exec")  # tracebacks then name the page's own lines
    with redirect_stdout(io.StringIO()) as printed:
        exec(code, namespace)
    return printed.getvalue()


def _printed_by_command(step: Step, path: Path) -> str:
    program, *arguments = shlex.split(step.code)
    assert program == "dconvex", f"{path}:{step.line}: only dconvex is run in console blocks, not {program}"
    printed = io.StringIO()
    with patch.object(sys, "argv", [program, *arguments]), redirect_stdout(printed), redirect_stderr(printed):
        try:
            main()
        except SystemExit as ended:
            is_meant = step.shown is not None and "error" in step.shown.lower()
            assert not ended.code or is_meant, f"{path}:{step.line}: {step.code} failed\n{printed.getvalue()}"
    return printed.getvalue()


def _agree(shown: str, printed: str) -> bool:
    """Apart from spaces at the ends of lines and blank lines around the whole."""
    one, other = ("\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n" for text in (shown, printed))
    return doctest.OutputChecker().check_output(one, other, doctest.ELLIPSIS)
