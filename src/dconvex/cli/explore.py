"""`dconvex explore`."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dconvex.amounts import amount
from dconvex.cli.sources import find_model, is_model_file
from dconvex.explorer.explorer import Explorer
from dconvex.explorer.hosts import LOOPBACK
from dconvex.explorer.serving import address, listen, need_extra, open_browser, serve_until_interrupted
from dconvex.explorer.shelf import Shelf
from dconvex.repository import network_names


def explore(source: str | None, host: str, port: int, *, browser: bool, as_json: bool) -> None:
    """Serve the page about a model, or the start page without one, until Ctrl-C."""
    need_extra()
    explorer = Explorer(find_model(source), title(source), loading(source)) if source is not None else None
    with listen(host, port) as listener:
        url = address(listener)
        if as_json:
            print(json.dumps({"url": url}), flush=True)
        else:
            said = Text.assemble(f"{_subject(explorer)}: ", (url, "bold cyan"), ("  Ctrl-C ends it", "dim"))
            Console(soft_wrap=True, highlight=False).print(said)
        if host not in LOOPBACK:
            Console(stderr=True).print(Text("everyone who reaches this machine can ask", style="yellow"))
        if browser:
            open_browser(url)
        serve_until_interrupted(Shelf(explorer), listener, host)


def _subject(explorer: Explorer | None) -> str:
    if explorer is None:
        return f"{amount(len(network_names()), 'network')}, and whatever file you drop"
    return f"{explorer.title}, {amount(len(explorer.model), 'variable')} in {amount(len(explorer.model.tree), 'cluster')}"


def title(source: str) -> str:
    """The name of the network, or of the file without its folder."""
    return source if source in network_names() else Path(source).name


def loading(source: str) -> str:
    """The Python expression that gives the same model.

    >>> loading("alarm")
    "dc.localize(dc.load_network('alarm'))"
    """
    if source in network_names():
        return f"dc.localize(dc.load_network({source!r}))"
    path = str(Path(source).resolve())
    return f"dc.open_model({path!r})" if is_model_file(source) else f"dc.localize(dc.read({path!r}))"
