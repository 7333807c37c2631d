"""One contender learns one graph in a process of its own, so that a limit of time is kept and its memory is its own.

`seconds` are those of the processor, the least of some warm calls, with what the frame costs; one that is not done in time
is ended, and has a note instead. BIC and BDeu are those of `dc.statistics(…).score` for every graph alike; the distance is
that of the CPDAGs to the network that the rows were sampled from; memory is by how much the process grew at its peak.
"""

from __future__ import annotations

import contextlib
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean

import typer

import dconvex as dc
from benchmarks import harness
from benchmarks.structure_contenders import CONTENDERS

MOST_CALLS, ENOUGH = 5, 2.0
"""Calls are repeated this often, or for as many seconds."""
RANDOM: dict[str, Callable[[], dc.BayesianNetwork]] = {
    "gaussian-1000": lambda: dc.random_gaussian_network(sparse(1_000), seed=1),
    "gaussian-5000": lambda: dc.random_gaussian_network(sparse(5_000), seed=1),
    "discrete-1000": lambda: dc.random_network(sparse(1_000), states=3, seed=1),
}
"""Networks that are made, not read."""


@dataclass(frozen=True)
class Trial:
    """Rows of a network, and who learns from them."""

    network: str
    rows: int
    seed: int
    contender: str


@dataclass(frozen=True)
class Learned:
    """What a contender came to; `note` says why it did not."""

    network: str
    rows: int
    seed: int
    contender: str
    seconds: float | None = None
    bic: float | None = None
    bdeu: float | None = None
    distance: int | None = None
    edges: int | None = None
    megabytes: float | None = None
    note: str = ""

    @property
    def trial(self) -> Trial:
        return Trial(self.network, self.rows, self.seed, self.contender)


