"""The repository's networks, each with random questions, held against pyAgrum and pgmpy."""

from __future__ import annotations

import logging
import warnings

import numpy as np
import pytest

import dconvex as dc

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pyAgrum's binding and pgmpy's deprecations
    import pyagrum as gum
    from pgmpy.inference import VariableElimination

SMALL = ["asia", "cancer", "earthquake", "survey", "sachs", "child", "alarm", "insurance", "water", "mildew"]
SMALL += ["barley", "hailfinder", "hepar2", "win95pts", "pathfinder"]
LARGE = ["andes", "pigs", "munin1", "diabetes"]

logging.getLogger("pgmpy").setLevel(logging.ERROR)  # it tells of every label's type


def random_questions(network, count, seed):
    """Two targets, and evidence on a sixth of the variables at labels that occur together: hard, and soft on one more."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        row = network.sample(1, seed=rng).iloc[0]
        order = rng.permutation(network.dag.nodes).tolist()
        told = max(1, len(order) // 6)
        soft = {order[told]: rng.uniform(0.1, 1.0, len(network.states[order[told]]))} if number % 2 else {}
        yield order[-2:], {name: row[name] for name in order[:told]}, soft


def pyagrum_engine(network, evidence, soft):
    engine = gum.LazyPropagation(dc.to_pyagrum(network))
    for name, label in evidence.items():
        engine.addEvidence(name, network.states[name].index(label))
    for name, vector in soft.items():
        engine.addEvidence(name, vector.tolist())
    return engine


@pytest.mark.parametrize("name", SMALL + LARGE)
def test_joints_are_those_of_pyagrum(name):
    network = dc.load_network(name)
    local = dc.localize(network)
    for variables, evidence, soft in random_questions(network, 4, seed=1):
        engine = pyagrum_engine(network, evidence, soft)
        engine.addJointTarget(set(variables))
        theirs = engine.jointPosterior(set(variables))
        names = list(reversed(theirs.names))  # the axes of its array
        expected = theirs.toarray().transpose([names.index(variable) for variable in variables])
        np.testing.assert_allclose(local.query(variables, evidence, soft=soft).values, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", [*SMALL, "andes", "pigs"])
def test_marginals_and_the_probability_of_evidence_are_those_of_pyagrum(name):
    network = dc.load_network(name)
    local = dc.localize(network)
    for _, evidence, soft in random_questions(network, 2, seed=2):
        engine = pyagrum_engine(network, evidence, soft)
        engine.makeInference()
        found = local.marginals(evidence, soft=soft)
        for variable in network.dag.nodes:
            np.testing.assert_allclose(found[variable].values, engine.posterior(variable).toarray(), rtol=0, atol=1e-9)
        assert np.exp(local.log_evidence(evidence, soft=soft)) == pytest.approx(engine.evidenceProbability(), rel=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_joints_are_those_of_pgmpy(name):
    network = dc.load_network(name)
    local, engine = dc.localize(network), VariableElimination(dc.to_pgmpy(network))
    for variables, evidence, _ in random_questions(network, 3, seed=3):
        theirs = engine.query(variables, evidence=evidence, show_progress=False)
        expected = np.asarray(theirs.values).transpose([theirs.variables.index(variable) for variable in variables])
        np.testing.assert_allclose(local.query(variables, evidence).values, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ["asia", "sachs", "child", "alarm", "insurance"])
def test_the_most_probable_assignment_is_that_of_pgmpy(name):
    network = dc.load_network(name)
    local, engine = dc.localize(network), VariableElimination(dc.to_pgmpy(network))
    for variables, evidence, _ in random_questions(network, 2, seed=4):
        theirs = engine.map_query(variables, evidence=evidence, show_progress=False)
        ours, log_probability = local.most_probable(variables, evidence)
        posterior = local.query(variables, evidence)
        assert log_probability == pytest.approx(np.log(posterior[tuple(theirs[v] for v in variables)]), abs=1e-9)
        assert posterior[tuple(ours[v] for v in variables)] == pytest.approx(posterior.values.max(), rel=1e-9)
