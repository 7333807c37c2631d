"""Lists of numbers: converted many at once, and gone through one by one only to say what is wrong where.

Long lists are converted piece by piece: Python hears Ctrl-C between two calls, not within one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np

from dconvex.arrays import Floats
from dconvex.formats.scanner import Excerpt

WORD = re.compile(r"[^\s,()]++")
GAP = re.compile(r"[\s,()]")
AT_ONCE = 1 << 16
"""Numbers, or characters."""


def words(text: str) -> list[str]:
    """The words of a text; commas, brackets and white space separate them."""
    return text.replace(",", " ").replace("(", " ").replace(")", " ").split()


def floats(found: Iterable[str | float]) -> Floats:
    """The words as numbers, or a `ValueError`; numbers as they are."""
    left = iter(found)
    parts = [np.array(part, np.float64) for part in iter(lambda: list(map(float, islice(left, AT_ONCE))), [])]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0), *parts])


def pieces(text: str) -> Iterator[str]:
    """The text in pieces that cut no word."""
    first = 0
    while first < len(text):
        gap = GAP.search(text, first + AT_ONCE)
        last = gap.start() if gap else len(text)
        yield text[first:last]
        first = last


def read_numbers(excerpt: Excerpt, count: int) -> Floats:
    """The numbers of an excerpt, which must be `count`."""
    try:
        found = floats(chain.from_iterable(map(words, pieces(excerpt.text))))
    except ValueError:
        check_numbers(excerpt, count)
        raise
    if len(found) != count:
        check_numbers(excerpt, count)
    return found


def check_numbers(excerpt: Excerpt, count: int) -> None:
    """Fail at the first word that is not a number, or at the start if there are too many or too few."""
    found = 0
    for word in WORD.finditer(excerpt.text):
        found += 1
        if not _is_number(word.group()):
            excerpt.fail(f"expected a number, found {word.group()[:40]!r}", word.start())
    if found != count:
        excerpt.fail(f"expected {about(count)} numbers, found {found}")


def rows_of_numbers(values: Floats, separator: str = " ") -> Iterator[str]:
    """The rows of a table as text, every number such that it is read back to the last bit."""
    rows = values.reshape(-1, values.shape[-1])
    return (separator.join(map(repr, row)) for part in _parts(rows) for row in part.tolist())


def joined(values: Floats, separator: str) -> str:
    """All numbers of an array as text, as those of `rows_of_numbers`."""
    return separator.join(separator.join(map(repr, part.tolist())) for part in _parts(values.reshape(-1)))


def _parts(rows: Floats) -> Iterator[Floats]:
    return (rows[first : first + AT_ONCE] for first in range(0, len(rows), AT_ONCE))


def first_parent_slowest(values: Floats, sizes: Sequence[int]) -> Floats:
    """From a table whose first parent varies fastest of the parents to our order; `sizes` are those of (*parents, variable)."""
    parents = [size for size in sizes[:-1] if size > 1]  # an axis of length one changes nothing
    axes = [*reversed(range(len(parents))), len(parents)]
    return values.reshape([*reversed(parents), sizes[-1]]).transpose(axes)


def about(count: int) -> str:
    """A number of cells for a message; `cell_count` stops beyond 2^60."""
    return f"{count:,}" if count < 1 << 60 else "more than 2^60"


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
