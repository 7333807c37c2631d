"""Graphs from tables: our searches and those of pyBNesian, pyAgrum and pgmpy, on the same rows in one run.

Each starts from the same DataFrame of categoricals (or of numbers), uses one thread, and has a process of its own. `seconds`
are those of the processor, the least of some warm calls, with what the frame costs. Who is not done within the limit is
ended, and not asked for more rows of that network. BIC and BDeu are those of `dc.statistics(…).score` for every graph alike;
the distance is that of the CPDAGs to the network that the rows were sampled from; memory is by how much the process grew.

Results are saved as they come, and join those of earlier parts: `python -m benchmarks.structure --networks alarm,pigs --rows
10000 --contenders greedy,pyBNesian --limit 60`. Needs the extra `structure-peers`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from benchmarks import harness
from benchmarks.structure_trials import Learned, Results, Trial, run_trials

SIX = ("alarm", "hailfinder", "hepar2", "win95pts", "andes", "pigs")
MANY_STATES = ("mildew", "barley", "munin1", "diabetes")
OURS = ("greedy", "search", "ges")
PEERS = ("pyBNesian", "pyAgrum", "pgmpy")
ROWS = (1_000, 10_000, 100_000)
LIMIT = 300.0
BARS = {"alarm": 10, "hailfinder": 10, "hepar2": 20, "win95pts": 20, "andes": 20, "pigs": 20, **dict.fromkeys(MANY_STATES, 3)}
"""At 10,000 rows `greedy` is to be this many times as fast as pyBNesian."""


def plan() -> Iterator[Trial]:
    """All that there is to do."""
    for network in SIX:
        yield from _trials(network, ROWS, (*OURS, *PEERS))
    for network in MANY_STATES:
        yield from _trials(network, (10_000,), (*OURS, "pyBNesian"))
    for network in ("arth150", "gaussian-1000", "gaussian-5000"):
        yield from _trials(network, (1_000,), (*OURS, "pyBNesian", "pgmpy"))
    yield from _trials("discrete-1000", (10_000,), (*OURS, "search-2-threads", "pyBNesian", "pyAgrum"))


def _trials(network: str, sizes: Sequence[int], contenders: Sequence[str]) -> Iterator[Trial]:
    for rows in sizes:
        for contender in contenders:
            yield Trial(network, rows, 1, contender)


def run(quick: bool, folder: Path) -> None:
    """The whole plan, which takes hours; quick: the four smallest, without pgmpy and the most rows."""
    trials = list(plan())
    few = [own for own in trials if own.network in SIX[:4] and own.rows < ROWS[2] and own.contender != "pgmpy"]
    results = Results("structure", quick, folder, trials)
    _run(few if quick else trials, results, 60.0 if quick else LIMIT, known=False)


def _run(chosen: Sequence[Trial], results: Results, limit: float, *, known: bool) -> None:
    run_trials(results, chosen, limit, known)
    for network, rows in dict.fromkeys((own.network, own.rows) for own in chosen):
        same = [own for own in results.found if (own.network, own.rows) == (network, rows) and own.seconds is not None]
        harness.wide_console().print(verdict(network, rows, same), highlight=False)


def verdict(network: str, rows: int, same: Sequence[Learned]) -> str:
    """How many times as fast as pyBNesian, and whether `search` has the best score."""
    seconds = {own.contender: own.seconds for own in same if own.seconds is not None}
    scores = {own.contender: own.bic for own in same if own.bic is not None}
    head = f"{network:<15}{rows:>8,}: "
    parts: list[str] = []
    if "greedy" in seconds and "pyBNesian" in seconds:
        bar = f" (target {BARS[network]})" if rows == 10_000 and network in BARS else ""
        parts.append(f"greedy {seconds['pyBNesian'] / seconds['greedy']:.1f} times as fast as pyBNesian{bar}")
    if scores:
        parts.append(f"best BIC: {max(scores, key=scores.__getitem__)}")
    if "search" in seconds:
        parts.append(f"search took {seconds['search']:.2f} s of {max(1.0, seconds.get('pyAgrum', 0.0)):.2f}")
    return head + "; ".join(parts)


def parts_of(text: str | None) -> list[str] | None:
    """What an option lists; names may hold ", " themselves, as in "gaussian-1000"."""
    return None if text is None else [part.strip() for part in text.split(";" if ";" in text else ",")]


def main(
    networks: Annotated[str | None, typer.Option(help="Some, apart by commas; else all.")] = None,
    rows: Annotated[str | None, typer.Option(help="Numbers of rows, apart by commas; else all.")] = None,
    contenders: Annotated[str | None, typer.Option(help="Some; else all.")] = None,
    limit: Annotated[float, typer.Option(help="The most seconds of a contender for one table.")] = LIMIT,
    folder: Annotated[Path, typer.Option(help="For the results.")] = harness.RESULTS,
    known: Annotated[bool, typer.Option("--skip-known", help="Leave out what the results have.")] = False,
) -> None:
    """Run a part of the plan; the results join those that are there."""
    trials = list(plan())
    picked = chosen(trials, parts_of(networks), parts_of(rows), parts_of(contenders))
    _run(picked, Results("structure", False, folder, trials), limit, known=known)


def chosen(
    trials: Sequence[Trial], networks: list[str] | None, rows: list[str] | None, contenders: list[str] | None
) -> list[Trial]:
    """The trials of a plan that the options choose."""
    there = {"networks": {own.network for own in trials}, "contenders": {own.contender for own in trials}}
    for option, given in (("networks", networks), ("contenders", contenders)):
        for name in set(given or ()) - there[option]:
            raise typer.BadParameter(f"--{option} has {name!r}; there are {'; '.join(sorted(there[option]))}")
    return [
        own
        for own in trials
        if (networks is None or own.network in networks)
        and (rows is None or str(own.rows) in rows)
        and (contenders is None or own.contender in contenders)
    ]


if __name__ == "__main__":
    typer.run(main)
