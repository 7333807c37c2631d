"""Work on threads: its order, its errors, and how it is called off."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

import dconvex as dc
from dconvex._core import IntegerEncoder
from dconvex.threads import Workers, threads

N_JOBS = [1, 2, 4]


@pytest.mark.parametrize("n_jobs", N_JOBS)
def test_results_come_in_the_order_of_the_items(n_jobs):
    with threads(n_jobs) as workers:
        assert workers.map(lambda item: item * item, range(50)) == [item * item for item in range(50)]
        done = []
        workers.for_each(done.append, range(50))
        assert sorted(done) == list(range(50))
        workers.for_each(done.append, [])
        assert workers.map(len, []) == []


@pytest.mark.parametrize("n_jobs", N_JOBS)
@pytest.mark.parametrize("error", [ValueError, TimeoutError, KeyboardInterrupt])
def test_the_error_of_the_first_item_is_raised(n_jobs, error):
    def work(item):
        if item >= 3:
            time.sleep(0.05 if item == 3 else 0)
            raise error(f"item {item}")

    with threads(n_jobs) as workers:
        for run in (workers.map, workers.for_each):
            with pytest.raises(error, match="item 3"):
                run(work, range(6))
        assert workers.map(abs, [-1]) == [1]


def test_a_failure_calls_off_native_loops_and_what_has_not_begun():
    encoders = [IntegerEncoder() for _ in range(64)]
    values, begun = np.zeros(1 << 22, np.int64), []
    for encoder in encoders:
        encoder.add(0, 0)

    def work(item):
        if item == 0:
            raise ValueError("stop")
        begun.append(item)
        for _ in range(1_000):
            encoders[item].encode(values, np.zeros(len(values), np.int8), 0)

    with threads(2) as workers:
        for run in (workers.map, workers.for_each):
            begun.clear()
            began = time.monotonic()
            with pytest.raises(ValueError, match="stop"):
                run(work, range(64))
            assert time.monotonic() - began < 5  # one item alone would take longer
            assert len(begun) < 10


def test_no_thread_outlives_a_call():
    before = threading.active_count()
    network = dc.load_network("asia")
    dc.fit(network, network.sample(1_000, seed=1), n_jobs=4)
    assert threading.active_count() == before
    with pytest.raises(dc.DataError):
        dc.fit(network, pd.DataFrame({name: [object()] for name in network.dag.nodes}), n_jobs=4)
    assert threading.active_count() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_learns_while_another_thread_did():
    network = dc.load_network("asia")
    frame = network.sample(20_000, seed=1)
    expected = dc.fit(network, frame, n_jobs=2).network()
    goes_on = threading.Event()

    def keep_fitting():
        while not goes_on.is_set():
            dc.fit(network, frame, n_jobs=2)

    busy = threading.Thread(target=keep_fitting)
    busy.start()
    try:
        for _ in range(3):
            child = os.fork()
            if child == 0:
                signal.alarm(60)  # rather than wait for a child that hangs
                is_same = dc.fit(network, frame, n_jobs=2).network() == expected
                os._exit(0 if is_same else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        goes_on.set()
        busy.join()


def test_without_a_pool_the_caller_works():
    assert Workers(0).map(lambda _: threading.get_ident(), [0]) == [threading.get_ident()]
