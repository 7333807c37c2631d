"""Where to cut columns of numbers: at quantiles, into equal widths, or where a target changes."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from dconvex.arrays import Floats, Integers
from dconvex.errors import DataError, UnknownVariableError
from dconvex.learning.columns.cells import Cells
from dconvex.learning.columns.data_tables import Batch
from dconvex.learning.columns.encoder import Encoder
from dconvex.learning.columns.matching import MatchedTable, tables_in
from dconvex.learning.discretizer import Discretizer, no_numbers
from dconvex.learning.learning_options import NULL_VALUES, LearningOptions
from dconvex.names import Name, as_names

Method: TypeAlias = Literal["quantile", "width", "supervised"]
Cuts: TypeAlias = Callable[[Floats], list[float]]
"""The edges for the numbers of a column, sorted."""

NO_WEIGHT = 1e-12
"""A part of all rows that is as good as none: what rounding leaves of weights."""
WIDTH_TOLERANCE = 1e-3
"""Edges of equal widths are rounded by at most this part of a width."""


def discretize(
    frame: object,
    columns: Name | Iterable[Name] | None = None,
    bins: int | Mapping[Name, int] = 5,
    method: Method = "quantile",
    target: Name | None = None,
    weights: Name | None = None,
    *,
    null_values: Sequence[str] = NULL_VALUES,
) -> Discretizer:
    """Find intervals for columns of numbers, so that discrete networks can be learned from them.

    Pass the result to `fit(…, discretizer=…)`: the model keeps the intervals, and `query`, `predict`, `log_likelihood` and
    `updated` take numbers. Edges are round numbers between two neighbouring values.

    Args:
        frame: A data frame, or whatever else `fit` takes.
        columns: The columns; None: all that hold fractions.
        bins: The number of intervals, or one for each column; where values repeat there may be fewer.
        method: `"quantile"`: intervals with about equally many rows. `"width"`: intervals of equal width. `"supervised"`: cuts
            where the distribution of the target changes, by the minimum description length of Fayyad and Irani; `bins` is then
            the most there may be, and there is one interval where a column says nothing about the target.
        target: The column that supervises, with states.
        weights: The column of the rows' weights: a row of weight 2 counts as two rows, one of weight 0 not at all.
        null_values: How a missing cell is spelled in CSV files.

    Returns:
        The discretizer. Missing cells are left out of account; a column with one value has one interval.

    Raises:
        DataError: A column holds something else than finite numbers, or none at all.
        ValueError: Options are unknown, or do not go together.

    >>> import dconvex as dc, pandas as pd
    >>> frame = pd.DataFrame({"age": [19.5, 23, 31, 38, 44, 52, 61, 70], "buys": list("nnnyyynn")})
    >>> dc.discretize(frame, bins=2)
    Discretizer of 1 column
      age  2 intervals, edges 41
    """
    if method not in get_args(Method):
        raise ValueError(f"method={method!r} is unknown; use 'quantile', 'width' or 'supervised'")
    if (method == "supervised") != (target is not None):
        raise ValueError("method='supervised' needs target=, a column with states, and no other method takes one")
    given = None if columns is None else as_names(columns)
    options = LearningOptions(weights=weights, null_values=null_values)
    numbers, labels, counts = _columns_of(frame, given, target, options)
    if isinstance(bins, Mapping) and (unknown := [name for name in bins if name not in numbers]):
        raise DataError(str(UnknownVariableError(unknown[0], numbers, where="column")) + "; bins= has columns as keys")
    edges: dict[Name, list[float]] = {}
    for name, values in numbers.items():
        most = _checked_bins(bins.get(name, 5) if isinstance(bins, Mapping) else bins)
        is_there = ~np.isnan(values) & (counts > 0)
        if not is_there.any():
            raise no_numbers(name)
        if method == "supervised":
            own = is_there & (labels >= 0)
            edges[name] = supervised_cuts(values[own], labels[own], most, counts[own])
        elif method == "width":
            edges[name] = width_cuts(np.sort(values[is_there]), most)
        else:
            order = np.argsort(values[is_there], kind="stable")
            edges[name] = quantile_cuts(values[is_there][order], most, counts[is_there][order])
    return Discretizer(edges)


def _checked_bins(bins: object) -> int:
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise ValueError(f"bins={bins!r} must be a whole number of intervals, at least 1")
    return int(bins)


# --- reading


def _columns_of(
    data: object, columns: Sequence[Name] | None, target: Name | None, options: LearningOptions
) -> tuple[dict[Name, Floats], Integers, Floats]:
    """The numbers of each column in all tables, NaN where a cell is missing; the code of the target, and each row's weight."""
    tables = tables_in(data, options)
    first = next(tables, None)
    if first is None:
        raise DataError("there are no tables to read; pass at least one")
    chosen = [name for name in (first.columns if columns is None else columns) if name not in (target, options.weights)]
    wanted = chosen if target is None else [*chosen, target]
    parts: dict[Name, list[Floats]] = {name: [] for name in chosen}
    encoder, codes = Encoder(target if target is not None else "", None, "raise"), []
    counts: list[Floats] = []
    for table in (first, *tables):
        matched = MatchedTable.of(table, wanted, options.weights)
        if not matched.has_column.all():
            absent = wanted[int(np.argmin(matched.has_column))]
            raise DataError(str(UnknownVariableError(absent, table.columns, where="column")))
        batches = matched.batches(options)
        if columns is None and not any(parts.values()):
            batches, chosen = _those_with_fractions(batches, chosen)
        for batch in batches:
            own = batch.row_weights(options.weights)
            counts.append(np.ones(batch.rows) if own is None else own.copy())
            for name, cells in zip(wanted, batch.cells, strict=True):
                assert cells is not None
                if name == target:
                    codes.append(_codes(cells, batch, encoder))
                elif name in chosen:
                    parts[name].append(cells.numbers(batch.first, batch.last, name).copy())
    numbers = {name: np.concatenate([np.empty(0), *parts[name]]) for name in chosen}
    return numbers, np.concatenate([np.empty(0, np.int64), *codes]), np.concatenate([np.empty(0), *counts])


