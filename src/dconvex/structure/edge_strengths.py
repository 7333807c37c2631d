"""How sure the edges of a learned graph are: how often they are found again in samples of the rows (Friedman et al. 1999)."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np

from dconvex.amounts import amount
from dconvex.arrays import Integers
from dconvex.caching import cached_property
from dconvex.graph.cpdag import Cpdag, NamePair
from dconvex.graph.dag import Dag, DagLike
from dconvex.learning.learning_options import EM, NULL_VALUES, Kind, Missing, StatesLike
from dconvex.names import Name
from dconvex.progress import SampleBar
from dconvex.shown import Shown
from dconvex.structure.resampling import Resampling
from dconvex.structure.structure_learning import MethodName, learn_structure
from dconvex.structure.structure_options import Edges, StructureScore
from dconvex.threads import thread_count, threads

if TYPE_CHECKING:
    from pandas import DataFrame

AT_ONCE = 16
"""Samples between two looks at the bar."""
LISTED = 30
"""The most edges that are printed."""


class SearchOptions(TypedDict, total=False):
    """Options of `learn_structure`, as they are passed on."""

    score: StructureScore
    required: Edges
    forbidden: Edges
    tiers: Sequence[Name | Iterable[Name]] | None
    max_parents: int | None
    start: DagLike | None
    target: Name | None
    edge_penalty: float
    alpha: float
    missing: Missing | EM


@dataclass(frozen=True, slots=True)
class EdgeStrength:
    """How often two variables are adjacent, and how often the edge points from the first to the second."""

    parent: Name
    child: Name
    strength: float
    """The part of the samples whose graph has an edge between the two."""
    direction: float
    """The part of these in which it leads from parent to child; edges without a direction count half. At least 0.5."""
    directed: float
    """The part of these whose class has the edge in this direction, and not only some of its graphs."""


@dataclass(frozen=True, repr=False)
class EdgeStrengths(Shown):
    """The edges that were found in any sample, the strongest first; it iterates over them."""

    nodes: tuple[Name, ...]
    """All variables in canonical order."""
    edges: tuple[EdgeStrength, ...]
    samples: int
    method: str

    @cached_property
    def threshold(self) -> float:
        """The strength above which an edge is significant: where edges fall into two groups (Scutari and Nagarajan 2013)."""
        pairs = len(self.nodes) * (len(self.nodes) - 1) // 2
        if not pairs:
            return 0.0
        found = sorted(edge.strength for edge in self.edges)
        strengths = np.concatenate([np.zeros(pairs - len(found)), found])
        steps = [0.0, *sorted(set(found) - {0.0}), 1.0]
        # the distribution of strengths, and the nearest one with zeros and ones alone: `level` is its part of zeros
        levels = np.array([np.mean(strengths <= step) for step in steps[:-1]])
        widths = np.diff(steps)
        costs = [float(np.abs(levels - level) @ widths) for level in levels]
        level = float(levels[int(np.argmin(costs))])
        return float(np.quantile(strengths, level, method="inverted_cdf"))

    def averaged(self, threshold: float) -> Dag:
        """The graph of the edges that are stronger than this, as `averaged_structure` gives it.

        Args:
            threshold: A strength.

        Returns:
            The graph, over all variables.

        Raises:
            NetworkError: Two edges join the same variables.

        """
        kept = [edge for edge in self.edges if edge.strength > threshold]
        below: dict[Name, set[Name]] = {name: {name} for name in self.nodes}
        directed: list[NamePair] = []
        undirected: list[NamePair] = []
        for edge in sorted(kept, key=lambda own: -own.directed * own.strength):
            if edge.directed > 0.5 and edge.parent not in below[edge.child]:
                directed.append((edge.parent, edge.child))
                for own in below.values():
                    if edge.parent in own:
                        own |= below[edge.child]
            else:
                undirected.append((edge.parent, edge.child))
        return Cpdag(directed, undirected, self.nodes).extension.dag

    def to_frame(self) -> DataFrame:
        """A pandas DataFrame with a row for each edge, the strongest first.

        Returns:
            The columns `parent`, `child`, `strength`, `direction` and `directed`.

        """
        import pandas

        columns = ["parent", "child", "strength", "direction", "directed"]
        return pandas.DataFrame([[getattr(edge, column) for column in columns] for edge in self.edges], columns=columns)

    def __iter__(self) -> Iterator[EdgeStrength]:
        return iter(self.edges)

    def __len__(self) -> int:
        return len(self.edges)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        count = sum(edge.strength > self.threshold for edge in self.edges)
        head = f"{amount(len(self.edges), 'edge')} in {amount(self.samples, 'sample')} of the rows ({self.method})"
        lines = [f"{head}; {count:,} above the threshold of {self.threshold:.2f}"]
        shown = self.edges[:LISTED]
        width = max((len(f"{edge.parent} → {edge.child}") for edge in shown), default=0)
        if shown:
            lines.append(f"  {'edge':<{width}}  strength  direction")
        for edge, after in pairwise((*shown, None)):
            assert edge is not None
            lines.append(f"  {f'{edge.parent} → {edge.child}':<{width}}  {edge.strength:8.2f}  {edge.direction:9.2f}")
            if after is not None and edge.strength > self.threshold >= after.strength:
                lines.append(f"  {'–' * (width + 21)}")
        if len(self.edges) > LISTED:
            lines.append(f"  … {len(self.edges) - LISTED:,} more")
        return "\n".join(lines)


def edge_strengths(
    data: object,
    samples: int = 200,
    *,
    method: MethodName = "ges",
    kind: Kind | None = None,
    states: StatesLike | None = None,
    weights: Name | None = None,
    null_values: Sequence[str] = NULL_VALUES,
    n_jobs: int | None = None,
    max_bytes: float | None = None,
    seed: int = 0,
    progress: bool = False,
    **options: Unpack[SearchOptions],
) -> EdgeStrengths:
    """Learn a graph from many samples of the rows, and count how often each edge is found.

    A sample has as many rows as the data, drawn with replacement. Edges are those of the classes of equivalent graphs, since
    the data cannot tell equivalent graphs apart.

    Args:
        data: As for `learn_structure`.
        samples: The number of samples.
        method: As for `learn_structure`; the default is quick, and refuses constraints that have a direction.
        kind: As for `learn_structure`.
        states: As for `learn_structure`.
        weights: The column of the rows' weights: a row of weight 2 is drawn twice as often.
        null_values: As for `learn_structure`.
        n_jobs: The number of threads (None: all cores); it makes no difference to the result.
        max_bytes: As for `learn_structure`.
        seed: Of the samples.
        progress: Show how far it is if it takes more than a second.
        options: `score`, `required`, `forbidden`, `tiers`, `max_parents`, `start`, `target`, `edge_penalty`, `alpha` and
            `missing`, as for `learn_structure`.

    Returns:
        A row for each edge that any sample has, the strongest first.

    Raises:
        DataError: As for `learn_structure`.
        ValueError: `samples` is no positive number, or options do not fit.

    >>> import dconvex as dc
    >>> data = dc.load_network("asia").sample(5_000, seed=1)
    >>> found = edge_strengths(data, samples=20)
    >>> found.edges[0].strength
    1.0

    """
    if isinstance(samples, bool) or operator.index(samples) < 1:
        raise ValueError(f"samples={samples!r} must be 1 or more")
    rows = Resampling.of(data, kind, states, weights, max_bytes, null_values)

    def learned(number: int) -> Cpdag:
        found = learn_structure(
            rows.sample(seed, number), method=method, kind=rows.kind, weights=rows.weights_name, n_jobs=1, seed=seed,
            max_bytes=max_bytes, **options,
        )  # fmt: skip
        return found.cpdag

    counts = _Counts(len(rows.variables))
    index = {name: number for number, name in enumerate(rows.variables)}
    with threads(min(thread_count(n_jobs), samples)) as workers, SampleBar("samples", samples, is_shown=progress) as bar:
        for first in range(0, samples, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, samples))
            for found in workers.map(learned, numbers):
                counts.add(found, index)
            bar.show(numbers.stop)
    return EdgeStrengths(rows.variables, counts.strengths(rows.variables, samples), samples, method)


def averaged_structure(strengths: EdgeStrengths, threshold: float | None = None) -> Dag:
    """The graph of the edges that are strong enough.

    An edge has a direction if most of the samples with this edge give it one; the others are directed so that no collider
    appears, where that is possible. An edge that would close a cycle is left without its direction.

    Args:
        strengths: What `edge_strengths` gives.
        threshold: Edges must be stronger than this; None: `strengths.threshold`.

    Returns:
        The graph, over all variables.

    Raises:
        ValueError: The threshold does not lie between 0 and 1.

    >>> import dconvex as dc
    >>> data = dc.load_network("asia").sample(5_000, seed=1)
    >>> averaged_structure(edge_strengths(data, samples=20)).parents("dysp")
    ('bronc', 'either')

    """
    limit = strengths.threshold if threshold is None else threshold
    if not 0 <= limit <= 1:
        raise ValueError(f"threshold={threshold!r} must lie between 0 and 1")
    return strengths.averaged(limit)


class _Counts:
    """How many graphs have an edge between two variables, and how many have it in this direction."""

    def __init__(self, size: int) -> None:
        self.adjacent: Integers = np.zeros((size, size), np.int64)
        self.directed: Integers = np.zeros((size, size), np.int64)

    def add(self, graph: Cpdag, index: dict[Name, int]) -> None:
        for one, other in (*graph.directed, *graph.undirected):
            first, second = sorted((index[one], index[other]))
            self.adjacent[first, second] += 1
        for parent, child in graph.directed:
            self.directed[index[parent], index[child]] += 1

    def strengths(self, names: Sequence[Name], samples: int) -> tuple[EdgeStrength, ...]:
        found = []
        for one, other in zip(*(ends.tolist() for ends in self.adjacent.nonzero()), strict=True):
            count = int(self.adjacent[one, other])
            there, back = int(self.directed[one, other]), int(self.directed[other, one])
            parent, child = (one, other) if there >= back else (other, one)
            direction = 0.5 + abs(there - back) / (2 * count)
            found.append(EdgeStrength(names[parent], names[child], count / samples, direction, max(there, back) / count))
        place = {name: number for number, name in enumerate(names)}
        return tuple(sorted(found, key=lambda edge: (-edge.strength, -edge.direction, place[edge.parent], place[edge.child])))
