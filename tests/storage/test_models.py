"""Saving models: what comes back is what was saved, only what is needed is read, and a crash loses nothing."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import dconvex as dc
from dconvex.inference.origin import NetworkOrigin
from dconvex.learning.fitting import DataOrigin
from dconvex.storage.file_origin import FileOrigin

ASIA = dc.load_network("asia")
ALARM = dc.load_network("alarm")
ROWS = ALARM.sample(2_000, seed=1)
ECOLI = dc.load_network("ecoli70")


def reopened(model, path, **options):
    model.save(path, **options)
    return dc.open_model(path)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.dcx"


def test_a_localized_model_answers_the_same(file):
    model = dc.localize(ALARM)
    again = reopened(model, file)
    assert again.network() == ALARM
    assert again.tree == model.tree
    assert again.states == model.states
    for evidence in ({}, {"BP": "LOW"}, {"CVP": {"LOW", "HIGH"}, "HRBP": "HIGH"}):
        for name, answer in model.marginals(evidence).items():
            np.testing.assert_array_equal(again.query(name, evidence).values, model.query(name, evidence).values)
            np.testing.assert_allclose(answer.values, again.query(name, evidence).values, atol=1e-12)


@pytest.mark.parametrize("coherent", [False, True])
def test_a_learned_model_answers_the_same(file, coherent):
    model = dc.fit(ALARM, ROWS, prior=dc.BDeu(5), coherent=coherent)
    again = reopened(model, file)
    assert again.coherent is coherent
    assert str(again.report()) == str(model.report())
    assert again.network() == model.network()
    asked = ["HR", "CO", "PRESS"]
    np.testing.assert_array_equal(again.query(asked, {"BP": "LOW"}).values, model.query(asked, {"BP": "LOW"}).values)


def test_a_gaussian_model_answers_the_same(file):
    model = dc.fit(ECOLI, ECOLI.sample(500, seed=1))
    again = reopened(model, file)
    one, other = (m.query(["lacA", "b1191"], {"aceB": 1.5}) for m in (model, again))
    np.testing.assert_array_equal(one.mean, other.mean)
    np.testing.assert_array_equal(one.covariance, other.covariance)
    assert again.network() == model.network()
    localized = dc.localize(ECOLI)
    np.testing.assert_array_equal(
        reopened(localized, file).query("lacA", {"aceB": 1.5}).mean, localized.query("lacA", {"aceB": 1.5}).mean
    )


def test_a_degenerate_gaussian_model_still_notices_impossible_evidence(file):
    network = dc.BayesianNetwork.gaussian(
        [("x", "y"), ("z", "w")], {"x": (0, {}, 1), "y": (1, {"x": 2.0}, 0), "z": (0, {}, 1), "w": (0, {"z": 1.0}, 1)}
    )
    again = reopened(dc.localize(network), file)
    with pytest.raises(dc.ImpossibleEvidenceError):
        again.query("w", {"x": 1.0, "y": 0.0})


def test_regressions_that_were_read_when_a_process_forked_are_kept_in_the_child(file):
    """Another thread has read them, and the child has neither that thread nor what it had not kept yet."""
    model = dc.localize(ECOLI)
    again = reopened(model, file)
    source = again._engine.store.source
    source.stored.read_all(source._numbers)
    assert not again._engine.store.is_known.any()
    np.testing.assert_array_equal(again.query("lacA", {"aceB": 1.5}).covariance, model.query("lacA", {"aceB": 1.5}).covariance)


def test_a_model_comes_from_a_network_from_data_or_from_a_file(file):
    given, learned = dc.localize(ALARM), dc.fit(ALARM, ROWS, prior=dc.BDeu(1))
    assert isinstance(given._origin, NetworkOrigin)
    assert isinstance(learned._origin, DataOrigin)
    for model in (given, learned):
        again = reopened(model, file)
        assert isinstance(again._origin, FileOrigin)
        assert again.network() == model.network()
    assert again.report() == learned.report()
    with pytest.raises(ValueError, match="given network"):
        reopened(given, file).report()
    with pytest.raises(ValueError, match="given network"):
        reopened(given, file).updated(ROWS)


def test_names_and_labels_keep_their_types(file):
    network = dc.BayesianNetwork.discrete(
        [(1, "1"), ("1", "ü\n𝔘"), (7, "1")],
        {1: [0.5, 0.5], 7: [0.1, 0.9], "1": np.full((2, 2, 3), 1 / 3), "ü\n𝔘": np.full((3, 2), 0.5)},
        {1: [True, False], 7: [3, -2], "1": ["a", "", "ü"], "ü\n𝔘": ["1", "2"]},
    )
    again = reopened(dc.localize(network), file)
    assert again.network() == network
    assert [again.dag.index_of(name) for name in network.dag.nodes] == list(range(4))
    with pytest.raises(dc.UnknownVariableError, match="'2'"):
        again.query("2")
    with pytest.raises(dc.UnknownVariableError):
        again.query(2)


def test_an_updated_model_needs_its_statistics(file):
    first, second = ROWS[:900], ROWS[900:]
    model = dc.fit(ALARM, first, prior=dc.Dirichlet(0.5))
    with pytest.raises(ValueError, match="statistics=True"):
        reopened(model, file).updated(second)
    again = reopened(model, file, statistics=True).updated(second)
    assert again.network() == dc.fit(ALARM, ROWS, prior=dc.Dirichlet(0.5)).network()


def test_a_given_network_has_no_statistics(file):
    model = dc.localize(ASIA)
    with pytest.raises(ValueError, match="no statistics"):
        model.save(file, statistics=True)
    again = reopened(model, file)
    for ask in (lambda: again.updated(ASIA.sample(10)), lambda: again.report()):
        with pytest.raises(ValueError, match="given network"):
            ask()


def test_a_model_for_a_query_stays_one(file):
    model = dc.fit(ALARM, ROWS, for_query=["HR", "BP"])
    again = reopened(model, file)
    np.testing.assert_array_equal(again.query("HR", {"BP": "LOW"}).values, model.query("HR", {"BP": "LOW"}).values)
    with pytest.raises(ValueError, match="for_query"):
        again.network()


def test_only_what_a_question_needs_is_read(file):
    model = dc.fit(ALARM, ROWS)
    again = reopened(model, file)
    stored = again._engine.store.source
    assert stored.bytes_read == 0
    kept = model.explain("HR", {"BP": "LOW"}).kept
    again.query("HR", {"BP": "LOW"})
    core = again._index.core
    needed = {int(t) for c in kept for t in core.member_table[core.clusters.offsets[c] : core.clusters.offsets[c + 1]]}
    sizes = np.diff(again._engine.store.offsets)
    assert 0 < stored.bytes_read <= 8 * sizes[list(needed)].sum()
    before = stored.bytes_read
    again.query("HR", {"BP": "HIGH"})
    assert stored.bytes_read == before
    again.network()
    assert stored.bytes_read == 8 * sizes.sum()


def test_the_number_of_tensors_does_not_grow(tmp_path):
    def tensors(name):
        dc.localize(dc.load_network(name)).save(tmp_path / name)
        raw = (tmp_path / name).read_bytes()
        return len(json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")]))

    assert tensors("asia") == tensors("alarm") == tensors("pigs")


def test_an_opened_model_can_be_saved_and_sent(file, tmp_path):
    model = reopened(dc.fit(ALARM, ROWS), file, statistics=True)
    again = reopened(model, tmp_path / "again.dcx", statistics=True)
    assert again.updated(ROWS).network() == model.updated(ROWS).network()
    sent = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(sent.query("HR").values, model.query("HR").values)


# --- files that are not what they should be


def damaged(file, place, path):
    raw = bytearray(file.read_bytes())
    raw[place] ^= 0x10
    path.write_bytes(raw)
    return path


def test_a_flipped_bit_anywhere_is_noticed(file, tmp_path):
    dc.fit(ASIA, ASIA.sample(500, seed=1), prior=dc.BDeu(1)).save(file)
    size = file.stat().st_size
    right = dc.open_model(file).network()
    for place in range(0, size, max(1, size // 150)):
        wrong = damaged(file, place, tmp_path / "wrong.dcx")
        try:
            assert dc.open_model(wrong).network() == right  # padding in the header may change
        except dc.FormatError as error:
            assert str(wrong) in str(error)


def test_a_damaged_cluster_is_noticed_when_it_is_read(file, tmp_path):
    model = dc.fit(ALARM, ROWS, prior=dc.BDeu(1))
    model.save(file)
    raw = file.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    first = 8 + int.from_bytes(raw[:8], "little") + header["tables.numbers"]["data_offsets"][0]
    place = first + 8 * int(model._engine.store.offsets[ALARM.dag.index_of("CVP")])
    wrong = dc.open_model(damaged(file, place, tmp_path / "wrong.dcx"))
    with pytest.raises(dc.FormatError, match="checksum of cluster"):
        wrong.query("CVP")
    wrong.query("CATECHOL")  # elsewhere


@pytest.mark.parametrize("keep", [0, 7, 8, 100, 0.5, -1])
def test_a_cut_file_is_refused(file, keep):
    dc.localize(ASIA).save(file)
    raw = file.read_bytes()
    file.write_bytes(raw[: int(keep * len(raw)) if isinstance(keep, float) else keep])
    with pytest.raises(dc.FormatError, match=r"model\.dcx"):
        dc.open_model(file)


def test_foreign_and_newer_files_are_refused(file, tmp_path):
    from safetensors.numpy import save_file

    save_file({"x": np.zeros(3)}, tmp_path / "other.dcx")
    with pytest.raises(dc.FormatError, match="not a dconvex model"):
        dc.open_model(tmp_path / "other.dcx")
    dc.statistics(ASIA, ASIA.sample(10, seed=1)).save(file)
    with pytest.raises(dc.FormatError, match="dconvex statistics"):
        dc.open_model(file)
    dc.localize(ASIA).save(file)
    file.write_bytes(file.read_bytes().replace(b'"version":"2"', b'"version":"9"'))
    with pytest.raises(dc.FormatError, match="update dconvex"):
        dc.open_model(file)
    with pytest.raises(FileNotFoundError):
        dc.open_model(tmp_path / "none.dcx")


def test_a_file_that_is_replaced_does_not_disturb_who_has_it_open(file):
    first = reopened(dc.fit(ASIA, ASIA.sample(100, seed=1), prior=dc.BDeu(1)), file)
    expected = dc.open_model(file).query("lung").values
    dc.fit(ASIA, ASIA.sample(100, seed=2), prior=dc.BDeu(1)).save(file)
    np.testing.assert_array_equal(first.query("lung").values, expected)


SAVING_IN_A_LOOP = """
import sys
import dconvex as dc
asia = dc.load_network("asia")
one, other = (dc.fit(asia, asia.sample(200, seed=seed), prior=dc.BDeu(1)) for seed in (1, 2))
one.save(sys.argv[1])
print("ready", flush=True)
while True:
    other.save(sys.argv[1])
    one.save(sys.argv[1])
