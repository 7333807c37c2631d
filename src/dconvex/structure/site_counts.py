"""`site_counts`: a table as a site that answers rounds of families with counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dconvex.arrays import Integers
from dconvex.errors import DataError, UnknownVariableError
from dconvex.learning.learning_options import LearningOptions, StatesLike
from dconvex.names import Name, canonical, checked_labels
from dconvex.structure.coded_tables import CodedRows
from dconvex.structure.shared_counts import Round
from dconvex.structure.table_rows import rows_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableSite:
    """The rows of a site, which answer with their counts."""

    rows: CodedRows
    places: dict[Name, int]

    def __call__(self, families: Round) -> list[Integers]:
        """The counts of each family of a round, with an axis for each of its variables.

        Raises:
            UnknownVariableError: The site does not have a variable.
        """
        return [self._counts(family) for family in families]

    def _counts(self, family: Sequence[Name]) -> Integers:
        for name in family:
            if name not in self.places:
                raise UnknownVariableError(name, self.rows.variables, where="variable of this site")
        numbers = [self.places[name] for name in family]
        shape = [len(self.rows.states[number]) for number in numbers]
        cells = np.zeros(self.rows.codes.shape[1], np.int64)
        for number, size in zip(numbers, shape, strict=True):
            cells = cells * size + self.rows.codes[number]
        counts = np.bincount(cells, self.rows.weights, int(np.prod(shape)))
        return np.rint(counts).astype(np.int64).reshape(shape)

    def __repr__(self) -> str:
        return f"TableSite({len(self.places):,} variables, {self.rows.rows - self.rows.dropped:,} rows)"


def site_counts(
    data: object,
    states: StatesLike,
    *,
    missing: Literal["raise", "complete"] = "raise",
    n_jobs: int | None = None,
    max_bytes: float | None = None,
) -> TableSite:
    """A table as a site of `SharedCounts`: a function that answers a round of families with their counts.

    Args:
        data: As for `fit`: a data frame, a path to CSV or Parquet files, or a list of tables.
        states: The labels of each variable in order, which all sites have agreed on.
        missing: `"raise"` refuses missing cells; `"complete"` leaves out the rows that have some.
        n_jobs: The number of threads that read (None: all cores).
        max_bytes: The most memory for the rows (None: half of what the machine has).

    Returns:
        The function. It takes a list of tuples of variables and returns an array of counts for each, with an axis for each
        variable.

    Raises:
        DataError: A column is not there, has no states, holds other labels, or has missing cells.
        ValueError: `missing` is unknown.

    >>> import dconvex as dc
    >>> network = dc.load_network("asia")
    >>> site = dc.site_counts(network.sample(1_000, seed=1), network.states)
    >>> site([("smoke", "lung")])[0].sum()
    np.int64(1000)
    """
    if missing not in ("raise", "complete"):
        raise ValueError(f"missing={missing!r} is unknown; use 'raise' or 'complete'")
    declared = {name: checked_labels(name, states[name]) for name in canonical(states)}
    options = LearningOptions("discrete", declared, "raise", n_jobs, max_bytes)
    rows = rows_of(data, options)
    assert isinstance(rows, CodedRows)
    if rows.variables != tuple(declared):
        name = canonical(set(rows.variables) ^ set(declared))[0]
        what = f"no column {name!r}, which has states" if name in declared else f"a column {name!r} without states"
        raise DataError(f"the data has {what}; its columns must be the variables that the sites have agreed on")
    if rows.has_missing.any():
        if missing == "raise":
            name = rows.variables[int(np.argmax(rows.has_missing))]
            raise DataError(f'column {name!r} has missing cells; pass missing="complete" to leave such rows out')
        rows = rows.complete()
    return TableSite(rows, {name: number for number, name in enumerate(rows.variables)})
