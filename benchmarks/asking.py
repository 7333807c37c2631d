"""The clock of questions: contenders answer the same questions in turn, each in a process of its own.

Such a process has a limit of memory and of time, so that a contender that runs out of either is reported and the others go
on. Ours is asked each question twice: the second time its plan is there. A time counts only if the answer agrees with
ours to 1e-9. Freeing and comparing answers is not part of the time.
"""

from __future__ import annotations

import gc
import json
import math
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rich.markup import escape
from rich.table import Table

from benchmarks import harness
from dconvex.names import Label, Name

MEMORY = 8 << 30
TOLERANCE = 1e-9
COMPARED = 1 << 16
"""About this many entries of an array are compared."""
SMALL = 12
"""Answers about at most this many variables wait until all questions in a row are answered: to look at them empties caches."""
FAILURES = 2
"""After this many a contender is out."""


@dataclass(frozen=True)
class Question:
    """The joint of `variables` given the evidence; without variables the marginals of all that are not observed."""

    variables: tuple[Name, ...] = ()
    evidence: Mapping[Name, Label] = field(default_factory=dict)


class Contender(Protocol):
    """Something that answers questions about the network it was made for."""

    def forget(self) -> None:
        """Be as after opening, or do something else for a while, where that makes a difference; this is not timed."""

    def ask(self, question: Question) -> Any:
        """The answer in the contender's own form; this is timed."""

    def values(self, question: Question, answer: Any) -> Iterable[NDArray[np.float64]] | None:
        """The same as arrays, the axes in the order asked; None if there is nothing to compare."""


@dataclass(frozen=True)
class Entry:
    """How a contender takes part.

    `rehearsal` is asked of a first one, which is thrown away (it loads), and `prelude` of the one that is timed,
    before the clock starts. One that is asked `twice` is ours; if `fresh`, it forgets all before each question. If `in_turns`,
    something else is done in its process before each question, the second time too: caches are cold then.
    """

    make: Callable[[], Contender]
    rehearsal: Sequence[Question] = ()
    prelude: Sequence[Question] = ()
    twice: bool = False
    fresh: bool = False
    in_turns: bool = False


@dataclass(frozen=True)
class Patience:
    """Seconds for one batch of questions, and in all for one contender in one case."""

    limit: float = 60.0
    budget: float = 20.0


QUICK = Patience(limit=20.0, budget=2.0)


@dataclass(frozen=True)
class Contest:
    """One case: who answers which questions; `size` is that of an answer in bytes, if its bandwidth is of interest."""

    name: str
    entries: Mapping[str, Entry]
    questions: Sequence[Question]
    batch: int = 1
    size: int = 0


@dataclass
class Row:
    """Seconds per question, infinite where there is no answer; the notes say why."""

    contender: str
    seconds: list[float] = field(default_factory=list)
    opened: float | None = None
    notes: list[str] = field(default_factory=list)

    def ratio(self, ours: Row, of: Callable[[Sequence[float]], float]) -> float | None:
        """How many times faster ours is on the questions that both were asked."""
        shared = min(len(self.seconds), len(ours.seconds))
        if shared == 0 or math.isinf(of(ours.seconds[:shared])):
            return None
        return of(self.seconds[:shared]) / of(ours.seconds[:shared])


Sketch: TypeAlias = NDArray[np.float64]
Answer: TypeAlias = tuple[float, Sketch | None, str]
"""Seconds, some of the numbers, and a note if it failed."""


