"""The graph that is to be learned, and what is said where something else is given in its place."""

from __future__ import annotations

from pathlib import Path

from dconvex.graph.dag import Dag, DagLike, HasDag, as_dag


def structure_to_learn(dag: DagLike, data: object) -> Dag:
    """The graph that is given.

    Raises:
        TypeError: It is a table or a path.
        ValueError: It has no variables.
    """
    if isinstance(dag, str | Path):
        raise TypeError(
            f"the first argument is the graph, not a path; read the graph with dc.read_structure({str(dag)!r}), "
            "and pass the data second"
        )
    if _is_table(dag):
        if data is None:
            raise TypeError(
                "the graph is missing: pass it first, dc.fit(edges, data); dc.learn_structure(data) learns one from the data"
            )
        raise TypeError("the arguments are in the wrong order: the graph comes first, then the data")
    graph = as_dag(dag)
    if not len(graph) and not isinstance(dag, Dag | HasDag):
        raise ValueError(
            "the graph has no variables; list edges, [('a', 'b')], or pass dc.Dag([], variables) for variables without edges; "
            "dc.learn_structure(data) learns a graph"
        )
    return graph


def _is_table(value: object) -> bool:
    """Whether it has columns, as frames of all libraries have."""
    return any(hasattr(value, name) for name in ("columns", "column_names")) and not isinstance(value, Dag | HasDag)
