"""Learning *alarm* from more rows than one would like to hold: from a folder of Parquet files, and from a frame in memory.

The files are made by `sample`, a million rows at a time. Each way runs in a process of its own, which warms up on a few rows;
its peak by then is the `floor`. `beyond` is the peak less the floor and less the data, where that lies in memory.
"only read" goes through the record batches and looks at none of them: all else is learning.
"""

from __future__ import annotations

import gc
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from rich.table import Table

import dconvex as dc
from benchmarks import harness

if TYPE_CHECKING:
    import pandas as pd

Found: TypeAlias = tuple[int, float | None]
"""How many rows were read, and the sum of the squares of all probabilities learned, by which ways are compared."""

NETWORK = "alarm"
ROWS, QUICK_ROWS, BATCH, FEW = 50_000_000, 2_000_000, 1_000_000, 10_000
PATIENCE = 3_600.0
"""Seconds, after which a process is stopped."""


@dataclass(frozen=True)
class Streamed:
    """One way through all rows; all but `seconds` and `rows` are MB."""

    way: str
    rows: int
    seconds: float
    floor: int
    """Peak before there is any data: the interpreter and the libraries."""
    data: int
    """What of the data lies in memory."""
    peak: int
    fingerprint: float | None

    @property
    def beyond(self) -> int:
        return self.peak - self.floor - self.data

    @property
    def rate(self) -> float:
        return self.rows / self.seconds


