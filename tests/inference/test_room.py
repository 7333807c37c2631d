"""The memory that kernels work in: an answer depends neither on how much there is nor on what stands in it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from inference.models import SPRINKLER, chain, close, diamonds, grid, in_one_cluster, in_pieces, naive_bayes
from inference.questions import Question, questions

import dconvex as dc
from dconvex.inference import families, planner, tables
from dconvex.inference.memory import NO_LIMIT
from dconvex.kernels import load

TINY = 8
"""So little that every kernel has to ask for more, several times."""
THREADS = 8


@pytest.fixture
def tiny_room(monkeypatch):
    """Each call of a kernel begins with too little memory and keeps none of what it gets."""
    monkeypatch.setattr(families, "FIRST_ROOM", TINY)
    monkeypatch.setattr(families, "LARGEST_ROOM", 0)
    monkeypatch.setattr(families, "_KEPT", families._Kept())


@pytest.fixture
def dirty_room(monkeypatch):
    """Memory in which stands what no kernel may read."""
    kept = families._Kept()
    kept.memory = np.full(families.FIRST_ROOM, -(2**62)), np.full(families.FIRST_ROOM, np.nan)
    monkeypatch.setattr(families, "_KEPT", kept)


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


@on_cases
def test_little_room_gives_the_bits_of_much(network, given, request):
    expected = answers(network, **given)
    request.getfixturevalue("tiny_room")
    assert answers(network, **given) == expected


@on_cases
def test_what_stands_in_the_room_does_not_matter(network, given, request):
    expected = answers(network, **given)
    request.getfixturevalue("dirty_room")
    assert answers(network, **given) == expected


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(questions())
def test_brute_force_in_little_room(tiny_room, question: Question):
    local, oracle = dc.localize(question.network), question.oracle()
    close(local.query(question.variables, **question.given).values, oracle.query(question.variables))
    for variable, own in local.marginals(**question.given).items():
        close(own.values, oracle.query([variable]))


def test_each_thread_has_its_own_room(tiny_room):
    """Several models and all threads at once: no answer is written over by another."""
    models = [dc.localize(network) for network, _ in CASES.values()]

    def ask_all(_) -> list:
        return [{name: own.values.tobytes() for name, own in local.marginals().items()} for local in models for _ in range(3)]

    expected = ask_all(0)
    with ThreadPoolExecutor(THREADS) as pool:
        assert all(found == expected for found in pool.map(ask_all, range(THREADS)))


def test_no_answer_shares_memory_with_the_room():
    local = dc.localize(SPRINKLER)
    found = [local.query(["rain", "wet"]).values, *(own.values for own in local.marginals().values())]
    before = [values.tobytes() for values in found]
    for array in families._KEPT.memory:
        assert not any(np.shares_memory(array, values) for values in found)
    dc.localize(diamonds(8)).marginals()
    assert [values.tobytes() for values in found] == before


def test_marginals_of_thousands_of_variables():
    """Far more than the first room holds; on a chain each is the one before times its own table."""
    network = chain(3000, states=2, seed=1)
    found = dc.localize(network).marginals()
    expected = network.family(0).values
    for node in range(1, 3001):
        expected = expected @ network.family(node).values
        close(found[node].values, expected)


def test_a_program_has_room_for_more_tables_than_are_paired_at_once():
    """More tables with one variable than the kernel looks for the best pair of, all likelihoods."""
    rows = np.random.default_rng(3).random((150, 2))
    soft = {f"x{k}": [0.25, 0.5] for k in range(150)}
    found = dc.localize(naive_bayes(rows)).query("class", soft=soft).values
    weights = np.prod(0.25 + 0.25 * rows, axis=0)
    close(found, weights / weights.sum())


def test_large_tables_in_logarithms(tiny_room):
    """Sums in logarithms take room of their own, as large as the table."""
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
    planner = local._answers.planner
    assert planner._bytes == sum(plan.program.nbytes for plan in planner._kept.values())


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


def test_python_and_kernels_read_a_program_alike():
    for ours, theirs in ((tables.Head, load("programs")), (planner.Ending, load("questions"))):
        places = {name: place for name, place in vars(ours).items() if name.isupper()}
        assert places == {name: getattr(theirs, name) for name in places}
    for name in ("RAW", "JOINT", "EACH", "ROWS"):
        assert getattr(tables, name) == getattr(load("contraction"), name)
    assert (tables.COST, tables.PEAK) == (load("questions").COST, load("questions").PEAK)
    assert NO_LIMIT < planner.LARGEST == load("questions").LARGEST


def test_a_question_is_packed_as_it_is_unpacked():
    parts = (1, 2, 3), (4,), (5, 6), (7,), (8, 9)
    image = families.packed_question(parts, True, False, True, 2, 1000, 10)
    found = load("questions")._unpacked_question.py_func(image)
    assert [part.tolist() for part in found[:5]] == [list(part) for part in parts]
    assert found[5:] == (True, False, True, 2, 1000, 10)
    assert (found.ending, found.limit, found.table) == (2, 1000, 10)


def test_a_star_is_ordered_in_quadratic_time():
    """With 3,000 leaves; in cubic time it would take minutes."""
    leaves = [f"x{k}" for k in range(3000)]
    star = dc.random_network(dc.Dag([("hub", leaf) for leaf in leaves]), seed=1)
    marginals = dc.localize(star).marginals({"x0": star.states["x0"][0]})
    assert marginals["hub"].values.sum() == pytest.approx(1.0)
