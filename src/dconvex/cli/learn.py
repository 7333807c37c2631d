"""`dconvex learn`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer
from rich.console import Console
from rich.text import Text

from dconvex.cli.fit import NullOption, as_files, check_model_target, print_learned, read_prior
from dconvex.cli.targets import check_target
from dconvex.cli.terminal import print_json
from dconvex.errors import DconvexError, FormatError
from dconvex.formats import write
from dconvex.formats.structures import FORMATS, structure_format
from dconvex.learning.estimation.priors import BDeu
from dconvex.learning.fitting import fit
from dconvex.structure.learned_structure import Structure
from dconvex.structure.structure_learning import MethodName, learn_structure
from dconvex.structure.structure_options import StructureScore

ARROW = "->"


@dataclass(frozen=True)
class GraphLearning:
    """How a structure is learned, and the model over it."""

    method: MethodName = "search"
    score: str = "bic"
    kind: Literal["discrete", "gaussian"] | None = None
    required: Sequence[str] = ()
    forbidden: Sequence[str] = ()
    tiers: Sequence[str] = ()
    max_parents: int | None = None
    target: str | None = None
    edge_penalty: float = 0.0
    alpha: float = 0.01
    seed: int = 0
    max_seconds: float | None = None
    missing: Literal["available", "complete", "em"] = "available"
    weights: str | None = None
    null_values: Sequence[str] | None = None
    """How missing cells are spelled; None: as usual."""
    prior: str | None = None
    jobs: int = -1
    max_bytes: int | None = None


def learn_network(data: Sequence[str], out: Path, how: GraphLearning, *, structure_only: bool, as_json: bool) -> None:
    """Learn a graph from files, and a model over it; write the model, or the graph alone."""
    _check_out(out, structure_only=structure_only)
    if how.jobs == 0:
        raise typer.BadParameter("the number of threads must not be 0; -1 uses all cores", param_hint="--jobs")
    prior, is_watched = read_prior(how.prior), Console(stderr=True).is_terminal
    nulls: NullOption = {} if how.null_values is None else {"null_values": how.null_values}
    start = time.perf_counter()
    with as_files(data) as files:
        found = _learned(files, how, nulls, progress=is_watched)
        seconds = time.perf_counter() - start
        if structure_only:
            write(found.dag, out)
            _report(found, out, seconds, as_json=as_json)
            return
        model = fit(
            found, files, kind=how.kind, prior=prior, missing=how.missing, weights=how.weights, n_jobs=how.jobs,
            max_bytes=how.max_bytes, progress=is_watched, **nulls,
        )  # fmt: skip
    model.save(out)
    if as_json:
        print_json({**_record(found, out, "model"), "seconds": time.perf_counter() - start, **model.report().record()})
        return
    console = Console(soft_wrap=True)
    console.print(Text(f"{found}, learned in {seconds:.2f} s", style="bold"))
    print_learned(console, model, out, time.perf_counter() - start - seconds)


def read_score(spelled: str) -> StructureScore:
    """`bic`, `aic`, `bdeu`, `bdeu:10`, `bge`."""
    name, colon, number = spelled.lower().partition(":")
    try:
        if name == "bdeu" and colon:
            return BDeu(float(number))
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--score") from None
    match name:
        case "bic" | "aic" | "bdeu" | "bge" if not colon:
            return name
    raise typer.BadParameter(f"there is no score {spelled!r}; there are bic, aic, bdeu:10 and bge", param_hint="--score")


def _learned(files: list[str], how: GraphLearning, nulls: NullOption, *, progress: bool) -> Structure:
    score = read_score(how.score)
    required, forbidden = _edges(how.required, "--required"), _edges(how.forbidden, "--forbidden")
    tiers = [[name.strip() for name in tier.split(",")] for tier in how.tiers] or None
    try:
        return learn_structure(
            files, method=how.method, score=score, kind=how.kind, required=required, forbidden=forbidden, tiers=tiers,
            max_parents=how.max_parents, target=how.target, edge_penalty=how.edge_penalty, alpha=how.alpha,
            missing=how.missing, weights=how.weights, n_jobs=how.jobs, max_bytes=how.max_bytes, seed=how.seed,
            max_seconds=how.max_seconds, progress=progress, **nulls,
        )  # fmt: skip
    except DconvexError:
        raise
    except ValueError as error:  # options that do not fit
        raise typer.BadParameter(str(error)) from None


def _edges(spelled: Sequence[str], option: str) -> list[tuple[str, str]]:
    """`parent->child`, with a colon in place of the arrow too, which no shell takes for something else."""
    found = []
    for edge in spelled:
        parent, between, child = edge.partition(ARROW if ARROW in edge else ":")
        if not between or not parent.strip() or not child.strip():
            raise typer.BadParameter(f"{edge!r} is no edge; write PARENT:CHILD or 'PARENT{ARROW}CHILD'", param_hint=option)
        found.append((parent.strip(), child.strip()))
    return found


def _check_out(out: Path, *, structure_only: bool) -> None:
    if not structure_only:
        check_model_target(out)
        return
    if structure_format(out) is None:
        known = ", ".join(suffix for own in FORMATS for suffix in own.suffixes)
        raise FormatError(f"a graph without tables can be written as {known}, not as {out.suffix!r}", path=str(out))
    check_target(out)


def _record(found: Structure, out: Path, what: str) -> dict[str, object]:
    return {
        what: str(out),
        "method": found.method,
        "score": {found.criterion: found.score},
        "edges": [list(edge) for edge in found.edges],
        "notes": list(found.notes),
    }


def _report(found: Structure, out: Path, seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json({**_record(found, out, "graph"), "rows": found.rows, "seconds": seconds})
        return
    console = Console(soft_wrap=True)
    console.print(Text(f"{found}, learned in {seconds:.2f} s", style="bold"))
    console.print(Text(f"wrote {out}; dconvex fit {out} DATA -o model.dcx learns the tables", style="dim"))