def sparse(size: int) -> dc.Dag:
    """A random graph of one and a half edges for each variable."""
    return dc.Dag(
        [(f"x{tail}", f"x{head}") for tail, head in dc.random_dag(size, 3 * size // 2, max_parents=3, seed=1).edges],
        [f"x{number}" for number in range(size)],
    )


@cache
def truth_of(name: str) -> dc.BayesianNetwork:
    return RANDOM[name]() if name in RANDOM else dc.load_network(name)


def run_trial(trial: Trial, limit: float) -> Learned:
    """A contender in a process of its own, for at most `limit` seconds in all."""
    command = [sys.executable, "-m", "benchmarks.structure_trials", json.dumps(asdict(trial))]
    own = Learned(trial.network, trial.rows, trial.seed, trial.contender)
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, text=True, check=False)
    except subprocess.TimeoutExpired:
        return replace(own, note=f"> {limit:g} s")
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        return replace(own, note=f"failed: {reason[:120]}")
    return judged(own, json.loads(done.stdout.splitlines()[-1]))


def judged(own: Learned, answer: dict[str, object]) -> Learned:
    """The scores of a graph and its distance to the network."""
    truth = truth_of(own.network)
    frame = truth.sample(own.rows, seed=own.seed)
    seconds, megabytes, directed, undirected = (answer[name] for name in ("seconds", "megabytes", "directed", "undirected"))
    assert isinstance(directed, list)
    assert isinstance(undirected, list)
    found = dc.Cpdag(map(tuple, directed), map(tuple, undirected), truth.dag.nodes)
    dag = found.extension.dag
    statistics = dc.statistics(dag, frame, coherent=True)
    return replace(
        own,
        seconds=float(str(seconds)),
        bic=statistics.score("bic"),
        bdeu=statistics.score("bdeu") if truth.states else None,
        distance=dc.compare_structures(dag, truth).distance,
        edges=len(dag.edges),
        megabytes=float(str(megabytes)),
    )


def learned_by(trial: Trial) -> dict[str, object]:
    """What the process of a contender answers: the least time of some calls, memory, and the graph."""
    frame = truth_of(trial.network).sample(trial.rows, seed=trial.seed)
    learn = CONTENDERS[trial.contender]
    with contextlib.suppress(Exception):
        learn(frame.iloc[:100, :3])  # imports and caches
    before, times = peak_bytes(starts=True), list[float]()
    began = time.monotonic()
    while len(times) < MOST_CALLS and (not times or time.monotonic() - began < ENOUGH):
        clock = time.process_time()
        found = learn(frame)
        times.append(time.process_time() - clock)
        megabytes = (peak_bytes() - before) / 2**20
    is_dag = isinstance(found, dc.Dag)
    edges = (found.edges, ()) if isinstance(found, dc.Dag) else (found.directed, found.undirected)
    assert is_dag or isinstance(found, dc.Cpdag)
    return {"seconds": min(times), "megabytes": megabytes, "directed": list(edges[0]), "undirected": list(edges[1])}


def peak_bytes(*, starts: bool = False) -> int:
    """The most memory that this process has had; where the system allows, since the last call that `starts`."""
    with contextlib.suppress(OSError):
        if starts:
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def merged(before: Iterable[Learned], later: Iterable[Learned], order: Iterable[Trial]) -> list[Learned]:
    """All results, the later of a trial in place of the earlier, in the order of a plan."""
    found = {own.trial: own for own in (*before, *later)}
    planned = [trial for trial in order if trial in found]
    return [found.pop(trial) for trial in planned] + list(found.values())


def machine() -> dict[str, object]:
    """What the times depend on, with the peers that learn structures alone."""
    return {**harness.machine(), **{package: harness._version(package) for package in ("pybnesian", "causal-learn")}}


class Results:
    """The file of a benchmark, in which each result is saved as it comes; those that are there stay until they are replaced."""

    def __init__(self, name: str, quick: bool, folder: Path, order: Iterable[Trial]) -> None:
        self.name, self.quick, self.file, self.order = name, quick, folder / f"{name}.json", list(order)
        self.found: list[Learned] = []
        if self.file.exists():
            record = json.loads(self.file.read_text(encoding="utf-8"))
            if record["quick"] == quick and record.get("trials"):
                self.found = [Learned(**own) for own in record["trials"]]

    def add(self, own: Learned) -> None:
        """Keep a result, and write all of them."""
        self.found = merged(self.found, [own], self.order)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        means = [asdict(mean) for mean in means_of(self.found)]
        trials = [asdict(trial) for trial in self.found]
        record = {"benchmark": self.name, "quick": self.quick, "machine": machine(), "means": means, "trials": trials}
        self.file.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")

    def of(self, trial: Trial) -> Learned | None:
        """What is known of a trial."""
        return next((own for own in self.found if own.trial == trial), None)


@dataclass(frozen=True)
class Mean:
    """The means of a contender over the samples of a network."""

    network: str
    rows: int
    samples: int
    contender: str
    seconds: float | None
    bic: float | None
    bdeu: float | None
    distance: float | None
    edges: float | None
    megabytes: float | None
    note: str


def means_of(found: Iterable[Learned]) -> list[Mean]:
    """Of each contender over the samples that it has ended in time; the note says why there are fewer."""
    groups: dict[tuple[str, int, str], list[Learned]] = {}
    for own in found:
        groups.setdefault((own.network, own.rows, own.contender), []).append(own)
    return [_mean(*key, group) for key, group in groups.items()]


def _mean(network: str, rows: int, contender: str, group: list[Learned]) -> Mean:
    done = [own for own in group if own.seconds is not None]

    def over(name: str) -> float | None:
        values = [getattr(own, name) for own in done]
        return None if not values or None in values else float(fmean(values))

    notes = "; ".join(dict.fromkeys(own.note for own in group if own.note))
    return Mean(
        network, rows, len(done), contender, over("seconds"), over("bic"), over("bdeu"), over("distance"), over("edges"),
        over("megabytes"), notes,
    )  # fmt: skip


def run_trials(results: Results, trials: Iterable[Trial], limit: float, known: bool) -> None:
    """One after the other; who was not done with fewer rows of a network is not asked for more. `known`: skip what is there."""
    console = harness.wide_console()
    for trial in trials:
        if known and results.of(trial) is not None:
            continue
        own = next((own for own in results.found if gave_up(own, trial)), None)
        result = run_trial(trial, limit) if own is None else Learned(**asdict(trial), note=f"{own.note} with {own.rows:,} rows")
        results.add(result)
        console.print(line(result), highlight=False)


def gave_up(own: Learned, trial: Trial) -> bool:
    """Whether a result says that a contender need not be asked again."""
    same = (own.network, own.contender) == (trial.network, trial.contender)
    return same and own.rows < trial.rows and own.note.startswith(">") and "with" not in own.note


def line(own: Learned) -> str:
    head = f"{own.network:<15}{own.rows:>8,} {own.seed:>2} {own.contender:<18}"
    if own.seconds is None or own.bic is None:
        return f"{head} {own.note}"
    bdeu = "" if own.bdeu is None else f"  BDeu {own.bdeu:>15,.1f}"
    scores = f"BIC {own.bic:>15,.1f}{bdeu}  SHD {own.distance:>4}  {own.edges:>4} edges"
    return f"{head}{own.seconds:>9.4f} s  {scores}  {own.megabytes:>6.0f} MB"


def main(trial: str) -> None:
    """Answer one trial, given as JSON, with JSON."""
    warnings.simplefilter("ignore")
    sys.stdout.write("\n" + json.dumps(learned_by(Trial(**json.loads(trial)))) + "\n")


if __name__ == "__main__":
    typer.run(main)
