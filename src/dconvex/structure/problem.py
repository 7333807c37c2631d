"""What a method of structure learning is given and what it gives back, by index; it knows neither tables nor labels."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from dconvex._core import EdgeConstraints, FamilyScore, Pdag, Ragged
from dconvex.arrays import Floats, Indices
from dconvex.errors import TooLargeError
from dconvex.learning.learning_options import Kind
from dconvex.names import Name
from dconvex.progress import Iterations

Change: TypeAlias = Literal["add", "remove", "reverse"]
CHANGES: tuple[Change, ...] = ("add", "remove", "reverse")
"""By the numbers that the core gives them."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The time that a caller gives, of which all but `max_seconds` is independent."""

    max_seconds: float | None = None
    began: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return self.max_seconds is not None and time.monotonic() - self.began >= self.max_seconds


@dataclass(frozen=True, slots=True, eq=False)
class StructureProblem:
    """A score of families, and what the graph must and must not have."""

    names: tuple[Name, ...]
    """In canonical order; all else is by index."""
    kind: Kind
    criterion: str
    """The name of the score."""
    score: FamilyScore
    score_of: Callable[[str], FamilyScore]
    """Another score of the same data, by name: `likelihood` has no penalty, and what tests need."""
    weight: float
    """Of all rows."""
    lines: int
    """Different rows, which each score goes over; none where it needs moments only."""
    has_gaps: bool
    """Whether families are compared over different rows: equivalent graphs may then score differently."""
    is_expected: bool
    """Whether counts are expectations, so that each score takes a hundred times as long."""
    constraints: EdgeConstraints
    required: Indices
    forbidden: Indices
    """Pairs of a parent and a child, a row each; tiers are among the forbidden ones."""
    start: Ragged
    """The parents that the search starts with: the caller's graph, and all required edges."""
    target: int | None
    alpha: float
    seed: int
    threads: int
    limit: int
    """The most bytes."""
    clock: Clock
    bar: Iterations

    def check_gains(self, copies: int) -> None:
        """Refuse a number for each pair of variables, so many times, before any is computed.

        Raises:
            TooLargeError: They take more memory than the limit.
        """
        size = len(self.names)
        if 8 * copies * size * size > self.limit:
            what = f"what edges between {size:,} variables gain"
            raise TooLargeError(what, 8 * copies * size * size, self.limit, "Raise max_bytes, or give fewer columns.")


@dataclass(frozen=True, slots=True, eq=False)
class FoundStructure:
    """What a method has come to."""

    parents: Ragged
    """The graph; of a method that gives a class of graphs, one of them."""
    cpdag: Pdag | None = None
    """The class of graphs that the method found; None: that of the graph."""
    moves: Indices = field(default_factory=lambda: np.empty((0, 3), np.int32))
    """The way there: (what, parent, child), a row each, `what` an index into `CHANGES`."""
    gains: Floats = field(default_factory=lambda: np.empty(0))
    """What each move gained."""
    evaluations: int = 0
    """The scores of families that were asked for."""
    score: float | None = None
    """That of the graph; None: to be asked for."""
    notes: tuple[str, ...] = ()
    """What the caller has to know, in sentences."""
    removal: Floats | None = None
    reversal: Floats | None = None
    """For each edge, in the order of `parents`, the change of the score by its removal and by its reversal (NaN where that is
    impossible); None: to be asked for."""


@dataclass(frozen=True, slots=True)
class StructureMethod:
    """A method, and what it can honour."""

    learn: Callable[[StructureProblem], FoundStructure]
    honours: frozenset[str]
    """Of `required`, `forbidden`, `tiers`, `max_parents`, `start`, `target`, `edge_penalty`, `alpha`, `seed`, `max_seconds`."""
    criteria: frozenset[str] = frozenset({"bic", "aic", "bdeu", "bge"})
    """The scores that it can use."""
    kinds: frozenset[Kind] = frozenset({"discrete", "gaussian"})
    needs_target: bool = False
    takes_gaps: bool = True
    """Whether `missing="available"` works where cells are missing: whether scores over different rows can be compared."""
