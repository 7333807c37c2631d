"""The plan of a question: what is kept and dropped, and that it depends on the question alone."""

from __future__ import annotations

import dataclasses
import gc
import pickle
import random
import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from inference.models import SPRINKLER, chain, close, diamonds, in_pieces
from inference.questions import Question, questions

import dconvex as dc
from dconvex import _core
from dconvex.inference import planner
from dconvex.inference.plan import Plan


@given(questions())
def test_a_plan_speaks_of_its_question(question: Question):
    plan = dc.localize(question.network).explain(question.variables, **question.given)
    assert isinstance(plan, dc.QueryPlan)
    assert plan.variables == question.variables
    assert set(plan.evidence) == set(question.hard)
    assert set(plan.likelihoods) - set(question.hard) == {*question.soft, *question.evidence} - set(question.hard)
    assert set(plan.requisite) <= {*question.evidence, *question.soft}
    assert plan.method in ("elimination", "propagation")
    assert plan.network in ("pruned", "hull", "whole")
    assert plan.multiplications >= 0


@given(questions())
def test_clusters_are_kept_or_dropped(question: Question):
    local = dc.localize(question.network)
    plan = local.explain(question.variables, **question.given)
    assert sorted([*plan.kept, *plan.dropped]) == list(range(len(local.tree)))


@given(questions(apart=True))
def test_what_is_asked_and_needed_is_kept(question: Question):
    plan = dc.localize(question.network).explain(question.variables, **question.given)
    assert {*question.variables, *plan.requisite} <= set(plan.variables_kept)
    assert set(plan.barren).isdisjoint(plan.variables_kept)


@given(questions())
def test_the_result_counts_as_memory(question: Question):
    plan = dc.localize(question.network).explain(question.variables, **question.given)
    sizes = [len(question.network.states[variable]) for variable in question.variables]
    assert plan.peak_bytes >= 8 * int(np.prod(sizes))


@given(questions(kinds=("hard",), apart=True, min_variables=1))
def test_requisite_evidence_is_what_is_not_d_separated(question: Question):
    assume(question.variables)
    dag, told = question.network.dag, set(question.evidence)
    requisite = set(dc.localize(question.network).explain(question.variables, question.evidence).requisite)
    for variable in told:
        assert (variable in requisite) == (not dc.d_separated(dag, variable, question.variables, given=told - {variable}))


@pytest.mark.parametrize(
    ("given", "requisite"),
    [
        ({"evidence": {0: 1, 1: 0}}, {1}),
        ({"evidence": {0: 1, 1: {0}}}, {1}),
        ({"evidence": {0: 1, 1: {0, 1}}}, {0, 1}),
        ({"evidence": {0: 1}, "soft": {1: [1, 2, 3]}}, {0, 1}),
        ({"evidence": {0: 1, 1: 0}, "soft": {1: [1, 2, 3]}}, {1}),
    ],
)
def test_only_hard_evidence_blocks(given, requisite):
    plan = dc.localize(chain(3, states=3)).explain(2, **given)
    assert set(plan.requisite) == requisite


def test_a_question_on_neighbours_keeps_few_clusters():
    local = dc.localize(chain(500))
    plan = local.explain([250, 251])
    assert len(plan.kept) <= 2
    assert len(plan.dropped) >= 498
    assert set(plan.variables_kept) <= set(range(249, 253))


def test_hard_evidence_cuts_the_way():
    local = dc.localize(chain(500))
    plan = local.explain(100, {90: 0, 110: 1, 400: 1})
    assert set(plan.requisite) == {90, 110}
    assert len(plan.kept) < 50


def test_what_lies_below_is_barren():
    network = dc.random_network([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("a", "d")], 2, seed=0)
    plan = dc.localize(network).explain(["b"])
    assert {"c", "d"}.isdisjoint(plan.variables_kept)


def test_other_pieces_are_dropped():
    local = dc.localize(in_pieces(20))
    assert set(local.explain("b3", {"a3": 0, "c7": 1}).requisite) == {"a3"}
    assert set(local.explain("b3", {"a3": 0, "c7": 1}).variables_kept) <= {"a3", "b3", "c3"}


def test_a_plan_prints_what_it_keeps():
    plan = dc.localize(SPRINKLER).explain("rain", {"wet": "wet"})
    text = str(plan)
    for word in ("rain", "wet", plan.method):
        assert word in text
    assert str(dc.localize(diamonds(400)).explain(["n0", "n400"])).count("\n") < 40


def test_a_plan_is_frozen():
    plan = dc.localize(SPRINKLER).explain("rain")
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        plan.peak_bytes = 0


def test_a_pickled_plan_says_the_same():
    plan = dc.localize(SPRINKLER).explain("rain", {"wet": "wet"})
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan
    assert hash(again) == hash(plan)
    assert (str(again), again.dropped, again.question) == (str(plan), plan.dropped, plan.question)


