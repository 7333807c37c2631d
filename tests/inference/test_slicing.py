"""Questions that do not fit are answered in slices: the answers of the whole, within the limit, for any number of threads."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inference.grid_sums import last_corner
from inference.models import SPRINKLER, chain, close, grid, in_one_cluster
from inference.questions import Question, questions

import dconvex as dc
from dconvex import _core
from dconvex.inference.plan import Plan
from dconvex.inference.request import Slicing, effort_of
from dconvex.inference.slicing import SlicedPlan, SliceSum, best_of_slices, fitting_plan, in_slices, sum_of_slices

SIDE = 9
CORNER = f"{SIDE - 1},{SIDE - 1}"
EVIDENCE = {"0,3": 1, "8,7": 0}
GRID = grid(SIDE, SIDE)
LIMIT = 6_000
FEW, MORE = 12_000, 40_000


@pytest.fixture(scope="module")
def wide():
    return in_one_cluster(GRID)


def equal(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_a_query_in_slices_is_that_of_the_whole(wide):
    with pytest.raises(dc.TooLargeError):
        wide.query(CORNER, EVIDENCE, max_bytes=LIMIT, effort=0)
    found = wide.query(CORNER, EVIDENCE, max_bytes=LIMIT)
    equal(found.values, wide.query(CORNER, EVIDENCE).values)
    expected = last_corner(GRID, SIDE, EVIDENCE)
    close(found.values, expected / expected.sum())
    joint = [CORNER, "0,0", "4,4"]
    equal(wide.query(joint, EVIDENCE, max_bytes=LIMIT).values, wide.query(joint, EVIDENCE).values)


def test_other_questions_in_slices_are_those_of_the_whole(wide):
    for ask in (wide.marginals, wide.most_probable, wide.log_evidence):
        with pytest.raises(dc.TooLargeError):
            ask(evidence=EVIDENCE, max_bytes=FEW if ask == wide.marginals else LIMIT, effort=0)
    assert wide.log_evidence(EVIDENCE, max_bytes=LIMIT) == pytest.approx(wide.log_evidence(EVIDENCE), abs=1e-12)
    assert wide.log_evidence(EVIDENCE) == pytest.approx(math.log(last_corner(GRID, SIDE, EVIDENCE).sum()), abs=1e-12)
    for name, answer in wide.marginals(EVIDENCE, max_bytes=FEW).items():
        equal(answer.values, wide.query(name, EVIDENCE).values)
    states, log_probability = wide.most_probable(evidence=EVIDENCE, max_bytes=MORE)
    assert (states, log_probability) == (wide.most_probable(evidence=EVIDENCE)[0], pytest.approx(log_probability, abs=1e-12))


def test_any_number_of_threads_gives_the_same_bits(wide):
    found = [wide.marginals(EVIDENCE, max_bytes=FEW, n_jobs=jobs, progress=True) for jobs in (1, 2, 5)]
    for other in found[1:]:
        assert all(other[name].values.tobytes() == answer.values.tobytes() for name, answer in found[0].items())


def test_the_plan_says_how_many_slices_there_are(wide):
    plan = wide.explain(CORNER, EVIDENCE, max_bytes=LIMIT)
    whole = wide.explain(CORNER, EVIDENCE)
    assert plan.slices == 2 ** len(plan.sliced) > 1
    assert plan.peak_bytes <= LIMIT < whole.peak_bytes
    assert plan.multiplications > whole.multiplications
    assert f"  slices         {plan.slices}, one for each joint state of {plan.sliced[0]}" in str(plan)
    assert "slices" not in str(whole)
    assert pickle.loads(pickle.dumps(plan)).__getstate__() == plan.__getstate__()
    assert (whole.slices, whole.sliced) == (1, ())


def test_what_takes_too_long_is_refused_and_says_how_long():
    model = in_one_cluster(grid(12, 12))
    with pytest.raises(dc.TooLargeError, match=r"In slices it would take at least .* multiplications, about \d+ \w+") as caught:
        model.query("11,11", max_bytes=2**12, effort=1e6)
    assert "effort=None any number" in str(caught.value)
    assert caught.value.estimate > caught.value.limit


def test_effort_decides(wide):
    plan = wide.explain(CORNER, EVIDENCE, max_bytes=LIMIT)
    with pytest.raises(dc.TooLargeError, match="effort="):
        wide.query(CORNER, EVIDENCE, max_bytes=LIMIT, effort=plan.multiplications / 2 + 50_000)
    for effort in (plan.multiplications + 50_000 * plan.slices, None, math.inf):
        equal(wide.query(CORNER, EVIDENCE, max_bytes=LIMIT, effort=effort).values, wide.query(CORNER, EVIDENCE).values)
    for wrong in ("much", math.nan, [1]):
        with pytest.raises(ValueError, match="effort must be a number of multiplications"):
            wide.query(CORNER, EVIDENCE, soft={"0,0": [1, 2]}, effort=wrong)
    assert effort_of(None) == math.inf


def test_what_no_slice_makes_small_enough_is_refused():
    model = dc.localize(chain(30))
    with pytest.raises(dc.TooLargeError):  # the answer itself is too large
        model.query(list(range(16)), max_bytes=2**14)
    with pytest.raises(dc.TooLargeError):
        model.query([5], max_bytes=8)


def test_impossible_evidence_is_noticed_in_slices(wide):
    tables = {node: GRID.family(node).values for node in GRID.dag.nodes}
    tables["0,0"] = [1.0, 0.0]
    model = in_one_cluster(dc.BayesianNetwork.discrete(GRID.dag, tables, GRID.states))
    evidence = {**EVIDENCE, "0,0": 1}
    soft = {"8,0": [1, 3]}
    for ask in (
        lambda: model.query(CORNER, evidence, soft=soft, max_bytes=LIMIT),
        lambda: model.marginals(evidence, max_bytes=FEW),
        lambda: model.most_probable(evidence=evidence, max_bytes=MORE),
    ):
        with pytest.raises(dc.ImpossibleEvidenceError) as caught:
            ask()
        assert caught.value.conflict == {"0,0": 1}
    assert model.log_evidence(evidence, max_bytes=LIMIT) == -math.inf


def test_tiny_probabilities_are_added_up():
    """Products far below the smallest float, with slices that differ by hundreds of orders of magnitude."""
    soft = {node: [1e-100, 1e-200] for node in GRID.dag.nodes if node[0] in "012"}
    model = in_one_cluster(GRID)
    whole = model.query(CORNER, soft=soft)
    equal(model.query(CORNER, soft=soft, max_bytes=LIMIT).values, whole.values)
    found = model.log_evidence(soft=soft, max_bytes=LIMIT)
    assert found == pytest.approx(model.log_evidence(soft=soft), rel=1e-12)


def in_given_slices(local: dc.LocalModel, question: object, sliced: tuple[int, ...]) -> SlicedPlan:
    """The slices by any variables, whether they are needed or not."""
    store = local._engine.planner.store
    made = Plan.of(store, in_slices(question, sliced))
    return SlicedPlan(made, sliced, tuple(int(store.states[v]) for v in sliced))


@settings(max_examples=30)
@given(questions(), st.integers(0, 10**6), st.integers(1, 3))
def test_slices_by_any_variables_add_up(question: Question, seed: int, count: int):
    local = dc.localize(question.network)
    engine = local._engine
    evidence = engine.read_evidence(question.given.get("evidence"), question.given.get("soft"))
    targets = evidence.targets_of(local.dag.indices_of(question.variables))
    rng = np.random.default_rng(seed)
    planner, limit = engine.planner, 2**40
    asked = planner.question(targets, evidence, limit)
    plan, report, values = planner.run(planner.plan(asked), evidence)
    if report.status is not _core.Status.FINE:
        return
    free = [v for v in plan.program.axes.tolist() if v not in (*evidence.variables, *targets)]
    if not free:
        return
    sliced = tuple(int(v) for v in rng.permutation(free)[:count])
    found = sum_of_slices(planner, in_given_slices(local, asked, sliced), evidence, Slicing(1e9))
    equal(found.values, values)
    assert found.log_sum == pytest.approx(report.log_sum, abs=1e-9)
    every = planner.marginals_question((*free, *targets), evidence, limit)
    plan, report, values = planner.run(planner.plan(every), evidence)
    made = in_given_slices(local, every, sliced)
    found = sum_of_slices(planner, made, evidence, Slicing(1e9))
    expected = {output.variable: values[output.offset : output.offset + output.size] for output in plan.outputs}
    for output in made.plan.outputs:
        equal(found.values[output.offset : output.offset + output.size], expected.pop(output.variable))
    for v, weights in zip(sliced, found.weights, strict=True):
        equal(weights / weights.sum(), expected.pop(v))
    assert not expected


@settings(max_examples=20)
@given(questions(), st.integers(0, 10**6))
def test_the_best_slice_has_the_most_probable_states(question: Question, seed: int):
    local = dc.localize(question.network)
    engine = local._engine
    evidence = engine.read_evidence(question.given.get("evidence"), question.given.get("soft"))
    free = tuple(v for v in range(len(local)) if v not in evidence.observed)
    likely = [v for v in free if v not in evidence.soft]
    if not likely or local.log_evidence(**question.given) == -math.inf:
        return
    sliced = tuple(int(v) for v in np.random.default_rng(seed).permutation(likely)[:2])
    asked = engine.planner.most_probable_question(free, evidence, 2**40)
    _, states = best_of_slices(engine.planner, in_given_slices(local, asked, sliced), evidence, Slicing(1e9))
    assert states is not None
    labels = {local.dag.nodes[v]: local.states[local.dag.nodes[v]][states[v]] for v in free}
    given_labels = {**(question.given.get("evidence") or {})}
    expected = local.most_probable(**question.given)[1]
    both = evidence.with_states(free, tuple(states[v] for v in free))
    log_both = _log(engine, both)
    assert log_both - _log(engine, evidence) == pytest.approx(expected, abs=1e-9), (labels, given_labels)


def _log(engine: object, evidence: object) -> float:
    planner = engine.planner
    _, report, _ = planner.run(planner.plan(planner.evidence_question(evidence, 2**40, ())), evidence)
    return report.log_sum + evidence.log_scale


def test_sums_of_very_different_slices():
    plan = in_given_slices(dc.localize(SPRINKLER), _core.Question((0,), coherent=True), (1,))
    whole, part, empty = (SliceSum(plan) for _ in range(3))
    whole.add((0,), -5000.0, np.array([1.0, 0.0][: plan.size]))
    part.add((1,), -5000.0 + math.log(3), np.array([0.0, 1.0][: plan.size]))
    part.add((1,), -9000.0, np.array([1.0, 0.0][: plan.size]))
    whole.add_sum(part)
    whole.add_sum(empty)
    assert whole.log_sum == pytest.approx(-5000 + math.log(4))
    equal(whole.values / whole.total, np.array([0.25, 0.75][: plan.size]))
    equal(whole.weights[0][:2] / whole.total, np.array([0.25, 0.75]))
    assert empty.log_sum == -math.inf


def test_what_the_core_refuses():
    local = dc.localize(SPRINKLER)
    layout = local._engine.store.layout
    for wrong in (
        _core.Question((0,), sliced=(0,)),
        _core.Question((0,), (1,), sliced=(1,)),
        _core.Question((0,), (), (1,), sliced=(1,)),
        _core.Question((0,), sliced=(2, 2)),
        _core.Question((0,), sliced=(99,)),
    ):
        with pytest.raises(ValueError, match="variable"):
            _core.plan(layout, wrong)
    made = _core.Question((0,), sliced=(1, 2))
    assert made.sliced == (1, 2)
    assert made != _core.Question((0,), sliced=(2, 1))
    answer = _core.plan(layout, made)
    with pytest.raises(ValueError, match="traced back"):
        answer.trace_best(local._engine.store.tables, (0, 0), _core.Likelihoods())


def test_a_plan_that_fits_has_no_slices(wide):
    planner = wide._engine.planner
    question = planner.question((0,), wide._engine.read_evidence(None, None), 2**40)
    assert isinstance(fitting_plan(planner, question, Slicing(1e9)), Plan)
