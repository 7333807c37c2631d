"""Counting cells, against NumPy."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dconvex._core import CountTables, Ragged, count_cells

CODES = [np.int8, np.int32]


def counted(members, states, codes, covered=None):
    """The table of each family, and how many rows it took."""
    sizes = [math.prod(states[member] for member in own) for own in members]
    first_cell = np.cumsum([0, *sizes])
    chosen = np.array([True] * len(members) if covered is None else covered, bool)
    may_miss = (codes < 0).any(axis=1) if codes.size else np.zeros(len(states), bool)
    tables = CountTables(
        Ragged.from_lists(members), np.array(states, np.int64), may_miss, np.where(chosen, first_cell[:-1], -1)
    )
    assert len(tables) == len(members)
    counts, used = np.zeros(first_cell[-1], np.int64), np.zeros(len(members), np.int64)
    count_cells(tables, codes, codes.shape[1], counts, used, 0, len(members))
    return [counts[begin:end] for begin, end in pairwise(first_cell)], used.tolist()


def by_numpy(members, states, codes):
    tables, used = [], []
    for own in members:
        rows = codes[own].astype(np.int64)
        rows = rows[:, (rows >= 0).all(axis=0)]
        shape = [states[member] for member in own]
        cells = np.ravel_multi_index(tuple(rows), shape) if rows.shape[1] else np.empty(0, np.int64)
        tables.append(np.bincount(cells, minlength=math.prod(shape)))
        used.append(rows.shape[1])
    return tables, used


def assert_same(members, states, codes):
    found, expected = counted(members, states, codes), by_numpy(members, states, codes)
    assert found[1] == expected[1]
    for one, other in zip(found[0], expected[0], strict=True):
        np.testing.assert_array_equal(one, other)


def random_codes(states, rows, out_type, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, size, rows) for size in states]).astype(out_type)
    codes[rng.random(codes.shape) < missing] = -1
    return codes


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=5),
    st.sampled_from([0, 1, 5, 2047, 2048, 2049, 5000]),
    st.sampled_from(CODES),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.integers(0, 100),
)
def test_counts_are_those_of_numpy(states, rows, out_type, missing, seed):
    rng = np.random.default_rng(seed)
    members = [rng.permutation(len(states))[: rng.integers(1, len(states) + 1)].tolist() for _ in range(4)]
    assert_same(members, states, random_codes(states, rows, out_type, seed, missing))


@pytest.mark.parametrize("out_type", CODES)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("states", [[1], [33, 31], [32, 32], [41, 25], [127, 127, 5], [127, 127, 65]])
def test_tables_of_all_sizes(states, out_type, missing):
    """Those with less than 1,024 cells, less than 65,535 and more are counted in different ways."""
    assert_same([list(range(len(states)))], states, random_codes(states, 10_000, out_type, missing=missing))


def test_more_states_than_a_byte_holds():
    states = [1_000, 3]
    assert_same([[0, 1], [1], [0]], states, random_codes(states, 30_000, np.int32, missing=0.01))


def test_a_table_of_65534_cells_and_of_65535():
    for size in (65_534, 65_535, 65_536):
        codes = np.array([[0, -1, size - 1, size - 1]], np.int32)
        [table], [used] = counted([[0]], [size], codes)
        assert (table[0], table[-1], table.sum(), used) == (1, 2, 3, 3)


def test_families_that_are_not_covered_are_left_alone():
    codes = np.full((2, 10), 99, np.int8)
    codes[0] = 1
    [one, other], used = counted([[0], [0, 1]], [2, 2], codes, covered=[True, False])
    assert (one.tolist(), other.tolist(), used) == ([0, 10], [0, 0, 0, 0], [10, 0])


def test_ranges_of_families_add_up():
    states, members = [3, 4, 2], [[0], [0, 1], [1, 2], [2]]
    codes = random_codes(states, 3_000, np.int8, missing=0.1)
    sizes = [3, 12, 8, 2]
    first_cell = np.cumsum([0, *sizes])
    tables = CountTables(Ragged.from_lists(members), np.array(states), np.ones(3, bool), first_cell[:-1])
    counts, used = np.zeros(25, np.int64), np.zeros(4, np.int64)
    for first, last in ((0, 1), (1, 3), (3, 3), (3, 4)):
        count_cells(tables, codes, codes.shape[1], counts, used, first, last)
    whole, all_used = counted(members, states, codes)
    assert counts.tolist() == np.concatenate(whole).tolist()
    assert used.tolist() == all_used


def test_only_the_first_rows_and_what_was_counted_before_stays():
    tables = CountTables(Ragged.from_lists([[0]]), np.array([2]), np.zeros(1, bool), np.array([3]))
    counts, used = np.full(6, 7, np.int64), np.full(1, 7, np.int64)
    count_cells(tables, np.array([[0, 1, 1, 99]], np.int8), 3, counts, used, 0, 1)
    assert (counts.tolist(), used.tolist()) == ([7, 7, 7, 8, 9, 7], [10])


def test_no_rows_no_families_no_states():
    assert counted([[0]], [2], np.empty((1, 0), np.int8))[1] == [0]
    assert counted([], [2], np.zeros((1, 5), np.int8)) == ([], [])
    assert counted([[0]], [0], np.full((1, 5), -1, np.int8))[1] == [0]
    [table], used = counted([[]], [2], np.zeros((1, 5), np.int8))
    assert (table.tolist(), used) == ([5], [5])


class TestWrongCalls:
    def tables(self, members=((0, 1),), states=(2, 3), may_miss=(False, False), first_cell=(0,)):
        return CountTables(
            Ragged.from_lists(members), np.array(states, np.int64), np.array(may_miss, bool), np.array(first_cell, np.int64)
        )

    def count(self, codes, *, tables=None, rows=None, cells=6, families=1, first=0, last=1):
        counts, used = np.zeros(cells + 8, np.int64), np.zeros(families, np.int64)
        rows = codes.shape[1] if rows is None else rows
        try:
            count_cells(tables or self.tables(), codes, rows, counts[:cells], used, first, last)
        finally:
            assert not counts[cells:].any()

    @pytest.mark.parametrize("out_type", CODES)
    @pytest.mark.parametrize(("variable", "code"), [(0, 2), (1, 3), (0, 127), (1, 127), (0, -1), (1, -128)])
    @pytest.mark.parametrize("rows", [1, 5_000])
    def test_codes_that_are_no_states(self, out_type, variable, code, rows):
        codes = np.zeros((2, rows), out_type)
        codes[variable, -1] = code
        with pytest.raises(ValueError, match="a code is no state"):
            self.count(codes)

    @pytest.mark.parametrize("out_type", CODES)
    def test_a_code_that_is_no_state_among_missing_ones(self, out_type):
        codes = np.full((2, 3_000), -1, out_type)
        codes[1, 2_999] = 3
        with pytest.raises(ValueError, match="a code is no state"):
            self.count(codes, tables=self.tables(may_miss=(True, True)))

    def test_a_variable_without_states_has_no_codes(self):
        with pytest.raises(ValueError, match="a code is no state"):
            self.count(np.zeros((2, 1), np.int8), tables=self.tables(states=(0, 3)))

    @pytest.mark.parametrize("bounds", [(-1, 1), (0, 2), (1, 0)])
    def test_families_that_do_not_exist(self, bounds):
        with pytest.raises(ValueError, match="range of families"):
            self.count(np.zeros((2, 4), np.int8), first=bounds[0], last=bounds[1])

    def test_arrays_that_are_too_short(self):
        codes = np.zeros((2, 4), np.int8)
        for call in (
            lambda: self.count(codes, rows=5),
            lambda: self.count(codes, rows=-1),
            lambda: self.count(codes[:1]),
            lambda: self.count(codes, cells=5),
            lambda: self.count(codes, families=0),
            lambda: self.count(codes, families=2),
        ):
            with pytest.raises(ValueError, match=r"fewer|for each family"):
                call()

    def test_other_types(self):
        for out_type in (np.int16, np.int64, np.uint8, np.float64):
            with pytest.raises(ValueError, match="codes must be int8 or int32"):
                self.count(np.zeros((2, 4), out_type))
        with pytest.raises(TypeError):
            self.count(np.zeros((4, 2), np.int8).T)
        with pytest.raises(TypeError):
            count_cells(self.tables(), np.zeros((2, 4), np.int8), 4, np.zeros(6, np.int32), np.zeros(1, np.int64), 0, 1)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"members": ((0, 2),)},
            {"members": ((0, -1),)},
            {"states": (2,)},
            {"may_miss": (False,)},
            {"first_cell": (0, 6)},
            {"first_cell": ()},
            {"states": (2, -3)},
            {"states": (2, 2**31)},
            {"states": (2**16, 2**15)},
            {"first_cell": (2**63 - 3,)},
        ],
    )
    def test_records_that_make_no_sense(self, wrong):
        with pytest.raises(ValueError, match=r"."):
            self.tables(**wrong)

    def test_a_table_that_is_not_counted_may_be_of_any_size(self):
        tables = self.tables(members=((0,) * 8, (1,)), states=(2**31 - 1, 3), first_cell=(-1, 0))
        self.count(np.zeros((2, 4), np.int8), tables=tables, cells=3, families=2, last=2)
