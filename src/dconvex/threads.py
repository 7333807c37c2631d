"""Work spread over threads; the work knows nothing of it."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, TypeAlias, TypeVar, cast

import numpy as np

from dconvex._core import Cancellation
from dconvex.arrays import Floats

Item = TypeVar("Item")
Result = TypeVar("Result")
Task: TypeAlias = Callable[[], None]

TASKS = 8
"""Long work is cut into this many parts, for threads that get different shares of the processor."""
PATIENCE = 0.1
"""Seconds. Where a wait without end cannot be interrupted, Ctrl-C is heard after this time."""


def thread_count(n_jobs: int | None) -> int:
    """The number of threads: as in scikit-learn -1 means all cores and -2 all but one; None means all, too."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    jobs = -1 if n_jobs is None else operator.index(n_jobs)
    if jobs == 0:
        raise ValueError("n_jobs must not be 0; use -1 for all cores")
    return max(1, jobs if jobs > 0 else cores + 1 + jobs)


class Workers:
    """Threads that share work; without any the caller does it all.

    When the caller is interrupted or a task fails, the other tasks are called off: native loops stop at once, and other work
    before its next item.
    """

    def __init__(self, count: int) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._threads = [Thread(target=_work, args=(self._tasks,), daemon=True) for _ in range(count)]

    def start(self) -> None:
        """Start all threads."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Wait until all threads have ended; without it they would wait for more to do."""
        try:
            self._end()
        except BaseException:  # an interrupt on the way, too, leaves no thread behind
            self._end()
            raise

    def _end(self) -> None:
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """What the work gives for each item; of errors that of the first item is raised."""
        if not self._threads:
            return [work(item) for item in items]
        return self._mapped(Cancellation(), work, items)

    def for_each(self, work: Callable[[Item], object], items: Sequence[Item]) -> None:
        """Work on all items, many of them in one task: short tasks would mostly wait for each other."""
        if not self._threads:
            for item in items:
                work(item)
            return
        cancellation = Cancellation()

        def work_on(bounds: tuple[int, int]) -> None:
            for item in items[bounds[0] : bounds[1]]:
                if cancellation.is_cancelled:
                    return
                work(item)

        self._mapped(cancellation, work_on, even_parts(np.ones(len(items)), TASKS))

    def _mapped(self, cancellation: Cancellation, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        # concurrent.futures waits with conditions, whose locks an interrupt can leave in disorder; this queue is sound
        done: SimpleQueue[tuple[int, Outcome[Result]]] = SimpleQueue()
        try:
            count = 0
            for number, item in enumerate(items):
                self._tasks.put(partial(_run, cancellation, work, item, number, done))
                count += 1
            return list(_in_order(done, count))
        except BaseException:
            cancellation.cancel()
            raise


@contextmanager
def threads(n_jobs: int | None) -> Iterator[Workers]:
    """Workers for the time of one call: no thread outlives it, so that a process can fork before and after."""
    count = thread_count(n_jobs)
    workers = Workers(count if count > 1 else 0)
    try:
        workers.start()
        yield workers
    finally:
        workers.stop()


def in_blocks(rows: int, at_once: int, n_jobs: int | None, work: Callable[[slice], None]) -> None:
    """Work on so many rows at once; the blocks are the same for any number of threads."""
    blocks = [slice(first, min(first + at_once, rows)) for first in range(0, rows, at_once)]
    with threads(max(1, min(thread_count(n_jobs), len(blocks)))) as workers:
        workers.map(work, blocks)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Result]):
    """What a task has come to."""

    error: BaseException | None
    result: Result | None = None

    def get(self) -> Result:
        if self.error is not None:
            raise self.error
        return cast("Result", self.result)


def _work(tasks: SimpleQueue[Task | None]) -> None:
    while (task := tasks.get()) is not None:
        task()
        del task  # and what it holds, while there is nothing to do


def _run(
    cancellation: Cancellation,
    work: Callable[[Item], Result],
    item: Item,
    number: int,
    done: SimpleQueue[tuple[int, Outcome[Result]]],
) -> None:
    if cancellation.is_cancelled:
        return  # nobody waits for it
    try:
        with cancellation:
            outcome = Outcome(None, work(item))
    except BaseException as error:
        outcome = Outcome(error)
    done.put((number, outcome))


def _in_order(done: SimpleQueue[tuple[int, Outcome[Result]]], count: int) -> Iterator[Result]:
    """The results by number, as soon as all before them are there."""
    waiting: dict[int, Outcome[Result]] = {}
    for number in range(count):
        while number not in waiting:
            with suppress(Empty):
                found, outcome = done.get(timeout=PATIENCE)
                waiting[found] = outcome
        yield waiting.pop(number).get()


def even_parts(costs: Floats, parts: int) -> list[tuple[int, int]]:
    """Bounds of consecutive parts of about the same cost."""
    if not len(costs):
        return []
    reached = np.cumsum(costs)
    cuts = np.searchsorted(reached, np.linspace(0, reached[-1], parts + 1)[1:-1], side="left")
    bounds = np.unique(np.concatenate([[0], cuts, [len(costs)]]))
    return [(first, last) for first, last in pairwise(bounds.tolist())]
