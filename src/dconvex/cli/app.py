"""The typer application: each command's signature, help and examples. A command imports what it needs when it is invoked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dconvex import __version__
from dconvex.cli import completion
from dconvex.cli.options import (
    SEPARATORS_HELP,
    TARGET_HELP,
    Advice,
    EvidenceFileOption,
    GivenOption,
    Impossible,
    JsonOption,
    Kind,
    MaxBytesOption,
    Method,
    Missing,
    NetworkArgument,
    NullsOption,
    OptionalNetworkArgument,
    PlotOption,
    Separators,
    SoftOption,
    Unknown,
    examples,
    flag,
    variables_argument,
)
from dconvex.cli.plain_help import make_plain

EXIT_CODES = (
    "Exit codes: 0 when all went well, 1 when a question cannot be answered or a file cannot be read or written, "
    "2 when the arguments are wrong, 130 after Ctrl-C."
)

GREETING = f"""dconvex {__version__}: Bayesian networks, from a messy table to a decision. Three things to try:

  dconvex query asia lung --given smoke=yes    a question about a built-in network
  dconvex learn data.csv -o model.dcx          from your table to a model
  dconvex explore                              a page in your browser, to click through networks

dconvex --help lists all commands."""

app = typer.Typer(
    help="Bayesian networks split along d-convex separators: look at them, learn them, query them.",
    epilog="\n\n".join(
        [
            examples("dconvex networks", "dconvex show alarm", "dconvex query alarm HR --given BP=LOW"),
            "`dconvex COMMAND --help` shows the options of a command, and examples.",
            EXIT_CODES,
        ]
    ),
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, flag("--version", "Print the version and stop.")] = False,
    debug: Annotated[bool, flag("--debug", "Show the traceback of an error; may come anywhere.")] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(GREETING)


@app.command(epilog=examples("dconvex networks"))
def networks(json: JsonOption = False) -> None:
    """List the built-in networks."""
    from dconvex.cli.networks import print_networks

    print_networks(as_json=json)


@app.command(epilog=examples("dconvex show alarm", "dconvex show alarm HR CO", "dconvex show my.bif"))
def show(
    network: NetworkArgument,
    variables: Annotated[list[str] | None, variables_argument("Print the numbers of these variables' families.")] = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Print the variables, states, edges and families of a network."""
    from dconvex.cli.show import print_network

    print_network(network, variables or [], as_json=json, picture=plot)


@app.command(
    epilog=examples(
        "dconvex convert a.bif b.json", "dconvex convert alarm alarm.xdsl.gz", "dconvex convert alarm alarm.uai --rename"
    )
)
def convert(
    source: NetworkArgument,
    target: Annotated[Path, typer.Argument(metavar="FILE", help=TARGET_HELP)],
    rename: Annotated[bool, flag("--rename", "Rename variables and states that the format cannot hold.")] = False,
    json: JsonOption = False,
) -> None:
    """Write a network in another format."""
    from dconvex.cli.convert import convert_file

    convert_file(source, target, rename=rename, as_json=json)


@app.command(
    epilog=examples(
        "dconvex decompose alarm",
        "dconvex decompose my.bif --separators any --full",
        "dconvex decompose alarm --plot alarm.svg",
        "dconvex decompose alarm --dot | dot -Tsvg -o alarm.svg",
    )
)
def decompose(
    network: NetworkArgument,
    separators: Annotated[Separators, typer.Option(help=SEPARATORS_HELP)] = Separators.minimal,
    refine: Annotated[bool, flag("--refine/--no-refine", "Split further what Algorithm 2 leaves reducible.")] = True,
    effort: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Search steps for each cluster before it is left undecided.")
    ] = 100_000,
    full: Annotated[bool, flag("--full", "Print all clusters of a large tree, and all their members.")] = False,
    json: JsonOption = False,
    dot: Annotated[bool, flag("--dot", "Print the tree in Graphviz's language.")] = False,
    plot: PlotOption = None,
) -> None:
    """Split a network into clusters and print their tree."""
    from dconvex.cli.decompose import decompose_network

    if json and dot:
        raise typer.BadParameter("--json and --dot cannot be combined")
    decompose_network(
        network, mode=separators.value, refine=refine, effort=effort, full=full, as_json=json, dot=dot, picture=plot
    )


