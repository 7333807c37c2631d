"""Models that learn: their methods that go over rows with gaps, which find the learning layer when they are called.

Expected statistics are made in `dconvex.learning`, a layer above the models. `dconvex` hands it down to them by `learn_with`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class RowOptions(NamedTuple):
    """How rows are read."""

    weights: str | int | None
    unknown: Literal["raise", "missing"]
    n_jobs: int | None
    max_bytes: float | None
    progress: bool


class AddedStatistics(Protocol):
    """What `dconvex.Statistics` are, to a layer below."""

    @property
    def rows(self) -> int: ...
    def score(self, criterion: Literal["bic", "aic", "bdeu"] = ..., equivalent_sample_size: float = ...) -> float: ...
    def save(self, path: str | Path) -> None: ...
    def __add__(self, other: object) -> AddedStatistics: ...


class Learner(Protocol):
    """What makes expected statistics, `dconvex.learning.expecting`."""

    def expected_statistics(self, model: object, data: object, options: RowOptions) -> AddedStatistics: ...


_find_learner: Callable[[], Learner] | None = None


def learn_with(find_learner: Callable[[], Learner]) -> None:
    """Set the function that finds the learner; it is called when a model is asked for expected statistics."""
    global _find_learner
    _find_learner = find_learner


def learner() -> Learner:
    """The learner."""
    if _find_learner is None:
        raise RuntimeError("no learner is set; import dconvex to set it")
    return _find_learner()
