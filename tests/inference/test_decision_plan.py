"""The plan of a question after the answer: it says what is run, all of it, and what is too large is refused before."""

from __future__ import annotations

import math
import pickle
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inference.models import SPRINKLER, grid, in_one_cluster, naive_bayes
from inference.questions import questions
from strategies import tame_gaussian_networks

import dconvex as dc
from dconvex import _core
from dconvex.inference import decision_questions, differentiation, network_questions
from dconvex.inference.decision_plan import DecisionPlan
from dconvex.inference.planner import Planner
from dconvex.inference.regression_model import RegressionModel

ASIA = dc.load_network("asia")
GIVEN = {"smoke": "no", "xray": "yes"}
ASKS: dict[str, Callable[..., object]] = {
    "next": lambda model, target, known, **options: model.most_informative(target, known, **options),
    "influences": lambda model, target, known, **options: model.influences(target, known, **options),
    "sensitivity": lambda model, target, known, **options: model.sensitivity(target, model.states[target][0], known, **options),
    "effect": lambda model, target, known, **options: model.effect(
        next(name for name in model.dag.nodes if name != target and name not in known), target, known, **options
    ),
}
on_every_question = pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)


@contextmanager
def noted() -> Iterator[list[tuple[int, int]]]:
    """Multiplications and peak bytes of what is run, in this order: plans of tables, and products of derivatives."""
    ran: list[tuple[int, int]] = []
    run, summed = Planner.run, differentiation._summed

    def run_noted(planner, plan, evidence, n_jobs=1):
        before = len(ran)
        found = run(planner, plan, evidence, n_jobs)
        if len(ran) == before:  # else it ran again, once its tables were derived
            ran.append((found[0].multiplications, found[0].peak_bytes))
        return found

    def summed_noted(factors, scope, sizes):
        ran.append((math.prod(sizes[v] for v in {v for _, own in factors for v in own}), 0))
        return summed(factors, scope, sizes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Planner, "run", run_noted)
        patch.setattr(differentiation, "_summed", summed_noted)
        yield ran


def check_that_all_is_run(ask: Callable[..., object]) -> None:
    """What is run is what was planned."""
    with noted() as ran:
        plan = ask(explain=True)
        assert isinstance(plan, DecisionPlan)
        assert ran == []  # nothing was touched
        ask(max_bytes=plan.peak_bytes)  # it is enough
        assert sum(total for total, _ in ran) == plan.multiplications
        assert max(peak for _, peak in ran) <= plan.peak_bytes


@on_every_question
@pytest.mark.parametrize("network", ["asia", "child"])
def test_the_plan_is_what_is_run(ask, network):
    model = dc.localize(dc.load_network(network))
    *_, target, first, second = model.dag.nodes
    known = {first: model.states[first][0], second: model.states[second][-1]}
    check_that_all_is_run(lambda **options: ask(model, target, known, **options))


@on_every_question
def test_the_plan_where_clusters_were_learned_apart(ask):
    model = dc.fit(ASIA.dag, ASIA.sample(2000, seed=1), prior=dc.BDeu(10))
    assert not model.coherent
    check_that_all_is_run(lambda **options: ask(model, "lung", GIVEN, **options))


@settings(max_examples=15)
@given(questions(min_variables=1, max_variables=1, apart=True), st.sampled_from([*ASKS]))
def test_no_question_runs_more_than_its_plan(question, name):
    """States that turn out to be impossible are left out."""
    if len(question.network.dag) == len({*question.evidence, *question.soft, *question.variables}):
        return  # nothing is left to ask about
    model, (target,) = dc.localize(question.network), question.variables
    known = {**question.evidence, **dict.fromkeys(question.soft)}
    with noted() as ran:
        plan = ASKS[name](model, target, known, soft=question.soft, explain=True)
        assert ran == []
        ASKS[name](model, target, known, soft=question.soft, max_bytes=max(plan.peak_bytes, 1 << 16))
        if name != "effect":  # which says why a setting is impossible
            assert sum(total for total, _ in ran) <= plan.multiplications


@settings(max_examples=15)
@given(tame_gaussian_networks(min_nodes=3, noisy=True), st.data())
def test_gaussian_plans(network, data):
    target, known, *_ = data.draw(st.permutations(network.dag.nodes))
    name = data.draw(st.sampled_from(["next", "influences", "effect"]))
    model, cost, ran = dc.localize(network), RegressionModel.cost, []

    def noted_cost(self, plan, limit, *, is_joint=True):
        ran.append(found := cost(self, plan, limit, is_joint=is_joint))
        return found

    with pytest.MonkeyPatch.context() as patch:
        plan = ASKS[name](model, target, {known: 0.5}, explain=True)
        patch.setattr(RegressionModel, "cost", noted_cost)
        for module in (decision_questions, network_questions):
            patch.setattr(module, "plan_of", lambda *parts: ran.clear())  # what was planned; now it is run
        ASKS[name](model, target, {known: 0.5}, max_bytes=plan.peak_bytes)
    assert sum(found.multiplications for found in ran) == plan.multiplications
    assert max(found.peak_bytes for found in ran) + plan.held_bytes == plan.peak_bytes


WIDE = in_one_cluster(grid(40, 40))
"""A network whose elimination needs tables of about 2 ** 40 entries."""


