"""Questions that the core answers in one call: the same bits as on the ordinary way, and whatever is unusual left to it."""

from __future__ import annotations

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from inference.questions import Question, questions

import dconvex as dc
from dconvex import _core
from dconvex._core import Queries


def ordinary(local: dc.LocalModel, variables, evidence=None, **options) -> dc.Distribution:
    """The answer on the way that every question can take."""
    return local._engine.query(local._request(variables, evidence, None, options.pop("max_bytes", None), **options))


@given(questions())
def test_the_same_bits_as_on_the_ordinary_way(question: Question):
    local = dc.localize(question.network)
    evidence = question.given.get("evidence")
    expected = ordinary(local, question.variables, evidence)
    for _ in range(2):
        found = local.query(question.variables, evidence)
        assert found.values.tobytes() == expected.values.tobytes()
        assert (found.variables, found.labels) == (expected.variables, expected.labels)
        assert (found.values.shape, found.standard_errors) == (expected.values.shape, None)


@given(questions())
def test_marginals_agree_with_single_questions(question: Question):
    local = dc.localize(question.network)
    evidence = question.given.get("evidence") or {}
    for name, own in local.marginals(evidence).items():
        np.testing.assert_allclose(own.values, ordinary(local, [name], evidence).values, rtol=1e-12, atol=1e-300)
        assert (own.variables, own.labels) == ((name,), (local.states[name],))


@pytest.fixture
def asia() -> dc.LocalModel:
    return dc.localize(dc.load_network("asia"))


def queries_of(local: dc.LocalModel) -> Queries:
    return local._engine.queries


class Text(str):
    """A name of another type that compares equal."""


@pytest.mark.parametrize(
    ("variables", "evidence", "limit"),
    [
        ((), None, None),
        (("lung", "lung"), None, None),
        (("no such variable",), None, None),
        ((Text("lung"),), None, None),
        ({"lung"}, None, None),
        (("lung",), {"lung": "yes"}, None),
        (("lung",), {"smoke": "perhaps"}, None),
        (("lung",), {"smoke": {"yes", "no"}}, None),
        (("lung",), {Text("smoke"): "yes"}, None),
        (("lung",), [("smoke", "yes")], None),
        (("lung",), None, 1e9),
        (("lung",), None, 1),
        (("lung",), None, 2**70),
        (("lung",), {"either": "no", "lung": "yes"}, None),
        (("smoke",), {"either": "no", "lung": "yes"}, None),
    ],
)
def test_what_is_left_to_the_ordinary_way(asia, variables, evidence, limit):
    assert queries_of(asia).ask(variables, evidence, limit) is None


@pytest.mark.parametrize("variables", ["lung", ["lung", "smoke"], ("smoke", "lung")])
def test_names_come_alone_in_a_list_or_in_a_tuple(asia, variables):
    answer = queries_of(asia).ask(variables)
    names = (variables,) if isinstance(variables, str) else tuple(variables)
    assert (answer.variables, answer.labels) == (names, (("yes", "no"),) * len(names))
    assert len(answer.numbers) == 2 ** len(names)
    assert np.frombuffer(answer.numbers).tobytes() == ordinary(asia, variables).values.tobytes()


def test_answers_are_of_the_class_that_is_given(asia):
    assert type(queries_of(asia).ask("lung")) is dc.Distribution
    made = _core.Answer()
    for name in ("variables", "labels"):
        with pytest.raises(AttributeError):
            getattr(made, name)
    assert len(made.numbers) == 0
    constructor, (tables, indices, names, labels, derive, _, *rest) = queries_of(asia).__reduce__()
    for wrong in (object, dc.Dag):
        with pytest.raises(ValueError, match="inherits from Answer"):
            constructor(tables, indices, names, labels, derive, wrong, *rest)


def test_impossible_evidence_is_refused(asia):
    evidence = {"either": "no", "lung": "yes"}
    with pytest.raises(dc.ImpossibleEvidenceError):
        asia.query("asia", evidence)
    with pytest.raises(dc.ImpossibleEvidenceError):
        asia.marginals(evidence)


def test_an_array_is_made_once_and_outlives_the_model(asia):
    found = asia.query(["lung", "smoke"])
    values = found.values
    assert found.values is values
    assert values.flags.writeable
    expected = values.copy()
    del asia, found
    dc.localize(dc.load_network("asia")).query(["bronc", "smoke"])
    assert (values == expected).all()


def test_a_distribution_is_frozen_and_can_be_copied(asia):
    found = asia.query("lung")
    with pytest.raises(AttributeError):
        found.values = np.zeros(2)
    with pytest.raises(AttributeError):
        del found.variables
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (again.variables, again.labels, again.values.tolist()) == (found.variables, found.labels, found.values.tolist())


def test_a_copy_of_a_model_has_no_plans(asia):
    asia.query("lung", {"smoke": "yes"})
    again = pickle.loads(pickle.dumps(asia))
    assert len(queries_of(asia)) > 0
    assert len(queries_of(again)) == 0
    assert again.query("lung", {"smoke": "yes"}).values.tobytes() == asia.query("lung", {"smoke": "yes"}).values.tobytes()


def test_threads_share_the_plans():
    network = dc.random_network(dc.random_dag(30, 40, seed=1), 2, seed=1)
    local, names = dc.localize(network), network.dag.nodes
    pairs = [(one, other) for one in names for other in names if one < other]
    expected = {pair: dc.localize(network).query(pair).values.tobytes() for pair in pairs[::40]}
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda pair: (pair, local.query(pair).values.tobytes()), pairs * 2))
    assert all(expected.get(pair, own) == own for pair, own in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_asks_on(asia):
    expected = asia.query("lung").values.tobytes()
    child = os.fork()
    if child == 0:
        os._exit(0 if asia.query("lung").values.tobytes() == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("size", [1, 5, 13, 17])
def test_engine_of_any_size(size):
    """Small ones, those normalised early, and those that give the lock of the interpreter back."""
    network = dc.random_network(dc.random_dag(20, 30, seed=size), 2, seed=size)
    local, names = dc.localize(network), network.dag.nodes
    found = local.query(names[:size])
    assert found.values.tobytes() == ordinary(local, names[:size]).values.tobytes()
    assert found.values.sum() == pytest.approx(1.0)
