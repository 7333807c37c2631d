"""How long a question about two variables takes as the network grows, by how far apart they lie in the cluster tree.

A first touch is the first question to a new model, which then has no messages; later touches find them. Asked in the other
order, the same pair needs a new plan; asked once more, it does not. Opening the model is not counted.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import numpy as np
from rich.table import Table

import dconvex as dc
from benchmarks import harness
from benchmarks.shapes import SHAPES
from dconvex._core import Ragged
from dconvex.names import Name

Pair: TypeAlias = tuple[Name, Name]

GROWING = ("diamonds", "polytree")
SIZES = (1_000, 10_000, 100_000, 1_000_000)
DISTANCES: tuple[int | None, ...] = (1, 10, 100, None)
"""None: both variables are drawn from the whole network."""
PAIRS, FRESH = 50, 3
"""The number of pairs asked of one model, and of new models asked for one pair."""
BUDGET = 20.0
"""Seconds, after which no further pair is asked."""
STEPS = 1_000
"""So many walks look for a pair at a distance."""
SEED = 1
WAYS = {"first": "first touch", "planned": "later, new plan", "again": "later, same plan"}


@dataclass(frozen=True)
class Latency:
    """Medians in seconds, of the pairs at one distance in one network; `worst` is that of later touches with a new plan."""

    shape: str
    nodes: int
    distance: str
    decomposed: float
    opened: float
    """Seconds to decompose, and to open the model with that tree."""
    pairs: int
    first: float
    planned: float
    again: float
    worst: float


def run(quick: bool = False, folder: Path = harness.RESULTS) -> None:
    """Measure all sizes, print the table, and write latency.json and latency.png."""
    console = harness.wide_console()
    found: list[Latency] = []
    for shape in GROWING:
        list(measured(shape, SIZES[0] // 2, BUDGET))  # imports, caches
        for nodes in SIZES[:2] if quick else SIZES:
            with console.status(f"latency: {shape}, {nodes:,} nodes"):
                found += measured(shape, nodes, BUDGET / 20 if quick else BUDGET)
    console.print(as_table(found))
    folder.mkdir(parents=True, exist_ok=True)
    record = {"benchmark": "latency", "quick": quick, "machine": harness.machine(), "latencies": [asdict(one) for one in found]}
    (folder / "latency.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    plot(found, folder / "latency.png")


def measured(shape: str, nodes: int, budget: float) -> Iterator[Latency]:
    network = dc.random_network(SHAPES[shape].make(nodes, SEED), states=2, seed=SEED)
    decomposed, tree = timed(partial(dc.decompose, network.dag))
    opened, model = timed(partial(dc.localize, network, tree=tree))
    for distance in DISTANCES:
        pairs = list(far_apart(tree, distance)) if distance else anywhere(network.dag)
        if pairs:
            firsts = [first_touch(network, tree, pair) for pair in pairs[:FRESH]]
            later = later_touches(model, pairs, budget)
            planned, again = zip(*later, strict=True)
            times = (len(later), median(firsts), median(planned), median(again), max(planned))
            yield Latency(shape, len(network.dag), str(distance or "random"), decomposed, opened, *times)


def first_touch(network: dc.BayesianNetwork, tree: dc.ClusterTree, pair: Pair) -> float:
    model = dc.localize(network, tree=tree)
    return timed(partial(model.query, pair))[0]


def later_touches(model: Any, pairs: Sequence[Pair], budget: float) -> list[tuple[float, float]]:
    """For each pair the seconds with a new plan and with the same one."""
    found: list[tuple[float, float]] = []
    end = time.perf_counter() + budget
    for pair in pairs:
        touched = model.query(pair)
        planned, turned = timed(partial(model.query, pair[::-1]))
        again, _ = timed(partial(model.query, pair[::-1]))
        assert np.allclose(turned.values.T, touched.values, rtol=0, atol=1e-12)
        found.append((planned, again))
        if time.perf_counter() > end:
            break
    return found


def timed(work: harness.Work) -> tuple[float, Any]:
    gc.disable()
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    gc.enable()
    return seconds, result


def anywhere(dag: dc.Dag) -> list[Pair]:
    rng = np.random.default_rng(SEED)
    drawn = [rng.choice(len(dag), 2, replace=False).tolist() for _ in range(PAIRS)]
    return [(dag.nodes[one], dag.nodes[other]) for one, other in drawn]


def far_apart(tree: dc.ClusterTree, distance: int) -> Iterator[Pair]:
    """Pairs of variables for which the nearest clusters that hold them are this many steps apart."""
    rng = np.random.default_rng(SEED)
    ends = np.array(tree.edges, np.int32)
    both = np.concatenate([ends, ends[:, ::-1]])
    neighbours = Ragged.from_pairs(both[:, 0], both[:, 1], len(tree))
    found = 0
    for start in rng.integers(0, len(tree), STEPS).tolist():
        walk = _walk(neighbours, start, distance, rng)
        if len(walk) == distance + 1 and found < PAIRS:
            found += 1
            yield _only_in(tree, walk[0], walk[1]), _only_in(tree, walk[-1], walk[-2])


def _walk(neighbours: Ragged, start: int, steps: int, rng: np.random.Generator) -> list[int]:
    """A random walk that never turns back; shorter than this if it comes to an end of the tree."""
    walk = [start]
    while len(walk) <= steps:
        onward = [place for place in neighbours[walk[-1]].tolist() if place not in walk[-2:-1]]
        if not onward:
            break
        walk.append(onward[rng.integers(len(onward))])
    return walk


def _only_in(tree: dc.ClusterTree, cluster: int, other: int) -> Name:
    return min(tree.clusters[cluster] - tree.clusters[other])


def as_table(found: Iterable[Latency]) -> Table:
    table = Table(title="latency of a question about two variables")
    table.add_column("shape", no_wrap=True)
    for column in ("nodes", "decomposed", "opened", "distance", "pairs", *WAYS.values(), "worst, new plan"):
        table.add_column(column, justify="right", no_wrap=True)
    for (shape, nodes), group in groupby(found, key=lambda one: (one.shape, one.nodes)):
        head: tuple[str, ...] | None = None
        for one in group:
            opening = (shape, f"{nodes:,}", harness.duration(one.decomposed), harness.duration(one.opened))
            times = map(harness.duration, (one.first, one.planned, one.again, one.worst))
            table.add_row(*(opening if head is None else ("",) * 4), one.distance, str(one.pairs), *times)
            head = opening
        table.add_section()
    return table


def plot(found: Sequence[Latency], path: Path) -> None:
    """Seconds against nodes, both in logarithms, one panel for each way of asking."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 5), layout="constrained")
    panels = figure.subplots(1, len(WAYS), sharex=True, sharey=True)
    for axes, (way, title) in zip(panels, WAYS.items(), strict=True):
        axes.set(xscale="log", yscale="log", xlabel="nodes", title=title)
        axes.grid(which="major", color="0.92")
        axes.spines[["top", "right"]].set_visible(False)
        for shape, style in zip(GROWING, ("o-", "s--"), strict=True):
            for number, distance in enumerate(DISTANCES):
                line = [one for one in found if (one.shape, one.distance) == (shape, str(distance or "random"))]
                label = f"{SHAPES[shape].what}, {f'distance {distance}' if distance else 'anywhere'}"
                nodes, seconds = [one.nodes for one in line], [getattr(one, way) for one in line]
                if line:
                    axes.plot(nodes, seconds, style, color=f"C{number}", markersize=4, label=label)
    panels[0].set_ylabel("seconds")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=110)
