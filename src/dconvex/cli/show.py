"""`dconvex show`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from dconvex.cli.drawing import check_picture, draw
from dconvex.cli.sources import find_network, find_variables
from dconvex.cli.terminal import print_json, print_whole
from dconvex.display.labels import label as in_one_line
from dconvex.names import Name
from dconvex.network.family import Regression, Table
from dconvex.network.network import BayesianNetwork
from dconvex.repository import network_info, network_names


def print_network(source: str, variables: Sequence[str], *, as_json: bool, picture: Path | None = None) -> None:
    """The whole network in a table, or the numbers of some families; and its picture, where a file for it is given."""
    check_picture(picture)
    network = find_network(source)
    chosen = find_variables(network, variables)
    if as_json:
        described = [_record(network, node) for node in chosen or network.dag.nodes]
        print_json({"kind": network.kind, "variables": described})
    else:
        _print_for_people(Console(), source, network, chosen)
    draw(network, picture, for_programs=as_json)


def _print_for_people(console: Console, source: str, network: BayesianNetwork, chosen: Sequence[Name]) -> None:
    if not chosen:
        _print_overview(console, source, network)
    for node in chosen:
        _print_family(console, network, node)


def _record(network: BayesianNetwork, node: Name) -> dict[str, object]:
    family = network.family(node)
    record = {"name": node, "parents": list(family.parents)}
    if isinstance(family, Table):
        return {**record, "states": list(network.states[node]), "table": family.values.tolist()}
    numbers = {"intercept": family.intercept, "coefficients": list(family.coefficients.values())}
    return {**record, **numbers, "variance": family.variance}


def _print_overview(console: Console, source: str, network: BayesianNetwork) -> None:
    console.print(Text(f"{source}: {network}", style="bold"))
    if source in network_names():
        info = network_info(source)
        console.print(Text(f"{info.reference}\nfrom {info.source}; licence: {info.licence}", style="dim"))
    grid = Grid()
    for heading in ("variable", "states" if network.kind == "discrete" else "regression", "parents", "children"):
        grid.add_column(heading, overflow="fold")
    for node in network.dag.nodes:
        names = (", ".join(map(in_one_line, members)) for members in (network.dag.parents(node), network.dag.children(node)))
        grid.add_row(Text(in_one_line(node)), Text(_in_short(network, node)), *map(Text, names))
    console.print(grid)
    console.print(Text(f"dconvex show {source} VARIABLE … prints the numbers of a family", style="dim"))


def _in_short(network: BayesianNetwork, node: Name) -> str:
    family = network.family(node)
    if isinstance(family, Regression):
        return _formula(family)
    states = list(map(in_one_line, network.states[node]))
    shown = states if len(states) <= 6 else [*states[:5], "…"]
    return f"{len(states)}: {', '.join(shown)}"


def _formula(family: Regression) -> str:
    terms = "".join(
        f" {'-' if value < 0 else '+'} {abs(value):g} {in_one_line(parent)}" for parent, value in family.coefficients.items()
    )
    return f"{family.intercept:g}{terms}, variance {family.variance:g}"


def _print_family(console: Console, network: BayesianNetwork, node: Name) -> None:
    family = network.family(node)
    given = ", ".join(map(in_one_line, family.parents))
    scope = f"{in_one_line(node)} | {given}" if given else in_one_line(node)
    if isinstance(family, Regression):
        console.print(Text(f"{scope}: {_formula(family)}"))
        return
    grid = Grid(title=Text(f"P({scope})"))
    for parent in family.parents:
        grid.add_column(Text(in_one_line(parent)), style="cyan")
    for label in network.states[node]:
        grid.add_column(Text(in_one_line(label)), justify="right")
    configurations = itertools.product(*(network.states[parent] for parent in family.parents))
    rows = family.values.reshape(-1, family.values.shape[-1])
    for labels, row in zip(configurations, rows.tolist(), strict=True):
        grid.add_row(*(Text(in_one_line(label)) for label in labels), *(f"{value:.6g}" for value in row))
    print_whole(console, grid)
