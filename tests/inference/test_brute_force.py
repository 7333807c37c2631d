"""The oracle itself, held against enumeration row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from inference.brute_force import BruteForce, joint, likelihoods
from inference.questions import Question, questions
from network.enumeration import assignments, probability
from strategies import discrete_networks

import dconvex as dc

small_networks = discrete_networks(max_nodes=4, max_states=3)


@given(small_networks)
def test_the_joint_is_the_product_of_the_families(network):
    rows = [probability(network, row) for row in assignments(network)]
    np.testing.assert_allclose(joint(network).reshape(-1), rows, rtol=1e-12)


@given(questions(small_networks, possible=False))
def test_a_posterior_is_a_sum_over_rows(question: Question):
    network, states = question.network, question.network.states
    vectors = likelihoods(network, question.evidence, question.soft)
    total = np.zeros([len(states[variable]) for variable in question.variables])
    for row in assignments(network):
        weight = math.prod(vector[states[variable].index(row[variable])] for variable, vector in vectors.items())
        cell = tuple(states[variable].index(row[variable]) for variable in question.variables)
        total[cell] += probability(network, row) * weight
    oracle = BruteForce(network, question.evidence, question.soft)
    assert oracle.mass == pytest.approx(total.sum(), rel=1e-9, abs=0)
    if oracle.mass:
        np.testing.assert_allclose(oracle.query(question.variables), total / total.sum(), rtol=1e-9)
        assert oracle.most_probable(question.variables) == pytest.approx((total / total.sum()).max())


@given(questions(small_networks))
def test_drawn_questions_are_possible(question: Question):
    assert BruteForce(question.network, question.evidence, question.soft).mass > 0


def test_axes_stand_in_the_order_asked():
    network = dc.random_network([("a", "b"), ("b", "c")], {"a": 2, "b": 3, "c": 4}, seed=0)
    a, b, c = (network.family(name).values for name in "abc")
    np.testing.assert_allclose(BruteForce(network).query(["c", "a", "b"]), np.einsum("a,ab,bc->cab", a, b, c))
