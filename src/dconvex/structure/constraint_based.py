"""Search by tests of independence (`pc`)."""

from __future__ import annotations

from dconvex._core import ConstraintSearch, LikelihoodTest
from dconvex.amounts import amount
from dconvex.structure.edge_worth import edge_changes
from dconvex.structure.problem import FoundStructure, StructureProblem

AT_ONCE = 2_000
"""Tests between two looks at the bar."""
MOST_WORK = 3.0e10
"""Steps of about a nanosecond for all tests: about half a minute."""
TEST_STEPS = 4_000
"""Of a test, and one more for each row."""
LISTED = 3
"""The most edges that a note names."""


def pc(problem: StructureProblem) -> FoundStructure:
    """PC-stable, with colliders by majority; what is required and forbidden is known before the first test.

    Raises:
        ValueError: `alpha` is no level of a test.
    """
    if not 0 < problem.alpha < 1:
        raise ValueError(f"alpha={problem.alpha!r} must lie between 0 and 1")
    test = LikelihoodTest(problem.score_of("likelihood"), problem.kind, problem.alpha, problem.weight)
    search = ConstraintSearch(test, problem.constraints, int(MOST_WORK / (TEST_STEPS + problem.lines)))
    is_over = False
    while not is_over and search.advance(AT_ONCE):
        problem.bar.show(search.level)
        is_over = problem.clock.is_over
    graph = search.oriented()
    parents, given_up = graph.extension()
    notes: tuple[str, ...] = (
        f"{search.tests:,} tests at alpha={problem.alpha:g}, given at most {max(search.level - 1, 0)} variables",
    )
    if search.left_out:
        notes += (
            (
                f"with so many tests it ends: {amount(search.left_out, 'edge')} remain that tests given "
                f"{amount(search.level, 'variable')} or more might remove; forbid edges or give fewer variables"
            ),
        )
    if is_over:
        notes += ("max_seconds ended the tests; edges remain which later ones might remove",)
    if len(given_up):
        names = problem.names
        listed = [f"{names[one]!r} and {names[other]!r}" for one, other in given_up[:LISTED].tolist()]
        more = f" and {len(given_up) - LISTED:,} more" if len(given_up) > LISTED else ""
        notes += (f"no graph agrees with all tests; directions given up between {', '.join(listed)}{more}",)
    is_class = not len(given_up) and not len(problem.required) and not len(problem.forbidden)
    removal, reversal = edge_changes(problem, parents)
    return FoundStructure(
        parents,
        cpdag=graph if is_class else None,
        evaluations=search.tests,
        notes=notes,
        removal=removal,
        reversal=reversal,
    )
