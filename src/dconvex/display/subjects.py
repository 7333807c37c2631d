"""What can be drawn, as far as drawing needs to know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from dconvex.names import Name

SHOWN = 500
"""Boxes in a picture that shows itself without being asked for; a larger one is summarised."""
MOST = 2_000
"""Boxes in any picture; more take minutes and nobody can read them."""


class Lists(Protocol):
    """Where the list of each node starts in one long array, and where the last one ends."""

    @property
    def start(self) -> NDArray[Any]: ...


class Network(Protocol):
    """A DAG over names."""

    def __len__(self) -> int: ...
    @property
    def nodes(self) -> Sequence[Name]: ...
    @property
    def edges(self) -> Sequence[tuple[Name, Name]]: ...
    @property
    def parent_lists(self) -> Lists: ...
    @property
    def child_lists(self) -> Lists: ...


class Clusters(Protocol):
    """A tree of clusters; edges are pairs of places, separators stand beside them."""

    def __len__(self) -> int: ...
    @property
    def clusters(self) -> Sequence[frozenset[Name]]: ...
    @property
    def edges(self) -> Sequence[tuple[int, int]]: ...
    @property
    def separators(self) -> Sequence[frozenset[Name]]: ...
    @property
    def undecided(self) -> Sequence[int]: ...
    @property
    def sizes(self) -> NDArray[Any]: ...
    @property
    def separator_sizes(self) -> NDArray[Any]: ...


def largest(clusters: Sequence[frozenset[Name]]) -> int:
    """The place of the largest cluster, of several the first."""
    return max(range(len(clusters)), key=lambda place: len(clusters[place]), default=0)
