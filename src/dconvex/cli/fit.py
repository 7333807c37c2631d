"""`dconvex fit`."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

import typer
from rich.console import Console
from rich.text import Text

from dconvex.cli.data import STDIN, received
from dconvex.cli.sources import MODEL_SUFFIX, find_structure
from dconvex.cli.targets import check_target
from dconvex.cli.terminal import print_json
from dconvex.errors import FormatError, UnknownVariableError
from dconvex.graph.dag import Dag, as_dag
from dconvex.inference.model import LocalModel
from dconvex.learning.discretization import discretize
from dconvex.learning.discretizer import Discretizer
from dconvex.learning.estimation.priors import BDeu, Dirichlet, NormalInverseGamma, Prior
from dconvex.learning.fitting import fit
from dconvex.names import Label, Name
from dconvex.network.network import BayesianNetwork


@dataclass(frozen=True)
class Learning:
    """How a model is learned."""

    kind: Literal["discrete", "gaussian"] | None = None
    prior: str | None = None
    coherent: bool = False
    own_states: bool = False
    unknown: Literal["raise", "missing"] = "raise"
    statistics: bool = False
    jobs: int = -1
    max_bytes: int | None = None
    missing: Literal["available", "complete", "em"] = "available"
    weights: str | None = None
    bins: int | None = None
    """The number of intervals that numbers are cut into; None: they are not cut, or into five if columns are named."""
    discretize: Sequence[str] = ()
    null_values: Sequence[str] | None = None
    """How missing cells are spelled; None: as usual."""


def learn(structure: str, data: Sequence[str], out: Path, how: Learning, *, as_json: bool = False) -> None:
    """Learn a model from files and write it."""
    check_model_target(out)
    if how.jobs == 0:
        raise typer.BadParameter("the number of threads must not be 0; -1 uses all cores", param_hint="--jobs")
    known = find_structure(structure)
    network = known if isinstance(known, BayesianNetwork) else None
    prior = read_prior(how.prior)
    start = time.perf_counter()
    with as_files(data) as files:
        nulls: NullOption = {} if how.null_values is None else {"null_values": how.null_values}
        cut = _discretizer(files, how, as_dag(known), nulls)
        model = fit(
            known,
            files,
            kind=how.kind or (network.kind if network else None),
            states=_states(network, how, cut),
            discretizer=cut,
            **nulls,
            prior=prior,
            coherent=how.coherent,
            missing=how.missing,
            weights=how.weights,
            unknown=how.unknown,
            n_jobs=how.jobs,
            max_bytes=how.max_bytes,
            progress=Console(stderr=True).is_terminal,
        )
    seconds = time.perf_counter() - start
    model.save(out, statistics=how.statistics)
    if as_json:
        print_json({"model": str(out), "seconds": seconds, "clusters": len(model.tree), **model.report().record()})
        return
    print_learned(Console(soft_wrap=True), model, out, seconds)


class NullOption(TypedDict, total=False):
    """An option that is left out where it is not given."""

    null_values: Sequence[str]


def _discretizer(files: list[str], how: Learning, dag: Dag, nulls: NullOption) -> Discretizer | None:
    """The intervals that are asked for."""
    if how.bins is None and not how.discretize:
        return None
    if unknown := [name for name in how.discretize if name not in dag]:
        raise UnknownVariableError(unknown[0], dag.nodes)
    return discretize(files, how.discretize or None, 5 if how.bins is None else how.bins, **nulls)


def _states(network: BayesianNetwork | None, how: Learning, cut: Discretizer | None) -> dict[Name, tuple[Label, ...]] | None:
    """The states that the structure declares, but for those that are cut into intervals."""
    if network is None or how.own_states or not network.states:
        return None
    return {name: labels for name, labels in network.states.items() if cut is None or name not in cut.edges}


def read_prior(spelled: str | None) -> Prior | None:
    """`bdeu:10`, `dirichlet:1`, `nig`."""
    if spelled is None or spelled == "none":
        return None
    name, colon, number = spelled.lower().partition(":")
    try:
        if name == "bdeu":
            return BDeu(float(number)) if colon else BDeu()
        if name == "dirichlet":
            return Dirichlet(float(number)) if colon else Dirichlet()
        if name == "nig":
            return NormalInverseGamma(float(number)) if colon else NormalInverseGamma()
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--prior") from None
    raise typer.BadParameter(f"there is no prior {name!r}; there are bdeu:10, dirichlet:1 and nig", param_hint="--prior")


@contextmanager
def as_files(data: Sequence[str]) -> Iterator[list[str]]:
    """The files and folders, with what comes from stdin as one of them: rows may be read more than once."""
    if STDIN not in data:
        yield list(data)
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "stdin.csv"
        with rows.open("wb") as file:
            file.writelines(received())
        yield [str(rows) if name == STDIN else name for name in data]


def check_model_target(out: Path) -> None:
    """Raise unless a model file can be written there."""
    if out.suffix.lower() != MODEL_SUFFIX:
        raise FormatError(f"a model file ends in {MODEL_SUFFIX}, not in {out.suffix!r}", path=str(out))
    check_target(out)


def print_learned(console: Console, model: LocalModel, out: Path, seconds: float) -> None:
    """Say what was learned and written."""
    console.print(Text(f"{model}, learned in {seconds:.2f} s", style="bold"))
    console.print(Text(str(model.report())))
    size = out.stat().st_size
    console.print(Text(f"wrote {out}: {size:,} bytes; dconvex query {out} … asks it", style="dim"))
