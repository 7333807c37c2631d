"""What each edge of a graph is worth, and constraints without a direction: for methods that do not move one edge at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from dconvex._core import FamilyScore, Graph, Ragged
from dconvex.arrays import Floats, Indices
from dconvex.structure.problem import StructureProblem


def edge_changes(problem: StructureProblem, parents: Ragged) -> tuple[Floats, Floats]:
    """What removing and what reversing each edge changes of the score, in the order of `parents`; NaN where not allowed."""
    required, forbidden = (set(map(tuple, edges.tolist())) for edges in (problem.required, problem.forbidden))
    graph, score = Graph(parents), problem.score
    own = [score.family(child, parents[child]) for child in range(len(parents))]
    removal, reversal = [], []
    for child, parent in zip(parents.owners().tolist(), parents.values.tolist(), strict=True):
        without = score.family(child, _indices(other for other in parents[child].tolist() if other != parent)) - own[child]
        is_fixed = (parent, child) in required
        removal.append(math.nan if is_fixed else without)
        can_turn = not is_fixed and (child, parent) not in forbidden and not _is_bridged(graph, parent, child)
        turned = _with(score, parents, parent, child) - own[parent] if can_turn else math.nan
        reversal.append(without + turned)
    return np.array(removal, np.float64), np.array(reversal, np.float64)


def check_both_ways(problem: StructureProblem, method: str) -> None:
    """Refuse edges that are forbidden one way only.

    Raises:
        ValueError: There is one.
    """
    if (pair := first_one_way(problem)) is not None:
        edge = f"{problem.names[pair[0]]!r} → {problem.names[pair[1]]!r}"
        raise ValueError(
            f"method={method!r} cannot honour the direction of a forbidden edge: {edge} is forbidden, its reverse is not;"
            " forbid both, or use method='search'"
        )


def first_one_way(problem: StructureProblem) -> tuple[int, int] | None:
    """The first edge that is forbidden one way only."""
    pairs = {(parent, child) for parent, child in problem.forbidden.tolist()}
    return min((pair for pair in pairs if pair[::-1] not in pairs), default=None)


def _is_bridged(graph: Graph, parent: int, child: int) -> bool:
    """Whether another path leads from the parent to the child."""
    others = [other for other in graph.children[parent].tolist() if other != child]
    return bool(others) and child in graph.descendants(_indices(others)).tolist()


def _with(score: FamilyScore, parents: Ragged, variable: int, parent: int) -> float:
    return score.family(variable, _indices(sorted([*parents[variable].tolist(), parent])))


def _indices(numbers: Iterable[int]) -> Indices:
    return np.array(list(numbers), np.int32)
