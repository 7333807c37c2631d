"""The families of which statistics are kept: a variable and those of its parents that some cluster holds with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.inference.families import FamilyIndex
from dconvex.names import Name

Longs: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Families:
    """Family f has the members `members[start[f]:start[f + 1]]`, its parents and then its variable, by place in `names`.

    The first ones are those of the network, one for each variable; the others are shared by clusters that do not hold all
    parents.
    """

    names: tuple[Name, ...]
    start: Longs
    members: Longs

    @classmethod
    def of(cls, index: FamilyIndex, *, own_only: bool) -> Families:
        count = len(index.dag) if own_only else index.table_count
        parent_start = index.families.parent_start[: count + 1]
        start = parent_start + np.arange(count + 1)
        members = np.empty(int(start[-1]), np.int64)
        is_variable = np.zeros(len(members), bool)
        is_variable[start[1:] - 1] = True
        members[is_variable] = index.families.variable[:count]
        members[~is_variable] = index.families.parents[: parent_start[-1]]
        return cls(index.dag.nodes, start, members)

    def __len__(self) -> int:
        return len(self.start) - 1

    def of_number(self, number: int) -> list[int]:
        """The members of one family."""
        found: list[int] = self.members[self.start[number] : self.start[number + 1]].tolist()
        return found

    def variables(self) -> Longs:
        return self.members[self.start[1:] - 1]

    def reduced(self, function: np.ufunc, by_variable: NDArray[Any]) -> NDArray[Any]:
        """A number for each family, from those of its members."""
        found: NDArray[Any] = function.reduceat(by_variable[self.members], self.start[:-1]) if len(self) else by_variable[:0]
        return found

    def title(self, number: int) -> str:
        """`wet | rain, sprinkler`; a name like "7" is in quotes, for 7 may be another."""
        names = (self.names[member] for member in self.of_number(number))
        *parents, variable = (
            repr(name) if str(name).lstrip("-").isdigit() and isinstance(name, str) else str(name) for name in names
        )
        return f"{variable} | {', '.join(parents)}" if parents else variable

    def first(self, count: int) -> Families:
        """The first ones only."""
        return Families(self.names, self.start[: count + 1], self.members[: self.start[count]])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Families) and (
            self is other
            or (
                self.names == other.names
                and np.array_equal(self.start, other.start)
                and np.array_equal(self.members, other.members)
            )
        )

    __hash__ = None  # type: ignore[assignment]
