"""Rows drawn from the posterior, and answers estimated from weighted samples."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from inference.brute_force import BruteForce
from inference.models import SPRINKLER, grid, in_one_cluster, in_pieces, naive_bayes
from inference.questions import Question, questions

import dconvex as dc

SOME = {"evidence": {"wet": "wet", "rain": {"none", "much"}}, "soft": {"cloudy": [3.0, 0.5]}}


def within(found, exact, rows, errors=5):
    """Frequencies as near as they must be to their probabilities."""
    variance = np.clip(exact * (1 - exact), 0, None)
    assert (np.abs(found - exact) <= errors * np.sqrt(variance / rows) + 1e-12).all()


# --- rows


@given(questions())
def test_rows_agree_with_the_evidence_and_can_occur(question: Question):
    sample = dc.localize(question.network).sample(30, **question.given, seed=1)
    assert tuple(sample.columns) == question.network.dag.nodes
    oracle = question.oracle()
    assert all(oracle.probability(row) > 0 for row in sample.to_dict("records"))
    for variable, value in question.evidence.items():
        assert sample[variable].isin(list(value) if isinstance(value, set) else [value]).all()


@pytest.mark.parametrize("given", [{}, {"evidence": {"wet": "dry"}}, SOME])
def test_frequencies_are_near_the_posterior(given):
    rows = 100_000
    sample = dc.localize(SPRINKLER).sample(rows, **given, seed=3)
    exact = BruteForce(SPRINKLER, given.get("evidence"), given.get("soft")).query(SPRINKLER.dag.nodes)
    counts = np.zeros(exact.shape)
    np.add.at(counts, tuple(sample[name].cat.codes.to_numpy().astype(int) for name in SPRINKLER.dag.nodes), 1)
    within(counts / rows, exact, rows)


@pytest.mark.parametrize("seed", range(4))
def test_frequencies_on_random_networks(seed):
    network = dc.random_network(dc.random_dag(8, 11, max_parents=3, seed=seed), 3, seed=seed)
    rng, rows = np.random.default_rng(seed), 50_000
    first, second, third = rng.permutation(network.dag.nodes)[:3].tolist()
    given = {"evidence": {first: 1, second: {0, 2}}, "soft": {third: [0.1, 1.0, 4.0]}}
    sample = dc.localize(network).sample(rows, **given, seed=seed)
    oracle = BruteForce(network, given["evidence"], given["soft"])
    for variable in network.dag.nodes:
        frequency = sample[variable].value_counts(normalize=True, sort=False).to_numpy()
        within(frequency, oracle.query([variable]), rows)


def test_evidence_that_no_rejection_would_ever_meet():
    leaves = [f"x{k}" for k in range(100)]
    sample = dc.localize(naive_bayes([[0.001, 0.01]] * 100)).sample(1000, dict.fromkeys(leaves, 1), seed=0)
    assert (sample["class"] == 1).all()
    assert (sample[leaves] == 1).all(axis=None)


def test_the_frame_is_like_that_of_the_network():
    ours, theirs = dc.localize(SPRINKLER).sample(50, seed=0), SPRINKLER.sample(50, seed=0)
    assert list(ours.columns) == list(theirs.columns)
    assert ours.index.equals(theirs.index)
    assert (ours.dtypes == theirs.dtypes).all()
    with_evidence = dc.localize(SPRINKLER).sample(50, {"rain": "much"}, seed=0)
    assert (with_evidence.dtypes == theirs.dtypes).all()


def test_the_seed_decides():
    local = dc.localize(SPRINKLER)
    one, same, other = (local.sample(100, **SOME, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, same)
    assert not one.equals(other)
    pd.testing.assert_frame_equal(one, local.sample(100, **SOME, seed=np.random.default_rng(1)))
    assert not local.sample(100).equals(local.sample(100))


def test_no_rows():
    assert dc.localize(SPRINKLER).sample(0, {"wet": "wet"}).shape == (0, 4)


@pytest.mark.parametrize(("rows", "error"), [(-1, ValueError), (2.5, TypeError)])
def test_numbers_of_rows_that_cannot_be(rows, error):
    with pytest.raises(error):
        dc.localize(SPRINKLER).sample(rows, {"wet": "wet"})


def test_pieces_are_drawn_independently():
    network = in_pieces(12)
    sample = dc.localize(network).sample(20_000, {"b0": 1}, seed=0)
    codes = sample[["a1", "a2"]].to_numpy().astype(float)
    assert abs(np.corrcoef(codes.T)[0, 1]) < 5 / math.sqrt(20_000)


# --- estimates


@pytest.mark.parametrize("given", [{}, {"evidence": {"wet": "wet"}}, SOME])
@pytest.mark.parametrize("variables", ["rain", ["sprinkler", "rain"]])
def test_estimates_are_near_the_exact_answer(variables, given):
    local = dc.localize(SPRINKLER)
    found = local.query(variables, **given, method="sampling", samples=40_000, seed=7)
    exact = local.query(variables, **given)
    assert found.variables == exact.variables
    assert found.values.sum() == pytest.approx(1.0)
    assert found.standard_errors.shape == found.values.shape
    assert (np.abs(found.values - exact.values) <= 5 * found.standard_errors + 1e-3).all()


def test_standard_errors_tell_how_far_estimates_lie_apart():
    local = dc.localize(SPRINKLER)
    found = [local.query("rain", {"wet": "wet"}, method="sampling", samples=2000, seed=seed) for seed in range(60)]
    spread = np.std([own.values for own in found], axis=0)
    told = np.mean([own.standard_errors for own in found], axis=0)
    assert (told > 0.6 * spread).all()
    assert (told < 1.7 * spread).all()


def test_more_samples_are_nearer():
    local = dc.localize(SPRINKLER)
    few, many = (local.query("rain", {"wet": "wet"}, method="sampling", samples=n, seed=1) for n in (500, 50_000))
    assert (many.standard_errors < few.standard_errors / 4).all()


def test_the_seed_decides_an_estimate():
    local = dc.localize(SPRINKLER)
    one, same, other = (local.query("rain", {"wet": "wet"}, method="sampling", seed=seed) for seed in (1, 1, 2))
    assert one.values.tolist() == same.values.tolist()
    assert one.values.tolist() != other.values.tolist()


def test_an_estimate_of_what_is_too_large():
    local = in_one_cluster(grid(30, 30), max_bytes=2**24)
    with pytest.raises(dc.TooLargeError):
        local.query("29,29", {"0,0": 1})
    found = local.query("29,29", {"0,0": 1}, method="sampling", samples=2000, seed=0)
    assert found.values.sum() == pytest.approx(1.0)
    assert (found.standard_errors < 0.1).all()


@pytest.mark.parametrize("samples", [0, -5])
def test_numbers_of_samples_that_cannot_be(samples):
    with pytest.raises(ValueError, match="samples"):
        dc.localize(SPRINKLER).query("rain", method="sampling", samples=samples)


def test_too_many_samples_are_refused():
    with pytest.raises(dc.TooLargeError, match=r"100,000,000,000 samples of \d+ variables .* Take fewer samples"):
        dc.localize(SPRINKLER).query("rain", {"wet": "wet"}, method="sampling", samples=100_000_000_000)


@pytest.mark.parametrize("evidence", [{}, {"wet": "wet"}])
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937])
def test_any_number_of_threads_draws_the_same_rows(evidence, bits):
    local = dc.localize(SPRINKLER)
    frames, followers = [], []
    for n_jobs in (1, 2, 3, None):
        generator = np.random.Generator(bits(7))
        generator.integers(5, dtype=np.uint32)  # half an integer is left over, and stays
        frames.append(local.sample(40_000, evidence, seed=generator, n_jobs=n_jobs))
        followers.append([*generator.integers(2**32, size=3, dtype=np.uint32), *generator.random(3)])
    for frame, follower in zip(frames[1:], followers[1:], strict=True):
        pd.testing.assert_frame_equal(frame, frames[0])
        assert follower == followers[0]


def test_no_threads_at_all_are_refused():
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        dc.localize(SPRINKLER).sample(5, n_jobs=0)