"""


def test_killed_while_saving_the_old_or_the_new_file_is_there(file):
    expected = [dc.fit(ASIA, ASIA.sample(200, seed=seed), prior=dc.BDeu(1)).network() for seed in (1, 2)]
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SAVING_IN_A_LOOP), str(file)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        for _ in range(20):
            time.sleep(0.01)
            assert dc.open_model(file).network() in expected
        os.kill(process.pid, signal.SIGKILL)
    assert dc.open_model(file).network() in expected


def test_a_save_that_fails_leaves_nothing_behind(file, tmp_path, monkeypatch):
    import safetensors.numpy

    dc.localize(ASIA).save(file)

    def fails(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr(safetensors.numpy, "save_file", fails)
    with pytest.raises(OSError, match="no space"):
        dc.localize(ALARM).save(file)
    assert [path.name for path in tmp_path.iterdir()] == ["model.dcx"]
    assert dc.open_model(file).network() == ASIA


# --- statistics


@pytest.mark.parametrize("network", [ALARM, ECOLI], ids=["discrete", "gaussian"])
def test_statistics_come_back(file, network):
    statistics = dc.statistics(network, network.sample(300, seed=1))
    statistics.save(file)
    again = dc.Statistics.load(file)
    assert again == statistics
    assert again.rows == 300
    more = dc.statistics(network, network.sample(200, seed=2))
    assert again + more == statistics + more


def test_sparse_statistics_come_back(file):
    rng = np.random.default_rng(1)
    names = [f"p{k}" for k in range(10)]
    dag = dc.Dag([(name, "v") for name in names])
    import pandas as pd

    rows = pd.DataFrame({name: rng.integers(10, size=500) for name in [*names, "v"]})
    statistics = dc.statistics(dag, rows)
    statistics.save(file)
    assert dc.Statistics.load(file) == statistics
    assert dc.Statistics.load(file).score("bic") == statistics.score("bic")


def test_sites_pool_counts_and_never_rows(tmp_path):
    sites = [ROWS[:700], ROWS[700:1500], ROWS[1500:]]
    for number, rows in enumerate(sites):
        dc.statistics(ALARM, rows).save(tmp_path / f"{number}.dcs")
    pooled = sum(dc.Statistics.load(tmp_path / f"{number}.dcs") for number in range(3))
    assert dc.fit(ALARM, pooled).network() == dc.fit(ALARM, ROWS).network()


def test_a_full_disk_is_an_error_of_the_system_and_the_old_file_stays(tmp_path, monkeypatch):
    import errno

    import safetensors.numpy
    from safetensors import SafetensorError

    path = tmp_path / "model.dcx"
    model = dc.localize(dc.load_network("asia"))
    model.save(path)
    before = path.read_bytes()
    for said, number in (("I/O error: No space left on device (os error 28)", errno.ENOSPC), ("something else", None)):

        def fail(*_, said=said):
            raise SafetensorError(said)

        monkeypatch.setattr(safetensors.numpy, "save_file", fail)
        with pytest.raises(OSError, match=r"model\.dcx") as caught:
            model.save(path)
        assert caught.value.errno == number
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]
