"""The picture of edges by strength: wide where they are sure, dashed where they are weaker than the threshold."""

from __future__ import annotations

from dconvex.amounts import amount
from dconvex.display.cpdag_picture import line
from dconvex.display.drawable import DrawableStrengths
from dconvex.display.drawing import BETWEEN, Drawing, DrawnShape, Look, Ruler
from dconvex.display.geometry import Route
from dconvex.display.labels import label
from dconvex.display.network_picture import arrow, drawn_network, is_crowded
from dconvex.display.panels import summary
from dconvex.names import Name

WEAK = 0.5
"""Edges below this part of the threshold are left out."""
WIDEST = 1.6


def strength_picture(strengths: DrawableStrengths, ruler: Ruler, most: int) -> Drawing:
    """The averaged graph, and as dashed lines the edges that are nearly as strong; a summary of one that is too large."""
    shown = strengths.averaged(WEAK * strengths.threshold)
    called = f"Edges of {amount(len(strengths.nodes), 'variable')} by strength, from {amount(strengths.samples, 'sample')}"
    if is_crowded(shown, most):
        strong = sum(edge.strength > strengths.threshold for edge in strengths.edges)
        facts = [
            ("variables", f"{len(strengths.nodes):,}"),
            ("edges in any sample", f"{len(strengths.edges):,}"),
            ("above the threshold", f"{strong:,}"),
        ]
        return summary(called, facts, [], ruler)
    found = {frozenset((edge.parent, edge.child)): edge for edge in strengths.edges}

    def drawn(route: Route, ends: tuple[Name, Name]) -> DrawnShape:
        edge = found[frozenset(ends)]
        is_weak = edge.strength <= strengths.threshold
        look = Look(line=BETWEEN, width=0.5 if is_weak else WIDEST * edge.strength, is_dashed=is_weak)
        mark = "→" if edge.directed > 0.5 else "–"
        title = f"{label(edge.parent)} {mark} {label(edge.child)}: strength {edge.strength:.2f}, direction {edge.direction:.2f}"
        if edge.directed > 0.5:
            return arrow(route, ends, look, points_up=(edge.parent, edge.child) != ends, title=title)
        return line(route, look, title)

    return drawn_network(shown, ruler, drawn, name=called)
