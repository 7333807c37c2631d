"""How soon Ctrl-C ends a long call, in a process of its own, and whether everything is usable after it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from rich.table import Table

from benchmarks import harness

SET_UP = """
import sys, time, numpy as np
import dconvex as dc

def grid(size):
    edges = [((i, j), (i + 1, j)) for i in range(size - 1) for j in range(size)]
    edges += [((i, j), (i, j + 1)) for i in range(size) for j in range(size - 1)]
    number = lambda node: node[0] * size + node[1]
    return dc.random_network(dc.Dag([(number(a), number(b)) for a, b in edges]), states=2, seed=1)

def in_one_cluster(network):
    tree = dc.ClusterTree([network.dag.nodes], [], mode="any")
    return dc.localize(network, tree=tree)
"""

TURNS = 5
CALLS = {
    "decompose, the search": (
        'dag = dc.load_network("link").dag',
        "dc.decompose(dag, effort=100_000_000)",
    ),
    "decompose, the search on threads": (
        """
one = dc.load_network("link").dag
dag = dc.Dag([(copy + a, copy + b) for copy in "123" for a, b in one.edges])
""",
        "dc.decompose(dag, effort=100_000_000, n_jobs=2)",
    ),
    "decompose, algorithm 2": (
        """
width, length = 40, 4000
pairs = [(i, j) for i in range(length - 1) for j in range(width)]
edges = [(i * width + j, (i + 1) * width + k) for i, j in pairs for k in (j, (7 * j + i) % width)]
dag = dc.Dag(dict.fromkeys(edges))
""",
        "dc.decompose(dag, refine=False)",
    ),
    "localize": (
        "network = dc.random_network(dc.random_dag(3000, 6000, max_parents=3, seed=1), seed=1)",
        "[dc.localize(network) for _ in range(100)]",
    ),
    "query": (
        "model = in_one_cluster(grid(24))",
        "[model.query([0, 575], {300: 0}, max_bytes=2**34) for _ in range(50)]",
    ),
    "a large answer": (
        "model = dc.localize(dc.random_network(dc.Dag([(k, k + 1) for k in range(60)]), seed=1))",
        "[model.query(range(26), max_bytes=2**34) for _ in range(100)]",
    ),
    "marginals": (
        "model = in_one_cluster(grid(21))",
        "[model.marginals(max_bytes=2**34) for _ in range(50)]",
    ),
    "most probable": (
        "model = in_one_cluster(grid(20))",
        "[model.most_probable(max_bytes=2**34) for _ in range(50)]",
    ),
    "sample": (
        'model = dc.localize(dc.load_network("alarm"))',
        "model.sample(30_000_000, seed=1)",
    ),
    "sample given evidence": (
        'model = dc.localize(dc.load_network("alarm"))',
        'model.sample(20_000_000, {"BP": "LOW"}, seed=1)',
    ),
    "fit on threads": (
        """
network = dc.load_network("hailfinder")
rows = network.sample(400_000, seed=1)
""",
        "dc.fit(network, [rows] * 300, n_jobs=2)",
    ),
    "fit on one thread": (
        """
network = dc.load_network("hailfinder")
rows = network.sample(400_000, seed=1).astype("category")
""",
        "dc.fit(network, [rows] * 600, n_jobs=1)",
    ),
    "EM on threads": (
        """
import numpy
network = dc.load_network("alarm")
rows = network.sample(4_000, seed=1).mask(numpy.random.default_rng(1).random((4_000, 37)) < 0.6)
""",
        "dc.fit(network, rows, coherent=True, missing=dc.EM(tolerance=0, max_iterations=100_000), n_jobs=2)",
    ),
    "impute": (
        """
import numpy
network = dc.load_network("alarm")
model = dc.localize(network)
rows = network.sample(20_000, seed=1).mask(numpy.random.default_rng(1).random((20_000, 37)) < 0.4)
""",
        "[model.impute(rows, n_jobs=2) for _ in range(1000)]",
    ),
    "fit a Gaussian network": (
        """
network = dc.load_network("arth150")
rows = network.sample(200_000, seed=1)
""",
        "dc.fit(network, [rows] * 300)",
    ),
    "predict": (
        """
network = dc.load_network("hailfinder")
model, rows = dc.localize(network), network.sample(300_000, seed=1)
columns = list(rows.columns[:12])
""",
        "[model.predict_proba(rows[columns], list(rows.columns[12:])) for _ in range(200)]",
    ),
    "learn a structure, search": (
        """
