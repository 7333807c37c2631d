"""Sites that share counts and never rows, as a search asks them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from dconvex._core import CountedScore
from dconvex.amounts import amount
from dconvex.arrays import Array, Indices, Integers
from dconvex.errors import DataError, TooLargeError
from dconvex.learning.learning_options import StatesLike
from dconvex.names import Label, Name, canonical, checked_labels, checked_name

Round: TypeAlias = list[tuple[Name, ...]]
Site: TypeAlias = Callable[[Round], Iterable[object]]

CELL_BYTES = 24
"""Of a count: at a site, in the sum, and in the core."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SharedCounts:
    """Sites that answer with counts of their rows, in place of a table: pass it to `learn_structure`.

    A site is any function that takes a *round*, a list of families (tuples of variables), and returns for each of them an array
    of whole numbers: how many of its rows have each combination of states, with an axis for each variable in the order of the
    tuple, and along it the states in their order. `site_counts` makes one of a table; a site elsewhere is a function that sends
    the round there and returns what comes back. The counts of all sites are added, so the graph is that of all rows together.

    Small counts point to persons: this is no privacy guarantee.

    >>> import dconvex as dc
    >>> network = dc.load_network("asia")
    >>> north, south = (dc.site_counts(network.sample(5_000, seed=seed), network.states) for seed in (1, 2))
    >>> found = dc.learn_structure(dc.SharedCounts(network.states, {"north": north, "south": south}), method="greedy")
    >>> found.dag.parents("xray")
    ('either',)
    """

    states: Mapping[Name, tuple[Label, ...]]
    """The labels of each variable, in the order of the counts."""
    sites: Mapping[Name, Site]
    """The functions, by name; those of a list are called 1, 2, …"""

    def __init__(self, states: StatesLike, sites: Mapping[Name, Site] | Sequence[Site]) -> None:
        """
        Args:
            states: The labels of each variable in order, which all sites have agreed on.
            sites: Functions that answer a round of families with their counts: by name, or a list.

        Raises:
            TypeError: A site is no function.
            ValueError: There are no sites or no variables.
        """
        named = dict(sites) if isinstance(sites, Mapping) else dict(enumerate(sites, 1))
        for name, site in named.items():
            if not callable(site):
                raise TypeError(f"site {name!r} must be a function of a round, not {type(site).__name__}; see dc.site_counts")
        if not named or not states:
            raise ValueError("SharedCounts needs the states of one variable and one site at least")
        checked = {checked_name(name): labels for name, labels in states.items()}
        own = {name: checked_labels(name, checked[name]) for name in canonical(checked)}
        object.__setattr__(self, "states", own)
        object.__setattr__(self, "sites", named)

    def __repr__(self) -> str:
        return f"SharedCounts({amount(len(self.states), 'variable')}, {amount(len(self.sites), 'site')})"


