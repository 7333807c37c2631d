"""`Graph.decompose`: the result by index, its arguments, and Ctrl-C. That trees are right, tests/graph shows."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys

import numpy as np
import pytest
from graph.families import drawn, every, grown

import dconvex as dc
from dconvex._core import Graph, Ragged

MODES = ("minimal", "any", "complete", "all")
REFINEMENTS = ("none", "bounded", "full")


def as_lists(ragged):
    return [ragged[index].tolist() for index in range(len(ragged))]


def decomposed(edges, separators="minimal", refinement="full", effort=100_000):
    return dc.Dag(edges).graph.decompose(separators, refinement, effort)


def test_chain():
    found = decomposed([(0, 1), (1, 2), (2, 3)])
    assert as_lists(found.clusters) == [[0, 1], [1, 2], [2, 3]]
    assert found.edges.tolist() == [[0, 1], [1, 2]]
    assert as_lists(found.separators) == [[1], [2]]
    assert found.undecided.tolist() == []
    assert found.is_certified is True


def test_no_nodes():
    for separators, refinement in itertools.product(MODES, REFINEMENTS):
        found = Graph(Ragged.from_lists([])).decompose(separators, refinement, None)
        assert len(found.clusters) == len(found.separators) == 0
        assert found.edges.shape == (0, 2)
        assert found.is_certified == (refinement != "none" or separators == "all")


def test_without_refinement_nothing_is_decided():
    found = decomposed([(0, 1), (1, 2)], refinement="none")
    assert found.undecided.tolist() == [0, 1]
    assert not found.is_certified
    assert decomposed([(0, 1), (1, 2)], "all", refinement="none").is_certified


def test_components_are_joined_to_the_first():
    found = decomposed([(0, 1), (2, 3), (4, 5), (6, 7)])
    assert as_lists(found.clusters) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert found.edges.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert as_lists(found.separators) == [[], [], []]


@pytest.mark.parametrize("family", [every(4), drawn(91, 40), grown(92, 40)])
def test_arrays_are_in_canonical_order_and_agree(family):
    for known in family():
        for separators, refinement in itertools.product(MODES, REFINEMENTS):
            found = known.dag.graph.decompose(separators, refinement, 50)
            clusters, edges = as_lists(found.clusters), found.edges.tolist()
            assert clusters == sorted(map(sorted, clusters))
            assert edges == sorted(map(sorted, edges))
            assert len(edges) == len(clusters) - 1
            assert as_lists(found.separators) == [sorted({*clusters[a]} & {*clusters[b]}) for a, b in edges]
            assert found.undecided.tolist() == sorted({*found.undecided.tolist()})


def test_effort():
    dag = dc.load_network("hailfinder").dag
    assert not dag.graph.decompose("minimal", "full", 0).is_certified
    results = [dag.graph.decompose("minimal", "full", effort) for effort in (100_000, None, 2**62)]
    assert all(found.is_certified for found in results)
    assert all(found.clusters == results[0].clusters for found in results)


def test_a_bounded_refinement_gives_up_what_takes_longer_than_algorithm_2():
    for name, is_certified in [("alarm", True), ("hailfinder", True), ("diabetes", False)]:
        dag = dc.load_network(name).dag
        plain, bounded, full = (dag.graph.decompose("minimal", refinement, None) for refinement in REFINEMENTS)
        assert bounded.is_certified == is_certified == (len(bounded.undecided) == 0)
        assert len(plain.clusters) <= len(bounded.clusters) <= len(full.clusters)
        if is_certified:
            assert bounded.clusters == full.clusters


def test_arrays_are_read_only_and_outlive_the_result():
    found = decomposed([(0, 1), (1, 2)])
    edges, members, undecided = found.edges, found.clusters.values, found.undecided
    del found
    assert (edges.tolist(), members.tolist(), undecided.tolist()) == ([[0, 1]], [0, 1, 1, 2], [])
    for array in (edges, members):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("every", "full", 1), ValueError),
        (("minimal", "full", -1), ValueError),
        (("minimal", "full", 1.5), TypeError),
        (("minimal", "full", 2**70), TypeError),
        ((None, "full", 1), TypeError),
        (("minimal", "yes", 1), ValueError),
        (("minimal", True, 1), TypeError),
        (("minimal",), TypeError),
    ],
)
def test_wrong_arguments(arguments, error):
    with pytest.raises(error):
        dc.Dag([(0, 1)]).graph.decompose(*arguments)


def test_a_hub_of_many_blocks_takes_linear_time():
    """Each of the blocks at the hub costs its own size, not the number of neighbours of the hub."""
    edges = [edge for a in range(1, 40_000, 3) for edge in [(0, a), (a, a + 1), (a + 1, a + 2), (0, a + 2)]]
    found = decomposed(edges)
    assert len(found.clusters) > 13_000
    assert found.is_certified


# --- Ctrl-C


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
import dconvex as dc

{setup}
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
timer = threading.Timer(0.3, interrupt)
timer.start()
try:
    {work}
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
else:
    print("not interrupted" if sent else "too short")
assert len(dc.decompose([("a", "b"), ("b", "c")])) == 2  # everything is usable after it
"""


@pytest.mark.parametrize(
    ("setup", "work"),
    [
        ("dag = dc.load_network('link').dag", "dc.decompose(dag, effort=100_000_000)"),
        ("dag = dc.load_network('link').dag", "dc.decompose(dag, separators='any', effort=100_000_000)"),
        ("dag = dc.random_dag(60_000, 90_000, seed=1)", "dc.decompose(dag, refine=False)"),
        (
            "dag = dc.random_dag(60_000, 120_000, seed=1); tree = dc.ClusterTree([range(60_000)])",
            "dc.check_tree(dag, tree, irreducible=True)",
        ),
        ("dag = dc.random_dag(100_000, 150_000, seed=1)", "dc.convex_hull(dag, range(0, 100_000, 2))"),
    ],
)
def test_ctrl_c_is_heard(setup, work):
    """How soon is measured by `python -m benchmarks interrupts`; the work would take much longer."""
    script = INTERRUPTED.format(setup=setup, work=work)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) >= 0  # or it says what else happened


def test_the_main_thread_hears_a_signal_while_another_decomposes():
    script = """
import os, signal, threading, time
import dconvex as dc
dag = dc.load_network("link").dag
worker = threading.Thread(target=lambda: dc.decompose(dag, effort=100_000_000), daemon=True)
worker.start()
threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
begun = time.monotonic()
try:
    worker.join()
except KeyboardInterrupt:
    print(time.monotonic() - begun, flush=True)
    os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, -signal.SIGINT), done.stderr
    assert float(done.stdout) < 1.0


def test_the_seam_takes_other_integer_arrays_too():
    graph = dc.Dag([(0, 1), (1, 2)]).graph
    assert graph.ancestors(np.array([1], np.int64)).tolist() == [0, 1]