@app.command(
    epilog=examples(
        "dconvex learn rows.csv -o model.dcx",
        "dconvex learn rows.csv -o model.dcx --score bdeu:10 --prior bdeu:1",
        "dconvex learn rows.csv --structure-only -o graph.dot --method ges",
        "dconvex learn rows.csv --structure-only -o graph.txt --required HR:CO --max-parents 3",
    )
)
def learn(
    data: Annotated[
        list[str], typer.Argument(metavar="DATA", help="CSV or Parquet files, folders or patterns; - for CSV from stdin.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The model file to write, .dcx; or .bif, .txt, .csv, .dot.")
    ],
    structure_only: Annotated[bool, flag("--structure-only", "Write the graph without a model.")] = False,
    method: Annotated[Method, typer.Option(help="How the graph is found.")] = Method.search,
    score: Annotated[str, typer.Option(metavar="NAME[:NUMBER]", help="bic, aic, bdeu:10 or bge.")] = "bic",
    kind: Annotated[Kind | None, typer.Option(help="What the columns are, if not what they look like.")] = None,
    required: Annotated[
        list[str] | None, typer.Option(metavar="PARENT:CHILD", help="An edge that the graph must have; several times.")
    ] = None,
    forbidden: Annotated[
        list[str] | None, typer.Option(metavar="PARENT:CHILD", help="An edge that it must not have; several times.")
    ] = None,
    tier: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,…", help="Variables of a tier, the earliest first: no edge leads to an earlier one."),
    ] = None,
    max_parents: Annotated[int | None, typer.Option(metavar="NUMBER", help="The most parents of a variable.")] = None,
    target: Annotated[str | None, typer.Option(metavar="VARIABLE", help="The variable to classify, for tan.")] = None,
    edge_penalty: Annotated[
        float, typer.Option(metavar="NUMBER", help="What each edge costs, in the units of the score.")
    ] = 0.0,
    alpha: Annotated[float, typer.Option(metavar="NUMBER", help="The level of tests, for pc.")] = 0.01,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of the perturbations of search.")] = 0,
    max_seconds: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="Stop the search after this time with the best graph so far.")
    ] = None,
    missing: Annotated[
        Missing, typer.Option(help="Rows with missing cells: what each family has, complete rows only, or EM.")
    ] = Missing.available,
    weights: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of the rows' weights.")] = None,
    null: NullsOption = None,
    prior: Annotated[
        str | None, typer.Option(metavar="NAME[:NUMBER]", help="Of the tables: bdeu:10, dirichlet:1 or nig.")
    ] = None,
    jobs: Annotated[int, typer.Option(metavar="NUMBER", help="Threads; -1 for all cores.")] = -1,
    max_bytes: MaxBytesOption = None,
    json: JsonOption = False,
) -> None:
    """Learn a graph from data, and a model over it."""
    from dconvex.cli.learn import GraphLearning, learn_network

    how = GraphLearning(
        method.value,
        score,
        kind.value if kind else None,
        required or (),
        forbidden or (),
        tier or (),
        max_parents,
        target,
        edge_penalty,
        alpha,
        seed,
        max_seconds,
        missing.value,
        weights,
        None if null is None else tuple(null),
        prior,
        jobs,
        max_bytes,
    )
    learn_network(data, out, how, structure_only=structure_only, as_json=json)


