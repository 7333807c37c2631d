"""`python -m benchmarks [NAMES] [--quick]`: run all benchmarks, or those named."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from benchmarks import asking, harness
from benchmarks.summary import write_summary

RACES = ("reading", "sampling", "decomposition", "predicting", "learning")
CONTESTS = ("queries", "pairs", "marginals")
GROWTHS = ("growth", "latency", "streaming", "storing")
MEMBERS = (*RACES, *CONTESTS, *GROWTHS)


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"Some of: {', '.join(MEMBERS)}; else all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer cases, smaller ones, fewer repeats.")] = False,
) -> None:
    """Time dconvex and its peers on the same work, print medians and ratios, and write results/NAME.json and RESULTS.md."""
    for name in names or MEMBERS:
        if name not in MEMBERS:
            raise typer.BadParameter(f"no benchmark is called {name!r}; there are: {', '.join(MEMBERS)}")
    for name in names or MEMBERS:
        module = import_module(f"benchmarks.{name}")
        if name in RACES:
            harness.run(name, module.cases(quick), quick=quick)
        elif name in CONTESTS:
            asking.run(name, module.cases(quick), quick=quick)
        else:
            module.run(quick)
    write_summary(MEMBERS)


if __name__ == "__main__":
    typer.run(main)
