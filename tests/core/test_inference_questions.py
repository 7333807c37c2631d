"""Questions, and the small network of each, against d-separation and definitions."""

from __future__ import annotations

import numpy as np
import pytest
from core.inference_cases import Model, models, parts_of
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex._core import Ending, NetworkPart, Question, Role, SmallNetwork, small_network

ALL = {
    "targets": (4, 1), "observed": (2,), "soft": (0, 4), "map_variables": (1,), "context": (3, 3), "network": NetworkPart.WHOLE,
    "coherent": True, "shows_impossible": True, "ending": Ending.TRACE, "max_bytes": 1000,
}  # fmt: skip
OTHER = {
    "targets": (1, 4), "observed": (), "soft": (0,), "map_variables": (), "context": (3,), "network": NetworkPart.PRUNED,
    "coherent": False, "shows_impossible": False, "ending": Ending.ANSWER, "max_bytes": 1001,
}  # fmt: skip


def test_a_question_has_the_fields_it_was_made_of():
    question = Question(**ALL)
    assert {name: getattr(question, name) for name in ALL} == ALL
    empty = Question()
    assert (empty.targets, empty.observed, empty.soft, empty.map_variables, empty.context) == ((), (), (), (), ())
    assert (empty.network, empty.ending) == (NetworkPart.PRUNED, Ending.ANSWER)
    assert (empty.coherent, empty.shows_impossible, empty.max_bytes) == (False, False, Question.NO_LIMIT)


def test_questions_are_values():
    question = Question(**ALL)
    again = Question([4, 1], np.array([2]), iter((0, 4)), **{name: ALL[name] for name in list(ALL)[3:]})
    assert question == again
    assert hash(question) == hash(again)
    for name, value in OTHER.items():
        assert question != Question(**{**ALL, name: value}), name
        assert hash(question) != hash(Question(**{**ALL, name: value})), name
    assert question != "a question"
    assert {question: 1}[again] == 1
    with pytest.raises(AttributeError):
        question.targets = ()


def test_lists_do_not_run_into_each_other():
    assert Question((1,), (2,)) != Question((1, 2), ())
    assert hash(Question((1,), (2,))) != hash(Question((1, 2), ()))


@pytest.mark.parametrize(
    "wrong", [{"targets": 1}, {"targets": ("a",)}, {"observed": (1.5,)}, {"soft": None}, {"ending": "answer"}]
)
def test_what_is_no_question(wrong):
    with pytest.raises((TypeError, RuntimeError, ValueError)):
        Question(**wrong)


CHAIN = Model.of(dc.random_network([(0, 1), (1, 2), (2, 3)], seed=1))


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"targets": (4,)}, "that there is not"),
        ({"observed": (-1,)}, "that there is not"),
        ({"soft": (2**31 - 1,)}, "that there is not"),
        ({"context": (4,)}, "that there is not"),
        ({"targets": (1, 0, 1)}, "twice"),
        ({"observed": (1, 1)}, "twice"),
        ({"soft": (1, 1)}, "twice"),
        ({"targets": (1,), "observed": (1,)}, "neither a target"),
        ({"observed": (1,), "soft": (1,)}, "neither a target"),
        ({"targets": (1,), "map_variables": (2,), "ending": Ending.TRACE}, "targets of a trace"),
        ({"targets": (1,), "map_variables": (1,)}, "targets of a trace"),
        ({"targets": (1,), "map_variables": (1, 1), "ending": Ending.TRACE}, "twice"),
    ],
)
def test_questions_that_contradict_themselves(wrong, problem):
    with pytest.raises(ValueError, match=problem):
        small_network(CHAIN.index, Question(**wrong))


def named(small: SmallNetwork, flags: np.ndarray) -> set[int]:
    return set(small.nodes[flags].tolist())


