"""The rows of a table in parts that are encoded together, so that a long table takes no more memory than is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import final

from dconvex.amounts import amount
from dconvex.errors import TooLargeError
from dconvex.network.frame_columns import Columns

ROWS_AT_ONCE = 1 << 14
"""Rows are predicted in blocks of this size, by any number of threads: which plan is the cheapest depends on the block."""
BYTES_AT_ONCE = 1 << 28
"""The most bytes of encoded rows that are held at a time, but for one block."""
ENCODING = 32
"""The bytes that each row takes while a column is encoded."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class RowPart:
    """Consecutive rows of a table, a number of whole blocks."""

    columns: Columns
    first: int
    held: int
    """Bytes that are held besides what the plans take."""

    @property
    def last(self) -> int:
        return self.first + len(self.columns)

    @contextmanager
    def counted(self, limit: int) -> Iterator[int]:
        """The bytes that are left for plans; the error of one that takes more counts what is held, too."""
        try:
            yield max(limit - self.held, 0)
        except TooLargeError as error:
            raise TooLargeError(error.what, error.estimate + self.held, limit, error.way_out, error.cluster) from None


def row_parts(columns: Columns, result: int, width: int, limit: int) -> list[RowPart]:
    """The rows in parts as large as a share of the memory holds.

    `result` bytes are held for the answers to all rows, `width` bytes for each row of a part.

    Raises:
        TooLargeError: The answers and one block take more than the limit.
    """
    rows, width = len(columns), width + ENCODING
    least = result + width * min(rows, ROWS_AT_ONCE)
    if least > limit:
        way_out = "Raise max_bytes, or predict fewer rows or targets at a time."
        raise TooLargeError(f"predicting {amount(rows, 'row')}", least, limit, way_out)
    room = min(BYTES_AT_ONCE, (limit - result) // 2)
    at_once = ROWS_AT_ONCE * max(room // (width * ROWS_AT_ONCE), 1)
    held = result + width * min(rows, at_once)
    return [RowPart(columns.part(first, min(first + at_once, rows)), first, held) for first in range(0, max(rows, 1), at_once)]
