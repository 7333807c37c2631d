"""Where a question takes long, many orders are tried: the same ones every time, and the answers stay what they are."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest
from inference.grid_sums import last_corner
from inference.models import close, grid, in_one_cluster

import dconvex as dc

SIDE = 15
CORNER = f"{SIDE - 1},{SIDE - 1}"
EVIDENCE = {"0,3": 1, "7,7": 0}
GRID = grid(SIDE, SIDE)
LONG = 20_000_000
"""Multiplications from which on orders are tried."""


@pytest.fixture
def wide():
    return in_one_cluster(GRID)


def test_answers_are_those_of_another_order(wide):
    expected = last_corner(GRID, SIDE, EVIDENCE)
    plan = wide.explain(CORNER, EVIDENCE)
    assert plan.multiplications > LONG / 4
    close(wide.query(CORNER, EVIDENCE).values, expected / expected.sum())
    assert wide.log_evidence(EVIDENCE) == pytest.approx(np.log(expected.sum()), rel=1e-12)
    close(wide.marginals(EVIDENCE)[CORNER].values, expected / expected.sum())


def test_the_most_probable_states_are_as_probable_as_it_says(wide):
    states, log_probability = wide.most_probable(evidence=EVIDENCE)
    whole = wide.log_evidence({**EVIDENCE, **states}) - wide.log_evidence(EVIDENCE)
    assert log_probability == pytest.approx(whole, rel=1e-9)
    for node in list(states)[::40]:
        other = {**EVIDENCE, **states, node: 1 - states[node]}
        assert wide.log_evidence(other) - wide.log_evidence(EVIDENCE) <= log_probability + 1e-9


def test_plans_are_the_same_every_time():
    network = dc.random_network(dc.random_dag(150, 260, max_parents=3, seed=5), states=2, seed=5)
    leaves = {node: 0 for node in network.dag.nodes if not network.dag.children(node)}
    root = next(node for node in network.dag.nodes if not network.dag.parents(node))
    found = []

    def plan() -> None:
        made = in_one_cluster(network).explain(root, leaves, max_bytes=float("inf"))
        found.append((made.order, made.multiplications))

    plan()
    in_one_cluster(GRID).explain(CORNER)  # planning something else in between changes nothing
    plan()
    other = Thread(target=plan)
    other.start()
    other.join()
    assert found[0] == found[1] == found[2]
    assert LONG / 4 < found[0][1] < 1e9
