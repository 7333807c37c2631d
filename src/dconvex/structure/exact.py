"""The best graph of all (`exact`)."""

from __future__ import annotations

import math

import numpy as np

from dconvex._core import ExactSearch
from dconvex.arrays import Floats
from dconvex.errors import TooLargeError
from dconvex.structure.edge_worth import edge_changes
from dconvex.structure.problem import FoundStructure, StructureProblem

SET_BYTES = 100
"""Of a set of parents with its score, while its supersets are looked for."""
WAY_OUT = 'Set max_parents, forbid edges, give fewer variables, or use method="search".'


def exact(problem: StructureProblem) -> FoundStructure:
    """The graph of the best score, proven: sets of parents that a bound does not rule out, and the best order of variables.

    Raises:
        TooLargeError: The sets of parents, or the subsets of variables that depend on each other, are too many.
    """
    size, most = len(problem.names), problem.limit // SET_BYTES
    tops = _tops(problem)
    if size > ExactSearch.most_variables or (tops is None and _families(problem) > most):
        needed = SET_BYTES * _families(problem)
        raise TooLargeError(f"scoring the families of {size} variables", needed, problem.limit, WAY_OUT)
    search = ExactSearch(problem.score, problem.constraints, tops, _penalty(problem))
    for variable in range(size):
        problem.bar.show(variable, 0.0)
        if not search.score_sets(most):
            needed = SET_BYTES * max(most + 1, search.held * size // max(variable, 1))
            raise TooLargeError(f"scoring the families of {size} variables", needed, problem.limit, WAY_OUT)
    part = search.largest_part()
    if search.bytes_per_subset << part > problem.limit:
        what = f"all subsets of {part} variables that may depend on each other"
        raise TooLargeError(what, search.bytes_per_subset << part, problem.limit, WAY_OUT)
    parents = search.best_parents()
    removal, reversal = edge_changes(problem, parents)
    notes = ("no graph within the constraints has a better score",)
    return FoundStructure(parents, evaluations=search.evaluations, notes=notes, removal=removal, reversal=reversal)


def _families(problem: StructureProblem) -> int:
    others, limit = len(problem.names) - 1, problem.constraints.max_parents
    sizes = range((others if limit < 0 else min(limit, others)) + 1)
    return len(problem.names) * sum(math.comb(others, count) for count in sizes)


def _penalty(problem: StructureProblem) -> float:
    """Of a parameter, as `bic` and `aic` have it."""
    return 1.0 if problem.criterion == "aic" else 0.5 * math.log(max(problem.weight, 1.0))


def _tops(problem: StructureProblem) -> Floats | None:
    """The likelihood of each variable given all others, which no parents pass; None for scores that have no bound."""
    if problem.criterion not in ("bic", "aic"):
        return None
    if problem.kind == "discrete":
        return np.zeros(len(problem.names))
    likelihood, indices = problem.score_of("likelihood"), np.arange(len(problem.names), dtype=np.int32)
    return np.array([likelihood.family(own, indices[indices != own]) for own in indices.tolist()])
