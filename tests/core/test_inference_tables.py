"""Layouts, tables, likelihoods and derived tables, against their definitions."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from core.inference_cases import Model, marginal, models, own_values
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex._core import Derivation, Likelihoods, Program, TableLayout, Tables, derivation_cost, plan_derivation

DIAMOND = Model.of(dc.random_network([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e")], states=3, seed=1))


def numbers(*tables: int) -> np.ndarray:
    return np.array(tables, np.int32)


def everything(model: Model) -> np.ndarray:
    return np.arange(model.index.table_count, dtype=np.int32)


@given(models())
def test_a_layout_has_room_for_each_table(model):
    sizes = np.diff(model.layout.offsets)
    states = model.layout.states
    assert model.layout.offsets[0] == 0
    for table, size in enumerate(sizes.tolist()):
        members = [*model.index.table_parents[table].tolist(), model.index.table_variable[table]]
        assert size == np.prod(states[members])


@pytest.mark.parametrize("states", [[], [2] * 4, [2] * 6, [2, 2, 0, 2, 2], [2, 2, -3, 2, 2]])
def test_numbers_of_states_that_do_not_fit(states):
    with pytest.raises(ValueError, match="state"):
        TableLayout(DIAMOND.index, np.array(states, np.int32))


def test_a_layout_that_no_memory_holds():
    with pytest.raises(MemoryError):
        TableLayout(DIAMOND.index, np.full(5, 2**31 - 1, np.int32))


@pytest.mark.skipif(find_spec("duckdb") is None, reason="needs duckdb")
def test_errors_are_not_those_of_another_module_of_nanobind():
    program = """
import duckdb, numpy
from dconvex._core import ClusterIndex, Graph, Ragged, TableLayout
lists = Ragged.from_lists
index = ClusterIndex(Graph(lists([[], [0], [0, 1]])), lists([[0, 1, 2]]), numpy.empty((0, 2), numpy.int32))
try:
    TableLayout(index, numpy.full(3, 2**31 - 1, numpy.int32))
except MemoryError:
    print("MemoryError")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("MemoryError\n", "")


def test_an_empty_model():
    empty = Model.of(dc.BayesianNetwork.discrete([], {}, {}))
    tables = empty.tables()
    assert len(tables.values) == len(tables.floors) == 0
    derivation = Derivation(tables, numbers())
    derivation.run()
    assert derivation_cost(tables, numbers()) == (0, 0)


@given(models())
def test_tables_are_there_once_they_are_put_in(model):
    tables = Tables(model.layout, model.size)
    assert np.isnan(tables.floors).all()
    values = own_values(model.network)
    half = model.size // 2
    at = model.layout.offsets
    tables.put(np.arange(half, dtype=np.int32), values[: at[half]])
    assert (np.isnan(tables.floors) == (np.arange(len(tables.floors)) >= half)).all()
    tables.put(np.arange(half, model.size, dtype=np.int32), values[at[half] :])
    assert tables.values[: at[model.size]].tolist() == values.tolist()
    for table in range(model.size):
        own = values[at[table] : at[table + 1]]
        assert tables.floors[table] == pytest.approx(np.log2(own[own > 0].min()), rel=1e-14)  # NumPy has a logarithm of its own
    assert not tables.values.flags.writeable
    assert len(tables.underflowed) == 0


def test_room_is_filled_and_published():
    tables = Tables(DIAMOND.layout, 5)
    tables.buffer[:] = own_values(DIAMOND.network)
    assert np.isnan(tables.floors).all()
    tables.publish(numbers(1, 3))
    assert np.flatnonzero(~np.isnan(tables.floors)).tolist() == [1, 3]


def test_zeros():
    network = dc.BayesianNetwork.discrete(
        [("a", "b")], {"a": [0.5, 0.5], "b": [[1, 0], [0.5, 0.5]]}, {"a": [0, 1], "b": [0, 1]}
    )
    model = Model.of(network)
    tables = model.tables()
    assert tables.have_zeros(numbers(1, 0, 1)).tolist() == [True, False, True]
    assert Tables(model.layout, 2).have_zeros(numbers(0, 1)).tolist() == [False, False]
    assert tables.floors[1] == -1.0


@pytest.mark.parametrize("given_", [-1, 0, 4, 1000])
def test_at_least_the_network_is_given(given_):
    with pytest.raises(ValueError, match="given"):
        Tables(DIAMOND.layout, given_)


def test_wrong_tables_and_values():
    tables = Tables(DIAMOND.layout, 5)
    for wrong in (numbers(-1), numbers(DIAMOND.index.table_count)):
        for use in (tables.publish, tables.mark_underflowed, tables.is_any_underflowed, tables.have_zeros):
            with pytest.raises(ValueError, match="no such table"):
                use(wrong)
        with pytest.raises(ValueError, match="no such table"):
            tables.put(wrong, np.ones(3))
        with pytest.raises(ValueError, match="no such table"):
            Derivation(tables, wrong)
        with pytest.raises(ValueError, match="no such table"):
            derivation_cost(tables, wrong)
    for count in (0, 2, 4):
        with pytest.raises(ValueError, match="do not fit"):
            tables.put(numbers(0), np.ones(count))
    for wrong in ([0], np.array([0]), np.array([0.0])):
        with pytest.raises(TypeError):
            tables.publish(wrong)


