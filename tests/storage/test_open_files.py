"""Files that are cut, replaced, written over, sent or forked while their model is open."""

from __future__ import annotations

import contextlib
import copy
import gc
import os
import pickle
import shutil
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import dconvex as dc

ALARM = dc.load_network("alarm")
ASIA = dc.load_network("asia")
ROWS = ALARM.sample(500, seed=1)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.dcx"


def local(seed=1):
    return dc.fit(ASIA, ASIA.sample(200, seed=seed), prior=dc.BDeu(1))


def open_descriptors(path):
    """How many of this process's descriptors are of this file, be it removed."""
    links = []
    for number in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            links.append(str(number.readlink()))
    return sum(link.startswith(str(path)) for link in links)


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
with_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def test_a_file_that_is_cut_while_it_is_open_gives_an_error(file):
    dc.fit(ALARM, ROWS, prior=dc.BDeu(1)).save(file)
    model = dc.open_model(file)
    expected = model.query("HR").values
    os.truncate(file, 100)
    np.testing.assert_array_equal(model.query("HR").values, expected)  # read before
    with pytest.raises(dc.FormatError, match=r"model\.dcx: the file was cut short"):
        model.network()
    with pytest.raises(dc.FormatError, match="cut short"):
        model.query("PAP")
    os.truncate(file, 0)
    with pytest.raises(dc.FormatError, match="cut short"):
        model.marginals()


def test_a_file_that_is_written_over_is_not_mixed_with_another(file):
    local(1).save(file)
    model, other = dc.open_model(file), file.with_name("other.dcx")
    for seed in range(2, 50):  # what their reports say may be of different lengths
        local(seed).save(other)
        if other.stat().st_size == file.stat().st_size:
            break
    assert other.stat().st_size == file.stat().st_size
    with file.open("rb+") as target:
        target.write(other.read_bytes())
    with pytest.raises(dc.FormatError, match="has changed since it was opened"):
        model.network()


def test_a_file_that_is_replaced_or_removed_is_still_the_old_one(file):
    local(1).save(file)
    model, expected = dc.open_model(file), dc.open_model(file).network()
    local(2).save(file)
    assert model.network() == expected
    again = dc.open_model(file)
    file.unlink()
    assert again.network() == local(2).network()


@on_linux
def test_descriptors_are_closed_with_their_models(file):
    dc.fit(ASIA, ASIA.sample(200, seed=1)).save(file, statistics=True)
    before = open_descriptors(file)
    models = [dc.open_model(file) for _ in range(5)]
    for model in models:
        model.query("lung")
    assert open_descriptors(file) == before + 5
    copies = [copy.deepcopy(models[0]), pickle.loads(pickle.dumps(models[0]))]
    assert copies[1].network() == models[0].network()
    del models, model, copies
    gc.collect()
    assert open_descriptors(file) == before


@on_linux
def test_a_file_that_is_refused_is_closed(file):
    file.write_bytes(b"\x10" + bytes(100))
    with pytest.raises(dc.FormatError):
        dc.open_model(file)
    gc.collect()
    assert open_descriptors(file) == 0


def test_a_model_that_is_sent_reads_its_file_there(file):
    dc.fit(ALARM, ROWS, prior=dc.BDeu(1)).save(file)
    model = dc.open_model(file)
    model.query("HR")
    raw = pickle.dumps(model)
    sent = pickle.loads(raw)
    np.testing.assert_array_equal(sent.query("PAP").values, model.query("PAP").values)
    assert sent.network() == model.network()
    late = pickle.loads(raw)
    shutil.move(file, file.with_name("moved.dcx"))
    late.query("HR")  # was read before
    with pytest.raises(FileNotFoundError):
        late.query("PAP")
    dc.fit(ALARM, ROWS[:400], prior=dc.BDeu(1)).save(file)
    with pytest.raises(dc.FormatError, match="not the file that the model was opened from"):
        late.query("PAP")
    shutil.copy(file.with_name("moved.dcx"), file)  # the same file by its content
    assert late.network() == model.network()


def test_a_relative_path_means_the_folder_where_it_was_opened(file, monkeypatch):
    local().save(file)
    monkeypatch.chdir(file.parent)
    raw = pickle.dumps(dc.open_model(file.name))
    monkeypatch.chdir("/")
    assert pickle.loads(raw).network() == local().network()


def test_copies_share_the_open_file(file):
    local().save(file)
    model = dc.open_model(file)
    twin = copy.deepcopy(model)
    file.unlink()
    assert twin.network() == local().network()


@with_fork
def test_children_of_a_fork_read_on_their_own(file):
    dc.fit(ALARM, ROWS, prior=dc.BDeu(1)).save(file)
    model, expected = dc.open_model(file), dc.open_model(file)
    names = ALARM.dag.nodes
    answers = {name: expected.query(name).values for name in names}
    children = []
    for number in range(4):
        child = os.fork()
        if not child:
            wrong = 1
            try:
                order = names[number:] + names[:number]
                wrong = sum(not np.array_equal(model.query(name).values, answers[name]) for name in order)
            finally:
                os._exit(min(wrong, 100))
        children.append(child)
    found = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert found == [0] * 4
    assert all(np.array_equal(model.query(name).values, answers[name]) for name in names)


def test_threads_read_one_file_at_once(file):
    dc.fit(ALARM, ROWS, prior=dc.BDeu(1)).save(file)
    model, names = dc.open_model(file), ALARM.dag.nodes
    answers = {name: dc.open_model(file).query(name).values for name in names}
    wrong = []

    def ask(first):
        wrong.extend(n for n in names[first:] + names[:first] if not np.array_equal(model.query(n).values, answers[n]))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_is_not_a_file_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError):
        dc.open_model(tmp_path)
    with pytest.raises(FileNotFoundError, match="none"):
        dc.open_model(tmp_path / "none.dcx")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.dcx")
        with pytest.raises(dc.FormatError, match="regular file"):
            dc.open_model(tmp_path / "pipe.dcx")


def test_the_folder_is_synced_after_the_file_is_replaced(file, monkeypatch):
    synced = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (synced.append(os.fstat(descriptor).st_mode), real(descriptor)))
    local().save(file)
    assert len(synced) == (2 if sys.platform != "win32" else 1)
    assert Path(file).exists()
