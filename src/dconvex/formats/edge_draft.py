"""A graph while its file is read: nodes and edges with where they are, checked as they come."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from dconvex.errors import CycleError, DconvexError
from dconvex.formats.scanner import Scanner
from dconvex.graph.dag import Dag
from dconvex.names import Name


@dataclass(slots=True)
class EdgeDraft:
    """Nodes and edges by position in the text."""

    scanner: Scanner
    parents: dict[Name, list[Name]] = field(default_factory=dict)
    edges: dict[tuple[Name, Name], int] = field(default_factory=dict)

    def add_node(self, name: Name) -> None:
        self.parents.setdefault(name, [])

    def add_edge(self, parent: Name, child: Name, position: int) -> None:
        if parent == child:
            self.scanner.fail(f"the edge {parent!r} → {child!r} begins where it ends", position)
        if (parent, child) in self.edges:
            self.scanner.fail(f"the edge {parent!r} → {child!r} is given twice", position)
        self.edges[parent, child] = position
        self.add_node(parent)
        self.parents.setdefault(child, []).append(parent)

    def dag(self) -> Dag:
        """The graph, or a `FormatError` at the edge that closes a cycle."""
        if not self.parents:
            self.scanner.fail("expected edges such as a -> b, found the end of the file", len(self.scanner.text))
        try:
            return Dag.from_parents(self.parents)
        except CycleError as error:
            cycle = cast("tuple[Name, ...]", error.cycle)
            closing = max(self.edges[edge] for edge in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
            self.scanner.fail(str(error), closing)
        except DconvexError as error:
            self.scanner.fail(str(error), 0)