def test_the_plan_that_is_explained_is_the_one_that_is_executed():
    local = dc.localize(SPRINKLER)
    plan = local.explain("rain", {"wet": "wet"})
    local.query("rain", {"wet": "wet"})
    assert local.explain("rain", {"wet": "dry"}).executed is plan.executed
    assert len(local._engine.planner) == 1


# --- never of history


def the_same(one: dc.QueryPlan, other: dc.QueryPlan) -> None:
    for name in "evidence likelihoods requisite".split():
        assert set(getattr(one, name)) == set(getattr(other, name)), name
    for name in "variables kept dropped variables_kept barren method network order".split():
        assert getattr(one, name) == getattr(other, name), name
    assert (one.peak_bytes, one.multiplications) == (other.peak_bytes, other.multiplications)


@given(questions())
def test_a_plan_does_not_depend_on_what_was_asked_before(question: Question):
    fresh = dc.localize(question.network).explain(question.variables, **question.given)
    used = dc.localize(question.network)
    used.marginals()
    used.query(question.variables, **question.given)
    the_same(used.explain(question.variables, **question.given), fresh)


@given(questions(kinds=("hard",)))
def test_a_plan_does_not_depend_on_the_values_of_hard_evidence(question: Question):
    local = dc.localize(question.network)
    otherwise = {variable: question.network.states[variable][-1] for variable in question.evidence}
    the_same(local.explain(question.variables, question.evidence), local.explain(question.variables, otherwise))


@given(questions())
def test_a_plan_does_not_depend_on_the_order_of_the_evidence(question: Question):
    local = dc.localize(question.network)
    turned = {name: dict(reversed(part.items())) for name, part in question.given.items()}
    the_same(local.explain(question.variables, **turned), local.explain(question.variables, **question.given))


def test_plans_are_kept_in_a_bounded_cache():
    """Memory grows with the first few thousand distinct questions, and then no more."""
    local = dc.localize(chain(50))
    triples = list(combinations(range(51), 3))
    random.Random(0).shuffle(triples)

    def ask(first: int, last: int) -> int:
        for triple in triples[first:last]:
            local.query(triple)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] + _core.allocated_bytes() - before

    before = _core.allocated_bytes()
    tracemalloc.start()
    try:
        once, twice = ask(0, 5000), ask(5000, 10_000)
    finally:
        tracemalloc.stop()
    assert twice < 1.3 * once
    assert local._engine.planner._bytes < once
    assert len(local._engine.queries) == 4096


# --- what is compared


@pytest.fixture
def compares_always(monkeypatch):
    """Every question compares all ways to answer, however cheap it is."""
    monkeypatch.setattr(planner, "CHEAP", -np.inf)
    monkeypatch.setattr(planner, "CHEAP_FOR_EACH", -np.inf)


@pytest.fixture(params=["pruned", "hull", "whole"])
def prefers(request, compares_always, monkeypatch):
    """Every question takes one way to answer, where there is that way."""

    def preferred(plans, limit):
        chosen.append(next((plan for plan in plans if plan.network == request.param), plans[0]))
        return chosen[-1]

    chosen: list[Plan] = []
    monkeypatch.setattr(planner, "_best", preferred)
    network = chain(6, states=3)
    dc.localize(network, tree=dc.ClusterTree([network.dag.nodes])).query([5, 6])  # can be answered in all three ways
    yield request.param
    assert any(plan.network == request.param for plan in chosen)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_way_to_answer_is_that_of_brute_force(prefers, data):
    question = data.draw(questions())
    local, oracle = dc.localize(question.network), question.oracle()
    close(local.query(question.variables, **question.given).values, oracle.query(question.variables))
    for variable, own in local.marginals(**question.given).items():
        close(own.values, oracle.query([variable]))


def test_the_cheapest_is_taken(compares_always):
    """The hull of the last two in a chain is these two; but for one question the table of the first of them is not derived."""
    network = chain(6, states=3)
    plan = dc.localize(network, tree=dc.ClusterTree([network.dag.nodes])).explain([5, 6])
    assert {"pruned", "whole", "hull"} == {candidate.network for candidate in plan.candidates}
    chosen = next(candidate for candidate in plan.candidates if candidate.network == plan.network)
    assert chosen.multiplications == min(candidate.multiplications for candidate in plan.candidates)


def test_what_is_cheap_for_its_length_is_not_compared(monkeypatch):
    monkeypatch.setattr(planner, "CHEAP", 1)
    assert len(dc.localize(chain(200)).explain([0, 200]).candidates) == 1
    dense = dc.random_network(dc.Dag([(a, b) for a in range(12) for b in range(a + 1, 12)]), states=3, seed=1)
    assert len(dc.localize(dense).explain([0, 11]).candidates) > 1
