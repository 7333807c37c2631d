"""The table of a cross-validation, its rows in canonical order: what a column holds, and the rows of each fold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dconvex.arrays import AnyIntegers, Flags, Floats, Integers
from dconvex.errors import DataError, DconvexError
from dconvex.evaluation.folds import canonical_order, dealt
from dconvex.learning.columns.encoded_columns import encoded_columns
from dconvex.learning.learning_options import LearningOptions
from dconvex.names import Label, Name, canonical
from dconvex.network.frame_columns import Columns


@dataclass(frozen=True, slots=True, eq=False)
class FoldTable:
    """A frame whose rows are sorted by what they hold, and the fold of each of its rows."""

    frame: object
    names: tuple[Name, ...]
    """Its variables, sorted."""
    rows: int
    states: dict[Name, tuple[Label, ...]]
    """Those of the columns that hold states, over all rows."""
    fold_of: Integers

    @classmethod
    def of(
        cls,
        data: object,
        variables: Iterable[Name] | None,
        target: Name | None,
        weights: Name | None,
        folds: int,
        seed: int,
    ) -> FoldTable:
        """The table of these variables; None: of all columns but the weights.

        Raises:
            DataError: `data` is no frame, has fewer rows than there are folds, or a column is missing.
        """
        columns = Columns(data, [] if variables is None else variables)
        names = canonical(columns.names if variables is None else [name for name in variables if name in columns])
        names = [name for name in names if name != weights]
        if target is not None:
            columns.check_has(target)
        if len(columns) < folds:
            raise DataError(f"there are {len(columns)} rows for {folds} folds; give more rows, or fewer folds")
        states = {name: labels for name in names if (labels := _states(data, name)) is not None}
        keys = [_key(columns, name, states.get(name)) for name in [*names, *([] if weights is None else [weights])]]
        order = canonical_order([key for key in keys if key is not None], len(columns))
        if target is not None and target in states:
            strata = columns.codes_or_missing(target, states[target], unknown="missing")[order]
        else:
            strata = np.zeros(len(columns), np.int64)
        return cls(columns.taken(order), tuple(names), len(columns), states, dealt(np.asarray(strata, np.int64), folds, seed))

    def part(self, chosen: Flags) -> object:
        """The frame with these rows only."""
        return Columns(self.frame).rows(chosen)

    def split(self, fold: int) -> tuple[object, object]:
        """The rows to learn from, and those to judge by."""
        return self.part(self.fold_of != fold), self.part(self.fold_of == fold)


def _states(data: object, name: Name) -> tuple[Label, ...] | None:
    """The states of a column in all rows; None where it has none, which only matters to those who need them."""
    try:
        (found,) = encoded_columns([name], data, LearningOptions(kind="discrete", n_jobs=1)).states
    except DconvexError:
        return None
    return found.labels or None


def _key(columns: Columns, name: Name, labels: Sequence[Label] | None) -> AnyIntegers | Floats | None:
    """What rows are sorted by; None where a column holds neither states nor numbers."""
    if labels is not None:
        return columns.codes_or_missing(name, labels, unknown="missing")
    try:
        return columns.numbers_or_missing(name)
    except DataError:
        return None