@app.command(
    epilog=examples(
        "dconvex fit structure.bif data.parquet -o model.dcx",
        "dconvex fit alarm one.csv two.csv -o model.dcx --prior bdeu:10",
        "dconvex fit structure.json rows/ -o model.dcx --coherent --statistics",
        "dconvex fit edges.txt patients.csv -o model.dcx --bins 4",
    )
)
def fit(
    structure: Annotated[
        str,
        typer.Argument(
            metavar="STRUCTURE",
            help="What NETWORK is elsewhere; or edges in a file: .txt with a -> b on each line, .csv with columns parent and "
            "child, .dot, .bif without tables.",
            autocompletion=completion.networks,
        ),
    ],
    data: Annotated[
        list[str], typer.Argument(metavar="DATA", help="CSV or Parquet files, folders or patterns; - for CSV from stdin.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The model file to write, .dcx.")],
    kind: Annotated[Kind | None, typer.Option(help="What the columns are, if not what the structure says.")] = None,
    prior: Annotated[str | None, typer.Option(metavar="NAME[:NUMBER]", help="bdeu:10, dirichlet:1 or nig.")] = None,
    coherent: Annotated[bool, flag("--coherent", "Let all clusters agree with the global estimate.")] = False,
    own_states: Annotated[bool, flag("--own-states", "Take the states from the data instead of from the structure.")] = False,
    unknown: Annotated[
        Unknown, typer.Option(help="States that the structure does not have: an error, or missing.")
    ] = Unknown.error,
    missing: Annotated[
        Missing, typer.Option(help="Rows with missing cells: what each family has, complete rows only, or EM.")
    ] = Missing.available,
    weights: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of the rows' weights.")] = None,
    bins: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", min=1, help="Cut numbers into this many intervals, by default all columns with fractions."
        ),
    ] = None,
    discretize: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="A column to cut into intervals; may come several times.")
    ] = None,
    null: NullsOption = None,
    statistics: Annotated[bool, flag("--statistics", "Save the counts too, so that the model can be updated.")] = False,
    jobs: Annotated[int, typer.Option(metavar="NUMBER", help="Threads; -1 for all cores.")] = -1,
    max_bytes: MaxBytesOption = None,
    json: JsonOption = False,
) -> None:
    """Learn a model from data: each cluster of the structure from its own columns."""
    from dconvex.cli.fit import Learning, learn

    how = Learning(
        kind.value if kind else None,
        prior,
        coherent,
        own_states,
        unknown.value,
        statistics,
        jobs,
        max_bytes,
        missing.value,
        weights,
        bins,
        discretize or [],
        None if null is None else tuple(null),
    )
    learn(structure, data, out, how, as_json=json)


