"""The benchmark of EM does what it says, on a small table."""

import numpy as np
import pytest

import dconvex as dc
from benchmarks import em


def test_passes_and_maxima_are_the_same_for_all_threads():
    network = dc.load_network("asia")
    frame = em.with_gaps(network, 60, 0.2)
    assert np.array_equal(em.passes(network, frame, 1, times=2)(), em.passes(network, frame, 2, times=2)())
    case = em.to_the_maximum("asia", network, frame)
    assert len({case.describe(work()) for work in case.contenders.values()}) == 1


def test_the_peer_does_a_share_of_the_work(tmp_path, monkeypatch):
    pytest.importorskip("pyagrum")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    network = dc.load_network("asia")
    case = em.one_pass("asia", network, em.with_gaps(network, 60, 0.2))
    assert case.share == {"pyAgrum": pytest.approx(em.PEER_ROWS * 3 / 60)}
    for work in case.contenders.values():
        work()
