"""Random questions for hypothesis: what is asked, and hard, set-valued and soft evidence on a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from inference.brute_force import BruteForce, joint
from strategies import discrete_networks

import dconvex as dc

LARGEST_JOINT = 30_000
"""Entries that the oracle may hold: enough for twelve variables, few enough for many examples."""

KINDS = ["hard", "hard", "set", "soft", "soft array", "set and soft"]


@dataclass(frozen=True)
class Question:
    """What is asked of a network; `variables` stand in the order asked."""

    network: dc.BayesianNetwork
    variables: tuple[Any, ...]
    evidence: Mapping[Any, Any]
    soft: Mapping[Any, Any]

    @property
    def given(self) -> dict[str, Mapping[Any, Any]]:
        """The evidence as keyword arguments of every question."""
        return {"evidence": self.evidence, "soft": self.soft}

    @property
    def hard(self) -> dict[Any, Any]:
        """The evidence of a single label, which alone blocks."""
        single = {v: value for v, value in self.evidence.items() if not isinstance(value, set | frozenset)}
        return single | {v: next(iter(value)) for v, value in self.evidence.items() if v not in single and len(value) == 1}

    def oracle(self) -> BruteForce:
        return BruteForce(self.network, self.evidence, self.soft)


def fits(network: dc.BayesianNetwork) -> bool:
    return int(np.prod([len(labels) for labels in network.states.values()], dtype=float)) <= LARGEST_JOINT


small_networks = (
    discrete_networks(max_nodes=12, max_states=2)
    | discrete_networks(max_nodes=8, max_states=3)
    | discrete_networks(max_nodes=6, min_states=1, max_states=5)
).filter(fits)
"""Up to twelve variables, one to five states, zeros and islands."""


@st.composite
def questions(
    draw: st.DrawFn,
    networks: SearchStrategy[dc.BayesianNetwork] = small_networks,
    *,
    min_variables: int = 0,
    max_variables: int = 4,
    kinds: tuple[str, ...] = tuple(KINDS),
    possible: bool = True,
    apart: bool = False,
    everywhere: bool = False,
) -> Question:
    """A question with evidence on any variables, of positive probability if `possible`.

    With `apart` no variable is both asked and given; with `everywhere` each is given.
    """
    network = draw(networks)
    nodes = list(network.dag.nodes)
    subset = st.lists(st.sampled_from(nodes), unique=True) if nodes else st.just([])
    kind = st.sampled_from(kinds)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    seen = (
        _possible_row(network, rng)
        if possible
        else {v: labels[rng.integers(len(labels))] for v, labels in network.states.items()}
    )
    evidence: dict[Any, Any] = {}
    soft: dict[Any, Any] = {}
    for variable in nodes if everywhere else draw(subset) if kinds else []:
        _give(draw(kind), variable, seen[variable], network.states[variable], rng, evidence, soft)
    free = [node for node in nodes if not apart or (node not in evidence and node not in soft)]
    sized = st.lists(st.sampled_from(free), min_size=min(min_variables, len(free)), max_size=max_variables, unique=True)
    return Question(network, tuple(draw(sized)) if free else (), evidence, soft)


def _possible_row(network: dc.BayesianNetwork, rng: np.random.Generator) -> dict[Any, Any]:
    """Labels of all variables that can occur together."""
    cells = np.argwhere(joint(network) > 0)
    cell = cells[rng.integers(len(cells))]
    return {v: labels[code] for (v, labels), code in zip(network.states.items(), cell, strict=True)}


def _give(
    kind: str, variable: Any, label: Any, labels: tuple[Any, ...], rng: np.random.Generator, evidence: dict, soft: dict
) -> None:
    """Evidence of this kind that allows `label`."""
    if kind == "hard":
        evidence[variable] = label
    if "set" in kind:
        evidence[variable] = {label} | {own for own in labels if rng.random() < 0.4}
    if "soft" in kind:
        vector = np.where(rng.random(len(labels)) < 0.3, 0.0, rng.exponential(size=len(labels)))
        vector[labels.index(label)] = rng.uniform(0.1, 10)
        soft[variable] = vector if kind == "soft array" else dict(zip(labels, vector.tolist(), strict=True))
