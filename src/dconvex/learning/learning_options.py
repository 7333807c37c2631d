"""How data is read: what `fit` and `statistics` share, checked once and handed on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from dconvex.graph.dag import Dag
from dconvex.inference.memory import limit_of
from dconvex.learning.discretizer import checked_discretizer
from dconvex.names import Label, Name, checked_labels
from dconvex.network.network import BayesianNetwork
from dconvex.threads import thread_count

Kind: TypeAlias = Literal["discrete", "gaussian"]
Unknown: TypeAlias = Literal["raise", "missing"]
Missing: TypeAlias = Literal["available", "complete", "em"]
StatesLike: TypeAlias = Mapping[Name, Iterable[Label]]

NULL_VALUES = ("", "NA", "null")
"""How a missing cell is spelled in CSV, unless the caller says otherwise."""
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class EM:
    """How expectation maximisation runs: `fit(…, missing=dc.EM(tolerance=1e-8))`.

    It ends in a local maximum, which depends on the start where there is more than one.

    Args:
        tolerance: It has converged when an iteration raises the objective by no more than this part of it.
        max_iterations: The most iterations; the report says where they were not enough.
        restarts: The number of starts; the first is the estimate from available cells, the others are drawn around it. The
            best objective wins.
        seed: That of the starts that are drawn.
        start: A network of the same graph to start from; None: the estimate from available cells.

    Raises:
        ValueError: A number is out of range.
    """

    tolerance: float = 1e-6
    max_iterations: int = 200
    restarts: int = 1
    seed: int = 0
    start: BayesianNetwork | None = None

    def __post_init__(self) -> None:
        if not self.tolerance >= 0:
            raise ValueError(f"the tolerance must not be negative, and is {self.tolerance}")
        if self.max_iterations < 1 or self.restarts < 1:
            raise ValueError("EM needs at least one iteration and one start")
        if self.start is not None and not isinstance(self.start, BayesianNetwork):
            raise TypeError(f"EM starts from a BayesianNetwork, not from {type(self.start).__name__}")


def checked_missing(missing: object) -> Literal["available", "complete"] | EM:
    """What `missing=` asks for.

    Raises:
        ValueError: There is no such way.
    """
    if isinstance(missing, EM):
        return missing
    if missing == "em":
        return EM()
    if missing == "available" or missing == "complete":
        return missing
    raise ValueError(f"missing={missing!r} is unknown; use 'available', 'complete', 'em' or dc.EM(…)")


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
    missing: Literal["available", "complete"] | EM = "available"
    hidden: tuple[Name, ...] = ()
    """Variables that no table has; their states are declared."""
    weights: Name | None = None
    """The column of the rows' weights, where they have any."""
    null_values: Sequence[str] = NULL_VALUES
    """How a missing cell is spelled in CSV, unless a declared state is spelled so."""

    def __post_init__(self) -> None:
        if self.kind not in (None, *KINDS):
            raise ValueError(f"kind={self.kind!r} is unknown; use 'discrete' or 'gaussian'")
        if self.unknown not in get_args(Unknown):
            raise ValueError(f"unknown={self.unknown!r} is not an option; use 'raise' or 'missing'")
        if isinstance(self.null_values, str) or not all(isinstance(text, str) for text in self.null_values):
            raise TypeError(f"null_values= is a list of texts, not {self.null_values!r}")
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

    def with_intervals(self, dag: Dag, discretizer: object) -> LearningOptions:
        """The same with the intervals of a discretizer as states of those of its columns that are variables."""
        cut = checked_discretizer(discretizer)
        own = {} if cut is None else {name: states for name, states in cut.states.items() if name in dag}
        return self.with_states(dag, {**own, **(self.states or {})}) if own else self

    def with_hidden(self, dag: Dag, hidden: StatesLike | None) -> LearningOptions:
        """The same with variables that no table has, and their states."""
        if not hidden:
            return self
        if self.em is None:
            raise ValueError('hidden= needs missing="em": only EM learns variables that no table has')
        both = {**(self.states or {}), **hidden}
        return replace(self.with_states(dag, both), hidden=tuple(hidden))

    def with_weights(self, dag: Dag, weights: object) -> LearningOptions:
        """The same with a column of row weights, which is no variable of this graph."""
        if weights is None:
            return self
        if not isinstance(weights, str | int):
            raise TypeError(f"weights= is the name of a column, not {type(weights).__name__}; add the weights to the table")
        if weights in dag:
            raise ValueError(f"weights={weights!r} is a variable of the graph; the weights need a column of their own")
        return replace(self, weights=weights)

    @property
    def em(self) -> EM | None:
        """How EM runs, where it does."""
        return self.missing if isinstance(self.missing, EM) else None

    @property
    def limit(self) -> int:
        """The byte limit: `max_bytes` if given, else the default of this machine."""
        return limit_of(self.max_bytes)

    @property
    def threads(self) -> int:
        """The number of threads that `n_jobs` asks for."""
        return thread_count(self.n_jobs)

    @property
    def nulls(self) -> list[str]:
        """The texts that are missing cells in CSV."""
        declared = {label for labels in (self.states or {}).values() for label in labels}
        return [text for text in self.null_values if text not in declared]

    @property
    def text_columns(self) -> list[str]:
        """The variables whose declared states are all text."""
        declared = (self.states or {}).items()
        return [str(name) for name, labels in declared if all(isinstance(label, str) for label in labels)]

    def declared(self, variable: Name) -> tuple[Label, ...] | None:
        """The states that the caller declares for a variable, if any."""
        return self.states.get(variable) if self.states else None
