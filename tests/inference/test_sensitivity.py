"""One-way sensitivity functions, against networks in which the parameter was really moved."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from inference.brute_force import BruteForce
from inference.models import SPRINKLER
from inference.questions import questions

import dconvex as dc


def moved(network, variable, parents, state, value):
    """The network with one parameter at this value, the rest of its row in proportion."""
    tables = {node: network.family(node).values.copy() for node in network.dag.nodes}
    cell = tuple(network.states[parent].index(parents[parent]) for parent in network.dag.parents(variable))
    row = tables[variable][cell]
    code = network.states[variable].index(state)
    rest = np.delete(row, code)
    rest = rest / rest.sum() if rest.sum() > 0 else np.full(len(rest), 1 / len(rest))
    tables[variable][cell] = np.insert((1 - value) * rest, code, value)
    return dc.BayesianNetwork.discrete(network.dag, tables, network.states)


def rows_of(network):
    """Every (variable, row of its table, state)."""
    for node in network.dag.nodes:
        parents = network.dag.parents(node)
        for cell in np.ndindex(*(len(network.states[parent]) for parent in parents)):
            row = {parent: network.states[parent][code] for parent, code in zip(parents, cell, strict=True)}
            for state in network.states[node]:
                yield node, row, state


@settings(max_examples=25)
@given(questions(min_variables=1, max_variables=1, apart=True), st.data())
def test_moved_parameters_move_the_answer_as_said(question, data):
    assume(question.variables)
    network, (target,) = question.network, question.variables
    label = data.draw(st.sampled_from(network.states[target]))
    found = dc.localize(network).sensitivity(target, label, **question.given)
    assert found.probability == pytest.approx(question.oracle().probability({target: label}), abs=1e-9)
    sizes = [abs(row.derivative) for row in found]
    assert sizes == sorted(sizes, reverse=True)
    if not len(found):
        return
    row = found[data.draw(st.integers(0, len(found) - 1))]
    value = data.draw(st.floats(0, 1))
    oracle = BruteForce(moved(network, row.variable, row.parents, row.state, value), question.evidence, question.soft)
    if oracle.mass < 1e-6 * question.oracle().mass:
        return
    expected = oracle.probability({target: label})
    assert row.at(value) == pytest.approx(expected, abs=1e-7)
    a, b, c, d = row.coefficients
    assert (a * value + b) / (c * value + d) == pytest.approx(expected, abs=1e-6)
    assert row.at(row.value) == pytest.approx(found.probability, abs=1e-12)


@settings(max_examples=25)
@given(questions(min_variables=1, max_variables=1, apart=True), st.data())
def test_what_is_not_listed_does_not_matter(question, data):
    assume(question.variables)
    network, (target,) = question.network, question.variables
    label = network.states[target][0]
    found = dc.localize(network).sensitivity(target, label, **question.given)
    listed = {(row.variable, tuple(row.parents.items()), row.state) for row in found}
    others = [
        (node, row, state)
        for node, row, state in rows_of(network)
        if (node, tuple(row.items()), state) not in listed
        and not (len(network.states[node]) == 2 and state == network.states[node][1])
        and len(network.states[node]) > 1
    ]
    assume(others)
    node, row, state = data.draw(st.sampled_from(others))
    oracle = BruteForce(moved(network, node, row, state, 0.4), question.evidence, question.soft)
    if oracle.mass > 0:
        assert oracle.probability({target: label}) == pytest.approx(found.probability, abs=1e-7)


@settings(max_examples=25)
@given(questions(min_variables=1, max_variables=1, apart=True), st.data())
def test_admissible_values_keep_the_decision_and_no_others(question, data):
    assume(question.variables)
    network, (target,) = question.network, question.variables
    labels = network.states[target]
    assume(len(labels) > 1)
    shares = question.oracle().query([target])
    threshold = data.draw(st.none() | st.floats(0.05, 0.95))
    found = dc.localize(network).sensitivity(target, labels[0], threshold=threshold, **question.given)
    margin = np.sort(shares)[-1] - np.sort(shares)[-2] if threshold is None else abs(shares[0] - threshold)
    assume(len(found) and margin > 1e-6)
    row = found[data.draw(st.integers(0, len(found) - 1))]
    low, high = row.admissible
    assert low <= row.value <= high
    value = data.draw(st.floats(0, 1))
    assume(min(abs(value - low), abs(value - high)) > 1e-4)
    oracle = BruteForce(moved(network, row.variable, row.parents, row.state, value), question.evidence, question.soft)
    assume(oracle.mass > 1e-6 * question.oracle().mass)
    after = oracle.query([target])
    if threshold is None:
        lead = after[int(np.argmax(shares))] - np.delete(after, int(np.argmax(shares))).max()
    else:
        lead = (after[0] - threshold) * (1 if shares[0] >= threshold else -1)
    assume(abs(lead) > 1e-9)
    assert (lead > 0) == (low <= value <= high)


def test_derivatives_are_those_of_small_steps():
    network = dc.load_network("asia")
    evidence = {"xray": "yes", "dysp": "yes"}
    found = dc.localize(network).sensitivity("lung", "yes", evidence)
    for row in found:
        step = 1e-6 if row.value < 0.5 else -1e-6
        there = dc.localize(moved(network, row.variable, row.parents, row.state, row.value + step)).query("lung", evidence)[
            "yes"
        ]
        assert (there - found.probability) / step == pytest.approx(row.derivative, rel=1e-3, abs=1e-6)


def test_where_clusters_disagree_it_is_about_the_network_of_all():
    network = dc.load_network("asia")
    model = dc.fit(network, network.sample(500, seed=1), prior=dc.BDeu(5))
    found = model.sensitivity("lung", "yes", {"dysp": "yes"})
    expected = dc.localize(model.network()).sensitivity("lung", "yes", {"dysp": "yes"})
    assert found.to_frame().equals(expected.to_frame())
    assert found.probability == pytest.approx(expected.probability)


def test_a_model_from_a_file(tmp_path):
    network = dc.load_network("asia")
    model = dc.localize(network)
    model.save(tmp_path / "asia.dcx")
    opened = dc.open_model(tmp_path / "asia.dcx")
    assert repr(opened.sensitivity("lung", "yes", {"dysp": "yes"})) == repr(model.sensitivity("lung", "yes", {"dysp": "yes"}))


def test_probabilities_far_below_a_float_do_not_underflow():
    """400 findings of probability 1e-3 each: their product is 1e-1200."""
    count = 400
    edges = [("root", f"v{k:03}") for k in range(count)]
    tables = {"root": [0.5, 0.5]} | {
        f"v{k:03}": [[1e-3, 1 - 1e-3], [1e-3 * (1.001 if k else 0.9), 1 - 1e-3 * (1.001 if k else 0.9)]] for k in range(count)
    }
    network = dc.BayesianNetwork.discrete(edges, tables, {name: [0, 1] for name in tables})
    evidence = {f"v{k:03}": 0 for k in range(count)}
    model = dc.localize(network)
    found = model.sensitivity("root", 0, evidence)
    share = model.query("root", evidence)[0]
    assert found.probability == pytest.approx(share, rel=1e-9)
    prior = next(row for row in found if row.variable == "root")
    assert prior.derivative == pytest.approx(share * (1 - share) / 0.25, rel=1e-9)
    one = next(row for row in found if row.variable == "v000" and row.parents == {"root": 0})
    assert one.derivative == pytest.approx(share * (1 - share) / 1e-3, rel=1e-9)


def test_a_variable_with_one_state_has_no_parameters():
    network = dc.BayesianNetwork.discrete(
        [("a", "b"), ("b", "c")],
        {"a": [1.0], "b": [[0.3, 0.7]], "c": [[0.2, 0.8], [0.6, 0.4]]},
        {"a": ["only"], "b": [0, 1], "c": [0, 1]},
    )
    model = dc.localize(network)
    assert {row.variable for row in model.sensitivity("c", 0)} == {"b", "c"}
    assert len(model.sensitivity("a", "only", {"c": 1})) == 0


def test_it_prints_and_comes_as_a_frame():
    found = dc.localize(dc.load_network("asia")).sensitivity("lung", "yes", {"smoke": "yes", "xray": "yes"})
    lines = repr(found).splitlines()
    assert lines[0] == (
        "sensitivity of P(lung = yes | smoke = yes, xray = yes) = 0.645991; admissible: lung = yes stays most probable"
    )
    assert lines[2].split() == "P(xray = yes | either = no) 0.05 -3.7925 0.9144 0.0982 0.0000 to 0.0997".split()
    frame = found.to_frame()
    assert len(frame) == len(found) == 10
    assert frame["parents"][0] == {"either": "no"}
    assert frame["at_1"][0] == found[0].at(1)
    other = dc.localize(SPRINKLER).sensitivity("rain", "much", threshold=0.9)
    assert "it stays below 0.9" in repr(other)


def test_where_the_evidence_becomes_impossible_there_is_no_answer():
    found = dc.localize(SPRINKLER).sensitivity("rain", "none", {"wet": "wet", "sprinkler": 1, "cloudy": False})
    dead = [row for row in found if math.isnan(row.at(0)) or math.isnan(row.at(1))]
    assert all("–" in line for line in repr(found).splitlines()[2 : 2 + len(found)] if any(row.title in line for row in dead))
    with pytest.raises(ValueError, match=r"1\.5 is not between 0 and 1"):
        found[0].at(1.5)


def test_wrong_questions_are_refused():
    model = dc.localize(dc.load_network("asia"))
    with pytest.raises(dc.UnknownStateError, match="did you mean 'yes'"):
        model.sensitivity("lung", "yess")
    with pytest.raises(ValueError, match="'lung' is observed"):
        model.sensitivity("lung", "yes", {"lung": "no"})
    with pytest.raises(ValueError, match="the threshold is 1; it must be between 0 and 1"):
        model.sensitivity("lung", "yes", threshold=1)
    with pytest.raises(ValueError, match="the threshold is 'half'"):
        model.sensitivity("lung", "yes", threshold="half")
    with pytest.raises(dc.TooLargeError, match="derivatives with respect to 32 parameters"):
        model.sensitivity("lung", "yes", {"dysp": "yes"}, max_bytes=6_000)
    with pytest.raises(ValueError, match="'lacA' has no states: the model is Gaussian"):
        dc.localize(dc.load_network("ecoli70")).sensitivity("lacA", "high")
    with pytest.raises(dc.ImpossibleEvidenceError):
        model.sensitivity("lung", "yes", {"either": "no", "tub": "yes"})


def test_a_number_stands_for_its_interval():
    age = [dc.Interval(0, 40), dc.Interval(40, 99)]
    network = dc.BayesianNetwork.discrete(
        [("age", "ill")], {"age": [0.6, 0.4], "ill": [[0.9, 0.1], [0.5, 0.5]]}, {"age": age, "ill": ["no", "yes"]}
    )
    model = dc.localize(network)
    found = model.sensitivity("age", 62.5, {"ill": "yes"})
    assert found.state == age[1]
    assert "P(age = (0, 40])" in {row.title for row in found}
    assert model.influences("ill", {"age": 30})[0].title == "age = (0, 40]"
    assert [row.value for row in model.effect("age", "ill")] == age


def test_rows_are_made_when_they_are_read():
    """There are very many parameters in barley."""
    model = dc.localize(dc.load_network("barley"))
    found = model.sensitivity("udb", model.states["udb"][0])
    assert len(found) > 50_000
    assert found[-1] == found.rows[len(found) - 1] == found.rows[-1:][0]
    again = pickle.loads(pickle.dumps(found))
    assert again[0] == found[0]
    assert repr(again) == repr(found)
