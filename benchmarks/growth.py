"""How the time and memory of `decompose` grow with the number of nodes, for DAGs of several shapes.

Each size runs in a process of its own, which warms up on a small DAG, builds the large one and decomposes it; the peak of its
memory counts all of that.
"""

from __future__ import annotations

import gc
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.table import Table

import dconvex as dc
from benchmarks import harness
from benchmarks.shapes import SHAPES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALLEST, LARGEST = 1_000, 1_024_000
QUICK = ("polytree", "sparse")
PATIENCE = 60.0
"""A size that takes more seconds is the last of its shape; one that takes three times as many is stopped."""
STARTING = 20.0
"""Seconds that a process may take besides: to start and to build a DAG."""
SEED = 1
TITLES = {False: "Algorithm 2 (refine=False)", True: "refined (the default)"}


@dataclass(frozen=True)
class Measurement:
    """One size of one shape; without `seconds` it was stopped."""

    shape: str
    is_refined: bool
    nodes: int
    edges: int = 0
    built: float = 0.0
    """Seconds to make the DAG."""
    seconds: float | None = None
    """Median of the calls to `decompose`."""
    before: int = 0
    """Peak MB before the first of them: the interpreter, the libraries and the DAG."""
    peak: int = 0
    clusters: int = 0
    largest: int = 0
    is_certified: bool = False
    note: str = ""


