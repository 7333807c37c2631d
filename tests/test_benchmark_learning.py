import json

import numpy as np
import pytest

import dconvex as dc
from benchmarks import learning, streaming
from benchmarks.streaming import Streamed

ROWS = 2_000

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning:pgmpy"),
    pytest.mark.filterwarnings("ignore:the data does not determine"),
]


def results(case):
    """What the contenders come to; raises if one of them disagrees."""
    return [case.describe(work()) for work in case.contenders.values()]


@pytest.mark.parametrize("kind", learning.KINDS)
def test_peers_learn_the_same_tables(kind):
    network = dc.load_network("asia")
    frame = learning.KINDS[kind](network.sample(ROWS, seed=1))
    assert results(learning.fitting(kind, network, frame, turns=1))[:3] == ["the same"] * 3


def test_a_table_that_differs_is_noticed():
    network = dc.load_network("asia")
    one, other = (dc.fit(network, network.sample(ROWS, seed=seed)).network for seed in (1, 2))
    compare = learning.compared_with(one(), learning.table_difference)
    assert compare(one) == "the same"
    with pytest.raises(ValueError, match="disagrees by 0"):
        compare(other)


def test_the_kernel_counts_what_numpy_counts():
    assert results(learning.counting("asia", dc.load_network("asia"), ROWS)) == ["the same"] * 4


@pytest.mark.parametrize("threads", [1, 2])
def test_clusters_learn_what_the_network_learns(threads):
    found = results(learning.decomposed("child", ROWS, threads))
    assert found == ["27 families", "20 families", "34 families", "20 families"][: 2 + threads]


def test_peers_learn_the_same_regressions():
    assert len(results(learning.gaussian("ecoli70", ROWS))) == 5


def test_streaming_learns_the_same_in_all_ways(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "FEW", 100)
    monkeypatch.setattr(streaming, "BATCH", 1_500)
    streaming.make(tmp_path, 4_000)
    assert len(list((tmp_path / "all").iterdir())) == 3
    found = [streaming.measured(way, tmp_path, "all") for way in streaming.WAYS]
    streaming.check_same(found, 4_000)
    assert sum(one.fingerprint is None for one in found) == 1
    frame = streaming.in_memory(tmp_path / "all")
    assert frame.shape == (4_000, 37)
    assert frame["CVP"].iloc[:1_500].tolist() == dc.load_network("alarm").sample(1_500, seed=0)["CVP"].tolist()
    assert (frame.dtypes == "category").all()
    assert (frame.memory_usage(index=False) < 4_500).all()


def test_streaming_notices_what_differs():
    def streamed(rows, fingerprint):
        return Streamed("way", rows, 1.0, 1, 0, 3, fingerprint)

    streaming.check_same([streamed(5, 1.0), streamed(5, None)], 5)
    with pytest.raises(ValueError, match="saw 4 of 5 rows"):
        streaming.check_same([streamed(4, 1.0)], 5)
    with pytest.raises(ValueError, match="disagree"):
        streaming.check_same([streamed(5, 1.0), streamed(5, 1.1)], 5)


def test_streaming_needs_room(tmp_path):
    with pytest.raises(OSError, match="GB left, and"):
        streaming.check_room(tmp_path, 10**15)


def test_streaming_writes_a_record_and_prints_a_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(streaming, "made_in", lambda folder, rows: {"rows": rows, "files": 2, "megabytes": 14, "seconds": 1.0})
    monkeypatch.setattr(
        streaming, "in_own_process", lambda way, folder: Streamed(way, streaming.QUICK_ROWS, 0.5, 250, 70, 400, np.pi)
    )
    streaming.run(quick=True, folder=tmp_path)
    record = json.loads((tmp_path / "streaming.json").read_text())
    assert [one["way"] for one in record["ways"]] == list(streaming.WAYS)
    assert (record["ways"][0]["beyond"], record["ways"][0]["rate"]) == (80, 4_000_000)
    assert "80 MB" in capsys.readouterr().out
