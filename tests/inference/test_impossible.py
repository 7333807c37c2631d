"""Evidence of probability zero is an error with a small conflict, wherever in the network it lies."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from inference.brute_force import BruteForce
from inference.models import SPRINKLER, chain, close, naive_bayes
from inference.questions import Question, questions

import dconvex as dc
from dconvex import BayesianNetwork

STRICT = BayesianNetwork.discrete(
    [("a", "b"), ("c", "d")],
    {"a": [0.5, 0.5], "b": [[1.0, 0.0], [0.0, 1.0]], "c": [0.25, 0.75], "d": [[0.5, 0.5], [0.125, 0.875]]},
    dict.fromkeys("abcd", ("no", "yes")),
)
"""Two pieces; in one of them b copies a."""

CONFLICT = {"a": "no", "b": "yes"}

QUESTIONS = {
    "query": lambda local, **given: local.query(local.dag.nodes[:1], **given),
    "joint": lambda local, **given: local.query(local.dag.nodes[:3], **given),
    "empty query": lambda local, **given: local.query([], **given),
    "marginals": lambda local, **given: local.marginals(**given),
    "some marginals": lambda local, **given: local.marginals(**given, variables=local.dag.nodes[-1:]),
    "most probable": lambda local, **given: local.most_probable(**given),
    "marginal map": lambda local, **given: local.most_probable(local.dag.nodes[-1:], **given),
    "sample": lambda local, **given: local.sample(3, **given),
    "sampling": lambda local, **given: local.query(local.dag.nodes[:1], **given, method="sampling", samples=200, seed=0),
}
on_every_question = pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)


def raised(ask, local, **given):
    with pytest.raises(dc.ImpossibleEvidenceError) as caught:
        ask(local, **given)
    return caught.value


@on_every_question
@given(questions(possible=False))
def test_an_answer_or_an_error(ask, question: Question):
    """What has probability zero is an error, everything else is not; a few samples may fail to meet what is possible."""
    if question.oracle().mass == 0:
        raised(ask, dc.localize(question.network), **question.given)
    elif ask is not QUESTIONS["sampling"]:
        ask(dc.localize(question.network), **question.given)


@settings(max_examples=200, suppress_health_check=[HealthCheck.filter_too_much])  # most evidence is possible
@given(questions(possible=False, everywhere=True, kinds=("hard", "hard", "hard", "set", "soft")))
def test_the_conflict_is_impossible_and_minimal(question: Question):
    assume(question.oracle().mass == 0)
    conflict = raised(QUESTIONS["marginals"], dc.localize(question.network), **question.given).conflict
    assert conflict

    def mass(variables):
        evidence, soft = ({v: x for v, x in part.items() if v in variables} for part in (question.evidence, question.soft))
        return BruteForce(question.network, evidence, soft).mass

    assert mass(set(conflict)) == 0
    for variable in conflict:
        assert mass(set(conflict) - {variable}) > 0


@on_every_question
def test_the_conflict_is_named(ask):
    error = raised(ask, dc.localize(SPRINKLER), evidence={"cloudy": True, "sprinkler": 1, "rain": "much"})
    assert error.conflict == {"cloudy": True, "sprinkler": 1}
    for word in ("cloudy", "True", "sprinkler", "1"):
        assert word in str(error)
    assert "rain" not in str(error)


@on_every_question
def test_a_conflict_of_three(ask):
    evidence = {"cloudy": False, "rain": "much", "sprinkler": 2, "wet": "dry"}
    assert raised(ask, dc.localize(SPRINKLER), evidence=evidence).conflict == {"rain": "much", "sprinkler": 2, "wet": "dry"}


@on_every_question
def test_an_empty_set_allows_nothing(ask):
    error = raised(ask, dc.localize(SPRINKLER), evidence={"cloudy": True, "rain": set()})
    assert list(error.conflict) == ["rain"]


@on_every_question
def test_likelihoods_of_zero_allow_nothing(ask):
    error = raised(ask, dc.localize(SPRINKLER), evidence={"wet": "wet"}, soft={"rain": [0, 0, 0]})
    assert list(error.conflict) == ["rain"]


@on_every_question
def test_a_state_that_never_occurs(ask):
    network = BayesianNetwork.discrete(
        [("a", "b")], {"a": [1.0, 0.0], "b": [[0.5, 0.5], [0.5, 0.5]]}, {"a": [0, 1], "b": [0, 1]}
    )
    assert raised(ask, dc.localize(network), evidence={"a": 1, "b": 1}).conflict == {"a": 1}


@on_every_question
def test_set_valued_evidence_in_a_conflict(ask):
    error = raised(ask, dc.localize(SPRINKLER), evidence={"cloudy": {True}, "rain": {"none", "much"}, "sprinkler": {1}})
    assert set(error.conflict) == {"cloudy", "sprinkler"}


def test_evidence_and_likelihoods_that_exclude_each_other():
    error = raised(QUESTIONS["query"], dc.localize(SPRINKLER), evidence={"rain": "much"}, soft={"rain": [1, 1, 0]})
    assert list(error.conflict) == ["rain"]


def test_the_log_of_zero_is_minus_infinity():
    local = dc.localize(STRICT)
    assert local.log_evidence(CONFLICT) == -math.inf
    assert local.log_evidence({"a": "no"}, soft={"b": [0, 1]}) == -math.inf
    assert local.log_evidence({"a": set()}) == -math.inf
    assert local.log_evidence(soft={"c": [0, 0]}) == -math.inf


# --- in a part that the question does not need


@pytest.mark.parametrize(
    "ask",
    [
        lambda local, given, **options: local.query("d", given, **options).values,
        lambda local, given, **options: local.query(["d"], {**given, "c": {"no", "yes"}}, **options).values,
        lambda local, given, **options: local.marginals(given, variables=["d"], **options)["d"].values,
    ],
)
def test_a_conflict_elsewhere_is_noticed_unless_taken_as_possible(ask):
    local = dc.localize(STRICT)
    with pytest.raises(dc.ImpossibleEvidenceError) as caught:
        ask(local, CONFLICT)
    assert caught.value.conflict == CONFLICT
    close(ask(local, CONFLICT, assume_possible=True), local.query("d").values)


def test_a_conflict_behind_observed_variables_is_noticed():
    network = chain(30)
    tables = {node: network.family(node).values for node in network.dag.nodes} | {5: np.eye(2)}
    local = dc.localize(BayesianNetwork.discrete(network.dag, tables, network.states))
    evidence = {4: 0, 5: 1, 20: 1}
    with pytest.raises(dc.ImpossibleEvidenceError) as caught:
        local.query(25, evidence)
    assert caught.value.conflict == {4: 0, 5: 1}
    close(local.query(25, evidence, assume_possible=True).values, local.query(25, {20: 1}).values)


def test_a_conflict_that_the_question_needs_is_noticed_even_if_taken_as_possible():
    copies = {"a": [0.5, 0.5], "b": np.eye(2), "c": np.eye(2)}
    network = BayesianNetwork.discrete([("a", "b"), ("a", "c")], copies, dict.fromkeys("abc", (0, 1)))
    for assume_possible in (False, True):
        with pytest.raises(dc.ImpossibleEvidenceError) as caught:
            dc.localize(network).query("a", {"b": 0, "c": 1}, assume_possible=assume_possible)
        assert caught.value.conflict == {"b": 0, "c": 1}


@given(questions())
def test_taking_possible_evidence_as_possible_changes_nothing(question: Question):
    local = dc.localize(question.network)
    close(
        local.query(question.variables, **question.given, assume_possible=True).values,
        local.query(question.variables, **question.given).values,
    )
    told = local.marginals(**question.given, assume_possible=True)
    for variable, own in local.marginals(**question.given).items():
        close(told[variable].values, own.values)


def test_a_conflict_among_hundreds_of_observations():
    leaves = [f"x{k}" for k in range(200)]
    rows = [[0.1, 0.2] if leaf != "x17" else [0.0, 0.0] for leaf in leaves]
    error = raised(QUESTIONS["query"], dc.localize(naive_bayes(rows)), evidence=dict.fromkeys(leaves, 1))
    assert error.conflict == {"x17": 1}


def test_a_model_answers_after_an_error_as_before():
    local = dc.localize(SPRINKLER)
    before = local.query("rain", {"wet": "dry"}).values.tolist()
    raised(QUESTIONS["query"], local, evidence={"cloudy": True, "sprinkler": 1})
    assert local.query("rain", {"wet": "dry"}).values.tolist() == before


def test_the_error_is_ours_and_travels():
    error = raised(QUESTIONS["query"], dc.localize(STRICT), evidence=CONFLICT)
    assert isinstance(error, dc.DconvexError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.conflict) == (str(error), error.conflict)