def contest(case: Contest, patience: Patience) -> list[Row]:
    """The rows of ours (asked first, asked again), then those of its peers."""
    workers = {name: Worker(entry) for name, entry in case.entries.items()}
    rows = {name: Row(name) for name in workers}
    again = {name: Row(f"{name}, asked again") for name, entry in case.entries.items() if entry.twice}
    try:
        for start in range(0, len(case.questions), case.batch):
            batch = case.questions[start : start + case.batch]
            expected: list[Sketch | None] = [None] * len(batch)
            for name, worker in workers.items():
                if not _is_out(rows[name], patience):
                    answers = worker.ask(batch, patience.limit)
                    rows[name].opened = worker.opened if name in again else None
                    _enter(rows[name], answers[: len(batch)], expected)
                    if name in again:
                        _enter(again[name], answers[len(batch) :], expected)
    finally:
        for worker in workers.values():
            worker.stop()
    return [
        *(row for name in again for row in (rows[name], again[name])),
        *(row for name, row in rows.items() if name not in again),
    ]


def _is_out(row: Row, patience: Patience) -> bool:
    finite = [seconds for seconds in row.seconds if math.isfinite(seconds)]
    return sum(finite) > patience.budget or len(row.seconds) - len(finite) >= FAILURES


def _enter(row: Row, answers: Sequence[Answer], expected: list[Sketch | None]) -> None:
    """Add the times of the answers; what nobody answered before is from now on expected."""
    for place, (seconds, sketch, note) in enumerate(answers):
        known = expected[place]
        if sketch is not None and known is None:
            expected[place] = sketch
        elif sketch is not None and known is not None and (gap := _gap(sketch, known)) > TOLERANCE:
            seconds, note = math.inf, f"disagrees by {gap:.1g}"
        row.seconds.append(seconds)
        if note and note not in row.notes:
            row.notes.append(note)


def _gap(one: Sketch, other: Sketch) -> float:
    """Infinite for NaN, which agrees with nothing."""
    gap = float(np.abs(one - other).max(initial=0.0)) if one.shape == other.shape else math.inf
    return math.inf if math.isnan(gap) else gap


class Worker:
    """A contender in a process of its own, started when it is first asked and after each time it died."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.opened: float | None = None
        self.process: Any = None
        self.pipe: Any = None

    def ask(self, questions: Sequence[Question], limit: float) -> list[Answer]:
        """An answer for each question, twice as many if it is asked twice."""
        turns = len(questions) * (1 + self.entry.twice)
        if self.process is None:
            self.start()
            opened = self._received(6 * limit)
            if isinstance(opened, str):
                return [(math.inf, None, opened)] * turns
            self.opened = opened
        self.pipe.send(questions)
        answers = self._received(limit)
        return [(math.inf, None, answers)] * turns if isinstance(answers, str) else answers

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=serve, args=(end, self.entry), daemon=True)
        self.process.start()
        end.close()

    def _received(self, limit: float) -> Any:
        """What the process sends; if it does not, its end and a note."""
        try:
            if self.pipe.poll(limit):
                received = self.pipe.recv()
                if isinstance(received, str):
                    self.stop()
                return received
            note = f"> {limit:g} s"
        except EOFError:
            note = "its process died"
        self.stop()
        return note

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None


def serve(pipe: Connection, entry: Entry) -> None:
    """Open the contender, send how long that took, then answer each batch that comes."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        if entry.rehearsal:
            _asked(entry.make(), entry.rehearsal)
        start = time.perf_counter()
        contender = entry.make()
        opened = time.perf_counter() - start
        _asked(contender, entry.prelude)
    except Exception as error:
        pipe.send(_reason(error))
        return
    pipe.send(opened)
    while True:
        questions = pipe.recv()
        first = _asked(contender, questions, entry.fresh or entry.in_turns)
        pipe.send(first + _asked(contender, questions, entry.in_turns) if entry.twice else first)


def _asked(contender: Contender, questions: Iterable[Question], fresh: bool = False) -> list[Answer]:
    gc.collect()
    gc.disable()
    try:
        return [seen() for seen in [_timed(contender, question, fresh) for question in questions]]
    finally:
        gc.enable()


