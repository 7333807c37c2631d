"""The checksums of clusters, against the same arithmetic on Python's integers."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dconvex._core import cluster_checksums

START, FACTOR, MASK = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 2**64 - 1


def checksum(numbers):
    mixed = START
    for number in numbers:
        [bits] = struct.unpack("<Q", struct.pack("<d", number))
        mixed = ((mixed ^ bits) * FACTOR) & MASK
        mixed ^= mixed >> 29
    return mixed


def arrays(tables, clusters):
    """Numbers by table and tables by cluster, as a model file has them."""
    numbers = np.array([number for table in tables for number in table], np.float64)
    return (
        numbers,
        np.cumsum([0, *map(len, tables)]),
        np.cumsum([0, *map(len, clusters)]),
        np.array([table for cluster in clusters for table in cluster], np.int32),
    )


@given(st.lists(st.lists(st.floats(), max_size=5), min_size=1, max_size=6), st.data())
def test_checksums_are_those_of_the_formula(tables, data):
    clusters = data.draw(st.lists(st.lists(st.integers(0, len(tables) - 1), max_size=4), max_size=5))
    known = data.draw(st.integers(0, len(tables)))
    first = data.draw(st.integers(0, len(clusters)))
    last = data.draw(st.integers(first, len(clusters)))
    found = cluster_checksums(*arrays(tables, clusters), known, first, last)
    assert found.dtype == np.uint64
    kept = [[number for t in cluster if t < known for number in tables[t]] for cluster in clusters[first:last]]
    assert found.tolist() == list(map(checksum, kept))


def test_a_number_that_files_depend_on():
    assert cluster_checksums(*arrays([[0.25, 0.75], [1.0]], [[0, 1]]), 2, 0, 1).tolist() == [checksum([0.25, 0.75, 1.0])]
    assert cluster_checksums(*arrays([[0.25, 0.75]], [[0]]), 1, 0, 1).tolist() == [0x4C29CC9E129F5EFD]


def test_nothing():
    assert cluster_checksums(*arrays([], []), 0, 0, 0).tolist() == []
    assert cluster_checksums(*arrays([], [[]]), 0, 0, 1).tolist() == [START]


@pytest.mark.parametrize(
    ("index", "wrong"),
    [
        (1, [0, 3, 3]),
        (1, [-1, 2, 3]),
        (1, [2, 0, 3]),
        (1, [0, 2]),
        (1, []),
        (2, [0, 3]),
        (2, [-1, 2]),
        (2, [2, 0]),
        (2, [0]),
        (2, []),
        (3, [0, 2]),
        (3, [-1, 0]),
    ],
)
def test_offsets_and_tables_that_leave_their_arrays(index, wrong):
    given_arrays = list(arrays([[0.25], [0.75]], [[0, 1]]))
    given_arrays[index] = np.array(wrong, np.int32 if index == 3 else np.int64)
    with pytest.raises(ValueError, match=r"offsets must ascend|no such table"):
        cluster_checksums(*given_arrays, 9, 0, 1)


@pytest.mark.parametrize("bounds", [(-1, 1), (1, 0), (0, 2)])
def test_clusters_that_do_not_exist(bounds):
    with pytest.raises(ValueError, match=r"."):
        cluster_checksums(*arrays([[0.5]], [[0]]), 1, *bounds)
