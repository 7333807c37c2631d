"""`_core.Ragged`: lists come back however they are made, nonsense is refused, and the arrays cannot be changed."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dconvex._core import Ragged

lists_of_numbers = st.integers(1, 8).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, size - 1), max_size=4), min_size=size, max_size=size)
)


def as_lists(ragged):
    return [ragged[index].tolist() for index in range(len(ragged))]


def ints(*numbers):
    return np.array(numbers, np.int32)


def longs(*numbers):
    return np.array(numbers, np.int64)


@given(lists_of_numbers)
def test_lists_come_back(lists):
    ragged = Ragged.from_lists(lists)
    assert len(ragged) == len(lists)
    assert as_lists(ragged) == lists
    assert as_lists(Ragged(ragged.offsets, ragged.values)) == lists


@given(lists_of_numbers)
def test_offsets_and_values(lists):
    ragged = Ragged.from_lists(lists)
    assert ragged.offsets.dtype == np.int64
    assert ragged.values.dtype == np.int32
    assert ragged.offsets.tolist() == [sum(map(len, lists[:index])) for index in range(len(lists) + 1)]
    assert ragged.values.tolist() == [value for own in lists for value in own]


@given(lists_of_numbers)
def test_owners_say_whose_value_it_is(lists):
    ragged = Ragged.from_lists(lists)
    assert ragged.owners().tolist() == [owner for owner, own in enumerate(lists) for _ in own]


@given(lists_of_numbers, st.randoms(use_true_random=False))
def test_pairs_are_grouped_in_the_order_in_which_they_come(lists, random):
    pairs = [(owner, value) for owner, own in enumerate(lists) for value in own]
    random.shuffle(pairs)
    owners, values = (ints(*column) for column in (zip(*pairs, strict=True) if pairs else ((), ())))
    expected = [[value for owner, value in pairs if owner == index] for index in range(len(lists))]
    assert as_lists(Ragged.from_pairs(owners, values, len(lists))) == expected


@given(lists_of_numbers)
def test_reversing_swaps_the_ends_and_sorts(lists):
    backward = as_lists(Ragged.from_lists(lists).reversed(len(lists)))
    assert backward == [[owner for owner, own in enumerate(lists) for v in own if v == index] for index in range(len(lists))]


@given(lists_of_numbers)
def test_copies_are_equal(lists):
    ragged = Ragged.from_lists(lists)
    for again in (pickle.loads(pickle.dumps(ragged)), copy.deepcopy(ragged), copy.copy(ragged)):
        assert again == ragged
        assert as_lists(again) == lists


def test_equality():
    assert Ragged.from_lists([[1], []]) == Ragged.from_lists([[1], []])
    assert Ragged.from_lists([[1], []]) != Ragged.from_lists([[], [1]])
    assert Ragged.from_lists([]) != [[1]]


def test_empty():
    for ragged in (Ragged.from_lists([]), Ragged(longs(0), ints()), Ragged.from_pairs(ints(), ints(), 0)):
        assert len(ragged) == 0
        assert ragged.owners().tolist() == []
        assert len(ragged.reversed(3)) == 3


@pytest.mark.parametrize("offsets", [[], [1], [0, 2], [0, 2, 1, 3], [0, -1, 3], [3], [0, 4]])
def test_offsets_that_do_not_fit_are_refused(offsets):
    with pytest.raises(ValueError, match="offsets must begin at 0, never fall and end at the number of values"):
        Ragged(longs(*offsets), ints(1, 2, 3))


def test_pairs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="an owner for each value"):
        Ragged.from_pairs(ints(0, 1), ints(0), 2)
    for owner in (-1, 2):
        with pytest.raises(ValueError, match="outside"):
            Ragged.from_pairs(ints(owner), ints(0), 2)
    for value in (-1, 2):
        with pytest.raises(ValueError, match="outside"):
            Ragged.from_lists([[value]]).reversed(2)


@pytest.mark.parametrize("index", [-1, 2, 2**40])
def test_lists_that_are_not_there(index):
    with pytest.raises(IndexError):
        Ragged.from_lists([[1], []])[index]


@pytest.mark.parametrize("lists", [[["a"]], [[1.5]], [[2**40]], [1], None])
def test_lists_of_something_else(lists):
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        Ragged.from_lists(lists)


def test_arrays_are_read_only_and_outlive_the_lists():
    ragged = Ragged.from_lists([[1, 2], [3]])
    offsets, values, first = ragged.offsets, ragged.values, ragged[0]
    del ragged
    assert (offsets.tolist(), values.tolist(), first.tolist()) == ([0, 2, 3], [1, 2, 3], [1, 2])
    for array in (offsets, values, first):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_numbers_at_any_address_are_copied():
    """As arrays have them that were unpickled."""
    offsets = np.frombuffer(b"x" + np.array([0, 2, 3]).astype(np.int64).tobytes(), np.int64, offset=1)
    values = np.frombuffer(b"x" + np.array([4, 5, 6]).astype(np.int32).tobytes(), np.int32, offset=1)
    assert [own.tolist() for own in Ragged(offsets, values)] == [[4, 5], [6]]