@dataclass(eq=False)
class CountRounds:
    """The counts that sites give, added up; it knows what it has asked for."""

    variables: tuple[Name, ...]
    sizes: Indices
    sites: Mapping[Name, Site]
    limit: int
    """The most bytes for a table."""
    margins: dict[Name, list[Integers]] = field(default_factory=dict)
    """Of each site, the counts of each variable alone."""
    rounds: int = 0
    tables: int = 0
    dropped = 0

    @classmethod
    def of(cls, data: SharedCounts, limit: int) -> CountRounds:
        """The first round is about each variable alone.

        Raises:
            DataError: Counts do not fit, or there are no rows.
        """
        sizes = np.array([len(labels) for labels in data.states.values()], np.int32)
        own = cls(tuple(data.states), sizes, data.sites, limit)
        alone = [(variable,) for variable in range(len(sizes))]
        for site, tables in own._answers(alone):
            own.margins[site] = [own._checked(site, family, table) for family, table in zip(alone, tables, strict=True)]
            for family, table in zip(alone, own.margins[site], strict=True):
                own._check_rows(site, family, int(table.sum()), int(own.margins[site][0].sum()))
        if not own.rows:
            raise DataError("there are no rows to learn from: all counts of all sites are zero")
        return own

    @property
    def rows(self) -> int:
        """Of all sites."""
        return sum(int(tables[0].sum()) for tables in self.margins.values())

    @property
    def weight(self) -> float:
        """The same: rows of sites have no weights."""
        return float(self.rows)

    def score(self, criterion: str, common_size: float) -> CountedScore:
        """The score of families, by name."""
        return CountedScore(self.sizes, self.rows, self.tables_of, criterion, common_size)

    def tables_of(self, families: Sequence[tuple[int, ...]]) -> list[Integers]:
        """The counts of each family over all sites, flat.

        Raises:
            DataError: Those of a site do not fit.
            TooLargeError: A table takes more bytes than the limit.
        """
        if all(len(family) == 1 for family in families):
            return [np.sum([tables[family[0]] for tables in self.margins.values()], axis=0) for family in families]
        for family in families:
            needed = CELL_BYTES * int(np.prod([int(self.sizes[variable]) for variable in family], dtype=object))
            if needed > self.limit:
                raise TooLargeError(f"the counts of {self._family(family)}", needed, self.limit, "Set max_parents.")
        totals: list[Integers] = []
        for site, tables in self._answers(families):
            own = [self._checked(site, family, table) for family, table in zip(families, tables, strict=True)]
            for family, table in zip(families, own, strict=True):
                self._check_margins(site, family, table)
            totals = [one + other for one, other in zip(totals, own, strict=True)] if totals else own
        return [np.ascontiguousarray(table).ravel() for table in totals]

    def asked(self) -> str:
        """What was asked of the sites, in a sentence."""
        rounds, tables = amount(self.rounds, "round"), amount(self.tables, "table")
        return f"asked {amount(len(self.sites), 'site')} for {tables} of counts in {rounds}"

    def _answers(self, families: Sequence[tuple[int, ...]]) -> Iterable[tuple[Name, list[object]]]:
        self.rounds += 1
        self.tables += len(families)
        for name, site in self.sites.items():
            answer = site([tuple(self.variables[variable] for variable in family) for family in families])
            tables = list(answer) if isinstance(answer, Iterable) else [answer]
            if len(tables) != len(families):
                first = self._family(families[min(len(tables), len(families) - 1)])
                asked, answered = amount(len(families), "family", "families"), amount(len(tables), "table")
                raise DataError(
                    f"site {name!r} answered {asked} with {answered}; a round needs a table for each family, in their order "
                    f"(the first that does not fit is of {first})"
                )
            yield name, tables

    def _checked(self, site: Name, family: tuple[int, ...], table: object) -> Integers:
        shape = tuple(int(self.sizes[variable]) for variable in family)
        try:
            counts: Array = np.asarray(table)
        except ValueError:
            counts = np.empty(0)
        if counts.shape != shape or counts.dtype.kind not in "iu":
            found = f"{counts.dtype} in the shape {counts.shape}"
            raise self._error(site, family, f"must be whole numbers in the shape {shape}, one axis a variable, not {found}")
        if counts.min() < 0 or counts.max() > np.iinfo(np.int64).max // 2:
            raise self._error(site, family, "must be zero or more, and no more than there are rows")
        return counts.astype(np.int64)

    def _check_rows(self, site: Name, family: tuple[int, ...], rows: int, expected: int) -> None:
        if rows != expected:
            text = f"add up to {rows:,} rows, those of {self._family((0,))} to {expected:,}; leave out rows with missing cells"
            raise self._error(site, family, text)

    def _check_margins(self, site: Name, family: tuple[int, ...], table: Integers) -> None:
        own = self.margins[site]
        self._check_rows(site, family, int(table.sum()), int(own[0].sum()))
        for axis, variable in enumerate(family):
            others = tuple(other for other in range(table.ndim) if other != axis)
            if not np.array_equal(table.sum(axis=others), own[variable]):
                name = self.variables[variable]
                text = (
                    f"do not add up to its counts of {name!r} alone along axis {axis}; are the axes in the order of the family?"
                )
                raise self._error(site, family, text)

    def _error(self, site: Name, family: tuple[int, ...], text: str) -> DataError:
        return DataError(f"site {site!r}: the counts of {self._family(family)} {text}")

    def _family(self, family: tuple[int, ...]) -> str:
        return f"({', '.join(repr(self.variables[variable]) for variable in family)})"
