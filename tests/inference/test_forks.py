"""A process that forks while another thread asks has children that work."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")

SCRIPT = """
import os, sys, threading, time, warnings
import dconvex as dc

warnings.simplefilter("ignore")  # Python 3.12 warns of every fork with threads
network = dc.load_network("alarm")
rows = network.sample(2000, seed=1)
model, learned = dc.localize(network), dc.fit(network, rows, prior=dc.BDeu(1))
learned.save(sys.argv[1])
is_over = threading.Event()

def ask():
    number = 0
    while not is_over.is_set():
        opened, fresh = dc.open_model(sys.argv[1]), dc.localize(network)
        for local in (model, opened, fresh):
            local.query(list(network.dag.nodes[number % 30 : number % 30 + 3]), {"BP": "LOW"})
            local.marginals({"BP": "LOW"})
        learned.predict_proba(rows.head(50)[["BP", "CVP"]], "HR")
        number += 1

expected = [str(local.marginals({"BP": "LOW"})["HR"]) for local in (model, learned)]
threads = [threading.Thread(target=ask) for _ in range(3)]
for thread in threads:
    thread.start()
time.sleep(0.3)
children = []
for _ in range(12):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            found = [str(local.marginals({"BP": "LOW"})["HR"]) for local in (model, learned)]
            found_again = str(dc.open_model(sys.argv[1]).query("HR", {"BP": "LOW"}))
            dc.fit(network, rows, n_jobs=2)
            status = 0 if found == expected and found_again == expected[1] else 2
        finally:
            os._exit(status)
    children.append(child)
    time.sleep(0.02)
ends = []
deadline = time.monotonic() + 120
for child in children:
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            ends.append(os.waitstatus_to_exitcode(status))
            break
        if time.monotonic() > deadline:
            os.kill(child, 9)
            os.waitpid(child, 0)
            ends.append("hangs")
            break
        time.sleep(0.01)
is_over.set()
for thread in threads:
    thread.join()
print(ends)
"""


def test_children_of_a_process_that_asks_can_ask(tmp_path):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "model.dcx")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.stdout.strip() == str([0] * 12), result.stdout + result.stderr
