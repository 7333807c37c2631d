"""The picture of a class of equivalent DAGs: an arrow where they agree, a line without a head where they do not."""

from __future__ import annotations

import numpy as np

from dconvex.amounts import amount
from dconvex.display.charts import histogram
from dconvex.display.drawable import DrawableCpdag
from dconvex.display.drawing import BETWEEN, Drawing, DrawnShape, Group, Look, Ruler, flow
from dconvex.display.geometry import Route
from dconvex.display.labels import label
from dconvex.display.network_picture import arrow, drawn_network, is_crowded
from dconvex.display.panels import summary
from dconvex.names import Name


def cpdag_picture(graph: DrawableCpdag, ruler: Ruler, most: int) -> Drawing:
    """All nodes and edges, in the rows of a DAG of the class, or a summary of a graph with more than `most` nodes."""
    dag = graph.extension.dag
    if is_crowded(dag, most):
        return cpdag_summary(graph, ruler)
    undirected = {frozenset(edge) for edge in graph.undirected}
    turned = {frozenset(edge) for edge in graph.extension.given_up}
    towards = {frozenset(edge): edge for edge in graph.directed}

    def drawn(route: Route, edge: tuple[Name, Name]) -> DrawnShape:
        ends = frozenset(edge)
        if ends in undirected:
            return line(route, Look(line=BETWEEN), " – ".join(sorted(map(label, edge))))
        is_against = ends in turned and towards[ends] != edge
        return arrow(route, edge, points_up=is_against)

    return drawn_network(dag, ruler, drawn, name=_called(graph))


def line(route: Route, look: Look, title: str) -> DrawnShape:
    """An edge without a direction."""
    return Group([flow(route, look, flows_down=True)], ("edge", "undirected"), title)


def cpdag_summary(graph: DrawableCpdag, ruler: Ruler) -> Drawing:
    """Facts about a graph of any size."""
    facts = [
        ("nodes", f"{len(graph):,}"),
        ("directed edges", f"{len(graph.directed):,}"),
        ("undirected edges", f"{len(graph.undirected):,}"),
    ]
    counts = dict.fromkeys(graph.nodes, 0)
    for edge in (*graph.directed, *graph.undirected):
        for end in edge:
            counts[end] += 1
    return summary(
        _called(graph), facts, [histogram("Neighbours of a node", np.array(list(counts.values()), np.int64), ruler)], ruler
    )


def _called(graph: DrawableCpdag) -> str:
    edges = f"{len(graph.directed):,} directed and {amount(len(graph.undirected), 'undirected edge')}"
    return f"CPDAG of {amount(len(graph), 'node')}, {edges}"
