"""Rows of states for a search: a line of codes for each variable, of one table and of all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np

from dconvex.arrays import Flags, Floats, Indices, StateCodes
from dconvex.errors import DataError
from dconvex.learning.columns.encoded_columns import NARROW
from dconvex.learning.columns.encoder import MISSING, check_number_of_states
from dconvex.learning.columns.states import States
from dconvex.names import Name, canonical

WORTH_MERGING = 6
"""Rows with weights are counted several times as slowly as the same rows by bits."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedTable:
    """The rows of one table, its variables in canonical order."""

    variables: tuple[Name, ...]
    states: tuple[States, ...]
    codes: StateCodes
    """By variable and row; -1 where a cell is missing."""
    weights: Floats | None
    rows: int
    """Of the data, before equal ones were merged."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedRows:
    """The rows of all tables; a cell is missing where its table lacks the column."""

    variables: tuple[Name, ...]
    states: tuple[States, ...]
    codes: StateCodes
    weights: Floats | None
    rows: int
    """Of the data."""
    dropped: int = 0
    """Rows left out since a cell is missing."""

    @property
    def sizes(self) -> Indices:
        """The number of states of each variable."""
        return np.array([len(own) for own in self.states], np.int32)

    @property
    def has_missing(self) -> Flags:
        """For each variable whether some cell is missing."""
        found: Flags = np.less(self.codes.min(axis=1, initial=0), 0)
        return found

    @property
    def weight(self) -> float:
        """Of all rows that are left."""
        return float(self.codes.shape[1]) if self.weights is None else float(self.weights.sum())

    def presence(self) -> Flags:
        """For each variable and row whether the cell is there."""
        return self.codes >= 0

    def complete(self) -> CodedRows:
        """Only the rows without a missing cell."""
        is_whole = self.presence().all(axis=0)
        codes: StateCodes = self.codes[:, is_whole].copy()
        weights = None if self.weights is None else self.weights[is_whole]
        return replace(self, codes=codes, weights=weights, dropped=int((~is_whole).sum()))


def merged(codes: StateCodes, weights: Floats | None) -> tuple[StateCodes, Floats | None]:
    """Different rows with their weights, where that is a small part of them; else the same rows."""
    if not codes.size:
        return codes, weights
    lines = np.ascontiguousarray(codes.T)
    whole = lines.view(np.dtype((np.void, lines.shape[1] * lines.itemsize))).ravel()
    _, first, inverse = np.unique(whole, return_index=True, return_inverse=True)
    if len(first) * WORTH_MERGING > codes.shape[1]:
        return codes, weights
    found: StateCodes = codes[:, first].copy()
    return found, np.bincount(inverse, weights, len(first)).astype(np.float64)


def joined_rows(tables: Sequence[CodedTable]) -> CodedRows:
    """The rows of several tables, with the states of all.

    Raises:
        DataError: Labels of a variable are of different types in different tables.
    """
    if len(tables) == 1:
        (only,) = tables
        return CodedRows(only.variables, only.states, only.codes, only.weights, only.rows)
    variables = tuple(canonical({name for table in tables for name in table.variables}))
    numbers = [{name: number for number, name in enumerate(table.variables)} for table in tables]
    states = tuple(
        reduce(or_, [table.states[own[name]] for table, own in zip(tables, numbers, strict=True) if name in own])
        for name in variables
    )
    for name, labels in zip(variables, states, strict=True):
        if len(set(map(type, labels.labels))) > 1:
            raise DataError(f"column {name!r} holds labels of different types in different tables; convert it to one type")
    check_number_of_states(variables, states)
    bounds = np.cumsum([0, *(table.codes.shape[1] for table in tables)]).tolist()
    width = np.int8 if max(map(len, states), default=0) <= NARROW else np.int32
    shape = (len(variables), bounds[-1])
    codes: StateCodes = np.empty(shape, np.int8) if width is np.int8 else np.empty(shape, np.int32)
    codes[:] = MISSING
    places = {name: number for number, name in enumerate(variables)}
    for number, table in enumerate(tables):
        for own, name in enumerate(table.variables):
            recode = np.append(table.states[own].codes_in(states[places[name]]), MISSING)
            codes[places[name], bounds[number] : bounds[number + 1]] = recode[table.codes[own]]
    has_weights = any(table.weights is not None for table in tables)
    weights = [np.ones(table.codes.shape[1]) if table.weights is None else table.weights for table in tables]
    rows = sum(table.rows for table in tables)
    return CodedRows(variables, states, codes, np.concatenate(weights) if has_weights else None, rows)
