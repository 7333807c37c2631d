"""The directed acyclic graph: a frozen value over names, arrays inside.

Nodes are in canonical order (type name, then value), so neither the order of the edges nor that of the nodes given
shows in the result. Parents come in canonical order too, unless the graph was built with `Dag.from_parents`, which
keeps the order it is given: a table's axes follow the parents, so their order is part of the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeAlias, runtime_checkable

import numpy as np

from dconvex._core import Graph, Ragged, find_cycle, find_repeated_arc
from dconvex.amounts import amount
from dconvex.arrays import Indices, Offsets
from dconvex.errors import CycleError, NetworkError, UnknownVariableError
from dconvex.names import Name, as_names, canonical, checked_name
from dconvex.shown import ShownNetwork

if TYPE_CHECKING:
    import networkx


class NameLookup(Protocol):
    """The index of each name."""

    def __getitem__(self, name: Name, /) -> int: ...
    def __contains__(self, name: object, /) -> bool: ...


class Dag(ShownNetwork):
    """A directed acyclic graph.

    Args:
        edges: (parent, child) pairs, or a graph: another `Dag`, a network, a `networkx.DiGraph`.
        nodes: Isolated nodes to add, or all the nodes: a list that holds some endpoints but not others is an error.

    Raises:
        CycleError: The edges contain a cycle.
        NetworkError: An edge is no pair or is given twice, or a node is no str or int.
        UnknownVariableError: `nodes` has some of the endpoints of edges but not others.

    >>> dag = Dag([("cloudy", "rain"), ("rain", "wet"), ("sprinkler", "wet")])
    >>> dag.parents("wet")
    ('rain', 'sprinkler')
    >>> sorted(dag.ancestors("wet"))
    ['cloudy', 'rain', 'sprinkler']
    """

    __slots__ = ("_index", "_names", "graph")

    _names: Sequence[Name]
    _index: NameLookup
    graph: Graph
    """The same graph by index, for algorithms: parents (in the order of `parents`), children, order."""

    def __init__(self, edges: DagLike = (), nodes: Name | Iterable[Name] = ()) -> None:
        if isinstance(edges, Dag | HasDag):  # the order of its parents is part of the value
            whole = as_dag(edges).with_nodes(nodes)
            self._fill(whole._names, whole._index, whole.graph.parents)
            return
        pairs, own_nodes = _edges_and_nodes(edges)
        ends = list(chain.from_iterable(_checked_edges(pairs)))
        endpoints = set(ends)
        names = tuple(canonical(endpoints | _declared([*own_nodes, *as_names(nodes)], endpoints)))
        index = {name: number for number, name in enumerate(names)}
        indices = np.fromiter(map(index.__getitem__, ends), np.int32, len(ends))
        children = Ragged.from_pairs(indices[::2].copy(), indices[1::2].copy(), len(names))
        self._fill(names, index, children.reversed(len(names)))

    @classmethod
    def from_parents(cls, parents: Mapping[Name, Sequence[Name]]) -> Dag:
        """The graph with these parents of each node, in the order given.

        Args:
            parents: For each node its parents; every node is a key.

        Returns:
            The graph; `parents` of a node has the order given.

        Raises:
            CycleError: The edges contain a cycle.
            NetworkError: A node is no str or int, or has a parent twice.
            UnknownVariableError: A parent is not a key.

        >>> Dag.from_parents({"wet": ("sprinkler", "rain"), "rain": (), "sprinkler": ()}).parents("wet")
        ('sprinkler', 'rain')
        """
        names = tuple(canonical({checked_name(name): None for name in parents}))
        index = {name: number for number, name in enumerate(names)}

        def indices(child: Name) -> list[int]:
            try:
                return [index[parent] for parent in as_names(parents[child])]
            except KeyError as error:
                raise UnknownVariableError(error.args[0], names, where=f"parent (of {child!r})") from None

        return cls.from_arrays(names, Ragged.from_lists(indices(name) for name in names))

    @classmethod
    def from_arrays(cls, names: tuple[Name, ...], parents: Ragged) -> Dag:
        """The graph of these arrays; for algorithms.

        Args:
            names: The nodes in canonical order.
            parents: The parents of each node, by index.

        Returns:
            The graph; `parents` of a node has the order given.

        Raises:
            CycleError: The edges contain a cycle.
            NetworkError: A node has a parent twice.

        """
        dag = cls.__new__(cls)
        dag._fill(names, {name: number for number, name in enumerate(names)}, parents)
        return dag

    @classmethod
    def from_graph(cls, names: Sequence[Name], index: NameLookup, graph: Graph) -> Dag:
        """The same of a graph that is checked already; the names need not be in memory as a whole.

        Args:
            names: The nodes in canonical order.
            index: The index of each name.
            graph: The graph by index.

        Returns:
            The graph.

        """
        dag = cls.__new__(cls)
        dag._set(names, index, graph)
        return dag

    def _fill(self, names: Sequence[Name], index: NameLookup, parents: Ragged) -> None:
        self._set(names, index, _graph(names, parents))

    def _set(self, names: Sequence[Name], index: NameLookup, graph: Graph) -> None:
        for slot, value in zip(Dag.__slots__, (index, names, graph), strict=True):
            object.__setattr__(self, slot, value)

    @property
    def nodes(self) -> tuple[Name, ...]:
        """All nodes in canonical order."""
        if not isinstance(self._names, tuple):
            object.__setattr__(self, "_names", tuple(self._names))
        return self._names  # type: ignore[return-value]

    @property
    def names(self) -> Sequence[Name]:
        """The same, for looking up a few of very many."""
        return self._names

    @property
    def indices(self) -> dict[Name, int]:
        """The index of each name, as far as they are in memory."""
        return self._index if isinstance(self._index, dict) else {}

    @property
    def edges(self) -> tuple[tuple[Name, Name], ...]:
        """All (parent, child) pairs, sorted."""
        names, children = self._names, self.graph.children
        ends = zip(children.owners().tolist(), children.values.tolist(), strict=True)
        return tuple((names[tail], names[head]) for tail, head in ends)

    def parents(self, node: Name) -> tuple[Name, ...]:
        """The parents of a node, in the order of its table's axes.

        Args:
            node: A node of the graph.

        Returns:
            The parents.

        Raises:
            UnknownVariableError: The graph does not have the node.

        """
        return self.named(self.graph.parents[self.index_of(node)])

    def children(self, node: Name) -> tuple[Name, ...]:
        """The children of a node.

        Args:
            node: A node of the graph.

        Returns:
            The children in canonical order.

        Raises:
            UnknownVariableError: The graph does not have the node.

        """
        return self.named(self.graph.children[self.index_of(node)])

    def ancestors(self, nodes: Name | Iterable[Name]) -> frozenset[Name]:
        """All nodes with a directed path into `nodes`.

        Args:
            nodes: A node, or several of them.

        Returns:
            The ancestors, without `nodes` themselves.

        Raises:
            UnknownVariableError: The graph does not have a node.

        """
        return self._others(self.graph.ancestors, nodes)

    def descendants(self, nodes: Name | Iterable[Name]) -> frozenset[Name]:
        """All nodes with a directed path from `nodes`.

        Args:
            nodes: A node, or several of them.

        Returns:
            The descendants, without `nodes` themselves.

        Raises:
            UnknownVariableError: The graph does not have a node.

        """
        return self._others(self.graph.descendants, nodes)

    def topological_order(self) -> tuple[Name, ...]:
        """All nodes, parents before children."""
        return self.named(self.graph.order)

    def with_nodes(self, nodes: Name | Iterable[Name]) -> Dag:
        """The same graph with these nodes too.

        Args:
            nodes: A node, or several of them. Those that the graph does not have become isolated nodes.

        Returns:
            The graph.

        Raises:
            NetworkError: A node is no str or int.

        """
        new = [name for name in map(checked_name, as_names(nodes)) if name not in self._index]
        if not new:
            return self
        return Dag.from_parents({**{node: self.parents(node) for node in self}, **dict.fromkeys(new, ())})

    def induced(self, nodes: Iterable[Name]) -> Dag:
        """The graph of these nodes and the edges between them.

        Args:
            nodes: A node, or several of them.

        Returns:
            The graph; parents keep their order.

        Raises:
            UnknownVariableError: The graph does not have a node.

        """
        kept = np.array(sorted(self.index_of(node) for node in nodes), np.int64)
        index = np.full(len(self), -1, np.int64)
        index[kept] = np.arange(len(kept))
        owners, parents = index[self.graph.parents.owners()], index[self.graph.parents.values]
        inside = (owners >= 0) & (parents >= 0)
        lists = Ragged.from_pairs(owners[inside].astype(np.int32), parents[inside].astype(np.int32), len(kept))
        return Dag.from_arrays(tuple(self._names[node] for node in kept.tolist()), lists)

    def to_networkx(self) -> networkx.DiGraph[Name]:
        """A new `networkx.DiGraph` with the same nodes and edges."""
        import networkx

        graph: networkx.DiGraph[Name] = networkx.DiGraph()
        graph.add_nodes_from(self._names)
        graph.add_edges_from(self.edges)
        return graph

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __contains__(self, node: object) -> bool:
        try:
            return node in self._index
        except TypeError:  # unhashable
            return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dag):
            return NotImplemented
        return (
            self.nodes == other.nodes
            and np.array_equal(self.graph.parents.offsets, other.graph.parents.offsets)
            and np.array_equal(self.graph.parents.values, other.graph.parents.values)
        )

    def __hash__(self) -> int:
        return hash((self.nodes, self.graph.parents.offsets.tobytes(), self.graph.parents.values.tobytes()))

    def __repr__(self) -> str:
        return f"Dag({amount(len(self), 'node')}, {amount(len(self.graph.parents.values), 'edge')})"

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.nodes, self.graph.parents.offsets, self.graph.parents.values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Dag is frozen; build a new one instead of setting {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Dag is frozen; {name!r} cannot be deleted")

    def index_of(self, node: Name) -> int:
        """The index of a node in `nodes`.

        Args:
            node: A node of the graph.

        Returns:
            The index.

        Raises:
            UnknownVariableError: The graph does not have the node.

        """
        try:
            return self._index[node]
        except (KeyError, TypeError):
            raise UnknownVariableError(node, self._names) from None

    def indices_of(self, nodes: Sequence[Name]) -> tuple[int, ...]:
        """The index of each of these in `nodes`.

        Args:
            nodes: Nodes of the graph, in any order.

        Returns:
            The indices in the same order.

        Raises:
            UnknownVariableError: The graph does not have a node.

        """
        index = self._index
        try:
            return tuple([index[node] for node in nodes])
        except (KeyError, TypeError):
            return tuple(map(self.index_of, nodes))  # says which one it is

    def named(self, indices: Indices) -> tuple[Name, ...]:
        """The names of the nodes at these indices.

        Args:
            indices: Indices into `nodes`.

        Returns:
            The names in the same order.

        Raises:
            IndexError: An index is too large.

        """
        return tuple(map(self._names.__getitem__, indices.tolist()))

    def _others(self, reach: Callable[[Indices], Indices], nodes: Name | Iterable[Name]) -> frozenset[Name]:
        """What is reached from the nodes, these themselves left out."""
        sources = np.array([self.index_of(node) for node in as_names(nodes)], np.int32)
        return frozenset(self.named(np.setdiff1d(reach(sources), sources, assume_unique=False)))


@runtime_checkable
class HasDag(Protocol):
    """Anything built over a DAG: a network, a model."""

    @property
    def dag(self) -> Dag: ...


DagLike: TypeAlias = "Dag | HasDag | networkx.DiGraph[Any] | Iterable[tuple[Name, Name]]"


def as_dag(graph: DagLike) -> Dag:
    """A `Dag` from anything that describes one: itself, a network, a `networkx.DiGraph` or an iterable of edges."""
    if isinstance(graph, Dag):
        return graph
    return graph.dag if isinstance(graph, HasDag) else Dag(graph)


def _edges_and_nodes(graph: object) -> tuple[list[Any], Iterable[Any]]:
    """Of a networkx graph both, otherwise the edges alone."""
    if isinstance(graph, str | bytes) or not isinstance(graph, Iterable):
        raise TypeError(f"expected a Dag, a network, a networkx.DiGraph or edges, not {graph!r}")
    is_directed = getattr(graph, "is_directed", None)
    if is_directed is None:
        return list(graph), ()
    if not is_directed():
        raise NetworkError("the networkx graph is undirected; a DAG needs a networkx.DiGraph")
    return list(graph.edges()), graph.nodes()  # type: ignore[attr-defined]


def _restored(names: tuple[Name, ...], start: Offsets, neighbours: Indices) -> Dag:
    return Dag.from_arrays(names, Ragged(start, neighbours))


def _checked_edges(pairs: list[Any]) -> Iterable[tuple[Name, Name]]:
    """The edges as pairs of names; where all are plain already, three passes in C see to it, at a tenth of the cost."""
    are_pairs = set(map(type, pairs)) <= {tuple} and set(map(len, pairs)) <= {2}
    are_plain = are_pairs and set(map(type, chain.from_iterable(pairs))) <= {str, int}
    return pairs if are_plain else map(_checked_edge, pairs)


def _checked_edge(edge: object) -> tuple[Name, Name]:
    if isinstance(edge, str | bytes) or not isinstance(edge, Sequence | np.ndarray) or len(edge) != 2:
        raise NetworkError(f"an edge is a (parent, child) pair, not {edge!r}")
    return checked_name(edge[0]), checked_name(edge[1])


def _declared(nodes: Name | Iterable[Name], endpoints: set[Name]) -> set[Name]:
    declared = {checked_name(node) for node in as_names(nodes)}
    if declared & endpoints and not endpoints <= declared:
        missing = canonical(endpoints - declared)[0]
        raise UnknownVariableError(missing, canonical(declared), where="endpoint of an edge")
    return declared


def _graph(names: Sequence[Name], parents: Ragged) -> Graph:
    """The native graph; an error names the edge that is given twice, or shows the cycle."""
    try:
        return Graph(parents)
    except ValueError:
        if repeated := find_repeated_arc(parents):
            tail, head = (names[index] for index in repeated)
            raise NetworkError(f"the edge {tail!r} → {head!r} is given twice", variable=head) from None
        raise CycleError([names[index] for index in find_cycle(parents).tolist()]) from None
