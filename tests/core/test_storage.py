"""What the core checks of files: names, and the numbers of tables and regressions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dconvex._core import ClusterIndex, Graph, Ragged, StoredNumbers, check_names

TEXTS = st.text(st.characters(codec=None), max_size=4)  # lone surrogates too
INTEGERS = st.integers(-1000, 1000) | st.integers()


def packed(texts):
    raw = [text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.concatenate([[0], np.cumsum([len(own) for own in raw])]).astype(np.int64)
    return np.frombuffer(b"".join(raw), np.uint8), offsets


@given(st.sets(INTEGERS), st.sets(TEXTS))
def test_names_in_canonical_order_are_sound(integers, texts):
    check_names(*packed([*map(str, sorted(integers)), *sorted(texts)]), len(integers))


@given(st.lists(INTEGERS, min_size=2, max_size=6), st.lists(TEXTS, min_size=2, max_size=6))
def test_names_in_another_order_or_twice_are_not(integers, texts):
    if integers != sorted(set(integers)):
        with pytest.raises(ValueError, match="greater"):
            check_names(*packed([*map(str, integers)]), len(integers))
    if texts != sorted(set(texts)):
        with pytest.raises(ValueError, match="greater"):
            check_names(*packed(texts), 0)


@given(st.binary(max_size=6))
def test_only_utf8_is_a_name(raw):
    try:
        raw.decode("utf-8", "surrogatepass")
        check_names(*packed([raw]), 0)
    except UnicodeDecodeError:
        with pytest.raises(ValueError, match="UTF-8"):
            check_names(*packed([raw]), 0)


@pytest.mark.parametrize("text", ["", "-", "-0", "00", "01", "+1", " 1", "1 ", "1_0", "1.0", "٣", "x", "1" * 4301])
def test_integers_are_as_python_writes_them(text):
    with pytest.raises(ValueError, match="not an integer"):
        check_names(*packed([text]), 1)


@pytest.mark.parametrize("offsets", [[], [1, 3], [0, 4], [0, 2], [0, 2, 1, 3], [0, -1, 3], [-1, 3]])
def test_offsets_of_names_fit_their_text(offsets):
    with pytest.raises(ValueError, match="offsets"):
        check_names(np.frombuffer(b"abc", np.uint8), np.array(offsets, np.int64), 0)


@pytest.mark.parametrize("integers", [-1, 2])
def test_the_number_of_integers_is_checked(integers):
    with pytest.raises(ValueError, match="integer names"):
        check_names(*packed(["1"]), integers)


def small_index():
    """a → b → c, d → c, in the clusters {a, b} and {b, c, d}, and {b, d} with the derived tables of b and d."""
    graph = Graph(Ragged.from_lists([[], [0], [1, 3], []]))
    return ClusterIndex(graph, Ragged.from_lists([[0, 1], [1, 2, 3], [1, 3]]), np.array([[0, 1], [1, 2]], np.int32))


def test_offsets_of_tables_and_regressions():
    index, states = small_index(), np.array([2, 3, 2, 4], np.int64)
    parents = [index.table_parents[table].tolist() for table in range(index.table_count)]
    variables = index.table_variable.tolist()
    sizes = [int(np.prod([states[v], *(states[p] for p in own)])) for v, own in zip(variables, parents, strict=True)]
    tables = StoredNumbers.of_tables(index, index.table_count, states, sum(sizes))
    assert np.diff(tables.offsets).tolist() == sizes
    assert len(tables) == index.table_count
    regressions = StoredNumbers.of_regressions(index, 4)
    assert np.diff(regressions.offsets).tolist() == [2 + len(own) for own in parents[:4]]


def test_tables_larger_than_the_numbers_are_refused():
    index = small_index()
    with pytest.raises(ValueError, match="larger"):
        StoredNumbers.of_tables(index, 4, np.array([2, 3, 2, 4], np.int64), 2 + 6 + 24 + 3)
    with pytest.raises(ValueError, match="larger"):
        StoredNumbers.of_tables(index, 4, np.full(4, 1 << 40, np.int64), 1 << 62)
    with pytest.raises(ValueError, match="no states"):
        StoredNumbers.of_tables(index, 4, np.array([2, 0, 2, 4], np.int64), 100)
    with pytest.raises(ValueError, match="every variable"):
        StoredNumbers.of_tables(index, 4, np.array([2, 3, 2], np.int64), 100)
    for count in (-1, index.table_count + 1):
        with pytest.raises(ValueError, match="that many"):
            StoredNumbers.of_regressions(index, count)


def mixed(numbers):
    """The checksum, in Python's integers."""
    found, whole = 0x9E3779B97F4A7C15, (1 << 64) - 1
    for bits in np.asarray(numbers, np.float64).view(np.uint64).tolist():
        found = (found ^ bits) * 0xBF58476D1CE4E5B9 & whole
        found ^= found >> 29
    return found


