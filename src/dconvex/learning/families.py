"""The families of which statistics are kept: a variable and those of its parents that some cluster holds with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dconvex._core import Ragged
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.names import Name

Longs: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Families:
    """Family f has the members `lists[f]`, its parents and then its variable, by index in `names`.

    The first ones are those of the network, one for each variable; the others are shared by clusters that do not hold all
    parents.
    """

    names: tuple[Name, ...]
    lists: Ragged

    @classmethod
    def of(cls, index: ClusterIndex, *, own_only: bool) -> Families:
        count = len(index.dag) if own_only else index.table_count
        parent_start = index.core.table_parents.offsets[: count + 1]
        start = parent_start + np.arange(count + 1)
        members = np.empty(int(start[-1]), np.int32)
        is_variable = np.zeros(len(members), bool)
        is_variable[start[1:] - 1] = True
        members[is_variable] = index.core.table_variable[:count]
        members[~is_variable] = index.core.table_parents.values[: parent_start[-1]]
        return cls(index.dag.nodes, Ragged(start, members))

    @property
    def offsets(self) -> Longs:
        """Where the members of each family begin among all."""
        return self.lists.offsets

    @property
    def members(self) -> Indices:
        """The members of all families, one after the other."""
        return self.lists.values

    def __len__(self) -> int:
        return len(self.lists)

    def of_number(self, number: int) -> list[int]:
        """The members of one family."""
        return cast("list[int]", self.lists[number].tolist())

    def variables(self) -> Indices:
        return self.members[self.offsets[1:] - 1]

    def reduced(self, function: np.ufunc, by_variable: NDArray[Any]) -> NDArray[Any]:
        """A number for each family, from those of its members."""
        if not len(self):
            return by_variable[:0]
        found: NDArray[Any] = function.reduceat(by_variable[self.members], self.offsets[:-1])
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
        offsets = self.offsets[: count + 1]
        return Families(self.names, Ragged(offsets, self.members[: offsets[-1]]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Families):
            return False
        return self is other or (self.names == other.names and self.lists == other.lists)

    __hash__ = None  # type: ignore[assignment]
