"""What counting and measuring share: statistics of families are added up batch by batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

from dconvex.arrays import Flags, Integers
from dconvex.errors import DataError
from dconvex.inference.memory import default_limit
from dconvex.learning.columns.data_tables import Batch
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import Counts
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.moments import Moments

FamilyStatistics: TypeAlias = Counts | Moments
"""Additive statistics of families."""


def added(one: FamilyStatistics, other: FamilyStatistics) -> FamilyStatistics:
    """The statistics of all rows together.

    Raises:
        DataError: They are of different kinds, or a column holds labels of different types.
        ValueError: They are of different families.
        TooLargeError: The counts take more bytes than this machine's default limit.
    """
    if one.kind != other.kind:
        raise DataError(f"{one.kind} and {other.kind} statistics cannot be added; pass kind= when they are made")
    if one.families != other.families:
        raise ValueError("statistics of different families cannot be added: the graphs or the trees differ")
    if isinstance(one, Counts) and isinstance(other, Counts):
        return one.added(other, default_limit())
    assert isinstance(one, Moments)
    assert isinstance(other, Moments)
    return one.added(other)


class Gatherer(ABC):
    """Adds up the statistics of families."""

    families: Families
    used: Integers
    """For each family the rows without a missing cell, so far."""

    @abstractmethod
    def add(self, batch: Batch, covered: Flags) -> None:
        """Add the rows of a batch to the families that its table covers."""

    @abstractmethod
    def finished(self, coverage: Coverage) -> FamilyStatistics:
        """The statistics of all rows so far; `coverage` is that of their tables, but for the rows used."""
