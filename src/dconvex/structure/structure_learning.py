"""`learn_structure`: from a table to a graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from dconvex._core import FamilyScore, PenalisedScore, Ragged
from dconvex.arrays import Indices
from dconvex.errors import DataError
from dconvex.graph.cpdag import Cpdag
from dconvex.graph.dag import Dag, DagLike
from dconvex.learning.discretizer import Discretizer, checked_discretizer
from dconvex.learning.learning_options import (
    EM,
    NULL_VALUES,
    Kind,
    LearningOptions,
    Missing,
    StatesLike,
    checked_missing,
)
from dconvex.names import Name, checked_labels
from dconvex.progress import Iterations
from dconvex.structure.coded_tables import CodedRows
from dconvex.structure.data_scores import check_values, note_of_pairs, pairs_apart, score_maker
from dconvex.structure.expected_rows import ExpectedRows
from dconvex.structure.learned_structure import Structure, StructureMove
from dconvex.structure.measured_tables import MeasuredRows
from dconvex.structure.method_table import METHODS
from dconvex.structure.problem import CHANGES, Clock, FoundStructure, StructureMethod, StructureProblem
from dconvex.structure.shared_counts import CountRounds, SharedCounts
from dconvex.structure.structural_em import learned_with_gaps
from dconvex.structure.structure_options import (
    EdgeRules,
    Edges,
    IndexedRules,
    ScoreChoice,
    StructureScore,
    check_honoured,
    method_named,
)
from dconvex.structure.table_rows import rows_of

OwnRows: TypeAlias = CodedRows | MeasuredRows
AnyRows: TypeAlias = OwnRows | CountRounds | ExpectedRows

MethodName: TypeAlias = Literal["search", "greedy", "ges", "pc", "exact", "tree", "tan"]


def learn_structure(
    data: object,
    *,
    method: MethodName = "search",
    score: StructureScore = "bic",
    kind: Kind | None = None,
    states: StatesLike | None = None,
    required: Edges = (),
    forbidden: Edges = (),
    tiers: Sequence[Name | Iterable[Name]] | None = None,
    max_parents: int | None = None,
    start: DagLike | None = None,
    target: Name | None = None,
    edge_penalty: float = 0.0,
    alpha: float = 0.01,
    missing: Missing | EM = "available",
    weights: Name | None = None,
    discretizer: Discretizer | None = None,
    null_values: Sequence[str] = NULL_VALUES,
    n_jobs: int | None = None,
    max_bytes: float | None = None,
    seed: int = 0,
    max_seconds: float | None = None,
    progress: bool = False,
) -> Structure:
    """Learn a graph from data: which variables depend on which.

    The graph is a function of the data and the names: not of the order of columns or rows, of `n_jobs`, or of how the rows are
    cut into tables.

    Args:
        data: As for `fit`: a data frame, a path to CSV or Parquet files, a Dask DataFrame, or a list or iterator of tables.
            Each column is a variable. Or `SharedCounts`: sites that share counts and never rows.
        method: `"search"` (greedy search that leaves local optima; the best score for its time) or `"greedy"` (plain hill
            climbing).
        score: Discrete data: `"bic"`, `"aic"`, `"bdeu"` or `BDeu(10)`. Gaussian data: `"bic"`, `"aic"`, `"bge"` or `BGe(…)`.
        kind: "discrete" or "gaussian"; None: as the columns show.
        states: Labels of variables, in order; None: those that the data shows.
        required: Edges, as (parent, child) pairs, that the graph must have.
        forbidden: Edges that it must not have.
        tiers: Lists of variables, the earliest first: no edge leads to an earlier tier.
        max_parents: The most parents of a variable (None: as many as the score allows).
        start: A graph to start from; None: the required edges alone.
        target: The variable to classify, for methods about one.
        edge_penalty: What each edge costs, in the units of the score: that of a prior by which every edge makes a graph
            `exp(edge_penalty)` times less probable. Fewer edges, and more of them true, at a lower score.
        alpha: The level of tests, for methods that test.
        missing: What becomes of rows with missing cells. `"available"`: BIC and AIC compare families by their average
            log-likelihood over the rows that show them, which assumes cells missing completely at random; other scores refuse.
            `"complete"` leaves such rows out, and the result says how many. `"em"` or `EM(…)`: structural EM, which fills them
            in expectation under the graph so far, and learns again until the graph stays.
        weights: The column of the rows' weights: a row of weight 2 counts as two rows.
        discretizer: What makes intervals of columns of numbers, as for `fit`.
        null_values: How a missing cell is spelled in CSV files, unless a declared state is spelled so.
        n_jobs: The number of threads (None: all cores); it makes no difference to the result.
        max_bytes: The most memory for rows and scores (None: half of what the machine has).
        seed: Of the perturbations of `"search"`.
        max_seconds: Stop after this time with the best graph so far; the result says so.
        progress: Show how far it is if it takes more than a second.

    Returns:
        The structure: its graph, score, history, and what each edge is worth.

    Raises:
        DataError: There are no rows, or a column cannot be used as it is.
        UnknownVariableError: A constraint names a variable that the data does not have.
        ValueError: Options are unknown or contradict each other, the method cannot honour one, or `"exact"` has too much to
            go over.
        CycleError: Required edges, with those of the start, make a cycle.
        TooLargeError: Rows, scores, or what edges gain take more memory than `max_bytes`.

    >>> import dconvex as dc
    >>> data = dc.load_network("asia").sample(10_000, seed=1)
    >>> dc.learn_structure(data, method="greedy").dag.parents("dysp")
    ('bronc', 'either')
    """
    chosen = method_named(method, METHODS)
    choice = ScoreChoice.of(score)
    rules = EdgeRules.of(required, forbidden, tiers, max_parents, start, target, edge_penalty)
    check_honoured(method, chosen, rules, max_seconds, choice)
    cut = checked_discretizer(discretizer)
    both = {**({} if cut is None else cut.states), **(states or {})}
    declared = {name: checked_labels(name, labels) for name, labels in both.items()} or None
    kind = "discrete" if declared and kind is None else kind
    options = LearningOptions(
        kind, declared, "raise", n_jobs, max_bytes, progress, checked_missing(missing), weights=weights, null_values=null_values
    )  # fmt: skip
    clock = Clock(max_seconds)
    rows = rounds_of(data, options) if isinstance(data, SharedCounts) else rows_of(data, options)
    own_kind: Kind = "gaussian" if isinstance(rows, MeasuredRows) else "discrete"
    choice.check_kind(own_kind)
    with Iterations(f"learning a structure ({method})", "score", is_shown=progress) as bar:

        def problem_of(rows: AnyRows, apart: Indices) -> StructureProblem:
            indexed = IndexedRules.of(rules, rows.variables, apart)
            make = score_maker(rows, choice, options.threads)
            plain = make(choice.criterion)
            score = PenalisedScore(plain, edge_penalty) if edge_penalty else plain
            return StructureProblem(
                rows.variables, own_kind, choice.criterion, score, make, rows.weight, lines_of(rows), has_gaps(rows),
                isinstance(rows, ExpectedRows), indexed.constraints, indexed.required, indexed.forbidden, indexed.start,
                indexed.target, alpha, seed, options.threads, options.limit, clock, bar,
            )  # fmt: skip

        if isinstance(rows, CountRounds):
            problem = problem_of(rows, np.empty((0, 2), np.int32))
            return _structure(method, problem, chosen.learn(problem), rows, (), edge_penalty)
        if options.em is not None and rows.has_missing.any():
            check_values(rows)
            apart = pairs_apart(rows.presence())
            empty = IndexedRules.of(rules, rows.variables, apart).start
            learn = lambda filled: chosen.learn(problem_of(filled, apart))  # noqa: E731
            filled, found, note = learned_with_gaps(rows, options, empty, learn)
            said = (note, *note_of_pairs(apart, rows.variables))
            return _structure(method, problem_of(filled, apart), found, filled, said, edge_penalty)
        rows, notes, apart = prepared(rows, options, chosen, method, choice)
        problem = problem_of(rows, apart)
        return _structure(method, problem, chosen.learn(problem), rows, notes, edge_penalty)


def lines_of(rows: AnyRows) -> int:
    """Different rows that each score goes over; none where it needs moments only."""
    if isinstance(rows, MeasuredRows):
        return 0
    return rows.codes.shape[1] if isinstance(rows, CodedRows) else rows.rows


def has_gaps(rows: AnyRows) -> bool:
    """Whether families are compared over different rows."""
    return isinstance(rows, OwnRows) and bool(rows.has_missing.any())


def rounds_of(data: SharedCounts, options: LearningOptions) -> CountRounds:
    """The counts of sites, for options that make sense for them.

    Raises:
        ValueError: One does not.
    """
    if options.kind == "gaussian":
        raise ValueError('SharedCounts are discrete; kind="gaussian" needs rows')
    if options.states is not None or options.weights is not None:
        given = "states= or discretizer=" if options.states is not None else "weights="
        raise ValueError(f"SharedCounts has the states, and sites count rows as they are; leave out {given}")
    if options.missing != "available":
        raise ValueError("SharedCounts has counts of complete rows only; leave out missing= (site_counts has its own)")
    return CountRounds.of(data, options.limit)


def prepared(
    rows: OwnRows, options: LearningOptions, chosen: StructureMethod, method: str, choice: ScoreChoice
) -> tuple[OwnRows, tuple[str, ...], Indices]:
    """The rows that a method goes over, what has to be known of them, and the pairs of variables that get no edge.

    Raises:
        DataError: No row or no cell is left, or the method cannot compare families where cells are missing.
    """
    notes: tuple[str, ...] = ()
    apart = np.empty((0, 2), np.int32)
    has_missing = rows.has_missing
    if not has_missing.any():
        check_values(rows)
        return rows, notes, apart
    if options.missing == "complete":
        rows = rows.complete()
        check_values(rows)
        notes = (f"{rows.dropped:,} of {rows.rows:,} rows have missing cells and were left out",)
        return rows, notes, apart
    check_values(rows)
    if choice.criterion not in ("bic", "aic") or not chosen.takes_gaps:
        name = rows.variables[int(np.argmax(has_missing))]
        what = f"score={choice.criterion!r}" if chosen.takes_gaps else f"method={method!r}"
        raise DataError(
            f'column {name!r} has missing cells, and {what} cannot compare families by different rows; pass missing="complete" '
            'to leave such rows out, missing="em" to fill them in expectation, or take method="search" with score="bic"'
        )
    apart = pairs_apart(rows.presence())
    columns = f"{int(has_missing.sum()):,} of {len(rows.variables):,} columns have missing cells"
    averages = "families are compared by their average log-likelihood over the rows that show them"
    caveat = 'which assumes cells missing completely at random, and equivalent graphs may differ in it (missing="em" does not)'
    return rows, (f"{columns}: {averages}, {caveat}", *note_of_pairs(apart, rows.variables)), apart


def _structure(
    method: str,
    problem: StructureProblem,
    found: FoundStructure,
    rows: AnyRows,
    notes: tuple[str, ...],
    edge_penalty: float,
) -> Structure:
    names = problem.names
    history = [
        StructureMove(CHANGES[change], names[parent], names[child], gain)
        for (change, parent, child), gain in zip(found.moves.tolist(), found.gains.tolist(), strict=True)
    ]
    score = score_of(problem.score, found.parents) if found.score is None else found.score
    score += edge_penalty * len(found.parents.values)  # the score is that of the data alone
    asked = (rows.asked(),) if isinstance(rows, CountRounds) else ()
    return Structure(
        Dag.from_arrays(names, found.parents),
        score,
        criterion=problem.criterion,
        method=method,
        rows=rows.rows - rows.dropped,
        history=history,
        evaluations=found.evaluations,
        notes=(*notes, *found.notes, *asked),
        cpdag=None if found.cpdag is None else Cpdag.from_core(names, found.cpdag),
        removal=[] if found.removal is None else found.removal.tolist(),
        reversal=[] if found.reversal is None else found.reversal.tolist(),
    )


def score_of(score: FamilyScore, parents: Ragged) -> float:
    """The score of a graph: the sum over its families."""
    return float(sum(score.family(child, parents[child]) for child in range(len(parents))))
