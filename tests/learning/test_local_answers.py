"""What a locally learned model answers: P(Q | E) in the network on the kept clusters, by brute force."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from inference.brute_force import BruteForce
from learning.oracles import estimated, pruned
from learning.samples import samples

import dconvex as dc

KINDS = ["hard", "set", "soft", "soft array", "set and soft"]


@dataclass(frozen=True)
class Asked:
    """A model, its data, and a question that a row of the data makes possible in every cluster."""

    model: dc.LocalModel
    rows: pd.DataFrame
    variables: list
    evidence: dict
    soft: dict
    pseudo: object = None

    @property
    def given(self):
        return {"evidence": self.evidence, "soft": self.soft}

    def oracle(self, *variables):
        network = pruned(self.model, self.rows, {*variables, *self.evidence, *self.soft}, self.pseudo)
        return BruteForce(network, self.evidence, self.soft)


@st.composite
def asked(draw, *, coherent=False, possible=True, soft=True, **options):
    sample = draw(samples(min_nodes=2, max_nodes=8, **options))
    size = draw(st.sampled_from([None, None, 1.0]))
    tree = dc.decompose(sample.dag, separators=draw(st.sampled_from(["minimal", "any", "complete"])))
    prior = None if size is None else dc.BDeu(size)
    model = dc.fit(sample.dag, sample.rows, states=sample.states, tree=tree, prior=prior, coherent=coherent, n_jobs=1)
    subset = st.lists(st.sampled_from(sample.dag.nodes), unique=True, max_size=4)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    row = {v: labels[rng.integers(len(labels))] for v, labels in sample.states.items()}
    if possible:
        row = sample.rows.iloc[rng.integers(len(sample.rows))].to_dict()
    evidence, likely = {}, {}
    for v in draw(subset):
        kind, labels = draw(st.sampled_from(KINDS if soft else KINDS[:2])), sample.states[v]
        if kind == "hard":
            evidence[v] = row[v]
        if "set" in kind:
            evidence[v] = {row[v], *(label for label in labels if rng.random() < 0.4)}
        if "soft" in kind:
            vector = np.where(rng.random(len(labels)) < 0.3, 0.0, rng.exponential(size=len(labels)))
            vector[labels.index(row[v])] = 1.0
            likely[v] = vector if kind == "soft array" else dict(zip(labels, vector.tolist(), strict=True))
    pseudo = None if size is None else lambda cells: size / cells
    return Asked(model, sample.rows, draw(subset), evidence, likely, pseudo)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13)


@given(asked())
def test_a_query_is_answered_by_the_kept_clusters(question):
    oracle = question.oracle(*question.variables)
    found = question.model.query(question.variables, **question.given)
    assert found.variables == tuple(question.variables)
    close(found.values, oracle.query(question.variables))


@given(asked(possible=False))
def test_impossible_evidence_is_noticed_where_the_oracle_does(question):
    oracle = question.oracle(*question.variables)
    if oracle.mass > 0:
        close(question.model.query(question.variables, **question.given).values, oracle.query(question.variables))
    else:
        with pytest.raises(dc.ImpossibleEvidenceError):
            question.model.query(question.variables, **question.given)


@given(asked())
def test_marginals_are_single_queries(question):
    found = question.model.marginals(**question.given)
    assert list(found) == list(question.model.dag.nodes)
    for v in question.model.dag.nodes:
        close(found[v].values, question.oracle(v).query([v]))
        close(found[v].values, question.model.query(v, **question.given).values)


@given(asked(possible=False))
def test_the_probability_of_evidence_is_that_of_its_own_clusters(question):
    oracle = question.oracle()
    found = question.model.log_evidence(**question.given)
    assert found == pytest.approx(oracle.log_evidence, rel=1e-9, abs=1e-12)


@given(asked(missing=False), st.data())
def test_predictions_are_single_queries(question, data):
    model, rows = question.model, question.rows
    targets = question.variables[:2] or [model.dag.nodes[0]]
    observed = [v for v in model.dag.nodes if v not in targets]
    observed = data.draw(st.lists(st.sampled_from(observed), unique=True)) if observed else []
    seen = rows[observed].head(12)
    seen = seen.where(np.random.default_rng(len(rows)).random(seen.shape) > 0.2, None)
    found = model.predict_proba(seen, targets) if observed else {}
    for target in found:
        for place, row in enumerate(seen.to_dict("records")):
            evidence = {v: value for v, value in row.items() if value is not None}
            close(found[target][place], model.query(target, evidence).values)


@given(asked(soft=False), st.data())
def test_the_most_probable_of_some_variables(question, data):
    free = [v for v in question.variables if v not in question.evidence and v not in question.soft]
    oracle = question.oracle(*free)
    found, log_probability = question.model.most_probable(free, **question.given)
    assert set(found) == set(free)
    assert math.exp(log_probability) == pytest.approx(oracle.most_probable(free), rel=1e-9)
    assert oracle.probability(found) == pytest.approx(oracle.most_probable(free), rel=1e-9)


@given(asked())
def test_the_most_probable_of_all_uses_the_network(question):
    oracle = BruteForce(question.model.network(), question.evidence, question.soft)
    free = [v for v in question.model.dag.nodes if v not in question.evidence]
    found, log_probability = question.model.most_probable(**question.given)
    assert set(free) <= {*found, *question.soft}
    assert oracle.probability(found) == pytest.approx(oracle.most_probable(list(found)), rel=1e-9)
    assert math.exp(log_probability) == pytest.approx(oracle.most_probable(list(found)), rel=1e-9)


@given(asked())
def test_likelihoods_use_the_network(question):
    network = estimated(question.model.dag, question.rows, question.model.states, question.pseudo)
    close(question.model.log_likelihood(question.rows), network.log_likelihood(question.rows))


# --- coherent models are one distribution


@given(asked(coherent=True))
def test_coherent_answers_are_marginals_of_the_global_estimate(question):
    network = estimated(question.model.dag, question.rows, question.model.states, question.pseudo)
    oracle = BruteForce(network, question.evidence, question.soft)
    close(question.model.query(question.variables, **question.given).values, oracle.query(question.variables))
    assert question.model.log_evidence(**question.given) == pytest.approx(oracle.log_evidence, rel=1e-9, abs=1e-12)
    for v, found in question.model.marginals(**question.given).items():
        close(found.values, oracle.query([v]))


# --- sampling, and a question that meets two clusters


THEORY = dc.Dag([("c", "b"), ("a", "b"), ("a", "d"), ("b", "d")])
FIVE = pd.DataFrame([(0, 0, 0), (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 1, 1)], columns=["a", "b", "c"]).assign(d=[0, 1, 0, 1, 1])


def test_samples_come_from_the_network():
    """P(b=1 | a=1) is 2/5 in the network, 1/2 in the cluster of a, b and d."""
    rows = dc.fit(THEORY, FIVE).sample(20_000, {"a": 1}, seed=0)
    assert (rows["b"] == 1).mean() == pytest.approx(2 / 5, abs=0.02)


def test_sampling_as_a_method_estimates_the_local_answer():
    found = dc.fit(THEORY, FIVE).query(["b", "d"], {"a": 1}, method="sampling", samples=20_000, seed=0)
    assert found.values.sum(axis=1)[1] == pytest.approx(1 / 2, abs=0.02)


def test_the_plan_shows_the_kept_clusters():
    model = dc.fit(THEORY, FIVE)
    plan = str(model.explain(["b", "d"], {"a": 1}))
    assert "1" in plan
    assert "c" not in model.tree.pruned_to(["a", "b", "d"]).variables


@given(asked())
def test_the_plan_names_the_clusters_that_answer(question):
    plan = question.model.explain(question.variables, **question.given)
    tree = question.model.tree
    told = [*question.variables, *question.evidence, *question.soft]
    assume(told)
    kept = tree.pruned_to(told)
    assert {tree.clusters[place] for place in plan.kept} == set(kept.clusters)
    assert set(plan.variables_kept) <= kept.variables


def test_an_intervention_uses_the_network():
    model = dc.fit(THEORY, FIVE)
    exact = dc.localize(model.network().do({"a": 1})).query(["b", "d"]).values
    np.testing.assert_allclose(model.do({"a": 1}).query(["b", "d"]).values, exact, rtol=1e-12)


def test_several_threads_may_ask_at_once():
    from concurrent.futures import ThreadPoolExecutor

    network = dc.load_network("insurance")
    model = dc.fit(network, network.sample(300, seed=0), states=network.states)
    pairs = [(one, other) for one in network.dag.nodes[:12] for other in network.dag.nodes[12:20]]
    alone = [model.query(pair).values for pair in pairs]
    fresh = dc.fit(network, network.sample(300, seed=0), states=network.states)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda pair: fresh.query(pair).values, pairs))
    assert all(np.array_equal(one, other) for one, other in zip(alone, together, strict=True))