def run(quick: bool = False, folder: Path = harness.RESULTS) -> None:
    """Make the files, go through them in each way, print the table, and write streaming.json."""
    console = harness.wide_console()
    with tempfile.TemporaryDirectory(prefix="dconvex-streaming-") as place:
        rows = QUICK_ROWS if quick else ROWS
        check_room(place, rows)
        with console.status(f"streaming: sampling {rows:,} rows"):
            made = made_in(Path(place), rows)
        found = []
        for way in WAYS:
            with console.status(f"streaming: {way}, {rows:,} rows"):
                found.append(in_own_process(way, place))
    check_same(found, rows)
    console.print(as_table(found, made))
    folder.mkdir(parents=True, exist_ok=True)
    results = [asdict(one) | {"beyond": one.beyond, "rate": one.rate} for one in found]
    record = {"benchmark": "streaming", "quick": quick, "machine": harness.machine(), "files": made, "ways": results}
    (folder / "streaming.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def check_room(place: str, rows: int) -> None:
    """A cell takes a byte at most, and less in Parquet."""
    needed, free = rows * len(dc.load_network(NETWORK).dag), shutil.disk_usage(place).free
    if free < needed:
        raise OSError(f"{place} has {free / 1e9:.1f} GB left, and {rows:,} rows may take {needed / 1e9:.1f}; set TMPDIR")


def check_same(found: Sequence[Streamed], rows: int) -> None:
    numbers = [one.fingerprint for one in found if one.fingerprint is not None]
    if not np.allclose(numbers, numbers[0], rtol=1e-12, atol=0):
        raise ValueError(f"the ways disagree: {numbers}")
    if strange := [one for one in found if one.rows != rows]:
        raise ValueError(f"{strange[0].way} saw {strange[0].rows:,} of {rows:,} rows")


def made_in(place: Path, rows: int) -> dict[str, Any]:
    """In another process: on Linux a process reports at least the peak of the one that starts it, so this one stays small."""
    done = _run("make", str(place), str(rows))
    files = list((place / "all").iterdir())
    size = sum(file.stat().st_size for file in files)
    return {"rows": rows, "files": len(files), "megabytes": size // 1_000_000, "seconds": json.loads(done)}


def in_own_process(way: str, place: str) -> Streamed:
    _run("learn", way, place, "few")  # imports, caches
    return Streamed(**json.loads(_run("learn", way, place, "all")))


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "benchmarks.streaming", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stderr.strip()}")
    return done.stdout


def make(place: Path, rows: int) -> float:
    """Write the folders `few` and `all`, with categoricals as dictionary columns; the seconds it took."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    network = dc.load_network(NETWORK)
    start = time.perf_counter()
    for folder, count in ((place / "few", FEW), (place / "all", rows)):
        folder.mkdir()
        for number, first in enumerate(range(0, count, BATCH)):
            frame = network.sample(min(BATCH, count - first), seed=number)
            pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), folder / f"{number:03}.parquet")
    return time.perf_counter() - start


def measured(way: str, place: Path, which: str) -> Streamed:
    """Here and now, after a warm-up on a few rows."""
    dag, (opened, go_through) = dc.load_network(NETWORK).dag, WAYS[way]
    go_through(dag, opened(place / "few"))
    floor = _peak()
    source = opened(place / which)
    data = 0 if isinstance(source, Path) else int(source.memory_usage(index=False).sum()) // 1_000_000
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    rows, fingerprint = go_through(dag, source)
    seconds = time.perf_counter() - start
    gc.enable()
    return Streamed(way, rows, seconds, floor, data, _peak(), fingerprint)


def _peak() -> int:
    """The most memory this process has had, in MB."""
    unit = 1_000_000 if sys.platform == "darwin" else 1_000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def in_memory(folder: Path) -> pd.DataFrame:
    """A frame of categoricals, a byte for each cell; filled column by column, so that nothing else is large."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.dataset

    dataset = pa.dataset.dataset(folder, format="parquet")
    rows = dataset.count_rows()
    columns: dict[str, Any] = {}
    for name, labels in dc.load_network(NETWORK).states.items():
        codes, filled = np.empty(rows, np.int8), 0
        for batch in dataset.to_batches(columns=[name], batch_readahead=1, fragment_readahead=1):
            places = np.array([labels.index(label) for label in batch.column(0).dictionary.to_pylist()], np.int8)
            codes[filled : filled + batch.num_rows] = places[batch.column(0).indices.to_numpy()]
            filled += batch.num_rows
        columns[str(name)] = pd.Categorical.from_codes(codes, pd.Index(labels))
    pa.default_memory_pool().release_unused()
    return pd.DataFrame(columns, copy=False)


def learn(dag: dc.Dag, source: Path | pd.DataFrame, n_jobs: int | None = None) -> Found:
    model = dc.fit(dag, source, n_jobs=n_jobs)
    network = model.network()
    tables = (cast(dc.Table, network.family(variable)).values for variable in dag.nodes)
    return model.report().rows, float(sum(np.sum(values**2) for values in tables))


def only_read(dag: dc.Dag, folder: Path) -> Found:
    import pyarrow as pa
    import pyarrow.dataset

    dataset = pa.dataset.dataset(folder, format="parquet")
    return sum(batch.num_rows for batch in dataset.to_batches(batch_readahead=2, fragment_readahead=1)), None


def _path(folder: Path) -> Path:
    return folder


def learn_alone(dag: dc.Dag, source: Path | pd.DataFrame) -> Found:
    return learn(dag, source, n_jobs=1)


WAYS: dict[str, tuple[Callable[[Path], Any], Callable[[dc.Dag, Any], Found]]] = {
    "Parquet folder": (_path, learn),
    "Parquet folder, n_jobs=1": (_path, learn_alone),
    "Parquet folder, only read": (_path, only_read),
    "pandas frame": (in_memory, learn),
    "pandas frame, n_jobs=1": (in_memory, learn_alone),
}
"""How to open a folder, and how to go through it."""


def as_table(found: Sequence[Streamed], made: dict[str, Any]) -> Table:
    about = f"{made['rows']:,} rows in {made['files']} files of {made['megabytes']:,} MB together"
    table = Table(title=f"learning {NETWORK} from {about}")
    table.add_column("way", no_wrap=True)
    for column in ("seconds", "rows per second", "floor", "data", "peak", "beyond"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in found:
        sizes = [f"{size:,} MB" for size in (one.floor, one.data, one.peak, one.beyond)]
        table.add_row(one.way, f"{one.seconds:.2f}", f"{one.rate:,.0f}", *sizes)
    return table


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        print(json.dumps(make(Path(sys.argv[2]), int(sys.argv[3]))))
    elif sys.argv[1:2] == ["learn"]:
        print(json.dumps(asdict(measured(sys.argv[2], Path(sys.argv[3]), sys.argv[4]))))
    else:
        run(quick="--quick" in sys.argv)
