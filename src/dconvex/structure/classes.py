"""Greedy search over classes of equivalent graphs (`ges`)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dconvex._core import ClassSearch, EdgeConstraints, Graph, Ragged
from dconvex.amounts import amount
from dconvex.structure.edge_worth import check_both_ways, edge_changes, first_one_way
from dconvex.structure.problem import FoundStructure, StructureProblem

AT_ONCE = 20_000
"""Scores between two looks at the clock."""
ATTEMPTS = 4_000
"""The most edges that are taken out of an optimum, one at a time, to go on from there."""


def ges(problem: StructureProblem) -> FoundStructure:
    """Greedy equivalence search, in the order and with the attempts of XGES."""
    check_both_ways(problem, "ges")
    problem.check_gains(1)
    found = class_optimum(problem)
    removal, reversal = edge_changes(problem, found.parents)
    return replace(found, removal=removal, reversal=reversal)


def has_classes(problem: StructureProblem) -> bool:
    """Whether a search over classes can keep to the constraints, and its scores are the same for equivalent graphs."""
    return not problem.has_gaps and not len(problem.required) and first_one_way(problem) is None


def class_optimum(problem: StructureProblem, most: float = math.inf) -> FoundStructure:
    """The best class that is found with about this many scores of families at the most."""
    size = len(problem.names)
    constraints = EdgeConstraints(size, np.empty((0, 2), np.int32), problem.forbidden, problem.constraints.max_parents)
    search = ClassSearch(problem.score, constraints, Graph(problem.start), ATTEMPTS)
    notes: tuple[str, ...] = ()
    rounds = 0
    while search.advance(AT_ONCE) and search.evaluations < most:
        rounds += 1
        problem.bar.show(rounds, search.gained)
        if problem.clock.is_over:
            spent = amount(search.evaluations, "score")
            notes = (f"max_seconds ended the search after {spent} of families; this is the best class until then",)
            break
    parents: Ragged = search.graph.extension()[0]
    moves, gains = search.moves
    return FoundStructure(parents, cpdag=search.graph, moves=moves, gains=gains, evaluations=search.evaluations, notes=notes)
