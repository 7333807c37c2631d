"""The benchmark of threads does what it says, on small pieces of work."""

import threading
from functools import partial

import numpy as np
import pytest

import dconvex as dc
from benchmarks import processes, threads

SMALL = ("decompose, one network", "sample, 37 variables", "all marginals of a grid")


@pytest.mark.parametrize("name", SMALL)
def test_all_contenders_do_the_same_work(name):
    prepare = threads.WORKS[name]
    one, two = (prepare(n_jobs, 0.01)() for n_jobs in (1, 2))
    if isinstance(one, dict):
        assert all(np.array_equal(one[variable].values, two[variable].values) for variable in one)
    else:
        assert one.equals(two) if name.startswith("sample") else one == two


def test_two_processes_do_the_work_whenever_they_are_asked():
    both = processes.in_two_processes(partial(threads.sampling, 1, 0.001))
    for _ in range(3):
        assert both() is None


def test_a_loop_ends_with_the_work():
    before = threading.active_count()
    found = []
    threads.with_a_loop(lambda: found.append(threading.active_count()))
    assert found == [before + 1]
    assert threading.active_count() == before
    with pytest.raises(dc.UnknownVariableError):
        threads.with_a_loop(lambda: dc.markov_boundary([("a", "b")], "c"))
    assert threading.active_count() == before


def test_cases_have_their_contenders_and_half_of_the_time_of_two_processes(monkeypatch):
    monkeypatch.setattr(threads, "in_two_processes", lambda make: make())
    monkeypatch.setattr(threads, "QUICK", 0.01)
    monkeypatch.setattr(threads, "WORKS", {name: threads.WORKS[name] for name in SMALL})
    monkeypatch.setattr(threads, "ALONE", SMALL[:1])
    *races, last = threads.cases(quick=True)
    assert [case.name for case in races] == list(SMALL)
    assert all(case.share == {"dconvex, two processes": 2.0} and len(case.contenders) == 3 for case in races)
    assert list(last.contenders) == ["dconvex", "dconvex, next to a busy Python thread"]
