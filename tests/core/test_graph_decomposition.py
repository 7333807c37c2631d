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


def as_lists(ragged):
    return [ragged[index].tolist() for index in range(len(ragged))]


def decomposed(edges, separators="minimal", refine=True, effort=100_000):
    return dc.Dag(edges).graph.decompose(separators, refine, effort)


def test_chain():
    found = decomposed([(0, 1), (1, 2), (2, 3)])
    assert as_lists(found.clusters) == [[0, 1], [1, 2], [2, 3]]
    assert found.edges.tolist() == [[0, 1], [1, 2]]
    assert as_lists(found.separators) == [[1], [2]]
    assert found.undecided.tolist() == []
    assert found.is_certified is True


def test_no_nodes():
    for separators, refine in itertools.product(MODES, [True, False]):
        found = Graph(Ragged.from_lists([])).decompose(separators, refine, None)
        assert len(found.clusters) == len(found.separators) == 0
        assert found.edges.shape == (0, 2)
        assert found.is_certified == (refine or separators == "all")


def test_without_refinement_nothing_is_decided():
    found = decomposed([(0, 1), (1, 2)], refine=False)
    assert found.undecided.tolist() == [0, 1]
    assert not found.is_certified
    assert decomposed([(0, 1), (1, 2)], "all", refine=False).is_certified


def test_components_are_joined_to_the_first():
    found = decomposed([(0, 1), (2, 3), (4, 5), (6, 7)])
    assert as_lists(found.clusters) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert found.edges.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert as_lists(found.separators) == [[], [], []]


@pytest.mark.parametrize("family", [every(4), drawn(91, 40), grown(92, 40)])
def test_arrays_are_in_canonical_order_and_agree(family):
    for known in family():
        for separators, refine in itertools.product(MODES, [True, False]):
            found = known.dag.graph.decompose(separators, refine, 50)
            clusters, edges = as_lists(found.clusters), found.edges.tolist()
            assert clusters == sorted(map(sorted, clusters))
            assert edges == sorted(map(sorted, edges))
            assert len(edges) == len(clusters) - 1
            assert as_lists(found.separators) == [sorted({*clusters[a]} & {*clusters[b]}) for a, b in edges]
            assert found.undecided.tolist() == sorted({*found.undecided.tolist()})


def test_effort():
    dag = dc.load_network("hailfinder").dag
    assert not dag.graph.decompose("minimal", True, 0).is_certified
    results = [dag.graph.decompose("minimal", True, effort) for effort in (100_000, None, 2**62)]
    assert all(found.is_certified for found in results)
    assert all(found.clusters == results[0].clusters for found in results)


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
        (("every", True, 1), ValueError),
        (("minimal", True, -1), ValueError),
        (("minimal", True, 1.5), TypeError),
        (("minimal", True, 2**70), TypeError),
        ((None, True, 1), TypeError),
        (("minimal", "yes", 1), TypeError),
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
