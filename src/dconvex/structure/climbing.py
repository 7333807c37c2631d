"""Greedy search: one edge at a time, up to where no change gains (`greedy`), and on from there (`search`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dconvex._core import StructureSearch
from dconvex.amounts import amount
from dconvex.structure.classes import class_optimum, has_classes
from dconvex.structure.problem import FoundStructure, StructureProblem

AT_ONCE = 20_000
"""Scores between two looks at the clock."""
LEAST_BUDGET = 400_000
MOST_BUDGET = 10_000_000
"""Scores of families after the first optimum: enough that the best of several runs differ little."""
PRICE_OF_EXPECTATION = 10
"""The part of the budget that scores from expected counts have, each of which takes that many times as long and more."""
TABU_STEPS = 10
"""Moves from an optimum before the graph is perturbed."""
SHARE_OF_CLASSES = 0.4
"""The most of the budget that is spent on a start from classes."""


def greedy(problem: StructureProblem) -> FoundStructure:
    """Hill climbing: the best of all additions, removals and reversals, again and again, until none gains."""
    problem.check_gains(1)
    return _climbed(problem, StructureSearch(problem.score, problem.constraints, problem.start))


def search(problem: StructureProblem) -> FoundStructure:
    """From the better optimum of hill climbing and of classes on, with tabu moves and perturbations, for a budget of scores."""
    problem.check_gains(2)  # and until when each pair is left alone
    size = len(problem.names)
    budget = min(LEAST_BUDGET + 80 * size * size, MOST_BUDGET) // (PRICE_OF_EXPECTATION if problem.is_expected else 1)
    first = greedy(problem)
    if has_classes(problem) and not problem.clock.is_over:
        classes = class_optimum(problem, budget * SHARE_OF_CLASSES)
        budget -= classes.evaluations
        first = max(first, classes, key=lambda found: float(found.gains.sum()))
    options = {"budget": budget, "tabu_steps": TABU_STEPS, "seed": problem.seed}
    found = _climbed(problem, StructureSearch(problem.score, problem.constraints, first.parents, **options))
    moves, gains = np.concatenate([first.moves, found.moves]), np.concatenate([first.gains, found.gains])
    return replace(found, moves=moves, gains=gains, evaluations=first.evaluations + found.evaluations)


def _climbed(problem: StructureProblem, search: StructureSearch) -> FoundStructure:
    notes: tuple[str, ...] = ()
    rounds = 0
    while search.advance(AT_ONCE):
        rounds += 1
        problem.bar.show(rounds, search.score if search.is_loaded else None)
        if problem.clock.is_over:
            spent = amount(search.evaluations, "score")
            notes = (f"max_seconds ended the search after {spent} of families; this is the best graph until then",)
            break
    moves, gains = search.moves()
    if not search.is_loaded:
        return FoundStructure(search.parents, None, moves, gains, search.evaluations, notes=notes)
    return FoundStructure(search.parents, None, moves, gains, search.evaluations, search.score, notes, *search.edge_gains())
