"""What `learn_structure` has found: a graph, its score, and what each of its edges is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

from dconvex.amounts import amount
from dconvex.caching import cached_property
from dconvex.graph.cpdag import Cpdag
from dconvex.graph.cpdag import cpdag as cpdag_of
from dconvex.graph.dag import Dag
from dconvex.names import Name
from dconvex.shown import ShownNetwork

if TYPE_CHECKING:
    from pandas import DataFrame

Change: TypeAlias = Literal["add", "remove", "reverse"]


SHOWN = 20
"""At most this many lines of a table are printed."""


@dataclass(frozen=True, slots=True)
class StructureMove:
    """A step of a search."""

    change: Change
    parent: Name
    child: Name
    gain: float
    """Of the score."""


@dataclass(frozen=True, slots=True)
class EdgeReason:
    """What an edge is worth to the score, and whether the data can tell its direction."""

    parent: Name
    child: Name
    removal: float | None
    """The change of the score where the edge is taken away; None where it is required."""
    reversal: float | None
    """The change of the score where it is turned around; None where that makes a cycle or is not allowed."""
    is_directed: bool
    """Whether all graphs that fit as well have the edge in this direction."""


@dataclass(frozen=True, slots=True, repr=False)
class StructureReasons:
    """For each edge what its removal and its reversal would cost: iterate over it, print it, or take `to_frame()`."""

    edges: tuple[EdgeReason, ...]

    def to_frame(self) -> DataFrame:
        """A row for each edge.

        Returns:
            A DataFrame of pandas with the columns parent, child, removal, reversal and is_directed.
        """
        import pandas as pd

        columns = ("parent", "child", "removal", "reversal", "is_directed")
        return pd.DataFrame({name: [getattr(edge, name) for edge in self.edges] for name in columns}, columns=list(columns))

    def __iter__(self) -> Iterator[EdgeReason]:
        return iter(self.edges)

    def __len__(self) -> int:
        return len(self.edges)

    def __repr__(self) -> str:
        if not self.edges:
            return "no edges"
        head = ("edge", "removed", "reversed", "direction")
        lines = [head, *(_line(edge) for edge in self.edges[:SHOWN])]
        widths = [max(len(line[column]) for line in lines) for column in range(4)]
        shown = [
            f"{line[0]:<{widths[0]}}  {line[1]:>{widths[1]}}  {line[2]:>{widths[2]}}  {line[3]}".rstrip() for line in lines
        ]
        more = [f"… and {len(self.edges) - SHOWN:,} more"] if len(self.edges) > SHOWN else []
        return "\n".join([*shown, *more])


class Structure(ShownNetwork):
    """A graph learned from data. It can be passed wherever a graph is expected.

    >>> import dconvex as dc
    >>> network = dc.load_network("asia")
    >>> structure = dc.learn_structure(network.sample(10_000, seed=1))
    >>> model = dc.fit(structure, network.sample(10_000, seed=1))
    """

    dag: Dag
    """The graph."""
    score: float
    """That of the graph, by `criterion`; higher is better."""
    criterion: str
    """The name of the score."""
    method: str
    """The method that found it."""
    rows: int
    """The rows it was learned from."""
    history: tuple[StructureMove, ...]
    """The moves that led to it, of a method that makes moves; those of `ges`, where a search starts too, are of classes."""
    evaluations: int
    """The scores of families that were asked for."""
    notes: tuple[str, ...]
    """What has to be known of how it was learned, in sentences."""
    found_class: Cpdag | None
    removal: tuple[float | None, ...]
    reversal: tuple[float | None, ...]

    def __init__(
        self,
        dag: Dag,
        score: float,
        *,
        criterion: str = "bic",
        method: str = "greedy",
        rows: int = 0,
        history: Sequence[StructureMove] = (),
        evaluations: int = 0,
        notes: Sequence[str] = (),
        cpdag: Cpdag | None = None,
        removal: Sequence[float] = (),
        reversal: Sequence[float] = (),
    ) -> None:
        self.__dict__.update(
            dag=dag, score=score, criterion=criterion, method=method, rows=rows, history=tuple(history),
            evaluations=evaluations, notes=tuple(notes), found_class=cpdag, removal=tuple(map(_or_none, removal)),
            reversal=tuple(map(_or_none, reversal)),
        )  # fmt: skip

    @property
    def nodes(self) -> tuple[Name, ...]:
        """The variables in canonical order."""
        return self.dag.nodes

    @property
    def edges(self) -> tuple[tuple[Name, Name], ...]:
        """All (parent, child) pairs, sorted."""
        return self.dag.edges

    @cached_property
    def cpdag(self) -> Cpdag:
        """The class of all graphs that the data cannot tell from this one: which edges have a direction in all of them."""
        return cpdag_of(self.dag) if self.found_class is None else self.found_class

    def explain(self) -> StructureReasons:
        """For each edge what its removal or reversal would cost, and whether the data can tell its direction.

        Returns:
            A row for each edge, sorted; it prints as a table.
        """
        directed = set(self.cpdag.directed)
        by_child = [(parent, child) for child in self.dag for parent in self.dag.parents(child)]
        removal = self.removal or (None,) * len(by_child)
        reversal = self.reversal or (None,) * len(by_child)
        reasons = [
            EdgeReason(*edge, lost, turned, edge in directed)
            for edge, lost, turned in zip(by_child, removal, reversal, strict=True)
        ]
        place = {edge: number for number, edge in enumerate(self.edges)}
        return StructureReasons(tuple(sorted(reasons, key=lambda reason: place[reason.parent, reason.child])))

    def __len__(self) -> int:
        return len(self.dag)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and self.dag == other.dag and self.score == other.score

    def __hash__(self) -> int:
        return hash((self.dag, self.score))

    def __repr__(self) -> str:
        sizes = f"{amount(len(self.dag), 'variable')}, {amount(len(self.edges), 'edge')}, {amount(self.rows, 'row')}"
        notes = "".join(f"\n  {note}" for note in self.notes)
        return f"Structure({self.method}, {self.criterion} {self.score:,.3f}, {sizes}){notes}"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Structure is frozen; {name!r} cannot be set")


def _or_none(change: float) -> float | None:
    return None if math.isnan(change) else float(change)


def _line(edge: EdgeReason) -> tuple[str, str, str, str]:
    direction = "from the data" if edge.is_directed else "undetermined"
    return f"{edge.parent} → {edge.child}", _shown(edge.removal), _shown(edge.reversal), direction


def _shown(change: float | None) -> str:
    return "–" if change is None else f"{change:+.3f}"