def run(quick: bool = False, folder: Path = harness.RESULTS) -> None:
    """Measure all shapes, print the table, and write growth.json and growth.png."""
    console = harness.wide_console()
    found: list[Measurement] = []
    for shape in QUICK if quick else SHAPES:
        for is_refined in (False, True):
            with console.status(f"growth: {shape}"):
                found += grown(shape, is_refined, LARGEST // 256 if quick else LARGEST, PATIENCE / 20 if quick else PATIENCE)
    console.print(as_table(found))
    folder.mkdir(parents=True, exist_ok=True)
    record = {"benchmark": "growth", "quick": quick, "machine": harness.machine(), "sizes": list(map(as_record, found))}
    (folder / "growth.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    plot(found, folder / "growth.png")


def grown(shape: str, is_refined: bool, largest: int, patience: float) -> Iterator[Measurement]:
    """Double the size until it is the largest, or takes too long."""
    _in_own_process(shape, is_refined, SMALLEST, STARTING)  # byte code, caches of the disk
    nodes, seconds = SMALLEST, 0.0
    while nodes <= largest and seconds <= patience:
        measurement = _in_own_process(shape, is_refined, nodes, 3 * patience)
        yield measurement
        nodes, seconds = 2 * nodes, float("inf") if measurement.seconds is None else measurement.seconds


def _in_own_process(shape: str, is_refined: bool, nodes: int, limit: float) -> Measurement:
    command = [sys.executable, "-m", "benchmarks.growth", shape, str(nodes), str(int(is_refined))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit + STARTING, check=True)
    except subprocess.TimeoutExpired:
        return Measurement(shape, is_refined, nodes, note=f"> {limit:g} s")
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip().splitlines()[-1] if error.stderr.strip() else f"exit code {error.returncode}"
        return Measurement(shape, is_refined, nodes, note=f"failed: {reason}")
    return Measurement(**json.loads(done.stdout))


def measured(shape: str, nodes: int, is_refined: bool) -> Measurement:
    """Build and decompose, here and now; short work is repeated."""
    dc.decompose(SHAPES[shape].make(100, SEED), refine=is_refined)
    start = time.perf_counter()
    dag = SHAPES[shape].make(nodes, SEED)
    built = time.perf_counter() - start
    before = _peak()
    gc.collect()
    gc.disable()
    seconds: list[float] = []
    while not seconds or (sum(seconds) < 1 and len(seconds) < 5):
        start = time.perf_counter()
        tree = dc.decompose(dag, refine=is_refined)
        seconds.append(time.perf_counter() - start)
    return Measurement(
        shape,
        is_refined,
        len(dag),
        edges=len(dag.graph.parents.values),
        built=built,
        seconds=median(seconds),
        before=before,
        peak=_peak(),
        clusters=len(tree),
        largest=int(tree.sizes.max(initial=0)),
        is_certified=tree.certified,
    )


def _peak() -> int:
    """The most memory this process has had, in MB."""
    unit = 1_000_000 if sys.platform == "darwin" else 1_000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def as_record(measurement: Measurement) -> dict[str, Any]:
    return asdict(measurement) | {"tree_like": SHAPES[measurement.shape].is_tree_like}


def as_table(found: Iterable[Measurement]) -> Table:
    table = Table(title="growth of decompose")
    table.add_column("shape", no_wrap=True)
    for column in ("nodes", "edges", "built", "decompose", "× last size", "peak", "clusters", "largest", "certified"):
        table.add_column(column, justify="right", no_wrap=True)
    for (shape, is_refined), group in groupby(found, key=_line):
        last: Measurement | None = None
        for one in group:
            table.add_row(f"{shape}, {_kind(is_refined)}" if last is None else "", f"{one.nodes:,}", *_cells(one, last))
            last = one
        table.add_section()
    return table


def _cells(one: Measurement, last: Measurement | None) -> list[str]:
    if one.seconds is None:
        return ["", "", one.note]
    ratio = f"{one.seconds / last.seconds:.2f}" if last and last.seconds else ""
    certified = "" if not one.is_refined else "yes" if one.is_certified else "no"
    sizes = [f"{one.peak:,} MB", f"{one.clusters:,}", f"{one.largest:,}", certified]
    return [f"{one.edges:,}", harness.duration(one.built), harness.duration(one.seconds), ratio, *sizes]


def _line(measurement: Measurement) -> tuple[str, bool]:
    return measurement.shape, measurement.is_refined


def _kind(is_refined: bool) -> str:
    return "refined" if is_refined else "Algorithm 2"


def plot(found: Iterable[Measurement], path: Path) -> None:
    """Seconds against nodes, both in logarithms, Algorithm 2 neighbours the refined tree."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6), layout="constrained")
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    known = [one for one in found if one.seconds is not None]
    for axes, is_refined in zip(panels, (False, True), strict=True):
        axes.set(xscale="log", yscale="log", xlabel="nodes", ylim=(3e-4, 300), title=TITLES[is_refined])
        axes.grid(which="major", color="0.92")
        axes.spines[["top", "right"]].set_visible(False)
        _draw_guides(axes)
        for number, (shape, about) in enumerate(SHAPES.items()):
            line = [one for one in known if _line(one) == (shape, is_refined)]
            nodes, seconds = [one.nodes for one in line], [one.seconds or 0.0 for one in line]
            style = "o-" if about.is_tree_like else "s--"
            axes.plot(nodes, seconds, style, color=f"C{number}", markersize=4, linewidth=1.8 if about.is_tree_like else 1.0)
    panels[0].set_ylabel("seconds")
    labels = [shape.what for shape in SHAPES.values()]
    figure.legend(panels[0].get_lines()[-len(SHAPES) :], labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=110)


def _draw_guides(axes: Axes) -> None:
    """What doubles and what quadruples with each doubling, and the minute within which a million nodes are to be done."""
    for power, word in ((1, "linear"), (2, "quadratic")):
        ends = (SMALLEST, LARGEST if power == 1 else 200 * SMALLEST)
        heights = [5e-4 * (end / SMALLEST) ** power for end in ends]
        axes.plot(ends, heights, ":", color="0.6", linewidth=1)
        axes.annotate(word, (ends[1], heights[1]), (4, 0), textcoords="offset points", color="0.5", fontsize=8, va="center")
    axes.axhline(60, color="0.8", linewidth=1)
    axes.annotate("a minute", (SMALLEST, 60), (0, 3), textcoords="offset points", color="0.5", fontsize=8)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(json.dumps(asdict(measured(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "1"))))
    else:
        run(quick="--quick" in sys.argv)