def derived(model: Model) -> Tables:
    tables = model.tables()
    derivation = Derivation(tables, everything(model))
    assert len(derivation.missing) == 0
    derivation.run()
    return tables


@given(models())
def test_derived_tables_are_conditionals_of_the_joint(model):
    tables, joint = derived(model), model.joint()
    assert not np.isnan(tables.floors).any()
    for table in range(model.index.table_count):
        members = [*model.index.table_parents[table].tolist(), int(model.index.table_variable[table])]
        both = marginal(joint, members)
        found = tables.values[model.layout.offsets[table] : model.layout.offsets[table + 1]].reshape(both.shape)
        np.testing.assert_allclose(found, both / both.sum(axis=-1, keepdims=True), rtol=1e-9)


@given(models(), st.data())
def test_the_same_bits_in_whatever_order_tables_are_derived(model, data):
    expected = derived(model).values.tobytes()
    tables = model.tables()
    for table in data.draw(st.permutations(range(model.index.table_count))):
        Derivation(tables, numbers(table)).run()
    assert tables.values.tobytes() == expected


def test_given_tables_have_to_be_put_in_first():
    tables = Tables(DIAMOND.layout, 5)
    wanted = everything(DIAMOND)[5:]
    derivation = Derivation(tables, wanted)
    missing = derivation.missing
    assert 0 < len(missing) <= 5
    assert missing.max() < 5
    with pytest.raises(ValueError, match="not there yet"):
        derivation.run()
    at, values = DIAMOND.layout.offsets, own_values(DIAMOND.network)
    for table in missing.tolist():
        tables.put(numbers(table), values[at[table] : at[table + 1]])
    derivation.run()
    for table in wanted.tolist():
        own = slice(at[table], at[table + 1])
        np.testing.assert_allclose(tables.values[own], derived(DIAMOND).values[own])
    assert len(Derivation(tables, wanted).missing) == 0


def test_what_comes_from_an_underflowed_table_is_underflowed():
    tables = Tables(DIAMOND.layout, 5)
    tables.mark_underflowed(numbers(0))
    tables.put(numbers(1, 2, 3, 4), own_values(DIAMOND.network)[DIAMOND.layout.offsets[1] :])
    derivation = Derivation(tables, everything(DIAMOND))
    assert len(derivation.missing) == 0
    derivation.run()
    lost = tables.underflowed.tolist()
    assert lost[0] == 0
    assert lost[1:]  # what needs the first table
    assert tables.is_any_underflowed(numbers(3, 0))
    assert not tables.is_any_underflowed(numbers(3, 4))
    assert np.isnan(tables.floors[lost]).all()


@given(models())
def test_costs_are_those_of_the_programs(model):
    tables = model.tables()

    def cost(table: int) -> tuple[int, int]:
        if table < model.size:
            return 0, 0
        program = plan_derivation(model.layout, table)
        below = [cost(source) for source in program.tables.tolist()]
        return (
            program.cost + max((own for own, _ in below), default=0),
            max([program.peak_bytes, *(peak for _, peak in below)]),
        )

    each = [cost(table) for table in range(model.index.table_count)]
    assert derivation_cost(tables, everything(model)) == (sum(own for own, _ in each), max(peak for _, peak in each))
    for table, expected in enumerate(each):
        assert derivation_cost(tables, numbers(table)) == expected


def test_programs_of_derived_tables():
    first = DIAMOND.size
    program = plan_derivation(DIAMOND.layout, first)
    assert isinstance(program, Program)
    assert program.result_size == np.diff(DIAMOND.layout.offsets)[first]
    for wrong in (0, first - 1):
        with pytest.raises(ValueError, match="own"):
            plan_derivation(DIAMOND.layout, wrong)
    for wrong in (-1, DIAMOND.index.table_count):
        with pytest.raises(ValueError, match="no such table"):
            plan_derivation(DIAMOND.layout, wrong)


@pytest.mark.parametrize("travel", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))], ids=["copy", "pickle"])
def test_layouts_and_tables_travel(travel):
    again = travel(DIAMOND.layout)
    assert again.states.tolist() == DIAMOND.layout.states.tolist()
    assert again.offsets.tolist() == DIAMOND.layout.offsets.tolist()
    tables = Tables(DIAMOND.layout, 5)
    tables.put(numbers(2, 4), np.arange(DIAMOND.layout.offsets[3] - DIAMOND.layout.offsets[2] + 9, dtype=float))
    tables.mark_underflowed(numbers(1))
    found = travel(tables)
    assert found.given == 5
    np.testing.assert_array_equal(found.floors, tables.floors)
    assert found.underflowed.tolist() == [1]
    for table in (2, 4):
        own = slice(DIAMOND.layout.offsets[table], DIAMOND.layout.offsets[table + 1])
        assert found.values[own].tolist() == tables.values[own].tolist()


def test_likelihoods():
    assert len(Likelihoods()) == 0
    assert len(Likelihoods([np.array([0.5, 0.0]), np.array([1.0])])) == 2
    for wrong in ([np.nan], [np.inf], [-1.0, 1.0], [0.0, 0.0], []):
        with pytest.raises(ValueError, match="likelihood"):
            Likelihoods([np.array(wrong)])
    for wrong in (1, [[0.5]], [np.ones((2, 2))], ["ab"]):
        with pytest.raises((TypeError, RuntimeError)):
            Likelihoods(wrong)
