"""Markov networks: every answer against the sum over all states."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dconvex as dc


@st.composite
def markov_networks(draw):
    """Sizes, scopes and tables, some of them with zeros."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    sizes = [int(size) for size in rng.integers(1, 4, draw(st.integers(1, 5)))]
    scopes, tables = [], []
    for _ in range(draw(st.integers(0, 6))):
        scope = tuple(int(v) for v in rng.permutation(len(sizes))[: rng.integers(0, 4)])
        table = rng.gamma(1, size=[sizes[v] for v in scope]) * 10.0 ** rng.integers(-3, 4)
        if rng.random() < 0.3:
            table = np.where(rng.random(table.shape) < 0.3, 0.0, table)
        scopes.append(scope)
        tables.append(table)
    return sizes, scopes, tables


def weights(sizes, scopes, tables, evidence) -> dict[tuple[int, ...], float]:
    """The product of all functions for each state that agrees with the evidence."""
    states = (s for s in itertools.product(*map(range, sizes)) if all(s[v] == x for v, x in evidence.items()))
    return {
        s: math.prod(float(table[tuple(s[v] for v in scope)]) for scope, table in zip(scopes, tables, strict=True))
        for s in states
    }


@given(markov_networks(), st.booleans())
def test_answers_are_those_of_brute_force(parts, is_observed):
    sizes, scopes, tables = parts
    evidence = {0: sizes[0] - 1} if is_observed else {}
    all_weights = weights(sizes, scopes, tables, evidence)
    total = sum(all_weights.values())
    network = dc.MarkovNetwork(sizes, scopes, tables)
    assume(total == 0 or total > 1e-200)
    found = network.log_partition(evidence)
    assert found == (pytest.approx(math.log(total), abs=1e-9) if total else -math.inf)
    if not total:
        with pytest.raises(dc.ImpossibleEvidenceError):
            network.marginals(evidence)
        return
    for variable, answer in network.marginals(evidence).items():
        expected = [sum(w for s, w in all_weights.items() if s[variable] == x) / total for x in range(sizes[variable])]
        assert answer.values == pytest.approx(expected, abs=1e-9)
    states, log_probability = network.most_probable(evidence)
    best = {**states, **evidence}
    assert log_probability == pytest.approx(math.log(max(all_weights.values()) / total), abs=1e-9)
    assert all_weights[tuple(best[v] for v in range(len(sizes)))] == pytest.approx(max(all_weights.values()), rel=1e-9)


def test_a_file_of_either_kind(tmp_path):
    asia = dc.load_network("asia")
    path = tmp_path / "asia.uai"
    dc.write(asia, path, rename=True)
    bayes = dc.read_markov(path)
    assert repr(bayes) == "MarkovNetwork(8 variables, 8 functions)"
    assert len(bayes) == 8
    assert bayes.log_partition() == pytest.approx(0, abs=1e-12)
    path.write_text(path.read_text().replace("BAYES", "MARKOV"))
    model = dc.localize(asia)
    found = dc.read_markov(path).marginals({asia.dag.nodes.index("smoke"): 0})
    for name, answer in model.marginals({"smoke": "yes"}).items():
        assert found[asia.dag.nodes.index(name)].values == pytest.approx(answer.values, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MARKOV 2 2 2 1 2 0 0 4 1 1 1 1", "a variable is twice in this scope"),
        ("MARKOV 1 2 1 1 0 2 1 -1", "has a value that is negative or not finite"),
        ("MARKOV 1 2 1 1 0 2 1 nan", "has a value that is negative or not finite"),
        ("MARKOV 1 2 1 1 0 3 1 1 1", "expected a table of 2 entries, found 3"),
    ],
)
def test_files_that_are_wrong(tmp_path, text, said):
    (tmp_path / "x.uai").write_text(text)
    with pytest.raises(dc.FormatError, match=said):
        dc.read_markov(tmp_path / "x.uai")


def test_tables_that_do_not_fit():
    with pytest.raises(dc.NetworkError, match=r"the function of \(0,\) has a table of shape \(3,\)"):
        dc.MarkovNetwork([2], [(0,)], [[1, 2, 3]])
    with pytest.raises(dc.NetworkError, match="negative or not finite"):
        dc.MarkovNetwork([2], [(0,)], [[1, -2]])
    with pytest.raises(dc.UnknownVariableError):
        dc.MarkovNetwork([2], [], []).log_partition({7: 0})
