"""What every question about a discrete model works with: tables, labels, and plans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import final

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import TooLargeError
from dconvex.inference.evidence import Evidence, Variables
from dconvex.inference.planner import Planner
from dconvex.inference.table_store import TableStore
from dconvex.inference.titles import KnownValue
from dconvex.names import Label, Name

MOST_AXES = 64
"""NumPy's limit; it holds for answers only, not for the tables on the way."""


@final
class TableModel:
    """Tables with labels, and the plans on them; in a coherent model all clusters agree, so that any plan is right."""

    def __init__(self, store: TableStore, labels: Sequence[tuple[Label, ...]], *, coherent: bool) -> None:
        self.store, self.labels, self.coherent = store, labels, coherent
        self.names = store.index.dag.names
        self.planner = Planner(store, coherent=coherent)
        self.axes = _Axes(self.names, labels)

    def known(self, evidence: Evidence) -> dict[Name, KnownValue]:
        """The evidence by name, as an answer remembers it."""
        return {self.names[v]: value for v, value in evidence.said(self.labels).items()} if evidence else {}

    def sizes(self, variables: Variables) -> list[int]:
        """The number of states of each of these variables."""
        return [len(self.labels[variable]) for variable in variables]

    def refuse_large_result(self, variables: Variables, limit: int, more: int = 0, copies: int = 1) -> int:
        """The number of entries in the joint table of some variables, if its copies and this many more bytes fit."""
        size = math.prod(self.sizes(variables))
        if 8 * copies * size + more > limit:
            way_out = "Ask for fewer variables at once, or for marginals."
            raise TooLargeError(f"the joint table of {len(variables)} variables", 8 * copies * size + more, limit, way_out)
        return size

    def with_observed(self, values: Floats, variables: Variables, targets: Variables, evidence: Evidence) -> Floats:
        """A table over the targets as one over all variables, with all probability on the states that are observed."""
        if targets is variables:
            return values.reshape(self.sizes(targets))
        state_of = evidence.state_of()
        whole = np.zeros(self.sizes(variables))
        whole[tuple(state_of.get(v, slice(None)) for v in variables)] = values.reshape(self.sizes(targets))
        return whole


@final
class _Axes(dict[int, tuple[Name, tuple[Label, ...], int]]):
    """By variable its name, its labels and how many there are; noted when the variable is first asked for."""

    def __init__(self, names: Sequence[Name], labels: Sequence[tuple[Label, ...]]) -> None:
        self.names, self.labels = names, labels

    def __missing__(self, variable: int) -> tuple[Name, tuple[Label, ...], int]:
        labels = self.labels[variable]
        axis = self[variable] = self.names[variable], labels, len(labels)
        return axis

    def __reduce__(self) -> tuple[object, ...]:
        return _Axes, (self.names, self.labels)


def refuse_many_axes(variables: Variables) -> None:
    """Refuse to answer with more axes than an array can have."""
    if len(variables) > MOST_AXES:
        raise ValueError(
            f"an array has at most {MOST_AXES} axes, and {len(variables)} variables are asked for; ask for fewer at once"
        )
