"""Neighbour lists of a whole graph in two flat arrays (compressed sparse rows)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Indices: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """The neighbours of node i are `neighbours[start[i]:start[i + 1]]`."""

    start: Offsets
    neighbours: Indices

    def __post_init__(self) -> None:
        self.start.setflags(write=False)
        self.neighbours.setflags(write=False)

    @classmethod
    def from_lists(cls, lists: Iterable[Sequence[int]]) -> Adjacency:
        rows = list(lists)
        sizes = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        flat = np.fromiter((node for row in rows for node in row), dtype=np.int32, count=int(start[-1]))
        return cls(start, flat)

    @classmethod
    def from_pairs(cls, owners: Indices, neighbours: Indices, size: int) -> Adjacency:
        """Pairs (owner, neighbour) grouped by owner; within an owner they keep the order in which they come."""
        start = np.zeros(size + 1, np.int64)
        np.cumsum(np.bincount(owners, minlength=size), out=start[1:])
        grouped = neighbours[np.argsort(owners, kind="stable")]
        return cls(start, grouped.astype(np.int32, copy=False))

    def __len__(self) -> int:
        return len(self.start) - 1

    def of(self, node: int) -> Indices:
        return self.neighbours[self.start[node] : self.start[node + 1]]

    def owners(self) -> Indices:
        """For each entry of `neighbours`, the node whose neighbour it is."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.start))

    def reversed(self) -> Adjacency:
        """The same edges seen from their other end, sorted by neighbour."""
        return Adjacency.from_pairs(self.neighbours, self.owners(), len(self))

    def reachable(self, sources: Iterable[int]) -> Indices:
        """All nodes reached from the sources, the sources included, sorted."""
        start, neighbours = self.start, self.neighbours
        seen = bytearray(len(self))
        stack = []
        for source in sources:
            if not seen[source]:
                seen[source] = 1
                stack.append(source)
        while stack:
            node = stack.pop()
            for neighbour in neighbours[start[node] : start[node + 1]].tolist():
                if not seen[neighbour]:
                    seen[neighbour] = 1
                    stack.append(neighbour)
        return np.flatnonzero(np.frombuffer(seen, dtype=np.uint8)).astype(np.int32)
