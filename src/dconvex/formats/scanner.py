"""A place in a text, for readers of formats made of words and brackets: match here, or say what was expected where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from dconvex.errors import FormatError

SPACE = re.compile(r"\s*+")


class Scanner:
    """Walks over `text`; `place` is where the next match must begin."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path, self.place = text, path, 0

    def skip_space(self) -> int:
        space = SPACE.match(self.text, self.place)
        assert space is not None  # it matches nothing at all too
        self.place = space.end()
        return self.place

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What the pattern matches here, after white space; None, and the place unchanged, if it does not."""
        found = pattern.match(self.text, self.skip_space())
        if found:
            self.place = found.end()
        return found

    def expect(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        return self.take(pattern) or self.fail(f"expected {expected}, found {self.ahead()}")

    def ahead(self) -> str:
        """What stands here, for an error message."""
        start = self.skip_space()
        if start >= len(self.text):
            return "the end of the file"
        word = re.compile(r"\w++|\W").match(self.text, start)
        return repr(word.group()[:40]) if word else "nothing"

    def excerpt(self, start: int, stop: int) -> Excerpt:
        return Excerpt(self, self.text[start:stop], start)

    def fail(self, problem: str, place: int | None = None) -> NoReturn:
        raise format_error(problem, self.text, self.path, self.place if place is None else place)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a scanner's text; it counts its places from its own beginning."""

    scanner: Scanner
    text: str
    start: int
    is_verbatim: bool = True
    """If not, the text stands otherwise in the file (with entities, around comments): blame the start for everything."""

    def fail(self, problem: str, place: int = 0) -> NoReturn:
        self.scanner.fail(problem, self.start + place if self.is_verbatim else self.start)


def format_error(problem: str, text: str, path: str, place: int) -> FormatError:
    """A `FormatError` with the line and column of `place`, both counted from one."""
    line_start = text.rfind("\n", 0, place) + 1
    return FormatError(problem, path=path, line=text.count("\n", 0, place) + 1, column=place - line_start + 1)


def blank(found: re.Match[str]) -> str:
    """White space of the same shape: what comes after keeps its line and column."""
    return "\n".join(" " * len(line) for line in found.group().split("\n"))