@app.command(
    epilog=examples(
        "dconvex query alarm HR CO --given BP=LOW",
        "dconvex query alarm --given BP=LOW,NORMAL --given CVP=HIGH",
        "dconvex query alarm HR --soft BP=LOW:0.7,NORMAL:0.2",
        "dconvex query alarm --most-probable --given BP=LOW",
        "dconvex query ecoli70 lacA --given aceB=1.5",
        "dconvex query model.dcx HR CO --sampling 10000 --seed 1",
        "dconvex query alarm.uai --evidence alarm.uai.evid",
    )
)
def query(
    network: NetworkArgument,
    variables: Annotated[list[str] | None, variables_argument("Ask for these together; without any, for each one.")] = None,
    given: GivenOption = None,
    soft: SoftOption = None,
    evidence: EvidenceFileOption = None,
    each: Annotated[bool, flag("--each", "A table for each variable instead of one for all together.")] = False,
    most_probable: Annotated[bool, flag("--most-probable", "Ask for the most probable joint state.")] = False,
    sampling: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=2, help="Estimate the answer from this number of samples.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="NUMBER", min=0, help="Draw the same samples every time.")] = None,
    max_bytes: MaxBytesOption = None,
    full: Annotated[bool, flag("--full", "Print all states of a large table.")] = False,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Ask for probabilities given what is known."""
    from dconvex.cli.evidence import given_in
    from dconvex.cli.query import QueryOptions, most_probable_states, query_network

    if most_probable and (each or sampling is not None):
        raise typer.BadParameter("--most-probable cannot be combined with --each or --sampling")
    if seed is not None and sampling is None:
        raise typer.BadParameter("--seed is for --sampling; other answers are exact")
    if plot is not None and (each or most_probable or not variables):
        raise typer.BadParameter("--plot draws one distribution; name its variables, without --each and --most-probable")
    options = QueryOptions(each, sampling, seed, max_bytes, full, as_json=json, picture=plot)
    ask = most_probable_states if most_probable else query_network
    ask(network, variables or [], [*(given or []), *given_in(evidence)], soft or [], options)


@app.command(
    epilog=examples(
        "dconvex do alarm HR --set BP=LOW",
        "dconvex do alarm HR CO --set BP=LOW --given CVP=HIGH --each",
        "dconvex do ecoli70 lacA --set aceB=1.5 --json",
    )
)
def do(
    network: NetworkArgument,
    variables: Annotated[list[str] | None, variables_argument("Ask for these together; without any, for each one.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="VARIABLE=STATE",
            help="What is set, a state or a number; may come several times.",
            autocompletion=completion.evidence,
        ),
    ] = None,
    given: GivenOption = None,
    soft: SoftOption = None,
    each: Annotated[bool, flag("--each", "A table for each variable instead of one for all together.")] = False,
    max_bytes: MaxBytesOption = None,
    full: Annotated[bool, flag("--full", "Print all states of a large table.")] = False,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Ask what an intervention would do: the edges into what is set are cut first."""
    from dconvex.cli.query import QueryOptions, query_network

    if not settings:
        raise typer.BadParameter("an intervention sets something: --set VARIABLE=STATE; dconvex query is for what is seen")
    if plot is not None and (each or not variables):
        raise typer.BadParameter("--plot draws one distribution; name its variables, without --each")
    options = QueryOptions(each, None, None, max_bytes, full, as_json=json, picture=plot, settings=settings)
    query_network(network, variables or [], given or [], soft or [], options)


@app.command(
    epilog=examples(
        "dconvex sample alarm --rows 5 --seed 1",
        "dconvex sample alarm --rows 1000 --given BP=LOW --out patients.csv",
        "dconvex sample model.dcx --rows 2 --json",
    )
)
def sample(
    network: NetworkArgument,
    rows: Annotated[int, typer.Option("--rows", "-n", metavar="NUMBER", min=0, help="How many rows.")] = 10,
    given: GivenOption = None,
    soft: SoftOption = None,
    seed: Annotated[int | None, typer.Option(metavar="NUMBER", min=0, help="Draw the same rows every time.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write into this file, .csv or .csv.gz, instead of the terminal."),
    ] = None,
    max_bytes: MaxBytesOption = None,
    json: JsonOption = False,
) -> None:
    """Draw rows at random, given what is known, as CSV."""
    from dconvex.cli.sample import sample_rows

    if json and out is not None:
        raise typer.BadParameter("--json prints, and --out is for CSV; redirect the output to a file instead")
    sample_rows(network, rows, given or [], soft or [], seed=seed, out=out, max_bytes=max_bytes, as_json=json)


@app.command(
    epilog=examples(
        "dconvex explain alarm HR CO --given BP=LOW",
        "dconvex explain alarm HR CO --given BP=LOW --plot plan.html",
        "dconvex explain model.dcx HR --given BP=LOW --json",
    )
)
def explain(
    network: NetworkArgument,
    variables: Annotated[list[str], variables_argument("The variables to ask for.")],
    given: GivenOption = None,
    soft: SoftOption = None,
    evidence: EvidenceFileOption = None,
    max_bytes: MaxBytesOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Print how a question will be answered, and by which clusters."""
    from dconvex.cli.evidence import given_in
    from dconvex.cli.explain import explain_question

    known = [*(given or []), *given_in(evidence)]
    explain_question(network, variables, known, soft or [], max_bytes=max_bytes, as_json=json, picture=plot)


@app.command(
    epilog=examples(
        "dconvex predict alarm rows.csv --target HR",
        "dconvex predict alarm rows.parquet --target HR --target CO --proba --out chances.csv",
        "dconvex predict alarm rows.csv --target HR --impossible nan --unknown missing",
    )
)
def predict(
    network: NetworkArgument,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="The rows: .csv, .csv.gz or .parquet, a column for each observed variable; - for CSV from stdin.",
        ),
    ],
    target: Annotated[
        list[str],
        typer.Option(
            metavar="VARIABLE",
            help="The variable to predict; may come several times.",
            autocompletion=completion.variables,
        ),
    ],
    proba: Annotated[bool, flag("--proba", "The probability of each state instead of the most probable one.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write into this file, .csv or .csv.gz, instead of the terminal."),
    ] = None,
    impossible: Annotated[
        Impossible, typer.Option(help="Rows of probability zero: an error, or empty cells.")
    ] = Impossible.error,
    unknown: Annotated[
        Unknown, typer.Option(help="States that are not in the network: an error, or not observed.")
    ] = Unknown.error,
    max_bytes: MaxBytesOption = None,
    json: JsonOption = False,
) -> None:
    """Predict variables for each row of a table; missing cells count as not observed."""
    from dconvex.cli.predict import predict_targets

    if json and out is not None:
        raise typer.BadParameter("--json prints, and --out is for CSV; redirect the output to a file instead")
    predict_targets(
        network,
        data,
        target,
        proba=proba,
        out=out,
        impossible=impossible.value,
        unknown=unknown.value,
        max_bytes=max_bytes,
        as_json=json,
    )


@app.command(
    epilog=examples(
        "dconvex evaluate model.dcx rows.csv --target HR",
        "dconvex evaluate model.dcx rows.parquet --target HR --plot calibration.svg",
        "dconvex evaluate model.dcx rows.csv --target HR --impossible nan --json",
    )
)
def evaluate(
    network: NetworkArgument,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="The rows: .csv, .csv.gz or .parquet, a column for the target and for what is observed; - for CSV from stdin.",
        ),
    ],
    target: Annotated[
        str, typer.Option(metavar="VARIABLE", help="The variable to predict.", autocompletion=completion.variables)
    ],
    weights: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of the rows' weights.")] = None,
    bins: Annotated[int, typer.Option(metavar="NUMBER", min=1, help="The number of bins of the calibration curve.")] = 10,
    impossible: Annotated[
        Impossible, typer.Option(help="Rows of probability zero: an error, or they do not count.")
    ] = Impossible.error,
    unknown: Annotated[
        Unknown, typer.Option(help="States that are not in the network: an error, or not observed.")
    ] = Unknown.error,
    max_bytes: MaxBytesOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """Compare predictions with what happened: accuracy, log loss, calibration, confusion; for numbers, errors and coverage."""
    from dconvex.cli.evaluate import EvaluationOptions, evaluate_target

    options = EvaluationOptions(weights, bins, impossible.value, unknown.value, max_bytes, as_json=json, picture=plot)
    evaluate_target(network, data, target, options)


@app.command(
    epilog=examples(
        "dconvex advise hepar2 PBC --given sex=female --given itching=present",
        "dconvex advise hepar2 PBC --only next --cost ama=5 --cost ESR=1",
        "dconvex advise asia lung --state yes --given xray=yes --only sensitivity --plot tornado.svg",
        "dconvex advise asia lung --treatment bronc --only effect",
        "dconvex advise munin1 R_APB_DENERV --explain",
    )
)
def advise(
    network: NetworkArgument,
    target: Annotated[
        str,
        typer.Argument(metavar="VARIABLE", help="The variable that the answer is about.", autocompletion=completion.variables),
    ],
    given: GivenOption = None,
    soft: SoftOption = None,
    state: Annotated[
        str | None, typer.Option(metavar="STATE", help="The state of the variable to look at; without, the most probable one.")
    ] = None,
    candidate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VARIABLE",
            help="What can be observed next; may come several times; without, all that is not observed.",
            autocompletion=completion.variables,
        ),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(metavar="VARIABLE=NUMBER", help="What observing it costs, else 1; may come several times."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Where the decision changes; without, the most probable state decides."),
    ] = None,
    treatment: Annotated[
        str | None,
        typer.Option(
            metavar="VARIABLE", help="What is set: its effect on the answer, too.", autocompletion=completion.variables
        ),
    ] = None,
    only: Annotated[Advice | None, typer.Option(help="This part alone.")] = None,
    explain: Annotated[bool, flag("--explain", "Print what each part would run, and what it costs; run nothing.")] = False,
    rows: Annotated[int, typer.Option(metavar="NUMBER", min=1, help="The most rows of each table.")] = 10,
    max_bytes: MaxBytesOption = None,
    json: JsonOption = False,
    plot: PlotOption = None,
) -> None:
    """What each finding did to an answer, what to observe next, which numbers it hangs on, what setting a variable does."""
    from dconvex.cli.advise import AdviceOptions
    from dconvex.cli.advise import advise as advise_on

    if plot is not None and only is None:
        raise typer.BadParameter("--plot draws one picture; say which with --only")
    if plot is not None and explain:
        raise typer.BadParameter("--explain runs nothing, so there is nothing to plot")
    if only is Advice.effect and treatment is None:
        raise typer.BadParameter("an effect is that of a variable that is set; name it with --treatment")
    part = only.value if only else None
    options = AdviceOptions(
        state, candidate or [], cost or [], threshold, treatment, part, rows, max_bytes,
        explain=explain, as_json=json, picture=plot,
    )  # fmt: skip
    advise_on(network, target, given or [], soft or [], options)


@app.command(epilog=examples("dconvex explore", "dconvex explore alarm", "dconvex explore model.dcx --port 8000 --no-browser"))
def explore(
    network: OptionalNetworkArgument = None,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="The address to serve on; with any but 127.0.0.1 other machines can connect."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, max=65535, help="The port to serve on; 0 for any free one.")
    ] = 0,
    browser: Annotated[bool, flag("--browser/--no-browser", "Open the page in a browser.")] = True,
    json: JsonOption = False,
) -> None:
    """Ask a network by clicking, on a page of your own browser; without a network the page offers what there is."""
    from dconvex.cli.explore import explore as explore_model

    explore_model(network, host, port, browser=browser, as_json=json)


make_plain(app)
