"""A position in a text, for formats made of words and brackets: match here, or say what was expected where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from dconvex.errors import FormatError

SPACE = re.compile(r"\s*+")


class Scanner:
    """Walks over `text`; `position` is where the next match must begin."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path, self.position = text, path, 0

    def skip_space(self) -> int:
        space = SPACE.match(self.text, self.position)
        assert space is not None  # it matches the empty string too
        self.position = space.end()
        return self.position

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match of the pattern here, after white space; None, and no move, if it does not match."""
        found = pattern.match(self.text, self.skip_space())
        if found:
            self.position = found.end()
        return found

    def expect(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        return self.take(pattern) or self.fail(f"expected {expected}, found {self.ahead()}")

    def ahead(self) -> str:
        """The next word, for an error message."""
        start = self.skip_space()
        if start >= len(self.text):
            return "the end of the file"
        word = re.compile(r"\w++|\W").match(self.text, start)
        return repr(word.group()[:40]) if word else "nothing"

    def excerpt(self, start: int, stop: int) -> Excerpt:
        return Excerpt(self, self.text[start:stop], start)

    def fail(self, problem: str, position: int | None = None) -> NoReturn:
        raise format_error(problem, self.text, self.path, self.position if position is None else position)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a scanner's text; its positions are relative to its start."""

    scanner: Scanner
    text: str
    start: int
    is_verbatim: bool = True
    """False if the file spells the text differently (with entities, around comments): errors then point to the start."""

    def fail(self, problem: str, position: int = 0) -> NoReturn:
        self.scanner.fail(problem, self.start + position if self.is_verbatim else self.start)


def format_error(problem: str, text: str, path: str, position: int) -> FormatError:
    """A `FormatError` with the line and column of `position`, both counted from one."""
    line_start = text.rfind("\n", 0, position) + 1
    return FormatError(problem, path=path, line=text.count("\n", 0, position) + 1, column=position - line_start + 1)


def blank(found: re.Match[str]) -> str:
    """White space of the same shape: what follows keeps its line and column."""
    return "\n".join(" " * len(line) for line in found.group().split("\n"))