@on_every_question
def test_what_is_too_large_is_refused_before_anything_is_run(ask, monkeypatch):
    def run(*_):
        raise AssertionError("something was run")

    monkeypatch.setattr(Planner, "run", run)
    monkeypatch.setattr(differentiation, "_summed", run)
    _core.reset_peak_bytes()
    before = _core.allocated_bytes()
    tracemalloc.start()
    try:
        with pytest.raises(dc.TooLargeError, match="variables") as caught:
            ask(WIDE, "39,39", {"0,0": 1}, max_bytes=2**28)
        assert tracemalloc.get_traced_memory()[1] + _core.peak_bytes() - before < 2**27
    finally:
        tracemalloc.stop()
    error = caught.value
    assert error.estimate > error.limit == 2**28
    assert error.cluster == 0
    assert "sampling" not in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_small_first_part_does_not_hide_a_large_one(monkeypatch):
    """The answer is small, since its parents are observed; that from one of them alone is not."""
    parents = {"39,38": 0, "38,39": 0}
    assert WIDE.explain("39,39", parents, assume_possible=True).peak_bytes < 2**20
    ran = []
    monkeypatch.setattr(Planner, "run", lambda *parts: ran.append(parts))
    with pytest.raises(dc.TooLargeError, match=r"^influences on P\(39,39 \| .*: the table over \d+ variables .* in cluster 0"):
        WIDE.influences("39,39", parents, max_bytes=2**28)
    assert ran == []


def test_what_is_held_counts():
    """All distributions of all candidates: more than any one plan takes."""
    model = dc.localize(naive_bayes([[0.2, 0.9]] * 1000))
    plan = model.most_informative("class", explain=True)
    assert plan.held_bytes > 2 * 1000 * 16
    assert plan.peak_bytes == plan.held_bytes + max(step.peak_bytes for step in plan.steps)
    with pytest.raises(dc.TooLargeError, match="what is most informative about P") as caught:
        model.most_informative("class", max_bytes=plan.held_bytes - 1)
    assert caught.value.limit == plan.held_bytes - 1
    with pytest.raises(dc.TooLargeError, match="what is most informative") as caught:
        model.most_informative("class", max_bytes=plan.held_bytes + 10)
    assert caught.value.limit == plan.held_bytes + 10 < caught.value.estimate
    model.most_informative("class")
    tracemalloc.start()
    try:
        model.most_informative("class", max_bytes=plan.peak_bytes)
        assert tracemalloc.get_traced_memory()[1] < plan.peak_bytes + 2**18
    finally:
        tracemalloc.stop()


@on_every_question
def test_where_clusters_were_learned_apart_too(ask):
    model = dc.fit(ASIA.dag, ASIA.sample(500, seed=1))
    with pytest.raises(dc.TooLargeError) as caught:
        ask(model, "lung", GIVEN, max_bytes=40)
    assert caught.value.limit == 40


def test_a_gaussian_question_is_refused_too():
    network = dc.random_gaussian_network([(k, k + 1) for k in range(50)], seed=1)
    model = dc.localize(network)
    for name in ("next", "influences", "effect"):
        with pytest.raises(dc.TooLargeError, match=r"p\(40 \| 3 = 0\)"):
            ASKS[name](model, 40, {3: 0.0}, max_bytes=1000)
    with pytest.raises(ValueError, match="has no states"):
        model.sensitivity(40, "yes", explain=True)


def test_nothing_to_observe_and_one_state():
    model = dc.localize(SPRINKLER)
    rest = {name: states[-1] for name, states in model.states.items() if name != "rain"}
    assert [step.times for step in model.most_informative("rain", rest, explain=True).steps] == [1]
    soft = {"rain": [1.0, 0.0, 0.0]}
    assert [step.times for step in model.most_informative("rain", soft=soft, explain=True).steps] == [1]
    assert [row.gain for row in model.most_informative("rain", soft=soft)] == [0.0, 0.0, 0.0]
    gaussian = dc.localize(dc.BayesianNetwork.gaussian([("x", "y")], {"x": (0, {}, 1), "y": (0, {"x": 1}, 1)}))
    assert [step.times for step in gaussian.most_informative("x", {"y": 1}, explain=True).steps] == [1]


def test_a_plan_prints_and_becomes_a_frame():
    plan = dc.localize(ASIA).effect("bronc", "lung", {"smoke": "no"}, explain=True)
    assert str(plan) == repr(plan)
    first, head, *rows = str(plan).splitlines()
    assert first == "plan of effect of bronc on P(lung | smoke = no)"
    assert head.split() == ["step", "times", "multiplications", "peak", "memory"]
    assert [row.split("  ")[1] for row in rows] == [*(step.what for step in plan.steps), "held all the while", "in all"]
    frame = plan.to_frame()
    assert [*frame.columns] == ["step", "times", "multiplications", "peak_bytes"]
    assert frame["multiplications"].sum() == plan.multiplications
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_the_same_mistakes_are_found():
    model = dc.localize(ASIA)
    with pytest.raises(dc.UnknownVariableError, match="did you mean 'lung'"):
        model.most_informative("lungs", explain=True)
    with pytest.raises(ValueError, match="both treatment and outcome"):
        model.effect("lung", "lung", explain=True)
    with pytest.raises(dc.UnknownStateError):
        model.sensitivity("lung", "maybe", explain=True)
