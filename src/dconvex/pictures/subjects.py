"""What can be drawn, as far as drawing needs to know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dconvex.errors import NetworkError
from dconvex.names import Name

MOST = 2_000
"""Boxes in one picture; more take minutes and nobody can read them."""


class Network(Protocol):
    """A DAG over names."""

    @property
    def nodes(self) -> Sequence[Name]: ...
    @property
    def edges(self) -> Sequence[tuple[Name, Name]]: ...


class Clusters(Protocol):
    """A tree of clusters; edges are pairs of places, separators stand beside them."""

    @property
    def clusters(self) -> Sequence[frozenset[Name]]: ...
    @property
    def edges(self) -> Sequence[tuple[int, int]]: ...
    @property
    def separators(self) -> Sequence[frozenset[Name]]: ...
    @property
    def undecided(self) -> Sequence[int]: ...


def refuse_too_many(count: int, what: str, way_out: str) -> None:
    """Raise before any work is done on a picture that cannot be finished."""
    if count > MOST:
        raise NetworkError(f"{count:,} {what} are too many for a picture (at most {MOST:,}); {way_out}")


def largest(clusters: Sequence[frozenset[Name]]) -> int:
    """The place of the largest cluster, of several the first."""
    return max(range(len(clusters)), key=lambda place: len(clusters[place]), default=0)
