"""A cluster tree in Graphviz's language."""

from __future__ import annotations

from collections.abc import Iterable

from dconvex.display.labels import label, wrapped
from dconvex.graph.tree import ClusterTree
from dconvex.names import Name, canonical


def as_dot(tree: ClusterTree) -> str:
    """The tree with its separators on the edges; `dot -Tsvg` or `neato` lay it out."""
    undecided = set(tree.undecided)
    lines = ["graph clusters {", "  node [shape=box, style=rounded];"]
    for index, cluster in enumerate(tree.clusters):
        mark = ', style="rounded,dashed", color=red' if index in undecided else ""
        lines.append(f"  c{index} [label={_quoted(cluster)}{mark}];")
    for (one, other), separator in zip(tree.edges, tree.separators, strict=True):
        lines.append(f"  c{one} -- c{other} [label={_quoted(separator)}];")
    return "\n".join([*lines, "}", ""])


def _quoted(names: Iterable[Name]) -> str:
    r"""Names in lines, as a label: there a backslash starts an escape such as \N, and an ampersand an entity."""
    lines = wrapped([label(name) for name in canonical(names)], 30, len)
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines)
    return '"' + "\\n".join(escaped) + '"'
