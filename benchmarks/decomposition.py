"""The tree of each built-in network: Algorithm 2, the refined tree, pyAgrum's junction tree, and Algorithm 2 in plain networkx.

"localize" is the whole model, whose tree is refined with work in proportion to that of Algorithm 2. pyAgrum stops at the
junction tree, where Algorithm 2 begins to test separators. Most of the time of the plain one goes into networkx's
triangulation; "plain, our cliques" is given ours and only has to join, test and merge.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import Any

import networkx

import dconvex as dc
from benchmarks.harness import Case
from benchmarks.plain_algorithm2 import decomposition_tree, junction_tree
from dconvex.exchange.pyagrum import to_pyagrum

QUICK = ("asia", "alarm", "win95pts", "pigs")
LARGE = 400
"""From this many nodes on the plain ones get one call only."""
LONG = ("link",)
"""Networks whose refined tree takes so long that one call must do."""


def cases(quick: bool) -> Iterator[Case]:
    for name in QUICK if quick else sorted(dc.network_names(), key=lambda name: len(dc.load_network(name).dag)):
        yield case(name, dc.load_network(name), quick)


def case(name: str, network: dc.BayesianNetwork, quick: bool) -> Case:
    import pyagrum

    dag, graph = network.dag, network.dag.to_networkx()
    model, generator = _for_pyagrum(network), pyagrum.JunctionTreeGenerator()
    cliques = dc.decompose(dag, separators="all").clusters
    contenders = {
        "Algorithm 2": lambda: dc.decompose(dag, refine=False),
        "refined": lambda: dc.decompose(dag),
        "localize": lambda: dc.localize(network),
        "pyAgrum junction tree": lambda: generator.junctionTree(model),
        "plain, our cliques": lambda: decomposition_tree(graph, junction_tree(cliques)),
    }
    if not quick or len(dag) < 2 * LARGE:
        contenders["plain"] = lambda: decomposition_tree(graph)
    once = {"plain", "plain, our cliques"} if len(dag) >= LARGE else set()
    if name in LONG:
        once.add("refined")
    return Case(f"{name} ({len(dag):,} nodes)", contenders, dict.fromkeys(once, 0), describe=describe)


@singledispatch
def describe(tree: Any) -> str:
    """The number of clusters and the largest, here of pyAgrum's tree."""
    return f"{tree.size():,} cliques, largest {max((len(tree.clique(place)) for place in tree.nodes()), default=0):,}"


@describe.register
def _(model: dc.LocalModel) -> str:
    return describe(model.tree)


@describe.register
def _(tree: dc.ClusterTree) -> str:
    proof = ", certified" if tree.certified else f", {len(tree.undecided)} undecided" if len(tree.undecided) < len(tree) else ""
    return f"{len(tree):,} clusters, largest {int(tree.sizes.max(initial=0)):,}{proof}"


@describe.register
def _(tree: networkx.Graph) -> str:  # type: ignore[type-arg]  # it is looked at when this is defined
    return f"{len(tree):,} clusters, largest {max(map(len, tree), default=0):,}"


def _for_pyagrum(network: dc.BayesianNetwork) -> Any:
    """The network; of a Gaussian one, which pyAgrum does not know, the graph."""
    import pyagrum

    if network.states:
        return to_pyagrum(network)
    graph = pyagrum.DAG()
    place = {node: graph.addNode() for node in network.dag.nodes}
    for parent, child in network.dag.edges:
        graph.addArc(place[parent], place[child])
    return graph
