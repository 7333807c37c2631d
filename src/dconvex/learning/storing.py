"""Statistics, priors and reports in files, and back: everything is checked before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import FormatError
from dconvex.learning.columns.states import Order, States
from dconvex.learning.estimation.priors import KINDS, BDeu, Dirichlet, NormalInverseGamma, Prior
from dconvex.learning.report import Report
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import MOST_CELLS, Counts, Seen, Tallies
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.moments import Moments, entry_indices, scatter_offsets
from dconvex.names import Label, Name, canonical
from dconvex.storage.container import Container
from dconvex.storage.facts import Facts, read_json
from dconvex.storage.texts import StoredLabels, packed_labels

Arrays: TypeAlias = dict[str, NDArray[Any]]
Longs: TypeAlias = NDArray[np.int64]
Labels: TypeAlias = Sequence[tuple[Label, ...]]

ORDERS = tuple(Order)
MOST_ROWS = 1 << 53
"""Counts up to this are exact in a float."""
ROUNDING = 1e-6
"""What a product of deviations may exceed its bound by, relative to it."""


def part_arrays(part: Counts | Moments, *, with_labels: bool) -> Arrays:
    """What was counted, without the graph and the tree; a model has the labels already."""
    coverage = part.coverage
    arrays: Arrays = {
        "coverage.tables": coverage.tables, "coverage.offered": coverage.offered, "coverage.used": coverage.used,
        "coverage.has_column": coverage.has_column,
    }  # fmt: skip
    if isinstance(part, Moments):
        return arrays | {"moments.mean": part.mean, "moments.rest": part.rest, "moments.scatter": part.scatter}
    labels = packed_labels([own.labels for own in part.states]) if with_labels else {}
    return arrays | labels | _counts(part)


def part_from(file: Container, families: Families, kind: str, rows: int, labels: Labels | None) -> Counts | Moments:
    """What `part_arrays` gave; `labels` are those of the model, None where the file has its own."""
    coverage = _coverage_from(file, families, rows)
    if kind == "gaussian":
        return _moments_from(file, families, coverage)
    if labels is None:
        labels = StoredLabels.read(file.array, file.path, may_be_empty=True)
        if len(labels) != len(families.names):
            raise _damaged(file, "its labels do not fit its variables")
    return _counts_from(file, families, coverage, labels)


def _counts(counts: Counts) -> Arrays:
    tallies = counts.tallies
    seen = [own for _, own in sorted(tallies.seen.items())]
    none = np.empty(0, np.int64)
    return {
        "counts.orders": np.array([ORDERS.index(own.order) for own in counts.states], np.uint8),
        "counts.cells": tallies.counts,
        "counts.seen_rows": np.array([len(own.counts) for own in seen], np.int64),
        "counts.seen_cells": np.concatenate([none, *(own.cells.reshape(-1) for own in seen)]),
        "counts.seen_counts": np.concatenate([none, *(own.counts for own in seen)]),
    }


def _coverage_from(file: Container, families: Families, rows: int) -> Coverage:
    """For each family: used of the rows offered, which are offered by tables that have its columns."""
    tables, offered, used = (file.array(f"coverage.{part}", len(families)) for part in ("tables", "offered", "used"))
    has_column = file.array("coverage.has_column", len(families.names))
    is_sound = (
        rows <= MOST_ROWS
        and (tables >= 0).all()
        and ((used >= 0) & (used <= offered) & (offered <= rows)).all()
        and not ((tables == 0) & (offered > 0)).any()
        and not ((tables > 0) & ~families.covered_by(has_column)).any()
    )
    if not is_sound:
        raise _damaged(file, "the rows of its families do not fit together")
    return Coverage(rows, tables, offered, used, has_column)


def _counts_from(file: Container, families: Families, coverage: Coverage, labels: Labels) -> Counts:
    orders = file.array("counts.orders", len(labels))
    if orders.max(initial=0) >= len(ORDERS):
        raise _damaged(file, "the order of some states comes from nowhere")
    states = tuple(States(own, ORDERS[order]) for own, order in zip(labels, orders.tolist(), strict=True))
    if any(own.order is not Order.DECLARED and list(own.labels) != canonical(own.labels) for own in set(states)):
        raise _damaged(file, "some states are not in order")
    sizes = np.array([len(own) for own in states], np.int64)
    cells = families.table_sizes(sizes)
    is_dense = cells <= MOST_CELLS
    counts = file.array("counts.cells")
    if float(np.where(is_dense, cells, 0).sum()) != len(counts):
        raise _damaged(file, "its counts do not fit its families")
    at = np.concatenate([[0.0], np.cumsum(np.where(is_dense, cells, 0))]).astype(np.int64)
    seen = _seen_from(file, families, sizes, np.flatnonzero(~is_dense).tolist())
    _check_totals(file, counts, at, coverage, seen)
    return Counts(states, Tallies(families, sizes, at, counts, seen), coverage)


def _seen_from(file: Container, families: Families, sizes: Longs, numbers: list[int]) -> dict[int, Seen]:
    """The cells that were seen of each large table: states of its members, in order, and how often."""
    rows = file.array("counts.seen_rows", len(numbers))
    cells, counts = file.array("counts.seen_cells"), file.array("counts.seen_counts")
    if len(rows) and (rows.min() < 0 or rows.max() > len(counts)):
        raise _damaged(file, "the cells that were seen do not fit its families")
    seen: dict[int, Seen] = {}
    cell, row = 0, 0
    for number, many in zip(numbers, rows.tolist(), strict=True):
        members = families.members_of(number)
        own = Seen(cells[cell : cell + many * len(members)], counts[row : row + many])
        cell, row = cell + many * len(members), row + many
        if cell > len(cells) or row > len(counts):
            break
        own = Seen(own.cells.reshape(many, len(members)), own.counts)
        if ((own.cells < 0) | (own.cells >= sizes[members])).any() or (own.counts < 1).any() or not _ascend(own.cells):
            raise _damaged(file, "the cells that were seen are not cells, or not in order")
        seen[number] = own
    if cell != len(cells) or row != len(counts):
        raise _damaged(file, "the cells that were seen do not fit its families")
    return seen


def _ascend(rows: Longs) -> bool:
    """Whether rows are in order, and no two are equal."""
    differs = rows[1:] != rows[:-1]
    first = np.argmax(differs, axis=1)[:, np.newaxis]
    later, earlier = (np.take_along_axis(part, first, axis=1) for part in (rows[1:], rows[:-1]))
    return bool((later > earlier).all())


def _check_totals(file: Container, counts: Longs, at: Longs, coverage: Coverage, seen: dict[int, Seen]) -> None:
    """That no count is negative, and those of a family are as many as the rows it uses."""
    if len(counts) and (counts.min() < 0 or counts.max() > coverage.rows):
        raise _damaged(file, "a count is negative, or larger than the number of rows")
    if any(own.counts.max(initial=0) > coverage.rows for own in seen.values()):
        raise _damaged(file, "a count is larger than the number of rows")
    filled = np.flatnonzero(at[1:] > at[:-1])
    totals = np.zeros(len(at) - 1)  # floats do not overflow, and are exact up to the most rows there are
    if len(filled):
        totals[filled] = np.add.reduceat(counts.astype(np.float64), at[filled])
    for number, own in seen.items():
        totals[number] = own.counts.astype(np.float64).sum()
    if (totals != coverage.used).any():
        raise _damaged(file, "the counts of a family are not as many as its rows")


def _moments_from(file: Container, families: Families, coverage: Coverage) -> Moments:
    entries = int(scatter_offsets(families)[-1])
    members = len(families.members)
    mean, rest = (file.array(f"moments.{part}", members) for part in ("mean", "rest"))
    scatter = file.array("moments.scatter", entries)
    if not all(np.isfinite(part).all() for part in (mean, rest, scatter)):
        raise _damaged(file, "a moment is not finite")
    if (np.abs(rest) > ROUNDING * np.abs(mean)).any():
        raise _damaged(file, "a mean does not fit together")
    row, column, mirrored = entry_indices(families)
    square = scatter[row == column]  # of each member, in order
    if (square < 0).any():
        raise _damaged(file, "a sum of squares is negative")
    size = np.sqrt(square)
    bound = (1 + ROUNDING) * size[row] * size[column]
    if (np.abs(scatter) > bound).any() or (np.abs(scatter - scatter[mirrored]) > ROUNDING * bound).any():
        raise _damaged(file, "its sums of products do not fit together")
    return Moments(families, mean, rest, scatter, coverage)


def prior_from(about: Facts, kind: str) -> Prior | None:
    """The prior of a model of this kind.

    Raises:
        FormatError: There is no such prior, or not for this kind of model.
    """
    if "prior" not in about:
        return None
    record = about.part("prior")
    fitting: tuple[type[Prior], ...] = (BDeu, Dirichlet) if kind == "discrete" else (NormalInverseGamma,)
    chosen = KINDS[record.choice("kind", [kind.__name__ for kind in fitting])]
    numbers = {name: record.number(name) for name in record if name != "kind"}
    try:
        return chosen(**numbers)
    except (TypeError, ValueError):
        raise about.wrong("prior", record.record) from None


def read_report(file: Container, kind: str, families: int) -> Report:
    """What a model says it was learned from.

    Raises:
        FormatError: It is not what `Report.record` gives.
    """
    record = Facts(read_json(file.array("report.json").tobytes(), file.path), file.path, "report.")
    if record.choice("kind", ("discrete", "gaussian")) != kind or record.count("families") != families:
        raise record.wrong("families", record.record["families"])
    unobserved = {}
    for title, pair in record.part("unobserved").record.items():
        if not (isinstance(pair, list) and len(pair) == 2 and all(type(own) is int for own in pair) and 0 < pair[0] <= pair[1]):
            raise record.wrong("unobserved", pair)
        unobserved[title] = (pair[0], pair[1])
    missing, partial = ({title: part.count(title) for title in part} for part in map(record.part, ("missing", "partial")))
    return Report(
        record.choice("kind", ("discrete", "gaussian")), record.count("rows"), families, unobserved, missing, partial,
        tuple(record.texts("singular")), tuple(_names(record, "constant")),
    )  # fmt: skip


def _names(record: Facts, what: str) -> list[Name]:
    names = record.items(what)
    if not all(type(name) in (str, int) for name in names):
        raise record.wrong(what, names)
    return names


def _damaged(file: Container, problem: str) -> FormatError:
    return FormatError(f"the file is damaged: {problem}", path=file.path)
