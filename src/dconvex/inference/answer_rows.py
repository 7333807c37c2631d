"""Answers of many rows: what they have in common, and how they print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dconvex.shown import Shown

Row = TypeVar("Row")

PRINTED = 20
"""The most rows that are printed; a frame has all of them."""


@dataclass(frozen=True, eq=False, repr=False)
class AnswerRows(Shown, Generic[Row]):
    """A frozen answer that iterates over its rows."""

    rows: Sequence[Row]
    """In order."""

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Row:
        return self.rows[number]

    def text(self, most: int = PRINTED) -> str:
        """The answer as a table in plain text.

        Args:
            most: The most rows.

        Returns:
            The lines; printing the answer gives the same.

        Raises:
            ValueError: `most` is negative.

        """
        if most < 0:
            raise ValueError(f"cannot print {most} rows")
        return self._text(most)

    def _text(self, most: int) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.text()


def printed(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]], left: int, words: int = 1) -> str:
    """A title, heads and aligned lines: the first `words` columns to the left, numbers to the right; `left` more rows exist.

    >>> print(printed("Costs", ["what", "each"], [["apple", "1.5"], ["pear", "10"]], 3))
    Costs
      what   each
      apple   1.5
      pear     10
      … and 3 more
    """
    widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]

    def aligned(cells: Sequence[str]) -> str:
        pairs = enumerate(zip(cells, widths, strict=True))
        return "  ".join(cell.ljust(width) if k < words else cell.rjust(width) for k, (cell, width) in pairs).rstrip()

    table = [aligned(heads), *map(aligned, lines)] if lines else []
    more = [f"… and {left:,} more"] if left else []
    return "\n".join([title, *(f"  {line}" for line in [*table, *more])])
