"""Markov equivalence: the graph of all DAGs that say the same of a distribution, and a DAG of such a graph.

Two DAGs are equivalent if they have the same adjacencies and the same colliders between parents that are not adjacent. Data
alone cannot distinguish them, so what a search finds is a class. Its graph, the completed partially directed acyclic graph
(CPDAG), has a directed edge where all DAGs of the class agree, and an undirected one where they do not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias
from warnings import warn

import numpy as np

from dconvex._core import Pdag, essential_graph
from dconvex.amounts import amount
from dconvex.arrays import Indices
from dconvex.caching import cached_property
from dconvex.errors import NetworkError
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.names import Name, as_names, canonical, checked_name
from dconvex.shown import Shown

if TYPE_CHECKING:
    import networkx

NamePair: TypeAlias = tuple[Name, Name]
LISTED = 3
"""The most edges that a warning names."""


@dataclass(frozen=True)
class Extension:
    """A DAG of a graph with directed and undirected edges."""

    dag: Dag
    given_up: tuple[NamePair, ...]
    """Directed edges that were turned and undirected ones that lead into a new collider; empty for the CPDAG of a DAG."""


@dataclass(frozen=True, repr=False)
class Cpdag(Shown):
    """A class of equivalent DAGs: directed edges where they agree, undirected ones where they do not.

    It stands wherever a DAG is expected, for the DAG of its class that `dag` gives.

    Args:
        directed: (parent, child) pairs.
        undirected: Pairs in any order.
        nodes: Isolated nodes to add; nodes with edges may be among them.

    Raises:
        NetworkError: An edge does not join two different names, or two nodes are joined twice.

    >>> Cpdag([("rain", "wet"), ("sprinkler", "wet")], [("rain", "cloudy")])
    Cpdag(4 nodes, 2 directed and 1 undirected edge)

    """

    directed: tuple[NamePair, ...] = ()
    """(parent, child) pairs, sorted."""
    undirected: tuple[NamePair, ...] = ()
    """The other pairs, each with its ends in canonical order, sorted."""
    nodes: tuple[Name, ...] = ()
    """All nodes in canonical order."""

    def __init__(
        self,
        directed: Iterable[NamePair] = (),
        undirected: Iterable[NamePair] = (),
        nodes: Name | Iterable[Name] = (),
    ) -> None:
        pairs = [[_checked_pair(edge) for edge in edges] for edges in (directed, undirected)]
        ends = chain.from_iterable(chain.from_iterable(pairs))
        names = tuple(canonical({*ends, *map(checked_name, as_names(nodes))}))
        index = {name: number for number, name in enumerate(names)}
        for edge in chain.from_iterable(pairs):
            if edge[0] == edge[1]:
                raise NetworkError(f"{edge[0]!r} is joined to itself")
        arrays = [np.array([[index[one], index[other]] for one, other in own], np.int32).reshape(-1, 2) for own in pairs]
        _check_joined_once(names, np.concatenate(arrays))
        self._set(names, Pdag(len(names), *arrays))

    @classmethod
    def from_core(cls, names: tuple[Name, ...], graph: Pdag) -> Cpdag:
        """The same by index; for algorithms.

        Args:
            names: The nodes in canonical order.
            graph: The edges.

        Returns:
            The graph.

        Raises:
            IndexError: An edge has a node without a name.

        """
        found = cls.__new__(cls)
        found._set(names, graph)
        return found

    def _set(self, names: tuple[Name, ...], graph: Pdag) -> None:
        def named(edges: Indices) -> tuple[NamePair, ...]:
            return tuple((names[one], names[other]) for one, other in edges.tolist())

        for field, value in (("nodes", names), ("directed", named(graph.directed)), ("undirected", named(graph.undirected))):
            object.__setattr__(self, field, value)

    @cached_property
    def extension(self) -> Extension:
        """A DAG with the same adjacencies, directions and colliders, and the edges that are given up where there is none.

        It is a function of the graph and the names (Dor and Tarsi): the last node that may be a sink is one, and so on with
        those that are left.
        """
        index = {name: number for number, name in enumerate(self.nodes)}
        edges = (
            np.array([[index[one], index[other]] for one, other in own], np.int32).reshape(-1, 2)
            for own in (self.directed, self.undirected)
        )
        parents, given_up = Pdag(len(self.nodes), *edges).extension()
        pairs = tuple((self.nodes[one], self.nodes[other]) for one, other in given_up.tolist())
        return Extension(Dag.from_arrays(self.nodes, parents), pairs)

    @cached_property
    def dag(self) -> Dag:
        """The DAG of `extension`; a warning names the edges that were given up, if there are any."""
        found = self.extension
        if found.given_up:
            listed = ", ".join(f"{one!r} and {other!r}" for one, other in found.given_up[:LISTED])
            more = f" and {len(found.given_up) - LISTED:,} more" if len(found.given_up) > LISTED else ""
            message = f"no DAG has these directions and no other colliders; given up between {listed}{more}"
            warn(message, stacklevel=3)
        return found.dag

    def to_networkx(self) -> networkx.DiGraph[Name]:
        """A new `networkx.DiGraph`; an undirected edge is there in both directions."""
        import networkx

        graph: networkx.DiGraph[Name] = networkx.DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.directed)
        graph.add_edges_from(chain.from_iterable((edge, edge[::-1]) for edge in self.undirected))
        return graph

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        count = len(self.undirected)
        edges = f"{len(self.directed):,} directed and {amount(count, 'undirected edge')}"
        return f"Cpdag({amount(len(self.nodes), 'node')}, {edges})"


def cpdag(dag: DagLike | Cpdag) -> Cpdag:
    """The graph of all DAGs that are Markov equivalent to this one.

    Args:
        dag: A `Dag`, a network, a networkx `DiGraph`, or an iterable of edges; a `Cpdag` is returned as it is.

    Returns:
        The CPDAG.

    Raises:
        CycleError: The edges contain a cycle.
        NetworkError: An edge or a name is not valid.

    >>> found = cpdag([("cloudy", "rain"), ("rain", "wet"), ("sprinkler", "wet")])
    >>> found.directed, found.undirected
    ((('rain', 'wet'), ('sprinkler', 'wet')), (('cloudy', 'rain'),))

    """
    if isinstance(dag, Cpdag):
        return dag
    graph = as_dag(dag)
    return Cpdag.from_core(graph.nodes, essential_graph(graph.graph))


def _checked_pair(edge: object) -> NamePair:
    if not isinstance(edge, tuple | list) or len(edge) != 2:
        raise NetworkError(f"an edge is a pair of names, not {edge!r}")
    return checked_name(edge[0]), checked_name(edge[1])


def _check_joined_once(names: tuple[Name, ...], edges: Indices) -> None:
    ends = np.sort(edges, axis=1)
    found, counts = np.unique(ends, axis=0, return_counts=True)
    twice = found[counts > 1]
    if len(twice):
        one, other = (names[end] for end in twice[0].tolist())
        raise NetworkError(f"{one!r} and {other!r} are joined twice; an edge is directed one way, or undirected")
