"""Lists of numbers: converted all at once, and gone through one by one only to say what is wrong where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from dconvex.formats.scanner import Excerpt
from dconvex.network.probability_tables import Floats

WORD = re.compile(r"[^\s,()]++")


def words(text: str) -> list[str]:
    """What commas, brackets and white space leave."""
    return text.replace(",", " ").replace("(", " ").replace(")", " ").split()


def floats(found: Iterable[str]) -> Floats:
    """The words as numbers, or a `ValueError`."""
    return np.array(list(map(float, found)), np.float64)


def read_numbers(excerpt: Excerpt, count: int) -> Floats:
    """The numbers of an excerpt, which must be `count`."""
    found = words(excerpt.text)
    if len(found) != count:
        check_numbers(excerpt, count)
    try:
        return floats(found)
    except ValueError:
        check_numbers(excerpt, count)
        raise


def check_numbers(excerpt: Excerpt, count: int) -> None:
    """Fail at the first word that is no number, or at the start if there are too many or too few."""
    found = list(WORD.finditer(excerpt.text))
    for word in found:
        if not _is_number(word.group()):
            excerpt.fail(f"expected a number, found {word.group()[:40]!r}", word.start())
    if len(found) != count:
        excerpt.fail(f"expected {about(count)} numbers, found {len(found)}")


def rows_of_numbers(values: Floats) -> Iterator[str]:
    """The rows of a table as text, every number such that it is read back to the last bit."""
    return (" ".join(map(repr, row)) for row in values.reshape(-1, values.shape[-1]).tolist())


def first_parent_slowest(values: Floats, sizes: Sequence[int]) -> Floats:
    """A table with sizes (*parents, variable) in our order, from one where the first parent varies fastest of the parents."""
    parents = [size for size in sizes[:-1] if size > 1]  # an axis of one state makes no difference
    axes = [*reversed(range(len(parents))), len(parents)]
    return values.reshape([*reversed(parents), sizes[-1]]).transpose(axes)


def about(count: int) -> str:
    """A number of cells for a message; beyond 2^60 nobody has counted them."""
    return f"{count:,}" if count < 1 << 60 else "more than 2^60"


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
