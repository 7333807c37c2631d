"""Work spread over threads; the work knows nothing of it."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray


def thread_count(n_jobs: int | None) -> int:
    """As in scikit-learn -1 stands for all cores and -2 for all but one; None stands for all too."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    jobs = -1 if n_jobs is None else operator.index(n_jobs)
    if jobs == 0:
        raise ValueError("n_jobs=0 would leave nobody to do the work; use -1 for all cores")
    return max(1, jobs if jobs > 0 else cores + 1 + jobs)


Spread: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]


@contextmanager
def threads(n_jobs: int | None) -> Iterator[Spread]:
    """A function that maps over items, on so many threads; the first error of any is raised."""
    count = thread_count(n_jobs)
    if count == 1:
        yield lambda work, items: [work(item) for item in items]
        return
    with ThreadPoolExecutor(count) as pool:
        yield lambda work, items: list(pool.map(work, items))


def even_parts(costs: NDArray[np.float64], parts: int) -> list[tuple[int, int]]:
    """Bounds of consecutive parts of about the same cost."""
    if not len(costs):
        return []
    reached = np.cumsum(costs)
    cuts = np.searchsorted(reached, np.linspace(0, reached[-1], parts + 1)[1:-1], side="left")
    bounds = np.unique(np.concatenate([[0], cuts, [len(costs)]]))
    return [(first, last) for first, last in pairwise(bounds.tolist())]


def spread_evenly(spread: Spread, work: Callable[[Any], None], items: Sequence[Any]) -> None:
    """Work on all items, many of them in one task: short tasks would mostly wait for each other."""

    def work_on(bounds: tuple[int, int]) -> None:
        for item in items[bounds[0] : bounds[1]]:
            work(item)

    spread(work_on, even_parts(np.ones(len(items)), 8))