def _those_with_fractions(batches: Iterator[Batch], names: Sequence[Name]) -> tuple[Iterator[Batch], list[Name]]:
    """The batches again, and the columns in which the first of them has fractions."""
    first = next(batches, None)
    if first is None:
        return iter(()), []
    found = [name for name, cells in zip(names, first.cells, strict=False) if cells is not None and cells.has_fractions()]
    if not found:
        raise DataError("no column holds fractions; name the columns of numbers to make intervals of: columns=[…]")

    def again() -> Iterator[Batch]:
        yield first
        yield from batches

    return again(), found


def _codes(cells: Cells, batch: Batch, encoder: Encoder) -> Integers:
    codes = np.full(batch.rows, -1, np.int32)
    cells.codes(batch.first, batch.last, encoder, codes)
    return codes.astype(np.int64)


# --- cutting


def quantile_cuts(ordered: Floats, bins: int, weights: Floats | None = None) -> list[float]:
    """Edges between which there are about equally many of these numbers, which ascend."""
    if weights is None or (weights == 1).all():
        last = _last_up_to(ordered, np.quantile(ordered, np.arange(1, bins) / bins))
    else:  # the same as of numbers that are there as often as they weigh
        reached = np.cumsum(weights)
        wanted = (reached[-1] - 1) * (np.arange(1, bins) / bins)
        last = ordered[np.minimum(np.searchsorted(reached, wanted, side="right"), len(ordered) - 1)]
    return [_between(ordered, edge) for edge in np.unique(last) if edge < ordered[-1]]


def width_cuts(ordered: Floats, bins: int) -> list[float]:
    """Edges that cut the range of these numbers, which ascend, into equal parts."""
    low, high = float(ordered[0]), float(ordered[-1])
    width = high / bins - low / bins
    if not width > 0:
        return []
    slack = WIDTH_TOLERANCE * width
    exact = (low + part * width for part in range(1, bins))
    rounded = (roundest(edge - slack, edge + slack) if edge - slack < edge + slack else edge for edge in exact)
    return [edge for edge in dict.fromkeys(rounded) if low <= edge < high]


