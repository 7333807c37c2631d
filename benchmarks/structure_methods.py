"""Classes and tests: `ges` against causal-learn's, and `pc` against pyAgrum's and pgmpy's, on the same ten samples of *alarm*.

Each starts from the same DataFrame of categoricals (causal-learn from its codes), uses one thread, and has a process of its
own. `seconds` are the processor's in a warm call; BIC is that of `dc.statistics(…).score`, the distance that of the CPDAGs to
the network from which the rows were sampled. causal-learn scores discrete data by BDeu with a prior on edges: ours is shown
with BIC, with BDeu, with BDeu and the same prior, and with BDeu where each edge costs 15.

Results are saved as they come, and join those of earlier parts: `python -m benchmarks.structure_methods --contenders
causal-learn --samples 0,1,2`. Needs the extra `structure-peers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from benchmarks import harness
from benchmarks.structure import LIMIT, chosen, parts_of
from benchmarks.structure_trials import Results, Trial, means_of, run_trials

SAMPLES = 10
CLASSES = ("ges-class", "ges-BDeu(1)", "ges-BDeu(1)-prior", "ges-BDeu(1)-15", "causal-learn")
TESTS = ("pc", "pyAgrum-PC", "pgmpy-PC")


def plan() -> Iterator[Trial]:
    """All that there is to do, sample by sample."""
    for contenders, rows, samples in ((CLASSES, 1_000, SAMPLES), (TESTS, 1_000, SAMPLES), (TESTS, 10_000, 2)):
        for seed in range(samples):
            yield from (Trial("alarm", rows, seed, contender) for contender in contenders)


def run(quick: bool, folder: Path) -> None:
    """The whole plan; quick: one sample of 1,000 rows."""
    trials = list(plan())
    results = Results("structure_methods", quick, folder, trials)
    run_trials(results, [own for own in trials if not quick or (own.seed == 0 and own.rows == 1_000)], LIMIT, False)
    _say(results)


def _say(results: Results) -> None:
    for own in means_of(results.found):
        if own.seconds is not None and own.bic is not None:
            shown = f"{own.rows:,} rows, {own.samples} samples, {own.contender}: {own.seconds:.3f} s"
            harness.wide_console().print(f"{shown}, BIC {own.bic:,.0f}, distance {own.distance:.1f}", highlight=False)


def main(
    contenders: Annotated[str | None, typer.Option(help="Some, apart by commas; else all.")] = None,
    rows: Annotated[str | None, typer.Option(help="Numbers of rows, apart by commas; else all.")] = None,
    samples: Annotated[str | None, typer.Option(help="Numbers of samples, apart by commas; else all.")] = None,
    limit: Annotated[float, typer.Option(help="The most seconds of a contender for one table.")] = LIMIT,
    folder: Annotated[Path, typer.Option(help="For the results.")] = harness.RESULTS,
    known: Annotated[bool, typer.Option("--skip-known", help="Leave out what the results have.")] = False,
) -> None:
    """Run a part of the plan; the results join those that are there."""
    trials = list(plan())
    seeds = parts_of(samples)
    picked = chosen(trials, None, parts_of(rows), parts_of(contenders))
    results = Results("structure_methods", False, folder, trials)
    run_trials(results, [own for own in picked if seeds is None or str(own.seed) in seeds], limit, known)
    _say(results)


if __name__ == "__main__":
    typer.run(main)
