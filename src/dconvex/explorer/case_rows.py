"""A row of a CSV file as evidence."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from dconvex.display.labels import label
from dconvex.errors import DataError
from dconvex.explorer.translation import Plain
from dconvex.inference.model import LocalModel
from dconvex.intervals import Interval
from dconvex.names import Name

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
"""Cells that say that nothing was observed, in small letters."""
MOST_NAMED = 5


def evidence_of_row(model: LocalModel, text: str, row: int) -> Plain:
    """The evidence in a row of a CSV text, counted from 0; columns that the model does not have are listed.

    Returns:
        `evidence` as the page sends it, the number of `rows`, the columns that were `ignored`, and in `problems` the cells
        that are no states.
    """
    try:
        lines = [line for line in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True) if any(line)]
    except csv.Error as error:
        raise DataError(f"this is no CSV: {error}") from None
    if len(lines) < 2:
        raise DataError("a CSV file with evidence has a line of names and at least one line of values")
    if not 0 <= row < len(lines) - 1:
        raise DataError(f"there is no row {row}; there are {len(lines) - 1}, counted from 0")
    names = {label(name): name for name in model.dag.nodes}
    evidence: list[object] = []
    problems: list[str] = []
    for column, cell in zip(map(str.strip, lines[0]), map(str.strip, lines[row + 1]), strict=False):
        if column not in names or cell.lower() in MISSING:
            continue
        observed = _observed(model, names[column], cell)
        if observed is None:
            problems.append(f"{column}: {cell!r} is {_expected(model, names[column])}")
        else:
            evidence.append([model.dag.index_of(names[column]), observed])
    ignored = [column.strip() for column in lines[0] if column.strip() not in names]
    if len(ignored) == len(lines[0]):
        raise DataError(f"none of the columns is a variable of this network: {_listed(ignored)}")
    return {"evidence": evidence, "rows": len(lines) - 1, "ignored": ignored, "problems": problems}


def _observed(model: LocalModel, name: Name, cell: str) -> list[int] | float | None:
    if model.kind == "gaussian":
        try:
            number = float(cell)
        except ValueError:
            return None
        return number if math.isfinite(number) else None
    labels = [label(state) for state in model.states[name]]
    if cell in labels:
        return [labels.index(cell)]
    return _by_value(model, name, cell)


def _by_value(model: LocalModel, name: Name, cell: str) -> list[int] | None:
    """A number that falls into an interval, or a whole one that is spelled otherwise: 1.0 for 1."""
    try:
        number = float(cell)
    except ValueError:
        return None
    for index, state in enumerate(model.states[name]):
        if number in state if isinstance(state, Interval) else type(state) is int and state == number:
            return [index]
    return None


def _expected(model: LocalModel, name: Name) -> str:
    if model.kind == "gaussian":
        return "not a finite number"
    return f"none of its states ({_listed([label(state) for state in model.states[name]])})"


def _listed(texts: Sequence[str]) -> str:
    more = "" if len(texts) <= MOST_NAMED else f", … ({len(texts) - MOST_NAMED} more)"
    return ", ".join(texts[:MOST_NAMED]) + more