rows = dc.random_network(dc.random_dag(600, 1200, max_parents=3, seed=1), states=2, seed=1).sample(5_000, seed=1)
""",
        "dc.learn_structure(rows)",
    ),
    "learn a structure, ges": (
        """
rows = dc.random_network(dc.random_dag(600, 1200, max_parents=3, seed=1), states=2, seed=1).sample(5_000, seed=1)
""",
        'dc.learn_structure(rows, method="ges")',
    ),
    "learn a structure, pc": (
        """
rows = dc.random_network(dc.random_dag(600, 1200, max_parents=3, seed=1), states=2, seed=1).sample(5_000, seed=1)
""",
        'dc.learn_structure(rows, method="pc", alpha=0.5)',
    ),
    "learn a structure, exact": (
        'rows = dc.load_network("alarm").sample(2_000, seed=1).iloc[:, :26]',
        'dc.learn_structure(rows, method="exact", score="aic")',
    ),
    "learn a structure, the order of variables": (
        """
import pandas
rows = pandas.DataFrame(np.random.default_rng(1).integers(0, 2, (60, 24)))
""",
        'dc.learn_structure(rows, method="exact", score="aic", max_parents=3)',
    ),
    "read": (
        """
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), "network.bif")
dc.write(dc.load_network("munin"), path)
""",
        "[dc.read(path) for _ in range(500)]",
    ),
}

AFTERWARDS = """
model = dc.localize(dc.load_network("asia"))
assert abs(float(model.query("lung", {"smoke": "yes"}).values.sum()) - 1) < 1e-12
assert len(dc.decompose(dc.load_network("alarm"))) == 21
rows = dc.load_network("asia").sample(1000, seed=1)
assert dc.fit(dc.load_network("asia"), rows, n_jobs=2).network() is not None
few = rows.iloc[:200]
assert dc.learn_structure(few, method="exact").score >= dc.learn_structure(few).score - 1e-6
assert all(dc.learn_structure(few, method=method).nodes for method in ("ges", "pc"))
print("usable", flush=True)
"""

SCRIPT = """
{set_up}
{preparation}
try:
    print("ready", flush=True)  # within it: on a busy machine an interrupt may come before the next line
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
{afterwards}
"""


@dataclass(frozen=True)
class Heard:
    """What came of an interrupt: whether the call was ended, how many seconds later, and whether all is usable."""

    is_interrupted: bool
    is_usable: bool
    seconds: float
    output: str


def interrupted(name: str, after: float = 0.5, limit: float = 120.0) -> Heard:
    """Start a call in a process of its own and press Ctrl-C there."""
    preparation, call = CALLS[name]
    script = SCRIPT.format(set_up=SET_UP, preparation=preparation, call=call, afterwards=AFTERWARDS)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ)
    )
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        if first != "ready\n":
            return Heard(False, False, float("nan"), first + process.stdout.read())
        time.sleep(after)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=limit)
    finally:
        process.kill()
    lines = dict(line.partition(" ")[::2] for line in output.splitlines())
    seconds = float(lines["interrupted"]) - sent if "interrupted" in lines else float("nan")
    return Heard("interrupted" in lines, "usable" in lines, seconds, output)


@dataclass(frozen=True)
class Delay:
    """Seconds from Ctrl-C to KeyboardInterrupt, of several tries."""

    call: str
    tries: int
    median: float
    worst: float


def run(quick: bool, folder: Path) -> None:
    """Interrupt every call at different moments, print how long it took to be heard, and write it down."""
    delays = []
    for call in CALLS:
        heard = [interrupted(call, after=0.3 + 0.25 * turn).seconds for turn in range(2 if quick else TURNS)]
        delays.append(Delay(call, len(heard), median(heard), max(heard)))
    table = Table("call", "tries", "median", "worst", title="Ctrl-C: milliseconds until it is heard")
    for delay in delays:
        table.add_row(delay.call, str(delay.tries), f"{1e3 * delay.median:.0f}", f"{1e3 * delay.worst:.0f}")
    harness.wide_console().print(table)
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "benchmark": "interrupts",
        "quick": quick,
        "machine": harness.machine(),
        "delays": [asdict(delay) for delay in delays],
    }
    (folder / "interrupts.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
