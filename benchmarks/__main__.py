"""`python -m benchmarks [NAMES] [--quick]`: run all benchmarks, or those named."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from benchmarks import growth, harness

RACES = ("reading", "sampling", "decomposition")
MEMBERS = (*RACES, "growth")


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"Some of: {', '.join(MEMBERS)}; else all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer cases, smaller ones, fewer repeats.")] = False,
) -> None:
    """Time dconvex and its peers on the same work, print medians and ratios, and write benchmarks/results/NAME.json."""
    for name in names or MEMBERS:
        if name not in MEMBERS:
            raise typer.BadParameter(f"no benchmark is called {name!r}; there are: {', '.join(MEMBERS)}")
    for name in names or MEMBERS:
        if name in RACES:
            harness.run(name, import_module(f"benchmarks.{name}").cases(quick), quick=quick)
        else:
            growth.run(quick)


if __name__ == "__main__":
    typer.run(main)
