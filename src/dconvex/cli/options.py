"""Arguments and options that several commands have, and how they show in the help."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from dconvex.cli import completion
from dconvex.cli.sizes import read_bytes


def flag(name: str, help: str) -> Any:  # noqa: A002 (typer's word)
    """A flag; without a metavar typer would print that it takes a <bool>."""
    return typer.Option(name, help=help, metavar="")


def examples(*commands: str) -> str:
    """The end of a command's help: a list in Markdown, each item a paragraph of its own as older versions of typer need it."""
    return "\n\n".join(["Examples:", *(f"- `{command}`" for command in commands)])


def variables_argument(help: str) -> Any:  # noqa: A002 (typer's word)
    """Variables of the network, any number of them."""
    return typer.Argument(metavar="VARIABLE", help=help, autocompletion=completion.variables)


NetworkArgument = Annotated[
    str,
    typer.Argument(
        metavar="NETWORK",
        help="A built-in network (see `dconvex networks`), a network file, or a model file (.dcx, see `dconvex fit`).",
        autocompletion=completion.networks,
    ),
]
OptionalNetworkArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="NETWORK",
        help="A built-in network, a network file, or a model file; without one, a start page offers them.",
        autocompletion=completion.networks,
    ),
]
JsonOption = Annotated[bool, flag("--json", "Print JSON, for programs.")]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="VARIABLE=STATE",
        help="What was observed: a state, one of several states (A=x,y), or a number; may come several times.",
        autocompletion=completion.evidence,
    ),
]
EvidenceFileOption = Annotated[
    Path | None,
    typer.Option("--evidence", metavar="FILE", help="A file of what was observed: .evid (UAI) or .json."),
]
SoftOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="VARIABLE=STATE:NUMBER,…",
        help="The likelihood of the observation in each state; may come several times.",
        autocompletion=completion.evidence,
    ),
]
MaxBytesOption = Annotated[
    int | None, typer.Option(metavar="SIZE", parser=read_bytes, help="Refuse to take more memory than this, as 500MB or 2GB.")
]
NullsOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="How a missing cell is spelled in CSV, instead of NA, null and empty cells; may come several times.",
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw it into this file: .svg, .html, or .png and .pdf with matplotlib."),
]
TARGET_HELP = (
    "The file to write; its suffix says the format: .bif, .xmlbif, .net, .uai, .xdsl, .dsc, .json, each also with .gz."
)
SEPARATORS_HELP = (
    "Minimal d-convex separators, any d-convex ones, complete ones, or all of a minimal triangulation, d-convex or not."
)


class Advice(StrEnum):
    """What typer offers for `--only`."""

    influences = "influences"
    next = "next"
    sensitivity = "sensitivity"
    effect = "effect"


class Separators(StrEnum):
    """What typer offers for `--separators`; the same as `graph.tree.Mode`."""

    minimal = "minimal"
    any = "any"
    complete = "complete"
    all = "all"


class Impossible(StrEnum):
    """The options for rows of probability zero."""

    error = "raise"
    nan = "nan"


class Missing(StrEnum):
    """The options for rows with missing cells."""

    available = "available"
    complete = "complete"
    em = "em"


class Unknown(StrEnum):
    """The options for states that the network does not have."""

    error = "raise"
    missing = "missing"


class Method(StrEnum):
    """The methods of `learn_structure`."""

    search = "search"
    greedy = "greedy"
    ges = "ges"
    pc = "pc"
    exact = "exact"
    tree = "tree"
    tan = "tan"


class Kind(StrEnum):
    """The kinds of columns."""

    discrete = "discrete"
    gaussian = "gaussian"
