"""Every loop over rows, families or numbers asks whether it should stop."""

import numpy as np
import pytest

from dconvex._core import (
    Cancellation,
    CountTables,
    IntegerEncoder,
    MomentSums,
    Ragged,
    TextEncoder,
    add_moments,
    cluster_checksums,
    count_cells,
)

MANY = 1 << 20


def encode_integers():
    encoder = IntegerEncoder()
    encoder.add(0, 0)
    encoder.encode(np.zeros(MANY, np.int64), np.zeros(MANY, np.int8), 0)


def encode_short_texts():
    encoder = TextEncoder()
    encoder.add(b"", 0)
    encoder.encode(np.zeros(MANY + 1, np.int32), np.zeros(0, np.uint8), np.zeros(MANY, np.int8), 0)


def encode_objects():
    TextEncoder().encode_objects(np.empty(MANY, object), np.zeros(MANY, np.int8), 0)


def encode_a_long_text():
    TextEncoder().encode(np.array([0, 8 * MANY]), np.zeros(8 * MANY, np.uint8), np.zeros(1, np.int8), 0)


def add_a_long_text():
    TextEncoder().add(bytes(8 * MANY), 0)


def count(members, rows):
    states = np.array([2])
    first_cell = np.arange(len(members)) * 2
    tables = CountTables(Ragged.from_lists(members), states, np.zeros(1, bool), first_cell)
    counts, used = np.zeros(2 * len(members), np.int64), np.zeros(len(members), np.int64)
    count_cells(tables, np.zeros((1, rows), np.int8), rows, counts, used, 0, len(members))


def add(members, rows):
    add_moments(MomentSums(Ragged.from_lists(members)), np.zeros((1, rows)), rows, np.zeros(1, bool), 0, len(members))


def checksums(tables, numbers):
    offsets = np.arange(tables + 1) * numbers
    cluster_checksums(
        np.zeros(tables * numbers), offsets, offsets // numbers, np.arange(tables, dtype=np.int32), tables, 0, tables
    )


WORK = {
    "integers": encode_integers,
    "short texts": encode_short_texts,
    "objects": encode_objects,
    "a long text": encode_a_long_text,
    "adding a long text": add_a_long_text,
    "counting many rows": lambda: count([[0]], MANY),
    "counting many families": lambda: count([[0]] * 1_000, 1_000),
    "moments of many rows": lambda: add([[0]], MANY),
    "moments of many families": lambda: add([[0]] * 1_000, 1_000),
    "checksums of many numbers": lambda: checksums(1, MANY),
    "checksums of many clusters": lambda: checksums(MANY // 4, 1),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK.keys())
def test_work_that_is_called_off_stops(work):
    work()
    cancellation = Cancellation()
    with cancellation:
        work()
        cancellation.cancel()
        with pytest.raises(KeyboardInterrupt):
            work()
    work()


def test_an_encoder_is_usable_after_it():
    cancellation, encoder, out = Cancellation(), IntegerEncoder(), np.zeros(MANY, np.int8)
    encoder.add(0, 3)
    cancellation.cancel()
    with cancellation, pytest.raises(KeyboardInterrupt):
        encoder.encode(np.zeros(MANY, np.int64), out, 0)
    assert encoder.encode(np.zeros(MANY, np.int64), out, 0) == -1
    assert (out == 3).all()
