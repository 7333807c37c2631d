"""How data is read: what `fit` and `statistics` share, checked once and handed on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from dconvex.graph.dag import Dag
from dconvex.inference.memory import limit_of
from dconvex.names import Label, Name, checked_labels
from dconvex.threads import thread_count

Kind: TypeAlias = Literal["discrete", "gaussian"]
Unknown: TypeAlias = Literal["raise", "missing"]
StatesLike: TypeAlias = Mapping[Name, Iterable[Label]]

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """The options of `fit` about the data, as the caller gave them."""

    kind: Kind | None = None
    """None: as the first table has it."""
    states: Mapping[Name, tuple[Label, ...]] | None = None
    unknown: Unknown = "raise"
    n_jobs: int | None = None
    max_bytes: float | None = None
    progress: bool = False

    def __post_init__(self) -> None:
        if self.kind not in (None, *KINDS):
            raise ValueError(f"kind={self.kind!r} is unknown; use 'discrete' or 'gaussian'")
        if self.unknown not in get_args(Unknown):
            raise ValueError(f"unknown={self.unknown!r} is not an option; use 'raise' or 'missing'")
        thread_count(self.n_jobs)
        limit_of(self.max_bytes)

    def with_states(self, dag: Dag, states: StatesLike | None) -> LearningOptions:
        """The same with declared states of variables of this graph, which make the data discrete."""
        if states is None:
            return self
        for name in states:
            dag.index_of(name)
        declared = {name: checked_labels(name, labels) for name, labels in states.items()}
        return replace(self, states=declared, kind="discrete" if self.kind is None and declared else self.kind)

    @property
    def limit(self) -> int:
        """The byte limit: `max_bytes` if given, else the default of this machine."""
        return limit_of(self.max_bytes)

    @property
    def threads(self) -> int:
        """The number of threads that `n_jobs` asks for."""
        return thread_count(self.n_jobs)

    @property
    def text_columns(self) -> list[str]:
        """The variables whose declared states are all text."""
        declared = (self.states or {}).items()
        return [str(name) for name, labels in declared if all(isinstance(label, str) for label in labels)]

    def declared(self, variable: Name) -> tuple[Label, ...] | None:
        """The states that the caller declares for a variable, if any."""
        return self.states.get(variable) if self.states else None
