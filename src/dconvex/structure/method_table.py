"""All methods of structure learning, by name."""

from __future__ import annotations

from dconvex.structure.classes import ges
from dconvex.structure.climbing import greedy, search
from dconvex.structure.constraint_based import pc
from dconvex.structure.exact import exact
from dconvex.structure.problem import StructureMethod
from dconvex.structure.spanning_trees import tan, tree

MOVES = frozenset({"required", "forbidden", "tiers", "max_parents", "start", "edge_penalty", "max_seconds"})
"""What searches that change an edge at a time honour."""
CLASSES = frozenset({"forbidden", "max_parents", "start", "edge_penalty", "max_seconds"})
TESTS = frozenset({"required", "forbidden", "tiers", "alpha", "max_seconds"})
ALL_GRAPHS = frozenset({"required", "forbidden", "tiers", "max_parents", "edge_penalty"})

METHODS: dict[str, StructureMethod] = {
    "search": StructureMethod(search, MOVES | {"seed"}),
    "greedy": StructureMethod(greedy, MOVES),
    "ges": StructureMethod(ges, CLASSES, takes_gaps=False),
    "pc": StructureMethod(pc, TESTS, takes_gaps=False),
    "exact": StructureMethod(exact, ALL_GRAPHS, takes_gaps=False),
    "tree": StructureMethod(tree, frozenset({"forbidden", "target"})),
    "tan": StructureMethod(tan, frozenset({"forbidden", "target"}), needs_target=True),
}
"""The default comes first. What a method cannot honour is refused before it runs."""
