"""Predictions for whole tables: rows with the same cells present share a plan, rows with the same evidence an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from dconvex.arrays import Flags, Floats, Indices
from dconvex.inference.evidence import Evidence, Variables
from dconvex.inference.patterns import RowGroup, row_groups
from dconvex.inference.possibility import (
    are_numbers_possible,
    may_be_impossible,
    may_be_off_support,
    raise_impossible,
    raise_impossible_numbers,
)
from dconvex.inference.regression_model import RegressionModel
from dconvex.inference.row_parts import ROWS_AT_ONCE, RowPart, row_parts
from dconvex.inference.row_plans import cheapest_row_plans
from dconvex.inference.table_model import TableModel
from dconvex.names import Label, Name
from dconvex.network.frame_columns import Columns
from dconvex.threads import thread_count, threads

Impossible: TypeAlias = Literal["raise", "nan"]
Unknown: TypeAlias = Literal["raise", "missing"]
MISSING = -1
CODE = 4
"""The bytes of an encoded cell."""


class PredictionRequest(NamedTuple):
    """What is to be predicted for each row of a table."""

    targets: Variables
    impossible: Impossible
    """What becomes of rows of probability zero."""
    unknown: Unknown
    """What becomes of labels that the model does not have."""
    limit: int
    """The most bytes that may be held at once."""
    n_jobs: int | None = 1
    """The number of threads, as for `fit`; it does not change a bit of the answers."""

    def checked(self) -> PredictionRequest:
        """The request, unless it names a policy that there is not."""
        if self.impossible not in ("raise", "nan"):
            raise ValueError(f"impossible={self.impossible!r}; there are 'raise' and 'nan'")
        if self.unknown not in ("raise", "missing"):
            raise ValueError(f"unknown={self.unknown!r}; there are 'raise' and 'missing'")
        return self


class _ImpossibleRow(NamedTuple):
    """A row of probability zero: its number, its evidence, and the targets in whose network it is impossible."""

    row: int
    evidence: Evidence
    context: Variables


class _BlockReport(NamedTuple):
    """What was found out about a block of rows: those that are impossible, and the memory that its largest plan took."""

    impossible: list[_ImpossibleRow]
    peak_bytes: int

    @classmethod
    def of(cls, parts: Sequence[_BlockReport]) -> _BlockReport:
        """What was found out about all parts."""
        rows = [row for part in parts for row in part.impossible]
        return cls(rows, max((part.peak_bytes for part in parts), default=0))


def _present(columns: Columns, names: Sequence[Name], targets: Variables) -> list[int]:
    """The variables that have a column, but for the targets."""
    wanted = set(targets)
    return [v for v, name in enumerate(names) if v not in wanted and name in columns]


# --- tables


def predicted_labels(model: TableModel, columns: Columns, request: PredictionRequest) -> dict[Name, list[Label | None]]:
    """By target the most probable state in each row; None in impossible rows. Probabilities are held a part at a time."""
    best: dict[int, list[Label | None]] = {target: [] for target in request.targets}
    width = 8 * sum(len(model.labels[target]) for target in request.targets)
    width += CODE * len(_present(columns, model.names, request.targets))
    for part in row_parts(columns, 0, width, request.limit):
        found = _nowhere(model, request.targets, len(part.columns))
        _fill_part(model, part, request, found)
        for target, values in found.items():
            best[target] += _best_labels(values, model.labels[target])
    return {model.names[target]: labels for target, labels in best.items()}


def predicted_probabilities(model: TableModel, columns: Columns, request: PredictionRequest) -> dict[Name, Floats]:
    """By target the probabilities of its states, a row for each row of the data; NaN in impossible rows."""
    size = 8 * len(columns) * sum(len(model.labels[target]) for target in request.targets)
    parts = row_parts(columns, size, CODE * len(_present(columns, model.names, request.targets)), request.limit)
    found = _nowhere(model, request.targets, len(columns))
    for part in parts:
        _fill_part(model, part, request, {target: values[part.first : part.last] for target, values in found.items()})
    return {model.names[target]: values for target, values in found.items()}


def _nowhere(model: TableModel, targets: Variables, rows: int) -> dict[int, Floats]:
    """Arrays for the probabilities of each target, without any yet."""
    return {target: np.full((rows, len(model.labels[target])), np.nan) for target in targets}


def _fill_part(model: TableModel, part: RowPart, request: PredictionRequest, found: dict[int, Floats]) -> None:
    """Fill in the probabilities of the rows of a part.

    Raises:
        ImpossibleEvidenceError: A row has probability zero, unless such rows are to be left without an answer.
        TooLargeError: A plan takes more memory than is left.
    """
    with part.counted(request.limit) as left:
        impossible = _filled(model, part.columns, request._replace(limit=left), found)
    if impossible and request.impossible == "raise":
        row, evidence, context = min(impossible, key=lambda one: one.row)
        raise_impossible(model, evidence, request.limit, context, f" in row {part.first + row}")


def _filled(model: TableModel, columns: Columns, request: PredictionRequest, found: dict[int, Floats]) -> list[_ImpossibleRow]:
    """Fill in the probabilities of some rows, block by block; the first impossible rows of each block.

    The first block shows how much memory each of several threads would take.
    """
    present = _present(columns, model.names, request.targets)
    states = np.empty((len(columns), len(present)), np.int32)
    for k, v in enumerate(present):
        states[:, k] = columns.codes_or_missing(model.names[v], model.labels[v], unknown=request.unknown)

    def fill(first: int) -> _BlockReport:
        block = states[first : first + ROWS_AT_ONCE]
        reports = [_fill(model, group, request, found) for group in row_groups(present, block, block != MISSING, first)]
        return _BlockReport.of(reports)

    first, *others = range(0, max(len(columns), 1), ROWS_AT_ONCE)
    begun = fill(first)
    most = max(request.limit // max(begun.peak_bytes, 1), 1)
    with threads(min(thread_count(request.n_jobs), len(others), most) or 1) as workers:
        return _BlockReport.of([begun, *workers.map(fill, others)]).impossible


def _fill(model: TableModel, group: RowGroup[Indices], request: PredictionRequest, found: dict[int, Floats]) -> _BlockReport:
    """Fill in the probabilities of the rows of a group; the first row that is impossible for each plan."""
    impossible: list[_ImpossibleRow] = []
    peak_bytes = 0

    def note(flags: Flags, context: Variables) -> None:
        if (first := group.first_without(flags)) is not None:
            evidence = Evidence(group.observed, tuple(group.cells[first].tolist()))
            impossible.append(_ImpossibleRow(int(group.rows[first]), evidence, context))

    is_possible = np.ones(len(group.rows), bool)
    is_checked = False
    for planned in cheapest_row_plans(model, request.targets, group, request.limit):
        chosen = planned.sound(model)
        peak_bytes = max(peak_bytes, chosen.peak_bytes)
        values, is_fine = chosen.plan.run_rows(np.ascontiguousarray(group.cells[chosen.first]))
        own = is_fine[chosen.number]
        is_sure = chosen.plan.uses_all_evidence
        is_checked |= is_sure
        if not (is_sure or model.coherent):
            own &= _are_possible(model, group, request.limit, chosen.targets)
        note(own, chosen.targets)
        if model.coherent:
            is_possible &= own
        for target, start, size in chosen.spans:
            found[target][group.rows] = values[chosen.number, start : start + size]
            found[target][group.rows[~own]] = np.nan
    if model.coherent and not is_checked:
        own = _are_possible(model, group, request.limit, ())
        note(own, ())
        is_possible &= own
    for probabilities in found.values():
        probabilities[group.rows[~is_possible]] = np.nan
    return _BlockReport(impossible, peak_bytes)


def _are_possible(model: TableModel, group: RowGroup[Indices], limit: int, context: Variables) -> Flags:
    """For each row whether its evidence as a whole is possible; elimination only where a table has a zero in reach."""
    is_possible = np.ones(len(group.rows), bool)
    suspects = np.flatnonzero(may_be_impossible(model, group.observed, group.cells))
    if len(suspects):
        planner = model.planner
        plan = planner.sound(planner.plan(planner.evidence_question(Evidence(group.observed), limit, context)))
        _, is_possible[suspects] = plan.run_rows(np.ascontiguousarray(group.cells[suspects]))
    return is_possible


def _best_labels(probabilities: Floats, labels: tuple[Label, ...]) -> list[Label | None]:
    """The first of the most probable states in each row, None in impossible rows."""
    best = np.argmax(np.where(np.isnan(probabilities), -1.0, probabilities), axis=1)
    is_known = ~np.isnan(probabilities[:, 0])
    return [labels[code] if known else None for code, known in zip(best.tolist(), is_known.tolist(), strict=True)]


# --- regressions


def predicted_means(model: RegressionModel, columns: Columns, request: PredictionRequest) -> dict[Name, Floats]:
    """By target its mean in each row; NaN in impossible rows."""
    means, _ = predicted_moments(model, columns, request)
    return {model.names[target]: means[:, k] for k, target in enumerate(request.targets)}


def predicted_moments(model: RegressionModel, columns: Columns, request: PredictionRequest) -> tuple[Floats, Floats]:
    """Means and standard deviations of the targets, a row for each row of the data; NaN in impossible rows."""
    targets = request.targets
    parts = row_parts(
        columns, 16 * len(columns) * len(targets), 24 * len(_present(columns, model.names, targets)), request.limit
    )
    means, deviations = (np.empty((len(columns), len(targets))) for _ in range(2))
    for part in parts:
        own = slice(part.first, part.last)
        with part.counted(request.limit) as left:
            impossible = _fill_moments(model, part.columns, request._replace(limit=left), means[own], deviations[own])
        if impossible and request.impossible == "raise":
            row, evidence, _ = min(impossible, key=lambda one: one.row)
            each = ((target,) for target in targets)
            context = next((one for one in each if not are_numbers_possible(model, evidence, request.limit, one)), targets)
            raise_impossible_numbers(model, evidence, request.limit, context, f" in row {part.first + row}")
    return means, deviations


def _fill_moments(
    model: RegressionModel, columns: Columns, request: PredictionRequest, means: Floats, deviations: Floats
) -> list[_ImpossibleRow]:
    """Fill in the moments of some rows; the first impossible row of each group."""
    impossible: list[_ImpossibleRow] = []
    for group in _number_groups(model, columns, request):
        own_means, own_deviations, is_impossible = _moments(model, group, request.targets, request.limit)
        own_means[is_impossible] = own_deviations[is_impossible] = np.nan
        means[group.rows], deviations[group.rows] = own_means, own_deviations
        if (first := group.first_without(~is_impossible)) is not None:
            evidence = Evidence(group.observed, numbers=tuple(group.cells[first].tolist()))
            impossible.append(_ImpossibleRow(int(group.rows[first]), evidence, request.targets))
    return impossible


def _number_groups(model: RegressionModel, columns: Columns, request: PredictionRequest) -> list[RowGroup[Floats]]:
    present = _present(columns, model.names, request.targets)
    cells = np.empty((len(columns), len(present)))
    for k, v in enumerate(present):
        cells[:, k] = columns.numbers_or_missing(model.names[v])
    return row_groups(present, cells, ~np.isnan(cells))


def _moments(model: RegressionModel, group: RowGroup[Floats], targets: Variables, limit: int) -> tuple[Floats, Floats, Flags]:
    """Means and standard deviations of the targets, and whether each row is impossible."""
    if not model.coherent and len(targets) > 1:  # each target has its own small network
        each = [_moments(model, group, (target,), limit) for target in targets]
        means, deviations = (np.concatenate([found[part] for found in each], axis=1) for part in (0, 1))
        return means, deviations, np.any([found[2] for found in each], axis=0)
    observed, cells = group.observed, group.cells.T
    plan = model.plan(targets, observed)
    values = plan.spread(observed, cells)
    means, deviations = (np.empty((cells.shape[1], len(targets))) for _ in range(2))
    is_impossible = np.zeros(cells.shape[1], bool)
    for piece in model.pieces(plan, limit):
        own = plan.targets_in(piece)
        where = [targets.index(plan.shape.nodes[variable]) for variable in own]
        posterior = piece.posterior(own)
        means[:, where], deviations[:, where] = posterior.mean(values).T, np.sqrt(posterior.variance)
        is_impossible |= piece.are_impossible(values)
    if not plan.uses_all_evidence and may_be_off_support(model, observed):
        check = model.plan((), observed, targets)
        values = check.spread(observed, cells)
        for piece in model.pieces(check, limit):
            is_impossible |= piece.are_impossible(values)
    model.refuse_overflow(targets, means.T, deviations.T)
    return means, deviations, is_impossible
