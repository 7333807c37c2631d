"""Words in a box, each with its colour, in lines of a pleasant shape."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dconvex.display.colours import DARK
from dconvex.display.drawing import DrawnShape, Look, Rectangle, Ruler, Text
from dconvex.display.geometry import Box, Size
from dconvex.display.labels import balanced, pleasant_limit, shortened

PITCH = 1.25
"""The distance from one line of text to the next, in font sizes."""
WIDEST = 24.0
"""The longest word, in font sizes; a longer one is cut."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, its colour, and the ground behind it if it is marked."""

    text: str
    colour: str = DARK
    mark: Look | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """Adjacent words of one colour in a line, or one marked word."""

    text: str
    x: float
    width: float
    word: Word


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lines of words in one font size, and the size of the box around them."""

    lines: tuple[tuple[_Piece, ...], ...]
    """Positions in a line are relative to its middle."""
    size: Size
    font: float

    def shapes(self, box: Box) -> Iterator[DrawnShape]:
        """The lines in the middle of a box."""
        for row, line in enumerate(self.lines):
            y = box.y + (row - (len(self.lines) - 1) / 2) * PITCH * self.font
            for piece in line:
                x = box.x + piece.x + piece.width / 2
                if piece.word.mark is not None:
                    ground = Box(x, y, piece.width + 0.3 * self.font, 1.15 * self.font)
                    yield Rectangle(ground, piece.word.mark, radius=0.3 * self.font)
                yield Text(piece.text, x, y, self.font, piece.word.colour, width=piece.width)


def text_block(parts: Sequence[Sequence[Word]], font: float, shape: float, ruler: Ruler) -> TextBlock:
    """Each part starts a new line; together they become about `shape` times as wide as high."""

    def width(text: str) -> float:
        return ruler(text, font)

    cut = [[replace(word, text=shortened(word.text, WIDEST * font, ruler, font)) for word in part] for part in parts]
    limit = pleasant_limit([word.text for part in cut for word in part], PITCH * font, width, shape)
    broken = [line for part in cut for line in _broken(part, balanced([word.text for word in part], limit, width))]
    lines = tuple(tuple(_pieces(words, ruler, font)) for words in broken)
    widest = max((2 * -line[0].x for line in lines), default=0.0)
    return TextBlock(lines, Size(widest + 1.2 * font, (len(lines) * PITCH + 0.7) * font), font)


def _broken(words: Sequence[Word], lines: Sequence[str]) -> Iterator[list[tuple[Word, str]]]:
    """For each line its words, and the comma after each of them, if any."""
    remaining = iter([*((word, ",") for word in words[:-1]), *((word, "") for word in words[-1:])])
    for line in lines:
        found: list[tuple[Word, str]] = []
        while " ".join(word.text + comma for word, comma in found) != line:
            found.append(next(remaining))
        yield found


def _pieces(words: Sequence[tuple[Word, str]], ruler: Ruler, font: float) -> Iterator[_Piece]:
    """The pieces of a line, from left to right; a marked word has no comma."""
    runs: list[tuple[Word, str, str]] = []  # the look, the text, and the space after it
    for (_, mark), group in itertools.groupby(words, key=lambda each: (each[0].colour, each[0].mark)):
        own = list(group)
        if mark is None:
            runs.append((own[0][0], " ".join(word.text + comma for word, comma in own), " "))
        else:
            runs += [(word, word.text, f"{comma} ") for word, comma in own]
    runs[-1] = (*runs[-1][:2], runs[-1][2].rstrip())
    x = -sum(ruler(text + space, font) for _, text, space in runs) / 2
    for word, text, space in runs:
        yield _Piece(text, x, ruler(text, font), word)
        x += ruler(text + space, font)
