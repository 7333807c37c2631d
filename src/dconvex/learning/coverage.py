"""How many rows each family could use, and which tables had its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import DataError, UnknownVariableError
from dconvex.learning.families import Families
from dconvex.names import Name

Longs: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Rows in all, and for each family: tables with all its columns, their rows, and those without a missing cell."""

    rows: int
    tables: Longs
    offered: Longs
    used: Longs
    has_column: NDArray[np.bool_]
    """For each variable whether some table has its column."""
    strangers: frozenset[Name] = frozenset()
    """Columns that belong to no variable."""

    @classmethod
    def of_rows(cls, used: Longs, variables: int) -> Coverage:
        """That of a part of a table, of which only the rows used are known."""
        none = np.zeros(len(used), np.int64)
        return cls(0, none, none, used, np.zeros(variables, bool))

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(
            self.rows + other.rows, self.tables + other.tables, self.offered + other.offered, self.used + other.used,
            self.has_column | other.has_column, self.strangers | other.strangers,
        )  # fmt: skip

    def first(self, count: int) -> Coverage:
        """That of the first families only."""
        return Coverage(
            self.rows, self.tables[:count], self.offered[:count], self.used[:count], self.has_column, self.strangers
        )

    @property
    def left_out(self) -> Longs:
        """For each family the rows with a missing cell."""
        return self.offered - self.used

    def check(self, families: Families) -> None:
        """Refuse families that no table covers."""
        absent = [families.names[place] for place in np.flatnonzero(~self.has_column).tolist()]
        if absent:
            more = f" (and {len(absent) - 1:,} more that are missing)" if len(absent) > 1 else ""
            hint = str(UnknownVariableError(absent[0], self.strangers, where="column")) if self.strangers else ""
            raise DataError(f"no table has a column {absent[0]!r}{more}" + (f": {hint}" if "did you mean" in hint else ""))
        apart = np.flatnonzero(self.tables == 0)
        if len(apart):
            names = ", ".join(repr(families.names[member]) for member in families.of_number(int(apart[0])))
            more = f" (nor for {len(apart) - 1:,} other families)" if len(apart) > 1 else ""
            raise DataError(
                f"no table has all the columns of the family {families.title(int(apart[0]))}{more}: "
                f"{names} must stand together in at least one of them"
            )
