"""The best graph of all (`exact`)."""

from __future__ import annotations

import math

import numpy as np

from dconvex._core import EdgeConstraints, ExactSearch
from dconvex.arrays import Floats
from dconvex.errors import TooLargeError
from dconvex.structure.edge_worth import edge_changes
from dconvex.structure.problem import FoundStructure, StructureProblem

SET_BYTES = 100
"""Of a set of parents with its score, while its supersets are looked for."""
MOST_WORK = 2.0e11
"""Steps of about a nanosecond for scoring sets of parents, and as many for the order of variables: some minutes each."""
SCORE_STEPS = 1_000
LINE_STEPS = 4
"""Of a score, and more for each row that it goes over."""
LOOK_STEPS = 3
"""Of looking at a set of parents for the order of variables."""
SHARES = 4
"""Of the scores, what each variable has if all have the same; some may be ahead by as many, so that too many are seen soon."""
WAY_OUT = 'Set max_parents, forbid edges, give fewer variables, or use method="search".'


def exact(problem: StructureProblem) -> FoundStructure:
    """The graph of the best score, proven: sets of parents that a bound does not rule out, and the best order of variables.

    Raises:
        TooLargeError: The sets of parents, or the subsets of variables that depend on each other, are too many to hold.
        ValueError: They are too many to go over; that is counted, not timed.
    """
    tops = _tops(problem)
    _check_families(problem, is_bounded=tops is not None)
    _check_order(problem, _with_one_parent(problem, tops))
    search = ExactSearch(problem.score, problem.constraints, tops, _penalty(problem))
    _score_sets(problem, search)
    _check_order(problem, search)
    parents = search.best_parents()
    removal, reversal = edge_changes(problem, parents)
    notes = ("no graph within the constraints has a better score",)
    return FoundStructure(parents, evaluations=search.evaluations, notes=notes, removal=removal, reversal=reversal)


def _with_one_parent(problem: StructureProblem, tops: Floats | None) -> ExactSearch:
    """The search over single parents: quickly scored, and what depends on each other in it does so with more parents, too."""
    own = problem.constraints
    most = 1 if own.max_parents < 0 else min(own.max_parents, 1)
    constraints = EdgeConstraints(len(problem.names), problem.required, problem.forbidden, most)
    search = ExactSearch(problem.score, constraints, tops, _penalty(problem))
    for _ in problem.names:
        search.score_sets(len(problem.names) ** 2, len(problem.names) ** 2)
    return search


def _check_order(problem: StructureProblem, search: ExactSearch) -> None:
    """Refuse an order of variables that takes too much memory or too many looks."""
    size, part = len(problem.names), search.largest_part()
    if search.bytes_per_subset << part > problem.limit:
        what = f"all subsets of {part} variables that may depend on each other"
        raise TooLargeError(what, search.bytes_per_subset << part, problem.limit, WAY_OUT)
    looks = search.ordering_work()
    if looks * LOOK_STEPS > MOST_WORK:
        raise ValueError(
            f"the best order of {part} of {size} variables would take {looks:.2g} looks at sets of parents; "
            f'method="exact" takes at most {MOST_WORK / LOOK_STEPS:.2g}. {WAY_OUT}'
        )


def _check_families(problem: StructureProblem, *, is_bounded: bool) -> None:
    """Refuse families that are too many to score, as far as their number is known."""
    size, families = len(problem.names), _families(problem)
    if size > ExactSearch.most_variables or (not is_bounded and SET_BYTES * families > problem.limit):
        raise TooLargeError(f"scoring the families of {size} variables", SET_BYTES * families, problem.limit, WAY_OUT)
    if not is_bounded and families > _most_scores(problem):
        raise _too_many_scores(problem)


def _score_sets(problem: StructureProblem, search: ExactSearch) -> None:
    """Score all sets of parents that the bound does not rule out."""
    size, most, most_scores = len(problem.names), problem.limit // SET_BYTES, _most_scores(problem)
    for variable in range(size):
        problem.bar.show(variable)
        before = search.evaluations
        allowed = most_scores * min(variable + SHARES, size) // size - before
        if search.score_sets(most, allowed):
            continue
        if search.evaluations - before > allowed:
            raise _too_many_scores(problem)
        needed = SET_BYTES * max(most + 1, search.held * size // max(variable, 1))
        raise TooLargeError(f"scoring the families of {size} variables", needed, problem.limit, WAY_OUT)


def _most_scores(problem: StructureProblem) -> int:
    return int(MOST_WORK / (SCORE_STEPS + LINE_STEPS * problem.lines))


def _too_many_scores(problem: StructureProblem) -> ValueError:
    most = f'of these data method="exact" takes at most {_most_scores(problem):,} scores'
    return ValueError(f"the families of {len(problem.names)} variables are too many to score: {most}. {WAY_OUT}")


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
