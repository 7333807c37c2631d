"""Asking changes nothing that can be seen: not the model, not later answers, from whichever thread."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference.models import SPRINKLER, diamonds, in_pieces
from inference.questions import questions, small_networks

import dconvex as dc

THREADS = 8


def many_questions(network, count, seed):
    """Questions of every kind, as functions of a model that give plain, comparable values."""
    rng = np.random.default_rng(seed)
    nodes, states = list(network.dag.nodes), network.states
    row = network.sample(1, seed=seed).iloc[0].to_dict()
    asked = []
    for number in range(count):
        chosen = rng.permutation(nodes)[:6].tolist()
        evidence = {v: row[v] for v in chosen[:2]}
        given = {
            "evidence": {**evidence, chosen[2]: set(states[chosen[2]])},
            "soft": {chosen[3]: [0.5] * len(states[chosen[3]])},
        }
        asked.append(
            [
                lambda m, q=chosen[4:], g=given: m.query(q, **g).values.tobytes(),
                lambda m, q=chosen[1:5], g=evidence: m.query(q, g).values.tobytes(),
                lambda m, g=given: {v: own.values.tobytes() for v, own in m.marginals(**g).items()},
                lambda m, g=given: m.log_evidence(**g),
                lambda m, g=given: m.most_probable(**g),
                lambda m, g=given, s=number: m.sample(3, **g, seed=s).to_dict("list"),
                lambda m, q=chosen[4:], g=evidence: str(m.explain(q, g)),
                lambda m, q=chosen[:1]: m.predict_proba(network.sample(20, seed=1), q)[q[0]].tobytes(),
            ][number % 8]
        )
    return asked


NETWORKS = {
    "diamonds": diamonds(25, states=3),
    "pieces": in_pieces(10),
    "random": dc.random_network(dc.random_dag(12, 20, max_parents=3, seed=5), 3, seed=5),
}
on_networks = pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)


@on_networks
def test_many_threads_give_the_bits_of_one(network):
    asked = many_questions(network, 64, seed=0)
    serial = [ask(dc.localize(network)) for ask in asked]
    shared = dc.localize(network)
    start = threading.Barrier(THREADS)

    def ask_all(shift):
        order = np.roll(np.arange(len(asked)), 8 * shift)
        start.wait()
        return {place: asked[place](shared) for place in order.tolist()}

    with ThreadPoolExecutor(THREADS) as pool:
        for found in pool.map(ask_all, range(THREADS)):
            assert [found[place] for place in range(len(asked))] == serial


@on_networks
def test_the_first_touch_by_all_threads_at_once(network):
    """All threads need the same messages of a new model at the same time."""
    question = many_questions(network, 1, seed=3)[0]
    expected = question(dc.localize(network))
    for _ in range(20):
        local, start = dc.localize(network), threading.Barrier(THREADS)

        def ask(_, local=local, start=start):
            start.wait()
            return question(local)

        with ThreadPoolExecutor(THREADS) as pool:
            assert set(pool.map(ask, range(THREADS))) == {expected}


@on_networks
def test_the_same_bits_whatever_was_asked_before(network):
    asked = many_questions(network, 40, seed=1)
    fresh = [ask(dc.localize(network)) for ask in asked]
    forwards, backwards = dc.localize(network), dc.localize(network)
    assert [ask(forwards) for ask in asked] == fresh
    assert [ask(backwards) for ask in reversed(asked)][::-1] == fresh
    assert [ask(forwards) for ask in asked] == fresh


@given(small_networks.filter(len), st.data())
def test_bits_do_not_depend_on_history(network, data):
    used = dc.localize(network)
    for question in [data.draw(questions(st.just(network))) for _ in range(3)]:
        used.marginals(**question.given)
        used.most_probable(question.variables, **question.given)
        found = used.query(question.variables, **question.given).values
        assert found.tobytes() == dc.localize(network).query(question.variables, **question.given).values.tobytes()


def test_what_the_caller_does_with_an_answer_stays_with_the_caller():
    local = dc.localize(SPRINKLER)
    for ask in (lambda: local.query("rain").values, lambda: local.marginals({"wet": "wet"})["wet"].values):
        before = ask().tolist()
        try:
            ask()[:] = 7
        except ValueError:  # read-only
            pass
        assert ask().tolist() == before


def test_evidence_is_neither_changed_nor_kept():
    local = dc.localize(SPRINKLER)
    evidence, soft = {"rain": {"some", "much"}}, {"cloudy": np.array([1.0, 3.0])}
    before = local.query("wet", evidence, soft=soft)
    assert evidence == {"rain": {"some", "much"}}
    assert soft["cloudy"].tolist() == [1.0, 3.0]
    evidence["rain"].add("none")
    soft["cloudy"][:] = 0.5
    after = local.query("wet", {"rain": {"some", "much"}}, soft={"cloudy": [1.0, 3.0]})
    assert after.values.tobytes() == before.values.tobytes()


def test_a_model_is_frozen():
    local = dc.localize(SPRINKLER)
    with pytest.raises(AttributeError):
        local.tree = dc.ClusterTree([["a"]])


def test_a_model_that_was_asked_travels_like_a_new_one():
    local = dc.localize(SPRINKLER)
    expected = local.query(["rain", "wet"], {"cloudy": True}).values.tobytes()
    again = pickle.loads(pickle.dumps(local))
    assert again.query(["rain", "wet"], {"cloudy": True}).values.tobytes() == expected
