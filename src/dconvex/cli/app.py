"""The typer application: each command's signature, help and examples."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dconvex import __version__
from dconvex.cli.convert import convert_file
from dconvex.cli.decompose import decompose_network
from dconvex.cli.networks import print_networks
from dconvex.cli.show import print_network

NetworkArgument = Annotated[str, typer.Argument(help="A built-in network (see `dconvex networks`) or a network file.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


SEPARATORS_HELP = (
    "Minimal d-convex separators, any d-convex ones, complete ones, or all of a minimal triangulation, d-convex or not."
)


class Separators(StrEnum):
    """What typer offers for `--separators`; the same as `graph.tree.Mode`."""

    minimal = "minimal"
    any = "any"
    complete = "complete"
    all = "all"


app = typer.Typer(
    help="Bayesian networks split along d-convex separators.",
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def networks(json: JsonOption = False) -> None:
    """List the built-in networks.

    Example: `dconvex networks`
    """
    print_networks(as_json=json)


@app.command()
def show(
    network: NetworkArgument,
    variables: Annotated[list[str] | None, typer.Argument(help="Print the numbers of these variables' families.")] = None,
    json: JsonOption = False,
) -> None:
    """Print the variables, states, edges and families of a network.

    Examples: `dconvex show alarm`, `dconvex show alarm HR CO`, `dconvex show my.bif`
    """
    print_network(network, variables or [], as_json=json)


@app.command()
def convert(
    source: NetworkArgument,
    target: Annotated[Path, typer.Argument(help="The file to write; its suffix tells the format.")],
    rename: Annotated[bool, typer.Option(help="Make up names where the format cannot hold the real ones.")] = False,
) -> None:
    """Write a network in another format.

    Examples: `dconvex convert a.bif b.json`, `dconvex convert alarm alarm.bif.gz`
    """
    convert_file(source, target, rename=rename)


@app.command()
def decompose(
    network: NetworkArgument,
    separators: Annotated[Separators, typer.Option(help=SEPARATORS_HELP)] = Separators.minimal,
    refine: Annotated[bool, typer.Option(help="Split further what Algorithm 2 leaves reducible.")] = True,
    effort: Annotated[int, typer.Option(min=0, help="Search steps for each cluster before it is left undecided.")] = 100_000,
    full: Annotated[bool, typer.Option("--full", help="Print all clusters of a large tree, and all their members.")] = False,
    json: JsonOption = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print the tree in Graphviz's language.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the tree into this file: .png, .svg or .pdf.")] = None,
) -> None:
    """Split a network into clusters and print their tree.

    Examples: `dconvex decompose alarm`, `dconvex decompose my.bif --separators any --full`,
    `dconvex decompose alarm --plot alarm.png`, `dconvex decompose alarm --dot | dot -Tsvg -o alarm.svg`
    """
    if json and dot:
        raise typer.BadParameter("--json and --dot exclude each other")
    decompose_network(
        network, mode=separators.value, refine=refine, effort=effort, full=full, as_json=json, dot=dot, picture=plot
    )
