"""All methods of structure learning, by name."""

from __future__ import annotations

from dconvex.structure.climbing import greedy, search
from dconvex.structure.problem import StructureMethod

MOVES = frozenset({"required", "forbidden", "tiers", "max_parents", "start", "max_seconds"})
"""What searches that change an edge at a time honour."""

METHODS: dict[str, StructureMethod] = {
    "search": StructureMethod(search, MOVES | {"seed"}),
    "greedy": StructureMethod(greedy, MOVES),
}
"""The default comes first. What a method cannot honour is refused before it runs."""
