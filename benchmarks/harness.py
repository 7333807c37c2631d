"""The one clock of all benchmarks: contenders take turns on the same work, and ratios come from one run.

A case names its contenders; the first of them is ours, the one that the others are compared with. Each is called once
before it counts (imports, caches). Then they take turns, so that a machine that slows down slows all of
them, until each has had enough time or turns.
"""

from __future__ import annotations

import gc
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from rich.console import Console
from rich.markup import escape
from rich.table import Table

import dconvex

Work: TypeAlias = Callable[[], object]
Clock: TypeAlias = Callable[[], float]

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("numpy", "pandas", "pgmpy", "pyagrum", "scikit-learn")


@dataclass(frozen=True)
class Effort:
    """How long a contender is measured: `seconds` in all and `least` turns, but never more than `most` turns.

    One whose first call takes longer than `limit` seconds gets no turn at all.
    """

    seconds: float = 2.0
    least: int = 3
    most: int = 50
    limit: float = 60.0

    def enough(self, timing: Timing, case: Case) -> bool:
        turns = len(timing.seconds)
        most = min(self.most, case.most.get(timing.contender, self.most))
        return turns >= most or (turns >= self.least and sum(timing.seconds) >= self.seconds)


QUICK = Effort(seconds=0.2, most=5, limit=20.0)


@dataclass(frozen=True)
class Case:
    """The same piece of work, done by each contender.

    `most` gives some of them fewer turns than the effort does; 0: the first call is the only one, and counts. A contender with
    a `share` does only that part of the work, and its median is scaled up. `describe` says in a few words what a
    contender's first call came to.
    """

    name: str
    contenders: Mapping[str, Work]
    most: Mapping[str, int] = field(default_factory=dict)
    share: Mapping[str, float] = field(default_factory=dict)
    describe: Callable[[Any], str] | None = None


@dataclass
class Timing:
    """What the clock says of one contender; `note` says why there is no median, `result` what came out."""

    contender: str
    first: float | None = None
    seconds: list[float] = field(default_factory=list)
    note: str = ""
    result: str = ""
    share: float = 1.0
    """The part of the work that was done in this many seconds."""

    @property
    def median(self) -> float | None:
        return median(self.seconds) / self.share if self.seconds and not self.note else None

    def ratio(self, ours: Timing) -> float | None:
        """How many times faster ours is."""
        return self.median / ours.median if self.median is not None and ours.median else None

    def as_record(self, ours: Timing) -> dict[str, Any]:
        record = {**asdict(self), "median": self.median, "ratio": self.ratio(ours)}
        usual = {"result": "", "share": 1.0}
        return {key: value for key, value in record.items() if key not in usual or value != usual[key]}


def race(case: Case, effort: Effort, clock: Clock = time.perf_counter) -> list[Timing]:
    """Warm up each contender, then let them take turns; one that raises or is too slow is out, with a note."""
    timings = [Timing(name, share=case.share.get(name, 1.0)) for name in case.contenders]
    for timing in timings:
        timing.first = _measured(timing, case, clock)
        if timing.first is not None and timing.first > effort.limit:
            timing.note = f"> {effort.limit:g} s"
        elif timing.first is not None and case.most.get(timing.contender) == 0:
            timing.seconds.append(timing.first)
    gc.freeze()  # what the contenders have loaded would make each collection before a turn slow
    while waiting := [timing for timing in timings if not timing.note and not effort.enough(timing, case)]:
        for timing in waiting:
            elapsed = _measured(timing, case, clock)
            if elapsed is not None:
                timing.seconds.append(elapsed)
    gc.unfreeze()
    return timings


def _measured(timing: Timing, case: Case, clock: Clock) -> float | None:
    """Seconds of one call, with no garbage collection in it; None, and a note, when it raises."""
    work = case.contenders[timing.contender]
    gc.collect()
    gc.disable()
    try:
        start = clock()
        result = work()
        elapsed = clock() - start
        if case.describe is not None and not timing.result:
            timing.result = case.describe(result)
        del result  # after the clock has stopped: freeing it is not part of the work
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        timing.note = f"failed: {reason}"
        return None
    finally:
        gc.enable()
    return elapsed


def run(name: str, cases: Iterable[Case], *, quick: bool = False, folder: Path = RESULTS) -> None:
    """Run the cases, print a table and write `<name>.json`."""
    effort = QUICK if quick else Effort()
    console = wide_console()
    results: dict[str, list[Timing]] = {}
    for case in cases:
        with console.status(f"{name}: {case.name}"):
            results[case.name] = race(case, effort)
    console.print(as_table(name, results))
    folder.mkdir(parents=True, exist_ok=True)
    record = {"benchmark": name, "quick": quick, "machine": machine(), "cases": as_records(results)}
    (folder / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def wide_console() -> Console:
    """Standard output; wide enough for the tables where it is no terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=150)


def as_table(name: str, results: Mapping[str, list[Timing]]) -> Table:
    table = Table(title=name)
    for column in ("case", "contender"):
        table.add_column(column, no_wrap=True)
    for column in ("first call", "median", "turns", "ours faster by"):
        table.add_column(column, justify="right")
    if any(timing.result for timings in results.values() for timing in timings):
        table.add_column("result")
    for case, (ours, *peers) in results.items():
        for timing in (ours, *peers):
            ratio = None if timing is ours else timing.ratio(ours)
            table.add_row(
                case if timing is ours else "",
                timing.contender,
                duration(timing.first),
                escape(timing.note) or duration(timing.median),
                str(len(timing.seconds)),
                "" if ratio is None else f"{ratio:.3g} ×",
                *([escape(timing.result)] if timing.result else []),
            )
        table.add_section()
    return table


def as_records(results: Mapping[str, list[Timing]]) -> list[dict[str, Any]]:
    return [
        {"case": case, "timings": [timing.as_record(timings[0]) for timing in timings]} for case, timings in results.items()
    ]


def machine() -> dict[str, Any]:
    """What the times depend on."""
    return {
        "python": platform.python_version(),
        "dconvex": dconvex.__version__,
        **{package: _version(package) for package in PACKAGES},
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor())


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"
