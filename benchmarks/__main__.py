"""`python -m benchmarks [NAMES] [--quick]`: run all benchmarks, or those named."""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from benchmarks import asking, harness
from benchmarks.summary import PAGE, write_summary

RACES = ("first_answer", "reading", "sampling", "decomposition", "predicting", "learning", "em", "threads", "classifying")
CONTESTS = ("queries", "pairs", "marginals")
GROWTHS = ("growth", "latency", "streaming", "storing", "interrupts", "structure", "structure_methods")
MEMBERS = (*RACES, *CONTESTS, *GROWTHS)


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"Some of: {', '.join(MEMBERS)}; else all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer cases, smaller ones, fewer repeats.")] = False,
    folder: Annotated[Path | None, typer.Option(help="For the results, quick or not.")] = None,
) -> None:
    """Time dconvex and its peers on the same work, print medians and ratios, and write NAME.json and RESULTS.md.

    Only a full run replaces what is in benchmarks/results and benchmarks/RESULTS.md; a quick one writes to a temporary folder.
    """
    for name in names or MEMBERS:
        if name not in MEMBERS:
            raise typer.BadParameter(f"no benchmark is called {name!r}; there are: {', '.join(MEMBERS)}")
    target = folder or (Path(tempfile.mkdtemp(prefix="benchmarks-")) if quick else harness.RESULTS)
    for name in names or MEMBERS:
        module = import_module(f"benchmarks.{name}")
        if name in RACES:
            harness.run(name, module.cases(quick), quick=quick, folder=target)
        elif name in CONTESTS:
            asking.run(name, module.cases(quick), quick=quick, folder=target)
        else:
            module.run(quick, target)
    page = PAGE if target == harness.RESULTS else target / "RESULTS.md"
    write_summary(MEMBERS, target, page)
    harness.wide_console().print(f"all results: {page}", style="dim")


if __name__ == "__main__":
    typer.run(main)
