"""Trees of the greatest score: over all variables (`tree`), and over all but one that is a parent of each (`tan`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dconvex._core import Ragged
from dconvex.amounts import amount
from dconvex.arrays import Floats, Indices
from dconvex.structure.edge_worth import check_both_ways, edge_changes
from dconvex.structure.problem import FoundStructure, StructureProblem

ALIKE = 1e-9
"""Gains that differ by less, relative to the larger one, are the same."""


def tree(problem: StructureProblem) -> FoundStructure:
    """Chow and Liu's tree, without the edges that cost more than they gain; it grows from the target, or the first variable."""
    check_both_ways(problem, "tree")
    root = 0 if problem.target is None else problem.target
    return _found(problem, _grown(problem, [root, *range(root), *range(root + 1, len(problem.names))], ()), "tree")


def tan(problem: StructureProblem) -> FoundStructure:
    """A tree-augmented naive Bayes classifier: the target is a parent of all others, which have a tree among themselves."""
    check_both_ways(problem, "tan")
    target = problem.target
    assert target is not None
    features = [variable for variable in range(len(problem.names)) if variable != target]
    parents = _grown(problem, features, (target,))
    apart = {child for parent, child in problem.forbidden.tolist() if parent == target}
    for feature in features:
        if feature not in apart:
            parents[feature] = sorted([*parents[feature], target])
    return _found(problem, parents, "tree of the features")


def _grown(problem: StructureProblem, variables: Sequence[int], given: tuple[int, ...]) -> list[list[int]]:
    """The parents in the tree of the greatest gain given some variables; Prim's algorithm, from the first variable on."""
    problem.check_gains(1)
    order = np.array(variables, np.int32)
    gains = _gains(problem, order, given)
    best, parent_of = np.full(len(order), -np.inf), np.full(len(order), -1)
    parents: list[list[int]] = [[] for _ in problem.names]
    is_left = np.ones(len(order), bool)
    while is_left.any():
        most = np.max(best[is_left], initial=0.0)
        ties = is_left & (best >= most - ALIKE * most) & (best > 0)
        new = int(np.argmax(ties if ties.any() else is_left))
        if ties.any():
            parents[order[new]] = [int(order[parent_of[new]])]
        is_left[new] = False
        better = is_left & (gains[new] > best + ALIKE * np.abs(np.where(np.isfinite(best), best, 0.0)))
        best[better], parent_of[better] = gains[new][better], new
    return parents


def _gains(problem: StructureProblem, order: Indices, given: tuple[int, ...]) -> Floats:
    """What an edge between two variables gains, given some others; the same both ways."""
    gains = np.full((len(order), len(order)), -np.inf)
    above = np.array(given, np.int32)
    for place, variable in enumerate(order.tolist()):
        smaller = np.flatnonzero(order < variable)
        own = problem.score.family(variable, above)
        found = problem.score.with_each(variable, above, order[smaller]) - own
        gains[place, smaller] = gains[smaller, place] = found
    place_of = {variable: place for place, variable in enumerate(order.tolist())}
    for one, other in problem.forbidden.tolist():
        if one in place_of and other in place_of:
            gains[place_of[one], place_of[other]] = -np.inf
    return gains


def _found(problem: StructureProblem, parents: list[list[int]], what: str) -> FoundStructure:
    lists = Ragged.from_lists(parents)
    size = len(parents) - (what != "tree")
    edges = sum(map(len, parents)) if what == "tree" else sum(any(p != problem.target for p in own) for own in parents)
    notes: tuple[str, ...] = ()
    if edges < size - 1:
        notes = (f"the {what} falls into {amount(size - edges, 'part')}: no edge between them gains",)
    removal, reversal = edge_changes(problem, lists)
    return FoundStructure(lists, evaluations=size * (size + 1) // 2, notes=notes, removal=removal, reversal=reversal)
