"""How long a model takes to be saved, opened and asked for the first time, by the size of the network."""

from __future__ import annotations

import gc
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from rich.table import Table

import dconvex as dc
from benchmarks import harness
from benchmarks.shapes import SHAPES
from dconvex.amounts import readable_bytes

Result = TypeVar("Result")

SHAPE = "polytree"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
SEED = 1


@dataclass(frozen=True)
class Stored:
    """Seconds, and bytes; `read` is how much of the tables the first question needed."""

    nodes: int
    saved: float
    opened: float
    first: float
    again: float
    """The first question, and another one elsewhere after it."""
    size: int
    read: int


def run(quick: bool = False, folder: Path = harness.RESULTS) -> None:
    """Measure all sizes, print the table and write storing.json."""
    console = harness.wide_console()
    measured(1_000)  # imports, caches
    found = []
    for nodes in SIZES[:2] if quick else SIZES:
        with console.status(f"storing: {nodes:,} nodes"):
            found.append(measured(nodes))
    console.print(as_table(found))
    folder.mkdir(parents=True, exist_ok=True)
    record = {"benchmark": "storing", "quick": quick, "machine": harness.machine(), "sizes": [asdict(one) for one in found]}
    (folder / "storing.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def measured(nodes: int) -> Stored:
    """One model, saved and opened."""
    network = dc.random_network(SHAPES[SHAPE].make(nodes, SEED), states=2, seed=SEED)
    model = dc.localize(network)
    names = network.dag.nodes
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.dcx"
        saved, _ = _timed(lambda: model.save(path))
        opened, again = _timed(lambda: dc.open_model(path))
        first, answer = _timed(lambda: again.query(names[nodes // 3]))
        read = again.bytes_read
        later, _ = _timed(lambda: again.query(names[2 * nodes // 3]))
        if answer.to_series().tolist() != model.query(names[nodes // 3]).to_series().tolist():
            raise AssertionError("the opened model answers differently")
        return Stored(nodes, saved, opened, first, later, path.stat().st_size, read)


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    gc.collect()
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def as_table(found: list[Stored]) -> Table:
    table = Table(title="models in files")
    for column in ("nodes", "saved", "opened", "first question", "another", "file", "read of the tables"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in found:
        times = (harness.duration(seconds) for seconds in (one.saved, one.opened, one.first, one.again))
        table.add_row(f"{one.nodes:,}", *times, readable_bytes(one.size), readable_bytes(one.read))
    return table
