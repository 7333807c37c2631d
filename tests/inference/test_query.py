"""Joint and marginal posteriors: brute force, the laws of probability, and what a distribution can be asked."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference.brute_force import BruteForce
from inference.models import CONVEX_MODES, SPRINKLER, chain, close, diamonds, in_pieces
from inference.questions import Question, questions, small_networks
from strategies import discrete_networks

import dconvex as dc


def model():
    return dc.localize(SPRINKLER)


# --- against brute force


@given(questions())
def test_posteriors_are_those_of_brute_force(question: Question):
    found = dc.localize(question.network).query(question.variables, **question.given)
    assert found.variables == question.variables
    assert found.states == {v: question.network.states[v] for v in question.variables}
    close(found.values, question.oracle().query(question.variables))


@given(questions(max_variables=12, kinds=("hard",)))
def test_large_joints_are_those_of_brute_force(question: Question):
    close(
        dc.localize(question.network).query(question.variables, **question.given).values,
        question.oracle().query(question.variables),
    )


@given(small_networks, st.data())
def test_a_model_answers_many_questions_after_one_another(network, data):
    local = dc.localize(network)
    for _ in range(4):
        question = data.draw(questions(st.just(network)))
        close(local.query(question.variables, **question.given).values, question.oracle().query(question.variables))


@pytest.mark.parametrize("seed", range(6))
def test_larger_tables_and_many_clusters(seed):
    network = dc.random_network(dc.random_dag(9, 11, max_parents=3, seed=seed), 4, seed=seed)
    oracle, local = BruteForce(network), dc.localize(network)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        variables = rng.permutation(network.dag.nodes)[: rng.integers(1, 5)].tolist()
        close(local.query(variables).values, oracle.query(variables))


# --- the laws of probability


@given(questions(max_variables=6))
def test_a_distribution_sums_to_one_and_has_no_negative_entry(question: Question):
    values = dc.localize(question.network).query(question.variables, **question.given).values
    assert values.sum() == pytest.approx(1.0, abs=1e-12)
    assert (values >= 0).all()


@given(questions(min_variables=2))
def test_a_joint_sums_to_its_marginals(question: Question):
    local = dc.localize(question.network)
    whole = local.query(question.variables, **question.given).values
    for axis in range(len(question.variables)):
        rest = [variable for place, variable in enumerate(question.variables) if place != axis]
        close(whole.sum(axis=axis), local.query(rest, **question.given).values)


@given(questions(min_variables=2, max_variables=2, apart=True))
def test_the_chain_rule(question: Question):
    """P(x, y | e) = P(x | e) P(y | x, e)."""
    if len(question.variables) < 2:
        return
    local = dc.localize(question.network)
    first, second = question.variables
    whole = local.query(question.variables, **question.given).values
    for code, label in enumerate(question.network.states[first]):
        own = local.query(first, **question.given)[label]
        if own > 0:
            further = {**question.evidence, first: label}
            close(whole[code], own * local.query(second, further, soft=question.soft).values)


@given(questions(), st.randoms(use_true_random=False))
def test_the_order_asked_only_turns_the_axes(question: Question, random):
    local = dc.localize(question.network)
    order = random.sample(range(len(question.variables)), len(question.variables))
    turned = local.query([question.variables[place] for place in order], **question.given)
    close(turned.values, local.query(question.variables, **question.given).values.transpose(order))


@given(questions())
def test_the_pruned_answer_is_that_of_one_cluster_with_everything(question: Question):
    if len(question.network):
        whole = dc.localize(question.network, tree=dc.ClusterTree([question.network.dag.nodes]))
        close(
            dc.localize(question.network).query(question.variables, **question.given).values,
            whole.query(question.variables, **question.given).values,
        )


@given(questions())
@pytest.mark.parametrize("mode", CONVEX_MODES)
@pytest.mark.parametrize("refine", [True, False])
def test_every_convex_mode_gives_the_same_answer(mode, refine, question: Question):
    local = dc.localize(question.network, tree=dc.decompose(question.network, separators=mode, refine=refine))
    close(local.query(question.variables, **question.given).values, question.oracle().query(question.variables))


@given(questions(apart=True), st.randoms(use_true_random=False))
def test_evidence_that_is_d_separated_changes_nothing(question: Question, random):
    local = dc.localize(question.network)
    before = local.query(question.variables, question.hard)
    for variable in question.network.dag.nodes:
        told = [*question.hard, *question.variables]
        if variable not in told and dc.d_separated(question.network.dag, variable, question.variables, question.hard):
            label = random.choice(question.network.states[variable])
            after = {**question.hard, variable: label}
            if BruteForce(question.network, after).mass > 0:
                close(local.query(question.variables, after).values, before.values)


# --- names, and the forms of a question


def test_a_single_name_stands_for_itself():
    assert model().query("rain").variables == ("rain",)
    close(model().query("rain").values, model().query(["rain"]).values)


@pytest.mark.parametrize("name", [3, np.int64(3)])
def test_integer_names(name):
    local = dc.localize(chain(5))
    assert local.query(name).variables == (3,)
    close(local.query((name, 0)).values, BruteForce(chain(5)).query([3, 0]))


@pytest.mark.parametrize("form", [list, tuple, iter, dict.fromkeys, np.array, pd.Index])
def test_variables_may_be_any_iterable(form):
    assert model().query(form(["wet", "rain"])).variables == ("wet", "rain")


def test_the_empty_question_has_one_answer():
    for evidence in ({}, {"wet": "wet"}):
        nothing = model().query([], evidence)
        assert nothing.variables == ()
        assert nothing.values.shape == ()
        assert float(nothing.values) == pytest.approx(1.0)


def test_the_empty_network_has_one_answer():
    local = dc.localize(dc.BayesianNetwork.discrete([], {}, {}))
    assert float(local.query([]).values) == 1.0
    assert local.marginals() == {}
    assert local.log_evidence() == 0.0


def test_a_repeated_variable_is_named():
    with pytest.raises(ValueError, match="'rain'"):
        model().query(["rain", "wet", "rain"])


@pytest.mark.parametrize("variables", ["rian", ["wet", "rian"]])
def test_an_unknown_variable_has_a_near_match(variables):
    with pytest.raises(dc.UnknownVariableError, match="unknown variable 'rian'; did you mean 'rain'"):
        model().query(variables)


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="magic"):
        model().query("rain", method="magic")


def test_a_variable_asked_and_observed_has_a_one():
    found = model().query(["rain", "wet"], {"wet": "wet"})
    assert found.states["wet"] == ("dry", "wet")
    assert (found.values[:, 0] == 0).all()
    close(found.values[:, 1], model().query("rain", {"wet": "wet"}).values)
    assert model().query("wet", {"wet": "wet"}).values.tolist() == [0.0, 1.0]


# --- what a distribution can be asked


def test_entries_by_label():
    local = model()
    single, both = local.query("rain"), local.query(["wet", "sprinkler"])
    assert [single[label] for label in ("none", "some", "much")] == single.values.tolist()
    assert both["wet", 1] == both.values[1, 1]
    assert both["dry", 2] == both.values[0, 0]


def test_entries_by_a_label_that_is_not_there():
    with pytest.raises(dc.UnknownStateError, match="unknown state 'mch' of 'rain'; did you mean 'much'"):
        model().query("rain")["mch"]
    with pytest.raises(dc.UnknownStateError, match="unknown state 3 of 'sprinkler'"):
        model().query(["rain", "sprinkler"])["much", 3]


def test_as_a_series():
    found = model().query(["rain", "sprinkler"], {"wet": "wet"})
    series = found.to_series()
    assert list(series.index.names) == ["rain", "sprinkler"]
    assert series.index.tolist() == [(r, s) for r in ("none", "some", "much") for s in (2, 1)]
    assert series.tolist() == found.values.reshape(-1).tolist()
    single = model().query("rain").to_series()
    assert single.index.tolist() == ["none", "some", "much"]
    assert single["much"] == model().query("rain")["much"]


def test_nothing_as_a_frame():
    found = model().query([])
    assert found.to_frame()["probability"].tolist() == found.to_series().tolist() == [1.0]


def test_as_a_frame():
    found = model().query(["rain", "sprinkler"])
    frame = found.to_frame()
    assert list(frame.columns)[:2] == ["rain", "sprinkler"]
    assert frame["sprinkler"].tolist() == [2, 1] * 3
    assert frame.iloc[:, -1].tolist() == found.values.reshape(-1).tolist()


@given(discrete_networks(min_nodes=1, max_nodes=4), st.data())
def test_any_names_and_labels_make_a_series_and_a_frame(network, data):
    variables = data.draw(st.lists(st.sampled_from(network.dag.nodes), min_size=1, max_size=2, unique=True))
    found = dc.localize(network).query(variables)
    series, frame = found.to_series(), found.to_frame()
    assert series.tolist() == frame.iloc[:, -1].tolist() == found.values.reshape(-1).tolist()
    cells = list(itertools.product(*(network.states[variable] for variable in variables)))
    rows = list(zip(*(frame.iloc[:, place].tolist() for place in range(len(variables))), strict=True))
    labels = series.index.tolist() if len(variables) > 1 else [(label,) for label in series.index.tolist()]
    for told in (rows, labels):
        assert told == cells
        assert [list(map(type, row)) for row in told] == [list(map(type, cell)) for cell in cells]


def test_a_variable_may_be_called_probability():
    network = dc.random_network([("probability", "standard error")], 3, seed=0)
    for method in ("exact", "sampling"):
        found = dc.localize(network).query(["standard error", "probability"], method=method, seed=0)
        frame = found.to_frame()
        assert frame.iloc[:, 0].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
        assert frame.iloc[:, 1].tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2]
        assert frame.iloc[:, 2].tolist() == found.values.reshape(-1).tolist()


def test_an_exact_answer_has_no_standard_errors():
    assert model().query("rain").standard_errors is None


def test_a_distribution_prints_its_variables():
    assert "rain" in str(model().query(["rain", "wet"]))
    assert "rain" in repr(model().query("rain"))


# --- shapes of networks


@given(discrete_networks(max_nodes=5, max_states=3), discrete_networks(max_nodes=5, max_states=3), st.data())
def test_networks_in_pieces_multiply(one, other, data):
    """Two networks side by side: a question across them is the product of its two halves."""
    networks = {"left": one, "right": other}
    named = {(side, node): f"{side} {type(node).__name__} {node}" for side, net in networks.items() for node in net.dag.nodes}
    parents = {named[s, v]: [named[s, p] for p in net.dag.parents(v)] for s, net in networks.items() for v in net.dag.nodes}
    tables = {named[s, v]: net.family(v).values for s, net in networks.items() for v in net.dag.nodes}
    states = {named[s, v]: net.states[v] for s, net in networks.items() for v in net.dag.nodes}
    both = dc.localize(dc.BayesianNetwork.discrete(dc.Dag.from_parents(parents), tables, states))
    halves = [data.draw(questions(st.just(net), max_variables=2)) for net in networks.values()]
    variables = [named[s, v] for s, half in zip(networks, halves, strict=True) for v in half.variables]
    evidence = {named[s, v]: value for s, half in zip(networks, halves, strict=True) for v, value in half.evidence.items()}
    soft = {named[s, v]: value for s, half in zip(networks, halves, strict=True) for v, value in half.soft.items()}
    left, right = (half.oracle().query(half.variables) for half in halves)
    close(both.query(variables, evidence, soft=soft).values, np.multiply.outer(left, right))


def test_many_pieces():
    network = in_pieces(40)
    local = dc.localize(network)
    found = local.query(["b7", "a31", "b0"], {"b31": 1, "c0": 2})
    parts = [local.query("b7"), local.query("a31", {"b31": 1}), local.query("b0", {"c0": 2})]
    close(found.values, np.einsum("a,b,c->abc", *(part.values for part in parts)))


def test_the_ends_of_a_row_of_diamonds():
    network = diamonds(60, states=3, seed=2)
    exact = np.diag(network.family("n0").values)
    for k in range(60):
        assert network.family(f"n{k + 1}").parents == (f"l{k}", f"r{k}")
        left, right, bottom = (network.family(name).values for name in (f"l{k}", f"r{k}", f"n{k + 1}"))
        exact = exact @ np.einsum("tl,tr,lrb->tb", left, right, bottom)
    close(dc.localize(network).query(["n0", "n60"]).values, exact)
