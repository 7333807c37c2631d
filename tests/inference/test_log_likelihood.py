"""P(row) for complete rows, as the network itself says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from inference.models import SPRINKLER
from strategies import discrete_networks

import dconvex as dc


@given(discrete_networks(min_nodes=1))
def test_log_likelihood_is_that_of_the_network(network):
    rows = network.sample(20, seed=0)
    np.testing.assert_allclose(dc.localize(network).log_likelihood(rows), network.log_likelihood(rows), rtol=1e-12)


@given(discrete_networks(min_nodes=1, max_nodes=5))
def test_log_likelihood_of_a_row_is_its_log_evidence(network):
    local = dc.localize(network)
    rows = network.sample(3, seed=0)
    for row, found in zip(rows.to_dict("records"), local.log_likelihood(rows), strict=True):
        assert local.log_evidence(row) == pytest.approx(found, rel=1e-9, abs=1e-12)


def test_a_missing_column_has_a_near_match():
    with pytest.raises(dc.DataError, match="unknown column 'rain'; did you mean 'Rain'"):
        dc.localize(SPRINKLER).log_likelihood(SPRINKLER.sample(3, seed=0).rename(columns={"rain": "Rain"}))


@pytest.mark.parametrize(
    ("network", "rows"),
    [(dc.load_network("asia"), 40_000), (dc.random_gaussian_network([("a", "b"), ("c", "b")], seed=1), 140_000)],
)
def test_any_number_of_threads_gives_the_same_bits(network, rows):
    local, sample = dc.localize(network), network.sample(rows, seed=1)
    if local.kind == "gaussian":
        sample.iloc[::7, 1] = np.nan
    found = [local.log_likelihood(sample, n_jobs=n_jobs) for n_jobs in (1, 2, 5)]
    assert len({own.tobytes() for own in found}) == 1
    np.testing.assert_allclose(found[0][-100:], local.log_likelihood(sample[-100:]), rtol=1e-12)