@given(st.data())
def test_the_small_network_has_all_tables_between_its_variables(data):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    network = data.draw(st.sampled_from(NetworkPart))
    small = small_network(model.index, Question(parts.targets, parts.observed, parts.soft, network=network))
    nodes = small.nodes.tolist()
    assert len(small) == len(nodes) == len(set(nodes))
    assert {*parts.targets, *parts.observed, *parts.soft} <= set(nodes)
    for v, table in enumerate(small.tables.tolist()):
        assert model.index.table_variable[table] == nodes[v]
        assert small.nodes[small.parents[v]].tolist() == model.index.table_parents[table].tolist()
        assert sorted(small.children[v].tolist()) == [u for u in range(len(nodes)) if v in small.parents[u]]
    roles = {v: Role(role) for v, role in zip(nodes, small.roles.tolist(), strict=True)}
    for v in nodes:
        expected = Role.OBSERVED if v in parts.observed else Role.NONE
        if v in parts.soft:
            expected = Role.SOFT_TARGET if v in parts.targets else Role.SOFT
        elif v in parts.targets:
            expected = Role.TARGET
        assert roles[v] == expected


@given(st.data())
def test_pruned_it_is_the_kept_clusters_and_whole_it_is_the_ancestors(data):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    wanted = [*parts.targets, *parts.observed, *parts.soft]
    pruned = small_network(model.index, Question(parts.targets, parts.observed, parts.soft))
    kept = model.index.kept_clusters(np.array(wanted, np.int32)).tolist()
    assert set(pruned.nodes.tolist()) == {v for cluster in kept for v in model.index.clusters[cluster].tolist()}
    whole = small_network(model.index, Question(parts.targets, parts.observed, parts.soft, network=NetworkPart.WHOLE))
    names = model.network.dag.nodes
    above = model.network.dag.ancestors([names[v] for v in wanted]) | {names[v] for v in wanted}
    assert {names[v] for v in whole.nodes.tolist()} == above
    assert whole.tables.tolist() == whole.nodes.tolist()


@given(st.data())
def test_context_keeps_clusters(data):
    model = data.draw(models())
    parts = data.draw(parts_of(model))
    context = data.draw(st.lists(st.integers(0, model.size - 1)))
    small = small_network(model.index, Question(parts.targets, parts.observed, parts.soft, context=context))
    assert set(context) <= set(small.nodes.tolist())


@given(st.data())
def test_evidence_is_reached_where_it_is_not_separated(data):
    model = data.draw(models(smallest=2))
    parts = data.draw(parts_of(model))
    if not parts.targets:
        return
    names = model.network.dag.nodes
    small = small_network(model.index, Question(parts.targets, parts.observed, network=NetworkPart.WHOLE))
    reached = named(small, small.is_reached)
    for v in parts.observed:
        rest = [names[u] for u in parts.observed if u != v]
        is_separated = dc.d_separated(model.network.dag, names[v], [names[t] for t in parts.targets], given=rest)
        assert (v in reached) == (not is_separated)


@given(st.data())
def test_what_is_not_requisite_does_not_matter(data):
    """Other tables there leave the answer as it is, tables that are requisite do not."""
    model = data.draw(models(smallest=2))
    parts = data.draw(parts_of(model))
    small = small_network(model.index, Question(parts.targets, parts.observed, network=NetworkPart.WHOLE))
    requisite = named(small, small.is_requisite)
    names = model.network.dag.nodes
    if not parts.targets:
        observed = [names[v] for v in parts.observed]
        assert {names[v] for v in requisite} == model.network.dag.ancestors(observed) | set(observed)
        return
    for v in range(model.size):
        # a table matters if a parent of its variable that only it has would matter
        dag = dc.Dag([*model.network.dag.edges, ("extra", names[v])], [*names, "extra"])
        given_ = [names[u] for u in parts.observed]
        targets = [names[t] for t in parts.targets]
        assert (v in requisite) == (not dc.d_separated(dag, "extra", targets, given=given_))


@given(st.data())
def test_in_a_coherent_model_unreached_evidence_is_left_out(data):
    model = data.draw(models(smallest=2))
    parts = data.draw(parts_of(model))
    if not parts.targets:
        return
    small = small_network(model.index, Question(parts.targets, parts.observed, parts.soft, coherent=True))
    given_ = [v for v in (*parts.observed, *parts.soft) if v in set(named(small, small.roles > 0)) - set(parts.targets)]
    assert all(v in named(small, small.is_reached) for v in given_)


def test_a_question_about_nothing():
    small = small_network(CHAIN.index, Question())
    assert len(small) == len(small.nodes) == len(small.parents) == len(small.is_reached) == 0
