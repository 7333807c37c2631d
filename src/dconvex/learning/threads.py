"""Work spread over threads; the work knows nothing of it."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dconvex._core import Cancellation

Item = TypeVar("Item")
Result = TypeVar("Result")

TASKS = 8
"""Long work is cut into so many parts, for threads that get different shares of the processor."""
PATIENCE = 0.1
"""Seconds. Where a wait without end cannot be interrupted, Ctrl-C is heard after this time."""


def thread_count(n_jobs: int | None) -> int:
    """As in scikit-learn -1 stands for all cores and -2 for all but one; None stands for all too."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    jobs = -1 if n_jobs is None else operator.index(n_jobs)
    if jobs == 0:
        raise ValueError("n_jobs=0 would leave nobody to do the work; use -1 for all cores")
    return max(1, jobs if jobs > 0 else cores + 1 + jobs)


class Workers:
    """Threads that share work; without a pool the caller does it all.

    When the caller is interrupted or a task fails, the other tasks are called off: native loops stop at once, and other work
    before its next item.
    """

    def __init__(self, pool: ThreadPoolExecutor | None) -> None:
        self._pool = pool

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """What the work gives for each item; of errors that of the first item is raised."""
        if self._pool is None:
            return [work(item) for item in items]
        return _mapped(self._pool, Cancellation(), work, items)

    def for_each(self, work: Callable[[Item], object], items: Sequence[Item]) -> None:
        """Work on all items, many of them in one task: short tasks would mostly wait for each other."""
        if self._pool is None:
            for item in items:
                work(item)
            return
        cancellation = Cancellation()

        def work_on(bounds: tuple[int, int]) -> None:
            for item in items[bounds[0] : bounds[1]]:
                if cancellation.is_cancelled:
                    return
                work(item)

        _mapped(self._pool, cancellation, work_on, even_parts(np.ones(len(items)), TASKS))


@contextmanager
def threads(n_jobs: int | None) -> Iterator[Workers]:
    """Workers for the time of one call: no thread outlives it, so that a process can fork before and after."""
    count = thread_count(n_jobs)
    if count == 1:
        yield Workers(None)
        return
    with ThreadPoolExecutor(count) as pool:
        yield Workers(pool)


def even_parts(costs: NDArray[np.float64], parts: int) -> list[tuple[int, int]]:
    """Bounds of consecutive parts of about the same cost."""
    if not len(costs):
        return []
    reached = np.cumsum(costs)
    cuts = np.searchsorted(reached, np.linspace(0, reached[-1], parts + 1)[1:-1], side="left")
    bounds = np.unique(np.concatenate([[0], cuts, [len(costs)]]))
    return [(first, last) for first, last in pairwise(bounds.tolist())]


def _mapped(
    pool: ThreadPoolExecutor, cancellation: Cancellation, work: Callable[[Item], Result], items: Iterable[Item]
) -> list[Result]:
    def task(item: Item) -> Result:
        with cancellation:
            return work(item)

    futures: list[Future[Result]] = []
    try:
        futures.extend(pool.submit(task, item) for item in items)
        return [_result(future) for future in futures]
    except BaseException:
        cancellation.cancel()
        for future in futures:
            future.cancel()
        raise


def _result(future: Future[Any]) -> Any:
    while not future.done():
        wait([future], PATIENCE)
    return future.result()
