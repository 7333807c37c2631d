"""How far apart two structures are: their classes of equivalent DAGs, edge by edge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dconvex.amounts import amount
from dconvex.graph.cpdag import Cpdag, NamePair, cpdag
from dconvex.graph.dag import DagLike
from dconvex.names import Name, canonical

if TYPE_CHECKING:
    import pandas

LISTED = 12
"""The most edges of a kind that are printed."""


@dataclass(frozen=True, repr=False)
class StructureComparison:
    """The edges in which a learned CPDAG differs from the true one; it iterates over the rows of `to_frame`."""

    learned: Cpdag
    true: Cpdag
    missing: tuple[NamePair, ...]
    """Edges of the true CPDAG between variables that are not adjacent in the learned one."""
    extra: tuple[NamePair, ...]
    """Edges of the learned CPDAG between variables that are not adjacent in the true one."""
    turned: tuple[NamePair, ...]
    """Edges of the learned CPDAG that the true one has in the other direction, or directed in only one of the two."""

    @property
    def distance(self) -> int:
        """The structural Hamming distance: how many edges are missing, extra or turned."""
        return len(self.missing) + len(self.extra) + len(self.turned)

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with a row for each edge: what is wrong with it, how it was learned and how it is.

        Returns:
            The columns `problem` (missing, extra, turned), `learned` and `true` (`a → b`, `a – b`, or empty).

        """
        import pandas

        return pandas.DataFrame(list(self), columns=["problem", "learned", "true"])

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        learned, true = _Marks(self.learned), _Marks(self.true)
        for problem in ("missing", "extra", "turned"):
            for edge in getattr(self, problem):
                yield problem, learned.written(edge), true.written(edge)

    def __len__(self) -> int:
        return self.distance

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        counts = f"{len(self.missing):,} missing, {len(self.extra):,} extra, {len(self.turned):,} turned"
        edges = [amount(len(graph.directed) + len(graph.undirected), "edge") for graph in (self.learned, self.true)]
        lines = [f"structural Hamming distance {self.distance:,}: {counts} ({edges[0]} learned, {edges[1]} true)"]
        rows = list(self)
        for problem in ("missing", "extra", "turned"):
            own = [(learned, true) for kind, learned, true in rows if kind == problem]
            lines += [f"  {problem:<8} {_row(learned, true)}" for learned, true in own[:LISTED]]
            if len(own) > LISTED:
                lines.append(f"  {'':<8} … {len(own) - LISTED:,} more")
        return "\n".join(lines)


def compare_structures(learned: DagLike | Cpdag, true: DagLike | Cpdag) -> StructureComparison:
    """Compare two structures by their CPDAGs, since data alone cannot distinguish equivalent DAGs.

    Args:
        learned: A DAG, anything that describes one, or a `Cpdag`.
        true: The structure to compare it with. A variable that only one of the two has is isolated in the other.

    Returns:
        The comparison: `distance`, and the edges that are `missing`, `extra` or `turned`.

    Raises:
        CycleError: Edges contain a cycle.
        NetworkError: An edge or a name is not valid.

    >>> print(compare_structures([("a", "b"), ("b", "c")], [("a", "b"), ("c", "b"), ("c", "d")]))
    structural Hamming distance 3: 1 missing, 0 extra, 2 turned (2 edges learned, 3 edges true)
      missing  c – d
      turned   a – b, truly a → b
      turned   b – c, truly c → b

    """
    one, other = cpdag(learned), cpdag(true)
    names = {name: number for number, name in enumerate(canonical({*one.nodes, *other.nodes}))}
    found, wanted = _edges(one), _edges(other)

    def ordered(keys: set[frozenset[Name]], edges: dict[frozenset[Name], tuple[NamePair, bool]]) -> tuple[NamePair, ...]:
        return tuple(sorted((edges[key][0] for key in keys), key=lambda edge: (names[edge[0]], names[edge[1]])))

    turned = {key for key in found.keys() & wanted.keys() if found[key] != wanted[key]}
    missing, extra = wanted.keys() - found.keys(), found.keys() - wanted.keys()
    return StructureComparison(one, other, ordered(missing, wanted), ordered(extra, found), ordered(turned, found))


def _edges(graph: Cpdag) -> dict[frozenset[Name], tuple[NamePair, bool]]:
    """The edges by their ends, and whether they are directed."""
    directed = {frozenset(edge): (edge, True) for edge in graph.directed}
    return directed | {frozenset(edge): (edge, False) for edge in graph.undirected}


class _Marks:
    """Edges of a graph as they are written."""

    def __init__(self, graph: Cpdag) -> None:
        self._edges = _edges(graph)

    def written(self, edge: NamePair) -> str:
        if frozenset(edge) not in self._edges:
            return ""
        (one, other), is_directed = self._edges[frozenset(edge)]
        return f"{one} {'→' if is_directed else '–'} {other}"


def _row(learned: str, true: str) -> str:
    return f"{learned}, truly {true}" if learned and true else learned or true
