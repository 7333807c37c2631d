"""How contenders are timed: taking turns, within their memory, each until its time is used up; and, learned once, in a row."""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import dconvex as dc
from experiments.baselines.junction_tree import MEMORY
from experiments.contenders import Ask, Contender, Floats, Question


@dataclass
class Timing:
    """The seconds of one contender, how far its answers are from those of the global estimate, and why it is out."""

    seconds: list[float] = field(default_factory=list)
    in_a_row: list[float] = field(default_factory=list)
    gap: float = 0.0
    note: str = ""


def timed(ask: Ask, timing: Timing) -> Floats | None:
    """The answer, with no garbage collection in its time; None, and a note, where it takes too much memory."""
    gc.collect()
    gc.disable()
    answer: Floats | None = None
    try:
        with within_memory(timing):
            start = time.perf_counter()
            answer = ask()
            timing.seconds.append(time.perf_counter() - start)
    finally:
        gc.enable()
    return answer


def time_in_a_row(contender: Contender, questions: Sequence[Question], timing: Timing, patience: float) -> None:
    """Ask new questions one after the other, with nobody else between them, so that the processor's caches are its own."""
    with within_memory(timing):
        for question in questions:
            if timing.note or sum(timing.in_a_row) > patience:
                return
            ask = contender(question)
            start = time.perf_counter()
            ask()
            timing.in_a_row.append(time.perf_counter() - start)


@contextmanager
def within_memory(timing: Timing) -> Iterator[None]:
    """Whoever takes more than everybody may is out, with a note."""
    try:
        with at_most(MEMORY):
            yield
    except Exception as error:
        if not isinstance(error, MemoryError | dc.TooLargeError) and "bad_alloc" not in str(error):  # so says pyAgrum
            raise
        timing.note = f"refused: more than {MEMORY >> 30} GiB"


@contextmanager
def at_most(more: int) -> Iterator[None]:
    """So many bytes beyond what is taken already; what asks for more gets a MemoryError."""
    taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (taken + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
