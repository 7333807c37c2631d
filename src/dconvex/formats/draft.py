"""A discrete network while its file is read: parts are added in any order and checked at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from dconvex.arrays import Floats
from dconvex.errors import CycleError, DconvexError, FormatError, UnknownVariableError
from dconvex.formats.number_lists import about, read_numbers
from dconvex.formats.rows import FILE_ROWS, tables_in
from dconvex.formats.scanner import Excerpt, Scanner
from dconvex.formats.spelling import NOTES, meanings
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name, checked_labels, checked_name
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

MOST_CELLS = 1 << 26
"""The most cells of all tables together: a few bytes of a file can ask for any number."""

ReadTable: TypeAlias = Callable[[Sequence[int]], Floats]
"""From the numbers of states of (*parents, variable) to the table, row-major with axes in this order."""


@dataclass(frozen=True, slots=True)
class _Variable:
    position: int
    name: Name
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class _Family:
    position: int
    parents: tuple[Name, ...]
    table: ReadTable


@dataclass(slots=True)
class Draft:
    """Variables and families by their key in the file; positions in the text are for errors."""

    scanner: Scanner
    block: str
    """The format's word for the part that holds a table."""
    rows: RowRule = FILE_ROWS
    variables: dict[Name, _Variable] = field(default_factory=dict)
    families: dict[Name, _Family] = field(default_factory=dict)

    def add_variable(self, key: Name, position: int, name: Name, labels: Iterable[Label]) -> None:
        if key in self.variables:
            self.scanner.fail(f"the variable {key!r} is defined twice", position)
        try:
            self.variables[key] = _Variable(position, checked_name(name), checked_labels(name, labels))
        except DconvexError as error:
            self.scanner.fail(str(error), position)

    def add_noted_variable(self, key: str, position: int, states: Sequence[str], notes: Mapping[str, str]) -> None:
        """A variable whose true name and states are in its notes, if these change them (see `spelling`)."""
        try:
            names, labels = (meanings(notes.get(note, "")) for note in NOTES)
        except ValueError as error:
            self.scanner.fail(f"the notes on {key!r} are not valid: {error}", position)
        self.add_variable(key, position, cast("Name", names.get(key, key)), [labels.get(state, state) for state in states])

    def add_family(self, key: Name, position: int, parents: Sequence[Name], table: ReadTable) -> None:
        if key in self.families:
            self.scanner.fail(f"there is a second {self.block} for {key!r}", position)
        self.families[key] = _Family(position, tuple(parents), table)

    def network(self) -> BayesianNetwork:
        """The network, or a `FormatError` at the first thing that is wrong."""
        keys = self._checked_keys()
        for key, variable in self.variables.items():
            if key not in self.families:
                self.scanner.fail(f"expected a {self.block} for {key!r}, found none", variable.position)
        try:
            dag = self._dag(keys)
            in_order = [keys[name] for name in dag.nodes]
            labels = tuple(self.variables[key].labels for key in in_order)
            return BayesianNetwork(dag, tables_in(self.scanner.path, dag, labels, self._tables(in_order), self.rows))
        except FormatError:
            raise
        except DconvexError as error:
            self.scanner.fail(str(error), self._position_of(error, keys))

    @property
    def has_tables(self) -> bool:
        """Whether there is a table; a file without any holds a graph."""
        return any(not isinstance(family.table, MissingTable) for family in self.families.values())

    def dag(self) -> Dag:
        """The graph alone: tables are not read, and may be missing; a variable without a family has no parents."""
        keys = self._checked_keys()
        try:
            return self._dag(keys)
        except DconvexError as error:
            self.scanner.fail(str(error), self._position_of(error, keys))

    def _dag(self, keys: Mapping[Name, Name]) -> Dag:
        parents = {name: self.families[key].parents if key in self.families else () for name, key in keys.items()}
        return Dag.from_parents({name: [self.variables[parent].name for parent in own] for name, own in parents.items()})

    def _checked_keys(self) -> dict[Name, Name]:
        """The key of each variable by its name; members of families that are no variables are refused."""
        for key, family in self.families.items():
            for member in (key, *family.parents):
                if member not in self.variables:
                    self.scanner.fail(str(UnknownVariableError(member, self.variables)), family.position)
        keys = {variable.name: key for key, variable in self.variables.items()}
        for key, variable in self.variables.items():
            if keys[variable.name] != key:
                self.scanner.fail(f"two variables are called {variable.name!r}", variable.position)
        return keys

    def _tables(self, keys: Sequence[Name]) -> Iterator[Floats]:
        cells_so_far = 0
        for key in keys:
            family = self.families[key]
            sizes = [len(self.variables[member].labels) for member in (*family.parents, key)]
            cells = cell_count(sizes)
            cells_so_far += cells
            if cells_so_far > MOST_CELLS:
                problem = f"the table of {key!r} would have {about(cells)} cells"
                self.scanner.fail(f"{problem}; all tables together may have at most {MOST_CELLS:,}", family.position)
            yield family.table(sizes)

    def _position_of(self, error: DconvexError, keys: Mapping[Name, Name]) -> int:
        culprit = error.cycle[0] if isinstance(error, CycleError) else getattr(error, "variable", None)
        return next((self.families[key].position for name, key in keys.items() if name == culprit and key in self.families), 0)


def row_major(excerpt: Excerpt) -> ReadTable:
    """The reader of a table whose cells are in our own order."""
    return lambda sizes: read_numbers(excerpt, cell_count(sizes))


@dataclass(frozen=True, slots=True)
class MissingTable:
    """The reader of a table that is not there: an error once it is needed, since the graph alone does without."""

    scanner: Scanner
    problem: str
    position: int

    def __call__(self, sizes: Sequence[int]) -> Floats:
        self.scanner.fail(self.problem, self.position)


def cell_count(sizes: Iterable[int]) -> int:
    """The number of cells of a table; beyond 2^60, which fits into no memory, the multiplication stops."""
    cells = 1
    for size in sizes:
        cells *= size
        if cells > 1 << 60:
            break
    return cells
