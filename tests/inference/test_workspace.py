"""The memory that planning and running work in: an answer depends neither on how much there is nor on what is in it."""

from __future__ import annotations

import gc
import hashlib
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from inference.models import SPRINKLER, chain, close, diamonds, grid, in_one_cluster, in_pieces, naive_bayes
from inference.questions import Question, questions

import dconvex as dc
from dconvex import _core

THREADS = 8
KEPT = 1 << 20
"""Bytes that a thread may keep of a workspace, and more than it keeps of its plans."""


def in_a_new_thread(work):
    """What work gives in a thread that has no workspace yet."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def answers(network: dc.BayesianNetwork, variables=None, **given) -> list:
    """All that a new model says about a question, bit by bit."""
    local, asked = dc.localize(network), variables or [*network.dag.nodes][-2:]
    return [
        local.query(asked, **given).values.tobytes(),
        {name: own.values.tobytes() for name, own in local.marginals(**given).items()},
        local.log_evidence(**given),
        local.most_probable(asked, **given),
        local.sample(3, **given, seed=0).to_dict("list"),
        str(local.explain(asked, **given)),
    ]


IMPROBABLE = {"soft": {f"x{k}": [1e-200, 1.0] if k % 2 else [1.0, 1e-200] for k in range(60)}}
CASES = {
    "sprinkler": (SPRINKLER, {"evidence": {"wet": "wet"}, "soft": {"rain": [0.2, 0.5, 1.0]}}),
    "diamonds": (diamonds(12, states=3), {"evidence": {"n3": 1}}),
    "pieces": (in_pieces(6), {"evidence": {"b1": 2, "b2": 0}}),
    "logarithms": (naive_bayes(np.random.default_rng(0).random((60, 2))), IMPROBABLE),
}
on_cases = pytest.mark.parametrize(("network", "given"), CASES.values(), ids=CASES)


def large_question() -> np.ndarray:
    """One whose workspace is larger than what a thread keeps."""
    values = in_one_cluster(chain(22)).query([*range(0, 20, 2), 22]).values
    in_one_cluster(grid(18, 18)).log_evidence({"17,17": 0, "0,17": 1})
    return values


@on_cases
def test_a_used_workspace_gives_the_bits_of_a_new_one(network, given):
    def after_others() -> list:
        for other, its_evidence in CASES.values():
            answers(other, **its_evidence)
        small = answers(network, **given)
        large_question()
        assert answers(network, **given) == small
        return small

    assert in_a_new_thread(after_others) == in_a_new_thread(lambda: answers(network, **given))


def digest() -> str:
    """A hash of what all cases answer."""
    found = [answers(network, **given) for network, given in CASES.values()]
    return hashlib.sha256(repr([*found, large_question().tobytes()]).encode()).hexdigest()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only the C library of Linux fills memory")
def test_what_is_in_new_memory_does_not_matter():
    """Whatever the C library fills memory with that it gives out."""
    tests = Path(__file__).parents[1]
    code = f"import sys; sys.path.insert(0, {str(tests)!r}); from inference.test_workspace import digest; print(digest())"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code], env=os.environ | {"MALLOC_PERTURB_": filling}, stdout=subprocess.PIPE, text=True
        )
        for filling in ("1", "128")  # as floats: -5.3e303 and 1.4e306
    ]
    assert {process.communicate()[0].strip() for process in processes} == {digest()}


@given(questions())
def test_brute_force_in_a_new_workspace(question: Question):
    local, oracle = dc.localize(question.network), question.oracle()
    close(in_a_new_thread(lambda: local.query(question.variables, **question.given).values), oracle.query(question.variables))
    for variable, own in in_a_new_thread(lambda: local.marginals(**question.given)).items():
        close(own.values, oracle.query([variable]))


def test_each_thread_has_its_own_workspace():
    """Several models and all threads at once: no answer is written over by another."""
    models = [dc.localize(network) for network, _ in CASES.values()]

    def ask_all(_) -> list:
        return [{name: own.values.tobytes() for name, own in local.marginals().items()} for local in models for _ in range(3)]

    expected = ask_all(0)
    with ThreadPoolExecutor(THREADS) as pool:
        assert all(found == expected for found in pool.map(ask_all, range(THREADS)))


def test_many_threads_run_one_program():
    """A program is a value: all threads run the same one, with different evidence."""
    network = diamonds(8, states=3)
    local, start = dc.localize(network), threading.Barrier(THREADS)
    expected = [dc.localize(network).query("n8", {"n0": state}).values.tobytes() for state in range(3)]
    local.query("n8", {"n0": 0})

    def ask(number: int) -> bool:
        start.wait()
        return all(
            local.query("n8", {"n0": (number + k) % 3}).values.tobytes() == expected[(number + k) % 3] for k in range(300)
        )

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(ask, range(THREADS)))
    assert len(local._engine.queries) == 1


def test_no_answer_shares_memory_with_the_workspace():
    local = dc.localize(SPRINKLER)
    found = [local.query(["rain", "wet"]).values, *(own.values for own in local.marginals().values())]
    before = [values.tobytes() for values in found]
    dc.localize(diamonds(8)).marginals()
    large_question()
    assert [values.tobytes() for values in found] == before


def test_a_large_workspace_is_given_back():
    def held_after_a_large_question() -> tuple[int, int]:
        _core.reset_peak_bytes()
        before = _core.allocated_bytes()
        large_question()
        gc.collect()
        return _core.allocated_bytes() - before, _core.peak_bytes() - before

    held, peak = in_a_new_thread(held_after_a_large_question)
    assert peak > 4 * KEPT
    assert held < 2 * KEPT


def test_threads_give_their_workspaces_back():
    def ask() -> None:
        dc.localize(SPRINKLER).marginals()

    in_a_new_thread(ask)
    gc.collect()
    before = _core.allocated_bytes()
    for _ in range(20):
        in_a_new_thread(ask)
    gc.collect()
    assert _core.allocated_bytes() - before < 1 << 14


def test_marginals_of_thousands_of_variables():
    """More than a thread keeps memory for; on a chain each is the one before times its own table."""
    network = chain(20_000, states=2, seed=1)
    found = dc.localize(network, tree=dc.decompose(network.dag, refine=False)).marginals()
    expected = network.family(0).values
    for node in range(1, 20_001):
        expected = expected @ network.family(node).values
        close(found[node].values, expected)


def test_a_program_has_room_for_more_tables_than_are_paired_at_once():
    """More tables with one variable than planning looks for the best pair of, all likelihoods."""
    rows = np.random.default_rng(3).random((150, 2))
    soft = {f"x{k}": [0.25, 0.5] for k in range(150)}
    found = dc.localize(naive_bayes(rows)).query("class", soft=soft).values
    weights = np.prod(0.25 + 0.25 * rows, axis=0)
    close(found, weights / weights.sum())


def test_large_tables_in_logarithms():
    network = grid(6, 6)
    soft = {node: [1.0, 1e-250] if number % 2 else [1e-250, 1.0] for number, node in enumerate(network.dag.nodes)}
    local = in_one_cluster(network)
    assert local.log_evidence(soft=soft) == pytest.approx(dc.localize(network).log_evidence(soft=soft), rel=1e-12)


def test_plans_are_counted_once_whichever_thread_is_first():
    network = diamonds(10)
    local, start = dc.localize(network), threading.Barrier(THREADS)

    def ask(_) -> None:
        for node in network.dag.nodes:
            start.wait()
            local.query(node, {"n5": 0})

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(ask, range(THREADS)))
    planner = local._engine.planner
    assert planner._bytes == sum(plan.program.own_bytes for plan in planner._kept.values())


def test_a_large_answer_to_improbable_evidence_sums_to_one():
    """Its two last factors are each large where the other is tiny, so that the sum is scaled once more."""
    size, tiny = 70, 2.0**-300
    likely = np.full((size, size, 2), 0.5)
    likely[0] = 1 - tiny, tiny
    network = dc.BayesianNetwork.discrete(
        [("a", "b"), ("a", "c"), ("b", "c"), ("a", "d")],
        {"a": [1 / size] * size, "b": np.full((size, size), 1 / size), "c": likely, "d": np.full((size, 2), 0.5)},
        {"a": range(size), "b": range(size), "c": range(2), "d": range(2)},
    )
    soft = {"a": [1.0, *[tiny] * (size - 1)], "d": [1.0, 2.0**-600]}
    assert dc.localize(network).query(["a", "b"], {"c": 1}, soft=soft).values.sum() == pytest.approx(1.0)


def test_a_star_is_ordered_in_quadratic_time():
    """With 3,000 leaves; in cubic time it would take minutes."""
    leaves = [f"x{k}" for k in range(3000)]
    star = dc.random_network(dc.Dag([("hub", leaf) for leaf in leaves]), seed=1)
    marginals = dc.localize(star).marginals({"x0": star.states["x0"][0]})
    assert marginals["hub"].values.sum() == pytest.approx(1.0)