def test_checksums_mix_the_numbers_of_the_stored_tables_of_a_cluster():
    index, rng = small_index(), np.random.default_rng(1)
    for stored in (StoredNumbers.of_tables(index, 4, np.array([2, 3, 2, 4]), 100), StoredNumbers.of_regressions(index, 5)):
        numbers = rng.normal(size=stored.offsets[-1])
        own = [numbers[a:b] for a, b in zip(stored.offsets[:-1], stored.offsets[1:], strict=True)]
        expected = []
        for cluster in range(3):
            first, last = index.clusters.offsets[cluster : cluster + 2]
            tables = [own[table] for table in index.member_table[first:last].tolist() if table < len(stored)]
            expected.append(mixed(np.concatenate([[], *tables])))
        assert stored.checksums(numbers, 0, 3).tolist() == expected
        assert stored.checksums(numbers, 1, 2).tolist() == expected[1:2]
        assert stored.checksums(numbers, 3, 3).tolist() == []


@pytest.mark.parametrize(
    ("value", "is_wrong"), [(0.5, False), (-0.0, True), (np.nan, True), (np.inf, True), (0.5 + 2e-9, True)]
)
def test_rows_of_tables_are_distributions(value, is_wrong):
    stored = StoredNumbers.of_tables(small_index(), 4, np.full(4, 2, np.int64), 100)
    numbers = np.full(int(stored.offsets[-1]), 0.5)
    assert stored.find_wrong_table(numbers, np.arange(4, dtype=np.int32)) == -1
    numbers[stored.offsets[2] + 3] = value
    assert stored.find_wrong_table(numbers, np.arange(4, dtype=np.int32)) == (2 if is_wrong else -1)
    assert stored.find_wrong_table(numbers, np.array([0, 1, 3], np.int32)) == -1
    numbers[stored.offsets[2] + 2 : stored.offsets[2] + 4] = [-0.5, 1.5]
    assert stored.find_wrong_table(numbers, np.arange(4, dtype=np.int32)) == 2


@pytest.mark.parametrize(
    ("entry", "value", "is_wrong"), [(0, -3.0, False), (1, 0.0, False), (1, -1e-9, True), (2, np.inf, True)]
)
def test_regressions_are_finite_with_variances(entry, value, is_wrong):
    stored = StoredNumbers.of_regressions(small_index(), 4)
    numbers = np.ones(int(stored.offsets[-1]))
    numbers[stored.offsets[1] + entry] = value
    assert stored.find_wrong_table(numbers, np.arange(4, dtype=np.int32)) == (1 if is_wrong else -1)


def test_wrong_calls_are_refused():
    stored = StoredNumbers.of_regressions(small_index(), 4)
    numbers = np.ones(int(stored.offsets[-1]))
    with pytest.raises(ValueError, match="too few"):
        stored.checksums(numbers[:-1], 0, 3)
    with pytest.raises(ValueError, match="no such cluster"):
        stored.checksums(numbers, 0, 4)
    with pytest.raises(ValueError, match="no such cluster"):
        stored.checksums(numbers, 2, 1)
    for table in (-1, 4):
        with pytest.raises(ValueError, match="no such table"):
            stored.find_wrong_table(numbers, np.array([table], np.int32))