def _timed(contender: Contender, question: Question, fresh: bool) -> Callable[[], Answer]:
    """Ask, and look at the answer: at once, or where it is small when the result is called."""
    if fresh:
        contender.forget()
    try:
        start = time.perf_counter()
        answer = contender.ask(question)
        seconds = time.perf_counter() - start
    except Exception as error:
        failed = math.inf, None, _reason(error)
        return lambda: failed
    if 0 < len(question.variables) <= SMALL:
        return partial(_seen, contender, question, answer, seconds)
    seen = _seen(contender, question, answer, seconds)
    return lambda: seen


def _seen(contender: Contender, question: Question, answer: Any, seconds: float) -> Answer:
    try:
        return seconds, _sketch(contender.values(question, answer)), ""
    except Exception as error:
        return math.inf, None, _reason(error)


def _sketch(values: Iterable[NDArray[np.float64]] | None) -> Sketch | None:
    """Evenly spread entries of each array, found without a copy of it."""
    return None if values is None else np.concatenate([_some(part) for part in values])


def _some(part: NDArray[np.float64]) -> Sketch:
    places = np.arange(0, part.size, max(1, part.size // COMPARED))
    return part[np.unravel_index(places, part.shape)]


def _reason(error: Exception) -> str:
    return "failed: " + (str(error).strip() or type(error).__name__).splitlines()[0][:80]


def run(name: str, cases: Iterable[Contest], *, quick: bool = False, folder: Path = harness.RESULTS) -> None:
    """Run the cases, print a table and write `<name>.json`."""
    console = harness.wide_console()
    found: dict[str, list[Row]] = {}
    sizes: dict[str, int] = {}
    for case in cases:
        with console.status(f"{name}: {case.name}"):
            found[case.name], sizes[case.name] = contest(case, QUICK if quick else Patience()), case.size
    records = [{"case": case, "rows": list(_records(rows, sizes[case]))} for case, rows in found.items()]
    console.print(as_table(name, records))
    folder.mkdir(parents=True, exist_ok=True)
    record = {"benchmark": name, "quick": quick, "machine": harness.machine(), "cases": records}
    (folder / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _records(rows: Sequence[Row], size: int) -> Iterator[dict[str, Any]]:
    """`ratios` are of medians: to ours asked first and asked again, and of the worst cases, ours asked first."""
    first, again, *_ = rows
    for row in rows:
        is_peer = row is not first and row is not again
        ratios = [row.ratio(first, median), row.ratio(again, median), row.ratio(first, max)] if is_peer else []
        middle = median(row.seconds) if row.seconds else math.inf
        yield {
            "contender": row.contender,
            "opened": row.opened,
            "median": _finite(middle),
            "worst": _finite(max(row.seconds, default=math.inf)),
            "ratios": [_finite(ratio) for ratio in ratios],
            "gigabytes_per_second": size / middle / 1e9 if size and math.isfinite(middle) else None,
            "notes": row.notes,
            "seconds": [_finite(seconds) for seconds in row.seconds],
        }


def _finite(number: float | None) -> float | None:
    return None if number is None or math.isinf(number) else number


def as_table(name: str, records: Iterable[Mapping[str, Any]]) -> Table:
    table = Table(
        title=name, caption="× : how many times faster ours is, first asked, asked again, and first asked in the worst case"
    )
    for column in ("case", "contender"):
        table.add_column(column, no_wrap=True)
    for column in ("opened", "asked", "median", "worst", "× first", "× again", "× worst"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("notes")
    for record in records:
        for place, row in enumerate(record["rows"]):
            rate = row["gigabytes_per_second"]
            table.add_row(
                "" if place else record["case"],
                row["contender"],
                harness.duration(row["opened"]),
                str(len(row["seconds"])),
                harness.duration(row["median"]),
                harness.duration(row["worst"]),
                *("" if ratio is None else f"{ratio:.3g}" for ratio in row["ratios"] or [None] * 3),
                escape("; ".join([*row["notes"], *([f"{rate:.2f} GB/s"] if rate else [])])),
            )
        table.add_section()
    return table
