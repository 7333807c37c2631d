"""The numbers of a discrete model: the tables of the network, and those derived from them when they are first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence, Set
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.inference.families import FamilyIndex, in_room, packed_question
from dconvex.kernels import load
from dconvex.network.discrete import Tables

Floats: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]
Likelihoods: TypeAlias = tuple[Floats, Longs, Floats]

PLAIN = 0
"""The arithmetic in which no positive number can become zero."""
RAW, JOINT, EACH, ROWS = 0, 1, 2, 3
"""What to do with results: nothing, normalise the one, each, or each row of one."""
PROGRAMS_KEPT = 10_000
"""On a long way to the ground so many programs are kept for the way back; the others are made twice."""
NO_ROW = np.empty((1, 0), np.int64)
NOT_TOLD = np.empty((0, 3))
COST, PEAK = 0, 1
"""Columns of a store's prices."""
SMALL_ARENA, NO_ARENA = 4096, np.empty(0)
"""An arena up to this size need not be given: it is part of the memory that a kernel has anyway."""
NO_LIKELIHOODS: Likelihoods = (np.empty(0), np.empty(0, np.int64), np.empty(0))
TINY = float(np.finfo(np.float64).tiny)
"""Smaller numbers have fewer digits, or are zero."""


class Head:
    """Places in the head of a program, as the kernels have them."""

    TABLES = 0
    ARENA = 2
    OUT = 3
    MULTIPLICATIONS = 4
    LARGEST = 5
    IS_TOO_LARGE = 6
    DERIVED = 7
    SCOPES = 8
    AXES = 9
    AXIS_COUNT = 10
    ELIMINATED = 11
    OUTS = 15
    LEAVES = 16


