"""How many rows each family could use, and which tables had its columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dconvex.arrays import Flags, Integers
from dconvex.errors import DataError, UnknownVariableError
from dconvex.learning.statistics.counted_families import Families
from dconvex.names import Name, canonical


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """Rows in all, and for each family: tables with all its columns, their rows, and those without a missing cell."""

    rows: int
    tables: Integers
    offered: Integers
    used: Integers
    has_column: Flags
    """For each variable whether some table has its column."""
    other_columns: frozenset[Name] = frozenset()
    """Columns that belong to no variable."""

    @classmethod
    def none(cls, families: Families) -> Coverage:
        """That of no table at all."""
        zero = np.zeros(len(families), np.int64)
        return cls(0, zero, zero, zero, np.zeros(len(families.names), bool))

    def with_table(self, rows: int, covered: Flags, has_column: Flags, other_columns: frozenset[Name]) -> Coverage:
        """That with one more table, all but the rows used."""
        return Coverage(
            self.rows + rows, self.tables + covered, self.offered + rows * covered, self.used,
            self.has_column | has_column, self.other_columns | other_columns,
        )  # fmt: skip

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(
            self.rows + other.rows, self.tables + other.tables, self.offered + other.offered, self.used + other.used,
            self.has_column | other.has_column, self.other_columns | other.other_columns,
        )  # fmt: skip

    def first(self, count: int) -> Coverage:
        """That of the first families only."""
        return Coverage(
            self.rows, self.tables[:count], self.offered[:count], self.used[:count], self.has_column, self.other_columns
        )

    @property
    def left_out(self) -> Integers:
        """For each family the rows with a missing cell."""
        return self.offered - self.used

    def missing_rows(self, families: Families) -> dict[str, int]:
        """By family the rows with a missing cell, most first."""
        left = self.left_out
        return {families.title(n): int(left[n]) for n in np.argsort(-left, kind="stable").tolist() if left[n]}

    def partial_rows(self, families: Families) -> dict[str, int]:
        """By family the rows of the tables with all its columns, fewest first, where these are not all rows."""
        fewest_first = np.argsort(self.offered, kind="stable").tolist()
        return {families.title(n): int(self.offered[n]) for n in fewest_first if self.offered[n] < self.rows}

    def check(self, families: Families) -> None:
        """Refuse families that no table covers."""
        absent = [families.names[variable] for variable in np.flatnonzero(~self.has_column).tolist()]
        if absent:
            more = f" (and {len(absent) - 1:,} more that are missing)" if len(absent) > 1 else ""
            present = [families.names[variable] for variable in np.flatnonzero(self.has_column).tolist()]
            hint = str(UnknownVariableError(absent[0], [*present, *canonical(self.other_columns)], where="column"))
            raise DataError(f"no table has a column {absent[0]!r}{more}{hint.removeprefix(f'unknown column {absent[0]!r}')}")
        apart = np.flatnonzero(self.tables == 0)
        if len(apart):
            names = ", ".join(repr(families.names[member]) for member in families.members_of(int(apart[0])))
            more = f" (nor for {len(apart) - 1:,} other families)" if len(apart) > 1 else ""
            raise DataError(
                f"no table has all the columns of the family {families.title(int(apart[0]))}{more}: "
                f"at least one must have {names}"
            )
