"""The typer application: each command's signature, help and examples."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dconvex import __version__
from dconvex.cli.convert import convert_file
from dconvex.cli.decompose import decompose_network
from dconvex.cli.explain import explain_question
from dconvex.cli.fit import Learning, learn
from dconvex.cli.networks import print_networks
from dconvex.cli.predict import predict_targets
from dconvex.cli.query import Options, most_probable_states, query_network
from dconvex.cli.show import print_network
from dconvex.cli.sizes import read_bytes
from dconvex.cli.warmup import warm_up

NetworkArgument = Annotated[str, typer.Argument(help="A built-in network (see `dconvex networks`) or a network file.")]
ModelArgument = Annotated[
    str, typer.Argument(help="A model file (.dcx, see `dconvex fit`), a built-in network or a network file.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(metavar="VARIABLE=STATE", help="What was seen: a state, several of which it is one (A=x,y), or a number."),
]
SoftOption = Annotated[
    list[str] | None, typer.Option(metavar="VARIABLE=STATE:NUMBER,…", help="How likely the observation is in each state.")
]
MaxBytesOption = Annotated[
    int | None, typer.Option(metavar="SIZE", parser=read_bytes, help="Refuse to take more memory than this, as 500MB or 2GB.")
]


SEPARATORS_HELP = (
    "Minimal d-convex separators, any d-convex ones, complete ones, or all of a minimal triangulation, d-convex or not."
)


class Separators(StrEnum):
    """What typer offers for `--separators`; the same as `graph.tree.Mode`."""

    minimal = "minimal"
    any = "any"
    complete = "complete"
    all = "all"


class Impossible(StrEnum):
    """What becomes of rows of probability zero."""

    error = "raise"
    nan = "nan"


class Unknown(StrEnum):
    """What becomes of states that the network does not have."""

    error = "raise"
    missing = "missing"


class Kind(StrEnum):
    """What columns are."""

    discrete = "discrete"
    gaussian = "gaussian"


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


@app.command()
def fit(
    structure: NetworkArgument,
    data: Annotated[list[str], typer.Argument(help="CSV or Parquet files, folders or patterns.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model file to write, .dcx.")],
    kind: Annotated[Kind | None, typer.Option(help="What the columns are, if not what the structure says.")] = None,
    prior: Annotated[str | None, typer.Option(metavar="NAME[:NUMBER]", help="bdeu:10, dirichlet:1 or nig.")] = None,
    coherent: Annotated[bool, typer.Option("--coherent", help="Let all clusters agree with the global estimate.")] = False,
    own_states: Annotated[
        bool, typer.Option("--own-states", help="Take the states from the data instead of from the structure.")
    ] = False,
    unknown: Annotated[
        Unknown, typer.Option(help="States that the structure does not have: an error, or missing.")
    ] = Unknown.error,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Save the counts too, so that the model can be updated.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores.")] = -1,
    max_bytes: MaxBytesOption = None,
    json: JsonOption = False,
) -> None:
    """Learn a model from data: each cluster of the structure from its own columns.

    Examples: `dconvex fit structure.bif data.parquet -o model.dcx`,
    `dconvex fit alarm one.csv two.csv -o model.dcx --prior bdeu:10`,
    `dconvex fit structure.json rows/ -o model.dcx --coherent --statistics`
    """
    how = Learning(kind.value if kind else None, prior, coherent, own_states, unknown.value, statistics, jobs, max_bytes)
    learn(structure, data, out, how, as_json=json)


@app.command()
def query(
    network: ModelArgument,
    variables: Annotated[list[str] | None, typer.Argument(help="Ask for these together; without any, for each one.")] = None,
    given: GivenOption = None,
    soft: SoftOption = None,
    each: Annotated[bool, typer.Option("--each", help="A table for each variable instead of one for all together.")] = False,
    most_probable: Annotated[bool, typer.Option("--most-probable", help="Ask for the most probable joint state.")] = False,
    sampling: Annotated[int | None, typer.Option(min=2, help="Estimate the answer from so many samples.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Draw the same samples every time.")] = None,
    max_bytes: MaxBytesOption = None,
    full: Annotated[bool, typer.Option("--full", help="Print all states of a large table.")] = False,
    json: JsonOption = False,
) -> None:
    """Ask for probabilities given what is known.

    Examples: `dconvex query alarm HR CO --given BP=LOW`, `dconvex query alarm --given BP=LOW,NORMAL --given CVP=HIGH`,
    `dconvex query alarm HR --soft BP=LOW:0.7,NORMAL:0.2`, `dconvex query alarm --most-probable --given BP=LOW`,
    `dconvex query ecoli70 lacA --given aceB=1.5`, `dconvex query model.dcx HR CO --sampling 10000 --seed 1`
    """
    if most_probable and (each or sampling is not None):
        raise typer.BadParameter("--most-probable goes neither with --each nor with --sampling")
    options = Options(each, sampling, seed, max_bytes, full, as_json=json)
    ask = most_probable_states if most_probable else query_network
    ask(network, variables or [], given or [], soft or [], options)


@app.command()
def explain(
    network: ModelArgument,
    variables: Annotated[list[str], typer.Argument(help="The variables to ask for.")],
    given: GivenOption = None,
    soft: SoftOption = None,
    max_bytes: MaxBytesOption = None,
    json: JsonOption = False,
) -> None:
    """Print how a question will be answered, and by which clusters.

    Examples: `dconvex explain alarm HR CO --given BP=LOW`, `dconvex explain my.bif x --given y=1 --json`
    """
    explain_question(network, variables, given or [], soft or [], max_bytes=max_bytes, as_json=json)


@app.command()
def predict(
    network: ModelArgument,
    data: Annotated[
        Path, typer.Argument(help="The rows: .csv, .csv.gz or .parquet, a column for each variable that was seen.")
    ],
    target: Annotated[list[str], typer.Option(help="The variable to predict; may come several times.")],
    proba: Annotated[
        bool, typer.Option("--proba", help="The probability of each state instead of the most probable one.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Write into this file, .csv or .csv.gz, instead of the terminal.")] = None,
    impossible: Annotated[
        Impossible, typer.Option(help="Rows of probability zero: an error, or empty cells.")
    ] = Impossible.error,
    unknown: Annotated[
        Unknown, typer.Option(help="States that are not in the network: an error, or not seen.")
    ] = Unknown.error,
    max_bytes: MaxBytesOption = None,
) -> None:
    """Predict variables for each row of a table; missing cells count as not seen.

    Examples: `dconvex predict alarm rows.csv --target HR`, `dconvex predict alarm rows.parquet --target HR --target CO --proba
    --out chances.csv`, `dconvex predict alarm rows.csv --target HR --impossible nan --unknown missing`
    """
    predict_targets(
        network, data, target, proba=proba, out=out, impossible=impossible.value, unknown=unknown.value, max_bytes=max_bytes
    )


@app.command()
def warmup(json: JsonOption = False) -> None:
    """Compile all kernels ahead of time, so that nobody waits for them later.

    Example: `dconvex warmup`, after an installation or when an image is built
    """
    warm_up(as_json=json)