class Store:
    """All tables in one flat array: number t is `values[table_at[t]:table_at[t + 1]]`, axes (*parents, variable).

    `floor` is the binary logarithm of a table's smallest positive entry, NaN for a table that is not there yet; `prices` are
    the multiplications and the bytes that deriving it takes, NaN until a plan asks. `lost` are tables with probabilities that
    are too small for a float: they are never there, and whoever needs one goes back to the network's own.
    """

    def __init__(self, index: FamilyIndex, states: Longs) -> None:
        self.index, self.states = index, states
        self.table_at = _offsets(index, states)
        self.values = np.empty(int(self.table_at[-1]))
        own, count = len(index.dag), index.table_count
        self.floor = np.full(count, np.nan)
        self.prices = np.full((count, 2), np.nan)
        self.prices[:own] = 0.0
        self.lost: set[int] = set()
        self._lock = threading.Lock()

    @classmethod
    def of(cls, index: FamilyIndex, tables: Tables) -> Store:
        store = cls(index, np.array([len(own) for own in tables.labels], np.int64))
        store.fill(tables.values)
        return store

    def fill(self, values: Floats) -> None:
        """Put in the first tables: those of the network, or all."""
        known = int(np.searchsorted(self.table_at, len(values)))
        self.values[: len(values)] = values
        self.floor[:known] = _floors(values, self.table_at[: known + 1])
        self.prices[:known] = 0.0

    @property
    def bytes_read(self) -> int:
        """How much has been read from a file."""
        return 0

    def read_all(self) -> None:
        """Have all tables in memory that are known from the start; here they are."""

    @cached_property
    def has_zeros(self) -> bool | None:
        """Whether a table of the network has an entry that is zero; None where not all of them have been read."""
        return bool(self._zeros.any())

    def with_zeros(self, variables: Longs) -> Longs:
        """Of these variables those whose own table has an entry that is zero."""
        return variables[self._zeros[variables]]

    @cached_property
    def _zeros(self) -> NDArray[np.bool_]:
        """For each variable whether its own table has an entry that is zero."""
        own = self.table_at[: len(self.index.dag) + 1]
        flags = np.zeros(len(own) - 1, bool)
        if len(flags):
            flags[:] = np.minimum.reduceat(self.values[: own[-1]], own[:-1]) == 0
        return flags

    def price(self, tables: Longs) -> None:
        """Find out what these tables cost: each includes the dearest of those it comes from."""
        with self._lock:
            self._from_the_ground(tables, self.prices[:, COST], self._note_price)

    def derive(self, tables: Longs) -> None:
        """Make these tables, and those they come from, unless they are there, or lost."""
        with self._lock:
            self._from_the_ground(tables, self.floor, self._make, self.lost)

    def _from_the_ground(
        self, tables: Longs, done: Floats, finish: Callable[[int, Longs, list[int]], None], given_up: Set[int] = frozenset()
    ) -> None:
        """Finish the tables and all those they come from, these first, until none of `done` is NaN that is not given up."""
        programs: dict[int, tuple[Longs, list[int]]] = {}
        stack = tables.tolist()
        while stack:
            table = stack[-1]
            if done[table] == done[table] or table in given_up:
                stack.pop()
                continue
            program, sources = programs.get(table) or self._deriving(table)
            missing = [source for source in sources if done[source] != done[source] and source not in given_up]
            if missing:
                stack += missing
                if len(programs) < PROGRAMS_KEPT:
                    programs[table] = program, sources
            else:
                finish(table, program, sources)
                programs.pop(stack.pop(), None)

    def _deriving(self, table: int) -> tuple[Longs, list[int]]:
        """The program that derives a table, and the tables that it needs; the same whatever a question's limit is."""
        program = self.plan(packed_question(table=table))[0]
        if program[Head.IS_TOO_LARGE]:
            return program, []
        first = int(program[Head.LEAVES])
        return program, program[first + 1 : first + 1 + program[first]].tolist()

    def plan(self, question: Longs) -> tuple[Longs, Sequence[Any]]:
        """The program of a packed question, or the one that derives a table, and what the kernel tells about it."""
        index = self.index
        told, memory = in_room(load("questions").plan, index.packed, index.walks.room, question, self.states, self.prices)
        return memory[told[0] : told[1]].copy(), told

    def _note_price(self, table: int, program: Longs, sources: list[int]) -> None:
        cost, peak = self.prices[sources].max(axis=0, initial=0.0)
        self.prices[table, PEAK] = max(8.0 * float(program[Head.ARENA] + program[Head.OUT]), peak)
        self.prices[table, COST] = float(program[Head.MULTIPLICATIONS]) + cost  # last: it says that both are known

    def _make(self, table: int, program: Longs, sources: list[int]) -> None:
        out = self.values[self.table_at[table] : self.table_at[table + 1]]
        if self.lost.isdisjoint(sources) and self._derived(program, out):
            self.floor[table] = np.log2(out[out > 0].min())
        else:
            self.lost.add(table)

    def _derived(self, program: Longs, out: Floats) -> bool:
        """Put a derived table into `out`; whether all its numbers are there, and none is too small for that."""
        arena = np.empty(program[Head.ARENA])
        _, arithmetic, _ = self.run(program, NO_ROW, NO_LIKELIHOODS, ROWS, arena, out)
        if arithmetic == PLAIN:
            return True
        logarithms = np.empty(len(out))
        self.run(program, NO_ROW, NO_LIKELIHOODS, RAW, arena, logarithms, logs=True)
        return not ((logarithms > -np.inf) & (out < TINY)).any()

    def run(
        self,
        program: Longs,
        rows: Longs,
        likelihoods: Likelihoods,
        finish: int,
        arena: Floats,
        out: Floats,
        ended: Floats = NOT_TOLD,
        *,
        logs: bool = False,
    ) -> tuple[int, int, float]:
        """Execute a program for each row of evidence: status, arithmetic and logarithm of the sum of the last one.

        `out` gets the results, row by row, and `ended` status, arithmetic and logarithm of each.
        """
        told: tuple[int, int, float]
        told, _ = in_room(
            load("contraction").execute,
            program, self.values, self.table_at, self.floor, rows, *likelihoods, logs, finish, arena, out, ended,
        )  # fmt: skip
        return told

    def table(self, number: int) -> Floats:
        """One table as an array with an axis for each of its variables; it must be there."""
        members = (*self.index.parents_of(number).tolist(), int(self.index.families.variable[number]))
        return self.values[self.table_at[number] : self.table_at[number + 1]].reshape([int(self.states[v]) for v in members])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())


def _offsets(index: FamilyIndex, states: Longs) -> Longs:
    sizes = states[index.families.variable].astype(np.float64)
    owners = np.repeat(np.arange(index.table_count), np.diff(index.families.parent_start))
    np.multiply.at(sizes, owners, states[index.families.parents].astype(np.float64))
    return np.concatenate([[0.0], np.cumsum(sizes)]).astype(np.int64)


def _floors(values: Floats, at: Longs) -> Floats:
    if not len(values):
        return np.empty(0)
    return np.log2(np.minimum.reduceat(np.where(values > 0, values, 1.0), at[:-1]))
