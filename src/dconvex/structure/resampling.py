"""Samples of the rows of any data, with replacement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dconvex.arrays import Array, Floats
from dconvex.errors import DataError
from dconvex.learning.columns.encoded_columns import NumberReader
from dconvex.learning.columns.matching import MatchedTable, tables_in
from dconvex.learning.columns.states import States
from dconvex.learning.learning_options import NULL_VALUES, Kind, LearningOptions, StatesLike
from dconvex.names import Name, checked_labels
from dconvex.structure.coded_tables import CodedRows
from dconvex.structure.table_rows import rows_of, variables_of
from dconvex.threads import threads

if TYPE_CHECKING:
    from pandas import CategoricalDtype, DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """All rows in one order, whatever the order of the data: codes of states, or numbers."""

    variables: tuple[Name, ...]
    kind: Kind
    values: Array
    """By variable and row."""
    categories: tuple[CategoricalDtype, ...]
    """The states of each variable, of a discrete kind."""
    weights: Floats | None
    weights_name: Name | None

    @classmethod
    def of(
        cls,
        data: object,
        kind: Kind | None,
        states: StatesLike | None,
        weights: Name | None,
        max_bytes: float | None,
        null_values: Sequence[str] = NULL_VALUES,
    ) -> Resampling:
        """The rows of the data.

        Raises:
            DataError: There are no rows, or a column cannot be used as it is.
            TooLargeError: Holding the rows takes more bytes than the limit.
        """
        source = list(data) if isinstance(data, Iterator) else data
        declared = None if states is None else {name: checked_labels(name, labels) for name, labels in states.items()}
        options = LearningOptions(kind, declared, "raise", 1, max_bytes, weights=weights, null_values=null_values)
        found = rows_of(source, options)
        if isinstance(found, CodedRows):
            return cls(found.variables, "discrete", found.codes, _categories(found.states), found.weights, weights)._ordered()
        values, own = _numbers(source, options, found.variables)
        return cls(found.variables, "gaussian", values, (), own, weights)._ordered()

    def _ordered(self) -> Resampling:
        lines = self.values if self.weights is None else np.vstack([self.values, self.weights])
        if not lines.shape[1]:
            raise DataError("there are no rows to draw samples from")
        order = np.lexsort(lines[::-1])
        weights = None if self.weights is None else self.weights[order]
        ordered: Array = self.values[:, order]
        return Resampling(self.variables, self.kind, ordered, self.categories, weights, self.weights_name)

    def sample(self, seed: int, number: int) -> DataFrame:
        """As many rows as there are, drawn with replacement; a function of the seed and the number of the sample."""
        import pandas

        random = np.random.default_rng((seed, number))
        rows = self.values.shape[1]
        if self.weights is None:
            chosen = np.sort(random.integers(0, rows, rows))
            counts = None
        else:
            drawn = random.multinomial(max(round(float(self.weights.sum())), 1), self.weights / self.weights.sum())
            chosen = np.flatnonzero(drawn)
            counts = drawn[chosen]
        columns: dict[Name, object] = {}
        for variable, name in enumerate(self.variables):
            own = self.values[variable, chosen]
            is_number = self.kind == "gaussian"
            columns[name] = own if is_number else pandas.Categorical.from_codes(own, dtype=self.categories[variable])
        if counts is not None and self.weights_name is not None:
            columns[self.weights_name] = counts
        return pandas.DataFrame(columns, copy=False)


def _categories(states: Sequence[States]) -> tuple[CategoricalDtype, ...]:
    import pandas

    return tuple(pandas.CategoricalDtype(pandas.Index(list(own.labels), dtype=object)) for own in states)


def _numbers(data: object, options: LearningOptions, variables: tuple[Name, ...]) -> tuple[Floats, Floats | None]:
    """All rows as they are, by variable and row."""
    values: list[Floats] = []
    weights: list[Floats] = []
    with threads(1) as workers:
        reader = NumberReader(variables, options, workers)
        for table in tables_in(data, options):
            variables_of(table, options)
            for batch in MatchedTable.of(table, variables, options.weights).batches(options):
                found = reader.read(batch)
                values.append(found.values[:, : found.rows].copy())
                if found.weights is not None:
                    weights.append(found.weights)
    return np.concatenate(values, axis=1), np.concatenate(weights) if weights else None
