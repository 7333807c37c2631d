"""The most probable assignment of all variables, or of some with the rest summed out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from inference.models import CONVEX_MODES, SPRINKLER, chain, in_pieces
from inference.questions import Question, questions
from network.enumeration import frame

import dconvex as dc


def is_best(question: Question, variables, found) -> None:
    """Any of several best assignments will do."""
    assignment, log_probability = found
    oracle = question.oracle()
    assert set(assignment) == set(variables)
    assert all(assignment[v] in question.network.states[v] for v in assignment)
    best = oracle.most_probable(variables)
    assert log_probability == pytest.approx(math.log(best), rel=1e-9, abs=1e-12)
    assert oracle.probability(assignment) == pytest.approx(best, rel=1e-9)


@given(questions())
def test_the_most_probable_explanation_is_that_of_brute_force(question: Question):
    unobserved = [variable for variable in question.network.dag.nodes if variable not in question.hard]
    is_best(question, unobserved, dc.localize(question.network).most_probable(**question.given))


@given(questions(max_variables=6))
def test_marginal_map_is_that_of_brute_force(question: Question):
    found = dc.localize(question.network).most_probable(question.variables, **question.given)
    is_best(question, question.variables, found)


@given(questions())
@pytest.mark.parametrize("mode", [*CONVEX_MODES, "one cluster"])
def test_every_tree_gives_an_equally_probable_answer(mode, question: Question):
    if not len(question.network):
        return
    nodes = question.network.dag.nodes
    tree = dc.ClusterTree([nodes]) if mode == "one cluster" else dc.decompose(question.network, separators=mode)
    local = dc.localize(question.network, tree=tree)
    is_best(question, question.variables, local.most_probable(question.variables, **question.given))


@given(questions())
def test_no_sample_is_more_probable(question: Question):
    local = dc.localize(question.network)
    _, best = local.most_probable(question.network.dag.nodes, **question.given)
    oracle = question.oracle()
    for row in local.sample(20, **question.given, seed=0).to_dict("records"):
        assert math.log(oracle.probability(row)) <= best + 1e-9


@given(questions(kinds=("hard",)))
def test_its_probability_is_that_of_the_completed_row(question: Question):
    local = dc.localize(question.network)
    assignment, log_probability = local.most_probable(evidence=question.evidence)
    row = frame([{**question.evidence, **assignment}], question.network.dag.nodes)
    expected = local.log_likelihood(row)[0] - local.log_evidence(question.evidence)
    assert log_probability == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_observed_variables_are_left_out_unless_asked_for():
    local = dc.localize(SPRINKLER)
    assert set(local.most_probable(evidence={"wet": "wet", "rain": {"much"}})[0]) == {"cloudy", "sprinkler"}
    assert set(local.most_probable(evidence={"rain": {"much", "some"}})[0]) == {"cloudy", "sprinkler", "rain", "wet"}
    assert local.most_probable(["wet", "cloudy"], {"wet": "dry"})[0]["wet"] == "dry"


def test_nothing_asked_is_certain():
    assignment, log_probability = dc.localize(SPRINKLER).most_probable([], {"wet": "wet"})
    assert assignment == {}
    assert log_probability == pytest.approx(0.0, abs=1e-15)


def test_a_single_name_stands_for_itself():
    assert dc.localize(SPRINKLER).most_probable("cloudy")[0] == {"cloudy": True}


def test_labels_keep_their_types():
    assignment, _ = dc.localize(SPRINKLER).most_probable()
    assert {name: type(label) for name, label in assignment.items()} == {
        "cloudy": bool,
        "rain": str,
        "sprinkler": int,
        "wet": str,
    }


def test_the_parts_of_a_network_in_pieces_add_up():
    network = in_pieces(40, seed=5)
    local = dc.localize(network)
    assignment, log_probability = local.most_probable()
    parts = [local.most_probable([f"a{k}", f"b{k}", f"c{k}"]) for k in range(40)]
    assert log_probability == pytest.approx(sum(part[1] for part in parts), rel=1e-9)
    assert len(assignment) == 120


def test_a_long_chain_is_the_viterbi_algorithm():
    length = 2000
    network = chain(length, states=3, seed=8)
    with np.errstate(divide="ignore"):
        best = np.log(network.family(0).values)
        for node in range(1, length + 1):
            best = (best[:, np.newaxis] + np.log(network.family(node).values)).max(axis=0)
    assignment, log_probability = dc.localize(network).most_probable()
    assert log_probability == pytest.approx(best.max(), rel=1e-10)
    found = network.log_likelihood(frame([assignment], network.dag.nodes))[0]
    assert found == pytest.approx(best.max(), rel=1e-10)


def test_what_is_not_there():
    with pytest.raises(dc.UnknownVariableError, match="unknown variable 'rian'; did you mean 'rain'"):
        dc.localize(SPRINKLER).most_probable(["rian"])
    with pytest.raises(ValueError, match="'rain'"):
        dc.localize(SPRINKLER).most_probable(["rain", "rain"])
