"""Sums of deviations and of their products, against exact sums and as sums of a fixed shape."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dconvex._core import MomentSums, Ragged, add_moments


def added(members, values, bounds=None):
    sums = MomentSums(Ragged.from_lists(members))
    assert len(sums) == len(members)
    may_miss = np.isnan(values).any(axis=1)
    for first, last in bounds or [(0, len(members))]:
        add_moments(sums, values, values.shape[1], may_miss, first, last)
    return sums


def by_family(members, sums):
    """The shift, the sums and the products of each family."""
    at, square = 0, 0
    for own in members:
        width = len(own)
        products = sums.products[square : square + width**2].reshape(width, width)
        yield sums.shift[at : at + width], sums.sums[at : at + width], products
        at, square = at + width, square + width**2


def whole_rows(values, own):
    rows = values[own]
    return rows[:, ~np.isnan(rows).any(axis=0)]


@given(
    st.integers(1, 9),
    st.sampled_from([0, 1, 3, 2047, 2048, 2049, 4099]),
    st.sampled_from([0.0, 0.1, 0.9, 1.0]),
    st.integers(0, 50),
)
def test_sums_are_those_of_the_deviations(variables, rows, missing, seed):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((variables, rows)) + 10.0 ** rng.integers(-2, 6, (variables, 1))
    values[rng.random(values.shape) < missing] = np.nan
    members = [rng.permutation(variables)[: rng.integers(1, variables + 1)].tolist() for _ in range(3)]
    sums = added(members, values)
    for own, (shift, totals, products), used in zip(members, by_family(members, sums), sums.used.tolist(), strict=True):
        taken = whole_rows(values, own)
        assert used == taken.shape[1]
        if not used:
            assert not totals.any()
            assert not products.any()
            continue
        np.testing.assert_array_equal(shift, taken[:, 0])
        deviations = taken - shift[:, None]
        exact = [math.fsum(line) for line in deviations.tolist()]
        np.testing.assert_allclose(totals, exact, rtol=1e-12, atol=1e-12 * np.abs(deviations).sum(axis=1).max())
        lower = np.tril(np.ones(products.shape, bool))
        np.testing.assert_allclose(products[lower], (deviations @ deviations.T)[lower], rtol=1e-11, atol=1e-9)
        assert not products[~lower].any()


def test_sums_have_the_shape_that_is_written_down():
    """Blocks of 2,048 rows; in a block one sum of the deviations, and four of the products that take turns."""
    rng = np.random.default_rng(3)
    values = rng.standard_normal((2, 5_003)) * 10.0 ** rng.integers(-8, 8, (2, 5_003))
    [(shift, totals, products)] = by_family([[0, 1]], added([[0, 1]], values))
    expected_sum, expected_product = 0.0, 0.0
    for first in range(0, 5_003, 2_048):
        one, other = (values[:, first : first + 2_048] - shift[:, None]).tolist()
        total, partial = 0.0, [0.0] * 4
        for x in other:
            total += x
        in_turns = len(one) // 4 * 4
        for k, (x, y) in enumerate(zip(one, other, strict=True)):
            partial[k % 4 if k < in_turns else 0] += x * y
        expected_sum += total
        expected_product += (partial[0] + partial[1]) + (partial[2] + partial[3])
    assert (totals[1], products[1, 0]) == (expected_sum, expected_product)


def test_ranges_of_families_give_the_same_bits():
    values = np.random.default_rng(5).standard_normal((6, 5_000)) * 1e3
    values[2, 17] = np.nan
    members = [[0], [0, 1, 2, 3, 4, 5], [4, 2], [5, 3, 1]]
    whole, parts = added(members, values), added(members, values, [(0, 2), (2, 2), (2, 3), (3, 4)])
    for name in ("shift", "sums", "products", "used"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


def test_a_second_call_goes_on_where_the_first_ended():
    values = np.arange(12.0).reshape(1, 12)
    sums = MomentSums(Ragged.from_lists([[0]]))
    for part in (values[:, :4].copy(), values[:, 4:].copy()):
        add_moments(sums, part, part.shape[1], np.zeros(1, bool), 0, 1)
    assert (sums.shift[0], sums.sums[0], sums.products[0], sums.used[0]) == (0, 66, 506, 12)


def test_results_are_read_only_and_outlive_the_sums():
    sums = added([[0]], np.ones((1, 3)))
    used = sums.used
    with pytest.raises(ValueError, match="read-only"):
        used[0] = 5
    del sums
    assert used.tolist() == [3]


def test_nothing():
    assert len(added([], np.empty((0, 0)))) == 0
    assert added([[]], np.empty((1, 4))).used.tolist() == [4]


def test_wrong_calls():
    sums, flags = MomentSums(Ragged.from_lists([[0, 1]])), np.zeros(2, bool)
    values = np.zeros((2, 4))
    for call in (
        lambda: add_moments(sums, values, 5, flags, 0, 1),
        lambda: add_moments(sums, values, -1, flags, 0, 1),
        lambda: add_moments(sums, values[:1], 4, flags, 0, 1),
        lambda: add_moments(sums, values, 4, flags[:1], 0, 1),
        lambda: add_moments(sums, values, 4, flags, 0, 2),
        lambda: add_moments(sums, values, 4, flags, 1, 0),
        lambda: add_moments(sums, values, 4, flags, -1, 1),
        lambda: MomentSums(Ragged.from_lists([[0, -1]])),
    ):
        with pytest.raises(ValueError, match=r"."):
            call()
    for other in (values.astype(np.float32), values.T[:2, :2], np.zeros(4)):
        with pytest.raises(TypeError):
            add_moments(sums, other, 2, flags, 0, 1)
    assert sums.used.tolist() == [0]
