"""`python -m benchmarks.uai FOLDER`: instances of the UAI inference competitions, next to pyAgrum.

A folder has NAME.uai (MARKOV or BAYES) and NAME.uai.evid for each instance, and may have published answers: NAME.uai.PR,
NAME.uai.MAR and NAME.uai.MAP, each of them with or without .gz. Every answer is sought in a process of its own, with so much
memory and so much time. The error of PR is the difference of the decimal logarithms, that of MAR the largest difference of a
probability, and MPE says by how many powers of ten ours is more probable than the published assignment.

    python -m benchmarks.uai FOLDER --names Grids_11 --names Pedigree_11 --without-peers
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from benchmarks import uai_answers
from benchmarks.harness import duration, wide_console

TASKS = ("PR", "MAR", "MPE")
REFERENCES = {"PR": "PR", "MAR": "MAR", "MPE": "MAP"}
CONTENDERS = {"dconvex": TASKS, "pyAgrum": ("MAR",)}
"""Which tasks each has: pyAgrum's Markov networks have neither a partition function nor a most probable assignment."""


@dataclass(frozen=True)
class Limits:
    """What each process may take."""

    seconds: float = 60.0
    bytes: int = 8 << 30


@dataclass(frozen=True)
class Outcome:
    """What came of one process."""

    contender: str
    instance: str
    task: str
    status: str
    """solved, refused, out of time, out of memory, or failed."""
    seconds: float
    error: float | None = None
    note: str = ""

    def __str__(self) -> str:
        if self.status != "solved":
            return self.status
        return duration(self.seconds) + ("" if self.error is None else f"  {self.error:+.1e}")


def main(
    folder: Annotated[Path, typer.Argument(help="Where the instances are.")],
    names: Annotated[list[str] | None, typer.Option(help="Only these instances.")] = None,
    tasks: Annotated[list[str] | None, typer.Option(help=f"Only these of {', '.join(TASKS)}.")] = None,
    peers: Annotated[bool, typer.Option("--peers/--without-peers", help="Also ask pyAgrum.")] = True,
    seconds: Annotated[float, typer.Option(help="For each answer.")] = 60.0,
    gibibytes: Annotated[float, typer.Option(help="For each process.")] = 8.0,
    save: Annotated[Path | None, typer.Option(help="A JSON file for the outcomes.")] = None,
) -> None:
    """Answer all instances of a folder and print one table."""
    limits = Limits(seconds, int(gibibytes * 2**30))
    chosen = [name for name in instances(folder) if not names or name in names]
    if not chosen:
        raise typer.BadParameter(f"no instance in {folder}")
    console = wide_console()
    outcomes: list[Outcome] = []
    for name in chosen:
        for contender, able in CONTENDERS.items() if peers else [("dconvex", TASKS)]:
            for task in able:
                if tasks and task not in tasks:
                    continue
                with console.status(f"{name}: {task}, {contender}"):
                    outcomes.append(outcome(folder, name, task, contender, limits))
    console.print(as_table(outcomes))
    for line in summary(outcomes):
        console.print(line)
    if save is not None:
        save.write_text(json.dumps([vars(one) for one in outcomes], indent=2) + "\n", encoding="utf-8")


def instances(folder: Path) -> list[str]:
    """The names of the instances in a folder, in order."""
    return sorted({path.name.split(".uai")[0] for path in folder.iterdir() if path.name.endswith((".uai", ".uai.gz"))})


def outcome(folder: Path, name: str, task: str, contender: str, limits: Limits) -> Outcome:
    """Run one process and compare what it answers with what was published."""
    command = [sys.executable, "-m", "benchmarks.uai_answers", str(folder), name, task, contender, str(limits.bytes)]
    began = time.perf_counter()
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limits.seconds + 5)
    except subprocess.TimeoutExpired:
        return Outcome(contender, name, task, "out of time", limits.seconds)
    elapsed = time.perf_counter() - began
    lines = run.stdout.splitlines()
    if run.returncode or not lines:
        last = (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]
        status = "out of memory" if "MemoryError" in last or "bad_alloc" in last else "failed"
        return Outcome(contender, name, task, status, elapsed, note=last)
    found = json.loads(lines[-1])
    if found["status"] != "solved":
        return Outcome(contender, name, task, found["status"], elapsed, note=found["note"])
    if found["seconds"] > limits.seconds:
        return Outcome(contender, name, task, "out of time", limits.seconds)
    return Outcome(contender, name, task, "solved", found["seconds"], found["error"])


def as_table(outcomes: Sequence[Outcome]) -> Table:
    """A row for each instance, a column for each task of each contender."""
    columns = list(dict.fromkeys((one.contender, one.task) for one in outcomes))
    table = Table(title="UAI instances: time, and error against the published answer")
    table.add_column("instance", no_wrap=True)
    for contender, task in columns:
        table.add_column(f"{contender} {task}", justify="right", no_wrap=True)
    found = {(one.instance, one.contender, one.task): str(one) for one in outcomes}
    for name in dict.fromkeys(one.instance for one in outcomes):
        table.add_row(name, *(found.get((name, *column), "") for column in columns))
    return table


def summary(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """How many of each task were solved, and what became of the others."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for one in outcomes:
        counts.setdefault((one.contender, one.task), Counter())[one.status] += 1
    for (contender, task), by_status in counts.items():
        rest = ", ".join(f"{count} {status}" for status, count in sorted(by_status.items()) if status != "solved")
        yield f"{contender} {task}: {by_status['solved']} of {by_status.total()} solved" + (f"; {rest}" if rest else "")


if __name__ == "__main__":
    uai_answers.check_peers()
    typer.run(main)