def supervised_cuts(values: Floats, labels: Integers, bins: int, weights: Floats | None = None) -> list[float]:
    """Edges where the distribution of the labels changes: those of Fayyad and Irani, the most telling ones first.

    An interval is cut where the entropy of the labels falls the most, unless the cut costs more bits than it saves.
    """
    if not len(values):
        return []
    ordered, row = np.unique(values, return_inverse=True)
    counts = np.zeros((len(ordered), int(labels.max()) + 1))
    np.add.at(counts, (row, labels), 1 if weights is None else weights)
    edges: list[float] = []
    waiting = [(-cut.saved, first, last, cut.after) for first, last, cut in _cuts_of(counts, [(0, len(ordered))])]
    heapq.heapify(waiting)
    while waiting and len(edges) < bins - 1:
        _, first, last, after = heapq.heappop(waiting)
        edges.append(_between(ordered, ordered[after]))
        for low, high, cut in _cuts_of(counts, [(first, after + 1), (after + 1, last)]):
            heapq.heappush(waiting, (-cut.saved, low, high, cut.after))
    return sorted(edges)


class _Cut(NamedTuple):
    """A cut after a value, and the bits that it saves."""

    after: int
    saved: float


def _cuts_of(counts: Floats, parts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, _Cut]]:
    """Of these ranges of values those that are worth a cut, with the cut."""
    for first, last in parts:
        cut = _best_cut(counts[first:last])
        if cut is not None:
            yield first, last, _Cut(first + cut.after, cut.saved)


def _best_cut(counts: Floats) -> _Cut | None:
    """The cut that lowers the entropy of the labels most, if it pays; of equal ones the first."""
    if len(counts) < 2:
        return None
    left = np.cumsum(counts, axis=0)
    whole = left[-1]
    left = left[:-1]
    right = whole - left
    bits_left, bits_right = _bits(left), _bits(right)
    total = float(_bits(whole[None])[0])
    saved = total - bits_left - bits_right
    after = int(np.argmax(saved > saved.max() - 1e-9 * max(total, 1.0)))
    rows = float(whole.sum())
    each = (whole, left[after], right[after])
    kinds, kinds_left, kinds_right = (int(np.count_nonzero(part > NO_WEIGHT * rows)) for part in each)
    entropies = [bits / part.sum() for bits, part in ((bits_left[after], left[after]), (bits_right[after], right[after]))]
    choices = math.log2(3**kinds - 2) if kinds < 500 else kinds * math.log2(3)
    paid = choices - (kinds * total / rows - kinds_left * entropies[0] - kinds_right * entropies[1])
    return _Cut(after, float(saved[after])) if saved[after] > math.log2(max(rows - 1, 1)) + paid + 1e-9 else None


def _bits(counts: Floats) -> Floats:
    """The entropy of each row of counts times their sum."""
    totals = counts.sum(axis=1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    bits: Floats = totals * np.log2(np.where(totals > 0, totals, 1)) - (counts * logs).sum(axis=1)
    return bits


def _last_up_to(ordered: Floats, edges: Floats) -> Floats:
    """The largest number that is not above each edge."""
    found: Floats = ordered[np.maximum(np.searchsorted(ordered, edges, side="right") - 1, 0)]
    return found


def _between(ordered: Floats, last: float) -> float:
    """The roundest edge behind this number and before the next one."""
    following = float(ordered[np.searchsorted(ordered, last, side="right")])
    return roundest(float(last), following)


def roundest(low: float, high: float) -> float:
    """A number in `low <= number < high` with few digits: `low` if it has fewer, else one near the middle.

    >>> roundest(32.4627, 33.51), roundest(1.0, 1.5), roundest(2, 3), roundest(-0.2, 0.3), roundest(1234.5, 1987.0)
    (33, 1, 2, 0, 1600)
    """
    width = Decimal(high) - Decimal(low)
    middle, step = Decimal(low) + width / 2, Decimal(1).scaleb(width.adjusted())
    near = (middle / step).to_integral_value() * step
    if abs(near - middle) > width / 4:
        step /= 10
        near = (middle / step).to_integral_value() * step
    found = Decimal(repr(low)) if _digits(Decimal(repr(low))) < _digits(near) else near
    if not low <= float(found) < high:
        return low
    return int(found) if found == found.to_integral_value() and abs(found) < 2**53 else float(found)


def _digits(number: Decimal) -> int:
    return len(number.normalize().as_tuple().digits)
