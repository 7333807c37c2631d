"""Ctrl-C in learning and sampling: heard at once, with threads or without, and everything works afterwards."""

import sys

import pytest
from interrupting import interrupt, worker

PREPARE = """
alarm, ecoli70 = dc.load_network("alarm"), dc.load_network("ecoli70")
tree = dc.decompose(alarm)
rows, numbers = alarm.sample(200_000, seed=1), ecoli70.sample(200_000, seed=1)
texts, few = rows.astype(str), rows.iloc[:1_000]
objects = texts.iloc[:50_000].astype(object)
codes = rows.apply(lambda own: own.cat.codes)
expected = dc.statistics(alarm, few, tree=tree, n_jobs=1)
"""
IS_WELL = "dc.statistics(alarm, few, tree=tree, n_jobs=2) == expected"

CASES = {
    "categories, 1 thread": "dc.fit(alarm, rows, tree=tree, n_jobs=1)",
    "categories, 4 threads": "dc.fit(alarm, rows, tree=tree, n_jobs=4)",
    "strings, 2 threads": "dc.statistics(alarm, texts, tree=tree, n_jobs=2)",
    "objects, 2 threads": "dc.fit(alarm, objects, tree=tree, n_jobs=2)",
    "integers, 2 threads": "dc.fit(alarm, codes, tree=tree, n_jobs=2)",
    "numbers, 1 thread": "dc.statistics(ecoli70, numbers, n_jobs=1)",
    "numbers, 2 threads": "dc.statistics(ecoli70, numbers, n_jobs=2)",
    "sampling states": "alarm.sample(500_000, seed=1)",
    "sampling numbers": "ecoli70.sample(500_000, seed=1)",
}


@pytest.fixture(scope="module")
def process():
    with worker(PREPARE, IS_WELL) as found:
        yield found


@pytest.mark.skipif(sys.platform == "win32", reason="no process can be sent SIGINT")
@pytest.mark.parametrize("work", CASES.values(), ids=CASES.keys())
def test_an_interrupt_is_heard_at_once_and_leaves_everything_usable(process, work):
    interrupt(process, work)
