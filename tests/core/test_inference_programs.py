"""Programs: planned, run for rows of evidence, and traced back, against sums over all states."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from core.inference_cases import Model, Parts, marginal, models, parts_of
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex import _core
from dconvex._core import (
    Arithmetic,
    Derivation,
    Ending,
    Likelihoods,
    NetworkPart,
    Program,
    Question,
    Status,
    Tables,
    plan,
)

DIAMOND = Model.of(dc.random_network([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e")], states=3, seed=1))
NONE = Likelihoods()


def ready(model: Model, program: Program) -> Tables:
    """The tables of a model, with those that a program loads."""
    tables = model.tables()
    Derivation(tables, program.tables).run()
    return tables


def run(program: Program, tables: Tables, parts: Parts) -> tuple[_core.RunReport, np.ndarray]:
    result = np.empty(program.result_size)
    return program.run(tables, parts.states, Likelihoods(parts.likelihoods), result), result


part_and_coherent = st.tuples(st.sampled_from(NetworkPart), st.booleans(), st.booleans())


def asked(parts: Parts, ending: Ending, options, **more) -> Question:
    network, coherent, shows = options
    return Question(
        parts.targets,
        parts.observed,
        parts.soft,
        network=network,
        coherent=coherent,
        shows_impossible=shows,
        ending=ending,
        **more,
    )


def any_planner(data, parts: Parts) -> dict[str, list[int]]:
    """A context that adds nothing, or none: without one, questions about few variables are planned with words for sets."""
    return {"context": data.draw(st.sampled_from([[], parts.targets]))}


def close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-250)


@given(st.data(), part_and_coherent)
def test_an_answer_is_the_conditional_of_the_joint(data, options):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    program = plan(model.layout, asked(parts, Ending.ANSWER, options, **any_planner(data, parts)))
    report, result = run(program, ready(model, program), parts)
    expected = marginal(parts.weighted(model.joint()), parts.targets)
    assert report.status == Status.FINE
    close(result, (expected / expected.sum()).reshape(-1))
    if not parts.targets or program.uses_all_evidence:
        assert report.log_sum == pytest.approx(np.log(expected.sum()), abs=1e-9)


@given(st.data(), part_and_coherent)
def test_marginals_are_those_of_the_joint(data, options):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    program = plan(model.layout, asked(parts, Ending.MARGINALS, options, **any_planner(data, parts)))
    report, result = run(program, ready(model, program), parts)
    assert report.status == Status.FINE
    weighted = parts.weighted(model.joint())
    assert sorted(output.variable for output in program.outputs) == sorted(parts.targets)
    assert sum(output.size for output in program.outputs) == program.result_size
    for output in program.outputs:
        expected = marginal(weighted, [output.variable])
        close(result[output.offset : output.offset + output.size], expected / expected.sum())


@pytest.mark.parametrize("ending", [Ending.ANSWER, Ending.MARGINALS])
@pytest.mark.parametrize("name", ["alarm", "insurance", "hailfinder", "pathfinder"])
def test_both_ways_to_plan_find_the_same_cost(name, ending):
    """With words for sets and with lists: the same rules, so that only ties may differ."""
    model = Model.of(dc.load_network(name))
    rng = np.random.default_rng(1)
    costs = np.zeros(2)
    for _ in range(50):
        chosen = rng.permutation(model.size).tolist()
        targets, observed = chosen[:4], chosen[4:6]
        questions = [
            Question(targets, observed, coherent=True, shows_impossible=True, ending=ending, context=context)
            for context in ([], targets)
        ]
        programs = [plan(model.layout, question) for question in questions]
        assert programs[0].uses_all_evidence == programs[1].uses_all_evidence
        costs += [program.cost for program in programs]
    assert costs[0] < 1.03 * costs[1]


@given(st.data(), part_and_coherent)
def test_rows_give_the_bits_of_single_runs(data, options):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    ending = data.draw(st.sampled_from([Ending.ANSWER, Ending.MARGINALS]))
    question = asked(Parts(parts.targets, parts.observed, [], [], []), ending, options)
    program = plan(model.layout, question)
    tables = ready(model, program)
    counts = model.layout.states[parts.observed]
    rows = np.array([[data.draw(st.integers(0, int(n) - 1)) for n in counts] for _ in range(4)], np.int32).reshape(4, -1)
    results = np.empty((4, program.result_size))
    statuses = program.run_rows(tables, rows, results)
    for row, status, result in zip(rows.tolist(), statuses.tolist(), results, strict=True):
        alone = np.empty(program.result_size)
        assert program.run(tables, row, NONE, alone).status.value == status
        assert alone.tobytes() == result.tobytes()
    assert len(program.run_rows(tables, rows[:0], results[:0])) == 0


def joint_states(program: Program, model: Model, states: np.ndarray, parts: Parts) -> list[int | slice]:
    """Where in the joint a traced row is."""
    cell: list[int | slice] = [slice(None)] * model.size
    for axis, state in zip(program.axes.tolist(), states.tolist(), strict=True):
        cell[axis] = state
    for variable, state in zip(parts.observed, parts.states, strict=True):
        cell[variable] = state
    return cell


@given(st.data())
def test_the_most_probable_states(data):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    options = (data.draw(st.sampled_from(NetworkPart)), False, False)
    program = plan(model.layout, asked(parts, Ending.TRACE, options, map_variables=parts.targets))
    status, states = program.trace(ready(model, program), parts.states, Likelihoods(parts.likelihoods))
    assert status == Status.FINE
    assert states.shape == (1, len(program.axes))
    weighted = marginal(parts.weighted(model.joint()), parts.targets)
    found = dict(zip(program.axes.tolist(), states[0].tolist(), strict=True))
    assert weighted[tuple(found[target] for target in parts.targets)] == pytest.approx(weighted.max(), rel=1e-9)


@given(st.data())
def test_samples_are_possible_and_the_same_for_the_same_seed(data):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    program = plan(model.layout, asked(parts, Ending.TRACE, (NetworkPart.WHOLE, True, False)))
    tables, likelihoods = ready(model, program), Likelihoods(parts.likelihoods)
    status, states = program.trace(tables, parts.states, likelihoods, 20, seed=3)
    assert status == Status.FINE
    assert states.tobytes() == program.trace(tables, parts.states, likelihoods, 20, 3)[1].tobytes()
    weighted = parts.weighted(model.joint())
    for row in states:
        assert weighted[tuple(joint_states(program, model, row, parts))].max() > 0


def test_samples_have_the_right_frequencies():
    parts = Parts([], [4], [3], [1], [np.array([0.2, 1.0, 0.5])])
    program = plan(DIAMOND.layout, asked(parts, Ending.TRACE, (NetworkPart.WHOLE, True, False)))
    _, states = program.trace(ready(DIAMOND, program), parts.states, Likelihoods(parts.likelihoods), 20_000, 1)
    weighted = parts.weighted(DIAMOND.joint())
    for column, variable in enumerate(program.axes.tolist()):
        expected = marginal(weighted, [variable])
        frequencies = np.bincount(states[:, column], minlength=3) / len(states)
        np.testing.assert_allclose(frequencies, expected / expected.sum(), atol=0.02)


def test_draws_do_not_change_between_versions():
    """Who passes a seed relies on it: these are the draws of the first version."""
    network = dc.BayesianNetwork.discrete(
        [("a", "b")], {"a": [0.4, 0.6], "b": [[0.3, 0.7], [0.8, 0.2]]}, {"a": [0, 1], "b": [0, 1]}
    )
    model = Model.of(network)
    program = plan(model.layout, Question((), (), (0, 1), ending=Ending.TRACE, network=NetworkPart.WHOLE))
    _, states = program.trace(model.tables(), (), Likelihoods([np.array([1.0, 0.5]), np.array([0.9, 1.0])]), 12, 42)
    first = dict(zip(program.axes.tolist(), states.T.tolist(), strict=True))
    assert ["".join(map(str, first[v])) for v in (0, 1)] == DRAWS


DRAWS = ["001000011100", "111111101101"]


# --- arithmetic


def tiny(length: int) -> tuple[Model, Question, list[np.ndarray]]:
    """A chain with likelihoods so small that plain numbers, and then scaled ones, do not do."""
    model = Model.of(dc.random_network([(k, k + 1) for k in range(length)], seed=2))
    soft = list(range(length + 1))
    return model, Question((0,), (), soft), [np.array([1e-100, 1e-130])] * len(soft)


def test_numbers_are_scaled_only_where_they_could_become_zero():
    model, question, likelihoods = tiny(1)
    program = plan(model.layout, question)
    result = np.empty(2)
    assert program.run(model.tables(), (), Likelihoods(likelihoods), result).arithmetic == Arithmetic.PLAIN
    model, question, likelihoods = tiny(8)
    program = plan(model.layout, question)
    report = program.run(tables := model.tables(), (), Likelihoods(likelihoods), result)
    assert report.arithmetic == Arithmetic.SCALED
    ones = [np.array([1.0, 1e-30])] * 9
    expected = np.empty(2)
    plain = program.run(tables, (), Likelihoods(ones), expected)
    assert plain.arithmetic == Arithmetic.PLAIN
    close(result, expected)
    assert report.log_sum == pytest.approx(plain.log_sum + 9 * np.log(1e-100), rel=1e-12)


def test_logarithms_where_scaling_would_lose_something():
    """Six copies of one variable, of which every second one says that it is surely the one state, or surely the other."""
    copies = [f"x{k}" for k in range(6)]
    tables = {"a": [0.25, 0.75], **{name: [[1, 0], [0, 1]] for name in copies}}
    model = Model.of(dc.BayesianNetwork.discrete([("a", name) for name in copies], tables, {name: [0, 1] for name in tables}))
    program = plan(model.layout, Question((0,), (), range(1, 7)))
    result = np.empty(2)
    likelihoods = [np.array([1.0, 1e-250]) if k % 2 else np.array([1e-250, 1.0]) for k in range(6)]
    report = program.run(ready(model, program), (), Likelihoods(likelihoods), result)
    assert report.arithmetic == Arithmetic.LOGARITHMS
    close(result, [0.25, 0.75])
    assert report.log_sum == pytest.approx(3 * np.log(1e-250), rel=1e-12)


def test_impossible_evidence():
    network = dc.BayesianNetwork.discrete([("a", "b")], {"a": [0.5, 0.5], "b": [[1, 0], [1, 0]]}, {"a": [0, 1], "b": [0, 1]})
    model = Model.of(network)
    program = plan(model.layout, Question((0,), (1,), shows_impossible=True))
    result = np.empty(2)
    report = program.run(model.tables(), (1,), NONE, result)
    assert (report.status, report.log_sum) == (Status.IMPOSSIBLE, -np.inf)
    assert program.run_rows(model.tables(), np.array([[0], [1]], np.int32), np.empty((2, 2))).tolist() == [0, 1]
    traced = plan(model.layout, Question((0,), (1,), ending=Ending.TRACE))
    assert traced.trace(model.tables(), (1,), NONE, 3, 1)[0] == Status.IMPOSSIBLE


def test_tables_that_are_not_there():
    program = plan(DIAMOND.layout, Question((0, 4)))
    result = np.full(9, 7.0)
    assert program.run(Tables(DIAMOND.layout, 5), (), NONE, result).status == Status.NEEDS_TABLES
    assert (result == 7.0).all()


@pytest.mark.parametrize("ending", [Ending.ANSWER, Ending.MARGINALS])
def test_large_answers_are_normalized(ending):
    """Above a few thousand entries by their last factor, whose axes may alternate with those of the other."""
    network = dc.random_network([(0, k) for k in range(1, 16)], seed=4)
    model = Model.of(network)
    targets = list(range(1, 16))
    program = plan(model.layout, Question(targets, ending=ending))
    result = np.empty(program.result_size)
    assert program.run(ready(model, program), (), NONE, result).status == Status.FINE
    rows = [network.family(k).values for k in targets]
    if ending == Ending.ANSWER:
        first = network.family(0).values
        expected = sum(reduce(np.multiply.outer, [row[state] for row in rows], first[state]) for state in range(2))
        close(result, expected.reshape(-1))
    else:
        assert result.sum() == pytest.approx(len(targets))


# --- what a program says of itself


@given(st.data(), part_and_coherent, st.sampled_from(Ending))
def test_steps_multiply_every_table_once(data, options, ending):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    program = plan(model.layout, asked(parts, ending, options))
    made = {0, *range(1, 1 + len(program.tables) + len(parts.soft))}
    for step in program.steps:
        assert {step.left, step.right} <= made
        made.add(step.product)
    scopes = [set(scope.tolist()) for scope in program.scopes]
    axes = program.axes.tolist()
    assert program.order.tolist() == axes[: len(program.order)]
    if ending == Ending.ANSWER:
        assert axes[len(program.order) :] == parts.targets
        assert scopes[program.steps[-1].product] == set(range(len(program.order), len(axes)))
    largest = max(np.prod([float(model.layout.states[axes[axis]]) for axis in scope]) for scope in scopes)
    assert np.prod(model.layout.states[program.largest_scope]) == largest
    assert program.peak_bytes == 8 * (program.workspace_size + program.result_size)
    assert program.own_bytes > 0
    assert program.length > 0
    assert program.derived.tolist() == [table for table in program.tables.tolist() if table >= model.size]
    assert not program.is_too_large


@given(st.data(), part_and_coherent)
def test_a_plan_depends_on_nothing_else(data, options):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    question = asked(parts, Ending.ANSWER, options)

    def described(program: Program) -> list:
        steps = [(step.left, step.right, step.product) for step in program.steps]
        return [program.axes.tolist(), program.cost, program.workspace_size, program.scopes.values.tolist(), steps]

    first = described(plan(model.layout, question))
    plan(DIAMOND.layout, Question((0, 4), ending=Ending.MARGINALS))
    assert described(plan(model.layout, question)) == first
    assert described(plan(Model.of(model.network, model.tree).layout, question)) == first


def test_a_chain_costs_what_it_should():
    """Each elimination multiplies a vector and a matrix."""
    model = Model.of(dc.random_network([(k, k + 1) for k in range(9)], states=3, seed=1))
    program = plan(model.layout, Question((9,), network=NetworkPart.WHOLE))
    assert program.order.tolist() == list(range(9))
    assert program.cost == 9 * 9
    assert program.uses_all_evidence


def test_what_no_memory_holds_is_planned_but_not_run():
    model = Model.of(dc.random_network(dc.Dag([], range(70)), states=2, seed=0))
    program = plan(model.layout, Question(range(70)))
    assert program.is_too_large
    assert program.peak_bytes > 2**60
    assert len(program.steps) == 0
    assert len(program.largest_scope) == 70
    with pytest.raises(ValueError, match="too large"):
        program.run(model.tables(), (), NONE, np.empty(0))
    with pytest.raises(ValueError, match="too large"):
        program.run_rows(model.tables(), np.empty((1, 0), np.int32), np.empty((1, 0)))
    assert program.derivation_cost(model.tables()) == (0, 0)


def test_the_cost_of_derived_tables():
    program = plan(DIAMOND.layout, Question((3, 4)))
    tables = DIAMOND.tables()
    assert program.derivation_cost(tables) == _core.derivation_cost(tables, program.derived)
    with pytest.raises(ValueError, match="other tables"):
        program.derivation_cost(Model.of(DIAMOND.network).tables())


# --- wrong arguments

OBSERVED = plan(DIAMOND.layout, Question((0,), (3,), (1,)))
SOFT = Likelihoods([np.ones(3)])


@pytest.mark.parametrize(
    ("states", "likelihoods", "size", "problem"),
    [
        ((), SOFT, 3, "a state for each"),
        ((0, 0), SOFT, 3, "a state for each"),
        ((3,), SOFT, 3, "no such state"),
        ((-1,), SOFT, 3, "no such state"),
        ((0,), NONE, 3, "a likelihood for each"),
        ((0,), Likelihoods([np.ones(3)] * 2), 3, "a likelihood for each"),
        ((0,), Likelihoods([np.ones(2)]), 3, "a number for each state"),
        ((0,), SOFT, 2, "result_size"),
    ],
)
def test_evidence_that_does_not_fit(states, likelihoods, size, problem):
    with pytest.raises(ValueError, match=problem):
        OBSERVED.run(DIAMOND.tables(), states, likelihoods, np.empty(size))


def test_tables_of_another_model():
    other = Model.of(DIAMOND.network)
    with pytest.raises(ValueError, match="other tables"):
        OBSERVED.run(other.tables(), (0,), SOFT, np.empty(3))


def test_rows_that_do_not_fit():
    program = plan(DIAMOND.layout, Question((0,), (3,)))
    tables = ready(DIAMOND, program)
    for states, results in (
        (np.zeros((2, 1), np.int32), np.empty((1, 3))),
        (np.zeros((2, 1), np.int32), np.empty((2, 2))),
        (np.zeros((2, 2), np.int32), np.empty((2, 3))),
        (np.array([[0], [3]], np.int32), np.empty((2, 3))),
        (np.array([[0], [-1]], np.int32), np.empty((2, 3))),
    ):
        with pytest.raises(ValueError, match=r"row of the program|a state for each|no such state"):
            program.run_rows(tables, states, results)
    with pytest.raises(TypeError):
        program.run_rows(tables, np.zeros((2, 1), np.int64), np.empty((2, 3)))
    with pytest.raises(TypeError):
        program.run_rows(tables, np.zeros((2, 1), np.int32), np.empty((2, 6))[:, ::2])


def test_only_traces_are_traced():
    with pytest.raises(ValueError, match="trace"):
        OBSERVED.trace(DIAMOND.tables(), (0,), SOFT)
    traced = plan(DIAMOND.layout, Question((0,), ending=Ending.TRACE))
    with pytest.raises(ValueError, match="rows"):
        traced.trace(DIAMOND.tables(), (), NONE, -1)
    assert traced.trace(ready(DIAMOND, traced), (), NONE, 0)[1].shape == (0, len(traced.axes))
    assert traced.trace(Tables(DIAMOND.layout, 5), (), NONE)[0] == Status.NEEDS_TABLES


# --- levels of vector instructions


def all_answers() -> bytes:
    """Answers of every kind and arithmetic, with inner loops of many lengths."""
    found = []
    for states in (2, 3, 4, 5, 7, 8, 9, 17, 33):
        model = Model.of(dc.random_network([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (2, 4)], states, seed=states))
        for smallest in (1.0, 1e-250, 1e-300):
            numbers = np.geomspace(smallest, 1.0, states)
            likelihoods = Likelihoods([numbers, numbers[::-1].copy(), numbers])
            for targets in ((0,), (3, 4), (0, 4, 2), (1, 0, 3)) if states < 17 else ((0,), (4, 3)):
                for ending in (Ending.ANSWER, Ending.MARGINALS):
                    program = plan(model.layout, Question(targets, (), (1, 2, 4), ending=ending))
                    result = np.empty(program.result_size)
                    report = program.run(ready(model, program), (), likelihoods, result)
                    found += [result.tobytes(), np.float64(report.log_sum).tobytes(), report.arithmetic.name.encode()]
    large = Model.of(dc.random_network([(0, k) for k in range(1, 17)], seed=4))
    program = plan(large.layout, Question(range(1, 17)))
    result = np.empty(program.result_size)
    program.run(ready(large, program), (), NONE, result)
    return b"".join([*found, result.tobytes()])


def test_every_level_gives_the_same_bits():
    before = _core.simd_level()
    levels = _core.simd_levels()
    assert levels[0] == "baseline"
    assert before in levels
    found = {}
    try:
        for level in levels:
            _core.set_simd_level(level)
            assert _core.simd_level() == level
            found[level] = all_answers()
    finally:
        _core.set_simd_level(before)
    assert all(own == found["baseline"] for own in found.values())


def test_large_answers_are_written_past_the_caches():
    """Rows with an even and an odd number of entries, and the same bits at every level."""
    before = _core.simd_level()
    for states in (2, 3):
        leaves = 20 if states == 2 else 13
        network = dc.random_network([(0, k) for k in range(1, leaves + 1)], states, seed=4)
        model = Model.of(network)
        program = plan(model.layout, Question(range(1, leaves + 1)))
        families = [network.family(k).values for k in range(leaves + 1)]
        terms = [reduce(np.multiply.outer, [own[k] for own in families[1:]]) * families[0][k] for k in range(states)]
        found = []
        try:
            for level in _core.simd_levels():
                _core.set_simd_level(level)
                result = np.empty(program.result_size)
                assert program.run(ready(model, program), (), NONE, result).status == Status.FINE
                found.append(result)
        finally:
            _core.set_simd_level(before)
        np.testing.assert_allclose(found[0], sum(terms).ravel(), rtol=1e-12)
        assert len({own.tobytes() for own in found}) == 1


def test_levels_that_there_are_not():
    before = _core.simd_level()
    with pytest.raises(ValueError, match="no such level"):
        _core.set_simd_level("mmx")
    assert _core.simd_level() == before
