"""`dconvex networks`."""

from __future__ import annotations

import dataclasses
import json

from rich.console import Console
from rich.table import Table

from dconvex.cli.terminal import print_whole
from dconvex.repository import network_info, network_names


def print_networks(*, as_json: bool) -> None:
    """A table of the built-in networks."""
    infos = [network_info(name) for name in network_names()]
    if as_json:
        print(json.dumps([dataclasses.asdict(info) for info in infos]))
        return
    table = Table(title="Built-in networks", caption="dconvex show NAME prints one of them")
    table.add_column("name")
    table.add_column("kind")
    for heading in ("variables", "edges", "parameters"):
        table.add_column(heading, justify="right")
    for info in infos:
        counts = (f"{count:,}" for count in (info.variables, info.edges, info.parameters))
        table.add_row(info.name, info.kind, *counts)
    print_whole(Console(), table)
