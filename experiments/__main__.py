"""`python -m experiments NAME… [--quick | --smoke]`: make figures and tables of the paper, and those beyond it, anew."""

from __future__ import annotations

import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.harness import duration, wide_console
from experiments.common import FULL, QUICK, RESULTS, SMOKE, Result
from experiments.page import write_page

PAPER = ("figure1", "figure2", "figure3", "figure4", "table2", "supplement")
BEYOND = ("refinement", "gap", "related")
NAMES = (*PAPER, *BEYOND)
PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"Some of: {', '.join(NAMES)}; else all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="About a minute each instead of the paper's 100 repetitions.")] = False,
    smoke: Annotated[bool, typer.Option("--smoke", help="A few seconds each, only to see that it runs.")] = False,
    folder: Annotated[Path | None, typer.Option(help="For the results, whatever the setting.")] = None,
) -> None:
    """Print our numbers next to the paper's, and write tables, pictures and a page of both.

    Only the full setting replaces experiments/results and docs/reproduction.md; the others write to a temporary folder.
    """
    for name in names or NAMES:
        if name not in NAMES:
            raise typer.BadParameter(f"no experiment is called {name!r}; there are: {', '.join(NAMES)}")
    setting = SMOKE if smoke else QUICK if quick else FULL
    target = folder or (RESULTS if setting is FULL else Path(tempfile.mkdtemp(prefix="experiments-")))
    target.mkdir(parents=True, exist_ok=True)
    console = wide_console()
    for name in names or NAMES:
        start = time.perf_counter()
        with console.status(name):
            result: Result = import_module(f"experiments.{name}").run(setting, target)
        result.write(target)
        console.print(result.as_table())
        console.print(f"{name} took {duration(time.perf_counter() - start)}; results in {target}\n", style="dim")
    write_page(NAMES, target, PAGE if target == RESULTS else target / "reproduction.md")


if __name__ == "__main__":
    typer.run(main)
