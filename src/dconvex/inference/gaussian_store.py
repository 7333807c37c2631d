"""The regressions of a model, by number: those of the network, and those that clusters share, derived when first needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import sqrt
from typing import Protocol, TypeAlias

import numpy as np

from dconvex._core import SmallNetwork
from dconvex.arrays import Floats
from dconvex.caching import cached_property
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.inference.basis import NO_NOISE
from dconvex.inference.gaussian_pieces import Piece
from dconvex.inference.linear_network import LinearNetwork, Shape
from dconvex.locks import Lock

IDLE_ROOT = -1
"""The number of the regression of a variable that plays no part: standard normal, without parents."""

Numbered: TypeAlias = tuple[int, float, Sequence[float], float]
"""A regression: its number, intercept, coefficients and variance."""


class RegressionSource(Protocol):
    """Where the first regressions come from when they are first needed."""

    @property
    def bytes_read(self) -> int:
        """How much has been read from a file."""

    def __len__(self) -> int:
        """How many regressions it has."""

    def read(self, table: int) -> Iterable[Numbered]:
        """A regression that was not read before, and any others that come with it."""

    def read_all(self) -> tuple[Floats, Floats, Floats]:
        """Intercepts, coefficients and variances of all of them."""


class RegressionStore:
    """Intercept and variance by number; coefficients lie along `index.core.table_parents`.

    What is derived is the same whoever asks first, and is written under a lock before it counts as known.
    """

    def __init__(
        self,
        index: ClusterIndex,
        intercept: Floats,
        coefficients: Floats,
        variance: Floats,
        source: RegressionSource | None = None,
    ) -> None:
        """The first regressions are known, or come from a source: those of the network, or all of them."""
        known, count = len(intercept), index.table_count
        self.index, self.source = index, source
        self.intercept, self.variance = np.zeros(count), np.zeros(count)
        self.coefficients = np.zeros(len(index.core.table_parents.values))
        self.intercept[:known], self.variance[:known] = intercept, variance
        self.coefficients[: len(coefficients)] = coefficients
        self.is_known = np.arange(count) < known
        self._lock = Lock()

    @classmethod
    def of_source(cls, index: ClusterIndex, source: RegressionSource) -> RegressionStore:
        """A store whose first regressions come from a source."""
        return cls(index, np.empty(0), np.empty(0), np.empty(0), source)

    @property
    def bytes_read(self) -> int:
        """How much has been read from a file."""
        return 0 if self.source is None else self.source.bytes_read

    @cached_property
    def is_degenerate(self) -> bool | None:
        """Whether a variable of the network has no noise; None where not all regressions have been read.

        What a file might say of it could hide that evidence is impossible.
        """
        return None if self.source is not None else bool((self.variance[: len(self.index.dag)] == 0).any())

    def are_degenerate(self, variables: list[int]) -> bool:
        """Whether one of these variables has no noise."""
        self.derive(set(variables))
        return bool((self.variance[variables] == 0).any())

    def read_all(self) -> None:
        """Have all regressions in memory that are not derived."""
        if self.source is None:
            return
        with self._lock:
            intercept, coefficients, variance = self.source.read_all()
            known = len(self.source)
            self.intercept[:known], self.variance[:known] = intercept, variance
            self.coefficients[: len(coefficients)] = coefficients
            self.is_known[:known] = True

    def whole(self, observed: set[int]) -> Shape:
        """The whole network, all of it needed."""
        order, lists = self.index.dag.graph.order, self.index.dag.graph.parents
        position = np.empty(len(order), np.int64)
        position[order] = np.arange(len(order))
        parents, start = position[lists.values].tolist(), lists.offsets.tolist()
        nodes: list[int] = order.tolist()
        above = [parents[start[node] : start[node + 1]] for node in nodes]
        return Shape(nodes, nodes, above, [node in observed for node in nodes], [True] * len(nodes))

    def part(self, small: SmallNetwork, observed: set[int]) -> Shape:
        """The requisite part of a small network, with the observed parents of what is requisite."""
        is_needed = small.is_requisite
        inside = is_needed.copy()
        inside[small.parents.values[is_needed[small.parents.owners()]]] = True
        order = np.flatnonzero(inside)
        order = order[np.argsort(self.index.core.graph.rank[small.nodes[order]], kind="stable")]
        position = np.full(len(small.nodes), -1, np.int64)
        position[order] = np.arange(len(order))
        parents, start = position[small.parents.values].tolist(), small.parents.offsets.tolist()
        flags: list[bool] = is_needed[order].tolist()
        above = [parents[start[v] : start[v + 1]] if own else [] for v, own in zip(order.tolist(), flags, strict=True)]
        nodes = small.nodes[order].tolist()
        return Shape(nodes, small.tables[order].tolist(), above, [node in observed for node in nodes], flags)

    def network(self, shape: Shape) -> LinearNetwork:
        """The network of this shape, with what it needs derived first."""
        wanted = {table for table, is_needed in zip(shape.tables, shape.is_needed, strict=True) if is_needed and table >= 0}
        self.derive(wanted)
        return self._filled(shape)

    def derive(self, tables: set[int]) -> None:
        """Make these regressions, and those they come from, unless they are there."""
        wanted = np.array(sorted(tables), np.int64)
        if self.is_known[wanted].all():
            return
        with self._lock:
            stack: list[int] = wanted.tolist()
            while stack:
                missing = [] if self.is_known[stack[-1]] else self._derived(stack[-1])
                if missing:
                    stack.extend(missing)
                else:
                    stack.pop()

    def _derived(self, table: int) -> list[int]:
        """Read or derive a regression and keep it, or say which ones have to be there first."""
        if self.source is not None and table < len(self.source):
            for found in self.source.read(table):
                self._keep(*found)
            return []
        variable, given = int(self.index.core.table_variable[table]), self.index.parents_of(table).tolist()
        shape = self._source(table, variable, given)
        target = shape.nodes.index(variable)
        members = next(part for part in shape.pieces() if target in part) if given else range(len(shape.nodes))
        missing = [t for t in (shape.tables[member] for member in members) if t >= 0 and not self.is_known[t]]
        if missing:
            return missing
        if given:
            positions = [shape.nodes.index(node) for node in given]
            self._keep(table, *Piece(self._filled(shape), members).posterior([target]).regression(positions))
        else:
            self._keep(table, *self._moments(shape, target))
        return []

    def _keep(self, table: int, intercept: float, coefficients: Floats | Sequence[float], variance: float) -> None:
        start = self.index.core.table_parents.offsets
        self.intercept[table], self.variance[table] = intercept, variance
        self.coefficients[start[table] : start[table + 1]] = coefficients
        self.is_known[table] = True

    def _source(self, table: int, variable: int, given: list[int]) -> Shape:
        """The ancestors of a regression's variables in the cluster that it comes from; what lies behind plays no part."""
        index, core = self.index, self.index.core
        source, behind = int(core.source[table]), int(core.behind[table])
        first, last = core.clusters.offsets[source], core.clusters.offsets[source + 1]
        tables, toward = core.member_table[first:last].tolist(), core.toward[first:last].tolist()
        held = {
            node: IDLE_ROOT if onward == behind else own
            for node, own, onward in zip(core.clusters[source].tolist(), tables, toward, strict=True)
        }
        inside: set[int] = set()
        waiting = [variable, *given]
        while waiting:
            node = waiting.pop()
            if node not in inside:
                inside.add(node)
                if held[node] >= 0:
                    waiting.extend(index.parents_of(held[node]).tolist())
        nodes = sorted(inside, key=core.graph.rank.__getitem__)
        position = {node: number for number, node in enumerate(nodes)}
        own = [held[node] for node in nodes]
        above = [[position[p] for p in index.parents_of(t).tolist()] if t >= 0 else [] for t in own]
        return Shape(nodes, own, above, [node in given for node in nodes], [True] * len(nodes))

    def _filled(self, shape: Shape) -> LinearNetwork:
        tables, counts = np.array(shape.tables, np.int64), np.array([len(parents) for parents in shape.parents], np.int64)
        ends = np.cumsum(counts)
        entries = np.repeat(self.index.core.table_parents.offsets[tables] - ends + counts, counts) + np.arange(counts.sum())
        flat, bounds = self.coefficients[entries].tolist(), [0, *ends.tolist()]
        coefficients = [flat[first:last] for first, last in pairwise(bounds)]
        intercept = np.where(tables >= 0, self.intercept[tables], 0.0)
        variance = np.where(tables >= 0, self.variance[tables], 1.0)
        return LinearNetwork(shape, coefficients, intercept, variance)

    def _moments(self, shape: Shape, target: int) -> tuple[float, tuple[()], float]:
        """The regression of a variable on nothing: its mean and variance, with plain numbers, for most clusters are tiny."""
        start = self.index.core.table_parents.offsets
        weight, size = [0.0] * len(shape.nodes), [0.0] * len(shape.nodes)
        weight[target] = size[target] = 1.0
        mean = variance = 0.0
        for position in range(target, -1, -1):
            table, own, own_size = shape.tables[position], weight[position], size[position]
            if abs(own) <= NO_NOISE * own_size:  # all its terms are there, and cancel
                continue
            noise = own * sqrt(float(self.variance[table]))
            mean += own * float(self.intercept[table])
            variance += noise * noise
            if parents := shape.parents[position]:
                for parent, coefficient in zip(
                    parents, self.coefficients[start[table] : start[table + 1]].tolist(), strict=True
                ):
                    weight[parent] += coefficient * own
                    size[parent] += abs(coefficient) * own_size
        return mean, (), variance
