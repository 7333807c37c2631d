"""Lists of numbers: converted all at once, and checked one by one only to say what is wrong where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from dconvex.arrays import Floats
from dconvex.formats.scanner import Excerpt

WORD = re.compile(r"[^\s,()]++")


def words(text: str) -> list[str]:
    """The words of a text; commas, brackets and white space separate them."""
    return text.replace(",", " ").replace("(", " ").replace(")", " ").split()


def floats(found: Iterable[str]) -> Floats:
    """The words as numbers, or a `ValueError`."""
    return np.array(list(map(float, found)), np.float64)


def read_numbers(excerpt: Excerpt, count: int) -> Floats:
    """The numbers of an excerpt; there must be `count` of them."""
    found = words(excerpt.text)
    if len(found) != count:
        check_numbers(excerpt, count)
    try:
        return floats(found)
    except ValueError:
        check_numbers(excerpt, count)
        raise


def check_numbers(excerpt: Excerpt, count: int) -> None:
    """Fail at the first word that is not a number, or at the start if there are too many or too few."""
    found = list(WORD.finditer(excerpt.text))
    for word in found:
        if not _is_number(word.group()):
            excerpt.fail(f"expected a number, found {word.group()[:40]!r}", word.start())
    if len(found) != count:
        excerpt.fail(f"expected {about(count)} numbers, found {len(found)}")


def rows_of_numbers(values: Floats) -> Iterator[str]:
    """The rows of a table as text; every number is read back to the last bit."""
    return (" ".join(map(repr, row)) for row in values.reshape(-1, values.shape[-1]).tolist())


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
